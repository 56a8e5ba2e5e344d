"""PyTorch and Triton programs: what torch.profiler shows in a run of its own, we show too; workers, ranks, graphs."""
import json
import os

import compare
from gpu_profile import KERNEL, MARKER
from processes import masked
from suite import case
from sums import check_paths, check_sums

SMALL = ("--steps", 30, "--warmup", 2)
LAUNCH_BOUND = ("--steps", 1000, "--warmup", 2)
GPU_BOUND = ("--layers", 4, "--dim", 2048, "--batch", 32, "--length", 512, "--seconds", 10)


def training(t):
    """One recording of a launch-bound training for several cases."""
    def make():
        recorded = t.record(t.script("train.py", *SMALL))
        t.expect(recorded, 0, "steps 30 done")
        return recorded
    return t.shared("recording of train.py", make)


def ops(counts):
    return {k: counts.get(k, 0) for k in ("kernel", "copy", "set")}


@case("launch_counts", "gpu", "torch", limit=120)
def launch_counts(t):
    """Kernels, copies and sets of a training: as many as torch.profiler counts in a run of its own, all with a path."""
    profile = t.open(training(t))
    theirs = t.bare(t.script("train.py", *SMALL, "--profiler", "torch"))
    t.equal(theirs.status, 0, "status under torch.profiler")
    t.equal(ops(profile.operations()), ops(theirs.facts.get("operations", {})), "operations (ours, torch.profiler's)")
    check_sums(t, profile)
    check_paths(t, profile)
    for counter in ("gpu_records_dropped", "gpu_launches_lost", "gpu_unlaunched", "gpu_stream_full"):
        t.equal(profile.quality.get(counter, -1), 0, counter)
    t.note("%d kernels, median %d ns a launch" %
           (profile.operations()["kernel"], profile.quality.get("gpu_launch_median_ns", -1)))


@case("python_lines", "gpu", "torch", limit=150)
def python_lines(t):
    """The innermost Python line of each launch is the one that torch.profiler's stacks show, for 99 %."""
    profile = t.open(training(t))
    lines = os.path.join(t.folder, "lines.json")
    stacked = t.bare(t.script("train.py", *SMALL, "--profiler", "torch_stack", "--lines-out", lines))
    t.equal(stacked.status, 0, "status under torch.profiler with stacks")
    with open(lines) as file:
        theirs = {}
        for launch in json.load(file):
            theirs[tuple(launch)] = theirs.get(tuple(launch), 0) + 1
    every = sum(theirs.values())
    matched, missing, left = compare.match_lines(theirs, profile.launch_lines())
    t.log.append("missing: %s\nleft: %s\n" % (missing[:50], left[:50]))
    known = sum(n for launch, n in theirs.items() if launch[1])
    t.check(every and known, "torch.profiler shows no stacks")
    t.check(matched >= 0.99 * every, "%d of %d launches agree; first: %s" % (matched, every, missing[:1]))
    t.note("%.2f %% of %d agree, %d of them with a Python frame" % (100.0 * matched / max(1, every), every, known))


@case("gpu_bound", "gpu", "torch", limit=90)
def gpu_bound(t):
    """A GPU-bound training: no sample dropped, shares of samples within 3 points of shares of time."""
    recorded = t.record(t.script("train.py", *GPU_BOUND), "--overhead", "5")
    t.expect(recorded, 0, "done")
    profile = t.open(recorded)
    # Until it is known what limits the job there may be some windows without records.
    counted, traced = (profile.quality.get("gpu_level_%s_ns" % level, 0) for level in ("counted", "traced"))
    t.check(counted <= 0.1 * (counted + traced), "records were made for %.1f of %.1f s" % (traced / 1e9, (counted + traced) / 1e9))
    received, dropped = check_sums(t, profile)
    t.equal(dropped, 0, "PC samples dropped")
    t.equal(profile.quality.get("gpu_pc_buffer_full", 0), 0, "times that the hardware buffer was full")
    t.check(received > 100_000, "only %d PC samples" % received)
    time, samples = profile.by_kernel("gpu"), profile.by_kernel("gpu_samples")
    worst, name = compare.worst_difference(compare.shares(time), compare.shares(samples), compare.largest(time, 10))
    t.check(worst <= 3.0, "samples of %s are %.2f points off its time" % (name[:60], worst))
    t.note("%d samples, within %.2f points, %.1f ms a step" % (received, worst, recorded.facts.get("ms", 0.0)))


@case("budget", "gpu", "torch", limit=150)
def budget(t):
    """With the default budget a launch-bound training has the counts of one in which everything is on, and nearly its times."""
    rows = {}
    for budget in ("none", "5"):
        recorded = t.record(t.script("train.py", *LAUNCH_BOUND), "--overhead", budget)
        t.expect(recorded, 0)
        profile = t.open(recorded)
        t.equal(profile.quality.get("gpu_launches_lost", -1), 0, "launches lost")
        # The last ones of the table change places from run to run.
        top = "20" if budget == "none" else "60"
        report = t.gprofx("report", "--json", "--phase", "all", "--by", "kernel", "--top", top, recorded.path)
        t.equal(report.status, 0, "status of report")
        rows[budget] = {r["name"]: r for r in json.loads(report.out)["rows"]}
    counted, traced = (profile.quality.get("gpu_level_%s_ns" % level, 0) for level in ("counted", "traced"))
    traced = traced / max(1, counted + traced)
    t.check(traced < 0.95, "records were made for %.0f %% of the time: it was not launch-bound" % (100 * traced))
    off_calls, near, inside, worst = compare.estimates(rows["none"], rows["5"])
    # Launches of a path are counted; how many of them took which of several kernels is estimated.
    t.check(not off_calls, "; ".join(off_calls))
    t.check(near >= 0.9 * len(rows["none"]), "only %d of %d within 3 %%" % (near, len(rows["none"])))
    t.note("%.0f %% traced; of %d kernels %d within 3 %%, %d inside their own interval (two runs differ, too), worst %.1f %%" %
           (100 * traced, len(rows["none"]), near, inside, 100 * worst))


@case("triton_lines", "gpu", "torch", "triton", limit=120)
def triton_lines(t):
    """Samples of a Triton kernel are at lines of the .py file; its launches below the Python functions that call it."""
    recorded = t.record(t.script("triton_kernel.py", 2000))
    t.expect(recorded, 0, "4000 calls, right")
    profile = t.open(recorded)
    check_sums(t, profile)
    every = sum(profile.sampled_lines("softmax_rows").values())
    # max and sum are lines of Triton's own library; its compiler gives no chain from there to the kernel's line.
    for ending, share in ((".py", 0.9), ("triton_kernel.py", 0.2)):
        found = profile.samples_through("softmax_rows", ending)
        t.check(every and found >= share * every, "%d of %d samples at lines of %s" % (found, every, ending))
        t.note("%.0f %% at %s" % (100.0 * found / max(1, every), ending))
    for function in ("first_caller", "second_caller"):
        t.equal(launches_below(profile, "softmax_rows", function), 2000, "launches below " + function)


def launches_below(profile, kernel, function):
    return sum(n for node, n in profile.values("gpu_operations").items()
               if profile.frame_of[node].kind == KERNEL and profile.frame_of[node].name.startswith(kernel)
               and any(f.name.rpartition(".")[2] == function for f in profile.path(node)))


@case("compile_graphs", "gpu", "torch", "triton", limit=180)
def compile_graphs(t):
    """torch.compile with CUDA graphs: same result, kernels of the graphs have the path that captured them."""
    bare = t.bare(t.script("compile_graphs.py", 100))
    recorded = t.record(t.script("compile_graphs.py", 100))
    # Not standard error: the compiler warns in the first run only, the second finds its work in a cache.
    t.expect(recorded, bare.status, bare.out.strip())
    profile = t.open(recorded)
    check_sums(t, profile)
    captured = sum(n for node, n in profile.values("gpu_operations").items() if any(f.kind == MARKER for f in profile.path(node)))
    t.check(captured >= 100, "%d kernels with a capture path" % captured)


@case("graph_budget", "gpu", "torch", "triton", limit=180)
def graph_budget(t):
    """Kernels of CUDA graphs take as long with the default budget as with all records, though records are switched off between replays."""
    means = {}
    for budget in ("none", "5"):
        recorded = t.record(t.script("compile_graphs.py", 40000), "--overhead", budget)
        t.expect(recorded, 0)
        report = t.gprofx("report", "--json", "--phase", "all", "--by", "kernel", "--top", "10", recorded.path)
        means[budget] = {r["name"]: r["self"] / max(1, r["calls"]) for r in json.loads(report.out)["rows"]}
    quality = t.open(recorded).quality
    t.check(quality.get("gpu_level_counted_ns", 0) > 0, "records were never switched off")
    worst = max((abs(means["5"][name] / mean - 1) for name, mean in means["none"].items() if name in means["5"]), default=1)
    t.check(worst < 0.2, "a kernel takes %.0f %% more or less" % (100 * worst))
    t.note("worst %.1f %%, %d records left out" % (100 * worst, quality.get("gpu_records_no_end", 0)))


@case("long_kernels", "gpu", "torch", limit=90)
def long_kernels(t):
    """Kernels with records run on while CUPTI would leave: it waits for their end, and the program never fails."""
    recorded = t.record(t.script("long_kernels.py", 20), "--overhead", "5")
    t.expect(recorded, 0, "same")
    counters = t.open(recorded).quality
    t.check(counters.get("gpu_launches_hooked", 0) > 0, "CUPTI never left")
    t.equal(counters.get("gpu_launches_lost", -1), 0, "launches lost")
    t.note("%.0f %% of the launches without CUPTI" % (100 * counters["gpu_launches_hooked"] / counters["gpu_launches"]))


def loader(context):
    def run(t):
        recorded = t.record(t.script("dataloader.py", "--workers", 2, "--context", context))
        bare = t.bare(t.script("dataloader.py", "--workers", 2, "--context", context))
        t.same(bare, recorded, masked)
        t.equal(recorded.out, bare.out, "standard output")
        profile = t.open(recorded)
        check_sums(t, profile)
        t.check(profile.operations()["copy"] >= 64, "copies are missing: %s" % profile.operations())
        (processes,) = profile.rows("SELECT count(*) FROM process")[0]
        t.check(processes >= 3, "only %d processes" % processes)
    run.__doc__ = "A DataLoader with two workers by %s." % context
    return run


case("dataloader_fork", "gpu", "torch", limit=90)(loader("fork"))
case("dataloader_spawn", "gpu", "torch", limit=120)(loader("spawn"))


@case("torchrun", "gpu", "torch", limit=120)
def torchrun(t):
    """torchrun with two processes on one GPU."""
    command = [t.options.python, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2",
               os.path.join(t.options.scripts, "ddp_one_gpu.py")]
    recorded = t.record(command)
    t.expect(recorded, 0, "loss fell")
    profile = t.open(recorded)
    check_sums(t, profile)
    owners = profile.rows("SELECT DISTINCT t.process FROM value v JOIN thread t ON t.id = v.thread "
                          "WHERE v.metric = ? AND v.self > 0", profile.metrics.get("gpu_operations", -1))
    t.equal(len(owners), 2, "processes with kernels")
    t.note("gprof-x said: %s" % (recorded.said.strip().split("\n")[0] or "nothing"))


@case("torch_profiler", "gpu", "torch", limit=90)
def torch_profiler(t):
    """A program that uses torch.profiler runs to its end; we record, and say that it gets no GPU events."""
    recorded = t.record(t.script("uses_torch_profiler.py"))
    t.expect(recorded, 0, "done")
    profile = t.open(recorded)
    t.check(profile.operations()["kernel"] >= 100, "kernels are missing: %s" % profile.operations())
    if recorded.facts.get("gpu_events", 0) == 0:
        said = recorded.said + profile.meta.get("problems", "")
        t.check("profiler" in said.lower(), "nothing is said about torch.profiler")
    t.note("it got %d GPU events" % recorded.facts.get("gpu_events", -1))


@case("torch_profiler_off", "gpu", "torch", limit=90)
def torch_profiler_off(t):
    """--gpu off leaves torch.profiler alone."""
    recorded = t.record(t.script("uses_torch_profiler.py"), "--gpu", "off")
    t.expect(recorded, 0, "done")
    t.check(recorded.facts.get("gpu_events", 0) >= 100, "it got %d GPU events" % recorded.facts.get("gpu_events", -1))
    t.equal(sum(t.open(recorded).operations().values()), 0, "our GPU operations")
