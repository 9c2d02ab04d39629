"""hdbscan's branches inside clusters, which have no equivalent here: each of these names raises an error."""

from __future__ import annotations

from typing import Any

from emst.compat.missing import NoEquivalent

INSTEAD = "use hdbscan's BranchDetector with a model that hdbscan itself has fitted"


class BranchDetector:
    """Not available.

    Parameters
    ----------
    *args, **kwargs
        Have no effect.

    Raises
    ------
    NotImplementedError
        Always.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NoEquivalent("branch detection", INSTEAD)


def detect_branches_in_clusters(*args: Any, **kwargs: Any) -> None:
    """Not available.

    Parameters
    ----------
    *args, **kwargs
        Have no effect.

    Raises
    ------
    NotImplementedError
        Always.
    """
    raise NoEquivalent("branch detection", INSTEAD)


def approximate_predict_branch(*args: Any, **kwargs: Any) -> None:
    """Not available.

    Parameters
    ----------
    *args, **kwargs
        Have no effect.

    Raises
    ------
    NotImplementedError
        Always.
    """
    raise NoEquivalent("branch detection", INSTEAD)
