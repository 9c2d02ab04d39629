"""Gigabytes in errors about memory: what is needed is never written as little as what is free."""

import pathlib
import re

import pytest

from emst.backend import memory

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("free", [0, 1, 7_000, 10**8 - 1, 10**8, 10**8 + 1, 12_340_000_000, 3 * 10**12])
def test_what_is_needed_exceeds_what_is_free(free):
    needed = [float(memory.needed_gb(free + more).split()[0].replace(",", "")) for more in (1, 10**7, 10**8)]
    assert needed[0] > float(memory.free_gb(free).split()[0].replace(",", ""))
    assert needed == sorted(needed)


def test_one_decimal():
    assert memory.needed_gb(1_234_567_890_123) == "1,234.6 GB"
    assert memory.free_gb(1_234_567_890_123) == "1,234.5 GB"
    assert memory.needed_gb(2 * 10**9) == memory.free_gb(2 * 10**9) == "2.0 GB"


@pytest.mark.parametrize("advice", ["POINTS", "GRAPHS", "MATRICES", "BRANCHES"])
def test_advice_names_a_page_and_the_way_over_many_workers(advice):
    text = getattr(memory, advice)
    assert "emst.dask" in text
    assert (ROOT / re.search(r"docs/\S+\.md$", text)[0]).exists()
