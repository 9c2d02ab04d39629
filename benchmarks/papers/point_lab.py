"""How the experiments on points measure: each set is opened once, contestants race, all total weights are compared."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from contestants import ours
from expected import verdict
from race import invited, on_device, race
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
]


class PointLab:
    """Holds one set at a time, so experiments on the same set should follow each other."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self._name = self.title = ""
        self._points: np.ndarray | None = None
        self._raced: dict[tuple[Any, ...], list[Record]] = {}
        self.problems: list[str] = []
        self._skipped: list[str] = []

    def points(self, name: str) -> np.ndarray | None:
        """The set NAME, NAME:N or TITLE=FILE on the host; None, with a line on standard error, if it is missing."""
        if self._name != name:
            self._name, self._points = name, None
            try:
                self.title, found = open_points(name, self.options)
            except (OSError, ValueError, ImportError) as error:
                self._skip(f"{name} is skipped: {error}")
            else:
                self._points = rounded(found, self.options.dtype)
        return self._points

    def _skip(self, sentence: str) -> None:
        if sentence not in self._skipped:
            self._skipped.append(sentence)
            print(sentence, file=sys.stderr)

    def race(
        self, name: str, peers: list[str], k: int = 1, n: int | None = None, threads: int | None = None
    ) -> list[Record]:
        """Records of emst, the first one, and of these peers, if they can take part. Peers always run on the CPU.

        `n` is the size of a sample. `threads` limits the threads of the CPU, and excludes the GPU.
        """
        key = (name, k, n, threads, *peers)
        if key not in self._raced:
            points = self.points(name)
            title, points = (self.title, points) if points is None else sampled(self.title, points, n)
            self._raced[key] = [] if points is None else self._race(title, points, k, threads, peers)
        return self._raced[key]

    def _race(self, title: str, points: np.ndarray, k: int, threads: int | None, peers: list[str]) -> list[Record]:
        options = self.options
        on_cpu = argparse.Namespace(**{**vars(options), "device": "cpu"})
        wanted = None if options.peers is None else [peer for peer in options.peers or PEERS if peer in peers]
        on_cpu.peers = wanted or None
        field = invited(title, len(points), k, peers, on_cpu)
        if options.device == "cpu" or threads:
            field = {"emst": ours("cpu")["emst"]} | field
        runs = {one: options.runs if one == "emst" else options.peer_runs for one in field}
        with limited(threads) as count:
            records = race(title, points, k, field, runs, on_cpu) if field else []
        records = [record | {"threads": 1 if record["contestant"] == "mlpack" else count} for record in records]
        if options.device == "cuda" and not threads:
            gpu = {"emst": ours("cuda")["emst"]}
            found = race(title, on_device("cuda", points), k, gpu, {"emst": options.runs}, options)
            records = [record | {"threads": "GPU"} for record in found] + records
        for record in records:
            self._check(record, records[0])
        return records

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
