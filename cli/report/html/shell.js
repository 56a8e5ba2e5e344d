// Makes what all pages of gprof-x have around their contents: light and dark colours, the tooltip,
// the status line, tabs, and the list of keys.

const $ = id => document.getElementById(id);

let themeChanged = () => {};

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  themeChanged();
}

function toggleTheme() { setTheme(isDark() ? "light" : "dark"); }

// Follows the light or dark theme of the system. Calls `changed` after each change of the theme.
function followSystemTheme(changed) {
  themeChanged = changed;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  setTheme(dark.matches ? "dark" : "light");
  dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));
}

function say(text) { $("status").textContent = text; }

function tip(lines, event) {
  const box = $("tip");
  box.hidden = !lines;
  if (!lines) return;
  box.replaceChildren(...lines.map((line, i) => make("div", { class: i === 0 ? "" : "dim" }, line.slice(0, 600))));
  const { width, height } = box.getBoundingClientRect();
  box.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 6)) + "px";
  box.style.top = (event.clientY + 18 + height > innerHeight ? Math.max(4, event.clientY - height - 10) : event.clientY + 18) + "px";
}

// Makes the tabs. `tabs` is [[id, name]]. The panel of a tab has the id "panel-" + id.
function makeTabs(tabs, open) {
  $("tabs").append(...tabs.map(([id, name], i) => make("button", { id: "tab-" + id, type: "button", role: "tab", "aria-controls": "panel-" + id,
    onclick: () => open(id), onkeydown: event => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      const next = tabs[(i + by + tabs.length) % tabs.length][0];
      open(next);
      $("tab-" + next).focus();
    } }, name)));
}

function showOnly(tabs, shown) {
  for (const [id] of tabs) {
    $("panel-" + id).hidden = id !== shown;
    const button = $("tab-" + id);
    button.setAttribute("aria-selected", id === shown);
    button.tabIndex = id === shown ? 0 : -1;
  }
}

function showKeys(keys) {
  $("keys").replaceChildren(make("h2", {}, "Keys"), make("table", {}, make("tbody", {}, ...keys.map(([key, what]) =>
    make("tr", {}, make("td", {}, make("kbd", {}, key)), make("td", {}, what))))),
  make("p", {}, make("button", { type: "button", onclick: () => $("keys").close() }, "close")));
  $("keys").showModal();
}
