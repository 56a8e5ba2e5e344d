"""Runs one test as a benchmark and writes its times.

The request is a JSON object: `id`, the node id of the test; `out`, the file for the result;
`seconds`, about how long to measure; optionally `calls` and `batches`, the amount of work that an
earlier run chose. With these, every run does the same work, so exact counts can be compared.
`turns` lets batches alternate with those of the other version (_turns.py).

The time is that of batches: `calls` calls each, in a range of the recording. The fixtures of
pytest-benchmark and pytest-codspeed call their function here instead of in their own loops. A test
without such a fixture is run again as a whole, with its fixtures; only its body is timed.
"""

import gc
import itertools
import json
import os
import resource
import sys
import time

import pytest

from gprof_x._markers import range as marked_range
from gprof_x._turns import turns_of

_BATCH_NS = 5_000_000
_MIN_BATCHES = 3
_MIN_TRIES = 4
_PATIENCE = 10  # times the requested seconds, after which no batch begins


class Times:
    """Wall and CPU time of the batches, in ns, and how often each gave up the processor to wait."""

    def __init__(self, request):
        self.seconds = float(request.get("seconds") or 0.5)
        self.calls = int(request.get("calls") or 0)
        self.batches = int(request.get("batches") or 0)
        self.wall, self.cpu, self.waits = [], [], []
        self.turns = turns_of(request)

    def choose(self, call_ns):
        """Chooses the amount of work unless the request does."""
        call_ns = max(call_ns, 1)
        if not self.calls:
            self.calls = max(1, round(_BATCH_NS / call_ns))
        if not self.batches:
            most = round(self.seconds * 1e9 / (self.calls * call_ns))
            self.batches = max(_MIN_BATCHES, min(most, round(self.seconds * 1e9 / _BATCH_NS)))

    def choose_repetitions(self, test_ns):
        """Chooses how often a whole test is run. `test_ns` includes its fixtures."""
        if not self.batches:
            self.batches = max(_MIN_BATCHES, round(2 * self.seconds * 1e9 / max(test_ns, 1)))

    def is_late(self, began):
        return (time.perf_counter_ns() - began) > _PATIENCE * self.seconds * 1e9

    def add(self, begin, end):
        """Adds the batch between two results of _now()."""
        self.wall.append(end.wall - begin.wall)
        self.cpu.append(end.cpu - begin.cpu)
        self.waits.append(end.waits - begin.waits)


class _Now:
    __slots__ = ("cpu", "waits", "wall")


def _now():
    now = _Now()
    now.waits = resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw
    now.cpu = time.process_time_ns()
    now.wall = time.perf_counter_ns()
    return now


def _timed_batch(times, run, is_counted=True):
    """Runs run() and adds its times."""
    begin = _now()
    run()
    end = _now()
    if is_counted:
        times.add(begin, end)
    return end.wall - begin.wall


def _repeat(function, calls, args, kwargs):
    def run():
        for _ in itertools.repeat(None, calls):
            function(*args, **kwargs)

    return run


def _first_calls(function, args, kwargs):
    """Calls the function until the time of a call is known, as the least of several tries: the first
    calls are slow. Returns a result and that time."""
    calls, least, tries = 1, float("inf"), 0
    while True:
        result = None
        begin = time.thread_time_ns()
        for _ in itertools.repeat(None, calls):
            result = function(*args, **kwargs)
        least = min(least, max(time.thread_time_ns() - begin, 1) / calls)
        tries += 1
        if (tries >= _MIN_TRIES and calls * least > _BATCH_NS / 3) or least > _BATCH_NS * 4:
            return result, least
        calls = max(1, min(calls * 8, round(_BATCH_NS / 2 / least)))


def measure(times, function, args, kwargs):
    """Measures function(*args, **kwargs) and returns what it returned."""
    if times.calls:
        warm_up = 0 if times.calls == 1 and times.batches <= _MIN_BATCHES else times.calls
        result = None
        for _ in itertools.repeat(None, max(warm_up, 1)):
            result = function(*args, **kwargs)
    else:
        result, call_ns = _first_calls(function, args, kwargs)
        times.choose(call_ns)
    run = _repeat(function, times.calls, args, kwargs)
    gc.collect()
    began = time.perf_counter_ns()
    for number in range(times.batches):
        if times.is_late(began):
            break
        times.turns.begin()
        with marked_range("gprof-x batch#%d" % (number + 1)):
            _timed_batch(times, run)
        times.turns.end()
    return result


def measure_rounds(times, function, args, kwargs, setup, teardown, rounds, iterations):
    """As `pedantic` of pytest-benchmark: setup and teardown around every round."""
    result = None

    def one_round(is_counted):
        nonlocal args, kwargs, result
        if setup is not None:
            made = setup()
            if made is not None:
                args, kwargs = made
        run = _repeat(function, iterations - 1, args, kwargs)

        def batch():
            nonlocal result
            result = function(*args, **kwargs)
            run()

        if is_counted:
            with marked_range("gprof-x batch#%d" % (len(times.wall) + 1)):
                spent = _timed_batch(times, batch)
        else:
            spent = _timed_batch(times, batch, False)
        if teardown is not None:
            teardown(*args, **kwargs)
        return spent

    times.calls = iterations
    if rounds == 1 and setup is None:  # nothing says that it can be called again
        times.batches = 1
    else:
        times.choose(one_round(False) / iterations)
    began = time.perf_counter_ns()
    for _ in range(times.batches):
        if times.is_late(began):
            break
        times.turns.begin()
        one_round(True)
        times.turns.end()
    return result


def _take_over(times, done):
    """Makes the fixtures of benchmark plugins measure with us."""

    def call(self, function, *args, **kwargs):
        self._mode = "benchmark(...)"
        done.append(True)
        return measure(times, function, args, kwargs)

    def pedantic(self, target, args=(), kwargs=None, setup=None, teardown=None, rounds=1,
                 warmup_rounds=0, iterations=1):
        self._mode = "benchmark.pedantic(...)"
        done.append(True)
        return measure_rounds(times, target, args, kwargs or {}, setup, teardown, rounds,
                              max(iterations, 1))

    for name in ("pytest_benchmark.fixture", "pytest_codspeed.plugin"):
        fixture = getattr(sys.modules.get(name), "BenchmarkFixture", None)
        if fixture is not None:
            fixture.__call__, fixture.pedantic = call, pedantic


class _Sibling(pytest.Item):
    """Stands for the next run of a test, so that fixtures of wider scopes stay set up."""

    def runtest(self):
        pass


class Runner:
    """Runs the requested test alone."""

    def __init__(self, config, path):
        with open(path, encoding="utf-8") as file:
            self._request = json.load(file)
        self._times = Times(self._request)
        self._done = []
        self._reports = []
        self._is_counted = False
        self._narrow(config)

    def _narrow(self, config):
        """Collects the file of the test only."""
        place = os.path.join(str(config.rootpath), self._request["id"].split("::")[0])
        if os.path.exists(place):
            config.args = [os.path.join(str(config.rootpath), self._request["id"])]

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config, items):
        wanted = [item for item in items if item.nodeid == self._request["id"]]
        if len(wanted) != 1:
            raise pytest.UsageError("gprof-x: no test '%s'" % self._request["id"])
        items[:] = wanted
        _take_over(self._times, self._done)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item):
        """Runs the test again and again if it does not measure itself."""
        from _pytest.runner import runtestprotocol

        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        times, began = self._times, time.perf_counter_ns()
        if "benchmark" in getattr(item, "fixturenames", ()):
            runtestprotocol(item, nextitem=None)
        elif self._passes(item, times.batches == 1):
            times.calls = 1
            times.choose_repetitions(time.perf_counter_ns() - began)
            began = time.perf_counter_ns()
            self._is_counted = True
            while len(times.wall) < times.batches and not times.is_late(began):
                times.turns.begin()
                passes = self._passes(item, len(times.wall) + 1 >= times.batches)
                times.turns.end()
                if not passes:
                    break
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def _passes(self, item, is_last):
        from _pytest.runner import runtestprotocol

        following = None if is_last else _Sibling.from_parent(item.parent, name=item.name)
        reports = runtestprotocol(item, log=False, nextitem=following)
        return all(report.passed for report in reports)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item):
        if "benchmark" in getattr(item, "fixturenames", ()):
            yield
            return
        number = len(self._times.wall) + 1
        with marked_range("gprof-x batch#%d" % number if self._is_counted else "gprof-x warm-up"):
            begin = _now()
            yield
            end = _now()
        if self._is_counted:
            self._times.add(begin, end)

    def pytest_runtest_makereport(self, item, call):
        if call.excinfo is not None:
            kind = "skipped" if call.excinfo.errisinstance(pytest.skip.Exception) else "failed"
            self._reports.append((kind, "%s: %s" % (call.when, call.excinfo.exconly())))

    def pytest_sessionfinish(self):
        times = self._times
        problem, why = next(iter(self._reports), (None, None))
        result = {"calls": times.calls, "wall_ns": times.wall, "cpu_ns": times.cpu, "waits": times.waits}
        if problem or not times.wall:
            result = {"problem": problem or "failed", "why": why or "the test measured nothing"}
        with open(self._request["out"], "w", encoding="utf-8") as file:
            json.dump(result, file)
