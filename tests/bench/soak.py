#!/usr/bin/env python3
"""A long run: memory of the recorder and of the program stay as they are. Below `record --last` the size of the file, too, and each SIGUSR2
writes the last minutes. The program launches --rate kernels of a pretended GPU in each second; what others do on the machine does not
change that. What the end takes, with steps and findings, is bounded, too.

  soak.py --gprofx build/release/bin/gprof-x --workloads build/release/workloads [--seconds 7200] [--last 60s] [--rate 27000] [-- OPTIONS]

OPTIONS are for `gprof-x record`. Without --last the whole run is recorded.
"""
import argparse
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time

MORE = 1.1  # of what was there in the second quarter of the run
MOST_AT_END = 1000  # MB, however long it was
FILES = 10


def resident(pid):
    with open("/proc/%d/statm" % pid) as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6


def child_of(pid):
    """The program, once it runs."""
    with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
        return next(map(int, file.read().split()), None)


class Watch:
    """Looks at the sizes of a run now and then."""

    def __init__(self, run, path):
        self.run, self.path, self.looks = run, path, []
        print("%8s %14s %14s %10s" % ("s", "recorder, MB", "program, MB", "file, MB"))

    def look(self, now, part):
        program = child_of(self.run.pid)
        if program is None:
            return
        sizes = resident(self.run.pid), resident(program), os.path.getsize(self.path) / 1e6
        self.looks.append((part, *sizes))
        print("%8.0f %14.1f %14.1f %10.2f" % (now, *sizes), flush=True)

    def grows(self, column, what):
        before = max(look[column] for look in self.looks if 0.25 <= look[0] < 0.5)
        after = max(look[column] for look in self.looks if look[0] >= 0.5)
        print("%s: at most %.1f MB in the second quarter, %.1f MB in the second half (%.2f)" % (what, before, after, after / before))
        return after > MORE * before


def soak(o, folder):
    fake = os.path.join(o.workloads, "fake_gpu")
    env = dict(os.environ, GPROFX_CUPTI=os.path.join(fake, "libfake_cupti.so"), LD_LIBRARY_PATH=fake)
    path = os.path.join(folder, "soak.gprofx")
    options = o.record + (["--last", o.last] if o.last else [])
    run = subprocess.Popen([o.gprofx, "record", "-o", path, *options, "--", os.path.join(fake, "fake_train"), "paced", str(o.seconds),
                            str(o.rate)], env=env, stdout=subprocess.DEVNULL)
    begin, asked, watch = time.monotonic(), 0, Watch(run, path)
    while run.poll() is None:
        time.sleep(min(10, o.seconds / 40))
        now = time.monotonic() - begin
        if o.last and now > (asked + 1) * o.seconds / (FILES + 1) and asked < FILES:
            run.send_signal(signal.SIGUSR2)
            asked += 1
        if now < o.seconds - 2:
            watch.look(now, now / o.seconds)
    if not watch.looks:
        print("status %d before the first look" % run.returncode)
        return True
    written = sum(name.endswith(".gprofx") for name in os.listdir(folder)) - 1
    print("status %d, %d of %d files written on SIGUSR2" % (run.returncode, written, asked))
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e6
    print("recorder, its end included: at most %.1f MB, of %d allowed; the end took %.1f s" % (peak, MOST_AT_END, now - o.seconds))
    grown = [peak > MOST_AT_END, watch.grows(1, "recorder"), watch.grows(2, "program"), watch.grows(3, "file") and bool(o.last)]
    return run.returncode != 0 or written != asked or any(grown)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--gprofx", required=True)
    p.add_argument("--workloads", required=True)
    p.add_argument("--seconds", type=int, default=7200)
    p.add_argument("--last", default="", help="record --last TIME")
    p.add_argument("--rate", type=int, default=27000)
    p.add_argument("record", nargs="*", metavar="OPTIONS")
    o = p.parse_args()
    with tempfile.TemporaryDirectory(prefix="gprof-x-soak-") as folder:
        return 1 if soak(o, folder) else 0


if __name__ == "__main__":
    sys.exit(main())
