"""Ends in one of many ways after work on the GPU. argv: return | sys.exit | os._exit | exception | sigkill | sigterm"""
import os
import signal
import sys
import time

import facts

torch = facts.require_gpu()


def work():
    x = torch.ones(512, 512, device="cuda")
    for _ in range(200):
        x = torch.tanh(x @ x)
    torch.cuda.synchronize()
    time.sleep(1.5)  # a profile that is written about once a second must hold this at any end
    return torch.tanh(x @ x)  # not waited for


def main(how):
    work()
    print("end: %s" % how, flush=True)
    if how == "sys.exit":
        sys.exit(3)
    if how == "os._exit":
        os._exit(4)
    if how == "exception":
        raise ValueError("as asked")
    if how in ("sigkill", "sigterm"):
        os.kill(os.getpid(), signal.SIGKILL if how == "sigkill" else signal.SIGTERM)
        time.sleep(5)


main(sys.argv[1] if len(sys.argv) > 1 else "return")
