"""report -i on a real terminal: keys go in, and what stands on the screen is read."""
import contextlib
import fcntl
import os
import pty
import select
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from vt100 import Screen

GPROFX = os.environ["GPROFX"]
PROGRAM = """
def innermost_work(n):
    return sum(i * i for i in range(n))


def middle():
    return innermost_work(6_000_000)


middle()
"""


class Session:
    def __init__(self, arguments, term="vt100", rows=24, columns=80):
        self.screen, self.raw = Screen(rows, columns), b""
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.environ["TERM"] = term
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.execv(GPROFX, [GPROFX, *arguments])

    def wait_for(self, told, seconds=30):
        """Until told(screen) is true."""
        deadline = time.time() + seconds
        while time.time() < deadline:
            if told(self.screen.text()):
                return True
            if not self.read(0.2):
                break
        return told(self.screen.text())

    def read(self, seconds):
        ready, _, _ = select.select([self.terminal], [], [], seconds)
        if not ready:
            return True
        try:
            data = os.read(self.terminal, 65536)
        except OSError:
            return False
        self.raw += data
        self.screen.feed(data.decode(errors="replace"))
        return bool(data)

    def press(self, keys):
        os.write(self.terminal, keys)

    def end(self):
        deadline = time.time() + 30
        while time.time() < deadline:
            pid, status = os.waitpid(self.child, os.WNOHANG)
            if pid:
                while self.read(0) and select.select([self.terminal], [], [], 0)[0]:
                    pass
                os.close(self.terminal)
                return os.waitstatus_to_exitcode(status) if hasattr(os, "waitstatus_to_exitcode") else status >> 8
            self.read(0.1)
        os.kill(self.child, 9)
        return None


class Interactive(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.program = os.path.join(cls.folder.name, "prog.py")
        with open(cls.program, "w") as out:
            out.write(PROGRAM)
        cls.profile = os.path.join(cls.folder.name, "p.gprofx")
        subprocess.run([GPROFX, "record", "-q", "-o", cls.profile, "--", "python3", cls.program], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_walk(self):
        session = Session(["report", "-i", self.profile])
        if not session.wait_for(lambda text: "q quit" in text):
            text = session.screen.text()
            if "without ncurses" in text:
                self.skipTest("gprof-x was built without ncurses")
            self.fail(text)
        self.assertIn("[all]", session.screen.text())
        self.assertIn("call tree, cpu", session.screen.text())
        self.assertNotIn("innermost_work", session.screen.text())
        session.press(b"/innermost_work\r")
        self.assertTrue(session.wait_for(lambda text: "innermost_work (prog.py:" in text), session.screen.text())
        session.press(b"v")
        self.assertTrue(session.wait_for(lambda text: "return sum(i * i for i in range(n))" in text), session.screen.text())
        session.press(b"s")
        self.assertTrue(session.wait_for(lambda text: "sort: self" in text), session.screen.text())
        session.press(b"m")
        self.assertTrue(session.wait_for(lambda text: "call tree, cpu," not in text), session.screen.text())
        session.press(b"q")
        self.assertEqual(session.end(), 0)

    def test_a_file_that_the_recording_only_names_is_not_read(self):
        named, forged = (os.path.join(self.folder.name, name) for name in ("private.py", "forged.gprofx"))
        with open(named, "w") as out:
            out.write("private text\n" * 20)
        os.utime(named, (1, 1))
        shutil.copy(self.profile, forged)
        with contextlib.closing(sqlite3.connect(forged)) as db, db:
            db.execute("DELETE FROM source")
            self.assertEqual(db.execute("UPDATE string SET text = ? WHERE text = ?", (named, self.program)).rowcount, 1)
        session = Session(["report", "-i", forged])
        if not session.wait_for(lambda text: "q quit" in text):
            self.skipTest(session.screen.text())
        session.press(b"/innermost_work\r")
        self.assertTrue(session.wait_for(lambda text: "innermost_work (private.py:" in text), session.screen.text())
        session.press(b"v")
        self.assertTrue(session.wait_for(lambda text: "the recording does not hold this source" in text), session.screen.text())
        self.assertNotIn("private text", session.screen.text())
        session.press(b"q")
        self.assertEqual(session.end(), 0)

    def test_refusals(self):
        run = subprocess.run([GPROFX, "report", "-i", self.profile], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual((run.returncode, run.stdout, run.stderr.count("\n")), (2, "", 1), run.stderr)
        run = subprocess.run([GPROFX, "report", "-i", "--json", self.profile], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual((run.returncode, run.stderr.count("\n")), (2, 1), run.stderr)
        session = Session(["report", "-i", self.profile], term="no-such-terminal", columns=200)
        self.assertEqual(session.end(), 2)
        self.assertIn("no-such-terminal", session.screen.text().replace("without ncurses", "no-such-terminal"))


if __name__ == "__main__":
    unittest.main()
