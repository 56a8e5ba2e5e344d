#!/usr/bin/env python3
"""gprof-x import on sampled stacks as text, made here: perf script with any of its fields, collapsed stacks, austin."""
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from import_support import Imported, TraceFiles, refused  # noqa: E402


class PerfScript(TraceFiles):
    def test_perf_without_a_time(self):
        for header in ("java 3244 cpu-clock: ", "java 3244/3245 [002] cpu-clock:", "      a b 3244 7000 cpu-clock:u:", "java 3244 cycles: ",
                       "java 1/2 instructions:k:"):
            ours = Imported(self.file("%s\n\t    401000 main+0x5 (/opt/app)\n\n%s\n\t    402000 f (/opt/app)\n" % (header, header)))
            self.assertEqual((ours.metric("samples"), ours.paths("samples")), (2, [("f",), ("main",)]), header)
            self.assertNotIn("duration_ns", ours.meta)
        self.assertEqual(ours.metric("perf_instructions:k"), 2)

    def test_perf_names(self):
        text = ("old 5/5 [000] 1.000000: 1 cycles:\n\t  1000 f() (/opt/App (x86)/a.so (deleted))\n\n"
                "  new 5/5 [000] 1.500000: 2 cycles:\n\t  1000 operator()(int)+0x4 (/opt/b.so)\n\t   2000 [unknown] ([vdso])\n\n"
                "  new 5/5 [000] 1.600000: PERF_RECORD_COMM: newest:5/5\n"
                "  new 5/5 [000] 1.700000: PERF_RECORD_EXIT(5:5):(1:1)\n")
        ours = Imported(self.file(text))
        self.assertEqual(ours.modules(), {"/opt/App (x86)/a.so", "/opt/b.so", "[vdso]"})
        self.assertEqual((ours.thread_names(), ours.process_names()), ({"new"}, {"new"}))
        self.assertEqual((ours.metric("samples"), ours.metric("perf_cycles"), ours.quality["import_left_out_records_of_processes"]), (2, 3, 2))
        self.assertEqual(ours.totals("perf_cycles")["operator()(int)"], 2)

    def test_perf_events_are_not_added_up(self):
        def sample(event, name, period=""):
            return "app 10/10 [000] 5.000100: %s %s:\n\t 401000 %s+0x1 (/opt/app)\n\n" % (period, event, name)
        ours = Imported(self.file(sample("cache-misses", "a", 70) + sample("cycles", "b", 900) + sample("cache-misses", "c", 5) +
                                  sample("sched:sched_switch", "d")))
        self.assertEqual({name: ours.metric("perf_" + name) for name in ("cycles", "cache-misses", "sched:sched_switch")},
                         {"cycles": 900, "cache-misses": 75, "sched:sched_switch": 1})
        self.assertEqual(ours.metric("samples"), 0)
        top = json.loads(ours.report("--top", "--json"))
        self.assertEqual([(row["name"], row["self"]) for row in top["rows"] if row["self"]], [("b", 900)])

    FRAME = "          401000 main+0x5 (/opt/app)"
    STACK = "\n\t          402000 leaf+0x1 (/opt/app)\n\t          401000 main+0x5 (/opt/app)\n\n"

    def test_events_as_written(self):
        """Modifiers make another event; a second CPU clock is not added to the first."""
        text = "".join("app     10 [000]     5.%06d: %10d %s: %s" % (i, period, event, self.STACK) for i, (event, period) in enumerate(
            [("cycles", 100), ("cycles:u", 20), ("cycles:ppp", 3), ("cpu-clock", 1000), ("task-clock", 5000), ("cpu-clock", 500),
             ("cpu-clock:u", 70)]))
        ours = Imported(self.file(text))
        self.assertEqual(ours.metrics(), {"perf_cycles": 100, "perf_cycles:u": 20, "perf_cycles:ppp": 3, "cpu": 1500, "perf_task-clock": 5000,
                                          "perf_cpu-clock:u": 70})
        self.assertEqual(ours.meta["clock"], "cpu")

    def test_many_events(self):
        text = "".join("app     10 [000]     5.%06d: %10d e%d: %s" % (i, i + 1, i, self.STACK) for i in range(1100))
        ours = Imported(self.file(text))
        self.assertEqual(ours.metrics(), {"perf_e%d" % i: i + 1 for i in range(1024)})
        self.assertEqual(ours.quality["import_left_out_samples_of_further_events"], 76)

    def test_fields_before_a_frame(self):
        """addr, data_src, weight, cgroup, flags; with a stack below, no such field is a frame."""
        for fields in ("     7ffd00001234", "     7ffd00001234 [unknown] ([stack])", "      1234          5080021 |OP LOAD|LVL L1 hit|BLK N/A   12",
                       "                0", "  call                 ", " /user.slice/a.scope", "     7ffd00001234              12               3"):
            line = "app     10 [000]     5.000001:     250000 cycles:u: " + fields
            ours = Imported(self.file((line + " " + self.FRAME + "\n") * 2))
            self.assertEqual((ours.totals("perf_cycles:u"), ours.paths()), ({"main": 500000}, [("main",)]), fields)
            ours = Imported(self.file((line + self.STACK) * 2))
            self.assertEqual(ours.paths(), [("main",), ("main", "leaf")], fields)
            self.assertEqual(ours.quality["import_left_out_further_fields"], 2)

    def test_fields_after_a_frame(self):
        """registers, branches, instructions, physical addresses and sources."""
        head = "app     10 [000]     5.000001:     250000 cycles:u: "
        for fields in (" ABI:2    AX:0x1    BX:0xab ", " 0x4010/0x4020/P/-/-/0  0x5/0x6/M/-/-/1 ", " ilen: 3 insn: 48 89 e5", "        1234567 4K 2M",
                       " \t IPC: 1.00 (3/3) ", "        1234567", " => 402000 f+0x0 (/opt/app)"):
            ours = Imported(self.file((head + " " + self.FRAME + fields + "\n") * 2))
            self.assertEqual((ours.totals("perf_cycles:u"), ours.paths(), ours.modules()), ({"main": 500000}, [("main",)], {"/opt/app"}), fields)
            ours = Imported(self.file((head + self.STACK[:-1] + fields + "\n\n") * 2))
            self.assertEqual((ours.paths(), ours.metric("samples")), ([("main",), ("main", "leaf")], 2), fields)
        ours = Imported(self.file(head + "\n\t          401000 main+0x5 (/opt/app)\n  app.c:17\n\n"))
        self.assertEqual((ours.paths(), ours.quality["import_left_out_further_fields"]), ([("main",)], 1))

    def test_fields_that_are_absent(self):
        """The columns tell a thread from a period."""
        for header, who, pid, tid, metrics in (
                ("pool 7 14595 cycles: ", "pool 7", 0, 14595, {"perf_cycles": 2, "samples": 2}),
                ("pool 7     250000 cycles: ", "pool", 0, 7, {"perf_cycles": 500000, "samples": 2}),
                ("app 14595     250000 cycles: ", "app", 0, 14595, {"perf_cycles": 500000, "samples": 2}),
                ("app 14595     250000 cpu-clock: ", "app", 0, 14595, {"cpu": 500000, "samples": 2}),
                ("app  12/13        77 cycles: ", "app", 12, 13, {"perf_cycles": 154, "samples": 2}),
                ("app  12/13    [001] cycles: ", "app", 12, 13, {"perf_cycles": 2, "samples": 2}),
                ("app [001] cycles: ", "app", 0, 0, {"perf_cycles": 2, "samples": 2}),
                ("app U     cycles: ", "app", 0, 0, {"perf_cycles": 2, "samples": 2}),
                ("app     10 K     2026-11-30 12:33:44.123456     5.000001: cycles: ", "app", 0, 10, {"perf_cycles": 2, "samples": 2}),
                ("VM: 1234 VCPU:003 app     10/10 [000]     5.000001: cycles: ", "app", 10, 10, {"perf_cycles": 2, "samples": 2}),
                ("#1 a:b     10/11 [000]     5.000001: cycles: ", "#1 a:b", 10, 11, {"perf_cycles": 2, "samples": 2}),
                ("    250000 cycles: ", None, 0, 0, {"perf_cycles": 500000, "samples": 2}),
                ("    5.000001: cycles: ", None, 0, 0, {"perf_cycles": 2, "samples": 2}),
                ("app     10     5.000001: ", "app", 0, 10, {"perf_unknown": 2, "samples": 2}),
                ("app     10 ", "app", 0, 10, {"perf_unknown": 2, "samples": 2}),
                ("app ", "app", 0, 0, {"perf_unknown": 2, "samples": 2}),
                ("app cycles:u: ", "app", 0, 0, {"perf_cycles:u": 2, "samples": 2}),
                ("", None, 0, 0, {"perf_unknown": 2, "samples": 2})):
            with self.subTest(header):
                ours = Imported(self.file((header + self.STACK) * 2))
                self.assertEqual((ours.metrics(), ours.paths()), (metrics, [("main",), ("main", "leaf")]))
                self.assertEqual(ours.thread_names(), {who} - {None})
                self.assertEqual(ours.db.execute("SELECT pid, tid FROM process p JOIN thread t ON t.process=p.id").fetchall(), [(pid, tid)])

    def test_frames_without_a_stack(self):
        for header in ("app 14595 cycles: ", "            app cycles: ", "app     10     5.000001: ", "    5.000001: cycles: "):
            for end in ("", " 4K"):
                text = header + " " + "401000".rjust(16) + " main+0x5 (/opt/app+0x1000)" + end + "\n"
                ours = Imported(self.file(text * 2))
                self.assertEqual((ours.paths(), ours.modules()), ([("main",)], {"/opt/app"}), header)

    def test_samples_without_a_stack_among_others(self):
        """Of an event with stacks, an address alone is that of data."""
        head = "app     10 [000]     5.000001:     250000 cycles:u: "
        ours = Imported(self.file(head + self.STACK + head + " " + self.FRAME.replace("main", "alone") + "\n" + head + "    7ffd00001234\n\n"))
        self.assertEqual(ours.values("samples"), {("main", "leaf"): 1, ("alone",): 1, (): 1})

    def test_fields_of_this_machine(self):
        """Each choice of fields gives the same sums for each event."""
        data = os.path.join(self.folder.name, "perf.data")
        record = subprocess.run(["perf", "record", "-q", "-e", "cpu-clock:u,task-clock,page-faults", "-c", "500000", "-d", "-g", "--sample-cpu",
                                 "-o", data, "--", sys.executable, "-c", "sum(i * i for i in range(1000000))"],
                                capture_output=True) if shutil.which("perf") else None
        if record is None or record.returncode != 0:
            self.skipTest("perf does not record here")

        def script(*fields):
            run = subprocess.run(["perf", "script", "-i", data, *fields], capture_output=True, text=True, errors="replace")
            return run.stdout if run.returncode == 0 else ""
        sums, counts = {}, {}
        for period, event in re.findall(r"^ *(\d+) +(\S+): *$", script("-F", "period,event"), re.M):
            name = "cpu" if event == "cpu-clock:u" else "perf_" + event
            sums[name] = sums.get(name, 0) + int(period)
            counts["perf_" + event] = counts.get("perf_" + event, 0) + 1
        self.assertGreater(counts.get("perf_task-clock", 0), 50)
        for fields in ((), ("-G",), ("-F", "+addr"), ("-G", "-F", "+addr"), ("-F", "+misc"), ("-F", "+insn,+insnlen"), ("-G", "-F", "+insn,+ipc"), ("--ns",),
                       ("-F", "-time"), ("-F", "comm,period,event,ip,sym"), ("-F", "tid,period,event,ip"), ("-F", "event,period")):
            text = script(*fields)
            with self.subTest(fields):
                if text:
                    self.assertEqual(Imported(self.file(text)).metrics("samples"), sums)
        for fields in ("comm,tid,event,ip,sym", "comm,event,ip,sym", "pid,event,ip,sym", "time,event,ip,sym", "comm,tid,cpu,event,ip,sym,dso"):
            text = script("-F", fields)
            with self.subTest(fields):
                if text:
                    self.assertEqual(Imported(self.file(text)).metrics("samples"), counts)


class Collapsed(TraceFiles):
    def test_values_of_stacks(self):
        for text, scale, sums in (("a;b 3\r\na;c 4\r\n", 1, {"a": 7, "b": 3, "c": 4}), ("a 2\na;b 1.5\na;c 0.125\n", 1000, {"a": 3625, "b": 1500, "c": 125}),
                                  ("a;worker 1 5\nb 3\n", 1, {"a": 5, "worker 1": 5, "b": 3})):
            ours = Imported(self.file(text))
            self.assertEqual((ours.totals("samples"), ours.quality.get("import_scale", 1)), (sums, scale))
            self.assertEqual("values times" in ours.meta["imported_from"], scale != 1)
        self.assertIn("two values", refused(self.file("a;b 10 20\na;c 5 0\n")))
        self.assertIn("no stacks", refused(self.file("a;b 0\na 0\n")))
        self.assertEqual(Imported(self.file("main;job 3 step: 10\nmain;b 2\n")).totals("samples"), {"main": 12, "job 3 step:": 10, "b": 2})

    def test_deep_stacks(self):
        ours = Imported(self.file(";".join("f%d" % i for i in range(5000)) + " 7\nx 1\n"))
        self.assertEqual((ours.metric("samples"), ours.quality["import_left_out_frames_of_deep_stacks"]), (8, 5000 - 4096))

    def test_austin(self):
        head = "# austin: 3.6.0\n# interval: 100\n# mode: %s\n\n"
        stack = "P7;T0:8;/a/b.py:<module>:1;/a/b.py:f:2 "
        ours = Imported(self.file(head % "wall" + stack + "250\n" + stack.replace("P7", "P9") + "50\n# duration: 1\n"))
        self.assertEqual((ours.metric("wall"), ours.totals("wall")), (300000, {"<module>": 300000, "f": 300000}))
        self.assertEqual(sorted(ours.db.execute("SELECT pid FROM process")), [(7,), (9,)])
        self.assertEqual(ours.db.execute("SELECT DISTINCT tid FROM thread").fetchall(), [(8,)])
        ours = Imported(self.file(stack.replace("T0:8", "T0x7f01:0") + "5\n"), "--from", "austin")
        self.assertEqual(ours.db.execute("SELECT tid FROM thread").fetchall(), [(0x7f01,)])
        self.assertIn("f (b.py:2)", ours.report("--tree"))
        self.assertEqual(Imported(self.file(stack + "250\n")).metric("wall"), 250000)
        ours = Imported(self.file(head % "memory" + stack + "4096\n"))
        self.assertEqual(ours.metric("memory"), 4096)
        ours = Imported(self.file(head % "full" + stack + "100,1,0\n" + stack + "30,0,4096\n"))
        self.assertEqual([ours.metric(name) for name in ("wall", "cpu", "memory")], [130000, 30000, 4096])

    def test_threads_of_pythons_own_profiler(self):
        ours = Imported(self.file("tid:11;a.py:main:3;a.py:f:9 5\ntid:12;a.py:main:3 2\n"))
        self.assertEqual((ours.totals("samples"), ours.thread_names()), ({"main": 7, "f": 5}, {"tid:11", "tid:12"}))


    def test_frames_that_begin_with_a_hash(self):
        ours = Imported(self.file("#main;work 3\n# generated on 2026\n#main 2\n# x;y 1\n#\n# duration: 7\na 5\n"))
        self.assertEqual(ours.totals("samples"), {"#main": 5, "work": 3, "# x": 1, "y": 1, "a": 5})
        self.assertEqual(ours.left_out(), 0)

    def test_samples_without_frames(self):
        """py-spy writes them, too."""
        ours = Imported(self.file("a;b 3\n 2\na 1\n  4\n"))
        self.assertEqual((ours.values("samples"), ours.left_out()), ({("a", "b"): 3, ("a",): 1, (): 2}, 1))

    def test_fractions(self):
        """All digits count while the sum has room for them; then values are rounded, and counted."""
        for text, scale, total, rounded in (
                ("a 0.123456789\nb 1\n", 10**9, 1123456789, 0), ("a 1.0000000\nb 2.50\n", 10, 35, 0),
                ("a 0.00000001\nb 0.00000002\n", 10**8, 3, 0), ("a 0.30000000000000004\nb 1\n", 10**15, 1300000000000000, 1),
                ("a 5000000000000000000\nb 0.4\nc 0.5\n", 1, 5000000000000000001, 2),
                ("a 0.125\nb 4000000000000000000\nc 0.75\n", 1, 4000000000000000001, 2)):
            ours = Imported(self.file(text))
            self.assertEqual((ours.quality.get("import_scale", 1), ours.metric("samples"), ours.quality.get("import_rounded_values", 0)),
                             (scale, total, rounded), text)

    def test_frames_that_look_like_austins(self):
        for text, sums in (("P1;T1;main 3\nP1;T2;main 4\n", {"P1": 7, "T1": 3, "T2": 4, "main": 7}),
                           ("P1;Task:run;f 3\nb 4\n", {"P1": 3, "Task:run": 3, "f": 3, "b": 4}),
                           ("P1;T1;a.py:f:3 3\nother 2\n", {"P1": 3, "T1": 3, "f": 3, "other": 2})):
            ours = Imported(self.file(text))
            self.assertEqual((ours.totals("samples"), ours.meta["imported_from"]), (sums, "collapsed stacks"), text)
        ours = Imported(self.file("P1;T1;a.py:f:3 3\nP1;T2 2\n"))
        self.assertEqual((ours.metrics(), ours.meta["imported_from"]), ({"wall": 5000}, "austin"))
        self.assertEqual(sorted(ours.db.execute("SELECT tid FROM thread")), [(1,), (2,)])


if __name__ == "__main__":
    unittest.main()
