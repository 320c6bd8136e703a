// What lies over the points: statements as lines, names of clusters, the question, what is being drawn.

const PI2 = 2 * Math.PI;

/** The colours of the page, as the style sheet has them now. */
export function readInks(element) {
  const style = getComputedStyle(element);
  const read = (name) => style.getPropertyValue(`--${name}`).trim();
  const inks = Object.fromEntries(["ink", "paper", "faint", "line", "broken", "kept", "accent", "together", "apart", "closer"].map((name) => [name, read(name)]));
  inks.clusters = Array.from({ length: 8 }, (_, place) => read(`c${place}`));
  return inks;
}

function stroke(context, path, colour, { width = 2, dash = [] } = {}, paper) {
  context.lineCap = "round";
  context.setLineDash([]);
  context.strokeStyle = paper;
  context.lineWidth = width + 2;
  context.stroke(path);
  context.setLineDash(dash);
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.stroke(path);
  context.setLineDash([]);
}

/** A straight line, which leaves room for the rings at its ends. */
function line(a, b, [from, to] = [9, 9]) {
  const path = new Path2D(), length = Math.hypot(b[0] - a[0], b[1] - a[1]);
  if (length <= from + to) return path;
  const along = (distance) => [a[0] + (b[0] - a[0]) * distance / length, a[1] + (b[1] - a[1]) * distance / length];
  path.moveTo(...along(from));
  path.lineTo(...along(length - to));
  return path;
}

/** An arc from a to b that bulges away from c. */
function arc(a, b, c) {
  const middle = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
  const along = [b[0] - a[0], b[1] - a[1]];
  const away = (along[0] * (c[1] - a[1]) - along[1] * (c[0] - a[0])) > 0 ? 1 : -1;
  const path = new Path2D();
  path.moveTo(...a);
  path.quadraticCurveTo(middle[0] + away * along[1] * 0.35, middle[1] - away * along[0] * 0.35, ...b);
  return path;
}

function cross(context, [x, y], colour, paper, size = 5) {
  const path = new Path2D();
  path.moveTo(x - size, y - size);
  path.lineTo(x + size, y + size);
  path.moveTo(x - size, y + size);
  path.lineTo(x + size, y - size);
  stroke(context, path, colour, { width: 2.5 }, paper);
}

export function ring(context, [x, y], colour, paper, radius = 6, width = 2) {
  const path = new Path2D();
  path.arc(x, y, radius, 0, PI2);
  stroke(context, path, colour, { width }, paper);
}

const halfway = (a, b) => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
const FORMS = { answer: { yes: "together", no: "apart" } };
/** Which of the three forms a statement is drawn in: together, apart or closer. */
export const formOf = (statement) => FORMS[statement.kind]?.[statement.answer] ?? statement.kind;

/** Pairs of rows that a statement ties, as many as can be told apart on a picture. */
function ties(statement) {
  const { rows = [], from = [], n_rows: total = rows.length } = statement;
  if (formOf(statement) === "apart") {
    const others = from.length ? from : rows.slice(1);
    return rows.slice(0, from.length ? 6 : 1).flatMap((row) => others.slice(0, 6).map((other) => [row, other]));
  }
  return total > 12 ? [] : rows.slice(1).map((row) => [rows[0], row]);
}

const DRAWN = {
  together: (context, at, statement, look) => {
    for (const [a, b] of ties(statement)) stroke(context, line(at(a), at(b)), look.colour, look, look.paper);
  },
  apart: (context, at, statement, look) => {
    for (const [a, b] of ties(statement)) {
      stroke(context, line(at(a), at(b)), look.colour, { ...look, dash: [7, 6] }, look.paper);
      cross(context, halfway(at(a), at(b)), look.colour, look.paper);
    }
  },
  closer: (context, at, { rows: [a, b, c] }, look) => {
    stroke(context, arc(at(a), at(b), at(c)), look.colour, look, look.paper);
    stroke(context, line(halfway(at(a), at(b)), at(c), [0, 9]), look.colour, { width: 1.5, dash: [1, 6] }, "transparent");
  },
};
DRAWN.own = DRAWN.together;

/** Draw one statement; returns the form it was drawn in, or nothing. */
function drawStatement(context, at, statement, inks, red = false) {
  const form = formOf(statement), draw = DRAWN[form];
  if (!draw || (form === "closer" && statement.rows.length < 3)) return;
  const colour = red ? inks.broken : inks[form === "own" ? "together" : form];
  draw(context, at, statement, { colour, paper: inks.paper, width: red ? 4 : 2 });
  const ends = new Set(form === "closer" ? statement.rows : ties(statement).flat());
  for (const row of ends) ring(context, at(row), colour, inks.paper, red ? 9 : 8, red ? 3 : 2);
}

/** Where names fit without covering each other or the letters of a question: the larger cluster first, the others moved up or down. */
export function placeNames(names, measure, letters = [], height = 20) {
  const taken = letters.map(([x, y]) => ({ x: x + 8, y: y - 7, width: 40 })), first = taken.length;
  const free = (box) => taken.every((other) => Math.abs(box.x - other.x) > (box.width + other.width) / 2 + 6 || Math.abs(box.y - other.y) > height);
  for (const { text, x, y, cluster } of names) {
    const width = measure(text);
    const box = [0, -1, 1, -2, 2].map((step) => ({ text, cluster, width, x, y: y + step * height })).find(free);
    if (box) taken.push(box);
  }
  return taken.slice(first);
}

function drawNames(context, names, inks, letters) {
  context.font = "600 13px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineJoin = "round";
  for (const { text, x, y } of placeNames(names, (words) => context.measureText(words).width, letters)) {
    context.strokeStyle = inks.paper;
    context.lineWidth = 5;
    context.strokeText(text, x, y);
    context.fillStyle = inks.ink;
    context.fillText(text, x, y);
  }
}

function drawLetter(context, [x, y], letter, inks, colour) {
  ring(context, [x, y], colour, inks.paper, 10, 2);
  const path = new Path2D();
  path.arc(x + 16, y - 14, 9.5, 0, PI2);
  context.fillStyle = colour;
  context.fill(path);
  context.fillStyle = inks.paper;
  context.font = "700 12px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(letter, x + 16, y - 13.5);
}

/**
 * Draw everything. `scene` has: statements, chain (the links of a contradiction), names, question (two rows),
 * picked (rows), hovered (a row or -1), drag ({from, to, form}) and lasso (screen points).
 */
export function drawOverlay(context, camera, places, scene, inks, ratio) {
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, camera.width, camera.height);
  const at = (row) => camera.toScreen(places[2 * row], places[2 * row + 1]);
  const red = new Set(scene.chain.map((link) => link.seq).filter((seq) => seq != null));
  context.globalAlpha = scene.chain.length ? 0.3 : 0.85;
  for (const statement of scene.statements) if (!red.has(statement.seq)) drawStatement(context, at, statement, inks);
  context.globalAlpha = 1;
  for (const link of scene.chain) drawStatement(context, at, { ...link, ...(link.kind === "apart" && { rows: link.rows.slice(0, 1), from: link.rows.slice(1) }) }, inks, true);
  const names = scene.names.map((name) => {
    const [x, y] = camera.toScreen(...name.at);
    // A little above the middle, so that a cluster of one sample is not covered by its name.
    return { ...name, x, y: y - 18 };
  });
  drawNames(context, names, inks, [...(scene.question ?? []), ...scene.picked].map(at));
  if (scene.question) {
    const [a, b] = scene.question.map(at);
    stroke(context, line(a, b, [11, 11]), inks.faint, { width: 1.5, dash: [1, 6] }, "transparent");
    drawLetter(context, a, "A", inks, inks.ink);
    drawLetter(context, b, "B", inks, inks.ink);
  }
  scene.picked.forEach((row, place) => drawLetter(context, at(row), String(place + 1), inks, inks.accent));
  if (scene.hovered >= 0) ring(context, at(scene.hovered), inks.ink, inks.paper, 9, 2);
  if (scene.drag) {
    const colour = inks[scene.drag.form], from = at(scene.drag.from);
    stroke(context, line(from, scene.drag.to, [9, 0]), colour, { width: 3, dash: scene.drag.form === "apart" ? [7, 6] : [] }, inks.paper);
    ring(context, from, colour, inks.paper, 8, 3);
  }
  if (scene.lasso.length > 1) {
    const path = new Path2D();
    for (const point of scene.lasso) path.lineTo(...point);
    path.closePath();
    context.save();
    context.globalAlpha = 0.1;
    context.fillStyle = inks.accent;
    context.fill(path, "evenodd");
    context.restore();
    stroke(context, path, inks.accent, { width: 1.5, dash: [5, 4] }, "transparent");
  }
}
