// Draws a flame graph on a canvas. Only the visible part of the tree is drawn.

// The palette of Okabe and Ito, which colour-blind people can distinguish, made softer for dark
// screens. Each entry is [light, dark]. Text on both is nearly black.
const COLORS = {
  python: ["#7cc4ee", "#5aa9d6"], native: ["#f2b84b", "#d39a35"], gpu: ["#3fb98f", "#2f9f7a"],
  communication: ["#d995bb", "#c580a6"], copy: ["#efe27a", "#cfc25a"], wait: ["#e8804a", "#d0703f"],
  other: ["#b6bfc9", "#8b96a3"],
};
const KIND_WORDS = { python: "Python", native: "native code", gpu: "GPU kernels", communication: "GPU communication",
  copy: "GPU copies", wait: "waiting for the GPU", other: "other" };

const INK = "#10151a", ROW = 19, FONT = "12px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const LEAST_WIDTH = 0.5;  // in pixels; narrower boxes are not drawn

function isDark() { return document.documentElement.dataset.theme === "dark"; }

function cssColor(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

// Returns a colour that is slightly lighter or darker, depending on `number`. Neighbouring boxes
// can then be distinguished.
function shade(color, number) {
  const light = 1 + (((number * 2654435761) >>> 0) % 17 - 8) / 100;
  const part = i => Math.min(255, Math.round(parseInt(color.slice(i, i + 2), 16) * light));
  return `rgb(${part(1)},${part(3)},${part(5)})`;
}

// Returns the children of all nodes: those of node i are list[first[i]] to list[first[i + 1] - 1].
// In `parent`, parents must precede their children.
function childLists(parent) {
  const count = parent.length, first = new Int32Array(count + 1), list = new Int32Array(count);
  for (let i = 1; i < count; i++) first[parent[i] + 1]++;
  for (let i = 0; i < count; i++) first[i + 1] += first[i];
  const next = first.slice();
  for (let i = 1; i < count; i++) list[next[parent[i]]++] = i;
  return { first, list };
}

// Computes the layout of a tree in which parents precede their children. `x` and `width` are
// fractions of the whole.
function layOut(parent, site, total, self) {
  const count = parent.length, x = new Float64Array(count), depth = new Int32Array(count), { first, list } = childLists(parent);
  let deepest = 0;
  for (let i = 0; i < count; i++) {
    const children = list.subarray(first[i], first[i + 1]);
    if (children.length > 1) children.sort((a, b) => total[b] - total[a] || a - b);
    let at = x[i];
    for (const child of children) {
      x[child] = at;
      depth[child] = depth[i] + 1;
      at += total[child];
      if (total[child] > 0) deepest = Math.max(deepest, depth[child]);
    }
  }
  return { parent, site, total, self, x, depth, first, list, deepest };
}

// Returns the tree of the same stacks from the leaves to the root, in which the callers of a
// function are below it.
function callersTree(tree, self) {
  const parent = [0], site = [0], own = [0], total = [0], index = new Map();
  for (let i = 1; i < self.length; i++) {
    if (self[i] <= 0) continue;
    let at = 0;
    total[0] += self[i];
    for (let node = i; node !== 0; node = tree.parent[node]) {
      const key = at * 1048576 * 64 + tree.site[node];
      let child = index.get(key);
      if (child === undefined) {
        index.set(key, child = parent.length);
        parent.push(at); site.push(tree.site[node]); own.push(0); total.push(0);
      }
      at = child;
      total[at] += self[i];
    }
    own[at] += self[i];
    if (parent.length > 600000) break;
  }
  return layOut(Int32Array.from(parent), Int32Array.from(site), Float64Array.from(total), Float64Array.from(own));
}

class Flame {
  // If `isFlipped` is set, the root is at the bottom.
  constructor(canvas, model, events, isFlipped = false) {
    Object.assign(this, { canvas, model, events, isFlipped, zoom: 0, current: 0, hover: -1, scroll: 0, matches: null, drawn: [] });
    this.view = { x: 0, width: 1 };  // the visible part of the root, in units of values
    canvas.addEventListener("click", event => { this.current = Math.max(0, this.at(event)); this.clicked(this.current); });
    canvas.addEventListener("dblclick", event => { const node = this.at(event); if (node > 0 && events.source) events.source(this.tree.site[node]); });
    canvas.addEventListener("mousemove", event => this.point(event));
    canvas.addEventListener("mouseleave", () => { this.hover = -1; this.events.tip(null); this.draw(); });
    canvas.addEventListener("wheel", event => { event.preventDefault(); this.scrollBy(isFlipped ? -event.deltaY : event.deltaY); }, { passive: false });
    canvas.addEventListener("keydown", event => this.key(event));
    canvas.addEventListener("focus", () => this.draw());
    canvas.addEventListener("blur", () => this.draw());
  }

  // Shows a tree. If the new tree contains the path to the zoomed node, too, keeps the zoom. `of`
  // completes the texts of boxes: it says of what a value is a part.
  show(tree, unit, of = "") {
    const path = [];
    if (this.tree) for (let i = this.zoom; i !== 0; i = this.tree.parent[i]) path.unshift(this.tree.site[i]);
    this.tree = tree;
    this.unit = unit;
    this.of = of;
    this.zoom = 0;
    for (const site of path) {
      const child = this.childrenOf(this.zoom).find(i => tree.site[i] === site);
      if (child === undefined) break;
      this.zoom = child;
    }
    this.current = this.zoom;
    this.hover = -1;
    this.scroll = Math.max(0, Math.min(this.scroll, (tree.depth[this.zoom] - 2) * ROW));
    this.jump();
  }

  jump() {
    this.view = { x: this.tree.x[this.zoom], width: this.tree.total[this.zoom] };
    this.animation = null;
    this.draw();
    this.events.zoomed(this.zoom);
  }

  childrenOf(node) {
    const { list, first, total } = this.tree;
    return Array.from(list.subarray(first[node], first[node + 1])).filter(i => total[i] > 0);
  }

  zoomTo(node) {
    if (!this.tree || this.tree.total[node] <= 0) return;
    this.zoom = node;
    const from = { ...this.view }, to = { x: this.tree.x[node], width: this.tree.total[node] };
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.scroll = Math.max(0, Math.min(this.scroll, (this.tree.depth[node] - 2) * ROW));
    if (still || from.width <= 0) return this.jump();
    const start = performance.now();
    this.animation = now => {
      const part = Math.min(1, (now - start) / 180), eased = 1 - (1 - part) ** 3;
      // Change the width by constant factors. With constant differences, nearly all of the visible
      // change would happen at the end.
      this.view.width = from.width * (to.width / from.width) ** eased;
      const change = to.width - from.width;
      const share = Math.abs(change) < 1e-9 * from.width ? eased : (this.view.width - from.width) / change;
      this.view.x = from.x + (to.x - from.x) * share;
      if (part === 1) { this.view = to; this.animation = null; }
    };
    this.events.zoomed(node);
    this.draw();
  }

  // Handles a click or Enter on a box.
  clicked(node) {
    this.zoomTo(node);
    if (this.events.chosen && node > 0) this.events.chosen(node);
  }

  search(sites) { this.matches = sites; this.draw(); }

  topOf(node) {
    const top = this.tree.depth[node] * ROW - this.scroll;
    return this.isFlipped ? this.canvas.clientHeight - top - ROW : top;
  }

  scrollBy(amount) {
    const most = Math.max(0, ((this.tree ? this.tree.deepest : 0) + 1) * ROW - this.canvas.clientHeight + 8);
    this.scroll = Math.max(0, Math.min(most, this.scroll + amount));
    this.draw();
  }

  draw() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(now => { this.pending = false; this.paint(now); });
  }

  paint(now) {
    const { canvas, tree } = this;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (width === 0 || height === 0 || !tree) return;
    if (this.animation) this.animation(now);
    const ratio = devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const context = canvas.getContext("2d", { alpha: false });
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = cssColor("--bg");
    context.fillRect(0, 0, width, height);
    context.font = FONT;
    context.textBaseline = "middle";
    this.character = this.character || context.measureText("M").width;
    this.drawn = [];
    this.left_out = 0;
    if (tree.total[0] > 0) this.paintBoxes(context, width, height);
    else {
      context.fillStyle = cssColor("--dim");
      context.fillText("nothing of this was counted here", 14, 24);
    }
    if (this.animation) this.draw();
  }

  // Draws the boxes from the root on. If a box is too narrow to be visible, skips it and everything
  // below it.
  paintBoxes(context, width, height) {
    const { tree, view } = this, scale = width / view.width, dark = isDark() ? 1 : 0;
    const stack = [0], ink = cssColor("--text"), accent = cssColor("--accent");
    while (stack.length) {
      const node = stack.pop();
      const left = (tree.x[node] - view.x) * scale, right = left + tree.total[node] * scale;
      const from = Math.max(0, left), to = Math.min(width, right);
      if (to <= 0 || from >= width) continue;
      if (right - left < LEAST_WIDTH) { this.left_out++; continue; }
      const top = this.topOf(node);
      if (this.isFlipped ? top > -ROW : top < height) {
        for (let i = tree.first[node + 1] - 1; i >= tree.first[node]; i--) stack.push(tree.list[i]);
      }
      if (top + ROW < 0 || top >= height) continue;
      this.box(context, node, from, top, to - from, dark, ink);
      this.drawn.push({ node, x: from, y: top, width: to - from });
    }
    for (const [node, color] of [[this.hover, ink], [document.activeElement === this.canvas ? this.current : -1, accent]]) {
      const box = this.drawn.find(each => each.node === node);
      if (!box) continue;
      context.strokeStyle = color;
      context.lineWidth = 2;
      context.strokeRect(box.x + 1, box.y + 1, Math.max(1, box.width - 2), ROW - 3);
    }
  }

  box(context, node, x, y, width, dark, ink) {
    const label = this.labelOf(node), matched = this.matches && this.matches.has(this.tree.site[node]);
    const above = node !== this.zoom && this.isAbove(node);
    const color = node === 0 ? (dark ? "#59636f" : "#d3d9e0") : this.colorOf(node, label, matched, dark);
    context.globalAlpha = above || (this.matches && !matched) ? 0.42 : 1;
    context.fillStyle = color;
    context.fillRect(x, y, width > 2 ? width - 1 : width, ROW - 1);
    this.mark(context, node, x, y, width > 2 ? width - 1 : width, matched);
    const room = Math.floor((width - 8) / this.character);
    if (room >= 3) {
      context.globalAlpha = above ? 0.75 : 1;
      const faint = node === 0 || above || (this.matches && !matched && dark);
      context.fillStyle = faint ? ink : this.inkOf(node, matched, dark);
      const text = boxText(node === 0 ? this.rootText() : label.short, node === 0 ? "" : place(label), room);
      context.save();
      context.beginPath();
      context.rect(x, y, width - 3, ROW);
      context.clip();
      context.fillText(text, x + 4, y + ROW / 2);
      context.restore();
    }
    context.globalAlpha = 1;
  }

  // Returns the colour of a box. A kind of page with other colours overrides this function.
  colorOf(node, label, matched, dark) {
    return matched ? (dark ? "#e05fb0" : "#d6409f")
      : shade(COLORS[kindClass(label)][dark], this.model.functionOf[this.tree.site[node]]);
  }
  inkOf(node, matched) { return matched ? "#fff" : INK; }
  mark() {}

  rootText() { return "all   " + amount(this.tree.total[0], this.unit); }
  labelOf(node) { return this.model.sites[this.tree.site[node]]; }

  isAbove(node) {
    const { depth, parent } = this.tree;
    let at = this.zoom;
    while (depth[at] > depth[node]) at = parent[at];
    return at === node;
  }

  at(event) {
    const box = this.canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    const found = this.drawn.find(each => x >= each.x && x < each.x + each.width && y >= each.y && y < each.y + ROW);
    return found ? found.node : -1;
  }

  point(event) {
    const node = this.at(event);
    if (node !== this.hover) { this.hover = node; this.draw(); }
    this.events.tip(node < 0 ? null : this.words(node), event);
  }

  words(node) {
    const { tree, unit } = this, whole = tree.total[0];
    if (node === 0) return ["all", amount(whole, unit)];
    const label = this.labelOf(node), lines = [shownName(label)];
    if (label.file) lines.push(label.file + (label.line ? ":" + label.line : ""));
    if (label.module && label.module !== label.name) lines.push(label.module);
    lines.push(`${amount(tree.total[node], unit)} (${percent(tree.total[node], whole)}), ` +
      `of it itself ${amount(tree.self[node], unit)} (${percent(tree.self[node], whole)})`);
    if (this.of) lines.push(`of ${amount(whole, unit)} ${this.of}`);
    return lines;
  }

  // Moves to another box with the arrow keys. The status line describes the box.
  key(event) {
    if (!this.tree || event.ctrlKey || event.altKey || event.metaKey) return;
    const { tree, current } = this, siblings = current === 0 ? [0] : this.childrenOf(tree.parent[current]);
    const at = siblings.indexOf(current), toRoot = () => tree.parent[current], away = () => this.childrenOf(current)[0];
    const go = {
      ArrowUp: this.isFlipped ? away : toRoot, ArrowDown: this.isFlipped ? toRoot : away,
      ArrowLeft: () => siblings[at - 1], ArrowRight: () => siblings[at + 1], Home: () => 0,
    }[event.key];
    if (go) {
      const next = go();
      if (next !== undefined) this.current = next;
      this.reveal();
      this.events.status(this.words(this.current).join("   "));
    } else if (event.key === "Enter" || event.key === " ") {
      this.clicked(this.current);
    } else if (event.key === "Backspace") {
      this.current = 0;
      this.zoomTo(0);
    } else if (event.key === "PageDown" || event.key === "PageUp") {
      this.scrollBy((event.key === "PageDown" ? 1 : -1) * this.canvas.clientHeight * 0.8);
    } else return;
    event.preventDefault();
  }

  reveal() {
    const top = this.tree.depth[this.current] * ROW, height = this.canvas.clientHeight;
    if (top < this.scroll) this.scroll = top;
    if (top + 2 * ROW > this.scroll + height) this.scroll = top + 2 * ROW - height;
    this.draw();
  }
}

// Returns the text of a box: the name and, if `room` characters are enough, the place.
function boxText(name, where, room) {
  if (name === "<module>" && where) [name, where] = [where, name];
  if (name.length > room) return name.slice(0, Math.max(1, room - 1)) + "…";
  return where && name.length + where.length + 3 <= room ? name + "  " + where : name;
}
