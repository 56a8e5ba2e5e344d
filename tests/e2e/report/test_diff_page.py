"""The page of gprof-x diff in a browser, from real recordings of a program with a change that is known."""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from browser import PROGRAM as CHROMIUM, Browser
from diff_sides import DiffSides, run
from test_html import PROFILES


class Page(DiffSides):
    @unittest.skipUnless(CHROMIUM, "no Chromium")
    def test_the_page_colours_what_changed_for_sure(self):
        path = os.path.join(self.top, "page.html")
        self.diff("--html", "page.html")
        self.assertLess(os.path.getsize(path), 5_000_000)
        with open(path) as file:
            text = file.read()
        self.assertNotRegex(text, r"https?://")
        self.assertNotIn("onerror", text)
        for dark in (False, True):
            with Browser(dark=dark) as browser:
                browser.open(path)
                self.check_page(browser)
                self.assertEqual(browser.eval("gprofx.state().theme"), "dark" if dark else "light")
                self.assertEqual(browser.troubles(), [])

    def check_page(self, browser):
        ask = browser.eval
        boxes = self.boxes(browser)
        self.assertEqual(boxes["render"]["hue"], "slower")
        # Of the others those that are not significant are grey.
        sure = {row["name"] for row in ask("gprofx.rows('functions')")
                if {row["verdict"], row["inclusive"]["verdict"]} & {"regression", "improvement"}}
        still = [name for name in ("parse", "load", "save", "sort", "check", "send") if name not in sure]
        self.assertTrue(still)
        for name in still:
            self.assertIsNone(boxes[name]["hue"])
        red, *greys = self.pixels(browser, boxes["render"], *(boxes[name] for name in still))
        self.assertGreater(red[0] - red[2], 50, red)
        for grey in greys:
            self.assertLess(max(grey) - min(grey), 20, grey)
        told = " ".join(ask("gprofx.words('render')"))
        self.assertRegex(told, r"the function itself, all over: \+\d+\.\d% \(\+.* to \+.*\), slower")
        self.assertIn("base -> head: ", told)
        # Widths are the head's, then the base's.
        share = {}
        for side in ("head", "base"):
            ask("gprofx.set({side: '%s'})" % side)
            boxes = self.boxes(browser)
            share[side] = boxes["render"]["width"] / boxes["parse"]["width"]
            self.assertEqual("only_in_head" in boxes, side == "head")
        self.assertGreater(share["head"], 2 * share["base"])
        browser.key("b")
        self.assertEqual(ask("gprofx.state().side"), "head")
        browser.key("/")
        for letter in "REND":
            browser.key(letter)
        self.assertEqual(ask("gprofx.state().found"), 1)
        browser.key("Escape")
        # A hostile name is only text.
        ask("gprofx.set({search: 'onerror'})")
        self.assertEqual(ask("gprofx.state().found"), 1)
        for tab in ("functions", "kernels", "counts", "rules", "data", "flame"):
            ask("gprofx.open('%s')" % tab)
            browser.frame()
            self.assertEqual(ask("document.querySelectorAll('img, iframe, script[src], link, object').length"), 0)
        self.assertIsNone(ask("window.hacked === undefined ? null : window.hacked"))
        ask("gprofx.set({search: ''})")
        # Clicks zoom, Escape shows the whole.
        box = self.boxes(browser)["render"]
        top = ask("document.getElementById('flame').getBoundingClientRect().top")
        browser.click(box["x"] + box["width"] / 2, top + box["y"] + 5)
        ask("new Promise(done => setTimeout(done, 400))")
        self.assertEqual(ask("gprofx.flame().zoom"), "render")
        browser.key("Escape")
        ask("new Promise(done => setTimeout(done, 400))")
        self.assertEqual(ask("gprofx.flame().zoom"), "[all]")
        browser.key("2")
        self.assertEqual(ask("gprofx.state().tab"), "functions")
        self.assertIn("render", [row.split(" ")[0] for row in ask(
            "[...document.querySelectorAll('#panel-functions tbody tr')].filter(row => row.textContent.startsWith('slower')).map("
            "row => row.querySelector('.name').textContent)")])

    @unittest.skipUnless(CHROMIUM and PROFILES, "no Chromium, or no recordings of real GPUs")
    def test_what_cannot_be_compared_has_no_colour(self):
        one, two = (os.path.join(PROFILES, name + ".gprofx") for name in ("gpt2_train_h100", "ddp_2x_h100"))
        path = os.path.join(self.top, "gpu.html")
        done = run("diff", "--html", path, one, two)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertLess(os.path.getsize(path), 5_000_000)
        with Browser() as browser:
            browser.open(path)
            for metric, name in enumerate(("CPU time", "GPU time")):
                browser.eval("gprofx.set({metric: %d})" % metric)
                self.assertEqual(browser.eval("gprofx.state().metric"), name)
                boxes = browser.eval("gprofx.flame().boxes")
                self.assertGreater(len(boxes), 50)
                self.assertEqual({box["hue"] for box in boxes}, {None})
            # Widths are per step, as the tables are.
            whole = browser.eval("gprofx.flame().total")
            kernels = browser.eval("gprofx.rows('kernels')")
            self.assertLess(abs(sum(row["head"] for row in kernels) / whole - 1), 0.05)
            browser.eval("gprofx.open('kernels')")
            self.assertIn("nccl", browser.eval("document.getElementById('panel-kernels').textContent"))
            self.assertEqual(browser.troubles(), [])

    def boxes(self, browser):
        """The widest of each name."""
        return {box["name"]: box for box in sorted(browser.eval("gprofx.flame().boxes"), key=lambda box: box["width"])}

    def pixels(self, browser, *boxes):
        """The colours of boxes of one row, at their right ends, where no text is."""
        return browser.eval("(() => { const c = document.getElementById('flame'), r = devicePixelRatio;"
                            " const row = c.getContext('2d').getImageData(0, (%f) * r, c.width, 1).data;"
                            " return %s.map(x => [...row.slice(4 * Math.round(x * r), 4 * Math.round(x * r) + 3)]); })()"
                            % (boxes[0]["y"] + 2, json.dumps([box["x"] + box["width"] - 4 for box in boxes])))


if __name__ == "__main__":
    unittest.main()
