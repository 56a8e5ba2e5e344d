"""gprof-x analyze --what-if and the breakdowns, as users run them: on traces made here whose true answers are known, and with
GPROFX_SHARED on a real recording."""
import gzip
import json
import os
import subprocess
import tempfile
import unittest

GPROFX = os.environ["GPROFX"]
SHARED = os.environ.get("GPROFX_SHARED", "")
SCHEMA = "gprof-x.analyze.what-if/1"


def gprofx(*args):
    return subprocess.run([GPROFX, *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, COLUMNS="80"))


def ok(*args):
    run = gprofx(*args)
    assert (run.returncode, run.stderr) == (0, ""), run
    return run.stdout


def training(steps=20, marked=True):
    """Steps of 1 ms: a pageable copy of 4 MB for 200 us, ten kernels of 50 us in a row, a wait for them; times in us."""
    events, number = [], 0

    def span(category, name, tid, begin, length, **args):
        events.append(dict(ph="X", cat=category, name=name, pid=9, tid=tid, ts=begin, dur=length, args=args))

    def launch(call, begin, length, category, name, start, took, **args):
        nonlocal number
        number += 1
        span("cuda_runtime", call, 1, begin, length, correlation=number)
        span(category, name, 7, start, took, correlation=number, device=0, stream=7, context=1, **args)

    for step in range(steps):
        at = step * 1000
        if marked:
            span("user_annotation", "ProfilerStep#%d" % step, 1, at, 1000)
        launch("cudaMemcpyAsync", at + 10, 215, "gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", at + 20, 200, bytes=4_000_000)
        for k in range(10):
            launch("cudaLaunchKernel", at + 240 + 10 * k, 5, "kernel", "gemm_kernel" if k else "vectorized_elementwise_kernel",
                   at + 246 + 51 * k, 50)
        span("cuda_runtime", "cudaStreamSynchronize", 1, at + 340, 420)
    return {"deviceProperties": [{"id": 0, "name": "NVIDIA H100", "computeMajor": 9, "computeMinor": 0}], "traceEvents": events}


class WhatIf(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="gprof-x-what-if-")
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.profile = cls.made("steps", training())

    @classmethod
    def made(cls, name, trace):
        path = os.path.join(cls.scratch.name, name)
        with gzip.open(path + ".json.gz", "wt") as out:
            json.dump(trace, out)
        run = gprofx("import", "-o", path + ".gprofx", path + ".json.gz")
        assert run.returncode == 0, run
        return path + ".gprofx"

    def ask(self, *changes, profile=None, more=()):
        args = [arg for change in changes for arg in ("--what-if", change)]
        answer = json.loads(ok("analyze", "--json", *args, *more, profile or self.profile))
        self.assertEqual(answer["schema"], SCHEMA)
        return answer

    def test_nothing_changes_nothing(self):
        answer = self.ask("scale nothing 2")
        self.assertEqual(answer["recorded_step_ns"], 1_000_000)
        self.assertEqual(answer["then"]["step_ns"], 1_000_000)
        self.assertEqual(answer["saving_ns"], 0)
        self.assertTrue(answer["changed"][0].startswith("nothing"))

    def test_kernels_twice_as_fast(self):
        # Nine of ten kernels, on the way of each step.
        self.assertEqual(self.ask("scale gemm 0.5")["saving_ns"], 9 * 25_000)
        self.assertEqual(self.ask("scale gemm 0.5", "scale vectorized 0.5")["saving_ns"], 10 * 25_000)

    def test_without_waits(self):
        answer = self.ask("no-sync")
        # The GPU has 700 us of work, 100 us of them before the host may launch.
        self.assertGreater(answer["saving_ns"], 150_000)
        self.assertEqual(answer["now"]["limit"], "sync")

    def test_pinned(self):
        answer = self.ask("pin_memory")
        self.assertGreater(answer["saving_ns"], 100_000)
        self.assertTrue(any("20 copies" in text for text in answer["changed"]), answer["changed"])

    def test_time_without_recording(self):
        answer = self.ask("graphs", more=["--step-time", "900us"])
        self.assertAlmostEqual(answer["now"]["step_ns"], 900_000, delta=1000)
        self.assertEqual(answer["recorded_step_ns"], 1_000_000)
        impossible = self.ask("graphs", more=["--step-time", "1us"])
        self.assertIn("the GPU alone needs", impossible["reason"])
        self.assertIsNone(impossible["then"])

    def test_text(self):
        text = ok("analyze", "--what-if", "no-sync", "--what-if", "graphs", self.profile)
        for expected in ("no-sync\n", "graphs\n", "per step", "saving", "assumed:", "changed in 20 steps"):
            self.assertIn(expected, text)
        self.assertTrue(all(len(line) <= 80 for line in text.splitlines()), text)

    def test_no_steps(self):
        bare = self.made("bare", training(steps=1, marked=False))
        answer = self.ask("no-sync", profile=bare)
        self.assertIn("no steps were found", answer["reason"])
        self.assertIn("no answer", ok("analyze", "--what-if", "no-sync", bare))

    def test_bad_options(self):
        for args, words in ((["--what-if", "faster"], "the changes are 'pin_memory'"), (["--what-if", "fuse"], "needs a name"),
                            (["--what-if", "graphs", "--csv"], "option '--what-if' needs exactly one recording"),
                            (["--what-if", "graphs", "--redact"], "cannot be combined with '--all', '--csv' and '--redact'"), (["--step-time", "3ms"], "add '--what-if'"),
                            (["--what-if", "graphs", "--step-time", "soon"], "option '--step-time' needs a time"),
                            (["--what-if", "graphs", self.profile], "option '--what-if' needs exactly one recording")):
            run = gprofx("analyze", *args, self.profile)
            self.assertEqual((run.returncode, run.stdout), (2, ""), args)
            self.assertIn(words, run.stderr)
            self.assertEqual(run.stderr.count("\n"), 1)

    def test_breakdowns(self):
        answer = json.loads(ok("analyze", "--json", "--phase", "all", self.profile, "temporal_breakdown", "kernel_breakdown",
                               "idle_breakdown", "launch_statistics", "queue_length"))
        tables = {table["name"]: table["rows"] for table in answer["analyses"]}
        row = tables["temporal_breakdown"][0]
        self.assertEqual((row["compute_ns"], row["non_compute_ns"]), (20 * 500_000, 20 * 200_000))
        self.assertEqual(row["idle_ns"] + row["compute_ns"] + row["non_compute_ns"], row["kernel_time_ns"])
        self.assertEqual([(r["type"], r["ns"]) for r in tables["kernel_breakdown"]],
                         [("computation", 10_000_000), ("memory", 4_000_000)])
        idle = tables["idle_breakdown"][0]
        # Before each copy but the first the host was late, and before the first kernel of each step.
        self.assertEqual(idle["host_wait_ns"], 19 * (1000 - 755 + 20) * 1000 + 20 * 26_000)
        self.assertEqual(idle["other_ns"], 20 * 9 * 1000)
        calls = {r["call"]: r for r in tables["launch_statistics"]}
        self.assertEqual((calls["cudaLaunchKernel"]["count"], calls["cudaLaunchKernel"]["call_mean_ns"]), (200, 5000))
        self.assertEqual((calls["cudaMemcpyAsync"]["long_calls"], calls["cudaMemcpyAsync"]["short"]), (20, 20))
        self.assertEqual(calls["cudaLaunchKernel"]["long_delays"], 20 * 7)
        queue = tables["queue_length"][0]
        self.assertEqual((queue["count"], queue["min"]), (2 * 220, 0))
        self.assertIn("host wait", ok("analyze", self.profile, "idle_breakdown"))

    @unittest.skipUnless(os.path.isdir(os.path.join(SHARED, "profiles")), "no profiles in GPROFX_SHARED")
    def test_a_real_recording(self):
        profile = os.path.join(SHARED, "profiles", "gpt2_train_h100.gprofx")
        answer = self.ask("graphs", profile=profile)
        self.assertEqual(answer["steps"], 59)
        self.assertEqual(answer["now"]["limit"], "host")
        self.assertEqual(answer["then"]["limit"], "gpu")
        # The sum of its kernels is 36 ms a step: no graph makes it faster than that.
        self.assertGreater(answer["then"]["step_ns"], 36_000_000)
        table = json.loads(ok("analyze", "--json", profile, "launch_statistics"))["analyses"][0]
        self.assertEqual(table["rows"], [])
        self.assertIn("traces", table["reason"])


if __name__ == "__main__":
    unittest.main()
