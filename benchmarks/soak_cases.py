"""What all kinds of `soak.py` share: a case, and the comparison of its results with those of the references."""

from __future__ import annotations

import contextlib
import importlib
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import numpy as np
import reference

from emst.inputs.devices import to_host

NEAR = {"centroids", "memberships"}  # sums and exponentials, which NumPy and CuPy round differently
NOT_ACROSS = {"medoids"}  # of medoids whose sums of distances differ by rounding alone, each device takes one
CLOSE = 1e-9
LENGTHS = {"weights", "core distances"}
CLOSE_LENGTHS = {4: 1e-3, 8: 1e-7}  # by the bytes of a number: arcs of half a circle keep half of the digits
MANY = {  # constants that send few points the ways of many: on the CPU products in the place of walks
    "cpu": {
        "points.engine.LEAST_POINTS": 2,
        "points.engine.LISTING": 0.0,
        "points.engine.PASSES": -1e9,
        "points.engine.EXACT": 0.0,
        "points.search.LEAST_SEARCHED": 1,
    },
    "cuda": dict.fromkeys(
        (
            "points.bvh.FEW_POINTS",
            "runtime.sort.FEW",
            "hierarchy.chains.FEW",
            "hierarchy.condensed.FEW",
            "hierarchy.selection.FEW",
        ),
        0,
    ),
}
# Constants that send few points the ways of very many. A case draws each of them by itself, so that all combinations
# occur.
MANY_MORE = {
    "cpu": {
        "points.small.FEW": 0,
        "points.order.FEW": 0,
        "points.result.FEW": 0,
        "points.cached.LIST_FROM": 8,
        "points.products.BLOCK": 1,
        "hierarchy.condensed.FEW": 0,
        "hierarchy.linkage.THREADS": 0,
        "hierarchy.linkage.MANY": 0,
        "hierarchy.rounds.GRAIN": 64,
        "hierarchy.chains.GRAIN": 64,
        "partitions.gathered.GRAIN": 64,
        "runtime.compact.FEW": 2,
        "runtime.gather.FEW": 2,
    },
    "cuda": {
        "points.rounds.ALL_UP_TO": 0,
        "points.rounds.MOST_POINTS": 0,
        "points.rounds.SHARE": 4,
        "points.rounds.SLACK_UP_TO": 0,
        "points.search.SLACK_UP_TO": 0,
        "points.search.BLOCKS_AN_SM": 1,
        "points.result.EARLY_UP_TO": 0,
        "points.order.EARLY_UP_TO": 0,
        "points.engine.LEAST_LOOKED": 64,
        "points.engine.LEAST_MULTIPLIED": 64,
        "points.products.MOST_TILES": 0,
        "runtime.sort.SORT_RESIDENT": 0,
        "runtime.gather.FAR": 0,
        "hierarchy.linkage.KEY_BITS": 0,
        "hierarchy.selection.SELECTED_AT_ONCE": 0,
    },
}


class Case:
    """One random call, which `what` describes.

    `fault` is a regular expression of the error that it must raise, None if it must raise none. Where `exact` is false,
    devices round differently: only lengths are compared between them, with a tolerance. Of the results `unsettled`
    several are right, so devices need not agree.
    """

    what: str
    fault: str | None = None
    exact: bool = True
    unsettled: frozenset[str] = frozenset()
    many: bool = False  # few points take the ways of many
    many_more: frozenset[str] = frozenset()  # the names in `MANY_MORE` that this case sets
    staged: bool = True  # the stages run on the reference as well

    @property
    def expected(self) -> str | None:
        """`fault`, and that of what every kind refuses."""
        return self.fault

    def fit(self, device: str) -> Any:
        raise NotImplementedError

    def results(self, fitted: Any) -> dict[str, Any]:
        """Everything that can be compared, by name."""
        raise NotImplementedError

    def by_definition(self, fitted: Any) -> Iterator[tuple[str, bool]]:
        """Names of what the references compute without the stages of emst, and whether they agree."""
        yield from ()


def differences(case: Case, devices: list[str]) -> list[str]:
    """A line for everything that differs between the CPU, the references and the other devices."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, found = _attempt(case, "cpu")
        if case.staged:
            with stages_of_the_reference():
                theirs, _ = _results(case, "cpu")
            found += [f"{name}: differs from the reference's stages" for name in _differing(ours, theirs, _never)]
        for device in devices:
            there, more = _attempt(case, device)
            alike = _of_two_devices if case.exact else _of_two_roundings
            differing = [name for name in _differing(ours, there, alike) if _plain(name) not in case.unsettled]
            found += more + [f"{name}: differs on {device}" for name in differing]
    return found


@contextlib.contextmanager
def stages_of_the_reference() -> Iterator[None]:
    """Calls of emst on the CPU run on the slow operations of `reference`."""
    ours = importlib.import_module("emst.cpu")
    with mock.patch.object(reference, "name", "cpu"):
        sys.modules["emst.cpu"] = reference
        try:
            yield
        finally:
            sys.modules["emst.cpu"] = ours


@contextlib.contextmanager
def ways_of_many(device: str, more: frozenset[str]) -> Iterator[None]:
    """Few points take the ways of many."""
    drawn = {name: value for name, value in MANY_MORE[device].items() if name in more}
    with contextlib.ExitStack() as stack:
        for name, value in (MANY[device] | drawn).items():
            stack.enter_context(mock.patch(f"emst.{device}.{name}", value))
        yield


def _attempt(case: Case, device: str) -> tuple[dict[str, Any], list[str]]:
    """The results on a device, or the error; and what differs from the definition, or from the error that must be."""
    with ways_of_many(device, case.many_more) if case.many else contextlib.nullcontext():
        return _results(case, device, lambda fitted: [name for name, same in case.by_definition(fitted) if not same])


def _results(
    case: Case, device: str, wrong: Callable[[Any], list[str]] = lambda fitted: []
) -> tuple[dict[str, Any], list[str]]:
    try:
        fitted = case.fit(device)
        results = case.results(fitted)
        if case.expected is not None:
            return results, [f"no error on {device}, but one with {case.expected!r} must be raised"]
        return results, [f"{name}: differs from the definition on {device}" for name in wrong(fitted)]
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        if isinstance(error, ValueError) and case.expected is not None and re.search(case.expected, str(error)):
            return {"error": message}, []
        return {"error": message}, [f"raised on {device}: {traceback.format_exc()}"]


def _differing(ours: dict[str, Any], theirs: dict[str, Any], alike: Callable[[str, Any, Any], bool]) -> list[str]:
    """Names of the results that differ."""
    if ours.keys() != theirs.keys():
        return sorted(ours.keys() ^ theirs.keys())
    return [name for name in ours if not same(ours[name], theirs[name]) and not alike(name, ours[name], theirs[name])]


def _plain(name: str) -> str:
    """The name of a result, whether clusters were selected once or again."""
    return name.removesuffix(" again")


def _never(name: str, a: Any, b: Any) -> bool:
    return False


def _of_two_devices(name: str, a: Any, b: Any) -> bool:
    """Whether results that differ may do so, where devices give the same bits otherwise."""
    name = _plain(name)
    return name in NOT_ACROSS or (name in NEAR and near(a, b, CLOSE))


def _of_two_roundings(name: str, a: Any, b: Any) -> bool:
    """Whether results may differ where the devices round lengths differently."""
    return near(a, b, CLOSE_LENGTHS[a.dtype.itemsize], 1.0) if name in LENGTHS else name != "error"


def near(a: np.ndarray, b: np.ndarray, close: float, least: float = 0.0) -> bool:
    """Whether results differ by rounding alone, measured by the greatest of them, or by `least` if they are less: 1 is
    the length of a direction, whose roundings make all lengths between equal directions."""
    greatest = abs(b[np.isfinite(b)]).max(initial=least)
    return a.shape == b.shape and np.allclose(a, b, rtol=close, atol=close * greatest, equal_nan=True)


def same(a: Any, b: Any) -> bool:
    """Whether two results are equal to the last bit; NaN equals NaN."""
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if not isinstance(a, np.ndarray):
        return a == b or (a != a and b != b)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.names:
        return all(same(a[name], b[name]) for name in a.dtype.names)
    return np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


def at_home(**arrays: Any) -> dict[str, Any]:
    """Results in numpy arrays, names with spaces."""
    return {name.replace("_", " "): value if value is None else to_host(value) for name, value in arrays.items()}
