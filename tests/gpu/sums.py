"""Statements that hold for every profile of a GPU."""
import streams


def check_sums(bench, profile):
    """Sums agree: the tree with the records, the samples with what was received, the wall parts with the run."""
    received, attributed, unattributed, dropped = profile.pc_accounts()
    bench.equal(attributed + unattributed, received, "PC samples attributed + unattributed")
    in_tree = profile.total("gpu_samples")
    bench.check(in_tree in (attributed, received), "PC samples in the tree: %d of %d attributed" % (in_tree, attributed))
    stalls = sum(sum(profile.by_kernel("stall_" + c).values()) for c in
                 ("memory", "shared", "sync", "compute", "frontend", "issue", "other"))
    bench.equal(stalls, sum(profile.by_kernel("gpu_samples").values()), "samples by stall class")
    for counter in ("gpu_bad_records", "gpu_pc_missing"):
        bench.equal(profile.quality.get(counter, 0), 0, counter)
    bench.equal(profile.meta.get("complete"), "yes", "complete")
    parts = profile.wall_parts()
    if bench.check(parts, "there is no partition of the wall time"):
        bench.equal(sum(ns for _, ns in parts), int(profile.meta.get("duration_ns", -1)), "sum of the wall parts")
        bench.check(all(ns >= 0 for _, ns in parts), "a wall part is negative")
    check_records(bench, profile)
    return received, dropped


def check_records(bench, profile):
    try:
        recorded = profile.recorded_ns()
    except streams.Unreadable as reason:
        bench.note("records not compared: %s" % reason)
        return
    bench.equal(profile.total("gpu"), recorded, "GPU time in the tree against the records")


def check_paths(bench, profile):
    """Every kernel and copy has a call path."""
    bare, every = profile.without_path()
    bench.equal(bare, 0, "operations without a call path, of %d" % every)


def check_launches(bench, profile, name, wanted):
    found = profile.by_kernel("gpu_operations").get
    bench.equal(found(name, 0) or sum(v for n, v in profile.by_kernel("gpu_operations").items() if n.startswith(name + "(")),
                wanted, "launches of " + name)


def path_names(profile, kernel):
    """For each node of a kernel: the set of function names above it, without arguments."""
    return [({f.name.split("(")[0] for f in profile.path(node)[:-1]}, {f.kind for f in profile.path(node)}, count)
            for node, count in profile.values("gpu_operations").items()
            if profile.frame_of[node].name.split("(")[0] == kernel]
