"""Trains, and in bursts another process works on the same GPU. The other one is this program with --neighbour; the runner starts it, so
that it is not recorded. Both know the bursts by the seed, and the moment of the begin by a file."""
import os
import time

import base


def add(parser):
    parser.add_argument("--neighbour", action="store_true")
    parser.add_argument("--start", help="file that tells when the first one began, and what their other files begin with")


def wait_for(path):
    waits = time.monotonic() + 120
    while not os.path.exists(path) and time.monotonic() < waits:
        time.sleep(0.005)


def put(path, text=""):
    with open(path + ".new", "w") as file:
        file.write(text)
    os.rename(path + ".new", path)


def neighbour(torch, args, bursts):
    """Uses the GPU from when the other one has it (.turn) and says when it has warmed up (.ready); .start tells when steps began."""
    wait_for(args.start + ".turn")
    a = torch.randn(8192, 8192, device=args.device, dtype=torch.float16) if args.device != "cpu" else torch.randn(64, 64)
    (a @ a).sum().item()
    put(args.start + ".ready")
    wait_for(args.start)
    with open(args.start) as file:
        begin = float(file.read())
    while time.time() - begin < args.seconds:
        if bursts.now(time.time() - begin):
            a @ a
            a @ a
            (a @ a)[0, 0].item()
        else:
            time.sleep(0.002)


def main():
    import torch
    args = base.options(add)
    bursts = base.Bursts(args.seed, args.seconds, args.cause == "on")
    if args.neighbour:
        return neighbour(torch, args, bursts)
    base.alone()
    device = args.device
    model, width, batch = base.network(torch, device, layers=8)
    data = torch.randn(batch, width, device=device)

    def step(number, affected):
        model.zero_grad(set_to_none=True)
        loss = model(data).square().mean()
        loss.backward()
        loss.item()

    step(0, False)
    if args.start:
        if args.cause == "on":
            put(args.start + ".turn")
            wait_for(args.start + ".ready")
        put(args.start, repr(time.time()))
    times = base.loop(torch, args, step, bursts.now, base.Marks(torch, device))
    base.tell("another_process", args, times)


if __name__ == "__main__":
    main()
