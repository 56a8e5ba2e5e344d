"""What the Python programs of the GPU suite share: facts that differ from run to run go to the file that WORKLOAD_FACTS names (as
one JSON object), so that standard output is the same in every run. Without a GPU they say so and end with status 77."""
import json
import os
import sys

NO_GPU = 77


def say(**facts):
    path = os.environ.get("WORKLOAD_FACTS")
    if path:
        with open(path, "w") as file:
            json.dump(facts, file)
    else:
        print(json.dumps(facts))


def require_gpu():
    """The torch module, once it is sure that it can use a GPU."""
    try:
        import torch
    except ImportError as error:
        no_gpu("PyTorch cannot be imported: %s" % error)
    if not torch.cuda.is_available():
        no_gpu("PyTorch finds no device")
    return torch


def no_gpu(reason):
    print("no GPU: %s" % reason, file=sys.stderr)
    sys.exit(NO_GPU)
