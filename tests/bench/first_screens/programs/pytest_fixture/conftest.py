"""The fixture reads the whole catalog anew for each test; once for all tests would do."""
import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from shop import price  # noqa: E402


@pytest.fixture
def catalog():
    return {"item %d" % i: price("%d.%02d EUR" % (i, i % 100)) for i in range(30_000)}  # the cause
