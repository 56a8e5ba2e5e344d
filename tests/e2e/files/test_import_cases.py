#!/usr/bin/env python3
"""gprof-x import on small traces of every kind that other tools write, each with what an independent reading of it says.

The traces are in the folder cases/imports beside the data that GPROFX_SHARED names. Traces of the same kinds, made here, are in
test_import_kinds.py.
"""
import collections
import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
import import_support as support  # noqa: E402
from import_support import Imported, refused  # noqa: E402

CASES = os.path.join(os.path.dirname(os.environ.get("GPROFX_SHARED", "").rstrip("/")), "cases/imports")


def case(*path):
    return os.path.join(CASES, *path)


@unittest.skipUnless(os.path.isdir(CASES), "no cases/imports beside GPROFX_SHARED")
class Cases(unittest.TestCase):
    def kernels(self, name, count=10, ns=30000):
        ours = Imported(case("chrome", name))
        self.assertEqual([row[1] for row in ours.rows(support.KERNELS)], [ns] * count)
        return ours

    def test_ids_as_strings(self):
        for name in ("string_pid.json", "string_ts.json", "string_stream.json"):
            with self.subTest(name):
                ours = self.kernels(name)
                self.assertEqual([row[0] for row in ours.rows(support.KERNELS)], [10000 + 100000 * i for i in range(10)])
                self.assertEqual(ours.quality.get("import_unlinked", 0), 0)
                self.assertEqual(ours.metric("host"), 10 * 20000)

    def test_annotation_begins_in_a_short_call(self):
        ours = self.kernels("annotation_cut.json", 5)
        self.assertEqual(ours.totals("host")["## forward ##"], 500000)
        for path in ours.paths("gpu"):
            self.assertIn("## forward ##", path)
        self.assertEqual(ours.metric("host"), 1000000)

    def test_merged_ranks(self):
        ours = self.kernels("merged_ranks.json", 20)
        for path in ours.paths("gpu"):
            self.assertIn("rank%s::op" % path[-1][-1], path)

    def test_nested_waits(self):
        ours = self.kernels("nested_waits.json")
        self.assertEqual(ours.metric("gpu_wait"), 500000)
        self.assertEqual(len(list(ours.rows(support.CALLS))), 1)

    def test_range_names(self):
        names = set(Imported(case("chrome/range_names.json")).totals("host"))
        self.assertLessEqual({"step1_load_data", "step2_attention", "step3_mlp", "BatchNorm2d_layer3_forward",
                              "BatchNorm1d_layer7_backward", "epoch_1_eval", "epoch_1_train", "Batch 5/10 encode",
                              "batch 5/10 decode", "iter8tor_x", "conv2d_3x3", "ITERATE_v2_solve", "my step"}, names)

    def test_begin_and_end(self):
        path = case("chrome/begin_end.json")
        with open(path) as file:
            times = [event["ts"] for event in json.load(file)["traceEvents"]]
        ours = Imported(path)
        self.assertEqual(ours.totals("host"), {"step": len(times) // 4 * 50000, "inner": len(times) // 4 * 20000})
        self.assertLessEqual(set(ours.paths("host")), {("step",), ("step", "inner")})

    def test_names_after_the_events(self):
        ours = Imported(case("chrome/jax_metadata_last.json"))
        self.assertEqual(len(list(ours.rows(support.KERNELS))), 10)
        self.assertEqual(len(list(ours.rows(support.COPIES))), 1)
        self.assertEqual(ours.metric("gpu"), 10 * 30250 + 7000)

    def test_unusual_json(self):
        for name, copies, more in (("json_inf", 1, None), ("json_nan", 1, None), ("json_surr", 0, "a\ufffdb"), ("json_utf8", 0, "a"),
                                   ("json_ctrl", 0, "a"), ("json_array_noend", 0, None)):
            with self.subTest(name):
                ours = self.kernels(name + ".json")
                self.assertEqual(len(list(ours.rows(support.COPIES))), copies)
                if more:
                    self.assertTrue([found for found in ours.totals("host") if found.startswith(more) and found.endswith("b")])
        self.kernels("zero_padded.json.gz")

    def test_times_that_are_unknown(self):
        for name in ("start_zero.json", "hundred_years.json"):
            with self.subTest(name):
                ours = self.kernels(name)
                self.assertEqual(ours.meta["duration_ns"], "940000")
                self.assertEqual(ours.left_out(), 1)
        ours = Imported(case("nsys/start_zero.sqlite"))
        self.assertEqual(ours.meta["duration_ns"], "9900")
        self.assertEqual(len(list(ours.rows(support.KERNELS))), 10)
        self.assertEqual(ours.left_out(), 1)

    def test_graph_launches_of_nsight(self):
        ours = Imported(case("nsys/graph_trace.sqlite"))
        self.assertEqual(sum(ours.busy().values()), 49000)
        self.assertEqual(ours.metric("gpu"), 49000)
        self.assertEqual(sum("cudaGraphLaunch" in path for path in ours.paths("gpu")), 1)
        self.assertEqual(ours.quality.get("import_unlinked", 0), 0)

    def test_perf(self):
        ours = Imported(case("perf/no_time.txt"))
        self.assertEqual(ours.metric("samples"), 1)
        self.assertNotIn("duration_ns", {name for name, value in ours.meta.items() if value != "0"})
        ours = Imported(case("perf/deleted.txt"))
        self.assertEqual(ours.modules() & {"/tmp/libx.so", "/opt/app"}, {"/tmp/libx.so", "/opt/app"})
        self.assertIn("MyApp::Run()", {path[-2] if len(path) > 1 else path[-1] for path in ours.paths()})
        ours = Imported(case("perf/exec.txt"))
        self.assertEqual(ours.thread_names(), {"python3"})
        ours = Imported(case("perf/task.txt"))
        self.assertEqual((ours.metric("samples"), ours.thread_names()), (1, {"ls"}))

    def test_perf_events(self):
        ours = Imported(case("perf/faults.txt"))
        self.assertEqual(ours.totals("perf_page-faults"), {"fill": 50, "grow": 150, "main": 200})
        top = json.loads(ours.report("--top", "--json"))
        self.assertEqual((top["rows"][0]["name"], top["rows"][0]["self"]), ("grow", 150))
        ours = Imported(case("perf/two_events.txt"))
        self.assertEqual([ours.metric("perf_" + name) for name in ("cycles", "instructions")], [2, 1])
        self.assertEqual(ours.metric("samples"), 0)

    def test_collapsed(self):
        self.assertEqual(Imported(case("collapsed/crlf.txt")).totals("samples"), {"a": 7, "b": 3, "c": 4})
        ours = Imported(case("collapsed/float.txt"))
        scale = ours.quality["import_scale"]
        self.assertEqual(ours.totals("samples"), {"a": 15.75 * scale, "b": 12.5 * scale, "c": 3.25 * scale})
        self.assertIn("two values", refused(case("collapsed/diff.txt")))

    def test_austin(self):
        ours = Imported(case("collapsed/austin.txt"))
        self.assertEqual(ours.metric("wall"), 9000 * 1000)
        self.assertEqual(ours.totals("wall"), {"<module>": 9000000, "load": 1500000, "work": 7500000})
        self.assertEqual(sorted(row[0] for row in ours.db.execute("SELECT pid FROM process")), [42, 43])
        self.assertIn("load (job.py:22)", ours.report("--tree"))


if __name__ == "__main__":
    unittest.main()
