"""The segment of every point, by the cuts of a cell and of the cells in it."""

import numpy as np
import pytest
import reference
from helpers import to_host

from emst.backend.records import Box
from emst.partitions.records import Cell
from emst.partitions.segments import segments_of

UNIT = Box(np.zeros(2), np.ones(2))
TOP = 2**64 - 1


def cell_of(first, codes, inner, box=UNIT):
    """A cell with these cuts and inner cells, and the number after its last segment."""
    cell = Cell(box, np.array(codes, np.uint64))
    for cut in range(len(codes) + 1):
        cell.before.append(first)
        first += 1
        if cut in inner:
            cell.cells[cut], first = cell_of(first, *inner[cut])
    return cell, first


def segment_of(point, cell):
    """Cut by cut."""
    code = int(reference.curve_codes(point[None], 1.0, cell.box)[0])
    for cut, at in enumerate(cell.codes.tolist()):
        if code == at and cut in cell.cells:
            return segment_of(point, cell.cells[cut])
        if code < at:
            return cell.before[cut]
    return cell.before[-1]


@pytest.mark.parametrize("some", [slice(None), slice(1), slice(0)])
def test_segments_are_those_that_cuts_say(ops, rng, some):
    corners = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    points = np.concatenate([rng.random((300, 2)), np.repeat(corners, 5, axis=0)])
    code = [int(one) for one in reference.curve_codes(points, 1.0, UNIT)]
    assert TOP in code and 0 in code
    half = Box(np.zeros(2), np.full(2, 0.5))
    deep = np.sort(reference.curve_codes(points, 1.0, half))[::80].tolist()
    ordered = sorted(set(code))
    for cuts, inner in (
        ([], {}),
        (ordered[::50], {}),
        (ordered[::50], {0: ([], {}), 3: (sorted(set(deep)), {}, half)}),
        ([7, code[5], code[5] + 1], {1: ([code[5], TOP], {0: ([1 << 63], {})}), 2: ([], {})}),
        ([0, TOP], {0: ([3], {}), 1: ([5, TOP], {1: ([], {})})}),
    ):
        cell, _ = cell_of(0, cuts, inner)
        ours = to_host(segments_of(ops.asarray(points[some]), 1.0, cell, ops))
        assert ours.dtype == np.int32
        assert ours.tolist() == [segment_of(point, cell) for point in points[some]]
