#!/usr/bin/env python3
"""What a hostile process of a recording, and a hostile user beside it, can do to the recorder and to the honest program that it records:
nothing but fill their own part of the profile. As root, with user ids of its own.

GPROFX_HOSTILE_SECONDS is how long each attack goes on (default 4; 60 in the long run)."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

GPROFX = os.environ.get("GPROFX", "gprof-x")
HOSTILE = os.path.join(os.environ.get("GPROFX_WORKLOADS", ""), "hostile_target")
SECONDS = float(os.environ.get("GPROFX_HOSTILE_SECONDS", "4"))
LOWER, OTHER = 54321, 54322  # user ids that nobody has
MOST_MEMORY = 300 << 20
HONEST = """
import os, sys, time
def honest():
    while time.monotonic() < end: sum(range(1000))
begin, end = time.process_time(), time.monotonic() + float(sys.argv[1])
honest()
print(time.process_time() - begin)
"""
# Blocks the signal of wall-clock samples, and says at the end whether it got one.
BYSTANDER = """
import signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGURG})
signal.signal(signal.SIGURG, lambda *_: None)
print("ready", flush=True)
sys.stdin.readline()
sys.exit(1 if signal.SIGURG in signal.sigpending() else 0)
"""


def as_user(user, *command):
    return ["setpriv", "--reuid", str(user), "--regid", str(user), "--clear-groups", *command]


def anonymous_bytes(pid):
    with open("/proc/%d/status" % pid) as status:
        return int(re.search(r"RssAnon:\s*(\d+)", status.read())[1]) << 10


class Watched(threading.Thread):
    """The most memory and descriptors that a process had."""
    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.memory, self.descriptors = pid, 0, 0
        self.start()

    def run(self):
        while True:
            try:
                self.memory = max(self.memory, anonymous_bytes(self.pid))
                self.descriptors = max(self.descriptors, len(os.listdir("/proc/%d/fd" % self.pid)))
            except (OSError, TypeError):
                return
            time.sleep(0.02)


@unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "needs root, for users of its own")
class Hostile(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="gprof-x-hostile-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        os.chmod(self.folder, 0o755)
        self.hostile = shutil.copy(HOSTILE, self.folder)
        self.agent_can_be_read = True

    def bystander(self, user):
        process = subprocess.Popen(as_user(user, sys.executable, "-S", "-c", BYSTANDER), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.assertEqual(process.stdout.readline(), "ready\n")
        def end():
            process.communicate("\n")
            self.assertEqual(process.returncode, 0, "a process that is not recorded got a signal")
        return process.pid, end

    def record(self, attack, *options, beside=()):
        """Records an honest program of root's and `attack` of a lower user's at once; the recorder's memory and what it said."""
        script = '"$0" -S -c "$1" "$2" & "${@:3}"; status=$?; wait %1; exit $status'
        command = [GPROFX, "record", "-o", "run.gprofx", *options, "--", "bash", "-c", script, sys.executable, HONEST, str(SECONDS),
                   *as_user(LOWER, *attack)]
        run = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        watched = Watched(run.pid)
        others = [subprocess.Popen(other) for other in (beside(run.pid) if beside else ())]
        out, err = run.communicate(timeout=SECONDS * 6 + 60)
        for other in others:
            other.wait()
        self.assertEqual(run.returncode, 0, err)
        self.assertLess(watched.memory, MOST_MEMORY, err)
        return float(out.split()[-1]), watched, err

    def report(self, *options):
        return json.loads(subprocess.run([GPROFX, "report", "run.gprofx", "--json", *options], cwd=self.folder, capture_output=True, text=True,
                                         check=True).stdout)

    def check_honest(self, cpu_s):
        total = {row["name"]: row["total"] / 1e9 for row in self.report()["rows"]}
        self.assertAlmostEqual(total["honest"], cpu_s, delta=0.1 + 0.03 * cpu_s)

    def test_heads_that_jump(self):
        cpu, _, _ = self.record([self.hostile, "jump", str(SECONDS)])
        self.check_honest(cpu)

    def test_garbage(self):
        cpu, _, _ = self.record([self.hostile, "garbage", str(SECONDS)])
        self.check_honest(cpu)

    def test_descriptors(self):
        cpu, watched, _ = self.record([self.hostile, "descriptors", str(SECONDS)])
        self.check_honest(cpu)
        self.assertLess(watched.descriptors, 400)

    def test_names_of_others(self):
        pid, end = self.bystander(LOWER)
        _, _, _ = self.record([self.hostile, "claim", str(SECONDS), str(pid)], "--clock", "wall")
        end()

    def test_a_flood_from_outside(self):
        def flood(pid):
            end = time.monotonic() + 10
            while time.monotonic() < end:
                with open("/proc/net/unix") as sockets:
                    found = re.search(r"@(gprof-x-%d-\S+)" % pid, sockets.read())
                if found:
                    return [as_user(OTHER, self.hostile, "outside", str(SECONDS), found[1])]
                time.sleep(0.01)
            self.fail("no socket")
        cpu, watched, _ = self.record(["sleep", str(SECONDS)], beside=flood)
        self.check_honest(cpu)
        self.assertLess(watched.descriptors, 100)

    def test_all_at_once(self):
        pid, end = self.bystander(OTHER)
        cpu, _, _ = self.record([self.hostile, "all", str(SECONDS), str(pid)])
        self.check_honest(cpu)
        end()


if __name__ == "__main__":
    unittest.main()
