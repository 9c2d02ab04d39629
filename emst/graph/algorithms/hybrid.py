"""Borůvka's algorithm on the CPU and the GPU at once: each finds the lightest edges among its own part of the graph.

The edges are dealt out once, a fraction `offload` to the CPU and the rest to the GPU. In every round both go through
their own, at the same time: they drop those that lie within a component by now and find the least key that leaves each
component. The CPU's least keys are sent over, the lesser of the two is each component's lightest edge, and the loop and
the merging of components are those that everything here shares. The ends of edges are numbers of components, not their
roots: what goes to the CPU and back, labels and least keys, is as long as the list of components and shrinks with it.

The lightest of all edges is the lightest of one part or of the other, so it does not matter how they are dealt out. On
the CPU alone the same two parts are worked on by two threads, which call kernels that release the interpreter's lock.

The paper's idea is followed here, not its layout of the work within a step. On what became of the limits on weights and
vertices see `emst.graph.algorithms.edges`.

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
PER_EDGE, PER_VERTEX = (
    {4: 100, 8: 110},
    88,
)  # bytes beside the graph, as in `emst.graph.algorithms.boruvka`: edges, old and new


def forest(graph: Adjacency, ops: Backend, *, offload: float = OFFLOAD, report: Report | None = None) -> ForestEdges:
    """The minimum spanning forest.

    Parameters
    ----------
    graph : Adjacency
        Of fewer than 2^30 edges.
    ops : Backend
        Where the graph lies, and where all but the CPU's part is done.
    offload : float
        Fraction of the edges that is given to the CPU, from 0 to 1.
    report : callable, optional
        Called as ``report(round, components_left)`` after every round. There are at most log2(n), and one more if the
        graph is not connected.

    Raises
    ------
    ValueError
        An `offload` that is no such fraction.
    """
    if not isinstance(offload, Real) or isinstance(offload, bool) or not 0 <= offload <= 1:
        raise ValueError(f"offload must be a number from 0 to 1; got {offload!r}")
    xp = ops.xp
    edges = edges_of(graph, ops, "hybrid")
    parts = Parts(edges, graph.n, ops, offload)
    number = xp.zeros(graph.n, np.int64)  # by component: its lightest edge; merging writes down the ends only

    def lightest(found: Forest) -> None:
        least = parts.lightest(found)
        leaving = xp.flatnonzero(least != NO_KEY)
        component, mine = found.components[leaving], (least[leaving] & NUMBER).astype(np.int64)
        found.edge_u[found.components] = found.edge_v[found.components] = -1
        found.edge_u[component], found.edge_v[component] = edges.source[mine], edges.target[mine]
        number[component] = mine

    found = singletons(graph.n, np.float32, ops)
    with parts.helper:
        spanning_forest(found, lightest, ops, report)
    taken = xp.zeros(len(edges.key), np.bool_)
    taken[number[found.source >= 0]] = True
    return chosen_edges(edges, taken, [], graph.n, xp)._replace(roots=found.labels)


class Parts:
    """The edges that are left to either side, between components, and the thread that sees to the CPU's."""

    def __init__(self, edges: KeyedEdges, n: int, ops: Backend, offload: float) -> None:
        self.ops, self.cpu = ops, backend_of("cpu")
        kept = len(edges.key) - round(offload * len(edges.key))
        u, v, key = edges.source, edges.target, edges.key
        self.kept = u[:kept], v[:kept], key[:kept]
        self.offloaded = to_host(u[kept:]), to_host(v[kept:]), to_host(key[kept:])
        self.helper = ThreadPoolExecutor(1, thread_name_prefix="emst-hybrid")
        self.number = ops.xp.arange(n, dtype=np.int32)  # by root: the component's place among all
        self.components = self.number.copy()  # those that the ends of edges are

    def lightest(self, found: Forest) -> Array:
        """The least key that leaves each component, in the order of components."""
        xp = self.ops.xp
        self.number[found.components] = xp.arange(found.count, dtype=np.int32)
        labels = self.number[found.labels[self.components]]
        self.components = found.components.copy()  # merging may write over it
        there = None
        if len(self.offloaded[0]):
            there = self.helper.submit(self.cpu.lightest_of_edges, *self.offloaded, to_host(labels))
        least, u, v, key = self.ops.lightest_of_edges(*self.kept, labels)
        self.kept, least = (u, v, key), least[: found.count]
        if there is not None:
            theirs, u, v, key = there.result()
            self.offloaded = u, v, key
            least = xp.minimum(least, self.ops.asarray(theirs[: found.count]))
        return least
