"""Findings in recordings of Python programs with a pretended GPU: what the host did while it had nothing to do, at the line where it
was. Times are only compared with themselves: the machine may be busy."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from fake_gpu_support import FAKE, PYTHON
from profile_support import GPROFX, Recording, judged_by_time

LOOP = """
import time
begin = time.perf_counter()
for i in range(60):
    step()
print(1e9 * (time.perf_counter() - begin) / 60)
"""
LOADER = """
import time
def next_data():
    sum(range(100000))
    time.sleep(0.005)
"""


def analyze(body, *options):
    """(findings, lines of the program that end in "# here")"""
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "train.py")
        package = os.path.join(folder, "site-packages", "torch", "utils", "data")
        os.makedirs(package)
        with open(os.path.join(package, "dataloader.py"), "w") as file:
            file.write(LOADER)
        with open(program, "w") as file:
            file.write(PYTHON % {"fake": FAKE} + body + LOOP)
        with open(program) as file:
            lines = [number for number, line in enumerate(file, 1) if line.rstrip().endswith("# here")]
        env = dict(os.environ, GPROFX_CUPTI=os.path.join(FAKE, "libfake_cupti.so"), PYTHONPATH=package)
        with Recording([sys.executable, program], ["--overhead", "none", *options], env=env, timeout=120) as recording:
            run = subprocess.run([GPROFX, "analyze", "--findings", "--json", recording.file], stdout=subprocess.PIPE, check=True)
            return json.loads(run.stdout)["findings"][0], lines


SLEEP = """
import time
def step():
    gpu.fake_launch(b"gemm", 200000)
    gpu.fake_launch(b"add", 200000)
    time.sleep(0.006)  # here
"""
LOCK = """
import threading
def spin():
    while True:
        for i in range(10000):  # here
            i * i  # here
threading.Thread(target=spin, daemon=True).start()
def step():
    gpu.fake_launch(b"gemm", 100000)
"""
LOAD = """
import dataloader
def step():
    dataloader.next_data()  # here
    gpu.fake_launch(b"gemm", 200000)
"""


class Recorded(unittest.TestCase):
    def check(self, rule, body, *options):
        # Where others take the CPUs away, the program waits for these.
        for _ in range(4):
            found, lines = analyze(body, *options)
            rows = [row for row in found["rows"] if row["rule"] == rule]
            if rows:
                break
        self.assertTrue(rows, found)
        self.assertIn(rows[0]["line"], lines, found)
        self.assertEqual(os.path.basename(rows[0]["file"]), "train.py")
        self.assertLessEqual(sum(row["saving_ns"] for row in found["rows"]), found["step_ns"])
        return rows[0], found

    @judged_by_time
    def test_sleep_by_the_clock_of_the_wall(self):
        row, found = self.check("gpu-gap", SLEEP, "--clock", "wall", "-F", "200")
        # Six of the milliseconds of a step are asleep, and more on a busy machine.
        self.assertGreater(row["share"], 0.5)
        self.assertGreater(found["idle_ns"], 0.5 * found["step_ns"])

    @judged_by_time
    def test_the_interpreters_lock(self):
        row, _ = self.check("lock-wait", LOCK)
        self.assertGreater(row["share"], 0.4)

    @judged_by_time
    def test_a_loader(self):
        row, _ = self.check("slow-loader", LOAD, "--clock", "wall", "-F", "200")
        self.assertGreater(row["share"], 0.4)

    @judged_by_time
    def test_a_loader_by_the_clock_of_the_cpu(self):
        row, _ = self.check("slow-loader", LOAD)
        self.assertGreater(row["share"], 0.4)


if __name__ == "__main__":
    unittest.main()
