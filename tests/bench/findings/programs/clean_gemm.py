"""Clean: a chain of large products of matrices."""
from common import main
from models import Work


def make(_):
    work = Work(6)
    return lambda _: work()


if __name__ == "__main__":
    main(make, 60)
