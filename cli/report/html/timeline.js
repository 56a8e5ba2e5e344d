// The time line: phases and steps, GPU streams and CPU threads over time.
//
// What lies in the page's window is drawn from single events: one by one where they are wide enough,
// else as the share of each pixel that they fill. Outside of it there are the lanes' buckets.

const LANE = { stream: ["gpu", "communication", "copy"], thread: ["python", "native", "wait"] };
const AXIS = 20, BAND = 17, STREAM_ROW = 30, THREAD_ROW = 19, GAP = 4, USUAL_THREADS = 5;
const LEAST_BLOCK = 3;  // pixels from which an event is a block of its own

class Timeline {
  constructor(canvas, model, events) {
    Object.assign(this, { canvas, model, events, open: false, range: null, selected: null, hover: null, stats: {} });
    this.begin = 0;
    this.end = model.duration;
    this.lanes = this.makeLanes();
    this.groupEvents();
    this.layOut();
    canvas.addEventListener("pointerdown", event => this.press(event));
    canvas.addEventListener("pointermove", event => this.move(event));
    canvas.addEventListener("pointerup", event => this.release(event));
    canvas.addEventListener("pointerleave", () => { this.hover = null; this.events.tip(null); this.draw(); });
    canvas.addEventListener("dblclick", () => this.look(0, this.model.duration));
    canvas.addEventListener("wheel", event => this.wheel(event), { passive: false });
    canvas.addEventListener("keydown", event => this.key(event));
    canvas.addEventListener("focus", () => this.draw());
    canvas.addEventListener("blur", () => this.draw());
  }

  makeLanes() {
    const { data } = this.model, lanes = [], several = data.processes.length > 1;
    const of = (what, index) => LANE[what].map((_, k) => data.column(`lane.${what}${index}.${k}`, Uint8Array));
    const own = index => processName(data, index);
    data.streams.forEach((stream, i) => lanes.push({ what: "stream", index: i, height: STREAM_ROW, buckets: of("stream", i),
      order: (stream.gpu ?? 999) * 1e6 + stream.process * 1e3 + stream.number,
      name: (stream.gpu === null ? "GPU" : "GPU " + stream.gpu) + ", stream " + stream.number,
      short: (stream.gpu === null ? "GPU" : "GPU " + stream.gpu) + ":" + stream.number, more: several ? own(stream.process) : "" }));
    const busy = buckets => buckets.reduce((sum, list) => sum + list.reduce((a, b) => a + b, 0), 0);
    for (const lane of lanes) lane.busy = busy(lane.buckets);
    // Of streams that do next to nothing there is no row at first.
    const busiest = Math.max(0, ...lanes.map(lane => lane.busy));
    for (const lane of lanes) lane.rare = lane.busy < busiest / 200;
    lanes.sort((a, b) => a.order - b.order);
    const threads = data.threads.map((thread, i) => ({ what: "thread", index: i, height: THREAD_ROW, buckets: of("thread", i),
      name: thread.others > 1 ? thread.others + " other threads" : thread.name || "thread " + thread.tid,
      more: several ? own(thread.process) : thread.others > 1 ? "" : String(thread.tid) }));
    for (const lane of threads) lane.busy = busy(lane.buckets);
    threads.sort((a, b) => b.busy - a.busy);
    return lanes.concat(threads.filter(lane => lane.busy > 0));
  }

  // Positions of the events of each lane, in order of time.
  groupEvents() {
    const { work, samples, waits, data } = this.model;
    const split = (list, count) => {
      const out = Array.from({ length: count }, () => []);
      list.forEach((at, i) => { if (out[at]) out[at].push(i); });
      return out;
    };
    this.workOf = split(work.stream, data.streams.length);
    this.samplesOf = split(samples.thread, data.threads.length);
    this.waitsOf = split(waits.thread, data.threads.length);
  }

  layOut() {
    const streams = this.lanes.filter(lane => lane.what === "stream"), threads = this.lanes.filter(lane => lane.what === "thread");
    const shownStreams = this.open ? streams : streams.filter(lane => !lane.rare).slice(0, 6);
    this.shown = shownStreams.concat(this.open ? threads : threads.slice(0, USUAL_THREADS));
    const { phases, steps } = this.model.data;
    this.bands = (phases ? BAND : 0) + (steps ? BAND : 0);
    let y = AXIS + this.bands + GAP;
    for (const lane of this.shown) { lane.y = y; y += lane.height + (lane.what === "stream" ? 3 : 1); }
    this.height = y + 5;
    this.canvas.style.height = Math.min(this.height, Math.max(150, innerHeight * (this.open ? 0.6 : 0.42))) + "px";
    this.offset = 0;
    this.hidden = this.lanes.length - this.shown.length;
  }

  toggle() { this.open = !this.open; this.layOut(); this.draw(); }

  get gutter() { return this.canvas.clientWidth < 700 ? 96 : this.model.data.processes.length > 1 ? 220 : 170; }
  x(time) { return this.gutter + (time - this.begin) / (this.end - this.begin) * (this.canvas.clientWidth - this.gutter); }
  time(x) { return this.begin + (x - this.gutter) / (this.canvas.clientWidth - this.gutter) * (this.end - this.begin); }

  look(begin, end) {
    const least = 200, width = Math.max(least, Math.min(end - begin, this.model.duration));
    const middle = (begin + end) / 2;
    this.begin = Math.max(0, Math.min(middle - width / 2, this.model.duration - width));
    this.end = this.begin + width;
    this.draw();
  }

  zoomAt(time, factor) {
    this.look(time - (time - this.begin) * factor, time + (this.end - time) * factor);
  }

  wheel(event) {
    event.preventDefault();
    const box = this.canvas.getBoundingClientRect(), x = event.clientX - box.left;
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
    if (x < this.gutter && !sideways) return this.scrollBy(event.deltaY);
    if (sideways) {
      const by = (event.deltaX || event.deltaY) / (this.canvas.clientWidth - this.gutter) * (this.end - this.begin);
      return this.look(this.begin + by, this.end + by);
    }
    this.zoomAt(this.time(x), Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.006));
  }

  scrollBy(amount) {
    this.offset = Math.max(0, Math.min(this.height - this.canvas.clientHeight, this.offset + amount));
    this.draw();
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const width = this.end - this.begin, middle = (this.begin + this.end) / 2;
    const act = {
      "+": () => this.zoomAt(middle, 0.6), "=": () => this.zoomAt(middle, 0.6), "-": () => this.zoomAt(middle, 1 / 0.6),
      w: () => this.zoomAt(middle, 0.6), s: () => this.zoomAt(middle, 1 / 0.6),
      ArrowLeft: () => this.look(this.begin - width / 8, this.end - width / 8), a: () => this.look(this.begin - width / 8, this.end - width / 8),
      ArrowRight: () => this.look(this.begin + width / 8, this.end + width / 8), d: () => this.look(this.begin + width / 8, this.end + width / 8),
      ArrowDown: () => this.scrollBy(THREAD_ROW), ArrowUp: () => this.scrollBy(-THREAD_ROW),
      Home: () => this.look(0, this.model.duration), Enter: () => this.events.select({ begin: this.begin, end: this.end }),
      z: () => { if (this.range) this.look(this.range.begin, this.range.end); },
      "[": () => this.step(-1), "]": () => this.step(1),
    }[event.key];
    if (!act) return;
    act();
    event.preventDefault();
  }

  // The operation before or behind the selected one on its stream.
  step(by) {
    const { work } = this.model, list = this.selected === null ? [] : this.workOf[work.stream[this.selected]];
    const next = list[list.indexOf(this.selected) + by];
    if (next === undefined) return;
    this.choose(next);
    const { start, duration: length } = work, width = this.end - this.begin;
    if (start[next] < this.begin || start[next] + length[next] > this.end) this.look(start[next] - width / 2, start[next] + width / 2);
  }

  press(event) {
    const box = this.canvas.getBoundingClientRect(), x = event.clientX - box.left;
    if (event.button !== 0 || x < this.gutter) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.drag = { from: x, to: x, moved: false };
  }

  move(event) {
    const box = this.canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top + this.offset;
    if (this.drag) {
      this.drag.to = Math.max(this.gutter, Math.min(x, this.canvas.clientWidth));
      this.drag.moved = this.drag.moved || Math.abs(this.drag.to - this.drag.from) > 3;
      const [a, b] = [this.drag.from, this.drag.to].sort((p, q) => p - q).map(at => this.time(at));
      this.events.tip(this.drag.moved ? [duration(b - a), moment(a, (b - a) / 50) + " to " + moment(b, (b - a) / 50)] : null, event);
    } else {
      this.hover = this.find(x, y);
      this.events.tip(this.hover ? this.hover.words : null, event);
    }
    this.draw();
  }

  release() {
    const drag = this.drag;
    this.drag = null;
    if (!drag) return;
    if (drag.moved) {
      const [begin, end] = [drag.from, drag.to].sort((p, q) => p - q).map(at => this.time(at));
      this.events.select({ begin, end });
    } else if (this.hover && this.hover.range) {
      this.events.select(this.hover.range);
    } else this.choose(this.hover && this.hover.work !== undefined ? this.hover.work : null);
    this.draw();
  }

  choose(work) {
    this.selected = work;
    this.events.chosen(work);
    this.draw();
  }

  // What lies at a point: {words, work | range}, or null.
  find(x, y) {
    if (x < this.gutter) return null;
    const time = this.time(x), reach = (this.end - this.begin) / this.canvas.clientWidth * 2, { data } = this.model;
    if (y < AXIS + this.bands) return this.findBand(time, y);
    const lane = this.shown.find(each => y >= each.y && y < each.y + each.height);
    if (!lane) return null;
    const inWindow = time >= this.model.window.begin && time < this.model.window.end;
    const found = !inWindow ? null : lane.what === "stream" ? this.findWork(lane, time, reach) : this.findSample(lane, time, reach);
    if (found) return found;
    const bucket = Math.floor(time / this.model.duration * data.buckets);
    const shares = LANE[lane.what].map((kind, k) => [kind, (lane.buckets[k][bucket] || 0) / 255]).filter(each => each[1] > 0);
    return { words: [lane.name + (lane.more ? "  " + lane.more : ""), moment(time, reach),
      ...shares.map(([kind, share]) => `${KIND_WORDS[kind]} ${(100 * share).toFixed(0)}% of ${duration(this.model.duration / data.buckets)}`)] };
  }

  findBand(time, y) {
    const { phases, steps } = this.model.data;
    if (phases && y >= AXIS && y < AXIS + BAND) {
      const phase = phases.find(each => time >= each.begin && time < each.end);
      return phase ? { words: [phase.name, duration(phase.end - phase.begin), "click to select it"], range: { begin: phase.begin, end: phase.end } } : null;
    }
    if (!steps || y < AXIS) return null;
    const i = lowerBound(this.model.steps.begin, time + 1) - 1;
    if (i < 0 || time >= this.model.steps.end[i]) return null;
    const begin = this.model.steps.begin[i], end = this.model.steps.end[i];
    return { words: ["step " + (i + 1), duration(end - begin), "click to select it"], range: { begin, end } };
  }

  findWork(lane, time, reach) {
    const { work } = this.model, list = this.workOf[lane.index];
    let best = null, distance = reach;
    for (let at = positionBefore(list, work.start, time + reach); at >= 0 && at < list.length; at--) {
      const i = list[at], end = work.start[i] + work.duration[i];
      if (work.start[i] < time - reach - work.longest) break;
      const away = time < work.start[i] ? work.start[i] - time : time > end ? time - end : 0;
      if (away < distance) { best = i; distance = away; if (away === 0) break; }
    }
    return best === null ? null : { work: best, words: this.wordsOfWork(best) };
  }

  wordsOfWork(i) {
    const { work } = this.model, label = this.model.label(work.node[i]), delay = work.delay[i];
    return [label.name, `${duration(work.duration[i])} at ${moment(work.start[i], 1e3)}`,
      delay >= 0 ? `launched ${duration(delay)} before it began` : "launch unknown", "click for its launch and call path"];
  }

  findSample(lane, time, reach) {
    const { samples, waits } = this.model;
    for (let list = this.waitsOf[lane.index], at = positionBefore(list, waits.start, time); at >= 0; at--) {
      const i = list[at];
      if (time < waits.start[i] + waits.duration[i]) {
        return { words: [this.model.label(waits.node[i]).name, "waiting for the GPU " + duration(waits.duration[i])] };
      }
      if (waits.start[i] < time - waits.longest) break;
    }
    const list = this.samplesOf[lane.index], at = positionBefore(list, samples.time, time) + 1;
    if (at >= list.length || samples.time[list[at]] - samples.weight[list[at]] > time + reach) return null;
    const node = samples.node[list[at]], label = this.model.label(node), seen = this.model.sites[this.model.seen[node]];
    return { words: [label.name, place(label), this.model.seen[node] ? `seen as ${place(seen)} ${seen.name}` : "",
      `sample of ${duration(samples.weight[list[at]])} at ${moment(samples.time[list[at]], 1e5)}`].filter(Boolean) };
  }

  draw() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => { this.pending = false; this.paint(); });
  }

  paint() {
    const { canvas } = this, width = canvas.clientWidth, height = canvas.clientHeight, ratio = devicePixelRatio || 1;
    if (width === 0 || height === 0) return;
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
    context.save();
    context.translate(0, -this.offset);
    for (const lane of this.shown) this.paintLane(context, lane, width);
    this.paintArrow(context);
    context.restore();
    this.paintHead(context, width);
    this.paintRange(context, width, height);
  }

  paintLane(context, lane, width) {
    const { ink, gutter } = this;
    context.fillStyle = ink.bg;
    context.fillRect(gutter, lane.y, width - gutter, lane.height);
    const sums = LANE[lane.what].map(() => new Float32Array(Math.max(0, Math.ceil(width - gutter))));
    const blocks = [];
    this.addBuckets(lane, sums);
    this.addEvents(lane, sums, blocks);
    for (let pixel = 0; pixel < sums[0].length; pixel++) {
      let bottom = lane.y + lane.height, all = sums[0][pixel] + sums[1][pixel] + sums[2][pixel];
      if (all === 0) continue;
      const scale = (lane.height - 2) * Math.min(1, 1 / all);
      LANE[lane.what].forEach((kind, k) => {
        if (sums[k][pixel] === 0) return;
        const tall = Math.max(sums[k][pixel] * scale, 0.8);
        context.fillStyle = COLORS[kind][ink.dark];
        context.fillRect(gutter + pixel, bottom - tall, 1, tall);
        bottom -= tall;
      });
    }
    for (const block of blocks) this.paintBlock(context, lane, block);
    this.paintName(context, lane);
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

  // What lies outside of the window.
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
    const late = lane.what === "thread" ? 50e6 : 0;  // the time of a sample is its end
    for (let at = Math.max(0, positionBefore(list, times, this.begin - longest)); at < list.length; at++) {
      const i = list[at];
      if (times[i] > this.end + late) break;
      const from = Math.max(startOf(i), inner.begin), to = Math.min(startOf(i) + lengthOf(i), inner.end);
      const left = (from - this.begin) * scale, right = (to - this.begin) * scale;
      if (right < 0 || left >= sums[0].length || to <= from) continue;
      if (this.model.label(nodes[i]).kind === KIND.idle) continue;
      this.stats.events++;
      if (right - left >= LEAST_BLOCK) { blocks.push({ i, left, right, node: nodes[i] }); continue; }
      const known = LANE[lane.what].indexOf(kindClass(this.model.label(nodes[i])));
      const kind = known >= 0 ? known : lane.what === "thread" ? 1 : 0;
      for (let pixel = Math.max(0, Math.floor(left)); pixel < right && pixel < sums[0].length; pixel++) {
        sums[kind][pixel] += Math.min(right, pixel + 1) - Math.max(left, pixel);
      }
    }
    this.stats.blocks += blocks.length;
  }

  paintBlock(context, lane, block) {
    const { gutter, ink } = this, width = this.canvas.clientWidth - gutter;
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

  // From the call that launched the selected work to its begin.
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
    context.rect(this.gutter, 0, this.canvas.clientWidth, this.height);
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

function processName(data, index) {
  const process = data.processes[index];
  return process.rank >= 0 ? `rank ${process.rank} ${process.name}` : `${process.name} ${process.pid || ""}`.trim();
}

// The last position of `list` whose time is not behind `time`; -1 = none.
function positionBefore(list, times, time) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[list[middle]] <= time) low = middle + 1; else high = middle;
  }
  return low - 1;
}

function niceStep(least) {
  const base = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map(each => each * base).find(each => each >= least);
}

// The beginning of a text that fits into some pixels.
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
