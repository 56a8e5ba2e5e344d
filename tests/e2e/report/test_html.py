#!/usr/bin/env python3
"""The page of `gprof-x report --html` as a program in a browser: schemes, keys, search, zoom, hostile names, narrow windows.

Without Chromium nothing is tested. What the page's numbers are is in test_html_numbers.py.
"""
import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from browser import PROGRAM
from page_support import PROFILES, Page, js, report, sums, whole_run
from profile_support import GPROFX, Recording

HOSTILE = "</script><img src=x onerror=\"window.hacked=1\">\x1b[31m\u202e\U0001f525" + "x" * 10000


# Two functions one after the other, and one whose name is not one.
WORK = """
import time

def spin(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        sum(range(100))

def first_work():
    spin(0.5)

def second_work():
    spin(0.7)

def third():
    spin(0.4)

third.__code__ = third.__code__.replace(co_name=NAME, **({"co_qualname": NAME} if hasattr(third.__code__, "co_qualname") else {}))
first_work()
second_work()
third()
"""


class Text(Page):
    """A recording made here, of a program with a hostile name in it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if PROGRAM:
            cls.recording = Recording([sys.executable, "-c", WORK.replace("NAME", repr(HOSTILE))])

    @classmethod
    def tearDownClass(cls):
        cls.recording.close()
        super().tearDownClass()

    def test_it_opens_in_both_schemes_without_a_word_in_the_console(self):
        path = self.page(self.recording.file)
        with open(path) as file:
            text = file.read()
        self.assertNotRegex(text, r"https?://")
        self.assertNotIn("onerror", text)
        colors = []
        for dark in (False, True):
            self.browser.scheme(dark)
            self.browser.open(path)
            self.assertEqual(self.ask("gprofx.state().theme"), "dark" if dark else "light")
            self.browser.frame()
            colors.append(self.ask("(() => { const c = document.getElementById('flame'), p = c.getContext('2d').getImageData(c.width - 2, c.height - 2, 1, 1).data;"
                                   " return p[0] + p[1] + p[2]; })()"))
            self.fine()
        self.assertGreater(colors[0], 600)
        self.assertLess(colors[1], 150)
        self.browser.key("t")
        self.assertEqual(self.ask("gprofx.state().theme"), "light")

    def test_a_hostile_name_is_only_text(self):
        self.page(self.recording.file)
        self.ask("gprofx.set({search: 'onerror'})")
        self.assertEqual(self.ask("gprofx.state().found"), 1)
        for tab in ("functions", "tree", "sandwich", "data", "flame"):
            self.ask("gprofx.open(%s)" % js(tab))
            self.browser.frame()
            self.assertEqual(self.ask("document.querySelectorAll('img, iframe, script[src], link, object').length"), 0)
        self.ask("gprofx.open('functions')")
        cell = self.ask("[...document.querySelectorAll('td.name')].find(cell => cell.textContent.includes('onerror')).textContent")
        self.assertTrue(cell.startswith("</script><img src=x onerror=\"window.hacked=1\">\\x1b[31m"), cell[:80])
        self.assertNotIn("\u202e", cell)
        self.assertIn("\U0001f525", cell)
        box = self.ask("(() => { const box = gprofx.flame().boxes.find(each => each.name.includes('onerror')); return box && [box.x, box.y]; })()")
        self.ask("gprofx.open('flame')")
        self.browser.frame()
        top = self.ask("document.getElementById('flame').getBoundingClientRect().top")
        self.browser.mouse("mouseMoved", box[0] + 3, top + box[1] + 5)
        self.assertIn("<img src=x", self.ask("document.getElementById('tip').textContent"))
        self.assertIsNone(self.ask("window.hacked === undefined ? null : window.hacked"))
        self.fine()

    def test_the_whole_run_is_what_the_report_says(self):
        self.page(self.recording.file)
        told = sums(report(self.recording.file, "--top", "100000", *whole_run())["rows"])
        self.assertEqual(self.rows(), told)
        self.assertGreater(told["second_work"][1], 500_000_000)

    def test_parts_of_the_run_are_the_run(self):
        self.page(self.recording.file)
        self.ask("gprofx.set({range: null})")
        whole = self.rows()
        middle = int(report(self.recording.file, "--top", "1")["recording"]["meta"]["duration_ns"]) // 2
        parts = []
        for begin, end in ((0, middle), (middle, 2 * middle)):
            self.ask("gprofx.set({range: {begin: %d, end: %d}})" % (begin, end))
            parts.append(self.rows())
        # What no sample stands for has no place in time: a thousandth, or more where the machine is busy.
        for name in ("first_work", "second_work", "spin"):
            total = sum(part.get(name, (0, 0))[1] for part in parts)
            self.assertTrue(0.97 * whole[name][1] <= total <= whole[name][1], (name, total, whole[name]))
        # One comes after the other, so the middle lies in one of them, in which depends on who else uses the cores.
        self.assertFalse("second_work" in parts[0] and "first_work" in parts[1])
        self.ask("gprofx.set({range: null})")
        self.assertEqual(self.rows(), whole)

    def test_search_finds_and_zoom_changes_what_is_drawn(self):
        self.page(self.recording.file)
        self.browser.key("/")
        for letter in "SECOND_W":
            self.browser.key(letter)
        state = self.ask("gprofx.state()")
        self.assertEqual((state["search"], state["found"]), ("SECOND_W", 1))
        self.assertRegex(self.ask("document.getElementById('found').textContent"), r"^1: \d+\.\d%$")
        self.browser.key("Escape")
        self.assertEqual(self.ask("gprofx.state().search"), "")
        before = self.ask("gprofx.flame()")
        box = next(each for each in before["boxes"] if each["name"] == "second_work")
        top = self.ask("document.getElementById('flame').getBoundingClientRect().top")
        self.browser.click(box["x"] + box["width"] / 2, top + box["y"] + 5)
        self.ask("new Promise(done => setTimeout(done, 400))")
        after = self.ask("gprofx.flame()")
        self.assertEqual(after["zoom"], "second_work")
        self.assertEqual(next(each for each in after["boxes"] if each["name"] == "second_work")["width"], self.ask("document.getElementById('flame').clientWidth"))
        self.assertNotIn("first_work", [each["name"] for each in after["boxes"]])
        self.browser.key("Escape")
        self.ask("new Promise(done => setTimeout(done, 400))")
        self.assertEqual(self.ask("gprofx.flame().zoom"), "[all]")
        self.assertIn("first_work", [each["name"] for each in self.ask("gprofx.flame().boxes")])

    def test_callers_begin_with_who_ran(self):
        self.page(self.recording.file)
        self.ask("gprofx.set({direction: 'up'})")
        boxes, whole = self.ask("gprofx.flame().boxes"), self.ask("gprofx.flame().total")
        self.assertEqual(whole, sum(own for own, _ in self.rows().values()))
        first_row = [each for each in boxes if each["y"] == boxes[1]["y"]]
        self.assertNotIn("<module>", [each["name"] for each in first_row if each["width"] > 20])

    def test_keys_are_enough(self):
        self.page(self.recording.file)
        reached = []
        for _ in range(30):
            self.browser.key("Tab")
            reached.append(self.ask("document.activeElement.id"))
        for part in ("search", "timeline", "tab-flame", "down", "flame"):
            self.assertIn(part, reached)
        self.assertEqual(reached.index("timeline") < reached.index("tab-flame") < reached.index("flame"), True)
        self.ask("document.getElementById('flame').focus()")
        for key in ("ArrowDown", "Enter"):
            self.browser.key(key)
        self.ask("new Promise(done => setTimeout(done, 400))")
        self.assertNotEqual(self.ask("gprofx.flame().zoom"), "[all]")
        self.browser.key("Backspace")
        self.ask("new Promise(done => setTimeout(done, 400))")
        self.assertEqual(self.ask("gprofx.flame().zoom"), "[all]")
        self.browser.key("3")
        self.assertEqual(self.ask("gprofx.state().tab"), "functions")
        for tab in ("tree", "flame"):
            self.browser.key("ArrowLeft")
            self.assertEqual(self.ask("gprofx.state().tab"), tab)
        self.ask("document.getElementById('timeline').focus()")
        for key in ("+", "ArrowRight", "Enter"):
            self.browser.key(key)
        self.assertIsNotNone(self.ask("gprofx.state().range"))
        self.browser.key("Escape")
        self.assertIsNone(self.ask("gprofx.state().range"))
        self.browser.key("?")
        self.assertTrue(self.ask("document.getElementById('keys').open"))

    def test_a_narrow_window_needs_no_scrolling_sideways(self):
        self.browser.size(420, 800)
        self.page(self.recording.file)
        for tab in ("flame", "tree", "functions", "sandwich", "data"):
            self.ask("gprofx.open(%s)" % js(tab))
            self.browser.frame()
            self.assertLessEqual(self.ask("document.documentElement.scrollWidth"), 420)
            # Each number stands below its heading.
            for table in self.ask("[...document.querySelectorAll('main table')].filter(each => each.offsetWidth > 0).map("
                                  "each => ['thead tr', 'tbody tr'].map(row => each.querySelector(row)).map(row => row === null ? [] :"
                                  " [...row.children].filter(cell => cell.offsetWidth > 0).map(cell => Math.round(cell.getBoundingClientRect().x))))"):
                if table[0] and table[1]:
                    self.assertEqual(table[0], table[1], tab)
        self.assertGreater(len(self.ask("gprofx.flame().boxes")), 5)
        self.fine()

    def test_filters_hold_in_the_page(self):
        self.page(self.recording.file, "--focus", "second_work")
        rows, kept = self.rows(), report(self.recording.file, "--top", "1", "--focus", "second_work", *whole_run())["kept"]
        self.assertNotIn("first_work", rows)
        self.assertEqual(sum(own for own, _ in rows.values()), kept)


@unittest.skipUnless(PROGRAM and PROFILES, "no Chromium or no real recordings")
class Markers(Page):
    """Ranges that the program has named, of a trace with two steps and what lies in them."""

    EVENTS = [("ProfilerStep#1", 0, 10_000), ("ProfilerStep#2", 12_000, 10_000), ("forward <b>", 1_000, 4_000), ("inner", 2_000, 1_000)]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.made = os.path.join(cls.folder.name, "markers.gprofx")
        kernel = {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 3_000, "dur": 9_500,
                  "args": {"device": 0, "stream": 7, "correlation": 1}}
        launch = {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 5, "tid": 5, "ts": 2_500, "dur": 5,
                  "args": {"correlation": 1}}
        events = [{"ph": "X", "cat": "user_annotation", "name": name, "pid": 5, "tid": 5, "ts": start, "dur": length}
                  for name, start, length in cls.EVENTS]
        trace = os.path.join(cls.folder.name, "markers.json")
        with open(trace, "w") as file:
            json.dump({"schemaVersion": 1, "deviceProperties": [], "traceEvents": [*events, launch, kernel]}, file)
        subprocess.run([GPROFX, "import", "-q", "-o", cls.made, trace], check=True)

    def test_ranges_are_drawn_told_and_selected(self):
        self.page(self.made)
        drawn = {each["name"]: each for each in self.ask("gprofx.timeline().drawn_markers")}
        self.assertEqual(set(drawn), {name for name, _, _ in self.EVENTS})
        rows = [drawn[name]["y"] for name in ("ProfilerStep#1", "forward <b>", "inner")]
        self.assertEqual(rows, sorted(set(rows)))  # what lies in another range is below it
        self.assertEqual(drawn["ProfilerStep#1"]["y"], drawn["ProfilerStep#2"]["y"])
        left, top = self.ask("(() => { const box = document.getElementById('timeline').getBoundingClientRect(); return [box.left, box.top]; })()")
        box = drawn["forward <b>"]
        self.browser.mouse("mouseMoved", left + box["x"] + 5, top + box["y"])
        tip = self.ask("document.getElementById('tip').textContent")
        self.assertIn("forward <b>", tip)
        self.assertIn("4.00 ms", tip)
        self.browser.click(left + box["x"] + 5, top + box["y"])
        self.assertEqual(self.ask("gprofx.state().range"), {"begin": 1_000_000, "end": 5_000_000})
        self.ask("gprofx.set({metric: 'gpu'})")
        told = report(self.made, "--range", "1000000ns..5000000ns", "--by", "kernel")["rows"]
        self.assertEqual([row["ns"] for row in self.ask("gprofx.rows('kernels')")], [row["self"] for row in told])
        self.assertEqual(told[0]["self"], 2_000_000)
        self.ask("gprofx.look(1.5e6, 3.5e6)")
        wide = {each["name"]: each["width"] for each in self.ask("gprofx.timeline().drawn_markers")}
        self.assertGreater(wide["inner"], 5 * drawn["inner"]["width"])
        self.fine()


class Command(unittest.TestCase):
    def run_report(self, *args):
        return subprocess.run([GPROFX, "report", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def test_a_recording_is_not_written_over(self):
        with Recording([sys.executable, "-c", "pass"]) as recording:
            with open(recording.file, "rb") as file:
                before = file.read()
            run = self.run_report("--html", recording.file, recording.file)
            self.assertEqual((run.returncode, run.stdout), (2, ""))
            self.assertIn("is a profile, not a page", run.stderr)
            with open(recording.file, "rb") as file:
                self.assertEqual(file.read(), before)
            run = self.run_report("--html", "/nowhere/page.html", recording.file)
            self.assertEqual(run.returncode, 2)
            self.assertEqual(len(run.stderr.strip().splitlines()), 1)
            run = self.run_report("--html", "-", recording.file)
            self.assertTrue(run.stdout.startswith("<!DOCTYPE html>"))

    def test_a_page_is_no_view(self):
        for option in (["--tree"], ["--json"], ["--top", "3"]):
            run = self.run_report("--html", "x.html", *option, "p.gprofx")
            self.assertEqual(run.returncode, 2)
            self.assertIn("options '--html' and '%s' cannot be combined" % option[0], run.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
