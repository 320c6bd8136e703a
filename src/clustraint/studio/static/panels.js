// Beside the plane: the question, the clusters, what was said, and one sample in full.
import { html, signal, useEffect, useMemo } from "./vendor/preact.js";
import { Act, Bar, Button, Card, Swatch, useFocus } from "./parts.js";
import { formOf } from "./overlay.js";
import { asSentence, clock, counted, number, percent, wouldMove } from "./words.js";

/** One question at a time; the differences come first. */
export function Question({ store }) {
  const all = useMemo(() => signal(false), []);
  const answer = store.question.value, current = answer?.question;
  useEffect(() => { all.value = false; }, [current?.rows?.join()]);
  const stop = () => {
    store.asking.value = !store.asking.value;
    if (store.asking.value) store.loadQuestion();
  };
  const aside = html`${current && store.asking.value && html`<span class="faint">${current.number} of up to ${current.most}</span>`}
    <${Button} kind="link" words=${store.asking.value ? "Pause" : "Go on"} onClick=${stop}/>`;
  return html`<${Card} title="Question" name="ask" aside=${aside}>
    ${!store.asking.value ? html`<p class="faint">Questions are paused. What you say yourself counts as before.</p>`
      : current ? html`<${Pair} store=${store} current=${current} all=${all}/>`
      : answer?.over ? html`<p>${answer.sentence || "No question is left."}</p>`
      : html`<p class="faint">Looking for the most useful question …</p>`}
    ${answer?.progress && store.asking.value && html`<p class="faint">${answer.progress}</p>`}
  </${Card}>`;
}

function Pair({ store, current, all }) {
  const { differences, same, names } = current;
  const shown = all.value ? differences : differences.slice(0, 6);
  const hidden = differences.length - shown.length;
  const rest = all.value ? "" : differences.length === 0 ? "They are the same in every column. "
    : `${hidden ? `${counted(hidden, "more difference")}; the` : "The"} other ${counted(same.length, "column")} ${same.length === 1 ? "is" : "are"} the same. `;
  const answers = [["yes", "Yes", "y"], ["no", "No", "n"], ["don't know", "Don’t know", "s"]];
  return html`<p class="ask" id="asked">Do these two belong together?</p>
    <table class=${`pair ${all.value ? "" : "short"}`} aria-describedby="asked"><thead><tr><td></td>${names.map((name, place) => html`<th scope="col"><span class="letter">${"AB"[place]}</span>${name}</th>`)}</tr></thead>
      <tbody>${shown.map((each) => html`<tr class="differs"><th scope="row">${each.column}</th><td><span title=${each.first}>${each.first}</span></td><td><span title=${each.second}>${each.second}</span></td></tr>`)}
      ${all.value && same.map((each) => html`<tr><th scope="row">${each.column}</th><td>${each.value}</td><td>${each.value}</td></tr>`)}</tbody></table>
    <p class="faint small">${rest}
      ${differences.length + same.length > shown.length && html`<button type="button" class="link" aria-expanded=${all.value} onClick=${() => { all.value = !all.value; }}>${all.value ? "Show less" : "Show all"}</button>`}</p>
    <div class="answers">${answers.map(([word, words, shortcut]) => html`<${Button} kind="answer" words=${words} shortcut=${shortcut} onClick=${() => store.answer(word)}/>`)}</div>`;
}

/** How many clusters: a slider, with how well each number does on held-out statements. */
function HowMany({ store }) {
  const wanted = useMemo(() => signal(null), []);
  const now = store.state.value.settings.n_clusters ?? store.state.value.clustering?.n_clusters ?? 2;
  useEffect(() => { wanted.value = null; }, [now]);
  const value = wanted.value ?? now, most = Math.max(12, now + 4);
  const method = store.state.value.clustering?.method;
  const rows = (store.comparison.value?.rows ?? []).filter((row) => row.method === method && row.score != null).sort((a, b) => a.n_clusters - b.n_clusters);
  const measure = () => store.transport.post("/api/compare", { n_clusters: Array.from({ length: 11 }, (_, place) => place + 2), methods: [method] }).then(store.loadComparison, store.complain);
  return html`<div class="how-many">
    <label>Number of clusters <output>${value}</output>
      <input type="range" aria-label="Number of clusters" min="2" max=${most} value=${value} onInput=${(event) => { wanted.value = Number(event.target.value); }}/></label>
    ${value !== now && html`<${Act} store=${store} kind="n_clusters" body=${{ n_clusters: value }} words=${`Use ${value} clusters`} look="primary"/>`}
    ${rows.length > 1 ? html`<${Curve} rows=${rows} value=${value} most=${most}/>`
      : store.comparison.value?.running ? html`<p class="faint small">Scoring each number of clusters: ${store.comparison.value.done} of ${store.comparison.value.total}</p>`
      : store.comparison.value?.problem ? html`<p class="faint small">${store.comparison.value.problem}</p>`
      : html`<${Button} kind="link" words="Score each number on held-out statements" onClick=${measure}/>`}
  </div>`;
}

export function Curve({ rows, value, most }) {
  const x = (k) => 8 + (k - 2) / (most - 2) * 284, scores = rows.flatMap((row) => [row.low ?? row.score, row.high ?? row.score]);
  const low = Math.min(...scores), span = Math.max(...scores) - low || 1, y = (score) => 44 - (score - low) / span * 36;
  const best = rows.reduce((a, b) => (b.score > a.score ? b : a));
  const band = [...rows.map((row) => `${x(row.n_clusters)},${y(row.high ?? row.score)}`), ...[...rows].reverse().map((row) => `${x(row.n_clusters)},${y(row.low ?? row.score)}`)];
  return html`<figure class="curve"><svg viewBox="0 0 300 52" role="img" aria-label=${rows.map((row) => `${row.n_clusters} clusters: ${row.score.toFixed(2)}`).join(", ")}>
      <polygon class="band" points=${band.join(" ")}/><polyline points=${rows.map((row) => `${x(row.n_clusters)},${y(row.score)}`).join(" ")}/>
      ${rows.map((row) => html`<circle cx=${x(row.n_clusters)} cy=${y(row.score)} r=${row.n_clusters === value ? 4.5 : 2.5} class=${row.n_clusters === value ? "here" : ""}/>`)}</svg>
    <figcaption class="faint small">Held-out statements: best with ${best.n_clusters} clusters (${best.score.toFixed(2)}).</figcaption></figure>`;
}

export function Clusters({ store }) {
  const open = useMemo(() => signal(null), []);
  const { clusters, clustering } = store.state.value, most = Math.max(1, ...clusters.map((each) => each.size));
  const toggle = (cluster) => {
    open.value = open.value === cluster ? null : cluster;
    if (open.value === null) return store.relax("cluster");
    const labels = store.labels.value.of;
    return store.emphasise("cluster", Uint8Array.from(labels, (label) => label === cluster), store.labelOf(cluster));
  };
  const aside = clustering && html`<span class="faint" title=${clustering.reason}>by ${clustering.method}</span>`;
  return html`<${Card} title="Clusters" name="clusters" aside=${aside}>
    ${clustering && html`<${HowMany} store=${store}/>`}
    <ul class="clusters">${clusters.map((each) => html`<${Cluster} key=${each.cluster} store=${store} each=${each} most=${most} open=${open.value === each.cluster} toggle=${toggle}/>`)}</ul>
    ${clustering?.reason && html`<p class="faint small">${clustering.method}: ${clustering.reason}</p>`}
  </${Card}>`;
}

function Cluster({ store, each, most, open, toggle }) {
  const { cluster, label, name, size, pure, telling } = each;
  return html`<li class=${open ? "open" : ""}>
    <div class="cluster"><${Swatch} store=${store} cluster=${cluster}/>
      <input class="name" aria-label=${`Name of ${label}`} placeholder=${label} value=${name ?? ""} maxlength="200" onChange=${(event) => store.send("name", { cluster, name: event.target.value.trim() })}
        onKeyDown=${(event) => { if (event.key === "Enter") event.target.blur(); }}/>
      ${pure != null && html`<span class="badge" title="Its samples belong together">pure</span>`}
      <span class="count">${number(size)}</span>
      <button type="button" class="plain more" aria-expanded=${open} aria-label=${`More about ${label}`} onClick=${() => toggle(cluster)}>${open ? "−" : "⋯"}</button></div>
    <${Bar} share=${size / most} cluster=${cluster}/>
    <p class="small telling">${telling.slice(0, 3).map((each) => html`<span><span class="faint">${each.column}</span> ${each.here}</span>`)}</p>
    ${open && html`<${ClusterActs} store=${store} each=${each}/>`}</li>`;
}

function ClusterActs({ store, each }) {
  const { cluster, pure, telling } = each, other = useMemo(() => signal(""), []);
  const others = store.state.value.clusters.filter((one) => one.cluster !== cluster);
  return html`<div class="cluster-acts">
    <table class="plainly"><thead><tr><th scope="col">Column</th><th scope="col">Here</th><th scope="col">Overall</th></tr></thead>
      <tbody>${telling.map((one) => html`<tr><th scope="row">${one.column}</th><td>${one.here}</td><td class="faint">${one.overall}</td></tr>`)}</tbody></table>
    <label>Merge with <select value=${other.value} onChange=${(event) => { other.value = event.target.value; }}><option value="">choose a cluster</option>
      ${others.map((one) => html`<option value=${one.cluster}>${one.label}</option>`)}</select></label>
    ${others.some((one) => String(one.cluster) === other.value) && html`<${Act} store=${store} kind="merge" body=${{ clusters: [cluster, Number(other.value)] }} words=${`Merge with ${store.labelOf(Number(other.value))}`}/>`}
    <${Act} store=${store} kind="split" body=${{ cluster }} words="Split: it is several"/>
    ${pure == null ? html`<${Act} store=${store} kind="pure" body=${{ cluster, complete: false }} words="Pure: all of it belongs together"/>
      <${Act} store=${store} kind="pure" body=${{ cluster, complete: true }} words="Pure, and nothing else belongs to it"/>`
      : html`<${Act} store=${store} kind="retract" body=${{ seq: pure }} words="Not pure after all"/>`}
    <${Button} kind="link" words="See its samples in the table" onClick=${() => { store.tableCluster.value = cluster; store.view.value = "table"; }}/>
  </div>`;
}

const SIGNS = { together: "=", own: "=", apart: "≠", closer: "<" };

/** Everything that was said, the latest first, each with a way to take it back. */
export function Known({ store }) {
  const doubts = useMemo(() => signal(null), []), all = useMemo(() => signal(false), []);
  const { statements, violated, can_undo: undoable } = store.state.value;
  const bad = new Set((store.contradiction.value?.chain ?? []).map((link) => link.seq));
  const latest = [...statements].reverse(), shown = all.value ? latest : latest.slice(0, 60);
  const check = async () => { doubts.value = doubts.value ? null : await store.transport.get("/api/doubts"); };
  const aside = html`<span class="faint">${statements.length ? number(statements.length) : ""}${violated ? html`, <span class="broken">${number(violated)} violated</span>` : ""}</span>`;
  return html`<${Card} title="Known" name="known" aside=${aside}>
    ${statements.length === 0 && html`<p class="faint">What you say about the samples appears here. Drag from one sample to another, answer a question, or draw around some.</p>`}
    <ul class="statements">${shown.map((each) => html`<li key=${each.seq} class=${`${bad.has(each.seq) ? "bad" : ""} ${each.holds === false ? "violated" : ""}`} data-seq=${each.seq}>
      <span class=${`sign ${formOf(each)}`} aria-hidden="true">${SIGNS[formOf(each)] ?? "•"}</span>
      <span class="text">${each.text}<span class="faint small"> ${each.person}, ${clock(each.at)}${each.kind === "answer" ? ", asked" : ""}${each.holds === false ? html`, <span class="broken">violated</span>` : ""}</span></span>
      <button type="button" class="plain" aria-label=${`Take back: ${each.text}`} title="Take back" onClick=${() => store.send("retract", { seq: each.seq })}>×</button></li>`)}</ul>
    ${latest.length > shown.length && html`<${Button} kind="link" words=${`Show all ${number(latest.length)}`} onClick=${() => { all.value = true; }}/>`}
    ${statements.length > 0 && html`<${Button} kind="link" words=${doubts.value ? "Hide doubts" : "Which are worth a check?"} onClick=${check}/>`}
    ${doubts.value && html`<div class="doubts"><p class="faint small">${doubts.value.sentence}</p><ul class="statements">
      ${doubts.value.doubts.slice(0, 10).map((each) => html`<li><span class="text">${each.text}<span class="faint small"> ${each.person}, doubt ${percent(each.doubt)}</span></span>
        <button type="button" class="plain" aria-label=${`Take back: ${each.text}`} onClick=${() => store.send("retract", { seq: each.seq })}>×</button></li>`)}</ul></div>`}
  </${Card}>`;
}

/** One sample in full, with its nearest neighbours. */
export function Sample({ store }) {
  const row = store.focused.value, about = useMemo(() => signal(null), []);
  useEffect(() => {
    about.value = null;
    if (row != null) store.transport.get(`/api/sample/${row}`).then((answer) => { if (store.focused.value === row) about.value = answer; }, store.complain);
  }, [row, store.labels.value?.clustering]);
  if (row == null || !about.value) return null;
  const { name, cluster, values, neighbours } = about.value;
  return html`<${Card} title=${name} name="sample" kind="sample" aside=${html`<${Button} kind="plain" words="×" aria-label="Close" onClick=${() => { store.focused.value = null; }}/>`}>
    <p class="where"><${Swatch} store=${store} cluster=${cluster}/><span>${store.labelOf(cluster)}</span><span class="faint">row ${number(row + 1)}</span></p>
    <div class="scroll"><table class="plainly"><tbody>${values.map((each) => html`<tr class=${each.role === "cluster" ? "" : "faint"}><th scope="row">${each.column}</th><td>${each.value}</td></tr>`)}</tbody></table></div>
    <h3>Nearest to it</h3>
    <ul class="neighbours">${neighbours.slice(0, 6).map((each) => html`<li><button type="button" class="link" onClick=${() => { store.focused.value = each.row; store.board?.show(each.row); }}>${each.name}</button><${Swatch} store=${store} cluster=${each.cluster}/></li>`)}</ul>
    <${Button} words=${store.picked.value.some((each) => each.row === row) ? "Let it go" : "Pick it to say something"} onClick=${() => store.pick(row)}/>
  </${Card}>`;
}

/** That cannot hold: the chain, and ways out. Nothing has been saved. */
export function Contradiction({ store }) {
  const current = store.contradiction.value;
  return current && html`<${Ways} key=${current.sentence} store=${store} current=${current}/>`;
}

function Ways({ store, current }) {
  const first = useFocus(), ways = current.ways_out.some((way) => way.leave) ? current.ways_out : [{ text: "Leave mine out", leave: true, about: [] }, ...current.ways_out];
  return html`<section class="card problem" role="alertdialog" aria-labelledby="cannot" aria-describedby="cannot-why" data-name="contradiction">
    <div class="card-head"><h2 id="cannot">That cannot hold</h2></div>
    <p id="cannot-why">${current.sentence} <span class="faint">Nothing has been saved.</span></p>
    <ol class="chain">${current.chain.map((link) => html`<li class=${link.mine ? "mine" : ""}><strong>${link.text}</strong><span class="faint small"> ${link.mine ? "you, just now" : `${link.person}, ${clock(link.at)}`}</span></li>`)}</ol>
    <div class="ways">${ways.map((way, place) => html`<button type="button" ref=${place === 0 ? first : null} onClick=${() => store.takeWayOut(way)}>${way.text}
      ${(way.about ?? []).map((each) => html`<span class="who faint small">${each.person}, ${clock(each.at)}</span>`)}</button>`)}</div></section>`;
}

/** What a lasso chose, and what can be said about all of it. */
export function Group({ store }) {
  const group = store.group.value, from = useMemo(() => signal(""), []);
  useEffect(() => { from.value = ""; }, [group?.rows]);
  if (!group) return null;
  const { rows, n, about } = group, done = () => store.clearGroup();
  return html`<${Card} title=${counted(n, "sample")} name="group" kind="accented" aside=${html`<${Button} kind="link" words="Cancel" shortcut="Esc" onClick=${done}/>`}>
    ${!about ? html`<p class="faint">Looking at them …</p>` : html`
      <ul class="shares">${about.clusters.slice(0, 6).map((each) => html`<li><${Swatch} store=${store} cluster=${each.cluster}/>${number(each.n)} of ${store.labelOf(each.cluster)}</li>`)}</ul>
      ${about.telling.length > 0 && html`<p class="small telling">${about.telling.slice(0, 4).map((each) => html`<span><span class="faint">${each.column}</span> ${each.here}</span>`)}</p>`}`}
    ${n > 1 && html`<${Act} store=${store} kind="together" body=${{ rows }} words="They belong together" done=${done}/>`}
    <${Act} store=${store} kind="own" body=${{ rows }} words="They are a cluster of their own" done=${done}/>
    <label>Apart from <select value=${from.value} onChange=${(event) => { from.value = event.target.value; }}><option value="">choose a cluster</option>
      ${store.state.value.clusters.map((each) => html`<option value=${each.cluster}>${each.label}</option>`)}</select></label>
    ${store.clusters.value.has(Number(from.value || -1)) && html`<${Act} store=${store} kind="apart" body=${{ rows, cluster: Number(from.value) }} words=${`Apart from ${store.labelOf(Number(from.value))}`} done=${done}/>`}
    ${about?.rules.length > 0 && html`<h3>As a rule</h3><ul class="rules">${about.rules.slice(0, 3).map((each) => html`<li><button type="button" class="link" onClick=${() => store.openRule(each.rule, rows)}><code>${each.rule}</code></button>
      <span class="faint small">${counted(each.n, "sample")}, precision ${percent(each.precision)}, recall ${percent(each.recall)}</span></li>`)}</ul>`}
  </${Card}>`;
}

/** A formula over columns; its scope is shown before anything is saved. */
export function RuleCard({ store }) {
  return store.rule.value && html`<${RuleForm} store=${store} rule=${store.rule.value}/>`;
}

/** A column's name as rules take it. */
const asName = (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : `\`${name.replaceAll("`", "``")}\``);
/** The sentence of a problem; the mark under the field shows the place already. */
const firstLine = (text) => asSentence(text.split("\n")[0].replace(/:$/, "."));

/** A rule about columns of this very table. */
function exampleRule(columns) {
  const used = columns.filter((each) => each.role === "cluster" && each.histogram), of = (kind) => used.find((each) => each.kind === kind);
  const truth = of("binary"), numbers = of("numeric"), words = of("nominal");
  const parts = [numbers && `${asName(numbers.name)} > ${Number(((numbers.histogram.low + numbers.histogram.high) / 2).toPrecision(2))}`,
    truth && asName(truth.name), words && `${asName(words.name)} is ${JSON.stringify(words.histogram.levels[0])}`].filter(Boolean);
  return parts.slice(0, 2).join(" and ") || "legs is 4";
}

function RuleForm({ store, rule }) {
  const input = useFocus(), answer = useMemo(() => signal(null), []);
  const change = (part) => { store.rule.value = { ...store.rule.value, ...part }; };
  const { text, exactly, against } = rule;
  useEffect(() => {
    answer.value = null;
    if (!text.trim()) {
      store.relax("rule");
      return undefined;
    }
    const timer = setTimeout(async () => {
      const foreseen = await store.preview("rule", { rule: text, exactly }, against ? { group: against } : {});
      if (store.rule.value?.text !== text || store.rule.value.exactly !== exactly) return;
      answer.value = foreseen;
      if (foreseen.scope) store.emphasiseBits("rule", foreseen.scope.bits, `${counted(foreseen.scope.n, "sample")} in the rule`);
      else store.relax("rule");
    }, 220);
    return () => clearTimeout(timer);
  }, [text, exactly, store.state.value.seq]);
  const foreseen = answer.value, add = async () => {
    if (await store.send("rule", { rule: text, exactly })) store.closeRule();
  };
  const token = text.split(/\W+/).at(-1).toLowerCase();
  const names = (store.columns.value ?? []).filter((each) => each.role === "cluster" && each.name.toLowerCase().startsWith(token)).slice(0, 10);
  const complete = (name) => {
    change({ text: text.slice(0, text.length - token.length) + asName(name) });
    input.current.focus();
  };
  return html`<${Card} title="Rule" name="rule" kind="accented" aside=${html`<${Button} kind="link" words="Cancel" shortcut="Esc" onClick=${store.closeRule}/>`}>
    <p class="faint small">All samples that it describes belong together. For example: <code>${exampleRule(store.columns.value ?? [])}</code></p>
    <input ref=${input} class="formula" aria-label="Rule" aria-invalid=${!!foreseen?.problem} aria-describedby="rule-says" spellcheck=${false} autocomplete="off" value=${text}
      onInput=${(event) => change({ text: event.target.value })} onKeyDown=${(event) => { if (event.key === "Enter" && foreseen && !foreseen.problem) add(); }}/>
    ${foreseen?.column && html`<pre class="caret" aria-hidden="true">${" ".repeat(foreseen.column - 1)}▲</pre>`}
    <p id="rule-says" role="status" class=${foreseen?.problem ? "broken" : "faint"}>${!text.trim() ? "" : !foreseen ? "…" : foreseen.problem ? firstLine(foreseen.problem) : html`${counted(foreseen.scope?.n ?? 0, "sample")}${foreseen.precision != null ? `, precision ${percent(foreseen.precision)}, recall ${percent(foreseen.recall)}` : ""}; ${foreseen.contradiction ? "contradicts earlier statements" : wouldMove(foreseen.moves)}`}</p>
    <fieldset><legend>These samples</legend>
      <label><input type="radio" name="reach" checked=${!exactly} onChange=${() => change({ exactly: false })}/> belong together</label>
      <label><input type="radio" name="reach" checked=${exactly} onChange=${() => change({ exactly: true })}/> are exactly one cluster</label></fieldset>
    <${Button} kind="primary" words="Add the rule" disabled=${!foreseen || !!foreseen.problem} onClick=${add}/>
    ${names.length > 0 && html`<div class="chips" role="group" aria-label="Columns">${names.map((each) => html`<button type="button" class="chip" onClick=${() => complete(each.name)}>${each.name}</button>`)}</div>`}
  </${Card}>`;
}
