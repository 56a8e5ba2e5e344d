// Builds the page of a job of benchmarks: a table of all, and the comparison (diff_app.js) of each
// that changed. The hash of the address chooses: "#3" is the comparison in the element "data-3".
// Each choice loads the page anew, so that only one of them ever has the keys and the panels.
//
// Tests use window.gprofx to control the page. It is not a public interface:
//   ready       a promise that is fulfilled when the page is shown
//   benchmarks  the rows of the table
//   and what diff_app.js has, where a comparison is shown

const OVERVIEW_KEYS = [["/", "search names; Esc ends it"], ["arrows", "walk the table"], ["Enter", "open the comparison of a benchmark that changed"],
  ["t", "light or dark"], ["?", "these keys"]];
let job, overviewShown = ROWS;

function verdictColor(verdict) {
  return { slower: "var(--bad)", failed: "var(--bad)", faster: "var(--good)" }[verdict] || "var(--line)";
}

function openComparison(row) { if (row.page) location.hash = "#" + row.page; }

// ---- the table of all benchmarks ------------------------------------------------------------------

function benchmarkCells(row) {
  const color = verdictColor(row.verdict), name = row.page ? make("a", { href: "#" + row.page }, row.name) : row.name;
  const cells = [make("td", { class: "text kind" }, make("i", { style: `background:${color}` }), row.verdict),
    ...["change", "interval", "base", "head", "rounds"].map(field => make("td", {}, row[field]))];
  if (job.has_history) cells.push(make("td", { class: "text more" }, row.history ? historyPlot(row.history, row.head_ns, color) : ""));
  return [...cells, make("td", { class: "name bench" }, name, ...row.reasons.map(reason => make("div", {}, reason)))];
}

function benchmarkTable(rows) {
  const some = rows.slice(0, overviewShown), heads = ["", "change", "95% interval", "base", "head", "rounds"].map((title, i) => ({ title, class: i === 0 ? "text" : "" }));
  if (job.has_history) heads.push({ title: "history", class: "text more" });
  const table = makeTable(`${restText(rows.length, some.length)} benchmark${rows.length === 1 ? "" : "s"}; times are per call`, [...heads, { title: "benchmark, and what changed in it", class: "text name" }],
    some.map(row => ({ value: row, cells: benchmarkCells(row) })), openComparison);
  return [table, moreButton(rows.length, some.length, () => { overviewShown += 5 * ROWS; showOverview(); })].filter(Boolean);
}

function showOverview() {
  const text = $("search").value.toLowerCase(), rows = job.benchmarks.filter(row => row.name.toLowerCase().includes(text));
  $("found").textContent = text ? grouped(rows.length) : "";
  $("overview").replaceChildren(make("ul", { class: "list" }, ...job.notes.map(note => make("li", {}, note))), ...benchmarkTable(rows));
}

function overviewKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || $("keys").open) return;
  const typing = event.target.tagName === "INPUT";
  if (event.key === "Escape" && typing) { $("search").value = ""; showOverview(); event.target.blur(); }
  else if (typing) return;
  else if (event.key === "/") $("search").focus();
  else if (event.key === "?") showKeys(OVERVIEW_KEYS);
  else if (event.key === "t") toggleTheme();
  else return;
  event.preventDefault();
}

function startOverview() {
  for (const part of document.querySelectorAll("#said, nav, main")) part.hidden = true;
  $("overview").hidden = false;
  document.title = `${job.headline} - gprof-x`;
  $("title").textContent = job.headline;
  $("title").style.color = job.status === 1 || job.status === 2 ? "var(--bad)" : "";
  $("facts").textContent = job.facts;
  followSystemTheme(() => {});
  $("theme").addEventListener("click", toggleTheme);
  $("help").addEventListener("click", () => showKeys(OVERVIEW_KEYS));
  $("search").addEventListener("input", showOverview);
  document.addEventListener("keydown", overviewKey);
  showOverview();
  say("a benchmark that changed opens the flame graph of both versions");
}

// ---- one comparison -------------------------------------------------------------------------------

// Zooms past the frames of the framework, which are below the whole time of both versions.
function skipCommonFrames() {
  const { tree } = flame, isCommon = node => tree.total[node] >= 0.98 * tree.total[0] && !hueOf(flame.changeOf(node));
  let node = 0;
  for (let next = 0; next !== undefined; next = flame.childrenOf(node).find(isCommon)) node = next;
  if (node === 0) return;
  flame.scroll = (tree.depth[node] - 2) * ROW;
  flame.current = node;
  flame.zoomTo(node);
}

// Replaces the head of the comparison, because the job has judged the benchmark by more than its
// samples.
async function startComparison(row) {
  await start("data-" + row.page);
  skipCommonFrames();
  document.title = `${row.name} - gprof-x`;
  $("title").textContent = row.name;
  $("title").title = row.name;
  $("title").style.color = verdictColor(row.verdict);
  $("facts").replaceChildren(make("a", { href: "#" }, "all benchmarks"), "  ·  ",
    make("b", {}, `${row.verdict} ${row.change}${row.interval ? ` (${row.interval})` : ""}, ${row.base} -> ${row.head} per call`), `  ·  ${row.rounds} rounds`);
  $("said").replaceChildren(make("ul", { class: "list" }, ...row.reasons.map(reason => make("li", {}, reason))));
}

async function startBenchmarks() {
  job = await readData();
  surface.benchmarks = job.benchmarks;
  addEventListener("hashchange", () => location.reload());
  const chosen = job.benchmarks.find(row => row.page && "#" + row.page === location.hash);
  if (chosen) await startComparison(chosen);
  else startOverview();
}

surface.ready = startBenchmarks().catch(error => {
  say("this page cannot be shown: " + error.message);
  throw error;
});
