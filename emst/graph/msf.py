"""`graph_msf`: minimum spanning forests of graphs that are given edge by edge.

In at the given, one look at all entries, the graph in canonical order (mostly as it is), an algorithm, and out again in
the caller's kind of array.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from functools import partial
from typing import Any

from emst.backend import backend_of
from emst.backend.operations import Backend
from emst.backend.records import ForestEdges
from emst.graph.canonical import PER_SORTED, POLICIES, canonical
from emst.graph.input import CheckedGraph, check_graph
from emst.graph.memory import Solver, bytes_needed, memory_for
from emst.graph.result import MinimumSpanningForest
from emst.graph.streaming import streamed

ALGORITHMS = ("boruvka", "contraction", "primitives", "partial-prim", "hybrid")  # each lives in a file of its name


def graph_msf(
    graph: Any,
    *,
    algorithm: str = "boruvka",
    device: str = "auto",
    return_labels: bool = False,
    symmetric: str = "check",
    max_device_bytes: int | None = None,
    **options: Any,
) -> MinimumSpanningForest:
    """Minimum spanning forest of an undirected graph.

    Parameters
    ----------
    graph : sparse matrix, object or tuple of arrays, or square array
        Sparse matrices and arrays of scipy or cupyx; anything with `indptr`, `indices` and `data`; a tuple of these
        three; or a square two-dimensional array or list, in which zeros mean that there is no edge. CSR, CSC and COO
        are read where they lie, other formats as their `tocsr` has them. Indices are int32 or int64, or other integers.
        Weights of any sign are computed in their own dtype if that is int32, int64, float32 or float64; other real
        dtypes of at most 64 bits in one of these that keeps their order.

        An edge may be stored in either direction or in both. Explicit zeros are edges, entries on the diagonal are
        none, repeated entries are parallel edges (they are not added up), infinite weights are edges of last resort.
        The graph is never written to.
    algorithm : {"boruvka", "contraction", "primitives", "partial-prim", "hybrid"}, default "boruvka"
        All give the same forest. The first is the fastest; the others are the published ones, see their files.
    device : {"auto", "cpu", "cuda"}, default "auto"
        "auto" takes the GPU if the data is there or a usable one is present, else the CPU.
    return_labels : bool, default False
        Whether to number the components of all vertices.
    symmetric : {"check", "min"}, default "check"
        What to do with a pair of vertices whose lightest entries in its two directions differ: raise, or take the
        lighter one. A pair that is stored in one direction only is in order.
    max_device_bytes : int, optional
        Most memory to work in beside the input. A graph on the host that takes more is streamed through it in blocks of
        rows. By default what the device has left.
    **options
        Of the algorithm: `gamma` and `variant` of "partial-prim", `offload` of "hybrid", and of all but "boruvka"
        `report`, which is called as ``report(round, components_left)`` after every round.

    Returns
    -------
    MinimumSpanningForest
        In numpy arrays for a graph on the host, in cupy arrays for one on a GPU. Edges of equal weight are preferred in
        the order of their smaller ends, larger ends and positions; under that law the forest is unique: the same for
        every algorithm, device, number of threads and run.

    Raises
    ------
    ValueError
        Naming the first offending entry and how many there are: indices out of range, an `indptr` that descends or has
        a wrong length or end, NaN, weights that differ by direction. Also for arrays of different lengths, a graph that
        is not square, weights that are no real numbers, more than 2**31 - 1 vertices, an unknown `algorithm`,
        `symmetric` or `device`.
    TypeError
        Something that is no graph, indices that are no integers, an option that the algorithm does not have.
    RuntimeError
        ``device="cuda"`` without CuPy or without a GPU.
    MemoryError
        Too large even for streaming; with the numbers.

    Notes
    -----
    Rows whose columns ascend are taken as they are if every entry has its mirror image or all lie above the diagonal.
    Everything else is sorted first.

    References
    ----------
    O. Borůvka, "O jistém problému minimálním" (1926).

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import coo_array
    >>> from emst import graph_msf
    >>> ends = [0, 1, 2, 0], [1, 2, 0, 3]
    >>> forest = graph_msf(coo_array((np.array([4, 0, 3, -1]), ends), shape=(5, 5)), device="cpu")
    >>> forest.source.tolist(), forest.target.tolist(), forest.weight.tolist()
    ([1, 0, 0], [2, 2, 3], [0, 3, -1])
    >>> forest.total_weight, forest.n_components
    (2, 2)
    """
    solver = _algorithm(algorithm, options)
    if symmetric not in POLICIES:
        raise ValueError(f"symmetric must be one of {', '.join(map(repr, POLICIES))}; got {symmetric!r}")
    given = check_graph(graph, device)
    with given.scope():
        ops = backend_of(given.device)
        needed = bytes_needed(given, solver)
        room = memory_for(needed + given.m * PER_SORTED, ops, max_device_bytes)
        found = canonical(given, ops, symmetric, room) if needed <= room else None
        if found is not None and room < sys.maxsize and bytes_needed(given, solver, found) > room:
            found = None
        if found is None:
            chosen, in_order = streamed(given, ops, solver, symmetric, room), False
        else:
            chosen, in_order = solver.forest(found.graph, ops), found.positions is None
            if found.positions is not None:
                chosen = chosen._replace(entries=found.positions[chosen.entries])
        return _result(given, chosen, in_order, return_labels, ops)


def _algorithm(name: str, options: dict[str, Any]) -> Solver:
    """The algorithm of a name, its options filled in."""
    if name not in ALGORITHMS:
        raise ValueError(f"algorithm must be one of {', '.join(map(repr, ALGORITHMS))}; got {name!r}")
    module = importlib.import_module(f"emst.graph.algorithms.{name.replace('-', '_')}")
    forest = module.forest
    if options:
        known = [p.name for p in inspect.signature(forest).parameters.values() if p.kind is p.KEYWORD_ONLY]
        for option in options:
            if option not in known:
                what = f"takes {', '.join(known)}" if known else "takes no options"
                raise TypeError(f"graph_msf() got an unexpected keyword argument {option!r}; algorithm={name!r} {what}")
        forest = partial(forest, **options)
    return Solver(forest, module.PER_EDGE, module.PER_VERTEX)


def _result(
    given: CheckedGraph, chosen: ForestEdges, in_order: bool, return_labels: bool, ops: Backend
) -> MinimumSpanningForest:
    """What was chosen, by its entries in the caller's data, in their order and in the caller's kind of array."""
    entries, source, target = chosen.entries, chosen.source, chosen.target
    if not in_order:
        order = ops.xp.argsort(entries)
        entries, source, target = entries[order], source[order], target[order]
    labels = given.give(ops.number_components(chosen.roots)) if return_labels else None
    edge_id = given.give(entries)
    return MinimumSpanningForest(
        source=given.give(source),
        target=given.give(target),
        weight=given.data.take(edge_id),
        edge_id=edge_id,
        n_vertices=given.n,
        n_components=given.n - len(edge_id),
        component_labels=labels,
        device=given.device,
    )
