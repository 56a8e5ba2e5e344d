#!/usr/bin/env python3
"""The call tree, the sandwich and the details of the page of `gprof-x report --html`: walked by keys, with the numbers of the report."""
import collections
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from page_support import PROFILES, Page, js, report
from profile_support import Recording

SCRIPT = """
import time
def spin(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        sum(range(100))
def first(): spin(0.3)
def second(): spin(0.4)
def fold(n): return fold(n - 1) if n else spin(0.1)
first()
second()
fold(5)
"""


class Tree(Page):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.recording = Recording([sys.executable, "-c", SCRIPT])

    @classmethod
    def tearDownClass(cls):
        cls.recording.close()
        super().tearDownClass()

    def tree(self):
        return self.ask("gprofx.tree()")

    def focus(self, query):
        self.ask("document.querySelector(%s).focus()" % js(query))

    def details(self):
        return self.ask("document.getElementById('details').innerText")

    def test_all_opened_it_is_the_tree_of_the_report(self):
        self.page(self.recording.file)
        self.ask("gprofx.open('tree')")
        self.focus(".tree")
        roots = sum(row["depth"] == 1 for row in self.tree()["rows"])
        for i in range(roots):
            self.ask("document.querySelector('.tree').focus()")
            self.browser.key("Home")
            for _ in range(i):
                while True:
                    self.browser.key("ArrowDown")
                    tree = self.tree()
                    if tree["rows"][tree["current"]]["depth"] == 1:
                        break
            self.browser.key("*")
        told = report(self.recording.file, "--tree", "--limit", "1000000", "--phase", "all")["rows"]
        depth = {}
        for row in told:
            depth[row["id"]] = 0 if row["parent"] is None else depth[row["parent"]] + 1
        expected = collections.Counter((row["name"], depth[row["id"]], row["total"], row["self"]) for row in told if depth[row["id"]] and row["total"])
        shown = collections.Counter((row["name"], row["depth"], row["total"], row["self"]) for row in self.tree()["rows"])
        self.assertEqual(shown, expected)
        self.assertGreater(len(told), 5)
        self.fine()

    def test_keys_open_and_close(self):
        self.page(self.recording.file)
        self.ask("gprofx.open('tree')")
        self.focus(".tree")
        self.browser.key("Home")
        before = self.tree()
        self.assertTrue(before["rows"][0]["open"])
        self.browser.key("ArrowLeft")
        self.assertFalse(self.tree()["rows"][0]["open"])
        self.browser.key("ArrowRight")
        self.assertTrue(self.tree()["rows"][0]["open"])
        self.browser.key("ArrowRight")
        self.assertEqual(self.tree()["current"], 1)
        self.browser.key("ArrowLeft")
        self.browser.key("ArrowLeft")
        self.assertEqual(self.tree()["current"], 0)
        active = self.ask("document.getElementById(document.querySelector('.tree').getAttribute('aria-activedescendant')).getAttribute('aria-selected')")
        self.assertEqual(active, "true")
        self.assertIn("self", self.details())

    def test_the_sandwich_has_all_calls_of_a_function(self):
        self.page(self.recording.file)
        self.ask("gprofx.open('sandwich')")
        self.ask("gprofx.choose('spin')")
        shown = self.ask("gprofx.sandwich()")
        self.assertEqual(shown["name"], "spin")
        total = self.rows()["spin"][1]
        self.assertEqual(shown["callers"][0]["total"], total)
        self.assertEqual(shown["callees"][0]["total"], total)
        callers = {each["name"]: each for each in shown["callers"][1:]}
        for name in ("first", "second", "fold"):
            self.assertEqual(callers[name]["total"], self.rows()[name][1], name)
        self.assertLess(callers["first"]["y"], shown["callers"][0]["y"])  # above it
        for name in ("called by", "calls", "call path"):
            self.assertIn(name, self.details())
        # A caller is a button that selects it.
        self.ask("[...document.querySelectorAll('#details .link')].find(each => each.textContent === 'second').click()")
        self.assertEqual(self.ask("gprofx.sandwich().name"), "second")
        self.fine()

    def test_recursion_counts_once(self):
        self.page(self.recording.file)
        self.ask("gprofx.open('sandwich')")
        self.ask("gprofx.choose('fold')")
        shown = self.ask("gprofx.sandwich()")
        self.assertEqual(shown["callees"][0]["total"], self.rows()["fold"][1])
        self.assertEqual(shown["callers"][0]["total"], self.rows()["fold"][1])

    def test_a_function_of_the_table_leaves_the_search_alone(self):
        self.page(self.recording.file)
        self.ask("gprofx.press('first')")
        self.ask("gprofx.open('functions')")
        self.ask("[...document.querySelectorAll('#panel-functions td.name')].find(each => each.textContent.startsWith('second')).click()")
        self.assertEqual(self.ask("document.getElementById('search').value"), "")
        self.assertEqual(self.ask("document.querySelector('#details h2').textContent"), "second")
        self.ask("[...document.querySelectorAll('#details button')].find(each => each.textContent === 'in the flame graph').click()")
        self.assertEqual(self.ask("[gprofx.state().tab, gprofx.state().search, gprofx.flame().zoom]"), ["flame", "", "[all]"])
        self.assertEqual(self.ask("gprofx.state().found"), 1)
        self.browser.key("Escape")
        self.assertIsNone(self.ask("gprofx.state().found"))


@unittest.skipUnless(PROFILES, "no real recordings")
class Kernels(Page):
    def test_details_of_a_kernel_and_of_a_step(self):
        file = os.path.join(PROFILES, "gpt2_train_h100.gprofx")
        self.page(file)
        self.ask("gprofx.open('kernels')")
        self.ask("document.querySelector('#panel-kernels tbody tr').click()")
        text = self.ask("document.getElementById('details').innerText")
        for word in ("grid", "block", "registers", "stalls of", "launched from", "call path", "hf_train.py:10"):
            self.assertIn(word, text)
        row = report(file, "--by", "kernel", "--top", "1")["rows"][0]
        self.assertIn(row["name"][:60], text)
        # Each operation of the timeline has its own call path.
        self.ask("gprofx.operation(5000)")
        self.assertRegex(self.ask("document.getElementById('details').innerText"), r"launched\s+[\d.]+ [mun]?s before it began")
        # A step.
        self.ask("gprofx.set({range: gprofx.steps(20)})")
        text = self.ask("document.getElementById('details').innerText")
        self.assertIn("step 21", text)
        self.assertIn("GPU time", text)
        self.fine()

    def test_ranks_side_by_side(self):
        file = os.path.join(PROFILES, "ddp_2x_h100.gprofx")
        self.page(file)
        self.ask("gprofx.open('ranks')")
        told = report(file)["ranks"]
        text = self.ask("document.getElementById('panel-ranks').innerText")
        slow = told["ranks"][told["slowest"]]["name"]
        self.assertIn("Slowest is " + slow, text)
        self.assertIn(slow, self.ask("document.querySelector('#panel-ranks .late').textContent"))
        self.fine()


if __name__ == "__main__":
    unittest.main(verbosity=2)
