#!/usr/bin/env python3
"""The numbers of the page of `gprof-x report --html`: what it shows is what the report says, whatever is selected.

Without Chromium nothing is tested.
"""
import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from page_support import FAKE, PROFILES, Page, has_option, js, report, sums, whole_run
from profile_support import GPROFX, Recording


class Gaps(Page):
    """GPU work of which records were made in windows only: what is shown is estimated, of a range, too."""

    @unittest.skipUnless(os.path.exists(os.path.join(FAKE, "fake_train")), "built without CUDA headers")
    def test_kernels_of_a_range_are_what_the_report_estimates(self):
        for attempt in range(3):  # another program may have the core for a while, see below
            try:
                return self.compare_ranges()
            except AssertionError:
                if attempt == 2:
                    raise

    def compare_ranges(self):
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


if __name__ == "__main__":
    unittest.main(verbosity=2)
