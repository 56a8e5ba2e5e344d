#!/usr/bin/env python3
"""Programs on the pretended GPU whose steps take longer for a reason that is known, and what gprof-x variability says of them."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from fake_gpu_support import FAKE, PYTHON, TRAIN
from launcher_support import Profile
from profile_support import GPROFX, Recording, judged_by_time

# A step is three kernels that the host launches after some work of its own.
STEPS = """
import os, sys, time
def work(ms):
    end = time.thread_time() + ms / 1000
    while time.thread_time() < end: pass
def first(): gpu.fake_launch(b"_Z5firstv", 1000000)
def second(): gpu.fake_launch(b"_Z6secondv", 1000000)
def step(i):
    before(i)
    first()
    work(4)
    second()
    gpu.fake_synchronize(100000)
"""

# Eight children take the cores, but only in bursts.
STARVED = STEPS + """
import multiprocessing, signal
def burn():
    while True: pass
burners = [multiprocessing.Process(target=burn, daemon=True) for _ in range(8)]
for one in burners: one.start()
def tell(what):
    for one in burners: os.kill(one.pid, what)
tell(signal.SIGSTOP)
def before(i):
    if i % 60 == 40: tell(signal.SIGCONT)
    if i % 60 == 55: tell(signal.SIGSTOP)
for i in range(240): step(i)
tell(signal.SIGKILL)
"""

# The data come late in one of five steps.
LATE_DATA = STEPS + """
sys.path.insert(0, FOLDER)
from torch.utils.data import dataloader
def before(i): dataloader.fetch(0.06 if i > 20 and i * 7 % 5 == 0 else 0.001)
for i in range(200): step(i)
"""

# Python computes before the launches of one of eight steps. Prints which share of that it was held up.
LATE_LAUNCH = STEPS + """
took = []
def before(i):
    if i % 8 != 5: return
    begin = time.perf_counter()
    work(40)
    took.append(time.perf_counter() - begin)
for i in range(160): step(i)
print(1 - 0.04 * len(took) / sum(took))
"""

LOADER = """
import threading
held = threading.Lock()
held.acquire()
def fetch(seconds): held.acquire(timeout=seconds)
"""


def record(body, *options):
    env = dict(os.environ, GPROFX_CUPTI=os.path.join(FAKE, "libfake_cupti.so"))
    options = ("--gpu", "trace", "--overhead", "none") + options
    return Recording([sys.executable, "-c", PYTHON % {"fake": FAKE} + body], options, env=env, timeout=120)


def shares(found):
    return {part["name"]: part["share_of_variance"] for part in found["steps"]["parts"]}


def model(r):
    return json.loads(subprocess.run([GPROFX, "variability", "--json", r.file], capture_output=True, text=True, check=True).stdout)


@unittest.skipUnless(os.path.exists(TRAIN), "built without CUDA headers")
class Causes(unittest.TestCase):
    @judged_by_time
    def test_no_core_was_free(self):
        with record(STARVED) as r:
            p = Profile(r.file)
            self.assertGreater(p.rows("SELECT count(*) FROM chunk c JOIN stream s ON s.id = c.stream WHERE s.name = 'thread waits'")[0][0], 0)
            found = model(r)
            self.assertEqual([one["cause"] for one in found["step_causes"]], ["cpu"], (found["unexplained_steps"], found["steps"]))

    @judged_by_time
    def test_the_data_came_late(self):
        with tempfile.TemporaryDirectory() as folder:
            data = os.path.join(folder, "torch", "utils", "data")
            os.makedirs(data)
            for part in ("torch", "torch/utils", "torch/utils/data"):
                open(os.path.join(folder, part, "__init__.py"), "w").close()
            with open(os.path.join(data, "dataloader.py"), "w") as file:
                file.write(LOADER)
            with record(LATE_DATA.replace("FOLDER", repr(folder)), "--clock", "wall", "-F", "250") as r:
                found = model(r)
                self.assertEqual([one["cause"] for one in found["step_causes"]], ["data_loader"], found["unexplained_steps"])
                self.assertAlmostEqual(found["step_causes"][0]["steps"], 36, delta=12)  # sampled: a few are not seen
                part = shares(found)
                self.assertAlmostEqual(sum(part.values()), 1)
                self.assertGreater(part["idle.data_loading"], 0.7, part)
                self.assertIn("idle: data loading", subprocess.run([GPROFX, "variability", r.file], capture_output=True, text=True, check=True).stdout)

    @judged_by_time
    def test_a_late_launch_is_that_of_python(self):
        with record(LATE_LAUNCH) as r:
            found = model(r)
            part = shares(found)
            held_up = float(r.out)  # on a machine that others use: nothing explains that
            self.assertGreater(part["idle.python"], 0.75 * (1 - held_up), (held_up, part))
            self.assertLess(abs(part["idle.unexplained"]), 0.2 + 1.5 * held_up, (held_up, part))
            # What the steps are made of is what the whole recording is made of.
            wall = {row[0]: row[1] for row in Profile(r.file).rows("SELECT name, ns FROM wall_part")}
            self.assertEqual([name for name in part if name.startswith("idle.sync.") and name not in wall], [])


if __name__ == "__main__":
    unittest.main()
