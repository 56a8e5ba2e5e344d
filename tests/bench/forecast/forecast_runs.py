#!/usr/bin/env python3
"""Forecasts of recordings against what really takes place: five programs (findings/programs/clean_*.py), recorded on two GPUs.

  forecast_runs.py record --gprofx BUNDLE/bin/gprof-x --out FOLDER [--python PYTHON]     on a machine with the GPU, 4 minutes
  forecast_runs.py check --gprofx BUNDLE/bin/gprof-x FOLDER FOLDER                       anywhere

`record` measures each program without a profiler, also with half and twice the batch and in FP32, records it once and writes
FOLDER/results.json. `check` forecasts each from the recording of the other GPU, with the step time without recording on the recorded one
(--step-time), and prints the step and the sum of the kernels against those of the other folder; then the other batches and FP32 on the
recorded GPU. Bars: step 8 %, sum 5 %, the interval holds in three of four. Exit status 1 if one of the first table is missed.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "..", "findings", "programs")
NAMES = ("clean_gpt2", "clean_resnet", "clean_inference", "clean_gemm", "clean_unet")
BARS = {"step": 0.08, "sum": 0.05}


def json_rows(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def run(command):
    begin = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    print("%5.1f s  %s" % (time.monotonic() - begin, " ".join(map(os.path.basename, command[-4:]))), flush=True)
    if done.returncode != 0:
        print(done.stderr[-800:], file=sys.stderr)
    return json_rows(done.stdout)


def record(args):
    os.makedirs(args.out, exist_ok=True)
    query = "import torch; print(torch.cuda.get_device_name(0))"
    gpu = subprocess.run([args.python, "-c", query], capture_output=True, text=True, check=True).stdout.strip()
    results = {"gpu": gpu, "programs": {}}
    for name in NAMES:
        program = [args.python, os.path.join(PROGRAMS, name + ".py"), "--mode", "bad"]
        path = os.path.join(args.out, name + ".gprofx")
        rows = run(program + ["--variants", "base,half,double,f32,base"])
        took = {}
        for row in rows:
            took.setdefault(row["variant"], []).append(row["step_ms"])
        run([args.gprofx, "record", "-q", "-o", path, "--overhead", "none", "--gpu", "trace", "--"] + program)
        results["programs"][name] = {"bare_ms": took.pop("base", []), "variants_ms": {k: v[0] for k, v in took.items()}}
        with open(os.path.join(args.out, "results.json"), "w") as file:
            json.dump(results, file, indent=1)
    return 0


def load(folder):
    with open(os.path.join(folder, "results.json")) as file:
        return json.load(file)


def forecast(gprofx, *args):
    done = subprocess.run([gprofx, "forecast", "--json", *args], capture_output=True, text=True, timeout=120)
    return json.loads(done.stdout) if done.returncode == 0 else {"error": done.stderr.strip()}


CHANGES = {"half": ["--batch", "0.5x"], "double": ["--batch", "2x"], "f32": ["--precision", "f32"]}


def check_variants(args):
    """The same GPU with another batch or type. No bar: nobody else forecasts this."""
    held, judged = 0, 0
    for folder in args.folders:
        results = load(folder)
        for name in NAMES:
            program = results["programs"].get(name, {})
            path = os.path.join(folder, name + ".gprofx")
            if not program.get("bare_ms") or not os.path.exists(path):
                continue
            here = ["--to", results["gpu"], "--step-time", "%.6fms" % statistics.median(program["bare_ms"])]
            for variant, real in program.get("variants_ms", {}).items():
                made = forecast(args.gprofx, path, *here, *CHANGES[variant])
                if "error" in made:
                    print("%-16s %-7s %s" % (name, variant, made["error"]))
                    continue
                step, low, high = (made["devices"][0][key] / 1e6 for key in ("step_ns", "low_ns", "high_ns"))
                judged += 1
                held += low <= real <= high
                print("%-16s %-7s %-14s %9.3f %9.3f %+6.1f%%  %8.3f - %8.3f" %
                      (name, variant, made["devices"][0]["device"], real, step, 100 * (step / real - 1), low, high))
    print("variants: the interval holds in %d of %d" % (held, judged))


def check(args):
    missed, held, judged = 0, 0, 0
    print("%-16s %-22s %9s %9s %7s  %-19s %9s %7s" %
          ("program", "from > to", "real ms", "forecast", "error", "80 % between", "sum ms", "error"))
    for here, there in (args.folders, args.folders[::-1]):
        source, target = load(here), load(there)
        for name in NAMES:
            bare = [folder["programs"].get(name, {}).get("bare_ms") for folder in (source, target)]
            path, other = (os.path.join(folder, name + ".gprofx") for folder in (here, there))
            if not all(bare) or not os.path.exists(path) or not os.path.exists(other):
                print("%-16s was not measured" % name)
                continue
            here_ms, real = map(statistics.median, bare)
            made = forecast(args.gprofx, path, "--to", target["gpu"], "--step-time", "%.6fms" % here_ms)
            own = forecast(args.gprofx, other, "--to", target["gpu"])
            if "error" in made or "error" in own:
                print("%-16s %s" % (name, made.get("error") or own["error"]))
                missed += 1
                continue
            row = made["devices"][0]
            step, low, high = (row[key] / 1e6 for key in ("step_ns", "low_ns", "high_ns"))
            total, real_total = row["gpu_work_ns"] / 1e6, own["recorded"]["gpu_work_ns"] / 1e6
            errors = {"step": step / real - 1, "sum": total / real_total - 1}
            judged += 1
            held += low <= real <= high
            missed += sum(abs(errors[key]) > bar for key, bar in BARS.items())
            print("%-16s %-22s %9.3f %9.3f %+6.1f%%  %8.3f - %8.3f %9.3f %+6.1f%%%s" %
                  (name, made["device"] + " > " + row["device"], real, step, 100 * errors["step"], low, high, total,
                   100 * errors["sum"], "" if low <= real <= high else "  outside"))
    print("%d bars missed; the interval holds in %d of %d" % (missed, held, judged))
    check_variants(args)
    return 1 if missed or held < 0.75 * judged or judged == 0 else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record")
    recording.add_argument("--out", required=True)
    recording.add_argument("--python", default=sys.executable)
    checking = commands.add_parser("check")
    checking.add_argument("folders", nargs=2)
    for command in (recording, checking):
        command.add_argument("--gprofx", required=True)
    args = parser.parse_args()
    return record(args) if args.command == "record" else check(args)


if __name__ == "__main__":
    sys.exit(main())
