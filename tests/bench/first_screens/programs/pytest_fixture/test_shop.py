import pytest

import shop


@pytest.mark.parametrize("count", range(60))
def test_total(catalog, count):
    assert shop.total(catalog, ["item %d" % i for i in range(count)]) >= 0


def test_price():
    assert shop.price(" 3.50 EUR") == 350


def test_not_a_price():
    with pytest.raises(ValueError):
        shop.price("free")
