#!/usr/bin/env python3
"""Names in a recorded program or in a file are written to no terminal as they are: escape sequences, ends of lines and marks of
direction in functions, files, threads, processes, kernels, facts and arguments come out as text."""
import json
import os
import pty
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GPROFX = os.environ.get("GPROFX", "gprof-x")
DATA = os.path.join(os.path.dirname(os.path.dirname(HERE)), "tests/data")
# Sets a terminal's title, clears it, goes back to the line's start, begins a line, is a CSI of one byte (C1), turns the text around.
HOSTILE = "\x1b]0;pwned\x07\x1b[2J\rfaked\x08\n::pwned\u009b31m\u202egnp\u2066\x7f"
UNSAFE = [bytes([c]) for c in range(0x20) if c != 0x0a] + [b"\x7f", "\u009b".encode(), "\u202e".encode(), "\u2066".encode()]
FORMS = {"report": [["--top", "50"], ["--tree", "--all-frames"], ["--lines"], ["--threads"], ["--markers"], ["--timeline"],
                    *[["--by", by] for by in ("function", "line", "module", "thread", "process", "kernel", "operator", "layer")],
                    ["--callers", "#1"], ["--top", "--wide"], ["--json"]],
         "analyze": [[], ["--all"], ["--findings"], ["--json"], ["--csv"]],
         "annotate": [["#g1"], ["--sass", "#g1"]],
         "variability": [[]], "forecast": [["--to", "B200"]]}


def run(*command, **options):
    env = dict(os.environ, NO_COLOR="1", COLUMNS="120", **options.pop("env", {}))
    return subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=120, env=env, **options)


class Names(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gprofx-names-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def check(self, text, what):
        # An end of a line in a name begins no line of its own: those of CI systems may hold commands.
        found = [unsafe for unsafe in [*UNSAFE, b"\n::pwned"] if unsafe in text]
        with self.subTest(what=what):
            place = text.find(found[0]) if found else 0
            self.assertEqual(found, [], text[max(0, place - 100):place + 60])

    def answer(self, *arguments, **options):
        done = run(GPROFX, *arguments, **options)
        self.assertIn(done.returncode, (0, 1, 2, 3, 125), done.stderr)
        self.check(done.stdout + done.stderr, arguments)
        return done

    def hostile_file(self, path):
        """Every text of a profile, with that behind it; names that the reader asks for stay."""
        with sqlite3.connect(path) as db:
            db.execute("UPDATE string SET text = text || ?", (HOSTILE,))
            db.execute("UPDATE metric SET unit = unit || ? WHERE name LIKE 'perf%'", (HOSTILE,))
            for fact in ("host", "command", "label", "kernel", "tool_version", "cpu_model", "clock", "cpu_source", "gpu_asked",
                         "problems", "not_sampled", "flight_rule", "kernel_time", "gpu_mode", "imported_from"):
                db.execute("INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = value || excluded.value",
                           (fact, HOSTILE))
            db.execute("INSERT INTO meta (name, value) VALUES (?, ?)", ("x" + HOSTILE, HOSTILE))
            db.execute("INSERT INTO quality (name, value) VALUES (?, 7)", ("x" + HOSTILE,))
        db.close()

    def every_face(self, path):
        for command, forms in FORMS.items():
            for form in forms:
                self.answer(command, *form, path)
        self.answer("diff", path, path)
        self.answer("report", "--callers", "x" + HOSTILE, path)
        self.answer("report", "--focus", HOSTILE, path)
        self.answer("annotate", HOSTILE, path)
        self.answer("export", "--to", HOSTILE, path)
        self.answer("merge", "-o", os.path.join(self.folder, "m.gprofx"), path, path)
        self.answer("redact", "-o", os.path.join(self.folder, "r.gprofx"), path)

    @unittest.skipUnless(shutil.which("zstd"), "there is no zstd to unpack with")
    def test_a_hostile_profile_of_a_gpu(self):
        path = os.path.join(self.folder, "a.gprofx")
        self.assertEqual(run("zstd", "-q", "-d", os.path.join(DATA, "forecast/h100_gemm.gprofx.zst"), "-o", path).returncode, 0)
        self.hostile_file(path)
        shown = self.answer("report", "--top", path).stdout
        self.assertIn(b"\\x1b", shown)  # it is shown, as text
        self.every_face(path)
        other = os.path.join(self.folder, "b.gprofx")
        run("zstd", "-q", "-d", os.path.join(DATA, "forecast/h200_gemm.gprofx.zst"), "-o", other)
        self.hostile_file(other)
        outputs = {name: os.path.join(self.folder, "out." + name) for name in ("junit", "sarif", "gitlab", "metrics", "md")}
        options = [word for name, out in outputs.items() for word in ("--" + name, out)]
        summary = os.path.join(self.folder, "summary")
        for form in (["--github"], ["--json"], ["--view", "mixed"], options):
            self.answer("diff", "--fail-on", "total > 1%", "--fail-on", "launches > 0", *form, path, other, env={"GITHUB_STEP_SUMMARY": summary})
        for out in [*outputs.values(), summary]:
            with open(out, "rb") as file:
                self.check(file.read(), out)

    def test_hostile_names_of_files(self):
        name = os.path.join(self.folder, "a" + HOSTILE.replace("/", "") + ".gprofx")
        for command in ("report", "analyze", "annotate", "export", "merge", "redact", "diff", "import", "variability", "forecast"):
            self.answer(command, name)
        with open(name, "w") as file:
            file.write("no profile")
        for command in ("report", "analyze", "annotate", "export", "merge", "redact", "import", "variability", "forecast"):
            self.answer(command, *(["-o", os.path.join(self.folder, "o")] if command in ("redact", "merge", "import", "export") else []), name)
        self.answer("record", "-o", os.path.join(self.folder, HOSTILE, "x.gprofx"), "--", "true")
        self.answer("record", "--control", "fifo:" + name, "--", "true")
        self.answer("report", self.folder)
        self.answer("ci", "baseline", "list", "--store", self.folder)

    def test_unknown_words(self):
        for arguments in ([HOSTILE], ["report", "--" + HOSTILE], ["report", "--by", HOSTILE], ["record", "--clock", HOSTILE, "--", "true"],
                          ["record", "--pid", HOSTILE], ["record", "--attach", HOSTILE], ["top", "--attach", HOSTILE], ["errors", HOSTILE],
                          ["doctor", HOSTILE]):
            self.answer(*arguments)

    def test_doctor(self):
        folder = os.path.join(self.folder, HOSTILE)
        os.mkdir(folder)
        os.symlink(sys.executable, os.path.join(folder, "python3"))
        env = {"PATH": folder + ":" + os.environ["PATH"], "CUDA_INJECTION64_PATH": HOSTILE, "GPROFX_CUPTI": HOSTILE}
        for form in ([], ["--fix"], ["--json"]):
            self.answer("doctor", *form, env=env, cwd=folder)

    def program(self):
        """A program whose names are hostile, as far as the system lets it."""
        path = os.path.join(self.folder, "x" + HOSTILE.replace("/", "") + ".py")
        with open(path, "w") as file:
            file.write("import ctypes, sys, threading, time\nhostile = %r\n" % HOSTILE)
            file.write("source = 'def burn(end):\\n  while time.monotonic() < end: sum([i * i for i in range(1000)])\\n'\n"
                       "space = {'time': time}\n"
                       "exec(compile(source, '/tmp/' + hostile, 'exec'), space)\n"
                       "burn = space['burn']\n"
                       "names = {'co_name': 'burn' + hostile}\n"
                       "if sys.version_info >= (3, 11): names['co_qualname'] = 'burn' + hostile\n"
                       "burn.__code__ = burn.__code__.replace(**names)\n"
                       "ctypes.CDLL(None).prctl(15, hostile.encode()[:15], 0, 0, 0)\n"
                       "thread = threading.Thread(target=burn, name='t' + hostile, args=(time.monotonic() + float(sys.argv[2]),))\n"
                       "thread.start()\nburn(time.monotonic() + float(sys.argv[2]))\nthread.join()\n")
        return path

    def test_a_recorded_program(self):
        profile = os.path.join(self.folder, "p.gprofx")
        command = [sys.executable, self.program(), HOSTILE, "0.5"]
        done = run(GPROFX, "record", "-v", "-o", profile, "--", *command)
        if done.returncode != 0:
            self.skipTest("no recording here: " + done.stderr.decode())
        self.check(done.stderr, "record")
        self.assertIn(b"\\x1b", self.answer("report", "--top", profile).stdout)
        for form in FORMS["report"]:
            if form[0] not in ("--markers", "--timeline"):
                self.answer("report", *form, profile)

    def top(self, *options, seconds, terminal):
        """What top writes while it watches the program."""
        command = [GPROFX, "top", *options, "--", sys.executable, self.program(), HOSTILE, str(seconds)]
        env = dict(os.environ, TERM="xterm", NO_COLOR="1")
        if not terminal:
            return run(*command).stdout
        pid, fd = pty.fork()
        if pid == 0:
            os.execvpe(command[0], command, env)
        found, end = b"", time.monotonic() + seconds + 20
        while time.monotonic() < end:
            if select.select([fd], [], [], 0.5)[0]:
                try:
                    piece = os.read(fd, 65536)
                except OSError:
                    break
                if not piece:
                    break
                found += piece
                if b"burn" in found and time.monotonic() > end - 20:
                    os.write(fd, b"q")
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(fd)
        return found

    def test_top(self):
        text = self.top("--interval", "0.5", seconds=2, terminal=False)
        self.check(text, "top")
        self.assertIn(b"burn", text)
        shown = self.top("--interval", "0.5", seconds=3, terminal=True)
        self.assertIn(b"burn", shown)
        for piece in (b"\x1b]0;pwned", b"\rfaked", "\u009b31m".encode(), "\u202e".encode()):
            self.assertNotIn(piece, shown)

    def test_json_is_ascii_or_escaped(self):
        """JSON has escapes of its own, and stays JSON."""
        path = os.path.join(self.folder, "a.gprofx")
        if run("zstd", "-q", "-d", os.path.join(DATA, "forecast/h100_gemm.gprofx.zst"), "-o", path).returncode != 0:
            self.skipTest("there is no zstd to unpack with")
        self.hostile_file(path)
        names = [row["name"] for row in json.loads(self.answer("report", "--json", "--view", "mixed", path).stdout)["rows"]]
        self.assertTrue(any("\x1b]0;pwned" in name for name in names))


if __name__ == "__main__":
    unittest.main()
