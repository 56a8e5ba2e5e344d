"""A plugin for pytest (`-p gprof_x.pytest`) that runs single tests as benchmarks.

`gprof-x ci run --per-test` lists the benchmarks with --gprofx-list and runs one of them in a process
of its own with --gprofx-run. Both exchange small JSON files. `--gprofx` needs no gprof-x ci: it
records the session and prints where the time of the slowest tests goes.

Benchmarks are the tests that use the fixture `benchmark` (pytest-benchmark, pytest-codspeed) or the
marker `benchmark` or `gprofx`; without any, all tests are.
"""

import pytest

MARKERS = ("benchmark", "gprofx")


def pytest_addoption(parser):
    group = parser.getgroup("gprof-x")
    group.addoption(
        "--gprofx",
        action="store_true",
        help="record the session with gprof-x and print where the time of the slowest tests goes",
    )
    group.addoption(
        "--gprofx-slowest",
        metavar="N",
        type=int,
        default=5,
        help="number of tests that --gprofx prints (default: 5)",
    )
    group.addoption("--gprofx-list", metavar="FILE", help="for gprof-x ci: write the benchmarks")
    group.addoption("--gprofx-run", metavar="FILE", help="for gprof-x ci: run one benchmark")


def pytest_configure(config):
    config.addinivalue_line("markers", "gprofx: a benchmark of gprof-x ci run --per-test")
    option = config.option
    if option.gprofx_list or option.gprofx_run or option.gprofx:
        _stay_in_this_process(option)
    if option.gprofx_list:
        config.pluginmanager.register(_List(option.gprofx_list), "gprofx-list")
    if option.gprofx_run:
        from gprof_x._benchmark import Runner

        config.pluginmanager.register(Runner(config, option.gprofx_run), "gprofx-run")
    if option.gprofx and _is_recorded():
        from gprof_x._slowest import Slowest

        config.pluginmanager.register(Slowest(), "gprofx-slowest")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """Runs the session in a recorded process if --gprofx asks for it."""
    option = config.option
    if not option.gprofx or option.collectonly or _is_recorded():
        return None
    from gprof_x._slowest import record

    return record(config, max(option.gprofx_slowest, 0))


def _is_recorded():
    from gprof_x._slowest import is_recorded

    return is_recorded()


def _stay_in_this_process(option):
    """Turns pytest-xdist off: the workers are not ours."""
    if hasattr(option, "dist"):
        option.dist, option.tx, option.numprocesses = "no", [], None


def is_benchmark(item):
    return "benchmark" in getattr(item, "fixturenames", ()) or any(
        item.get_closest_marker(name) for name in MARKERS
    )


class _List:
    """Writes the node ids of all benchmarks instead of running anything."""

    def __init__(self, path):
        self._path = path

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        import json

        marked = [item for item in items if is_benchmark(item)]
        with open(self._path, "w", encoding="utf-8") as file:
            json.dump({"benchmarks": [item.nodeid for item in marked or items]}, file)
        items[:] = []
