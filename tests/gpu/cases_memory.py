"""GPU memory: the sums of PyTorch's own allocator, equal to the byte, and what an event costs."""
import json

from suite import case

MEMORY = ("--memory", "yes")


def view_of(t, recorded):
    out = t.gprofx("report", "--json", "--memory", "--phase", "all", recorded.path)
    return json.loads(out.out)["memory"]


@case("memory", "gpu", "torch", limit=120)
def memory(t):
    """Peak, live bytes, reserved bytes and numbers of a training: those of torch.cuda.memory_stats(), exactly."""
    recorded = t.record(t.script("memory.py"), *MEMORY)
    t.expect(recorded, 0)
    theirs = recorded.facts
    profile = t.open(recorded)
    view = view_of(t, recorded)
    rows = {row["allocator"]: row for row in view["allocators"]}
    t.check("framework" in rows, "no block was seen; allocators: %s" % sorted(rows))
    ours = rows["framework"]
    for name, field in (("peak", "peak_bytes"), ("live", "end_bytes"), ("snapshot", "end_bytes"), ("allocations", "allocations"),
                        ("freed", "frees"), ("allocated_bytes", "allocated_bytes"), ("freed_bytes", "freed_bytes"),
                        ("most_reserved", "most_reserved_bytes")):
        t.equal(ours[field], theirs[name], name)
    t.equal(ours["unknown_at_peak_bytes"], 0, "bytes at the peak without a call path")
    t.equal(ours["unmatched_frees"], 0, "frees of what nobody allocated")
    t.equal(profile.quality.get("gpu_memory_dropped", 0), 0, "events dropped")
    t.equal(profile.total("gpu_memory"), theirs["peak"], "the tree at the peak")
    lines = {row["name"].rpartition(".")[2]: row for row in view["rows"]}
    t.equal(lines.get("leak", {}).get("never_freed"), 20, "tensors of leak() that were never freed")
    t.check(lines.get("burst", lines.get("<listcomp>", {})).get("at_peak_bytes", 0) > 0, "burst() has nothing at the peak")
    driver = rows.get("driver", {})
    t.check(driver.get("peak_bytes", 0) >= theirs["most_reserved"], "the driver gave %s bytes" % driver.get("peak_bytes"))
    t.note("peak %d bytes, %d allocations, PyTorch %s" % (ours["peak_bytes"], ours["allocations"], theirs["torch"]))


@case("memory_cost", "gpu", "torch", limit=180)
def memory_cost(t):
    """What a pair of an allocation and its free costs more with --memory yes, in alternating runs: told, and below 10 us."""
    without, with_it = [], []
    for _ in range(3):
        for options, times in (((), without), (MEMORY, with_it)):
            recorded = t.record(t.script("memory.py", "--seconds", 4), "--gpu", "trace", *options)
            t.expect(recorded, 0)
            times.append(recorded.facts["pair_ns"])
    more = sorted(with_it)[1] - sorted(without)[1]
    t.note("a pair takes %.0f ns without and %.0f ns with --memory yes: %.0f ns an event" %
           (sorted(without)[1], sorted(with_it)[1], more / 2))
    t.check(more < 20_000, "an event costs %.0f ns" % (more / 2))
