// Draws the timeline: phases and steps, ranges that the program has named, GPU streams and CPU
// threads over time.
//
// Within the page's window, single events are drawn. Wide events are blocks; narrow ones are drawn
// as the fraction of each pixel that they fill. Outside of the window, only the buckets of the
// lanes are known.

const LEAST_BLOCK = 3;  // in pixels; a narrower event is not drawn as a block
const IDLE = -1;  // kind of what is not drawn

class TimelinePicture {
  constructor(canvas, model, events) {
    Object.assign(this, { canvas, model, events, open: false, range: null, selected: null, drag: null, stats: {} });
    this.begin = 0;
    this.end = model.duration;
    // Read the width only once per picture, because the browser may have to compute the layout for
    // it.
    this.wide = canvas.clientWidth;
    this.lanes = makeLanes(model);
    Object.assign(this, groupEvents(model));
    this.kinds = { stream: this.kindsIn("stream", 0), thread: this.kindsIn("thread", 1) };
    this.layOut();
  }

  // Returns the index in LANE[what] of the kind of each node. The index is IDLE for idle nodes, and
  // `other` for kinds that are not in LANE[what].
  kindsIn(what, other) {
    const ofSite = this.model.sites.map(label => {
      const kind = LANE[what].indexOf(kindClass(label));
      return label.kind === KIND.idle ? IDLE : kind >= 0 ? kind : other;
    });
    return Int8Array.from(this.model.site, site => ofSite[site]);
  }

  layOut() {
    const of = what => this.lanes.filter(lane => lane.what === what);
    const markers = of("marker"), streams = of("stream"), threads = of("thread");
    const shownStreams = this.open ? streams : streams.filter(lane => !lane.rare).slice(0, 6);
    this.shown = (this.open ? markers : markers.slice(0, USUAL_MARKERS)).concat(shownStreams, this.open ? threads : threads.slice(0, USUAL_THREADS));
    const { phases, steps } = this.model.data;
    this.bands = (phases ? BAND : 0) + (steps ? BAND : 0);
    let y = AXIS + this.bands + GAP;
    for (const lane of this.shown) { lane.y = y; y += lane.height + (lane.what === "stream" ? 3 : 1); }
    this.height = y + 5;
    this.canvas.style.height = Math.min(this.height, Math.max(150, innerHeight * (this.open ? 0.6 : 0.42))) + "px";
    this.offset = 0;
    this.hidden = this.lanes.length - this.shown.length;
  }

  get gutter() { return this.wide < 700 ? 96 : this.model.data.processes.length > 1 ? 220 : 170; }

  x(time) { return this.gutter + (time - this.begin) / (this.end - this.begin) * (this.wide - this.gutter); }

  time(x) { return this.begin + (x - this.gutter) / (this.wide - this.gutter) * (this.end - this.begin); }

  draw() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => { this.pending = false; this.paint(); });
  }

  paint() {
    const { canvas } = this, width = canvas.clientWidth, height = canvas.clientHeight, ratio = devicePixelRatio || 1;
    if (width === 0 || height === 0) return;
    this.wide = width;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const context = canvas.getContext("2d", { alpha: false });
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.ink = { bg: cssColor("--bg"), panel: cssColor("--panel"), line: cssColor("--line"), text: cssColor("--text"),
      dim: cssColor("--dim"), accent: cssColor("--accent"), select: cssColor("--select"), dark: isDark() ? 1 : 0 };
    context.fillStyle = this.ink.panel;
    context.fillRect(0, 0, width, height);
    context.textBaseline = "middle";
    this.stats = { events: 0, blocks: 0 };
    this.drawnMarkers = [];
    context.save();
    context.translate(0, -this.offset);
    for (const lane of this.shown) this.paintLane(context, lane, width);
    this.paintArrow(context);
    context.restore();
    this.paintHead(context, width);
    this.paintRange(context, width, height);
  }

  paintLane(context, lane, width) {
    if (lane.what === "marker") return paintMarkers(this, context, lane, width);
    const { ink, gutter } = this;
    context.fillStyle = ink.bg;
    context.fillRect(gutter, lane.y, width - gutter, lane.height);
    const sums = LANE[lane.what].map(() => new Float32Array(Math.max(0, Math.ceil(width - gutter))));
    const blocks = [];
    this.addBuckets(lane, sums);
    this.addEvents(lane, sums, blocks);
    this.paintShares(context, lane, sums);
    for (const block of blocks) this.paintBlock(context, lane, block);
    this.paintName(context, lane);
  }

  // Draws, for each pixel, the fractions that the kinds fill, stacked. Neighbouring pixels that
  // look the same become one rectangle.
  paintShares(context, lane, sums) {
    const pixels = sums[0].length, bottom = new Float32Array(pixels).fill(lane.y + lane.height);
    const scale = new Float32Array(pixels);
    for (let pixel = 0; pixel < pixels; pixel++) {
      scale[pixel] = (lane.height - 2) * Math.min(1, 1 / (sums[0][pixel] + sums[1][pixel] + sums[2][pixel]));
    }
    LANE[lane.what].forEach((kind, k) => {
      const tall = pixel => sums[k][pixel] === 0 ? 0 : Math.max(1, Math.round(sums[k][pixel] * scale[pixel]));
      context.fillStyle = COLORS[kind][this.ink.dark];
      for (let pixel = 0, end; pixel < pixels; pixel = end) {
        const height = tall(pixel), from = bottom[pixel];
        for (end = pixel + 1; end < pixels && bottom[end] === from && tall(end) === height;) end++;
        if (height === 0) continue;
        context.fillRect(this.gutter + pixel, from - height, end - pixel, height);
        bottom.fill(from - height, pixel, end);
      }
    });
  }

  paintName(context, lane) {
    const { ink, gutter } = this;
    context.fillStyle = ink.panel;
    context.fillRect(0, lane.y, gutter - 1, lane.height);
    context.font = "12px system-ui, sans-serif";
    const name = fitted(context, gutter < 120 && lane.short || lane.name, gutter - 22), used = context.measureText(name).width;
    context.fillStyle = ink.text;
    context.fillText(name, 14, lane.y + lane.height / 2);
    context.fillStyle = ink.dim;
    if (lane.more && gutter - used > 60) context.fillText(fitted(context, lane.more, gutter - used - 30), 14 + used + 8, lane.y + lane.height / 2);
  }

  // Adds the buckets outside of the window to `sums`.
  addBuckets(lane, sums) {
    const { window: inner, duration: whole, data } = this.model, bucket = whole / data.buckets;
    const perPixel = (this.end - this.begin) / sums[0].length;
    for (let pixel = 0; pixel < sums[0].length; pixel++) {
      const from = this.begin + pixel * perPixel, to = from + perPixel;
      if (from >= inner.begin && to <= inner.end) continue;
      const first = Math.floor(from / bucket), last = Math.min(data.buckets - 1, Math.floor(to / bucket));
      lane.buckets.forEach((list, k) => {
        if (list.length === 0) return;
        let sum = 0;
        for (let i = first; i <= last; i++) sum += list[i] / 255;
        sums[k][pixel] = sum / (last - first + 1);
      });
    }
  }

  addEvents(lane, sums, blocks) {
    const { work, samples, waits } = this.model;
    if (lane.what === "stream") {
      this.addList(lane, this.workOf[lane.index], work.start, i => work.start[i], i => work.duration[i], work.longest, work.node, sums, blocks);
    } else {
      this.addList(lane, this.samplesOf[lane.index], samples.time, i => samples.time[i] - samples.weight[i], i => samples.weight[i], 0, samples.node, sums, blocks);
      this.addList(lane, this.waitsOf[lane.index], waits.start, i => waits.start[i], i => waits.duration[i], waits.longest, waits.node, sums, blocks);
    }
  }

  addList(lane, list, times, startOf, lengthOf, longest, nodes, sums, blocks) {
    const scale = sums[0].length / (this.end - this.begin), { window: inner } = this.model;
    // Ns; a sample is drawn before its time, so later ones may be visible.
    const late = lane.what === "thread" ? 50e6 : 0;
    const kinds = this.kinds[lane.what];
    for (let at = Math.max(0, positionBefore(list, times, this.begin - longest)); at < list.length; at++) {
      const i = list[at];
      if (times[i] > this.end + late) break;
      const from = Math.max(startOf(i), inner.begin), to = Math.min(startOf(i) + lengthOf(i), inner.end);
      const left = (from - this.begin) * scale, right = (to - this.begin) * scale;
      if (right < 0 || left >= sums[0].length || to <= from) continue;
      const kind = kinds[nodes[i]];
      if (kind === IDLE) continue;
      this.stats.events++;
      if (right - left >= LEAST_BLOCK) { blocks.push({ i, left, right, node: nodes[i] }); continue; }
      for (let pixel = Math.max(0, Math.floor(left)); pixel < right && pixel < sums[0].length; pixel++) {
        sums[kind][pixel] += Math.min(right, pixel + 1) - Math.max(left, pixel);
      }
    }
    this.stats.blocks += blocks.length;
  }

  paintBlock(context, lane, block) {
    const { gutter, ink } = this, width = this.wide - gutter;
    const left = gutter + Math.max(0, block.left), right = gutter + Math.min(width, block.right);
    const label = this.model.label(block.node), stream = lane.what === "stream";
    context.fillStyle = shade(COLORS[kindClass(label)][ink.dark], this.model.functionOf[this.model.site[block.node]]);
    context.fillRect(left, lane.y + 1, Math.max(1, right - left - 0.7), lane.height - 2);
    if (stream && block.i === this.selected) {
      context.strokeStyle = ink.text;
      context.lineWidth = 2;
      context.strokeRect(left + 1, lane.y + 2, Math.max(1, right - left - 2.7), lane.height - 4);
    }
    if (right - left < 34) return;
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = INK;
    context.fillText(fitted(context, label.short, right - left - 8), left + 4, lane.y + lane.height / 2);
  }

  // Draws an arrow from the call that launched the selected operation to the operation's start.
  paintArrow(context) {
    const { work, data } = this.model, i = this.selected;
    if (i === null || work.delay[i] < 0) return;
    const to = this.shown.find(lane => lane.what === "stream" && lane.index === work.stream[i]);
    if (!to) return;
    const from = this.shown.find(lane => lane.what === "thread" && lane.index === work.thread[i]);
    const x0 = this.x(work.start[i] - work.delay[i]), x1 = this.x(work.start[i]);
    const y0 = from ? from.y + from.height / 2 : this.height - 4, y1 = to.y + to.height / 2;
    context.strokeStyle = context.fillStyle = this.ink.text;
    context.lineWidth = 1.6;
    context.save();
    context.beginPath();
    context.rect(this.gutter, 0, this.wide, this.height);
    context.clip();
    context.beginPath();
    context.arc(x0, y0, 3.5, 0, 7);
    context.fill();
    context.beginPath();
    context.moveTo(x0, y0);
    const bend = Math.max(14, (x1 - x0) / 2);
    context.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - 1, y1);
    context.stroke();
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x1 - 8, y1 - 4);
    context.lineTo(x1 - 8, y1 + 4);
    context.fill();
    context.restore();
    if (!from) this.events.status(`launched by ${data.threads[work.thread[i]].name}, whose row is folded`);
  }

  paintHead(context, width) {
    const { ink, gutter } = this, { data } = this.model;
    context.fillStyle = ink.panel;
    context.fillRect(0, 0, width, AXIS + this.bands + 2);
    context.font = "11px system-ui, sans-serif";
    const step = niceStep((this.end - this.begin) / Math.max(2, (width - gutter) / 110));
    for (let tick = Math.ceil(this.begin / step) * step; tick <= this.end; tick += step) {
      const x = this.x(tick);
      context.fillStyle = ink.line;
      context.fillRect(Math.round(x), AXIS - 5, 1, 5);
      context.fillStyle = ink.dim;
      const text = moment(tick, step), half = context.measureText(text).width / 2;
      context.fillText(text, Math.max(gutter, Math.min(x - half, width - 2 * half - 4)), 8);
    }
    let y = AXIS;
    if (data.phases) {
      this.bandName(context, "phases", y);
      data.phases.forEach(phase => this.band(context, phase.begin, phase.end, y, phase.name, phase.name === "steady" ? ink.select : ink.line, width));
      y += BAND;
    }
    if (data.steps) {
      this.bandName(context, "steps", y);
      const { begin, end } = this.model.steps;
      for (let i = Math.max(0, lowerBound(begin, this.begin) - 1), drawn = -9; i < begin.length && begin[i] < this.end; i++) {
        if (this.x(end[i]) - drawn < 1) continue;
        drawn = this.x(end[i]);
        this.band(context, begin[i], end[i], y, String(i + 1), i % 2 ? ink.line : ink.select, width);
      }
    }
  }

  bandName(context, name, y) {
    context.fillStyle = this.ink.dim;
    context.font = "12px system-ui, sans-serif";
    context.fillText(name, 14, y + BAND / 2);
  }

  band(context, begin, end, y, text, color, width) {
    const left = Math.max(this.gutter, this.x(begin)), right = Math.min(width, this.x(end));
    if (right <= left) return;
    context.fillStyle = color;
    context.fillRect(left, y + 1, Math.max(1, right - left - 1), BAND - 3);
    if (right - left < 13) return;
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = this.ink.text;
    if (right - left > context.measureText(text).width + 8) context.fillText(text, left + 5, y + BAND / 2);
  }

  paintRange(context, width, height) {
    const { ink, gutter } = this;
    const dragged = this.drag && this.drag.moved ? [this.drag.from, this.drag.to].sort((a, b) => a - b) : null;
    const edges = dragged || (this.range ? [this.x(this.range.begin), this.x(this.range.end)] : null);
    if (edges) {
      const [left, right] = edges.map(x => Math.max(gutter, Math.min(width, x)));
      context.fillStyle = ink.panel;
      context.globalAlpha = 0.62;
      context.fillRect(gutter, AXIS + this.bands, left - gutter, height);
      context.fillRect(right, AXIS + this.bands, width - right, height);
      context.globalAlpha = 1;
      context.fillStyle = ink.accent;
      for (const x of edges) if (x >= gutter && x <= width) context.fillRect(x - 1, 0, 2, height);
    }
    const { window: inner } = this.model;
    context.fillStyle = ink.dim;
    for (const time of inner.begin < inner.end ? [inner.begin, inner.end] : []) {
      const x = this.x(time);
      if (time <= 0 || time >= this.model.duration || x < gutter || x > width) continue;
      for (let y = AXIS; y < height; y += 6) context.fillRect(x, y, 1, 3);
    }
  }
}

function niceStep(least) {
  const base = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map(each => each * base).find(each => each >= least);
}

// Returns as much of the start of a text as fits into `room` pixels.
function fitted(context, text, room) {
  if (room <= 0) return "";
  let end = Math.min(text.length, Math.ceil(room / 4));
  if (end === text.length && context.measureText(text).width <= room) return text;
  let low = 0;
  while (low < end) {
    const middle = (low + end + 1) >> 1;
    if (context.measureText(text.slice(0, middle) + "…").width <= room) low = middle; else end = middle - 1;
  }
  return low === 0 ? "" : text.slice(0, low) + "…";
}
