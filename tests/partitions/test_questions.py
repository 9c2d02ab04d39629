"""Which points of a partition ask which others, and what is gathered from several senders."""

import numpy as np
import pytest
import reference
from helpers import to_device, to_host
from norms_reference import BY_NAME
from outlines import OnHost, on, partitions

from emst.backend.partition_records import Asking, Numbering, Questions
from emst.backend.records import EUCLIDEAN


def arrays_on(ops, record):
    return type(record)(*(to_device(ops, value) if isinstance(value, np.ndarray) else value for value in record))


def check_columns(found, wanted):
    for name, ours, theirs in zip(wanted._fields, found, wanted, strict=True):
        assert (ours is None) == (theirs is None), name
        if isinstance(theirs, np.ndarray):
            assert to_host(ours).dtype == theirs.dtype, name
            np.testing.assert_array_equal(to_host(ours), theirs, name)


def check_questions(ops, d, dtype, k, some, rest=np.inf, norm=EUCLIDEAN, n=40_000, limit=0):
    """The greatest of several partitions asks; returns how many questions there are, or None."""
    rng = np.random.default_rng([d, k, some])
    x, _, cuts, outline = partitions(n, d, dtype, "uniform", 3)
    own = int(np.argmax(np.diff([0, *cuts, len(x)])))
    part = np.split(x, cuts)[own]
    n = len(part)
    index = ops.build_index(to_device(ops, part), to_device(ops, np.arange(n, dtype=np.int32)), 1.0, norm)
    if k > 1:
        ops.core_distances(index, k)
    places = np.sort(rng.choice(n, n // 3, replace=False)).astype(np.int32) if some else None
    m = n if places is None else len(places)
    component, group = rng.integers(0, 6, n).astype(np.int32), rng.permutation(6).astype(np.int32)
    weight, power = rng.integers(0, 4, (2, m)).astype(dtype)
    bound, bound_power = np.array([[0, 1, 2, -1, 3, 1], [3, 3, 1, 2, 0, 0]], dtype)
    powers = (power, bound_power) if k > 1 else (None, None)
    of_components = component, group, bound, powers[1], np.full(6, limit, dtype)
    asking = Asking(places, weight, powers[0], *of_components, rest)
    args = 100, Numbering(2**33, n // 3, 7)
    found = ops.questions(index, arrays_on(ops, asking), *args, on(ops, outline), own)()
    wanted = reference.questions(OnHost(index), asking, *args, outline, own)()
    assert (found is None) == (wanted is None)
    if wanted is None:
        return None
    assert found[1] == wanted[1]
    check_columns(found[0], wanted[0])
    return found[1][-1]


@pytest.mark.parametrize("k", [1, 4])
@pytest.mark.parametrize("d", [2, 7])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("some", [False, True])
def test_questions(ops, dtype, d, k, some):
    """The points whose bounds allow it ask those partitions whose outline lies within the bound of their component."""
    assert check_questions(ops, d, dtype, k, some, n=4_000) > 100


@pytest.mark.parametrize("name", ["manhattan", "powers 3", "any power 2.7"])
def test_other_norms(ops, name):
    assert check_questions(ops, 3, np.float64, 1, True, norm=BY_NAME[name], n=3_000) > 0


def test_many_points(ops):
    """The bits of a partition fill several tiles on a GPU."""
    assert check_questions(ops, 2, np.float32, 1, False) > 1000


@pytest.mark.parametrize("rest, limit, suffice", [(np.inf, 0, True), (3, 0, False), (3, 4, True), (4, 0, True)])
def test_whether_other_points_may_ask(ops, rest, limit, suffice):
    """The greatest bound of a component is 3."""
    found = check_questions(ops, 2, np.float32, 1, True, rest, n=3_000, limit=limit)
    assert (found is not None) == suffice


@pytest.mark.parametrize("most", [1, 20_000])
def test_questions_that_one_launch_cannot_count(ops, most, monkeypatch):
    """The GPU lists them by groups of partitions."""
    if ops.name == "cuda":
        monkeypatch.setattr("emst.cuda.partitions.questions.MOST_HITS", most)
    assert check_questions(ops, 2, np.float32, 4, True, n=4_000) > 100


@pytest.mark.parametrize("rest", [1.0, np.inf])
def test_no_point_may_ask(ops, rest):
    """None lies near the border. Whether others may ask must be known nevertheless."""
    x, _, cuts, outline = partitions(300, 2, np.float32, "uniform", 3)
    part, empty = np.split(x, cuts)[0], np.zeros(0, np.float32)
    n = len(part)
    index = ops.build_index(to_device(ops, part), to_device(ops, np.arange(n, dtype=np.int32)), 1.0, EUCLIDEAN)
    of_components = np.zeros(n, np.int32), np.zeros(1, np.int32), np.ones(1, np.float32), None, np.ones(1, np.float32)
    asking = Asking(np.zeros(0, np.int32), empty, None, *of_components, rest)
    found = ops.questions(index, arrays_on(ops, asking), 0, Numbering(0, n, 0), on(ops, outline), 0)()
    if rest == 1:
        assert found is None
    else:
        assert (
            found[1] == [0] * len(outline.start)
            and [len(column) for column in found[0] if column is not None] == [0] * 4
        )


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
