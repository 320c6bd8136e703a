// The same samples as rows: the way in for keyboard and screen reader.
import { html, signal, useEffect, useMemo, useRef } from "./vendor/preact.js";
import { Button, Swatch } from "./parts.js";
import { Picked } from "./plane.js";
import { counted, number } from "./words.js";

const PAGE = 50;

export function Table({ store }) {
  const query = useMemo(() => signal(""), []), sort = useMemo(() => signal({ by: "row", descending: false }), []);
  const from = useMemo(() => signal(0), []), page = useMemo(() => signal(null), []), at = useMemo(() => signal(0), []), body = useRef(null);
  const cluster = store.tableCluster.value, { by, descending } = sort.value;
  const wanted = new URLSearchParams({ query: query.value, sort: by, from: from.value, count: PAGE, ...(descending && { descending: 1 }), ...(cluster != null && { cluster }) }).toString();
  useEffect(() => {
    let current = true;
    const timer = setTimeout(() => store.transport.get(`/api/samples?${wanted}`).then((answer) => { if (current) page.value = answer; }, store.complain), 60);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [wanted, store.labels.value?.clustering, store.state.value.clusters.map((each) => each.label).join()]);
  const reset = (change) => {
    change();
    from.value = 0;
    at.value = 0;
  };
  const order = (name) => reset(() => { sort.value = { by: String(name), descending: by === String(name) && !descending }; });
  const rows = page.value?.rows ?? [], total = page.value?.total ?? 0;
  const go = (place) => {
    at.value = Math.max(0, Math.min(rows.length - 1, place));
    body.current?.querySelectorAll("tr")[at.value]?.focus();
  };
  const keys = (event) => {
    const steps = { ArrowDown: at.value + 1, ArrowUp: at.value - 1, Home: 0, End: rows.length - 1, PageDown: at.value + 10, PageUp: at.value - 10 };
    if (event.key in steps) go(steps[event.key]);
    else if (event.key === "Enter" || event.key === " ") store.pick(rows[at.value].row);
    else return;
    event.preventDefault();
  };
  const picked = new Set(store.picked.value.map((each) => each.row));
  const heading = (name, words) => html`<th scope="col" aria-sort=${by === String(name) ? (descending ? "descending" : "ascending") : undefined}><button type="button" class="plain" onClick=${() => order(name)}>${words}${by === String(name) ? (descending ? " ↓" : " ↑") : ""}</button></th>`;
  return html`<div class="table-view page">
    <div class="bar-row"><label class="grow"><span class="unseen">Search the table</span><input type="search" placeholder="Search names and values" value=${query.value} onInput=${(event) => reset(() => { query.value = event.target.value; })}/></label>
      <label>Cluster <select value=${cluster ?? ""} onChange=${(event) => reset(() => { store.tableCluster.value = event.target.value === "" ? null : Number(event.target.value); })}><option value="">all</option>
        ${store.state.value.clusters.map((each) => html`<option value=${each.cluster}>${each.label}</option>`)}</select></label></div>
    <p class="faint small">${store.narrow.value ? "Tap the samples that you want to say something about." : html`Arrow keys move, Enter picks; then <kbd>t</kbd> says together, <kbd>a</kbd> apart, <kbd>c</kbd> closer. What you pick is picked on the plane too.`}</p>
    <${Picked} store=${store}/>
    <div class="scroll"><table class="samples" role="grid" aria-label="Samples" aria-rowcount=${total} aria-multiselectable="true">
      <thead><tr>${heading("name", store.state.value.table.id_column ?? "Sample")}${heading("cluster", "Cluster")}${(page.value?.columns ?? []).map((name, index) => heading(columnIndex(store, name, index), name))}</tr></thead>
      <tbody ref=${body} onKeyDown=${keys}>${rows.map((each, place) => html`<tr key=${each.row} tabindex=${place === Math.min(at.value, rows.length - 1) ? 0 : -1} aria-selected=${picked.has(each.row)} aria-rowindex=${from.value + place + 1}
          onFocus=${() => { at.value = place; }} onClick=${() => store.pick(each.row)}>
        <th scope="row">${each.name}</th><td><${Swatch} store=${store} cluster=${each.cluster}/>${store.labelOf(each.cluster)}</td>${each.values.map((value) => html`<td>${value}</td>`)}</tr>`)}</tbody></table></div>
    <div class="bar-row"><span class="faint" role="status">${total ? `${number(from.value + 1)} to ${number(from.value + rows.length)} of ${counted(total, "sample")}` : "No sample has that."}</span><span class="grow"></span>
      <${Button} words="Back" disabled=${from.value === 0} onClick=${() => { from.value = Math.max(0, from.value - PAGE); }}/>
      <${Button} words="Further" disabled=${from.value + rows.length >= total} onClick=${() => { from.value += PAGE; }}/></div>
  </div>`;
}

/** The number by which the server knows a column. */
const columnIndex = (store, name, place) => store.columns.value?.find((each) => each.name === name)?.index ?? place;
