"""Where bench_outside.py starts programs, and asks their recordings what they cost."""
import contextlib
import json
import os
import tempfile

import processes
from job import Job


class Lab:
    """Where programs are started. options: those of bench_outside.py; deadline: end of all measurement, time.monotonic()."""

    def __init__(self, options, deadline):
        self.o, self.deadline = options, deadline

    @contextlib.contextmanager
    def begun(self, program, before=None):
        """(job, folder) of a program; before: the words before its command, by the folder of its profile."""
        with tempfile.TemporaryDirectory(prefix="gprof-x-bench-", ignore_cleanup_errors=True) as folder:
            command = [self.o.python, os.path.join(self.o.scripts, program + ".py")]
            if before is not None:
                command = before(folder) + command
            environment = {"BENCH_DEVICE": self.o.device, "BENCH_TINY": "1" if self.o.tiny else "0"}
            if self.o.device == "cpu":  # threads that wait for each other make noise of every neighbour
                environment["OMP_NUM_THREADS"] = "1"
            with Job(command, folder, environment, self.deadline, self.o.setup) as job:
                yield job, folder

    def record(self, folder, *more):
        return [self.o.gprofx, "record", "-q", "-o", os.path.join(folder, "p.gprofx"), *self.o.record, *more, "--"]

    def claim(self, folder):
        """What the profile says of its own cost: {ratio, low, high}, the first None where only a bound is known; or None."""
        path = os.path.join(folder, "p.gprofx")
        ended = processes.run([self.o.gprofx, "report", "--json", path], 60) if os.path.exists(path) else None
        try:
            found = json.loads(ended.out)["quality"]["own_cost"] if ended and ended.status == 0 else None
            return found if isinstance(found, dict) and found.get("high") is not None else None
        except (ValueError, KeyError, TypeError):
            return None
