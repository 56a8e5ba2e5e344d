#!/usr/bin/env python3
"""Measures the GPU side of gprof-x against its bars, with torch.profiler beside it, and prints a table.

  bench_gpu.py --gprofx BUNDLE/bin/gprof-x --python PYTHON [--runs 9] [--seconds 540] [launch] [fast] [gpu] [end]

launch: launch-bound training at about 6,000 launches a second; fast: the same as fast as the host can; gpu: GPU-bound training (16 ms steps); end: the end of a job of 500,000 kernels. Ratios of time per
step to the bare run of the same round (bare and recorded runs are interleaved): median, smallest and largest. When the time is over
the table has what was measured until then. All single figures go to bench.json in --out.
"""
import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path[:0] = [HERE, os.path.join(HERE, "..", "gpu")]

import processes  # noqa: E402
from gpu_profile import GpuProfile  # noqa: E402
from suite import missing_gpu, read_facts  # noqa: E402

FAST = ["--steps", "300", "--warmup", "10"]
LAUNCH_BOUND = ["--steps", "80", "--warmup", "5", "--python-rounds", "1400"]
GPU_BOUND = ["--layers", "2", "--dim", "4096", "--length", "1024", "--steps", "150", "--warmup", "10"]
MEMORY = ("RssAnon", "RssShmem", "RssFile", "VmHWM")
rows, figures = [], []


def say(what, figure, bar, beside=""):
    rows.append((what, figure, bar, beside))
    print("%-52s %-34s %-10s %s" % (what, figure, bar, beside), flush=True)


class Budget:
    def __init__(self, seconds):
        self.end = time.monotonic() + seconds

    def left(self):
        return self.end - time.monotonic()

    def part(self, share):
        return Budget(max(0.0, self.left() * share))


class Watch:
    """Largest memory figures of the processes of a session that run `program`, asked four times a second."""

    def __init__(self, marker):
        self.marker, self.peak, self.next = marker.encode(), {}, 0.0

    def __call__(self, session):
        if time.monotonic() >= self.next:
            self.next = time.monotonic() + 0.25
            for pid in processes.members(session):
                self.look(pid)
        return False

    def look(self, pid):
        try:
            with open("/proc/%d/cmdline" % pid, "rb") as file:
                words = file.read().split(b"\0")
            if b"record" in words[:3] or not any(w.endswith(self.marker) for w in words):
                return
            with open("/proc/%d/status" % pid) as file:
                for line in file:
                    name, _, value = line.partition(":")
                    if name in MEMORY:
                        self.peak[name] = max(self.peak.get(name, 0), int(value.split()[0]))
        except (OSError, ValueError, IndexError):
            pass


class Lab:
    """Runs of one program in several ways."""

    def __init__(self, o, folder):
        self.o, self.folder, self.runs = o, folder, 0

    def profile_path(self):
        return os.path.join(self.folder, "p.gprofx")

    def run(self, command, budget, marker):
        """Facts that the program wrote, with its memory under "memory"; {} when it failed."""
        self.runs += 1
        path = os.path.join(self.folder, "facts-%d" % self.runs)
        watch = Watch(marker)
        env = {**os.environ, "WORKLOAD_FACTS": path, "PYTHONDONTWRITEBYTECODE": "1"}
        ended = processes.run(command, min(150, budget.left()), env, self.folder, while_running=watch)
        facts = read_facts(path) if ended.status == 0 else {}
        if ended.status != 0:
            with open(os.path.join(self.o.out, "bench-failures.txt"), "a") as file:
                file.write(ended.text())
        if facts:
            facts["memory"] = watch.peak
            facts["after_s"] = time.time() - os.path.getmtime(path)
        figures.append({"command": command[-12:], "status": ended.status, "wall_s": ended.seconds, **without_names(facts)})
        with open(os.path.join(self.o.out, "bench.json"), "w") as file:
            json.dump(figures, file)
        return facts

    def train(self, way, arguments, budget):
        command = [self.o.python, os.path.join(self.o.scripts, "train.py"), *arguments]
        if way == "gprof-x":
            command = [self.o.gprofx, "record", "-q", "-o", self.profile_path(), "--", *command]
        elif way != "bare":
            command += ["--profiler", way]
        return self.run(command, budget, "train.py")


def without_names(facts):
    return {k: v for k, v in facts.items() if k != "kernels"}


def rounds(lab, arguments, budget, runs, peer_runs):
    """Facts of each way, one entry for each round; a round is bare, gprof-x and, now and then, the peers."""
    found = {"bare": [], "gprof-x": [], "torch": [], "torch_stack": []}
    longest = 0.0
    for i in range(runs):
        peers = [w for w in ("torch", "torch_stack") if i * peer_runs // runs != (i - 1) * peer_runs // runs or i == 0]
        begin = time.monotonic()
        for way in ("bare", "gprof-x", *(peers if peer_runs else ())):
            found[way].append(lab.train(way, arguments, budget) if budget.left() > 10 else {})
        for way in set(found) - {"bare", "gprof-x", *(peers if peer_runs else ())}:
            found[way].append({})
        longest = max(longest, time.monotonic() - begin)
        if budget.left() < longest:
            break
    return found


def ratios(found, way):
    return [f["ms"] / b["ms"] for f, b in zip(found[way], found["bare"]) if f.get("ms") and b.get("ms")]


def spread(values, form="%.3f"):
    if not values:
        return "not measured"
    return (form + " (" + form + " to " + form + ", %d runs)") % (statistics.median(values), min(values), max(values), len(values))


def peers_text(found):
    return "torch.profiler %s; with_stack %s" % (spread(ratios(found, "torch")), spread(ratios(found, "torch_stack")))


def slowdown(lab, what, arguments, bar, budget):
    """The rows of one kind of training; the last profile stays at lab.profile_path()."""
    found = rounds(lab, arguments, budget, lab.o.runs, lab.o.peer_runs)
    bare = [f["ms"] for f in found["bare"] if f.get("ms")]
    say("%s, %.2f ms a step bare" % (what, statistics.median(bare) if bare else 0.0), spread(ratios(found, "gprof-x")), bar,
        peers_text(found))
    memory(what, found)
    return statistics.median(bare) if bare else 0.0


def memory(what, found):
    def difference(name):
        pairs = [(f["memory"][name] - b["memory"][name]) / 1024 for f, b in zip(found["gprof-x"], found["bare"])
                 if name in f.get("memory", {}) and name in b.get("memory", {})]
        return "%.0f" % statistics.median(pairs) if pairs else "?"
    say(what + ": memory of the target, MB more", "peak %s (anonymous %s, shared %s, files %s)" %
        tuple(difference(n) for n in ("VmHWM", "RssAnon", "RssShmem", "RssFile")), "<= 150")


def profile_rows(lab, what, ms, steps):
    """What gprof-x itself says in its last profile."""
    if not os.path.exists(lab.profile_path()):
        return
    profile = GpuProfile(lab.profile_path())
    kernels = profile.operations()["kernel"]
    median = profile.quality.get("gpu_launch_median_ns", 0)
    say(what + ": a launch, application's thread, median", "%.2f us" % (median / 1e3), "<= 1.5 us",
        "%.0f kernels a step, %.0f a second bare" % (kernels / steps, 1e3 * kernels / steps / ms if ms else 0))
    received, attributed, unattributed, dropped = profile.pc_accounts()
    say(what + ": PC samples dropped", "%d of %d, %d times full" % (dropped, received, profile.quality.get("gpu_pc_buffer_full", 0)),
        "0", "attributed %d, not %d; period 2^%s" % (attributed, unattributed, profile.meta.get("gpu_pc_period", "?")))
    profile.close()


def launch(lab, budget):
    ms = slowdown(lab, "launch-bound training", LAUNCH_BOUND, "<= 1.15", budget)
    profile_rows(lab, "launch-bound", ms, 85)


def fast(lab, budget):
    ms = slowdown(lab, "launch-bound training, full speed", FAST, "", budget.part(0.9))
    profile_rows(lab, "full speed", ms, 310)
    if budget.left() > 20 and lab.o.peer_runs:
        command = [lab.o.python, os.path.join(lab.o.scripts, "train.py"), "--steps", "100", "--profiler", "torch", "--key-averages"]
        facts = lab.run(command, budget, "train.py")
        if facts:
            say("torch.profiler key_averages()", "", "", "%.1f s for %d events" % (facts["key_averages_s"], facts["events"]))


def gpu(lab, budget):
    calibrated = processes.run([lab.o.python, os.path.join(lab.o.scripts, "train.py"), *GPU_BOUND, "--calibrate", "16"],
                               min(90, budget.left()))
    batch = calibrated.out.strip() if calibrated.status == 0 and calibrated.out.strip().isdigit() else "8"
    ms = slowdown(lab, "GPU-bound training, batch %s" % batch, [*GPU_BOUND, "--batch", batch], "<= 1.03", budget)
    profile_rows(lab, "GPU-bound", ms, 160)


def end(lab, budget):
    o = lab.o
    seconds = max(5, min(o.end_seconds, int(budget.left() - 30)))
    command = [os.path.join(o.programs, "many_launches"), "125000", "4", str(500000 // seconds)]
    facts = lab.run([o.gprofx, "record", "-q", "-o", lab.profile_path(), "--", *command], budget, "many_launches")
    if not facts:
        say("file written after 500,000 kernels", "failed", "<= 3 s")
        return
    say("file written after 500,000 kernels in %.0f s" % facts["seconds"], "%.2f s" % facts["after_s"], "<= 3 s",
        "%.1f MB" % (os.path.getsize(lab.profile_path()) / 1e6))
    times, most = [], 0
    for _ in range(7):
        took, status, kilobytes = report_top(lab)
        if status == 0:
            times.append(1e3 * took)
            most = max(most, kilobytes)
    say("report --top on it", spread(times, "%.0f") + " ms, %.0f MB" % (most / 1024), "<= 200 ms")
    profile = GpuProfile(lab.profile_path())
    say("kernels recorded of 500,000", str(profile.operations()["kernel"]), "500000",
        "median %.2f us a launch" % (profile.quality.get("gpu_launch_median_ns", 0) / 1e3))
    profile.close()


def report_top(lab):
    """(seconds, status, peak kilobytes) of one report."""
    begin = time.monotonic()
    with open(os.devnull, "r+b") as null:
        pid = os.posix_spawn(lab.o.gprofx, [lab.o.gprofx, "report", "--top", lab.profile_path()], os.environ,
                             file_actions=[(os.POSIX_SPAWN_DUP2, null.fileno(), n) for n in (0, 1, 2)])
        _, status, usage = os.wait4(pid, 0)
    return time.monotonic() - begin, status, usage.ru_maxrss


def folder_of(*candidates):
    return next((os.path.abspath(c) for c in candidates if os.path.isdir(c)), os.path.abspath(candidates[0]))


def parse():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("names", nargs="*", choices=("launch", "fast", "gpu", "end", []), metavar="launch|fast|gpu|end")
    p.add_argument("--gprofx", default=os.environ.get("GPROFX", "gprof-x"))
    p.add_argument("--python", default=sys.executable, help="Python with PyTorch")
    p.add_argument("--programs", default=os.path.join(HERE, "workloads"), help="folder of the CUDA programs")
    p.add_argument("--scripts", default=folder_of(os.path.join(HERE, "workloads"), os.path.join(HERE, "../workloads/gpu")))
    p.add_argument("--out", default=os.environ.get("OUT", "."))
    p.add_argument("--runs", type=int, default=9, help="bare and recorded runs of each training")
    p.add_argument("--peer-runs", type=int, default=3, help="runs of torch.profiler; 0 = without")
    p.add_argument("--end-seconds", type=int, default=60, help="length of the job of 500,000 kernels")
    p.add_argument("--seconds", type=float, default=540, help="time for everything")
    return p.parse_args()


def main():
    o = parse()
    if not shutil.which(o.gprofx):
        print("there is no program %s; give --gprofx" % o.gprofx, file=sys.stderr)
        return 2
    o.gprofx, o.out = os.path.abspath(shutil.which(o.gprofx)), os.path.abspath(o.out)
    os.makedirs(o.out, exist_ok=True)
    missing = missing_gpu(o.python)
    if missing:
        print(missing)
        return 77
    budget = Budget(o.seconds)
    names = o.names or ["launch", "fast", "gpu", "end"]
    # What each part gets of the time that is left when it starts.
    weight = {"launch": 4.0, "fast": 3.0, "gpu": 4.0, "end": 2.5}
    print("%-52s %-34s %-10s %s" % ("what", "gprof-x", "bar", "beside it, same run"))
    with tempfile.TemporaryDirectory(prefix="gprof-x-bench-", ignore_cleanup_errors=True) as folder:
        lab = Lab(o, folder)
        for i, name in enumerate(names):
            part = budget.part(weight[name] / sum(weight[n] for n in names[i:]))
            try:
                globals()[name](lab, part)
            except Exception as error:  # the other parts are still wanted
                say(name, "failed: %s: %s" % (type(error).__name__, error), "")
    print("%d runs in %.0f s" % (lab.runs, o.seconds - budget.left()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
