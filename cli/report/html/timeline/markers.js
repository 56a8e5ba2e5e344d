// Draws ranges that the program has named. Each thread with such ranges has a lane. A lane has rows
// in which ranges do not overlap (core/views/page/page_markers.h chooses the rows).

const MARKER_ROW = 14, USUAL_MARKERS = 2;
// Each entry is [light, dark]. The colours are different from those of all kinds of code.
const MARKER_COLORS = [["#b9a7e8", "#9c88d4"], ["#8fd3c8", "#6fb5aa"], ["#e3b7a0", "#c69780"], ["#c3d98b", "#a3ba6c"], ["#f0a3b8", "#d3849b"]];

function markerLanes(model) {
  const { lanes } = model.data.markers, { lane, start, row, duration } = model.markers;
  const longest = duration.reduce((a, b) => Math.max(a, b), 0);
  return lanes.map((each, index) => {
    // Positions of the ranges of each row, in order of time.
    const rows = Array.from({ length: each.rows }, () => []);
    for (let i = 0; i < start.length; i++) if (lane[i] === index) rows[row[i]].push(i);
    return { what: "marker", index, rows, longest, height: MARKER_ROW * each.rows + 2, buckets: [], rare: false,
      name: "ranges", short: "ranges", more: each.thread || String(each.tid) };
  });
}

function paintMarkers(view, context, lane, width) {
  const { ink, gutter, model } = view, { start, duration: length, name } = model.markers, { texts } = model.data;
  context.fillStyle = ink.bg;
  context.fillRect(gutter, lane.y, width - gutter, lane.height);
  context.font = "11px system-ui, sans-serif";
  lane.rows.forEach((list, row) => {
    const y = lane.y + 1 + row * MARKER_ROW;
    for (let at = Math.max(0, positionBefore(list, start, view.begin - lane.longest)), drawn = -1; at < list.length; at++) {
      const i = list[at];
      if (start[i] > view.end) break;
      const left = Math.max(gutter, view.x(start[i])), right = Math.min(width, view.x(start[i] + length[i]));
      if (right < gutter || (length[i] > 0 && right <= gutter) || right - drawn < 1) continue;
      drawn = Math.max(right, left + 1);
      context.fillStyle = shade(MARKER_COLORS[name[i] % MARKER_COLORS.length][ink.dark], name[i]);
      context.fillRect(left, y, Math.max(1, right - left - 0.7), MARKER_ROW - 2);
      view.drawnMarkers.push({ name: texts[name[i]], x: left, y: y + MARKER_ROW / 2 - view.offset, width: right - left });
      if (right - left < 30) continue;
      context.fillStyle = INK;
      context.fillText(fitted(context, texts[name[i]], right - left - 8), left + 4, y + MARKER_ROW / 2);
    }
  });
  view.paintName(context, lane);
}

// Returns what is at a point of a lane with ranges. A click there selects the range if it has a
// length.
function findMarker(view, lane, time, y, reach) {
  const { model } = view, { start, duration: length, name, domain } = model.markers, { texts } = model.data;
  const list = lane.rows[Math.min(lane.rows.length - 1, Math.max(0, Math.floor((y - lane.y - 1) / MARKER_ROW)))];
  for (let at = positionBefore(list, start, time + reach); at >= 0; at--) {
    const i = list[at], end = start[i] + length[i];
    if (start[i] < time - reach - lane.longest) break;
    if (time < start[i] - reach || time > end + reach) continue;
    const words = [texts[name[i]], texts[domain[i]] ? "domain " + texts[domain[i]] : "",
      length[i] > 0 ? `${duration(length[i])} from ${moment(start[i], Math.max(reach, 1))}` : "at " + moment(start[i], Math.max(reach, 1)), length[i] > 0 ? "click to select it" : "", `ranges of ${lane.more}`];
    return { words: words.filter(Boolean), range: length[i] > 0 ? { begin: start[i], end } : null };
  }
  return null;
}
