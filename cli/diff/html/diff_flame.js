// A flame graph of a comparison. The width of a box is the time of one side. The colour shows
// whether the change of a function is significant. If it is not, the box is grey, however large the
// change is.

// Vermillion and blue, which colour-blind people can distinguish. Larger changes have stronger
// colours.
const HUES = {
  slower: [["#fbd0b4", "#f6a672", "#e2742b", "#a84300"], ["#6d4632", "#985835", "#c96a30", "#ff8d4a"]],
  faster: [["#c3def2", "#8cbfe6", "#4592cb", "#0b5a94"], ["#2f4f69", "#35699a", "#3d8bcb", "#6cb8f5"]],
};
const GREY = ["#d9dde2", "#4a525c"];
const SIZES = [5, 15, 50];  // percent of change; at each, a stronger colour begins
const SIZE_WORDS = ["below 5%", "to 15%", "to 50%", "more"];

function signed(percent) {
  if (percent === null || percent > 999) return ">+999%";
  return (percent < 0 ? "" : "+") + percent.toFixed(1) + "%";
}

// Returns "slower" or "faster" if the change is significant, otherwise null.
function hueOf(outcome) {
  if (!outcome || !outcome.tested) return null;
  return { regression: "slower", improvement: "faster" }[outcome.verdict] || null;
}

// Returns the row that determines the colour of a box. The width of a box includes the time of what
// the function calls, so the change of that time has precedence over the change of its own time.
function toldBy(change) { return change && hueOf(change.inclusive) ? change.inclusive : change; }

function strength(outcome) { return SIZES.filter(size => Math.abs(outcome.change ?? Infinity) >= size).length; }

function colorOfOutcome(outcome, dark) {
  const hue = hueOf(outcome);
  return hue ? HUES[hue][dark][strength(outcome)] : GREY[dark];
}

function changeWord(change) {
  if (change.fate !== "there") return change.fate;
  if (change.moved) return "moved";
  if (!change.tested) return "";
  return hueOf(change) || { equivalent: "equal" }[change.verdict] || "unclear";
}

// Returns a sentence about the change of a function.
function changeText(change) {
  if (!change) return "too small to be tested";
  const word = changeWord(change);
  if (!change.tested) return word ? `${word}: in one version only` : "too small to be tested";
  const meaning = { unclear: "not significant", moved: "moved: others give what it takes" }[word] || word;
  return `${intervalText(change)}, ${meaning}`;
}

function intervalText(outcome) { return `${signed(outcome.change)} (${signed(outcome.low)} to ${signed(outcome.high)})`; }

class DiffFlame extends Flame {
  // `model.changeOf[site]` is the row of a function. `sides` are the total and self times of the
  // nodes in both versions.
  changeOf(node) { return this.model.changeOf[this.tree.site[node]]; }

  colorOf(node, label, matched, dark) { return colorOfOutcome(toldBy(this.changeOf(node)), dark); }

  inkOf(node, matched, dark) {
    const told = toldBy(this.changeOf(node));
    if (!hueOf(told)) return dark ? "#eef1f5" : INK;
    return dark ? (strength(told) < 2 ? "#f4f6f8" : INK) : strength(told) < 3 ? INK : "#fff";
  }

  // Draws stripes on the boxes of functions that only one version has, and a frame around boxes
  // that match the search.
  mark(context, node, x, y, width, matched) {
    const change = this.changeOf(node);
    if (width > 3 && change && (change.fate === "new" || change.fate === "gone")) {
      context.save();
      context.beginPath();
      context.rect(x, y, width, ROW - 1);
      context.clip();
      context.strokeStyle = isDark() ? "rgba(255,255,255,.34)" : "rgba(0,0,0,.26)";
      context.lineWidth = 2;
      context.beginPath();
      for (let at = x - ROW; at < x + width; at += 8) {
        context.moveTo(at, y + ROW);
        context.lineTo(at + ROW, y);
      }
      context.stroke();
      context.restore();
    }
    if (!matched) return;
    context.strokeStyle = isDark() ? "#f58ccb" : "#b0157a";
    context.lineWidth = 2;
    context.strokeRect(x + 1, y + 1, Math.max(1, width - 2), ROW - 3);
  }

  rootText() { return `all   ${duration(this.tree.total[0])} per ${this.model.data.unit}, ${this.side}`; }

  words(node) {
    const { tree, sides, model } = this, per = ` per ${model.data.unit}`;
    const lines = node === 0 ? ["all"] : [this.labelOf(node).name];
    if (node !== 0) {
      const label = this.labelOf(node);
      if (label.file) lines.push(label.file + (label.line ? ":" + label.line : ""));
      if (label.module && label.module !== label.name) lines.push(label.module);
    }
    if (sides) {
      const pair = what => `${duration(sides.base[what][node])} -> ${duration(sides.head[what][node])}`;
      const ratio = sides.base.total[node] > 0 ? ` (${signed(100 * (sides.head.total[node] / sides.base.total[node] - 1))} here)` : "";
      lines.push(`base -> head: ${pair("total")}${per}${ratio}`, `of it itself: ${pair("self")}`);
    } else lines.push(`${this.side}: ${duration(tree.total[node])}${per} (${percent(tree.total[node], tree.total[0])})`);
    if (node === 0) return lines;
    const change = this.changeOf(node);
    lines.push("the function itself, all over: " + changeText(change));
    if (change && change.inclusive.tested) lines.push(`with all that it calls: ${intervalText(change.inclusive)}, ${hueOf(change.inclusive) || "not significant"}`);
    return lines;
  }
}
