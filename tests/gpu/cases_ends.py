"""Every way to end, and 100 times in a row: the program does not notice, and the profile opens."""
import concurrent.futures
import os
import signal
import sqlite3
import time

import processes
from suite import case
from sums import check_launches, check_sums

NATIVE_ENDS = {"return": 5, "exit": 3, "_exit": 4, "abort": 134, "segv": 139, "sigterm": 143, "sigkill": 137}
PYTHON_ENDS = {"return": 0, "sys.exit": 3, "os._exit": 4, "exception": 1, "sigterm": 143, "sigkill": 137}


def native_end(how, status):
    def run(t):
        bare = t.bare(t.program("exits", how, 1500))
        recorded = t.record(t.program("exits", how, 1500))
        t.equal(bare.status, status, "status of the bare run")
        t.same(bare, recorded)
        profile = t.open(recorded)
        check_sums(t, profile)
        kernels = profile.operations()["kernel"]
        t.check(200 <= kernels <= 220, "%d kernels of 200 finished and 20 unfinished ones" % kernels)
        t.note("%d kernels" % kernels)
    run.__doc__ = "A CUDA program that ends by %s." % how
    return run


def python_end(how, status):
    def run(t):
        recorded = t.record(t.script("exits.py", how))
        t.expect(recorded, status, "end: " + how)
        if how == "exception":
            t.check("ValueError: as asked" in recorded.err, "the exception is not on standard error")
        else:
            t.equal(recorded.err, "", "standard error")
        profile = t.open(recorded)
        check_sums(t, profile)
        kernels = profile.operations()["kernel"]
        t.check(kernels >= 400, "%d kernels of at least 400" % kernels)
        t.note("%d kernels" % kernels)
    run.__doc__ = "A PyTorch program that ends by %s." % how
    return run


for _how, _status in NATIVE_ENDS.items():
    case("end_" + _how.replace("_exit", "quick_exit"), "gpu", "programs", limit=30)(native_end(_how, _status))
for _how, _status in PYTHON_ENDS.items():
    case("python_" + _how.replace(".", "_").replace("__", "_"), "gpu", "torch", limit=60)(python_end(_how, _status))


@case("recordings_beside", "gpu", "programs", limit=60)
def recordings_beside(t):
    """Three recordings of one GPU that overlap: each has all of its kernels, one at a time the instruction samples."""
    def recorded(i):
        time.sleep(0.5 * i)
        return t.record(t.program("exits", "return", 1500))
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        runs = list(pool.map(recorded, range(3)))
    samples = []
    for run in runs:
        t.expect(run, NATIVE_ENDS["return"], "end: return")
        profile = t.open(run)
        check_sums(t, profile)
        kernels = profile.operations()["kernel"]
        t.check(200 <= kernels <= 220, "%d kernels of 200 finished and 20 unfinished ones" % kernels)
        samples.append(profile.total("gpu_samples"))
    t.check(any(samples), "nobody has instruction samples")
    t.note("samples: %s" % samples)


@case("illegal_access", "gpu", "programs", limit=40)
def illegal_access(t):
    """An illegal memory access on the GPU: the error passes through unchanged."""
    bare = t.bare(t.program("illegal_access"))
    recorded = t.record(t.program("illegal_access"))
    t.equal(bare.status, 7, "status of the bare run")
    t.same(bare, recorded)
    profile = t.open(recorded)
    check_launches(t, profile, "good_kernel", 20)


@case("kill_gprofx", "gpu", "programs", limit=40)
def kill_gprofx(t):
    """SIGKILL of gprof-x itself: the program goes on to its end, the profile opens."""
    begin = time.monotonic()

    def kill_later(pid):
        if time.monotonic() - begin < 4:
            return False
        os.kill(pid, signal.SIGKILL)
        return True
    recorded = t.record(t.program("many_launches", 20000, 1, 2500), while_running=kill_later, grace=15)
    t.equal(recorded.status, 137, "status of gprof-x")
    # The facts are the last thing that the program writes.
    path = os.path.join(t.folder, "facts-0")
    t.check(os.path.exists(path), "the program did not come to its end")
    profile = t.open(recorded)
    t.equal(profile.meta.get("complete"), "no", "complete")
    kernels = profile.operations()["kernel"]
    t.check(1000 <= kernels < 20000, "%d kernels in the profile" % kernels)
    t.note("%d kernels before the kill" % kernels)


@case("loops", "gpu", "programs", limit=420)
def loops(t):
    """A short CUDA program again and again (--loops): no crash, no hang, same status, every profile opens."""
    def once(i):
        path = os.path.join(t.folder, "loop-%d.gprofx" % i)
        command = [t.options.gprofx, "record", "-q", "-o", path, "--", *t.program("exits", "return")]
        ended = processes.run(command, 60, None, t.folder)
        wrong = "" if (ended.status, ended.out) == (5, "end: return\n") else ended.text()
        if not wrong:
            try:
                db = sqlite3.connect("file:%s?mode=ro" % path, uri=True)
                complete = db.execute("SELECT value FROM meta WHERE name = 'complete'").fetchone()
                wrong = "" if complete == ("yes",) else "not complete"
                db.close()
                os.unlink(path)
            except (sqlite3.Error, OSError) as error:
                wrong = str(error)
        return wrong
    with concurrent.futures.ThreadPoolExecutor(t.options.jobs) as pool:
        def unless_late(i):
            return once(i) if t.left() > 5 else None
        done = [r for r in pool.map(unless_late, range(t.options.loops)) if r is not None]
    bad = [r for r in done if r]
    t.log.extend(bad[:5])
    t.check(len(done) == t.options.loops, "only %d of %d in time" % (len(done), t.options.loops))
    t.check(not bad, "%d of %d went wrong: %s" % (len(bad), len(done), bad[0][:120] if bad else ""))
    t.note("%d times" % len(done))
