// Shows details about the selection: a function, a kernel, a GPU operation, a step or a range.

const NEAR = 6;  // max number of callers, callees and places to show

// Returns the functions directly above (or below) the outermost calls of a function, with their
// totals. The largest comes first.
function neighbours(sums, id, isAbove) {
  const { tree, total } = sums, { functionOf } = tree.model, found = new Map();
  for (let i = 1; i < tree.parent.length; i++) {
    if (total[i] === 0) continue;
    const above = tree.parent[i], mine = functionOf[tree.site[i]], its = above === 0 ? -1 : functionOf[tree.site[above]];
    if (isAbove ? mine !== id || !tree.outermost[i] || its < 0 : its !== id || mine === id) continue;
    const other = isAbove ? its : mine;
    found.set(other, (found.get(other) || 0) + total[i]);
  }
  return [...found].sort((a, b) => b[1] - a[1]);
}

// Returns that node of a function which has the largest total; 0 = the function has no node.
function heaviestNode(sums, id) {
  const { tree, total } = sums, { functionOf } = tree.model;
  let best = 0;
  for (let i = 1; i < tree.parent.length; i++) {
    if (functionOf[tree.site[i]] === id && tree.outermost[i] && (best === 0 || total[i] > total[best])) best = i;
  }
  return best;
}

// Returns the places where a kernel is launched: lines of own code if there are any, otherwise the
// calling functions. The place with the most time comes first.
function launchPlaces(model, self, text) {
  const found = new Map();
  for (let i = 1; i < self.length; i++) {
    if (self[i] === 0 || model.label(i).text !== text) continue;
    const site = model.seen[i] || model.site[model.parent[i]];
    const one = found.get(site) || { site, ns: 0, node: i, most: 0 };
    one.ns += self[i];
    if (self[i] > one.most) [one.node, one.most] = [i, self[i]];
    found.set(site, one);
  }
  return [...found.values()].sort((a, b) => b.ns - a.ns);
}

function facts(...pairs) {
  return make("dl", {}, ...pairs.filter(pair => pair && pair[1] !== "" && pair[1] !== null).flatMap(([name, what]) => [make("dt", {}, name), make("dd", {}, what)]));
}

class Details {
  // `events` is {choose(function), node(node of the tree), source(site), sandwich(function),
  // flame(function), range(range, name), work(index)}.
  constructor(box, model, events) { Object.assign(this, { box, model, events }); }

  close() { this.box.hidden = true; this.box.replaceChildren(); }

  fill(kind, title, ...parts) {
    this.box.hidden = false;
    this.box.replaceChildren(make("div", { class: "title" }, make("span", { class: "note" }, kind), make("span", { class: "grow" }),
      make("button", { type: "button", "aria-label": "Close the details", title: "close", onclick: () => this.events.closed() }, "×")), make("h2", { class: "code" }, title.slice(0, 2000)), ...parts.filter(Boolean));
  }

  button(text, act) { return make("button", { type: "button", onclick: act }, text); }

  functionButton(id) {
    const label = this.model.functions[id];
    return make("button", { type: "button", class: "link code", title: label.name.slice(0, 500), onclick: () => this.events.choose(id) }, label.short);
  }

  list(title, rows) {
    return rows.length === 0 ? null : make("section", {}, make("h3", {}, title), make("ul", { class: "plain" }, ...rows.map(([amountText, button]) => make("li", {}, make("span", { class: "number" }, amountText), button))));
  }

  // Returns the path from the root to a node as buttons.
  path(tree, node) {
    const nodes = [];
    for (let up = node; up !== 0; up = tree.parent[up]) nodes.unshift(up);
    if (nodes.length < 2) return null;
    return make("section", {}, make("h3", {}, "call path"), make("ol", { class: "plain path" }, ...nodes.map(each => {
      const label = tree.label(each);
      return make("li", {}, make("button", { type: "button", class: each === node ? "link code now" : "link code", title: label.name.slice(0, 500), onclick: () => this.events.node(each) }, label.short), make("span", { class: "note" }, label.file ? " " + place(label) : ""));
    })));
  }

  // Shows a function. `node` is the node of the shown tree whose call path is shown; 0 = the node
  // with the most time.
  showFunction(sums, id, node = 0) {
    const label = this.model.functions[id];
    if (label.kind === KIND.kernel || label.kind === KIND.copy) return this.showKernel(sums, label, node);
    const row = sums.rows.find(each => each.id === id) || { self: 0, total: 0, seen: 0 }, { unit, base } = sums;
    const at = node || heaviestNode(sums, id), site = sums.tree.site[at] || 0, where = this.model.sites[site];
    const value = ns => `${amount(ns, unit)} (${percent(ns, base)})`;
    const near = isAbove => neighbours(sums, id, isAbove).slice(0, NEAR).map(([other, ns]) => [amount(ns, unit), this.functionButton(other)]);
    this.fill(label.own || where.own ? "own function" : "function", label.name,
      facts(["self", value(row.self)], ["total", value(row.total)], ["of", sums.what + sums.where], ["at", label.file ? label.file + (label.line ? ":" + label.line : "") : where.file ? `${where.file}:${where.line}` : ""],
        ["library", label.library || where.library || ""], ["module", label.module === label.name ? "" : label.module]),
      make("p", { class: "buttons" }, this.button("callers and callees", () => this.events.sandwich(id)), this.events.hasSource(site) ? this.button("source", () => this.events.source(site)) : null,
        this.button("in the flame graph", () => this.events.flame(id)), at ? this.button("in the call tree", () => this.events.node(at)) : null),
      this.list("called by", near(true)), this.list("calls", near(false)), at ? this.path(sums.tree, at) : null);
  }

  stalls(row) {
    const classes = this.model.data.kernels.stall_classes, all = row.samples;
    if (!(all > 0)) return null;
    const named = classes.map((name, i) => [name, row.stalls[i]]).filter(each => each[1] > 0).sort((a, b) => b[1] - a[1]);
    return make("section", {}, make("h3", {}, `stalls of ${grouped(all)} samples`), make("ul", { class: "plain" }, ...named.map(([name, count]) =>
      make("li", {}, make("span", { class: "number" }, percent(count, all)), make("i", { class: "dot", style: `background:${STALL_COLORS[name]}` }), name))),
    make("p", { class: "note" }, `${percent(row.latency, all)} of the samples: nothing was issued`));
  }

  showKernel(sums, label, node = 0, work = null) {
    const { model } = this, { kernels, sources } = model.data, row = kernels && kernels.rows.find(each => each.text === label.text) || {}, { config } = row;
    const gpu = model.metrics.findIndex(each => each.events === 2), self = gpu < 0 ? null : model.sums(gpu, null, null).self;
    const places = self ? launchPlaces(model, self, label.text) : [], source = sources.findIndex(each => each.kernel === label.name);
    const placeText = site => model.sites[site].file ? place(model.sites[site]) : model.sites[site].short;
    this.fill(label.kind === KIND.copy ? "GPU copy or set" : "GPU kernel", label.name,
      label.short !== label.name ? make("p", { class: "note" }, "short: " + label.short) : null,
      work === null ? null : facts(["took", duration(model.work.duration[work])], ["begins", moment(model.work.start[work], 1e3)], ["launched", model.work.delay[work] >= 0 ? duration(model.work.delay[work]) + " before it began" : "at an unknown time"]),
      facts(["whole run", row.ns === undefined ? "" : `${duration(row.ns)} (${percent(row.ns, kernels.whole_ns)} of the GPU time)`], ["runs", row.calls > 0 ? grouped(row.calls) : ""], ["mean", row.calls > 0 ? duration(Math.floor(row.ns / row.calls)) : ""],
        ["estimated", row.error_ns ? `standard error ${duration(row.error_ns)}` : ""],
        ["grid", config ? config.grid.join(" × ") : ""], ["block", config ? config.block.join(" × ") : ""], ["registers", config ? grouped(config.registers) : ""], ["shared", config ? `${grouped(config.shared)} bytes` : ""],
        ["shapes", config && config.configurations > 1 ? `the first of ${grouped(config.configurations)}` : ""]),
      make("p", { class: "buttons" }, source >= 0 ? this.button("its code", () => this.events.kernelSource(source)) : null, this.button("in the flame graph", () => this.events.kernelFlame(label))),
      this.stalls(row), this.list("launched from, in the whole run", places.slice(0, NEAR).map(each => [duration(each.ns), make("button", { type: "button", class: "link code", title: model.sites[each.site].file, onclick: () => this.showKernel(sums, label, each.node) }, placeText(each.site))])),
      places.length > NEAR ? make("p", { class: "note" }, `and from ${grouped(places.length - NEAR)} more places`) : null,
      this.path(model.base(), node || (work !== null ? model.work.node[work] : places[0] ? places[0].node : 0)));
  }

  showRange(sums, range, name) {
    const { model } = this, own = model.steps ? Array.from(model.steps.begin).findIndex((begin, i) => begin === range.begin && model.steps.end[i] === range.end) : -1;
    const gpu = model.metrics.findIndex(each => each.name === "gpu"), inRange = metric => model.sums(metric, range, null).self.reduce((a, b) => a + b, 0);
    const rows = sums.rows.slice(0, NEAR).map(row => [amount(row.self, sums.unit), this.functionButton(row.id)]);
    this.fill(own >= 0 ? "step" : "range", own >= 0 ? `step ${own + 1}` : name || "selected range",
      facts(["from", moment(range.begin, (range.end - range.begin) / 100)], ["to", moment(range.end, (range.end - range.begin) / 100)], ["length", duration(model.hostTime(range.end - range.begin))],
        gpu >= 0 ? ["GPU time", duration(inRange(gpu))] : null, [sums.what, amount(sums.total[0], sums.unit)]),
      own < 0 ? null : make("p", { class: "buttons" }, ...[[-1, "step before"], [1, "step after"]].filter(([by]) => model.steps.begin[own + by] !== undefined)
        .map(([by, text]) => this.button(text, () => this.events.range({ begin: model.steps.begin[own + by], end: model.steps.end[own + by] }, "")))),
      this.list("most self time", rows));
  }
}
