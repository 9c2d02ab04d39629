"""How the experiments measure: each graph is opened once, runs are timed, and all forests of a graph are compared."""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from typing import Any

from expected import FORESTS
from graph_contestants import checksum_of, figures_of, ours
from graph_sets import TINY, Graph, Missing, check_graph
from stages import synchronize

ALGORITHMS = ["boruvka", "contraction", "primitives", "partial-prim", "hybrid"]


class Lab:
    """Holds one graph on the device at a time, so experiments on the same graph should follow each other."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self._graph: Graph | None = None
        self._given: Any = None
        self._found: dict[str, dict[str, Any]] = {}  # of every graph the figures of its first forest
        self._warm: set[str] = set()
        self.problems: list[str] = []

    def graph(self, name: str) -> Graph | None:
        """The graph of this name; None, with a message on standard error, if its file is missing."""
        if self._graph is None or self._graph.name != name:
            self._graph = self._given = None
            try:
                self._graph = check_graph(name, self.options.scratch, self.options.data)
            except Missing as missing:
                print(missing, file=sys.stderr)
                return None
            self._given = (self._graph.on(self.options.device),)
        return self._graph

    def milliseconds(self, name: str, **options: Any) -> float | None:
        """Median time of `graph_msf` on this graph; None, and a line in `problems`, if a run fails.

        A run fails, too, if its forest differs from the first one of this graph, or has not the known weight. The first
        run is not counted, unless it took ten times the budget: then it is the only one.
        """
        if self.graph(name) is None:
            return None
        try:
            return 1000 * self._seconds(name, options)
        except Exception as error:  # the other cells of the table are still useful
            self._trouble(name, options, error)
            return None

    def _seconds(self, name: str, options: dict[str, Any]) -> float:
        solver = ours(self.options.device, **options)
        self._compile(solver, str(sorted(options.items(), key=str)))
        seconds: list[float] = []
        while self._again(seconds):
            synchronize(self.options.device)
            start = time.perf_counter()
            forest = solver.solve(self._given)
            synchronize(self.options.device)
            seconds.append(time.perf_counter() - start)
            if len(seconds) == 1:
                self._compare(name, figures_of(forest) | {"checksum": checksum_of(forest)})
            del forest
        return statistics.median(seconds[1:] or seconds)  # the first one compiles, fills pools and caches

    def components(self, name: str, **options: Any) -> list[int]:
        """Number of components at the start (the vertices) and after every round."""
        graph = self.graph(name)
        if graph is None:
            return []
        left = [graph.n]
        try:
            ours(self.options.device, report=lambda _, count: left.append(int(count)), **options).solve(self._given)
        except Exception as error:
            self._trouble(name, options, error)
            return []
        return left

    def total(self, name: str) -> int | None:
        """Total weight of the forests found on this graph."""
        return self._found.get(name, {}).get("total")

    def _again(self, seconds: list[float]) -> bool:
        if len(seconds) < 2:
            return not seconds or seconds[0] < 10 * self.options.budget
        return len(seconds) <= self.options.runs and sum(seconds[1:]) < self.options.budget

    def _compile(self, solver: Any, key: str) -> None:
        if key not in self._warm:
            solver.solve(solver.prepare(check_graph(TINY, self.options.scratch, None)))
            self._warm.add(key)

    def _compare(self, name: str, figures: dict[str, Any]) -> None:
        first = self._found.setdefault(name, figures)
        if figures != first:
            raise AssertionError(f"found {figures}, before it was {first}")
        if figures["total"] != FORESTS.get(name, figures["total"]):
            raise AssertionError(f"weight {figures['total']} is not {FORESTS[name]}")

    def _trouble(self, name: str, options: dict[str, Any], error: Exception) -> None:
        self.problems.append(f"{name}, {options}: {type(error).__name__}: {error}".splitlines()[0])
        print(self.problems[-1], file=sys.stderr)
