"""Functions one after the other, whose code objects lie at the same few addresses: each is compiled, spins for a while and is gone.

  same_address.py function|method COUNT SECONDS

Functions have a name each, methods a class each and one name. Prints at how many addresses they were.
"""
import sys
import time

FUNCTION = """
def number_%d(until):
    while time.thread_time() < until:
        for _ in range(1000):
            pass
spin = number_%d
"""

METHOD = """
class Number_%d:
    def method_that_spins(until):
        while time.thread_time() < until:
            for _ in range(1000):
                pass
spin = Number_%d.method_that_spins
"""


def main(kind, count, seconds):
    source = {"function": FUNCTION, "method": METHOD}[kind]
    addresses = set()
    for number in range(count):
        room = {"time": time, "__name__": "made"}
        exec(source % (number, number), room)
        spin = room["spin"]
        addresses.add(id(spin.__code__))
        spin(time.thread_time() + seconds)
        room.clear()  # they refer to each other
        del spin
        if kind == "method":
            import gc
            gc.collect()
    print(len(addresses))


main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
