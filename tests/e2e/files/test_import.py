#!/usr/bin/env python3
"""gprof-x import: what is in the profile is what SQL or a few lines of Python find in the trace, to the nanosecond.

Traces of other tools made by hand are in tests/data/import. Real ones are read where GPROFX_TRACES (or ../shared/data/traces)
has them. Profiles are read back with nothing but the manual page of the format (read_profile.py).
"""
import collections
import gzip
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(os.path.dirname(HERE))

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
import read_profile as parts  # noqa: E402
from import_support import COPIES, GPROFX, KERNELS, MARKERS, SETS, Imported, nanoseconds, overlapped, union  # noqa: E402

TRACES = os.environ.get("GPROFX_TRACES", os.path.join(os.path.dirname(ROOT), "shared/data/traces"))
DATA = os.path.join(ROOT, "tests/data/import")


def is_there(*path):
    return os.path.exists(os.path.join(TRACES, *path))


def unpacked(path):
    file = tempfile.NamedTemporaryFile(suffix=".sqlite")
    subprocess.run(["zstd", "-dcq", path], stdout=file, check=True)
    return file


class Nsight(unittest.TestCase):
    def check(self, name):
        path = os.path.join(TRACES, "nsys", name + ".sqlite.zst")
        if not os.path.exists(path):
            self.skipTest("no trace " + name)
        file = unpacked(path)
        db = sqlite3.connect("file:%s?mode=ro" % file.name, uri=True)
        tables = {row[0] for row in db.execute("SELECT name FROM sqlite_schema")}
        ours = Imported(file.name)
        of_stream = ours.devices()

        kernels = collections.Counter()
        for row in ours.rows(KERNELS):
            kernels[of_stream[row[5]] - 1, "count"] += 1
            kernels[of_stream[row[5]] - 1, "ns"] += row[1]
        for device, count, ns in db.execute("SELECT deviceId, count(*), sum(end-start) FROM CUPTI_ACTIVITY_KIND_KERNEL "
                                            "GROUP BY 1 ORDER BY 1"):
            self.assertEqual((kernels[device, "count"], kernels[device, "ns"]), (count, ns))

        copies = collections.Counter()
        for row in ours.rows(COPIES):
            copies[row[7], "count"] += 1
            copies[row[7], "ns"] += row[1]
            copies[row[7], "bytes"] += row[6]
        there = collections.Counter()
        for kind, count, ns, size in db.execute("SELECT copyKind, count(*), sum(end-start), sum(bytes) "
                                                "FROM CUPTI_ACTIVITY_KIND_MEMCPY GROUP BY 1"):
            there[kind, "count"], there[kind, "ns"], there[kind, "bytes"] = count, ns, size
        self.assertEqual(copies, there)

        sets = [(row[1], row[6]) for row in ours.rows(SETS)]
        if "CUPTI_ACTIVITY_KIND_MEMSET" in tables:
            self.assertEqual(sorted(sets), sorted(db.execute("SELECT end-start, bytes FROM CUPTI_ACTIVITY_KIND_MEMSET")))
        else:
            self.assertEqual(sets, [])

        ranges = collections.defaultdict(list)
        for table in ("KERNEL", "MEMCPY", "MEMSET"):
            if "CUPTI_ACTIVITY_KIND_" + table in tables:
                for device, begin, end in db.execute("SELECT deviceId, start, end FROM CUPTI_ACTIVITY_KIND_" + table):
                    ranges[device].append((begin, end))
        self.assertEqual({device - 1: busy for device, busy in ours.busy().items()},
                         {device: union(spans) for device, spans in ranges.items()})
        self.assertEqual(ours.metric("gpu"), sum(end - begin for spans in ranges.values() for begin, end in spans))

        ranges = list(db.execute("SELECT start, end FROM NVTX_EVENTS WHERE eventType IN (34, 59, 60)"))
        self.assertEqual(len(list(ours.rows(MARKERS))), len(ranges))
        self.assertEqual(sum(row[1] for row in ours.rows(MARKERS)), sum(end - begin for begin, end in ranges if end))

        unlinked = sum(db.execute("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_%s k WHERE NOT EXISTS (SELECT 1 FROM "
                                  "CUPTI_ACTIVITY_KIND_RUNTIME r WHERE r.correlationId=k.correlationId AND "
                                  "r.globalTid/0x1000000=k.globalPid/0x1000000)" % table).fetchone()[0]
                       for table in ("KERNEL", "MEMCPY", "MEMSET") if "CUPTI_ACTIVITY_KIND_" + table in tables)
        self.assertEqual(ours.quality.get("import_unlinked", 0), unlinked)
        # Of each thread: the union of its outermost ranges and calls.
        host = collections.defaultdict(list)
        for table, where in (("CUPTI_ACTIVITY_KIND_RUNTIME", ""), ("NVTX_EVENTS", " WHERE eventType=59")):
            for thread, begin, end in db.execute("SELECT globalTid, start, end FROM " + table + where):
                host[thread].append((begin, end))
        cut = ours.quality.get("import_cut_ns", 0)
        total = sum(union(spans) for spans in host.values())
        self.assertLessEqual(abs(total - ours.metric("host")), cut)
        subprocess.run([sys.executable, os.path.join(HERE, "support", "read_profile.py"), ours.file], check=True, capture_output=True)
        self.assertIn("imported from Nsight Systems 202", re.sub(r"\s+", " ", ours.report()))
        return ours

    def test_two_ranks_before(self):
        ours = self.check("nsysai_mfu_2gpu_before")
        launched = [row[2] for row in ours.rows(KERNELS)]
        self.assertEqual(launched.count(0), 24)
        self.assertEqual(ours.db.execute("SELECT count(*) FROM gpu_device").fetchone()[0], 2)
        # One pair of kernels overlaps on one stream: the wall time counts it once.
        kernels = collections.defaultdict(list)
        for row in ours.rows(KERNELS):
            kernels[ours.devices()[row[5]]].append((row[0], row[0] + row[1]))
        self.assertEqual([union(kernels[device]) for device in (1, 2)], [270863484, 264324724])

    def test_two_ranks_after(self):
        self.check("nsysai_mfu_2gpu_after")

    def test_schema_3_20(self):
        self.check("power_iteration__baseline")

    def test_no_environment_in_the_profile(self):
        """Neither what TARGET_INFO_SYSTEM_ENV calls DeviceEnvironment nor the environment in META_DATA_CAPTURE."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "t.sqlite")
            make_export(path)
            secrets = [b"SECRET_TOKEN", b"hunter2", b"capture_secret"]
            with open(path, "rb") as file:
                data = file.read()
            for secret in secrets:
                self.assertIn(secret, data)
            ours = Imported(path)
            found = parts.all_bytes(ours.file)
            for secret in secrets:
                self.assertNotIn(secret, found)
            self.assertEqual(ours.meta["command"], "python train.py")

    def test_hostile_files_are_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            good = os.path.join(folder, "t.sqlite")
            make_export(good)
            with open(good, "rb") as file:
                data = file.read()
            for i, broken in enumerate([data[:5000], data[:100], data[:4096] + bytes(len(data) - 4096)]):
                path = os.path.join(folder, "b%d.sqlite" % i)
                with open(path, "wb") as file:
                    file.write(broken)
                run = subprocess.run([GPROFX, "import", "-o", os.path.join(folder, "o"), path], capture_output=True, text=True)
                self.assertEqual((run.returncode, run.stderr.count("\n")), (2, 1), run.stderr)
                self.assertFalse(os.path.exists(os.path.join(folder, "o")))


def make_export(path):
    """A small export with everything in it that must not be taken."""
    db = sqlite3.connect(path)
    db.executescript("""
        CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
        INSERT INTO StringIds VALUES(1,'my_kernel'),(2,'cudaLaunchKernel_v7000'),(3,'registered');
        CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
          streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, gridX INTEGER);
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(1000,1500,0,1,7,5,281477392629760,1,4);
        CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER,
          correlationId INTEGER);
        INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(900,950,281477392629904,2,5);
        CREATE TABLE TARGET_INFO_SYSTEM_ENV(name TEXT, value TEXT);
        INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES('DeviceEnvironment','SECRET_TOKEN=hunter2'),('Hostname','box');
        CREATE TABLE META_DATA_CAPTURE(name TEXT, value TEXT);
        INSERT INTO META_DATA_CAPTURE VALUES('PROCESS_0:COMMAND','python'),('PROCESS_0:ARGUMENT_0','train.py'),
          ('PROCESS_0:ENVIRONMENT_VARIABLE','TOKEN="capture_secret"');
        CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);
        INSERT INTO META_DATA_EXPORT VALUES('EXPORT_SCHEMA_VERSION','3.20.2');
    """)
    db.commit()
    db.close()


class Kineto(unittest.TestCase):
    def check(self, path):
        opener = gzip.open if path.endswith(".gz") else open
        with opener(path, "rt") as file:
            trace = json.load(file, parse_float=str)
        events = [event for event in trace["traceEvents"] if event["ph"] == "X"]
        ours = Imported(path)
        for category, stream in (("kernel", KERNELS), ("gpu_memcpy", COPIES), ("gpu_memset", SETS)):
            there = sorted(nanoseconds(event["dur"]) for event in events if event["cat"] == category)
            self.assertEqual(sorted(row[1] for row in ours.rows(stream)), there, category)
        kinds = {1: "HtoD", 2: "DtoH", 8: "DtoD"}
        self.assertEqual(collections.Counter((kinds[row[7]], row[6]) for row in ours.rows(COPIES)),
                         collections.Counter((event["name"].split()[1], event["args"]["bytes"]) for event in events
                                             if event["cat"] == "gpu_memcpy"))
        work = [event for event in events if event["cat"] in ("kernel", "gpu_memcpy", "gpu_memset")]
        ranges = [(nanoseconds(event["ts"]), nanoseconds(event["ts"]) + nanoseconds(event["dur"])) for event in work]
        self.assertEqual(ours.busy(), {1: union(ranges)})
        self.assertEqual(ours.metric("gpu_overlapped"), overlapped(ranges))
        self.assertEqual(ours.metric("gpu_bytes"), sum(event["args"].get("bytes", 0) for event in work))
        calls = {event["args"]["correlation"]: event for event in events if event["cat"] in ("cuda_runtime", "cuda_driver")}
        unlinked = sum(event["args"].get("correlation") not in calls for event in work)
        self.assertEqual(ours.quality.get("import_unlinked", 0), unlinked)
        # Each linked kernel knows when it was launched, to the nanosecond.
        first = min(nanoseconds(event["ts"]) for event in events if event["cat"] not in ("Trace", "gpu_user_annotation"))
        self.assertEqual(
            sorted((row[0], row[2]) for row in ours.rows(KERNELS)),
            sorted((nanoseconds(event["ts"]) - first,
                    max(1, nanoseconds(calls[event["args"]["correlation"]]["ts"]) - first)
                    if event["args"]["correlation"] in calls else 0) for event in work if event["cat"] == "kernel"))
        notes = [event for event in events if event["cat"] == "user_annotation"]
        names = dict(ours.db.execute("SELECT id, text FROM string"))
        self.assertEqual(collections.Counter((names[row[3]], row[1]) for row in ours.rows(MARKERS)),
                         collections.Counter((event["name"], nanoseconds(event["dur"])) for event in notes))
        host = collections.defaultdict(list)
        for event in events:
            if event["cat"] in ("cpu_op", "python_function", "user_annotation", "cuda_runtime", "cuda_driver"):
                begin = nanoseconds(event["ts"])
                host[event["pid"], event["tid"]].append((begin, begin + nanoseconds(event["dur"])))
        total = sum(union(spans) for spans in host.values())
        self.assertLessEqual(abs(total - ours.metric("host")), ours.quality.get("import_cut_ns", 0))
        # A range of the profiler's schedule outlasts the call in which it begins.
        crossing = sum(nanoseconds(event["dur"]) for event in notes)
        self.assertLess(ours.quality.get("import_cut_ns", 0), crossing + 0.002 * total + 1)
        subprocess.run([sys.executable, os.path.join(HERE, "support", "read_profile.py"), ours.file], check=True, capture_output=True)
        return ours

    def test_small(self):
        ours = self.check(os.path.join(DATA, "kineto.json"))
        self.assertEqual(ours.meta["rank"], "3")
        text = ours.report("--tree", "--limit", "1000")
        for frame in ("nn.Module: Linear_0", "forward (net.py)", "aten::mm", "cudaLaunchKernel"):
            self.assertIn(frame, text)
        self.assertNotIn("hunter2", parts.all_bytes(ours.file).decode("latin-1"))
        head = re.sub(r"\s+", " ", ours.report())
        self.assertIn("data: imported from PyTorch profiler (Kineto JSON)", head)
        self.assertNotIn("CPU samples", head)
        self.assertNotIn("Hz", head)

    def test_real_ones(self):
        found = 0
        for folder in ("kineto_hta", "kineto_tracelens"):
            base = os.path.join(TRACES, folder)
            for name in sorted(os.listdir(base)) if os.path.isdir(base) else []:
                if name.endswith(".json.gz"):
                    found += 1
                    with self.subTest(name):
                        self.check(os.path.join(base, name))
        if found == 0:
            self.skipTest("no traces of the PyTorch profiler in " + TRACES)

    def test_parts_of_a_trace_sum_up_to_its_gpu_work(self):
        """Host code of a trace has no times: a range has GPU work and named ranges, and says so in one line."""
        ours = Imported(os.path.join(DATA, "kineto.json"))
        whole = json.loads(ours.report("--json"))
        self.assertIsNone(whole["part"])
        duration = int(ours.meta["duration_ns"])
        middle, sums = duration // 2, []
        for part in ("..%dns" % middle, "%dns.." % middle):
            told = json.loads(ours.report("--json", "--range", part))
            self.assertTrue(told["part"]["events_only"])
            sums.append((told["gpu"]["time_ns"], told["gpu"]["wait_ns"], told["gpu"]["operations"]))
        self.assertEqual([sum(pair) for pair in zip(*sums)], [whole["gpu"][key] for key in ("time_ns", "wait_ns", "operations")])
        self.assertIn("host code of an imported trace has no times", re.sub(r"\s+", " ", ours.report("--range", "0..%dns" % middle)))
        table = json.loads(ours.report("--json", "--markers"))["markers"]["rows"]
        self.assertEqual(sum(row["count"] for row in table), len(list(ours.rows(MARKERS))))
        self.assertEqual({row["name"]: row["total_ns"] for row in table}["ProfilerStep#6"], max(row[1] for row in ours.rows(MARKERS)))
        self.assertIn("[ProfilerStep#6]", ours.report("--timeline"))

    def test_no_metadata_of_the_trace(self):
        """Newer traces hold packages and the environment beside their events."""
        path = os.path.join(TRACES, "kineto_tracelens/mi300__gaunernst_bert-small-uncased__1016001.json.gz")
        if not os.path.exists(path):
            self.skipTest("no trace of MI300X")
        ours = Imported(path)
        found = parts.all_bytes(ours.file)
        for word in (b"KUBERNETES", b"TOKEN", b"pip_packages", b"LD_LIBRARY_PATH"):
            self.assertNotIn(word, found)

    def test_broken_ones_are_one_line(self):
        with open(os.path.join(DATA, "kineto.json"), "rb") as file:
            good = file.read()
        cases = {"cut": good[:-40], "damaged": good.replace(b'"ph"', b'ph"', 1), "other": b'{"a": [1, 2]}',
                 "empty": b'{"traceEvents": []}', "bomb": gzip.compress(b'{"traceEvents": [' + b"{}," * 25_000_000, 1), "gz": gzip.compress(good)[:-20],
                 "long": b'{"traceEvents": [{"name": "' + b"x" * (17 << 20) + b'"}]}',
                 "far": b'{"traceEvents":[{"ph":"X","name":"a","cat":"kernel","pid":0,"tid":7,"ts":9,"dur":1},'
                        b'{"ph":"X","name":"a","cat":"kernel","pid":0,"tid":7,"ts":4000000000000000,"dur":1}]}'}
        with tempfile.TemporaryDirectory() as folder:
            for name, data in cases.items():
                path = os.path.join(folder, name + ".json")
                with open(path, "wb") as file:
                    file.write(data)
                run = subprocess.run([GPROFX, "import", "-o", os.path.join(folder, "o"), path], capture_output=True, text=True)
                with self.subTest(name):
                    self.assertEqual((run.returncode, run.stderr.count("\n")), (2, 1), run.stderr)
                    self.assertFalse(os.path.exists(os.path.join(folder, "o")))

    def test_packed_is_the_same(self):
        with open(os.path.join(DATA, "kineto.json"), "rb") as file:
            data = file.read()
        with tempfile.NamedTemporaryFile(suffix=".json.gz") as packed:
            packed.write(gzip.compress(data[:200]) + gzip.compress(data[200:]))  # members one behind the other
            packed.flush()
            a, b = Imported(packed.name), Imported(os.path.join(DATA, "kineto.json"))
            self.assertEqual(list(a.rows(KERNELS)), list(b.rows(KERNELS)))
            self.assertEqual(a.meta["recording_id"], b.meta["recording_id"])

    def test_jax(self):
        ours = Imported(os.path.join(DATA, "jax.json"))
        self.assertEqual([row[:2] for row in ours.rows(KERNELS)], [(5000, 12500), (30000, 1250)])
        self.assertEqual([(row[1], row[6], row[7], row[8], row[9]) for row in ours.rows(COPIES)], [(2000, 4096, 1, 2, 3)])
        self.assertEqual(ours.db.execute("SELECT grid_x, block_x, registers FROM gpu_kernel_config ORDER BY 1").fetchall(),
                         [(16, 128, 32), (32, 256, 40)])
        self.assertEqual(ours.quality["import_left_out_device_summaries"], 1)
        self.assertEqual(ours.meta["imported_from"], "JAX profiler (Chrome trace)")


def checked(trace, *options):
    """What --check prints: (status, {what: (in the file, taken, left out)}, {metric: total}, stderr)."""
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([GPROFX, "import", "--check", *options, os.path.abspath(trace)], capture_output=True, text=True, cwd=folder)
        if os.listdir(folder):
            raise AssertionError("--check wrote %s" % os.listdir(folder))
    tables = [re.findall(r"^(.+?)  +(\S.*)$", part, re.M) for part in run.stdout.split("\n\n")[1:]]
    events = {what: tuple(int(word.replace(",", "").replace("-", "0")) for word in rest.split()) for what, rest in tables[0][1:]} if tables else {}
    return run.returncode, events, dict(tables[1][1:]) if tables else {}, run.stderr


class Check(unittest.TestCase):
    """--check tells what an import keeps and leaves out, and writes nothing."""

    STREAMS = {"kernels": 3, "copies": 4, "sets": 5, "syncs": 6, "calls": 7, "markers": 10, "launch calls": 14}

    def test_the_table_is_that_of_the_import(self):
        for name in ("kineto.json", "jax.json", "perf-script.txt", "py-spy.txt"):
            with self.subTest(name):
                path = os.path.join(DATA, name)
                ours = Imported(path)
                status, events, metrics, _ = checked(path)
                self.assertEqual(status, 0)
                left = {key[16:].replace("_", " "): (count, 0, count) for key, count in ours.quality.items() if key.startswith("import_left_out_")}
                self.assertEqual({what: row for what, row in events.items() if row[2]}, left)
                for what, row in events.items():
                    self.assertEqual(row[0], row[1] + row[2])
                    if what in self.STREAMS:
                        self.assertEqual(row[1], len(list(ours.rows(self.STREAMS[what]))), what)
                self.assertEqual(set(metrics), {metric for metric, total in ours.metrics().items() if total})
        self.assertEqual(checked(os.path.join(DATA, "py-spy.txt"))[1]["stacks"], (3, 3, 0))
        self.assertEqual(checked(os.path.join(DATA, "perf-script.txt"))[1]["samples"], (3, 3, 0))

    def test_errors_are_those_of_the_import(self):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            for text in ("hello\nworld\n", "a;b 0\n", '{"traceEvents": []}'):
                file.seek(0)
                file.truncate()
                file.write(text)
                file.flush()
                run = subprocess.run([GPROFX, "import", "-o", file.name + ".out", file.name], capture_output=True, text=True)
                status, events, _, error = checked(file.name)
                self.assertEqual((status, events, error), (2, {}, run.stderr))
        self.assertIn("cannot be combined", checked(os.path.join(DATA, "py-spy.txt"), "-o", "x")[3])
        self.assertEqual(checked(os.path.join(DATA, "py-spy.txt"), "-q"), (0, {}, {}, ""))


class Stacks(unittest.TestCase):
    def test_collapsed(self):
        ours = Imported(os.path.join(DATA, "py-spy.txt"))
        self.assertEqual(ours.metric("samples"), 10 + 5 + 85)
        text = ours.report("--tree")
        self.assertIn("work (app.py:3)", text)
        self.assertEqual(ours.quality["import_left_out_lines"], 1)
        for option in ("--timeline", "--markers", "--range=1ms..2ms"):
            run = subprocess.run([GPROFX, "report", option, ours.file], capture_output=True, text=True)
            self.assertEqual((run.returncode, run.stderr.count("\n")), (2, 1), run.stderr)
        self.assertIn("has no times", subprocess.run([GPROFX, "report", "--timeline", ours.file], capture_output=True, text=True).stderr)

    def test_perf_script(self):
        ours = Imported(os.path.join(DATA, "perf-script.txt"))
        self.assertEqual(ours.metric("samples"), 3)
        self.assertEqual(ours.metric("cpu"), 250000 + 250000 + 125000)
        self.assertEqual(ours.db.execute("SELECT rows FROM stream WHERE id=1").fetchone()[0], 3)
        self.assertEqual(ours.meta["duration_ns"], "2000500")
        text = ours.report("--tree")
        for frame in ("fib (", "main", "operator new(unsigned long)"):
            self.assertIn(frame, text)

    def test_perf_script_of_this_machine(self):
        """What perf prints here, summed up by a few lines of Python."""
        with tempfile.TemporaryDirectory() as folder:
            data, text = os.path.join(folder, "perf.data"), os.path.join(folder, "perf.txt")
            record = subprocess.run(["perf", "record", "-q", "-e", "cpu-clock:u", "-g", "-o", data, "--", sys.executable, "-c",
                                     "sum(i * i for i in range(3000000))"], capture_output=True) if shutil.which("perf") else None
            if record is None or record.returncode != 0:
                self.skipTest("perf does not record here")
            with open(text, "w") as file:
                subprocess.run(["perf", "script", "-F", "comm,pid,tid,time,period,event,ip,sym,dso", "-i", data], stdout=file,
                               stderr=subprocess.DEVNULL, check=True)
            with open(text) as file:
                periods = [int(found[1]) for found in re.finditer(r"^\S.*?\d+\.\d+:\s+(\d+)\s+cpu-clock", file.read(), re.M)]
            ours = Imported(text)
            self.assertGreater(len(periods), 10)
            self.assertEqual((ours.metric("samples"), ours.metric("cpu")), (len(periods), sum(periods)))

    def test_what_is_no_trace(self):
        cases = {"binary": b"PERFILE2" + bytes(100), "other": bytes(range(256)), "words": b"hello\nworld\n", "empty": b""}
        with tempfile.TemporaryDirectory() as folder:
            for name, data in cases.items():
                path = os.path.join(folder, name)
                with open(path, "wb") as file:
                    file.write(data)
                run = subprocess.run([GPROFX, "import", "-o", os.path.join(folder, "o"), path], capture_output=True, text=True)
                with self.subTest(name):
                    self.assertEqual((run.returncode, run.stderr.count("\n")), (2, 1), run.stderr)


if __name__ == "__main__":
    unittest.main()
