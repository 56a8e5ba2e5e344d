// The tab of the model. It shows the analyses of `gprof-x analyze`: each as a table and, if there
// is one, as a plot. The texts of cells come with the page's data. A layer that is selected in one
// plot is selected in all.

const FEW_ROWS = 12, MOST_NAMED = 30;
// Colours of the same palette as the others, but far from the green of kernels.
const BACKWARD = ["#0072b2", "#4aa3e0"];
const HOST_PARTS = [["python_ns", "Python", "python"], ["dispatch_ns", "dispatch", "native"], ["launch_ns", "launch", "communication"],
  ["wait_ns", "wait", "wait"], ["allocator_ns", "allocator", "other"], ["copy_ns", "copy", "copy"]];

// The name of a forecast's table is that of the GPU. Several tables of a GPU have this name, so the
// key includes the id, too.
const isForecast = table => table.id.startsWith("forecast_"), keyOf = table => isForecast(table) ? `${table.name} ${table.id}` : table.name;

class Analyses {
  constructor(data) {
    this.data = data;
    this.tables = new Map(data.tables.map(table => [keyOf(table), this.withReaders(table)]));
    this.open = new Set();
    this.chosen = { table: null, row: -1, layer: null };
    this.width = 0;
  }

  // Adds functions that read the cells of a column by its id. For them, a column without known
  // values does not exist.
  withReaders(table) {
    const at = new Map(table.columns.map((column, i) => [column.id, i]));
    const naming = table.columns.findIndex(column => column.is_text);
    return { ...table, has: id => at.has(id), number: (row, id) => at.has(id) ? table.rows[row].numbers[at.get(id)] : null,
      nameOf: row => naming < 0 ? "" : table.rows[row].texts[naming], naming, isOfLayers: at.has("layer") };
  }

  show(panel) {
    this.panel = panel;
    if (!this.observer) {
      this.observer = new ResizeObserver(() => { if (panel.clientWidth !== this.width && panel.clientWidth > 0) this.show(panel); });
      this.observer.observe(panel);
    }
    this.width = panel.clientWidth;
    const { part, filtered } = this.data, notes = [`Of ${part || "the whole recording"}; a selected range does not change it.`];
    if (filtered) notes.push("It is of all call paths: filters do not change it.");
    panel.replaceChildren(make("p", { class: "note" }, notes.join(" ")), ...[...this.tables.values()].map(table => this.section(table)),
      ...(this.data.memory && this.data.memory.rows.length > 0 ? [this.memory(this.data.memory)] : []));
  }

  // Draws the live memory of each GPU over time.
  memory(memory) {
    const width = Math.max(260, this.width - 30 - (this.width < 760 ? 0 : 8));
    const box = make("section", { class: "analysis", "data-analysis": "memory", "aria-label": "GPU memory over time" }, make("h2", {}, "GPU memory over time"),
      make("p", { class: "note" }, "the most in each moment; an allocator holds memory of the driver and gives out blocks of it: the two are never added up"));
    for (const row of memory.rows) {
      const series = memorySeries(row);
      box.append(make("p", {}, make("strong", {}, row.name)), make("p", { class: "note" }, row.words), plotLegend(series), make("div", { class: "scrolled" }, memoryPlot(memory, row, series, width)));
    }
    if (memory.rows.length < memory.rows_total) box.append(make("p", { class: "note" }, `${grouped(memory.rows.length)} of ${grouped(memory.rows_total)} allocators; 'gprof-x report --memory' has all.`));
    return box;
  }

  section(table) {
    const box = make("section", { class: "analysis", "data-analysis": keyOf(table), "aria-label": table.title }, make("h2", {}, `${table.name}  ${table.title}`));
    if (table.reason) {
      box.append(make("p", { class: "empty" }, "empty: " + table.reason));
      return box;
    }
    box.append(make("p", { class: "note" }, table.notes.join("; ")));
    const plot = this.plot(table);
    if (plot) box.append(...plot);
    box.append(this.table(table));
    return box;
  }

  // ---- plots ------------------------------------------------------------------------------------

  plot(table) {
    const width = Math.max(260, this.width - 30 - (this.width < 760 ? 0 : 8)), rows = table.rows.length;
    const events = { words: row => this.words(table, row), choose: row => this.choose(table, row) };
    const common = { name: table.name, width, rows, isChosen: row => this.isChosen(table, row) };
    const textOf = (row, id) => table.rows[row].texts[table.columns.findIndex(column => column.id === id)];
    const series = (id, name, color) => ({ name, color, of: row => table.number(row, id) });
    const perStep = table.notes.some(note => note.startsWith("per step")) ? " per step" : "";
    const scrolled = (plot, list) => [plotLegend(list), make("div", { class: "scrolled" }, plot)];
    if (table.name === "A3") {
      const up = [series("forward_ns", "forward", colorOf("gpu")), series("backward_ns", "backward", BACKWARD[isDark() ? 1 : 0])].filter((_, i) => table.has(["forward_ns", "backward_ns"][i]));
      return scrolled(indexPlot({ ...common, label: "GPU time of each layer, forward and backward", up, whole: row => textOf(row, "gpu_ns"), nameOf: table.nameOf, yTitle: "GPU time" + perStep, xTitle: "layer, in the order of the table" }, events), up);
    }
    if (table.name === "A13") {
      const up = HOST_PARTS.filter(([id]) => table.has(id)).map(([id, name, kind]) => series(id, name, colorOf(kind)));
      const down = table.has("gpu_busy_ns") ? [series("gpu_busy_ns", "GPU busy (below)", colorOf("gpu"))] : [];
      return scrolled(indexPlot({ ...common, label: "Host time and GPU time of each layer with the layers in it", up, down,
        whole: (row, isUp) => textOf(row, isUp ? "host_ns" : "gpu_busy_ns"), nameOf: table.nameOf, yTitle: (down.length ? "GPU  |  host" : "host") + perStep, xTitle: "layer, in the order of the table" }, events), [...up, ...down]);
    }
    if (table.name === "A11") {
      const shown = Math.min(rows, MOST_NAMED);
      const plot = namePlot({ ...common, rows: shown, label: "GPU time of kernels by layer", of: row => table.number(row, "kernel_ns") || 0, text: row => textOf(row, "kernel_ns"),
        nameOf: table.nameOf, color: colorOf("gpu"), xTitle: "GPU time of its kernels" + (shown < table.rows_total ? `, the ${grouped(shown)} largest of ${grouped(table.rows_total)} layers` : "") }, events);
      return [make("div", { class: "scrolled" }, plot)];
    }
    if (table.has("there_ns")) {
      const shown = Math.min(rows, MOST_NAMED), series = [{ name: "here", color: colorOf("other") }, { name: "there", color: colorOf("gpu") }], ids = ["here_ns", "there_ns"];
      const plot = pairPlot({ ...common, rows: shown, label: `${table.title}: here and there`, series, of: (row, i) => table.number(row, ids[i]) || 0, text: (row, i) => textOf(row, ids[i]), nameOf: table.nameOf, xTitle: "time of a step" }, events);
      return scrolled(plot, series);
    }
    if (table.name === "A9" || table.name === "A14") return this.roofline(table, common, events);
    return null;
  }

  roofline(table, common, events) {
    const bounds = { memory: colorOf("native"), compute: colorOf("gpu") }, column = table.columns.findIndex(each => each.id === "bound");
    const most = Math.max(...table.rows.map((_, row) => table.number(row, "gpu_ns")));
    const rows = table.rows.map((_, row) => row).filter(row => table.number(row, "intensity") > 0 && table.number(row, "flop_per_s") > 0);
    if (rows.length === 0) return null;
    const boundOf = row => column < 0 ? "" : table.rows[row].texts[column];
    const points = rows.map(row => ({ x: table.number(row, "intensity"), y: table.number(row, "flop_per_s"), size: most > 0 ? table.number(row, "gpu_ns") / most : 0, color: bounds[boundOf(row)] || colorOf("other") }));
    const plot = rooflinePlot({ ...common, label: table.title, points, roofs: this.data.roofs, isChosen: i => common.isChosen(rows[i]) },
      { words: i => events.words(rows[i]), choose: i => events.choose(rows[i]) });
    const used = Object.keys(bounds).filter(bound => rows.some(row => boundOf(row) === bound)).map(bound => ({ name: `limited by ${bound}`, color: bounds[bound], shape: "round" }));
    if (rows.some(row => !bounds[boundOf(row)])) used.push({ name: "limit not known", color: colorOf("other"), shape: "round" });
    return [make("div", { class: "legend" }, ...plotLegend(used).childNodes, make("span", {}, "the larger, the more GPU time")), make("div", { class: "scrolled" }, plot)];
  }

  // True if a row is selected. A layer is selected in all tables.
  isChosen(table, row) {
    const { chosen } = this;
    return table.isOfLayers ? chosen.layer !== null && table.nameOf(row) === chosen.layer : chosen.table === table && chosen.row === row;
  }

  words(table, row) {
    return [table.nameOf(row), ...table.columns.map((column, i) => [column, table.rows[row].texts[i], i])
      .filter(([, text, i]) => text !== "" && i !== table.naming).map(([column, text]) => `${column.title} ${text}`)];
  }

  choose(table, row) {
    this.chosen = { table, row, layer: table.isOfLayers ? table.nameOf(row) : this.chosen.layer };
    if (row >= FEW_ROWS) this.open.add(keyOf(table));
    const top = this.panel.scrollTop, had = document.activeElement;
    const where = had instanceof SVGElement ? "svg" : had && had.tagName === "TR" ? "tr" : null;
    this.show(this.panel);
    this.panel.scrollTop = top;
    const box = this.panel.querySelector(`section[data-analysis="${keyOf(table)}"]`), element = box.querySelectorAll("tbody tr")[row];
    if (where === "svg") box.querySelector("svg").focus({ preventScroll: true });
    if (where === "tr") element.focus({ preventScroll: true });
    element.scrollIntoView({ block: "nearest" });
    say(this.words(table, row).join("  ·  "));
  }

  // ---- tables -----------------------------------------------------------------------------------

  table(table) {
    const shown = this.open.has(keyOf(table)) ? table.rows.length : Math.min(table.rows.length, FEW_ROWS), longest = this.width < 760 ? 24 : 60;
    const made = makeTable("", table.columns.map(column => ({ title: column.title, class: column.is_text ? "text" : "" })),
      table.rows.slice(0, shown).map((row, index) => ({ value: index, cells: row.texts.map((text, i) => table.columns[i].is_text
        ? make("td", { class: "text code", title: (i === table.naming && row.name || text).slice(0, 500) }, middle(text, longest)) : make("td", {}, text)) })),
      index => this.choose(table, index));
    made.querySelector("caption").remove();
    made.setAttribute("aria-label", table.title);
    made.querySelectorAll("tbody tr").forEach((element, row) => { if (this.isChosen(table, row)) element.setAttribute("aria-selected", true); });
    const box = make("div", { class: "scrolled" }, made);
    if (shown < table.rows.length) box.append(make("p", {}, make("button", { type: "button", onclick: () => { this.open.add(keyOf(table)); this.show(this.panel); } }, `show all ${grouped(table.rows.length)}`)));
    if (table.rows.length < table.rows_total) box.append(make("p", { class: "note" }, `${grouped(table.rows.length)} of ${grouped(table.rows_total)} rows are in this page; 'gprof-x ${isForecast(table) ? "forecast" : "analyze " + table.name} --limit ${table.rows_total}' prints all.`));
    return box;
  }
}
