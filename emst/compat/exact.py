"""`HDBSCANGPU` with the conventions of the peers, for what they decide otherwise and no parameter says."""

from __future__ import annotations

from typing import Any

from emst.compat.counting import Asked
from emst.distances.sparse import TooFewDistances
from emst.hdbscan import HDBSCANGPU
from emst.hdbscan.parameters import Conventions
from emst.inputs.summary import counted


class PeersHDBSCAN(HDBSCANGPU):
    """What `exact_` of the classes of `emst.compat` is: an `HDBSCANGPU` that follows hdbscan, scikit-learn and cuML.

    With "leaf" and `allow_single_cluster`, all points are noise if the root never splits; `recluster` keeps to that.
    Under haversine, a latitude beyond a pole is taken for the place where it leads, with a UserWarning.
    """

    _conventions = Conventions(unsplit_root=False, wraps_places=True, degrees="and the metric's parameter degrees=True")


PeersHDBSCAN.__name__ = "HDBSCAN"  # in errors: the class that the caller knows


def fit_exact(exact: HDBSCANGPU, X: Any, asked: Asked, instead: str = "") -> HDBSCANGPU:
    """Fit an estimator that the caller's parameters were translated to.

    Parameters
    ----------
    exact : HDBSCANGPU
        Not fitted yet.
    X : array-like or sparse matrix
        See `HDBSCANGPU.fit`.
    asked : Asked
        What `min_samples` was made of.
    instead : str
        What the caller can pass for missing distances, in words that end the sentence about rows with too few.

    Returns
    -------
    HDBSCANGPU
        `exact`.

    Raises
    ------
    ValueError
        As `HDBSCANGPU.fit`; if rows of sparse distances hold too few, with the caller's parameter.
    """
    try:
        return exact.fit(X)
    except TooFewDistances as error:
        others, rows = counted(error.k - 1, "other point"), counted(error.rows, "row")
        raise ValueError(
            f"{asked.words} takes the distances to {others}; of the sparse matrix X {rows} hold fewer, first row "
            f"{error.first}: store more of them (zeros count){instead}"
        ) from None
