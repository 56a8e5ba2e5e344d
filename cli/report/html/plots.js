// Draws plots as SVG: bars over an index, bars by name, and a roofline. Only draws numbers and
// computes no sums. Each bar or point is a row that the mouse and the arrow keys can select.

// The namespace is taken from page.html, because the scripts must contain no web address, not even
// as a name.
const SVG = document.querySelector("svg").namespaceURI;

function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// Shortens a long name in its middle, which is its least informative part.
function middle(text, longest) {
  const letters = [...text];
  if (letters.length <= longest) return text;
  const head = Math.ceil((longest - 1) / 2);
  return letters.slice(0, head).join("") + "…" + letters.slice(letters.length - (longest - 1 - head)).join("");
}

// Returns the positions of about `count` ticks from 0 to `most`. They are multiples of 1, 2 or 5
// times a power of ten.
function ticks(most, count) {
  if (!(most > 0)) return [0];
  const rough = most / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find(each => each * power >= rough) * power;
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, i) => i * step);
}

function plotText(x, y, text, anchor = "middle", more = {}) {
  return svg("text", { x: x.toFixed(1), y: y.toFixed(1), "text-anchor": anchor, ...more }, text);
}

function plotLine(x1, y1, x2, y2, name = "grid") {
  return svg("line", { x1: x1.toFixed(1), y1: y1.toFixed(1), x2: x2.toFixed(1), y2: y2.toFixed(1), class: name });
}

function plotRect(x, y, width, height, color) {
  return svg("rect", { x: x.toFixed(2), y: y.toFixed(2), width: Math.max(0, width).toFixed(2), height: Math.max(0, height).toFixed(2), fill: color });
}

// Makes the frame that all plots share. Each row has one mark, in the order of the arrow keys.
// `marks` is [[element, row]]. `events` is {words(row), choose(row)}.
function plotFrame(name, label, width, height, drawn, marks, events) {
  let at = marks.findIndex(([mark]) => mark.classList.contains("chosen"));
  const element = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, class: "plot", tabindex: 0, role: "img", "aria-label": label, "data-analysis": name });
  const point = index => {
    if (marks[at]) marks[at][0].classList.remove("at");
    at = index;
    if (!marks[at]) return tip(null);
    const box = marks[at][0].getBoundingClientRect(), lines = events.words(marks[at][1]);
    marks[at][0].classList.add("at");
    tip(lines, { clientX: box.right - 8, clientY: Math.max(box.top, 0) });
    say(lines.join("  ·  "));
  };
  marks.forEach(([mark, row], i) => {
    mark.dataset.row = row;
    mark.addEventListener("pointermove", event => { if (at !== i) point(i); tip(events.words(row), event); });
    mark.addEventListener("click", () => events.choose(row));
  });
  element.addEventListener("pointerleave", () => point(-1));
  element.addEventListener("blur", () => point(-1));
  element.addEventListener("keydown", event => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (by) point(Math.max(0, Math.min(marks.length - 1, at < 0 ? 0 : at + by)));
    else if (event.key === "Home") point(0);
    else if (event.key === "End") point(marks.length - 1);
    else if ((event.key === "Enter" || event.key === " ") && marks[at]) events.choose(marks[at][1]);
    else return;
    event.preventDefault();
  });
  element.append(...drawn, ...marks.map(([mark]) => mark));
  return element;
}

function plotLegend(series) {
  return make("div", { class: "legend" }, ...series.map(({ name, color, shape }) =>
    make("span", {}, make("i", { class: shape || "", style: `background:${color}` }), name)));
}

// Draws bars over the index of rows: `up` above the zero line and `down` below it. Both are stacks
// of {name, color, of(row)}.
//
// If bars would be too narrow, the plot is wider and scrolls. If a few bars are far higher than the
// others, they are cut in proportion, and the text `whole(row, isUp)` says how high they are. If
// bars are wide enough, their names (`nameOf(row)`) are below them.
function indexPlot({ name, label, rows, up, down = [], yTitle, xTitle, width, isChosen, whole, nameOf }, events) {
  const left = 76, right = 8, top = 8, least = 4, letters = 22;
  width = Math.max(width, left + right + rows * least);
  const isNamed = nameOf && (width - left - right) / rows >= 13, bottom = isNamed ? 130 : 34;
  const heightOf = (series, row) => series.reduce((sum, each) => sum + Math.max(0, each.of(row) || 0), 0);
  const indices = Array.from({ length: rows }, (_, i) => i);
  const highest = series => {
    const heights = indices.map(row => heightOf(series, row)).sort((a, b) => b - a), usual = 6 * heights[Math.floor(rows / 10)];
    return Math.max(usual > 0 && heights[0] > usual ? 1.2 * heights.find(each => each <= usual) : heights[0], 1);
  };
  const mostUp = highest(up), mostDown = down.length ? highest(down) : 0;
  const height = (down.length ? 266 : 196) + bottom, inner = height - top - bottom, scale = inner / (mostUp + mostDown), zero = top + mostUp * scale;
  const step = (width - left - right) / rows, bar = Math.max(1, Math.min(44, step * 0.78)), drawn = [];
  for (const [most, sign] of [[mostUp, -1], [mostDown, 1]]) {
    for (const value of ticks(most, Math.max(1, Math.round(5 * most / Math.max(mostUp, mostDown))))) {
      const y = zero + sign * value * scale;
      if (value > 0) drawn.push(plotLine(left, y, width - right, y));
      if ((value > 0 || sign < 0) && (value === 0 || value * scale > 11)) drawn.push(plotText(left - 6, y + 4, duration(value), "end"));
    }
  }
  drawn.push(plotLine(left, zero, width - right, zero, "axis"));
  const every = [1, 2, 5, 10, 20, 50].find(each => each * step >= 30) || 100;
  if (isNamed) {
    for (const row of indices) {
      const x = left + (row + 0.5) * step + 3, y = height - bottom + 8;
      drawn.push(plotText(x, y, middle(nameOf(row), letters), "end", { class: "code axis-name", transform: `rotate(-55 ${x.toFixed(1)} ${y})` }));
    }
  } else for (const row of indices) if (row === 0 || (row + 1) % every === 0) drawn.push(plotText(left + (row + 0.5) * step, height - bottom + 15, grouped(row + 1)));
  drawn.push(plotText((left + width - right) / 2, height - 4, xTitle, "middle", { class: "title" }),
    plotText(0, 0, yTitle, "middle", { class: "title", transform: `translate(11 ${top + inner / 2}) rotate(-90)` }));
  let labelled = -Infinity;
  const marks = indices.map(row => {
    const middleOf = left + (row + 0.5) * step, mark = svg("g", { class: isChosen(row) ? "bar chosen" : "bar" }, plotRect(left + row * step, top, step, inner, "transparent"));
    mark.firstChild.setAttribute("class", "back");
    for (const [series, sign, most] of [[up, -1, mostUp], [down, 1, mostDown]]) {
      let at = zero;
      const end = zero + sign * most * scale, own = heightOf(series, row), shrunk = own > most ? most / own : 1;
      for (const each of series) {
        const size = Math.max(0, each.of(row) || 0) * scale * shrunk;
        if (size > 0) mark.append(plotRect(middleOf - bar / 2, sign < 0 ? at - size : at, bar, size, each.color));
        at += sign * size;
      }
      if (own <= most) continue;
      const notch = end - sign * 12;
      mark.append(svg("path", { d: `M${middleOf - bar / 2 - 2} ${notch + 2} l${bar + 4} -4`, class: "cut" }));
      if (sign < 0 ? middleOf - labelled > 70 : middleOf === labelled) {
        mark.append(plotText(middleOf + bar / 2 + 4, end - sign * 8 + 4, whole(row, sign < 0), "start"));
        labelled = middleOf;
      }
    }
    return [mark, row];
  });
  return plotFrame(name, label, width, height, drawn, marks, events);
}

// Draws one horizontal bar for each name, largest first.
function namePlot({ name, label, rows, of, text, nameOf, color, xTitle, width, isChosen }, events) {
  const letters = width < 600 ? 16 : 30, left = letters * 6.7 + 12, right = 66, top = 6, row = 19, bottom = 34;
  const indices = Array.from({ length: rows }, (_, i) => i), most = Math.max(...indices.map(of), 1);
  const height = top + rows * row + bottom, scale = (width - left - right) / most, drawn = [];
  for (const value of ticks(most, width < 600 ? 2 : 5)) {
    drawn.push(plotLine(left + value * scale, top, left + value * scale, height - bottom, value === 0 ? "axis" : "grid"),
      plotText(left + value * scale, height - bottom + 14, duration(value)));
  }
  drawn.push(plotText((left + width - right) / 2, height - 4, xTitle, "middle", { class: "title" }));
  const marks = indices.map(i => {
    const y = top + i * row, size = Math.max(of(i) * scale, 0);
    const back = plotRect(0, y, width, row, "transparent");
    back.setAttribute("class", "back");
    return [svg("g", { class: isChosen(i) ? "bar chosen" : "bar" }, back, plotRect(left, y + 3, size, row - 6, color),
      plotText(left - 6, y + 14, middle(nameOf(i), letters), "end", { class: "code" }), plotText(left + size + 5, y + 14, text(i), "start")), i];
  });
  return plotFrame(name, label, width, height, drawn, marks, events);
}

// Draws two bars for each name, one under the other.
function pairPlot({ name, label, rows, series, of, text, nameOf, xTitle, width, isChosen }, events) {
  const letters = width < 600 ? 16 : 30, left = letters * 6.7 + 12, right = 66, top = 6, row = 28, bottom = 34, height = top + rows * row + bottom;
  const indices = Array.from({ length: rows }, (_, i) => i), most = Math.max(...indices.flatMap(i => [of(i, 0), of(i, 1)]), 1), scale = (width - left - right) / most;
  const drawn = ticks(most, width < 600 ? 2 : 5).flatMap(value => [plotLine(left + value * scale, top, left + value * scale, height - bottom, value === 0 ? "axis" : "grid"),
    plotText(left + value * scale, height - bottom + 14, duration(value))]);
  drawn.push(plotText((left + width - right) / 2, height - 4, xTitle, "middle", { class: "title" }));
  const marks = indices.map(i => {
    const y = top + i * row, back = plotRect(0, y, width, row, "transparent");
    back.setAttribute("class", "back");
    const bars = series.flatMap(({ color }, k) => [plotRect(left, y + 3 + 12 * k, Math.max(of(i, k) * scale, 0), 10, color), plotText(left + of(i, k) * scale + 5, y + 12 + 12 * k, text(i, k), "start")]);
    return [svg("g", { class: isChosen(i) ? "bar chosen" : "bar" }, back, ...bars, plotText(left - 6, y + 18, middle(nameOf(i), letters), "end", { class: "code" })), i];
  });
  return plotFrame(name, label, width, height, drawn, marks, events);
}

// Formats a large number, such as FLOP per second: "10 T", "500 G".
function powerText(number) {
  const powers = ["", "k", "M", "G", "T", "P"], power = Math.max(0, Math.min(5, Math.floor(Math.log10(number) / 3 + 1e-9)));
  return `${+(number / 1000 ** power).toPrecision(3)}${power ? " " + powers[power] : ""}`;
}

// Draws points on two logarithmic axes, with the lines of `roofs` above them. A point is {x: FLOP
// per byte, y: FLOP per second, size: from 0 to 1, color}. `roofs` is {compute: [{type,
// flop_per_s}], bytes_per_s}.
function rooflinePlot({ name, label, points, roofs, width, isChosen }, events) {
  const left = 64, right = 14, top = 16, bottom = 38, height = Math.max(260, Math.min(400, width * 0.5));
  const lines = roofs.bytes_per_s > 0 ? roofs.compute : [], ridges = lines.map(each => each.flop_per_s / roofs.bytes_per_s);
  const edge = (values, round) => round(Math.log10(values));
  const x0 = edge(Math.min(...points.map(each => each.x), ...ridges) / 1.5, Math.floor), x1 = edge(Math.max(...points.map(each => each.x), ...ridges) * 1.5, Math.ceil);
  const y0 = edge(Math.min(...points.map(each => each.y), ...lines.map(each => each.flop_per_s)) / 1.3, Math.floor), y1 = edge(Math.max(...points.map(each => each.y), ...lines.map(each => each.flop_per_s)) * 1.3, Math.ceil);
  const X = value => left + (Math.log10(value) - x0) / (x1 - x0) * (width - left - right), Y = value => top + (y1 - Math.log10(value)) / (y1 - y0) * (height - top - bottom);
  const drawn = [];
  for (let power = x0; power <= x1; power++) drawn.push(plotLine(X(10 ** power), top, X(10 ** power), height - bottom), plotText(X(10 ** power), height - bottom + 15, power < 0 ? (10 ** power).toFixed(-power) : powerText(10 ** power)));
  for (let power = y0; power <= y1; power++) drawn.push(plotLine(left, Y(10 ** power), width - right, Y(10 ** power)), plotText(left - 6, Y(10 ** power) + 4, powerText(10 ** power), "end"));
  drawn.push(plotText((left + width - right) / 2, height - 4, "FLOP for each byte", "middle", { class: "title" }),
    plotText(0, 0, "FLOP a second", "middle", { class: "title", transform: `translate(11 ${(top + height - bottom) / 2}) rotate(-90)` }));
  lines.forEach(({ type, flop_per_s: peak }, i) => {
    const start = Math.max(10 ** x0, 10 ** y0 / roofs.bytes_per_s);
    if (start < ridges[i]) drawn.push(plotLine(X(start), Y(start * roofs.bytes_per_s), X(ridges[i]), Y(peak), "roof"));
    drawn.push(plotLine(X(ridges[i]), Y(peak), width - right, Y(peak), "roof"), plotText(width - right - 3, Y(peak) - 4, `${powerText(peak)}FLOP/s ${type}`, "end"));
  });
  const marks = points.map((point, row) => [svg("circle", { cx: X(point.x).toFixed(1), cy: Y(point.y).toFixed(1), r: (3.5 + 6.5 * Math.sqrt(point.size)).toFixed(1),
    fill: point.color, class: isChosen(row) ? "point chosen" : "point" }), row]);
  return plotFrame(name, label, width, height, drawn, marks, events);
}
