#!/usr/bin/env python3
"""The first lines of a report name the line that costs the time, or say that the program waits; and nothing that is not so."""
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from profile_support import GPROFX, QUERY  # noqa: E402

SPIN = """
import time
def spin():
    end = time.thread_time() + 0.4
    while time.thread_time() < end: pass
spin()
"""


def head(script, *options, command=None):
    """The lines of the report above its first blank one, as one line."""
    with tempfile.TemporaryDirectory(prefix="gprof-x-first-") as folder:
        path = os.path.join(folder, "app.py")
        with open(path, "w") as file:
            file.write(script)
        made = os.path.join(folder, "p.gprofx")
        subprocess.run([GPROFX, "record", "-q", "-o", made, *options, "--", *(command or [sys.executable]), path], check=True, timeout=60)
        text = subprocess.run([GPROFX, "report", "--no-pager", made], check=True, capture_output=True, text=True).stdout
    return " ".join(text.split("\n\n")[0].split())


class FirstLines(unittest.TestCase):
    def test_the_own_line_and_the_library(self):
        said = head(QUERY)
        self.assertRegex(said, r"\d% of the CPU time is in load \(app\.py:4\), \d+\.\d% of that in calls to sqlite3\.")

    def test_an_import_is_not_a_call(self):
        spins = "import time\nend = time.thread_time() + 0.5\nwhile time.thread_time() < end: pass\n"
        with tempfile.TemporaryDirectory(prefix="gprof-x-slow-") as folder:
            with open(os.path.join(folder, "words.py"), "w") as file:
                file.write(spins)
            package = os.path.join(folder, "site-packages")
            os.mkdir(package)
            with open(os.path.join(package, "large.py"), "w") as file:
                file.write(spins)
            path = "import sys\nsys.path[:0] = [%r, %r]\n" % (folder, package)
            self.assertRegex(head(path + "import words\n"), r"is in words\.py:3 at import\.")
            self.assertRegex(head(path + "import large\n"), r"is in app\.py:3, \d+\.\d% of that in the import of large\.")

    def test_imports_beside_the_work(self):
        """The work costs more than the import, which only this sentence tells."""
        spins = "import time\nend = time.thread_time() + %s\nwhile time.thread_time() < end: pass\n"
        with tempfile.TemporaryDirectory(prefix="gprof-x-beside-") as folder:
            package = os.path.join(folder, "site-packages")
            os.mkdir(package)
            with open(os.path.join(package, "large.py"), "w") as file:
                file.write(spins % 0.4)
            path = "import sys\nsys.path.insert(0, %r)\ndef work():\n  import time\n  end = time.thread_time() + 0.8\n  while time.thread_time() < end: pass\n"
            said = head(path % package + "def main():\n  import large\n  work()\nmain()\n")
        self.assertRegex(said, r"of the CPU time is in work \(app\.py:\d+\)\.")
        self.assertRegex(said, r"Imports take [2-4]\d\.\d% of the CPU time, most of it large\.py \(app\.py:8\)\.")

    def test_a_program_that_waits(self):
        self.assertRegex(head("import time\ndef fetch(): time.sleep(1)\nfetch()"), r"The program is on a CPU for \d+\.\d% of 1\.")
        waits = head("import time\ndef fetch(): time.sleep(1)\nfetch()", "--clock", "wall")
        self.assertRegex(waits, r"The threads wait for \d+\.\d% .* of the wall time is in fetch \(app\.py:2\)")

    def test_what_was_not_recorded_is_no_wait(self):
        said = head("import time\nend = time.thread_time() + 1.2\nwhile time.thread_time() < end: pass", "--duration", "0.2")
        # Beside other programs it may wait for a CPU within the 0.2 s.
        self.assertNotRegex(said, r"The program is on a CPU for \S+ of \d+\.\d+ s")

    def test_processes_do_not_share_a_lock(self):
        processes = ["sh", "-c", "for i in 1 2 3; do %s \"$0\"; done" % sys.executable]
        self.assertNotIn("take turns", head(SPIN, command=processes))


if __name__ == "__main__":
    unittest.main()
