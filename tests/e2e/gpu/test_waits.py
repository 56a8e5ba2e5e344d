#!/usr/bin/env python3
"""Where threads that launch wait, by recordings with the CPU clock: seen from beside, without a signal to them (samplers/agent/calls/waits.h)."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from fake_gpu_support import FAKE, PYTHON
from launcher_support import Profile
from profile_support import GPROFX, Recording, judged_by_time
from read_profile import read_stream

WAIT_PLACES = 18

# A step computes 5 ms and waits 35: by itself, for another thread, for a pipe.
PROGRAM = PYTHON % {"fake": FAKE} + """
import os, queue, threading, time
answers, asked, read = queue.Queue(), os.pipe(), os.pipe()

def answer():
    while True:
        time.sleep(0.01)
        answers.put(1)

def write():
    while True:
        os.read(asked[0], 1)
        time.sleep(0.01)
        os.write(read[1], b"x")

def compute(seconds):
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass

def step():
    for _ in range(20):
        gpu.fake_launch(b"_Z4gemmPf", 50000)
    compute(0.005)
    time.sleep(0.015)                                        # sleeps
    while not answers.empty():
        answers.get()
    answers.get()                                            # queue
    os.write(asked[1], b"x")
    got = libc.read(read[0], ctypes.create_string_buffer(1), 1) # pipe
    assert got == 1, "the call was interrupted"

for job in (answer, write):
    threading.Thread(target=job, daemon=True).start()
until = time.monotonic() + %(seconds)s
while time.monotonic() < until:
    step()
print("done")
"""


class Waits(unittest.TestCase):
    def record(self, *options, seconds=4):
        file = tempfile.NamedTemporaryFile("w", suffix=".py", delete=False)
        self.addCleanup(os.unlink, file.name)
        with file:
            file.write(PROGRAM.replace("%(seconds)s", str(seconds)))
        lines = PROGRAM.split("\n")
        self.line_of = {word: 1 + next(i for i, line in enumerate(lines) if line.endswith("# " + word)) for word in ("sleeps", "queue", "pipe")}
        env = dict(os.environ, GPROFX_CUPTI=os.path.join(FAKE, "libfake_cupti.so"))
        r = Recording([sys.executable, file.name], options, env=env, timeout=60)
        self.addCleanup(r.close)
        self.assertEqual((r.out, r.err), ("done\n", ""))
        return r

    def seen(self, r):
        """How often each line of the program was seen to be waited at, and (function, line) of all frames of the threads."""
        profile = Profile(r.file)
        stacks, counts = set(), {}
        for _, _, columns in read_stream(profile.db, WAIT_PLACES):
            for node in columns[3]:
                frames = profile.rows("""
                    WITH RECURSIVE up(node) AS (SELECT %d UNION ALL SELECT n.parent FROM up JOIN node n ON n.id = up.node WHERE n.parent > 0)
                    SELECT s.text, f.line FROM up JOIN node n ON n.id = up.node JOIN frame f ON f.id = n.frame
                    JOIN function u ON u.id = f.function JOIN string s ON s.id = u.name""" % node)
                stacks.add(tuple(frames))
                line = next((line for name, line in frames if name == "step"), None)
                counts[line] = counts.get(line, 0) + 1
        return counts, stacks

    @judged_by_time
    def test_findings_name_the_lines(self):
        answer = subprocess.run([GPROFX, "analyze", "--findings", "--json", self.record().file], capture_output=True, text=True, check=True)
        rows = [row for row in json.loads(answer.stdout)["findings"][0]["rows"] if row["rule"] == "gpu-gap" and "waits" in row["summary"]]
        self.assertEqual(rows[0]["line"], self.line_of["sleeps"])  # the longest
        # On a machine whose processors others take the program waits everywhere, but for shorter.
        self.assertEqual({row["line"] for row in rows[:3]}, set(self.line_of.values()))
        self.assertNotIn("--clock wall", " ".join(rows[0]["evidence"]))

    @judged_by_time
    def test_the_lines_are_those_that_wait(self):
        counts, stacks = self.seen(self.record())
        whole = sum(counts.values())
        self.assertGreater(whole, 30)
        waited = sum(counts.get(line, 0) for line in self.line_of.values())
        self.assertGreater(waited, 0.7 * whole)  # else it had no core
        for line in self.line_of.values():
            self.assertGreater(counts.get(line, 0), 0.1 * whole)
        # Innermost first, whole to the module.
        for stack in stacks:
            self.assertEqual(stack[-1][0], "<module>", stack)

    @judged_by_time
    def test_idle_time_is_explained(self):
        r = self.record()
        for options in (["--phase", "all"], ["--range", "1s..3s"]):
            answer = subprocess.run([GPROFX, "report", "--json", *options, r.file], capture_output=True, text=True, check=True)
            wall = json.loads(answer.stdout)["wall"]
            parts = {part["name"]: part["ns"] / wall["idle_ns"] for part in wall["parts"]}
            self.assertGreater(parts["idle.blocked"], 0.6, parts)  # 35 of 40 ms, where there are cores enough
            self.assertLess(parts.get("idle.unexplained", 0), 0.2, parts)

    def test_the_clock_of_the_wall_tells_it_itself(self):
        self.assertEqual(self.seen(self.record("--clock", "wall", seconds=1)), ({}, set()))

    def test_without_python_frames_there_is_nothing(self):
        self.assertEqual(self.seen(self.record("--python", "off", seconds=1)), ({}, set()))


if __name__ == "__main__":
    unittest.main()
