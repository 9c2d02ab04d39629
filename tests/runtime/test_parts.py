"""Functions that kernels inline (`part`) are not compiled on their own."""

import numba
import numpy as np
import pytest

from emst.cpu.runtime.compile import part
from emst.cpu.runtime.numba_compiler import _LibraryOfPart
from emst.cpu.runtime.numba_internals import with_loop
from emst.cpu.runtime.parallel import for_chunks


@part
def _twice(value):
    return value + value


@part
def _four_times(value):
    return _twice(_twice(value))


@with_loop(nogil=True, no_cfunc_wrapper=True)  # a kernel that is not kept on disk: its parts are compiled in every run
def _multiply(values, found, begin, end):
    for i in range(begin, end):
        found[i] = _four_times(values[i])


@pytest.mark.parametrize("dtype", [np.int32, np.float64])
def test_kernels_inline_parts_that_call_parts(dtype):
    values, found = np.arange(1000, dtype=dtype), np.zeros(1000, dtype)
    for_chunks(_multiply, 1000, 100, values, found)
    np.testing.assert_array_equal(found, 4 * values)
    (compiled,) = [one for types, one in _four_times.overloads.items() if str(types[0]) == np.dtype(dtype).name]
    assert isinstance(compiled.library, _LibraryOfPart)  # of which no machine code is made


def test_an_error_in_a_part_is_that_of_its_kernel():
    @part
    def wrong(value):
        return value.nothing

    @numba.njit
    def caller(value):
        return wrong(value)

    with pytest.raises(numba.TypingError, match="nothing"):
        caller(1)
