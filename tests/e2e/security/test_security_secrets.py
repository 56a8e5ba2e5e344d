#!/usr/bin/env python3
"""What a program calls itself, and what it is told on its command line, is not in what leaves the house: random secrets in every place
that a name can come from, looked for in every byte of a redacted profile after unpacking."""
import json
import os
import re
import secrets
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GPROFX = os.environ.get("GPROFX", "gprof-x")
DATA = os.path.join(os.path.dirname(os.path.dirname(HERE)), "tests/data/import")
ZSTD_FRAME = b"\x28\xb5\x2f\xfd"
# The first interpreter that tells perf what it compiles, for names in /tmp/perf-PID.map.
PERF_PYTHON = next((path for name in ("python3.12", "python3.13", "python3.14") for path in [shutil.which(name)] if path and subprocess.run(
    [path, "-X", "perf", "-c", ""], capture_output=True).returncode == 0), None)


def run(*command, **options):
    return subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=120, **options)


def unpacked(blob):
    """Whatever zstd frames a blob holds, decompressed."""
    found = []
    at = blob.find(ZSTD_FRAME)
    while at >= 0:
        found.append(subprocess.run(["zstd", "-dcq"], input=blob[at:], capture_output=True).stdout)
        at = blob.find(ZSTD_FRAME, at + 1)
    return b"\n".join(found)


def every_byte(path):
    """The file, and each value of each table: texts as they are, blobs also unpacked."""
    with open(path, "rb") as file:
        found = [file.read()]
    with sqlite3.connect("file:%s?mode=ro" % path, uri=True) as db:
        db.text_factory = bytes
        for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            for row in db.execute('SELECT * FROM "%s"' % table.decode()):
                for value in row:
                    if isinstance(value, bytes):
                        found += [value, unpacked(value)]
                    else:
                        found.append(str(value).encode())
    return b"\n".join(found)


class Secrets:
    """Tokens by the place that they are put in; numbers, too, because digits are kept in some places."""

    def __init__(self):
        self.words = {}

    def __getitem__(self, place):
        return self.words.setdefault(place, "zq%s" % secrets.token_hex(6))

    def number(self, place):
        return self.words.setdefault(place, str(secrets.randbelow(9 * 10 ** 11) + 10 ** 11))

    def found_in(self, text):
        return sorted(place for place, word in self.words.items() if word.lower().encode() in text.lower())


PROGRAM = """
import ctypes, sys, threading, time
sys.path.insert(0, {package!r})
import {module}
native = ctypes.CDLL({library!r}) if {library!r} else None
make = lambda n: sum(i * i for i in range(n))
class {klass}:
    def {method}(self):
        return [make(2000) for _ in range(50)]
def {function}(end):
    {variable} = {klass}()
    while time.monotonic() < end:
        {variable}.{method}()
        {module}.{of_module}()
        if native:
            native.{of_library}(200000)
def {thread_function}():
    ctypes.CDLL(None).prctl(15, {system_name!r}.encode(), 0, 0, 0)
    {function}(time.monotonic() + 0.6)
thread = threading.Thread(target={thread_function}, name={thread!r})
thread.start()
{function}(time.monotonic() + 0.6)
thread.join()
"""


@unittest.skipUnless(shutil.which("zstd"), "there is no zstd to unpack with")
class Recorded(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.secrets = s = Secrets()
        cls.folder = tempfile.TemporaryDirectory(prefix="gprofx-secrets-")
        home = os.path.join(cls.folder.name, "home", s["user"], "lib/python3.12/site-packages/torch", s["folder"])
        package = os.path.join(home, "site-packages", "torch")
        os.makedirs(package)
        with open(os.path.join(package, s["module"] + ".py"), "w") as file:
            file.write("def %s():\n    return [str(i) for i in range(20000)]\n" % s["of module"])
        library = os.path.join(home, "libtorch_%s.so" % s["library"])
        source = os.path.join(home, s["source"] + ".c")
        with open(source, "w") as file:
            file.write("__attribute__((noinline)) int %s(int n) { volatile int s = 0; while (n-- > 0) s += n; return s; }\n"
                       % s["of library"])
        compiler = shutil.which("cc") or shutil.which("gcc")
        if not compiler or run(compiler, "-g", "-O1", "-shared", "-fPIC", "-o", library, source).returncode != 0:
            library = ""
        script = os.path.join(home, s["script"] + ".py")
        with open(script, "w") as file:
            file.write(PROGRAM.format(
                package=package, library=library, module=s["module"], of_module=s["of module"], klass=s["class"].title(),
                method=s["method"], function=s["function"], variable=s["variable"], of_library=s["of library"],
                thread_function=s["thread function"], thread=s["thread"], system_name=s["system name"]))
        cls.profile, cls.redacted = (os.path.join(cls.folder.name, name) for name in ("p.gprofx", "r.gprofx"))
        options = ["-X", "perf"] if PERF_PYTHON else []
        command = [PERF_PYTHON or sys.executable, *options, script, "--name=" + s["argument"], s.number("numeric argument")]
        record = run(GPROFX, "record", "-q", "--label", s["label"], "-o", cls.profile, "--", *command,
                     env=dict(os.environ, **{s["variable name"]: "1", "ZQ": s["variable value"]}))
        if record.returncode != 0:
            raise unittest.SkipTest("no recording here: " + record.stderr.decode())
        made = run(GPROFX, "redact", "-o", cls.redacted, cls.profile)
        assert made.returncode == 0, made.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_the_recording_has_them(self):
        """Else this would test nothing."""
        found = self.secrets.found_in(every_byte(self.profile))
        for place in ("user", "folder", "module", "of module", "script", "class", "method", "function", "thread", "argument",
                      "numeric argument", "label"):
            self.assertIn(place, found)
        for place in ("variable value", "variable name"):  # the environment is never stored
            self.assertNotIn(place, found)

    def test_none_is_in_the_redacted_file(self):
        text = every_byte(self.redacted)
        self.assertEqual(self.secrets.found_in(text), [])
        host = socket.gethostname()
        if len(host) > 5:
            self.assertNotIn(host.encode(), text)

    def test_none_is_in_redacted_reports(self):
        for view in (["--top"], ["--tree", "--all-frames"], ["--threads"], ["--lines"], ["--by", "module"], ["--by", "process"]):
            for form in ([], ["--json"]):
                answer = run(GPROFX, "report", "--redact", "--wide", *view, *form, self.profile, cwd="/")
                self.assertEqual(answer.returncode, 0, answer.stderr)
                self.assertEqual(self.secrets.found_in(answer.stdout), [], view)

    def test_guesses_cannot_be_checked(self):
        """Hashes differ from redaction to redaction, and are equal under one key only."""
        again, keyed, other = (os.path.join(self.folder.name, name) for name in ("again", "keyed", "other"))
        key = os.path.join(self.folder.name, "key")
        self.assertEqual(run(GPROFX, "redact", "-o", again, self.profile).returncode, 0)
        with open(key, "wb") as file:
            file.write(secrets.token_bytes(32))
        for out in (keyed, other):
            self.assertEqual(run(GPROFX, "redact", "--key", key, "-o", out, self.profile).returncode, 0)
        hashes = [set(re.findall(rb"py_[0-9a-f]{12}", every_byte(path))) for path in (self.redacted, again, keyed, other)]
        self.assertGreater(len(hashes[0]), 3)
        self.assertFalse(hashes[0] & hashes[1])
        self.assertEqual(hashes[2], hashes[3])
        with open(key, "rb") as file:
            self.assertNotIn(file.read(), every_byte(keyed))
        with open(key, "wb") as file:
            file.write(b"short")
        short = run(GPROFX, "redact", "--key", key, "-o", other, self.profile)
        self.assertEqual((short.returncode, short.stderr.count(b"\n")), (2, 1))

    def test_redacting_again_changes_no_name(self):
        twice = os.path.join(self.folder.name, "twice")
        self.assertEqual(run(GPROFX, "redact", "-o", twice, self.redacted).returncode, 0)
        texts = []
        for path in (self.redacted, twice):
            with sqlite3.connect("file:%s?mode=ro" % path, uri=True) as db:
                texts.append({row[0] for row in db.execute("SELECT text FROM string")})
        self.assertEqual(*texts)


@unittest.skipUnless(shutil.which("zstd"), "there is no zstd to unpack with")
class Imported(unittest.TestCase):
    """Names of a GPU's work: a trace of PyTorch whose names begin as public ones do."""
    STARTS = {
        "kernel": ["void at::native::%s<float>(int)", "void at::native::(anonymous namespace)::%s(int)", "ncclDevKernel_%s",
                   "nvjet_%s", "cutlass_80_%s", "ampere_sgemm_%s", "void cutlass::Kernel<%s>(int)", "triton_poi_%s"],
        "user_annotation": ["%s", "step %s", "ProfilerStep#7.%s", "ProfilerStep#%s", "Optimizer.step#AdamW.%s", "nn.Module: %s_0"],
        "python_function": ["site-packages/torch/nn/%s.py(3): forward", "torch/%s.py(3): forward", "nn.Module: %s_3",
                            "net.py(3): %s", "<built-in method %s>"],
        "cpu_op": ["aten::%s", "prim::%s", "c10d::%s", "record_param_comms%s",
                   "autograd::engine::evaluate_function: %s", "%s::mm"],
        "cuda_runtime": ["cuda%s", "cudaMemcpy%s", "cu%s"],
    }

    def test_none_is_in_the_redacted_file(self):
        s = Secrets()
        with open(os.path.join(DATA, "kineto.json")) as file:
            trace = json.load(file)
        first = {event.get("cat"): event for event in trace["traceEvents"] if event["ph"] == "X"}
        step = 0
        for category, starts in self.STARTS.items():
            for start in starts:
                for name in (s["%s in %s" % (start, category)].title(), s.number("number in %s in %s" % (start, category))):
                    step += 1
                    event = json.loads(json.dumps(first[category]))
                    args = {key: value for key, value in event["args"].items() if key not in ("External id", "correlation")}
                    if "kernel" in category:
                        args["correlation"] = 10000 + step
                    trace["traceEvents"].append(dict(event, name=start % name, ts=event["ts"] + 1000 * step, args=args))
        for kind in ("process_name", "thread_name", "process_labels"):
            trace["traceEvents"].append({"name": kind, "ph": "M", "ts": 0, "pid": 100, "tid": 100,
                                         "args": {"name": s[kind], "labels": s[kind]}})
        with tempfile.TemporaryDirectory(prefix="gprofx-secrets-") as folder:
            path, made, out, page = (os.path.join(folder, name) for name in ("t.json", "i.gprofx", "o.gprofx", "o.csv"))
            with open(path, "w") as file:
                json.dump(trace, file)
            self.assertEqual(run(GPROFX, "import", "-q", "-o", made, path).returncode, 0)
            kept = s.found_in(every_byte(made))
            self.assertGreater(len(kept), 40)
            done = run(GPROFX, "redact", "-o", out, made)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(s.found_in(every_byte(out)), [])
            for options in (["--top"], ["--markers"], ["--timeline"], ["--tree"]):
                answer = run(GPROFX, "report", "--json", "--redact", *options, made)
                self.assertEqual(answer.returncode, 0, answer.stderr)
                self.assertEqual(s.found_in(answer.stdout), [], options)
            done = run(GPROFX, "export", "-q", "--to", "csv", "--redact", "-o", page, made)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(page, "rb") as file:
                self.assertEqual(s.found_in(file.read()), [])


class Arguments(unittest.TestCase):
    """Passwords on the command line, of the program and of its children."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="gprofx-secrets-")
        self.addCleanup(self.folder.cleanup)

    def record(self, s, *options):
        burn = "import time\nend = time.monotonic() + 0.3\nwhile time.monotonic() < end: pass\n"
        script = os.path.join(self.folder.name, "main.py")
        told = ["--password=" + s["password"], "--api-key", s["api key"], "token=" + s["token"],
                "Authorization: Bearer " + s["bearer"], "https://me:%s@host/" % s["url"]]
        with open(script, "w") as file:
            file.write("import subprocess, sys\n" + burn)
            file.write("if len(sys.argv) > 2: subprocess.run([sys.executable, sys.argv[0], '--secret=%s'])\n" % s["of a child"])
        profile = os.path.join(self.folder.name, "p.gprofx")
        done = run(GPROFX, "record", "-o", profile, *options, "--", sys.executable, script, "--rate", "plain-argument", *told,
                   env=dict(os.environ, GPROFX_RAW=""))
        if done.returncode != 0:
            self.skipTest("no recording here: " + done.stderr.decode())
        return profile, done

    def commands(self, profile):
        with sqlite3.connect("file:%s?mode=ro" % profile, uri=True) as db:
            rows = db.execute("SELECT s.text FROM process p JOIN string s ON s.id = p.command").fetchall()
            return [row[0] for row in rows] + [db.execute("SELECT value FROM meta WHERE name = 'command'").fetchone()[0]]

    def test_secrets_are_masked(self):
        s = Secrets()
        profile, done = self.record(s)
        commands = self.commands(profile)
        self.assertGreaterEqual(len(commands), 3)  # the program, its child, the recording's
        for command in commands:
            self.assertIn("***", command)
            self.assertIn("main.py", command)
        self.assertIn("plain-argument", commands[0])
        with open(profile, "rb") as file:
            self.assertEqual(s.found_in(file.read() + done.stdout + done.stderr), [])
        report = run(GPROFX, "report", "--by", "process", "--wide", profile)
        self.assertEqual(s.found_in(report.stdout), [])

    def test_no_arguments(self):
        s = Secrets()
        profile, _ = self.record(s, "--no-arguments")
        for command in self.commands(profile):
            self.assertRegex(command, r"^\S*python\S* \S*main\.py \.\.\.$")
        with open(profile, "rb") as file:
            text = file.read()
        self.assertEqual(s.found_in(text), [])
        self.assertNotIn(b"plain-argument", text)


if __name__ == "__main__":
    unittest.main()
