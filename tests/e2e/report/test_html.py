"""The page of `gprof-x report --html`, driven in a headless Chromium: what it shows is what the report says, whatever is selected.

Without Chromium nothing is tested. Real recordings are read where GPROFX_PROFILES (or ../shared/data/profiles) has them.
"""
import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from browser import PROGRAM, Browser
from profile_support import GPROFX, WORKLOADS, Recording

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
PROFILES = os.environ.get("GPROFX_PROFILES") or next(
    (folder for folder in (os.path.join(ROOT, *up, "shared/data/profiles") for up in ([".."], ["..", ".."])) if os.path.isdir(folder)), "")
FAKE = os.path.join(WORKLOADS, "fake_gpu")
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


def report(file, *options):
    out = subprocess.run([GPROFX, "report", "--json", *options, file], stdout=subprocess.PIPE, check=True).stdout
    return json.loads(out)


def has_option(name):
    return ("--" + name) in subprocess.run([GPROFX, "report", "--help-all"], stdout=subprocess.PIPE, text=True).stdout


def whole_run():
    """A report is usually of the steady part; this makes it one of everything."""
    return ["--phase", "all"] if has_option("phase") else []


def sums(rows, second="total"):
    """(self, second) by name, as Page.rows() has them: functions of one name may be several, and long names are cut."""
    by_name = {}
    for row in rows:
        if row["self"] or row["total"]:
            a, b = by_name.get(row["name"], (0, 0))
            by_name[row["name"]] = (a + row["self"], b + row[second])
    return {name: both for name, both in by_name.items() if len(name) < 1000}


def js(value):
    return json.dumps(value)


@unittest.skipUnless(PROGRAM, "no Chromium")
class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="gprof-x-html-")
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.folder.cleanup()

    def setUp(self):
        self.browser.size(1280, 800)
        self.browser.scheme(False)

    def page(self, file, *options):
        path = os.path.join(self.folder.name, os.path.basename(file) + ".html")
        subprocess.run([GPROFX, "report", "--html", path, *options, file], check=True)
        self.assertLess(os.path.getsize(path), 5_000_000)
        self.browser.open(path)
        return path

    def ask(self, expression):
        return self.browser.eval(expression)

    def rows(self, what="functions"):
        """(self, total) of functions, (self, calls) of kernels by name."""
        rows = self.ask("gprofx.rows(%s)" % js(what))
        if what == "kernels":
            rows = [dict(row, self=row["ns"], total=row["ns"]) for row in rows]
        return sums(rows, "calls" if what == "kernels" else "total")

    def fine(self):
        self.assertEqual(self.browser.troubles(), [])


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
        for tab in ("functions", "kernels", "source", "findings", "data", "flame"):
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
        self.assertEqual(next(each for each in after["boxes"] if each["name"] == "second_work")["width"], 1280)
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
        for _ in range(16):
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
        self.browser.key("2")
        self.assertEqual(self.ask("gprofx.state().tab"), "functions")
        self.browser.key("ArrowLeft")
        self.assertEqual(self.ask("gprofx.state().tab"), "flame")
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
        for tab in ("flame", "functions", "data"):
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


class Gaps(Page):
    """GPU work of which records were made in windows only: what is shown is estimated, of a range, too."""

    @unittest.skipUnless(os.path.exists(os.path.join(FAKE, "fake_train")), "built without CUDA headers")
    def test_kernels_of_a_range_are_what_the_report_estimates(self):
        env = dict(os.environ, GPROFX_CUPTI=os.path.join(FAKE, "libfake_cupti.so"))
        with Recording([os.path.join(FAKE, "fake_train"), "rate", "4"], ["--overhead", "5"], env=env) as r:
            self.page(r.file)
            for begin, end in ((None, None), (1_000_000_000, 3_000_000_000), (500_000_000, 900_000_000)):
                part = ["--range", "%dns..%dns" % (begin, end)] if end else whole_run()
                self.ask("gprofx.set({range: %s})" % js(end and {"begin": begin, "end": end}))
                said = report(r.file, "--by", "kernel", "--top", "100", *part)
                told = {row["name"]: (row["self"], row["calls"]) for row in said["rows"]}
                shown = self.rows("kernels")
                self.assertEqual(sorted(shown), sorted(told))
                for name, (ns, calls) in told.items():
                    # Cells are rounded one by one. The page knows how often each path launched in windows, of which the range holds
                    # the last one in part: where another program has the core for a while that is off.
                    self.assertAlmostEqual(shown[name][0], ns, delta=10 + (end is not None) * 0.03 * ns)
                    self.assertAlmostEqual(shown[name][1], calls, delta=10 + (end is not None) * 0.03 * calls)
            self.fine()


class Real(Page):
    FILES = ["gpt2_train_h100.gprofx", "ddp_2x_h100.gprofx"]

    def each(self, check):
        for name in self.FILES:
            path = os.path.join(PROFILES, name)
            if os.path.exists(path):
                with self.subTest(name):
                    self.page(path)
                    check(path)

    def functions(self, file, metric, *part):
        return sums(report(file, "--by", "function", "--metric", metric, "--limit", "1000000", *part)["rows"])

    def kernels(self, file, *part):
        return sums(report(file, "--by", "kernel", "--limit", "1000000", *part)["rows"], "calls")

    def test_tables_are_those_of_the_report(self):
        def check(file):
            self.ask("gprofx.set({range: null})")
            for metric in self.ask("[...document.getElementById('metric').options].map(each => each.textContent)"):
                self.ask("gprofx.set({metric: %s})" % js(metric))
                self.assertEqual(self.rows(), self.functions(file, metric, *whole_run()), metric)
            self.assertEqual(self.rows("kernels"), self.kernels(file, *whole_run()))
            self.fine()
        self.each(check)

    @unittest.skipUnless(has_option("range"), "report has no --range")
    def test_a_range_is_what_the_report_says_of_it(self):
        def check(file):
            for begin, end in ((15_000_000_000, 17_123_456_789), (18_000_000_123, 18_000_900_456)):
                part = ["--range", "%dns..%dns" % (begin, end)]
                self.ask("gprofx.set({range: {begin: %d, end: %d}})" % (begin, end))
                self.assertEqual(self.ask("gprofx.state().range"), {"begin": begin, "end": end})
                for metric in ("cpu", "gpu", "gpu_wait", "gpu_samples"):
                    self.ask("gprofx.set({metric: %s})" % js(metric))
                    self.assertEqual(self.rows(), self.functions(file, metric, *part), (metric, part))
                self.assertEqual(self.rows("kernels"), self.kernels(file, *part))
        self.each(check)

    def test_corrected_times_are_those_of_the_report_in_ranges_too(self):
        original = os.path.join(PROFILES, self.FILES[0])
        if not os.path.exists(original):
            self.skipTest("GPROFX_SHARED names no recordings")
        file = os.path.join(self.folder.name, "corrected.gprofx")
        shutil.copy(original, file)
        # Samples took about a fifth of the CPU time.
        with contextlib.closing(sqlite3.connect(file)) as database:
            measured = database.execute("SELECT value FROM quality WHERE name = 'cpu_measured_ns'").fetchone()[0]
            database.executemany("INSERT OR REPLACE INTO quality (name, value) VALUES (?, ?)",
                                 [("handler_total_ns", measured // 7), ("sample_interrupts_ns", measured // 60),
                                  ("gpu_launches", 0), ("gpu_records", 0)])
            database.commit()
        self.page(file, "--corrected")
        told = report(file, "--corrected", "--phase", "all")
        ratio, sampled = told["corrected"]["ratio"], told["corrected"]["sampled_ratio"]
        self.assertLess(sampled, ratio)  # without what the recording shows as profiling
        self.assertGreater(ratio, 1.15)
        self.assertIn("host times divided by %.3f" % ratio, self.ask("document.getElementById('facts').textContent"))
        self.assertIn("%.1f s" % (int(told["recording"]["meta"]["duration_ns"]) / ratio / 1e9), self.ask("document.getElementById('facts').textContent"))
        for metric in ("cpu", "gpu", "gpu_wait"):
            self.ask("gprofx.set({metric: %s})" % js(metric))
            for part in (None, (15_000_000_000, 17_123_456_789)):
                self.ask("gprofx.set({range: %s})" % js(part and {"begin": part[0], "end": part[1]}))
                chosen = ["--range", "%dns..%dns" % part] if part else whole_run()
                rows, told = self.rows(), self.functions(file, metric, *chosen, "--corrected")
                raw = self.functions(file, metric, *chosen)
                self.assertEqual(set(rows), set(told))
                for name in rows:
                    # Of a range the page rounds once for each node, the report for each thread of it, too.
                    self.assertAlmostEqual(rows[name][1], told[name][1], delta=raw[name][1] // 1_000_000 + 1000 if part else 0)
                    self.assertAlmostEqual(told[name][1], raw[name][1] / {"gpu": 1, "cpu": sampled}.get(metric, ratio),
                                           delta=raw[name][1] // 1_000_000 + 1000)

    @unittest.skipUnless(has_option("phase"), "report knows no phases")
    def test_a_page_begins_with_the_part_that_a_report_is_of(self):
        def check(file):
            told = report(file, "--top", "1000000")
            self.assertEqual(self.ask("gprofx.state().range.end - gprofx.state().range.begin"), told["part"]["end_ns"] - told["part"]["begin_ns"])
            self.assertEqual(self.rows(), self.functions(file, "cpu"))
            self.assertRegex(self.ask("document.getElementById('facts').textContent"), r"(60|200) steps of \d+\.\d ms")
            self.browser.key("Escape")
            self.assertIsNone(self.ask("gprofx.state().range"))
        self.each(check)

    def test_the_time_line_goes_down_to_one_launch(self):
        def check(_):
            self.ask("gprofx.set({range: null})")
            self.ask("gprofx.look(18.5e9, 18.502e9)")
            seen = self.ask("gprofx.timeline()")
            self.assertGreater(seen["blocks"], 3)
            self.assertLess(seen["events"], 2000)
            # A click on a kernel selects it; its words say when it was launched.
            left, top, width = self.ask("(() => { const box = document.getElementById('timeline').getBoundingClientRect();"
                                        " return [box.left, box.top, box.width]; })()")
            y = top + seen["first_row"] + 10
            for x in range(250, int(width), 6):
                self.browser.click(left + x, y)
                if self.ask("gprofx.timeline().selected") is not None:
                    break
            self.assertIsNotNone(self.ask("gprofx.timeline().selected"))
            self.assertRegex(self.ask("document.getElementById('status').textContent"), "launched .* before it began")
            first = self.ask("gprofx.timeline().selected")
            self.ask("document.getElementById('timeline').focus()")
            self.browser.key("]")
            self.assertNotEqual(self.ask("gprofx.timeline().selected"), first)
            self.fine()
        self.each(check)

    def test_a_drag_selects_and_everything_follows(self):
        def check(_):
            self.ask("gprofx.set({range: null})")
            before = self.rows()
            left, top, width, height = self.ask("(() => { const box = document.getElementById('timeline').getBoundingClientRect();"
                                                " return [box.left, box.top, box.width, box.height]; })()")
            self.browser.drag(left + width * 0.5, top + height / 2, left + width * 0.8, top + height / 2)
            self.assertIsNotNone(self.ask("gprofx.state().range"))
            self.assertNotEqual(self.rows(), before)
            own = self.ask("gprofx.rows('functions').reduce((sum, row) => sum + row.self, 0)")
            self.assertEqual(self.ask("gprofx.flame().total"), own)
        self.each(check)

    def test_a_thread_or_process_alone(self):
        def check(_):
            self.ask("gprofx.set({range: null})")
            whole = self.ask("gprofx.flame().total")
            options = "[...document.getElementById('scope').options].map(each => each.value)"
            for what in ("thread", "process"):
                parts = []
                for scope in self.ask(options):
                    if scope.startswith(what):
                        self.ask("gprofx.set({scope: %s})" % js(scope))
                        parts.append(self.ask("gprofx.flame().total"))
                self.assertEqual(sum(parts) if parts else whole, whole)
        self.each(check)

    def test_code_of_hot_kernels_is_what_annotate_says(self):
        def check(file):
            kernel = self.ask("gprofx.source(0)")
            told = json.loads(subprocess.run([GPROFX, "annotate", "--json", kernel["kernel"], file], stdout=subprocess.PIPE, check=True).stdout)
            self.assertEqual((kernel["samples"], kernel["latency"]), (told["samples"], told["latency"]))
            instructions = {"%04x" % each["offset"]: each["samples"] for each in told["modules"][0]["instructions"]}
            self.assertGreater(len(kernel["instructions"]), 10)
            for each in kernel["instructions"]:
                self.assertEqual(each["samples"], instructions[each["offset"]])
        self.each(check)


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
