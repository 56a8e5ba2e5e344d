#!/usr/bin/env python3
"""gprof-x import on traces of several ranks: each gets its own GPU work, wherever the events stand; what is a guess is counted."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from import_support import Imported  # noqa: E402
from made_traces import Files, event, kernel, launch  # noqa: E402


def rank(number, device=0, count=5, late=0, name="k%d"):
    """(host events, GPU events) of a rank: all ranks have the same correlation ids."""
    host, gpu = [], []
    for i in range(count):
        at = 1000 * i + late
        host += [event("cpu_op", "op%d" % number, at, 20, 100 + number, 100 + number), launch(at + 2, i + 1, 100 + number)]
        gpu.append(kernel(name % number, at + 200, 30, i + 1, device))
    return host, gpu


def right(ranks):
    return sorted(("op%d" % i, "cudaLaunchKernel", "k%d" % i) for i in range(ranks))


class Ranks(Files):
    def imported(self, events):
        return Imported(self.chrome(events))

    def check(self, events, ranks=2, guesses=0):
        ours = self.imported(events)
        self.assertEqual(sorted(path for path in ours.paths("gpu")), right(ranks))
        self.assertEqual(ours.quality.get("import_guessed_processes", 0), guesses)
        self.assertEqual(ours.quality.get("import_unlinked", 0), 0)

    def test_ranks_one_after_the_other(self):
        """They share a device, so only the place in the file tells which is whose."""
        (host0, gpu0), (host1, gpu1) = rank(0), rank(1, late=40)
        for events in (host0 + gpu0 + host1 + gpu1, gpu0 + host0 + gpu1 + host1):
            with self.subTest([item["name"] for item in events[::5]]):
                self.check(events)

    def test_ranks_one_after_the_other_at_other_times(self):
        """The order of time would be wrong."""
        (host0, gpu0), (host1, gpu1) = rank(0, late=40), rank(1)
        gpu1 = [dict(item, ts=item["ts"] + 100) for item in gpu1]
        for events in (host0 + gpu0 + host1 + gpu1, gpu0 + host0 + gpu1 + host1):
            self.check(events)

    def test_order_of_time_if_nothing_else_tells(self):
        (host0, gpu0), (host1, gpu1) = rank(0), rank(1, late=40)
        everything = host0 + gpu0 + host1 + gpu1
        by_time = sorted(everything, key=lambda item: item["ts"])
        parts = gpu0[:2] + host0 + gpu0[2:] + gpu1[:2] + host1 + gpu1[2:]
        for events in (host0 + host1 + gpu0 + gpu1, gpu1 + gpu0 + host1 + host0, by_time, by_time[::-1], parts):
            with self.subTest([item["name"] for item in events[::5]]):
                self.check(events, guesses=10)

    def test_a_process_without_launches(self):
        """Work launched before the trace began is of the process that launches, not of its workers."""
        host, gpu = rank(0)
        worker = [event("python_function", "a.py(1): load", 100 * i, 50, 300, 300) for i in range(20)]
        ours = self.imported(host + gpu + worker + [kernel("k0", 6000 + 40 * i, 30, 900 + i) for i in range(3)])
        self.assertEqual((ours.quality["import_unlinked"], len(ours.busy())), (3, 1))

    def test_a_device_for_each_rank(self):
        """In any order in the file. Each device would do for each rank, so they go to the ranks in order."""
        (host0, gpu0), (host1, gpu1) = rank(0, 0), rank(1, 1, late=3)
        by_time = sorted(host0 + gpu0 + host1 + gpu1, key=lambda item: item["ts"])
        for events in (host0 + host1 + gpu0 + gpu1, gpu1 + gpu0 + host1 + host0, by_time, by_time[::-1]):
            self.check(events, guesses=10)

    def test_two_ranks_on_the_same_two_devices(self):
        events = []
        for number in (0, 1):
            for device in (0, 1):
                host, gpu = rank(number, device, late=10 * number + 400 * device)
                events += [dict(item, args=dict(item["args"], correlation=item["args"].get("correlation", 0) + 50 * device)) for item in host + gpu]
        self.check(sorted(events, key=lambda item: item["ts"]), guesses=20)

    def test_a_rank_without_gpu_work(self):
        (host0, gpu0), (host1, _) = rank(0), rank(1, late=40)
        ours = self.imported(host0 + gpu0 + host1)
        self.assertEqual(ours.paths("gpu"), right(1))

    def test_an_id_that_launches_in_one_rank_only(self):
        host, gpu = rank(0)
        other = [event("cuda_runtime", "cudaStreamIsCapturing", 1000 * i + 100, 5, 101, 101, correlation=i + 1) for i in range(5)]
        self.check(sorted(host + other + gpu, key=lambda item: item["ts"]), 1)

    def test_graphs_with_many_kernels(self):
        events = []
        for number in (0, 1):
            host, gpu = rank(number, late=40 * number)
            events += host + [dict(item, ts=item["ts"] + 300 * number + 35 * j) for item in gpu for j in range(4)]
        self.check(sorted(events, key=lambda item: item["ts"]), guesses=40)

    def test_processes_with_one_number(self):
        """As in containers of several machines: their main threads differ, but the number and the ids are the same."""
        for kernels in (1, 4):
            events = []
            for number in (0, 1):
                host, gpu = rank(number, late=40 * number)
                events += [dict(item, pid=1) for item in host]
                events += [dict(item, ts=item["ts"] + 300 * number + 35 * j) for item in gpu for j in range(kernels)]
            ours = self.imported(sorted(events, key=lambda item: item["ts"]))
            self.assertEqual(ours.paths("gpu"), right(2))
            self.assertEqual(ours.quality["import_guessed_calls"], 10 * kernels)

    def test_more_ranks_than_a_byte_counts(self):
        for shares in (False, True):
            hosts, gpus = [], []
            for number in range(300):
                host, gpu = rank(number, 0 if shares else number, count=2, late=number * 0.5)
                hosts += host
                gpus += gpu
            for events in (hosts + gpus, sorted(hosts + gpus, key=lambda item: -item["ts"])):
                ours = self.imported(events)
                self.assertEqual(ours.paths("gpu"), right(300))
                self.assertEqual(len(ours.busy()), 300)
                self.assertNotIn(0, ours.busy())

    def test_labels_in_brackets(self):
        """The hosts are "rank 3" and the like, the GPUs "GPU 0 (rank 3)"."""
        events = []
        for number in (3, 4):
            host, gpu = rank(number)
            events += [dict(item, pid="rank %d" % number, tid="rank %d" % number) for item in host]
            for item in gpu:
                args = {name: value for name, value in item["args"].items() if name != "device"}
                events.append(dict(item, pid="GPU 0 (rank %d)" % number, tid="stream 7", args=args))
        events.sort(key=lambda item: item["ts"])
        ours = self.imported(events)
        self.assertEqual(ours.paths("gpu"), [("op3", "cudaLaunchKernel", "k3"), ("op4", "cudaLaunchKernel", "k4")])
        self.assertEqual(ours.process_names(), {"rank 3", "rank 4"})
        self.assertEqual(ours.quality.get("import_guessed_processes", 0), 0)


if __name__ == "__main__":
    unittest.main()
