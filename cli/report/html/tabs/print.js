// Makes the printed page: the verdict, the findings, the top tables and the flame graph. style.css
// hides everything else.

const PRINTED_FUNCTIONS = 14, PRINTED_KERNELS = 8, PRINTED_HEIGHT = 300;

function printedTable(caption, rows, whole, unit) {
  return make("table", {}, make("caption", {}, caption), make("tbody", {}, ...rows.map(({ name, value, where }) => make("tr", {},
    make("td", {}, amount(value, unit)), make("td", {}, percent(value, whole)), make("td", { class: "name" }, name, make("span", { class: "kind" }, where ? "  " + where : ""))))));
}

class Print {
  constructor(box, model) { Object.assign(this, { box, model }); }

  // Makes the tables and the picture to print. `sums` is as in Tables.showFunctions(). `kernels`
  // are the rows of kernels with their time in the whole run.
  make(sums, kernels, tree) {
    const { functions } = this.model, canvas = make("canvas", {});
    const top = sums.rows.slice(0, PRINTED_FUNCTIONS).map(row => ({ name: functions[row.id].short, value: row.self, where: place(functions[row.id]) }));
    const tables = [printedTable(`functions by self; % of ${amount(sums.base, sums.unit)} ${sums.what}${sums.where}`, top, sums.base, sums.unit)];
    if (kernels) tables.push(printedTable(`kernels and copies; % of ${duration(kernels.base)} GPU time`, kernels.rows.slice(0, PRINTED_KERNELS).map(row => ({ name: row.short, value: row.ns })), kernels.base, "ns"));
    this.box.replaceChildren(make("div", { class: kernels ? "tops" : "" }, ...tables), canvas);
    canvas.style.height = PRINTED_HEIGHT + "px";
    this.box.hidden = false;
    const flame = new Flame(canvas, this.model, { tip: () => {}, status: () => {}, zoomed: () => {} });
    flame.show(tree, sums.unit);
    flame.paint(performance.now());
  }

  end() { this.box.hidden = true; this.box.replaceChildren(); }
}
