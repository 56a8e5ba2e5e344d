// Tests use window.gprofx to control the page. It is not a public interface:
//   ready           a promise that is fulfilled when the page is shown
//   state()         {tab, metric, range, scope, direction, theme, search, found, timed}
//   set(changes)    any of metric (name), range ({begin, end} in ns or null), scope, direction, code, libraries, search
//   open(tab)
//   rows("functions" | "kernels")   what the table shows; numbers are not rounded
//   flame()         {boxes: [{name, x, y, width}], zoom, total, left_out}; zoom(name) zooms to a box,
//                   press(name) acts as a click on it
//   source(i)       the annotated code of kernel i
//   lines()         [{line, self, total}] of the source file that is shown
//   findings()      the rows of the cards; steps(i) is the range of step i
//   analyses(name)  {rows: numbers by column, rows_total, reason} in the tab of the model
//   timeline()      {begin, end, events, blocks, selected, first_row, drawn_markers}; look(begin, end);
//                   operation(i) selects GPU operation i of the page
//   tree()          {rows: [{name, depth, total, self, open}], current} of the call tree
//   sandwich()      {name, callers, callees}: boxes as in flame(); choose(name) selects a function

const surface = {
  state: () => ({ tab: state.tab, metric: model.metrics[state.metric].name, range: state.range, scope: state.scope, direction: state.direction, code: state.code, libraries: state.libraries,
    theme: document.documentElement.dataset.theme, search: state.search, found: state.matches && state.matches.sites.size, timed: shownSums.timed }),
  set: changes => {
    if ("metric" in changes) setMetric(model.metrics.findIndex(each => each.name === changes.metric));
    if ("range" in changes) select(changes.range);
    if ("scope" in changes) { $("scope").value = changes.scope; state.scope = changes.scope; update(); }
    if ("direction" in changes) setDirection(changes.direction);
    if ("code" in changes || "libraries" in changes) setCode(changes.code || state.code, changes.libraries || state.libraries);
    if ("search" in changes) { $("search").value = changes.search; search(changes.search); }
  },
  open,
  rows: what => what === "functions" ? shownSums.rows.map(row => ({ name: model.functions[row.id].name, self: row.self, total: row.total,
    seen: row.seen ? [model.sites[row.seen].file, model.sites[row.seen].line] : null }))
    : (kernelSums().rows || model.data.kernels.rows).map(row => ({ name: model.data.texts[row.text], ns: row.ns, calls: row.calls, stalls: row.stalls })),
  flame: () => { flame.paint(performance.now()); return { boxes: flame.drawn.map(({ node, x, y, width }) => ({ name: flame.labelOf(node).name, x, y, width })), zoom: flame.labelOf(flame.zoom).name, total: flame.tree.total[0], left_out: flame.left_out }; },
  source: i => model.data.sources[i],
  tree: () => ({ rows: callTree.rows.map(node => ({ name: callTree.model.sites[callTree.layout.site[node]].name, depth: callTree.layout.depth[node], total: callTree.layout.total[node], self: callTree.layout.self[node], open: callTree.open.has(node) })),
    current: callTree.rows.indexOf(callTree.current) }),
  sandwich: () => { const boxes = half => (half.paint(performance.now()), half.drawn.map(({ node, x, y, width }) => ({ name: half.labelOf(node).name, x, y, width, total: half.tree.total[node] })));
    return { name: model.functions[sandwich.id].name, callers: boxes(sandwich.callers), callees: boxes(sandwich.callees) }; },
  lines: () => [...code.times].map(([line, { self, total }]) => ({ line, self, total })),
  choose: name => choose(shownSums.rows.map(row => row.id).find(id => model.functions[id].name === name)),
  findings: () => model.data.findings.rows,
  steps: i => ({ begin: model.steps.begin[i], end: model.steps.end[i] }),
  zoom: name => { const box = flame.drawn.find(each => flame.labelOf(each.node).name === name); flame.zoom = box.node; flame.jump(); },
  press: name => flame.zoomTo(flame.drawn.find(each => flame.labelOf(each.node).name === name)?.node ?? 0),
  analyses: name => { const table = analyses.tables.get(name); return { reason: table.reason, rows_total: table.rows_total,
    rows: table.rows.map(row => Object.fromEntries(table.columns.map((column, i) => [column.id, column.is_text ? row.texts[i] : row.numbers[i]]))) }; },
  timeline: () => { timeline.paint(); return { begin: timeline.begin, end: timeline.end, ...timeline.stats, selected: timeline.selected, first_row: (timeline.shown.find(lane => lane.what !== "marker") || { y: 0 }).y, drawn_markers: timeline.drawnMarkers }; },
  look: (begin, end) => { timeline.look(begin, end); },
  operation: work => timeline.choose(work),
};
surface.ready = start().catch(error => {
  say("this page cannot be shown: " + error.message);
  $("facts").textContent = "this page cannot be shown: " + error.message;
  throw error;
});
window.gprofx = surface;
