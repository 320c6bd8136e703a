// What leaves the studio: tables, statements, a report, a model, and a script that gives the same clusters again.
import { html, signal, useEffect, useMemo } from "./vendor/preact.js";
import { Button } from "./parts.js";
import { FileField } from "./tablein.js";

export function TakeAway({ store }) {
  const files = useMemo(() => signal(null), []);
  useEffect(() => { store.transport.get("/api/export").then((answer) => { files.value = answer.files; }, store.complain); }, [store.state.value.seq, store.state.value.clustering?.id]);
  const { kept } = store.state.value;
  return html`<div class="takeaway-view page"><div class="page-head"><div><h2>Take away</h2><p class="faint">${kept ? html`Everything you say is kept in <code>${kept}</code> already; these are files for others, and for later.` : "What you say is kept in memory only; these are files for later."}</p></div></div>
    <ul class="files">${(files.value ?? []).map((file) => html`<li><div><strong>${file.name}</strong><span class=${file.obstacle ? "broken small" : "faint small"}>${file.obstacle || file.about}</span></div>
      <${Button} words="Save" aria-label=${`Save ${file.name}`} disabled=${!!file.obstacle} onClick=${() => store.transport.save(`/api/export/${file.name}`, file.name)}/></li>`)}</ul>
    <h3>Bring in</h3>
    <${FileField} words="Statements or answers from a file" about="as clustraint writes them" accept=".txt,.csv,.json" onFile=${store.bring}/>
    ${store.transport.upload && html`<${FileField} words="Another table" about="opens as a session of its own, beside this one; or drop it anywhere on this page" onFile=${store.offerTable}/>`}
  </div>`;
}
