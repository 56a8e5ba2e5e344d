// Makes the tables: functions, kernels with their stalls, annotated code, and the quality of the
// data.

const STALL_COLORS = { memory: "#d55e00", shared: "#e69f00", sync: "#cc79a7", compute: "#0072b2", frontend: "#56b4e9",
  issue: "#009e73", other: "#9aa5b1" };

function sortHead(title, key, state, again) {
  return make("th", { scope: "col", "aria-sort": state.sort === key ? "descending" : null },
    make("button", { type: "button", onclick: () => { state.sort = key; again(); } }, title));
}

class Tables {
  constructor(model, events) {
    Object.assign(this, { model, events, functions: { sort: "self", shown: ROWS }, kernels: { shown: ROWS } });
  }

  // Shows the functions. `sums` is {self, total, base, unit, what, where}.
  showFunctions(panel, sums, matches) {
    const state = this.functions, { unit, base } = sums;
    const again = () => this.showFunctions(panel, sums, matches);
    let rows = sums.rows.slice();
    if (matches) rows = rows.filter(row => matches.functions.has(row.id));
    if (state.sort === "total") rows.sort((a, b) => b.total - a.total || b.self - a.self);
    const shown = rows.slice(0, state.shown);
    const table = makeTable(`${restText(rows.length, shown.length)} functions by ${state.sort === "self" ? "self" : "total"}; % of ${amount(base, unit)} ${sums.what}${sums.where}`,
      [sortHead("self", "self", state, again), { title: "%" }, sortHead("total", "total", state, again), { title: "%", class: "more" }, { title: "", class: "wide" },
        { title: "kind", class: "text more" }, { title: "function", class: "text name" }, { title: "called from", class: "text seen" }],
      shown.map(row => ({ value: row, cells: this.functionCells(row, base, unit, Math.max(...shown.map(each => each[state.sort]))) })), row => this.events.choose(row.id));
    table.querySelectorAll("tbody tr").forEach((row, i) => row.addEventListener("dblclick", () => this.events.source(shown[i].id)));
    panel.replaceChildren(table, ...[moreButton(rows.length, shown.length, () => { state.shown += 5 * ROWS; again(); })].filter(Boolean));
  }

  functionCells(row, base, unit, largest) {
    const label = this.model.functions[row.id], seen = this.model.sites[row.seen];
    return [make("td", {}, amount(row.self, unit)), make("td", {}, percent(row.self, base)), make("td", {}, amount(row.total, unit)),
      make("td", { class: "more" }, percent(row.total, base)), shareCell(row[this.functions.sort], largest), kindCell(label),
      make("td", { class: "name", title: label.name.slice(0, 500) }, label.name, make("span", { class: "kind" }, label.file ? "  " + place(label) : "")),
      make("td", { class: "seen", title: row.seen ? seen.file : "" }, row.seen ? place(seen) + " " + seen.name : "")];
  }

  // Shows the kernels. Rows of the whole run are in the page's data. For a range, the time and the
  // number of calls are computed here.
  showKernels(panel, sums) {
    const { data } = this.model, table = data.kernels, state = this.kernels;
    const known = new Map(table.rows.map(row => [row.text, row]));
    const rows = sums.rows ? sums.rows.map(row => ({ ...(known.get(row.text) || {}), ...row })) : table.rows.map(row => ({ ...row }));
    const whole = sums.rows ? rows.reduce((sum, row) => sum + row.ns, 0) : table.whole_ns;
    const base = sums.base === undefined ? whole : sums.base, shown = rows.slice(0, state.shown);
    const all = sums.rows ? rows.length : table.rows_total;
    const legend = make("span", { class: "legend" }, ...table.stall_classes.map(name =>
      make("span", {}, make("i", { style: `background:${STALL_COLORS[name]}` }), name)));
    const caption = make("caption", {}, `${restText(all, shown.length)} kernels and copies; % of ${duration(base)} GPU time${sums.where}${table.estimated ? " (estimated)" : ""}` +
      (sums.rows ? "; samples and stalls are of the whole run" : "") + "; stalls: ", legend);
    const made = makeTable("", [{ title: "time" }, { title: "%" }, { title: "", class: "wide" }, { title: "calls" }, { title: "mean", class: "more" }, { title: "stalls", class: "text stallhead more" },
      { title: "samples", class: "more" }, { title: "", class: "text more" }, { title: "kernel or copy", class: "text name" }],
    shown.map(row => ({ value: row, cells: this.kernelCells(row, base, table, Math.max(...shown.map(each => each.ns))) })), row => this.events.kernel(this.labelOf(row)));
    made.querySelector("caption").replaceWith(caption);
    panel.replaceChildren(made, ...[moreButton(rows.length, shown.length, () => { state.shown += 5 * ROWS; this.showKernels(panel, sums); })].filter(Boolean));
  }

  labelOf(row) { return row.label || this.model.functions.find(label => label.text === row.text) || { name: this.model.data.texts[row.text], short: this.model.data.texts[row.text], kind: KIND.kernel, word: "gpu" }; }

  kernelCells(row, base, table, largest) {
    const label = this.labelOf(row);
    const bar = make("div", { class: "stalls" });
    if (row.samples > 0) {
      bar.title = table.stall_classes.map((name, i) => `${name} ${percent(row.stalls[i], row.samples)}`).join(", ");
      table.stall_classes.forEach((name, i) => bar.append(make("span", { style: `width:${100 * row.stalls[i] / row.samples}%;background:${STALL_COLORS[name]}` })));
    }
    return [make("td", {}, duration(row.ns)), make("td", {}, percent(row.ns, base)), shareCell(row.ns, largest),
      make("td", {}, row.calls === null || row.calls === undefined ? "" : grouped(row.calls)), make("td", { class: "more" }, row.calls > 0 ? duration(Math.floor(row.ns / row.calls)) : ""),
      make("td", { class: "text more" }, row.samples > 0 ? bar : ""), make("td", { class: "more" }, row.samples > 0 ? grouped(row.samples) : ""), kindCell({ ...label, word: "" }),
      make("td", { class: "name", title: label.name.slice(0, 500) }, label.short)];
  }

  // Returns the elements that show the code of a kernel.
  sourceParts(index) {
    const kernel = this.model.data.sources[index];
    const parts = [make("p", {}, `kernel: ${grouped(kernel.samples)} samples, ${percent(kernel.latency, kernel.samples)} of them latency (nothing was issued)`), make("p", { class: "code note" }, kernel.kernel)];
    if (kernel.lines.some(line => line.file)) {
      parts.push(makeTable(`${restText(kernel.lines_total, kernel.lines.length)} source lines by samples`,
        [{ title: "samples" }, { title: "%kernel" }, { title: "", class: "wide" }, { title: "latency", class: "more" }, { title: "stalls", class: "text more" }, { title: "line", class: "text" }, { title: "source", class: "text name" }],
        kernel.lines.map(line => ({ cells: [...this.countCells(line, kernel, kernel.lines), make("td", { class: "text", title: line.file }, line.place),
          make("td", { class: "name src", title: line.inlined ? "inlined at " + line.inlined : "" }, line.text)] }))));
    } else parts.push(make("p", { class: "note" }, "No source lines: the code has no line table (nvcc writes one with -lineinfo)."));
    if (kernel.instructions) parts.push(this.instructions(kernel));
    return parts;
  }

  countCells(row, kernel, all) {
    const largest = all.reduce((most, each) => Math.max(most, each.samples), 0);
    return [make("td", {}, grouped(row.samples)), make("td", {}, percent(row.samples, kernel.samples)), shareCell(row.samples, largest),
      make("td", { class: "more" }, percent(row.latency, row.samples)),
      make("td", { class: "text kind more" }, row.stalls.slice(0, 2).map(([name, count]) => `${name} ${percent(count, row.samples)}`).join(", "))];
  }

  instructions(kernel) {
    const what = kernel.no_sass ? "by offset: " + (kernel.has_code ? kernel.no_sass : "the recording does not contain the code of this kernel") : "";
    return makeTable(`${restText(kernel.instructions_total, kernel.instructions.length)} instructions with samples ` +
      `${kernel.architecture ? "(sm_" + kernel.architecture + ") " : ""}${what}${kernel.modules > 1 ? `; of the first of ${kernel.modules} modules` : ""}`,
    [{ title: "samples" }, { title: "%kernel" }, { title: "", class: "wide" }, { title: "latency", class: "more" }, { title: "stalls", class: "text more" }, { title: "offset", class: "text more" }, { title: "instruction", class: "text name" }, { title: "line", class: "text more" }],
    kernel.instructions.map(each => ({ cells: [...this.countCells(each, kernel, kernel.instructions), make("td", { class: "text code more" }, each.offset),
      make("td", { class: "name src" }, each.text), make("td", { class: "text kind more" }, each.place || "")] })));
  }

  showData(panel, notes) {
    const { data } = this.model, list = items => make("ul", { class: "list" }, ...items.map(each => make("li", {}, each)));
    panel.replaceChildren(make("h2", {}, "How good the data is, and what recording it cost"),
      list([data.degraded ? "degraded: " + data.flaws.join("; ") : "good: nothing was lost that would change what is seen", ...data.head]),
      make("h2", {}, "What this page holds"), list(notes),
      make("h2", {}, "Where it comes from"), list([`${data.files.join(", ")}; page by gprof-x ${data.version}`,
        data.start_realtime_ns > 0 ? "recorded " + new Date(data.start_realtime_ns / 1e6).toISOString().replace("T", " ").slice(0, 19) + " UTC" : "the time of the recording is not known"]));
  }
}
