"""Random labels and constraints of random points, for `soak.py`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np
from constraints_reference import (
    allowed_of,
    best_selection,
    exact_sum,
    gains,
    number_of_selections,
    pairs_of,
    satisfied,
)
from definition_sets import KINDS, points_of, random_options
from soak_cases import Case
from soak_points import attributes, parameters

from emst import HDBSCANGPU
from emst.backend.records import Condensed
from emst.inputs.devices import to_host

FEW_SELECTIONS = 1_000
MOST_POINTS = 150  # whose labels are counted pair by pair


class Constraints(Case):
    """Clusters of a tree in the plane that are selected by labels and pairs, which contradict one another at times."""

    def __init__(self, g: np.random.Generator) -> None:
        n = int(g.integers(2, MOST_POINTS if g.random() < 0.3 else 30))
        kind = str(g.choice(KINDS))
        self.x = points_of(kind, n, 2, g).astype(g.choice([np.float32, np.float64]))
        self.options = random_options(self.x, g) | {"method": "eom", "epsilon": 0.0}
        self.options["min_cluster_size"] = int(g.integers(2, 7))
        self.options.pop("epsilon_max", None)
        if g.random() < 0.1:
            self.x[g.random(len(self.x)) < 0.1] = np.nan
        self.finite = np.isfinite(self.x).all(axis=1)
        rows, n = np.flatnonzero(self.finite), len(self.x)
        self.k = max(min(int(g.integers(1, 5)), len(rows)), 1)
        kinds = int(g.integers(1, 6))
        chosen = self.finite & (g.random(n) < g.choice([0.0, 0.1, 0.5, 1.0]))
        self.y = np.where(chosen, g.integers(0, kinds, n), -1)
        count = int(g.integers(0, 12)) if len(rows) else 0
        self.must, self.cannot = (rows[g.integers(0, max(len(rows), 1), (count, 2))] for _ in range(2))
        self.cannot = self.cannot[self.cannot[:, 0] != self.cannot[:, 1]]
        self.weight = 1.0 if g.random() < 0.7 else float(g.choice([0.0, 0.2, 0.5, 0.99]))
        self.what = f"{n} points ({kind}), k {self.k}, {self.options}, {int(chosen.sum())} labels of {kinds} kinds, "
        self.what += f"{2 * count} pairs, weight {self.weight}"

    def fit(self, device: str) -> HDBSCANGPU:
        return HDBSCANGPU(device=device, min_samples=self.k).fit(self.x)

    def constrained(self, fitted: HDBSCANGPU) -> HDBSCANGPU:
        return fitted.recluster(
            y=self.y,
            must_link=self.must,
            cannot_link=self.cannot,
            constraint_weight=self.weight,
            **parameters(self.options),
        )

    def results(self, fitted: HDBSCANGPU) -> dict[str, Any]:
        other = self.constrained(fitted)
        return attributes(other) | {"constraints": np.array(getattr(other, "constraints_", (0, 0, 0)))}

    def by_definition(self, fitted: HDBSCANGPU) -> Iterator[tuple[str, bool]]:
        other = self.constrained(fitted)
        model = other._model
        if model.flat is None or model.constraints is None:
            return
        rows = np.cumsum(self.finite) - 1
        known = self.y[self.finite].tolist()
        pairs = pairs_of(known, rows[self.must].tolist(), rows[self.cannot].tolist())
        count = satisfied(to_host(model.flat.labels).tolist(), pairs)
        yield "number of constraints", other.constraints_ == (count, len(pairs) - count, len(pairs))
        condensed = _at_home(model.flat.condensed)
        most = model.options.max_cluster_size
        allowed = allowed_of(condensed, len(known) if most is None else most, model.options.allow_single_cluster)
        if self.weight < 1 or number_of_selections(condensed, allowed.__getitem__) > FEW_SELECTIONS:
            return
        gain = gains(condensed, pairs)

        def worth(clusters: Any) -> tuple[int, Any]:
            stability = exact_sum(condensed.stability[list(clusters)].tolist())
            return sum(gain[c] for c in clusters), stability

        found, best = (
            worth(clusters)
            for clusters in (
                to_host(model.flat.selection.chosen).tolist(),
                best_selection(condensed, worth, allowed.__getitem__),
            )
        )
        yield "satisfied constraints", found[0] == best[0]
        yield "stability", found[1] == best[1] or bool(found[1] >= best[1] * (1 - 1e-12))  # sums are rounded


def _at_home(condensed: Condensed) -> Condensed:
    """The condensed tree on the host."""
    values = {field.name: getattr(condensed, field.name) for field in fields(condensed)}
    linkage = values["linkage"]
    host = {name: to_host(value) for name, value in values.items() if hasattr(value, "dtype")}
    heights = type(linkage)(*(to_host(array) for array in (linkage.child, linkage.size, linkage.height)))
    return Condensed(**(values | host | {"linkage": heights}))
