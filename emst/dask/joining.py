"""The third task of a round: one worker takes the lightest edge of every component, and contracts these edges."""

from __future__ import annotations

import numpy as np

from emst.backend.operations import Backend
from emst.dask.answering import Answer
from emst.dask.certain import OpenEdges
from emst.dask.components import RoundCosts, Rounds, Samples, chosen, columns_of, lightest_edges, with_bounds


def join(ops: Backend, state: Rounds, answers: list[Answer]) -> Rounds:
    """Contract the lightest edges of all components of which all points have asked."""
    labels = state.labels
    if labels.count == 1:
        return state
    found = [OpenEdges(*map(ops.asarray, columns_of(given.edges))) for given in answers]
    columns = zip(*(columns_of(edges) for edges in [state.edges, *found]))
    edges = OpenEdges(*(np.concatenate(column) for column in columns))
    label, count = labels.label, labels.count
    lightest = lightest_edges(ops, edges, label, count)
    a, b = label[edges.a[lightest]], label[edges.b[lightest]]
    own = ops.xp.arange(count, dtype=np.int32)
    parent = ops.xp.where(a == own, b, a)
    partly = ops.xp.zeros(count, bool)
    for given in answers:
        partly[ops.asarray(given.partly)] = True
    waits = partly | (labels.weight < 0)
    parent[waits] = own[waits]
    u, v = edges.u[lightest], edges.v[lightest]
    mutual = (u[parent] == u) & (v[parent] == v) & (own < parent) & ~waits[parent]
    parent[mutual] = own[mutual]
    hooked = np.flatnonzero(parent != own)
    taken = chosen(edges, lightest[hooked])
    while bool((parent[parent] != parent).any()):
        parent = parent[parent]
    root = parent == own
    number = (np.cumsum(root) - 1).astype(np.int32)
    new = number[parent]
    left = int(root.sum())
    boxes = np.concatenate([ops.asarray(given.boxes) for given in answers])
    boxes = np.where(boxes < 0, boxes, new[np.maximum(boxes, 0)])
    label = new[label]
    size = np.bincount(new, weights=state.size, minlength=left).astype(np.int64)
    some = np.flatnonzero(partly)
    samples = Samples(ops.xp.zeros(left, np.int8), ops.xp.zeros(left))
    samples.tries[new[some]] = labels.tries[some] + np.int8(1)
    samples.weight[new[some]] = edges.weight[lightest[some]]
    edges = chosen(edges, np.flatnonzero(label[edges.a] != label[edges.b]))
    joined = OpenEdges(*map(np.concatenate, zip(columns_of(state.joined), columns_of(taken))))
    costs = RoundCosts(left, sum(given.asked for given in answers), sum(given.bytes for given in answers))
    return with_bounds(ops, label, left, boxes, labels.bases, edges, joined, size, samples, [*state.costs, costs])
