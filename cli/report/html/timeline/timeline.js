// Handles the interaction with the timeline: zoom, selection, and what is under the pointer.

class Timeline extends TimelinePicture {
  constructor(canvas, model, events) {
    super(canvas, model, events);
    this.hover = null;
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

  toggle() { this.open = !this.open; this.layOut(); this.draw(); }

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
      const by = (event.deltaX || event.deltaY) / (this.wide - this.gutter) * (this.end - this.begin);
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

  // Selects another operation on the stream of the selected one: the next (`by` = 1) or the
  // previous one (-1).
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
      this.drag.to = Math.max(this.gutter, Math.min(x, this.wide));
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

  // Returns what is at a point: {words, work | range}. Returns null if nothing is there.
  find(x, y) {
    if (x < this.gutter) return null;
    const time = this.time(x), reach = (this.end - this.begin) / this.wide * 2, { data } = this.model;
    if (y < AXIS + this.bands) return this.findBand(time, y);
    const lane = this.shown.find(each => y >= each.y && y < each.y + each.height);
    if (!lane) return null;
    if (lane.what === "marker") return findMarker(this, lane, time, y, reach);
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
      return phase ? { words: [phase.name, duration(this.model.hostTime(phase.end - phase.begin)), "click to select it"], range: { begin: phase.begin, end: phase.end } } : null;
    }
    if (!steps || y < AXIS) return null;
    const i = lowerBound(this.model.steps.begin, time + 1) - 1;
    if (i < 0 || time >= this.model.steps.end[i]) return null;
    const begin = this.model.steps.begin[i], end = this.model.steps.end[i];
    return { words: [`step ${i + 1} of ${grouped(this.model.steps.begin.length)}`, duration(this.model.hostTime(end - begin)), "click to select it"], range: { begin, end } };
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
    return [shownName(label), `${duration(work.duration[i])} at ${moment(work.start[i], 1e3)}`,
      delay >= 0 ? `launched ${duration(delay)} before it began` : "launch unknown", "click for its launch and call path", this.ownerOf("stream", work.stream[i])];
  }

  // Returns the name of the lane for `what` (such as "stream") with this index.
  ownerOf(what, index) {
    const lane = this.lanes.find(each => each.what === what && each.index === index);
    return lane ? `${lane.name}  ${lane.more}`.trim() : "";
  }

  findSample(lane, time, reach) {
    const { samples, waits } = this.model;
    for (let list = this.waitsOf[lane.index], at = positionBefore(list, waits.start, time); at >= 0; at--) {
      const i = list[at];
      if (time < waits.start[i] + waits.duration[i]) {
        return { words: [this.model.label(waits.node[i]).name, "waiting for the GPU " + duration(waits.duration[i]), this.ownerOf("thread", lane.index)] };
      }
      if (waits.start[i] < time - waits.longest) break;
    }
    const list = this.samplesOf[lane.index], at = positionBefore(list, samples.time, time) + 1;
    if (at >= list.length || samples.time[list[at]] - samples.weight[list[at]] > time + reach) return null;
    const node = samples.node[list[at]], label = this.model.label(node), seen = this.model.sites[this.model.seen[node]];
    return { words: [shownName(label), place(label), this.model.seen[node] ? `called from ${place(seen)} ${seen.name}` : "",
      `sample of ${duration(samples.weight[list[at]])} at ${moment(samples.time[list[at]], 1e5)}`, this.ownerOf("thread", lane.index)].filter(Boolean) };
  }
}
