#!/usr/bin/env python3
"""gprof-x import on traces of every kind that other tools write, made here: nothing is lost in silence, nothing is guessed."""
import collections
import gzip
import json
import marshal
import os
import sqlite3
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
import import_support as support  # noqa: E402
from import_support import Imported, refused  # noqa: E402
from made_traces import EPOCH, Files, event, kernel, launch  # noqa: E402


class Chrome(Files):
    def test_numbers_written_as_floats(self):
        floats = dict(event("cuda_runtime", "cudaLaunchKernel", 0, 10, correlation=5.0), pid=10.0, tid=11.0)
        work = dict(kernel("k", 5, 20, 5.0, 0.0), stream=7.0)
        ours = Imported(self.chrome([floats, work]))
        self.assertEqual([row[1] for row in ours.rows(support.KERNELS)], [20000])
        self.assertEqual(ours.db.execute("SELECT pid FROM process ORDER BY pid").fetchall()[-1], (10,))
        self.assertEqual(ours.quality.get("import_unlinked", 0), 0)

    def test_words_as_ids(self):
        """Servers label all ids of a rank; both ranks have the same device and the same correlation ids at the same time."""
        events = []
        for label in ("[TP00]", "[TP01]"):
            word = {"pid": label + " 100", "tid": label + " 7"}
            gpu = {"pid": label + " 0", "tid": "stream 7"}
            for i in range(4):
                events += [dict(event("cpu_op", "op" + label, 100 * i, 20), **word), dict(launch(100 * i + 2, i + 1), **word),
                           dict(kernel("k" + label, 100 * i + 10, 30, i + 1), **gpu)]
        events.sort(key=lambda event: event["ts"])
        events.append({"ph": "M", "name": "process_name", "pid": "[TP01] 100", "args": {"name": "python"}})
        ours = Imported(self.chrome(events))
        self.assertEqual({path[0][2:] == path[-1][1:] for path in ours.paths("gpu")}, {True})
        self.assertEqual((len(ours.paths("gpu")), ours.metric("gpu")), (2, 8 * 30000))
        self.assertEqual(ours.process_names(), {"[TP00] 100", "[TP01] python"})
        self.assertEqual(ours.thread_names(), {"[TP00] 7", "[TP01] 7"})

    def test_numbers_as_texts(self):
        events = [dict(event("cpu_op", "op", 0, 0, "100", "100"), ts="%d.25" % EPOCH, dur="7.5")]
        ours = Imported(self.chrome(events))
        self.assertEqual(ours.metric("host"), 7500)

    def test_nothing_left_is_no_success(self):
        counters = [{"ph": "C", "name": "c", "pid": 1, "tid": 1, "ts": 5, "args": {"v": 1}}] * 3
        self.assertIn("3 counters", refused(self.chrome(counters)))
        self.assertIn("nothing", refused(self.chrome([event("overhead", "o", 0, 5)])))

    def test_ranks_in_one_file(self):
        """Correlation ids repeat, the events of the ranks are mixed, and one rank is ahead of the other."""
        for late in (0, 40, -40):
            events = []
            for rank in (0, 1):
                for i in range(5):
                    at = 1000 * i + late * rank + 100
                    events += [event("cpu_op", "op%d" % rank, at, 20, 100 + rank, 100 + rank), launch(at + 2, i + 1, 100 + rank),
                               kernel("k%d" % rank, at + 10, 30, i + 1, rank)]
            for mixed in (False, True):
                if mixed:
                    events.sort(key=lambda event: (event["ts"], -event["pid"]))
                with self.subTest(late=late, mixed=mixed):
                    ours = Imported(self.chrome(events))
                    self.assertEqual(ours.paths("gpu"), [("op0", "cudaLaunchKernel", "k0"), ("op1", "cudaLaunchKernel", "k1")])

    def test_two_processes_share_a_gpu(self):
        events = []
        for rank in (0, 1):
            for i in range(5):
                at = 1000 * i + 500 * rank
                events += [event("cpu_op", "op%d" % rank, at, 20, 100 + rank, 100 + rank), launch(at + 2, i + 1, 100 + rank),
                           kernel("k%d" % rank, at + 10, 30, i + 1)]
        events += [launch(9000, 77, 100), kernel("k0", 9010, 30, 77), launch(9500, 78, 101), kernel("k1", 9510, 30, 78)]
        events.sort(key=lambda event: event["ts"])
        ours = Imported(self.chrome(events))
        self.assertEqual({path[-1]: path[0] for path in ours.paths("gpu") if len(path) == 3}, {"k0": "op0", "k1": "op1"})

    def test_ids_that_begin_anew(self):
        """Two runs of the profiler in one file: the call before the kernel launched it."""
        events = []
        for run in (0, 1):
            events += [event("cpu_op", "run%d" % run, 5000 * run, 50), launch(5000 * run + 2, 1), kernel("k%d" % run, 5000 * run + 10, 30, 1)]
        ours = Imported(self.chrome(events))
        self.assertEqual(ours.paths("gpu"), [("run0", "cudaLaunchKernel", "k0"), ("run1", "cudaLaunchKernel", "k1")])

    def test_ranges_overlap_calls(self):
        """Begins in a short call and ends in another one, as with record_function() and with_stack=True."""
        events = [event("python_function", "a.py(1): main", 0, 1000), event("python_function", "a.py(9): __enter__", 10, 5),
                  event("user_annotation", "forward", 13, 500), event("python_function", "a.py(2): work", 100, 50),
                  event("python_function", "a.py(10): __exit__", 510, 8), event("python_function", "a.py(11): after", 515, 2),
                  launch(110, 1), kernel("k", 120, 30, 1)]
        ours = Imported(self.chrome(events))
        self.assertEqual(ours.totals("host"), {"main": 1000000, "__enter__": 5000, "forward": 500000, "work": 50000, "__exit__": 8000,
                                               "after": 2000, "cudaLaunchKernel": 5000})
        self.assertEqual(ours.paths("gpu"), [("main", "forward", "work", "cudaLaunchKernel", "k")])
        self.assertIn(("main", "__exit__", "after"), ours.paths("host"))
        self.assertNotIn("import_cut_ns", ours.quality)

    def test_waits_within_waits(self):
        events = [launch(2, 1), kernel("k", 10, 30, 1), event("cuda_runtime", "cudaDeviceSynchronize", 100, 50, correlation=2),
                  event("cuda_driver", "cuCtxSynchronize", 101, 48, correlation=2),
                  event("cuda_driver", "cuCtxSynchronize", 150, 10, correlation=3)]
        ours = Imported(self.chrome(events))
        self.assertEqual(ours.metric("gpu_wait"), 60000)
        self.assertEqual([row[1] for row in ours.rows(support.CALLS)], [50000, 10000])
        waits = json.loads(ours.report("--json"))["gpu"]["wait_ns"]
        self.assertEqual(waits, 60000)

    def test_names_of_ranges(self):
        names = ["fetch1_x", "fetch2_x", "step 3", "ProfilerStep#4", "Epoch 5/10", "train_step_6", "layer_7", "BatchNorm_8", "iter 9 of 10"]
        ours = Imported(self.chrome([event("user_annotation", name, 100 * i, 10) for i, name in enumerate(names)]))
        self.assertEqual(set(ours.totals("host")), {"fetch1_x", "fetch2_x", "step", "ProfilerStep", "Epoch", "train_step", "layer_7",
                                                    "BatchNorm_8", "iter"})

    def test_pairs_of_begin_and_end(self):
        def mark(phase, ts, tid=1, **more):
            return {"ph": phase, "pid": 1, "tid": tid, "ts": ts, **more}
        events = [mark("B", 0, name="a"), mark("B", 5, 2, name="b"), mark("B", 10, name="c"), mark("E", 20), mark("E", 30),
                  mark("E", 40, 2), mark("E", 50), mark("B", 60, name="d"), {"ph": "b", "cat": "x", "id": 1, "pid": 1, "ts": 1, "name": "n"}]
        ours = Imported(self.chrome(events))
        self.assertEqual(ours.totals("host"), {"a": 30000, "b": 35000, "c": 10000})
        self.assertEqual({name: count for name, count in ours.quality.items() if "left_out" in name},
                         {"import_left_out_end_events_without_a_begin": 1, "import_left_out_begin_events_without_an_end": 1,
                          "import_left_out_async_events": 1})

    def test_jax_names_last(self):
        def row(pid, tid, name):
            return [{"ph": "M", "pid": pid, "name": "process_name", "args": {"name": name[0]}},
                    {"ph": "M", "pid": pid, "tid": tid, "name": "thread_name", "args": {"name": name[1]}}]
        work = [{"ph": "X", "pid": 701, "tid": 5, "ts": 1, "dur": 20, "name": "Execute"}]
        names = row(701, 5, ("/host:CPU", "python"))
        for gpu in (0, 3):
            work += [{"ph": "X", "pid": gpu + 1, "tid": 4, "ts": 10, "dur": 5.5, "name": "fusion",
                      "args": {"kernel_details": "regs:32 grid:4,1,1 block:128,1,1"}},
                     {"ph": "X", "pid": gpu + 1, "tid": 9, "ts": 10, "dur": 5.5, "name": "jit_f"}]
            names += row(gpu + 1, 4, ("/device:GPU:%d" % gpu, "Stream #7(Compute)")) + row(gpu + 1, 9, ("/device:GPU:%d" % gpu, "XLA Modules"))
        totals = []
        for events in (work + names, names + work):
            ours = Imported(self.file(json.dumps({"traceEvents": events}), "trace.json"))
            totals.append((ours.metric("gpu"), ours.metric("host"), ours.quality["import_left_out_device_summaries"], ours.busy()))
        self.assertEqual(totals, [(11000, 20000, 2, {1: 5500, 2: 5500})] * 2)
        self.assertEqual(sorted(lane["gpu"] for lane in json.loads(ours.report("--json"))["wall"]["lanes"]), [0, 3])

    def test_events_of_a_gpu_that_are_not_known(self):
        events = [launch(2, 1), kernel("k", 10, 30, 1), event("cuda_profiler_range", "dram__bytes", 5, 90, 0, 5),
                  event("gpu_something_new", "x", 5, 60, 0, 8)]
        ours = Imported(self.chrome(events))
        self.assertEqual(ours.metric("host"), 5000)
        self.assertEqual((ours.quality["import_left_out_gpu_profiler_ranges"],
                          ours.quality["import_left_out_gpu_events_of_category_gpu_something_new"]), (1, 1))

    def test_number_of_the_device(self):
        ours = Imported(self.chrome([launch(2, 1), kernel("k", 10, 30, 1, 3)], deviceProperties=[{"id": i, "name": "G%d" % i} for i in range(8)]))
        self.assertEqual([lane["gpu"] for lane in json.loads(ours.report("--json"))["wall"]["lanes"]], [3])
        self.assertIn("GPU 3", ours.report("--timeline"))

    def test_times_that_cannot_be(self):
        good = [item for i in range(12) for item in (launch(100 * i + 2, i + 1), kernel("k", 100 * i + 10, 30, i + 1))]
        for bad in (dict(kernel("k", 0, 0, 98), ts=0), dict(kernel("k", 0, 0, 98), ts=0, dur=EPOCH), kernel("k", 5, 4 * 10**15, 98),
                    kernel("k", 5, 4 * 10**12, 98), kernel("k", 5 * 10**15, 3, 98), dict(event("cpu_op", "o", 0, 5), ts=17)):
            ours = Imported(self.chrome(good + [bad]))
            self.assertEqual((ours.meta["duration_ns"], ours.metric("gpu"), ours.left_out()), (str(1138000), 12 * 30000, 1), bad)
        self.assertIn("month", refused(self.chrome([kernel("k", 0, 3, 1), kernel("k", 10**14, 3, 2)])))
        # A trace that begins at 0.
        zero = [dict(item, ts=item["ts"] - EPOCH) for item in [launch(0, 1), kernel("k", 0, 30, 1), kernel("k", 60, 30, 2)]]
        self.assertEqual(Imported(self.chrome(zero)).metric("gpu"), 60000)

    def test_json_that_is_nearly_right(self):
        good = json.dumps([event("cpu_op", "NAME", 0, 5), event("cpu_op", "b", 10, 5, x=1.5)])
        for bad, name in (("a\\ud83db", "a\ufffdb"), ("a\\udc00", "a\ufffd"), ("a\\ud83d\\ude00", "a\U0001F600"), ("a\x01b", "a\ufffdb"),
                          ("a\\qb", "a\ufffdqb"), ("a\\u12zb", "a\ufffdzb")):
            self.assertEqual(set(Imported(self.file(good.replace("NAME", bad))).totals("host")), {name, "b"}, bad)
        for bad in (b"a\xe9b", b"a\xed\xa0\x80b", b"a\xf0\x9fb", b"a\xc0\xafb"):
            names = set(Imported(self.file(good.encode().replace(b"NAME", bad))).totals("host"))
            self.assertTrue([name for name in names if name.startswith("a\ufffd") and name.endswith("b")], bad)
        for bad in ("NaN", "nan", "Infinity", "-Infinity", "inf", "-inf"):
            self.assertEqual(Imported(self.file(good.replace("1.5", bad))).metric("host"), 10000, bad)

    def test_commas_too_many(self):
        good = '{"traceEvents": [%s,\n%s]}' % (json.dumps(event("cpu_op", "a", 0, 5)), json.dumps(event("cpu_op", "b,]", 10, 5)))
        for bad in (good.replace("]}", ",]}"), good.replace("]}", " , \n ] , }"), good.replace("}}", "}, }")):
            self.assertEqual(Imported(self.file(bad)).totals("host"), {"a": 5000, "b,]": 5000})

    def test_oldest_traces(self):
        """export_chrome_trace() of PyTorch's first profiler."""
        events = [{"name": "mm", "ph": "X", "ts": 5.5, "dur": 10, "tid": 1, "pid": "CPU functions", "args": {}},
                  {"name": "mm", "ph": "X", "ts": 9, "dur": 2.5, "tid": 0, "pid": "CUDA functions", "args": {}}]
        ours = Imported(self.file(json.dumps(events)))
        self.assertEqual((ours.metric("host"), ours.metric("gpu"), ours.busy()), (10000, 2500, {1: 2500}))

    def test_steps_of_older_traces(self):
        ours = Imported(self.chrome([event("Operator", "ProfilerStep#%d" % i, 100 * i, 90) for i in range(3)]))
        self.assertEqual(ours.totals("host"), {"ProfilerStep": 270000})
        self.assertEqual(len(list(ours.rows(support.MARKERS))), 3)

    def loader(self, category, ns):
        events = []
        for i in range(12):
            at, length = i * (ns // 1000 + 4200), ns // 1000
            events += [event(category, "ProfilerStep#%d" % i, at, length + 4190),
                       event(category, "enumerate(DataLoader)#_Iter.__next__", at + 20, length)]
            for k in range(20):
                start, number = at + length + 100 + k * 150, i * 20 + k + 1
                events += [event("cpu_op", "aten::mm", start, 100), launch(start + 10, number), kernel("gemm", start + 20, 140, number)]
        return Imported(self.chrome(events))

    def loader_findings(self, category, ns):
        ours = self.loader(category, ns)
        run = subprocess.run([support.GPROFX, "analyze", "--json", ours.file], capture_output=True, text=True, check=True)
        return json.loads(run.stdout)["findings"][0]

    def test_loader_is_found(self):
        """The ranges of the framework tell what the host did while the GPU was idle."""
        for category in ("user_annotation", "Operator"):
            found = self.loader_findings(category, 12000000)
            row = found["rows"][0]
            self.assertEqual((found["steps"], row["rule"], row["function"]), (12, "slow-loader", "enumerate(DataLoader)#_Iter.__next__"))
            self.assertAlmostEqual(row["saving_ns"], 12000000, delta=500000)
        self.assertNotIn("slow-loader", [row["rule"] for row in self.loader_findings("user_annotation", 10000)["rows"]])

    def test_the_report_names_the_range_of_the_loader(self):
        ours = self.loader("user_annotation", 12000000)
        run = subprocess.run([support.GPROFX, "report", "--no-pager", ours.file], capture_output=True, text=True, check=True)
        self.assertRegex(run.stdout, r"findings: F1 saves .*: slow-loader, enumerate\(DataLoader\)#")

    def test_tpu(self):
        names = [{"ph": "M", "pid": 3, "name": "process_name", "args": {"name": "/device:TPU:0"}}]
        names += [{"ph": "M", "pid": 3, "tid": tid, "name": "thread_name", "args": {"name": name}} for tid, name in ((1, "Steps"), (3, "XLA Ops"))]
        work = [{"ph": "X", "pid": 3, "tid": tid, "ts": 1, "dur": 20, "name": "fusion"} for tid in (1, 3)]
        ours = Imported(self.file(json.dumps({"traceEvents": names + work})))
        self.assertEqual((ours.metric("gpu"), ours.metric("host"), ours.left_out()), (20000, 0, 1))

    def test_ends_that_are_missing(self):
        good = json.dumps([event("cpu_op", "a", 0, 5), event("cpu_op", "b", 10, 5)])
        for end in (good[:-1], good[:-1] + ",", good[:-1] + ",\n", good[:-1] + ', {"ph": "X", "na'):
            ours = Imported(self.file(end))
            self.assertEqual((ours.metric("host"), ours.left_out()), (10000, 1 if "na" == end[-2:] else 0))
        self.assertIn("truncated", refused(self.file('{"traceEvents": ' + good)))
        self.assertEqual(Imported(self.file(gzip.compress(good.encode()) + bytes(700))).metric("host"), 10000)
        self.assertIn("damaged", refused(self.file(gzip.compress(good.encode()) + bytes(7) + b"x" * 100)))


class Nsight(Files):
    WORK = "start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER"
    PID = 1000 << 24

    def export(self, script, facts="META_DATA_EXPORT"):
        path = os.path.join(self.folder.name, "t.sqlite")
        if os.path.exists(path):
            os.remove(path)
        db = sqlite3.connect(path)
        db.executescript("CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
                         "INSERT INTO StringIds VALUES(0,'first'),(1,'k'),(2,'cudaGraphLaunch_v10000'),(3,'MPI_Waitall');"
                         "CREATE TABLE %s(name TEXT, value TEXT);"
                         "INSERT INTO %s VALUES('EXPORT_PRODUCT_VERSION','2021.2.4'),('EXPORT_SCHEMA_VERSION','2.7.1');" % (facts, facts) +
                         script.replace("WORK", self.WORK).replace("PID", str(self.PID)).replace("TID", str(self.PID + 7)))
        db.commit()
        db.close()
        return path

    CALLS = ("CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER, correlationId INTEGER);"
             "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(1000,1200,TID,2,5),(2000,2200,TID,NULL,6);")

    def test_graphs_as_a_whole(self):
        ours = Imported(self.export(self.CALLS + "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE(WORK, graphId INTEGER);"
                                    "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES(1500,1900,0,1,7,5,PID,4),(2500,2900,0,1,7,6,PID,4);"))
        self.assertEqual(ours.paths("gpu"), [("[call without a name]", "[CUDA graph 4]"), ("cudaGraphLaunch", "[CUDA graph 4]")])
        self.assertEqual((ours.metric("gpu"), ours.busy(), ours.quality["import_whole_graphs"]), (800, {1: 800}, 2))

    def test_no_name_is_not_the_first_name(self):
        ours = Imported(self.export(self.CALLS + "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(WORK, demangledName INTEGER, shortName INTEGER);"
                                    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(1500,1900,0,1,7,5,PID,NULL,NULL),(1900,1950,0,1,7,5,PID,NULL,1),"
                                    "(0,0,0,1,7,9,PID,1,1);"))
        self.assertEqual(ours.paths("gpu"), [("cudaGraphLaunch", "[kernel without a name]"), ("cudaGraphLaunch", "k")])
        self.assertEqual((ours.meta["duration_ns"], ours.left_out()), ("1200", 1))

    def test_every_table_is_taken_or_counted(self):
        tables = {"CUDA_UM_CPU_PAGE_FAULT_EVENTS": "start INTEGER", "GPU_METRICS": "rawTimestamp INTEGER", "NEW_EVENTS_OF_2030": "timestamp INTEGER",
                  "GPU_CONTEXT_SWITCH_EVENTS": "timestamp INTEGER", "OSRT_API": "start INTEGER"}
        script = "".join("CREATE TABLE %s(%s); INSERT INTO %s VALUES(1),(2),(3);" % (name, column, name) for name, column in tables.items())
        script += ("CREATE TABLE ENUM_X(id INTEGER, name TEXT); INSERT INTO ENUM_X VALUES(1,'a');"
                   "CREATE TABLE MPI_START_WAIT_EVENTS(start INTEGER, end INTEGER, globalTid INTEGER, textId INTEGER);"
                   "INSERT INTO MPI_START_WAIT_EVENTS VALUES(3000,3500,TID,3),(3000,3500,TID,3);")
        ours = Imported(self.export(self.CALLS + script))
        self.assertEqual({name[16:]: count for name, count in ours.quality.items() if name.startswith("import_left_out")},
                         {"cuda_um_cpu_page_fault_events": 3, "gpu_metrics": 3, "new_events_of_2030": 3, "gpu_context_switch_events": 3,
                          "calls_of_the_system": 3, "repeated_rows_of_a_call": 1})
        self.assertEqual(ours.totals("host"), {"cudaGraphLaunch": 200, "[call without a name]": 200, "MPI_Waitall": 500})

    def test_tables_of_any_name(self):
        """Names that SQL must quote, columns with times of other names."""
        script = ('CREATE TABLE "MY-EVENTS ""2"""(start INTEGER); INSERT INTO "MY-EVENTS ""2""" VALUES(1),(2);'
                  "CREATE TABLE FECS_EVENTS(tsNs INTEGER); INSERT INTO FECS_EVENTS VALUES(1);"
                  "CREATE TABLE \"SELECT\"(globalTimestamp INTEGER); INSERT INTO \"SELECT\" VALUES(1),(2),(3);")
        ours = Imported(self.export(self.CALLS + script))
        self.assertEqual({name[16:]: count for name, count in ours.quality.items() if name.startswith("import_left_out")},
                         {"events_of_tables_with_odd_names": 2, "fecs_events": 1, "select": 3})

    def test_null_is_no_number(self):
        """A thread, a device and an end that are unknown are not those with the number 0."""
        kernels = ("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(WORK, demangledName INTEGER);"
                   "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(1500,1900,0,1,7,5,PID,1),(1900,1950,NULL,1,7,5,PID,1),(1950,1970,-1,1,7,5,PID,1);")
        names = ("CREATE TABLE ThreadNames(globalTid INTEGER, nameId INTEGER); INSERT INTO ThreadNames VALUES(TID,NULL);"
                 "CREATE TABLE PROCESSES(pid INTEGER, name TEXT); INSERT INTO PROCESSES VALUES(1000,'prog'),(1000,NULL);")
        syncs = ("CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION(start INTEGER, end INTEGER, globalPid INTEGER);"
                 "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES(2050,2060,PID),(2050,NULL,PID),(-9223372036854775807,9223372036854775807,PID);")
        calls = "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(1250,NULL,TID,2,8);"
        ours = Imported(self.export(self.CALLS + calls + kernels + names + syncs))
        self.assertEqual((ours.metric("gpu"), ours.thread_names(), ours.process_names()), (400, set(), {"prog"}))
        self.assertEqual(len(list(ours.rows(support.SYNCS))), 1)
        self.assertEqual({name[16:]: count for name, count in ours.quality.items() if name.startswith("import_left_out")},
                         {"gpu_work_without_a_device": 2, "events_without_a_time": 2, "calls_without_an_end": 1})

    def test_processes_with_the_same_ids(self):
        """Two processes have the same correlation ids, devices, contexts and streams at the same time."""
        script = ("CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER, correlationId INTEGER);"
                  "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(WORK, demangledName INTEGER);"
                  "CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, globalTid INTEGER, text TEXT);"
                  "CREATE TABLE TARGET_INFO_GPU(id INTEGER, name TEXT); CREATE TABLE TARGET_INFO_CUDA_DEVICE(gpuId INTEGER, cudaId INTEGER, pid INTEGER);")
        for rank in (0, 1):
            pid = (1000 + rank) << 24
            script += ("INSERT INTO NVTX_EVENTS VALUES(900,3000,59,%d,'rank%d');" % (pid + 7, rank) +
                       "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(1000,1200,%d,2,5);" % (pid + 7) +
                       "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(1500,%d,0,1,7,5,%d,1);" % (1600 + rank, pid) +
                       "INSERT INTO TARGET_INFO_GPU VALUES(%d,'G%d'); INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES(%d,0,%d);" % (rank, rank, rank, 1000 + rank))
        ours = Imported(self.export(script))
        self.assertEqual(ours.values("gpu"), {("rank0", "cudaGraphLaunch", "k"): 100, ("rank1", "cudaGraphLaunch", "k"): 101})
        self.assertEqual(ours.busy(), {1: 100, 2: 101})

    def test_many_processes_see_many_devices(self):
        """40 processes see all 8 GPUs; the last one sees the sixth as its first."""
        script = ("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(WORK, demangledName INTEGER); CREATE TABLE TARGET_INFO_GPU(id INTEGER, name TEXT, uuid TEXT);"
                  "CREATE TABLE TARGET_INFO_CUDA_DEVICE(gpuId INTEGER, cudaId INTEGER, pid INTEGER);")
        script += "".join("INSERT INTO TARGET_INFO_GPU VALUES(%d,'G%d','uuid-%d');" % (gpu, gpu, gpu) for gpu in range(8))
        seen = [(gpu, gpu, 2000 + rank) for rank in range(40) for gpu in range(8)] + [(5, 0, 3000)]
        script += "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES %s;" % ",".join(map(str, seen))
        script += "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(1500,1600,0,1,7,5,%d,1),(1700,1900,5,1,7,5,%d,1);" % (3000 << 24, 2039 << 24)
        ours = Imported(self.export(self.CALLS + script))
        self.assertEqual(ours.busy(), {1: 300})
        self.assertEqual({lane["gpu"] for lane in json.loads(ours.report("--json"))["wall"]["lanes"]}, {5})

    def test_facts_of_many_devices(self):
        """The version of the driver is looked up once, not for each device."""
        script = ("CREATE TABLE TARGET_INFO_GPU(id INTEGER, name TEXT); CREATE TABLE TARGET_INFO_SYSTEM_ENV(name TEXT, value TEXT);"
                  "INSERT INTO TARGET_INFO_GPU WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i<20000) SELECT i, 'G' FROM n;"
                  "INSERT INTO TARGET_INFO_SYSTEM_ENV WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i<20000) SELECT 'x', i FROM n;"
                  "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES('NvDriverVersion','570.1');")
        path = self.export(self.CALLS + script)
        begin = time.monotonic()
        Imported(path)
        self.assertLess(time.monotonic() - begin, 5)

    def test_versions_of_older_exports(self):
        self.assertIn("2021.2.4 (SQLite export 2.7.1)", Imported(self.export(self.CALLS, "EXPORT_META_DATA")).meta["imported_from"])

    def test_export_without_a_gpu(self):
        self.assertIn("--trace=cuda,nvtx", refused(self.export("CREATE TABLE OSRT_API(start INTEGER);")))
        self.assertIn("nothing", refused(self.export("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(WORK, demangledName INTEGER);")))

    def test_traces_of_rocm_profile_data(self):
        path = os.path.join(self.folder.name, "trace.rpd")
        db = sqlite3.connect(path)
        db.executescript("CREATE TABLE rocpd_string(id INTEGER, string TEXT); CREATE TABLE rocpd_api(id INTEGER); CREATE TABLE rocpd_op(id INTEGER);")
        db.close()
        self.assertIn("rocprofv3", refused(path))
        db = sqlite3.connect(path)
        db.executescript("CREATE VIEW top AS SELECT * FROM rocpd_op;")
        db.close()
        self.assertIn("rocprofv3", refused(path))

    def test_ranges_that_overlap(self):
        ours = Imported(self.export(self.CALLS + "CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, globalTid INTEGER, text TEXT);"
                                    "INSERT INTO NVTX_EVENTS VALUES(1100,1800,59,TID,'r1'),(1700,2100,59,TID,'r2');"))
        self.assertEqual(ours.totals("host"), {"cudaGraphLaunch": 200, "r1": 700, "r2": 400, "[call without a name]": 200})
        self.assertEqual(ours.metric("host"), 1200)


class Other(Files):
    def test_hints(self):
        tar = b"trace.json".ljust(257, b"\0") + b"ustar\x0000" + bytes(1000)
        for data, hint in ((b"PK\x03\x04xx", "zip"), (b"\xfd7zXZ\0xx", "xz -dk"), (b"\x28\xb5\x2f\xfdxx", "zstd -dk"), (tar, "tar archive"),
                           (gzip.compress(tar), "tar archive"), (b"BZh91AY&SYxxxx", "bzip2"), (b"# callgrind format\nversion: 1\n", "callgrind"),
                           (b"events: Ir\nfl=a.c\nfn=main\n16 400\n17 2\n", "callgrind"), (b"version: 1\nfn=main\n16 400\n", "callgrind"),
                           (b"PERFILE2" + bytes(50), "perf script"), (b"memray\0" + bytes(9), "no time"), (b"HCAT" + bytes(60), "replay --gecko"),
                           (marshal.dumps({("a.py", 1, "f"): (1, 1, 0.5, 0.5, {})}), "cProfile"),
                           (b"\n\x04\x08\0\x10\0\n\x84\0\x08\1", "traceconv"),
                           (b'{"alloc_samples": 0, "elapsed_time_sec": 1.5, "files": {}}', "scalene"),
                           (b'{"files": {"a.py": {"lines": [{"n_cpu_percent_python": 1}]}}}', "scalene"),
                           (b'{"total_num_allocations": 5, "top_locations_by_size": []}', "memray"), (b"MOJ\x03abc", "mojo2austin"), (b"one\ntwo\nthree 3\n", "--from")):
            self.assertIn(hint, refused(self.file(data)))


if __name__ == "__main__":
    unittest.main()
