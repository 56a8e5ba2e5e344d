#!/usr/bin/env python3
"""Reads traces of other tools by itself, imports them with gprof-x, and compares: a table of what differs.

usage: check_import.py GPROFX TRACE...        (.json, .json.gz, .sqlite, .sqlite.zst, perf script as .txt)

Kernels by name, device and stream; copies by direction and bytes; memsets; host time by thread, as the union of spans; calls by
name; waits, as unions; annotations; samples and periods. All of it as multisets, to the nanosecond. Shares no code with gprof-x: the
profile is read as `gprof-x export --to sqlite-flat` has it. Exit status 1 if anything differs that the import did not count.
"""
import collections
import decimal
import gzip
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

Counter = collections.Counter
WAITS = re.compile(r"(cu|hip).*Synchronize$|(cu|hip)(?!.*Async).*(Memcpy|Memset)|(cuda|hip)Free$|cuMemFree$")
OURS = {"copy host to device": "HtoD", "copy device to host": "DtoH", "copy device to device": "DtoD", "copy host to host": "HtoH",
        "copy device to another device": "PtoP"}
DIRECTIONS = {1: "HtoD", 2: "DtoH", 8: "DtoD", 9: "HtoH", 10: "PtoP", 11: "HtoD", 12: "DtoH", 13: "DtoD"}


def union(ranges):
    total, end = 0, None
    for begin, stop in sorted(ranges):
        if end is None or begin > end:
            total, end = total + stop - begin, stop
        elif stop > end:
            total, end = total + stop - end, stop
    return total


def bare(call):
    """cudaLaunchKernel_v7000 and cuLaunchKernel_ptsz are calls of the same name for all versions."""
    return re.sub(r"(_ptsz|_ptds)$", "", re.sub(r"_v\d+$", "", call))


def number(word):
    """An id, which some tools write as a text."""
    return int(word) if isinstance(word, str) and word.isdigit() else word


class Facts:
    """What a trace holds, whoever says so."""

    def __init__(self):
        self.kernels, self.copies, self.sets, self.annotations, self.samples = (Counter() for _ in range(5))
        self.host = collections.defaultdict(list)   # (pid, tid): spans
        self.calls = collections.defaultdict(list)  # (pid, tid, name): spans
        self.waits = collections.defaultdict(list)  # (pid, tid): spans

    def call(self, thread, name, span):
        self.host[thread].append(span)
        self.calls[(*thread, name)].append(span)
        if WAITS.match(name):
            self.waits[thread].append(span)

    def sums(self):
        by_name, by_thread = Counter(), Counter()
        for (_, _, name), spans in self.calls.items():
            by_name[name] += union(spans)
        for (_, tid), spans in self.host.items():
            by_thread[tid] += union(spans)
        has_gpu = self.kernels or self.copies or self.sets
        return {"kernels": self.kernels, "copies": self.copies, "memsets": self.sets,
                "host": by_thread, "calls": by_name,
                "waits": Counter({tid: union(spans) for (_, tid), spans in self.waits.items()}) if has_gpu else Counter(),
                "annotations": self.annotations, "samples": self.samples}


def kineto(path):
    def exactly(text):
        return int((decimal.Decimal(str(text)) * 1000).quantize(decimal.Decimal(1), decimal.ROUND_HALF_UP))

    with (gzip.open if path.endswith(".gz") else open)(path, "rt", errors="replace") as file:
        trace = json.load(file, parse_float=str)
    events = trace if isinstance(trace, list) else trace["traceEvents"]
    facts, devices = Facts(), {}
    for event in events:
        if event.get("ph") == "M" and event.get("name") == "process_name" and "/device:GPU:" in str(event["args"].get("name")):
            devices[event["pid"]] = int(event["args"]["name"].split("/device:GPU:")[1].split()[0])
    rows = {(event["pid"], event.get("tid")): event["args"]["name"] for event in events
            if event.get("ph") == "M" and event.get("name") == "thread_name" and "name" in event.get("args", {})}
    begun = collections.defaultdict(list)
    for event in events:
        for key in ("pid", "tid"):
            event[key] = number(event.get(key, 0))
        if event.get("ph") in ("B", "E"):
            open_spans = begun[event["pid"], event["tid"]]
            if event["ph"] == "B":
                open_spans.append(event)
                continue
            event, end = open_spans.pop(), event["ts"]
            event = dict(event, ph="X", dur=decimal.Decimal(str(end)) - decimal.Decimal(str(event["ts"])))
        if event.get("ph") != "X" or "ts" not in event or "dur" not in event:
            continue
        category, name, args = event.get("cat", ""), event["name"], event.get("args", {})
        begin, duration = exactly(event["ts"]), exactly(event["dur"])
        thread, span = (event["pid"], event["tid"]), (begin, begin + duration)
        device, stream = args.get("device", event["pid"]), args.get("stream", event["tid"])
        if event["pid"] in devices:  # JAX
            row = rows.get(thread, "")
            if row.startswith("Stream #"):
                device, stream = devices[event["pid"]], int(re.match(r"\d+", row[8:])[0])
                category = "gpu_memcpy" if "memcpy_details" in args or name.startswith("Memcpy") else "kernel"
                if category == "gpu_memcpy":
                    size = re.search(r"size:(\d+)", args.get("memcpy_details", "")) or [0, 0]
                    args = {"bytes": int(size[1])}
                    name = "Memcpy %sto%s" % (name[6], name[8])
            else:
                continue
        if category in ("kernel", "Kernel"):
            facts.kernels[name, device, stream, duration] += 1
        elif category in ("gpu_memcpy", "Memcpy"):
            facts.copies[name.split()[1], int(args.get("bytes", 0)), duration] += 1
        elif category in ("gpu_memset", "Memset"):
            facts.sets[int(args.get("bytes", 0)), duration] += 1
        elif category in ("cuda_runtime", "cuda_driver", "Runtime"):
            facts.call(thread, bare(name), span)
        elif category == "user_annotation" or (category == "Operator" and re.match(r"(ProfilerStep|Optimizer\.|enumerate\()", name)):
            facts.annotations[name, duration] += 1
            facts.host[thread].append(span)
        elif category not in ("Trace", "overhead", "gpu_user_annotation", "cuda_sync", "cuda_profiler_range", "ac2g"):
            facts.host[thread].append(span)
    return facts


def nsight(path):
    db = sqlite3.connect("file:%s?mode=ro" % path, uri=True)
    tables = {row[0] for row in db.execute("SELECT name FROM sqlite_schema")}
    names = dict(db.execute("SELECT id, value FROM StringIds"))
    facts, shown = Facts(), {}
    if "TARGET_INFO_CUDA_DEVICE" in tables:
        shown = {(pid, cuda): gpu for gpu, cuda, pid in db.execute("SELECT gpuId, cudaId, pid FROM TARGET_INFO_CUDA_DEVICE")}

    def rows(table, columns):
        return db.execute("SELECT %s FROM %s" % (columns, table)) if table in tables else []

    def place(pid, device):
        return shown.get((pid >> 24 & 0xffffff, device), device)

    def thread(tid):
        return tid >> 24 & 0xffffff, tid & 0xffffff

    for begin, end, pid, device, stream, name in rows("CUPTI_ACTIVITY_KIND_KERNEL", "start, end, globalPid, deviceId, streamId, demangledName"):
        if end:
            facts.kernels[names.get(name, ""), place(pid, device), stream, end - begin] += 1
    for begin, end, pid, device, stream, graph in rows("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "start, end, globalPid, deviceId, streamId, graphId"):
        facts.kernels["[CUDA graph %d]" % graph, place(pid, device), stream, end - begin] += 1
    for begin, end, kind, size in rows("CUPTI_ACTIVITY_KIND_MEMCPY", "start, end, copyKind, bytes"):
        facts.copies[DIRECTIONS.get(kind, "?"), size, end - begin] += 1
    for begin, end, size in rows("CUPTI_ACTIVITY_KIND_MEMSET", "start, end, bytes"):
        facts.sets[size, end - begin] += 1
    for begin, end, tid, name in rows("CUPTI_ACTIVITY_KIND_RUNTIME", "start, end, globalTid, nameId"):
        facts.call(thread(tid), bare(names[name]), (begin, end))
    for table in sorted(tables):
        if re.fullmatch(r"(MPI_(P2P|START_WAIT|COLLECTIVES|OTHER)|CUDNN|CUBLAS|OPENACC_(DATA|LAUNCH|OTHER)|UCP(_SUBMIT|_PROGRESS)?)_EVENTS", table):
            column = "textId" if table[:3] in ("MPI", "UCP") else "nameId"
            for begin, end, tid, name in set(rows(table, "start, end, globalTid, " + column)):
                facts.call(thread(tid), names[name], (begin, end))
    columns = {row[1] for row in db.execute("PRAGMA table_info(NVTX_EVENTS)")}
    text_id = "textId" if "textId" in columns else "NULL"
    for begin, end, kind, tid, text, name in rows("NVTX_EVENTS", "start, end, eventType, globalTid, text, " + text_id):
        if kind not in (34, 59, 60) or (end is None and kind != 34):
            continue
        facts.annotations[text or names.get(name, ""), (end or begin) - begin] += 1
        if kind == 59:
            facts.host[thread(tid)].append((begin, end))
    return facts


def perf(path):
    facts = Facts()
    with open(path, errors="replace") as file:
        for line in file:
            found = re.match(r"\s*\S.*?\s+[\d/]+\s+(?:\[\d+\]\s+)?\d+\.\d+:\s+(?:(\d+)\s+)?([^\s].*?):\s*$", line) \
                or re.match(r"\s*\S.*?\s+[\d/]+\s+(?:\[\d+\]\s+)?()([a-z][^\s]*?):\s*$", line)
            if found and not line.startswith("\t") and "PERF_RECORD" not in line:
                event = re.sub(r":[ukhGHDIpPSeW]*$", "", found[2])
                is_clock = re.match(r"(cpu|task)-clock", event) and found[1]
                facts.samples["cpu" if is_clock else "perf_" + event] += int(found[1] or 1)
    return facts


def imported(gprofx, path, folder):
    """What the profile holds, the counters of what was left out, and the line of an import that failed."""
    profile, flat = os.path.join(folder, "p.gprofx"), os.path.join(folder, "flat.sqlite")
    run = subprocess.run([gprofx, "import", "-q", "-o", profile, path], capture_output=True, text=True)
    if run.returncode != 0:
        return None, {}, run.stderr.strip()
    subprocess.run([gprofx, "export", "-q", "--force", "--to", "sqlite-flat", "-o", flat, profile], check=True)
    db = sqlite3.connect(flat)
    facts = Facts()
    for kind, duration, size, gpu, stream, name in db.execute("SELECT kind, duration_ns, bytes, s.gpu, s.number, n.name FROM gpu_work w "
                                                              "LEFT JOIN gpu_stream s ON s.id = w.stream LEFT JOIN gpu_name n ON n.id = w.name"):
        if kind == 0:
            facts.kernels[name, gpu, stream, duration] += 1
        elif kind == 1:
            facts.copies[OURS.get(re.sub("[^a-z ].*", "", name), "?"), size, duration] += 1
        else:
            facts.sets[size, duration] += 1
    sums = facts.sums()
    threads = dict(db.execute("SELECT id, tid FROM thread"))
    for thread, ns in db.execute("SELECT thread, sum(self) FROM value v JOIN metric m ON m.id = v.metric WHERE m.name = 'host' GROUP BY 1"):
        sums["host"][threads[thread]] += ns
    for thread, ns in db.execute("SELECT thread, sum(duration_ns) FROM cuda_call WHERE waits GROUP BY 1"):
        sums["waits"][threads[thread]] += ns
    sums["annotations"] = Counter(tuple(row) for row in db.execute("SELECT name, duration_ns FROM marker"))
    sums["calls"] = inclusive(db)
    for name, value in db.execute("SELECT m.name, sum(self) FROM value v JOIN metric m ON m.id = v.metric WHERE m.name <> 'samples' "
                                  "AND (m.name = 'cpu' OR m.name LIKE 'perf_%') GROUP BY 1"):
        sums["samples"][name] += value
    return sums, dict(db.execute("SELECT name, value FROM quality WHERE name LIKE 'import_%'")), ""


def inclusive(db):
    """Time of host functions with what they call, by name."""
    names = dict(db.execute("SELECT id, name FROM function"))
    up = {row[0]: row[1:] for row in db.execute("SELECT id, parent, function FROM stack")}
    above, sums = {}, Counter()

    def names_of(stack):
        chain = []
        while stack in up and stack not in above:
            chain.append(stack)
            stack = up[stack][0]
        for node in reversed(chain):
            above[node] = above.get(up[node][0], frozenset()) | {names.get(up[node][1])}
        return above.get(chain[0] if chain else stack, frozenset())

    for stack, ns in db.execute("SELECT stack, sum(self) FROM value v JOIN metric m ON m.id = v.metric WHERE m.name = 'host' GROUP BY 1"):
        for name in names_of(stack):
            sums[name] += ns
    return sums


def difference(kind, theirs, ours):
    """The number of rows that differ, and the first of them in words."""
    if kind == "calls":  # other host functions are checked as the union of each thread
        ours = Counter({name: ours[name] for name in theirs})
    keys = [key for key in set(theirs) | set(ours) if theirs[key] != ours[key]]
    if not keys:
        return 0, ""
    first = min(keys, key=str)
    return len(keys), "%s: %d in the trace, %d in the profile" % (str(first)[:60], theirs[first], ours[first])


def check(gprofx, path):
    """True if all is equal, or differs by no more than the import says that it cut or left out."""
    with tempfile.TemporaryDirectory(prefix="gprof-x-check-") as folder:
        shown = os.path.basename(path)
        if path.endswith(".zst"):
            plain = os.path.join(folder, "trace.sqlite")
            subprocess.run(["zstd", "-dqf", path, "-o", plain], check=True)
            path = plain
        reader = nsight if path.endswith(".sqlite") else perf if path.endswith(".txt") else kineto
        try:
            theirs = reader(path).sums()
        except (ValueError, OSError, sqlite3.Error) as error:
            theirs = {}
            print("%s: not read by this checker: %s" % (shown, error))
        ours, counters, error = imported(gprofx, path, folder)
    print("%s\n  %s" % (shown, error or ", ".join("%s %d" % item for item in sorted(counters.items())) or "nothing left out"))
    if error:
        return False
    right = True
    for kind, rows in theirs.items():
        number, first = difference(kind, rows, ours[kind])
        is_time = kind in ("host", "calls")
        cut = counters.get("import_cut_ns", 0)
        is_cut = is_time and 0 < sum(abs(rows[key] - ours[kind][key]) for key in rows) <= 2 * cut
        if rows or ours[kind]:
            told = "equal" if not number else ("%d differ, as said by import_cut_ns" if is_cut else "%d DIFFER") % number
            print("  %-12s %7d rows %16d  %s %s" % (kind, len(rows), sum(rows.values()), told, first))
        right = right and (not number or is_cut)
    return right


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__.split("\n\n")[1])
    results = [check(sys.argv[1], path) for path in sys.argv[2:]]
    print("%d of %d traces are imported exactly" % (sum(results), len(results)))
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
