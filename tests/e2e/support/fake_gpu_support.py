"""Recordings with a pretended GPU (tests/workloads/fake_gpu), for the tests of the GPU side."""
import os
import subprocess
import sys

from launcher_support import Profile
from profile_support import GPROFX, WORKLOADS, Recording

FAKE = os.path.join(WORKLOADS, "fake_gpu")
TRAIN = os.path.join(FAKE, "fake_train")
MS = 1_000_000
KERNELS = {"forward": 10 * 3 * MS + 5 * 4 * MS, "backward": 10 * 6 * MS}
COPY = 2 * MS

# Ctypes calls of the pretended driver; `body` is Python that makes them.
PYTHON = """
import ctypes
cuda = ctypes.CDLL(%(fake)r + "/libcuda.so.1", ctypes.RTLD_GLOBAL)
gpu = ctypes.CDLL(%(fake)r + "/libfake_cupti.so", ctypes.RTLD_GLOBAL)
libc = ctypes.CDLL(None)
cuda.cuInit(0)
gpu.fake_create_context()
gpu.fake_launch.argtypes = [ctypes.c_char_p, ctypes.c_uint64]
gpu.fake_synchronize.argtypes = [ctypes.c_uint64]
WAIT = ctypes.cast(gpu.fake_synchronize, ctypes.c_void_p)
# Looked up here: ctypes does that in Python, and the innermost frame of the thread that waits would be its for a moment.
create, join = libc.pthread_create, libc.pthread_join

def WAITER(ns):
    thread = ctypes.c_ulong()
    create(ctypes.byref(thread), None, WAIT, ctypes.c_void_p(ns))
    join(thread, None)
"""


def record(*how, options=(), check=True, **trouble):
    env = dict(os.environ, GPROFX_CUPTI=os.path.join(FAKE, "libfake_cupti.so"), **trouble)
    return Recording([TRAIN, *how], options, env=env, check=check, timeout=60)


def record_python(body, waiter="_engine_run_backward"):
    """`waiter`: the name of the Python function that waits for a thread without Python."""
    env = dict(os.environ, GPROFX_CUPTI=os.path.join(FAKE, "libfake_cupti.so"))
    return Recording([sys.executable, "-c", (PYTHON % {"fake": FAKE} + body).replace("WAITER", waiter)], env=env, timeout=60)


def rate(*options, seconds=4, **more):
    """A recording of the program that launches fast, and what it says: launches by kernel, and what is left in CUPTI."""
    env = dict(os.environ, GPROFX_CUPTI=os.path.join(FAKE, "libfake_cupti.so"), **more)
    r = Recording([TRAIN, "rate", str(seconds)], options, env=env, timeout=60)
    counts = {line.split()[0]: int(line.split()[1]) for line in r.out.splitlines() if line.split()[1:] and line.split()[1].isdigit()}
    return r, counts


def gpu_rows(r):
    return {row["name"].partition("(")[0]: row for row in r.report("--by", "kernel", "--top", "100")["rows"]}


def text_of(r, *options):
    return subprocess.run([GPROFX, "report", *options, r.file], stdout=subprocess.PIPE, text=True, check=True).stdout


def head_of(r):
    """The lines above the first table, as one."""
    return " ".join(text_of(r).split("\n\n")[0].split())


def problems(r):
    return Profile(r.file).meta["problems"]


def sum_of(profile, metric):
    return profile.rows("SELECT coalesce(sum(self), 0) FROM value JOIN metric m ON m.id = metric WHERE m.name = '%s'" % metric)[0][0]
