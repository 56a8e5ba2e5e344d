#!/usr/bin/env python3
"""Five questions that people ask of a profile, each answered by the page of `gprof-x report --html` after at most three clicks or keys."""
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from page_support import PROFILES, Page, js, report
from profile_support import GPROFX

MOST_ACTIONS = 3
APP = """import time
def spin(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        sum(range(200))
def load():
    spin(0.5)
def draw():
    spin(0.1)
load()
draw()
"""


class Tasks(Page):
    def setUp(self):
        super().setUp()
        self.browser.size(1440, 900)
        self.actions = 0

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.home = tempfile.TemporaryDirectory(prefix="gprof-x-tasks-")
        with open(os.path.join(cls.home.name, "app.py"), "w") as file:
            file.write(APP)
        cls.file = os.path.join(cls.home.name, "p.gprofx")
        subprocess.run([GPROFX, "record", "-q", "-o", cls.file, "--", sys.executable, "app.py"], cwd=cls.home.name, check=True)

    @classmethod
    def tearDownClass(cls):
        cls.home.cleanup()
        super().tearDownClass()

    def click(self, found):
        """Clicks with the mouse what an expression finds, which must be in the window."""
        x, y, seen = self.ask("(() => { const box = (%s).getBoundingClientRect(); return [box.x + Math.min(box.width / 2, 40), box.y + box.height / 2, box.bottom <= innerHeight && box.top >= 0]; })()" % found)
        self.assertTrue(seen, found)
        self.browser.click(x, y)
        self.actions += 1

    def button(self, text, inside="body"):
        self.click("[...document.querySelectorAll('%s button')].find(each => each.offsetWidth > 0 && each.textContent.startsWith(%s))" % (inside, js(text)))

    def seen(self):
        """The text that is in the window."""
        return self.ask("(() => { const out = []; const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);"
                        " while (walk.nextNode()) { const range = document.createRange(); range.selectNodeContents(walk.currentNode); const box = range.getBoundingClientRect();"
                        " if (box.width > 0 && box.bottom <= innerHeight && box.top >= 0) out.push(walk.currentNode.textContent); } return out.join(' '); })()")

    def done(self, pattern):
        self.assertRegex(self.seen(), pattern)
        self.assertLessEqual(self.actions, MOST_ACTIONS)
        self.fine()

    def test_the_hottest_own_function(self):
        self.page(self.file)
        self.done(r"\d% of the CPU time is in\s+spin \(app\.py:5\)")
        self.assertEqual(self.actions, 0)

    def test_who_calls_it(self):
        self.page(self.file)
        self.button("spin (app.py", "#verdict")
        callers = self.ask("gprofx.sandwich().callers.map(each => each.name)")
        self.assertIn("load", callers)
        self.done(r"called by\s+[\d.]+ [mu]?s\s+load")

    def test_the_source_line(self):
        self.page(self.file)
        self.button("Code", "#tabs")
        self.done(r"5\s+sum\(range\(200\)\)")
        hottest = self.ask("document.querySelector('#panel-source tr[aria-selected=true]').innerText")
        self.assertIn("sum(range(200))", hottest)

    @unittest.skipUnless(PROFILES, "no real recordings")
    def test_why_the_gpu_is_idle(self):
        self.page(os.path.join(PROFILES, "gpt2_train_h100.gprofx"))
        self.done(r"The GPU is idle for 50\.6%")
        self.assertRegex(self.seen(), r"waiting for native code 26\.6%")
        self.button("F2", "#first")
        self.done(r"place\s+the whole run\s+evidence\s+The GPU has nothing to do while the host runs native code")

    @unittest.skipUnless(PROFILES, "no real recordings")
    def test_which_rank_is_late(self):
        file = os.path.join(PROFILES, "ddp_2x_h100.gprofx")
        self.page(file)
        self.button("Ranks", "#tabs")
        ranks = report(file)["ranks"]
        self.done("Slowest is " + ranks["ranks"][ranks["slowest"]]["name"].replace("(", r"\(").replace(")", r"\)"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
