"""What is recorded of CUDA programs is right: times, samples, stalls, graphs, copies, views."""
import json

import compare
from gpu_profile import COPY, MARKER
from suite import Skip, case
from sums import check_launches, check_paths, check_sums, path_names
import streams

SPIN_ROUNDS = 300
EXPECTED = {"memory_chase": "memory", "memory_stride": "memory", "compute_fma": "compute", "sync_barrier": "sync"}


def spin(t):
    """One recording of the spin kernels for several cases."""
    def make():
        command = t.program("spin_shares", SPIN_ROUNDS)
        bare, recorded = t.bare(command), t.record(command)
        t.same(bare, recorded)
        return recorded
    return t.shared("recording of spin_shares", make)


def stalls(t):
    def make():
        recorded = t.record(t.program("stalls", "all", 60))
        t.expect(recorded, 0, "all 60")
        return recorded
    return t.shared("recording of stalls", make)


@case("spin_shares", "gpu", "programs", limit=60)
def spin_shares(t):
    """Kernels of 10/20/30/40 %: within 1 point by time, 3 by samples; each below the function that launched it."""
    profile = t.open(spin(t))
    check_sums(t, profile)
    check_paths(t, profile)
    truth = {"spin_%d" % p: float(p) for p in (10, 20, 30, 40)}
    for metric, points in (("gpu", 1.0), ("gpu_samples", 3.0)):
        found = compare.shares({compare.base_name(n): v for n, v in profile.by_kernel(metric).items()})
        worst, name = compare.worst_difference(truth, found, truth)
        t.check(worst <= points, "%s of %s is %.2f points off" % (metric, name, worst))
        t.note("%s within %.2f" % ("time" if metric == "gpu" else "samples", worst))
    for percent in (10, 20, 30, 40):
        kernel = "spin_%d" % percent
        check_launches(t, profile, kernel, SPIN_ROUNDS)
        above = path_names(profile, kernel)
        t.check(above and all("Launch%d" % percent in names for names, _, _ in above), kernel + " is not below its launcher")
    kernels, waited = profile.total("gpu"), profile.total("gpu_wait")
    busy = dict(profile.wall_parts()).get("gpu.compute", 0)
    t.check(abs(busy - kernels) <= 0.01 * kernels, "kernels one after the other take %d ns, the GPU computed %d ns" % (kernels, busy))
    t.check(waited >= 0.5 * kernels, "the host waited %d ns for kernels of %d ns" % (waited, kernels))
    lines = profile.sampled_lines("spin_")
    with_line = sum(v for (file, line), v in lines.items() if file.endswith("spin_shares.cu") and line)
    t.check(with_line >= 0.9 * sum(lines.values()) > 0, "%d of %d samples at a line" % (with_line, sum(lines.values())))


@case("stall_classes", "gpu", "programs", limit=60)
def stall_classes(t):
    """Memory-bound, compute-bound and barrier-bound kernels show the right leading stall class."""
    profile = t.open(stalls(t))
    check_sums(t, profile)
    for kernel, wanted in EXPECTED.items():
        sums = profile.stall_classes(kernel)
        found = compare.leading(sums, ())
        t.equal(found, wanted, "leading class of %s %s" % (kernel, sums))


@case("ncu_stalls", "gpu", "programs", "ncu", limit=150)
def ncu_stalls(t):
    """The leading stall reason of each kernel is the one that ncu's source counters show."""
    profile = t.open(stalls(t))
    ended = t.bare(["ncu", "--clock-control", "none", "--section", "WarpStateStats", "--section", "SourceCounters", "--csv",
                    "--page", "raw", *t.program("stalls", "all", 1)])
    theirs = compare.ncu_reasons(ended.out)
    if not theirs:
        raise Skip("ncu gives no counters here: " + (ended.out + ended.err).strip().rpartition("\n")[2][:100])
    agreed = []
    for kernel in (*EXPECTED, "compute_sfu"):
        wanted = compare.leading(theirs.get(kernel, {}))
        try:
            found = compare.leading(compare.reason_sums(profile.stall_reasons(kernel)))
            t.equal(found, wanted, "leading reason of " + kernel)
        except streams.Unreadable:
            found = compare.leading(profile.stall_classes(kernel), ())
            t.equal(found, compare.class_of(wanted), "leading class of " + kernel)
        agreed.append("%s %s" % (kernel, found))
    t.note(", ".join(agreed))


@case("graph_paths", "gpu", "programs", limit=40)
def graph_paths(t):
    """Kernels of a replayed graph carry the path of the replay and the path of the capture."""
    bare = t.bare(t.program("graph_replay", 500))
    recorded = t.record(t.program("graph_replay", 500))
    t.same(bare, recorded)
    profile = t.open(recorded)
    check_sums(t, profile)
    check_launches(t, profile, "graph_scale", 500)
    check_launches(t, profile, "graph_shift", 1000)
    for kernel, capture in (("graph_scale", "CaptureScale"), ("graph_shift", "CaptureShift")):
        for names, kinds, count in path_names(profile, kernel):
            t.check("ReplayWork" in names, "%d of %s without the replay" % (count, kernel))
            t.check(capture in names and MARKER in kinds, "%d of %s without the capture" % (count, kernel))


@case("copies", "gpu", "programs", limit=40)
def copies(t):
    """Copies and sets are all there, with paths and times."""
    bare = t.bare(t.program("copies", 20))
    recorded = t.record(t.program("copies", 20))
    t.same(bare, recorded)
    profile = t.open(recorded)
    check_sums(t, profile)
    check_paths(t, profile)
    found = profile.operations()
    t.equal((found["copy"], found["set"]), (100, 40), "copies and sets")
    names = profile.by_kernel("gpu_operations", (COPY,))
    for memory in ("pageable", "pinned"):
        t.equal(sum(n for name, n in names.items() if memory in name), 40, "copies of %s memory" % memory)


@case("views", "gpu", "programs", limit=60)
def views(t):
    """report --top, --tree and their JSON on a profile with a GPU."""
    recorded = spin(t)
    top = t.gprofx("report", "--top", recorded.path)
    t.check("spin_40" in top.out, "report --top does not name the kernel")
    tree = t.gprofx("report", "--tree", "--metric", "gpu", recorded.path)
    t.check("spin_40" in tree.out and "Launch40" in tree.out, "report --tree does not show the kernel's path")
    answer = json.loads(t.gprofx("report", "--top", "--phase", "all", "--json", recorded.path).out)
    rows = {compare.base_name(r["name"]): r for r in find_rows(answer) if r["kind"] == "gpu"}
    t.equal(rows.get("spin_40", {}).get("calls"), SPIN_ROUNDS, "calls of spin_40 in JSON")
    t.note("report --top %.0f ms" % (1e3 * top.seconds))


@case("annotate", "gpu", "programs", limit=60)
def annotate(t):
    """annotate KERNEL shows its source lines with samples and stalls."""
    note = t.gprofx("annotate", "spin_40", spin(t).path)
    t.equal(note.status, 0, "status of annotate")
    t.check("spin_shares.cu" in note.out, "annotate does not name the source file")


def find_rows(json_value):
    """Every object with a name and a kind, wherever it stands."""
    rest, found = [json_value], []
    while rest:
        value = rest.pop()
        if isinstance(value, dict):
            if "name" in value and "kind" in value:
                found.append(value)
            rest.extend(value.values())
        elif isinstance(value, list):
            rest.extend(value)
    return found
