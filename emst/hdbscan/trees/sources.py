"""What the table of a condensed tree is made from: the records of the hierarchy, on either backend or on the host."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, TypeVar

import numpy as np

from emst.backend.records import Condensed, Linkage, Selection
from emst.hierarchy.density import density
from emst.inputs.devices import on_device_of, to_host
from emst.inputs.weights import Weights

Record = TypeVar("Record", Condensed, Selection)
# Sizes are integers, or weights that are not.
ROW = np.dtype([("parent", "i8"), ("child", "i8"), ("lambda_val", "f8"), ("child_size", "i8")])
FRACTIONS = np.dtype([*((name, ROW[name]) for name in ("parent", "child", "lambda_val")), ("child_size", "f8")])


def table_of(condensed: Condensed, kept: np.ndarray, n: int, weights: Weights | None = None) -> np.ndarray:
    """The table of n rows of data, of which the rows `kept` are points of the hierarchy, of these weights."""
    whole = weights is None or weights.whole
    with on_device_of(condensed.cluster):
        cluster, height = map(to_host, condensed.leaving())
    clusters, end = condensed.count - 1, condensed.count - 1 + len(kept)
    rows = np.zeros(clusters + n, ROW if whole else FRACTIONS)
    rows["parent"][:clusters] = n + to_host(condensed.parent)[1:]
    rows["child"][:clusters] = n + 1 + np.arange(clusters)
    rows["lambda_val"][:clusters] = to_host(condensed.birth)[1:]
    size = to_host(condensed.size)[1:]
    rows["child_size"][:clusters] = size if weights is None else weights.real(size)
    rows["parent"][clusters:end] = n + cluster
    rows["child"][clusters:end] = kept
    rows["lambda_val"][clusters:end] = density(height)
    rows["parent"][end:] = n
    rows["child"][end:] = np.delete(np.arange(n), kept)
    rows["child_size"][clusters:] = weights is None
    if weights is not None:
        rows["child_size"][clusters:end] = to_host(weights.real(weights.units))
    return rows[np.lexsort((rows["child"], rows["lambda_val"], rows["parent"]))]


def on_host(record: Record) -> Record:
    """A record with its arrays on the host, without what a backend keeps in it for itself."""
    moved: dict[str, Any] = {}
    for field in fields(record):
        value = getattr(record, field.name)
        if isinstance(value, Linkage):
            moved[field.name] = replace(
                value, child=to_host(value.child), size=to_host(value.size), height=to_host(value.height), scratch=None
            )
        elif not isinstance(value, int):
            moved[field.name] = to_host(value)
    return replace(record, **moved)
