#!/usr/bin/env python3
"""gprof-x doctor --measure-device, on the pretended GPU and its pretended cuBLAS; and forecasts with what it wrote."""
import csv
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from fake_gpu_support import FAKE, TRAIN
from profile_support import GPROFX


def doctor(file, libraries=FAKE, **more):
    env = {key: value for key, value in os.environ.items() if key not in ("CUDA_HOME", "CUDA_PATH")}
    env.update(LD_LIBRARY_PATH=libraries, PATH="/nowhere", **more)
    return subprocess.run([GPROFX, "doctor", "--measure-device", file], capture_output=True, text=True, env=env)


@unittest.skipUnless(os.path.exists(TRAIN), "built without CUDA headers")
class MeasureDevice(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.file = os.path.join(self.folder, "device.csv")

    def libraries(self, *names):
        """A folder with these of the pretended libraries only, under the names that are looked for."""
        for name, target in names:
            os.symlink(os.path.join(FAKE, target), os.path.join(self.folder, name))
        return self.folder

    def device(self):
        with open(self.file) as file:
            return next(csv.DictReader(line for line in file if not line.startswith("#")))

    def test_rates_are_measured_and_forecasts_know_them(self):
        folder = self.libraries(("libcuda.so.1", "libcuda.so.1"), ("libcublas.so.13", "libfake_cublas.so"))
        run = doctor(self.file, folder)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        device = self.device()
        self.assertEqual(device["name"], "Pretended GPU")
        self.assertAlmostEqual(float(device["copy"]), 2900, delta=1)
        self.assertAlmostEqual(float(device["gemm32"]), 52, delta=1)
        self.assertAlmostEqual(float(device["gemm16"]), 780, delta=60)
        self.assertAlmostEqual(float(device["fp32"]), 66.9, delta=0.1)
        self.assertAlmostEqual(float(device["bf16"]), 1070, delta=5)
        self.assertAlmostEqual(float(device["bandwidth"]), 3352, delta=1)
        self.assertIn("FP32 products", run.stdout)
        known = subprocess.run([GPROFX, "forecast", "--devices", "--device", self.file], capture_output=True, text=True, check=True)
        self.assertIn("Pretended GPU", known.stdout)

    def test_without_products_only_memory_is_measured(self):
        run = doctor(self.file, self.libraries(("libcuda.so.1", "libcuda.so.1")))
        # The cuBLAS of this machine, where there is one, cannot use the pretended driver.
        self.assertRegex(run.stdout, "products: (libcublas was not found|cuBLAS cannot start)")
        self.assertEqual(run.returncode, 0)
        self.assertEqual((self.device()["gemm32"], self.device()["gemm16"]), ("0", "0"))
        self.assertAlmostEqual(float(self.device()["copy"]), 2900, delta=1)

    def test_what_cannot_be_measured_is_one_line(self):
        run = doctor(self.file, FAKE_RATES="none")
        self.assertEqual((run.returncode, run.stdout, run.stderr.count("\n")), (2, "", 1))
        self.assertIn("cannot compile", run.stderr)
        self.assertFalse(os.path.exists(self.file))
        run = doctor("/nowhere/at/all/x.csv")
        self.assertEqual((run.returncode, run.stderr.count("\n")), (2, 1))
        if not os.path.exists("/dev/nvidiactl"):
            run = doctor(self.file, "")
            self.assertEqual((run.returncode, run.stderr.count("\n")), (2, 1))
            self.assertIn("libcuda.so.1", run.stderr)


if __name__ == "__main__":
    unittest.main()
