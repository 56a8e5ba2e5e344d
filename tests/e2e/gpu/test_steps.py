#!/usr/bin/env python3
"""Phases and steps of programs on a pretended GPU (tests/workloads/fake_gpu), and what reports of parts of a recording say.

Programs: a training loop with an optimizer of a pretended torch, the replay of a graph, an inference loop over layers, and one
without any order. With GPROFX_SHARED, a folder with profiles/*.gprofx of real GPUs, those are read, too."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from profile_support import GPROFX, WORKLOADS, Recording

FAKE = os.path.join(WORKLOADS, "fake_gpu")
SHARED = os.environ.get("GPROFX_SHARED", "")
US = 1000

START = """
import ctypes, random, sys, time
cuda = ctypes.CDLL(%(fake)r + "/libcuda.so.1", ctypes.RTLD_GLOBAL)
gpu = ctypes.CDLL(%(fake)r + "/libfake_cupti.so", ctypes.RTLD_GLOBAL)
gpu.fake_launch.argtypes = [ctypes.c_char_p, ctypes.c_uint64]
gpu.fake_synchronize.argtypes = [ctypes.c_uint64]
gpu.fake_replay.argtypes = [ctypes.c_char_p, ctypes.c_uint64, ctypes.c_uint64]
US = 1000

def launch(name, us):
    gpu.fake_launch(name, us * US)

def prepare():
    end = time.process_time() + 0.2
    while time.process_time() < end:
        pass
    cuda.cuInit(0)
    gpu.fake_create_context()
    launch(b"_Z4loadPf", 50)
"""

OPTIMIZER = """
def _use_grad(step):
    def wrapper(*args):
        return step(*args)
    return wrapper
class Optimizer:
    def step(self, launch):
        launch(b"_Z4adamPf", 20)
        launch(b"_Z5adam2Pf", 20)
Optimizer.step = _use_grad(Optimizer.step)
"""

PROGRAMS = {
    "train": """
sys.path.insert(0, sys.argv[1])
from torch.optim.optimizer import Optimizer
def forward():
    for i in range(4):
        launch(b"_Z4gemmPf", 40)
        launch(b"_Z4reluPf", 10)
def backward():
    for i in range(4):
        launch(b"_Z8backwardPf", 80)
def main():
    optimizer = Optimizer()
    for i in range(30):
        forward()
        if i < 2:
            time.sleep(0.05)  # what compiles and tunes in the first steps
        backward()
        optimizer.step(launch)
        gpu.fake_synchronize(100 * US)
    time.sleep(0.1)
prepare()
main()
""",
    "graph": """
prepare()
gpu.fake_capture(100)
gpu.fake_instantiate(100, 101)
def step():
    gpu.fake_copy_to_device(1 << 20, 20 * US)
    gpu.fake_replay(b"_Z7forwardPf", 101, 400 * US)
    gpu.fake_synchronize(50 * US)
for i in range(25):
    step()
""",
    "inference": """
def layers():
    for i in range(12):
        launch(b"_Z9attentionPf", 30)
        launch(b"_Z3mlpPf", 40)
def token():
    launch(b"_Z5embedPf", 10)
    layers()
    launch(b"_Z6argmaxPf", 10)
    gpu.fake_synchronize(50 * US)
prepare()
for i in range(40):
    token()
""",
    "irregular": """
prepare()
random.seed(5)
names = [b"_Z1aPf", b"_Z1bPf", b"_Z1cPf", b"_Z1dPf"]
def a(): launch(names[0], 20)
def b(): launch(names[1], 30)
def c(): launch(names[2], 40)
def d(): launch(names[3], 50)
for i in range(400):
    random.choice([a, b, c, d])()
""",
}


def record(name):
    folder = tempfile.mkdtemp(prefix="gprof-x-steps-")
    package = os.path.join(folder, "torch", "optim")
    os.makedirs(package)
    for file, text in ((os.path.join(folder, "torch", "__init__.py"), ""), (os.path.join(package, "__init__.py"), ""),
                       (os.path.join(package, "optimizer.py"), OPTIMIZER)):
        with open(file, "w") as out:
            out.write(text)
    env = dict(os.environ, GPROFX_CUPTI=os.path.join(FAKE, "libfake_cupti.so"))
    return Recording([sys.executable, "-c", START % {"fake": FAKE} + PROGRAMS[name], folder], env=env, timeout=60)


def sums(report):
    """GPU time and operations of the rows of `--by kernel --json`."""
    rows = report["rows"]
    return sum(r["self"] for r in rows), sum(r["calls"] for r in rows)


@unittest.skipUnless(os.path.exists(os.path.join(FAKE, "libfake_cupti.so")), "built without CUDA headers")
class Steps(unittest.TestCase):
    recordings = {}

    @classmethod
    def tearDownClass(cls):
        for r in cls.recordings.values():
            r.close()
        cls.recordings.clear()

    def of(self, name):
        if name not in self.recordings:
            self.recordings[name] = record(name)
        return self.recordings[name]

    def report(self, r, *options):
        run = subprocess.run([GPROFX, "report", "--json", *options, r.file], stdout=subprocess.PIPE, text=True, check=True)
        return json.loads(run.stdout)

    def check_steps(self, name, count, source):
        report = self.report(self.of(name))
        self.assertIsNotNone(report["steps"], report["phases"])
        self.assertEqual((report["steps"]["count"], report["steps"]["source"]), (count, source))
        return report

    def test_an_optimizer(self):
        report = self.check_steps("train", 30, "optimizer")
        self.assertGreaterEqual(report["steps"]["warm_up"], 2)  # more where the machine is busy
        self.assertEqual([p["kind"] for p in report["phases"]], ["start-up", "warm-up", "steady", "end"])
        ends = [p["end_ns"] for p in report["phases"]]
        self.assertEqual([p["begin_ns"] for p in report["phases"]], [0] + ends[:-1])
        self.assertEqual(ends[-1], int(report["recording"]["meta"]["duration_ns"]))
        self.assertGreater(report["phases"][0]["end_ns"], 200_000_000)

    def test_a_graph_is_replayed(self):
        self.check_steps("graph", 25, "launch period")

    def test_layers_are_no_steps(self):
        self.check_steps("inference", 40, "launch period")

    def test_no_steps_without_order(self):
        report = self.report(self.of("irregular"))
        self.assertIsNone(report["steps"])
        self.assertIsNone(report["part"])
        self.assertEqual([p["kind"] for p in report["phases"]], ["start-up", "work"])

    def test_the_steady_part_is_what_is_shown_and_equals_the_same_range(self):
        r = self.of("train")
        warm_up = self.report(r)["steps"]["warm_up"]
        for view in (["--by", "kernel"], ["--top"], ["--tree"], ["--threads"]):
            usual = self.report(r, *view)
            part = usual["part"]
            self.assertEqual((part["phase"], part["chosen"], part["steps"]), ("steady", False, 30 - warm_up))
            asked = self.report(r, *view, "--phase", "steady")
            ranged = self.report(r, *view, "--range", "%dns..%dns" % (part["begin_ns"], part["end_ns"]))
            steps = self.report(r, *view, "--steps", "%d..30" % (warm_up + 1))
            for other in (asked, ranged, steps):
                # Numbers to call a row by are of the usual part alone.
                rows = [{key: value for key, value in row.items() if key != "row"} for row in usual["rows"]]
                self.assertEqual(other["rows"], rows, view)
                self.assertEqual(other["wall"], usual["wall"])
                self.assertTrue(other["part"]["chosen"])
        self.assertEqual(sums(self.report(r, "--by", "kernel"))[1], (30 - warm_up) * 14)

    def test_the_phases_sum_up_to_the_recording(self):
        r = self.of("train")
        whole = self.report(r, "--phase", "all", "--by", "kernel")
        self.assertIsNone(whole["part"])
        parts = [self.report(r, "--phase", p, "--by", "kernel") for p in ("startup", "warmup", "steady", "end")]
        self.assertEqual(tuple(map(sum, zip(*map(sums, parts)))), sums(whole))
        self.assertEqual(sum(p["base"] for p in parts), whole["base"])
        self.assertEqual(sum(sum(x["ns"] for x in p["wall"]["parts"]) for p in parts),
                         int(whole["recording"]["meta"]["duration_ns"]))
        self.assertEqual(parts[2]["part"]["whole"]["gpu"], sums(whole)[0])

    def test_the_timeline_shows_phases_streams_and_threads(self):
        text = subprocess.run([GPROFX, "report", "--timeline", self.of("train").file], stdout=subprocess.PIPE, text=True,
                              env=dict(os.environ, COLUMNS="80"), check=True).stdout
        for part in ("\nphases ", "start-up", "\nGPU 0 stream ", "#"):
            self.assertIn(part, text)
        timeline = self.report(self.of("train"), "--timeline")["timeline"]
        self.assertEqual(timeline["bins"], 1000)
        self.assertEqual(sum(row["busy_ns"] for row in timeline["rows"] if row["kind"] == "stream"),
                         sums(self.report(self.of("train"), "--phase", "all", "--by", "kernel"))[0])

    def test_what_is_not_there_is_said_in_a_line(self):
        r = self.of("irregular")
        for options, words in ((["--phase", "steady"], "no phase 'steady'"), (["--steps", "1..2"], "this recording has no steps"),
                               (["--range", "5h.."], "this recording has nothing from"), (["--range", "2s..1s"], "is empty"),
                               (["--range", "x"], "option '--range' needs"), (["--steps", "0..1"], "range of steps '0..1' is empty"),
                               (["--steps", "1..2", "--range", "1s.."], "cannot be combined")):
            run = subprocess.run([GPROFX, "report", *options, r.file], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertEqual((run.returncode, run.stdout, run.stderr.count("\n")), (2, "", 1), options)
            self.assertIn(words, run.stderr)

    def test_without_a_timeline_only_the_whole_is_shown(self):
        env = dict(os.environ, GPROFX_CUPTI=os.path.join(FAKE, "libfake_cupti.so"))
        with Recording([sys.executable, "-c", START % {"fake": FAKE} + PROGRAMS["inference"]], ["--timeline", "no"], env=env) as r:
            report = self.report(r)
            self.assertEqual((report["part"], report["steps"], report["phases"]), (None, None, []))
            run = subprocess.run([GPROFX, "report", "--range", "..1s", r.file], stderr=subprocess.PIPE, text=True)
            self.assertEqual(run.returncode, 2)
            self.assertIn("no timeline", run.stderr)


class RecordedOnAnH100(unittest.TestCase):
    """Recordings of PyTorch and JAX without markers, cut by tests/gpu/steps_only.py to the first so many steps of their loop."""

    STEPS = {
        "compiled": ("optimizer", 100),         # torch.compile with CUDA graphs
        "eager": ("optimizer", 40),             # training of a small transformer
        "graphs": ("optimizer", 60),            # a training step that is launched kernel by kernel
        "jax": ("launch period", 200),          # a jitted training step
        "loss_item": ("optimizer", 60),         # loss.item() in each step
        "metrics_cpu": ("launch period", 100),  # inference whose results are copied to the host
        "pageable": ("launch period", 126),     # pageable copies
        "print_value": ("launch period", 100),  # prints a value of each step
        "recompute": ("optimizer", 40),         # activation checkpointing
        "small_ops": ("launch period", 40),     # two hundred small operations between two products
    }

    def test_steps_are_found_without_markers(self):
        folder = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "..", "data", "steps")
        self.assertEqual({name[:-len(".gprofx")] for name in os.listdir(folder)}, set(self.STEPS))
        for name, wanted in self.STEPS.items():
            with self.subTest(name):
                run = subprocess.run([GPROFX, "report", "--json", "--top", "1", os.path.join(folder, name + ".gprofx")],
                                     stdout=subprocess.PIPE, check=True)
                steps = json.loads(run.stdout)["steps"]
                self.assertEqual((steps["source"], steps["count"]), wanted)


@unittest.skipUnless(os.path.isdir(os.path.join(SHARED, "profiles")), "no folder of real profiles in GPROFX_SHARED")
class RealProfiles(unittest.TestCase):
    def check(self, name, steps):
        path = os.path.join(SHARED, "profiles", name)
        run = subprocess.run([GPROFX, "report", "--json", path], stdout=subprocess.PIPE, check=True)
        report = json.loads(run.stdout)
        self.assertEqual([t["count"] for t in report["steps"]["trains"]], steps)
        wall = sum(part["ns"] for part in report["wall"]["parts"])
        self.assertEqual(wall, report["part"]["end_ns"] - report["part"]["begin_ns"])

    def test_a_fine_tuning(self):
        self.check("gpt2_train_h100.gprofx", [60])

    def test_two_ranks(self):
        self.check("ddp_2x_h100.gprofx", [200, 200])


if __name__ == "__main__":
    unittest.main()
