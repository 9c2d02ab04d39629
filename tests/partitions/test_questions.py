"""What is gathered from several senders."""

import numpy as np
import pytest
import reference
from helpers import to_device, to_host

from emst.backend.partition_records import Questions
from emst.backend.records import EUCLIDEAN


def arrays_on(ops, record):
    return type(record)(*(to_device(ops, value) if isinstance(value, np.ndarray) else value for value in record))


def check_columns(found, wanted):
    for name, ours, theirs in zip(wanted._fields, found, wanted, strict=True):
        assert (ours is None) == (theirs is None), name
        if isinstance(theirs, np.ndarray):
            assert to_host(ours).dtype == theirs.dtype, name
            np.testing.assert_array_equal(to_host(ours), theirs, name)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d, k", [(1, 1), (3, 4), (40, 2)])
@pytest.mark.parametrize("sizes", [(1,), (700, 0, 33), (5,) * 7])
def test_gathered_questions(ops, dtype, d, k, sizes, monkeypatch):
    """On a GPU, one launch takes the questions of so many senders."""
    if ops.name == "cuda":
        monkeypatch.setattr("emst.cuda.partitions.questions.AT_ONCE", 3)
    rng = np.random.default_rng(len(sizes))
    label = rng.integers(0, 9, 50).astype(np.int32)
    senders = []
    for m in sizes:
        core = rng.random(m).astype(dtype) if k > 1 else None
        component, ids = rng.integers(0, 50, m).astype(np.int32), rng.integers(0, 2**40, m)
        senders.append(Questions(rng.random((m, d)).astype(dtype), component, core, rng.random(m).astype(dtype), ids))
    found = ops.gathered_questions([arrays_on(ops, one) for one in senders], to_device(ops, label), EUCLIDEAN)
    wanted = reference.gathered_questions(senders, label, EUCLIDEAN)
    check_columns(found, wanted)
    np.testing.assert_array_equal(to_host(found.queries.points()), np.concatenate([one.points for one in senders]))
