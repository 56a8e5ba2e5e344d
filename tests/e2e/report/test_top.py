#!/usr/bin/env python3
"""gprof-x top: programs that are started or run already, as JSON, text and on a screen with keys."""
import json
import os
import platform
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from launcher_support import GPROFX, LauncherTest, cpu_seconds
from test_interactive import Session

FAKE = os.path.join(os.environ.get("GPROFX_WORKLOADS", ""), "fake_gpu")
WORK = """
import signal, sys
stop = []
signal.signal(signal.SIGUSR1, lambda *a: stop.append(1)); signal.alarm(120)
def hot(n):
    total = 0
    for i in range(n): total += i * i
    return total
def cold(n):
    return hot(n)
print('begun', flush=True)
rounds = 0
while not stop:
    hot(3000); cold(1000); rounds += 1
print('ended', rounds > 0)
sys.exit(3)
"""
TRAIN = """
print('begun', flush=True)
def forward(): return gpu.fake_launch(b"_Z7forwardPf", 2000000)
def backward(): return gpu.fake_launch(b"_Z8backwardPf", 1000000)
import time
while True:
    forward(); backward(); time.sleep(0.004)
"""


def row(table, name):
    return next(row for row in table["rows"] if row["name"].partition("(")[0] == name)


class Top(LauncherTest):
    def begin(self, text=WORK, **env):
        """A program to be entered."""
        if platform.machine() != "x86_64":
            self.skipTest("running programs are entered on x86-64 only")
        target = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  env=dict(os.environ, **env))
        self.addCleanup(lambda: (target.poll() is None and target.kill(), target.communicate()))
        self.assertEqual(target.stdout.readline(), "begun\n")
        return target

    def top(self, *args, **more):
        return subprocess.run([GPROFX, "top", *args], capture_output=True, text=True, timeout=60, **more)

    def end(self, target):
        target.send_signal(signal.SIGUSR1)
        out, errors = target.communicate(timeout=20)
        self.assertEqual((out, errors, target.returncode), ("ended True\n", "", 3))

    def test_once_as_json(self):
        # The start of Python is in it, which on a slow machine is a part of a second.
        run = self.top("--once", "--json", "--interval", "3", "--", sys.executable, self.write("work.py", WORK))
        self.assertEqual(run.returncode, 0, run.stderr)
        document = json.loads(run.stdout)  # with nothing of the program's own output
        self.assertEqual(document["schema"], "gprof-x.top/1")
        self.assertTrue(2.9e9 < document["interval"] < 10e9, document["interval"])
        hot, cold = row(document["functions"], "hot"), row(document["functions"], "cold")
        self.assertGreater(hot["self"], 0.3 * document["cpu"]["total"])
        self.assertAlmostEqual(cold["total"] / hot["total"], 0.25, delta=0.15)
        self.assertTrue(any(line["line"] == 7 for line in document["lines"]["rows"]))
        for table in ("functions", "lines", "native"):
            rows = document[table]["rows"]
            self.assertTrue(all(row["self"] <= row["total"] <= document["cpu"]["total"] for row in rows), table)
            self.assertLessEqual(sum(row["self"] for row in rows), document["cpu"]["total"])
        # Most native code has its name.
        self.assertLess(document["quality"]["without_name"], 0.2 * document["cpu"]["total"])
        self.assertIsNone(document["gpu"])

    def test_once_in_the_background_of_a_script(self):
        """There a shell lets what it starts ignore interrupts."""
        path = self.write("work.py", WORK.replace("print('begun'", "import os; open('pid', 'w').write(str(os.getpid())); print('begun'"))
        script = '"$0" top --once -- "$1" "$2" & wait $!'
        run = subprocess.run(["sh", "-c", script, GPROFX, sys.executable, path], capture_output=True, text=True, timeout=60, cwd=self.folder)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertRegex(run.stdout, r"\d% .* hot \(work.py:5\)")
        with open(os.path.join(self.folder, "pid")) as file:
            self.assertRaises(ProcessLookupError, os.kill, int(file.read()), 0)

    def test_text_while_the_program_runs_and_its_status(self):
        text = WORK.replace("while not stop:", "import time\nend = time.monotonic() + 3\nwhile time.monotonic() < end:")
        run = self.top("--interval", "0.5", "--", sys.executable, self.write("work.py", text))
        self.assertEqual(run.returncode, 3, run.stderr)
        self.assertIn("the program ended with status 3", run.stderr)
        self.assertIn("ended True", run.stderr)  # the last that it printed
        blocks = run.stdout.split("\n\n")
        self.assertGreaterEqual(len(blocks), 3, run.stdout)
        for block in blocks:
            self.assertIn("gprof-x top", block)
            self.assertTrue(all(len(line) <= 80 for line in block.split("\n")), block)
        self.assertRegex(blocks[-2], r"\d% .* hot \(work.py:5\)")

    def test_attached_and_left(self):
        target = self.begin()
        for _ in range(3):
            used = cpu_seconds(target.pid)
            run = self.top("--once", "--json", "--pid", str(target.pid), "--interval", "0.8")
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            self.assertGreater(row(json.loads(run.stdout)["functions"], "hot")["self"] / 1e9, 0.1 * (cpu_seconds(target.pid) - used))
        self.end(target)

    def test_a_reader_that_goes_ends_it(self):
        target = self.begin()
        watch = subprocess.Popen([GPROFX, "top", "--pid", str(target.pid), "--interval", "0.3"], stdout=subprocess.PIPE)
        watch.stdout.readline()
        watch.stdout.close()
        self.assertEqual(watch.wait(timeout=20), 0)
        self.end(target)

    def test_what_cannot_be_written_is_an_error(self):
        for options in ((), ("--json",)):
            with open("/dev/full", "w") as full:
                run = subprocess.run([GPROFX, "top", "--once", *options, "--", "sleep", "0.5"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=30)
            self.assertEqual((run.returncode, run.stderr.count("\n")), (125, 1))
            self.assertIn("cannot write the output", run.stderr)
        target = self.begin()
        with open("/dev/full", "w") as full:
            run = subprocess.run([GPROFX, "top", "--once", "--pid", str(target.pid)], stdout=full, stderr=subprocess.PIPE, text=True, timeout=30)
        self.assertEqual((run.returncode, run.stderr.count("\n")), (125, 1))
        self.end(target)

    def test_keys(self):
        target = self.begin()
        session = Session(["top", "--pid", str(target.pid), "-o", self.path])
        seen = session.wait_for(lambda text: "hot (" in text)
        if not seen and "without ncurses" in session.screen.text():
            self.skipTest("gprof-x was built without ncurses")
        self.assertTrue(seen, session.screen.text())
        self.assertIn("self: it or native code it calls runs", session.screen.text())
        steps = [(b"l", "PYTHON LINE"), (b"n", "NATIVE FUNCTION"), (b"g", "no GPU work was seen so far"), (b"\t", "PYTHON FUNCTION"),
                 (b"s", "sort:total"), (b"/cold\r", "Only stacks with 'cold'"), (b"?", "Esc goes back"), (b"?", "PYTHON FUNCTION"),
                 (b"\x1b", "sort:total"), (b"d", "wrote " + self.path[:20]), (b" ", "space go on")]
        for keys, told in steps:
            session.press(keys)
            self.assertTrue(session.wait_for(lambda text: told in text, 10), (keys, session.screen.text()))
        still = session.screen.text()
        end = time.time() + 1.5
        while time.time() < end:
            session.read(0.1)
        self.assertEqual(session.screen.text(), still)
        session.press(b"q")
        self.assertEqual(session.end(), 0)
        self.end(target)
        profile = self.profile()
        self.assertEqual(profile.meta["complete"], "yes")
        self.assertEqual(profile.quality["timeline_rows_dropped"], 0)
        report = subprocess.run([GPROFX, "report", "--view", "python", "--json", self.path], capture_output=True, text=True)
        self.assertIn('"hot"', report.stdout)

    def test_a_started_program_is_interrupted_and_prints_nothing_on_the_screen(self):
        text = WORK.replace("while not stop:", "while True:\n    print('noise', flush=True); print('noise', file=sys.stderr)")
        session = Session(["top", "--", sys.executable, self.write("work.py", text)])
        seen = session.wait_for(lambda text: "hot (" in text)
        if not seen and "without ncurses" in session.screen.text():
            self.skipTest("gprof-x was built without ncurses")
        self.assertTrue(seen, session.screen.text())
        session.press(b"q")
        self.assertEqual(session.end(), 0)
        self.assertNotIn(b"noise", session.raw)

    def test_refusals(self):
        for args, told in (([], "no process or command is given"), (["--pid", "0"], "option '--pid' needs a process ID, not '0'"),
                           (["--interval", "x", "--pid", "1"], "0.2 to 60"), (["--sort", "x", "true"], "option '--sort' needs self"),
                           (["--pid", "1", "--program-output", "x"], "cannot be combined"),
                           (["--program-output", "/no/such/folder/x", "true"], "cannot write '/no/such/folder/x'")):
            run = self.top(*args)
            self.assertEqual((run.returncode, run.stdout, run.stderr.count("\n")), (125, "", 1), run.stderr)
            self.assertIn(told, run.stderr)
        self.assertEqual(self.top("--", "/no/such/program").returncode, 127)

    def test_kernels_of_a_pretended_gpu(self):
        if not os.path.exists(os.path.join(FAKE, "libfake_cupti.so")):
            self.skipTest("no pretended GPU was built")
        from fake_gpu_support import PYTHON
        target = self.begin(PYTHON % {"fake": FAKE} + TRAIN, GPROFX_CUPTI=os.path.join(FAKE, "libfake_cupti.so"))
        run = subprocess.Popen([GPROFX, "top", "--json", "--overhead", "none", "--pid", str(target.pid)], stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (run.poll() is None and run.kill(), run.communicate()))
        document = {"kernels": {"count": 0}}
        while document["kernels"]["count"] < 2:
            line = run.stdout.readline()
            self.assertTrue(line)
            document = json.loads(line)
            self.assertLess(document["time"], 20e9)
        forward, backward = row(document["kernels"], "forward"), row(document["kernels"], "backward")
        self.assertEqual(forward["launched_by"], "forward")
        self.assertAlmostEqual(forward["ns"] / forward["calls"] / (backward["ns"] / backward["calls"]), 2, delta=0.1)
        gpu = document["gpu"]
        self.assertEqual(sum(gpu["busy_parts"].values()), gpu["busy"])
        self.assertEqual(sum(gpu["idle_causes"].values()), gpu["idle"])
        self.assertEqual(gpu["busy"] + gpu["idle"] + gpu["without_records"], gpu["interval"])
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(timeout=20), 0)
        self.assertIsNone(target.poll())


if __name__ == "__main__":
    unittest.main()
