// The plane with its tools: pan and zoom, links by drag, lasso, search, colours and axes.
import { html, signal, useEffect, useMemo, useRef } from "./vendor/preact.js";
import { Board, rampColour } from "./board.js";
import { Act, Button, Key, Swatch } from "./parts.js";
import { counted, number } from "./words.js";

export const MODES = [
  { mode: "move", words: "Move", shortcut: "v", help: "Drag to move, scroll to zoom, click a sample to read it." },
  { mode: "together", words: "Together", shortcut: "t", help: "Drag from one sample to another, or click both: they belong together." },
  { mode: "apart", words: "Apart", shortcut: "a", help: "Drag from one sample to another, or click both: they do not belong together." },
  { mode: "closer", words: "Closer", shortcut: "c", help: "Drag between two samples that are closer to each other than to a third, then click the third." },
  { mode: "lasso", words: "Lasso", shortcut: "l", help: "Draw around samples to say something about all of them." },
];

function Tools({ store }) {
  return html`<div class="tools" role="toolbar" aria-label="What the pointer does">
    ${MODES.map(({ mode, words, shortcut, help }) => html`<${Button} words=${words} shortcut=${shortcut} title=${help} pressed=${store.mode.value === mode}
      onClick=${() => { store.mode.value = mode; store.announcement.value = help; }}/>`)}
    <${Button} words="Rule" shortcut="r" title="Say something about all samples that a formula describes." pressed=${!!store.rule.value} onClick=${() => store.openRule()}/>
  </div>`;
}

/** Find a sample by its name or a value, and pick it. */
export function Search({ store, onPick }) {
  const query = useMemo(() => signal(""), []), results = useMemo(() => signal(null), []), at = useMemo(() => signal(0), []);
  const input = useRef(null);
  useEffect(() => { store.searchField = input.current; }, []);
  const look = async (text) => {
    query.value = text;
    at.value = 0;
    if (!text.trim()) {
      results.value = null;
      return;
    }
    const answer = await store.transport.get(`/api/samples?query=${encodeURIComponent(text)}&count=8`);
    if (query.value === text) results.value = answer;
  };
  const choose = (row) => {
    onPick(row);
    query.value = "";
    results.value = null;
    input.current.focus();
  };
  const keys = (event) => {
    const rows = results.value?.rows ?? [];
    if (event.key === "ArrowDown") at.value = Math.min(rows.length - 1, at.value + 1);
    else if (event.key === "ArrowUp") at.value = Math.max(0, at.value - 1);
    else if (event.key === "Enter" && rows[at.value]) choose(rows[at.value].row);
    else if (event.key === "Escape") {
      if (query.value) look("");
      else input.current.blur();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const rows = results.value?.rows ?? [];
  return html`<div class="search">
    <input ref=${input} type="search" role="combobox" placeholder="Find a sample" aria-label="Find a sample" aria-keyshortcuts="/" autocomplete="off" spellcheck=${false}
      aria-expanded=${!!results.value} aria-controls="found" aria-activedescendant=${rows.length ? `found-${rows[at.value]?.row}` : undefined}
      value=${query.value} onInput=${(event) => look(event.target.value)} onKeyDown=${keys} onBlur=${() => setTimeout(() => { results.value = null; }, 200)}/>
    <${Key} name="/"/>
    ${results.value && html`<ul id="found" role="listbox" aria-label="Samples">
      ${rows.map((each, place) => html`<li id=${`found-${each.row}`} role="option" aria-selected=${place === at.value} onPointerDown=${(event) => { event.preventDefault(); choose(each.row); }}>
        <${Swatch} store=${store} cluster=${each.cluster}/><span class="name">${each.name}${each.match && html` <span class="faint small">${each.match.column}: ${each.match.value}</span>`}</span><span class="faint">${store.labelOf(each.cluster)}</span></li>`)}
      ${rows.length === 0 && html`<li class="faint" role="presentation">No sample has that.</li>`}
      ${results.value.total > rows.length && html`<li class="faint more" role="presentation">${number(results.value.total - rows.length)} more: see the table</li>`}
    </ul>`}
  </div>`;
}

function Choices({ store }) {
  const columns = (store.columns.value ?? []).filter((each) => each.role !== "leave" && each.histogram);
  const axes = store.axes.value;
  const options = (chosen) => chosen.map((each) => html`<option value=${each.index}>${each.name}</option>`);
  const clustered = columns.filter((each) => each.role === "cluster");
  const turn = (place) => (event) => {
    const value = event.target.value === "" ? null : Number(event.target.value);
    const other = axes?.[1 - place] ?? clustered.find((each) => each.index !== value)?.index;
    store.setAxes(value === null ? null : place === 0 ? [value, other] : [other, value]);
  };
  const sheet = useRef(null);
  useEffect(() => {
    const away = ({ target }) => { if (!sheet.current.contains(target)) sheet.current.open = false; };
    document.addEventListener("pointerdown", away);
    return () => document.removeEventListener("pointerdown", away);
  }, []);
  const keys = (event) => {
    if (event.key !== "Escape" || !sheet.current.open) return;
    sheet.current.open = false;
    sheet.current.firstElementChild.focus();
    event.stopPropagation();
  };
  return html`<details class="choices" ref=${sheet} onKeyDown=${keys}><summary>Colours and axes</summary><div class="sheet">
    <label>Colour by <select value=${store.colouring.value?.column.index ?? ""} onChange=${(event) => store.colourBy(event.target.value === "" ? null : Number(event.target.value))}>
      <option value="">cluster</option>${options(columns)}</select></label>
    <label>Across <select value=${axes?.[0] ?? ""} onChange=${turn(0)}><option value="">main direction</option>${options(clustered)}</select></label>
    <label>Up <select value=${axes?.[1] ?? ""} onChange=${turn(1)}><option value="">second direction</option>${options(clustered)}</select></label>
    <p class="faint">${store.points.value?.about}</p>
  </div></details>`;
}

function Legend({ store }) {
  const colouring = store.colouring.value;
  if (!colouring) return null;
  const { column } = colouring, { histogram } = column;
  return html`<div class="legend floating"><strong>${column.name}</strong>
    ${histogram?.levels ? html`<ul>${histogram.levels.slice(0, 10).map((level, place) => html`<li><${Swatch} store=${store} cluster=${place}/><span title=${level}>${level}</span></li>`)}</ul>`
      : html`<div class="ramp"><span>${histogram?.ends[0]}</span><svg viewBox="0 0 64 6" preserveAspectRatio="none" aria-hidden="true">
        ${Array.from({ length: 32 }, (_, place) => html`<rect x=${place * 2} width="2.2" height="6" fill=${rampColour(place / 31)}/>`)}</svg><span>${histogram?.ends[1]}</span></div>`}</div>`;
}

/** What is under the pointer: its name, its cluster, and what is telling about it. */
function Tip({ store, board }) {
  const about = useMemo(() => signal(null), []);
  const row = board?.hovered.value ?? -1;
  useEffect(() => {
    if (row < 0) {
      about.value = null;
      return undefined;
    }
    const timer = setTimeout(async () => {
      const answer = await store.brief(row);
      if (board.hovered.value === row) about.value = answer;
    }, 40);
    return () => clearTimeout(timer);
  }, [row]);
  const hint = board?.hint.value;
  if (hint) return html`<div class="tip floating"><strong>${hint}</strong></div>`;
  if (!about.value) return null;
  const { name, cluster, telling = [] } = about.value;
  return html`<div class="tip floating"><${Swatch} store=${store} cluster=${cluster}/><strong>${name}</strong> <span class="faint">${store.labelOf(cluster)}</span>
    ${telling.length > 0 && html`<span class="telling">${telling.map((each) => html`<span><span class="faint">${each.column}</span> ${each.value}</span>`)}</span>`}</div>`;
}

/** What can be said about the samples that were picked. */
export function Picked({ store }) {
  const picked = store.picked.value, rows = picked.map((each) => each.row);
  if (!picked.length) return null;
  const done = () => { store.picked.value = []; };
  return html`<div class="picked floating" role="region" aria-label="Picked samples">
    <ol>${picked.map((each) => html`<li><span>${each.name}</span><button type="button" class="plain" aria-label=${`Let go of ${each.name}`} onClick=${() => store.pick(each.row)}>×</button></li>`)}</ol>
    <div class="acts">
      ${picked.length >= 2 && html`<${Act} store=${store} kind="together" body=${{ rows }} words="Together" shortcut="t" done=${done}/>`}
      ${picked.length === 2 && html`<${Act} store=${store} kind="apart" body=${{ rows: rows.slice(0, 1), from: rows.slice(1) }} words="Apart" shortcut="a" done=${done}/>`}
      ${picked.length === 3 && html`<${Act} store=${store} kind="closer" body=${{ rows }} words="1 and 2 are closer than 3" shortcut="c" done=${done}/>`}
      ${picked.length === 1 && html`<span class="faint">Pick another one to say how they belong.</span>`}
      <${Button} words="Let go" shortcut="Esc" onClick=${done}/>
    </div></div>`;
}

function Better({ store }) {
  const { better } = store.state.value;
  if (!better || store.declined.value === better.clustering) return null;
  return html`<div class="better floating" role="status"><span>${better.sentence}</span>
    <${Button} words="Take it" kind="primary" onClick=${() => store.send("take", { clustering: better.clustering })}/>
    <${Button} words="Not now" onClick=${() => { store.declined.value = better.clustering; }}/></div>`;
}

function Footer({ store }) {
  const { clustering, satisfied, violated, problem } = store.state.value, shown = store.emphasis.value, earlier = store.earlier.value;
  const all = satisfied + violated;
  return html`<footer class="line" role="contentinfo">
    ${earlier && html`<strong class="accent">Showing how it was before (${counted(earlier.moved, "sample")} differ) <button type="button" class="link" onClick=${() => store.showEarlier(null)}>back to now</button></strong>`}
    ${problem && html`<strong class="broken">${problem}</strong>`}
    ${!earlier && html`<span>${all ? `${number(satisfied)} of ${counted(all, "statement")} ${satisfied === 1 ? "holds" : "hold"}` : "Nothing has been said yet"}</span>`}
    ${!earlier && clustering?.before != null && html`<span>last step moved ${clustering.moved ? counted(clustering.moved, "sample") : "nothing"}
      ${clustering.moved > 0 && html` <button type="button" class="link" aria-pressed=${shown?.key === "moved"} onClick=${() => store.showMoved()}>${shown?.key === "moved" ? "stop showing" : "show"}</button>`}</span>`}
    ${store.drawn.value && html`<span class="drawn">${store.drawn.value}</span>`}
    ${shown && shown.key !== "moved" && html`<span class="accent">${shown.words}</span>`}
    <span class="grow"></span><span title=${store.state.value.kept ?? ""}>${store.unsaved.value ? "saving …" : store.state.value.kept ? "all saved" : "kept in memory only"}</span></footer>`;
}

export function Plane({ store }) {
  const canvas = useRef(null), over = useRef(null), stage = useRef(null), board = useMemo(() => signal(null), []);
  useEffect(() => {
    const made = new Board(store, stage.current.closest(".studio"), canvas.current, over.current);
    board.value = made;
    store.board = made;
    return () => {
      made.stop();
      store.board = null;
    };
  }, []);
  const find = (row) => {
    store.pick(row);
    board.value.show(row);
  };
  const steps = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
  const keys = (event) => {
    if (steps[event.key]) board.value.pan(...steps[event.key]);
    else if (event.key === "+" || event.key === "=") board.value.zoom(1.3);
    else if (event.key === "-") board.value.zoom(1 / 1.3);
    else if (event.key === "0") board.value.home();
    else return;
    event.preventDefault();
  };
  const mode = MODES.find((each) => each.mode === store.mode.value);
  return html`<div class="plane" data-mode=${store.mode.value}>
    <div class="stage" ref=${stage}>
      <canvas class="points" ref=${canvas}></canvas>
      <canvas class="over" ref=${over} tabindex="0" role="img" aria-label=${board.value?.describe() ?? "The samples"} onKeyDown=${keys}></canvas>
      <div class="top"><${Tools} store=${store}/><span class="grow"></span><${Search} store=${store} onPick=${find}/><${Choices} store=${store}/></div>
      <div class="zoom" role="group" aria-label="Zoom">
        <button type="button" aria-label="Zoom in" title="Zoom in (+)" onClick=${() => board.value.zoom(1.4)}>+</button>
        <button type="button" aria-label="Zoom out" title="Zoom out (−)" onClick=${() => board.value.zoom(1 / 1.4)}>−</button>
        <button type="button" aria-label="Show all samples" title="Show all (0)" onClick=${() => board.value.home()}>All</button></div>
      <div class="bottom">
        <${Better} store=${store}/><${Picked} store=${store}/>
        <div class="under"><${Tip} store=${store} board=${board.value}/>${store.mode.value !== "move" && html`<span class="help floating">${mode?.help}</span>`}<span class="grow"></span><${Legend} store=${store}/></div>
      </div>
      ${!store.labels.value && html`<p class="waiting">${store.state.value.compiling ? "Getting ready: the first clusters take a little longer …" : "Clustering …"}</p>`}
    </div>
    <${Footer} store=${store}/>
  </div>`;
}
