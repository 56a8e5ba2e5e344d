"""Training of a transformer by DistributedDataParallel, one process for each of two GPUs."""
import os
import socket
import subprocess
import sys
import time

import steps

RANKS = 2


def setup():
    import torch
    import transformer
    rank, device = int(os.environ["RANK"]), steps.torch_device()
    if device == "cuda":
        torch.cuda.set_device(rank)
    torch.distributed.init_process_group("nccl" if device == "cuda" else "gloo")
    layers, dim, batch, length = (2, 64, 2, 16) if steps.tiny() else (4, 2048, 8, 1024)
    model = transformer.model(layers, dim, device)
    parallel = torch.nn.parallel.DistributedDataParallel(model, device_ids=[rank] if device == "cuda" else None)
    optimizer = torch.optim.AdamW(parallel.parameters(), lr=1e-4)
    return transformer.training_step(parallel, optimizer, torch.randn(batch, length, dim, device=device), device)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def check_gpus():
    """In a process of its own, so that the parent stays without CUDA."""
    code = "import sys, torch; sys.exit(0 if torch.cuda.device_count() >= %d else 3)" % RANKS
    status = subprocess.run([sys.executable, "-c", code], stderr=subprocess.DEVNULL).returncode
    if status:
        steps.not_there("DDP needs %d GPUs" % RANKS if status == 3 else "PyTorch cannot be imported")


def parent():
    if steps.device() == "cuda":
        check_gpus()
    common = {**os.environ, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "WORLD_SIZE": str(RANKS)}
    children = [subprocess.Popen([sys.executable, __file__], env={**common, "RANK": str(r), "LOCAL_RANK": str(r)})
                for r in range(RANKS)]
    while children[0].poll() is None and not any(c.poll() for c in children):
        time.sleep(0.05)
    return end(children)


def end(children):
    """The first rank says when it is over. The others end at the same step; one that failed leaves the rest waiting."""
    until = time.monotonic() + (0 if any(c.poll() for c in children) else 10)
    failed = next((c.returncode for c in children if c.returncode), 0)
    for child in children:
        while child.poll() is None and time.monotonic() < until:
            time.sleep(0.05)
        if child.poll() is None:
            child.kill()
            child.wait()
    return abs(failed)


if __name__ == "__main__":
    if "RANK" in os.environ:
        steps.main(setup)
    else:
        sys.exit(parent())
