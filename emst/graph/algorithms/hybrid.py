"""Borůvka's algorithm on the CPU and the GPU at the same time: each finds the lightest edges of its part of the graph.

The edges are divided once: a fraction `offload` for the CPU, the others for the GPU. In every round both process their
own edges at the same time: they drop edges within a component and find the least key that leaves each component. The
CPU's least keys are copied to the GPU; the lesser of the two keys is the lightest edge of the component. The loop is
`emst.boruvka.spanning_forest`, and `merge` contracts, as for points. The ends of edges are numbers of components, not
roots. So labels and least keys, which are copied between CPU and GPU, are as long as the list of components and shrink
with it.

The lightest of all edges is the lightest of one of the two parts, so the result does not depend on the division.
On the CPU alone, two threads process the two parts; they call kernels that release the interpreter's lock.

This follows the paper's idea, not its layout of the work within a step. The limits on weights and vertices do not
apply: see `emst.graph.algorithms.edges`.

References
----------
C. Jain, M. Ejaz, D. Desai, "CPU-GPU hybrid approach for Borůvka's algorithm"; O. Borůvka (1926).
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from numbers import Real

import numpy as np

from emst.backend import backend_of
from emst.backend.operations import Backend
from emst.backend.records import Adjacency, Array, Forest, ForestEdges, Report
from emst.boruvka import singletons, spanning_forest
from emst.graph.algorithms.edges import NO_KEY, NUMBER, KeyedEdges, chosen_edges, edges_of
from emst.inputs.devices import to_host

OFFLOAD = 0.2
# Bytes beside the graph, as in `emst.graph.algorithms.boruvka`: edges before and after a round.
PER_EDGE, PER_VERTEX = {4: 100, 8: 110}, 88


def forest(graph: Adjacency, ops: Backend, *, offload: float = OFFLOAD, report: Report | None = None) -> ForestEdges:
    """The minimum spanning forest.

    Parameters
    ----------
    graph : Adjacency
        Of fewer than 2^30 edges.
    ops : Backend
        The backend that holds the graph and does all work but the CPU's part.
    offload : float
        Fraction of the edges that is given to the CPU, from 0 to 1.
    report : callable, optional
        Called as ``report(round, components_left)`` after every round. There are at most log2(n), and one more if the
        graph is not connected.

    Raises
    ------
    ValueError
        If `offload` is not such a fraction.
    """
    if not isinstance(offload, Real) or isinstance(offload, bool) or not 0 <= offload <= 1:
        raise ValueError(f"offload must be a number from 0 to 1; got {offload!r}")
    xp = ops.xp
    edges = edges_of(graph, ops, "hybrid")
    parts = Parts(edges, graph.n, ops, offload)
    number = xp.zeros(graph.n, np.int64)  # by root: number of the component's lightest edge

    def lightest(state: Forest) -> None:
        least = parts.lightest(state)
        leaving = xp.flatnonzero(least != NO_KEY)
        component, mine = state.components[leaving], (least[leaving] & NUMBER).astype(np.int64)
        state.edge_u[state.components] = state.edge_v[state.components] = -1
        state.edge_u[component], state.edge_v[component] = edges.source[mine], edges.target[mine]
        number[component] = mine

    state = singletons(graph.n, np.float32, ops)
    with parts.helper:
        spanning_forest(state, lightest, ops, report)
    taken = xp.zeros(len(edges.key), np.bool_)
    taken[number[state.source >= 0]] = True
    return chosen_edges(edges, taken, [], graph.n, xp)._replace(roots=state.labels)


class Parts:
    """The edges of both parts that lie between components, and the thread that processes the CPU's part."""

    def __init__(self, edges: KeyedEdges, n: int, ops: Backend, offload: float) -> None:
        self.ops, self.cpu = ops, backend_of("cpu")
        kept = len(edges.key) - round(offload * len(edges.key))
        u, v, key = edges.source, edges.target, edges.key
        self.kept = u[:kept], v[:kept], key[:kept]
        self.offloaded = to_host(u[kept:]), to_host(v[kept:]), to_host(key[kept:])
        self.helper = ThreadPoolExecutor(1, thread_name_prefix="emst-hybrid")
        self.number = ops.xp.arange(n, dtype=np.int32)  # by root: the component's number
        self.components = self.number.copy()  # roots, in the order in which the ends of edges are numbered

    def lightest(self, state: Forest) -> Array:
        """The least key that leaves each component, in the order of components."""
        xp = self.ops.xp
        self.number[state.components] = xp.arange(state.count, dtype=np.int32)
        labels = self.number[state.labels[self.components]]
        self.components = state.components.copy()  # `merge` may overwrite it
        there = None
        if len(self.offloaded[0]):
            there = self.helper.submit(self.cpu.lightest_of_edges, *self.offloaded, to_host(labels))
        least, u, v, key = self.ops.lightest_of_edges(*self.kept, labels)
        self.kept, least = (u, v, key), least[: state.count]
        if there is not None:
            theirs, u, v, key = there.result()
            self.offloaded = u, v, key
            least = xp.minimum(least, self.ops.asarray(theirs[: state.count]))
        return least
