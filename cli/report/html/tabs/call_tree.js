// Shows the call tree as rows that open and close, with the keys of the Firefox Profiler. Only the
// visible rows are elements of the page, so a tree of any size opens at once.

const TREE_ROW = 22, AROUND = 8, DEEP = 40, FAST = 15;

class CallTree {
  constructor(panel, model, events) {
    Object.assign(this, { panel, model, events, open: new Set([0]), current: -1, rows: [], matches: null });
    const heads = ["total", "%", "self", "function"].map((name, i) => make("span", { role: "columnheader", class: i === 3 ? "name" : "number" }, name));
    this.body = make("div", { role: "rowgroup", class: "body" });
    this.grid = make("div", { role: "treegrid", class: "tree", tabindex: 0, "aria-label": "Call tree: arrows walk and open, * opens all below, Enter shows the source",
      onkeydown: event => this.key(event) }, make("div", { role: "rowgroup", class: "head" }, make("div", { role: "row" }, ...heads)), this.body);
    panel.append(this.grid);
    panel.addEventListener("scroll", () => this.paint());
    new ResizeObserver(() => this.paint()).observe(panel);
  }

  // Shows a tree. `layout` is a result of layOut(). Rows stay open as long as the tree is the same.
  show(layout, unit) {
    const same = this.layout && this.layout.parent === layout.parent;
    Object.assign(this, { layout, unit });
    if (!same) {
      this.open = new Set([0]);
      this.current = -1;
      this.openHeaviest();
    }
    this.flatten();
    if (!this.rows.includes(this.current)) this.current = this.rows[0] ?? -1;
    this.paint();
  }

  search(sites) { this.matches = sites; this.paint(); }

  childrenOf(node) {
    const { list, first, total } = this.layout;
    return Array.from(list.subarray(first[node], first[node + 1])).filter(i => total[i] > 0);
  }

  // Opens the path with the most time, as long as a child has at least a fourth of the total.
  openHeaviest() {
    const { total } = this.layout;
    for (let node = this.childrenOf(0)[0]; node !== undefined && total[node] >= total[0] / 4; node = this.childrenOf(node)[0]) this.open.add(node);
  }

  flatten() {
    this.rows = [];
    const stack = this.childrenOf(0).reverse();
    while (stack.length) {
      const node = stack.pop();
      this.rows.push(node);
      if (this.open.has(node)) stack.push(...this.childrenOf(node).reverse());
    }
  }

  paint() {
    if (!this.layout || this.panel.hidden) return;
    this.body.style.height = this.rows.length * TREE_ROW + "px";
    this.grid.setAttribute("aria-rowcount", this.rows.length + 1);
    const begin = Math.max(0, Math.floor(this.panel.scrollTop / TREE_ROW) - AROUND);
    const end = Math.min(this.rows.length, begin + Math.ceil(this.panel.clientHeight / TREE_ROW) + 2 * AROUND);
    this.body.replaceChildren(...this.rows.slice(begin, end).map((node, i) => this.row(node, begin + i)));
    const drawn = this.rows.slice(begin, end).includes(this.current);
    if (drawn) this.grid.setAttribute("aria-activedescendant", "node-" + this.current);
    else this.grid.removeAttribute("aria-activedescendant");
  }

  row(node, index) {
    const { layout, unit } = this, { depth, total, self, site } = layout, label = this.model.sites[site[node]];
    const opens = this.childrenOf(node).length > 0, isOpen = this.open.has(node), level = depth[node];
    const indent = Math.min(level, DEEP) * 11 + Math.max(0, level - DEEP) * 2 - 11;
    const twisty = make("i", { class: "twisty", "aria-hidden": true, onclick: event => { event.stopPropagation(); this.toggle(node); } }, opens ? (isOpen ? "▾" : "▸") : "");
    const name = make("span", { role: "gridcell", class: "name", style: `padding-left:${indent}px`, title: label.name.slice(0, 500) }, twisty,
      make("i", { class: "dot", style: `background:${colorOf(kindClass(label))}` }), label.short, make("span", { class: "kind" }, label.file ? "  " + place(label) : ""));
    const number = text => make("span", { role: "gridcell", class: "number" }, text);
    return make("div", { role: "row", id: "node-" + node, class: this.matches && this.matches.has(site[node]) ? "match" : null, style: `top:${index * TREE_ROW}px`, "aria-level": level, "aria-rowindex": index + 2,
      "aria-expanded": opens ? String(isOpen) : null, "aria-selected": String(node === this.current), onclick: () => this.choose(node), ondblclick: () => this.events.source(site[node]) },
    number(amount(total[node], unit)), number(percent(total[node], total[0])), number(self[node] > 0 ? amount(self[node], unit) : ""), name);
  }

  toggle(node) {
    if (!this.open.delete(node)) this.open.add(node);
    this.flatten();
    this.choose(node);
  }

  // Opens a node and everything below it.
  openAll(node) {
    for (const stack = [node]; stack.length;) {
      const each = stack.pop();
      this.open.add(each);
      stack.push(...this.childrenOf(each));
    }
    this.flatten();
    this.choose(node);
  }

  // Opens all nodes above a node, and shows the node.
  reveal(node) {
    for (let up = this.layout.parent[node]; up !== 0; up = this.layout.parent[up]) this.open.add(up);
    this.flatten();
    this.choose(node, true);
  }

  choose(node, middle = false) {
    this.current = node;
    const top = this.rows.indexOf(node) * TREE_ROW, { panel } = this;
    const head = TREE_ROW, height = panel.clientHeight;
    if (top < panel.scrollTop) panel.scrollTop = top;
    else if (top + head + 2 * TREE_ROW > panel.scrollTop + height) panel.scrollTop = top + head + 2 * TREE_ROW - height;
    if (middle) panel.scrollTop = Math.max(0, top - height / 2);
    this.paint();
    this.events.chosen(node);
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || this.rows.length === 0) return;
    const node = this.current, at = this.rows.indexOf(node), { parent, site } = this.layout, move = by => this.choose(this.rows[Math.max(0, Math.min(this.rows.length - 1, at + by))]);
    const act = {
      ArrowDown: () => move(1), ArrowUp: () => move(-1), PageDown: () => move(FAST), PageUp: () => move(-FAST), Home: () => move(-at), End: () => move(this.rows.length),
      ArrowRight: () => { const first = this.childrenOf(node)[0]; if (first !== undefined) this.open.has(node) ? this.choose(first) : this.toggle(node); },
      ArrowLeft: () => this.open.has(node) ? this.toggle(node) : parent[node] !== 0 && this.choose(parent[node]),
      "*": () => this.openAll(node), Enter: () => this.events.source(site[node]), " ": () => this.toggle(node),
    }[event.key];
    if (!act) return;
    act();
    event.preventDefault();
    event.stopPropagation();
  }
}
