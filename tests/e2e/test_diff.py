"""gprof-x diff on real recordings of a program with a change that is known."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

GPROFX = os.environ["GPROFX"]
PAIRS = 5
# Work by CPU time, so that other load on the machine changes nothing.
PROGRAM = """
import sys, time
def work(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end: pass
def parse(): work(0.25)
def render(): work({render})
def load(): work(0.2)
parse(); render(); load()
"""


def gprofx(*args):
    return subprocess.run([GPROFX, *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, COLUMNS="80"))


class Diff(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.sides = {}
        for side in ("base", "head", "same"):
            cls.sides[side] = os.path.join(cls.folder.name, side)
            os.mkdir(cls.sides[side])
        for i in range(PAIRS):
            for side, render in (("base", 0.2), ("head", 0.5), ("same", 0.2)):
                run = gprofx("record", "-q", "-o", f"{cls.sides[side]}/{i}.gprofx", "--", sys.executable, "-c",
                             PROGRAM.format(render=render))
                assert run.returncode == 0, run.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_the_whole_is_slower_by_what_was_added(self):
        run = gprofx("diff", "--json", self.sides["base"], self.sides["head"])
        self.assertEqual((run.returncode, run.stderr), (1, ""))
        answer = json.loads(run.stdout)
        self.assertEqual(answer["verdict"], "regression")
        self.assertAlmostEqual((answer["total"]["head_ns"] - answer["total"]["base_ns"]) / 1e9, 0.3, delta=0.08)
        self.assertLess(answer["total"]["low_percent"], answer["total"]["change_percent"])
        self.assertEqual(len(answer["base"]), PAIRS)

    def test_the_same_program_is_no_regression(self):
        run = gprofx("diff", self.sides["base"], self.sides["same"])
        self.assertIn(run.returncode, (0, 3), run.stdout)
        for line in run.stdout.splitlines():
            self.assertLessEqual(len(line), 80, line)

    def test_one_run_of_each_is_inconclusive(self):
        run = gprofx("diff", self.sides["base"] + "/0.gprofx", self.sides["head"] + "/0.gprofx")
        self.assertEqual(run.returncode, 3)
        self.assertIn("record five or more", run.stdout)

    def test_sides_by_two_dashes(self):
        base, head = ([f"{self.sides[side]}/{i}.gprofx" for i in range(PAIRS)] for side in ("base", "head"))
        self.assertEqual(gprofx("diff", *base, "--", *head).returncode, 1)

    def test_what_cannot_be_compared_is_said(self):
        other = os.path.join(self.folder.name, "wall.gprofx")
        self.assertEqual(gprofx("record", "-q", "-F", "97", "-o", other, "--", "true").returncode, 0)
        run = gprofx("diff", self.sides["base"] + "/0.gprofx", other)
        self.assertEqual(run.returncode, 3)
        self.assertIn("sampling rate", run.stdout)

    def test_bad_input_is_one_line_and_2(self):
        for args in ((), ("one",), ("a", "b", "c"), (self.folder.name, self.sides["base"]), ("/dev/null", "/dev/null"),
                     ("--least", "x", "a", "b"), (self.sides["base"], "--")):
            run = gprofx("diff", *args)
            self.assertEqual(run.returncode, 2, args)
            self.assertEqual(run.stderr.count("\n"), 1, run.stderr)


if __name__ == "__main__":
    unittest.main()
