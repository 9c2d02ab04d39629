"""Array code block by block: every row once, in ranges of a bounded size, by several threads on the CPU."""

import threading

import numpy as np
import pytest


@pytest.mark.parametrize("width", [1, 1000, 1 << 40])
@pytest.mark.parametrize("n", [0, 1, 300])
def test_every_row_is_in_one_range(ops, n, width):
    seen = np.zeros(n, int)

    def work(begin, end):
        assert 0 <= begin < end <= n
        seen[begin:end] += 1

    ops.for_blocks(work, n, width)
    assert (seen == 1).all()


def test_a_block_holds_a_bounded_number_of_rows(ops):
    rows = []
    ops.for_blocks(lambda begin, end: rows.append(end - begin), 5, 1 << 40)
    assert rows == [1] * 5


def test_blocks_run_at_the_same_time_on_the_cpu():
    from emst import cpu

    if cpu.parallelism()[0] < 2:
        pytest.skip("one thread")
    both = threading.Barrier(2, timeout=60)  # breaks if one thread does all the work
    cpu.for_blocks(lambda begin, end: both.wait(), 2, 1 << 40)
