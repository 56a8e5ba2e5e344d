"""Many small kernels, so that the host is the limit; in bursts the process is pinned to a core on which two others work. These are stopped
otherwise, because some virtual machines move everything to few cores."""
import multiprocessing
import os
import signal

import base


def burn(core):
    os.sched_setaffinity(0, {core})
    while True:
        pass


def pin(cpus):
    for thread in os.listdir("/proc/self/task"):
        try:
            os.sched_setaffinity(int(thread), cpus)
        except OSError:
            pass


def main():
    args = base.options()
    all_cpus = os.sched_getaffinity(0)
    core = sorted(all_cpus)[-1 - int(os.environ.get("SLOT", "0")) % len(all_cpus)]  # two may run beside each other
    burners = [multiprocessing.Process(target=burn, args=(core,), daemon=True) for _ in range(2)]
    for one in burners:
        one.start()
        os.kill(one.pid, signal.SIGSTOP)
    import torch
    base.alone()
    device = args.device
    parts = [torch.ones(4096, device=device) for _ in range(4)]
    bursts = base.Bursts(args.seed, args.seconds, args.cause == "on")
    state = {"pinned": False}
    free = all_cpus - set(sorted(all_cpus)[-2:]) or all_cpus
    pin(free)

    def step(number, affected):
        if affected != state["pinned"]:
            state["pinned"] = affected
            pin({core} if affected else free)
            for one in burners:
                os.kill(one.pid, signal.SIGCONT if affected else signal.SIGSTOP)
        for _ in range(300):
            for part in parts:
                part.mul_(1.0001)
        parts[0][0].item()

    times = base.loop(torch, args, step, bursts.now, base.Marks(torch, device))
    for one in burners:
        one.kill()
    base.tell("cpu", args, times)


if __name__ == "__main__":
    main()
