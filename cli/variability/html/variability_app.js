// Builds the page of a variability analysis.
//
// Tests use window.gprofx to control the page. It is not a public interface:
//   ready       a promise that is fulfilled when the page is shown
//   state()     {tab, theme, shard, group, search}
//   open(tab)   heat, steps, groups, findings, shards or events
//   shard(k), group(i)

const KEYS = [["/", "search groups; Esc ends it"], ["1 ... 6", "the parts of the page"], ["t", "light or dark"], ["?", "these keys"],
  ["heat map", "arrows walk, Enter shows what a shard is made of"], ["tables", "arrows walk, Enter goes deeper"]];
const MOST_LINES = 300;

const state = { tab: "heat", shard: -1, group: -1, search: "" };
let tabs = [["heat", "Heat map"], ["steps", "Steps"], ["groups", "Groups"], ["findings", "Findings"], ["shards", "Shards"], ["events", "Executions"]];
let model, words, heat, shown = ROWS;

function ratio(value) { return value === null ? "-" : value.toFixed(2) + "x"; }
function chance(p) { return p < 1e-4 ? p.toExponential(0) : p.toFixed(4); }
function share(value) { return value === null ? "-" : (100 * value).toFixed(1) + "%"; }
function cell(text) { return make("td", {}, text); }
function wordCell(text) { return make("td", { class: "name", title: text.slice(0, 500) }, text); }
function head(title, text) { return { title, class: text ? "text" : "" }; }
function shardName(k) { return `${k}: ${model.shards[k].name}`; }
function plural(n, what) { return `${grouped(n)} ${what}${n === 1 ? "" : "s"}`; }

function showHead() {
  document.title = "variability - gprof-x";
  $("title").textContent = "variability";
  $("facts").replaceChildren(make("b", {}, `${plural(model.kernels, "kernel")} on ${plural(model.lanes.length, "GPU")}`),
    `  ·  ${model.devices.filter(Boolean).join(", ")}  ·  ${plural(model.files, "file")}, ${plural(model.shards.length, "shard")} by ${model.axis}, ${duration(model.end_ns - model.begin_ns)}`);
  const lines = model.step_causes.map((row, i) =>
    `${words.causes[i]}: ${plural(row.steps, "step")} ${ratio(row.ratio)} as long (${ratio(row.low)} to ${ratio(row.high)}), ${signedTime(row.excess_per_step_ns)} per step`);
  const rest = model.unexplained_steps;
  if (rest.steps > 0) lines.push(`${plural(rest.steps, "longer step")}, ${signedTime(rest.excess_ns)}: unexplained, most of it ${rest.part}`);
  if (lines.length === 0 && model.steps) lines.push("No step takes clearly longer than the others.");
  if (model.partial) lines.push("Partial: some of the files are missing.");
  $("said").replaceChildren(make("ul", { class: "list" }, ...[...lines, ...model.problems].map(line => make("li", {}, line))));
}

// Returns the name of a bin of the heat map. If shards are by time or by step, they are the bins.
// Otherwise bins are intervals of time.
function binName(bin) {
  if (model.axis === "time" || model.axis === "step") return model.shards[bin].name;
  const length = (model.end_ns - model.begin_ns) / model.heat_excess_ns[0].length;
  return `${duration(bin * length)} to ${duration((bin + 1) * length)}`;
}

function openBin(bin, lane) {
  const shard = { time: bin, step: bin, rank: model.lanes[lane].rank_shard, device: lane }[model.axis];
  openShard(shard);
}

function showHeat(panel) {
  if (model.heat_excess_ns.length === 0) return panel.replaceChildren(make("p", {}, "There are too many GPUs and shards for a heat map; --by rank or --shards makes fewer."));
  if (!heat) {
    const canvas = make("canvas", { id: "heat", tabindex: 0, "aria-label": "Heat map: arrows to walk, Enter for what a shard is made of" });
    heat = new HeatMap(canvas, model.heat_excess_ns, model.lanes.map(lane => lane.name), binName, openBin);
    const scale = [-1, -0.3, 0, 0.3, 1].map(each => make("i", { "data-heat": each }));
    panel.replaceChildren(make("p", { class: "legend" }, "Time of kernels against the medians of their groups, by GPU and " + (model.axis === "step" ? "step" : "time") + ":  less ",
      ...scale, " more"), canvas);
  }
  for (const swatch of panel.querySelectorAll("[data-heat]")) swatch.style.background = heatColor(Number(swatch.dataset.heat));
  heat.draw();
}

// Makes the heading of a column. Long words such as "cudaStreamSynchronize" may be broken between
// their parts.
function partHead(words) {
  return make("th", { class: "part", scope: "col" }, ...words.split(/(?<=[a-z])(?=[A-Z])/).flatMap(piece => [make("wbr"), piece]));
}

// Makes a cell with a share of a variance. A larger share has a darker background.
function varianceCell(value, varies) {
  return make("td", varies ? { style: `background:${heatColor(value / 4)}` } : {}, varies ? share(value) : "-");
}

function sayShares(name, shares) {
  const parts = shares.map((value, i) => ({ value, i })).filter(each => Math.abs(each.value) >= 0.01).sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
  say(`${name}: ${parts.map(({ value, i }) => `${share(value)} ${model.steps.parts[i].in_words}`).join(", ") || "its steps do not vary"}`);
}

// Shows which parts of a step make its time vary, for each GPU and for all of them together.
function showSteps(panel) {
  const steps = model.steps;
  if (!steps) return panel.replaceChildren(make("p", {}, "No steps are known: what a step takes is not told."));
  const all = { name: "all GPUs", steps: steps.steps, median_ns: steps.median_ns, variance_ns2: null, shares_of_variance: steps.parts.map(part => part.share_of_variance) };
  const rows = [all, ...steps.lanes.slice(0, shown).map(row => ({ ...row, name: model.lanes[row.lane].name }))];
  const table = makeTable(`${restText(steps.lanes.length, rows.length - 1)} GPUs, those that vary most first: shares of the variance of step time, by what of the step varies`,
    [head("GPU", true), head("steps"), head("median"), head("deviation"), ...steps.parts.map(part => partHead(part.in_words))],
    rows.map(row => ({ value: row, cells: [make("td", { class: "text" }, row.name), cell(grouped(row.steps)), cell(duration(row.median_ns)),
      cell(row.variance_ns2 === null ? "" : duration(Math.sqrt(row.variance_ns2))),
      ...row.shares_of_variance.map(value => varianceCell(value, row.variance_ns2 !== 0))] })), row => sayShares(row.name, row.shares_of_variance));
  const medians = makeTable("of a step, medians over all GPUs", [head("median"), head("of the variance"), head("part", true)],
    steps.parts.map(part => ({ value: part, cells: [cell(duration(part.median_ns)), cell(share(part.share_of_variance)), wordCell(part.in_words)] })));
  const more = moreButton(steps.lanes.length, rows.length - 1, () => { shown += 5 * ROWS; showTab(); });
  panel.replaceChildren(...[make("p", {}, `${plural(steps.steps, "step")} of ${duration(steps.median_ns)} (p25 ${duration(steps.p25_ns)}, p75 ${duration(steps.p75_ns)}, p95 ${duration(steps.p95_ns)}, max ${duration(steps.max_ns)})`),
    make("div", { class: "across" }, table), more, make("h2", {}, "Parts"), medians].filter(Boolean));
}

function chosenGroups() {
  const part = state.search.toLowerCase(), rows = model.groups.map((_, i) => i).filter(i => model.groups[i].votes);
  return part ? rows.filter(i => words.groups[i].toLowerCase().includes(part)) : rows;
}

function groupTable(groups) {
  const some = groups.slice(0, shown);
  return [makeTable(`${restText(groups.length, some.length)} groups, by time beyond their medians`,
    [head("excess"), head("n"), head("median"), head("IQR"), head("p95"), head("max"), head("trend"), head("group", true)],
    some.map(i => { const row = model.groups[i];
      return { value: i, cells: [cell(signedTime(row.excess_ns)), cell(grouped(row.n)), cell(duration(row.median_ns)), cell(share(row.relative_iqr)),
        cell(ratio(row.p95_ns / row.median_ns)), cell(ratio(row.max_ns / row.median_ns)), cell((row.trend < 0 ? "" : "+") + share(row.trend)), wordCell(words.groups[i])] }; }),
    i => openGroup(i)), moreButton(groups.length, some.length, () => { shown += 5 * ROWS; showTab(); })].filter(Boolean);
}

function showGroups(panel) {
  const groups = chosenGroups(), lines = groups.slice(0, MOST_LINES);
  if (groups.length === 0) return panel.replaceChildren(make("p", {}, "No group of this name."));
  const picture = parallelPlot(lines.map(i => model.groups[i]), lines.map(i => words.groups[i]), lines.indexOf(state.group), Math.max(320, panel.clientWidth - 28), k => openGroup(lines[k]));
  panel.replaceChildren(picture, make("p", { class: "note" }, state.group >= 0 ? words.groups[state.group] : "A line is a group; a click keeps it."), ...groupTable(groups));
}

function findingTable(rows) {
  return makeTable(`${plural(rows.length, "finding")}; 5% of them may be false`,
    [head("excess"), head("by"), head("n"), head("p"), head("shard", true), head("why", true), head("group", true)],
    rows.map(i => { const row = model.findings[i], name = row.group === null ? "most kernels" : words.groups[row.group];
      return { value: row, cells: [cell(signedTime(row.excess_ns)), cell(ratio(row.ratio)), cell(grouped(row.n)), cell(chance(row.p)),
        make("td", { class: "text" }, shardName(row.shard)), make("td", { class: "text" }, words.findings[i]), wordCell(name)] }; }), row => openShard(row.shard));
}

function showFindings(panel) {
  const parts = [model.findings.length ? findingTable(model.findings.map((_, i) => i)) : make("p", {}, "No shard differs from the others (5% false findings allowed, effects below 2% left out).")];
  const effects = model.effects.map((row, i) => ({ row, i })).filter(each => each.row.is_finding);
  if (effects.length) {
    parts.push(make("h2", {}, "What it costs to have something beside it"), makeTable("matched pairs", [head("excess"), head("by"), head("95% from"), head("to"), head("pairs"), head("beside", true), head("group", true)],
      effects.map(({ row, i }) => ({ value: row.group, cells: [cell(signedTime(row.excess_ns)), cell(ratio(row.ratio)), cell(ratio(row.low)), cell(ratio(row.high)), cell(grouped(row.pairs)),
        make("td", { class: "text" }, words.effects[i]), wordCell(words.groups[row.group])] })), openGroup));
  }
  if (model.late.length) {
    parts.push(make("h2", {}, "Who comes late to collectives"), makeTable(`${duration(model.waiting_ns)} waiting, ${duration(model.transfer_ns)} transfer`,
      [head("late by"), head("last in"), head("of"), head("waited"), head("p"), head("rank", true)],
      model.late.map(row => ({ value: row, cells: [cell(duration(row.caused_ns)), cell(grouped(row.last)), cell(grouped(row.collectives)), cell(duration(row.waited_ns)), cell(chance(row.p)),
        wordCell(model.lanes[row.lane].name + (row.is_late ? ": late" : ""))] }))));
  }
  panel.replaceChildren(...parts);
}

function showShards(panel) {
  const parts = [];
  if (state.shard >= 0) {
    const here = model.findings.map((_, i) => i).filter(i => model.findings[i].shard === state.shard), row = model.shards[state.shard];
    parts.push(make("h2", {}, "Shard " + shardName(state.shard)), make("p", {}, `${plural(row.kernels, "kernel")}, ${signedTime(row.excess_ns)} against the medians, ${duration(row.waiting_ns)} waiting for a late rank.`));
    parts.push(here.length ? findingTable(here) : make("p", {}, "Nothing in it certainly differs from the other shards."));
    parts.push(make("p", { class: "note" }, model.events && model.events.shard === state.shard ? "Its executions are on the tab Executions."
      : `Its executions: gprof-x variability --by ${model.axis} --list ${state.shard} FILES...`), make("h2", {}, "All shards"));
  }
  const rows = model.shards.map((_, i) => i), some = rows.slice(0, shown);
  parts.push(makeTable(`${restText(rows.length, some.length)} shards by ${model.axis}`, [head("kernels"), head("by median"), head("IQR"), head("excess"), head("waiting"), head("p"), head("shard", true)],
    some.map(i => { const row = model.shards[i];
      return { value: i, cells: [cell(grouped(row.kernels)), cell(ratio(row.ratio)), cell(share(row.relative_iqr)), cell(signedTime(row.excess_ns)), cell(duration(row.waiting_ns)), cell(chance(row.p)),
        wordCell(shardName(i) + (row.kernels === 0 ? "  empty" : row.differs ? "  differs" : ""))] }; }), openShard));
  const more = moreButton(rows.length, some.length, () => { shown += 5 * ROWS; showTab(); });
  panel.replaceChildren(...parts, ...[more].filter(Boolean));
}

function showEvents(panel) {
  if (!model.events) return panel.replaceChildren(make("p", {}, "The executions of one shard are listed where the page was made with --list SHARD."));
  panel.replaceChildren(makeTable(`executions with the most excess in shard ${shardName(model.events.shard)}`,
    [head("begin"), head("took"), head("excess"), head("stream"), head("rank", true), head("beside", true), head("group", true)],
    model.events.rows.map(row => ({ value: row.group, cells: [cell((row.start_ns / 1e9).toFixed(6) + " s"), cell(duration(row.duration_ns)), cell(signedTime(row.excess_ns)), cell(String(row.stream)),
      make("td", { class: "text" }, model.lanes[row.lane].name), make("td", { class: "text" }, row.beside.join(", ")), wordCell(words.groups[row.group])] })), openGroup));
}

function showTab() {
  showOnly(tabs, state.tab);
  const panel = $("panel-" + state.tab);
  ({ heat: showHeat, steps: showSteps, groups: showGroups, findings: showFindings, shards: showShards, events: showEvents })[state.tab](panel);
}

function open(tab) { state.tab = tab; showTab(); }
function openShard(k) { state.shard = k; open("shards"); $("panel-shards").scrollTop = 0; say("shard " + shardName(k)); }
function openGroup(i) { state.group = i; open("groups"); $("panel-groups").scrollTop = 0; say(words.groups[i]); }

function search(text) {
  state.search = $("search").value = text;
  $("found").textContent = text ? grouped(chosenGroups().length) : "";
  if (text && state.tab !== "groups") state.tab = "groups";
  showTab();
}

function key(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || $("keys").open) return;
  const typing = event.target.tagName === "INPUT", tab = tabs[Number(event.key) - 1];
  if (event.key === "Escape" && (typing || state.search)) { search(""); if (typing) event.target.blur(); }
  else if (typing) return;
  else if (event.key === "/") $("search").focus();
  else if (event.key === "?") showKeys(KEYS);
  else if (event.key === "t") toggleTheme();
  else if (tab) { open(tab[0]); $("tab-" + tab[0]).focus(); }
  else return;
  event.preventDefault();
}

async function start() {
  followSystemTheme(() => { if (model) showTab(); });
  ({ model, words } = await readData());
  const many = { groups: model.groups.length - model.silent_groups, findings: model.findings.length, shards: model.shards.length };
  makeTabs(tabs.map(([id, name]) => [id, many[id] ? `${name} (${grouped(many[id])})` : name]), open);
  $("theme").addEventListener("click", toggleTheme);
  $("help").addEventListener("click", () => showKeys(KEYS));
  $("search").addEventListener("input", event => search(event.target.value));
  document.addEventListener("keydown", key);
  new ResizeObserver(() => showTab()).observe(document.body);
  showHead();
  showTab();
  say("a click on the heat map shows what a shard is made of");
}

const surface = {
  state: () => ({ ...state, theme: document.documentElement.dataset.theme }),
  open,
  shard: openShard,
  group: openGroup,
};
surface.ready = start().catch(error => {
  say("this page cannot be shown: " + error.message);
  throw error;
});
window.gprofx = surface;
