// What leaves the studio: tables, statements, a report, a model, and a script that gives the same clusters again.
import { html, signal, useEffect, useMemo } from "./vendor/preact.js";
import { Button } from "./parts.js";
import { commandId, counted } from "./words.js";

export function TakeAway({ store }) {
  const files = useMemo(() => signal(null), []);
  useEffect(() => { store.transport.get("/api/export").then((answer) => { files.value = answer.files; }, store.complain); }, [store.state.value.seq, store.state.value.clustering?.id]);
  const bring = async (file) => {
    if (!file) return;
    try {
      const answer = await store.transport.post("/api/import", { command: commandId(), person: store.person.value, name: file.name, text: await file.text() });
      store.announcement.value = `${counted(answer.n, "statement")} from ${file.name}.`;
      await store.refresh();
    } catch (error) {
      store.complain(error);
    }
  };
  return html`<div class="takeaway-view page"><div class="page-head"><div><h2>Take away</h2><p class="faint">Everything is on this computer already; these are files for others, and for later.</p></div></div>
    <ul class="files">${(files.value ?? []).map((file) => html`<li><div><strong>${file.name}</strong><span class=${file.obstacle ? "broken small" : "faint small"}>${file.obstacle || file.about}</span></div>
      <${Button} words="Save" aria-label=${`Save ${file.name}`} disabled=${!!file.obstacle} onClick=${() => store.transport.save(`/api/export/${file.name}`, file.name)}/></li>`)}</ul>
    <h3>Bring in</h3>
    <label class="drop"><input type="file" class="unseen" accept=".txt,.csv,.json" onChange=${(event) => bring(event.target.files[0])}/><strong>Statements or answers from a file</strong><span class="faint">as clustraint writes them</span></label>
  </div>`;
}
