// The table that came in, and what each of its columns is for.
import { html, signal, useMemo } from "./vendor/preact.js";
import { Act, Button } from "./parts.js";
import { counted, number } from "./words.js";

const ROLES = [["cluster", "cluster by"], ["show", "show only"], ["leave", "leave out"]];
const KINDS = { numeric: "number", date: "date", binary: "yes/no", nominal: "category", text: "text" };
const SHOWN = 5;

function Histogram({ column }) {
  const { histogram } = column;
  if (!histogram) return null;
  const { counts, levels } = histogram, most = Math.max(1, ...counts);
  if (levels) {
    return html`<ul class="levels">${levels.slice(0, SHOWN).map((level, place) => html`<li><span title=${level}>${level}</span><svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect width=${100 * counts[place] / most} height="6" rx="1"/></svg><span class="faint">${number(counts[place])}</span></li>`)}
      ${column.n_distinct > SHOWN ? html`<li class="rest faint">${counted(column.n_distinct - SHOWN, "more value")}</li>` : ""}</ul>`;
  }
  const width = 100 / counts.length, [low, high] = histogram.ends;
  return html`<figure class="histogram"><svg viewBox="0 0 100 28" preserveAspectRatio="none" role="img" aria-label=${`from ${low} to ${high}`}>
      ${counts.map((count, place) => html`<rect x=${place * width + 0.4} width=${width - 0.8} y=${28 - 28 * count / most} height=${28 * count / most}/>`)}</svg>
    <figcaption class="faint"><span>${low}</span><span>${high}</span></figcaption></figure>`;
}

/** What a column is taken for, and why. */
function Kind({ column, kind, choose }) {
  if (column.kind === "identifier") return html`<span class="faint">names the samples</span>`;
  if (!(column.kind in KINDS)) return html`<span class="faint">lists of numbers</span>`;
  return html`<label><span class="unseen">Kind of ${column.name}</span><select value=${kind} onChange=${(event) => choose(event.target.value)}>
    ${Object.entries(KINDS).map(([each, words]) => html`<option value=${each}>${words}</option>`)}</select></label>`;
}

const because = ({ kind, reason, why, n_distinct: n }) => {
  const values = kind === "numeric" || kind === "date" || kind === "text" ? counted(n, "different value") : "";
  return [reason, values, kind === "identifier" ? "" : why].filter(Boolean).join("; ");
};

export function Columns({ store }) {
  const roles = useMemo(() => signal({}), []), kinds = useMemo(() => signal({}), []);
  const columns = store.columns.value ?? [], { table } = store.state.value;
  const changed = Object.keys(roles.value).length + Object.keys(kinds.value).length;
  const put = (bag, name, value, was) => {
    const { [name]: _, ...rest } = bag.value;
    bag.value = value === was ? rest : { ...rest, [name]: value };
  };
  const done = () => {
    roles.value = {};
    kinds.value = {};
    store.loadColumns();
  };
  return html`<div class="columns-view page">
    <div class="page-head"><div><h2>${table.source}</h2><p class="faint">${counted(table.n_samples, "sample")}, ${counted(columns.length, "column")}${table.id_column ? `, named by ${table.id_column}` : ""}</p>
      ${table.notes.map((note) => html`<p class="faint small">${note}</p>`)}</div></div>
    ${changed > 0 && html`<div class="sticky-act"><${Act} store=${store} kind="columns" body=${{ roles: roles.value, kinds: kinds.value }} words=${`Use ${counted(changed, "change")}`} look="primary" done=${done}/>
      <${Button} words="Leave as it was" onClick=${done}/></div>`}
    <ul class="column-list">${columns.map((column) => {
      const role = roles.value[column.name] ?? column.role, kind = kinds.value[column.name] ?? column.kind;
      return html`<li key=${column.index} data-role=${role}><div class="about"><strong>${column.name}</strong>
          <${Kind} column=${column} kind=${kind} choose=${(value) => put(kinds, column.name, value, column.kind)}/>
          <span class="faint small">${because(column)}</span>
          ${column.n_distinct > 0 && column.oddities.map((oddity) => html`<span class="odd small">${oddity}</span>`)}</div>
        <${Histogram} column=${column}/>
        ${column.kind !== "identifier" && html`<div class="segments" role="radiogroup" aria-label=${`Use of ${column.name}`}>${ROLES.map(([each, words]) => html`<label><input type="radio" name=${`role-${column.index}`} checked=${role === each} onChange=${() => put(roles, column.name, each, column.role)}/><span>${words}</span></label>`)}</div>`}</li>`;
    })}</ul>
  </div>`;
}
