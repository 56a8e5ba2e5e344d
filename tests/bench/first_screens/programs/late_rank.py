"""Two ranks meet after each step, as in an all-reduce. Rank 1 prepares its data in a slower way, so rank 0 waits for it.

  RANK=0|1 late_rank.py SOCKET
"""
import os
import socket
import sys
import time

STEPS = 180


def prepare(slow):
    text = ""
    for number in range(20_000 if slow else 2_000):
        text = "%d,%s" % (number, text[:40])  # the cause
    return text


def compute():
    return sum(i * i for i in range(20_000))


def meet(path, rank):
    if rank == 0:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path + ".new")
            server.listen()
            os.rename(path + ".new", path)
            return server.accept()[0]
    while not os.path.exists(path):
        time.sleep(0.01)
    other = socket.socket(socket.AF_UNIX)
    other.connect(path)
    return other


def all_reduce(other, value):
    other.sendall(b"%20d" % value)
    return value + int(other.recv(20, socket.MSG_WAITALL))


def main():
    rank = int(os.environ["RANK"])
    with meet(sys.argv[1], rank) as other:
        for _ in range(STEPS):
            prepare(rank == 1)
            all_reduce(other, compute())


main()
