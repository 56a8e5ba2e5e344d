#!/usr/bin/env python3
"""CUDA calls that are heard without CUPTI, by functions in place of the driver's (samplers/cuda/hooks/driver_hooks.h), with a pretended GPU."""
import json
import os
import re
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from fake_gpu_support import FAKE, TRAIN, gpu_rows, problems, text_of
from profile_support import Recording


@unittest.skipUnless(os.path.exists(TRAIN), "built without CUDA headers")
class Hooks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # By this name its frames are not the program's, as those of the real one.
        cls.folder = tempfile.TemporaryDirectory()
        cls.cupti = shutil.copy(os.path.join(FAKE, "libfake_cupti.so"), os.path.join(cls.folder.name, "libcupti.so.13"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def record(self, how, *options, seconds=6, **more):
        env = dict(os.environ, GPROFX_CUPTI=self.cupti, LD_PRELOAD=self.cupti, LD_LIBRARY_PATH=FAKE, **more)
        r = Recording([TRAIN, how, str(seconds)], options, env=env, timeout=60)
        self.addCleanup(r.close)
        for trouble in ("deadlock", "spoiled", "left open", "lost", "beside", "failure"):
            self.assertNotIn(trouble, r.out)
        made = {line.split()[0]: int(line.split()[1]) for line in r.out.splitlines() if line.split()[1:] and line.split()[1].isdigit()}
        return r, made, r.counters()

    def test_launches_are_counted_without_cupti_and_none_twice(self):
        r, made, counters = self.record("pointer", "--overhead", "1")
        self.assertGreater(counters["gpu_launches_hooked"], 0.2 * counters["gpu_launches"])
        # A thread that was stopped between reading the driver's address and the call of it.
        self.assertLessEqual(counters["gpu_calls_bypassed"], 2)
        self.assertEqual(counters["gpu_launches_lost"], 0)
        rows = gpu_rows(r)
        for name, ns in (("small", 2000), ("large", 8000)):
            self.assertEqual(rows[name]["calls"], made[name])
            self.assertAlmostEqual(rows[name]["estimated_ns"], made[name] * ns, delta=0.05 * made[name] * ns)
        # Each record knows its launch, also where one was under way as records began.
        self.assertEqual(set(rows), set(made))
        callers = {(row.name.partition("(")[0], row.path()[-3].name) for row in r.tree("--metric", "gpu") if row.name.partition("(")[0] in made}
        self.assertEqual({(kernel, caller.split("::")[-1].partition("(")[0]) for kernel, caller in callers},
                         {("small", "LaunchSmall"), ("large", "LaunchLarge")})

    def test_threads_that_are_stopped_inside_of_calls(self):
        r, made, counters = self.record("crowd", "--overhead", "1")
        self.assertGreater(counters["gpu_launches_hooked"], 0)
        self.assertEqual(counters["gpu_launches"], made["crowd"])
        self.assertEqual(counters["gpu_unlaunched"], 0)
        self.assertAlmostEqual(counters["gpu_traced_launches"], counters["gpu_level_traced_launches"],
                               delta=0.02 * counters["gpu_traced_launches"])

    def test_without_pointers_cupti_tells_of_all(self):
        r, made, counters = self.record("rate", "--overhead", "1")
        self.assertEqual(counters["gpu_launches_hooked"], 0)
        self.assertGreater(counters["gpu_calls_bypassed"], 0)
        self.assertEqual(counters["gpu_launches"], sum(made.values()))

    def test_who_asks_the_driver_later_is_heard_at_once(self):
        r, made, counters = self.record("asks", "--overhead", "1", seconds=8)
        self.assertGreater(counters["gpu_launches_hooked"], 0)
        self.assertEqual(counters["gpu_calls_bypassed"], 0)
        self.assertEqual(counters["gpu_launches"], sum(made.values()))

    def test_who_is_not_heard_is_noticed_in_the_next_window(self):
        r, made, counters = self.record("unseen", "--overhead", "10", seconds=8)
        self.assertGreater(counters["gpu_launches_hooked"], 0)
        self.assertGreater(counters["gpu_calls_bypassed"], 0)
        known = made["small"] + made["large"]
        self.assertGreaterEqual(counters["gpu_launches"], known + 0.3 * made["more"])
        self.assertLessEqual(counters["gpu_launches"], known + made["more"])

    def times_left(self, r):
        return int(re.search(r"finalised (\d+)", r.out)[1])

    def test_cupti_leaves_between_windows_and_records_go_on_after_it(self):
        r, made, counters = self.record("pointer", "--overhead", "10", seconds=8)
        self.assertGreaterEqual(self.times_left(r), 2)
        report = r.report("--by", "kernel")
        late = json.loads(text_of(r, "--json", "--by", "kernel", "--range", "4s..8s"))["part"]["records"]
        self.assertGreater(late["traced_launches"], 0)
        self.assertLess(late["traced_launches"], 0.6 * late["launches"])
        # Numbers of calls begin anew each time: each record still has the launch that made it, and its time.
        self.assertEqual(counters["gpu_unlaunched"] + counters["gpu_records_no_time"], 0)
        self.assertEqual(counters["gpu_traced_launches"], counters["gpu_records"])
        self.assertLess(report["gpu"]["time_ns"], 8e9)
        rows = gpu_rows(r)
        for name, ns in (("small", 2000), ("large", 8000)):
            self.assertEqual(rows[name]["calls"], made[name])
            self.assertAlmostEqual(rows[name]["estimated_ns"], made[name] * ns, delta=0.05 * made[name] * ns)

    def test_cupti_stays_while_a_gpu_uses_what_it_holds(self):
        r, made, counters = self.record("pointer", "--overhead", "10", seconds=5, FAKE_GPU_BUSY="yes")
        self.assertEqual(self.times_left(r), 0)
        self.assertEqual(counters["gpu_launches"], sum(made.values()))
        self.assertEqual(counters["gpu_unlaunched"], 0)

    def test_a_cupti_that_may_not_leave_stays_and_tells_of_nothing(self):
        r, made, counters = self.record("pointer", "--overhead", "10", seconds=5, FAKE_CUPTI="old")
        self.assertEqual(self.times_left(r), 0)
        self.assertGreater(counters["gpu_launches_hooked"], 0.1 * counters["gpu_launches"])
        self.assertEqual(counters["gpu_launches"], sum(made.values()))
        self.assertEqual(counters["gpu_unlaunched"], 0)

    def test_memory_is_followed_while_cupti_is_away(self):
        r, made, counters = self.record("allocates", "--overhead", "10", seconds=6)
        self.assertGreaterEqual(self.times_left(r), 2)
        self.assertEqual(counters["gpu_memory_events"], 2 * made["allocations"])

    def test_who_captures_a_graph_gets_cupti_back_first(self):
        # The next window would come ten seconds later. Nodes are made half a second after the capture has begun.
        r, made, counters = self.record("captures", "--overhead", "1", seconds=8)
        self.assertGreaterEqual(self.times_left(r), 1)
        self.assertEqual(counters["gpu_captures"], made["captures"])

    def test_a_client_that_comes_meanwhile_is_left_alone_and_told_of(self):
        r, made, counters = self.record("pointer", "--overhead", "10", seconds=8, FAKE_OTHER_LATER="another profiler")
        self.assertGreaterEqual(self.times_left(r), 1)
        self.assertEqual(counters["gpu_launches"], sum(made.values()))  # by hooks
        self.assertIn("GPU records are missing for a time", problems(r))
        self.assertIn("another profiler", problems(r))

    def test_a_fork_child_is_told_of_while_cupti_is_away(self):
        r, made, counters = self.record("forks", "--overhead", "1", seconds=6)
        self.assertGreaterEqual(self.times_left(r), 1)
        self.assertEqual(counters["gpu_forked_calls"], 3)
        self.assertEqual(counters["gpu_launches"], made["small"] + made["large"])

    def test_a_call_that_lasts_holds_up_no_records(self):
        # One thread waits in the driver for nearly all of the time.
        r, made, counters = self.record("waits", "--overhead", "10", seconds=8)
        late = json.loads(text_of(r, "--json", "--by", "kernel", "--range", "4s..8s"))["part"]["records"]
        if late is not None:  # otherwise every launch has a record: on a busy machine the thread may never be out of the driver
            self.assertGreater(late["traced_launches"], 0)
        self.assertGreater(counters["gpu_records"], 0)
        self.assertEqual(counters["gpu_launches"], made["small"] + made["large"])
        self.assertEqual(counters["gpu_unlaunched"], 0)

    def test_what_launches_take_is_timed_with_and_without_cupti(self):
        r, made, counters = self.record("pointer", "--overhead", "10", seconds=8)
        for kind in ("bare", "hooked", "recorded"):
            self.assertGreaterEqual(counters["gpu_%s_batches" % kind], 3, kind)
        mean = {kind: counters["gpu_%s_ns" % kind] / counters["gpu_%s_batches" % kind] for kind in ("bare", "hooked", "recorded")}
        self.assertGreater(mean["hooked"], mean["bare"])
        self.assertGreater(mean["recorded"], mean["bare"])
        self.assertGreater(counters["gpu_cupti_fetch_ns"], 10_000_000)
        cost = r.report()["quality"]["own_cost"]
        self.assertGreaterEqual(cost["low"], 1)
        self.assertGreater(cost["high"], cost["low"])

    def test_with_everything_on_nothing_is_hooked(self):
        r, made, counters = self.record("pointer", "--overhead", "none", seconds=1)
        self.assertEqual(counters["gpu_launches_hooked"], 0)
        self.assertEqual(counters["gpu_records"], sum(made.values()))


if __name__ == "__main__":
    unittest.main()
