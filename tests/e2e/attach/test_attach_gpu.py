#!/usr/bin/env python3
"""gprof-x record --pid of programs that use a (pretended) GPU: launches from then on, nothing of CUPTI afterwards."""
import json
import os
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from attach_support import setUpModule
from fake_gpu_support import FAKE, PYTHON
from launcher_support import GPROFX, LauncherTest

TRAIN = """
import signal, sys, time
stop = []
signal.signal(signal.SIGUSR1, lambda *a: stop.append(1))
gpu.fake_left_in_cupti.restype = ctypes.c_char_p
def forward(): return gpu.fake_launch(b"_Z7forwardPf", 2000000)
def backward(): return gpu.fake_launch(b"_Z8backwardPf", 1000000)
print('begun', flush=True)
steps = 0
while not stop:
    forward(); backward(); steps += 1
before = gpu.fake_samples()
forward()
print(gpu.fake_left_in_cupti().decode(), gpu.fake_samples() - before)
sys.exit(3)
"""


class Gpu(LauncherTest):
    def begin(self, text):
        env = dict(os.environ, GPROFX_CUPTI=os.path.join(FAKE, "libfake_cupti.so"))
        target = subprocess.Popen([sys.executable, "-c", PYTHON % {"fake": FAKE} + text], env=env, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(lambda: (target.poll() is None and target.kill(), target.communicate()))
        self.assertEqual(target.stdout.readline(), "begun\n")
        return target

    def kernels(self):
        run = subprocess.run([GPROFX, "report", self.path, "--by", "kernel", "--json"], capture_output=True, text=True, check=True)
        return {row["name"].partition("(")[0]: row for row in json.loads(run.stdout)["rows"]}

    def test_launches_are_seen_and_the_program_is_left_without_a_client_of_cupti(self):
        target = self.begin(TRAIN)
        for _ in range(3):
            run = subprocess.run([GPROFX, "record", "-q", "-o", self.path, "--pid", str(target.pid), "--duration", "0.8", "--overhead", "none"],
                                 capture_output=True, text=True, timeout=60)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            rows = self.kernels()
            self.assertGreater(rows["forward"]["calls"], 50)
            self.assertAlmostEqual(rows["forward"]["calls"], rows["backward"]["calls"], delta=2)
            # Of each launch there is a record, with its time to the nanosecond.
            self.assertEqual(rows["forward"]["self"], rows["forward"]["calls"] * 2_000_000)
            tree = subprocess.run([GPROFX, "report", self.path, "--callers", "forward(float*)", "--metric", "gpu"], capture_output=True, text=True)
            self.assertIn("<module>", tree.stdout)
        target.send_signal(signal.SIGUSR1)
        out, errors = target.communicate(timeout=20)
        self.assertEqual((out, errors, target.returncode), ("subscribers 0, kinds 0, clock own, faults open, finalised 3 0\n", "", 3))


if __name__ == "__main__":
    unittest.main()
