#!/usr/bin/env python3
"""gprof-x import on rocpd files, made here in both layouts of rocprofv3: every sum is that of the events that were put in."""
import collections
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
import import_support as support  # noqa: E402
from import_support import Imported, refused  # noqa: E402

EPOCH = 800_000_000_000_000  # ns since the machine started
KERNELS = {1: "void gemm<float>(float const*)", 2: "softmax_warp(float*, int)", 3: "fill.kd"}
CPU, GPU0, GPU1 = 0, 1, 2  # agents

FACTS = """
CREATE TABLE "rocpd_metadata{u}" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, tag TEXT NOT NULL, value TEXT NOT NULL);
CREATE TABLE "rocpd_string{u}" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT DEFAULT 'g' NOT NULL, string TEXT NOT NULL UNIQUE ON CONFLICT ABORT);
CREATE TABLE "rocpd_info_node{u}" (id INTEGER PRIMARY KEY, hash BIGINT NOT NULL UNIQUE, machine_id TEXT, hostname TEXT);
CREATE TABLE "rocpd_info_process{u}" (id INTEGER PRIMARY KEY, nid INTEGER, ppid INTEGER, pid INTEGER NOT NULL, command TEXT, environment JSONB DEFAULT '{{}}' NOT NULL);
CREATE TABLE "rocpd_info_thread{u}" (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, tid INTEGER, name TEXT);
CREATE TABLE "rocpd_info_agent{u}" (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, type TEXT CHECK (type IN ('CPU', 'GPU')), absolute_index INTEGER,
  type_index INTEGER, uuid INTEGER, name TEXT, product_name TEXT, extdata JSONB DEFAULT '{{}}' NOT NULL);
CREATE TABLE "rocpd_info_stream{u}" (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, name TEXT);
CREATE TABLE "rocpd_info_kernel_symbol{u}" (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, kernel_name TEXT, display_name TEXT, arch_vgpr_count INTEGER,
  accum_vgpr_count INTEGER);
CREATE TABLE "rocpd_event{u}" (id INTEGER PRIMARY KEY, category_id INTEGER, stack_id INTEGER, parent_stack_id INTEGER, correlation_id INTEGER,
  call_stack JSONB DEFAULT '{{}}' NOT NULL, line_info JSONB DEFAULT '{{}}' NOT NULL, extdata JSONB DEFAULT '{{}}' NOT NULL);
CREATE TABLE "rocpd_pmc_event{u}" (id INTEGER PRIMARY KEY, event_id INTEGER, pmc_id INTEGER, value REAL);
INSERT INTO "rocpd_metadata{u}" (tag, value) VALUES ('schema_version', '3');
CREATE VIEW "rocpd_metadata_all{u}" AS SELECT * FROM "rocpd_metadata{u}";
CREATE INDEX "rocpd_event{u}_category" ON "rocpd_event{u}" (category_id);
"""
EVENTS = """
CREATE TABLE "rocpd_region{u}" (id INTEGER PRIMARY KEY, {place} name_id INTEGER NOT NULL, event_id INTEGER);
CREATE TABLE "rocpd_sample{u}" (id INTEGER PRIMARY KEY, track_id INTEGER, {moment} event_id INTEGER);
CREATE TABLE "rocpd_kernel_dispatch{u}" (id INTEGER PRIMARY KEY, {place} kernel_id INTEGER NOT NULL, workgroup_size_x INTEGER, workgroup_size_y INTEGER,
  workgroup_size_z INTEGER, grid_size_x INTEGER, grid_size_y INTEGER, grid_size_z INTEGER, group_segment_size INTEGER, private_segment_size INTEGER,
  event_id INTEGER);
CREATE TABLE "rocpd_memory_copy{u}" (id INTEGER PRIMARY KEY, {place} name_id INTEGER, dst_agent_id INTEGER, src_agent_id INTEGER, size INTEGER NOT NULL,
  event_id INTEGER);
CREATE TABLE "rocpd_memory_allocate{u}" (id INTEGER PRIMARY KEY, {place} size INTEGER, event_id INTEGER);
CREATE TABLE "rocpd_track{u}" (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, tid INTEGER, agent_id INTEGER, queue_id INTEGER, stream_id INTEGER);
CREATE TABLE "rocpd_timestamp{u}" (id INTEGER PRIMARY KEY, value BIGINT NOT NULL, phase INTEGER);
"""
OLD_PLACE = "nid INTEGER, pid INTEGER, tid INTEGER, agent_id INTEGER, queue_id INTEGER, stream_id INTEGER, start BIGINT, \"end\" BIGINT,"
NEW_PLACE = "track_id INTEGER NOT NULL, start_id INTEGER NOT NULL, end_id INTEGER NOT NULL,"


class Recording:
    """One recording of a rocpd file; `old`: times stand in the rows themselves (ROCm 7.0)."""

    def __init__(self, db, uuid, old, pid, command="python train.py"):
        self.db, self.u, self.old, self.pid = db, uuid, old, pid
        self.strings, self.ids = {}, collections.Counter()
        db.executescript(FACTS.format(u=uuid))
        db.executescript(EVENTS.format(u=uuid, place=OLD_PLACE if old else NEW_PLACE, moment="timestamp BIGINT," if old else "timestamp_id INTEGER,"))
        self.put("info_node", id=1, hash=pid, machine_id="m", hostname="mi300")
        self.put("info_process", id=pid, nid=1, ppid=1, pid=pid, command=command, environment=json.dumps({"HF_TOKEN": "hf_secret"}))
        for tid in (pid, pid + 1):
            self.put("info_thread", id=tid, nid=1, pid=pid, tid=tid, name="autograd" if tid != pid else None)
        for agent, kind, index in ((CPU, "CPU", 0), (GPU0, "GPU", 0), (GPU1, "GPU", 1)):
            self.put("info_agent", id=agent, nid=1, pid=pid, type=kind, absolute_index=agent, type_index=index, name="gfx942",
                     product_name="AMD Instinct MI300X", extdata=json.dumps({"cu_count": 304, "wave_front_size": 64, "max_engine_clk_fcompute": 2100}))
        for stream in range(3):
            self.put("info_stream", id=stream, nid=1, pid=pid, name="Stream %d" % stream)
        for kernel, name in KERNELS.items():
            self.put("info_kernel_symbol", id=kernel, nid=1, pid=pid, kernel_name=name, display_name=name, arch_vgpr_count=24, accum_vgpr_count=8)

    def put(self, table, **row):
        row = {name: value for name, value in row.items() if value is not None}
        if "id" not in row:
            self.ids[table] += 1
            row["id"] = self.ids[table]
        columns = ",".join('"%s"' % name for name in row)
        self.db.execute('INSERT INTO "rocpd_%s%s" (%s) VALUES (%s)' % (table, self.u, columns, ",".join("?" * len(row))), list(row.values()))
        return row["id"]

    def text(self, text):
        if text not in self.strings:
            self.strings[text] = self.put("string", string=text)
        return self.strings[text]

    def event(self, category, stack, message=None):
        return self.put("event", category_id=self.text(category), stack_id=stack, parent_stack_id=0, correlation_id=0,
                        extdata=json.dumps({"message": message}) if message else "{}")

    def place(self, start, end, tid, agent=None, queue=None, stream=None):
        who = dict(nid=1, pid=self.pid, tid=tid, agent_id=agent, queue_id=queue, stream_id=stream)
        if self.old:
            return dict(who, start=start, end=end)
        return dict(track_id=self.put("track", **who), start_id=self.put("timestamp", value=start, phase=1), end_id=self.put("timestamp", value=end, phase=2))

    def call(self, name, start, end, tid, stack, category="HIP_RUNTIME_API_EXT", message=None):
        self.put("region", **self.place(start, end, tid), name_id=self.text(name), event_id=self.event(category, stack, message))

    def moment(self, time, tid, message, category="MARKER_CORE_RANGE_API"):
        when = {"timestamp": time} if self.old else {"timestamp_id": self.put("timestamp", value=time, phase=0)}
        self.put("sample", track_id=self.put("track", nid=1, pid=self.pid, tid=tid), event_id=self.event(category, 0, message), **when)

    def kernel(self, kernel, start, end, tid, stack, agent=GPU0, stream=1):
        self.put("kernel_dispatch", **self.place(start, end, tid, agent, 5, stream), kernel_id=kernel, workgroup_size_x=256, workgroup_size_y=1,
                 workgroup_size_z=1, grid_size_x=1000, grid_size_y=2, grid_size_z=1, group_segment_size=2048, private_segment_size=16,
                 event_id=self.event("KERNEL_DISPATCH", stack))

    def copy(self, source, target, size, start, end, tid, stack, stream=1):
        self.put("memory_copy", **self.place(start, end, tid, None, None, stream), name_id=self.text("MEMORY_COPY"), dst_agent_id=target,
                 src_agent_id=source, size=size, event_id=self.event("MEMORY_COPY", stack))


class Rocpd(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gprof-x-rocpd-")
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "run.db")

    def made(self, *recordings):
        with sqlite3.connect(self.path) as db:
            for make in recordings:
                make(db)
        db.close()
        return Imported(self.path)

    def test_sums_are_those_of_the_events(self):
        for old in (True, False):
            with self.subTest(old=old):
                if os.path.exists(self.path):
                    os.remove(self.path)
                self.check_sums(old)

    def check_sums(self, old):
        chance, kernels, sizes, calls = random.Random(7), collections.Counter(), collections.Counter(), collections.Counter()

        def make(db, uuid, pid):
            r = Recording(db, uuid, old, pid)
            now, stack = EPOCH, 0
            for _ in range(500):
                stack += 1
                now += chance.randrange(1000, 9000)
                kernel, took = chance.choice(list(KERNELS)), chance.randrange(1, 100_000)
                r.call("hipLaunchKernel", now, now + 700, pid, stack)
                calls["hipLaunchKernel"] += 700
                r.kernel(kernel, now + 900, now + 900 + took, pid, stack, chance.choice((GPU0, GPU1)), chance.randrange(3))
                kernels[KERNELS[kernel]] += took
                stack += 1
                size = chance.randrange(1 << 20)
                source, target = chance.choice(((CPU, GPU0), (GPU1, CPU), (GPU0, GPU0), (GPU0, GPU1)))
                r.call("hipMemcpyAsync", now + 1000, now + 1500, pid + 1, stack)
                calls["hipMemcpyAsync"] += 500
                r.copy(source, target, size, now + 2000, now + 2600, pid + 1, stack)
                sizes[{(CPU, GPU0): 1, (GPU1, CPU): 2, (GPU0, GPU0): 8, (GPU0, GPU1): 10}[source, target]] += size
            r.call("hipDeviceSynchronize", now + 10_000, now + 50_000, pid, stack + 1)
            calls["hipDeviceSynchronize"] += 40_000

        # Both recordings have the same stack ids.
        ours = self.made(lambda db: make(db, "_aa", 100), lambda db: make(db, "_bb", 200))
        self.assertEqual({name: ns for name, ns in ours.totals("gpu").items() if name in KERNELS.values()}, kernels)
        self.assertEqual({name: ns for name, ns in ours.totals("host").items()}, calls)
        copies = collections.Counter()
        for row in ours.rows(support.COPIES):
            copies[row[7]] += row[6]
        self.assertEqual(copies, sizes)
        self.assertEqual(ours.quality.get("import_unlinked", 0), 0)
        self.assertEqual({path[0] for path in ours.paths("gpu")}, {"hipLaunchKernel", "hipMemcpyAsync"})
        self.assertIn("AMD Instinct MI300X", ours.report("--wide"))

    def test_ranges_of_roctx(self):
        def make(db):
            r = Recording(db, "_aa", True, 100)
            r.call("roctxRangePushA", EPOCH, EPOCH + 1000, 100, 1, "MARKER_CORE_RANGE_API", "step 1")
            r.call("roctxRangeStartA", EPOCH + 500, EPOCH + 3000, 100, 2, "MARKER_CORE_RANGE_API", "load")
            r.call("roctxGetThreadId", EPOCH + 600, EPOCH + 601, 100, 3, "MARKER_CORE_API")
            r.call("hipMalloc", EPOCH + 100, EPOCH + 400, 100, 4)
            r.moment(EPOCH + 50, 100, "here")
            r.moment(EPOCH + 60, 100, None, "HIP_RUNTIME_API_EXT")
        ours = self.made(make)
        names = dict(ours.db.execute("SELECT id, text FROM string"))
        self.assertEqual(sorted((names[row[3]], row[1]) for row in ours.rows(support.MARKERS)), [("here", 0), ("load", 2500), ("step 1", 1000)])
        self.assertEqual(ours.totals("host"), {"step": 1000, "hipMalloc": 300})
        self.assertEqual({name[16:]: n for name, n in ours.quality.items() if name.startswith("import_left_out_")},
                         {"calls_of_roctx": 1, "calls_of_no_duration": 1})

    def test_what_is_left_out_is_counted(self):
        def make(db):
            r = Recording(db, "_aa", True, 100)
            r.kernel(1, EPOCH, EPOCH + 10, 100, 1)
            for _ in range(3):
                r.put("memory_allocate", pid=100, tid=100, start=EPOCH, end=EPOCH + 1, size=64)
            r.put("pmc_event", event_id=1, pmc_id=1, value=2.0)
            db.execute("UPDATE rocpd_event_aa SET call_stack='{\"frames\": 1}'")
        ours = self.made(make)
        self.assertEqual({name[16:]: n for name, n in ours.quality.items() if name.startswith("import_left_out_")},
                         {"memory_allocations": 3, "counter_values": 1, "call_stacks": 1})
        self.assertEqual(ours.quality["import_unlinked"], 1)

    def test_rows_that_are_counted(self):
        """rocprof-sys counts the rows of processes and threads; events name the rows."""
        def make(db):
            r = Recording(db, "_aa", True, 100)
            db.execute("DELETE FROM rocpd_info_process_aa")
            db.execute("DELETE FROM rocpd_info_thread_aa")
            r.put("info_process", id=1, nid=1, ppid=1, pid=67979, command="app")
            r.put("info_thread", id=1, nid=1, pid=1, tid=67980, name="worker")
            r.pid = 1
            r.call("hipLaunchKernel", EPOCH, EPOCH + 5, 1, 1)
            r.kernel(1, EPOCH + 6, EPOCH + 10, 1, 1)
        ours = self.made(make)
        self.assertEqual(ours.db.execute("SELECT pid FROM process").fetchall(), [(67979,)])
        self.assertEqual(ours.db.execute("SELECT tid FROM thread").fetchall(), [(67980,)])
        self.assertEqual(ours.thread_names(), {"worker"})
        self.assertEqual(ours.quality.get("import_unlinked", 0), 0)

    def test_work_without_a_gpu_is_left_out(self):
        def make(db):
            r = Recording(db, "_aa", True, 100)
            r.kernel(1, EPOCH, EPOCH + 10, 100, 1)
            for agent in (CPU, 77, None):
                r.kernel(1, EPOCH + 20, EPOCH + 30, 100, 2, agent=agent)
            r.copy(CPU, CPU, 64, EPOCH + 40, EPOCH + 50, 100, 3)
        ours = self.made(make)
        self.assertEqual(ours.quality["import_left_out_gpu_work_without_a_device"], 4)
        self.assertEqual(sum(row[1] for row in ours.rows(support.KERNELS)), 10)

    def test_several_machines_are_refused(self):
        with sqlite3.connect(self.path) as db:
            for uuid, pid in (("_aa", 1), ("_bb", 1)):
                Recording(db, uuid, True, pid).kernel(1, EPOCH, EPOCH + 10, 1, 1)
            db.execute("UPDATE rocpd_info_node_bb SET machine_id='other'")
        db.close()
        self.assertIn("several machines", refused(self.path))

    def test_secrets_stay_in_the_file(self):
        def make(db):
            r = Recording(db, "_aa", False, 100, "python train.py --token hf_abcdefghijklmnopqrstuvwxyz0123456789")
            r.kernel(1, EPOCH, EPOCH + 10, 100, 1)
        ours = self.made(make)
        with open(ours.file, "rb") as file:
            stored = file.read()
        for secret in (b"hf_secret", b"hf_abcdefgh"):
            self.assertNotIn(secret, stored)
        self.assertTrue(ours.meta["command"].startswith("python train.py --token"))
        self.assertEqual(ours.meta["host"], "mi300")

    def test_views_are_not_read_and_code_is_refused(self):
        def make(db):
            Recording(db, "_aa", True, 100).kernel(1, EPOCH, EPOCH + 10, 100, 1)
            db.execute("CREATE VIEW rocpd_kernel_dispatch_vv AS SELECT * FROM rocpd_kernel_dispatch_aa")
            db.execute("CREATE VIEW rocpd_string_vv AS SELECT * FROM rocpd_string_aa")
        self.assertEqual(sum(row[1] for row in self.made(make).rows(support.KERNELS)), 10)
        with sqlite3.connect(self.path) as db:
            db.execute("CREATE TRIGGER t AFTER INSERT ON rocpd_event_aa BEGIN SELECT 1; END")
        db.close()
        self.assertRegex(refused(self.path, "--from", "rocprof"), "do not trust")

    def test_files_with_nothing_in_them(self):
        with sqlite3.connect(self.path) as db:
            Recording(db, "_aa", True, 100)
        db.close()
        self.assertIn("nothing", refused(self.path))

    def test_damaged_files_are_refused_or_read(self):
        def make(db):
            r = Recording(db, "_aa", False, 100)
            for i in range(200):
                r.call("hipLaunchKernel", EPOCH + i * 1000, EPOCH + i * 1000 + 500, 100, i)
                r.kernel(1, EPOCH + i * 1000 + 600, EPOCH + i * 1000 + 900, 100, i)
        self.made(make)
        with open(self.path, "rb") as file:
            whole = file.read()
        chance = random.Random(3)
        for turn in range(60):
            bad = bytearray(whole)
            if turn % 2:
                del bad[chance.randrange(100, len(bad)):]
            for _ in range(40):
                bad[chance.randrange(100, len(bad))] = chance.randrange(256)
            with open(self.path, "wb") as file:
                file.write(bad)
            run = subprocess.run([support.GPROFX, "import", "-o", self.path + ".out", self.path], capture_output=True, text=True, timeout=60)
            self.assertIn(run.returncode, (0, 2), run.stderr)
            if run.returncode == 2:
                self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
            else:
                os.remove(self.path + ".out")


if __name__ == "__main__":
    unittest.main()
