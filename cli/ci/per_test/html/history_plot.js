// A small plot of the times of a benchmark in earlier versions. A dot at the right is this job.

const TREND_WIDTH = 150, TREND_HEIGHT = 30, TREND_EDGE = 4;

// Returns a path through the values that were measured. It is interrupted where one was not.
function trendPath(values, x, y) {
  return values.map((value, i) => value === null ? ""
    : `${i > 0 && values[i - 1] !== null ? "L" : "M"}${x(i).toFixed(1)} ${y(value).toFixed(1)}h.01`).join("");
}

// Times of a call can be shorter than 1 ns.
function shortTime(ns) { return ns > 0 && ns < 9.995 ? `${Number(ns.toPrecision(3))} ns` : duration(ns); }

function historyWords({ ns, changes }, head) {
  const known = ns.filter(value => value !== null);
  return [`${grouped(known.length)} versions: ${shortTime(Math.min(...known))} to ${shortTime(Math.max(...known))}`,
    ...(head === null ? [] : [`this job: ${shortTime(head)}`]), ...changes.map(({ place, change }) => `${change} ${place}`)];
}

// `history` is {ns, changes: [{at, place, change}]}; `head` is the time in this job, null if it has none.
function historyPlot(history, head, color) {
  const { ns, changes } = history, known = ns.filter(value => value !== null), all = head === null ? known : [...known, head];
  const least = Math.min(...all), most = Math.max(...all), inner = TREND_HEIGHT - 2 * TREND_EDGE;
  const x = i => TREND_EDGE + i * (TREND_WIDTH - 2 * TREND_EDGE) / Math.max(1, ns.length);
  const y = value => TREND_EDGE + (most > least ? inner * (most - value) / (most - least) : inner / 2);
  const words = historyWords(history, head);
  const plot = svg("svg", { class: "plot", width: TREND_WIDTH, height: TREND_HEIGHT, viewBox: `0 0 ${TREND_WIDTH} ${TREND_HEIGHT}`, role: "img", "aria-label": words.join(", ") },
    ...changes.map(({ at }) => plotLine(x(at - 0.5), 0, x(at - 0.5), TREND_HEIGHT, "turn")), svg("path", { class: "trend", d: trendPath(ns, x, y) }));
  if (head !== null) plot.append(svg("circle", { cx: x(ns.length).toFixed(1), cy: y(head).toFixed(1), r: 3, style: `fill:${color}` }));
  plot.addEventListener("mousemove", event => tip(words, event));
  plot.addEventListener("mouseleave", () => tip(null));
  return plot;
}
