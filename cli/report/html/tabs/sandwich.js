// Shows the callers (above) and the callees (below) of one function. All calls of the function
// count together.

// Returns the tree of everything that a function calls, over all its outermost calls. The root is
// the function.
function calleesTree(tree, self, total, id) {
  const { functionOf } = tree.model, maker = new TreeMaker(tree.model), nodeOf = new Int32Array(tree.parent.length).fill(-1), own = [0];
  for (let i = 1; i < nodeOf.length; i++) {
    if (total[i] === 0) continue;
    const above = nodeOf[tree.parent[i]], isRoot = above < 0 && functionOf[tree.site[i]] === id;
    if (!isRoot && above < 0) continue;
    const node = nodeOf[i] = isRoot ? 0 : maker.child(above, tree.site[i], 0);
    if (isRoot) maker.site[0] = tree.site[i];
    own[node] = (own[node] || 0) + self[i];
  }
  return finished(maker, own);
}

const MOST_CALLERS = 1e6;

// Returns the tree of the callers of a function, in which the nearest caller is next to the root.
// Values are totals of the function. Calls with the same callers share nodes. The callers with the
// most time come first. After MOST_CALLERS steps in all, the other call paths end early.
function callersOfFunction(tree, total, id) {
  const { functionOf } = tree.model, maker = new TreeMaker(tree.model), own = [0], byCaller = new Map();
  for (let i = 1; i < tree.parent.length; i++) {
    if (total[i] === 0 || !tree.outermost[i] || functionOf[tree.site[i]] !== id) continue;
    maker.site[0] = tree.site[i];
    byCaller.set(tree.parent[i], (byCaller.get(tree.parent[i]) || 0) + total[i]);
  }
  let steps = 0;
  for (const [caller, value] of [...byCaller].sort((a, b) => b[1] - a[1])) {
    let at = 0;
    for (let up = caller; up !== 0 && steps < MOST_CALLERS; up = tree.parent[up], steps++) at = maker.child(at, tree.site[up], 0);
    own[at] = (own[at] || 0) + value;
  }
  return { ...finished(maker, own), isCut: steps >= MOST_CALLERS };
}

function finished(maker, own) {
  const parent = Int32Array.from(maker.parent), self = Float64Array.from(parent, (_, i) => own[i] || 0), total = self.slice();
  for (let i = total.length - 1; i > 0; i--) total[parent[i]] += total[i];
  return layOut(parent, Int32Array.from(maker.site), total, self);
}

const LISTED = 150;

class Sandwich {
  constructor(panel, model, events) {
    Object.assign(this, { panel, model, events, id: -1 });
    const canvas = (id, label) => make("canvas", { id, tabindex: 0, role: "img", "aria-label": label });
    const callers = canvas("callers", "Callers of the function: arrows walk, Enter chooses"), callees = canvas("callees", "Callees of the function: arrows walk, Enter chooses");
    this.list = make("div", { class: "list-of" });
    panel.append(this.list, make("div", { class: "halves" }, this.title = make("p", { class: "note" }), callers, callees, make("p", { class: "note" }, "callees")));
    const on = { tip: events.tip, status: events.status, zoomed: () => {} };
    this.callers = new Half(callers, model, { ...on, chosen: site => events.choose(model.functionOf[site]), source: events.source }, true);
    this.callees = new Half(callees, model, { ...on, chosen: site => events.choose(model.functionOf[site]), source: events.source }, false);
  }

  // Shows a function. `sums` is as in Tables.showFunctions().
  show(sums, id, matches) {
    this.sums = sums;
    this.id = sums.rows.some(row => row.id === id) ? id : sums.rows[0] ? sums.rows[0].id : -1;
    this.showList(matches);
    if (this.id < 0) return;
    const callers = callersOfFunction(sums.tree, sums.total, this.id);
    this.title.textContent = callers.isCut ? "callers; the call paths with least time end early" : "callers";
    this.callers.show(callers, sums.unit);
    this.callees.show(calleesTree(sums.tree, sums.self, sums.total, this.id), sums.unit);
  }

  showList(matches) {
    const { rows, unit } = this.sums, fitting = matches ? rows.filter(row => matches.functions.has(row.id)) : rows;
    const shown = fitting.slice(0, LISTED), table = makeTable(`${restText(fitting.length, shown.length)} functions by self`, [{ title: "self" }, { title: "total" }, { title: "function", class: "text name" }],
      shown.map(row => ({ value: row.id, cells: [make("td", {}, amount(row.self, unit)), make("td", {}, amount(row.total, unit)),
        make("td", { class: "name", title: this.model.functions[row.id].name.slice(0, 500) }, this.model.functions[row.id].short)] })), id => this.events.choose(id));
    table.querySelectorAll("tbody tr").forEach((row, i) => row.setAttribute("aria-selected", shown[i].id === this.id));
    this.list.replaceChildren(table);
  }

  draw() { this.callers.draw(); this.callees.draw(); }
}

// One half of the sandwich. Its root, the function, is in the middle of the sandwich.
class Half extends Flame {
  constructor(canvas, model, events, isAbove) { super(canvas, model, events, isAbove); }
  rootText() { return `${this.model.sites[this.tree.site[0]].short}   ${amount(this.tree.total[0], this.unit)}`; }
  words(node) { return node === 0 ? [this.rootText()] : super.words(node); }
  clicked(node) { if (node > 0) this.events.chosen(this.tree.site[node]); }
}
