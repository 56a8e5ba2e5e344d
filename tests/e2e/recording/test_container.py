#!/usr/bin/env python3
"""What containers take away: perf events and all else that Docker's default seccomp profile refuses, a root and a /tmp that can be written, HOME, the host's
process numbers, rights. Made by unshare, mount and setpriv; without the rights for that these tests are skipped."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

GPROFX = os.environ.get("GPROFX", "gprof-x")

# System calls of x86-64 that moby's profiles/seccomp/default.json lets nobody make who has no further capability, with those that only its
# older versions refuse: ptrace (101), process_vm_readv and _writev (310, 311), kcmp (312).
REFUSED = [101, 103, 134, 136, 139, 153, 155, 156, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175, 176, 177, 178, 179, 180,
           212, 227, 237, 238, 239, 246, 248, 249, 250, 256, 272, 279, 298, 300, 303, 304, 305, 308, 310, 311, 312, 313, 320, 321, 323, 425, 426,
           427, 428, 429, 430, 431, 432, 433, 438, 442]
CLONE3 = 435  # ENOSYS, so that C libraries fall back to clone

# Refuses them by EPERM, then becomes the command.
DOCKER = """
import ctypes, os, struct, sys
refused, clone3 = [int(word) for word in sys.argv[1].split(",")], int(sys.argv[2])
def statement(code, k, jump=(0, 0)): return struct.pack("HBBI", code, *jump, k)
program = statement(0x20, 0) + statement(0x15, clone3, (len(refused) + 2, 0))
for place, number in enumerate(refused):
    program += statement(0x15, number, (len(refused) - place, 0))
program += statement(0x06, 0x7fff0000) + statement(0x06, 0x00050000 | 1) + statement(0x06, 0x00050000 | 38)
class Filter(ctypes.Structure): _fields_ = [("count", ctypes.c_ushort), ("program", ctypes.c_char_p)]
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, ctypes.byref(Filter(len(program) // 8, program))) == 0
os.execvp(sys.argv[3], sys.argv[3:])
"""
WITHOUT = [sys.executable, "-c", DOCKER, ",".join(map(str, REFUSED)), str(CLONE3)]
READ_ONLY = 'mount --make-rprivate / && mount --bind "$0" "$0" && mount -o remount,bind,ro / && cd "$0" && exec "$@"'
JOB = "import os, time\ndef work():\n    while time.process_time() - begin < 1: sum(range(1000))\n" \
      "begin = time.process_time()\nwork()\nprint(os.getpid(), time.process_time() - begin)"


class Container(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="gprof-x-container-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        os.chmod(self.folder, 0o777)

    def inside(self, *container, env=None, python=sys.executable):
        """The process number of the job, and the report of its profile."""
        run = subprocess.run([*container, GPROFX, "record", "--", python, "-S", "-c", JOB], cwd=self.folder, env=env,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(run.returncode, 0, run.stderr)
        text = subprocess.run([GPROFX, "report"], cwd=self.folder, capture_output=True, text=True, check=True).stdout
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80, line)
        rows = json.loads(subprocess.run([GPROFX, "report", "--json"], cwd=self.folder, capture_output=True, text=True, check=True).stdout)["rows"]
        total = {row["name"]: row["total"] / 1e9 for row in rows}
        pid, worked = run.stdout.split()
        self.assertAlmostEqual(total["work"], float(worked), delta=0.1)
        return int(pid), " ".join(text.split())

    def unshare(self, *options):
        command = ["unshare", *options]
        if subprocess.run([*command, "true"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("no right for unshare %s" % " ".join(options))
        return command

    def test_without_what_dockers_profile_refuses(self):
        _, text = self.inside(*WITHOUT)
        self.assertRegex(text, r"@\d+ Hz \(of 997; without perf events \d+ at most\)")

    def test_doctor_says_what_is_missing_there(self):
        run = subprocess.run([*WITHOUT, GPROFX, "doctor", "--json"], stdout=subprocess.PIPE, text=True)
        checks = {check["name"]: check for check in json.loads(run.stdout)["checks"]}
        self.assertEqual(run.returncode, 0, checks)
        self.assertEqual((checks["perf events"]["state"], checks["ptrace"]["state"]), ("warn", "warn"), checks)
        self.assertIn("--cap-add", checks["perf events"]["fix"])
        self.assertIn("--cap-add", checks["ptrace"]["fix"])

    def test_on_a_read_only_root_without_home(self):
        self.inside(*self.unshare("-m"), "sh", "-c", READ_ONLY, self.folder, env={"PATH": "/usr/bin:/bin"})
        self.assertEqual(os.listdir(self.folder), ["profile.gprofx"])

    def test_in_a_process_namespace(self):
        pid, _ = self.inside(*self.unshare("-fpm", "--mount-proc"))
        self.assertLess(pid, 100)

    def test_without_any_right(self):
        if os.geteuid() != 0 or shutil.which("setpriv") is None:
            self.skipTest("not root, or no setpriv")
        user = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all", "--no-new-privs"]
        python = next((one for one in (sys.executable, "/usr/bin/python3") if self.may(user, one)), None)
        if python is None or not self.may(user, GPROFX):
            self.skipTest("gprof-x or Python lies where nobody may read")
        self.inside(*user, python=python)

    def may(self, user, program):
        return subprocess.run([*user, "sh", "-c", '"$0" --version', program], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0

    def test_all_of_it(self):
        self.inside(*self.unshare("-mfp", "--mount-proc"), "sh", "-c", READ_ONLY, self.folder, *WITHOUT,
                    env={"PATH": "/usr/bin:/bin"})


if __name__ == "__main__":
    unittest.main()
