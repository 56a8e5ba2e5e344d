// A plot of GPU memory over time. Live memory is an area, and the memory that its allocator holds
// is a line. The mouse and the arrow keys select a moment. `row` is {live, reserved}: the maximum
// in each of many equal intervals of time.

function memorySeries(row) {
  const live = { name: "live", color: colorOf("gpu") };
  return row.reserved ? [live, { name: "held by the allocator", color: colorOf("native") }] : [live];
}

function bytesText(bytes) {
  return bytes < 1 ? "0 B" : powerText(bytes).replace(/^(\S+)$/, "$1 ") + "B";
}

// Returns an SVG path with a step for each value. Unknown values (< 0) are left out.
function stepPath(values, X, Y) {
  return values.map((value, i) => value < 0 ? "" : `${i === 0 || values[i - 1] < 0 ? "M" : "L"}${X(i).toFixed(1)} ${Y(value).toFixed(1)} H${X(i + 1).toFixed(1)}`).join(" ");
}

function memoryPlot(memory, row, series, width) {
  const left = 64, right = 14, top = 8, bottom = 36, height = 200, parts = row.live.length, span = memory.end_ns - memory.begin_ns;
  const most = Math.max(1, ...row.live, ...(row.reserved || [])), inner = height - top - bottom;
  const X = part => left + part / Math.max(parts, 1) * (width - left - right), Y = bytes => top + (1 - Math.max(bytes, 0) / most) * inner;
  const timeOf = part => memory.begin_ns + part / Math.max(parts, 1) * span, drawn = [];
  for (const value of ticks(most, 4)) drawn.push(plotLine(left, Y(value), width - right, Y(value), value === 0 ? "axis" : "grid"), plotText(left - 6, Y(value) + 4, value === 0 ? "0" : bytesText(value), "end"));
  for (const value of ticks(span, width < 600 ? 3 : 6)) drawn.push(plotText(left + value / Math.max(span, 1) * (width - left - right), height - bottom + 14, duration(memory.begin_ns + value), value === 0 ? "start" : "middle"));
  drawn.push(plotText((left + width - right) / 2, height - 4, "since the start of the recording", "middle", { class: "title" }));
  drawn.push(svg("path", { d: `${stepPath(row.live, X, Y)} V${Y(0)} H${left} Z`, fill: series[0].color, "fill-opacity": 0.75, class: "live" }));
  if (row.reserved) drawn.push(svg("path", { d: stepPath(row.reserved, X, Y), fill: "none", stroke: series[1].color, "stroke-width": 1.8, class: "held" }));
  const marks = row.live.map((_, part) => {
    const back = plotRect(X(part), top, X(part + 1) - X(part), inner, "transparent");
    back.setAttribute("class", "back");
    return [svg("g", { class: "bar" }, back), part];
  });
  const words = part => [row.name, `from ${duration(timeOf(part))}`, `live ${bytesText(row.live[part])}`, ...(row.reserved && row.reserved[part] >= 0 ? [`held ${bytesText(row.reserved[part])}`] : [])];
  return plotFrame("memory", `GPU memory over time of ${row.name}: ${row.words}`, width, height, drawn, marks, { words, choose: () => {} });
}
