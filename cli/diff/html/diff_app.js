// Builds the page of a comparison. diff_start.js starts it; the page of a job of benchmarks does so
// for the comparison that is chosen (cli/ci/per_test/html).
//
// Tests use window.gprofx to control the page. It is not a public interface:
//   ready       a promise that is fulfilled when the page is shown
//   state()     {tab, metric, side, direction, theme, search, found, verdict}
//   set(changes)  any of metric (index), side, direction, search
//   open(tab)
//   flame()     {boxes: [{name, x, y, width, color, hue}], zoom, total}; words(name) of the first such box
//   rows("functions" | "kernels")

const KEYS = [["/", "search names; Esc ends it"], ["1 ... 6", "flame graph, functions, kernels, counts, rules, data"],
  ["b", "widths of the head, or of the base"], ["i", "flame graph from the root, or from the leaves"], ["m", "count the next metric"],
  ["Esc", "out of the search, then out of the zoom"], ["t", "light or dark"], ["?", "these keys"], ["Tab", "to the next part of the page"],
  ["flame graph", "arrows walk, Enter zooms, Backspace shows the whole, Page Up and Down scroll"],
  ["tables", "arrows walk, Enter finds a function in the flame graph"]];

const state = { tab: "flame", metric: 0, side: "head", direction: "down", search: "", matches: null };
let tabs = [["flame", "Flame graph"], ["functions", "Functions"], ["kernels", "Kernels"], ["counts", "Counts"], ["rules", "Rules"], ["data", "Data"]];
let model, flame, shown = ROWS;

// ---- the comparison behind the page ---------------------------------------------------------------

function readModel(data) {
  const sites = readLabels(data, "site"), parent = data.column("node.parent"), site = data.column("node.site");
  const metrics = data.metrics.map((metric, i) => ({ ...metric, sides: Object.fromEntries(["base", "head"].map(side =>
    [side, sideOf(parent, data.column(`value${i}.${side}`, Float64Array), metric[side + "_units"])])) }));
  const changeOf = new Array(sites.length), text = i => data.texts[i];
  for (const list of ["functions", "kernels"]) {
    for (const row of data[list]) {
      for (const field of ["name", "short", "file", "was", "word", "suppressed_by"]) row[field] = text(row[field]);
      if (row.site !== null) changeOf[row.site] = row;
    }
  }
  return { data, sites, parent, site, metrics, changeOf, functionOf: sites.map((_, i) => i) };
}

// Returns the self and total time of each node, per run or per step.
function sideOf(parent, sums, units) {
  const self = sums.map(sum => sum / units), total = self.slice();
  for (let i = total.length - 1; i > 0; i--) total[parent[i]] += total[i];
  return { self, total };
}

// ---- parts of the page ------------------------------------------------------------------------------

function runs(count) { return `${grouped(count)} run${count === 1 ? "" : "s"}`; }

function outcomeText(outcome) {
  const times = `${duration(outcome.base)} -> ${duration(outcome.head)} per ${model.data.unit}`;
  return outcome.tested ? `${times}, ${intervalText(outcome)}` : times;
}

function showHead() {
  const { data } = model, title = $("title"), [total] = data.totals;
  document.title = `${data.verdict} - gprof-x diff`;
  title.textContent = data.verdict;
  title.style.color = { regression: "var(--bad)", improvement: "var(--good)", equivalent: "var(--good)" }[data.verdict] || "";
  $("facts").replaceChildren(make("b", {}, `${total.what} ${outcomeText(total)}`),
    `  ·  ${runs(data.runs[0])} against ${runs(data.runs[1])}${data.paired ? ", in pairs" : ""}`);
  const lines = [...(data.ruled ? [data.ruled] : []), ...data.totals.slice(1).map(each => `${each.what} ${outcomeText(each)}`), ...data.notices];
  if (data.notices.length === 0 && data.power) lines.push(data.power);
  $("said").replaceChildren(make("ul", { class: "list" }, ...lines.map(line => make("li", {}, line))));
}

function showLegend() {
  const dark = isDark() ? 1 : 0, swatch = (color, title, text) => make("span", { title }, make("i", { style: `background:${color}` }), text);
  const scale = hue => make("span", { title: `the change: ${SIZE_WORDS.join(", ")}` },
    ...HUES[hue][dark].map(color => make("i", { style: `background:${color};margin-right:1px` })), ` certainly ${hue}`);
  const stripes = `repeating-linear-gradient(135deg, ${GREY[dark]} 0 3px, ${dark ? "#8b949e" : "#9aa3ad"} 3px 5px)`;
  $("flamelegend").replaceChildren(scale("slower"), scale("faster"), swatch(GREY[dark], "no change, too small, or undecided", "not significant"),
    make("span", { title: "in one version only" }, make("i", { style: `background:${stripes}` }), "new or gone"), make("span", {}, "stronger: larger change"));
}

function changeCells(row) {
  const ratio = row.base > 0 && row.head > 0 ? 100 * (row.head / row.base - 1) : null, word = changeWord(row);
  const change = row.tested ? signed(row.change) : ratio === null ? "" : signed(ratio);
  const color = hueOf(row) ? colorOfOutcome(row, isDark() ? 1 : 0) : "transparent";
  return [make("td", { class: "text kind" }, make("i", { style: `background:${color}` }), word), make("td", {}, change),
    make("td", {}, row.tested ? `${signed(row.low)} to ${signed(row.high)}` : ""), make("td", {}, duration(row.base)), make("td", {}, duration(row.head)),
    make("td", {}, percent(row.share, 1)), kindCell(row),
    make("td", { class: "name", title: row.name.slice(0, 500) }, (row.kind === KIND.kernel ? row.short : row.name) + (row.was ? ` (was ${row.was})` : "") + (row.suppressed_by ? ` (suppressed by ${row.suppressed_by})` : ""), make("span", { class: "kind" }, row.file ? "  " + place(row) : ""))];
}

function showChanges(panel, rows, what) {
  if (rows.length === 0) return panel.replaceChildren(make("p", {}, `These recordings have no ${what} to compare.`));
  if (state.matches) rows = rows.filter(row => state.matches.has(row.site));
  const some = rows.slice(0, shown);
  const table = makeTable(`${restText(rows.length, some.length)} ${what}, the most important change first; times are per ${model.data.unit}`,
    [{ title: "", class: "text" }, { title: "change" }, { title: "95% interval" }, { title: "base" }, { title: "head" }, { title: "share" }, { title: "kind", class: "text" }, { title: what.slice(0, -1), class: "text" }],
    some.map(row => ({ value: row, cells: changeCells(row) })), row => find(row));
  panel.replaceChildren(table, ...[moreButton(rows.length, some.length, () => { shown += 5 * ROWS; showTab(); })].filter(Boolean));
}

function showCounts(panel) {
  const { data } = model;
  panel.replaceChildren(makeTable(`${grouped(data.counts.length)} counts changed; ${grouped(data.counts_equal)} are equal, ${grouped(data.counts_varying)} vary from run to run`,
    [{ title: "base" }, { title: "head" }, { title: "change" }, { title: "per", class: "text" }, { title: "what", class: "text" }],
    data.counts.map(row => ({ value: row, cells: [make("td", {}, grouped(row.base)), make("td", {}, grouped(row.head)),
      make("td", {}, (row.head > row.base ? "+" : "-") + grouped(Math.abs(row.head - row.base))), make("td", { class: "text" }, row.per), make("td", { class: "name" }, row.name)] }))));
}

function showRules(panel) {
  panel.replaceChildren(makeTable(`${grouped(model.data.rules.length)} rules were looked at`,
    [{ title: "", class: "text" }, { title: "rule", class: "text" }, { title: "what was seen", class: "text" }],
    model.data.rules.map(rule => ({ value: rule, cells: [make("td", { class: "text" }, rule.word), make("td", { class: "text code" }, rule.rule),
      make("td", { class: "name" }, rule.evidence + (rule.suppressed_by ? ` (${rule.suppressed_by})` : ""))] }))));
}

function showData(panel) {
  const { data } = model, list = items => make("ul", { class: "list" }, ...items.map(each => make("li", {}, each)));
  panel.replaceChildren(make("h2", {}, "What these recordings can tell"), list([...data.notices, data.power, ...data.notes].filter(Boolean)),
    make("h2", {}, "What this page holds"), list([data.left_out_nodes > 0
      ? `The ${grouped(data.left_out_nodes)} smallest call paths are summed up as '[smaller branches]' below their callers; sums are exact.` : `All ${grouped(model.parent.length)} call paths are in this page.`,
    `Widths are means over the ${data.unit}s of a side. A box is coloured where the time of its function, with all that it calls or by itself, certainly changed; everything else is grey.`]),
    make("h2", {}, "Where it comes from"), list([`base: ${data.base.join(", ")}`, `head: ${data.head.join(", ")}`, `page by gprof-x ${data.version}`]));
}

function showFlame() {
  const metric = model.metrics[state.metric], { self, total } = metric.sides[state.side], { parent, site } = model;
  const down = state.direction === "down";
  flame.side = state.side;
  flame.sides = down ? metric.sides : null;
  flame.show(down ? layOut(parent, site, total, self) : callersTree(model, self), "ns");
  for (const id of ["head", "base"]) $(id).setAttribute("aria-pressed", id === state.side);
  for (const id of ["down", "up"]) $(id).setAttribute("aria-pressed", id === state.direction);
  say(`${metric.name} of the ${state.side}: ${duration(total[0])} per ${model.data.unit}`);
}

function showTab() {
  showOnly(tabs, state.tab);
  const panel = $("panel-" + state.tab);
  if (state.tab === "flame") flame.draw();
  if (state.tab === "functions") showChanges(panel, model.data.functions, "functions");
  if (state.tab === "kernels") showChanges(panel, model.data.kernels, "kernels");
  if (state.tab === "counts") showCounts(panel);
  if (state.tab === "rules") showRules(panel);
  if (state.tab === "data") showData(panel);
}

// ---- changes ------------------------------------------------------------------------------------------

function open(tab) { state.tab = tab; showTab(); }

function set(changes) {
  Object.assign(state, changes);
  if ("metric" in changes) $("metric").selectedIndex = state.metric;
  if ("search" in changes) search(state.search);
  if ("direction" in changes || "metric" in changes) flame.zoom = 0;
  showFlame();
}

function search(text) {
  const exact = text.length > 2 && text.startsWith("\"") && text.endsWith("\"") ? text.slice(1, -1) : null, part = text.toLowerCase();
  const fits = label => exact !== null ? label.name === exact : label.name.toLowerCase().includes(part) || label.file.toLowerCase().includes(part);
  state.search = text;
  $("search").value = text;
  state.matches = text ? new Set(model.sites.map((label, i) => i > 0 && fits(label) ? i : 0).filter(Boolean)) : null;
  flame.search(state.matches);
  $("found").textContent = !state.matches ? "" : state.matches.size === 0 ? "nothing" : grouped(state.matches.size);
  if (state.tab === "functions" || state.tab === "kernels") showTab();
}

// Shows a function in the flame graph. A function that is gone in the head has a width only in the
// base, so that is shown then.
function find(row) {
  if (row.fate === "gone" && state.side === "head") set({ side: "base" });
  const metric = model.data.kernels.includes(row) ? model.metrics.length - 1 : 0;
  if (metric !== state.metric) set({ metric });
  open("flame");
  search(`"${row.name}"`);
}

function zoomed(node) {
  const path = [];
  for (let i = node; i !== 0; i = flame.tree.parent[i]) path.unshift(flame.labelOf(i).short);
  $("crumb").textContent = path.slice(-3).join(" › ");
}

function key(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || $("keys").open) return;
  const typing = event.target.tagName === "INPUT";
  if (event.key === "Escape") {
    if (typing || state.search) { search(""); if (typing) event.target.blur(); }
    else flame.zoomTo(0);
    return event.preventDefault();
  }
  if (typing || event.target.tagName === "SELECT") return;
  const tab = tabs[Number(event.key) - 1];
  if (event.key === "/") $("search").focus();
  else if (event.key === "?") showKeys(KEYS);
  else if (event.key === "t") toggleTheme();
  else if (event.key === "b") set({ side: state.side === "head" ? "base" : "head" });
  else if (event.key === "i") set({ direction: state.direction === "down" ? "up" : "down" });
  else if (event.key === "m") set({ metric: (state.metric + 1) % model.metrics.length });
  else if (tab) { open(tab[0]); $("tab-" + tab[0]).focus(); }
  else return;
  event.preventDefault();
}

// ---- start ----------------------------------------------------------------------------------------------

// Shows the comparison whose data is in the element `id`.
async function start(id = "data") {
  followSystemTheme(() => { if (!flame) return; showLegend(); showTab(); flame.draw(); });
  model = readModel(await readData(id));
  flame = new DiffFlame($("flame"), model, { tip, status: say, zoomed });
  const many = { counts: model.data.counts.length, rules: model.data.rules.length };
  makeTabs(tabs.map(([id, name]) => [id, many[id] ? `${name} (${grouped(many[id])})` : name]), open);
  $("metric").append(...model.metrics.map(metric => make("option", {}, metric.name)));
  $("metric").addEventListener("change", event => set({ metric: event.target.selectedIndex }));
  $("metricbox").hidden = model.metrics.length < 2;
  for (const side of ["head", "base"]) $(side).addEventListener("click", () => set({ side }));
  for (const direction of ["down", "up"]) $(direction).addEventListener("click", () => set({ direction }));
  $("theme").addEventListener("click", toggleTheme);
  $("help").addEventListener("click", () => showKeys(KEYS));
  $("search").addEventListener("input", event => search(event.target.value));
  document.addEventListener("keydown", key);
  new ResizeObserver(() => flame.draw()).observe(document.body);
  showHead();
  showLegend();
  showFlame();
  showTab();
}

const surface = {
  state: () => ({ tab: state.tab, metric: model.metrics[state.metric].name, side: state.side, direction: state.direction, search: state.search,
    theme: document.documentElement.dataset.theme, found: state.matches && state.matches.size, verdict: model.data.verdict }),
  set,
  open,
  flame: () => {
    flame.paint(performance.now());
    return { zoom: flame.labelOf(flame.zoom).name, total: flame.tree.total[0], boxes: flame.drawn.map(({ node, x, y, width }) =>
      ({ name: flame.labelOf(node).name, x, y, width, hue: hueOf(toldBy(flame.changeOf(node))), color: flame.colorOf(node, null, false, isDark() ? 1 : 0) })) };
  },
  words: name => flame.words(flame.drawn.find(each => flame.labelOf(each.node).name === name).node),
  rows: what => model.data[what],
};
window.gprofx = surface;
