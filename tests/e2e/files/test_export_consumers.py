#!/usr/bin/env python3
"""gprof-x export: what the tools that read the formats make of it.

A consumer that is not installed is a skipped test with one line. Those of pip (HolisticTraceAnalysis, perfetto, jsonschema) are looked
for in the Python that GPROFX_CONSUMERS names, else in this one.
"""
import glob
import gzip
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from export_readers import READERS, SqliteFlat
from export_support import DATA, FAKE, SHARED, TRAIN, ExportTest, consumer, export, has_module, union
from profile_support import GPROFX, Recording


class Consumers(ExportTest):
    """On real recordings where GPROFX_SHARED has them, else on one of the pretended GPU."""

    @classmethod
    def setUpClass(cls):
        cls.recording = None
        cls.files = sorted(glob.glob(os.path.join(SHARED, "profiles", "*.gprofx"))) if SHARED else []
        if not cls.files and os.path.exists(TRAIN):
            cls.recording = Recording([TRAIN, "return"], env=dict(os.environ, GPROFX_CUPTI=os.path.join(FAKE, "libfake_cupti.so")))
            cls.files = [cls.recording.file]
        if not cls.files:
            raise unittest.SkipTest("no recording of a GPU")

    @classmethod
    def tearDownClass(cls):
        if cls.recording:
            cls.recording.close()

    def report(self, file, *options):
        return json.loads(subprocess.run([GPROFX, "report", "--json", "--phase", "all", *options, file], stdout=subprocess.PIPE,
                                         check=True).stdout)

    def work(self, file):
        """(begin, end, name, kind) of all GPU work."""
        flat = SqliteFlat(self.export("sqlite-flat", file))
        return flat.db.execute("SELECT start_ns, start_ns + duration_ns, gpu_name.name, kind FROM gpu_work JOIN gpu_name "
                               "ON gpu_name.id = gpu_work.name").fetchall()

    def test_holistic_trace_analysis(self):
        if not has_module("hta"):
            self.skipTest("no HolisticTraceAnalysis (pip)")
        code = """
import json, logging, sys
logging.disable(logging.CRITICAL)
from hta.trace_analysis import TraceAnalysis
t = TraceAnalysis(trace_files={0: sys.argv[1]}, trace_dir="/")
b = t.get_temporal_breakdown(visualize=False).iloc[0].to_dict()
types, kernels = t.get_gpu_kernel_breakdown(visualize=False, num_kernels=100000, duration_ratio=1.0, include_memory_kernels=True)
print(json.dumps({"temporal": {k: float(v) for k, v in b.items()}, "types": {r["kernel_type"]: float(r["sum"]) for _, r in types.iterrows()},
                  "kernels": [[r["name"], float(r["sum (us)"])] for _, r in kernels.iterrows()]}))
"""
        for file in self.files:
            with self.subTest(file=os.path.basename(file)):
                # HTA would round each kernel to whole microseconds.
                said = consumer(code, self.export("kineto", file), env={"HTA_DISABLE_NS_ROUNDING": "1"})
                work = self.work(file)
                busy = union((b, e) for b, e, _, _ in work)
                span = max(e for _, e, _, _ in work) - min(b for b, _, _, _ in work)
                compute = union((b, e) for b, e, name, kind in work if kind == 0 and not name.startswith("nccl"))
                ours = {"idle_time(us)": span - busy, "compute_time(us)": compute, "non_compute_time(us)": busy - compute,
                        "kernel_time(us)": span}
                for name, ns in ours.items():
                    self.assertAlmostEqual(said["temporal"][name], ns / 1000, delta=max(0.001 * ns / 1000, 1), msg=name)
                # The partition of the report counts the same time.
                wall = {part["name"]: part["ns"] for part in self.report(file)["wall"]["parts"]}
                gpu = sum(ns for name, ns in wall.items() if name.startswith("gpu."))
                self.assertAlmostEqual(gpu, busy, delta=0.001 * busy)
                self.assertAlmostEqual(wall["gpu.compute"], said["temporal"]["compute_time(us)"] * 1000, delta=0.001 * compute)
                kernels = {}
                for b, e, name, kind in work:
                    if kind == 0:
                        kernels[name] = kernels.get(name, 0) + e - b
                self.assertGreater(len(said["kernels"]), 2)
                theirs = dict(said["kernels"])
                found = [name for name in kernels if name in theirs]
                self.assertGreater(len(found), 2)
                for name in found:
                    self.assertAlmostEqual(theirs[name], kernels[name] / 1000, delta=0.001 * kernels[name] / 1000 + 0.01, msg=name)
                rows = {row["name"]: row["self"] for row in self.report(file, "--by", "kernel", "--top", "100000")["rows"]
                        if row["metric"] == "gpu"}
                for name in found:
                    self.assertEqual(rows[name], kernels[name])

    def test_perfetto_schema(self):
        if not has_module("perfetto.protos.perfetto.trace.perfetto_trace_pb2"):
            self.skipTest("no perfetto (pip)")
        code = """
import collections, json, sys
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb
trace = pb.Trace(); trace.ParseFromString(open(sys.argv[1], "rb").read())
def unknown(m):
    from google.protobuf import unknown_fields
    n = len(unknown_fields.UnknownFieldSet(m))
    for f, v in m.ListFields():
        if f.message_type is not None:
            n += sum(unknown(x) for x in v) if f.is_repeated else unknown(v)
    return n
T = pb.TrackEvent
weights, begins, ends, lines, names, tracks, threads, flows = 0, {}, 0, 0, {}, {}, set(), collections.Counter()
for p in trace.packet:
    assert p.trusted_packet_sequence_id == 1
    for n in p.interned_data.event_names: names[n.iid] = n.name
    for f in p.interned_data.frames: lines += f.line_number > 0
    if p.HasField("track_descriptor"):
        d = p.track_descriptor
        tracks[d.uuid] = d.name
        if d.HasField("thread"): threads.add((d.thread.pid, d.thread.tid))
    if p.HasField("track_event"):
        e = p.track_event
        flows.update(e.flow_ids)
        if e.type == T.TYPE_INSTANT and tracks[e.track_uuid] == "CPU samples": weights += e.callstack_weight
        if e.type == T.TYPE_SLICE_BEGIN and "stream" in tracks[e.track_uuid]: begins[names[e.name_iid]] = begins.get(names[e.name_iid], 0) + e.callstack_weight
assert all(n == 2 for n in flows.values()), "an arrow without one of its ends"
print(json.dumps({"unknown": sum(unknown(p) for p in trace.packet[:20000]), "cpu": weights, "gpu": begins, "lines": lines, "threads": len(threads)}))
"""
        for file in self.files:
            with self.subTest(file=os.path.basename(file)):
                said = consumer(code, self.export("perfetto", file))
                top = self.report(file, "--by", "kernel", "--top", "100000")
                self.assertEqual(said["unknown"], 0)
                self.assertEqual(said["cpu"], self.report(file, "--top", "1", "--metric", "cpu", "--all-frames")["base"])
                self.assertEqual(said["gpu"], {r["name"]: r["self"] for r in top["rows"] if r["metric"] == "gpu"})
                self.assertGreater(said["lines"], 0)

    def test_trace_processor(self):
        shell = shutil.which("trace_processor_shell") or shutil.which("trace_processor")
        if shell is None:
            self.skipTest("no trace_processor_shell on the PATH")
        for file in self.files:
            query = self.path("q.sql")
            with open(query, "w") as out:
                out.write("SELECT sum(dur) FROM slice JOIN track ON track.id = slice.track_id WHERE track.name GLOB 'GPU*stream*';")
            run = subprocess.run([shell, "-q", query, self.export("perfetto", file)], capture_output=True, text=True)
            self.assertEqual(int(run.stdout.split()[-1]), self.report(file, "--top", "1")["gpu"]["time_ns"])

    def test_go_tool_pprof(self):
        if shutil.which("go") is None:
            self.skipTest("no go")
        for file in self.files:
            with self.subTest(file=os.path.basename(file)):
                path = self.export("pprof", file, "--all-frames")
                for metric in ("cpu", "gpu"):
                    run = subprocess.run(["go", "tool", "pprof", "-top", "-unit=ns", "-nodecount=10", "-nodefraction=0", "-sample_index=" + metric, path],
                                         capture_output=True, text=True, env=dict(os.environ, HOME=self.folder, PPROF_TMPDIR=self.folder))
                    self.assertEqual(run.returncode, 0, run.stderr)
                    total = self.report(file, "--top", "1")["gpu"]["time_ns"] if metric == "gpu" else \
                        self.report(file, "--top", "1", "--metric", "cpu", "--all-frames")["base"]
                    self.assertIn("of %dns total" % total, run.stdout)
                    rows = [line.split(None, 5) for line in run.stdout.splitlines() if line.count("%") == 3 and "ns" in line.split()[0]]
                    self.assertGreater(len(rows), 2)
                    own = READERS["pprof"][0](path).functions(metric)
                    for row in rows:
                        if row[5] in own:  # pprof shortens names of templates
                            self.assertEqual(int(row[0][:-2]), own[row[5]], row[5])
                    self.assertTrue(any(row[5] in own for row in rows) or metric == "gpu")

    def test_callgrind_annotate(self):
        if shutil.which("callgrind_annotate") is None:
            self.skipTest("no callgrind_annotate (valgrind)")
        for file in self.files:
            with self.subTest(file=os.path.basename(file)):
                path = self.export("callgrind", file, "--all-frames")
                for flag in ("--inclusive=no", "--inclusive=yes"):
                    run = subprocess.run(["callgrind_annotate", flag, "--auto=no", "--show=cpu,gpu", "--threshold=100", path],
                                         capture_output=True, text=True)
                    self.assertEqual(run.returncode, 0, run.stderr)
                    self.assertEqual(run.stderr, "")
                    total = next(line for line in run.stdout.splitlines() if "PROGRAM TOTALS" in line)
                    self.assertIn(format(self.report(file, "--top", "1", "--metric", "cpu", "--all-frames")["base"], ","), total)
                    if flag == "--inclusive=no":
                        # Functions of one name in several libraries are lines of their own there.
                        own = READERS["callgrind"][0](path).functions("cpu").most_common(3)
                        for name, ns in own:
                            lines = [line for line in run.stdout.splitlines() if ":%s [" % name in line or line.endswith(":" + name)]
                            self.assertEqual(sum(int(line.split(" ")[0].replace(",", "")) for line in map(str.lstrip, lines)), ns, name)

    def test_flamegraph(self):
        nytprof = "/usr/share/perl5/Devel/NYTProf/flamegraph.pl"  # of Debian's libdevel-nytprof-perl
        flamegraph = shutil.which("flamegraph.pl") or (nytprof if os.path.exists(nytprof) else None)
        if flamegraph is None:
            self.skipTest("no flamegraph.pl")
        for file in self.files:
            path = self.export("collapsed", file)
            run = subprocess.run([flamegraph, path], capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn("(%s samples" % format(self.report(file, "--top", "1", "--metric", "cpu", "--all-frames")["base"], ","), run.stdout)

    def test_speedscope_schema(self):
        if not has_module("jsonschema"):
            self.skipTest("no jsonschema (pip)")
        # The published schema, https://www.speedscope.app/file-format-schema.json, for sampled profiles.
        schema = {"type": "object", "required": ["$schema", "profiles", "shared"], "properties": {
            "$schema": {"const": "https://www.speedscope.app/file-format-schema.json"}, "exporter": {"type": "string"},
            "name": {"type": "string"}, "activeProfileIndex": {"type": "number"},
            "shared": {"type": "object", "required": ["frames"], "properties": {"frames": {"type": "array", "items": {
                "type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "file": {"type": "string"},
                                                                     "line": {"type": "number"}, "col": {"type": "number"}}}}}},
            "profiles": {"type": "array", "minItems": 1, "items": {
                "type": "object", "required": ["endValue", "name", "samples", "startValue", "type", "unit", "weights"], "properties": {
                    "type": {"const": "sampled"}, "name": {"type": "string"}, "startValue": {"type": "number"},
                    "endValue": {"type": "number"},
                    "unit": {"enum": ["bytes", "microseconds", "milliseconds", "nanoseconds", "none", "seconds"]},
                    "samples": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
                    "weights": {"type": "array", "items": {"type": "number"}}}}}}}
        code = "import json, sys, jsonschema\njsonschema.validate(json.load(open(sys.argv[1])), json.loads(sys.argv[2]))\nprint('{}')"
        for file in self.files:
            path = self.export("speedscope", file)
            consumer(code, path, json.dumps(schema))
            with open(path) as text:
                read = json.load(text)
            for profile in read["profiles"]:
                self.assertEqual(len(profile["samples"]), len(profile["weights"]))
                self.assertLess(max((f for s in profile["samples"] for f in s), default=0), len(read["shared"]["frames"]))

    def test_firefox_tables_fit_together(self):
        """Version 57 of the processed format: columns, their lengths, and that every reference has its target."""
        tables = {
            "frameTable": "address inlineDepth category subcategory func nativeSymbol innerWindowID line column",
            "funcTable": "name isJS relevantForJS resource fileName lineNumber columnNumber", "stackTable": "frame prefix",
            "resourceTable": "lib name host type", "nativeSymbols": "libIndex address name functionSize",
            "samples": "stack timeDeltas weight threadCPUDelta", "markers": "name data startTime endTime phase category"}
        for file in self.files:
            with self.subTest(file=os.path.basename(file)):
                with gzip.open(self.export("firefox", file)) as text:
                    read = json.load(text)
                self.assertEqual(read["meta"]["preprocessedProfileVersion"], 57)
                strings, libs, categories = read["shared"]["stringArray"], read["libs"], read["meta"]["categories"]
                self.assertTrue(any(c["color"] == "grey" for c in categories))
                schemas = {schema["name"] for schema in read["meta"]["markerSchema"]}

                def fits(column, size, allow_none=False):
                    for value in column:
                        if not (allow_none and value is None):
                            self.assertTrue(0 <= value < size)
                for thread in read["threads"]:
                    for table, columns in tables.items():
                        for column in columns.split():
                            self.assertEqual(len(thread[table][column]), thread[table]["length"], (table, column))
                    fits(thread["samples"]["stack"], thread["stackTable"]["length"], True)
                    fits(thread["stackTable"]["frame"], thread["frameTable"]["length"])
                    for place, prefix in enumerate(thread["stackTable"]["prefix"]):
                        self.assertTrue(prefix is None or prefix < place)
                    fits(thread["frameTable"]["func"], thread["funcTable"]["length"])
                    fits(thread["frameTable"]["category"], len(categories))
                    fits(thread["funcTable"]["name"], len(strings))
                    fits(thread["funcTable"]["fileName"], len(strings), True)
                    fits([r for r in thread["funcTable"]["resource"] if r != -1], thread["resourceTable"]["length"])
                    fits(thread["resourceTable"]["lib"], len(libs))
                    fits(thread["markers"]["name"], len(strings))
                    self.assertTrue(all(d >= 0 for d in thread["samples"]["timeDeltas"]))
                    for data in thread["markers"]["data"]:
                        self.assertIn(data["type"], schemas)
                        fits([data.get("launched", 0)], len(strings))
                    self.assertIsInstance(thread["pid"], str)


def decimal_ns(text):
    """Decimal microseconds, as they stand in a trace."""
    whole, _, fraction = text.partition(".")
    return int(whole) * 1000 + int((fraction + "000")[:3])


class Ranges(ExportTest):
    """What a program has named: imported from traces of PyTorch, and exported again."""
    FORMATS = ("firefox", "perfetto", "kineto", "sqlite-flat")

    def imported(self, trace, name="p"):
        path = self.path(name + ".gprofx")
        if os.path.exists(path):
            os.unlink(path)
        run = subprocess.run([GPROFX, "import", "-q", "-o", path, trace], capture_output=True, timeout=300)
        self.assertEqual(run.returncode, 0, run.stderr)
        return path

    def check(self, trace):
        profile = self.imported(trace)
        opened = gzip.open(trace, "rb") if trace.endswith(".gz") else open(trace, "rb")
        with opened as text:
            events = json.load(text, parse_float=str, parse_int=str)["traceEvents"]
        events = [e for e in events if e.get("ph") == "X" and e.get("cat") == "user_annotation"]
        begins = sorted(decimal_ns(e["ts"]) for e in events)
        expected = sorted((e["name"], decimal_ns(e["ts"]), decimal_ns(e["dur"])) for e in events)
        self.assertGreater(len(expected), 0)
        for name in self.FORMATS:
            with self.subTest(format=name):
                read = READERS[name][0](self.export(name, profile))
                found = read.ranges()
                start = min(begin for _, begin, _ in found) - begins[0]  # times begin anew in a profile
                self.assertEqual(sorted((n, b - start, d) for n, b, d in found.elements()), expected)
                self.assertEqual(read.sums()["ranges"], sum(d for _, _, d in expected))
        return profile

    def test_of_a_trace_made_by_hand(self):
        profile = self.check(os.path.join(DATA, "kineto.json"))
        # The way back: what is exported has the same steps.
        again = self.imported(self.export("kineto", profile), "again")
        self.assertEqual(READERS["kineto"][0](self.export("kineto", again)).ranges(), READERS["kineto"][0](
            self.export("kineto", profile)).ranges())

    def test_of_real_traces(self):
        traces = sorted(glob.glob(os.path.join(SHARED, "traces", "kineto_*", "**", "*.json.gz"), recursive=True),
                        key=os.path.getsize) if SHARED else []
        traces = [trace for trace in traces if self.has_ranges(trace)][:3]
        if not traces:
            self.skipTest("no traces in GPROFX_SHARED")
        for trace in traces:
            with self.subTest(trace=os.path.basename(trace)):
                self.check(trace)

    @staticmethod
    def has_ranges(trace):
        with gzip.open(trace, "rb") as text:
            return b'"user_annotation"' in text.read()

    def test_iterations_of_holistic_trace_analysis(self):
        if not has_module("hta"):
            self.skipTest("no HolisticTraceAnalysis (pip)")
        code = """
import json, logging, sys
logging.disable(logging.CRITICAL)
from hta.common.trace import Trace
t = Trace(trace_files={0: sys.argv[1]}, trace_dir="/")
t.parse_traces(use_multiprocessing=False)
print(json.dumps([int(i) for i in t.get_iterations(0)]))
"""
        # HTA needs steps that have kernels of their own; of one it makes no iteration.
        with open(os.path.join(DATA, "kineto.json")) as text:
            trace = json.load(text)
        events = trace["traceEvents"]
        for n, e in enumerate([e for e in events if e.get("ph") == "X"]):
            for step in (1, 2):
                copy = json.loads(json.dumps(e))
                copy["ts"] = float(e["ts"]) + 1000 * step
                copy["name"] = e["name"].replace("#6", "#%d" % (6 + step))
                if "correlation" in copy.get("args", {}) and copy["args"]["correlation"]:
                    copy["args"]["correlation"] += 100 * step
                events.append(copy)
        path = self.path("steps.json")
        with open(path, "w") as text:
            json.dump(trace, text)
        said = consumer(code, self.export("kineto", self.imported(path)))
        self.assertEqual(said, [6, 7, 8])

    def test_ranks_in_a_folder(self):
        """HTA finds each rank by the characters around its number."""
        with open(os.path.join(DATA, "kineto.json")) as text:
            trace = json.load(text)
        for rank in range(8):
            trace["distributedInfo"] = {"rank": rank, "world_size": 8}
            ranked = self.path("trace%d.json" % rank)
            with open(ranked, "w") as text:
                json.dump(trace, text)
            shown = self.path("ranks/%d.json" % rank)
            os.makedirs(os.path.dirname(shown), exist_ok=True)
            run = export("-q", "--force", "--to", "kineto", "-o", shown, self.imported(ranked, "rank%d" % rank))
            self.assertEqual((run.returncode, run.stderr), (0, b""))
            with open(shown) as text:
                self.assertEqual(re.findall(r'"rank": (\d+)', text.read()), [str(rank)])
        if has_module("hta"):
            code = """
import json, logging, sys
logging.disable(logging.CRITICAL)
from hta.common.trace_file import get_trace_files
print(json.dumps(sorted(get_trace_files(sys.argv[1]))))
"""
            self.assertEqual(consumer(code, self.path("ranks")), list(range(8)))

    def test_several_profiles(self):
        """Ranks: sums and ranges are those of both, and no thread of one is a thread of the other."""
        profiles = []
        for rank in range(2):
            with open(os.path.join(DATA, "kineto.json")) as text:
                trace = json.load(text)
            trace["distributedInfo"] = {"rank": rank, "world_size": 2}
            for event in trace["traceEvents"]:
                if event.get("cat") == "user_annotation":
                    event["name"] = "ProfilerStep#%d" % rank
            ranked = self.path("rank%d.json" % rank)
            with open(ranked, "w") as text:
                json.dump(trace, text)
            profiles.append(self.imported(ranked, "rank%d" % rank))
        one, two = profiles
        for name, (reader, ending) in READERS.items():
            with self.subTest(format=name):
                both = self.path("both" + ending)
                run = export("-q", "--force", "--to", name, "-o", both, one, two)
                self.assertEqual((run.returncode, run.stderr), (0, b""))
                read = reader(both)
                sums, alone = read.sums(), reader(self.export(name, one)).sums()
                for metric in ("gpu", "gpu_wait", "ranges"):
                    self.assertEqual(sums.get(metric, 0), 2 * alone.get(metric, 0), metric)
                self.assertGreater(sums["gpu"], 0) if name != "collapsed" else None
                if name in self.FORMATS:
                    self.assertEqual({n for n, _, _ in read.ranges()}, {"ProfilerStep#0", "ProfilerStep#1"})
        with sqlite3.connect(self.path("both" + READERS["sqlite-flat"][1])) as db:
            homes = db.execute("SELECT DISTINCT marker.name, process.pid FROM marker JOIN thread ON thread.id = marker.thread "
                               "JOIN process ON process.id = thread.process").fetchall()
        self.assertEqual(len({pid for _, pid in homes}), 2, homes)


if __name__ == "__main__":
    unittest.main(verbosity=2)
