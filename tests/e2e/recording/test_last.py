#!/usr/bin/env python3
"""gprof-x record --last: of a long run the last minutes are kept, and written on a signal, on a rule and at the end."""
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
import read_profile
from fake_gpu_support import FAKE
from launcher_support import GPROFX, LauncherTest
from profile_support import WORKLOADS, judged_by_time

# Three seconds of `early`, then steps of 20 ms, the one number SLOW of a second, or 50 steps where these are longer; MEMORY bytes are
# held from there on.
PROGRAM = """
import ctypes, os, statistics, sys, time
def spin(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end: pass
def early(): spin(3)
def usual(): spin(0.02)
def slow(): spin(max(1, 50 * statistics.median(took)))
early()
print('begun', flush=True)
nvtx = ctypes.CDLL(sys.argv[1])
held, took = None, []
for i in range(int(sys.argv[2])):
    begin = time.perf_counter()
    nvtx.range_push(b'step %d' % i)
    slow() if i == int(sys.argv[3]) else usual()
    if i == int(sys.argv[3]): held = bytearray(int(sys.argv[4]))
    nvtx.range_pop()
    took.append(time.perf_counter() - begin)
print('ended', flush=True)
sys.exit(3)
"""

# A launch each millisecond on a pretended GPU, half of it busy.
LAUNCHES = """
import ctypes, sys, time
cuda = ctypes.CDLL(%(fake)r + "/libcuda.so.1", ctypes.RTLD_GLOBAL)
gpu = ctypes.CDLL(%(fake)r + "/libfake_cupti.so", ctypes.RTLD_GLOBAL)
gpu.fake_launch.argtypes = [ctypes.c_char_p, ctypes.c_uint64]
cuda.cuInit(0)
gpu.fake_create_context()
end = time.time() + 9
while time.time() < end:
    gpu.fake_launch(b"_Z7forwardPf", 500000)
    time.sleep(0.001)
"""


class Last(LauncherTest):
    def setUp(self):
        super().setUp()
        self.interrupts = []  # ns a sample of each file that was looked at

    def script(self, text):
        path = os.path.join(self.folder, "job.py")
        with open(path, "w") as file:
            file.write(text)
        return path

    def record(self, *options, steps=250, slow=-1, memory=0, meanwhile=None):
        calls = os.path.join(WORKLOADS, "nvtx_calls.so")
        command = [sys.executable, self.script(PROGRAM), calls, str(steps), str(slow), str(memory)]
        run = subprocess.Popen([GPROFX, "record", "-o", self.path, "--gpu", "off", "--last", "5s", *options, "--", *command],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (run.poll() is None and run.kill(), run.communicate()))
        self.assertEqual(run.stdout.readline(), "begun\n")
        if meanwhile:
            meanwhile(run)
        out, errors = run.communicate(timeout=60)
        self.assertEqual((out, run.returncode), ("ended\n", 3), errors)
        self.assertEqual([name for name in os.listdir(self.folder) if "tmp" in name or "window" in name], [])
        return errors

    def look(self, path):
        """Meta data, length, samples as rows, as values and as counted, total time by function, CPU time as the kernel counts it."""
        with sqlite3.connect(path) as file:
            meta = dict(file.execute("SELECT * FROM meta"))
            # Rows with 32 are time without a sample.
            rows = sum(state & 32 == 0 for _, _, columns in read_profile.read_stream(file, read_profile.CPU_SAMPLES) for state in columns[5])
            values = file.execute("SELECT sum(self) FROM value JOIN metric ON metric.id=value.metric WHERE metric.name='samples'").fetchone()[0]
            quality = dict(file.execute("SELECT * FROM quality"))
        seconds = int(meta["duration_ns"]) / 1e9
        totals = {row["name"]: row["total"] / 1e9 for row in self.ask("report", path, "--phase", "all", "--top", "1000")["rows"]}
        self.interrupts.append(quality.get("sample_interrupts_ns", 0) / quality["samples"])
        return meta, seconds, (rows, values, quality["samples"]), totals, quality["cpu_measured_ns"] / 1e9

    def ask(self, *words):
        return json.loads(subprocess.run([GPROFX, *words, "--json"], capture_output=True, text=True, check=True).stdout)

    def beside(self, number):
        return self.path.replace(".gprofx", ".%d.gprofx" % number)

    def check_window(self, path, why):
        meta, seconds, samples, totals, used = self.look(path)
        self.assertEqual(meta["flight_rule"], why)
        self.assertGreaterEqual(seconds, 5)
        self.assertLess(seconds, 8)  # of eleven: a second goes at once, and a slow disk holds that up
        self.assertEqual(len(set(samples)), 1, samples)
        self.assertGreater(samples[0], 100)
        self.assertAlmostEqual(totals["<module>"], used, delta=0.35)
        return totals

    def test_the_end_is_kept_and_what_was_before_is_not(self):
        errors = self.record(steps=350)
        totals = self.check_window(self.path, "the end")
        self.assertNotIn("early", totals)
        self.assertGreater(totals["usual"], 0.8 * totals["<module>"])
        self.assertEqual(re.findall("wrote", errors), [])
        self.assertRegex(errors, r"keeping the last 5.00 s; kill -USR2 \d+ writes them\n")
        text = subprocess.run([GPROFX, "report", self.path], capture_output=True, text=True).stdout
        self.assertIn("that were not kept", text)
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80, line)
        quality = self.ask("report", self.path)["quality"]
        self.assertLess(abs(quality["counters"]["cpu_accounted_ns"] / quality["counters"]["cpu_measured_ns"] - 1), 0.05)

    @judged_by_time
    def test_a_signal_writes_a_file_while_the_program_runs_on(self):
        def meanwhile(run):
            time.sleep(3)  # so that two seconds and more of early() are in the window
            run.send_signal(signal.SIGUSR2)
        errors = self.record(steps=300, meanwhile=meanwhile)
        self.assertIn("wrote " + self.beside(1) + " (SIGUSR2)", errors)
        totals = self.check_window(self.beside(1), "SIGUSR2")
        self.assertGreater(totals["early"], 0)
        self.check_window(self.path, "the end")
        # What interrupts took is that of the window, too: of the whole recording it were twice as much a sample in the second one.
        first, second = self.interrupts
        self.assertLessEqual(second, 1.6 * first)
        # What it writes is a profile as any other.
        subprocess.run([GPROFX, "diff", self.beside(1), self.path], stdout=subprocess.DEVNULL, timeout=60)
        page = subprocess.run([GPROFX, "report", "--html", "-", self.beside(1)], capture_output=True)
        self.assertEqual(page.returncode, 0, page.stderr)

    def test_a_slow_step_writes_a_file_that_has_it(self):
        # Far above what other work on the machine does to a step.
        errors = self.record("--when", "step>30*p50", "--when", "rss>4T", steps=200, slow=150)
        self.assertIn("(step>30*p50)", errors)
        totals = self.check_window(self.beside(1), "step>30*p50")
        self.assertGreater(totals["slow"], 0.05 * totals["<module>"])  # a second of five to seven, if the machine has it
        self.assertGreater(totals["usual"], 0.3 * totals["<module>"])
        with sqlite3.connect(self.beside(1)) as file:
            self.assertEqual(file.execute("SELECT count(*) FROM step").fetchone()[0] > 50, True)

    def test_memory_writes_a_file(self):
        errors = self.record("--when", "rss>300M", steps=200, slow=120, memory=400 << 20)
        self.assertIn("wrote " + self.beside(1) + " (rss>300M)", errors)
        self.check_window(self.beside(1), "rss>300M")

    def test_work_of_a_gpu_is_counted_in_the_window(self):
        env = dict(os.environ, GPROFX_CUPTI=os.path.join(FAKE, "libfake_cupti.so"))
        path = self.script(LAUNCHES % {"fake": FAKE})
        run = subprocess.run([GPROFX, "record", "-q", "-o", self.path, "--last", "5s", "--overhead", "none", "--", sys.executable, path],
                             capture_output=True, text=True, env=env, timeout=60)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        seconds = self.look(self.path)[1]
        kernels = self.ask("report", self.path, "--by", "kernel", "--phase", "all")["rows"]
        with sqlite3.connect(self.path) as file:
            rows = file.execute("SELECT rows FROM stream WHERE name='kernels'").fetchone()[0]
            wall = file.execute("SELECT sum(ns) FROM wall_part").fetchone()[0] / 1e9
        self.assertEqual([(row["name"].partition("(")[0], row["calls"], row["self"]) for row in kernels], [("forward", rows, rows * 500_000)])
        self.assertGreater(rows, 500)
        self.assertAlmostEqual(wall, seconds, delta=0.01)

    def test_a_rule_that_never_could_hold_is_said(self):
        for rule, said in (("step>1s", 1), ("rss>1T", 0)):
            run = subprocess.run([GPROFX, "record", "-q", "-o", self.path, "--last", "5s", "--when", rule, "--", "sleep", "0.2"],
                                 capture_output=True, text=True)
            self.assertEqual((run.returncode, run.stderr.count("\n")), (0, said), run.stderr)
            self.assertEqual("marks no steps" in run.stderr, said == 1)

    def test_processes_that_ended_before_are_not_counted(self):
        script = "for i in $(seq 400); do sleep 0.02; done; exec sleep 0.1"
        run = subprocess.run([GPROFX, "record", "-q", "-o", self.path, "--last", "5s", "--", "sh", "-c", script], capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        recording = self.ask("report", self.path)["recording"]
        self.assertGreater(recording["processes"], 10)
        self.assertLess(recording["processes"], 350)

    def test_what_cannot_be_is_refused_in_one_line(self):
        for words, what in ((["--when", "step>1s"], "--last"), (["--last", "1s"], "5s to 24h"), (["--last", "5 minutes"], "5s to 24h"),
                            (["--last", "1m", "--when", "step>fast"], "step>1.5*p99"), (["--last", "1m", "--gpu", "pc"], "--gpu trace"),
                            (["--last", "1m", "--timeline", "no"], "--timeline"), (["--last", "1m", "--delay", "3"], "--delay")):
            run = subprocess.run([GPROFX, "record", "-o", self.path, *words, "--", "true"], capture_output=True, text=True)
            self.assertEqual((run.returncode, run.stdout, run.stderr.count("\n")), (125, "", 1), run.stderr)
            self.assertIn(what, run.stderr)
            self.assertFalse(os.path.exists(self.path))


if __name__ == "__main__":
    unittest.main()
