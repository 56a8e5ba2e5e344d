"""The loop of the programs that bench_outside.py measures: step after step at full speed, and a log of when each began.

A program gives setup(), which returns step(), and ends with main(setup). The environment says the rest:
  BENCH_DEVICE   cuda (default) or cpu              BENCH_TINY     1: sizes for a test of the program itself
  BENCH_LOG      file for the steps                 BENCH_SECONDS  how long, where there is no page
  BENCH_PAGE     a mapped file by which bench_outside.py asks for marks, switches torch.profiler, parks the program and ends it
The log has `step NS COUNT` for each step (time.perf_counter_ns at its begin, steps before it) and `mark REQUEST NS COUNT` for
each mark, at which the device has done all that was launched. Status 77: something that the program needs is not there.
"""
import mmap
import os
import sys
import time

# The numbers in the page, 8 bytes each. One side writes each of them; the request comes last.
REQUEST, COMMAND, DONE, COUNT, LAST, PAGE_NUMBERS = 0, 1, 2, 3, 4, 5
MARK, PROFILER_ON, PROFILER_OFF, STOP, PARK = 0, 1, 2, 3, 4
NOT_THERE = 77
# How far ranks may be apart when they agree on the last step: more than fits into a launch queue.
RANKS_APART = 64


def device():
    return os.environ.get("BENCH_DEVICE", "cuda")


def tiny():
    return os.environ.get("BENCH_TINY") == "1"


def not_there(text):
    print(" ".join(str(text).split()), file=sys.stderr)
    sys.exit(NOT_THERE)


def torch_device():
    """The name of the device, once PyTorch has it."""
    import torch
    if device() == "cuda" and not torch.cuda.is_available():
        not_there("PyTorch finds no GPU")
    return device()


def synchronize_torch():
    torch = sys.modules.get("torch")
    if torch and device() == "cuda":
        torch.cuda.synchronize()


def open_page(path):
    with open(path, "r+b") as file:
        return memoryview(mmap.mmap(file.fileno(), 8 * PAGE_NUMBERS)).cast("Q")


class Profiler:
    """torch.profiler, switched on and off as often as one likes."""

    def __init__(self):
        self.running = None

    def switch(self, on):
        if on and not self.running:
            from torch.profiler import ProfilerActivity, profile
            kinds = [ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * (device() == "cuda")
            self.running = profile(activities=kinds)
            self.running.start()
        elif not on and self.running:
            self.running.stop()
            self.running = None


class Steps:
    """Counts steps: call tick() at the begin of each; False says that there are enough."""

    def __init__(self, synchronize=synchronize_torch):
        self.synchronize, self.profiler = synchronize, Profiler()
        self.leads, self.ranks = os.environ.get("RANK", "0") == "0", int(os.environ.get("WORLD_SIZE", "1"))
        page = os.environ.get("BENCH_PAGE")
        self.page = open_page(page) if page else memoryview(bytearray(8 * PAGE_NUMBERS)).cast("Q")
        self.seconds = None if page else float(os.environ.get("BENCH_SECONDS", "10"))
        self.until = None
        self.file = open(os.environ.get("BENCH_LOG", os.devnull) if self.leads else os.devnull, "w")
        self.seen, self.count, self.begins = 0, 0, []

    def tick(self):
        page = self.page
        if page[REQUEST] != self.seen:
            self.answer(page[REQUEST], page[COMMAND])
        if page[LAST] and self.count >= page[LAST] or self.seconds and self.leads and self.late():
            return False
        self.begins.append(time.perf_counter_ns())
        self.count += 1
        if self.leads:
            page[COUNT] = self.count
        return True

    def late(self):
        self.until = self.until or time.monotonic() + self.seconds
        return time.monotonic() > self.until

    def answer(self, request, command):
        if self.leads:
            self.synchronize()
            now = time.perf_counter_ns()
            self.write_steps()
            self.file.write("mark %d %d %d\n" % (request, now, self.count))
            self.file.flush()
        if command in (PROFILER_ON, PROFILER_OFF):
            self.profiler.switch(command == PROFILER_ON)
        self.seen = request
        if self.leads:
            if command == STOP:
                self.page[LAST] = self.count + (RANKS_APART if self.ranks > 1 else 0)
            self.page[DONE] = request
        if command == PARK:
            while self.page[REQUEST] == request:
                time.sleep(0.002)
            self.answer(self.page[REQUEST], self.page[COMMAND])

    def write_steps(self):
        first = self.count - len(self.begins)
        self.file.writelines("step %d %d\n" % (ns, first + i) for i, ns in enumerate(self.begins))
        self.begins.clear()

    def end(self):
        self.synchronize()
        self.write_steps()
        self.file.close()
        if self.profiler.running:  # what it does at its end takes minutes and is not measured
            os._exit(0)


def drive(run, synchronize=synchronize_torch):
    """run(steps) makes the steps itself, as a framework with its own loop does; it calls steps.tick()."""
    try:
        steps = Steps(synchronize)
        run(steps)
    except ImportError as error:
        not_there("%s: %s" % (os.path.basename(sys.argv[0]), error))
    steps.end()


def main(setup, synchronize=synchronize_torch):
    def run(steps):
        step = setup()
        while steps.tick():
            step()
    drive(run, synchronize)
