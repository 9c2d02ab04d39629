"""What a caller knows of some rows: labels, and pairs that must or cannot be linked. Checked here, and counted."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from emst.backend.operations import Backend
from emst.hierarchy.constraints import Constraints
from emst.inputs.devices import to_host
from emst.inputs.finite import FiniteRows
from emst.inputs.masks import check_unmasked

UNKNOWN = -1  # label of a row of which nothing is known
LABELS = (
    "y must hold integers, -1 for rows whose label is unknown; got {}: pandas.factorize(y)[0] numbers labels of any "
    "kind, and missing ones as -1"
)


class ConstraintCounts(NamedTuple):
    """How many constraints a clustering satisfies.

    A label says of each pair of labelled rows that it must be linked, or cannot be.

    Attributes
    ----------
    satisfied : int
        Constraints that hold.
    unsatisfied : int
        Those that do not, such as one of two that contradict each other.
    total : int
        All of them.
    """

    satisfied: int
    unsatisfied: int
    total: int


class Known(NamedTuple):
    """What the caller knows of n rows, checked. Arrays live on the host and hold numbers of rows."""

    labelled: np.ndarray  # int64[l]
    labels: np.ndarray  # int64[l]
    must: np.ndarray  # int64[p, 2]
    cannot: np.ndarray  # int64[q, 2]

    @property
    def anything(self) -> bool:
        """Whether a label or a pair is given."""
        return any(map(len, (self.labelled, self.must, self.cannot)))

    def constraints(self, rows: FiniteRows | None, ops: Backend) -> Constraints | None:
        """The same of the points of a tree, on its backend; None if nothing is known.

        Raises
        ------
        ValueError
            A row that is not finite, and so in no cluster. `rows` says which these are, None that all are finite.
        """
        if not self.anything:
            return None
        points = [self.labelled, self.must, self.cannot]
        if rows is not None:
            place = np.full(rows.n, -1)
            place[to_host(rows.kept)] = np.arange(len(rows.kept))
            for name, named in zip(("y", "must_link", "cannot_link"), points):
                _check_finite(name, named, place)
            points = [place[named] for named in points]
        kinds = np.unique(self.labels, return_inverse=True)[1].reshape(-1)
        labelled, must, cannot = (ops.asarray(array, np.int64) for array in points)
        return Constraints(labelled, ops.asarray(kinds, np.int64), must, cannot)


def known_of(n: int, y: Any = None, must_link: Any = None, cannot_link: Any = None) -> Known:
    """Check what is known of n rows.

    Raises
    ------
    ValueError
        Labels that are not integers, less than -1, or not one for each row; pairs of another shape, or of rows that do
        not exist; a row that cannot be linked with itself.
    """
    labels = np.empty(0, np.int64) if y is None else _labels(y, n)
    labelled = np.flatnonzero(labels != UNKNOWN)
    must, cannot = _pairs("must_link", must_link, n), _pairs("cannot_link", cannot_link, n)
    same = np.flatnonzero(cannot[:, 0] == cannot[:, 1])
    if len(same):
        raise ValueError(
            f"cannot_link must hold pairs of different rows; pair {same[0]} is row {cannot[same[0], 0]} twice "
            f"({len(same)} such)"
        )
    return Known(labelled, labels[labelled], must, cannot)


def check_unweighted(sample_weight: Any) -> None:
    """Raise ValueError if the rows have weights: a constraint counts rows."""
    if sample_weight is not None:
        raise ValueError("labels and constraints take no sample_weight: leave one of the two out")


def check_choice(estimator: Any) -> None:
    """Raise ValueError for a parameter of the selection that leaves constraints nothing to choose."""
    for name, allowed in (("cluster_selection_method", "eom"), ("cluster_selection_epsilon", 0)):
        value = getattr(estimator, name)
        if value != allowed:
            raise ValueError(f"{name} must be {allowed!r} with labels or constraints, which select; got {value!r}")
    if estimator.min_cluster_size == "auto":
        raise ValueError("min_cluster_size must be a number with labels or constraints; 'auto' selects leaves")


def _labels(y: Any, n: int) -> np.ndarray:
    check_unmasked("y", y)
    labels = to_host(y)
    if labels.shape != (n,):
        raise ValueError(f"y must have one label for each row of X, n_samples = {n}; got shape {labels.shape}")
    if labels.dtype.kind not in "iu":
        raise ValueError(LABELS.format(f"dtype {labels.dtype}"))
    bad = np.flatnonzero(labels < UNKNOWN)
    if len(bad):
        raise ValueError(
            f"y must be at least 0, or -1 for rows whose label is unknown; got {labels[bad[0]]} in row {bad[0]} "
            f"({len(bad)} such)"
        )
    return labels.astype(np.int64)


def _pairs(name: str, pairs: Any, n: int) -> np.ndarray:
    array = np.empty((0, 2), np.int64) if pairs is None else to_host(pairs)
    if array.size == 0:
        return np.empty((0, 2), np.int64)
    if array.dtype.kind not in "iu" or array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(
            f"{name} must be pairs of row numbers, integers of shape (m, 2); got {array.dtype} of shape {array.shape}"
        )
    outside = (array < 0) | (array >= n)
    bad = np.flatnonzero(outside.any(axis=1))
    if len(bad):
        row = array[bad[0]][outside[bad[0]]][0]
        raise ValueError(
            f"{name} must name rows of X, from 0 to n_samples - 1 = {n - 1}; got {row} in pair {bad[0]} "
            f"({len(bad)} such)"
        )
    return array.astype(np.int64)


def _check_finite(name: str, rows: np.ndarray, place: np.ndarray) -> None:
    bad = rows.ravel()[place[rows.ravel()] < 0]
    if len(bad):
        out = "set it to -1 there" if name == "y" else "leave the pair out"
        raise ValueError(
            f"{name} names row {bad[0]}, which is in no cluster because it holds NaN or infinity: {out} "
            f"({len(np.unique(bad))} such)"
        )
