"""A running program of bench_outside.py: asked for marks by a mapped page, its recorder switched by two FIFOs, ended in any case."""
import mmap
import os
import select
import subprocess
import sys
import time

import processes

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "programs"))

import steps  # noqa: E402


class Skipped(Exception):
    """The program needs what is not there."""


class Failed(Exception):
    """The program or its recorder did not do what was asked; the text is one line."""


class TimeIsOver(Exception):
    """The time of the whole measurement."""


class Control:
    """The two FIFOs of `record --control`: one command a line there, `ack` back when it is in force."""

    def __init__(self, folder):
        self.paths = [os.path.join(folder, name) for name in ("control", "ack")]
        for path in self.paths:
            os.mkfifo(path)
        # Open for both directions: neither side waits for the other to open it, and there is no end of file.
        self.out, self.back = (os.open(p, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC) for p in self.paths)

    def option(self):
        return ["--control", "fifo:%s,%s" % tuple(self.paths)]

    def level(self, name, job, limit=15):
        os.write(self.out, b"level %s\n" % name.encode())
        text, until = b"", time.monotonic() + limit
        while not text.endswith(b"ack\n"):
            job.look("did not take 'level %s'" % name, until)
            if select.select([self.back], [], [], 0.05)[0]:
                text += os.read(self.back, 4096)
        if text != b"ack\n":
            raise Failed("the recorder answered %r to 'level %s'" % (text[:80].decode("utf-8", "replace"), name))

    def close(self):
        os.close(self.out)
        os.close(self.back)


class Job:
    """`with Job(...) as job`: a program in a session of its own. Nothing of it is left at the end of the block."""

    def __init__(self, command, folder, environment, deadline, setup_seconds):
        self.folder, self.deadline, self.setup_seconds = folder, deadline, setup_seconds
        self.command, self.log = [str(c) for c in command], os.path.join(folder, "steps.log")
        page = os.path.join(folder, "page")
        with open(page, "wb") as file:
            file.truncate(8 * steps.PAGE_NUMBERS)
        self.page, self.request = steps.open_page(page), 0
        self.environment = {**os.environ, **environment, "BENCH_PAGE": page, "BENCH_LOG": self.log, "PYTHONDONTWRITEBYTECODE": "1"}

    def __enter__(self):
        with open(os.path.join(self.folder, "out.txt"), "wb") as out, open(os.path.join(self.folder, "err.txt"), "wb") as err:
            try:
                self.child = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=self.folder,
                                              env=self.environment, start_new_session=True)
            except OSError as error:
                raise Failed(str(error))
        return self

    def __exit__(self, *_):
        processes.end_session(self.child.pid)
        self.child.wait()

    def last_words(self):
        with open(os.path.join(self.folder, "err.txt"), errors="replace") as file:
            lines = [line.strip() for line in file if line.strip()]
        # What the program said comes before what a recorder says of its own end.
        own = [line for line in lines if not line.startswith("gprof-x: ")]
        return ((own or lines or ["it said nothing"])[-1])[:200]

    def look(self, what, until):
        """Raises when the program has ended, when `until` is over (with `what`), or the time of everything."""
        status = self.child.poll()
        if status is not None:
            text = self.last_words()
            raise Skipped(text) if status == steps.NOT_THERE else Failed("ended with status %d: %s" % (status, text))
        if time.monotonic() > until:
            raise Failed(what + " in time")
        if time.monotonic() > self.deadline:
            raise TimeIsOver()

    def wait_warm(self, least=10, seconds=2.0):
        """Until it has made `least` steps and has been at it for `seconds`: compiled, cached, clocks up."""
        until, since = time.monotonic() + self.setup_seconds, None
        while since is None or time.monotonic() - since < seconds or self.page[steps.COUNT] < least:
            self.look("was not warm", until)
            since = since or (time.monotonic() if self.page[steps.COUNT] else None)
            time.sleep(0.01)

    def ask(self, command=steps.MARK, limit=60):
        """The number of the mark at which the program did what was asked."""
        self.request += 1
        self.page[steps.COMMAND] = command
        self.page[steps.REQUEST] = self.request
        until = time.monotonic() + limit
        while self.page[steps.DONE] != self.request:
            self.look("made no step", until)
            time.sleep(0.0005)
        return self.request

    def window(self, seconds, least):
        """The marks around a stretch of `seconds` and at least `least` steps."""
        first = self.ask()
        begin, before = time.monotonic(), self.page[steps.COUNT]
        while time.monotonic() - begin < seconds or self.page[steps.COUNT] - before < least:
            self.look("made no step", begin + seconds + 60)
            time.sleep(min(0.02, seconds / 10))
        return first, self.ask()

    def stop(self, limit):
        """Ends it in peace, so that a recorder writes its profile, whatever the time of everything. True when it did."""
        self.deadline = time.monotonic() + limit
        try:
            self.ask(steps.STOP)
            self.child.wait(limit)
        except (subprocess.TimeoutExpired, Failed, TimeIsOver):
            pass  # it may have ended between its answer and the look at it
        return self.child.poll() == 0

    def read_log(self):
        with open(self.log, errors="replace") as file:
            return file.read()
