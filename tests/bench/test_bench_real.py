#!/usr/bin/env python3
"""bench_real.py without a GPU and without gprof-x: its arithmetic on wandering clocks, its harness with a pretended recorder."""
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path[:0] = [HERE, os.path.join(HERE, "..", "gpu"), os.path.join(HERE, "..", "e2e")]

import bench_copies  # noqa: E402
import paired  # noqa: E402
from bench_table import Table  # noqa: E402
from profile_support import judged_by_time  # noqa: E402
from real_programs import BY_NAME, PROGRAMS  # noqa: E402

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
        marks, begins = paired.read_log("mark 1 1000 5\nstep 1010 5\nstep 1200 6\nmark 2 1400 7\nstep 1500 7\nstep 9")
        self.assertEqual(begins, [1010, 1200, 1500])
        self.assertEqual(paired.time_per_step(marks, 1, 2), 200)
        self.assertIsNone(paired.time_per_step(marks, 2, 2), "no step between")
        self.assertIsNone(paired.time_per_step(marks, 2, 3), "a mark that was never reached")
        self.assertEqual(paired.median_step(begins, 1000, 1500), 245)
        self.assertIsNone(paired.median_step(begins, 1000, 1100))

    def test_quads_alternate_and_end_when_each_level_has_its_pairs(self):
        self.assertEqual([now for _, now in paired.quads(["a", "b"], {"a": 4, "b": 1})],
                         "off a a off off b b off off a a off".split())
        self.assertEqual({compared for compared, _ in list(paired.quads(["a", "b"], {"a": 4, "b": 1}))[4:8]}, {"b"})

    def test_pairs_are_neighbours_and_a_lost_window_costs_its_pair_only(self):
        windows = [("off", 10), ("a", 12), ("a", 33), ("off", 30), ("off", None), ("b", 7), ("b", 8), ("off", 4), ("off", 1)]
        self.assertEqual(paired.pair_ratios(windows), {"a": [1.2, 1.1], "b": [2.0]})

    def test_bootstrap_interval(self):
        self.assertEqual(paired.bootstrap([2.0] * 5), (2.0, 2.0))
        low, high = paired.bootstrap([float(n) for n in range(101)])
        self.assertTrue(30 < low < 45 and 55 < high < 70, (low, high))
        self.assertEqual(paired.bootstrap([1.0, 2.0, 3.0]), paired.bootstrap([1.0, 2.0, 3.0]), "the same each time")
        self.assertEqual([paired.percentile([1.0, 2.0, 4.0], s) for s in (0, 0.25, 0.75, 1)], [1.0, 1.5, 3.0, 4.0])

    def wandering(self, seed, ratio):
        """Summary of 20 pairs on a machine whose speed wanders by a third and whose windows have 2 % of noise."""
        random_number, windows = random.Random(seed), []
        for number, (_, now) in enumerate(paired.quads(["2"], {"2": 20})):
            drift = 1 + 0.3 * math.sin(0.11 * number + seed) + 0.02 * random_number.gauss(0, 1)
            windows.append((now, 1e6 * drift * (ratio if now == "2" else 1.0)))
        return paired.summary(paired.pair_ratios(windows)["2"])

    def test_a_ratio_is_found_on_a_machine_that_wanders(self):
        found = [self.wandering(seed, 1.1) for seed in range(60)]
        self.assertTrue(all(abs(f["ratio"] - 1.1) < 0.04 for f in found), [f["ratio"] for f in found])
        held = sum(f["low"] <= 1.1 <= f["high"] for f in found)
        self.assertGreaterEqual(held, 54, "a 95 %% interval that holds the truth in %d of 60" % held)
        self.assertLess(max(f["high"] - f["low"] for f in found), 0.15, "an interval that says something")

    def test_windows_of_many_processes_are_held_against_bare_ones_of_their_round(self):
        ways = ["bare", "live", "bare", "bare"]
        ns = {(0, 0): 10, (0, 1): 12, (0, 2): 8, (0, 3): 30, (1, 0): 20, (1, 1): 22, (1, 2): 20, (1, 3): 19}
        self.assertEqual(bench_copies.ratios(ways, ns), {"bare": [[1.0, 1.0], [0.8, 1.0], [3.0, 0.95]], "live": [[1.2, 1.1]]})

    def test_verdicts(self):
        def found(low, high, pairs=20):
            return {"ratio": (low + high) / 2, "low": low, "high": high, "pairs": pairs}
        self.assertEqual(paired.verdict(found(1.01, 1.04), 1.05), "holds")
        self.assertEqual(paired.verdict(found(1.01, 1.06), 1.05), "unsure")
        self.assertEqual(paired.verdict(found(1.06, 1.08), 1.05), "misses")
        self.assertEqual(paired.verdict(found(1.01, 1.04, 19), 1.05), "too few")
        self.assertEqual(paired.verdict(found(0.98, 0.99), (0.995, 1.005)), "misses")
        self.assertEqual(paired.verdict(found(0.996, 1.004, 9), (0.995, 1.005), 9), "holds")
        self.assertEqual((paired.verdict(None, 1.05), paired.verdict(found(1, 1), None)), ("", ""))
        self.assertEqual(paired.summary([]), None)
        self.assertEqual(paired.summary([1.0, 2.0])["low"], None)

    def test_a_claim_is_held_against_what_was_measured(self):
        claim = {"ratio": 1.03, "low": 1.01, "high": 1.05}
        self.assertIs(paired.holds_claim(claim, {"ratio": 1.04}), True)
        self.assertIs(paired.holds_claim(claim, {"ratio": 1.06}), False)
        for missing in (None, {}, {"low": None, "high": 1}):
            self.assertIsNone(paired.holds_claim(missing, {"ratio": 1.06}))
        table = Table({})
        table.claims(BY_NAME["ddp"], [claim])
        self.assertIsNone(table.own[0]["claims"][0]["holds"], "nothing was measured")


class Programs(unittest.TestCase):
    def test_each_is_there_short_and_ready_to_run(self):
        for program in PROGRAMS:
            path = os.path.join(HERE, "programs", program.name + ".py")
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

    def bench(self, *more, **trouble):
        """(status, printed, table) of a short measurement."""
        command = [sys.executable, os.path.join(HERE, "bench_real.py"), "--gprofx", os.path.join(HERE, "fake_recorder.py"),
                   "--scripts", self.folder, "--out", os.path.join(self.folder, "out"), "--device", "cpu", "--programs", "gpu_bound",
                   "--window", "0.1", "--auto-window", "0.1", "--warm", "0.1", "--warm-steps", "3", "--peer-pairs", "0",
                   "--runs", "0", "--pairs", "4", "--budget", "60", "--end", "2", *more]
        env = {**os.environ, "PYTHONPATH": os.path.join(HERE, "programs") + ":" + self.folder, "FAKE_LEVEL": os.path.join(self.folder, "level"), **trouble}
        ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               env=env, timeout=120)
        with open(os.path.join(self.folder, "out", "bench_real.json")) as file:
            return ended.returncode, ended.stdout, json.load(file)

    @judged_by_time
    def test_it_finds_what_a_recorder_costs(self):
        status, text, table = self.bench()
        self.assertEqual((status, table["left_out"]), (0, []), text)
        found = {row["what"]: row["paired"] for row in table["rows"]}
        self.assertEqual({what: f["pairs"] for what, f in found.items()}, {"auto": 4, "1": 4}, text)
        self.assertGreater(found["1"]["ratio"], 1.15, text)
        self.assertLess(found["auto"]["ratio"], found["1"]["ratio"], text)
        self.assertEqual(table["own_cost"][0]["claims"][0]["ratio"], 1.1, text)
        self.assertIn("too few", text)
        self.assertIn("own cost as recorded", text)

    @judged_by_time
    def test_many_processes_take_turns(self):
        command = [sys.executable, os.path.join(HERE, "bench_copies.py"), "--gprofx", os.path.join(HERE, "fake_recorder.py"), "--scripts",
                   self.folder, "--device", "cpu", "--programs", "gpu_bound", "--ways", "bare:2,live-none:2,mine",
                   "--way", "mine=--overhead none", "--rounds", "4", "--window", "0.1", "--duration", "0", "--apart", "0.1", "--budget", "60", "--end", "5"]
        env = {**os.environ, "PYTHONPATH": os.path.join(HERE, "programs") + ":" + self.folder, "FAKE_LEVEL": os.path.join(self.folder, "level")}
        ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env, timeout=120)
        self.assertEqual(ended.returncode, 0, ended.stdout)
        self.assertRegex(ended.stdout, r"gpu_bound, 4 rounds, \d\.\d+ ms a step bare")
        for way in ("live-none", "mine"):
            found = float(re.search(way + r" +(\d\.\d+) \(", ended.stdout)[1])
            self.assertTrue(1.15 < found < 1.5, ended.stdout)

    @judged_by_time
    def test_whole_runs_interleave(self):
        status, text, table = self.bench("--pairs", "0", "--runs", "2", "--seconds", "0.3", "--ways", "bare,none,default,off")
        self.assertEqual((status, table["left_out"]), (0, []), text)
        found = {row["what"]: row["whole"] for row in table["rows"]}
        self.assertEqual({what: f["pairs"] for what, f in found.items()}, {"auto": 2, "none": 2, "off": 2}, text)
        self.assertGreater(found["none"]["ratio"], 1.1, text)
        self.assertLess(found["off"]["ratio"], found["none"]["ratio"], text)
        self.assertEqual(len(table["own_cost"][0]["claims"]), 2, text)

    @judged_by_time
    def test_a_program_switches_its_own_profiler(self):
        os.makedirs(os.path.join(self.folder, "torch"))
        for name, text in (("__init__.py", ""), ("profiler.py", PROFILER)):
            with open(os.path.join(self.folder, "torch", name), "w") as file:
                file.write(textwrap.dedent(text))
        status, text, table = self.bench("--pairs", "0", "--peer-pairs", "4",
                                         FAKE_RECORDED=os.path.join(self.folder, "level"))
        self.assertEqual((status, table["left_out"], len(table["rows"])), (0, [], 1), text)
        self.assertEqual(table["rows"][0]["paired"]["pairs"], 4, text)
        self.assertGreater(table["rows"][0]["paired"]["ratio"], 1.15, text)

    def left_out(self, *more, **trouble):
        status, text, table = self.bench(*more, **trouble)
        self.assertEqual((status, len(table["left_out"])), (0, 1), text)
        return table["left_out"][0]

    def test_a_missing_package_is_one_line(self):
        self.assertRegex(self.left_out(TEST_TROUBLE="missing"), "^gpu_bound: skipped, .*there_is_no_such_package")

    def test_a_program_that_fails_says_why(self):
        self.assertRegex(self.left_out(TEST_TROUBLE="fails"), "out of something")

    def test_a_program_that_hangs_is_ended(self):
        self.assertRegex(self.left_out("--budget", "8", "--setup", "3", TEST_TROUBLE="hangs"), "over|in time")
        left = subprocess.run(["pgrep", "-f", self.folder], stdout=subprocess.PIPE, text=True).stdout
        self.assertEqual(left, "", "processes left behind")

    def test_a_recorder_that_refuses_or_dies_is_one_line(self):
        self.assertRegex(self.left_out(FAKE_TROUBLE="refuses"), "unknown option")
        self.assertRegex(self.left_out(FAKE_TROUBLE="dies"), "status")

    def test_a_recorder_that_never_answers_is_one_line(self):
        self.assertRegex(self.left_out("--budget", "6", FAKE_TROUBLE="mute"), "over")


if __name__ == "__main__":
    unittest.main(verbosity=2)
