"""gprof-x ci on real recordings of small programs."""
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from ci_support import GPROFX, CiTest, program
from profile_support import judged_by_time


class Run(CiTest):
    def test_a_slower_function_is_found_confirmed_and_named_first(self):
        run = self.ci_run(*(f"cd {side} && {sys.executable} job.py" for side in ("base", "head")), "--json")
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        answer = json.loads(run.stdout)
        self.assertEqual(answer["verdict"], "regression")
        self.assertEqual(answer["ci"]["confirmation"], "confirmed")
        self.assertEqual(answer["functions"][0]["name"], "render", answer["functions"][:3])
        self.assertEqual((len(answer["base"]), len(answer["ci"]["confirm_head"]), answer["ci"]["pairs"]), (10, 5, 5))
        with open(self.path("gprof-x-ci", "verdict.json")) as file:
            self.assertEqual(json.load(file), answer)
        with open(self.path("gprof-x-ci", "verdict.txt")) as file:
            text = file.read()
        self.assertIn("regression", text)
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80, line)
        # What is in the folder can be compared again, and measures itself.
        sides = [[f"gprof-x-ci/{part}{side}" for part in ("", "confirm/")] for side in ("base", "head")]
        self.assertEqual(self.gprofx("diff", *sides[0], "--", *sides[1]).returncode, 1)
        measured = self.gprofx("diff", "--aa", "--json", "gprof-x-ci/base", "gprof-x-ci/confirm/base")
        self.assertEqual(measured.returncode, 0, measured.stderr)
        splits = json.loads(measured.stdout)["splits"]
        self.assertEqual([(one["paired"], one["splits"]) for one in splits], [(True, 32), (False, 252)])
        for one in splits:
            self.assertLessEqual(one["rate_low"], one["false_alarm_rate"])
        for line in self.gprofx("diff", "--aa", "gprof-x-ci/base").stdout.splitlines():
            self.assertLessEqual(len(line), 80, line)
        # An earlier job's files are not mixed with new ones.
        again = self.ci_run("true", "true", "--pairs", "2")
        self.check_one_line(again, "another job", "--force")
        again = self.ci_run("echo out; echo err >&2", "true", "--pairs", "2", "--force")
        self.assertIn(again.returncode, (0, 1, 3), again.stderr)  # whatever a millisecond of work seems to be
        self.assertEqual(sorted(os.listdir(self.path("gprof-x-ci", "base"))),
                         ["01.gprofx", "01.log", "02.gprofx", "02.log"])
        with open(self.path("gprof-x-ci", "base", "01.log")) as file:
            self.assertEqual(file.read(), "out\nerr\n")

    @judged_by_time
    def test_an_unchanged_program_is_no_regression(self):
        run = self.ci_run(f"{sys.executable} base.py", f"{sys.executable} base.py", "--pairs", "4")
        self.assertIn(run.returncode, (0, 3), run.stdout)

    def test_two_folders_in_turns(self):
        for side in ("old", "new %d"):
            self.write(side + "/job.sh", 'echo "$PWD $1" >> "%s"\n' % self.path("order"))
        run = self.gprofx("ci", "run", "--base-dir", "old", "--head-dir", "new %d", "-o", "out %d", "--warm-up", "0",
                          "--pairs", "4", "--record-options", "-F 97", "--", "sh", "job.sh", "a b")
        self.assertIn(run.returncode, (0, 1, 3), run.stderr)  # a millisecond each: who knows
        with open(self.path("order")) as file:
            lines = file.read().splitlines()
        root = os.path.realpath(self.folder)
        self.assertEqual([line[len(root) + 1:] for line in lines[:8]],
                         ["old a b", "new %d a b", "new %d a b", "old a b"] * 2)
        self.assertIn("04.gprofx", os.listdir(self.path("out %d", "head")))
        with open(self.path("out %d", "verdict.json")) as file:
            self.assertEqual(json.load(file)["ci"]["head"]["folder"], "new %d")

    def test_the_time_limit_ends_a_job_that_would_be_longer(self):
        run = self.ci_run("sleep 0.3", "sleep 0.3", "--pairs", "100", "--time-limit", "6s", "--json")
        # 1: a first look may be wrong, and there is no time for a second one.
        self.assertIn(run.returncode, (0, 1, 3), run.stderr)
        ci = json.loads(run.stdout)["ci"]
        self.assertTrue(ci["time_limit_reached"])
        self.assertGreaterEqual(ci["pairs"], 2)
        self.assertLess(ci["pairs"], 20)

    def test_rules_decide_and_are_read_before_anything_is_recorded(self):
        run = self.ci_run("true", "true", "--fail-on", "total>>1%", "-o", "new")
        self.assertEqual(run.returncode, 2)
        self.assertIn("^", run.stderr)
        self.assertFalse(os.path.exists(self.path("new")))
        run = self.ci_run(*(f"cd {side} && {sys.executable} job.py" for side in ("base", "head")), "--pairs", "3", "--confirm", "0",
                          "--fail-on", "total>400%", "--fail-on", "self(render)>400%", "--json", "--junit", "new/j.xml", "-o", "new")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertEqual(len(json.loads(run.stdout)["rules"]), 2)
        xml.etree.ElementTree.parse(self.path("new", "j.xml"))

    def test_a_program_that_fails_ends_the_job(self):
        run = self.ci_run("true", "echo no luck; exit 7")
        self.check_one_line(run, "head", "status 7", "no luck", "01.log", "--ignore-failures")
        run = self.ci_run("no-such-program-here", "true", "--force")
        self.check_one_line(run, "base", "status 127")
        self.check_one_line(self.ci_run("true", "true", "--head-dir", "/no/such", "--force"), "/no/such")
        run = self.ci_run("exit 7", "exit 7", "--force", "--pairs", "2", "--ignore-failures")
        self.assertIn(run.returncode, (0, 1, 3), run.stderr)

    def test_a_failure_counts_where_the_parent_ignores_the_ends_of_children(self):
        run = self.gprofx("ci", "run", "--base", "true", "--head", "exit 7",
                          preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        self.check_one_line(run, "head", "status 7")

    def test_what_a_run_leaves_running_is_ended_and_what_was_there_is_not(self):
        count = "ps -eo args | grep -c '^sleep 414[1]$' >> '%s' || :" % self.path("counts")
        mine = "sleep 430 >/dev/null 2>&1 & echo $! > mine; exec " + " ".join((
            GPROFX, "ci", "run", "--pairs", "2", "--confirm", "0", "--json", "--base", "true", "--head",
            f'"{count}; setsid sleep 4141 & setsid sleep 4141 &"'))
        run = subprocess.run(["sh", "-c", mine], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                             timeout=300)
        self.assertIn(run.returncode, (0, 1, 3), run.stderr)
        with open(self.path("counts")) as file:
            self.assertEqual(set(file.read().split()), {"0"})
        self.assertEqual(self.running("sleep", "4141"), [])
        with open(self.path("mine")) as file:
            os.kill(int(file.read()), signal.SIGKILL)  # an error where it is no more
        self.assertGreaterEqual(json.loads(run.stdout)["ci"]["left_running"], 6)
        with open(self.path("gprof-x-ci", "verdict.txt")) as file:
            self.assertIn("left running were ended", file.read())

    def test_bad_words_are_one_line_and_2(self):
        for args in (("run",), ("run", "--pairs", "1", "--base", "a", "--head", "b"), ("run", "--base", "a"),
                     ("run", "--base", "a", "--head", "b", "-o", "base.py"), ("run", "--baseline", "none", "--", "true"),
                     ("walk",), ("history", "none"), ("history", "."), ("baseline", "save", "main"),
                     ("baseline", "save", "a/b", "base.py"), ("baseline", "save", "main", "base.py"), ("baseline", "show")):
            self.check_one_line(self.gprofx("ci", *args))

    def stopped(self, send):
        """A job that gets a signal in its second pair, while programs run that do not listen to it."""
        head = 'test -e go || exit 0; trap "" TERM INT; sleep 987 & sleep 986'
        job = subprocess.Popen([GPROFX, "ci", "run", "--base", "test ! -e gprof-x-ci/head/01.gprofx || : > go", "--head", head,
                                "--force"], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, start_new_session=True, text=True)
        end = time.monotonic() + 120
        while time.monotonic() < end and not (self.running("987") and self.running("986")):
            self.assertIsNone(job.poll())
            time.sleep(0.05)
        os.kill(job.pid, send)
        out, err = job.communicate(timeout=60)
        return job.returncode, out, err

    def running(self, *words):
        """Programs that run in the folder of the test, with these words among theirs."""
        found = []
        for link in glob.glob("/proc/[0-9]*/cwd"):
            try:
                with open(link[:-3] + "cmdline") as file:
                    command = file.read().split("\0")
                if os.readlink(link) == os.path.realpath(self.folder) and set(words) <= set(command):
                    found.append(command)
            except OSError:
                pass
        return found

    def test_ctrl_c_leaves_nothing_running_and_what_was_finished(self):
        for send in (signal.SIGINT, signal.SIGTERM):
            status, out, err = self.stopped(send)
            self.assertEqual((status, out), (130, ""), err)
            self.assertIn("stopped", err.splitlines()[-1])
            self.assertEqual(self.running(), [])
            finished = glob.glob(self.path("gprof-x-ci", "**", "*.gprofx"), recursive=True)
            self.assertGreaterEqual(len(finished), 4)  # the warm-up, and a pair
            for path in finished:
                self.assertEqual(self.gprofx("report", path).returncode, 0, path)
            self.assertFalse(os.path.exists(self.path("gprof-x-ci", "verdict.json")))
            os.unlink(self.path("go"))


class Baselines(CiTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("runs"))
        for i in range(3):
            run = self.gprofx("record", "-q", "-o", f"runs/{i}.gprofx", "--", sys.executable, "base.py")
            self.assertEqual(run.returncode, 0, run.stderr)

    def objects(self):
        return glob.glob(self.path(".gprof-x-baselines", "objects", "*", "*.gprofx"))

    @judged_by_time
    def test_save_list_show_compare_prune(self):
        save = self.gprofx("ci", "baseline", "save", "main", "runs", "--commit", "c0ffee")
        self.assertEqual(save.returncode, 0, save.stderr)
        self.assertEqual(len(self.objects()), 3)
        self.gprofx("ci", "baseline", "save", "main", "runs/0.gprofx", "--commit", "decaf")
        self.assertEqual(len(self.objects()), 3)
        listed = json.loads(self.gprofx("ci", "baseline", "list", "--json").stdout)["baselines"]
        self.assertEqual([(one["name"], one["commit"], len(one["files"])) for one in listed],
                         [("main", "c0ffee", 3), ("main", "decaf", 1)])
        self.assertIn("c0ffee", self.gprofx("ci", "baseline", "list").stdout)
        shown = self.gprofx("ci", "baseline", "show", "main").stdout
        self.assertIn("decaf", shown)
        self.assertIn("machine", shown)
        self.gprofx("ci", "baseline", "save", "main", "runs")
        self.assertEqual(self.gprofx("ci", "baseline", "prune", "--keep", "1").returncode, 0)
        self.assertEqual(len(json.loads(self.gprofx("ci", "baseline", "list", "--json").stdout)["baselines"]), 1)
        same = self.gprofx("diff", "baseline:main", "runs", "--json")
        self.assertIn(same.returncode, (0, 3))
        self.assertFalse(json.loads(same.stdout)["paired"])
        run = self.gprofx("ci", "run", "--baseline", "main", "--pairs", "3", "--json", "--", sys.executable, "head.py")
        self.assertIn(run.returncode, (1, 3), run.stderr)  # three runs against three may be too few to confirm
        answer = json.loads(run.stdout)
        self.assertEqual((answer["ci"]["pairs"], answer["ci"]["confirmation"]), (3, "few base runs"))
        self.assertEqual(answer["ci"]["baseline"], "main")
        self.assertGreater(answer["total"]["change_percent"], 5)
        self.assertFalse(os.path.exists(self.path("gprof-x-ci", "base")))

    def test_two_looks_are_at_two_halves_of_a_baseline(self):
        for i in range(3, 6):
            self.gprofx("record", "-q", "-o", f"runs/{i}.gprofx", "--", sys.executable, "base.py")
        self.gprofx("ci", "baseline", "save", "main", "runs")
        run = self.gprofx("ci", "run", "--baseline", "main", "--pairs", "3", "--json", "--", sys.executable, "head.py")
        answer = json.loads(run.stdout)
        self.assertIn(answer["ci"]["confirmation"], ("confirmed", "refuted"))
        self.assertEqual((len(answer["base"]), len(answer["ci"]["confirm_base"])), (6, 3))
        self.assertEqual(answer["base"][3:], answer["ci"]["confirm_base"])
        self.assertEqual(len(set(answer["base"])), 6)

    def test_long_names_are_broken_into_lines(self):
        self.gprofx("ci", "baseline", "save", "m" * 60, "runs/0.gprofx", "--commit", "c" * 60)
        for verb in (("show", "m" * 60), ("list",)):
            run = self.gprofx("ci", "baseline", *verb)
            self.assertEqual(run.returncode, 0, run.stderr)
            for line in run.stdout.splitlines():
                self.assertLessEqual(len(line), 80, line)
        run = self.ci_run("true", "exit 7")
        for line in run.stderr.splitlines()[:-1]:
            self.assertLessEqual(len(line), 80, line)

    def test_a_damaged_store_is_refused(self):
        self.gprofx("ci", "baseline", "save", "main", "runs")
        victim = self.objects()[0]
        with open(victim, "r+b") as file:
            file.seek(100)
            file.write(b"!")
        for args in (("diff", "baseline:main", "runs"), ("ci", "baseline", "show", "main"),
                     ("ci", "run", "--baseline", "main", "--", "true"), ("ci", "history", ".gprof-x-baselines")):
            self.check_one_line(self.gprofx(*args), "damaged", os.path.basename(victim))
        os.unlink(victim)
        self.check_one_line(self.gprofx("diff", "baseline:main", "runs"), "missing")
        entry = glob.glob(self.path(".gprof-x-baselines", "names", "main", "*.json"))[0]
        with open(entry, "w") as file:
            file.write('{"schema":"gprof-x.baseline/1","name":"main","files":[{"sha256":"../../../runs"}]}')
        self.check_one_line(self.gprofx("diff", "baseline:main", "runs"), "damaged")

    def test_jobs_save_at_the_same_time(self):
        jobs = [subprocess.Popen([GPROFX, "ci", "baseline", "save", "main", "runs", "--commit", f"c{i}"], cwd=self.folder,
                                 stdout=subprocess.DEVNULL) for i in range(6)]
        for job in jobs:
            self.assertEqual(job.wait(60), 0)
        listed = json.loads(self.gprofx("ci", "baseline", "list", "--json").stdout)["baselines"]
        self.assertEqual({one["commit"] for one in listed}, {f"c{i}" for i in range(6)})
        self.assertEqual(glob.glob(self.path(".gprof-x-baselines", "**", "*.part"), recursive=True), [])

    def test_another_machine_is_inconclusive(self):
        self.gprofx("record", "-q", "-F", "97", "-o", "other.gprofx", "--", sys.executable, "base.py")
        self.gprofx("ci", "baseline", "save", "main", "other.gprofx", "--folder", "elsewhere")
        run = self.gprofx("diff", "baseline:elsewhere/main", "runs")
        self.assertEqual(run.returncode, 3, run.stdout)
        self.assertIn("sampling rate", run.stdout)


class History(CiTest):
    @judged_by_time
    def test_the_version_that_changed_a_function(self):
        for i in range(8):
            render = 0.1 if i < 5 else 0.4  # the whole, too, changes by more than machines vary
            self.write("job.py", program(parse=0.05, render=render, load=0.05, check=0.02, store=0.02))
            run = self.gprofx("record", "-q", "-o", "one.gprofx", "--", sys.executable, "job.py")
            self.assertEqual(run.returncode, 0, run.stderr)
            self.gprofx("ci", "baseline", "save", "main", "one.gprofx", "--commit", f"commit{i}")
            os.makedirs(self.path("versions", f"v{i}"))
            shutil.move(self.path("one.gprofx"), self.path("versions", f"v{i}", "1.gprofx"))
        for folder, version in ((".gprof-x-baselines", "commit5"), ("versions", "v5")):
            run = self.gprofx("ci", "history", "--json", folder)
            self.assertEqual(run.returncode, 0, run.stderr)
            series = json.loads(run.stdout)["series"]
            changed = {one["name"]: [change["version"] for change in one["changes"]] for one in series if one["changes"]}
            self.assertEqual(changed.get("render"), [version], changed)
            self.assertEqual(changed.get(None), [version], changed)  # the whole
        text = self.gprofx("ci", "--history", "versions").stdout
        self.assertRegex(text, "v5 .*render")
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80, line)


if __name__ == "__main__":
    unittest.main()
