"""Kernels of some two seconds (four billion cycles) on one stream, as of a collective that waits for its peers, and a great many short ones on another. argv: SECONDS"""
import sys
import time

import facts

torch = facts.require_gpu()


def main(seconds):
    side = torch.cuda.Stream()
    x = torch.zeros(1024, device="cuda")
    adds, begin, next_long = 0, time.monotonic(), 0.0
    while time.monotonic() - begin < seconds:
        if time.monotonic() - begin >= next_long:
            next_long += 3.0
            with torch.cuda.stream(side):
                torch.cuda._sleep(4_000_000_000)
        for _ in range(1000):
            x += 1
        adds += 1000
        torch.cuda.current_stream().synchronize()
    torch.cuda.synchronize()
    print("same" if x[0].item() == adds else "different: %r, %d" % (x[0].item(), adds))


main(float(sys.argv[1]) if len(sys.argv) > 1 else 10)
