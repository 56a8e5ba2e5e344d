#!/usr/bin/env python3
"""gprof-x import on events of Chrome traces that are easily lost, counted twice or given to another: what is left out has a name."""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from import_support import Imported, refused  # noqa: E402
from made_traces import EPOCH, Files, event, kernel, launch  # noqa: E402


def left_out(ours):
    return {name[16:]: count for name, count in ours.quality.items() if name.startswith("import_left_out_")}


def mark(phase, ts, name=None, tid=1, **more):
    return {"ph": phase, "pid": 1, "tid": tid, "ts": ts, **({"name": name} if name else {}), **more}


def names_of_row(pid, tid, process, thread):
    return [{"ph": "M", "pid": pid, "name": "process_name", "args": {"name": process}},
            {"ph": "M", "pid": pid, "tid": tid, "name": "thread_name", "args": {"name": thread}}]


class Pairs(Files):
    def test_names_of_ends(self):
        """An E ends the B with its name."""
        for events, totals, left in (
                # Spans that overlap.
                ([mark("B", 0, "a"), mark("B", 10, "b"), mark("E", 20, "a"), mark("E", 30, "b")], {"a": 20000, "b": 10000}, {}),
                # An end is missing.
                ([mark("B", 0, "a"), mark("B", 10, "lost"), mark("E", 20, "a")], {"a": 20000}, {"begin_events_without_an_end": 1}),
                # A begin is missing.
                ([mark("B", 0, "a"), mark("E", 10, "lost"), mark("E", 20, "a")], {"a": 20000}, {"end_events_without_a_begin": 1}),
                ([mark("B", 0, "a"), mark("B", 5, "a"), mark("E", 10, "a"), mark("E", 20)], {"a": 20000}, {}),
                # The name may be with either one.
                ([mark("B", 0), mark("E", 10, "a")], {"a": 10000}, {}),
                # A pair without a time ends nothing else.
                ([mark("B", 0, "a"), {"ph": "B", "pid": 1, "tid": 1, "name": "x"}, mark("E", 5), mark("E", 20)], {"a": 20000},
                 {"begin_end_pairs": 1}),
                ([mark("B", 0, "a"), mark("B", 1, "x"), {"ph": "E", "pid": 1, "tid": 1}, mark("E", 20)], {"a": 20000},
                 {"begin_end_pairs": 1})):
            with self.subTest(events):
                ours = Imported(self.file(json.dumps(events)))
                self.assertEqual((ours.totals("host"), left_out(ours)), (totals, left))


class Rows(Files):
    def test_spans_without_a_category_on_a_gpu(self):
        events = [launch(2, 1), kernel("k", 10, 30, 1), dict(event("gpu_something_new", "x", 5, 60, 0, 8)),
                  dict(event("", "y", 5, 600, 0, 8)), dict(event("", "z", 700, 60, 0, 9))]
        for item in events[3:]:
            del item["cat"]
        ours = Imported(self.chrome(events))
        self.assertEqual((ours.metric("host"), left_out(ours)),
                         (5000, {"gpu_events_of_category_gpu_something_new": 1, "gpu_events_without_a_category": 2}))
        self.assertEqual(ours.meta["duration_ns"], "38000")

    def test_names_after_a_million_events(self):
        one = '{"ph":"X","pid":1,"tid":4,"ts":%d,"dur":1,"name":"f"}'
        text = ",\n".join([one % i for i in range(1000100)] + [json.dumps(name) for name in names_of_row(1, 4, "/device:GPU:0", "Stream #1")])
        ours = Imported(self.file('{"traceEvents": [%s]}' % text))
        self.assertEqual((ours.metric("gpu"), ours.metric("host"), left_out(ours)), (1000100 * 1000, 0, {}))

    def test_operations_around_others(self):
        """A loop and what runs in it: on a TPU in a row of operations, on a GPU beside its kernels."""
        for process, thread, args in (("/device:TPU:0", "XLA Ops", {}), ("/device:GPU:0", "Stream #3", {"kernel_details": "regs:8 grid:1,1,1"})):
            work = [{"ph": "X", "pid": 3, "tid": 3, "ts": ts, "dur": dur, "name": name, "args": args if name == "fusion" else {}}
                    for name, ts, dur in (("while", 0, 100), ("fusion", 0, 40), ("while.1", 50, 40), ("fusion", 55, 20), ("fusion", 100, 5))]
            for events in (work, work[::-1]):
                ours = Imported(self.file(json.dumps({"traceEvents": events + names_of_row(3, 3, process, thread)})))
                self.assertEqual((ours.metric("gpu"), left_out(ours)), (65000, {"operations_around_others": 2}))
                self.assertEqual(sum(ours.busy().values()), 65000)

    def test_names_that_begin_with_a_digit(self):
        ours = Imported(self.chrome([event("python_function", "2d", 0, 5), event("who_knows", "d", 10, 7), event("cpu_op", "12d", 20, 3)]))
        self.assertEqual(ours.totals("host"), {"2d": 5000, "d": 7000, "12d": 3000})

    def test_functions_of_no_thread(self):
        bare = event("python_function", "f", 0, 5)
        del bare["pid"], bare["tid"]
        half = event("python_function", "g", 10, 5, 0)
        del half["tid"]
        self.assertEqual(Imported(self.chrome([bare, half, event("cpu_op", "o", 20, 3)])).totals("host"), {"f": 5000, "g": 5000, "o": 3000})

    def test_numbers_of_devices(self):
        """They are any 32-bit numbers."""
        devices = [0, 1, 2**24 + 1, 300]
        ours = Imported(self.chrome([launch(2, 1)] + [kernel("k", 10 + 50 * i, 30, 1, device) for i, device in enumerate(devices)]))
        self.assertEqual(sorted(ours.busy().values()), [30000] * 4)


class Counted(Files):
    def test_one_kind_at_other_times(self):
        """Nearly all events may be of hosts: it is no trace if all kernels are of another year."""
        host = [event("cpu_op", "o", 10 * i, 5) for i in range(1000)]
        far = 10**14
        self.assertIn("month", refused(self.chrome(host + [kernel("k", far + 50 * i, 30, 0) for i in range(20)])))
        self.assertIn("month", refused(self.chrome(host + [kernel("k", 50 * i, 30, 0) for i in range(20)] +
                                                   [kernel("k", far + 50 * i, 30, 0) for i in range(5)])))
        ours = Imported(self.chrome(host + [kernel("k", 50 * i, 30, 0) for i in range(20)] + [kernel("k", far, 30, 0)]))
        self.assertEqual(left_out(ours), {"events_at_impossible_times": 1})

    def test_what_is_no_event(self):
        ours = Imported(self.chrome([event("cpu_op", "o", 0, 5), 5, "x", None, True, [1, [2]], 1.5, 2**64 - 1]))
        self.assertEqual(left_out(ours), {"entries_that_are_no_events": 7})

    def test_memory(self):
        def memory(ts, **args):
            return {"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "pid": 100, "tid": 100, "ts": EPOCH + ts,
                    "args": {"Device Type": 1, "Device Id": 0, "Addr": 4096, "Bytes": 512, **args}}
        ours = Imported(self.chrome([event("cpu_op", "o", 0, 5), memory(1), memory(2, **{"Device Type": 0}), memory(10**14)]))
        self.assertEqual(left_out(ours), {"memory_events": 1, "events_at_impossible_times": 1})
        self.assertEqual(ours.quality["gpu_memory_events"], 1)

    def test_facts_of_devices(self):
        ours = Imported(self.chrome([launch(2, 1), kernel("k", 10, 30, 1)], deviceProperties=[{"id": -3}, {"id": 0, "name": "G"}, {"id": 2**40}]))
        self.assertEqual(left_out(ours), {"facts_of_gpus": 2})


if __name__ == "__main__":
    unittest.main()
