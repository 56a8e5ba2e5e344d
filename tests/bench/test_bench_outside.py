#!/usr/bin/env python3
"""bench_outside.py without a GPU and without gprof-x: its arithmetic, its harness with a pretended recorder."""
import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path[:0] = [HERE, os.path.join(HERE, "..", "gpu"), os.path.join(HERE, "..", "e2e", "support")]

import bench_outside  # noqa: E402
import intervals  # noqa: E402
from outside_programs import PROGRAMS  # noqa: E402
from profile_support import judged_by_time  # noqa: E402

# Stands for PyTorch's: recording costs 30 %.
PROFILER = '''
    import os
    ProfilerActivity = type("ProfilerActivity", (), {"CPU": 0, "CUDA": 1})
    class profile:
        def __init__(self, activities):
            assert activities == [0]
        def start(self, factor="1.3"):
            with open(os.environ["FAKE_LEVEL"], "w") as file:
                file.write(factor)
        def stop(self):
            self.start("1.0")
'''
# A program of 4 ms a step, times what the pretended recorder's level costs; TEST_TROUBLE: hangs, missing, fails.
SLEEPER = '''
    import os, sys, time
    import steps
    trouble = os.environ.get("TEST_TROUBLE")
    def factor():
        try:
            with open(os.environ["FAKE_RECORDED"]) as file:
                return float(file.read())
        except (KeyError, OSError):
            return 1.0
    def setup():
        if trouble == "missing":
            import there_is_no_such_package
        made = 0
        def step():
            nonlocal made
            made += 1
            if trouble == "fails" and made == 30:
                sys.exit("out of something")
            time.sleep(3600 if trouble == "hangs" and made == 30 else 0.004 * factor())
        return step
    if __name__ == "__main__":
        steps.main(setup)
'''


class Arithmetic(unittest.TestCase):
    def test_a_log_gives_the_time_between_marks(self):
        marks, begins = intervals.read_log("mark 1 1000 5\nstep 1010 5\nstep 1200 6\nmark 2 1400 7\nstep 1500 7\nstep 9")
        self.assertEqual(begins, [1010, 1200, 1500])
        self.assertEqual(intervals.time_per_step(marks, 1, 2), 200)
        self.assertIsNone(intervals.time_per_step(marks, 2, 2), "no step between")
        self.assertIsNone(intervals.time_per_step(marks, 2, 3), "a mark that was never reached")

    def test_bootstrap_interval(self):
        self.assertEqual(intervals.bootstrap([2.0] * 5), (2.0, 2.0))
        low, high = intervals.bootstrap([float(n) for n in range(101)])
        self.assertTrue(30 < low < 45 and 55 < high < 70, (low, high))
        self.assertEqual(intervals.bootstrap([1.0, 2.0, 3.0]), intervals.bootstrap([1.0, 2.0, 3.0]), "the same each time")
        self.assertEqual([intervals.percentile([1.0, 2.0, 4.0], s) for s in (0, 0.25, 0.75, 1)], [1.0, 1.5, 3.0, 4.0])

    def test_windows_of_many_processes_are_held_against_bare_ones_of_their_round(self):
        ways = ["bare", "live", "bare", "bare"]
        ns = {(0, 0): 10, (0, 1): 12, (0, 2): 8, (0, 3): 30, (1, 0): 20, (1, 1): 22, (1, 2): 20, (1, 3): 19}
        self.assertEqual(bench_outside.ratios(ways, ns), {"bare": [[1.0, 1.0], [0.8, 1.0], [3.0, 0.95]], "live": [[1.2, 1.1]]})

    def test_bare_is_held_against_bare(self):
        ns = {(0, 0): 10, (0, 1): 12, (0, 2): 8, (1, 0): 20, (1, 1): 22, (1, 2): 25}
        self.assertEqual(bench_outside.bare_against_bare(["bare", "live", "bare"], ns), [1.25, 0.8])
        self.assertEqual(bench_outside.bare_against_bare(["bare", "live"], {(0, 0): 1, (0, 1): 1}), [])

    def test_verdicts(self):
        def found(low, high, count=20):
            return {"ratio": (low + high) / 2, "low": low, "high": high, "count": count}
        self.assertEqual(intervals.verdict(found(1.01, 1.04), 1.05, 20), "holds")
        self.assertEqual(intervals.verdict(found(1.01, 1.06), 1.05, 20), "unsure")
        self.assertEqual(intervals.verdict(found(1.06, 1.08), 1.05, 20), "misses")
        self.assertEqual(intervals.verdict(found(1.01, 1.04, 19), 1.05, 20), "too few")
        self.assertEqual(intervals.verdict(found(0.98, 0.99), (0.995, 1.005), 20), "misses")
        self.assertEqual(intervals.verdict(found(0.996, 1.004, 9), (0.995, 1.005), 9), "holds")
        self.assertEqual((intervals.verdict(None, 1.05, 1), intervals.verdict(found(1, 1), None, 1)), ("", ""))
        self.assertEqual(intervals.summary([]), None)
        self.assertEqual(intervals.summary([1.0, 2.0])["low"], None)

    def test_a_statement_is_held_against_what_was_measured(self):
        said = {"ratio": None, "low": 1.01, "high": 1.05}
        self.assertIs(intervals.holds_claim(said, {"ratio": 1.04}), True)
        self.assertIs(intervals.holds_claim(said, {"ratio": 1.06}), False)
        for missing in (None, {}, {"low": None, "high": 1}):
            self.assertIsNone(intervals.holds_claim(missing, {"ratio": 1.06}))


class Programs(unittest.TestCase):
    def test_each_is_there_short_and_ready_to_run(self):
        for program in PROGRAMS:
            path = os.path.join(HERE, "programs", program + ".py")
            with open(path) as file:
                text = file.read()
            compile(text, path, "exec")
            self.assertLessEqual(text.count("\n"), 80, path)
            self.assertRegex(text, r"steps\.(main|drive)\(", path)


class Harness(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory(prefix="gprof-x-test-")
        self.addCleanup(held.cleanup)
        self.folder = held.name
        with open(os.path.join(self.folder, "gpu_bound.py"), "w") as file:
            file.write(textwrap.dedent(SLEEPER))

    def bench(self, *more, status=0, **trouble):
        """(printed, tables) of a short measurement."""
        kept = os.path.join(self.folder, "tables.json")
        command = [sys.executable, os.path.join(HERE, "bench_outside.py"), "--gprofx", os.path.join(HERE, "fake_recorder.py"), "--scripts",
                   self.folder, "--device", "cpu", "--programs", "gpu_bound", "--rounds", "4", "--window", "0.1", "--first", "0.02",
                   "--duration", "0", "--apart", "0.1", "--budget", "60", "--end", "5", "--json", kept, *more]
        env = {**os.environ, "PYTHONPATH": os.path.join(HERE, "programs") + ":" + self.folder, "FAKE_LEVEL": os.path.join(self.folder, "level"), **trouble}
        ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env, timeout=120)
        self.assertEqual(ended.returncode, status, ended.stdout)
        with open(kept) as file:
            return ended.stdout, json.load(file)

    @judged_by_time
    def test_processes_take_turns_and_what_they_say_is_held_against_it(self):
        text, tables = self.bench("--ways", "bare:2,live-none:2,mine", "--way", "mine=--overhead none")
        self.assertRegex(text, r"gpu_bound, 4 rounds, \d\.\d+ ms a step bare")
        rows = {row["way"]: row for row in tables[0]["rows"]}
        self.assertLess(abs(rows["bare"]["ratio"] - 1), 0.1, text)
        for way in ("live-none", "mine"):
            self.assertTrue(1.15 < rows[way]["ratio"] < 1.5, text)
        # The recorder says 1.0 to 1.2, and costs 1.3.
        self.assertEqual([(one["way"], one["holds"]) for one in tables[0]["statements"]],
                         [("live-none", False), ("mine", False), ("live-none", False)], text)
        self.assertIn("statements that hold what was measured: 0 of 3", text)

    @judged_by_time
    def test_torch_profiler_is_on_all_the_time(self):
        os.makedirs(os.path.join(self.folder, "torch"))
        for name, text in (("__init__.py", ""), ("profiler.py", PROFILER)):
            with open(os.path.join(self.folder, "torch", name), "w") as file:
                file.write(textwrap.dedent(text))
        # All of its processes read the factor that the profiler of one of them has set: bare ones do not.
        with open(os.path.join(self.folder, "gpu_bound.py")) as file:
            sleeper = file.read().replace('os.environ["FAKE_RECORDED"]', 'os.environ["FAKE_LEVEL"] if "torch.profiler" in sys.modules else "none"')
        with open(os.path.join(self.folder, "gpu_bound.py"), "w") as file:
            file.write(sleeper)
        text, tables = self.bench("--ways", "bare:2,profiler")
        self.assertGreater(tables[0]["rows"][1]["ratio"], 1.15, text)

    def not_measured(self, *more, **trouble):
        text, tables = self.bench(*more, status=1, **trouble)
        self.assertEqual(tables, [], text)
        return text

    def test_a_missing_package_is_one_line(self):
        self.assertRegex(self.not_measured(TEST_TROUBLE="missing"), "^gpu_bound: not measured: .*there_is_no_such_package")

    def test_a_program_that_fails_says_why(self):
        self.assertRegex(self.not_measured(TEST_TROUBLE="fails"), "out of something")

    def test_a_program_that_hangs_is_ended(self):
        self.assertRegex(self.not_measured("--budget", "8", "--setup", "3", TEST_TROUBLE="hangs"), "over|in time")
        left = subprocess.run(["pgrep", "-f", self.folder], stdout=subprocess.PIPE, text=True).stdout
        self.assertEqual(left, "", "processes left behind")

    def test_a_recorder_that_refuses_or_never_answers_is_one_line(self):
        self.assertRegex(self.not_measured("--ways", "bare,off", FAKE_TROUBLE="refuses"), "unknown option")
        self.assertRegex(self.not_measured("--ways", "bare,off", "--budget", "6", FAKE_TROUBLE="mute"), "over")


if __name__ == "__main__":
    unittest.main(verbosity=2)
