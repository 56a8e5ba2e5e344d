"""Stacks of about 50 native and 25 Python frames: Python calls C (sorted, map) calls Python. argv: SECONDS"""
import sys
import time


def leaf(n):
    s = 0
    for i in range(n):
        s += i * i
    return s


def plain(depth, n):
    return plain(depth - 1, n) if depth else leaf(n)


def through_c(depth, n):
    if depth:
        return max((n,), key=lambda m: through_c(depth - 1, m))
    return plain(8, n)


end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    through_c(7, 2000)
