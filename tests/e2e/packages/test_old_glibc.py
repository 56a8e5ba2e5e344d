"""The bundle beside other C libraries than the one it was built with: Debian 11's glibc 2.31 (by apt-get), and none at all.

GPROFX_BUILD names the build folder. Needs root, for chroot; skips with a line where it or the packages cannot be had.
"""
import glob
import json
import os
import shutil
import subprocess
import tempfile
import unittest

BUILD = os.environ["GPROFX_BUILD"]
PACKAGES = ["libc6", "gzip", "libgcc-s1", "libexpat1", "zlib1g", "libffi7", "python3.9-minimal", "libpython3.9-minimal", "libpython3.9-stdlib"]
WORK = """
import os, threading
def hot(n):
    return sum(i * i for i in range(n))
thread = threading.Thread(target=hot, args=(2000000,))
thread.start()
hot(2000000)
thread.join()
child = os.fork()
if child == 0:
    hot(1000000)
    os._exit(7)
print("child", os.WEXITSTATUS(os.waitpid(child, 0)[1]))
raise SystemExit(3)
"""
NVTX = """
import ctypes
library = ctypes.CDLL("/gprof-x/lib/gprof-x/libgprofx-nvtx.so")
Push, Pop = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p), ctypes.CFUNCTYPE(ctypes.c_int)
places = [ctypes.c_void_p(0) for i in range(16)]
table = (ctypes.c_void_p * 16)(*[ctypes.addressof(p) for p in places])
@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_uint))
def module(number, out, size):
    out[0], size[0] = ctypes.addressof(table), 16
    return number == 1
class Callbacks(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("module", ctypes.c_void_p)]
callbacks = Callbacks(16, ctypes.cast(module, ctypes.c_void_p))
tables = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint)(lambda number: ctypes.addressof(callbacks))
print("injection", library.InitializeInjectionNvtx2(tables))
for i in range(10):
    Push(places[9].value)(b"a range")
    Pop(places[11].value)()
"""
INJECT = """
import ctypes
print("injection", ctypes.CDLL("/gprof-x/lib/gprof-x/libgprofx-cuda.so").InitializeInjection())
"""


def unpack_packages(root):
    """Debian 11's packages through apt-get, with lists and a cache of their own. A reason why not, or None."""
    apt = os.path.join(root, "apt")
    for folder in ("lists/partial", "cache/archives/partial", "debs"):
        os.makedirs(os.path.join(apt, folder))
    with open(os.path.join(apt, "sources.list"), "w") as file:
        file.write("deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bullseye main\n")
    options = []
    for option in ("Dir::Etc::sourcelist=%s/sources.list" % apt, "Dir::Etc::sourceparts=/dev/null", "Dir::State::status=/dev/null",
                   "Dir::State::lists=%s/lists" % apt, "Dir::Cache=%s/cache" % apt, "APT::Sandbox::User=root"):
        options += ["-o", option]
    debs = os.path.join(apt, "debs")
    for command in (["update", "--error-on=any"], ["download", *PACKAGES]):
        try:
            run = subprocess.run(["apt-get", *options, *command], cwd=debs, capture_output=True, text=True, timeout=120)
        except subprocess.TimeoutExpired:
            return "no packages of Debian 11: they take too long to come"
        if run.returncode != 0:
            return "no packages of Debian 11: " + (run.stderr.strip().splitlines() or ["?"])[-1]
    for deb in glob.glob(os.path.join(debs, "*.deb")):
        subprocess.run(["dpkg-deb", "-x", deb, root], check=True)
    shutil.rmtree(apt)
    return None


class InRoot(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = None
        if subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode != 0:
            raise unittest.SkipTest("no root: cannot make a mount namespace")
        subprocess.run(["cmake", "--build", BUILD, "--target", "bundle"], check=True, capture_output=True)
        cls.root = tempfile.mkdtemp(prefix="gprof-x-root-")
        for folder in ("proc", "dev", "tmp"):
            os.mkdir(os.path.join(cls.root, folder))
        bundle, = [f for f in glob.glob(os.path.join(BUILD, "bundle", "gprof-x-*")) if os.path.isdir(f)]
        shutil.copytree(bundle, os.path.join(cls.root, "gprof-x"))

    @classmethod
    def tearDownClass(cls):
        if cls.root is not None:
            shutil.rmtree(cls.root)

    def run_in_root(self, *command):
        script = 'mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" && exec chroot "$0" "$@"'
        return subprocess.run(["unshare", "--mount", "sh", "-c", script, self.root, *command], capture_output=True, text=True,
                              env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"}, timeout=60)


class OldGlibc(InRoot):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
            raise unittest.SkipTest("no apt-get")
        why = unpack_packages(cls.root)
        if why is not None:
            raise unittest.SkipTest(why)

    def record(self, text):
        run = self.run_in_root("/gprof-x/bin/gprof-x", "record", "-o", "/tmp/p.gprofx", "--", "/usr/bin/python3.9", "-c", text)
        report = self.run_in_root("/gprof-x/bin/gprof-x", "report", "--top", "/tmp/p.gprofx")
        self.assertEqual(report.returncode, 0, report.stderr)
        return run, report.stdout

    def test_it_is_another_c_library(self):
        self.assertEqual(self.run_in_root("/gprof-x/lib/gprof-x/gprofx-foreign", "libc").stdout, "2.31\n")
        self.assertIn("glibc 2.31", self.run_in_root("/gprof-x/bin/gprof-x", "doctor").stdout)

    def test_threads_and_children_are_recorded_and_named(self):
        bare = self.run_in_root("/usr/bin/python3.9", "-c", WORK)
        run, report = self.record(WORK)
        self.assertEqual((run.returncode, run.stdout), (bare.returncode, bare.stdout))
        self.assertEqual(run.returncode, 3)
        self.assertIn("2 processes, 3 threads", report)
        self.assertIn("hot", report)
        self.assertNotRegex(report, r"\b0 CPU samples")

    def test_a_program_without_libdl_and_libpthread(self):
        text = "import subprocess\nfor i in range(6): subprocess.run(['/bin/gzip', '-9c', '/usr/bin/python3.9'], stdout=subprocess.DEVNULL, check=True)"
        run, report = self.record(text)
        self.assertEqual((run.returncode, run.stdout), (0, ""), run.stderr)
        self.assertIn("7 processes", report)
        self.assertIn("gzip", self.run_in_root("/gprof-x/bin/gprof-x", "report", "--threads", "/tmp/p.gprofx").stdout)

    def test_ranges_are_recorded(self):
        run, _ = self.record(NVTX)
        self.assertEqual((run.stdout, run.stderr.count("\n")), ("injection 1\n", 1), run.stderr)
        report = self.run_in_root("/gprof-x/bin/gprof-x", "report", "--json", "/tmp/p.gprofx")
        self.assertEqual(json.loads(report.stdout)["quality"]["counters"].get("markers"), 10)

    def test_the_gpu_side_loads_and_says_what_is_missing(self):
        if not os.path.exists(os.path.join(self.root, "gprof-x/lib/gprof-x/libgprofx-cuda.so")):
            self.skipTest("built without CUDA headers")
        run, _ = self.record(INJECT)
        self.assertEqual(run.stdout, "injection 1\n", run.stderr)
        self.assertIn("libcupti was not found", run.stderr)


class NoCLibrary(InRoot):
    def test_gprofx_runs_in_an_empty_folder(self):
        elf = subprocess.run(["readelf", "-d", os.path.join(self.root, "gprof-x/bin/gprof-x")], capture_output=True, text=True).stdout
        if "NEEDED" in elf:
            self.skipTest("gprof-x is not static: no libc.a where it was built")
        version = self.run_in_root("/gprof-x/bin/gprof-x", "--version")
        self.assertEqual(version.returncode, 0, version.stderr)
        report = self.run_in_root("/gprof-x/bin/gprof-x", "report", "/tmp/none.gprofx")
        self.assertEqual(report.returncode, 2)
        self.assertIn("/tmp/none.gprofx", report.stderr)
        self.assertIn("no glibc", self.run_in_root("/gprof-x/bin/gprof-x", "doctor").stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
