#!/usr/bin/env python3
"""What a sample could not be taken of has a row of its own with the thread's time, and spoils the verdict."""
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from profile_support import Recording, by_chance, workload


class Unseen(unittest.TestCase):
    def needs(self, way):
        if subprocess.run([workload("unseen"), way, "0.1"], capture_output=True).returncode == 77:
            self.skipTest("the kernel knows no such thing")

    def assert_takes(self, recording, function, seconds):
        every = recording.quality()["measured_ns"] / 1e9
        samples = recording.counters()["samples"]
        self.assertAlmostEqual(recording.functions()[0][function] / 1e9, seconds, delta=by_chance(samples) * every + 0.01, msg=function)

    def test_a_stack_in_the_heap_with_a_small_alternate_stack_is_sampled(self):
        self.needs("heap")
        with Recording([workload("unseen"), "heap", "0.8"]) as r:
            unseen, seen, _ = map(float, r.out.split())
            self.assert_takes(r, "burn_unseen", unseen)
            self.assert_takes(r, "burn_seen", seen)
            self.assertEqual(r.quality()["verdict"], "good", r.quality()["reasons"])

    def test_a_thread_whose_system_calls_are_dispatched(self):
        self.needs("dispatch")
        row = "[not sampled: its system calls are dispatched]"
        with Recording([workload("unseen"), "dispatch", "0.8"]) as r:
            unseen, seen, dispatched = map(float, r.out.split())
            self.assertEqual(dispatched, 0)
            self.assert_takes(r, row, unseen)
            self.assert_takes(r, "burn_seen", seen)
            quality = r.quality()
            self.assertEqual(quality["verdict"], "degraded")
            self.assertTrue(any(row.strip("[]") in reason for reason in quality["reasons"]), quality["reasons"])
            self.assertAlmostEqual(quality["unseen_ns"], r.functions()[0][row], delta=2)
            self.assertAlmostEqual(quality["accounted_ns"], quality["measured_ns"], delta=0.02 * quality["measured_ns"])

    def test_threads_of_the_kernel_have_a_row(self):
        if subprocess.run([workload("uring"), "1"], capture_output=True).returncode != 0:
            self.skipTest("no io_uring here")
        for clock in ("cpu", "wall"):
            with self.subTest(clock=clock), Recording([workload("uring"), "30000"], ["--clock", clock]) as r:
                worked = float(r.out)
                own = r.functions()[1]
                self.assertAlmostEqual(own["[io_uring worker]"] / 1e9, worked, delta=0.03 * worked + 0.06)
                self.assertLess(own.get("[too short to be sampled]", 0), 0.02 * sum(own.values()))
                quality = r.quality()
                self.assertAlmostEqual(quality["accounted_ns"], quality["measured_ns"], delta=0.03 * quality["measured_ns"] + 6e7)

    def test_threads_that_are_named_like_those_of_the_kernel(self):
        script = ("import ctypes, threading, time\n"
                  "libc = ctypes.CDLL(None)\n"
                  "def spin(name):\n"
                  "    libc.prctl(15, name, 0, 0, 0)  # PR_SET_NAME\n"
                  "    end = time.thread_time() + 0.05\n"
                  "    while time.thread_time() < end: pass\n"
                  "names = [b'iou-wrk-7', b'x) R 1 16 16 16', b')))) 16 16'] * 4\n"
                  "threads = [threading.Thread(target=spin, args=(name,)) for name in names]\n"
                  "for thread in threads: thread.start()\n"
                  "for thread in threads: thread.join()\n")
        for clock in ("cpu", "wall"):
            with self.subTest(clock=clock), Recording([sys.executable, "-c", script], ["--clock", clock]) as r:
                total, own = r.functions()
                self.assertNotIn("[io_uring worker]", own)
                self.assertGreater(total["spin"], 0.5e9)

    def test_more_threads_than_there_is_room_for(self):
        if subprocess.run([workload("many_threads"), "0"], capture_output=True).returncode != 0:
            self.skipTest("this user may not have 5,000 threads")
        with Recording([workload("many_threads"), "1"]) as r:
            self.assertEqual(r.out, "done\n")
            quality = r.quality()
            self.assertEqual(quality["verdict"], "degraded")
            self.assertTrue(any("more than 4,096 threads" in reason for reason in quality["reasons"]), quality["reasons"])
            self.assertAlmostEqual(quality["accounted_ns"], quality["measured_ns"], delta=0.02 * quality["measured_ns"])


if __name__ == "__main__":
    unittest.main()
