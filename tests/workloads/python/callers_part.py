"""What callers.py imports, again and again."""


def body():
    total = 0
    for i in range(3000):
        total += i * i


body()
