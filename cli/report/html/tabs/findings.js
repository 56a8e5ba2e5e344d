// Shows the findings as cards. A card says where a finding is, what was observed and what to
// change, and shows a step with it.

// Returns the steady step of median length. Returns null if there are no steps.
function typicalStep(model) {
  const { steps, data } = model;
  if (!steps || steps.begin.length === 0) return null;
  const all = Array.from(steps.begin, (begin, i) => ({ begin, end: steps.end[i], number: i + 1 }));
  const steady = all.slice(Math.min(data.steps.warm_up, all.length - 1));
  return steady.sort((a, b) => (a.end - a.begin) - (b.end - b.begin))[steady.length >> 1];
}

function findingButtons(finding, step, events) {
  const buttons = [];
  if (step) buttons.push(make("button", { type: "button", onclick: () => events.showRange(step, `step ${step.number}`) }, `show step ${step.number}, a typical one`));
  if (finding.node) buttons.push(make("button", { type: "button", onclick: () => events.showNode(finding.node) }, "show its call path"));
  return make("p", { class: "buttons" }, ...buttons);
}

function findingCard(finding, index, step, events) {
  const fact = (name, ...what) => [make("dt", {}, name), make("dd", {}, ...what)];
  return make("article", { class: "card", id: `finding-${index}`, tabindex: -1, "aria-label": `finding F${index + 1}` },
    make("h2", {}, `F${index + 1}  ${finding.title}`),
    make("dl", {},
      ...fact("saves", finding.saving), ...fact("place", make("span", { class: "code", title: finding.file }, findingPlace(finding) + (finding.file && finding.function ? "  " + finding.function : ""))),
      ...fact("evidence", finding.summary + ".", finding.evidence.length > 0 ? make("ul", { class: "list" }, ...finding.evidence.map(each => make("li", {}, each))) : null),
      ...fact("change", finding.advice), ...fact("computed", finding.computed)),
    findingButtons(finding, step, events));
}

function showFindings(panel, model, events) {
  const { findings } = model.data, step = typicalStep(model);
  const rest = findings.rows_total - findings.rows.length;
  panel.replaceChildren(make("p", { class: "note" }, "Findings " + findings.head + "."), make("div", { class: "cards" }, ...findings.rows.map((each, i) => findingCard(each, i, step, events))),
    ...(rest > 0 ? [make("p", { class: "note" }, `${grouped(rest)} more; 'gprof-x analyze --findings' has all.`)] : []));
}
