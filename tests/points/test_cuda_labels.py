"""Labels of any allocation, for searches on the GPU that read them in whole leaves."""

import numpy as np
import pytest

pytestmark = pytest.mark.gpu


@pytest.fixture
def cupy():
    return pytest.importorskip("cupy")


def in_exact_memory(cupy, values):
    """An array whose memory ends with its last value."""
    array = cupy.ndarray(len(values), values.dtype, cupy.cuda.MemoryPointer(cupy.cuda.Memory(values.nbytes), 0))
    array.set(values)
    return array


@pytest.mark.parametrize("n", [1, 7, 8, 15, 16, 17, 128, 1001])
def test_labels_are_copied_only_where_whole_leaves_cannot_be_read(cupy, n):
    from emst.cuda.points.bvh import in_whole_leaves, padded
    from emst.cuda.runtime.constants import LEAF

    values = np.arange(n, dtype=np.int32)
    longer = cupy.asarray(np.arange(-1, 2 * n, dtype=np.int32))
    given = {
        "of the pool": cupy.asarray(values),
        "without room": in_exact_memory(cupy, values),
        "not aligned": longer[1 : n + 1],
        "not contiguous": cupy.asarray(np.repeat(values, 2))[::2],
    }
    for what, labels in given.items():
        found = in_whole_leaves(labels)
        np.testing.assert_array_equal(found.get(), values, what)
        memory = found.data.mem
        assert found.data.ptr % 16 == 0 and memory.ptr + memory.size >= found.data.ptr + 4 * padded(n), what
        whole = what == "without room" and n % LEAF == 0
        kept = what == "of the pool" or whole or (what == "not contiguous" and n == 1)
        assert (found is labels) == kept, what
