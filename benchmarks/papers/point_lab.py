"""How the experiments on points measure: each set is opened once, contestants race, all total weights are compared."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import sys
from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import contestants
import numpy as np
from contestants import Contestant
from expected import verdict
from race import invited, on_device, shuffled
from report import CLUSTERINGS, RACE, TREES, Record

from datasets import load
from datasets.registry import find

from .table import Table

PARALLEL = ["quitefastmst"]
PEERS = [*PARALLEL, "mlpack"]
SEED = 20220829  # of all samples
SAMPLED = ", sampled"
ROUNDINGS = 64  # total weights agree if they differ by at most so many units of relative rounding

NAMED = dict([*CLUSTERINGS, *TREES])
COLUMNS = [
    *RACE,
    ("best ms", NAMED["best ms"]),
    ("threads", lambda record: record["threads"]),
    ("MFeatures/s", NAMED["MFeatures/s"]),
    ("total weight", NAMED["total weight"]),
    ("edges", NAMED["edges"]),
]


class Case(NamedTuple):
    """Points, on their device, and k."""

    title: str
    points: Any
    k: int

    def facts(self) -> Record:
        """The columns that describe a case."""
        n, d = self.points.shape
        return {"set": self.title, "n": n, "d": d, "dtype": str(self.points.dtype), "k": self.k}


class PointLab:
    """Holds one set at a time, so experiments on the same set should follow each other."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self._name = self.title = ""
        self._points: np.ndarray | None = None
        self._raced: dict[tuple[Any, ...], list[list[Record]]] = {}
        self.problems: list[str] = []
        self._missing: set[str] = set()

    def points(self, name: str) -> np.ndarray | None:
        """The set NAME, NAME:N or TITLE=FILE on the host; None, with a line on standard error, if it is missing."""
        if name in self._missing:
            return None
        if self._name != name:
            self._name, self._points = name, None
            try:
                self.title, found = open_points(name, self.options)
            except (OSError, ValueError, ImportError) as error:
                self._missing.add(name)
                print(f"{name} is skipped: {error}", file=sys.stderr)
            else:
                self._points = rounded(found, self.options.dtype)
        return self._points

    def case(self, name: str, k: int = 1, n: int | None = None) -> list[Case]:
        """This set, or a sample of n points of it, to be raced with this k; empty if the set is missing."""
        points = self.points(name)
        return [] if points is None else [Case(*sampled(self.title, points, n), k)]

    def race(self, cases: list[Case], peers: list[str], threads: int | None = None) -> list[list[Record]]:
        """For each case the records of emst, the first one, and of these peers, if they can take part.

        The runs of all cases are shuffled together. Peers always run on the CPU. `threads` limits the threads of the
        CPU, and excludes the GPU.
        """
        key = (*((case.title, len(case.points), case.k) for case in cases), threads, *peers)
        if key not in self._raced:
            self._raced[key] = self._race(cases, peers, threads)
        return self._raced[key]

    def _race(self, cases: list[Case], peers: list[str], threads: int | None) -> list[list[Record]]:
        options, gpu = self.options, self.options.device == "cuda" and not threads
        wanted = None if options.peers is None else [peer for peer in options.peers or PEERS if peer in peers]
        on_cpu = argparse.Namespace(**{**vars(options), "device": "cpu", "peers": wanted or None})
        fields = [invited(case.title, len(case.points), case.k, peers, on_cpu) for case in cases]
        if not gpu:
            fields = [ours("cpu") | field for field in fields]
        with limited(threads) as count:
            found = raced(cases, fields, on_cpu)
        for record in chain(*found):
            record["threads"] = 1 if record["contestant"] == "mlpack" else count
        if gpu:
            there = [case._replace(points=on_device("cuda", case.points)) for case in cases]
            first = raced(there, [ours("cuda")] * len(cases), options)
            found = [[one | {"threads": "GPU"}, *others] for (one,), others in zip(first, found)]
        for records in found:
            for record in records:
                self._check(record, records[0])
        return found

    def _check(self, record: Record, first: Record) -> None:
        """A tree that is not as light as the first one, or has not the known weight, is a problem."""
        allowed = ROUNDINGS * float(np.finfo(record["dtype"]).eps) * abs(first["total"])
        what = f"{record['set']}, k = {record['k']}, {record['contestant']}"
        if not abs(record["total"] - first["total"]) <= allowed:
            self._trouble(f"{what}: total weight {record['total']:.17g}, not {first['total']:.17g}")
        if record["dtype"] == "float32" and verdict(record["set"], record["k"], first["total"]).startswith("expected"):
            self._trouble(f"{what}: {verdict(record['set'], record['k'], first['total'])}")

    def _trouble(self, sentence: str) -> None:
        self.problems.append(sentence)
        print(sentence, file=sys.stderr)


def ours(device: str) -> dict[str, Contestant]:
    """The tree of this library."""
    return {"emst": contestants.ours(device)["emst"]}


def raced(cases: list[Case], fields: list[dict[str, Contestant]], options: argparse.Namespace) -> list[list[Record]]:
    """For each case a record of each contestant in its field; the runs of all are shuffled together."""
    calls = {}
    for number, (case, field) in enumerate(zip(cases, fields)):
        for name, one in field.items():  # compile, fill pools and caches
            one.build(case.points[: max(2000, case.k)] if options.device == "cpu" else case.points, case.k)
            calls[f"{name} {number}"] = partial(one.build, case.points, case.k), one.figures
    runs = {call: options.runs if call.startswith("emst ") else options.peer_runs for call in calls}
    found = shuffled(f"{cases[0].title}, k = {cases[0].k}", calls, runs, options)
    return [
        [case.facts() | {"contestant": name} | found[f"{name} {number}"] for name in field]
        for number, (case, field) in enumerate(zip(cases, fields))
    ]


def open_points(name: str, options: argparse.Namespace) -> tuple[str, np.ndarray]:
    """Title and points of NAME, NAME:N or TITLE=FILE.npy; of NAME without N, and of a file, at most --n points."""
    title, _, path = name.partition("=")
    if path:
        return sampled(title, np.load(path), options.n)
    title, _, own = name.partition(":")
    n, row = int(own) if own else options.n, find(title)
    if row.make is None:
        return sampled(title, load(title, options.data), n)
    return title if n in (None, row.n) else f"{title} {n}", row.make(n)


def rounded(points: np.ndarray, dtype: str) -> np.ndarray:
    """Points in this dtype; centred before float64 becomes float32, so that degrees and feet keep their digits."""
    if points.dtype == np.float64 and dtype == "float32":
        points = points - points.mean(axis=0)
    return np.ascontiguousarray(points, dtype)


def sampled(title: str, points: np.ndarray, n: int | None) -> tuple[str, np.ndarray]:
    """Title and points of a random sample of n points, or of the whole set; a smaller one is part of a larger one."""
    if n is None or n >= len(points):
        return title, points
    return f"{title.removesuffix(SAMPLED)}{SAMPLED}", points[np.random.default_rng(SEED).permutation(len(points))[:n]]


@contextlib.contextmanager
def limited(threads: int | None) -> Iterator[int]:
    """Limit emst and quitefastmst to so many threads, and give their number; mlpack's tree has one thread anyway."""
    import numba

    most = numba.get_num_threads()
    _limit(threads or most)
    try:
        yield threads or most
    finally:
        _limit(most)


def _limit(threads: int) -> None:
    import numba

    numba.set_num_threads(threads)
    if importlib.util.find_spec("quitefastmst"):
        from quitefastmst import omp_set_num_threads

        omp_set_num_threads(threads)


def table_of_records(name: str, title: str, note: str, records: list[Record]) -> Table:
    """One row for each contestant."""
    rows = [[cell(record) for _, cell in COLUMNS] for record in records]
    return Table(name, title, [head for head, _ in COLUMNS], rows, note)
