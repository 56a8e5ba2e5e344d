// Makes the elements of pages, and tables that are navigated with the arrow keys.

const ROWS = 100;  // max rows of a table that are shown at first

// Makes an element. Texts are inserted as text, never as markup.
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

function colorOf(kind) { return COLORS[kind][isDark() ? 1 : 0]; }

function kindCell(label) {
  return make("td", { class: "text kind more" }, make("i", { style: `background:${colorOf(kindClass(label))}` }), label.word);
}

function shareCell(part, whole) {
  const width = whole > 0 ? Math.max(0, Math.min(100, 100 * part / whole)) : 0;
  return make("td", { class: "wide" }, make("span", { class: "share", style: `width:${width.toFixed(1)}%` }));
}

const NARROW = "screen and (max-width: 760px)";  // must be the same as in style.css

// On a narrow screen, moves the name before the other cells.
function namesFirst(cells) {
  const isName = cell => cell instanceof Node ? cell.classList.contains("name") : /\bname\b/.test(cell.class || "");
  return matchMedia(NARROW).matches ? [...cells.filter(isName), ...cells.filter(cell => !isName(cell))] : cells;
}

// Makes a table that is navigated with the arrow keys. If the user clicks on a row or presses
// Enter, calls `act` with the value of the row.
function makeTable(caption, heads, rows, act) {
  const body = make("tbody", {}, ...rows.map(({ cells, value }, i) =>
    make("tr", { tabindex: i === 0 ? 0 : -1, onclick: event => act && act(value, event.currentTarget),
      onkeydown: event => walkRows(event, value, act) }, ...namesFirst(cells))));
  const head = make("tr", {}, ...namesFirst(heads).map(each => each instanceof Node ? each
    : each.title ? make("th", { class: each.class || "", scope: "col" }, each.title) : make("td", { class: "head " + (each.class || "") })));
  return make("table", {}, make("caption", {}, caption), make("thead", {}, head), body);
}

function walkRows(event, value, act) {
  const row = event.currentTarget;
  if (event.key === "Enter" || event.key === " ") {
    if (act) act(value, row);
    return event.preventDefault();
  }
  const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
  let next = step ? row[step] : null;
  while (next && !next.hasAttribute("tabindex")) next = next[step];
  if (!next) return;
  row.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
  event.preventDefault();
}

function restText(all, shown) { return shown < all ? `${grouped(shown)} of ${grouped(all)}` : `${grouped(all)}`; }

function moreButton(all, shown, more) {
  return shown < all ? make("p", {}, make("button", { type: "button", onclick: more }, `show ${grouped(Math.min(all - shown, 5 * ROWS))} more`)) : null;
}
