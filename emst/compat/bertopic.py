"""BERTopic with `HDBSCANGPU`: probabilities of all topics, and topics of new documents.

BERTopic asks two functions what a cluster model can do, and they know hdbscan's and cuML's classes only.
`register` puts functions in their places that know the estimators of `emst` as well. They were read in BERTopic 0.17.4
(`bertopic.cluster._utils`).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import wraps
from typing import Any

from emst.compat.clusterer import PeerClusterer
from emst.compat.hdbscan.prediction import all_points_membership_vectors, approximate_predict, membership_vector
from emst.hdbscan import HDBSCANGPU

MODULES = ("bertopic._bertopic", "bertopic.cluster._utils")  # that hold the two functions
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "all_points_membership_vectors": all_points_membership_vectors,
    "approximate_predict": approximate_predict,
    "membership_vector": membership_vector,
}


def register() -> None:
    """Let BERTopic treat `HDBSCANGPU`, and the classes of `emst.compat`, like hdbscan's class.

    Then ``BERTopic(hdbscan_model=HDBSCANGPU(...), calculate_probabilities=True)`` gives probabilities of all topics,
    and `transform` finds topics of new documents. Other models are treated as before. A second call has no effect.

    Raises
    ------
    ImportError
        BERTopic is not installed, or its version does not ask these functions.
    """
    replacements: dict[str, Callable[[Any], Any]] = {
        "hdbscan_delegator": _delegator,
        "is_supported_hdbscan": _supported,
    }
    try:
        modules = [importlib.import_module(name) for name in MODULES]
    except ImportError as error:
        raise ImportError(f"register() needs BERTopic: pip install bertopic ({error})") from error
    missing = [name for name in replacements if not all(hasattr(module, name) for module in modules)]
    if missing:
        raise ImportError(f"this version of BERTopic has no {missing[0]}; register() was tested with 0.17.4")
    for module in modules:
        for name, replacement in replacements.items():
            original = getattr(module, name)
            if not hasattr(original, "knows_emst"):
                setattr(module, name, replacement(original))


def _is_ours(model: Any) -> bool:
    return isinstance(model, (HDBSCANGPU, PeerClusterer))


def _supported(original: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """`is_supported_hdbscan`, which is true for the estimators of `emst` as well."""

    @wraps(original)
    def is_supported_hdbscan(model: Any) -> bool:
        return _is_ours(model) or original(model)

    is_supported_hdbscan.knows_emst = True  # type: ignore[attr-defined]
    return is_supported_hdbscan


def _delegator(original: Callable[..., Any]) -> Callable[..., Any]:
    """`hdbscan_delegator`, which calls the functions of `emst.compat` for the estimators of `emst`."""

    @wraps(original)
    def hdbscan_delegator(model: Any, func: str, embeddings: Any = None) -> Any:
        if not _is_ours(model):
            return original(model, func, embeddings)
        if isinstance(model, PeerClusterer):
            model.generate_prediction_data()
        return FUNCTIONS[func](model) if embeddings is None else FUNCTIONS[func](model, embeddings)

    hdbscan_delegator.knows_emst = True  # type: ignore[attr-defined]
    return hdbscan_delegator
