#!/usr/bin/env python3
"""Tells whether the first finding of public traces is the cause that a person found in them by hand.

  first_findings.py CHECKOUTS

CHECKOUTS holds clones of AMD-AGI/TraceLens, facebookresearch/HolisticTraceAnalysis and, as of 2021, pytorch/kineto. Each trace
stands below with what its times say, read without gprof-x: where the GPU has nothing to do, and what the host does meanwhile.
Traces that are missing are named. Status 1 if fewer than 10 of 12 are right.
"""
import collections
import json
import os
import subprocess
import sys
import tempfile

GPROFX = os.environ.get("GPROFX", "gprof-x")
Case = collections.namedtuple("Case", "trace rule place reason")
LENS = "TraceLens/tests/traces/"
HTA = "HolisticTraceAnalysis/tests/data/"
SAMPLES = "kineto/tb_plugin/samples/"
LOADER = "enumerate(DataLoader)"

CASES = (
    Case(SAMPLES + "resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz", "slow-loader", LOADER,
         "491 of 511 ms in which the GPU is idle lie in enumerate(DataLoader).__next__ of the main thread."),
    Case(SAMPLES + "resnet50_num_workers_4/worker0.1623212756351.pt.trace.json.gz", "gpu-gap", "",
         "The loader takes 1 ms a step. The GPU is idle between operators of the optimizer, where no operator runs: Python. There "
         "are no Python stacks, so no place can be told."),
    Case(LENS + "h100/google_owlv2-large-patch14-ensemble__1016001.json.gz", "slow-loader", LOADER,
         "One step of 1,207 ms begins with 619 ms in which the main thread is in enumerate(DataLoader).__next__."),
    Case(LENS + "mi300/google_owlv2-large-patch14-ensemble__1016001.json.gz", "slow-loader", LOADER, "Likewise, 704 of 1,050 ms."),
    Case(LENS + "h100/gaunernst_bert-small-uncased__1016001.json.gz", "small-kernels", "",
         "52 kernels of 5 us each in a step of 4.4 ms, one launch each 53 us: the GPU works for 7 % of the time."),
    Case(LENS + "mi300/gaunernst_bert-small-uncased__1016001.json.gz", "small-kernels", "", "Likewise: 52 kernels of 6 us, 45 us apart."),
    Case(LENS + "h100/Falconsai_nsfw_image_detection__1016002.json.gz", "small-kernels", "", "150 kernels of 7 us, 49 us apart."),
    Case(LENS + "mi300/Falconsai_nsfw_image_detection__1016002.json.gz", "small-kernels", "", "150 kernels of 11 us, 43 us apart."),
    Case(LENS + "b200/eager_trace.json.gz", "small-kernels", "",
         "929 kernels of 12.6 us on average in 84 ms; the gaps are 20 us to 1 ms long and lie in the operators that launch (addmm, "
         "flashinfer, the mixture of experts), not in one place."),
    Case(LENS + "h100/facebook_timesformer-base-finetuned-k400__1016002.json.gz", "gpu-gap", "image_processing_videomae.py",
         "218 of 383 ms pass before the first copy to the GPU: the host scales and normalizes images in preprocess."),
    Case(HTA + "nccl_parser_config/nccl_data.json.gz", "gpu-gap", "",
         "The GPU is idle for 509 of 667 ms, mostly in gaps of 100 us to 1 ms while the host is in the code of operators (empty, "
         "cudnn_batch_norm, conv2d) and launches nothing: the profiler slows the host. There are no Python stacks."),
    Case(HTA + "ns_resolution_trace/rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz", None, "",
         "The GPU is idle for 10 of 394 ms, in 6,000 gaps: nothing to find."),
)


def first_finding(trace):
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, "trace.gprofx")
        subprocess.run([GPROFX, "import", "-q", "-o", made, trace], check=True)
        text = subprocess.run([GPROFX, "analyze", "--json", made], check=True, capture_output=True, text=True).stdout
    rows = json.loads(text)["findings"][0]["rows"]
    return rows[0] if rows else None


def is_right(case, row):
    if row is None or case.rule is None:
        return row is None and case.rule is None
    return row["rule"] == case.rule and case.place in "%s %s" % (row["file"], row["function"])


def main(checkouts):
    right = seen = 0
    for case in CASES:
        path = os.path.join(checkouts, case.trace)
        if not os.path.exists(path):
            print("missing  %s" % case.trace)
            continue
        row = first_finding(path)
        found = "nothing" if row is None else "%s at %s %s" % (row["rule"], row["file"], row["function"])
        seen += 1
        right += is_right(case, row)
        print("%-8s %s: %s" % ("right" if is_right(case, row) else "WRONG", case.trace, found))
    print("%d of %d right" % (right, seen))
    return 0 if right >= 10 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
