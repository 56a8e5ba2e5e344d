"""gprof-x forecast of recordings, as people use it: identity to the nanosecond, other GPUs, several in one table, traces of other tools,
bad input. tests/data/steps holds recordings of an H100, cut, tests/data/forecast of an H100 and an H200; with GPROFX_SHARED the real
traces and recordings, too."""
import glob
import gzip
import json
import os
import shutil
import subprocess
import tempfile
import unittest

GPROFX = os.environ["GPROFX"]
SHARED = os.environ.get("GPROFX_SHARED", "")
STEPS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "..", "data", "steps")
FORECAST = os.path.join(os.path.dirname(STEPS), "forecast")
SCHEMA = "gprof-x.forecast.recording/1"


def gprofx(*args, columns=80):
    return subprocess.run([GPROFX, *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, COLUMNS=str(columns)))


def trace(device="NVIDIA H100 80GB HBM3", steps=20, marked=True, kernel="ampere_sgemm_128x64_tn", shapes=False, launches=10):
    """Steps of 1 ms on one stream: kernels of 90 us in a row, a wait for them; times in us."""
    events, number = [], 0

    def span(category, name, tid, begin, length, **args):
        events.append(dict(ph="X", cat=category, name=name, pid=9, tid=tid, ts=begin, dur=length, args=args))

    for step in range(steps):
        at = step * 1000
        if marked:
            span("user_annotation", "ProfilerStep#%d" % step, 1, at, 1000)
        for k in range(launches):
            number += 1
            if shapes:
                span("cpu_op", "aten::mm", 1, at + 9 + 5 * k, 4, **{"Input Dims": [[2048, 2048], [2048, 2048]],
                                                                     "Input type": ["float", "float"]})
            span("cuda_runtime", "cudaLaunchKernel", 1, at + 10 + 5 * k, 2, correlation=number)
            span("kernel", kernel, 7, at + 20 + 91 * k, 90, correlation=number, device=0, stream=7, context=1,
                 grid=[512, 1, 1], block=[256, 1, 1])
        span("cuda_runtime", "cudaStreamSynchronize", 1, at + 100, 840)
    return {"deviceProperties": [{"id": 0, "name": device, "computeMajor": 9, "computeMinor": 0}], "traceEvents": events}


class Measured(unittest.TestCase):
    """Recordings of two programs on an H100 and an H200 (tests/data/forecast), each forecast from the other: what the programs took
    there without a profiler, also with half and twice the batch and in FP32, is in measured.json."""

    @classmethod
    def setUpClass(cls):
        if not shutil.which("zstd"):
            raise unittest.SkipTest("there is no zstd")
        cls.scratch = tempfile.TemporaryDirectory(prefix="gprof-x-forecast-")
        cls.addClassCleanup(cls.scratch.cleanup)
        with open(os.path.join(FORECAST, "measured.json")) as file:
            cls.real = json.load(file)
        for path in glob.glob(os.path.join(FORECAST, "*.zst")):
            subprocess.run(["zstd", "-q", "-d", path, "-o", cls.path(*os.path.basename(path).split(".")[0].split("_"))], check=True)

    @classmethod
    def path(cls, gpu, program):
        return os.path.join(cls.scratch.name, "%s_%s.gprofx" % (gpu, program))

    def forecast(self, gpu, program, to, *more):
        run = gprofx("forecast", self.path(gpu, program), "--to", to, "--step-time",
                     "%gms" % self.real[program][gpu]["step_ms"], "--json", *more)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return json.loads(run.stdout)["devices"][0]

    def holds(self, made, real_ms, within, what):
        self.assertAlmostEqual(made["step_ns"] / 1e6 / real_ms, 1, delta=within, msg=what)
        self.assertTrue(made["low_ns"] <= real_ms * 1e6 <= made["high_ns"], what)

    def test_the_other_gpu(self):
        for program, real in self.real.items():
            for here, there in (("h100", "h200"), ("h200", "h100")):
                made = self.forecast(here, program, there)
                self.holds(made, real[there]["step_ms"], 0.08, (program, here))
                own = json.loads(gprofx("forecast", self.path(there, program), "--to", there, "--json").stdout)
                self.assertAlmostEqual(made["gpu_work_ns"] / own["recorded"]["gpu_work_ns"], 1, delta=0.05, msg=(program, here))

    def test_other_work(self):
        changes = {"half": ("--batch", "0.5x"), "double": ("--batch", "2x"), "f32": ("--precision", "f32")}
        for program, real in self.real.items():
            for gpu, took in real.items():
                for change in set(took) & set(changes):
                    self.holds(self.forecast(gpu, program, gpu, *changes[change]), took[change], 0.1, (program, gpu, change))


class Recorded(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="gprof-x-forecast-")
        cls.addClassCleanup(cls.scratch.cleanup)

    def ok(self, *args, columns=80):
        run = gprofx("forecast", *args, columns=columns)
        self.assertEqual((run.returncode, run.stderr), (0, ""), run)
        return run.stdout

    def made(self, *args):
        return json.loads(self.ok(*args, "--json"))

    def fails(self, says, *args):
        run = gprofx("forecast", *args)
        self.assertEqual((run.returncode, run.stdout), (2, ""), run)
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        self.assertTrue(run.stderr.startswith("gprof-x forecast: "), run.stderr)
        self.assertIn(says, run.stderr)

    def imported(self, name, **options):
        path = os.path.join(self.scratch.name, name)
        if not os.path.exists(path + ".gprofx"):
            with gzip.open(path + ".json.gz", "wt") as file:
                json.dump(trace(**options), file)
            run = gprofx("import", "-q", "-o", path + ".gprofx", path + ".json.gz")
            self.assertEqual(run.returncode, 0, run)
        return path + ".gprofx"


class Identity(Recorded):
    def check(self, path, device):
        same = self.made(path, "--to", device, "--from", device)
        there = same["devices"][0]
        self.assertEqual(there["step_ns"], same["recorded"]["step_ns"], path)
        self.assertEqual((there["low_ns"], there["high_ns"]), (there["step_ns"],) * 2, path)
        self.assertEqual(there["gpu_work_ns"], same["recorded"]["gpu_work_ns"], path)
        self.assertEqual(there["limit"], same["recorded"]["limit"], path)
        for part in there["parts"]:
            self.assertEqual(part["recorded_ns"], part["forecast_ns"], path)
        asked = json.loads(gprofx("analyze", "--what-if", "scale nothing 1", "--json", path).stdout)
        if asked["reason"] is None:
            self.assertEqual(asked["recorded_step_ns"], there["step_ns"], path)
        else:  # where nothing repeats a forecast is of all of it, and a what-if of nothing
            self.assertIn("no steps were found", asked["reason"], path)
            self.assertIn("from the first launch", json.dumps(same), path)

    def test_recordings_of_an_h100(self):
        files = sorted(glob.glob(os.path.join(STEPS, "*.gprofx")))
        self.assertGreaterEqual(len(files), 10)
        for path in files:
            self.check(path, "H100")
            made = self.made(path, "--compare", "T4,B200")
            self.assertEqual(made["device"], "H100-SXM", path)
            slow, fast = made["devices"]  # in all rates
            self.assertGreaterEqual(slow["step_ns"], made["recorded"]["step_ns"], path)
            self.assertLessEqual(fast["step_ns"], made["recorded"]["step_ns"], path)

    def test_shared_traces_and_recordings(self):
        if not os.path.isdir(os.path.join(SHARED, "traces")):
            self.skipTest("GPROFX_SHARED is not set")
        for path in glob.glob(os.path.join(SHARED, "profiles", "*.gprofx")):
            self.check(path, "H100")
        checked = 0
        for kind in ("kineto_hta", "kineto_tracelens", "nsys"):
            for source in sorted(glob.glob(os.path.join(SHARED, "traces", kind, "*.*"))):
                path = os.path.join(self.scratch.name, "shared.gprofx")
                packed = source.endswith(".zst")
                plain = os.path.join(self.scratch.name, os.path.basename(source)[:-4]) if packed else source
                if packed:
                    subprocess.run(["zstd", "-qdfo", plain, source], check=True)
                run = gprofx("import", "-q", "-o", path, plain)
                self.assertEqual(run.returncode, 0, run)
                device = "MI300X" if "mi300" in source.lower() else "H100"
                run = gprofx("forecast", path, "--from", device, "--to", device, "--json")
                if run.returncode != 0:  # traces without steps, or with one pass of nothing
                    self.assertEqual(run.stderr.count("\n"), 1, run)
                    continue
                self.check(path, device)
                checked += 1
        self.assertGreaterEqual(checked, 5)


class Forecasts(Recorded):
    def test_a_trace_that_arithmetic_limits(self):
        path = self.imported("sgemm")
        made = self.made(path, "--to", "A100")
        self.assertEqual(made["schema"], SCHEMA)
        self.assertEqual((made["device"], made["steps"]), ("H100-SXM", 20))
        there = made["devices"][0]
        # FP32 by ordinary cores: 51 TFLOP/s are held by an H100, about 17 by an A100.
        work = there["gpu_work_ns"] / made["recorded"]["gpu_work_ns"]
        self.assertTrue(2.7 < work < 3.2, work)
        self.assertTrue(2.5 < there["step_ns"] / made["recorded"]["step_ns"] < 3.1, there)
        self.assertTrue(there["low_ns"] < there["step_ns"] < there["high_ns"])
        self.assertEqual(there["kernels"][0]["told_by"], "name")
        self.assertEqual(there["kernels"][0]["bound"], "compute")
        self.assertAlmostEqual(there["kernels"][0]["runs_per_step"], 10, places=1)
        self.assertLess(abs(sum(part["forecast_ns"] for part in there["parts"]) - there["step_ns"]), 100)
        self.assertEqual(there["not_modelled"], [])

    def test_shapes(self):
        made = self.made(self.imported("shapes", shapes=True), "--to", "A100")
        self.assertEqual(made["devices"][0]["kernels"][0]["told_by"], "shapes")

    def test_an_unknown_kernel_is_named_with_its_share(self):
        made = self.made(self.imported("own", kernel="who_knows"), "--to", "A100")
        untold = made["devices"][0]["not_modelled"]
        self.assertEqual(len(untold), 1)
        self.assertIn("who_knows", untold[0]["what"])
        self.assertGreater(untold[0]["share"], 0.99)
        known = self.made(self.imported("sgemm"), "--to", "A100")["devices"][0]
        spread = lambda row: row["high_ns"] / row["low_ns"]  # noqa: E731
        self.assertGreater(spread(made["devices"][0]), spread(known))

    def test_a_faster_gpu_leaves_the_host(self):
        path = self.imported("small", kernel="void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float> >()")
        slow, fast = (self.made(path, "--to", device)["devices"][0] for device in ("L40S", "B200"))
        self.assertEqual(slow["limit"], "gpu")
        self.assertLess(fast["gpu_busy"], slow["gpu_busy"])
        self.assertLess(fast["step_ns"], slow["step_ns"])
        twice = self.made(path, "--to", "B200", "--host-speed", "2")
        self.assertLess(twice["devices"][0]["step_ns"], fast["step_ns"])
        self.assertEqual(twice["host_speed"], 2)

    def test_the_time_of_a_step_without_recording(self):
        path = os.path.join(STEPS, "eager.gprofx")
        recorded = self.made(path, "--to", "H100")["recorded"]["step_ns"]
        made = self.made(path, "--to", "H100", "--step-time", "%dns" % (recorded * 0.8))
        self.assertEqual(made["recorded"]["step_ns"], recorded)
        self.assertAlmostEqual(made["recorded"]["bare_step_ns"] / recorded, 0.8, places=3)
        self.assertEqual(made["devices"][0]["step_ns"], made["recorded"]["bare_step_ns"])
        self.fails("a step cannot take", path, "--to", "H100", "--step-time", "1ns")
        self.fails("option '--step-time' needs a time", path, "--to", "H100", "--step-time", "soon")

    def test_texts_fit_their_screen(self):
        path = self.imported("sgemm")
        for columns in (80, 100):
            for args in (("--to", "H200"), ("--compare", "H100,H200,B200,L40S", "--price", "H100=2.5,H200=3.5")):
                text = self.ok(path, *args, columns=columns)
                named = os.path.dirname(path)
                lines = [line for line in text.splitlines() if named not in line]  # a word that is longer stays
                self.assertTrue(all(len(line) <= columns for line in lines), text)

    def test_several_devices_and_prices(self):
        path = os.path.join(STEPS, "eager.gprofx")
        text = self.ok(path, "--compare", "H100,H200,B200,L40S", "--price", "H100=2.5")
        for word in ("as recorded", "H100-SXM", "H200", "B200", "L40S", "$ a step"):
            self.assertIn(word, text)
        made = self.made(path, "--compare", "H100,H200", "--price", "H100=2.5")
        one, other = made["devices"]
        self.assertAlmostEqual(one["dollars_per_step"], one["step_ns"] / 3.6e12 * 2.5)
        self.assertIsNone(other["dollars_per_step"])

    def test_what_is_estimated_is_said(self):
        text = self.ok(self.imported("sgemm"), "--to", "B200")
        said = " ".join(text.split())
        self.assertIn("the sustained rates of B200 are those of GPUs of its class", said)
        self.assertIn("the host is as fast as the recorded one", said)
        self.assertIn("fits into the 48 GB of L40S", " ".join(self.ok(self.imported("sgemm"), "--to", "L40S").split()))


class BadInput(Recorded):
    def test_one_line_each(self):
        steps = os.path.join(STEPS, "eager.gprofx")
        stacks = os.path.join(self.scratch.name, "stacks.txt")
        with open(stacks, "w") as file:
            file.write("main;work 10\nmain;rest 5\n")
        cpu = os.path.join(self.scratch.name, "cpu.gprofx")
        self.assertEqual(gprofx("import", "-q", "-o", cpu, stacks).returncode, 0)
        self.fails("contains no GPU work", cpu, "--to", "H200")
        self.fails("unknown device 'H2000'", steps, "--to", "H2000")
        self.fails("similar names are", steps, "--to", "H2000")
        self.fails("exactly one of options '--to' and '--compare' is needed", steps)
        self.fails("options '--to' and '--compare'", "--accuracy", "--to", "H200")
        self.fails("does not exist", os.path.join(self.scratch.name, "missing.gprofx"), "--to", "H200")
        self.fails("one recording is needed", steps, steps, "--to", "H200")
        self.fails("a factor from 0.01x to 1000x", steps, "--to", "H200", "--batch", "8")
        self.fails("a factor from 0.01x to 1000x", steps, "--to", "H200", "--batch", "nanx")
        self.fails("option '--precision' needs f32, bf16 or fp8", steps, "--to", "H200", "--precision", "int4")
        self.fails("V100-PCIe does not multiply matrices in fp8", steps, "--to", "V100", "--precision", "fp8")
        self.fails("option '--precision' needs a recording", "--model", "x.csv", "--to", "H200", "--precision", "f32")
        self.fails("option '--from' needs a recording", "--accuracy", "--from", "H100")
        for speed in ("0", "-1", "fast", "1e9", "nan"):
            self.fails("option '--host-speed' needs a factor", steps, "--to", "H200", "--host-speed", speed)
        self.fails("a recording and options '--model'", steps, "--to", "H200", "--accuracy")

    def test_devices_of_recordings(self):
        unknown = self.imported("unknown", device="NVIDIA Z9000")
        self.fails("ran on an unknown GPU, 'NVIDIA Z9000'", unknown, "--to", "H200")
        self.assertEqual(self.made(unknown, "--from", "H100", "--to", "H200")["device"], "H100-SXM")
        nameless = self.imported("nameless", device="")
        self.fails("does not say which GPU it ran on", nameless, "--to", "H200")

    def test_steps(self):
        for path, told in ((self.imported("stepless", steps=1, marked=False, launches=3), "no steps were found, so the time from the first launch"),
                           (self.imported("one", steps=1), "other steps are like the only one that was recorded")):
            self.assertIn(told, " ".join(self.ok(path, "--to", "H200").split()))
            same = self.made(path, "--to", "H100", "--from", "H100")
            self.assertEqual(same["devices"][0]["step_ns"], same["recorded"]["step_ns"])
        said = " ".join(self.ok(self.imported("sgemm"), "--to", "H200", "--steps", "7").split())
        self.assertIn("1 step of", said)
        self.assertIn("other steps are like the only one that was recorded", said)


if __name__ == "__main__":
    unittest.main()
