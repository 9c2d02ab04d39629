"""Borůvka's loop: find the lightest edge leaving each component, contract these edges, repeat.

A round finds that edge for every component at once and contracts the edges found. Under a strict total order on edges
the only cycles a round can make are mutual pairs. So contraction needs no compare-and-swap: the parent of a component
is the component at the other end of its edge, and of a mutual pair the smaller one stays the root.

What is shared. Trees of points, trees of rows of distances, the local trees of partitions and the graph algorithm
"hybrid" run this loop: each has its own closure `lightest`, and the backend's `merge` contracts. The rounds between
partitions are tasks of an engine (`emst/partitions/rounds.py`), and the graph algorithms "contraction", "primitives"
and "partial-prim" rebuild the graph after every round. So these have loops of their own, but call the same `merge`. The
default graph algorithm fuses its rounds: on the GPU into one launch, on the CPU into passes over a list of edges. It
does not call `merge`, but includes the same rule, which each backend has once: in `emst/cuda/contract.cuh` and in
`emst/cpu/contract.py`.

If `lightest` does not follow one total order, its edges may close a longer cycle. Then fewer components disappear in a
round than have hooked onto another, and `merge` raises. So the stages that follow, which would search for the root of a
cycle forever, are only given forests.

References
----------
O. Borůvka, "O jistém problému minimálním" (1926); A. Prokopenko, P. Sao, D. Lebrun-Grandié, "A single-tree
algorithm to compute the Euclidean minimum spanning tree on GPUs" (ICPP'22), section 3.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import NO_FOREST, Array, Forest, Report, Taken


def singletons(n: int, dtype: Any, ops: Backend) -> Forest:
    """A forest without edges: every vertex is a component of its own."""
    xp = ops.xp
    return Forest(
        labels=xp.arange(n, dtype=np.int32),
        components=xp.arange(n, dtype=np.int32),
        best=xp.full(n, np.inf, dtype),
        edge_u=xp.full(n, -1, np.int32),
        edge_v=xp.full(n, -1, np.int32),
        source=xp.full(n, -1, np.int32),
        target=xp.full(n, -1, np.int32),
        weight=xp.zeros(n, dtype),
    )


def spanning_forest(
    forest: Forest,
    lightest: Callable[[Forest], None],
    ops: Backend,
    report: Report | None = None,
    prepare: Callable[[Forest], None] | None = None,
    hold_back: Callable[[Forest], bool] | None = None,
    rest: Callable[[Forest], Taken | None] | None = None,
) -> int:
    """Contract the lightest outgoing edges of all components until none is left.

    Parameters
    ----------
    forest : Forest
        Where to start; holds the result afterwards.
    lightest : callable
        ``lightest(forest)`` sets `best`, `edge_u` and `edge_v` of every component.
    ops : Backend
        The backend whose `merge` contracts the edges.
    prepare : callable, optional
        ``prepare(forest)`` is called after every contraction. It begins with `begin_round` of the backend, which brings
        the labels up to date, and computes what the next round needs from them. It does not depend on the number of
        components left, so a device can start it before that number reaches the host. It is not called before the first
        round: call it yourself, as `join_duplicates` can.
    hold_back : callable, optional
        ``hold_back(forest)`` is called after every `lightest`. It takes the edges, `edge_u` and `edge_v`, from the
        components that must not hook in this round; other components may hook onto them. If none would hook then, it
        leaves all edges and returns False: it is not called again, and the rounds go on without it. Otherwise True.
    rest : callable, optional
        ``rest(forest)`` is called before every `lightest`. It takes all rounds that are left and returns their `Taken`,
        or it leaves the forest as it is and returns None.
    report : callable, optional
        Called as ``report(round, components_left)`` after every round.

    Returns
    -------
    int
        Number of rounds, without those that `rest` takes. At most log2(n), and one more if some components are never
        joined: every component with an outgoing edge merges in every round. Rounds in which edges are held back come in
        addition. So does one round, at most, if the first leaves runs of equal points alone (`join_duplicates`).

    Raises
    ------
    RuntimeError
        The edges are no spanning forest: `lightest` did not keep to one strict total order.
    """
    rounds, most = 0, forest.count.bit_length()
    while forest.count > 1:
        before = forest.count
        taken = None if rest is None else rest(forest)
        if taken is not None:
            if report is not None:
                for number, left in enumerate(taken(), rounds + 1):
                    report(number, left)
            break
        lightest(forest)
        if hold_back is not None:
            most = rounds + before.bit_length()
            if not hold_back(forest):
                hold_back = None
        left = ops.merge(forest, prepare)
        rounds += 1
        if report is not None:
            report(rounds, left)
        if left == before:  # no component has an edge leaving it: a forest
            break
        if rounds > most:
            raise RuntimeError(
                f"{left:,} components are left after {rounds} rounds; {most} rounds join all; {NO_FOREST}"
            )
    return rounds


def bridged(edges: Array, weights: Array, labels: Array, height: float = math.inf) -> tuple[Array, Array]:
    """The forest's edges, and those of weight `height` from vertex 0 to the least vertex of every other component."""
    least = np.sort(np.unique(labels, return_index=True)[1])[1:].astype(np.int32)
    bridges = np.stack([np.zeros_like(least), least], axis=1)
    heights = np.full_like(weights, height, shape=(len(least),))
    return np.concatenate([edges, bridges]), np.concatenate([weights, heights])
