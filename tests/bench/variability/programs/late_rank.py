"""Two ranks train; in a third of the steps rank 1 sleeps for 4 ms before its all-reduce. Started by torchrun or by itself."""
import os
import random
import socket
import subprocess
import sys
import time

import base


def rank(args):
    import torch
    import torch.distributed as dist
    me = int(os.environ["RANK"])
    device = "cpu" if args.device == "cpu" else "cuda:%d" % me
    if device != "cpu":
        torch.cuda.set_device(me)
    dist.init_process_group("gloo" if device == "cpu" else "nccl")
    model, width, batch = base.network(torch, device)
    data = torch.randn(batch, width, device=device)
    gradients = torch.zeros(width * width, device=device)
    dice = random.Random(args.seed)
    steps = 400
    asleep = {i for i in range(40, steps) if dice.random() < 0.33} if args.cause == "on" else set()
    marks, times = base.Marks(torch, device), {False: [], True: []}
    for number in range(steps):
        affected = number in asleep
        before = time.monotonic()
        marks.begin(number)
        model.zero_grad(set_to_none=True)
        model(data).square().mean().backward()
        if device != "cpu":
            torch.cuda.synchronize()
        if affected and me == 1:
            time.sleep(0.004)
        dist.all_reduce(gradients)
        if device != "cpu":
            torch.cuda.synchronize()
        marks.end()
        if number >= 40:
            times[affected].append(time.monotonic() - before)
    dist.barrier()
    if me == 0:
        base.tell("late_rank", args, times)
    dist.destroy_process_group()


def parent():
    base.alone()
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    environment = dict(os.environ, MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), WORLD_SIZE="2")
    ranks = [subprocess.Popen([sys.executable] + sys.argv, env=dict(environment, RANK=str(r), LOCAL_RANK=str(r))) for r in range(2)]
    return max(abs(one.wait()) for one in ranks)


if __name__ == "__main__":
    if "RANK" in os.environ:
        rank(base.options())
    else:
        sys.exit(parent())
