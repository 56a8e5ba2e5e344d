"""gprof-x diff of programs on a pretended GPU (tests/workloads/fake_gpu), by their steps; and of traces of other tools, where
GPROFX_SHARED names a folder with some."""
import glob
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from profile_support import GPROFX, WORKLOADS, judged_by_time

FAKE = os.path.join(WORKLOADS, "fake_gpu")
SHARED = os.environ.get("GPROFX_SHARED", "")
# A program that marks its steps as frameworks do: each copies, launches and waits.
PROGRAM = """
import ctypes, sys
cuda = ctypes.CDLL(%(fake)r + "/libcuda.so.1", ctypes.RTLD_GLOBAL)
gpu = ctypes.CDLL(%(fake)r + "/libfake_cupti.so", ctypes.RTLD_GLOBAL)
gpu.fake_launch.argtypes = [ctypes.c_char_p, ctypes.c_uint64]
gpu.fake_synchronize.argtypes = [ctypes.c_uint64]
steps, gemms, us, syncs, copies = map(int, sys.argv[1:])
cuda.cuInit(0)
gpu.fake_create_context()
gpu.fake_launch(b"_Z4loadPf", 50000)
def forward():
    for i in range(gemms):
        gpu.fake_launch(b"_Z4gemmPf", us * 1000)
def step(i):
    for _ in range(copies):
        gpu.fake_copy_to_device(1 << 20, 20000)
    forward()
    gpu.fake_launch(b"_Z4reluPf", 100000)
    if i %% 10 == 3:
        gpu.fake_launch(b"_Z3logPf", 5000)  # now and then
    for _ in range(syncs):
        gpu.fake_synchronize(50000)
for i in range(steps):
    step(i)
"""
USUAL = {"steps": 40, "gemms": 3, "us": 200, "syncs": 1, "copies": 1}


def run(*args, **environment):
    return subprocess.run([GPROFX, *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, COLUMNS="80", **environment))


class Steps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="gprof-x-diff-")
        cls.files = {}

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)

    def setUp(self):
        self.files.clear()

    def record(self, options=("--overhead", "none"), **different):
        how = tuple({**USUAL, **different}.values())
        key = (options, how)
        if key not in self.files:
            self.files[key] = os.path.join(self.folder, f"{len(self.files)}.gprofx")
            done = run("record", "-q", *options, "-o", self.files[key], "--", sys.executable, "-c", PROGRAM % {"fake": FAKE},
                       *map(str, how), GPROFX_CUPTI=os.path.join(FAKE, "libfake_cupti.so"))
            assert done.returncode == 0, done.stderr
        return self.files[key]

    def compare(self, head, *rules, base=None):
        options = [word for rule in rules for word in ("--fail-on", rule)]
        done = run("diff", "--json", *options, base or self.record(), head)
        assert done.returncode != 2, done.stderr
        return done.returncode, json.loads(done.stdout)

    @judged_by_time
    def test_40_steps_and_60_are_equal(self):
        status, answer = self.compare(self.record(steps=60), "launches/step>0", "syncs/step>0", "bytes(H2D)/step>0", "copies/step>0")
        self.assertEqual(status, 0, answer["rules"])
        self.assertEqual(answer["unit"], "step")
        self.assertLess(answer["steps"]["base"][0], answer["steps"]["head"][0])
        changed = [each["name"] for each in answer["counts"]["changed"] if each["per"] == "step"]
        self.assertEqual(changed, [])
        self.assertIn("launches per step: 4 -> 4", [each["evidence"] for each in answer["rules"]])

    @judged_by_time
    def test_one_more_of_anything_in_a_step_is_found_from_one_run_of_each(self):
        for rule, different in (("launches/step>0", {"gemms": 4}), ("launches(gemm)/step>0", {"gemms": 4}),
                                ("syncs/step>0", {"syncs": 2}), ("copies(H2D)/step>0", {"copies": 2}),
                                ("bytes(H2D)/step>1000kB", {"copies": 2})):
            status, answer = self.compare(self.record(steps=50, **different), rule)
            self.assertEqual(status, 1, (rule, answer["rules"], answer["counts"]))
            self.assertEqual(self.compare(self.record(steps=50), rule)[0], 0)
        _, answer = self.compare(self.record(steps=50, gemms=4))
        first = answer["counts"]["changed"][0]
        self.assertEqual((first["base"], first["head"], first["per"]), (3, 4, "step"))
        self.assertIn("gemm", first["name"])

    @judged_by_time
    def test_gpu_time_per_step(self):
        _, answer = self.compare(self.record(steps=50, us=300))
        gemm = next(row for row in answer["kernels"] if row["name"] == "gemm(float*)")
        self.assertAlmostEqual(gemm["base_ns"], 3 * 200_000, delta=10_000)
        self.assertAlmostEqual(gemm["head_ns"], 3 * 300_000, delta=15_000)

    @judged_by_time
    def test_the_text_says_the_unit(self):
        text = run("diff", self.record(), self.record(steps=60, gemms=4)).stdout
        self.assertIn("steps a run, by", text)
        self.assertIn("counts that differ, per step:", text)
        self.assertIn("per step", text)
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80, line)

    @judged_by_time
    def test_records_of_a_part_of_the_time_prove_no_count(self):
        budget = self.record(options=("--overhead", "3"), steps=1500)
        counted, answer = self.compare(budget, "launches/step>0", base=budget)
        if not any("GPU work was recorded for only part" in each["text"] for each in answer["differences"]):
            self.skipTest("the pretended GPU was recorded all the time")
        self.assertEqual(counted, 3)
        self.assertEqual(answer["unit"], "run")

    @judged_by_time
    def test_without_steps_on_one_side_times_are_per_run(self):
        few = self.record(steps=2)
        _, answer = self.compare(few)
        self.assertEqual(answer["unit"], "run")
        self.assertTrue(any("times are per run" in each["text"] for each in answer["differences"]), answer["differences"])


    @judged_by_time
    def test_few_steps_on_both_sides_are_compared_as_runs(self):
        for steps in range(2, 9):
            few = self.record(steps=steps)
            _, answer = self.compare(few, base=few)
            if steps < 4:
                self.assertEqual(answer["unit"], "run")
            if answer["unit"] == "run":
                self.assertTrue(answer["functions"], steps)


@unittest.skipUnless(os.path.isdir(os.path.join(SHARED, "traces")), "no traces in GPROFX_SHARED")
class Imported(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="gprof-x-diff-")
        self.addCleanup(shutil.rmtree, self.folder, True)

    def load(self, trace):
        out = os.path.join(self.folder, os.path.basename(trace) + ".gprofx")
        done = run("import", "-o", out, trace)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out

    def test_kineto_traces_with_a_known_difference(self):
        traces = [sorted(glob.glob(os.path.join(SHARED, "traces", "kineto_hta", f"trace_diff__{side}__*")))
                  for side in ("control", "test")]
        if not all(traces):
            self.skipTest("no pair of traces")
        control, test = (self.load(each[0]) for each in traces)
        done = run("diff", "--json", control, test)
        self.assertEqual(done.returncode, 3, done.stderr)
        answer = json.loads(done.stdout)
        self.assertTrue(answer["kernels"])
        self.assertEqual(run("diff", "--fail-on", "launches>0", control, control).returncode, 3)  # one trace
        # Launches by name are those that the traces themselves have.
        def launches(path):
            with gzip.open(path[0], "rt") as file:
                return sum(1 for each in json.load(file)["traceEvents"] if each.get("cat", "").lower() == "kernel")
        done = run("diff", "--json", "--fail-on", "launches>0", control, test)
        counted = launches(traces[0]), launches(traces[1])
        self.assertEqual(json.loads(done.stdout)["rules"][0]["evidence"],
                         "launches per run: %s -> %s" % counted)
        self.assertEqual(json.loads(done.stdout)["rules"][0]["fired"], counted[1] > counted[0])

    def test_other_traces_are_compared_or_say_why_not(self):
        files = [each for each in sorted(glob.glob(os.path.join(SHARED, "traces", "*", "*"))) if os.path.isfile(each)][:6]
        for file in files:
            out = os.path.join(self.folder, os.path.basename(file) + ".gprofx")
            if run("import", "-o", out, file).returncode != 0:
                continue
            done = run("diff", out, out)
            self.assertEqual(done.returncode, 3, (file, done.stderr))
            self.assertIn("a recording is given twice", done.stdout)


if __name__ == "__main__":
    unittest.main()
