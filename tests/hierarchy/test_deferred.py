"""Records whose arrays are made, or get their lengths, when somebody asks."""

import contextlib
import copy
import dataclasses
import pickle
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

from emst.backend.records import Condensed, Selection

deferred = pytest.importorskip("emst.cuda.hierarchy.deferred", reason="needs CuPy, which is not installed")
NAMES = ("born_at", "size", "parent", "children", "birth", "death", "stability")


@pytest.fixture
def asked(monkeypatch):
    """The lengths that were asked for. Arrays are NumPy's, and a length takes its time."""
    lengths = []

    class OnItsWay:
        def __init__(self, length):
            lengths.append(length)

        def arrived(self):
            time.sleep(0.001)
            return [3]

    class Stream(contextlib.nullcontext):
        def synchronize(self):
            time.sleep(0.001)

    cuda = SimpleNamespace(Device=lambda gpu: contextlib.nullcontext(), get_current_stream=Stream)
    monkeypatch.setattr(deferred, "cupy", SimpleNamespace(cuda=cuda))
    monkeypatch.setattr(deferred, "current_gpu", lambda: 0)
    monkeypatch.setattr(deferred, "OnItsWay", OnItsWay)
    monkeypatch.setattr(deferred, "array_at", lambda place, count: np.arange(place)[:count])
    return lengths


class Tree(deferred.Deferred, Condensed):
    """A condensed tree none of whose clusters is counted."""

    RECORD = Condensed


def tree(**makers):
    known = dict.fromkeys({"linkage", "cluster", "leaving_merge", "of_merge", "left"} - makers.keys())
    uncounted = {name: (10 + i, 7) for i, name in enumerate(NAMES)}
    return Tree.of(deferred.makers_of(uncounted) | makers, known | {"min_cluster_size": 5}, uncounted=uncounted)


def test_kernels_read_what_is_not_counted(asked):
    one = tree()
    assert deferred.for_kernels(one, "death") == 15 and not asked
    assert one.count == 3 and type(one) is Condensed
    assert asked == [7]  # all arrays have one length
    assert deferred.for_kernels(one, "death").tolist() == [0, 1, 2]
    assert deferred.clusters_for_kernels(one) == (3, None)
    assert vars(one).keys() == {"min_cluster_size", "linkage", "cluster", "leaving_merge", "of_merge", "left", *NAMES}


def test_copies_are_counted(asked):
    selection = deferred.uncounted_selection({"chosen": (5, 7), "label": (6, 8)})
    copied = copy.deepcopy(selection)
    assert type(copied) is type(selection) is Selection and sorted(asked) == [7, 8]
    assert copied.label.tolist() == [0, 1, 2]
    with pytest.raises(AttributeError, match="has no attribute 'colour'"):
        tree().colour  # noqa: B018


def test_threads_that_ask_at_once_find_the_same(asked):
    for _ in range(50):
        one, start, errors = tree(), threading.Barrier(len(NAMES)), []

        def read(name, one=one, start=start, errors=errors):
            try:
                start.wait()
                assert getattr(one, name).tolist() == [0, 1, 2]
                assert len(deferred.for_kernels(one, "parent")) == one.count == 3
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=read, args=(name,)) for name in NAMES]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not errors and type(one) is Condensed


def test_arrays_are_made_one_by_one(asked):
    """What makers read is there until the last has been made."""
    one = tree(
        left=lambda tree: {"left": tree.uncounted["death"][0]},
        of_merge=lambda tree: {"of_merge": tree.count + 1},
    )
    assert one.left == 15 and not asked
    assert one.count == 3 and type(one) is Tree and one.uncounted
    assert deferred.for_kernels(one, "death").tolist() == [0, 1, 2]
    assert deferred.clusters_for_kernels(one) == (3, None)
    assert one.of_merge == 4 and type(one) is Condensed
    assert not hasattr(one, "uncounted")


def test_threads_find_what_makers_read(asked):
    """One thread may make the last array while another one waits for a maker."""
    makers = {
        name: lambda tree, name=name: {name: tree.uncounted["death"][0] + tree.count} for name in ("left", "of_merge")
    }
    for _ in range(20):
        one, found, errors = tree(**makers), [], []

        def read(names, one=one, found=found, errors=errors):
            try:
                found.append([getattr(one, name) for name in names][-1])
            except BaseException as error:
                errors.append(error)

        orders = (["left", "of_merge"], ["of_merge", "left"], ["left"], ["of_merge"])
        threads = [threading.Thread(target=read, args=(names,)) for names in orders]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not errors and found == [18] * 4 and type(one) is Condensed


def test_replacing_an_array_that_is_not_made(asked):
    one = tree(left=lambda tree: {"left": 1})
    other = dataclasses.replace(one, left=2)
    assert other.left == 2 and other.count == 3 and not hasattr(other, "uncounted")
    assert pickle.loads(pickle.dumps(tree())).count == 3
    with pytest.raises(AttributeError):
        other.colour  # noqa: B018
