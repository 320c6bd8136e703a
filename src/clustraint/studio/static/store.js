// What the page holds, as signals, and everything that can be done, as functions. The server's state is
// the truth: a command is sent, and what it changed comes back with the next state.
import { signal, computed, batch } from "./vendor/preact.js";
import { Refusal } from "./transport.js";
import { asSentence, commandId, counted, number, rowsFor, unpackBits } from "./words.js";

export const NO_CLUSTER = 65535;
const RETRY = 1000;
// A million points follow the pointer; of more, so many are drawn.
export const MOST_DRAWN = 1e6;
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Run one at a time; calls that come meanwhile become one more run, unless `enough` says that it would bring nothing. */
function latest(work, enough = () => false) {
  let running = null, again = false;
  const run = async () => {
    try {
      do {
        again = false;
        await work();
      } while (again && !enough());
    } finally {
      // Here and not in a callback: a call between the last look at `again` and that would be lost.
      running = null;
    }
  };
  return () => {
    if (running) again = true;
    else running = run();
    return running;
  };
}

/** Two columns have units of their own: the second is stretched until the picture is broad, not flat. */
function stretched(places) {
  const reach = (first) => {
    let low = Infinity, high = -Infinity;
    for (let at = first; at < places.length; at += 2) {
      if (places[at] < low) low = places[at];
      if (places[at] > high) high = places[at];
    }
    return high - low || 1;
  };
  const factor = 0.65 * reach(0) / reach(1);
  return places.map((value, at) => (at % 2 ? value * factor : value));
}

export function createStore(transport, memory) {
  const state = signal(null);
  const points = signal(null);
  const labels = signal(null);
  const most = signal(MOST_DRAWN);
  // The samples that statements name, which are drawn in any case; asked for where not all are drawn.
  const spoken = signal([]);
  const columns = signal(null);
  const question = signal(undefined);
  const comparison = signal(null);
  const connection = signal("open");
  const progress = signal(null);
  const unsaved = signal(0);

  const person = signal(memory.get("person") ?? `Guest ${100 + Math.floor(Math.random() * 900)}`);
  const view = signal("plane");
  const narrow = signal(false);
  const mode = signal("move");
  const picked = signal([]);
  const group = signal(null);
  const rule = signal(null);
  const focused = signal(null);
  const axes = signal(null);
  const colouring = signal(null);
  const earlier = signal(null);
  const emphasis = signal(null);
  const asking = signal(true);
  const contradiction = signal(null);
  const complaint = signal("");
  const announcement = signal("");
  const declined = signal(null);
  // A file that was dropped or chosen: offered, being sent, or open in a session of its own.
  const incoming = signal(null);
  const dropping = signal(false);
  const folder = signal("");

  const trips = [];
  let briefs = new Map(), prefetched = null;

  const n = computed(() => state.value?.table?.n_samples ?? 0);
  const drawn = computed(() => (n.value <= most.value ? "" : `${number(most.value)} of ${counted(n.value, "sample")}, drawn at random, and all that statements name`));
  const clusters = computed(() => new Map((state.value?.clusters ?? []).map((each) => [each.cluster, each])));
  const labelOf = (cluster) => clusters.value.get(cluster)?.label ?? (cluster == null || cluster === NO_CLUSTER || cluster < 0 ? "no cluster" : `cluster ${cluster}`);
  const complain = (error) => {
    if (!(error instanceof Refusal)) throw error;
    complaint.value = asSentence(error.message);
  };

  const labelsOf = (id) => {
    if (prefetched?.id !== id) {
      const labels = transport.labels(`/api/labels/${id}`);
      prefetched = { id, labels };
      // What failed is asked for again the next time.
      labels.catch(() => { if (prefetched?.labels === labels) prefetched = null; });
    }
    return prefetched.labels;
  };

  const pointsPath = () => (axes.value ? `/api/points?x=${axes.value[0]}&y=${axes.value[1]}` : "/api/points");
  const loadPoints = async () => {
    const { values, about } = await transport.floats(pointsPath()).catch((error) => {
      // An axis may be a column by which nothing is clustered any more.
      if (!axes.value || !(error instanceof Refusal)) throw error;
      axes.value = null;
      return transport.floats(pointsPath());
    });
    points.value = { places: axes.value ? stretched(values) : values, about };
  };

  // The newest that the server spoke of since the last look; a state that has it need not be fetched again.
  let newest = 0;
  const look = latest(async () => {
    newest = 0;
    const fresh = await transport.get("/api/state");
    const id = fresh.clustering?.id;
    const others = state.value?.table && state.value.settings.columns !== fresh.settings.columns;
    if (fresh.table && (others || !points.value)) await loadPoints();
    if (others) loadColumns();
    const named = fresh.table?.n_samples > most.value && fresh.seq !== state.value?.seq ? await transport.rows("/api/spoken") : spoken.value;
    const shown = id != null && id !== labels.value?.clustering
      ? { clustering: id, seq: fresh.clustering.seq, of: await labelsOf(id) } : labels.value;
    batch(() => {
      if (id !== labels.value?.clustering) briefs = new Map();
      state.value = fresh;
      spoken.value = named;
      labels.value = id == null ? null : shown;
      progress.value = fresh.status?.running ? fresh.status : null;
    });
  }, () => (state.value?.revision ?? 0) >= newest);
  /** Have the state of a revision or a later one; without a revision, look in any case. */
  const refresh = async (revision = Infinity) => {
    newest = Math.max(newest, revision);
    if ((state.value?.revision ?? -1) < newest) await look();
  };

  /** Colours first: the state, which says more, may take longer. */
  const showClusters = async ({ clustering, seq, revision }) => {
    const of = await labelsOf(clustering);
    // Unless yet another clustering was asked for meanwhile.
    if (prefetched?.id === clustering && of.length === n.value) labels.value = { clustering, seq, of };
    await refresh(revision);
  };

  const loadQuestion = latest(async () => {
    if (!asking.value || !state.value?.table) return;
    try {
      question.value = await transport.get("/api/question");
    } catch (error) {
      complain(error);
    }
  });

  const loadComparison = latest(async () => { comparison.value = await transport.get("/api/compare"); });
  const loadColumns = latest(async () => { if (state.value?.table) columns.value = (await transport.get("/api/columns")).columns; });

  /** Another table: nothing of the old one is left. */
  const restart = async () => {
    batch(() => {
      for (const each of [points, labels, columns, group, rule, focused, axes, colouring, earlier, emphasis, contradiction, comparison]) each.value = null;
      question.value = undefined;
      picked.value = [];
      prefetched = null;
    });
    await refresh();
    await Promise.all([loadQuestion(), loadColumns()]);
  };

  const heard = {
    hello: (message) => { if (message.revision !== state.value?.revision) refresh().then(loadQuestion); },
    event: (message) => { refresh(message.revision).then(loadQuestion); },
    clusters: showClusters,
    progress: (message) => { progress.value = message.running ? message : null; },
    comparison: () => { loadComparison(); },
    table: restart,
  };
  const onMessage = (message) => (heard[message.type] ?? (({ revision }) => refresh(revision)))(message);
  const onConnection = (now) => {
    const back = connection.value !== "open" && now === "open";
    connection.value = now;
    if (!back) return;
    announcement.value = "Connected again.";
    refresh().then(loadQuestion);
  };

  /** Send until the server answers: the same command may be sent twice, and is saved once. */
  const persistently = async (path, request) => {
    unsaved.value += 1;
    try {
      for (;;) {
        try {
          return await transport.post(path, request);
        } catch (error) {
          if (error instanceof Refusal) throw error;
          connection.value = "lost";
          await pause(RETRY);
        }
      }
    } finally {
      unsaved.value -= 1;
    }
  };

  /** Say something. What contradicts earlier statements is not saved: the person chooses a way out. */
  const send = async (kind, body, extra = {}) => {
    const trip = { kind, started: performance.now() };
    const request = { command: commandId(), person: person.value, kind, body, ...extra };
    complaint.value = "";
    try {
      const answer = await persistently("/api/events", request);
      Object.assign(trip, { seq: answer.seq, saved: performance.now() - trip.started });
      trips.push(trip);
      if (contradiction.value) closeContradiction();
      if (answer.seq === null) announcement.value = kind === "redo" ? "There is nothing to redo." : "There is nothing to undo.";
      await refresh(answer.revision);
      return answer;
    } catch (error) {
      if (error.status === 409) openContradiction(error.answer, { kind, body });
      else complain(error);
      return null;
    }
  };

  const openContradiction = (answer, request) => batch(() => {
    contradiction.value = { ...answer, request };
    announcement.value = answer.sentence;
  });
  const closeContradiction = () => { contradiction.value = null; };
  const takeWayOut = async (way) => {
    const { request } = contradiction.value;
    if (way.leave) closeContradiction();
    else await send(request.kind, request.body, { drop: way.drop, settings: way.settings });
  };

  /** What a statement would do; the answer has `problem` where it cannot be done. */
  const preview = async (kind, body, extra = {}) => {
    try {
      return await transport.post("/api/preview", { kind, body, person: person.value, ...extra });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { problem: error.message, column: error.answer.column ?? null, moves: 0 };
    }
  };

  const brief = (row) => {
    if (!briefs.has(row)) briefs.set(row, transport.get(`/api/sample/${row}?brief=1`));
    return briefs.get(row);
  };

  /** Bring some samples forward and dim the others; `key` says on whose behalf. */
  const emphasise = (key, flags, words) => { emphasis.value = { key, flags, words }; };
  const relax = (key) => { if (emphasis.value?.key === key) emphasis.value = null; };
  const emphasiseBits = (key, bits, words) => emphasise(key, unpackBits(bits, n.value), words);

  const pick = async (row) => {
    if (picked.value.some((each) => each.row === row)) {
      picked.value = picked.value.filter((each) => each.row !== row);
      return;
    }
    const { name } = await brief(row);
    picked.value = [...picked.value, { row, name }].slice(-12);
    announcement.value = `${name} picked, ${picked.value.length} in all.`;
  };

  const chooseGroup = async (rows) => {
    if (!rows.length) return clearGroup();
    const flags = new Uint8Array(n.value);
    for (const row of rows) flags[row] = 1;
    batch(() => {
      picked.value = [];
      group.value = { rows: rowsFor(rows, n.value), n: rows.length, about: null };
      emphasise("group", flags, counted(rows.length, "sample"));
      announcement.value = `${counted(rows.length, "sample")} chosen.`;
    });
    const chosen = group.value;
    try {
      const about = await transport.post("/api/group", { rows: chosen.rows });
      if (group.value === chosen) group.value = { ...chosen, about };
    } catch (error) {
      complain(error);
    }
  };
  const clearGroup = () => {
    group.value = null;
    relax("group");
  };

  const sayPicked = async (kind) => {
    const rows = picked.value.map((each) => each.row);
    const bodies = { together: { rows }, apart: { rows: rows.slice(0, 1), from: rows.slice(1) }, closer: { rows } };
    picked.value = [];
    await send(kind, bodies[kind]);
  };

  /** Show another clustering than the current one, and what differs; null for the current one. */
  const showEarlier = async (id) => {
    if (id == null) {
      earlier.value = null;
      relax("moved");
      return;
    }
    const [of, changes] = await Promise.all([
      transport.labels(`/api/labels/${id}`), transport.get(`/api/changes/${id}/${state.value.clustering.id}`)]);
    batch(() => {
      earlier.value = { clustering: id, of, moved: changes.moved };
      emphasiseBits("moved", changes.bits, `${counted(changes.moved, "sample")} moved since`);
    });
  };

  /** Point out what the last step moved; a second time, stop. */
  const showMoved = async () => {
    const now = state.value.clustering;
    if (emphasis.value?.key === "moved") return relax("moved");
    if (now?.before == null) return undefined;
    const { bits, moved } = await transport.get(`/api/changes/${now.before}/${now.id}`);
    return emphasiseBits("moved", bits, `moved by the last step: ${counted(moved, "sample")}`);
  };

  const answer = async (word) => {
    const current = question.value?.question;
    if (!current) return;
    question.value = { ...question.value, question: null, waiting: true };
    await send("answer", { rows: current.rows, answer: word });
    await loadQuestion();
  };

  const colourBy = async (index) => {
    if (index == null) {
      colouring.value = null;
      return;
    }
    const { values } = await transport.floats(`/api/columns/${index}/values`);
    colouring.value = { column: columns.value[index], values };
  };

  const setAxes = async (pair) => {
    axes.value = pair;
    await loadPoints();
  };

  const rename = (name) => {
    person.value = name.trim() || person.value;
    memory.set("person", person.value);
  };

  /** Where new sessions are kept. */
  const findFolder = async () => { folder.value ||= (await transport.get("/api/tables")).folder; };
  /** A table for an empty studio is opened at once; beside another one, only if the person wants it. */
  const offerTable = (file) => {
    if (!file) return;
    incoming.value = { file, phase: "offered" };
    if (!state.value?.table) openTable(file);
  };
  const openTable = async (file) => {
    incoming.value = { file, phase: "sending" };
    try {
      const answer = await transport.upload("/api/tables", file);
      if (state.value?.table) incoming.value = { file, phase: "open", answer };
      else location.assign(answer.link);
    } catch (error) {
      // A browser also ends a request whose file has changed, or whose server refuses to read on.
      incoming.value = { file, phase: "offered", problem: error instanceof Refusal ? error.message : "The file could not be sent." };
    }
  };
  /** Take in the statements of a file. */
  const bring = async (file) => {
    if (!file) return;
    try {
      const answer = await transport.post("/api/import", { command: commandId(), person: person.value, name: file.name, text: await file.text() });
      announcement.value = `${counted(answer.n, "statement")} from ${file.name}.`;
      await refresh();
    } catch (error) {
      complain(error);
    }
  };

  /** Let go of whatever is begun, the last thing first. */
  const escape = () => {
    if (incoming.value) {
      if (incoming.value.phase !== "sending") incoming.value = null;
    } else if (contradiction.value) closeContradiction();
    else if (rule.value) closeRule();
    else if (group.value) clearGroup();
    else if (picked.value.length) picked.value = [];
    else if (focused.value != null) focused.value = null;
    else if (earlier.value) showEarlier(null);
    else if (emphasis.value) emphasis.value = null;
    else mode.value = "move";
  };
  const openRule = (text = "", against = null) => { rule.value = { text, exactly: false, against }; };
  const closeRule = () => {
    rule.value = null;
    relax("rule");
  };

  const start = async () => {
    await refresh();
    transport.live(onMessage, onConnection);
    await Promise.all([loadQuestion(), loadColumns()]);
  };

  /** Note when a clustering is on the screen, for those who measure. */
  const painted = (seq) => {
    for (const trip of trips) if (trip.painted === undefined && trip.seq <= seq) trip.painted = performance.now() - trip.started;
  };

  return {
    transport, state, points, labels, most, spoken, drawn, columns, question, comparison, connection, progress, unsaved, person, view, narrow, mode, picked, group,
    rule, focused, axes, colouring, earlier, emphasis, asking, contradiction, complaint, announcement, declined, incoming, dropping, folder, trips, n, clusters, labelOf,
    start, refresh, restart, loadQuestion, loadComparison, loadColumns, send, preview, brief, emphasise, emphasiseBits, relax, pick, chooseGroup,
    clearGroup, sayPicked, showEarlier, showMoved, answer, colourBy, setAxes, rename, escape, openRule, closeRule, takeWayOut,
    closeContradiction, painted, complain, findFolder, offerTable, openTable, bring,
  };
}
