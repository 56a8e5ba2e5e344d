"""The ways in which bench_real.py measures one program: levels in turn in one process, torch.profiler likewise,
whole runs. bench_copies.py begins its programs here, too."""
import contextlib
import json
import os
import shutil
import statistics
import tempfile

import paired
import processes
from job import Control, Failed, Job, TimeIsOver, steps

PEER = "torch.profiler"
# Whole runs: what stands before the program's command; `off` is a recorder that is told to be off once the program is warm.
WHOLE = {"bare": None, "default": [], "none": ["--overhead", "none"], "off": [], PEER: None}


class Lab:
    """Where programs are started. options: those of bench_real.py; deadline: end of all measurement, time.monotonic()."""

    def __init__(self, options, deadline):
        self.o, self.deadline = options, deadline

    @contextlib.contextmanager
    def begun(self, program, before=None):
        """(job, folder) of a program; before: the words that record it, by the folder of its profile."""
        with tempfile.TemporaryDirectory(prefix="gprof-x-bench-", ignore_cleanup_errors=True) as folder:
            command = [self.o.python, os.path.join(self.o.scripts, program + ".py")]
            if before is not None:
                command = before(folder) + ["--"] + command
            environment = {"BENCH_DEVICE": self.o.device, "BENCH_TINY": "1" if self.o.tiny else "0"}
            if self.o.device == "cpu":  # threads that wait for each other make noise of every neighbour
                environment["OMP_NUM_THREADS"] = "1"
            with Job(command, folder, environment, self.deadline, self.o.setup) as job:
                yield job, folder

    @contextlib.contextmanager
    def started(self, program, before=None):
        """The same once it is warm."""
        with self.begun(program, before) as (job, folder):
            job.wait_warm(self.o.warm_steps, self.o.warm)
            yield job, folder

    def record(self, folder, *more):
        return [self.o.gprofx, "record", "-q", "-o", os.path.join(folder, "p.gprofx"), *self.o.record, *more]

    def claim(self, folder):
        """What the profile says of its own cost: {ratio, low, high}, or None."""
        path = os.path.join(folder, "p.gprofx")
        ended = processes.run([self.o.gprofx, "report", "--json", path], 60) if os.path.exists(path) else None
        try:
            found = json.loads(ended.out)["quality"]["own_cost"] if ended and ended.status == 0 else None
            return found if isinstance(found, dict) and found.get("ratio") is not None else None
        except (ValueError, KeyError, TypeError):
            return None

    def keep(self, job, name):
        """The log of the steps is the evidence: it stays in --out."""
        text = job.read_log()
        with open(os.path.join(self.o.out, name + ".steps"), "w") as file:
            file.write(text)
        return paired.read_log(text)

    def levels(self, program):
        """({level: summary}, ns a step while off, claim, why it ended early or "")."""
        with contextlib.ExitStack() as stack:
            control = None

            def before(folder):
                nonlocal control
                control = Control(folder)
                stack.callback(control.close)
                return self.record(folder, *control.option())
            job, folder = stack.enter_context(self.started(program, before))
            found = self.alternate(job, program + "-levels", {level: self.o.pairs for level in self.o.levels},
                                   lambda level: control.level(level, job))
            if self.o.profiles and found[2]:
                shutil.copy(os.path.join(folder, "p.gprofx"), os.path.join(self.o.out, program + "-levels.gprofx"))
            return (*found[:2], self.claim(folder) if found[2] else None, found[3])

    def recorder_of(self, way, stack):
        """What makes the words that record a program in a way of WHOLE; controls: a list for the Control of a way that needs one."""
        controls = []

        def before(folder):
            if way == "off":
                controls.append(Control(folder))
                stack.callback(controls[0].close)
            return self.record(folder, *WHOLE[way], *(controls[0].option() if controls else []))
        return (before if WHOLE[way] is not None else None), controls

    def peer(self, program):
        """The same for torch.profiler, which the program itself switches on and off."""
        with self.started(program) as (job, _):
            return self.alternate(job, program + "-peer", {PEER: self.o.peer_pairs}, lambda level: job.ask(
                steps.PROFILER_OFF if level == paired.OFF else steps.PROFILER_ON, 120))

    def alternate(self, job, name, pairs, switch):
        """({level: summary}, ns a step while off, whether it ended well, why not)."""
        asked, early, now = [], "", None
        try:
            for compared, level in paired.quads(list(pairs), pairs):
                if level != now:
                    switch(level)
                    now = level
                # The controller has levels within: its windows, and those beside them, are longer.
                seconds = self.o.auto_window if compared == "auto" else self.o.window
                asked.append((level, *job.window(seconds, self.o.least_steps)))
        except TimeIsOver:
            early = "the time was over"
        except Failed as failure:  # what was measured until then counts
            if not asked:
                raise
            early = str(failure)
        well = job.stop(self.o.end)
        marks, _ = self.keep(job, name)
        windows = [(level, paired.time_per_step(marks, first, last)) for level, first, last in asked]
        offs = [ns for level, ns in windows if level == paired.OFF and ns]
        ratios = paired.pair_ratios(windows)
        return ({level: paired.summary(ratios.get(level, [])) for level in pairs},
                statistics.median(offs) if offs else None, well, early)

    def whole(self, program, way, number):
        """(median ns a step, claim) of one run of its own."""
        with contextlib.ExitStack() as stack:
            before, controls = self.recorder_of(way, stack)
            job, folder = stack.enter_context(self.started(program, before))
            for control in controls:
                control.level(paired.OFF, job)
            if way == PEER:
                job.ask(steps.PROFILER_ON, 120)
            first, last = job.window(self.o.seconds, 2)
            well = job.stop(self.o.end)
            marks, begins = self.keep(job, "%s-whole-%s-%d" % (program, way, number))
            claim = self.claim(folder) if way == "default" and well else None
        return paired.median_step(begins, marks[first][0], marks[last][0]), claim
