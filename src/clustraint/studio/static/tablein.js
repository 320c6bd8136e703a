// Tables that come in by the page: chosen or dropped. Each becomes a session of its own, so that nothing that
// was said about another table is ever touched.
import { html, useEffect } from "./vendor/preact.js";
import { Button, useFocus } from "./parts.js";
import { size } from "./words.js";

// Files that may also hold statements about the samples at hand.
const STATEMENTS = /\.(txt|csv|json)$/i;

const carriesFiles = (event) => event.dataTransfer?.types.includes("Files") ?? false;

/** Let files be dropped anywhere on the page; returns what ends that. */
export function catchDrops(store, element) {
  let depth = 0;
  const over = (change) => {
    depth = Math.max(0, depth + change);
    store.dropping.value = depth > 0;
  };
  const handlers = {
    dragenter: () => over(1),
    dragleave: () => over(-1),
    dragover: () => {},
    drop: (event) => {
      over(-depth);
      store.offerTable(event.dataTransfer.files[0]);
    },
  };
  const listeners = Object.entries(handlers).map(([name, handle]) => [name, (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    handle(event);
  }]);
  for (const [name, listener] of listeners) element.addEventListener(name, listener);
  return () => { for (const [name, listener] of listeners) element.removeEventListener(name, listener); };
}

/** A field to choose a file by, which looks like a place to drop it on. */
export function FileField({ words, about, accept, onFile, kind = "" }) {
  const take = (event) => {
    onFile(event.target.files[0]);
    // The same file may be chosen again.
    event.target.value = "";
  };
  return html`<label class=${`drop ${kind}`}><input type="file" class="unseen" accept=${accept} onChange=${take}/><strong>${words}</strong><span class="faint">${about}</span></label>`;
}

/** A studio without a table: the page that asks for one. */
export function TableIn({ store }) {
  const { phase, file, problem } = store.incoming.value ?? {};
  useEffect(() => { store.findFolder(); }, []);
  return html`<main class="table-in" aria-label="Open a table">
    <h1><span class="brand">clustraint</span> <span class="brand-soft">studio</span></h1>
    <p class="lead">See how the rows of a table fall into clusters, and say what you know about them.</p>
    <${FileField} kind="large" words="Choose a table, or drop it here" about="CSV, Excel, Parquet, JSON, SQLite and others" onFile=${store.offerTable}/>
    <p role="status" class=${problem ? "broken" : "faint"}>${phase === "sending" ? `Reading ${file.name} …` : problem ?? (store.folder.value ? html`What you say about it is kept in a file in <code>${store.folder.value}</code>; the table stays on this machine.` : "")}</p>
  </main>`;
}

/** A file was dropped on a studio: open it beside this one, or take in what it says. */
export function TableOffer({ store }) {
  return store.incoming.value && html`<${Offer} key=${store.incoming.value.phase} store=${store} incoming=${store.incoming.value}/>`;
}

function Offer({ store, incoming }) {
  const { file, phase, answer, problem } = incoming, first = useFocus();
  useEffect(() => { store.findFolder(); }, []);
  const close = () => { store.incoming.value = null; };
  const name = html`<strong>${file.name}</strong>`;
  return html`<div class="veil" onClick=${(event) => { if (event.target === event.currentTarget && phase !== "sending") close(); }}>
    <section class="card dialog" role="dialog" aria-modal="true" aria-label=${`Open ${file.name}`} data-name="incoming"><h2>${phase === "open" ? `${file.name} is open` : `Open ${file.name}?`}</h2>
    ${phase === "open" ? html`<p>${answer.is_new ? "What is said about it is kept in" : "It goes on with what was said about it before, in"} <code>${answer.kept}</code>.</p>
      <div class="acts"><a class="button primary" ref=${first} href=${answer.link} target="_blank" rel="noopener" onClick=${close}>Go to it</a><${Button} words="Stay here" onClick=${close}/></div>`
    : html`<p>${name} (${size(file.size)}) becomes a session of its own${store.folder.value ? html`, kept in <code>${store.folder.value}</code>` : ""}. Nothing changes here.</p>
      ${problem && html`<p class="broken" role="alert">${problem}</p>`}
      <div class="acts"><button type="button" class="primary" ref=${first} disabled=${phase === "sending"} onClick=${() => store.openTable(file)}>${phase === "sending" ? "Reading …" : "Open it as a table"}</button>
        ${STATEMENTS.test(file.name) && html`<${Button} words="Take in its statements" disabled=${phase === "sending"} onClick=${() => { close(); store.bring(file); }}/>`}
        <${Button} words="Cancel" shortcut="Esc" disabled=${phase === "sending"} onClick=${close}/></div>`}</section></div>`;
}

/** While a file is held over the page. */
export const DropHint = ({ store }) => store.dropping.value && html`<div class="veil drop-hint" aria-hidden="true"><p class="card">Drop the file to open it</p></div>`;
