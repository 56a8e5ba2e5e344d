// Shows the start of the page: the verdict, the findings with the largest savings, and where wall
// time went, as one bar for each GPU and process.

const FEW_FINDINGS = 3, FEW_LANES = 8, NAMED_TENTHS = 45;
const BUSY_KINDS = { compute: "gpu", communication: "communication", copy: "copy" };

function idleKind(what) {
  return /Python/.test(what) ? "python" : /native|CUDA/.test(what) ? "native" : /^in |queue/.test(what) ? "wait" : "other";
}

// Makes an element for a sentence of the verdict. The name of the function in it is a button.
function sentence(text, own, open) {
  const at = own ? text.indexOf(own.name === "<module>" ? " is in " : own.name) : -1;
  if (at < 0) return make("p", {}, text);
  const begin = own.name === "<module>" ? at + " is in ".length : at, tail = text.slice(begin);
  const length = (own.name === "<module>" ? /^[^ ,]+/ : /^.*?\)(?=[,.])|^[^,]+?(?=[,.])/).exec(tail)?.[0].length || own.name.length;
  return make("p", {}, text.slice(0, begin), make("button", { type: "button", class: "link code", title: "its callers, callees and lines", onclick: open }, tail.slice(0, length)), tail.slice(length));
}

function showVerdict(box, verdict, openOwn) {
  box.hidden = verdict.sentences.length === 0;
  box.replaceChildren(...verdict.sentences.map(text => sentence(text, verdict.own && / is in /.test(text) ? verdict.own : null, openOwn)));
}

function findingPlace(finding) { return finding.file ? place(finding) : finding.function || "the whole run"; }

// Shows the first findings. Each is a button that opens its card.
function showFirstFindings(box, findings, open) {
  box.hidden = !findings || findings.rows.length === 0;
  if (box.hidden) return;
  const more = findings.rows.length - FEW_FINDINGS;
  const buttons = findings.rows.slice(0, FEW_FINDINGS).map((each, i) => make("button", { type: "button", class: "brief", title: each.summary, onclick: () => open(i) },
    make("b", {}, `F${i + 1} ${each.title}`), make("span", {}, `${findingPlace(each)}: saves ${each.saving}`)));
  if (more > 0) buttons.push(make("button", { type: "button", class: "brief more", onclick: () => open(FEW_FINDINGS) }, `${grouped(more)} more`));
  box.replaceChildren(...buttons);
}

function wallParts(wall) {
  return wall.busy_parts.map(part => ({ ...part, kind: BUSY_KINDS[part.what] || "gpu" }))
    .concat(wall.idle_parts.map(part => ({ ...part, kind: idleKind(part.what), idle: true })));
}

function wallShare(part, wall) {
  const margin = part.margin_ns ? " ±" + Math.max(0.1, 100 * part.margin_ns / wall.total_ns).toFixed(1) : "";
  return (part.tenths / 10).toFixed(1) + "%" + margin;
}

// Returns the colour of a part of the bar. Idle parts are pale.
function wallColor(part) {
  return part.idle ? `color-mix(in srgb, ${colorOf(part.kind)} 55%, ${isDark() ? "#8b96a3" : "#fff"})` : colorOf(part.kind);
}

function wallStack(wall) {
  const words = part => `${part.idle ? "GPU idle: " : "GPU: "}${part.what} ${wallShare(part, wall)}, ${duration(part.ns)}`;
  const parts = wallParts(wall).filter(part => part.tenths > 0);
  return make("div", { class: "stack", role: "img", "aria-label": parts.map(words).join("; ") }, ...parts.map(part =>
    make("span", { style: `flex:${part.tenths} 1 0;background:${wallColor(part)}`, title: words(part) },
      part.tenths > NAMED_TENTHS ? make("b", {}, `${part.what} ${wallShare(part, wall)}`) : "")));
}

// Describes a bar in words. `gpus` is the number of GPUs that the bar combines. If there are
// several, a part is the time in which at least one of them did that.
function wallWords(wall, of, gpus) {
  const names = gpus > 1 ? [`at least one of ${gpus} GPUs busy`, "all idle"] : ["GPU busy", "idle"];
  const parts = wallParts(wall).filter(part => part.tenths > 0);
  const words = [[names[0], wall.busy, parts.filter(part => !part.idle)], [names[1], wall.idle, parts.filter(part => part.idle)]].map(([name, all, list]) =>
    make("span", {}, make("b", {}, `${name} ${wallShare(all, wall)}`), ...list.map(part => make("span", { class: "part" }, make("i", { style: `background:${wallColor(part)}` }), `${part.what} ${wallShare(part, wall)}`))));
  const whole = wall.unseen_ns ? `of ${duration(wall.total_ns)} with GPU records${of}${wall.idle.margin_ns ? ", ± at 95 %" : ""}` : `of ${duration(wall.total_ns)} wall time${of}`;
  return make("div", { class: "legend words" }, ...words, make("span", {}, whole));
}

// Returns the name of a lane: "rank 1, GPU 0" or "GPU 0, train.py 676".
function laneName(lane) {
  const gpu = lane.gpu === null ? "GPU ?" : "GPU " + lane.gpu;
  return lane.rank !== null ? `rank ${lane.rank}, ${gpu}` : `${gpu}, ${lane.process} ${lane.pid}`;
}

function laneRow(lane) {
  if (!lane.wall) return [];
  const largest = lane.wall.idle_parts[0], idle = `idle ${wallShare(lane.wall.idle, lane.wall)}`;
  return [make("span", { class: "lane" }, laneName(lane)), wallStack(lane.wall),
    make("span", { class: "note" }, idle + (largest && largest.tenths > 0 ? `, ${largest.what} ${wallShare(largest, lane.wall)}` : ""))];
}

// Shows the bars. `of` says which wall time they show, as the end of a phrase.
function showWallBars(box, wall, lanes, of, gpus) {
  box.hidden = !wall;
  if (!wall) return;
  if (!lanes) return box.replaceChildren(wallStack(wall), wallWords(wall, of, gpus));
  const rest = lanes.rows_total - FEW_LANES;
  box.replaceChildren(make("div", { class: "lanes" }, ...lanes.rows.slice(0, FEW_LANES).flatMap(laneRow)),
    make("div", { class: "note" }, `each GPU and process, of its time${of} from its first work on` + (rest > 0 ? `; ${grouped(rest)} more in Ranks` : "")));
}
