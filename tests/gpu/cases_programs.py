"""Programs that are hard on a profiler: threads, modules, contexts, forks, full memory, other tools, no GPU."""
import os
import shutil

from gpu_profile import KERNEL
from processes import masked
from suite import Skip, case
from sums import check_launches, check_paths, check_sums


def same_and_open(t, command, *options, env=None, mask=lambda text: text):
    bare = t.bare(command, env)
    recorded = t.record(command, *options, env=env)
    t.same(bare, recorded, mask)
    return recorded, t.open(recorded)


@case("threads", "gpu", "programs", limit=40)
def threads(t):
    """Four threads launch on their own streams."""
    recorded, profile = same_and_open(t, t.program("many_launches", 5000, 4))
    check_launches(t, profile, "tiny_kernel", 20000)
    check_sums(t, profile)
    check_paths(t, profile)
    owners = {thread for (thread,) in profile.rows("SELECT DISTINCT thread FROM value WHERE metric = ? AND self >= 5000",
                                                   profile.metrics.get("gpu_operations", -1))}
    t.equal(len(owners), 4, "threads that launched 5,000 kernels")
    t.equal(profile.quality.get("gpu_launches_lost", -1), 0, "launches lost")
    t.note("median %d ns a launch" % profile.quality.get("gpu_launch_median_ns", -1))


@case("module_loop", "gpu", "programs", limit=40)
def module_loop(t):
    """Loads and unloads modules in a loop."""
    _, profile = same_and_open(t, t.program("module_loop", 100))
    check_launches(t, profile, "ptx_add", 300)
    check_sums(t, profile)


@case("context_loop", "gpu", "programs", limit=60)
def context_loop(t):
    """Creates and destroys contexts in a loop."""
    _, profile = same_and_open(t, t.program("context_loop", 10))
    check_launches(t, profile, "ptx_add", 100)
    check_sums(t, profile)


@case("fork_after_init", "gpu", "programs", limit=40)
def fork_after_init(t):
    """Forks after CUDA was initialised: the child works on the CPU, the parent goes on."""
    bare = t.bare(t.program("fork_after_init"))
    recorded = t.record(t.program("fork_after_init"))
    t.same(bare, recorded, lambda text: sorted(text.split("\n")))
    profile = t.open(recorded)
    check_launches(t, profile, "parent_kernel", 101)
    check_sums(t, profile)
    child = sum(v for n, v in profile.values("cpu").items() if any(f.name.startswith("ChildWork") for f in profile.path(n)))
    t.check(child > 50e6, "the child's work is not in the profile (%d ns)" % child)


@case("fill_memory", "gpu", "programs", limit=60)
def fill_memory(t):
    """A program that takes nearly all memory of the GPU finds as much as without us."""
    bare = t.bare(t.program("fill_memory", 256))
    recorded = t.record(t.program("fill_memory", 256))
    t.same(bare, recorded)
    t.open(recorded)
    less = bare.facts.get("taken_mb", 0) - recorded.facts.get("taken_mb", 0)
    t.check(less <= 1024, "%d MB less for the program" % less)
    t.note("%d MB less of %d" % (less, bare.facts.get("taken_mb", 0)))


@case("no_gpu_work", "programs", limit=30)
def no_gpu_work(t):
    """A program that is linked with CUDA and never calls it; runs without a GPU too."""
    _, profile = same_and_open(t, t.program("no_gpu_work"))
    t.equal(sum(profile.operations().values()), 0, "operations")
    t.check(profile.total("cpu") > 50e6, "no CPU samples")


@case("no_visible_gpu", "programs", limit=30)
def no_visible_gpu(t):
    """No device: the program says so as it does without us, and its CPU side is recorded."""
    recorded, profile = same_and_open(t, t.program("exits", "return"), env={"CUDA_VISIBLE_DEVICES": ""})
    t.equal(recorded.status, 77, "exit status")
    t.equal(profile.meta.get("complete"), "yes", "complete")


@case("no_driver", "programs", limit=30)
def no_driver(t):
    """A machine without a driver (in a mount namespace where libcuda is hidden): the CPU side is recorded."""
    if not t.options.no_gpu:
        hide = hidden_driver(t)
        if not hide:
            raise Skip("the driver cannot be hidden here")
    else:
        hide = []
    bare = t.bare(hide + t.program("exits", "return"))
    t.equal(bare.status, 77, "status without a driver")
    path = os.path.join(t.folder, "hidden.gprofx")
    ended = t.bare([*hide, t.options.gprofx, "record", "-q", "-o", path, "--", *t.program("exits", "return")])
    t.equal(ended.status, 77, "exit status")
    t.equal(ended.out, bare.out, "standard output")
    t.equal(t.gprofx("report", "--top", path).status, 0, "status of report --top")


def hidden_driver(t):
    """A command prefix that runs the rest where libcuda.so.1 is an empty file; None if that does not work."""
    return hiding(t, "ldconfig -p | sed -n 's/.*libcuda.so.1 .*=> //p'; ls /usr/lib/*/libcuda.so.* /usr/lib64/libcuda.so.* "
                     "/usr/local/nvidia/lib*/libcuda.so.* 2>/dev/null; true")


def hiding(t, listing):
    """A command prefix that runs the rest where the files that a shell command lists are empty; None if that does not work."""
    files = sorted({os.path.realpath(p) for p in t.bare(["sh", "-c", listing]).out.split() if os.path.exists(p)})
    if not files or not shutil.which("unshare"):
        return None
    hide = "; ".join("mount --bind /dev/null '%s' || exit 99" % f for f in files)
    prefix = ["unshare", "-m", "sh", "-c", hide + '; exec "$@"', "sh"]
    return prefix if t.bare(prefix + ["true"]).status == 0 else None


def cupti_files(t):
    """Every libcupti of this machine, of the wheels of Python too."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(t.options.python)))
    listing = "find -L /usr/local/cuda* /usr/lib '%s' -name 'libcupti.so.*' -size +100k 2>/dev/null; true" % folder
    return listing, [p for p in t.bare(["sh", "-c", listing]).out.split() if os.path.exists(p)]


@case("no_cupti", "gpu", "programs", limit=60)
def no_cupti(t):
    """A machine without libcupti: one line says so, the CPU side is recorded."""
    listing, _ = cupti_files(t)
    hide = hiding(t, listing)
    if not hide:
        raise Skip("libcupti cannot be hidden here")
    path = os.path.join(t.folder, "hidden.gprofx")
    ended = t.bare([*hide, t.options.gprofx, "record", "-o", path, "--", *t.program("copies", 2)])
    t.equal((ended.status, ended.out), (0, "rounds 2\n"), "status and output")
    t.check("cupti" in ended.err.lower(), "nothing is said about CUPTI")
    t.equal(t.gprofx("report", "--top", path).status, 0, "status of report --top")


@case("other_client", "gpu", "programs", limit=60)
def other_client(t):
    """A program that is a CUPTI client itself: it runs as before; who gets no data is said."""
    _, files = cupti_files(t)
    if not files:
        raise Skip("there is no libcupti")
    recorded, profile = same_and_open(t, t.program("other_client", files[0]))
    kernels = profile.operations()["kernel"]
    t.check(kernels == 100 or recorded.said.strip(), "%d kernels, and nothing is said" % kernels)
    t.note("%d kernels; its subscription gave %s; gprof-x said: %s" %
           (kernels, recorded.facts.get("subscribed"), recorded.said.strip().split("\n")[0][:100]))


@case("trace_mode", "gpu", "programs", limit=30)
def trace_mode(t):
    """--gpu trace: all kernels, no PC samples."""
    _, profile = same_and_open(t, t.program("spin_shares", 50), "--gpu", "trace")
    check_launches(t, profile, "spin_10", 50)
    check_sums(t, profile)
    t.equal(profile.total("gpu_samples"), 0, "PC samples")


@case("gpu_off", "gpu", "programs", limit=30)
def gpu_off(t):
    """--gpu off: nothing of the GPU, and nothing of ours in it."""
    _, profile = same_and_open(t, t.program("spin_shares", 50), "--gpu", "off")
    t.equal([f for f in profile.frames.values() if f.kind == KERNEL], [], "kernels")


@case("other_injection", "gpu", "programs", limit=30)
def other_injection(t):
    """Somebody else's CUDA_INJECTION64_PATH is called too."""
    env = {"CUDA_INJECTION64_PATH": os.path.join(t.options.programs, "other_injection.so")}
    recorded, profile = same_and_open(t, t.program("copies", 2), env=env)
    t.check("other injection was called" in recorded.err, "the other library was not called")
    t.check(profile.operations()["copy"] > 0, "no copies recorded")


def under_tool(t, tool, text, *command):
    bare = t.bare(list(command))
    if text not in bare.out:
        raise Skip("%s does not work here: %s" % (tool, (bare.out + bare.err).strip().rpartition("\n")[2][:100]))
    recorded = t.record(list(command))
    t.equal(recorded.status, bare.status, "exit status")
    same = masked(bare.out) == masked(recorded.out)
    t.check(text in recorded.out or recorded.said.strip(), "neither the program's output nor a line of gprof-x")
    t.note("same output" if same else "gprof-x said: " + (recorded.said.strip().split("\n")[0] or "nothing"))
    t.open(recorded)


@case("compute_sanitizer", "gpu", "programs", "compute-sanitizer", limit=90)
def compute_sanitizer(t):
    """compute-sanitizer under gprof-x runs as it does without, or there is a clear line."""
    under_tool(t, "compute-sanitizer", "rounds 2", "compute-sanitizer", *t.program("copies", 2))


@case("cuda_gdb", "gpu", "programs", "cuda-gdb", limit=90)
def cuda_gdb(t):
    """cuda-gdb under gprof-x runs as it does without, or there is a clear line."""
    under_tool(t, "cuda-gdb", "rounds 2", "cuda-gdb", "-batch", "-ex", "run", "--args", *t.program("copies", 2))
