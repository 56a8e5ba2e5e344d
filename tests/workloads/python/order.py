"""Python calls C calls Python, three levels deep, in five ways; the innermost function burns.  argv: WAY SECONDS"""
import ctypes
import functools
import json
import sys
import time


def burn():
    s = 0
    for i in range(3000):
        s += i * i
    return s


def level_three(x):
    burn()
    return x


def by_sorted():
    def level_two(x):
        sorted((1, 2), key=level_three)
        return x

    def level_one(x):
        sorted((1, 2), key=level_two)
        return x
    return lambda: sorted((1, 2), key=level_one)


def by_reduce():
    def three(a, b):
        return level_three(b)

    def level_two(a, b):
        return functools.reduce(three, (1, 2, 3))

    def level_one(a, b):
        return functools.reduce(level_two, (1, 2, 3))
    return lambda: functools.reduce(level_one, (1, 2, 3))


def by_ctypes():
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)
    inner = kind(level_three)

    def level_two(x):
        return inner(x)
    middle = kind(level_two)

    def level_one(x):
        return middle(x)
    outer = kind(level_one)
    return lambda: outer(1)


def by_json():
    text = json.dumps({"a": 1})

    def three(d):
        level_three(1)
        return d

    def level_two(d):
        json.loads(text, object_hook=three)
        return d

    def level_one(d):
        json.loads(text, object_hook=level_two)
        return d
    return lambda: json.loads(text, object_hook=level_one)


def by_numpy():
    import numpy
    three = numpy.frompyfunc(level_three, 1, 1)

    def level_two(x):
        three(numpy.arange(2))
        return x
    two = numpy.frompyfunc(level_two, 1, 1)

    def level_one(x):
        two(numpy.arange(2))
        return x
    one = numpy.frompyfunc(level_one, 1, 1)
    return lambda: one(numpy.arange(2))


def main():
    call = globals()["by_" + sys.argv[1]]()
    end = time.monotonic() + float(sys.argv[2])
    while time.monotonic() < end:
        call()


main()
