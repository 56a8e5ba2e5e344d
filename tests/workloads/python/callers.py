"""Python functions that are called in every way that CPython has: by operators, by C functions, by exec and import.

usage: callers.py ROUNDS
"""
import collections
import functools
import importlib
import sys


class Key:
    def __init__(self, n):
        self.n = n

    def __hash__(self):
        return spin(20) + self.n % 7

    def __eq__(self, other):
        spin(20)
        return self.n == other.n

    def __lt__(self, other):
        spin(20)
        return self.n < other.n

    def __del__(self):
        spin(5)

    def __getattr__(self, name):
        spin(10)
        return name

    def __call__(self):
        return spin(30)

    def __iter__(self):
        return steps(30)


def spin(n):
    total = 0
    for i in range(n):
        total += i * i % 7
    return total


def steps(n):
    for i in range(n):
        spin(5)
        yield i


def key_of(n):
    return spin(30) - n


def dictionaries():
    numbers = {}
    for i in range(60):
        numbers[Key(i)] = i
    return [numbers[Key(i)] for i in range(60)]


def sorting():
    sorted([Key(i) for i in range(60)])
    sorted(range(60), key=key_of)


def mapping():
    return sum(map(key_of, range(60)))


def generators():
    return sum(Key(1)) + sum(steps(20))


def attributes():
    return [Key(1).missing for _ in range(40)]


def calls():
    return [functools.partial(Key(i))() for i in range(40)]


def evaluating():
    exec("for i in range(30): spin(20)", globals())
    eval("spin(300)")


def importing():
    sys.modules.pop("callers_part", None)
    import callers_part
    importlib.reload(callers_part)


def counting():
    return collections.Counter(Key(i % 3) for i in range(40))


def joining():
    return ",".join(str(spin(10)) for _ in range(40))


WAYS = [dictionaries, sorting, mapping, generators, attributes, calls, evaluating, importing, counting, joining]


def main():
    for _ in range(int(sys.argv[1])):
        for way in WAYS:
            way()


main()
