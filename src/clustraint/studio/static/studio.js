// The whole page: header, views, panels beside the plane, keys.
import { html, render, signal, useEffect } from "./vendor/preact.js";
import { createStore } from "./store.js";
import { Button, Key, useFocus } from "./parts.js";
import { Plane, MODES } from "./plane.js";
import { Table } from "./table.js";
import { Columns } from "./columns.js";
import { Compare, History } from "./history.js";
import { TakeAway } from "./takeaway.js";
import { DropHint, TableIn, TableOffer, catchDrops } from "./tablein.js";
import { Clusters, Contradiction, Group, Known, Question, RuleCard, Sample } from "./panels.js";
import { counted, lasting, number } from "./words.js";

const VIEWS = [
  { view: "plane", words: "Plane", shortcut: "1", page: Plane },
  { view: "table", words: "Table", shortcut: "2", page: Table },
  { view: "columns", words: "Columns", shortcut: "3", page: Columns },
  { view: "history", words: "Before and after", shortcut: "4", page: History },
  { view: "compare", words: "Compare", shortcut: "5", page: Compare },
  { view: "takeaway", words: "Take away", shortcut: "e", page: TakeAway },
];
// On a narrow screen the panels beside the plane are views of their own.
const PANELS = [["plane", "Plane"], ["ask", "Questions"], ["clusters", "Clusters"], ["known", "Known"], ["more", "More"]];
const BESIDE = new Set(["plane", "ask", "clusters", "known"]);
const NARROW = 880;
// Below this, buttons are too many for their keys to be shown beside them.
const TIGHT = 1200;

function Status({ store }) {
  const { status, compiling, clustering } = store.state.value, running = store.progress.value ?? (status.running ? status : null);
  const [kind, words] = store.connection.value === "refused" ? ["broken", "The studio was started anew: open the link that it printed"]
    : store.connection.value === "lost" ? ["broken", "Connection lost, trying again …"]
    : running ? ["busy", `${running.running}${running.total ? ` ${running.done} of ${running.total}` : ""}${compiling ? ", longer the first time" : ""} …`]
    : compiling && !clustering ? ["busy", "getting ready …"]
    : clustering ? ["settled", `settled in ${lasting(clustering.seconds)}`] : ["busy", "waiting"];
  return html`<span class=${`status ${kind}`} role="status"><span class="dot" aria-hidden="true"></span>${words}</span>`;
}

function Header({ store }) {
  const { table, can_undo: undoable, can_redo: redoable, people } = store.state.value, me = store.person.value;
  const others = people.filter((each) => each !== me);
  return html`<header class="head">
    <h1><span class="brand">clustraint</span> <span class="brand-soft">studio</span></h1>
    ${table && html`<p class="source"><strong>${table.source}</strong> <span class="faint">${counted(table.n_samples, "sample")}</span></p>`}
    <span class="grow"></span><${Status} store=${store}/>
    ${table && html`<label class="person" title=${others.length ? `Also here: ${others.join(", ")}` : "Your name stands beside what you say"}><span class="faint">You are</span> <input aria-label="Your name" size="10" maxlength="60" value=${me} onChange=${(event) => store.rename(event.target.value)}/></label>
      <div class="undo" role="group" aria-label="Undo and redo"><${Button} words="Undo" shortcut="u" disabled=${!undoable[me]} title=${undoable[me] ? `Take back: ${undoable[me]}` : "You have nothing to undo"} onClick=${() => store.send("undo", {})}/>
      <${Button} words="Redo" shortcut="U" disabled=${!redoable[me]} title=${redoable[me] ?? "You have nothing to redo"} onClick=${() => store.send("redo", {})}/>
      <${Button} words="Before" shortcut="b" pressed=${!!store.earlier.value} disabled=${store.state.value.clustering?.before == null} title="Show how it was before the last step" onClick=${() => flip(store)}/></div>`}
    <${Button} kind="plain help-button" words="?" aria-label="Keys" title="Keys (?)" onClick=${() => { store.help.value = true; }}/>
  </header>`;
}

const flip = (store) => store.showEarlier(store.earlier.value ? null : store.state.value.clustering?.before);

function Tabs({ store }) {
  const now = BESIDE.has(store.view.value) ? "plane" : store.view.value;
  return html`<nav class="tabs" aria-label="Views">${VIEWS.map(({ view, words, shortcut }) => html`<button type="button" aria-current=${now === view ? "page" : undefined} aria-keyshortcuts=${shortcut} onClick=${() => { store.view.value = view; }}>${words} <${Key} name=${shortcut}/></button>`)}</nav>`;
}

function BottomBar({ store }) {
  const now = store.view.value, main = PANELS.some(([view]) => view === now) ? now : "more";
  return html`<nav class="bottom-bar" aria-label="Views">${PANELS.map(([view, words]) => html`<button type="button" aria-current=${main === view ? "page" : undefined} onClick=${() => { store.view.value = view; }}>${words}
    ${view === "known" && store.state.value.statements.length > 0 ? html`<span class="badge">${number(store.state.value.statements.length)}</span>` : ""}</button>`)}</nav>`;
}

const More = ({ store }) => html`<div class="page more-view"><h2>More</h2><ul>${VIEWS.filter(({ view }) => view !== "plane").map(({ view, words }) => html`<li><button type="button" onClick=${() => { store.view.value = view; }}>${words}</button></li>`)}</ul>
  <label class="person">You are <input aria-label="Your name" maxlength="60" value=${store.person.value} onChange=${(event) => store.rename(event.target.value)}/></label></div>`;

const KEYS = [
  ...MODES.map(({ words, shortcut, help }) => [shortcut, words, help]), ["r", "Rule", "Say something about all samples that a formula describes"],
  ["y  n  s", "Yes, no, don’t know", "Answer the question"], ["u  U", "Undo, redo", "Your own last step"], ["b", "Before", "How it was before the last step"],
  ["1 – 5  e", "Views", "Plane, table, columns, before and after, compare; take away"], ["/", "Search", "Find a sample and pick it"],
  ["+  −  0", "Zoom", "In, out, all samples; arrows move the plane"], ["Esc", "Let go", "Of whatever was begun"],
];

function Help({ store }) {
  const close = useFocus();
  return html`<div class="veil" onClick=${(event) => { if (event.target === event.currentTarget) store.help.value = false; }}><section class="card dialog" role="dialog" aria-modal="true" aria-label="Keys">
    <div class="card-head"><h2>Keys</h2><button type="button" ref=${close} onClick=${() => { store.help.value = false; }}>Close <${Key} name="Esc"/></button></div>
    <dl class="keys">${KEYS.map(([keys, words, help]) => html`<div><dt>${keys.split("  ").map((key) => html`<kbd>${key}</kbd>`)}</dt><dd><strong>${words}</strong> <span class="faint">${help}</span></dd></div>`)}</dl></section></div>`;
}

function Side({ store }) {
  return html`<aside class="side" aria-label="Panels"><${Contradiction} store=${store}/><${RuleCard} store=${store}/><${Group} store=${store}/><${Sample} store=${store}/>
    <${Question} store=${store}/><${Clusters} store=${store}/><${Known} store=${store}/></aside>`;
}

function App({ store }) {
  if (!store.state.value) return html`<p class="waiting" role="status">Opening the studio …</p><${Messages} store=${store}/>`;
  if (!store.state.value.table) return html`<${TableIn} store=${store}/><${DropHint} store=${store}/><${Messages} store=${store}/>`;
  const view = store.view.value, beside = BESIDE.has(view), other = VIEWS.find((each) => each.view === view);
  return html`<${Header} store=${store}/><${Tabs} store=${store}/>
    <div class="work"><main class="main" aria-label=${other?.words ?? "Plane"}>
      <div class=${`keep ${beside ? "" : "away"}`} inert=${!beside}><${Plane} store=${store}/></div>
      ${view === "more" ? html`<${More} store=${store}/>` : !beside && html`<${other.page} store=${store}/>`}</main>
      <${Side} store=${store}/></div>
    <${BottomBar} store=${store}/><${Messages} store=${store}/>${store.help.value && html`<${Help} store=${store}/>`}<${TableOffer} store=${store}/><${DropHint} store=${store}/>`;
}

function Messages({ store }) {
  return html`<div class="unseen" aria-live="polite">${store.announcement.value}</div>
    ${store.complaint.value && html`<div class="toast" role="alert"><span>${store.complaint.value}</span><${Button} kind="plain" words="×" aria-label="Close" onClick=${() => { store.complaint.value = ""; }}/></div>`}`;
}

const isTyping = (target) => target.matches?.("input:not([type=radio], [type=checkbox], [type=range]), select, textarea");

/** What each key does; letters are left alone while somebody types. */
function onKey(store, event) {
  if (event.key === "Escape") {
    if (store.help.value) store.help.value = false;
    else if (!store.board?.drop()) store.escape();
    return true;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || !store.state.value?.table) return false;
  const mode = MODES.find((each) => each.shortcut === event.key), picked = store.picked.value.length;
  const view = VIEWS.find((each) => each.shortcut === event.key);
  const needed = { together: picked >= 2, apart: picked === 2, closer: picked === 3 };
  const others = {
    y: () => store.answer("yes"), n: () => store.answer("no"), s: () => store.answer("don't know"), u: () => store.send("undo", {}), U: () => store.send("redo", {}),
    b: () => flip(store), r: () => store.openRule(), "/": () => store.searchField?.focus(), "?": () => { store.help.value = true; },
  };
  if (mode && needed[mode.mode]) store.sayPicked(mode.mode);
  else if (mode) store.mode.value = mode.mode;
  else if (view) store.view.value = view.view;
  else if (others[event.key]) others[event.key]();
  else return false;
  return true;
}

/** Put the studio into an element; `keys` is what hears the keyboard: the page, or the element alone. */
export function openStudio(transport, element, { memory, keys = element }) {
  const store = createStore(transport, memory);
  store.help = signal(false);
  store.tableCluster = signal(null);
  element.classList.add("studio");
  const watch = new ResizeObserver(([{ contentRect }]) => {
    store.narrow.value = contentRect.width < NARROW;
    element.classList.toggle("narrow", store.narrow.value);
    element.classList.toggle("tight", !store.narrow.value && contentRect.width < TIGHT);
  });
  watch.observe(element);
  const listen = (event) => { if (onKey(store, event)) event.preventDefault(); };
  keys.addEventListener("keydown", listen);
  const letGo = transport.upload ? catchDrops(store, element) : () => {};
  const Root = () => {
    element.dataset.view = store.view.value;
    // Something to decide comes to the front, also where panels are views of their own.
    const urgent = !!store.contradiction.value || !!store.rule.value || !!store.group.value || store.focused.value != null;
    useEffect(() => { element.classList.toggle("urgent", urgent); }, [urgent]);
    return html`<${App} store=${store}/>`;
  };
  // What was wrong elsewhere is no news here.
  const forget = store.view.subscribe(() => { store.complaint.value = ""; });
  render(html`<${Root}/>`, element);
  store.start().catch((error) => {
    if (error.status === 403) store.complaint.value = error.message;
    else throw error;
  });
  store.close = () => {
    watch.disconnect();
    keys.removeEventListener("keydown", listen);
    letGo();
    forget();
    render(null, element);
  };
  return store;
}
