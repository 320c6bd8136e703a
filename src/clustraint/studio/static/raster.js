// Points on a plane, drawn by writing pixels: no GPU, no library, and the same picture on every machine.
// Points are stamped in one fixed random order, so that where clusters overlap the mixture is seen and
// not whichever cluster came last.

// What part of the plane is seen: x, y is the place in the middle of the window, `unit` the pixels per
// unit of data when everything fits.
export class Camera {
  constructor() {
    Object.assign(this, { x: 0, y: 0, zoom: 1, unit: 1, width: 1, height: 1, half: [1, 1], middle: [0, 0], inset: 0 });
  }

  /** Take in how far the points reach. */
  frame([left, right], [low, high]) {
    this.half = [(right - left) / 2 || 1, (high - low) / 2 || 1];
    this.middle = [(left + right) / 2, (low + high) / 2];
    this.home();
  }

  resize(width, height) {
    Object.assign(this, { width, height });
    const room = Math.min(40, width / 8, height / 8);
    this.unit = Math.min((width - 2 * room) / 2 / this.half[0], Math.max(40, height - 2 * room - this.inset) / 2 / this.half[1]);
  }

  home() {
    this.zoom = 1;
    this.resize(this.width, this.height);
    // Tools lie over the top of the picture: the samples come below them.
    [this.x, this.y] = [this.middle[0], this.middle[1] + this.inset / 2 / this.unit];
  }

  get scale() { return this.unit * this.zoom; }

  toScreen(x, y) {
    return [this.width / 2 + (x - this.x) * this.scale, this.height / 2 - (y - this.y) * this.scale];
  }

  toData(px, py) {
    return [this.x + (px - this.width / 2) / this.scale, this.y - (py - this.height / 2) / this.scale];
  }

  panBy(dx, dy) {
    this.x -= dx / this.scale;
    this.y += dy / this.scale;
  }

  /** Zoom, while what is under the pointer stays under it. */
  zoomAt(px, py, factor) {
    const [x, y] = this.toData(px, py);
    this.zoom = Math.min(2000, Math.max(0.4, this.zoom * factor));
    const [nowX, nowY] = this.toData(px, py);
    this.x += x - nowX;
    this.y += y - nowY;
  }

  /** Bring a place into the middle, unless it can be seen well already. */
  show(x, y) {
    const [px, py] = this.toScreen(x, y);
    const inside = px > 60 && py > 60 && px < this.width - 60 && py < this.height - 60;
    if (!inside) [this.x, this.y] = [x, y];
  }
}

export const PLAIN = 0;
export const DIMMED = 1;
export const STRONG = 2;
// A stamp reaches no further than this beyond its point, so that the margin of the buffer takes it whole.
const MARGIN = 40;
// Diameter of the circle among the shapes, in their own units.
const SHAPE_WIDTH = 9.2;

const channels = (hex) => {
  const full = hex.length === 4 ? `#${[...hex.slice(1)].map((digit) => digit + digit).join("")}` : hex;
  return [1, 3, 5].map((at) => parseInt(full.slice(at, at + 2), 16));
};
// Pixels are little-endian: red is the lowest byte.
const packed = ([red, green, blue]) => ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
const mixed = (colour, paper, share) => colour.map((value, at) => Math.round(value * share + paper[at] * (1 - share)));

function blend(under, over, alpha) {
  const rest = 255 - alpha;
  const red = ((under & 255) * rest + (over & 255) * alpha) / 255;
  const green = ((under >>> 8 & 255) * rest + (over >>> 8 & 255) * alpha) / 255;
  const blue = ((under >>> 16 & 255) * rest + (over >>> 16 & 255) * alpha) / 255;
  return (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
}

/** The numbers 0 to n - 1 in an order that looks random and is always the same. */
export function shuffledOrder(n) {
  const order = new Uint32Array(n);
  for (let i = 0; i < n; i += 1) order[i] = i;
  let seed = 20;
  for (let i = n - 1; i > 0; i -= 1) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    const j = Math.floor(seed / 4294967296 * (i + 1));
    const kept = order[i];
    order[i] = order[j];
    order[j] = kept;
  }
  return order;
}

export class Raster {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: false });
    this.camera = new Camera();
    this.n = 0;
    this.frames = 0;
    this.afterFrame = () => {};
    this.stamps = new Map();
  }

  /** Take the places of the samples, two numbers each; those that have none are not drawn. */
  setPoints(places, most = Infinity, extra = []) {
    this.n = places.length / 2;
    this.places = places;
    this.shuffled = shuffledOrder(this.n);
    this.setDrawn(most, extra);
    const reach = [[Infinity, -Infinity], [Infinity, -Infinity]];
    for (let k = 0; k < this.order.length; k += 1) {
      const x = this.xs[k], y = this.ys[k];
      if (x < reach[0][0]) reach[0][0] = x;
      if (x > reach[0][1]) reach[0][1] = x;
      if (y < reach[1][0]) reach[1][0] = y;
      if (y > reach[1][1]) reach[1][1] = y;
    }
    this.camera.frame(...reach.map(([low, high]) => (low <= high ? [low, high] : [0, 1])));
  }

  /** Draw so many samples at most, and some more in any case: the first of a random order are a random choice. */
  setDrawn(most, extra = []) {
    const { n, places } = this, order = this.shuffled.subarray(0, Math.min(n, most));
    const there = new Set(order.length < n ? extra : []);
    for (const i of order.length < n ? order : []) there.delete(i);
    this.order = new Uint32Array(order.length + there.size);
    this.order.set(order);
    this.order.set([...there], order.length);
    const count = this.order.length;
    Object.assign(this, { xs: new Float32Array(count), ys: new Float32Array(count), codes: new Uint16Array(count), marks: null });
    for (let k = 0; k < count; k += 1) {
      this.xs[k] = places[2 * this.order[k]];
      this.ys[k] = places[2 * this.order[k] + 1];
    }
  }

  /** Say which look each sample has. */
  setCodes(codes) {
    for (let k = 0; k < this.order.length; k += 1) this.codes[k] = codes[this.order[k]];
    this.draw();
  }

  /** Dim some samples or bring them forward; null for all plain. */
  setMarks(marks) {
    this.marks = marks && Uint8Array.from(this.order, (i) => marks[i]);
    this.draw();
  }

  /** Take the looks: a colour and a shape (a place in `shapes`) for each code. */
  setLooks(looks, shapes, paper) {
    const background = channels(paper);
    this.paper = packed(background);
    this.colours = Uint32Array.from(looks, ({ colour }) => packed(channels(colour)));
    this.faint = Uint32Array.from(looks, ({ colour }) => packed(mixed(channels(colour), background, 0.16)));
    this.forms = Uint8Array.from(looks, ({ shape }) => shape);
    this.paths = shapes.map((shape) => (shape instanceof Path2D ? shape : new Path2D(shape)));
    this.stamps.clear();
    this.draw();
  }

  resize(width, height) {
    this.camera.resize(width, height);
    this.draw();
  }

  /** Ask for a frame; while something moves, many points are drawn at one pixel per pixel. */
  draw(moving = false) {
    clearTimeout(this.rest);
    this.moving = moving;
    if (moving) this.rest = setTimeout(() => this.draw(), 140);
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.render();
    });
  }

  /** Buffers for one ratio of pixels to pixels of the style sheet. */
  prepare(ratio) {
    const width = Math.max(1, Math.round(this.camera.width * ratio));
    const height = Math.max(1, Math.round(this.camera.height * ratio));
    if (this.canvas.width !== width || this.canvas.height !== height || !this.image) {
      this.canvas.width = width;
      this.canvas.height = height;
      this.image = new ImageData(width + 2 * MARGIN, height + 2 * MARGIN);
      this.pixels = new Uint32Array(this.image.data.buffer);
      this.stamps.clear();
    }
    this.ratio = ratio;
  }

  pointSize(ratio) {
    const steps = [[3e5, 2], [3e4, 3], [8e3, 4], [2500, 5], [600, 7], [0, 9]];
    const base = steps.find(([more]) => this.order.length > more)?.[1] ?? 9;
    const grown = base * Math.sqrt(Math.max(1, this.camera.zoom));
    return Math.round(Math.min(Math.max(13, base), grown) * ratio);
  }

  /** Where the pixels of a shape are, from the point's own: those it fills, and those at its edge. */
  stamp(form, size) {
    const key = form * 1000 + size;
    let stamp = this.stamps.get(key);
    if (!stamp) {
      stamp = size < 5 ? this.square(size) : this.traced(this.paths[form] ?? this.paths[0], size);
      this.stamps.set(key, stamp);
    }
    return stamp;
  }

  square(size) {
    const full = [];
    for (let y = 0; y < size; y += 1) for (let x = 0; x < size; x += 1) full.push((y - (size >> 1)) * this.image.width + x - (size >> 1));
    return { full: Int32Array.from(full), edge: new Int32Array(0) };
  }

  traced(path, size) {
    const box = Math.min(2 * MARGIN - 1, 2 * Math.ceil(size * 0.75) + 5), middle = (box - 1) / 2;
    const context = new OffscreenCanvas(box, box).getContext("2d", { willReadFrequently: true });
    const unit = size / SHAPE_WIDTH;
    context.setTransform(unit, 0, 0, unit, box / 2, box / 2);
    context.fill(path);
    const inner = context.getImageData(0, 0, box, box).data;
    // A thin rim in the colour of the paper keeps neighbours apart.
    context.lineWidth = 2 / unit;
    context.lineJoin = "round";
    context.stroke(path);
    const outer = context.getImageData(0, 0, box, box).data;
    // Soft edges are for pictures in which single samples are seen; of very many they would only cost time.
    const solid = this.n > 2e4 ? 127 : 250, soft = this.n > 2e4 ? 255 : 8;
    const full = [], edge = [], fill = [], rim = [];
    for (let y = 0; y < box; y += 1) for (let x = 0; x < box; x += 1) {
      const at = (y * box + x) * 4 + 3, offset = (y - middle) * this.image.width + x - middle;
      if (inner[at] > solid) full.push(offset);
      else if (outer[at] > soft) {
        edge.push(offset);
        fill.push(inner[at]);
        rim.push(outer[at] * 0.7 | 0);
      }
    }
    return { full: Int32Array.from(full), edge: Int32Array.from(edge), fill: Uint8Array.from(fill), rim: Uint8Array.from(rim) };
  }

  render() {
    if (!this.n || !this.colours) return;
    const device = globalThis.devicePixelRatio || 1;
    this.prepare(this.moving && this.n > 2e4 ? 1 : device);
    this.pixels.fill(this.paper);
    // What is dimmed lies below everything else, what stands out above it.
    for (const mark of this.marks ? [DIMMED, PLAIN, STRONG] : [PLAIN]) this.stampAll(mark);
    this.context.putImageData(this.image, -MARGIN, -MARGIN);
    this.frames += 1;
    this.afterFrame();
  }

  stampAll(wanted) {
    const { xs, ys, codes, marks, pixels, ratio, camera, paper, forms } = this, n = this.order.length;
    const size = this.pointSize(ratio) + (wanted === STRONG ? Math.ceil(2 * ratio) : 0), width = this.image.width;
    const colours = wanted === DIMMED ? this.faint : this.colours;
    const stamps = Array.from(forms, (form) => this.stamp(form, size));
    const scale = camera.scale * ratio;
    const left = this.canvas.width / 2 - camera.x * scale + MARGIN, top = this.canvas.height / 2 + camera.y * scale + MARGIN;
    const inset = MARGIN >> 1, right = width - inset, low = this.image.height - inset;
    // Small stamps are squares, the same for every code: without edges and look-ups a million take half the time.
    const plain = size < 5 ? stamps[0].full : null;
    for (let k = 0; k < n; k += 1) {
      if (marks !== null && marks[k] !== wanted) continue;
      const x = (xs[k] * scale + left) | 0, y = (top - ys[k] * scale) | 0;
      // A place that is missing becomes pixel 0, which is outside.
      if (x < inset || y < inset || x >= right || y >= low) continue;
      const code = codes[k], colour = colours[code], at = y * width + x;
      if (plain !== null) {
        for (let j = 0; j < plain.length; j += 1) pixels[at + plain[j]] = colour;
        continue;
      }
      const { full, edge, fill, rim } = stamps[code];
      for (let j = 0; j < full.length; j += 1) pixels[at + full[j]] = colour;
      for (let j = 0; j < edge.length; j += 1) {
        const under = blend(pixels[at + edge[j]], paper, rim[j]);
        pixels[at + edge[j]] = blend(under, colour, fill[j]);
      }
    }
  }

  /** The sample that is drawn nearest to a place on the screen, or -1; one pass over all of them. */
  nearest(px, py, within = 12) {
    const { xs, ys, order } = this, [x, y] = this.camera.toData(px, py);
    let best = -1, least = (within / this.camera.scale) ** 2;
    for (let k = 0; k < order.length; k += 1) {
      const dx = xs[k] - x, dy = ys[k] - y, distance = dx * dx + dy * dy;
      if (distance < least || (distance === least && order[k] < best)) {
        least = distance;
        best = order[k];
      }
    }
    return best;
  }

  /** The samples inside a polygon of screen points, by a mask as large as the picture. */
  inside(polygon) {
    const { camera, places, n } = this, width = Math.ceil(camera.width), height = Math.ceil(camera.height);
    const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
    context.beginPath();
    for (const [x, y] of polygon) context.lineTo(x, y);
    context.fill("evenodd");
    const mask = context.getImageData(0, 0, width, height).data, rows = [];
    const scale = camera.scale, left = camera.width / 2 - camera.x * scale, top = camera.height / 2 + camera.y * scale;
    for (let i = 0; i < n; i += 1) {
      const x = Math.floor(places[2 * i] * scale + left), y = Math.floor(top - places[2 * i + 1] * scale);
      if (x >= 0 && y >= 0 && x < width && y < height && mask[4 * (y * width + x) + 3] > 127) rows.push(i);
    }
    return rows;
  }

  /** The median place of the samples of each label; of a large cluster, of a thousand of them. */
  medians(labels, n_labels) {
    const columns = Array.from({ length: n_labels }, () => [[], []]);
    for (let k = 0; k < this.order.length; k += 1) {
      const column = columns[labels[this.order[k]]];
      if (column && column[0].length < 1000 && this.xs[k] === this.xs[k]) {
        column[0].push(this.xs[k]);
        column[1].push(this.ys[k]);
      }
    }
    const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
    return columns.map(([xs, ys]) => (xs.length ? [median(xs), median(ys)] : null));
  }
}
