// Shows the ranks of a parallel run side by side: their work, why their GPUs were idle, and their
// steps. The slowest rank is marked.

const RANK_FACTS = [["cpu_ns", "CPU time"], ["gpu_ns", "GPU time"], ["communication_ns", "of it communication"], ["gpu_wait_ns", "waiting for the GPU"]];
const SLOWEST_BY = { communication_ns: "it spends the least time in communication, in which the others wait for it", gpu_ns: "it has the most GPU time", cpu_ns: "it has the most CPU time" };

function rankName(rank) { return rank.host ? `${rank.name} on ${rank.host}` : rank.name; }

function slowestText(ranks) {
  if (ranks.slowest === null) return "No rank is slower than the others by 1 %.";
  return `Slowest is ${rankName(ranks.ranks[ranks.slowest])}: ${SLOWEST_BY[ranks.slowest_by] || ""}.`;
}

function rankTable(ranks) {
  const known = RANK_FACTS.filter(([id]) => ranks.spread[id].most > 0), most = id => Math.max(1, ranks.spread[id].most);
  const rows = ranks.ranks.map((rank, i) => make("tr", { class: i === ranks.slowest ? "late" : null },
    make("th", { scope: "row", class: "text" }, rankName(rank), i === ranks.slowest ? make("b", { class: "mark" }, " slowest") : null),
    ...known.flatMap(([id]) => [make("td", {}, duration(rank[id])), shareCell(rank[id], most(id))])));
  return make("table", { class: "plain-rows" }, make("caption", {}, "time of each rank"), make("thead", {}, make("tr", {}, make("th", { scope: "col", class: "text" }, "rank"),
    ...known.flatMap(([, name]) => [make("th", { scope: "col" }, name), make("td", { class: "wide" })]))), make("tbody", {}, ...rows));
}

// Makes a table of the steps of each process. The process with the longest median is marked.
function stepTable(trains) {
  const most = Math.max(...trains.map(each => each.median_ns), 1), columns = ["median", "mean", "95 % below"];
  const rows = trains.map(each => make("tr", { class: each.median_ns === most ? "late" : null }, make("th", { scope: "row", class: "text" }, each.rank >= 0 ? `rank ${each.rank}` : `${each.process} (${each.pid})`),
    make("td", {}, grouped(each.count)), ...[each.median_ns, each.mean_ns, each.p95_ns].map(ns => make("td", {}, duration(ns))), shareCell(each.median_ns, most)));
  return make("table", { class: "plain-rows" }, make("caption", {}, "steps of each process, after the warm-up"), make("thead", {}, make("tr", {}, make("th", { scope: "col", class: "text" }, "process"), make("th", { scope: "col" }, "steps"),
    ...columns.map(name => make("th", { scope: "col" }, name)), make("td", { class: "wide" }))), make("tbody", {}, ...rows));
}

function showRanks(panel, data, lanes) {
  const parts = [];
  if (data.ranks) parts.push(make("h2", {}, slowestText(data.ranks)), make("div", { class: "across", tabindex: 0, role: "region", "aria-label": "Time of each rank" }, rankTable(data.ranks)));
  if (data.trains && data.trains.length > 1) parts.push(make("h2", {}, "Steps"), make("div", { class: "across", tabindex: 0, role: "region", "aria-label": "Steps of each process" }, stepTable(data.trains)));
  if (lanes) {
    parts.push(make("h2", {}, "Where the time of each GPU and process went"),
      ...lanes.rows.filter(lane => lane.wall).map(lane => make("section", { class: "rank", "aria-label": laneName(lane) }, make("h3", {}, laneName(lane)), wallStack(lane.wall), wallWords(lane.wall, "", 1))));
    if (lanes.rows.length < lanes.rows_total) parts.push(make("p", { class: "note" }, `${grouped(lanes.rows.length)} of ${grouped(lanes.rows_total)}; 'gprof-x report --ranks' has all.`));
  }
  panel.replaceChildren(...parts);
}
