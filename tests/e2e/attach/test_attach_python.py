#!/usr/bin/env python3
"""gprof-x record --pid on CPython 3.14 and newer, which lets the agent in at a safe point of its own (PEP 768): no thread is stopped,
nothing stays, and where it cannot be asked ptrace does it. GPROFX_PYTHONS names interpreters that are not on the PATH."""
import os
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from attach_support import Attach, WORK, setUpModule
from profile_support import pythons

OWN = "its interpreter loaded the agent, no thread was stopped"
STOPPED = "one thread was stopped for"
THREADS = "import threading\ndef beside():\n    while not stop: cold(500)\n" \
    "for _ in range(3): threading.Thread(target=beside).start()\n"
NEW = [path for version, path in pythons() if int(version.split(".")[1]) >= 14]


@unittest.skipIf(not NEW, "no CPython 3.14 or newer is here")
class SafePoint(Attach):
    def setUp(self):
        super().setUp()
        self.others = self.folders()

    def folders(self):
        return {name for name in os.listdir("/tmp") if name.startswith("gprof-x-") and len(name) == 24}

    def left_behind(self):
        # Those of somebody else who attaches meanwhile are gone in a moment.
        for _ in range(50):
            if not self.folders() - self.others:
                break
            time.sleep(0.1)
        return sorted(self.folders() - self.others)

    def begin_new(self, python, text, *options, **more):
        return self.begin(python, *options, "-c", text, **more)

    def enter(self, target, how, works=True):
        run = self.attach_at_work(target, seconds="0.2", quiet="-v") if works else self.attach(target.pid, seconds="0.2", quiet="-v")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn(how, run.stderr.split("left process")[0])
        self.assertEqual(self.left_behind(), [])

    def each(self, text, how, *options, times=1, names=("hot", "cold"), **more):
        for python in NEW:
            with self.subTest(python=python):
                target = self.begin_new(python, text, *options, **more)
                before = self.caught(target.pid)
                for _ in range(times):
                    self.enter(target, how, works=bool(names))
                self.wait_for_state(target.pid, before)
                self.assertLessEqual(set(names), set(self.report()))
                self.end(target)

    def test_again_and_again(self):
        self.each(WORK, OWN, times=3)

    def test_while_threads_take_turns(self):
        self.each(WORK.replace("print('begun'", THREADS + "print('begun'"), OWN, times=3, names=("hot", "cold", "beside"))

    def test_a_first_thread_that_waits_for_another_one(self):
        text = WORK.replace("while not stop:\n", "import threading\ndef work():\n  while not stop:\n  ")
        text = text.replace("print('begun', flush=True)\n", "")
        text = text.replace("print('ended')", "other = threading.Thread(target=work); other.start(); print('begun', flush=True); other.join(); print('ended')")
        self.each(text, OWN)

    def test_where_it_is_forbidden_ptrace_does_it(self):
        self.each(WORK, STOPPED, "-X", "disable-remote-debug")
        self.each(WORK, STOPPED, env=dict(os.environ, PYTHON_DISABLE_REMOTE_DEBUG="1"))

    def test_an_idle_program_is_not_asked(self):
        self.each(WORK.replace("hot(3000); cold(1000)", "time.sleep(0.5)"), STOPPED, names=())

    def test_a_request_that_nobody_takes_is_taken_back(self):
        # Holds the interpreter and never comes to a safe point while it is asked.
        text = WORK.replace("hot(3000); cold(1000)", "sleep(30)").replace("stop = []", "import ctypes\nstop = []\nsleep = ctypes.PyDLL(None).sleep")
        self.each(text, STOPPED, names=())

    def test_an_audit_hook_sees_it(self):
        text = "import sys\nsys.addaudithook(lambda name, args: name == 'cpython.remote_debugger_script' and seen.append(name))\nseen = []\n"
        for python in NEW:
            target = self.begin_new(python, text + WORK.replace("print('ended')", "print('ended', seen)"))
            self.enter(target, OWN)
            self.end(target, "ended ['cpython.remote_debugger_script']\n")

    def test_a_program_that_knows_no_module_more(self):
        text = "import sys\nknown = set(sys.modules)\n" + WORK.replace("print('ended')", "print('ended', set(sys.modules) - known - {'signal', 'time', 'enum'})")
        for python in NEW:
            target = self.begin_new(python, "import signal, sys, time\n" + text)
            self.enter(target, OWN)
            self.end(target, "ended set()\n")

    def test_what_a_handler_raises_meanwhile_reaches_the_program(self):
        text = """
import signal, sys
class Met(Exception): pass
def on_signal(*a): raise Met('told')
signal.signal(signal.SIGUSR2, on_signal)
once = ['gprofx_agent']
def hook(name, args):
    if name == 'import' and once == [args[0]]: once.clear(); signal.raise_signal(signal.SIGUSR2)
sys.addaudithook(hook)
"""
        work = WORK.replace("    hot(3000); cold(1000)", "    try: hot(3000); cold(1000)\n    except Met as met: print('met', met, met.__traceback__.tb_next is not None)")
        for python in NEW:
            with self.subTest(python=python):
                target = self.begin_new(python, text + work)
                self.enter(target, OWN)
                self.enter(target, OWN)
                self.end(target, "met told True\nended\n")

    def test_what_ends_a_program_meanwhile_ends_it(self):
        text = """
import signal, sys
signal.signal(signal.SIGUSR2, lambda *a: sys.exit(7))
once = ['gprofx_agent']
def hook(name, args):
    if name == 'import' and once == [args[0]]: once.clear(); signal.raise_signal(signal.SIGUSR2)
sys.addaudithook(hook)
"""
        for python in NEW:
            with self.subTest(python=python):
                target = self.begin_new(python, text + WORK)
                self.attach(target.pid, seconds="5")
                out, errors = target.communicate(timeout=20)
                self.assertEqual((out, errors, target.returncode), ("", "", 7))

    def test_no_signal_is_lost(self):
        for python in NEW:
            with self.subTest(python=python):
                reads, writes = os.pipe()
                text = "import os, signal\nsignal.signal(signal.SIGUSR2, lambda *a: os.write(%d, b'.'))\n" % writes
                target = self.begin_new(python, text + WORK, pass_fds=[writes])
                over, lost, told = [], [], []

                def ask():
                    while not over and not lost:
                        target.send_signal(signal.SIGUSR2)
                        if select.select([reads], [], [], 20)[0]:
                            told.append(os.read(reads, 1))
                        else:
                            lost.append(len(told))

                asks = threading.Thread(target=ask)
                asks.start()
                try:
                    for _ in range(3):
                        self.attach(target.pid, seconds="0.2")
                finally:
                    over.append(True)
                    asks.join()
                os.close(reads)
                os.close(writes)
                self.assertEqual(lost, [])
                self.assertGreater(len(told), 20)

    def test_a_program_that_forks_all_the_time(self):
        text = WORK.replace("import signal, sys, time", "import os, signal, sys, time").replace(
            "    hot(3000); cold(1000)", "    child = os.fork()\n    if child == 0: cold(3000); os._exit(0)\n    os.waitpid(child, 0)")
        for python in NEW:
            with self.subTest(python=python):
                # A program with a thread more, for the moment of loading, is warned when it forks.
                target = self.begin_new(python, text, "-W", "ignore::DeprecationWarning")
                for _ in range(3):
                    run = self.attach(target.pid, seconds="0.2")
                    self.assertEqual(run.returncode, 0, run.stderr)
                self.assertEqual(self.left_behind(), [])
                self.end(target)

    @unittest.skipIf(os.geteuid() != 0 or shutil.which("unshare") is None, "needs root and unshare")
    def test_a_recorder_that_is_killed_while_it_asks(self):
        # Comes to a safe point seldom: most times there is a request then.
        text = WORK.replace("hot(3000); cold(1000)", "sleep(200000)").replace(
            "stop = []", "import ctypes\nstop = []\nsleep = ctypes.PyDLL(None).usleep")
        for python in NEW:
            with self.subTest(python=python):
                target = self.begin_apart(python, text, "/tmp")
                for pause in (0.1, 0.17, 0.24):
                    recorder = subprocess.Popen([self.gprofx(), "record", "-q", "-o", self.path, "--pid", str(target.pid)])
                    time.sleep(pause)
                    recorder.kill()
                    recorder.wait()
                    time.sleep(0.3)
                self.end(target)

    @unittest.skipIf(os.geteuid() != 0, "needs root")
    def test_a_program_of_another_user(self):
        self.each(WORK, OWN, user=65534, group=65534, extra_groups=[])

    @unittest.skipIf(os.geteuid() != 0 or shutil.which("unshare") is None, "needs root and unshare")
    def test_another_mount_namespace_with_and_without_the_agent(self):
        agent = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(self.gprofx()))), "lib", "gprof-x")
        for hidden in ("/tmp", "/tmp " + agent):
            for python in NEW:
                with self.subTest(python=python, hidden=hidden):
                    target = self.begin_apart(python, WORK, hidden)
                    self.enter(target, OWN)
                    self.assertEqual(os.listdir("/proc/%d/root/tmp" % target.pid), [])
                    self.assertIn("hot", self.report())
                    self.end(target)

    def begin_apart(self, python, text, hidden):
        mounts = "".join("mount -t tmpfs none %s && " % folder for folder in hidden.split())
        target = subprocess.Popen(["unshare", "-m", "sh", "-c", mounts + "exec \"$@\"", "sh", python, "-c", text],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (target.poll() is None and target.kill(), target.communicate()))
        if target.stdout.readline() != "begun\n":
            self.skipTest("no mount namespaces here")
        return target

    def gprofx(self):
        from launcher_support import GPROFX
        return shutil.which(GPROFX) or GPROFX


if __name__ == "__main__":
    unittest.main(verbosity=2)
