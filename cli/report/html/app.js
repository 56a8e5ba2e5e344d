// Builds the page of a profile: the selection, the panels that show it, and the keys.

const TABS = [["flame", "Flame graph"], ["tree", "Call tree"], ["functions", "Functions"], ["sandwich", "Sandwich"], ["kernels", "Kernels"], ["source", "Code"],
  ["ranks", "Ranks"], ["model", "Model"], ["forecast", "Forecast"], ["findings", "Findings"], ["data", "Data quality"]];
// Tabs whose content depends on the selected code.
const OF_CODE = ["flame", "tree", "functions", "sandwich"];
const KEYS = [["/", "search names; Esc ends it"], ["1 ... ", "the tabs"],
  ["i", "flame graph from the root, or from the leaves"], ["m", "count the next metric"],
  ["Esc", "out of the zoom, then out of the selected range"], ["t", "light or dark"], ["?", "these keys"],
  ["Tab", "to the next part of the page"],
  ["flame graph", "arrows walk, Enter zooms, Backspace shows the whole, Page Up and Down scroll"],
  ["timeline", "+ and - or the wheel zoom, arrows or a and d move, Enter selects what is seen, z zooms to what is selected, [ and ] go to the GPU operation before and behind, Home shows the whole run; drag to select"],
  ["call tree", "arrows walk, open and close, * opens all below, Enter shows the source or what calls and is called"],
  ["tables", "arrows walk, Enter selects"], ["double click", "the source of a function, or what calls it and what it calls"]];

const state = { tab: "flame", metric: 0, range: null, scope: "all", direction: "down", code: "mixed", libraries: "all", chosen: -1, search: "", matches: null };
let model, flame, callTree, sandwich, code, details, timeline, tables, analyses, forecast, shownSums, shownFirst = false;

function showTheme() {
  if (!model) return;
  showLegends();
  showWall();
  timeline.draw();
  flame.draw();
  showTab();
}

// ---- what is counted --------------------------------------------------------------------------

// Returns an array with a flag for each thread: 1 if the scope contains the thread. Returns null if
// the scope is all threads.
function scopeThreads() {
  const [what, index] = state.scope.split(" ");
  if (what === "all") return null;
  return Uint8Array.from(model.data.threads, (thread, i) => (what === "thread" ? i : thread.process) === +index ? 1 : 0);
}

function whereText(timed) {
  const parts = [];
  if (state.range && timed) parts.push(` in ${rangeText(state.range)}`);
  if (state.scope !== "all") parts.push(" of " + $("scope").selectedOptions[0].textContent.trim());
  return parts.join("");
}

function rangeText(range) {
  const step = (range.end - range.begin) / 100;
  return `${moment(range.begin, step)} to ${moment(range.end, step)}`;
}

function computeSums() {
  const threads = scopeThreads(), { self: ofNodes, counts, timed } = model.sums(state.metric, state.range, threads);
  const tree = model.tree(state.code, state.libraries), self = tree.fold(ofNodes), total = tree.totals(self), metric = model.metrics[state.metric];
  const whole = !state.range && state.scope === "all";
  shownSums = { ofNodes, tree, self, counts, total, timed, unit: metric.unit, what: metric.what, base: whole ? metric.sum : total[0],
    where: whereText(timed), rows: tree.functionRows(self, total) };
}

function kernelSums() {
  const work = model.metrics.findIndex(each => each.events === 2);
  if ((!state.range && state.scope === "all") || work < 0) return { rows: null, where: "" };
  const estimated = model.metrics.findIndex(each => each.name === "gpu_estimated");
  const { self, counts } = state.range || estimated < 0 ? model.estimatedSums(work, state.range, scopeThreads())
    : model.sums(estimated, null, scopeThreads());
  const rows = model.kernelRows(self, counts);
  return { rows, base: rows.reduce((sum, row) => sum + row.ns, 0), where: whereText(true) };
}

function update() {
  computeSums();
  showFlame();
  showTab();
  showChosenRange();
  const metric = model.metrics[state.metric];
  if (state.range && !shownSums.timed) say(`'${metric.name}' has no times: what ran in the range has that of the whole run`);
  else say(`${amount(shownSums.total[0], metric.unit)} ${metric.what}${shownSums.where}`);
}

function showFlame() {
  const { tree, self, total } = shownSums;
  flame.show(state.direction === "down" ? layOut(tree.parent, tree.site, total, self) : callersTree(tree, self), shownSums.unit, shownSums.what + shownSums.where);
}

// ---- parts of the page --------------------------------------------------------------------------

// True if the page shows the range with which it started. The verdict and the lanes describe that
// range.
function isFirstRange() {
  const { range } = model.data;
  return range ? state.range && state.range.begin === range.begin && state.range.end === range.end : !state.range;
}

function showWall() {
  const { range, wall, lanes, streams } = model.data, gpus = new Set(streams.map(each => each.gpu)).size;
  if (isFirstRange() && range && range.wall) return showWallBars($("wall"), range.wall, range.lanes, ` of ${partText(range)}`, gpus);
  showWallBars($("wall"), wall, lanes, state.range ? " of the whole run" : "", gpus);
}

function showStart() {
  const { data } = model;
  showVerdict($("verdict"), data.verdict, () => openOwn(data.verdict.own));
  showFirstFindings($("first"), data.findings, openFinding);
  showWall();
}

function openFinding(index) {
  open("findings");
  const card = $(`finding-${index}`);
  card.scrollIntoView({ block: "nearest" });
  card.focus({ preventScroll: true });
}

function showChosenRange() {
  $("range").hidden = !state.range;
  timeline.range = state.range;
  timeline.draw();
  showWall();
  if (!state.range) return;
  $("range").querySelector("output").textContent = `${rangeText(state.range)}  (${duration(model.hostTime(state.range.end - state.range.begin))})${state.rangeName ? ", " + state.rangeName : ""}`;
}

function showTab() {
  showOnly(TABS, state.tab);
  const panel = $("panel-" + state.tab), { data } = model;
  $("codebar").hidden = !OF_CODE.includes(state.tab);
  $("direction").hidden = state.tab !== "flame" && state.tab !== "tree";
  $("flamelegend").hidden = $("crumb").hidden = state.tab !== "flame";
  if (state.tab === "flame") flame.draw();
  if (state.tab === "tree") showTree();
  if (state.tab === "sandwich") showSandwich();
  if (state.tab === "ranks") showRanks(panel, data, (data.range && data.range.lanes) || data.lanes);
  if (state.tab === "functions") tables.showFunctions(panel, shownSums, state.matches);
  if (state.tab === "kernels") tables.showKernels(panel, kernelSums());
  if (state.tab === "source") code.show(shownSums);
  if (state.tab === "model") analyses.show(panel);
  if (state.tab === "forecast") forecast.show(panel);
  if (state.tab === "findings") showFindings(panel, model, { showRange, showNode });
  if (state.tab === "data") tables.showData(panel, notes());
}

function showTree() {
  callTree.show(flame.tree, shownSums.unit);
  callTree.search(state.matches && state.matches.sites);
}

function showSandwich() {
  sandwich.show(shownSums, state.chosen, state.matches);
  sandwich.draw();
}

function open(tab) {
  if (!TABS.some(([id]) => id === tab)) return;
  state.tab = tab;
  showTab();
}

// Selects a range and moves the timeline to it.
function showRange(range, name) {
  select(range, name);
  timeline.look(range.begin, range.end);
}

// ---- changes --------------------------------------------------------------------------------------

function select(range, name = "") {
  state.range = model.snap(range);
  state.rangeName = state.range ? name : "";
  update();
  if (state.range && shownFirst) details.showRange(shownSums, state.range, name);
}

function setMetric(index) {
  state.metric = index;
  $("metric").selectedIndex = index;
  update();
}

function press(buttons, chosen) {
  for (const button of $(buttons).querySelectorAll("button")) button.setAttribute("aria-pressed", button.value === chosen);
}

// Selects which code the trees and the functions show.
function setCode(code, libraries) {
  Object.assign(state, { code, libraries });
  press("code", code);
  press("libraries", libraries);
  update();
}

function setDirection(direction) {
  state.direction = direction;
  press("direction", direction);
  flame.zoom = 0;
  showFlame();
}

// Marks the names that contain `text`, in upper or lower case. A text in quotes must be the whole
// name.
function search(text) {
  state.search = text;
  const exact = text.length > 2 && text.startsWith("\"") && text.endsWith("\"") ? text.slice(1, -1) : null, part = text.toLowerCase();
  mark(!text ? null : label => exact !== null ? label.name === exact : label.name.toLowerCase().includes(part) || label.file.toLowerCase().includes(part));
}

function clearSearch() {
  state.search = $("search").value = "";
}

// Marks the sites for which `fits` returns true. If `fits` is null, marks none.
function mark(fits) {
  state.matches = null;
  if (fits) {
    const sites = new Set(), functions = new Set();
    model.sites.forEach((label, i) => { if (i > 0 && fits(label, i)) { sites.add(i); functions.add(model.functionOf[i]); } });
    state.matches = { sites, functions, total: matchedTotal(sites) };
  }
  flame.search(state.matches && state.matches.sites);
  $("found").textContent = !state.matches ? "" : state.matches.sites.size === 0 ? "nothing" :
    `${grouped(state.matches.functions.size)}: ${percent(state.matches.total, shownSums.total[0])}`;
  if (["functions", "tree", "sandwich"].includes(state.tab)) showTab();
}

// Returns the sum over all stacks that contain a marked site.
function matchedTotal(sites) {
  const { parent, site } = shownSums.tree, inside = new Uint8Array(parent.length);
  let sum = 0;
  for (let i = 1; i < inside.length; i++) {
    inside[i] = inside[parent[i]] || sites.has(site[i]) ? 1 : 0;
    if (inside[i]) sum += shownSums.self[i];
  }
  return sum;
}

// ---- what is chosen -------------------------------------------------------------------------------

// Selects the function with this number. `node` also selects one of its nodes in the shown tree; 0
// = none.
function choose(id, node = 0) {
  state.chosen = id;
  details.showFunction(shownSums, id, node);
  if (state.tab === "sandwich") showSandwich();
}

function chooseSite(site) { choose(model.functionOf[site]); }

function openSandwich(id) {
  choose(id);
  open("sandwich");
}

// Shows a node of the present tree in the call tree.
function openNode(node) {
  if (state.direction !== "down") setDirection("down");
  open("tree");
  callTree.reveal(node);
}

// Shows all calls of a function in the flame graph. `fits` returns true for the labels of the
// function.
function openFlame(fits) {
  clearSearch();
  open("flame");
  flame.zoom = 0;
  flame.jump();
  mark(fits);
}

// Shows the source of a line. If the page does not contain it, shows the callers and callees of the
// line's function.
function openSource(site) {
  const label = model.sites[site];
  if (!hasSource(site)) return openSandwich(model.functionOf[site]);
  code.openFile(label.file, label.line);
  open("source");
}

function hasSource(site) { return model.sites[site].kind === KIND.python && code.hasFile(model.sites[site].file); }

function closeDetails() {
  details.close();
  state.chosen = -1;
}

// Shows the function that is named in the verdict.
function openOwn(own) {
  const id = shownSums.rows.map(row => row.id).find(each => model.functions[each].name === own.name && (!own.file || model.functions[each].file === own.file));
  if (id !== undefined) openSandwich(id);
}

function showNode(node) { openNode(shownSums.tree.nodeFor(node)); }

const chooser = { choose, node: openNode, source: openSource, hasSource: site => hasSource(site), sandwich: openSandwich, closed: closeDetails,
  flame: id => openFlame((_, site) => model.functionOf[site] === id), kernelFlame: label => openFlame(each => each.text === label.text),
  kernelSource: i => { code.openKernel(i); open("source"); }, range: (range, name) => showRange(range, name) };

function zoomed(node) {
  const path = [];
  for (let i = node; i !== 0; i = flame.tree.parent[i]) path.unshift(flame.labelOf(i).short);
  $("crumb").textContent = path.length === 0 ? "" : path.slice(-3).join(" › ");
  $("crumb").title = path.join(" › ").slice(0, 2000);
}

function chosen(work) {
  if (work === null) return say("");
  details.showKernel(shownSums, model.label(model.work.node[work]), 0, work);
  const lines = timeline.wordsOfWork(work), path = model.path(model.work.node[work]);
  say(lines.slice(0, 3).join("  ·  ") + "  ·  " + path.slice(0, -1).reverse().slice(0, 8).map(label => label.short + (label.file ? " " + place(label) : "")).join(" ‹ "));
}

function key(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const field = event.target, typing = field.tagName === "INPUT";
  if (event.key === "Escape") {
    if ($("keys").open) return;
    if ($("details").contains(field)) return closeDetails();
    if (typing || state.matches) { clearSearch(); mark(null); if (typing) field.blur(); }
    else if (flame.zoom !== 0 && state.tab === "flame") flame.zoomTo(0);
    else select(null);
    return event.preventDefault();
  }
  if (typing || field.tagName === "SELECT") return;
  const number = Number(event.key) - 1;
  if (event.key === "/") $("search").focus();
  else if (event.key === "?") showKeys(KEYS);
  else if (event.key === "t") toggleTheme();
  else if (event.key === "i") setDirection(state.direction === "down" ? "up" : "down");
  else if (event.key === "m") setMetric((state.metric + 1) % model.metrics.length);
  else if (TABS[number]) { open(TABS[number][0]); $("tab-" + state.tab).focus(); }
  else return;
  event.preventDefault();
}

// Prepares the page for printing, which always uses light colours.
function beforePrint(print) {
  const { theme } = document.documentElement.dataset, kernels = kernelSums(), { data } = model;
  document.documentElement.dataset.theme = "light";
  showWall();
  const rows = kernels.rows || (data.kernels && data.kernels.rows);
  print.make(shownSums, rows && { base: kernels.base ?? data.kernels.whole_ns, rows: rows.map(row => ({ ...row, short: tables.labelOf(row).short })) }, flame.tree);
  addEventListener("afterprint", () => { print.end(); document.documentElement.dataset.theme = theme; showWall(); }, { once: true });
}

function makeControls() {
  const { data } = model;
  makeTabs(TABS.map(([id, name]) => [id, name + (id === "findings" && data.findings.length ? ` (${data.findings.length})` : "")]), open);
  $("metric").append(...model.metrics.map(metric => make("option", {}, metric.name)));
  $("metric").addEventListener("change", event => setMetric(event.target.selectedIndex));
  const scopes = [make("option", { value: "all" }, data.processes.length > 1 ? "all processes" : "all threads")];
  data.processes.forEach((_, process) => {
    const threads = data.threads.map((thread, i) => [thread, i]).filter(([thread]) => thread.process === process);
    const group = make("optgroup", { label: processName(data, process) });
    if (data.processes.length > 1) group.append(make("option", { value: "process " + process }, processName(data, process)));
    for (const [thread, i] of threads) {
      group.append(make("option", { value: "thread " + i }, thread.others > 1 ? `${thread.others} other threads` : `${thread.name || "thread"} ${thread.tid || ""}`));
    }
    scopes.push(group);
  });
  $("scope").append(...scopes);
  $("scope").addEventListener("change", event => { state.scope = event.target.value; update(); });
  $("scopebox").hidden = data.threads.length < 2;
  $("metricbox").hidden = model.metrics.length < 2;
  $("down").addEventListener("click", () => setDirection("down"));
  $("up").addEventListener("click", () => setDirection("up"));
  for (const button of $("code").querySelectorAll("button")) button.addEventListener("click", () => setCode(button.value, state.libraries));
  for (const button of $("libraries").querySelectorAll("button")) button.addEventListener("click", () => setCode(state.code, button.value));
  const kinds = new Set(model.sites.map(kindClass));
  $("code").hidden = !kinds.has("python") || !kinds.has("native");
  $("libraries").hidden = !model.sites.some(label => label.own);
  $("theme").addEventListener("click", toggleTheme);
  $("help").addEventListener("click", () => showKeys(KEYS));
  $("range").querySelector("button").addEventListener("click", () => select(null));
  $("search").addEventListener("input", event => search(event.target.value));
  $("morelanes").addEventListener("click", () => { timeline.toggle(); showTimeNote(); flame.draw(); });
  document.addEventListener("keydown", key);
  const print = new Print($("print"), model), narrow = matchMedia(NARROW);
  addEventListener("beforeprint", () => beforePrint(print));
  narrow.addEventListener("change", showTab);
  new ResizeObserver(() => { timeline.layOut(); timeline.draw(); showTimeNote(); flame.draw(); if (state.tab === "sandwich") sandwich.draw(); }).observe(document.body);
}

function showTimeNote() {
  $("morelanes").hidden = timeline.hidden === 0 && !timeline.open;
  $("morelanes").textContent = timeline.open ? "fewer rows" : `${grouped(timeline.hidden)} more rows`;
  $("timenote").textContent = "drag to select, wheel to zoom";
}

// ---- start ------------------------------------------------------------------------------------------

// Removes the tabs that have nothing to show.
function leaveOutEmptyTabs(data) {
  const has = { ranks: data.ranks || data.lanes, kernels: data.kernels, source: data.sources.length > 0 || data.file_texts.length > 0, model: data.analyses, forecast: data.forecast,
    findings: data.findings && data.findings.rows.length > 0 };
  TABS.splice(0, TABS.length, ...TABS.filter(([id]) => !(id in has) || has[id]));
}

async function start() {
  followSystemTheme(showTheme);
  model = new Model(await readData());
  const { data } = model;
  if (model.metrics.length === 0) {
    model.metrics.push({ name: "nothing", unit: "count", what: "", events: 0, sum: 0 });
    model.values.push({ thread: [], node: [], self: [] });
  }
  if (data.steps) model.steps = { begin: data.column("step.begin", Float64Array), end: data.column("step.end", Float64Array) };
  $("time").hidden = !data.has_events;
  flame = new Flame($("flame"), model, { tip, status: say, zoomed, source: openSource, chosen: node => choose(model.functionOf[flame.tree.site[node]], state.direction === "down" ? node : 0) });
  timeline = new Timeline($("timeline"), model, { tip, status: say, chosen, select });
  details = new Details($("details"), model, chooser);
  callTree = new CallTree($("panel-tree"), model, { chosen: node => choose(model.functionOf[callTree.layout.site[node]], state.direction === "down" ? node : 0), source: openSource });
  sandwich = new Sandwich($("panel-sandwich"), model, { tip, status: say, choose, source: openSource });
  code = new Code($("panel-source"), model, { sourceParts: i => tables.sourceParts(i) }, { choose });
  tables = new Tables(model, { choose, open, source: id => openSource(shownSums.tree.site[heaviestNode(shownSums, id)]), kernel: label => details.showKernel(shownSums, label) });
  if (data.analyses) analyses = new Analyses(data.analyses);
  if (data.forecast) forecast = new Analyses(data.forecast);
  leaveOutEmptyTabs(data);
  Object.assign(KEYS.find(([keys]) => keys === "1 ... "), [`1 ... ${TABS.length}`, TABS.map(([, name]) => name).join(", ")]);
  makeControls();
  showHead();
  showLegends();
  showStart();
  showTimeNote();
  press("direction", "down");
  press("code", state.code);
  press("libraries", state.libraries);
  if (data.range) select({ begin: data.range.begin, end: data.range.end }, data.range.name);
  else update();
  shownFirst = true;
  requestAnimationFrame(() => setTimeout(() => performance.mark("gprofx-shown")));
}
