// The plane itself: keeps the picture in step with the store, and turns pointers into what the person means.
import { signal, effect, untracked } from "./vendor/preact.js";
import { Raster, DIMMED, STRONG } from "./raster.js";
import { drawOverlay, readInks } from "./overlay.js";
import { NO_CLUSTER } from "./store.js";
import { counted, listed, wouldMove } from "./words.js";

const LINKS = new Set(["together", "apart", "closer"]);
// A pointer that moved less than this was a click.
const STILL = 5;
const RAMP = ["#440154", "#3b528b", "#21918c", "#5ec962", "#d8c71f"];
const STEPS = 64;

/** A colour between those of the ramp, for a share from 0 to 1. */
export function rampColour(share) {
  const place = Math.min(RAMP.length - 2, Math.floor(share * (RAMP.length - 1))), within = share * (RAMP.length - 1) - place;
  const mix = [1, 3, 5].map((at) => {
    const [low, high] = [RAMP[place], RAMP[place + 1]].map((hex) => parseInt(hex.slice(at, at + 2), 16));
    return Math.round(low + (high - low) * within).toString(16).padStart(2, "0");
  });
  return `#${mix.join("")}`;
}

export const shapeOf = (cluster) => (cluster % 8 + Math.floor(cluster / 8)) % 8;

export class Board {
  constructor(store, root, canvas, over) {
    Object.assign(this, { store, root, canvas, over });
    this.raster = new Raster(canvas);
    this.context = over.getContext("2d");
    this.hovered = signal(-1);
    this.hint = signal("");
    this.names = [];
    this.lasso = [];
    this.pointers = new Map();
    this.drag = null;
    this.raster.afterFrame = () => {
      this.drawOver();
      store.painted(this.drawnSeq ?? -1);
    };
    this.inks = readInks(root);
    this.stops = [
      effect(() => this.takePoints(store.points.value, store.most.value, store.spoken.value)),
      effect(() => this.takeLabels(store.points.value, store.earlier.value ?? store.labels.value, store.colouring.value, store.most.value, store.spoken.value)),
      effect(() => this.takeEmphasis(store.points.value, store.emphasis.value, store.most.value, store.spoken.value)),
      effect(() => this.takeScene()),
    ];
    this.listen();
  }

  /** Attach to the window's events; everything is let go again by `stop`. */
  listen() {
    const { over } = this, handlers = {
      pointerdown: (event) => this.down(event), pointermove: (event) => this.move(event), pointerup: (event) => this.up(event),
      pointercancel: (event) => this.up(event, true), pointerleave: () => this.hover(-1), contextmenu: (event) => event.preventDefault(),
    };
    for (const [name, handler] of Object.entries(handlers)) over.addEventListener(name, handler);
    over.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0022)), this.place(event));
    }, { passive: false });
    const watch = new ResizeObserver(() => this.resize());
    watch.observe(over.parentElement);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const repaint = () => {
      this.inks = readInks(this.root);
      this.takeLabels(this.store.points.value, this.store.earlier.value ?? this.store.labels.value, this.store.colouring.value);
    };
    scheme.addEventListener("change", repaint);
    this.stops.push(() => watch.disconnect(), () => scheme.removeEventListener("change", repaint));
  }

  stop() {
    for (const stop of this.stops) stop();
  }

  resize() {
    const { width, height } = this.over.parentElement.getBoundingClientRect();
    if (!width || !height) return;
    const ratio = globalThis.devicePixelRatio || 1;
    this.over.width = Math.round(width * ratio);
    this.over.height = Math.round(height * ratio);
    const { camera } = this.raster, first = camera.width === 1;
    camera.inset = this.over.parentElement.querySelector(".top").offsetHeight;
    this.raster.resize(width, height);
    if (first) camera.home();
  }

  takePoints(points, most, spoken) {
    if (!points) return;
    if (this.raster.places === points.places) {
      // Somebody spoke of samples that were not drawn: nothing else changes.
      if (this.raster.n > most) this.raster.setDrawn(most, spoken);
      return;
    }
    this.raster.setPoints(points.places, most, spoken);
    untracked(() => this.resize());
    this.raster.camera.home();
  }

  /** Colour the samples: by their cluster, or by a column. */
  takeLabels(points, labels, colouring) {
    const { raster, store, inks } = this, { shapes = [] } = untracked(() => store.state.value) ?? {};
    if (!points || (labels && raster.n !== labels.of.length)) return;
    if (!labels) {
      // Before the first clustering the samples are there, without colour.
      raster.setLooks([{ colour: inks.kept, shape: 0 }], shapes, inks.paper);
      raster.setCodes(new Uint16Array(raster.n));
      return;
    }
    const none = { colour: inks.kept, shape: shapes.length };
    const count = labels.of.reduce((most, label) => (label !== NO_CLUSTER && label > most ? label : most), -1) + 1;
    const { looks, codes } = colouring ? this.columnLooks(colouring, none) : this.clusterLooks(labels.of, count, none);
    // Samples in no cluster are crosses: the plus among the shapes, turned.
    const turned = new Path2D();
    turned.addPath(new Path2D(shapes[5]), new DOMMatrix().rotate(45));
    raster.setLooks(looks, [...shapes, turned], inks.paper);
    raster.setCodes(codes);
    this.medians = raster.medians(labels.of, count);
    this.drawnSeq = labels.seq;
    untracked(() => this.nameClusters());
  }

  clusterLooks(labels, count, none) {
    const looks = Array.from({ length: count }, (_, cluster) => ({ colour: this.inks.clusters[cluster % 8], shape: shapeOf(cluster) }));
    return { looks: [...looks, none], codes: labels.map((label) => (label === NO_CLUSTER ? count : label)) };
  }

  columnLooks({ column, values }, none) {
    const { histogram } = column;
    if (histogram?.levels) {
      const looks = histogram.levels.map((_, level) => ({ colour: this.inks.clusters[level % 8], shape: shapeOf(level) }));
      return { looks: [...looks, none], codes: Uint16Array.from(values, (value) => (value >= 0 ? value : looks.length)) };
    }
    const looks = Array.from({ length: STEPS }, (_, step) => ({ colour: rampColour(step / (STEPS - 1)), shape: 0 }));
    const { low = 0, high = 1 } = histogram ?? {}, scale = (STEPS - 1) / (high - low || 1);
    const code = (value) => (value === value ? Math.max(0, Math.min(STEPS - 1, Math.round((value - low) * scale))) : STEPS);
    return { looks: [...looks, none], codes: Uint16Array.from(values, code) };
  }

  nameClusters() {
    const clusters = [...this.store.clusters.value.values()].sort((a, b) => b.size - a.size);
    this.names = clusters.filter(({ cluster }) => this.medians?.[cluster])
      .map(({ cluster, label }) => ({ cluster, text: label.length > 26 ? `${label.slice(0, 25)}…` : label, at: this.medians[cluster] }));
  }

  takeEmphasis(points, emphasis) {
    if (!points || !this.raster.n) return;
    const { raster } = this;
    const usable = emphasis && emphasis.flags.length === raster.n && emphasis.flags.includes(1);
    raster.setMarks(usable ? emphasis.flags.map((flag) => (flag ? STRONG : DIMMED)) : null);
  }

  /** Statements, the question and the rest: only the upper canvas is drawn again. */
  takeScene() {
    const { store } = this;
    this.scene = {
      statements: store.state.value?.statements ?? [],
      chain: store.contradiction.value?.chain ?? [],
      question: store.asking.value && !store.contradiction.value ? store.question.value?.question?.rows ?? null : null,
      picked: store.picked.value.map((each) => each.row),
      hovered: this.hovered.value,
    };
    this.nameClusters();
    this.redrawOver();
  }

  redrawOver() {
    this.pending ??= requestAnimationFrame(() => {
      this.pending = null;
      this.drawOver();
    });
  }

  drawOver() {
    if (!this.raster.n || !this.scene) return;
    const drag = this.drag?.form ? { from: this.drag.from, to: this.drag.at, form: this.drag.form } : null;
    const scene = { ...this.scene, names: this.store.colouring.value ? [] : this.names, drag, lasso: this.lasso };
    drawOverlay(this.context, this.raster.camera, this.raster.places, scene, this.inks, globalThis.devicePixelRatio || 1);
  }

  place(event) {
    const box = this.over.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  zoom(factor, [x, y] = [this.raster.camera.width / 2, this.raster.camera.height / 2]) {
    this.raster.camera.zoomAt(x, y, factor);
    this.raster.draw(true);
  }

  pan(dx, dy) {
    this.raster.camera.panBy(dx, dy);
    this.raster.draw(true);
  }

  home() {
    this.raster.camera.home();
    this.raster.draw();
  }

  show(row) {
    const { places, camera } = this.raster;
    camera.show(places[2 * row], places[2 * row + 1]);
    this.raster.draw();
  }

  hover(row) {
    this.hovered.value = row;
  }

  reach(event) {
    return event.pointerType === "touch" ? 24 : 14;
  }

  down(event) {
    this.over.setPointerCapture(event.pointerId);
    const at = this.place(event);
    this.pointers.set(event.pointerId, at);
    if (this.pointers.size > 1) {
      this.lasso = [];
      this.drag = { pinch: true };
      return;
    }
    const mode = this.store.mode.value, hit = this.raster.nearest(...at, this.reach(event));
    if (event.button === 0 && (mode === "lasso" || event.shiftKey)) {
      this.lasso = [at];
      this.drag = { lasso: true, begin: at };
    } else if (event.button === 0 && LINKS.has(mode) && hit >= 0) this.drag = { form: mode, from: hit, at, begin: at, hit };
    else this.drag = { pan: true, begin: at, hit };
    this.redrawOver();
  }

  move(event) {
    const at = this.place(event), { drag } = this;
    if (!drag) {
      this.hover(this.raster.nearest(...at, 10));
      return;
    }
    const last = this.pointers.get(event.pointerId) ?? at;
    if (drag.pinch) this.pinch(event.pointerId, at);
    else if (drag.pan) this.pan(at[0] - last[0], at[1] - last[1]);
    else if (drag.lasso) {
      this.lasso.push(at);
      this.redrawOver();
    } else {
      drag.at = at;
      const target = this.raster.nearest(...at, this.reach(event));
      this.aim(target === drag.from ? -1 : target);
      this.redrawOver();
    }
    this.pointers.set(event.pointerId, at);
  }

  pinch(id, at) {
    const [other] = [...this.pointers].filter(([key]) => key !== id).map(([, place]) => place);
    const last = this.pointers.get(id);
    if (!other || !last) return;
    const length = (place) => Math.hypot(place[0] - other[0], place[1] - other[1]);
    const middle = [(at[0] + other[0]) / 2, (at[1] + other[1]) / 2];
    this.raster.camera.panBy((at[0] - last[0]) / 2, (at[1] - last[1]) / 2);
    this.zoom(length(at) / Math.max(1, length(last)), middle);
  }

  /** Say beforehand what a link to this sample would do. */
  aim(target) {
    const { drag } = this;
    if (drag.target === target) return;
    drag.target = target;
    this.hover(target);
    this.hint.value = "";
    clearTimeout(this.waiting);
    if (target < 0) return;
    this.waiting = setTimeout(async () => {
      const names = await Promise.all([drag.from, target].map((row) => this.store.brief(row)));
      const words = `${listed(names.map(({ name }) => name))}`;
      if (this.drag !== drag || drag.target !== target) return;
      if (drag.form === "closer") this.hint.value = `${words} are closer; then click the one further away`;
      else {
        this.hint.value = `${words} ${drag.form}`;
        const foreseen = await this.store.preview(drag.form, this.pairBody(drag.form, drag.from, target));
        const effect_ = foreseen.contradiction ? "contradicts earlier statements" : foreseen.problem ?? wouldMove(foreseen.moves);
        if (this.drag === drag && drag.target === target) this.hint.value = `${words} ${drag.form}: ${effect_}`;
      }
    }, 140);
  }

  pairBody(form, a, b) {
    return form === "apart" ? { rows: [a], from: [b] } : { rows: [a, b] };
  }

  up(event, cancelled = false) {
    const { drag } = this, at = this.place(event);
    this.pointers.delete(event.pointerId);
    if (!drag || this.pointers.size) return;
    this.drop();
    if (cancelled || drag.pinch) return;
    const still = Math.hypot(at[0] - drag.begin[0], at[1] - drag.begin[1]) < STILL;
    if (still) this.click(drag, at, event);
    else if (drag.lasso) this.store.chooseGroup(drag.polygon.length > 2 ? this.raster.inside(drag.polygon) : []);
    else if (drag.form) this.link(drag, this.raster.nearest(...at, this.reach(event)));
  }

  /** End a gesture without doing what it meant. */
  drop() {
    if (!this.drag) return false;
    this.drag.polygon = this.lasso;
    this.drag = null;
    this.lasso = [];
    this.hint.value = "";
    clearTimeout(this.waiting);
    this.redrawOver();
    return true;
  }

  async click(drag, at, event) {
    const { store } = this, mode = store.mode.value, hit = this.raster.nearest(...at, this.reach(event));
    if (hit < 0) {
      store.focused.value = null;
      if (store.group.value) store.clearGroup();
      return;
    }
    if (LINKS.has(mode) || event.ctrlKey || event.metaKey) {
      await store.pick(hit);
      if (LINKS.has(mode) && store.picked.value.length === (mode === "closer" ? 3 : 2)) await store.sayPicked(mode);
    } else store.focused.value = hit;
  }

  async link({ form, from }, to) {
    const { store } = this;
    if (to < 0 || to === from) return;
    if (form === "closer") {
      store.picked.value = [];
      await store.pick(from);
      await store.pick(to);
      store.announcement.value = "Now choose the sample that is further away.";
    } else await store.send(form, this.pairBody(form, from, to));
  }

  /** What the picture shows, in words, for those who cannot see it. */
  describe() {
    const clusters = [...this.store.clusters.value.values()];
    return `${this.store.drawn.value || counted(this.store.n.value, "sample")} on a plane, in ${counted(clusters.length, "cluster")}: `
      + `${listed(clusters.slice(0, 12).map(({ label, size }) => `${label} (${size})`))}. The table has the same samples for keyboard and screen reader.`;
  }
}
