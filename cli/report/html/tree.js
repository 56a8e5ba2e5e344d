// The call tree that the page shows. It contains all code, only Python, or only native code.
// Foreign code is complete, folded (each run of it is one node with the name of its library), or
// left out.
//
// The time of a frame that is not shown counts for the nearest shown frame above it, so the sums do
// not change. The rules for Python and native code are those of core/views/fold.h.

const FOREIGN = "[no own code]", PYTHON_CODE = "[Python]";
const RUNTIME = "C library";  // name of libraries whose time counts for their caller

function isHostCode(label) { return label.kind === KIND.native || label.kind === KIND.inlined || label.kind === KIND.python; }

class Tree {
  // `nodeOf` gives the node in this tree for each node of the model; null = they are the same.
  constructor(model, parent, site, seen, nodeOf) {
    Object.assign(this, { model, parent, site, seen, nodeOf });
    this.outermost = this.outermostOf(model.functionOf, model.functions.length);
  }

  // Returns a flag for each node: 1 if no node above it has the same key. `keyOf` gives the key of
  // a site, which is less than `count`. The total of a key is the sum over the marked nodes. Visits
  // all nodes once and counts each key on the path, so deep trees cost no more than wide ones.
  outermostOf(keyOf, count) {
    const { parent, site } = this, { first, list } = childLists(parent);
    const onPath = new Int32Array(count), next = first.slice(0, parent.length), outermost = new Uint8Array(parent.length);
    for (let node = 0; ;) {
      if (next[node] < first[node + 1]) {
        node = list[next[node]++];
        outermost[node] = onPath[keyOf[site[node]]]++ === 0 ? 1 : 0;
      } else if (node === 0) return outermost;
      else {
        onPath[keyOf[site[node]]]--;
        node = parent[node];
      }
    }
  }

  label(node) { return this.model.sites[this.site[node]]; }

  nodeFor(node) { return this.nodeOf ? this.nodeOf[node] : node; }

  // Returns the self values of this tree's nodes. `self` are those of the model's nodes.
  fold(self) {
    if (!this.nodeOf) return self;
    const out = new Float64Array(this.parent.length);
    for (let i = 0; i < self.length; i++) out[this.nodeOf[i]] += self[i];
    return out;
  }

  // Returns the totals: the self value of each node plus those of everything below it.
  totals(self) {
    const total = Float64Array.from(self);
    for (let i = total.length - 1; i > 0; i--) total[this.parent[i]] += total[i];
    return total;
  }

  // Returns one row for each function: its self and total, and the Python line with most of its
  // self. Recursive calls count once.
  functionRows(self, total) {
    const { functionOf, functions, sites } = this.model;
    const rows = functions.map((_, i) => ({ id: i, self: 0, total: 0, seen: 0, best: null }));
    const heats = new Map();
    for (let i = 1; i < self.length; i++) {
      if (total[i] === 0) continue;
      const own = functionOf[this.site[i]], row = rows[own];
      row.self += self[i];
      if (this.outermost[i]) row.total += total[i];
      if (this.seen[i] === 0 || (self[i] === 0 && !this.outermost[i])) continue;
      const key = own * sites.length + this.seen[i];
      let heat = heats.get(key);
      if (!heat) heats.set(key, heat = { own, seen: this.seen[i], self: 0, total: 0 });
      heat.self += self[i];
      if (this.outermost[i]) heat.total += total[i];
    }
    for (const heat of heats.values()) {
      const row = rows[heat.own], best = row.best;
      if (best && (best.self > heat.self || (best.self === heat.self && best.total >= heat.total))) continue;
      row.best = heat;
      row.seen = heat.seen;
    }
    return rows.filter(row => row.self !== 0 || row.total !== 0).sort((a, b) => b.self - a.self || b.total - a.total);
  }
}

// Makes a tree. Nodes are added with parents first; equal ones are merged.
class TreeMaker {
  constructor(model) { Object.assign(this, { model, parent: [0], site: [0], seen: [0], index: new Map() }); }

  child(above, site, seen) {
    const key = above * 1048576 + site;
    let node = this.index.get(key);
    if (node === undefined) {
      this.index.set(key, node = this.parent.length);
      this.parent.push(above);
      this.site.push(site);
      this.seen.push(seen);
    }
    return node;
  }

  // Adds a node for folded code, which has only a name. Successive frames of folded code share a
  // node.
  run(above, name, seen) {
    const site = this.model.namedSite(name);
    return this.site[above] === site ? above : this.child(above, site, seen);
  }
}

// Makes the tree that shows the selected code. `code` is "mixed", "python" or "native". `libraries`
// is "all", "folded" or "none" (only own code).
function makeTree(model, code, libraries) {
  if (code === "mixed" && libraries === "all") return new Tree(model, model.parent, model.site, model.seen, null);
  const maker = new TreeMaker(model), count = model.parent.length;
  const nodeOf = new Int32Array(count);  // node that gets the time of the model's node
  const below = new Int32Array(count);  // node to which the children of the model's node are added
  const python = new Uint8Array(count);  // 1: the node or one above it is a Python frame
  for (let i = 1; i < count; i++) {
    const above = below[model.parent[i]], site = model.site[i], label = model.sites[site], seen = model.seen[i];
    const isPython = label.kind === KIND.python, isNative = label.kind === KIND.native || label.kind === KIND.inlined;
    python[i] = python[model.parent[i]] || isPython ? 1 : 0;
    // Code that is not shown and has no shown caller gets a node with a name of its own. Nothing is
    // added below that node.
    let node, alone = libraries === "none" ? FOREIGN : "";
    if (code === "python" && isNative) node = python[i] ? above : maker.run(above, moduleName(label), seen);
    else if (code === "native" && isPython) node = above === 0 ? maker.run(above, PYTHON_CODE, seen) : above;
    else if (libraries === "all" || label.own) node = maker.child(above, site, seen);
    else if (libraries === "folded" && label.library === RUNTIME) [node, alone] = [above, RUNTIME];
    else if (libraries === "folded") node = label.library ? maker.run(above, label.library, seen) : maker.child(above, site, seen);
    else node = above;
    below[i] = node;
    nodeOf[i] = node !== 0 || !alone ? node : maker.run(0, alone, seen);
  }
  return new Tree(model, Int32Array.from(maker.parent), Int32Array.from(maker.site), Int32Array.from(maker.seen), nodeOf);
}

function moduleName(label) { return label.module ? `[${label.module.split("/").pop()}]` : label.name; }
