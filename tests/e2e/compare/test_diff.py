"""gprof-x diff on real recordings of a program with a change that is known.

Times are CPU times of work by the clock of the process, which is asked seldom, so that other load on the machine changes little (time
in the kernel may lie in few samples there); what is asserted of them holds with a margin of many times the noise."""
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

GPROFX = os.environ["GPROFX"]
PAIRS = 5
PROGRAM = """
import sys, time
def work(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        for _ in range(2000): pass
def parse(): work(0.25)
def render(): work({render})
def load(): work(0.2)
parse(); render(); load()
"""


def gprofx(*args, columns=80):
    return subprocess.run([GPROFX, *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, COLUMNS=str(columns)))


def answer_of(*args):
    run = gprofx("diff", "--json", *args)
    assert run.returncode != 2, run.stderr
    return json.loads(run.stdout)


def setUpModule():
    DiffTest.folder = tempfile.TemporaryDirectory()
    DiffTest.sides = {side: os.path.join(DiffTest.folder.name, side) for side in ("base", "head", "same")}
    for side in DiffTest.sides.values():
        os.mkdir(side)
    for i in range(PAIRS):
        for side, render in (("base", 0.2), ("head", 0.5), ("same", 0.2)):
            run = gprofx("record", "-q", "-o", f"{DiffTest.sides[side]}/{i}.gprofx", "--", sys.executable, "-c",
                         PROGRAM.format(render=render))
            assert run.returncode == 0, run.stderr


def tearDownModule():
    DiffTest.folder.cleanup()


class DiffTest(unittest.TestCase):
    folder = sides = None

    def diff(self, *args, head="head"):
        return gprofx("diff", *args, self.sides["base"], self.sides[head])

    def rules(self, text):
        path = os.path.join(self.folder.name, "rules")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def changed(self, name, change):
        """A copy of the head whose database `change` was applied to."""
        folder = os.path.join(self.folder.name, name)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.sides["same"], folder)
        for file in os.listdir(folder):
            db = sqlite3.connect(os.path.join(folder, file))
            db.execute(change)
            db.commit()
            db.close()
        return folder


class Verdicts(DiffTest):
    def test_the_whole_is_slower_by_what_was_added(self):
        run = self.diff("--json")
        self.assertEqual((run.returncode, run.stderr), (1, ""))
        answer = json.loads(run.stdout)
        self.assertEqual(answer["verdict"], "regression")
        self.assertAlmostEqual((answer["total"]["head_ns"] - answer["total"]["base_ns"]) / 1e9, 0.3, delta=0.08)
        self.assertLess(answer["total"]["low_percent"], answer["total"]["change_percent"])
        self.assertEqual(len(answer["base"]), PAIRS)
        self.assertEqual((answer["unit"], answer["steps"]), ("run", None))

    def test_the_same_program_is_not_much_slower(self):
        # Noise of a loaded machine may look like a small change, hardly like one of a third.
        run = self.diff("--json", "--fail-on", "total>30%", head="same")
        answer = json.loads(run.stdout)
        self.assertEqual(run.returncode, 0, answer["rules"])
        self.assertLess(abs(answer["total"]["change_percent"]), 15)
        for line in self.diff(head="same").stdout.splitlines():
            self.assertLessEqual(len(line), 80, line)

    def test_one_run_of_each_is_inconclusive(self):
        run = gprofx("diff", self.sides["base"] + "/0.gprofx", self.sides["head"] + "/0.gprofx")
        self.assertEqual(run.returncode, 3)
        self.assertIn("record five or more", " ".join(run.stdout.split()))

    def test_sides_by_two_dashes(self):
        base, head = ([f"{self.sides[side]}/{i}.gprofx" for i in range(PAIRS)] for side in ("base", "head"))
        self.assertEqual(gprofx("diff", *base, "--", *head).returncode, 1)

    def test_more_runs_of_one_side_are_no_pairs(self):
        base, head = ([f"{self.sides[side]}/{i}.gprofx" for i in range(PAIRS)] for side in ("base", "head"))
        run = gprofx("diff", *base, "--", *head[1:])
        self.assertIn("5 runs of the base and 4 of the head cannot be paired", " ".join(run.stdout.split()))
        self.assertEqual(run.returncode, 1)

    def test_a_recording_twice_is_no_repetition(self):
        one, two = (self.sides[side] + "/0.gprofx" for side in ("base", "head"))
        for args in ((one, one), (one, one, "--", two, two), (self.sides["base"], self.sides["base"])):
            run = gprofx("diff", *args)
            self.assertEqual(run.returncode, 3)
            self.assertIn("a recording is given twice", run.stdout)

    def test_tables(self):
        self.assertIn("work <string>:5", self.diff("--by", "line", "--wide").stdout)
        self.assertIn("no operators of a framework", self.diff("--by", "operator").stdout)
        self.assertIn("no GPU work was recorded", self.diff("--by", "kernel").stdout)
        # To Python the work is that of its Python function, and the line is the one that loops.
        answer = answer_of("--view", "python", self.sides["base"], self.sides["head"])
        work = next(row for row in answer["functions"] if row["name"] == "work")
        self.assertGreater(work["head_ns"] - work["base_ns"], 0.15e9)
        self.assertTrue(any(row["line"] == 5 for row in answer["lines"]), answer["lines"])
        render = next(row for row in answer["functions"] if row["name"] == "render")
        self.assertGreater(render["inclusive"]["head_ns"], 1.5 * render["inclusive"]["base_ns"])

    def test_bad_input_is_one_line_and_2(self):
        empty = os.path.join(self.folder.name, "empty")
        os.makedirs(empty, exist_ok=True)
        base = self.sides["base"]
        for args in ((), ("one",), ("a", "b", "c"), (empty, base), ("/dev/null", "/dev/null"), ("--least", "x", "a", "b"),
                     (base, "--"), (base, "/nowhere"), ("--by", "x", base, base), ("--view", "x", base, base),
                     ("--rules", "/nowhere", base, base), ("--rules", self.folder.name, base, base)):
            run = gprofx("diff", *args)
            self.assertEqual(run.returncode, 2, args)
            self.assertEqual(run.stderr.count("\n"), 1, run.stderr)


class Gate(DiffTest):
    def assert_inconclusive(self, head, why):
        run = gprofx("diff", self.sides["base"], head)
        self.assertEqual(run.returncode, 3, run.stdout)
        self.assertIn(why, " ".join(run.stdout.split()))
        # Neither rules that would hold nor such that would fire change it.
        for rule in ("total>900%", "threads>900", "total>0%"):
            self.assertEqual(gprofx("diff", "--fail-on", rule, self.sides["base"], head).returncode, 3)

    def test_other_ways_to_record(self):
        other = os.path.join(self.folder.name, "wall.gprofx")
        self.assertEqual(gprofx("record", "-q", "-F", "97", "-o", other, "--", "true").returncode, 0)
        self.assert_inconclusive(other, "sampling rate")

    def test_another_cpu(self):
        db = sqlite3.connect(self.sides["base"] + "/0.gprofx")
        model = db.execute("SELECT value FROM meta WHERE name = 'cpu_model'").fetchone()[0]
        db.close()
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            self.assertIn(model, file.read())
        other = self.changed("cpu", "UPDATE meta SET value = 'EPYC' WHERE name = 'cpu_model'")
        self.assert_inconclusive(other, "CPU: " + model + " in the base, EPYC in the head")

    def test_a_cpu_that_one_side_does_not_say_is_a_note(self):
        other = self.changed("no_cpu", "DELETE FROM meta WHERE name = 'cpu_model'")
        answer = answer_of(self.sides["base"], other)
        self.assertEqual(answer["obstacles"], [])
        self.assertIn("CPU", [each["what"] for each in answer["differences"]])

    def test_another_gpu(self):
        other = self.changed("gpu", "INSERT INTO gpu_device SELECT 1, max(id), 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM string")
        self.assert_inconclusive(other, "GPUs: unknown in the base")

    def test_half_of_the_samples_lost(self):
        other = self.changed("lost", "UPDATE quality SET value = value / 2 WHERE name = 'cpu_accounted_ns'")
        self.assert_inconclusive(other, "is not accounted for in the head")

    def test_an_unfinished_recording(self):
        other = self.changed("unfinished", "UPDATE meta SET value = 'no' WHERE name = 'complete'")
        self.assert_inconclusive(other, "unfinished recordings in the head")


class Rules(DiffTest):
    def test_only_what_a_rule_forbids_fails(self):
        run = self.diff("--fail-on", "total>10%", "--fail-on", "total>200%", "--fail-on", "threads>0")
        self.assertEqual(run.returncode, 1, run.stdout)
        words = [line.split(":")[0] for line in run.stdout.splitlines() if "total>" in line or "threads>" in line]
        self.assertEqual(words, ["fails", "holds", "holds"])
        self.assertEqual(self.diff("--fail-on", "total>200%").returncode, 0)
        run = self.diff("--fail-on", "inclusive(^render$)>10%")
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertEqual(self.diff("--fail-on", "inclusive(^parse$)>100%").returncode, 0)

    def test_what_cannot_be_told_is_3(self):
        for rule in ("step>1%", "launches/step>0", "gpu_idle>2pt", "kernel(gemm)>5%", "self(no such name)>5%"):
            run = self.diff("--fail-on", rule)
            self.assertEqual(run.returncode, 3, run.stdout)
            self.assertIn("unclear: " + rule, run.stdout)

    def test_what_is_new_and_renamed_is_not_passed_over(self):
        def sides(name, head):
            base = {f"f{i}": 4000 for i in range(20)}
            base["big_old"] = 20000
            made = []
            for side, functions in (("base", base), ("head", {**base, **head})):
                made.append(os.path.join(self.folder.name, name + "_" + side))
                os.mkdir(made[-1])
                for i in range(PAIRS):
                    path = os.path.join(made[-1], f"{i}.folded")
                    with open(path, "w") as file:
                        for k, (function, count) in enumerate(functions.items()):
                            file.write(f"main;{function} {count + (k * 7 + i * 13) % 23}\n" if count else "")
                    run = gprofx("import", path, "-o", os.path.join(made[-1], f"{i}.gprofx"))
                    self.assertEqual(run.returncode, 0, run.stderr)
                    os.unlink(path)
            return made
        grown = sides("grown", {"hot_new": 20000})
        run = gprofx("diff", "--fail-on", "self(*)>5%", *grown)
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertRegex(" ".join(run.stdout.split()), r"fails: self\(\*\)>5%: hot_new is new, with 16.\d% of the time")
        renamed = sides("renamed", {"big_old": 0, "big_new": 22600})
        run = gprofx("diff", "--fail-on", "self(big_new)>5%", *renamed)
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertIn("big_new (was big_old)", run.stdout)
        self.assertEqual(gprofx("diff", "--fail-on", "self(big_new)>40%", *renamed).returncode, 0)
        # Nothing here knows of a GPU.
        for rule in ("launches>0", "launches(gemm)>0", "syncs>0"):
            run = gprofx("diff", "--fail-on", rule, *renamed)
            self.assertEqual(run.returncode, 3, run.stdout)
            self.assertIn("neither side has a recording of the GPU", " ".join(run.stdout.split()))

    def test_a_file_of_rules(self):
        who = "owner=Ada until=2999-12-31 because=known, see the log\n"
        file = self.rules("# ours\ntotal>10%\n")
        self.assertEqual(self.diff("--rules", file).returncode, 1)
        file = self.rules("total>10%\nsuppress total>10% " + who)
        run = self.diff("--rules", file)
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertIn("suppressed: total>10%", run.stdout)
        self.assertIn("(Ada until 2999-12-31: known, see the log)", " ".join(run.stdout.split()))
        answer = answer_of("--rules", file, self.sides["base"], self.sides["head"])
        self.assertEqual([(row["result"], row["fired"]) for row in answer["rules"]], [("suppressed", True)])
        self.assertEqual(answer["status"], 0)

    def test_a_suppression_that_has_ended(self):
        run = self.diff("--rules", self.rules("total>900%\nsuppress render owner=Ada until=2020-02-29 because=of that\n"))
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertIn("the suppression of 'render' in line 2 of", run.stderr)
        self.assertIn("ended on 2020-02-29; set a new date or remove it; its owner is Ada", run.stderr)
        self.assertEqual(run.stderr.count("\n"), 1)

    def test_a_rule_that_cannot_be_understood_has_a_caret(self):
        run = self.diff("--fail-on", "total>>1%")
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertEqual(run.stderr, "gprof-x diff: error in this rule: a number is needed here [GX-0601]\n  total>>1%\n        ^\n")
        run = self.diff("--rules", self.rules("total>1%\nself(a\x1bb)>x%\n"))
        self.assertEqual(run.returncode, 2)
        first, rule, caret = run.stderr.splitlines()
        self.assertIn("in line 2 of", first)
        self.assertEqual(rule[caret.index("^"):], "x%")
        self.assertNotIn("\x1b", run.stderr)

    def test_a_hostile_name_ends_soon(self):
        for name in ("(" * 400, "(a|a)*" * 60 + "b", "((a*)*)*" * 20, "[[:alpha:]" * 9, "a{1,255}{1,255}"):
            self.assertIn(self.diff("--fail-on", f"self({name})>5%").returncode, (0, 1, 2, 3))


if __name__ == "__main__":
    unittest.main()
