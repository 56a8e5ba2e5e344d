"""Functions one after the other, whose code objects lie at the same few addresses: each is compiled, spins for a while and is gone.

  same_address.py COUNT SECONDS

Prints at how many addresses they were.
"""
import sys
import time

SOURCE = """
def number_%d(until):
    while time.thread_time() < until:
        for _ in range(1000):
            pass
"""


def main(count, seconds):
    addresses = set()
    for number in range(count):
        room = {"time": time}
        exec(compile(SOURCE % number, "made_%d.py" % number, "exec"), room)
        function = room["number_%d" % number]
        addresses.add(id(function.__code__))
        function(time.thread_time() + seconds)
        room.clear()  # they refer to each other
        del function
    print(len(addresses))


main(int(sys.argv[1]), float(sys.argv[2]))
