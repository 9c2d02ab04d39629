"""The estimator's parameters: which values they may have, and what a fit reads from them."""

from __future__ import annotations

import functools
import math
import reprlib
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from emst.distances.metrics import NAMES, Metric, metric_of
from emst.gpus.devices import WORDS, names_gpus
from emst.hierarchy.selection import Options
from emst.inputs.devices import DEVICES
from emst.inputs.places import DEGREES
from emst.inputs.summary import meant
from emst.progress import Progress


class Rule(NamedTuple):
    """Which values a parameter may have: as a test, in words that follow "must be", and those that are names."""

    allows: Callable[[Any], bool]
    words: str
    names: tuple[str, ...] = ()

    def __or__(self, other: Rule) -> Rule:
        words, names = f"{self.words} or {other.words}", self.names + other.names
        return Rule(lambda value: self.allows(value) or other.allows(value), words, names)

    def check(self, name: str, value: Any) -> None:
        """Raise ValueError if the value is not allowed for the parameter of this name."""
        if not self.allows(value):
            raise ValueError(f"{name} must be {self.words}; got {reprlib.repr(value)}{meant(value, self.names)}")


def _is_integer(value: Any) -> bool:
    return type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))


def _is_number(value: Any) -> bool:
    """Finite, and representable as float64."""
    if type(value) is float:  # the question below takes microseconds
        return math.isfinite(value)
    try:
        return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(float(value))
    except OverflowError:
        return False


def at_least(least: int) -> Rule:
    return Rule(lambda value: _is_integer(value) and value >= least, f"an integer of at least {least}")


def one_of(*names: str) -> Rule:
    return Rule(lambda value: isinstance(value, str) and value in names, f"one of {', '.join(map(repr, names))}", names)


INTEGER = Rule(_is_integer, "an integer")
NOT_NEGATIVE = Rule(lambda value: _is_number(value) and value >= 0, "a finite number of at least 0")
SHARE = Rule(lambda value: _is_number(value) and 0 <= value <= 1, "a number from 0 to 1")
POSITIVE = Rule(lambda value: _is_number(value) and value > 0, "a finite number greater than 0")
BOOLEAN = Rule(lambda value: isinstance(value, (bool, np.bool_)), "True or False")
INFINITE = Rule(lambda value: isinstance(value, Real) and value == math.inf, "infinity")
FUNCTION = Rule(callable, "a function")
DICTIONARY = Rule(lambda value: isinstance(value, dict), "a dictionary")
BAR = Rule(lambda value: isinstance(value, str) and value == "bar", "'bar'")
AUTO = Rule(lambda value: isinstance(value, str) and value == "auto", "'auto'", ("auto",))
CLUSTER_SIZE = at_least(2)
NONE = Rule(lambda value: value is None, "None")
ANYTHING = Rule(lambda value: True, "anything")

RULES = {
    "min_cluster_size": CLUSTER_SIZE | AUTO,
    "min_samples": at_least(1) | NONE,
    "cluster_selection_epsilon": NOT_NEGATIVE,
    "max_cluster_size": at_least(1) | NONE,
    "metric": one_of(*NAMES) | FUNCTION,
    "metric_params": DICTIONARY | NONE,
    "alpha": POSITIVE,
    "algorithm": one_of("auto", "brute", "kd_tree", "ball_tree"),
    "leaf_size": at_least(1),
    "n_jobs": INTEGER | NONE,
    "cluster_selection_method": one_of("eom", "leaf"),
    "allow_single_cluster": BOOLEAN,
    "store_centers": one_of("centroid", "medoid", "both") | NONE,
    "copy": BOOLEAN,
    "cluster_selection_persistence": NOT_NEGATIVE,
    "cluster_selection_epsilon_max": NOT_NEGATIVE | INFINITE,
    "semi_supervised": BOOLEAN,
    "constraint_weight": SHARE,
    "prediction_data": BOOLEAN,
    "device": one_of(*DEVICES),
    "device_ids": Rule(names_gpus, WORDS, ("all",)),  # whether there are such GPUs is checked with the data
    "dtype": ANYTHING,  # checked with the data
    "verbose": BOOLEAN | at_least(0) | BAR,
}


AUTO_SAMPLES = 5  # min_samples if the data are to say which min_cluster_size it would follow

RECLUSTERED = (
    "min_cluster_size",
    "cluster_selection_epsilon",
    "max_cluster_size",
    "cluster_selection_method",
    "allow_single_cluster",
    "store_centers",
    "cluster_selection_persistence",
    "cluster_selection_epsilon_max",
    "constraint_weight",
)


def parameters_of_tree(estimator: BaseEstimator) -> dict[str, Any]:
    """The parameters that a new fit is needed for."""
    kind: Any = type(estimator)
    return {name: getattr(estimator, name) for name in _names_of_tree(kind)}


@functools.cache
def _names_of_tree(kind: Any) -> tuple[str, ...]:
    """Their names, by class of estimator. scikit-learn reads them from the signature at each call. That takes a
    fifteenth of the time of a fit of a thousand points."""
    return tuple(name for name in kind._get_param_names() if name not in RECLUSTERED)


class Conventions(NamedTuple):
    """What no parameter says, and other libraries decide otherwise: `PeersHDBSCAN` has theirs."""

    unsplit_root: bool = True  # "leaf" with `allow_single_cluster` selects a root that never splits
    wraps_places: bool = False  # angles beyond the poles are places, see `Sphere`
    degrees: str = DEGREES  # how the caller says that places are in degrees


@dataclass(frozen=True)
class Request:
    """What a fit reads from the estimator; the data come beside it."""

    metric: Metric
    min_samples: int
    given: bool  # whether min_samples is a number of its own; otherwise it is min_cluster_size
    alpha: float
    options: Options
    device: str
    device_ids: Any
    dtype: Any
    progress: Progress
    sample_weight: Any = None


PLAIN = frozenset([int, float, bool, str, type(None)])
_allowed: set[Any] = set()  # values that were checked, so that a loop of small fits does not check them again
MOST_ALLOWED = 256


def check_parameters(estimator: Any, rules: dict[str, Rule] = RULES) -> None:
    """Raise ValueError for the first parameter whose value is not allowed."""
    values = attrgetter(*rules)(estimator)
    types = tuple(map(type, values))  # True equals 1, but is no integer
    known = (types, values) if rules is RULES and PLAIN.issuperset(types) else None
    if known is not None and known in _allowed:
        return
    for (name, rule), value in zip(rules.items(), values):
        rule.check(name, value)
    if known is not None:
        if len(_allowed) >= MOST_ALLOWED:
            _allowed.clear()
        _allowed.add(known)


def request_of(estimator: Any, progress: Progress, *, sparse: bool, sample_weight: Any = None) -> Request:
    """What a fit reads from an estimator with checked parameters; `sparse` says whether `X` is a sparse matrix."""
    alpha = float(estimator.alpha)
    metric = metric_of(
        estimator.metric, estimator.metric_params, algorithm=estimator.algorithm, alpha=alpha, sparse=sparse
    )
    return Request(
        metric=metric.wrapping() if estimator._conventions.wraps_places else metric,
        min_samples=samples_of(estimator),
        given=estimator.min_samples is not None or estimator.min_cluster_size == "auto",
        alpha=alpha,
        options=options_of(estimator),
        device=estimator.device,
        device_ids=estimator.device_ids,
        dtype=estimator.dtype,
        progress=progress,
        sample_weight=sample_weight,
    )


def least_size(min_samples: int) -> int:
    """The least minimum cluster size that layers are looked for at: core distances blur smaller clusters."""
    return max(min_samples, 2)


def samples_of(estimator: Any) -> int:
    """`min_samples`, or what it is if it is None."""
    if estimator.min_samples is not None:
        return int(estimator.min_samples)
    return AUTO_SAMPLES if estimator.min_cluster_size == "auto" else int(estimator.min_cluster_size)


def options_of(estimator: Any) -> Options:
    """The parameters that clusters are selected by.

    Raises
    ------
    ValueError
        `store_centers` together with distances, of which there are no centres.
    """
    if estimator.metric == "precomputed" and estimator.store_centers is not None:
        raise ValueError("Cannot store centers when using a precomputed distance matrix.")
    most, auto = estimator.max_cluster_size, estimator.min_cluster_size == "auto"
    return Options(
        min_cluster_size=least_size(samples_of(estimator)) if auto else int(estimator.min_cluster_size),
        method="leaf" if auto else estimator.cluster_selection_method,
        epsilon=float(estimator.cluster_selection_epsilon),
        persistence=float(estimator.cluster_selection_persistence),
        max_cluster_size=None if most is None else int(most),
        allow_single_cluster=bool(estimator.allow_single_cluster),
        epsilon_max=float(estimator.cluster_selection_epsilon_max),
        auto=auto,
        unsplit_root=estimator._conventions.unsplit_root,
        constraint_weight=float(estimator.constraint_weight),
    )
