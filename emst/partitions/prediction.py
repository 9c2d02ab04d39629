"""Labels and probabilities of new points (queries) in a clustering over partitions, which they do not change.

The results are those of `emst.hdbscan.prediction`, bit for bit. Queries travel to the partition where their search
begins, and from there ask others in two waves (`queries.py`). Queries that are too large for the scale of the points
search among points at a lower scale, whose core distances are found anew, as on one device.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from emst.backend.operations import Backend
from emst.inputs.finite import FiniteRows
from emst.partitions import hierarchy, queries
from emst.partitions.certain import answered, asked_borders, with_answers
from emst.partitions.chunks import (
    Chunks,
    Zeros,
    check_places,
    finite_chunks,
    images_of,
    namer,
    scatter_rows,
    spread,
)
from emst.partitions.engine import Future, part, routed, wait
from emst.partitions.model import Model
from emst.partitions.outline import published


def all_results(model: Model) -> tuple[list[Future], list[Future], np.ndarray]:
    """The results of a model, in which rows of weight 0 have what new points get, when they are complete."""
    labels, probabilities, persistence = model.results()
    if model.weightless is None or model.rows is None:
        return labels, probabilities, persistence
    engine, of_new = model.engine, predictions(model, model.weightless, model.weightless, None)
    labels, probabilities = (
        [engine.submit(_with_weightless, *each) for each in zip(values, model.rows, new)]
        for values, new in zip((labels, probabilities), of_new)
    )
    wait([*labels, *probabilities], engine)
    return labels, probabilities, persistence


def _with_weightless(ops: Backend, values: np.ndarray, rows: FiniteRows, of_new: np.ndarray) -> np.ndarray:
    """Task: values of all rows of a chunk, with those of the rows of weight 0."""
    values = values.copy()
    values[rows.weightless] = of_new
    return values


def predicted(model: Model, given: Chunks) -> tuple[list[Future], list[Future]]:
    """Labels int64 and probabilities float64 of new points in the chunks of `given`, when they are complete."""
    engine = model.engine
    chunks, rows = finite_chunks(given, engine)
    labels, probabilities = predictions(model, given, chunks, rows)
    labels = spread(labels, rows, -2, -3, engine)
    probabilities = spread(probabilities, rows, 0, np.nan, engine)
    wait([*labels, *probabilities], engine)
    return labels, probabilities


def predictions(
    model: Model, given: Chunks, chunks: Chunks, rows: list[Future] | None
) -> tuple[list[Future], list[Future]]:
    """Labels and probabilities in `chunks`, which hold the finite rows of `given`; `rows` says which these are."""
    engine = model.engine
    results = _results(model, given, chunks, rows)
    by_row = [[engine.submit(part, one, i, at=j) for j, one in enumerate(results)] for i in range(3)]
    labels, probabilities = (scatter_rows(engine, values, by_row[2], chunks) for values in by_row[:2])
    return labels, probabilities


def _results(model: Model, given: Chunks, chunks: Chunks, rows: list[Future] | None) -> list[Future]:
    """Futures of `queries.Results`; together they hold all rows that are finite."""
    engine, tree = model.engine, model.fitted.tree
    search, metric = tree.search, model.fitted.units.metric
    images = images_of(chunks, metric, model.fitted.units.dtype, engine)
    excesses = engine.gather([engine.submit(queries.excesses, image, search) for image in images])
    where = namer(given, rows, engine)
    for i, excess in enumerate(excesses):
        if isinstance(excess, Zeros):
            place = where(i, excess.first)
            raise ValueError(f"metric={metric.name!r} is not defined for {place} of X, which is all zeros")
    check_places(excesses, metric, where)
    numbers = range(len(tree.locals))
    values = [engine.submit(hierarchy.leaving_of_partition, model.flat, model.hierarchy, j, at=0) for j in numbers]
    leaving = [engine.submit(queries.leaving_of_points, model.contracted[j], values[j], at=j) for j in numbers]
    clusters = engine.submit(hierarchy.tree_on_host, model.flat, at=0)
    results = []
    for excess in sorted({0}.union(*excesses)):
        results += _results_of(model, chunks, images, excess, leaving, clusters)
    return results


def _results_of(
    model: Model,
    chunks: Chunks,
    images: list[Future],
    excess: int,
    leaving: list[Future],
    clusters: Future,
) -> list[Future]:
    """Results of the queries of one excess, of every partition."""
    engine, tree, places = model.engine, model.fitted.tree, model.fitted.tree.places
    search = tree.search
    numbers = range(len(places))
    sent = [
        engine.submit(queries.sent, image, int(first), excess, tree.homes, search)
        for image, first in zip(images, chunks.offsets)
    ]
    parts, outline = _partitions(model, excess)
    arrived = routed(sent, len(parts), engine, by_partitions=False)
    home = [engine.submit(queries.received, parts[j], outline[j], j, excess, search, arrived[j], at=j) for j in numbers]
    answers: list[list[Any]] = [[] for _ in numbers]
    if search.k > 1:
        answers = answered(parts, home, search.amount(search.k - 1), engine)
    nearest = [
        engine.submit(queries.nearest, parts[j], places[j], leaving[j], outline[j], home[j], search, answers[j], at=j)
        for j in numbers
    ]
    asked = routed(nearest, len(parts), engine)
    firsts = [engine.submit(queries.firsts, parts[j], places[j], leaving[j], asked[j], at=j) for j in numbers]
    others = routed(firsts, len(parts), engine)
    rest = (clusters, model.options.epsilon, model.fitted.units)
    return [engine.submit(queries.labelled, j, home[j], nearest[j], others[j], *rest, at=j) for j in numbers]


def _partitions(model: Model, excess: int) -> tuple[list[Future], list[Future]]:
    """The partitions at the scale for queries of this excess, with core distances as weights take them; and the outline
    of all."""
    engine, tree, search = model.engine, model.fitted.tree, model.fitted.tree.search
    if excess == 0:
        return [engine.submit(part, local, "partition", at=j) for j, local in enumerate(tree.locals)], tree.outline
    parts = [engine.submit(queries.rescaled, local, excess, search, at=j) for j, local in enumerate(tree.locals)]
    outline, _ = published(parts, engine)
    if search.k == 1:
        return parts, outline
    borders, answers = asked_borders(parts, outline, search, engine)
    bounded = [
        engine.submit(with_answers, lower, borders[j], j, search, answers[j], at=j) for j, lower in enumerate(parts)
    ]
    return [engine.submit(part, one, "partition", at=j) for j, one in enumerate(bounded)], outline
