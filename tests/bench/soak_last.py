#!/usr/bin/env python3
"""A long run below `record --last`: memory of the recorder and the size of its file stay as they are, and each SIGUSR2 writes the last
minutes. The program launches --rate kernels of a pretended GPU in each second; what others do on the machine does not change that.

  soak_last.py --gprofx build/release/bin/gprof-x --workloads build/release/workloads [--seconds 7200] [--last 60s] [--rate 27000]
"""
import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time

MORE = 1.1  # of what was there in the second quarter of the run
FILES = 10


def resident(pid):
    with open("/proc/%d/statm" % pid) as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6


def soak(o, folder):
    fake = os.path.join(o.workloads, "fake_gpu")
    env = dict(os.environ, GPROFX_CUPTI=os.path.join(fake, "libfake_cupti.so"), LD_LIBRARY_PATH=fake)
    path = os.path.join(folder, "soak.gprofx")
    run = subprocess.Popen([o.gprofx, "record", "-o", path, "--overhead", "none", "--last", o.last, "--",
                            os.path.join(fake, "fake_train"), "paced", str(o.seconds), str(o.rate)], env=env, stdout=subprocess.DEVNULL)
    begin, looks, asked = time.monotonic(), [], 0
    print("%8s %12s %10s" % ("s", "memory, MB", "file, MB"))
    while run.poll() is None:
        time.sleep(min(10, o.seconds / 40))
        now = time.monotonic() - begin
        if now > (asked + 1) * o.seconds / (FILES + 1) and asked < FILES:
            run.send_signal(signal.SIGUSR2)
            asked += 1
        if now < o.seconds - 2:
            looks.append((now / o.seconds, resident(run.pid), os.path.getsize(path) / 1e6))
            print("%8.0f %12.1f %10.2f" % (now, *looks[-1][1:]), flush=True)
    written = sum(name.endswith(".gprofx") for name in os.listdir(folder)) - 1
    print("status %d, %d of %d files written on SIGUSR2" % (run.returncode, written, asked))
    failed = run.returncode != 0 or written != asked
    for column, what in ((1, "memory"), (2, "file")):
        before = max(look[column] for look in looks if 0.25 <= look[0] < 0.5)
        after = max(look[column] for look in looks if look[0] >= 0.5)
        print("%s: at most %.1f MB in the second quarter, %.1f MB in the second half (%.2f)" % (what, before, after, after / before))
        failed = failed or after > MORE * before
    return failed


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--gprofx", required=True)
    p.add_argument("--workloads", required=True)
    p.add_argument("--seconds", type=int, default=7200)
    p.add_argument("--last", default="60s")
    p.add_argument("--rate", type=int, default=27000)
    o = p.parse_args()
    with tempfile.TemporaryDirectory(prefix="gprof-x-soak-") as folder:
        return 1 if soak(o, folder) else 0


if __name__ == "__main__":
    sys.exit(main())
