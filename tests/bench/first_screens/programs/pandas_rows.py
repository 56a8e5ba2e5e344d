"""A pandas job: each row becomes a Series, although whole columns could be multiplied at once."""
import numpy
import pandas

ROWS = 60_000


def load():
    dice = numpy.random.default_rng(1)
    return pandas.DataFrame({"price": dice.random(ROWS), "count": dice.integers(1, 9, ROWS), "shop": dice.integers(0, 50, ROWS)})


def revenue(orders):
    total = []
    for _, row in orders.iterrows():  # the cause
        total.append(row["price"] * row["count"] * (0.9 if row["count"] > 5 else 1.0))  # the cause
    return orders.assign(revenue=total)


def main():
    orders = revenue(load())
    by_shop = orders.groupby("shop")["revenue"].agg(["sum", "mean"])
    print(by_shop.sort_values("sum").tail(3))


main()
