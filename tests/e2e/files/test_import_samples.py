#!/usr/bin/env python3
"""gprof-x import on sampled profiles as JSON: files of speedscope (py-spy) and Firefox profiles (Python's own profiler)."""
import gzip
import json
import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from import_support import GPROFX, Imported, TraceFiles, refused  # noqa: E402

DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "data/import")


class Speedscope(TraceFiles):
    FRAMES = [{"name": "main", "file": "a.py", "line": 3, "col": None}, {"name": "work", "file": "/x/a.py", "line": 9}, {"name": "memcpy"}]

    def speedscope(self, profiles, frames=None, **more):
        return self.file(json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json", "profiles": profiles,
                                     "shared": {"frames": self.FRAMES if frames is None else frames}, **more}))

    @staticmethod
    def sampled(unit, samples, weights, name="Thread 5 \"w\""):
        return {"type": "sampled", "name": name, "unit": unit, "startValue": 0, "endValue": 1, "samples": samples, "weights": weights}

    def test_samples_of_pyspy(self):
        ours = Imported(self.speedscope([self.sampled("seconds", [[0, 1], [0, 1, 2], [0]], [0.01, 0.02, 1e-05]),
                                         self.sampled("seconds", [[0, 1]], [0.5], "Process 77 Thread 78 \"x\"")], exporter="py-spy@0.4.0"))
        self.assertEqual(ours.values("time"), {("main", "work"): 510000000, ("main", "work", "memcpy"): 20000000, ("main",): 10000})
        self.assertEqual(ours.metric("samples"), 4)
        self.assertEqual(ours.meta["imported_from"], "speedscope (py-spy@0.4.0)")
        self.assertEqual(sorted(ours.db.execute("SELECT pid, tid FROM process p JOIN thread t ON t.process=p.id")), [(0, 5), (77, 78)])
        self.assertIn("work (a.py:9)", ours.report("--tree"))

    def test_units(self):
        for unit, metric, value in (("nanoseconds", "time", 3), ("microseconds", "time", 3000), ("milliseconds", "time", 3000000),
                                    ("seconds", "time", 3000000000), ("bytes", "memory", 3), ("none", "samples", 3)):
            self.assertEqual(Imported(self.speedscope([self.sampled(unit, [[0]], [3])])).metric(metric), value, unit)

    def test_events(self):
        events = [{"type": kind, "frame": frame, "at": at} for kind, frame, at in
                  (("O", 0, 10), ("O", 1, 15), ("C", 1, 35), ("O", 2, 40), ("C", 2, 41), ("C", 0, 50), ("O", 1, 60), ("C", 1, 67), ("C", 0, 70))]
        ours = Imported(self.speedscope([{"type": "evented", "name": "t", "unit": "milliseconds", "events": events}]))
        self.assertEqual(ours.values("time"), {("main",): 19000000, ("main", "work"): 20000000, ("main", "memcpy"): 1000000, ("work",): 7000000})
        self.assertEqual(ours.quality["import_left_out_events"], 1)

    def test_numbers_that_cannot_be(self):
        ours = Imported(self.speedscope([self.sampled("none", [[0, 7], [0, -1], [], [0], [1]], [1, 2, 4, -5])]))
        self.assertEqual(ours.values("samples"), {("main", "[unknown frame]"): 3, (): 4})
        self.assertEqual(ours.quality["import_left_out_samples_without_a_weight"], 2)
        self.assertIn("without samples", refused(self.speedscope([])))
        self.assertIn("truncated", refused(self.file('{"$schema": "https://www.speedscope.app/file-format-schema.json", "profiles": [{"samples": [[1,')))
        self.assertIn("damaged", refused(self.file('{"$schema": "https://www.speedscope.app/file-format-schema.json", "profiles": ], "x": [1, 2, 3]}')))

    def test_own_exports(self):
        """What gprof-x exports is read again with the same sums."""
        first = Imported(os.path.join(DATA, "perf-script.txt"))
        for kind, metrics in (("speedscope", ("time",)), ("firefox", ("time", "samples"))):
            path = os.path.join(self.folder.name, kind)
            subprocess.run([GPROFX, "export", "--to", kind, "-o", path, first.file], check=True, capture_output=True)
            ours = Imported(path)
            self.assertIn(first.metric("cpu"), {ours.metric(name) for name in metrics}, kind)
            self.assertTrue({path[-1] for path in ours.paths()} & {"main", "fib", "operator new(unsigned long)"})

    def test_pyspy_of_this_machine(self):
        """Both formats of py-spy, for as long as a machine has it."""
        spy = shutil.which("py-spy")
        if not spy:
            self.skipTest("no py-spy")
        script = self.file("import time\nend = time.time() + 1\nwhile time.time() < end:\n    sum(i * i for i in range(1000))\n", "w.py")
        raw, json_file = (os.path.join(self.folder.name, name) for name in ("raw", "json"))
        for kind, path in (("raw", raw), ("speedscope", json_file)):
            if subprocess.run([spy, "record", "-f", kind, "-o", path, "--", sys.executable, script], capture_output=True).returncode != 0:
                self.skipTest("py-spy does not record here")
        with open(raw) as file:
            self.assertEqual(Imported(raw).metric("samples"), sum(int(line.split()[-1]) for line in file))
        with open(json_file) as file:
            profiles = json.load(file)["profiles"]
        ours = Imported(json_file)
        self.assertEqual(ours.metric("samples"), sum(len(profile["samples"]) for profile in profiles))
        self.assertEqual(ours.metric("time"), sum(round(weight * 10**9) for profile in profiles for weight in profile["weights"]))


class Firefox(TraceFiles):
    STRINGS = ["(root)", "main", "work", "a.py", "<GC>"]

    def thread(self, stacks, shared=True, **samples):
        tables = {"stackTable": {"frame": [0, 1, 2], "prefix": [None, 0, 1], "length": 3},
                  "frameTable": {"func": [0, 1, 2], "line": [3, 9, None], "length": 3},
                  "funcTable": {"name": [1, 2, 4], "fileName": [3, 3, None], "length": 3}}
        thread = {"name": "Thread-5", "pid": "77", "tid": 5, "processName": "Python Process",
                  "samples": {"stack": stacks, "weight": None, "weightType": "samples", "length": len(stacks), **samples},
                  "markers": {"name": [1, 1], "startTime": [0, 1], "data": [{"type": "x"}, {"type": "y"}]}}
        return {**thread, **tables} if shared is not None else thread

    def firefox(self, threads, shared=None, strings=True, pack=False):
        meta = {"version": 32, "preprocessedProfileVersion": 57, "interval": 1.0, "startTime": 1700000000000.5, "product": "Python",
                "importedFrom": "Tachyon Sampling Profiler"}
        profile = {"meta": meta, "libs": [], "threads": threads, "shared": {**({"stringArray": self.STRINGS} if strings else {}), **(shared or {})}}
        data = json.dumps(profile).encode()
        return self.file(gzip.compress(data) if pack else data)

    def check(self, ours, values):
        self.assertEqual(ours.values("samples"), values)
        self.assertEqual(ours.db.execute("SELECT pid, tid FROM process p JOIN thread t ON t.process=p.id").fetchall(), [(77, 5)])

    def test_pythons_own_profiler(self):
        values = {("main", "work"): 2, ("main", "work", "<GC>"): 1, (): 1}
        for pack in (False, True):
            ours = Imported(self.firefox([self.thread([1, 2, 1, None], time=[0.25, 1.25, 2.5, 4.000001])], pack=pack))
            self.check(ours, values)
            self.assertEqual([row[0] for row in ours.rows(1)], [0, 1000000, 2250000, 3750001])
            self.assertEqual((ours.meta["duration_ns"], ours.meta["start_realtime_ns"]), ("3750001", "1700000000000750000"))
            self.assertEqual(ours.quality["import_left_out_markers"], 2)
        self.assertEqual((ours.meta["imported_from"], ours.thread_names(), ours.process_names()),
                         ("Firefox profile (Tachyon Sampling Profiler)", {"Thread-5"}, {"Python Process"}))
        self.assertIn("work (a.py:9)", ours.report("--tree"))

    def test_tables_that_threads_share(self):
        whole = self.thread([1, 1])
        tables = {name: whole[name] for name in ("stackTable", "frameTable", "funcTable")}
        self.check(Imported(self.firefox([self.thread([1, 2], shared=None, timeDeltas=[1, 2])], tables)), {("main", "work"): 1, ("main", "work", "<GC>"): 1})
        tables["funcTable"] = {"name": [1, 2, 4], "source": [0, 0, None]}
        tables["sources"] = {"filename": [3]}
        self.assertIn("work (a.py:9)", Imported(self.firefox([self.thread([1, 2], shared=None)], tables)).report("--tree"))
        own = dict(self.thread([1]), stringArray=self.STRINGS)
        self.check(Imported(self.firefox([own], strings=False)), {("main", "work"): 1})

    def test_weights(self):
        ours = Imported(self.firefox([self.thread([1, 0], weight=[2.5, 0.000001], weightType="tracing-ms")]))
        self.assertEqual(ours.values("time"), {("main", "work"): 2500000, ("main",): 1})
        ours = Imported(self.firefox([self.thread([1, 0, 0], weight=[3, -2, None])]))
        self.assertEqual(ours.values("samples"), {("main", "work"): 3})

    def test_numbers_that_cannot_be(self):
        loop = self.thread([0, 1, 2, 99, -4])
        loop["stackTable"]["prefix"] = [2, 0, 7]
        loop["frameTable"]["func"] = [0, 77, None]
        self.assertEqual(Imported(self.firefox([loop])).values("samples"), {("main",): 1, ("main", "[unknown frame]"): 1, ("[unknown frame]",): 1, (): 2})
        self.assertIn("without samples", refused(self.firefox([])))
        self.assertIn("truncated", refused(self.file('{"meta": {"preprocessedProfileVersion": 57}, "threads": [')))
        deep = '{"meta": {"preprocessedProfileVersion": 57}, "threads": ' + "[" * 1000000 + "]" * 1000000 + "}"
        self.assertIn("without samples", refused(self.file(deep)))

    def test_long_chains(self):
        """Each stack is made once, however many samples have it."""
        count, deepest = 100000, 4096
        thread = self.thread([count - 1] * count)
        thread["stackTable"] = {"frame": [i % 3 for i in range(count)], "prefix": [None] + list(range(count - 1))}
        ours = Imported(self.firefox([thread]))
        self.assertEqual(ours.metric("samples"), count)
        self.assertEqual((ours.quality["import_left_out_frames_of_deep_stacks"], max(map(len, ours.paths()))), (count - deepest, deepest))
        stack = [i % 3 for i in range(count)]
        path = self.file(json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": Speedscope.FRAMES}, "profiles":
                                     [Speedscope.sampled("none", [stack], [3])]}))
        ours = Imported(path)
        self.assertEqual((ours.quality["import_left_out_frames_of_deep_stacks"], max(map(len, ours.paths()))), (count - deepest, deepest))


if __name__ == "__main__":
    unittest.main()
