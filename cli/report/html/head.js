// Makes the head of the page, its legends, and the notes about its data.

function showHead() {
  const { data } = model;
  document.title = (data.program || "profile") + " - gprof-x";
  $("title").textContent = data.program || "(unnamed program)";
  const facts = [duration(data.length_ns)];
  if (data.processes_total > 1) facts.push(`${grouped(data.processes_total)} processes`);
  facts.push(`${grouped(data.threads_total)} ${data.threads_total === 1 ? "thread" : "threads"}`);
  if (data.steps) facts.push(data.steps.text);
  if (data.corrected) facts.push(`host times divided by ${data.corrected.toFixed(3)}, samples by ${data.corrected_samples.toFixed(3)}: the measured cost of recording`);
  if (data.start_realtime_ns > 0) facts.push(new Date(data.start_realtime_ns / 1e6).toISOString().replace("T", " ").slice(0, 16) + " UTC");
  $("facts").replaceChildren(make("b", {}, facts[0]), "  ·  " + facts.slice(1).join("  ·  ") + "  ·  ",
    make("span", { class: data.degraded ? "bad" : "good" }, data.degraded ? "data degraded" : "data good"));
}

function legend(kinds) {
  return kinds.map(kind => make("span", {}, make("i", { style: `background:${colorOf(kind)}` }), KIND_WORDS[kind]));
}

function showLegends() {
  const kinds = new Set(model.sites.slice(1).map(kindClass));
  $("flamelegend").replaceChildren(...legend(Object.keys(COLORS).filter(kind => kinds.has(kind))));
  const used = new Set(timeline.lanes.flatMap(lane => (LANE[lane.what] || []).filter((_, k) => lane.buckets[k].some(each => each > 0))));
  $("timelegend").replaceChildren(...legend([...LANE.thread, ...LANE.stream].filter(kind => used.has(kind))));
}

// Returns the name of a range: "the steady part", "steps 3 to 8", "1.5 s to 2 s".
function partText(range) {
  if (!range.name) return rangeText(range);
  return range.name.startsWith("steps") ? range.name : `the ${range.name} part`;
}

function notes() {
  const { data } = model, list = [];
  const single = model.samples.time.length + model.work.start.length + model.waits.start.length;
  if (!data.has_events) list.push("The recording has no timeline: ranges cannot be selected.");
  else if (model.part.begin.length === 0) list.push(`All ${grouped(single)} samples, GPU operations and waits are in this page one by one: any range can be selected to the nanosecond.`);
  else {
    list.push(`${grouped(single)} samples, GPU operations and waits are in this page one by one: those of ${rangeText(model.window)}. ` +
      `Of the rest there are sums of ${grouped(model.part.begin.length)} parts of the time; there a range begins and ends where a part does` +
      (data.slice_nodes > 0 ? `, and only the ${grouped(data.slice_nodes)} heaviest call paths are told apart. ` : ". ") +
      "'gprof-x report --html OUT --range BEGIN..END' makes a page with the details of another part.");
  }
  list.push(data.left_out_nodes > 0 ? `The ${grouped(data.left_out_nodes)} smallest call paths are summed up as '[smaller branches]' below their callers; totals of functions in them are lower bounds.`
    : `All ${grouped(model.parent.length)} call paths are in this page.`);
  if (data.markers.left_out > 0) list.push(`The ${grouped(data.markers.left_out)} shortest of the ranges that the program has named are not in this page.`);
  const others = data.threads.find(thread => thread.others > 1);
  if (others) list.push(`${grouped(others.others)} threads with little time are taken together.`);
  return list;
}
