"""gprof-x variability as people use it: traces made here with known contents, in all formats; the same bytes for any number of MPI ranks,
threads and any order of files (where mpirun and gprofx-mpi are there); bad files. With GPROFX_SHARED real exports, too."""
import base64
import gzip
import json
import os
import random
import re
import shutil
import sqlite3
import struct
import subprocess
import tempfile
import unittest
import zlib

GPROFX = os.path.abspath(os.environ["GPROFX"])
HELPER = os.path.join(os.path.dirname(os.path.dirname(GPROFX)), "lib", "gprof-x", "gprofx-mpi")
SHARED = os.environ.get("GPROFX_SHARED", "")
TRACES = os.path.join(SHARED, "traces", "nsys")
KERNELS = "CUPTI_ACTIVITY_KIND_KERNEL"
GEMM, REDUCE = "void gemm<float>(float*)", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)"


def run(*args, command=(), columns="80"):
    return subprocess.run([*command, GPROFX, "variability", *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300,
                          env=dict(os.environ, COLUMNS=columns))


def model(*args, status=0):
    done = run("--json", *args)
    assert done.returncode == status, done.stderr
    return json.loads(done.stdout)


def job(ranks, steps, late=None, every=1):
    """For each rank its events (name, start, duration, stream) in ns; `late` sleeps before each all-reduce, or in one of `every` steps."""
    dice = random.Random(7)
    now, events = [1_000_000] * ranks, [[] for _ in range(ranks)]
    marks = [[] for _ in range(ranks)]
    for step in range(steps):
        begins = list(now)
        for rank in range(ranks):
            for _ in range(3):
                ns = int(100_000 * dice.gauss(1, 0.02))
                events[rank].append((GEMM, now[rank], ns, 7))
                now[rank] += ns + 1_500
            now[rank] += dice.randrange(3_000) + (250_000 if rank == late and step % every == 0 else 0)
        last = max(now)
        for rank in range(ranks):
            events[rank].append((REDUCE, now[rank], last + 40_000 - now[rank], 9))
            now[rank] = last + 40_000
            marks[rank].append((step, begins[rank], now[rank] - begins[rank]))
    return events, marks


def kineto(path, rank, events, marks=(), base=1_700_000_000_000_000_000, calls=()):
    """`calls`: (name, start, duration) of the host in ns."""
    def us(ns):
        return "%d.%03d" % (ns // 1000, ns % 1000)
    rows = []
    for name, start, ns, stream in events:
        more = ', "Collective name": "allreduce", "In msg nelems": 1024, "Process Group Ranks": "[0, 1]"' if "nccl" in name else ""
        rows.append('{"ph":"X","cat":"kernel","name":%s,"pid":0,"tid":%d,"ts":%s,"dur":%s,"args":{"device":0,"stream":%d,'
                    '"grid":[8,1,1],"block":[128,1,1]%s}}' % (json.dumps(name), stream, us(start), us(ns), stream, more))
    for name, start, ns in calls:
        rows.append('{"ph":"X","cat":"cuda_runtime","name":"%s","pid":9,"tid":9,"ts":%s,"dur":%s,"args":{}}' % (name, us(start), us(ns)))
    for number, start, ns in marks:
        rows.append('{"ph":"X","cat":"user_annotation","name":"ProfilerStep#%d","pid":9,"tid":9,"ts":%s,"dur":%s,"args":{}}'
                    % (number, us(start), us(ns)))
    text = ('{"schemaVersion":1,"deviceProperties":[{"id":0,"name":"Test GPU"}],"distributedInfo":{"rank":%d},"baseTimeNanoseconds":%d,'
            '"traceEvents":[%s]}' % (rank, base, ",".join(rows)))
    with (gzip.open if path.endswith(".gz") else open)(path, "wt") as file:
        file.write(text)
    return path


def nsight(path, events, pid=41):
    data = sqlite3.connect(path)
    data.execute("CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT)")
    names = sorted({event[0] for event in events})
    data.executemany("INSERT INTO StringIds VALUES(?,?)", list(enumerate(names, 1)))
    # Columns in another order than NVIDIA's, some not there: they are asked for by name.
    data.execute("CREATE TABLE %s(streamId INT, start INT, deviceId INT, \"end\" INT, globalPid INT, demangledName INT, gridX INT, gridY INT,"
                 "gridZ INT, blockX INT, blockY INT, blockZ INT, correlationId INT)" % KERNELS)
    data.executemany("INSERT INTO %s VALUES(?,?,0,?,?,?,8,1,1,128,1,1,1)" % KERNELS,
                     [(stream, start, start + ns, pid << 24, names.index(name) + 1) for name, start, ns, stream in events])
    data.commit()
    data.close()
    return path


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def ranks(self, count=3, steps=60, **more):
        events, marks = job(count, steps, **more)
        return [kineto(self.path("rank%d.json%s" % (i, ".gz" if i % 2 else "")), i, events[i], marks[i]) for i in range(count)]


class Formats(Folder):
    def test_one_trace_in_two_formats_is_one_result(self):
        events = job(1, 50)[0][0]
        json_model = model("--by", "time", "--shards", "7", kineto(self.path("a.json"), 0, events))
        sql_model = model("--by", "time", "--shards", "7", nsight(self.path("a.sqlite"), events))
        begin, end = events[0][1], max(e[1] + e[2] for e in events)
        counts = [0] * 7
        for event in events:
            counts[min(6, (event[1] - begin) * 7 // (end - begin))] += 1
        for found in (json_model, sql_model):
            self.assertEqual([shard["kernels"] for shard in found["shards"]], counts)
            self.assertEqual(sum(shard["kernel_ns"] for shard in found["shards"]), sum(e[2] for e in events))
            gemm = next(group for group in found["groups"] if group["name"] == GEMM)
            times = sorted(e[2] for e in events if e[0] == GEMM)
            self.assertEqual((gemm["n"], gemm["min_ns"], gemm["max_ns"]), (len(times), times[0], times[-1]))
            self.assertEqual(gemm["median_ns"], (times[74] + times[75]) / 2)
            self.assertTrue(gemm["exact"])

    def test_nsight_may_lack_all_columns_but_times(self):
        events = job(1, 50)[0][0]
        path = nsight(self.path("a.sqlite"), events)
        whole = model("--by", "time", "--shards", "7", path)
        for column in ("deviceId", "streamId", "globalPid"):
            data = sqlite3.connect(path)
            data.execute("ALTER TABLE %s DROP COLUMN %s" % (KERNELS, column))
            data.commit()
            data.close()
            found = model("--by", "time", "--shards", "7", path)
            self.assertEqual([shard["kernels"] for shard in found["shards"]], [shard["kernels"] for shard in whole["shards"]], column)
        data = sqlite3.connect(path)
        data.execute('ALTER TABLE %s DROP COLUMN "end"' % KERNELS)
        data.commit()
        data.close()
        done = run(path)
        self.assertEqual(done.returncode, 2)
        self.assertIn("has no column end in table " + KERNELS, done.stderr)

    def test_nsight_compute(self):
        path = self.path("ncu.csv")
        with open(path, "w") as file:
            file.write('==PROF== Connected\n"ID","Process ID","Kernel Name","Stream","Block Size","Grid Size","Device","CC",'
                       '"gpu__time_duration.sum"\n"","","","","","","","","us"\n')
            for i in range(40):
                file.write('"%d","5","k<a, ""b"">","7","(128, 1, 1)","(8, 2, 1)","0","9.0","%s"\n' % (i, "1,000.5" if i == 9 else "2.5"))
        found = model(path)
        self.assertEqual(found["kernels"], 40)
        group = found["groups"][0]
        self.assertEqual((group["name"], group["grid"], group["median_ns"], group["max_ns"]), ('k<a, "b">', [8, 2, 1], 2500, 1000500))
        self.assertTrue(any("one after another" in note for note in found["notes"]))

    def test_a_shard_is_listed(self):
        events = [list(event) for event in job(1, 50)[0][0]]
        events[40][2] += 900_000
        for event in events[41:]:
            event[1] += 900_000
        path = kineto(self.path("a.json"), 0, events)
        begin, end = events[0][1], max(e[1] + e[2] for e in events)
        shard = min(9, (events[40][1] - begin) * 10 // (end - begin))
        found = model("--by", "time", "--list", str(shard), "--limit", "3", path)["events"]
        self.assertEqual(found["shard"], shard)
        self.assertEqual(len(found["rows"]), 3)
        self.assertEqual((found["rows"][0]["start_ns"], found["rows"][0]["duration_ns"]), (events[40][1] - begin, events[40][2]))
        self.assertIn("most excess in shard %d" % shard, run("--by", "time", "--list", str(shard), path).stdout)

    def test_steps_and_late_rank(self):
        found = model(*self.ranks(late=1))
        self.assertEqual(found["axis"], "step")
        self.assertAlmostEqual(sum(part["share_of_variance"] for part in found["steps"]["parts"]), 1)
        for lane in found["steps"]["lanes"]:
            self.assertAlmostEqual(sum(lane["shares_of_variance"]), 1)
        late = [row for row in found["late"] if row["is_late"]]
        self.assertEqual([found["lanes"][row["lane"]]["name"] for row in late], ["rank 1"])
        self.assertGreater(late[0]["more_idle_ns"], 200_000)
        for columns in ("80", "120"):
            text = run(*self.ranks(late=1), columns=columns)
            self.assertEqual(text.returncode, 0, text.stderr)
            self.assertIn("LATE", text.stdout)
            self.assertLessEqual(max(map(len, text.stdout.split("\n"))), int(columns))


def waiting_job(steps=60):
    """Events, marks and calls of two ranks whose GPUs idle in calls: rank 0 in one of ten steps for 2 ms, rank 1 for a time that varies."""
    files = []
    for rank in range(2):
        events, marks, calls, now = [], [], [], 1_000_000
        for step in range(steps):
            begin, wait = now, (2_000_000 if step % 10 == 9 else 100_000) if rank == 0 else 100_000 + step % 4 * 100_000
            calls.append(("cudaStreamSynchronize" if rank == 0 else "cudaEventSynchronize", now, wait + 50_000))
            calls.append(("cudaLaunchKernel", now + wait - 10_000, 8_000))  # a call that does not wait
            events.append((GEMM, now + wait, 400_000, 7))
            now += wait + 400_000
            marks.append((step, begin, now - begin))
        files.append((events, marks, calls))
    return files


class IdleCauses(Folder):
    def profiles(self, first=0):
        out = []
        for rank, (events, marks, calls) in enumerate(waiting_job()):
            trace = kineto(self.path("t%d.json" % rank), first + rank, events, marks, calls=calls)
            out.append(self.path("t%d.gprofx" % rank))
            subprocess.run([GPROFX, "import", "-o", out[-1], trace], check=True, capture_output=True)
        return out

    def check_shares(self, found):
        names = [part["name"] for part in found["steps"]["parts"]]
        for lane, cause in ((0, "idle.sync.cudaStreamSynchronize"), (1, "idle.sync.cudaEventSynchronize")):
            (row,) = [row for row in found["steps"]["lanes"] if found["lanes"][row["lane"]]["name"] == "rank %d" % lane]
            self.assertAlmostEqual(row["shares_of_variance"][names.index(cause)], 1, places=6)
            self.assertAlmostEqual(sum(row["shares_of_variance"]), 1)
        self.assertAlmostEqual(sum(part["share_of_variance"] for part in found["steps"]["parts"]), 1)
        self.assertEqual(found["steps"]["parts"][-1]["name"], "idle.unexplained")
        self.assertIn("idle: in cudaStreamSynchronize", [part["in_words"] for part in found["steps"]["parts"]])

    def test_a_trace_says_the_same_as_its_profile(self):
        imported = model(*self.profiles())["steps"]
        direct = model(self.path("t0.json"), self.path("t1.json"))
        self.check_shares(direct)
        for part in ("name", "in_words", "median_ns"):  # warm-up is not found alike, so shares differ a little
            self.assertEqual([row[part] for row in direct["steps"]["parts"]], [row[part] for row in imported["parts"]])

    def test_calls_that_wait_are_parts_of_steps(self):
        files = self.profiles()
        self.check_shares(model(*files))
        for columns in (80, 120):
            text = run(*files, columns=str(columns)).stdout
            self.assertIn("idle: in cudaStreamSynchronize", text)
            self.assertRegex(text, "rank 0 +100.0% in cuda")
            self.assertLessEqual(max(map(len, text.split("\n"))), columns)


class SameBytes(Folder):
    def everything(self):
        files = self.ranks() + IdleCauses.profiles(self, 10)
        files.append(nsight(self.path("n.sqlite"), job(1, 300)[0][0]))
        broken = self.path("cut.json.gz")
        with open(files[1], "rb") as whole, open(broken, "wb") as part:
            part.write(whole.read()[:-3000])
        return files + [broken]

    def test_threads_and_order(self):
        files = self.everything()
        expected = run("--json", *files)
        self.assertEqual(expected.returncode, 2)
        self.assertTrue(json.loads(expected.stdout)["partial"])
        self.assertIn("idle.sync.cudaEventSynchronize", expected.stdout)
        for threads in ("1", "2", "7"):
            random.Random(int(threads)).shuffle(files)
            self.assertEqual(run("--json", "--threads", threads, *files, files[0]).stdout, expected.stdout)

    @unittest.skipUnless(shutil.which("mpirun") and os.path.exists(HELPER), "no mpirun, or gprof-x was built without MPI")
    def test_ranks(self):
        files = self.everything()
        expected = run("--json", "--list", "2", *files)
        for ranks in (1, 2, 3, 8, 16):
            random.Random(ranks).shuffle(files)
            done = run("--json", "--list", "2", *files, command=("mpirun", "--oversubscribe", "--allow-run-as-root", "-n", str(ranks)))
            self.assertEqual(done.stdout, expected.stdout, "%d ranks: %s" % (ranks, done.stderr))
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr.count("cut.json.gz"), 1, done.stderr)

    @unittest.skipUnless(shutil.which("mpirun") and os.path.exists(HELPER), "no mpirun, or gprof-x was built without MPI")
    def test_a_mistake_ends_all_ranks(self):
        done = run("--by", "colour", "x", command=("mpirun", "--oversubscribe", "--allow-run-as-root", "-n", "3"))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("option '--by' needs", done.stderr)

    def test_without_the_helper_it_says_so(self):
        copy = self.path("bin/gprof-x")
        os.mkdir(self.path("bin"))
        shutil.copy(GPROFX, copy)
        done = subprocess.run([copy, "variability", "x"], env=dict(os.environ, OMPI_COMM_WORLD_SIZE="4"), capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("mpicc", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1)


class Page(Folder):
    def test_the_page_holds_the_model(self):
        files = self.ranks(late=1, every=3)
        out = self.path("page.html")
        done = run("--html", out, "--by", "time", "--list", "2", *files)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        with open(out) as file:
            page = file.read()
        self.assertNotIn("http", page.replace("http-equiv", ""))
        data = zlib.decompress(base64.b64decode(re.search(r'<script id="data"[^>]*>([^<]*)<', page).group(1)))
        length = struct.unpack("<I", data[:4])[0]
        held = json.loads(data[4:4 + length])
        self.assertEqual(held["model"], model("--by", "time", "--list", "2", *files))
        self.assertEqual(len(held["words"]["groups"]), len(held["model"]["groups"]))
        self.assertEqual([cause["cause"] for cause in held["model"]["step_causes"]], ["late_rank"])
        self.assertEqual(held["words"]["causes"], ["late rank: rank 1"])

    @unittest.skipUnless(shutil.which("chromium"), "no chromium to show the page")
    def test_a_browser_shows_it(self):
        files = self.ranks(late=1, every=3)
        out = self.path("page.html")
        run("--html", out, *files)
        with open(out) as file:
            page = file.read()
        # Each part is opened; what it shows stands in the document at the end.
        script = "<script>window.gprofx.ready.then(() => { for (const tab of ['steps', 'groups', 'findings', 'shards', 'events', 'heat']) window.gprofx.open(tab); window.gprofx.shard(1); });</script>"
        with open(out, "w") as file:
            file.write(page.replace("</body>", script + "</body>"))
        shown = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000", "--dump-dom", "file://" + out],
                               capture_output=True, text=True, timeout=120).stdout
        for part in ("late rank: rank 1", "<canvas", "<polyline", "Shard 1: step 1", "All shards"):
            self.assertTrue(part in shown, part)
        self.assertFalse("this page cannot be shown:" in shown.split("<script")[0])

    @unittest.skipUnless(shutil.which("chromium"), "no chromium to show the page")
    def test_steps_by_cause(self):
        files = IdleCauses.profiles(self)
        out = self.path("page.html")
        run("--html", out, *files)
        with open(out) as file:
            page = file.read()
        with open(out, "w") as file:
            file.write(page.replace("</body>", "<script>window.gprofx.ready.then(() => window.gprofx.open('steps'));</script></body>"))
        shown = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000", "--dump-dom", "file://" + out],
                               capture_output=True, text=True, timeout=120).stdout
        panel = re.search(r'<section id="panel-steps".*?</section>', shown, re.S).group(0)
        table = [[re.sub("<[^>]*>", "", cell) for cell in re.findall("<t[hd].*?</t[hd]>", row, re.S)] for row in re.findall("<tr.*?</tr>", panel, re.S)]
        head, rows = table[0], {row[0]: row for row in table[1:]}
        self.assertEqual(head[:4], ["GPU", "steps", "median", "deviation"])
        self.assertEqual(rows["rank 0"][head.index("idle: in cudaStreamSynchronize")], "100.0%")
        self.assertEqual(rows["rank 1"][head.index("idle: in cudaEventSynchronize")], "100.0%")
        self.assertEqual(rows["rank 1"][head.index("idle: in cudaStreamSynchronize")], "0.0%")
        self.assertEqual(rows["all GPUs"][1], "120")
        self.assertNotIn("idle", head)

    def test_what_makes_no_page(self):
        done = run("--html", "", *self.ranks())
        self.assertEqual(done.returncode, 2)
        self.assertIn("option '--html' needs the name of a file", done.stderr)
        done = run("--html", self.path("x.html"), "--json", *self.ranks())
        self.assertEqual(done.returncode, 2)


class BadInput(Folder):
    def one_line(self, *args, says):
        done = run(*args)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertTrue(any(says in line for line in done.stderr.splitlines()), done.stderr)
        return done

    def test_options(self):
        self.one_line("--shards", "0", says="option '--shards' needs a whole number")
        self.one_line("--by", "rank", "--shards", "4", says="options '--shards' and '--by rank' cannot be combined")
        self.one_line("--threads", "many", says="--threads")
        self.one_line("--list", "x", says="option '--list' needs the number of a shard")
        self.one_line("--by", "time", "--list", "10", kineto(self.path("g.json"), 0, job(1, 20)[0][0]), says="there is no shard 10")

    def test_files(self):
        self.one_line(self.path("nothing"), says="nothing")
        with open(self.path("text"), "w") as file:
            file.write("hello")
        self.one_line(self.path("text"), says="is not a profile and not in a known trace format")
        sqlite3.connect(self.path("other.sqlite")).execute("CREATE TABLE t(a)").connection.commit()
        self.one_line(self.path("other.sqlite"), says="not an export of Nsight Systems")
        events = job(1, 20)[0][0]
        good = kineto(self.path("good.json"), 0, events)
        empty = kineto(self.path("empty.json"), 1, [])
        done = run(good, empty)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len([line for line in done.stderr.splitlines() if "contains no GPU work" in line]), 1)
        twin = kineto(self.path("twin.json"), 0, job(1, 21)[0][0])
        self.assertIn("is rank 0, as is", run(good, twin).stderr)
        shutil.copy(good, self.path("copy.json"))
        self.assertIn("contains the same events", run(good, self.path("copy.json")).stderr)
        done = self.one_line(good, self.path("text"), says="is not a profile and not in a known trace format")
        self.assertIn("partial", done.stdout)

    def test_a_clock_an_hour_off(self):
        events, marks = job(2, 60)
        files = [kineto(self.path("r%d.json" % i), i, events[i], marks[i], 1_700_000_000_000_000_000 + i * 3_600_000_000_000)
                 for i in range(2)]
        found = model(*files)
        self.assertEqual(found["clocks"][0]["moved_ns"], -3_600_000_000_000)
        self.assertEqual(found["clocks"][0]["residual_ns"], 0)
        self.assertEqual(found["late"][0]["collectives"], 60)


@unittest.skipUnless(os.path.isdir(TRACES) and shutil.which("zstd"), "no traces in GPROFX_SHARED, or no zstd")
class RealExports(Folder):
    COUNTS = {"nsysai_mfu_2gpu_before": [372, 383, 449, 429, 295, 466, 476, 451, 273, 416],
              "nsysai_mfu_2gpu_after": [476, 332, 382, 454, 268, 384, 322, 252, 430, 287],
              "power_iteration__baseline": [363, 376, 389, 348, 347, 375, 375, 369, 396, 351]}
    SUMS = {"nsysai_mfu_2gpu_before": (270875926 + 264324724, 34 + 986 + 269), "nsysai_mfu_2gpu_after": (237473368 + 251362038, 32 + 872 + 242),
            "power_iteration__baseline": (1131742684, 89)}

    def export(self, name):
        path = self.path(name + ".sqlite")
        subprocess.run(["zstd", "-dqf", os.path.join(TRACES, name + ".sqlite.zst"), "-o", path], check=True)
        os.chmod(path, 0o644)
        return path

    def test_shards_and_totals(self):
        for name, counts in self.COUNTS.items():
            found = model("--by", "time", self.export(name))
            self.assertEqual([shard["kernels"] for shard in found["shards"]], counts)
            self.assertEqual(sum(shard["kernel_ns"] for shard in found["shards"]), self.SUMS[name][0])
            self.assertEqual(found["other_operations"], self.SUMS[name][1])

    def test_slowed_shards_of_a_copy_are_named_first(self):
        path = self.export("power_iteration__baseline")
        data = sqlite3.connect(path)
        begin, end = data.execute("SELECT min(start), max(\"end\") FROM " + KERNELS).fetchone()
        (name,) = data.execute("SELECT demangledName FROM %s GROUP BY 1 ORDER BY count(*) DESC LIMIT 1" % KERNELS).fetchone()
        rows = data.execute("SELECT rowid, start, \"end\" FROM %s WHERE demangledName=?" % KERNELS, (name,)).fetchall()
        slowed = {2, 5, 6}
        for rowid, start, stop in rows:
            if min(9, (start - begin) * 10 // (end - begin)) in slowed:
                data.execute("UPDATE %s SET \"end\"=? WHERE rowid=?" % KERNELS, (start + (stop - start) * 3 // 2, rowid))
        data.commit()
        data.close()
        before = model("--by", "time", self.export("nsysai_mfu_2gpu_before"))
        self.assertEqual(before["effects"] and [e for e in before["effects"] if e["is_finding"] and e["beside"] == "copy"] or [], [])
        found = model("--by", "time", path)
        first = [finding["shard"] for finding in found["findings"][:3]]
        self.assertEqual(set(first), slowed, found["findings"][:6])


if __name__ == "__main__":
    unittest.main()
