#!/usr/bin/env python3
"""Everybody can use the page of `gprof-x report --html`: no violation of axe-core, a phone shows all, and print fits one page."""
import base64
import json
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from page_support import PROFILES, Page, js
from profile_support import Recording

WORK = """
import json, time
def work():
    end = time.process_time() + 0.5
    while time.process_time() < end:
        json.dumps({str(k): [k] * 20 for k in range(200)}, indent=1)
work()
"""


def axe():
    """The text of axe-core: GPROFX_AXE names the file, or a Python package or Node has it; None without."""
    named = os.environ.get("GPROFX_AXE")
    try:
        import axe_playwright_python
        packaged = os.path.join(os.path.dirname(axe_playwright_python.__file__), "axe.min.js")
    except ImportError:
        packaged = None
    for path in (named, packaged, "/usr/lib/node_modules/axe-core/axe.min.js", "/usr/local/lib/node_modules/axe-core/axe.min.js"):
        if path and os.path.exists(path):
            with open(path) as file:
                return file.read()
    return None


class Access(Page):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.recording = Recording([sys.executable, "-c", WORK])
        cls.files = [cls.recording.file]
        cls.files += [os.path.join(PROFILES, name) for name in ("gpt2_train_h100.gprofx", "ddp_2x_h100.gprofx") if PROFILES]

    @classmethod
    def tearDownClass(cls):
        cls.recording.close()
        super().tearDownClass()

    def tabs(self):
        return self.ask("[...document.querySelectorAll('#tabs button')].map(each => each.id.slice(4))")

    def every_tab(self):
        for file in self.files:
            self.page(file)
            for tab in self.tabs():
                self.ask("gprofx.open(%s)" % js(tab))
                self.ask("gprofx.choose(gprofx.rows('functions')[0].name)")
                self.browser.frame()
                yield os.path.basename(file), tab

    def test_axe_finds_no_violation(self):
        text = axe()
        if text is None:
            self.skipTest("no axe-core: pip install --no-deps axe-playwright-python, or GPROFX_AXE=.../axe.min.js")
        for dark in (False, True):
            self.browser.scheme(dark)
            for name, tab in self.every_tab():
                self.ask("window.axe ? 0 : (%s, 0)" % "(() => { const s = document.createElement('script'); s.textContent = %s; document.head.append(s); })()" % json.dumps(text))
                found = self.ask("axe.run(document, {resultTypes: ['violations']}).then(result => result.violations.map(each => [each.id, each.nodes.length, each.nodes[0].html.slice(0, 200), each.nodes[0].failureSummary]))")
                self.assertEqual(found, [], (name, tab, dark))

    def test_a_phone_shows_all(self):
        self.browser.size(390, 844)
        for name, tab in self.every_tab():
            self.assertLessEqual(self.ask("document.documentElement.scrollWidth"), 390, (name, tab))
            # What is clipped ends in dots; what scrolls sideways says so in its class.
            off = self.ask("""[...document.querySelectorAll('body *')].filter(each => each.offsetWidth > 0 && !each.closest('.scrolled, .across, dialog')).filter(each => {
              const { right, left } = each.getBoundingClientRect(), style = getComputedStyle(each);
              if (/auto|scroll/.test(style.overflowX) && each.scrollWidth > each.clientWidth + 1) return true;
              let end = right;
              for (let up = each.parentElement; up; up = up.parentElement) {
                if (getComputedStyle(up).overflowX !== 'visible') end = Math.min(end, up.getBoundingClientRect().right);
              }
              return end > 391 || left < -1;
            }).map(each => each.tagName + '#' + each.id + '.' + each.className + ' ' + each.textContent.slice(0, 40)).slice(0, 5)""")
            self.assertEqual(off, [], (name, tab))

    def test_names_come_first_on_a_phone(self):
        self.browser.size(390, 844)
        self.page(self.files[0])
        self.ask("gprofx.open('functions')")
        heads = self.ask("[...document.querySelectorAll('#panel-functions thead tr > *')].filter(each => each.offsetWidth > 0).map(each => each.textContent)")
        self.assertEqual(heads[0], "function")

    def test_print_fits_one_page(self):
        for file in self.files:
            self.browser.scheme(True)
            self.page(file)
            pdf = base64.b64decode(self.browser.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"])
            self.assertEqual(len(re.findall(rb"/Type\s*/Page\b", pdf)), 1)
            self.assertEqual(self.ask("[document.getElementById('print').hidden, gprofx.state().theme]"), [True, "dark"])
            self.fine()

    def test_the_keyboard_reaches_each_control(self):
        self.browser.size(1440, 900)
        self.page(self.files[-1])
        for tab in self.tabs():
            self.ask("gprofx.open(%s)" % js(tab))
            self.ask("document.activeElement.blur()")
            reached = set()
            for _ in range(60):
                self.browser.key("Tab")
                reached.add(self.ask("document.activeElement.id || document.activeElement.textContent.slice(0, 30)"))
                outline = self.ask("document.activeElement === document.body ? 'solid' : getComputedStyle(document.activeElement).outlineStyle")
                self.assertEqual(outline, "solid", (tab, self.ask("document.activeElement.outerHTML.slice(0, 200)")))
            self.assertIn("search", reached)
            self.assertIn("tab-" + tab, reached)


if __name__ == "__main__":
    unittest.main(verbosity=2)
