#!/usr/bin/env python3
"""Programs on the pretended GPU whose steps take longer for a reason that is known, and what gprof-x variability says of them."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

from fake_gpu_support import FAKE, PYTHON, TRAIN
from launcher_support import Profile
from profile_support import GPROFX, Recording

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


def model(r):
    return json.loads(subprocess.run([GPROFX, "variability", "--json", r.file], capture_output=True, text=True, check=True).stdout)


@unittest.skipUnless(os.path.exists(TRAIN), "built without CUDA headers")
class Causes(unittest.TestCase):
    def test_no_core_was_free(self):
        with record(STARVED) as r:
            p = Profile(r.file)
            self.assertGreater(p.rows("SELECT count(*) FROM chunk c JOIN stream s ON s.id = c.stream WHERE s.name = 'thread waits'")[0][0], 0)
            found = model(r)
            self.assertEqual([one["cause"] for one in found["step_causes"]], ["cpu"], (found["unexplained_steps"], found["steps"]))

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


if __name__ == "__main__":
    unittest.main()
