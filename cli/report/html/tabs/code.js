// Shows the source files of the program with the time of each line, and the code of the kernels
// with the most samples (tables.js). The time of native code counts for the Python line that calls
// it.

const CONTEXT_ROWS = 6, MANY_LINES = 3000;

// Returns the self and the total time of each line of a file, and the site of each line.
function lineTimes(tree, self, total, file) {
  const { sites } = tree.model, lines = new Map(), numbers = new Map();
  // Number the lines that occur in the file, from 1 on. 0 is the number of all other places.
  const lineOf = sites.map(each => {
    if (each.file !== file) return 0;
    if (!numbers.has(each.line)) numbers.set(each.line, numbers.size + 1);
    return numbers.get(each.line);
  });
  const outermost = tree.outermostOf(lineOf, numbers.size + 1);
  for (let i = 1; i < tree.parent.length; i++) {
    const label = sites[tree.site[i]];
    if (total[i] === 0 || label.kind !== KIND.python || label.file !== file) continue;
    let one = lines.get(label.line);
    if (!one) lines.set(label.line, one = { self: 0, total: 0, site: tree.site[i], most: 0 });
    one.self += self[i];
    if (outermost[i]) one.total += total[i];
    if (total[i] > one.most) [one.most, one.site] = [total[i], tree.site[i]];
  }
  return lines;
}

// Returns the files whose text is in the page. Those with the most self time come first.
function filesByTime(model, tree, self) {
  const sums = new Map(model.data.file_texts.map(each => [each.file, 0])), { sites } = model;
  for (let i = 1; i < self.length; i++) {
    const { file } = sites[tree.site[i]];
    if (sums.has(file)) sums.set(file, sums.get(file) + self[i]);
  }
  return [...sums].sort((a, b) => b[1] - a[1]);
}

class Code {
  // `events` is {choose(function)}.
  constructor(panel, model, tables, events) { Object.assign(this, { panel, model, tables, events, shown: null, line: 0 }); }

  hasFile(file) { return file !== "" && this.model.data.file_texts.some(each => each.file === file); }

  openFile(file, line) { Object.assign(this, { shown: file, line, scrolls: true }); }
  openKernel(index) { Object.assign(this, { shown: index }); }

  // Shows the source. `sums` has the self values of the model's nodes, and the unit and the base of
  // the shown metric, range and scope.
  show(sums) {
    const { model, panel } = this, { sources, file_texts: texts } = model.data;
    const tree = model.tree("python", "all"), self = tree.fold(sums.ofNodes), files = filesByTime(model, tree, self);
    if (this.shown === null) this.shown = files.length > 0 ? files[0][0] : 0;
    const options = [...files.map(([file, ns]) => make("option", { value: file, selected: file === this.shown }, `${file.split("/").pop()}   ${amount(ns, sums.unit)}`)),
      ...sources.map((each, i) => make("option", { value: "kernel " + i, selected: i === this.shown }, `kernel ${each.short}`))];
    const choice = make("label", {}, "code of ", make("select", { onchange: event => {
      const { value } = event.target;
      value.startsWith("kernel ") ? this.openKernel(+value.slice(7)) : this.openFile(value, 0);
      this.show(sums);
    } }, ...options));
    const rest = typeof this.shown === "number" ? this.tables.sourceParts(this.shown) : this.file(texts.find(each => each.file === this.shown), tree, self, sums);
    panel.replaceChildren(make("p", {}, choice), ...rest);
    if (this.scrolls) panel.querySelector("tr[aria-selected=true]")?.scrollIntoView({ block: "center" });
    this.scrolls = false;
  }

  file({ file, lines }, tree, self, sums) {
    const times = lineTimes(tree, self, tree.totals(self), file), largest = Math.max(1, ...[...times.values()].map(each => each.self));
    this.times = times;
    const hottest = [...times].sort((a, b) => b[1].self - a[1].self)[0];
    const marked = this.line || (hottest ? hottest[0] : 0), shown = lines.length <= MANY_LINES ? lines.map((_, i) => i + 1) : this.near(lines.length, times, marked);
    const table = makeTable(`${file}: time of each line with the native code that it calls; % of ${amount(sums.base, sums.unit)} ${sums.what}${sums.where}`,
      [{ title: "self" }, { title: "%", class: "more" }, { title: "", class: "wide" }, { title: "total", class: "more" }, { title: "line" }, { title: "source", class: "text name" }],
      shown.map(number => ({ value: number, cells: this.lineCells(number, lines[number - 1], times.get(number), largest, sums) })),
      number => times.has(number) && this.events.choose(this.model.functionOf[times.get(number).site]));
    table.classList.add("lines");
    table.querySelectorAll("tbody tr").forEach((row, i) => { if (shown[i] === marked) row.setAttribute("aria-selected", true); });
    this.scrolls = this.scrolls || marked > CONTEXT_ROWS;
    return [table];
  }

  // Returns which lines of a long file to show: those with time, and the lines around them.
  near(count, times, marked) {
    const kept = new Set();
    for (const line of [marked, ...times.keys()]) for (let i = line - CONTEXT_ROWS; i <= line + CONTEXT_ROWS; i++) if (i >= 1 && i <= count) kept.add(i);
    return [...kept].sort((a, b) => a - b);
  }

  lineCells(number, text, time, largest, { unit, base }) {
    const has = time && time.self > 0;
    return [make("td", {}, has ? amount(time.self, unit) : ""), make("td", { class: "more" }, has ? percent(time.self, base) : ""), has ? shareCell(time.self, largest) : make("td", { class: "wide" }),
      make("td", { class: "more" }, time && time.total > 0 ? amount(time.total, unit) : ""), make("td", { class: "kind" }, String(number)), make("td", { class: "name src" }, text)];
  }
}
