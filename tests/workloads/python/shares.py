"""Python functions with known shares, one after the other. Prints the truth as JSON: functions and lines, in nanoseconds."""
import json
import sys
import time
import zlib

clock = time.thread_time_ns
functions = {"burn_ten": 0, "burn_twenty": 0, "burn_thirty": 0, "burn_forty": 0}
lines = {"lines_first": 0, "lines_second": 0, "lines_third": 0}
DATA = bytes(range(256)) * 400


def burn_ten(n):
    s = 0
    for i in range(n):
        s += i * i
    return s


def burn_twenty(n):
    values = [i ^ 5 for i in range(n)]
    del values  # in here, not in the caller


def burn_thirty(n):
    d = {}
    for i in range(n):
        d[i & 255] = i
    return d


def burn_forty(n):
    # Time inside a C function that releases the GIL counts for its caller's total.
    for _ in range(n // 8000 + 1):
        zlib.compress(DATA, 1)


def work(n):
    s = 0
    for i in range(n):
        s += i
    return s


def by_line(n):
    a = clock()
    work(n)  # lines_first
    b = clock()
    work(3 * n)  # lines_second
    c = clock()
    work(6 * n)  # lines_third
    d = clock()
    lines["lines_first"] += b - a
    lines["lines_second"] += c - b
    lines["lines_third"] += d - c


def main(seconds):
    begin = clock()
    while clock() - begin < seconds * 1e9:
        for function, n in ((burn_ten, 10000), (burn_twenty, 30000), (burn_thirty, 30000), (burn_forty, 30000)):
            before = clock()
            function(n)
            functions[function.__name__] += clock() - before
        by_line(3000)
    print(json.dumps({"functions": functions, "lines": lines}))


main(float(sys.argv[1]) if len(sys.argv) > 1 else 2)
