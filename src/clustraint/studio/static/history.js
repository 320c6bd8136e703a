// Before and after any two moments; and methods compared by statements that they were not given.
import { html, signal, useEffect, useMemo } from "./vendor/preact.js";
import { Bar, Button, Swatch } from "./parts.js";
import { asSentence, clock, counted, lasting, number } from "./words.js";

const HEIGHT = 360;
const GAP = 8;
// A line of text, so that the names of small clusters stay apart.
const LINE = 17;

/** Where the bands of each side lie: clusters by number, as high as they are large. */
function stacked(totals, all) {
  const room = HEIGHT - GAP * Math.max(0, totals.size - 1), places = new Map();
  let top = 0;
  for (const [cluster, n] of [...totals].sort((a, b) => a[0] - b[0])) {
    const height = Math.max(2, room * n / all);
    places.set(cluster, { top, height, n, used: 0 });
    top += Math.max(height + GAP, LINE);
  }
  return places;
}

/** Which clusters became which: bands from left to right, as thick as samples went that way. */
export function Flows({ store, changes }) {
  const { flows, names = {} } = changes, all = flows.reduce((sum, flow) => sum + flow.n, 0);
  const sum = (end) => flows.reduce((totals, flow) => totals.set(flow[end], (totals.get(flow[end]) ?? 0) + flow.n), new Map());
  const left = stacked(sum("from"), all), right = stacked(sum("to"), all);
  const name = (cluster) => names[cluster] || store.labelOf(cluster);
  const bottom = Math.max(...[...left.values(), ...right.values()].map((place) => place.top + place.height));
  const bands = [...flows].sort((a, b) => b.n - a.n).map((flow) => {
    const a = left.get(flow.from), b = right.get(flow.to), thickA = a.height * flow.n / a.n, thickB = b.height * flow.n / b.n;
    const [ya, yb] = [a.top + a.used, b.top + b.used];
    a.used += thickA;
    b.used += thickB;
    return html`<path class=${`flow ${flow.from === flow.to ? "stays" : "moves"} c${Math.max(0, flow.from) % 8}`} d=${`M170 ${ya}C300 ${ya} 300 ${yb} 430 ${yb}V${yb + thickB}C300 ${yb + thickB} 300 ${ya + thickA} 170 ${ya + thickA}Z`}>
      <title>${`${counted(flow.n, "sample")}: ${name(flow.from)} to ${name(flow.to)}`}</title></path>`;
  });
  const column = (places, x, textX, anchor) => [...places].map(([cluster, { top, height, n }]) => html`<rect class=${`c${Math.max(0, cluster) % 8}`} x=${x} y=${top} width="8" height=${height} rx="2"/>
    <text x=${textX} y=${top + height / 2} text-anchor=${anchor} dominant-baseline="middle">${name(cluster).slice(0, 20)} <tspan class="faint">${number(n)}</tspan></text>`);
  return html`<svg class="flows" viewBox=${`0 -8 600 ${bottom + 16}`} role="img" aria-label=${flows.filter((flow) => flow.from !== flow.to).map((flow) => `${flow.n} from ${name(flow.from)} to ${name(flow.to)}`).join(", ") || "no sample moved"}>
    ${bands}${column(left, 162, 154, "end")}${column(right, 430, 446, "start")}</svg>`;
}

export function History({ store }) {
  const history = useMemo(() => signal(null), []), ends = useMemo(() => signal([null, null]), []), changes = useMemo(() => signal(null), []);
  const now = store.state.value.clustering?.id;
  useEffect(() => { store.transport.get("/api/history").then((answer) => { history.value = answer; }, store.complain); }, [store.state.value.seq, store.state.value.clustering?.id]);
  const moments = history.value?.clusterings ?? [];
  // What was shown before is not always the one made last: what is taken back shows an older one again.
  const last = store.state.value.clustering?.before, shown = (id) => moments.some((each) => each.id === id);
  const b = ends.value[1] ?? now, a = ends.value[0] ?? (b === now && shown(last) ? last : moments.filter((each) => each.id < b).at(-1)?.id ?? b);
  useEffect(() => {
    changes.value = null;
    if (a != null && b != null && moments.length) store.transport.get(`/api/changes/${a}/${b}`).then((answer) => { changes.value = answer; }, store.complain);
  }, [a, b, moments.length]);
  const moment = (id) => moments.find((each) => each.id === id);
  const words = (each) => `${clock(each.at)}${each.id === now ? " (now)" : ""}: ${counted(each.n_clusters, "cluster")}, ${counted(each.n_statements, "statement")}`;
  const choose = (place) => html`<label>${["Before", "After"][place]} <select value=${[a, b][place]} onChange=${(event) => { ends.value = ends.value.map((each, other) => (other === place ? Number(event.target.value) : each)); }}>
    ${[...moments].reverse().map((each) => html`<option value=${each.id}>${words(each)}</option>`)}</select></label>`;
  const onPlane = () => {
    store.emphasiseBits("moved", changes.value.bits, `${counted(changes.value.moved, "sample")} moved`);
    store.view.value = "plane";
  };
  return html`<div class="history-view page"><div class="page-head"><div><h2>Before and after</h2><p class="faint">Which samples went where between any two moments.</p></div></div>
    ${moments.length < 2 ? html`<p>There is one clustering so far. Say something, and what it changes shows here.</p>` : html`
      <div class="bar-row wrap">${choose(0)}${choose(1)}</div>
      ${changes.value && html`<p class="big">${changes.value.moved ? `${counted(changes.value.moved, "sample")} moved` : "No sample moved"}${changes.value.moved > 0 && html` <${Button} words=${changes.value.moved === 1 ? "Show it on the plane" : "Show them on the plane"} onClick=${onPlane}/>`}
        ${a !== now && moment(a)?.can_be_taken && html` <${Button} words="Go on from the clusters before" title="Show the earlier clusters again, and let what you say next change those" onClick=${() => store.send("take", { clustering: a })}/>`}</p>
        <${Flows} store=${store} changes=${changes.value}/>`}`}
    ${history.value?.events.length > 0 && html`<h3>Everything that happened</h3><ol class="events" reversed>${[...history.value.events].reverse().slice(0, 200).map((each) => html`<li class=${each.live ? "" : "gone"}><span class="faint">${clock(each.at)} ${each.person}</span> <span>${each.text || each.kind}</span>${each.live ? "" : html` <span class="faint">taken back</span>`}</li>`)}</ol>`}
  </div>`;
}

export function Compare({ store }) {
  const now = store.state.value.settings.n_clusters ?? store.state.value.clustering?.n_clusters ?? 3;
  const low = useMemo(() => signal(Math.max(2, now - 2)), []), high = useMemo(() => signal(now + 2), []), left = useMemo(() => signal(new Set()), []);
  useEffect(() => { store.loadComparison(); }, []);
  const methods = store.state.value.methods.filter((each) => each.name !== "auto"), usable = methods.filter((each) => !each.obstacle);
  const answer = store.comparison.value, rows = answer?.rows ?? [], refusal = useMemo(() => signal(""), []);
  const refused = (error) => {
    if (error.status !== 422) throw error;
    refusal.value = asSentence(error.message);
  };
  const run = () => {
    refusal.value = "";
    const counts = Array.from({ length: Math.max(1, high.value - low.value + 1) }, (_, place) => low.value + place);
    return store.transport.post("/api/compare", { n_clusters: counts, methods: usable.map((each) => each.name).filter((name) => !left.value.has(name)) }).then(store.loadComparison, refused);
  };
  const stop = () => store.transport.post("/api/compare", { stop: true }).then(store.loadComparison, store.complain);
  const toggle = (name) => {
    const next = new Set(left.value);
    if (!next.delete(name)) next.add(name);
    left.value = next;
  };
  const bound = (value, words) => html`<label>${words} <input type="number" min="2" max="50" value=${value.value} onChange=${(event) => { value.value = Math.max(2, Number(event.target.value) || 2); }}/></label>`;
  const best = Math.max(...rows.map((row) => row.score ?? -1));
  return html`<div class="compare-view page"><div class="page-head"><div><h2>Compare</h2><p class="faint">Each method is given part of what was said, and scored on the rest. Nothing changes until you take one.</p></div></div>
    <div class="bar-row wrap">${bound(low, "Clusters from")}${bound(high, "to")}
      ${answer?.running ? html`<${Button} words="Stop" onClick=${stop}/><progress value=${answer.done} max=${answer.total || 1}></progress><span class="faint">${answer.done} of ${answer.total}</span>` : html`<${Button} kind="primary" words="Compare" onClick=${run}/>`}</div>
    <details class="methods"><summary>${counted(usable.length - left.value.size, "method")} of ${methods.length}</summary><ul>${methods.map((each) => html`<li><label class=${each.obstacle ? "faint" : ""}><input type="checkbox" disabled=${!!each.obstacle} checked=${!each.obstacle && !left.value.has(each.name)} onChange=${() => toggle(each.name)}/> <strong>${each.name}</strong></label> <span class="faint small">${each.obstacle || each.idea}</span></li>`)}</ul></details>
    ${(refusal.value || answer?.problem) && html`<p class="broken" role="alert">${refusal.value || asSentence(answer.problem)}</p>`}
    ${rows.length > 0 && html`<div class="scroll"><table class="results"><thead><tr><th scope="col">Method</th><th scope="col">Clusters</th><th scope="col" colspan="2">Held-out score</th><th scope="col">Without statements</th><th scope="col">Time</th><th></th></tr></thead>
      <tbody>${rows.map((row) => html`<tr class=${row.score === best ? "best" : ""}><th scope="row">${row.method}</th><td>${row.n_clusters}</td><td class="number">${row.score?.toFixed(3) ?? "–"}</td><td class="wide">${row.score != null && html`<${Bar} share=${Math.max(0, row.score)}/>`}</td>
        <td class="number faint">${row.without?.toFixed(3) ?? "–"}</td><td class="number faint">${row.seconds != null ? lasting(row.seconds) : ""}</td>
        <td><${Button} words="Take it" aria-label=${`Take ${row.method} with ${row.n_clusters} clusters`} onClick=${() => store.send("method", { method: row.method, n_clusters: row.n_clusters })}/></td></tr>
        ${row.sentence && row === rows[0] && html`<tr class="faint small"><td colspan="7">${row.sentence}</td></tr>`}`)}</tbody></table></div>`}
  </div>`;
}
