// Draws the two plots of the variability page: a heat map of lanes over time, and groups as lines
// over parallel axes.

const HEAT_ROW = 22, HEAT_LEFT = 150, HEAT_TOP = 6, HEAT_BOTTOM = 22, HEAT_MOST = 400;

// Returns a colour: blue for less than expected, orange for more, grey for as expected. The
// intensity is the share of the largest excess.
function heatColor(share) {
  const dark = isDark(), strength = Math.sqrt(Math.min(1, Math.abs(share)));
  const from = dark ? [38, 45, 54] : [236, 239, 243], to = share > 0 ? (dark ? [255, 140, 70] : [196, 72, 0]) : (dark ? [90, 170, 250] : [11, 98, 168]);
  return `rgb(${from.map((one, i) => Math.round(one + (to[i] - one) * strength)).join(" ")})`;
}

// Adds up neighbouring bins if there are more than can be distinguished on the screen.
function fewerBins(row, most) {
  const by = Math.ceil(row.length / most), out = [];
  for (let i = 0; i < row.length; i += by) out.push(row.slice(i, i + by).reduce((a, b) => a + b, 0));
  return out;
}

// A heat map. `rows` are ns by lane and bin. `nameOf(bin)` returns the name of a bin. A click or
// Enter calls `open(bin, lane)`.
class HeatMap {
  constructor(canvas, rows, lanes, nameOf, open) {
    this.canvas = canvas;
    this.total = rows[0]?.length || 0;
    this.by = rows.length ? Math.ceil(rows[0].length / HEAT_MOST) : 1;
    this.rows = rows.map(row => fewerBins(row, HEAT_MOST));
    this.lanes = lanes;
    this.nameOf = nameOf;
    this.open = open;
    this.at = null;
    const sizes = this.rows.flat().map(Math.abs).sort((a, b) => a - b);
    this.most = sizes.length ? sizes[Math.floor((sizes.length - 1) * 0.99)] || sizes[sizes.length - 1] : 0;
    canvas.addEventListener("mousemove", event => this.hover(event));
    canvas.addEventListener("mouseleave", () => { this.at = null; tip(null); this.draw(); });
    canvas.addEventListener("click", event => { const at = this.find(event); if (at) this.open(at.bin * this.by, at.lane); });
    canvas.addEventListener("keydown", event => this.key(event));
  }
  get bins() { return this.rows[0]?.length || 0; }
  left() { return Math.min(HEAT_LEFT, this.canvas.clientWidth * 0.28); }
  width() { return Math.max(1, this.canvas.clientWidth - this.left() - 4); }
  find(event) {
    const box = this.canvas.getBoundingClientRect(), x = event.clientX - box.left - this.left(), y = event.clientY - box.top - HEAT_TOP;
    const bin = Math.floor(x * this.bins / this.width()), lane = Math.floor(y / HEAT_ROW);
    return bin >= 0 && bin < this.bins && lane >= 0 && lane < this.rows.length ? { bin, lane } : null;
  }
  words(at) {
    const last = Math.min((at.bin + 1) * this.by, this.total) - 1, name = this.nameOf(at.bin * this.by);
    return [`${this.lanes[at.lane]}, ${name}${last > at.bin * this.by ? " and the next" : ""}`, `${signedTime(this.rows[at.lane][at.bin])} against the medians of the groups`, "click: what it is made of"];
  }
  hover(event) {
    this.at = this.find(event);
    tip(this.at && this.words(this.at), event);
    this.draw();
  }
  key(event) {
    const by = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
    if (event.key === "Enter" && this.at) this.open(this.at.bin * this.by, this.at.lane);
    if (!by || !this.bins) return;
    const at = this.at || { bin: 0, lane: 0 };
    this.at = { bin: Math.max(0, Math.min(this.bins - 1, at.bin + by[0])), lane: Math.max(0, Math.min(this.rows.length - 1, at.lane + by[1])) };
    say(this.words(this.at).slice(0, 2).join(": "));
    this.draw();
    event.preventDefault();
  }
  draw() {
    const { canvas } = this, scale = devicePixelRatio || 1, height = HEAT_TOP + this.rows.length * HEAT_ROW + HEAT_BOTTOM;
    canvas.style.height = height + "px";
    canvas.width = canvas.clientWidth * scale;
    canvas.height = height * scale;
    const pen = canvas.getContext("2d"), style = getComputedStyle(document.documentElement), left = this.left(), width = this.width();
    pen.scale(scale, scale);
    pen.font = "12px system-ui, sans-serif";
    pen.textBaseline = "middle";
    this.rows.forEach((row, lane) => {
      const y = HEAT_TOP + lane * HEAT_ROW;
      pen.fillStyle = style.getPropertyValue("--text");
      pen.fillText(fitText(pen, this.lanes[lane], left - 8), 0, y + HEAT_ROW / 2);
      row.forEach((ns, bin) => {
        const x = left + bin * width / row.length;
        pen.fillStyle = heatColor(this.most > 0 ? ns / this.most : 0);
        pen.fillRect(x, y, Math.max(1, width / row.length - (width / row.length > 6 ? 1 : 0)), HEAT_ROW - 2);
      });
    });
    pen.fillStyle = style.getPropertyValue("--dim");
    const y = height - HEAT_BOTTOM / 2, first = this.nameOf(0), last = this.nameOf((this.bins - 1) * this.by);
    pen.fillText(first, left, y);
    pen.textAlign = "right";
    if (this.bins > 1) pen.fillText(last, left + width, y);
    pen.textAlign = "left";
    if (!this.at) return;
    pen.strokeStyle = style.getPropertyValue("--text");
    pen.lineWidth = 2;
    pen.strokeRect(left + this.at.bin * width / this.bins, HEAT_TOP + this.at.lane * HEAT_ROW, Math.max(3, width / this.bins), HEAT_ROW - 2);
  }
}

function fitText(pen, text, width) {
  if (pen.measureText(text).width <= width) return text;
  let some = text;
  while (some.length > 1 && pen.measureText(some + "…").width > width) some = some.slice(0, -1);
  return some + "…";
}

function signedTime(ns) { return (ns < 0 ? "-" : "+") + duration(Math.abs(ns)); }

const AXES = [
  { name: "executions", of: row => row.n, log: true, text: grouped },
  { name: "median", of: row => row.median_ns, log: true, text: duration },
  { name: "IQR", of: row => row.relative_iqr, text: value => (100 * value).toFixed(1) + "%" },
  { name: "p95 by median", of: row => row.p95_ns / row.median_ns, log: true, text: value => value.toFixed(2) + "x" },
  { name: "max by median", of: row => row.max_ns / row.median_ns, log: true, text: value => value.toFixed(2) + "x" },
  { name: "excess", of: row => Math.max(0, row.excess_ns), text: duration },
];

// Draws a line for each group. `rows` are those of the model. `chosen` is the position of the
// selected one; -1 = none. `choose(position)` selects one.
function parallelPlot(rows, names, chosen, width, choose) {
  const height = 320, top = 34, bottom = 24, side = Math.min(60, width / 8);
  const scales = AXES.map(axis => {
    const values = rows.map(axis.of).filter(value => Number.isFinite(value) && (!axis.log || value > 0));
    const to = axis.log ? Math.log : value => value, least = to(Math.min(...values)), most = to(Math.max(...values));
    return { axis, least: Math.min(...values), most: Math.max(...values),
      y: value => height - bottom - (height - top - bottom) * (most > least ? (to(Math.max(value, Math.min(...values))) - least) / (most - least) : 0.5) };
  });
  const x = i => side + i * (width - 2 * side) / (AXES.length - 1);
  const picture = svg("svg", { class: "plot", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Groups as lines over parallel axes" });
  scales.forEach(({ axis, least, most }, i) => {
    const anchor = "middle", name = width < 620 ? axis.name.split(" ")[0] : axis.name;
    picture.append(plotLine(x(i), top, x(i), height - bottom, "axis"), plotText(x(i), 11, name, anchor, { class: "title" }),
      plotText(x(i), 26, axis.text(most), anchor), plotText(x(i), height - 8, axis.text(least), anchor));
  });
  const order = rows.map((_, i) => i).reverse();
  if (chosen >= 0) order.push(chosen);
  for (const i of order) {
    const points = scales.map(({ axis, y }, k) => `${x(k).toFixed(1)},${y(axis.of(rows[i])).toFixed(1)}`).join(" ");
    const line = svg("polyline", { points, class: "group" + (i === chosen ? " chosen" : ""), fill: "none" });
    line.addEventListener("mousemove", event => tip([names[i], `${grouped(rows[i].n)} executions of ${duration(rows[i].median_ns)}, ${signedTime(rows[i].excess_ns)}`], event));
    line.addEventListener("mouseleave", () => tip(null));
    line.addEventListener("click", () => choose(i));
    picture.append(line);
  }
  return picture;
}
