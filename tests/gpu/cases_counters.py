"""FLOP and bytes that counters measure are those that programs are known to do, and agree with what names and launches tell."""
import json
import os
import shutil

from suite import Skip, case

BYTES = 0.05  # parts that measured may be off
KEPT = 50e6   # bytes written that stay in the L2 cache and are not counted
FLOP = 0.03


def has_ncu():
    return shutil.which("ncu") or os.access("/usr/local/cuda/bin/ncu", os.X_OK) or os.path.isdir("/opt/nvidia/nsight-compute")


def kernels(t, path):
    """Rows of A8."""
    run = t.gprofx("analyze", "A8", "A9", "--json", path)
    t.equal(run.status, 0, "status of analyze")
    tables = {table["name"]: table for table in json.loads(run.out)["analyses"]}
    return tables["A8"]["rows"], tables["A9"]["notes"]


def near(t, found, wanted, part, what):
    if t.check(found is not None, what + " is not known"):
        t.check(abs(found - wanted) <= part * wanted, "%s: %.4g instead of %.4g" % (what, found, wanted))
        t.note("%s %+.1f %%" % (what, 100 * (found / wanted - 1)))


@case("counters", "gpu", "torch", limit=300)
def counters(t):
    """record --counters: bytes of elementwise kernels within 5 % of what their names tell, but for what the cache keeps, FLOP of products within 3 % of 2MNK."""
    if not has_ncu():
        raise Skip("there is no ncu")
    by_name = t.record(t.script("known_work.py"))
    t.expect(by_name, 0, "done")
    recorded = t.record(t.script("known_work.py"), "--counters")
    said = recorded.said
    if "doctor" in said:
        raise Skip("ncu may not read counters")
    t.check("measured" in said and "no counters are measured" not in said, "no counters: " + said)
    rows, notes = kernels(t, recorded.path)
    told = {(row["kernel"], row["grid"], row["block"]): row for row in kernels(t, by_name.path)[0]}
    t.check(any(note.startswith("FLOP and bytes: measured") for note in notes), "A9 does not say that it is measured: %s" % notes)
    compared = products = 0
    for row in rows:
        count = max(row["count"], 1)
        name = row["kernel"].split("<")[0][-40:]
        known = told.get((row["kernel"], row["grid"], row["block"]), {})
        if row["work_from"] == "measured" and known.get("bytes") and known["bytes"] / known["count"] > 4e8:
            near(t, row["bytes"] / count + min(KEPT, BYTES * known["bytes"] / known["count"]), known["bytes"] / known["count"], BYTES,
                 "bytes of " + name)
            compared += 1
        if row["family"] == "gemm" and row["work_from"].startswith("measured") and row["mean_ns"] > 50_000:
            near(t, row["flop"] / count, recorded.facts["gemm_flop"], FLOP, "FLOP of " + name)
            products += 1
    t.check(compared >= 2, "only %d elementwise kernels are measured and told by name" % compared)
    t.check(products >= 3, "only %d products are measured" % products)
