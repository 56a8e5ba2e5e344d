"""Plain mode of the plugin: `pytest -p gprof_x.pytest --gprofx` runs the session again in a recorded
process, then prints where the time of its slowest tests went."""

import json
import os
import subprocess
import sys
import tempfile
import time

import pytest

from gprof_x._markers import range as marked_range

_TIMES = "GPROFX_PYTEST_TIMES"  # set in the recorded process: where it writes the times of tests
_PROFILE = "pytest.gprofx"
_ROWS = 5  # functions of a test
_MIN_SECONDS = 0.02  # in which there are samples enough to tell


def is_recorded():
    return _TIMES in os.environ


class Slowest:
    """Notes in the recorded process when each test ran."""

    def __init__(self):
        self._tests = []

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item):
        begin = time.time_ns()
        with marked_range("test " + item.nodeid):
            yield
        self._tests.append((item.nodeid, begin, time.time_ns()))

    def pytest_sessionfinish(self):
        with open(os.environ[_TIMES], "w", encoding="utf-8") as file:
            json.dump(self._tests, file)


def record(config, count):
    """Runs the same session in a recorded process and returns its status."""
    from gprof_x._program import program

    with tempfile.TemporaryDirectory(prefix="gprof-x-") as folder:
        times = os.path.join(folder, "times.json")
        command = [program(), "record", "-q", "--clock", "wall", "-o", _PROFILE, "--"]
        command += [sys.executable, "-m", "pytest"]
        command += [os.fspath(argument) for argument in config.invocation_params.args]
        try:
            status = subprocess.run(command, env=dict(os.environ, **{_TIMES: times})).returncode
        except OSError as error:
            raise pytest.UsageError("gprof-x cannot be run: %s" % error) from None
        tests = _read(times)
    print("\n".join(_report(tests, count)))
    return status


def _read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return []  # the session ended before any test


def _report(tests, count):
    """Lines about the slowest tests."""
    import gprof_x

    lines = ["", " gprof-x: where the slowest tests spend their time ".center(80, "=")]
    if not tests:
        return lines + ["no test ran"]
    try:
        start = int(gprof_x.open(_PROFILE, phase="all").meta["start_realtime_ns"])
    except (gprof_x.Error, KeyError, ValueError) as error:
        return lines + [str(error)]
    for name, begin, end in sorted(tests, key=lambda test: test[1] - test[2])[:count]:
        lines += ["", "%s  %s" % (_seconds((end - begin) / 1e9), name)]
        lines += _functions(begin - start, end - start)
    return lines + ["", "all: gprof-x report %s --view python, --markers or -i" % _PROFILE]


def _functions(begin, end):
    """Lines about the functions with the most time between two times of the recording."""
    import gprof_x

    if end - begin < _MIN_SECONDS * 1e9:
        return ["    too short to tell"]
    span = "%dns..%dns" % (max(begin, 0), end)
    try:
        found = gprof_x.open(_PROFILE, span=span).report("--view", "python", "--top", str(_ROWS))
    except gprof_x.Error as error:
        return ["    %s" % error]
    return [_row(row, found["base"]) for row in found["rows"] if row["self"] > 0]


def _row(row, whole):
    """The time in a function itself, and where it is; of a wait, the user's line that waits."""
    seen = row if row["file"] else row["seen_as"] or row
    share = 100.0 * row["self"] / whole if whole else 0.0
    place = "%s:%s" % (os.path.relpath(seen["file"]), seen["line"]) if seen["file"] else ""
    return "    %5.1f%%  %-40s %s" % (share, row["name"], place)


def _seconds(value):
    return "%7.2f s " % value if value >= 1 else "%7.1f ms" % (value * 1e3)
