"""The runner of the GPU suite: a list of cases, what a case may use, time limits, one line for each result."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

import processes
from gpu_profile import GpuProfile

CASES = []
MOST_KEPT_BYTES = 12 << 20
NO_GPU = 77  # how the programs of tests/workloads/gpu say it


class Case:
    def __init__(self, name, needs, limit, function):
        self.name, self.needs, self.limit, self.function = name, needs, limit, function
        self.about = (function.__doc__ or "").strip().split("\n")[0]


def case(name, *needs, limit=60):
    """Registers a function of one argument (Bench) as a case. needs: gpu, programs, torch, triton, or the name of a tool."""
    def register(function):
        CASES.append(Case(name, needs, limit, function))
        return function
    return register


class Skip(Exception):
    pass


class TimeIsUp(Exception):
    pass


class Recorded:
    """A program that ran under gprof-x, and its profile."""

    def __init__(self, ended, path, facts):
        self.ended, self.path, self.facts = ended, path, facts
        self.status, self.out, self.err = ended.status, ended.out, processes.without_own_lines(ended.err)
        self.said = processes.own_lines(ended.err)


class Bench:
    """What a case works with. Failures are collected, so that one case can say everything that is wrong."""

    def __init__(self, options, chosen, limit, shared):
        self.options, self.name, self.shared_results = options, chosen.name, shared
        self.on_gpu = "gpu" in chosen.needs
        self.deadline = time.monotonic() + limit
        self.failures, self.notes, self.log, self.profiles = [], [], [], []
        self.folder = tempfile.mkdtemp(prefix="case-", dir=options.folder)

    def left(self):
        return self.deadline - time.monotonic()

    def check(self, condition, text):
        if not condition:
            self.failures.append(text)
        return bool(condition)

    def equal(self, found, wanted, what):
        return self.check(found == wanted, "%s: %s instead of %s" % (what, found, wanted))

    def note(self, text):
        self.notes.append(text)

    def program(self, name, *arguments):
        return [os.path.join(self.options.programs, name), *map(str, arguments)]

    def script(self, name, *arguments):
        return [self.options.python, os.path.join(self.options.scripts, name), *map(str, arguments)]

    def bare(self, command, env=None, **more):
        """Runs a command without gprof-x; with `facts` in the result."""
        env, facts_path = self.environment(env)
        ended = processes.run(command, self.left(), env, self.folder, **more)
        self.ran(ended)
        ended.facts = read_facts(facts_path)
        return ended

    def record(self, command, *options, env=None, **more):
        path = os.path.join(self.folder, "%d.gprofx" % len(self.profiles))
        self.profiles.append(path)
        env, facts_path = self.environment(env)
        if "--overhead" not in options:  # what is compared exactly needs all records
            options = ("--overhead", "none", *options)
        full = [self.options.gprofx, "record", "-o", path, *options, "--", *command]
        ended = processes.run(full, self.left(), env, self.folder, **more)
        self.ran(ended)
        return Recorded(ended, path, read_facts(facts_path))

    def ran(self, ended):
        self.log.append(ended.text())
        self.check(ended.status is not None, "stopped at the time limit: %s" % " ".join(ended.command[-3:]))
        self.check(not self.on_gpu or ended.status != NO_GPU, "the program found no GPU")

    def environment(self, env):
        facts_path = os.path.join(self.folder, "facts-%d" % len(self.log))
        return {**os.environ, **(env or {}), "WORKLOAD_FACTS": facts_path, "PYTHONDONTWRITEBYTECODE": "1"}, facts_path

    def gprofx(self, *arguments):
        ended = processes.run([self.options.gprofx, *arguments], min(30, self.left()), None, self.folder)
        self.log.append(ended.text())
        return ended

    def same(self, bare, recorded, mask=lambda text: text):
        """The program did not notice that it was recorded."""
        self.equal(recorded.status, bare.status, "exit status")
        self.check(mask(recorded.out) == mask(bare.out), "standard output differs")
        self.check(mask(recorded.err) == mask(bare.err), "standard error differs: %r" % last_line(recorded.err))

    def expect(self, recorded, status, out=None):
        self.equal(recorded.status, status, "exit status")
        if out is not None:
            self.equal(recorded.out.strip(), out, "standard output")

    def open(self, recorded):
        """The profile of a recording, once `report` could read it. A file that cannot be opened ends the case."""
        report = self.gprofx("report", "--top", recorded.path)
        self.equal(report.status, 0, "status of report --top")
        return GpuProfile(recorded.path)

    def shared(self, key, make):
        """The result of make(), made once for all cases of this run."""
        if key not in self.shared_results:
            try:
                self.shared_results[key] = (make(), None)
            except (Exception, TimeIsUp) as error:
                self.shared_results[key] = (None, "%s failed: %s" % (key, error))
                raise
        result, failure = self.shared_results[key]
        if failure:
            raise Skip(failure)
        return result


def read_facts(path):
    try:
        with open(path) as file:
            return json.load(file)
    except (OSError, ValueError):
        return {}


def last_line(text):
    return text.strip().rpartition("\n")[2][:200]


def missing_gpu(python):
    """Why there is no GPU to work with; "" when there is one. In a process of its own: this one stays without CUDA."""
    code = ("import ctypes,sys\ntry: c=ctypes.CDLL('libcuda.so.1')\nexcept OSError as e: sys.exit('no GPU: '+str(e))\n"
            "n=ctypes.c_int()\nr=c.cuInit(0) or c.cuDeviceGetCount(ctypes.byref(n))\n"
            "sys.exit('no GPU: the driver says error %d' % r if r else 0 if n.value else 'no GPU: there is no device')\n")
    ended = processes.run([python, "-c", code], 60)
    return "" if ended.status == 0 else last_line(ended.err) or "no GPU: the question took too long"


def unmet(options, needs):
    """The first need of a case that this machine does not fulfil; ""."""
    for need in needs:
        if need == "gpu":
            answer = "no GPU" if options.no_gpu else ""
        elif need == "programs":
            answer = "" if os.path.isdir(options.programs) else "the CUDA programs are not built"
        elif need in ("torch", "triton"):
            answer = "" if module_exists(options, need) else "Python has no %s" % need
        else:
            answer = "" if shutil.which(need) else "there is no %s" % need
        if answer:
            return answer
    return ""


def module_exists(options, name):
    if name not in options.modules:
        code = "import importlib.util, sys; sys.exit(importlib.util.find_spec(%r) is None)" % name
        options.modules[name] = subprocess.run([options.python, "-c", code], stdin=subprocess.DEVNULL).returncode == 0
    return options.modules[name]


def on_alarm(_signal, _frame):
    raise TimeIsUp()


def run_case(options, chosen, limit, shared):
    """(PASS, FAIL or SKIP, text, seconds, details)."""
    begin = time.monotonic()
    reason = unmet(options, chosen.needs)
    if reason:
        return "SKIP", reason, 0.0, ""
    bench = Bench(options, chosen, limit, shared)
    signal.signal(signal.SIGALRM, on_alarm)
    signal.setitimer(signal.ITIMER_REAL, limit + 5)  # commands end at the limit; this is for the rest
    try:
        chosen.function(bench)
    except Skip as skip:
        if not bench.failures:
            return "SKIP", str(skip), time.monotonic() - begin, "".join(bench.log)
        bench.failures.append(str(skip))
    except TimeIsUp:
        bench.failures.append("not done after %d s" % limit)
    except Exception as error:
        bench.failures.append("%s: %s" % (type(error).__name__, error))
        bench.log.append(traceback.format_exc())
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    seconds = time.monotonic() - begin
    if bench.failures:
        keep_profiles(options, bench)
        return "FAIL", "; ".join(bench.failures), seconds, "\n".join(bench.failures + bench.notes + bench.log)
    return "PASS", ", ".join(bench.notes), seconds, "".join(bench.log)


def keep_profiles(options, bench):
    for path in bench.profiles[-1:]:
        if options.keep > 0 and os.path.exists(path) and os.path.getsize(path) <= MOST_KEPT_BYTES:
            shutil.copy(path, os.path.join(options.out, bench.name + ".gprofx"))
            options.keep -= 1


def run_all(options, chosen):
    """Runs cases one after the other, prints a line for each. True when none failed."""
    results, shared = [], {}
    deadline = time.monotonic() + options.seconds
    with open(os.path.join(options.out, "details.txt"), "w") as details:
        for c in chosen:
            left = deadline - time.monotonic()
            if left < 5:
                result = ("LATE", "not run: the time of the suite was over", 0.0, "")
            else:
                result = run_case(options, c, min(c.limit * options.patience, left), shared)
            state, text, seconds, log = result
            results.append({"case": c.name, "state": state, "text": text, "seconds": round(seconds, 2)})
            print("%-4s  %-24s %6.1f s  %s" % (state, c.name, seconds, text.replace("\n", " ")[:300]), flush=True)
            if state == "FAIL" or options.verbose:
                details.write("=" * 100 + "\n%s %s\n%s\n" % (state, c.name, processes.cut(log, 60000)))
                details.flush()
    with open(os.path.join(options.out, "results.json"), "w") as file:
        json.dump(results, file, indent=1)
    count = {s: sum(r["state"] == s for r in results) for s in ("PASS", "FAIL", "SKIP", "LATE")}
    print("%d passed, %d failed, %d skipped, %d not run" % (count["PASS"], count["FAIL"], count["SKIP"], count["LATE"]))
    sys.stdout.flush()
    return count["FAIL"] == 0 and count["LATE"] == 0, count["PASS"]
