#!/usr/bin/env python3
"""Own time of Python functions: gprof-x report --view python beside py-spy, in the same run of the same program.

    python -m venv V; V/bin/pip install --no-binary black py-spy sphinx django sqlglot rich pycodestyle black
    tests/bench/bench_python_own.py --gprofx build/release/bin/gprof-x --venv V [--seconds 20] [PROGRAM...]

How it is compared: gprof-x records the program by CPU clock (997 Hz) and starts it; when it is up and waits, `py-spy record
-r 200 -f raw` attaches to the process, and the program is let go (programs/own_gate.py). py-spy samples the wall clock of
threads that are not idle; the programs are bound by the CPU and have one thread, so both clocks run at the same pace if the
machine is idle. Where it is not, py-spy, which comes late, takes the samples that it missed at one place. So all of it runs in
the real-time class where that is allowed. The suite of pytest is not among the usual programs: what it does most, opening and
duplicating files, takes wall clock that is no CPU time. Both are asked only for stacks below the gate, so start-up and
attaching count in neither.

py-spy does not stop the program (--nonblocking). When it does, it waits for the stop that PTRACE_INTERRUPT asks for; where a signal
of the program comes in between, that stop is the signal's, and py-spy 0.4 waits for another one until the program ends: strace
shows it passing SIGPROF on, 300 times a second, and taking no sample any more. Its file then has the first part of the run only
(black: 30 of 48 s, so ast.parse, 10 % of the time by the program's own clock, had no sample in it). A run of which it has seen less
than half is refused. A function is its file and the last part of its name (py-spy has no qualified names): its own share is its own samples of all there. The bar:
at most 2 points of difference for each function above 2 % in either. The noise of py-spy alone is sqrt(p (1 - p) / n): 0.7
points for a function of 30 % in 4,000 samples; the column `noise` says it (one standard error of both).
"""
import argparse
import collections
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "programs")
GATE = "gprofx_own_gate"
BAR = 2.0
RATE = 200  # of py-spy, Hz
LEAST_SEEN = 0.5  # of the moments at which it was to look


def package_folder(python, package):
    code = "import os, %s; print(os.path.dirname(%s.__file__))" % (package, package)
    return subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def write_docs(folder, pages):
    """A tree of documentation for Sphinx."""
    with open(os.path.join(folder, "conf.py"), "w") as out:
        out.write("project = 'x'\nextensions = ['sphinx.ext.autodoc']\n")
    for i in range(pages):
        with open(os.path.join(folder, "page%d.rst" % i), "w") as out:
            out.write("Page %d\n=======\n\n" % i)
            for k in range(40):
                out.write("Section %d\n----------\n\nSome *text* with ``code``, :ref:`genindex` and a `link <https://example.org>`_.\n\n"
                          "* one\n* two\n\n.. code-block:: python\n\n   x = [i for i in range(%d)]\n\n.. py:function:: f%d_%d(a, b)\n\n   Does it.\n\n"
                          % (k, k, i, k))
    with open(os.path.join(folder, "index.rst"), "w") as out:
        out.write("Index\n=====\n\n.. toctree::\n\n" + "".join("   page%d\n" % i for i in range(pages)))


def write_tests(folder, tests):
    """A suite for pytest: parametrised tests with fixtures and rewritten assertions."""
    with open(os.path.join(folder, "test_many.py"), "w") as out:
        out.write("import pytest\n\n@pytest.fixture\ndef numbers():\n    return list(range(300))\n\n"
                  "@pytest.mark.parametrize('n', range(%d))\ndef test_sum(numbers, n, monkeypatch):\n"
                  "    total = sum(x * n for x in numbers)\n    assert total == n * sum(numbers)\n"
                  "    assert sorted(numbers, key=lambda x: -x)[0] == 299\n" % tests)


def command_of(name, python, seconds, folder):
    own = lambda script: [os.path.join(PROGRAMS, script), str(seconds)]  # noqa: E731
    if name == "django":
        return own("own_django.py")
    if name == "sqlglot":
        return own("own_sqlglot.py")
    if name == "rich":
        return own("own_rich.py")
    if name == "sphinx":
        write_docs(folder, 2 * seconds)
        return ["-m", "sphinx", "-q", "-j", "1", "-d", os.path.join(folder, "doctrees"), folder, os.path.join(folder, "out")]
    if name == "pycodestyle":
        sources = [package_folder(python, package) for package in ("sqlglot", "sphinx", "django", "rich", "pip")]
        return ["-m", "pycodestyle", "--max-line-length=300", "--ignore=E,W", "-q"] + sources
    if name == "pyflakes":
        return ["-m", "pyflakes", package_folder(python, "sphinx")]
    if name == "pytest":
        write_tests(folder, 500 * seconds)
        return ["-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", folder]  # -s: else it mostly redirects descriptors
    if name == "black":
        source = os.path.join(folder, "source.py")
        files = [os.path.join(package_folder(python, "sphinx"), f) for f in ("application.py", "config.py", "registry.py")]
        with open(source, "w") as out:
            for path in files * max(1, seconds // 2):
                out.write(open(path).read().replace("from __future__", "# from __future__"))
        return ["-m", "black", "-q", "--diff", source]
    raise SystemExit("unknown program %s" % name)


def wait_for(path, process, seconds=60):
    end = time.monotonic() + seconds
    while not os.path.exists(path):
        if process.poll() is not None or time.monotonic() > end:
            raise SystemExit("the program did not start")
        time.sleep(0.02)


def run_both(args, name, folder):
    """Records one run with both; returns (profile of gprof-x, stacks of py-spy, stacks that it could not read, seconds)."""
    python, spy = os.path.join(args.venv, "bin", "python"), os.path.join(args.venv, "bin", "py-spy")
    ready, go = os.path.join(folder, "ready"), os.path.join(folder, "go")
    profile, raw = os.path.join(folder, "own.gprofx"), os.path.join(folder, "spy.raw")
    work = os.path.join(folder, "work")
    os.mkdir(work)
    command = command_of(name, python, args.seconds, work)
    record = [args.gprofx, "record", "-q", "-o", profile, "--", python, os.path.join(PROGRAMS, "own_gate.py"), ready, go]
    with open(os.path.join(folder, "output"), "w") as output:
        program = subprocess.Popen(record + command, stdout=output, stderr=output, cwd=work)
        wait_for(ready, program)
        with open(os.path.join(folder, "spy.output"), "w") as spy_output:
            watcher = subprocess.Popen([spy, "record", "-r", str(RATE), "--nonblocking", "-f", "raw", "--full-filenames", "-d", "3600", "-o", raw,
                                        "--pid", open(ready).read()], stdout=spy_output, stderr=spy_output)
            time.sleep(2)  # py-spy reads the interpreter's symbols first
            open(go, "w").close()
            begun = time.monotonic()
            program.wait()
            seconds = time.monotonic() - begun
            watcher.wait(timeout=60)
    errors = re.search(r"Errors: (\d+)", open(os.path.join(folder, "spy.output"), errors="replace").read())
    return profile, raw, int(errors[1]) if errors else 0, seconds


def key(function, file):
    return function.rsplit(".", 1)[-1], file


def own_by_spy(raw):
    """Key -> samples; lines are "a (file:line);b (file:line) COUNT"."""
    own = collections.Counter()
    for line in open(raw, encoding="utf-8", errors="replace"):
        stack, count = line.rstrip("\n").rsplit(" ", 1)
        if GATE not in stack:
            continue
        found = re.match(r"(.*) \((.*):\d+\)$", stack.rsplit(";", 1)[-1])
        if found:
            own[key(found[1], found[2])] += int(count)
    return own


def own_by_gprofx(gprofx, profile):
    text = subprocess.run([gprofx, "report", profile, "--view", "python", "--json", "--focus", GATE], check=True,
                          capture_output=True, text=True).stdout
    own, native = collections.Counter(), collections.Counter()
    for row in json.loads(text)["rows"]:
        if row["kind"] != "py":
            continue
        own[key(row["name"], row["file"])] += row["self"]
        native[key(row["name"], row["file"])] += row["native"]
    return own, native


def compare(args, name):
    """Prints the table of one program; returns its largest difference above the threshold."""
    with tempfile.TemporaryDirectory(prefix="gprofx-own-") as folder:
        profile, raw, errors, seconds = run_both(args, name, folder)
        spy, (own, native) = own_by_spy(raw), own_by_gprofx(args.gprofx, profile)
    samples, ns = sum(spy.values()), sum(own.values())
    if samples < 200 or ns == 0:
        raise SystemExit("%s: %d samples of py-spy, %d ns: too few" % (name, samples, ns))
    if samples + errors < LEAST_SEEN * RATE * seconds:
        raise SystemExit("%s: py-spy took %d samples in %.0f s: it has not seen the whole run" % (name, samples + errors, seconds))
    taken = ns / 1e9 * 997
    print("\n%s: %.1f s of CPU time, %d samples of py-spy, which could not read %d more" % (name, ns / 1e9, samples, errors))
    print("%8s %8s %6s %6s %7s  function" % ("gprof-x", "py-spy", "diff", "noise", "native"))
    worst = 0.0
    for which in sorted(set(own) | set(spy), key=lambda k: -max(own[k] / ns, spy[k] / samples)):
        ours, theirs = own[which] / ns, spy[which] / samples
        if max(ours, theirs) < 0.02:
            break
        p = (ours + theirs) / 2
        noise = 100 * math.sqrt(p * (1 - p) * (1 / samples + 1 / taken))
        difference = 100 * (ours - theirs)
        worst = max(worst, abs(difference))
        print("%7.2f%% %7.2f%% %+6.2f %6.2f %6.1f%%  %s (%s)%s" % (
            100 * ours, 100 * theirs, difference, noise, 100 * native[which] / own[which] if own[which] else 0, which[0],
            os.path.basename(which[1]), "  ABOVE THE BAR" if abs(difference) > BAR else ""))
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gprofx", required=True)
    parser.add_argument("--venv", required=True)
    parser.add_argument("--seconds", type=int, default=20, help="about how long each program runs")
    parser.add_argument("programs", nargs="*", default=["sphinx", "django", "sqlglot", "rich", "pycodestyle", "black"])
    args = parser.parse_args()
    args.gprofx = os.path.abspath(args.gprofx)
    args.venv = os.path.abspath(args.venv)
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(5))
    except PermissionError:
        print("not root: what else runs on this machine disturbs the samples of wall clock")
    worst = {name: compare(args, name) for name in args.programs}
    print("\nlargest difference of functions above 2 %, in points:")
    for name, difference in worst.items():
        print("%6.2f  %s%s" % (difference, name, "  ABOVE THE BAR" if difference > BAR else ""))
    return 1 if max(worst.values()) > BAR else 0


if __name__ == "__main__":
    sys.exit(main())
