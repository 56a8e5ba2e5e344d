// Holds the profile of the page: its call tree, and sums over the tree for a metric, a range and a
// scope.
//
// The sums of the whole run are in the page's data. The sums of a range are computed here from
// events and slices, by the rules of core/slice/part.h. A sample counts at its time. Of GPU work
// and waits, only the time in the range counts. An operation counts where it begins.

class Model {
  constructor(data) {
    this.data = data;
    this.duration = data.duration_ns;
    this.metrics = data.metrics;
    const column = data.column;
    this.parent = column("node.parent");
    this.site = column("node.site");
    this.seen = column("node.seen");
    this.sites = readLabels(data, "site");
    this.functionOf = Array.from(column("site.function"));
    const own = column("site.own"), library = column("site.library");
    this.sites.forEach((label, i) => { label.own = own[i] === 1; label.library = data.texts[library[i]]; });
    this.functions = readLabels(data, "function");
    this.values = this.metrics.map((_, i) => ({
      thread: column(`value${i}.thread`), node: column(`value${i}.node`), self: column(`value${i}.self`, Float64Array),
    }));
    this.part = { begin: column("part.begin", Float64Array), end: column("part.end", Float64Array) };
    this.window = { begin: data.window[0], end: data.window[1] };
    this.samples = { time: column("sample.time", Float64Array), thread: column("sample.thread"), node: column("sample.node"),
      weight: column("sample.weight", Float64Array) };
    this.work = { start: column("work.start", Float64Array), duration: column("work.duration", Float64Array),
      delay: column("work.delay", Float64Array), thread: column("work.thread"), node: column("work.node"),
      stream: column("work.stream") };
    this.waits = { start: column("wait.start", Float64Array), duration: column("wait.duration", Float64Array),
      thread: column("wait.thread"), node: column("wait.node") };
    this.markers = { start: column("marker.start", Float64Array), duration: column("marker.duration", Float64Array),
      lane: column("marker.lane"), row: column("marker.row"), name: column("marker.name"), domain: column("marker.domain") };
    this.gaps = { begin: column("gap.begin", Float64Array), end: column("gap.end", Float64Array),
      launches: column("gap.launches", Float64Array), group: column("gap.group") };
    this.unseen = { path: column("unseen.path"), group: column("unseen.group"), launches: column("unseen.launches", Float64Array) };
    this.estimates = { thread: column("estimate.thread"), node: column("estimate.node"), path: column("estimate.path"),
      ns: column("estimate.ns", Float64Array), runs: column("estimate.runs", Float64Array) };
    this.work.longest = this.work.duration.reduce((a, b) => Math.max(a, b), 0);
    this.waits.longest = this.waits.duration.reduce((a, b) => Math.max(a, b), 0);
    this.slices = [1, 2, 3].map(i => ({ part: column(`slice${i}.part`), thread: column(`slice${i}.thread`),
      node: column(`slice${i}.node`), count: column(`slice${i}.count`), self: column(`slice${i}.self`, Float64Array) }));
  }

  // Returns the site for frames that are folded into one. It has only a name.
  namedSite(name) {
    this.named = this.named || new Map();
    let site = this.named.get(name);
    if (site !== undefined) return site;
    const label = { name, short: name, file: "", line: 0, module: "", kind: KIND.folded, word: "lib", communicates: false, text: -1, own: false, library: name };
    this.named.set(name, site = this.sites.length);
    this.sites.push(label);
    this.functionOf.push(this.functions.length);
    this.functions.push(label);
    return site;
  }

  base() { return this.tree("mixed", "all"); }

  // Returns the tree for a selection of code. Each tree is made once.
  tree(code, libraries) {
    this.trees = this.trees || new Map();
    const key = code + " " + libraries;
    if (!this.trees.has(key)) this.trees.set(key, makeTree(this, code, libraries));
    return this.trees.get(key);
  }

  label(node) { return this.sites[this.site[node]]; }

  // Returns the nearest range for which the sums are exact. Within the window, a range may begin
  // and end at any time, outside of it only at borders of slices.
  snap(range) {
    const { begin, end } = this.window;
    const border = time => {
      if (time >= begin && time <= end && begin < end) return time;
      let best = begin < end && Math.abs(begin - time) < Math.abs(end - time) ? begin : begin < end ? end : 0;
      for (const list of [this.part.begin, this.part.end]) {
        for (const each of list) if (Math.abs(each - time) < Math.abs(best - time)) best = each;
      }
      return best;
    };
    const whole = { begin: 0, end: this.duration };
    if (!range) return null;
    const snapped = { begin: Math.max(0, border(Math.round(range.begin))),
      end: Math.min(this.duration, border(Math.round(range.end))) };
    if (snapped.end <= snapped.begin) return null;
    return snapped.begin <= whole.begin && snapped.end >= whole.end ? null : snapped;
  }

  // Returns the self values and the numbers of events by node. `threads` has a flag for each
  // thread; null = all threads. `counts` is null if the metric has no counts. `timed` is false if
  // the events have no times; the range then had no effect.
  sums(metric, range, threads) {
    const events = this.metrics[metric].events;
    const self = new Float64Array(this.parent.length);
    if (!range || events === 0) {
      const { thread, node, self: value } = this.values[metric], ran = range && this.ran(range);
      for (let i = 0; i < node.length; i++) {
        if ((!threads || threads[thread[i]]) && (!ran || ran[node[i]])) self[node[i]] += value[i];
      }
      return { self, counts: null, timed: !range };
    }
    const counts = new Float64Array(this.parent.length);
    const { part, thread, node, count, self: value } = this.slices[events - 1];
    for (let i = 0; i < part.length; i++) {
      if (this.part.begin[part[i]] < range.begin || this.part.end[part[i]] > range.end) continue;
      if (threads && !threads[thread[i]]) continue;
      self[node[i]] += value[i];
      counts[node[i]] += count[i];
    }
    const begin = Math.max(range.begin, this.window.begin), end = Math.min(range.end, this.window.end);
    if (begin < end) this.addEvents(events, begin, end, threads, self, counts);
    // Correct the sums here, because events have times as recorded. The sums of the whole run are
    // already corrected.
    const ratio = this.metrics[metric].divided_by;
    if (ratio) self.forEach((ns, i) => { self[i] = Math.round(ns / ratio); });
    return { self, counts, timed: true };
  }

  // Returns a host time as it would be without recording, if that was requested
  // (core/cost/host_correction.h). Otherwise returns the time as it is.
  hostTime(ns) { return this.data.corrected ? Math.round(ns / this.data.corrected) : ns; }

  // Returns a flag for each node: 1 if the node ran in a range. Samples of instructions have no
  // time, so the nodes that ran get their samples of the whole run.
  ran(range) {
    const work = this.metrics.findIndex(each => each.events === 2);
    const ran = new Uint8Array(this.parent.length);
    if (work < 0) return ran.fill(1);
    const { self, counts } = this.sums(work, range, null);
    for (let i = 1; i < ran.length; i++) ran[i] = self[i] > 0 || counts[i] > 0 || ran[this.parent[i]] ? 1 : 0;
    return ran;
  }

  addEvents(events, begin, end, threads, self, counts) {
    if (events === 1) {
      const { time, thread, node, weight } = this.samples;
      const last = lowerBound(time, end);
      for (let i = lowerBound(time, begin); i < last; i++) {
        if (threads && !threads[thread[i]]) continue;
        self[node[i]] += weight[i];
        counts[node[i]]++;
      }
      return;
    }
    const list = events === 2 ? this.work : this.waits;
    const last = lowerBound(list.start, end);
    for (let i = lowerBound(list.start, begin - list.longest); i < last; i++) {
      if (threads && !threads[list.thread[i]]) continue;
      const from = Math.max(list.start[i], begin), to = Math.min(list.start[i] + list.duration[i], end);
      if (to > from) self[list.node[i]] += to - from;
      if (list.start[i] >= begin) counts[list.node[i]]++;
    }
  }

  // Returns, for each group of launches without records, the fraction of them that is in a range.
  // It follows from the lengths of the gaps between records.
  gapShares(range) {
    const { gaps } = this, inside = [], all = [];
    for (let i = 0; i < gaps.group.length; i++) {
      const group = gaps.group[i], length = Math.max(gaps.end[i] - gaps.begin[i], 1);
      const part = Math.max(Math.min(gaps.end[i], range.end) - Math.max(gaps.begin[i], range.begin), 0);
      inside[group] = (inside[group] || 0) + gaps.launches[i] * part / length;
      all[group] = (all[group] || 0) + gaps.launches[i];
    }
    return inside.map((part, group) => all[group] > 0 ? part / all[group] : 0);
  }

  // Returns, for each call path, the fraction of its launches without records that is in a range.
  unseenShares(range) {
    const { unseen } = this, ofGroup = this.gapShares(range), inside = [], all = [];
    for (let i = 0; i < unseen.path.length; i++) {
      const path = unseen.path[i];
      inside[path] = (inside[path] || 0) + unseen.launches[i] * (ofGroup[unseen.group[i]] || 0);
      all[path] = (all[path] || 0) + unseen.launches[i];
    }
    return inside.map((part, path) => part / all[path]);
  }

  // Returns the sums like sums(). If only part of the range has records, adds an estimate of the
  // work without records (core/views/page/page_estimates.h). The results are not whole numbers.
  estimatedSums(metric, range, threads) {
    const sums = this.sums(metric, range, threads), { estimates } = this;
    if (!range || estimates.node.length === 0) return sums;
    const shares = this.unseenShares(range);
    for (let i = 0; i < estimates.node.length; i++) {
      if (threads && !threads[estimates.thread[i]]) continue;
      const share = shares[estimates.path[i]] || 0;
      sums.self[estimates.node[i]] += estimates.ns[i] * share;
      sums.counts[estimates.node[i]] += estimates.runs[i] * share;
    }
    return sums;
  }

  // Returns the time and the number of operations of kernels and copies, by name. `counts` may be
  // null, which means unknown.
  kernelRows(self, counts) {
    const rows = new Map();
    for (let i = 1; i < self.length; i++) {
      const label = this.label(i);
      if ((label.kind !== KIND.kernel && label.kind !== KIND.copy) || (self[i] === 0 && !(counts && counts[i]))) continue;
      let row = rows.get(label.text);
      if (!row) rows.set(label.text, row = { text: label.text, label, ns: 0, calls: counts ? 0 : null });
      row.ns += self[i];
      if (counts) row.calls += counts[i];
    }
    for (const row of rows.values()) {
      row.ns = Math.round(row.ns);
      if (counts) row.calls = Math.round(row.calls);
    }
    return [...rows.values()].sort((a, b) => b.ns - a.ns);
  }

  // Returns the labels on the path from the root to a node.
  path(node) {
    const names = [];
    for (; node !== 0; node = this.parent[node]) names.push(this.label(node));
    return names.reverse();
  }
}

// Returns the first position in `list` whose value is not less than `value`.
function lowerBound(list, value) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < value) low = middle + 1; else high = middle;
  }
  return low;
}
