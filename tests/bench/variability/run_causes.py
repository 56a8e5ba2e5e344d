#!/usr/bin/env python3
"""Real programs with a known cause of variability: in how many recordings gprof-x variability names it first.

  run_causes.py --gprofx BUNDLE/bin/gprof-x --out FOLDER [--python PYTHON] [--repeat N] [--seconds S] [PROGRAM...]

Each program of the folder programs/ is recorded N times with its cause and as often without it (--clean), each time with other bursts.
One program at a time measures on a GPU; others import and end meanwhile. FOLDER gets results.json and the JSON of each analysis; --keep
keeps the profiles. What did not fit into S seconds is left out, and said.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
# These measure alone on the machine: both GPUs, or the way from memory to either.
ALONE = {"late_rank", "pinned_copies"}
LONGEST = 90  # seconds that a recording may take, with its wait for a GPU: one that hangs is an error, and the rest goes on
PROGRAMS = {  # the true cause, and what else counts as right: what cannot be told apart where NVML does not tell the clock
    "late_rank": ("late_rank",),
    "pinned_copies": ("copy",),
    "second_process": ("another_process", "whole_gpu"),
    "pinned_cpu": ("cpu",),
    "loader_jitter": ("data_loader",),
}


def run(command, environment, seconds):
    """(status, output, errors); what takes longer is ended with all that it started, and says where its threads wait."""
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True) as child:
        try:
            output, errors = child.communicate(timeout=seconds)
            return child.returncode, output, errors
        except subprocess.TimeoutExpired:
            try:
                subprocess.run(["ps", "-s", str(child.pid), "-Lo", "pid,ppid,tid,stat,wchan:24,comm"], stdout=sys.stderr)
            except OSError:
                pass  # no ps
            finally:
                os.killpg(child.pid, signal.SIGKILL)
            try:
                sys.stderr.write(child.communicate(timeout=5)[1][-3000:])
            except subprocess.TimeoutExpired:
                pass  # somebody that it started left the session, and holds the pipe
            raise


class Runner:
    def __init__(self, args):
        self.args, self.end = args, time.monotonic() + args.seconds

    def path(self, name):
        return os.path.join(self.args.out, name)

    def left(self):
        return self.end - time.monotonic()

    def record(self, program, cause, number, gpu):
        """One recording and what is said of it; None where no time is left for it."""
        if self.left() < LONGEST / 2:
            return None
        name = "%s-%s-%d" % (program, cause, number)
        row = {"program": program, "cause": cause, "seed": number}
        environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", SLOT=str(gpu or 0))
        environment["CAUSES_LOCK"] = ":".join(self.path("gpu%d.lock" % i) for i in range(max(self.args.gpus, 1))
                                              if program in ALONE or gpu == i)
        if gpu is not None and self.args.gpus > 0:
            environment["CUDA_VISIBLE_DEVICES"] = str(gpu)
        words = [self.args.python, os.path.join(HERE, "programs", program + ".py"), "--cause", cause, "--seed", str(number), "--device",
                 self.args.device]
        neighbour = None
        if program == "second_process":
            start = self.path(name + ".start")
            for old in (start, start + ".turn", start + ".ready"):
                if os.path.exists(old):
                    os.remove(old)
            words += ["--start", start]
            if cause == "on":
                neighbour = subprocess.Popen(words + ["--neighbour"], env=environment, stderr=subprocess.DEVNULL)
        profile = self.path(name + ".gprofx")
        # By wall clock: it is the host's waiting that is asked for.
        clock = ["--clock", "wall", "-F", "250"] if program == "loader_jitter" else []
        record = [self.args.gprofx, "record", "-q", "-o", profile, "--gpu", "trace", "--overhead", "none"] + clock + ["--"] + words
        begin = time.monotonic()
        try:
            status, output, errors = run(record, environment, min(max(self.left(), 1), LONGEST))
            lines = [line for line in output.splitlines() if line.startswith("{")]
            row.update(status=status, truth=json.loads(lines[-1]) if lines else None, seconds=round(time.monotonic() - begin, 1))
            if status != 0 or not lines:
                row["error"] = errors[-1500:]
        except subprocess.TimeoutExpired:
            row["error"] = "took longer than %d s or than there was time" % LONGEST
        finally:
            if neighbour:
                neighbour.kill()
                neighbour.wait()
        if "error" not in row:
            self.analyse(name, profile, row)
        if not self.args.keep and os.path.exists(profile):
            os.remove(profile)
        return row

    def analyse(self, name, profile, row):
        try:
            _, output, errors = run([self.args.gprofx, "variability", "--json", profile], None, LONGEST)
        except subprocess.TimeoutExpired:
            output, errors = "", "gprof-x variability took longer than %d s" % LONGEST
        if not output.startswith("{"):
            row["error"] = errors[-1500:]
            return
        found = json.loads(output)
        with open(self.path(name + ".json"), "w") as file:
            json.dump({key: found[key] for key in ("step_causes", "unexplained_steps", "steps", "late", "findings", "lanes", "notes")}, file)
        row["named"] = [one["cause"] for one in found["step_causes"]]
        row["causes"] = found["step_causes"]
        row["unexplained"] = found["unexplained_steps"]
        row["step_ms"] = round(found["steps"]["median_ns"] / 1e6, 3) if found["steps"] else None
        row["known_steps"] = found["steps"]["steps"] if found["steps"] else 0
        row["bytes"] = os.path.getsize(profile)


def jobs(args, programs):
    """(program, cause, number, its GPU or None for all), in the order in which they are recorded."""
    gpu = 0
    for number in range(args.first, args.first + max(args.repeat, args.clean)):
        for program in programs:
            for cause, count, seed in (("on", args.repeat, number), ("off", args.clean, 1000 + number)):
                if number < args.first + count:
                    yield program, cause, seed, None if program == "late_rank" else gpu
                    gpu = (gpu + 1) % max(args.gpus, 1)


def show(rows, left_out):
    print("%-16s %16s %16s %12s   %s" % ("program", "named first", "named in clean", "longest s", "named instead"))
    by_program = collections.defaultdict(list)
    for row in rows:
        by_program[row["program"]].append(row)
    for program, some in by_program.items():
        good = [row for row in some if "named" in row]
        on, off = ([row for row in good if row["cause"] == cause] for cause in ("on", "off"))
        right = sum(row["named"][:1] != [] and row["named"][0] in PROGRAMS[program] for row in on)
        false = sum(bool(row["named"]) for row in off)
        others = collections.Counter(row["named"][0] if row["named"] else "nothing" for row in on
                                     if not row["named"] or row["named"][0] not in PROGRAMS[program])
        others.update("clean: " + row["named"][0] for row in off if row["named"])
        print("%-16s %16s %16s %12.1f   %s" % (program, "%d of %d" % (right, len(on)), "%d of %d" % (false, len(off)),
                                             max((row.get("seconds", 0) for row in some), default=0),
                                             ", ".join("%s %d" % one for one in others.items())))
        for row in some:
            if "error" in row:
                print("  %s seed %d failed: %s" % (row["cause"], row["seed"], row["error"].strip().splitlines()[-1:] or "no output"))
    if left_out:
        print("%d recordings did not fit into the time" % left_out)


def gpus(python):
    code = "import torch; print(torch.cuda.device_count())"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True)
    return int(done.stdout.strip() or 0) if done.returncode == 0 else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", help=", ".join(PROGRAMS))
    parser.add_argument("--gprofx", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--repeat", type=int, default=10)
    parser.add_argument("--clean", type=int, help="recordings of each program without its cause (as many as --repeat)")
    parser.add_argument("--first", type=int, default=0, help="number of the first repetition: goes on where an earlier run ended")
    parser.add_argument("--seconds", type=float, default=240)
    parser.add_argument("--device", default="cuda", help="cpu: only to see that the programs run")
    parser.add_argument("--keep", action="store_true")
    args = parser.parse_args()
    args.gprofx, args.out = os.path.abspath(args.gprofx), os.path.abspath(args.out)
    unknown = set(args.programs) - set(PROGRAMS)
    if unknown:
        parser.error("no program of these names: " + ", ".join(sorted(unknown)))
    args.clean = args.repeat if args.clean is None else args.clean
    os.makedirs(args.out, exist_ok=True)
    runner = Runner(args)
    args.gpus = gpus(args.python)
    programs = [name for name in PROGRAMS if (not args.programs or name in args.programs) and (args.gpus != 1 or name != "late_rank")]
    rows, left_out = [], 0
    with concurrent.futures.ThreadPoolExecutor(2 * max(args.gpus, 1)) as pool:
        for row in pool.map(lambda job: runner.record(*job), jobs(args, programs)):
            if row is None:
                left_out += 1
                continue
            rows.append(row)
            print("%s %s %d: %s, %.0f s left" % (row["program"], row["cause"], row["seed"], row.get("named", "failed"), runner.left()),
                  file=sys.stderr, flush=True)
            with open(runner.path("results.json"), "w") as file:
                json.dump(rows, file, indent=1)
    show(rows, left_out)


if __name__ == "__main__":
    main()
