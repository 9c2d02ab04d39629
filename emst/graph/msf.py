"""`graph_msf`: minimum spanning forests of explicit graphs.

The stages: validation of the input, statistics of all entries, the entries in canonical order (mostly as they are), an
algorithm, and the result as the caller's kind of array.
"""

from __future__ import annotations

import importlib
import inspect
from functools import partial
from typing import Any

import numpy as np

from emst.backend import backend_of
from emst.graph.canonical import POLICIES, by_position, canonical
from emst.graph.input import check_graph
from emst.graph.libraries import WEIGHT, edge_list
from emst.graph.memory import Solver, bytes_needed, bytes_to_sort, memory_for
from emst.graph.result import MinimumSpanningForest
from emst.graph.streaming import streamed
from emst.progress import showing

ALGORITHMS = ("boruvka", "contraction", "primitives", "partial-prim", "hybrid")  # each has a file of its name


def graph_msf(
    graph: Any,
    target: Any = None,
    weight: Any = WEIGHT,
    *,
    n_vertices: int | None = None,
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
    graph : sparse matrix, tuple of arrays, square array, data frame, graph, or array of sources
        A sparse matrix or array of scipy or cupyx; an object with `indptr`, `indices` and `data`; a tuple of these
        three; or a square two-dimensional array or list, in which zero means that there is no edge. CSR, CSC and COO
        are read in place; other sparse formats but BSR are converted by their `tocsr`. Indices are int32, int64 or
        other integers. Weights may have any sign. Weights in int32, int64, float32 and float64 keep their dtype; other
        real dtypes of at most 64 bits are converted to one of these four in a way that preserves their order.

        Or a list of edges: ``graph_msf(source, target, weight)``; a data frame of pandas, polars or pyarrow with
        the columns `source` and `target` (or `src` and `dst`, `u` and `v`, `from` and `to`) and a column of weights;
        a graph of networkx, igraph or rustworkx. In arrays and frames whole numbers are vertices, counted from 0. If
        one is negative, or if the greatest is at least a million and at least four times the number of edges, they are
        ids: these are numbered in ascending order. Anything else are names of vertices, numbered in the order in which
        they first occur. `nodes` of the result gives ids and names back.

        An edge may be stored in one direction or in both. Explicit zeros and infinite weights are edges. Only in DIA
        format zeros are no edges, because they also fill its diagonals. Entries on the diagonal are ignored. Repeated
        entries are parallel edges; they are not added up. The graph is never written to.
    target : array-like of shape (m,), optional
        The other end of every edge, if `graph` is an array of sources.
    weight : array-like of shape (m,), name, callable or None, default "weight"
        Weights of the edges, if there is a `target`. Of a data frame the column of weights, of a graph of networkx or
        igraph the attribute of its edges. Of a graph of rustworkx a function of an edge's object, or the key of the
        weight in it; objects that are numbers are weights by themselves. None: every edge weighs 1.
    n_vertices : int, optional
        Number of vertices, if the ends of edges in arrays or a data frame are their numbers, which are then no ids; by
        default one more than the greatest.
    algorithm : {"boruvka", "contraction", "primitives", "partial-prim", "hybrid"}, default "boruvka"
        All give the same forest. The first is the fastest; the others follow publications, which their files in
        `emst.graph.algorithms` name.
    device : {"auto", "cpu", "cuda"}, default "auto"
        Where to compute. "auto" is the GPU if the graph is there or a usable GPU is present, and the CPU otherwise.
    return_labels : bool, default False
        Whether to number the connected components and return the component of every vertex.
    symmetric : {"check", "min"}, default "check"
        What to do if the lightest entries of a pair of vertices differ in its two directions: raise an error, or take
        the lighter of the two. A pair may be stored in one direction only. Undirected graphs of the libraries have
        parallel edges instead.
    max_device_bytes : int, optional
        Upper bound on the memory that is used in addition to the input, in bytes. A graph that needs more is processed
        in blocks of entries. By default, the memory that the device has free. With the default algorithm and weights of
        32 bits, the smallest possible bound is about 185 bytes per vertex for compressed rows or columns and about 271
        for coordinates; with weights of 64 bits, 212 and 281. A square array takes another 24 bytes per entry.
    **options
        Options of the algorithm: `gamma` and `variant` of "partial-prim", `offload` of "hybrid", and, for all
        algorithms but "boruvka", `report`, which is called as ``report(round, components_left)`` after every round.

    Returns
    -------
    MinimumSpanningForest
        In numpy arrays for a graph on the host, in cupy arrays for a graph on a GPU. Edges are compared by (weight,
        smaller end, larger end, position in the input). Under this total order the forest is unique: it is the same for
        every algorithm, device, number of threads and run.

    Raises
    ------
    ValueError
        If indices are out of range, `indptr` descends or has a wrong length, first or last value, weights are NaN or
        differ by direction: the message names the first such entry and their number. If arrays differ in length, the
        graph is not square, weights are missing or not real numbers, names of vertices are missing, or there are more
        than 2**31 - 1 vertices. If `algorithm`, `symmetric` or `device` is unknown.
    TypeError
        If `graph` is not a graph, indices are not integers, names of vertices are not hashable, or the algorithm or
        this kind of graph does not have a parameter.
    RuntimeError
        For ``device="cuda"`` without CuPy or without a GPU.
    MemoryError
        If the memory is too small even for blocks; the message says how many bytes are needed.

    Notes
    -----
    A graph in compressed rows is used as it is if the columns of every row ascend and either every entry has its mirror
    image or all entries lie above the diagonal. Every other graph is sorted first.

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
    >>> forest = graph_msf(["a", "b", "c"], ["b", "c", "a"], [4, 0, 3], device="cpu")
    >>> forest.weighted_edge_list()
    [('b', 'c', 0), ('a', 'c', 3)]
    >>> forest = graph_msf([8123456789, -5], [17, 8123456789], [2.5, 1.0], device="cpu")
    >>> forest.nodes.tolist(), forest.weighted_edge_list()
    ([-5, 17, 8123456789], [(17, 8123456789, 2.5), (-5, 8123456789, 1.0)])
    """
    solver = _solver(algorithm, options)
    if symmetric not in POLICIES:
        raise ValueError(f"symmetric must be one of {', '.join(map(repr, POLICIES))}; got {symmetric!r}")
    listed = edge_list(graph, target, weight, n_vertices)
    if listed is not None:
        graph = listed.coordinates()
        symmetric = symmetric if listed.directed else "min"  # the ends of an undirected edge have no order
    checked = check_graph(graph, device)
    with checked.scope(), showing(False) as progress:
        ops = backend_of(checked.device)
        progress.watch(ops)
        needed = bytes_needed(checked, solver)
        allowed = memory_for(needed + bytes_to_sort(checked), ops, max_device_bytes)
        form = None  # the canonical graph, if there is memory for it
        if needed <= allowed:
            form = canonical(checked, ops, symmetric, may_sort=bytes_to_sort(checked) <= allowed)
            needed = max(needed, bytes_to_sort(checked)) if form is None else bytes_needed(checked, solver, form)
        if form is not None and needed <= allowed:
            chosen = solver.forest(form.graph, ops)
            if form.positions is not None:
                chosen = by_position(chosen, ops.take(form.positions, chosen.entries), ops)
        else:
            chosen = streamed(checked, ops, solver, symmetric, allowed, needed)
        n_components = checked.n - len(chosen.entries)
        labels = None
        if return_labels:  # a graph on a GPU is numbered while the host does the rest
            one = n_components == 1
            labels = checked.give(ops.xp.zeros(checked.n, np.int32) if one else ops.number_components(chosen.roots))
        edge_id = checked.give(chosen.entries)
        return MinimumSpanningForest(
            source=checked.give(chosen.source),
            target=checked.give(chosen.target),
            weight=checked.data.take(edge_id),
            edge_id=edge_id,
            n_vertices=checked.n,
            n_components=n_components,
            component_labels=labels,
            device=checked.device,
            nodes=None if listed is None else listed.nodes,
        )


def _solver(name: str, options: dict[str, Any]) -> Solver:
    """The algorithm of this name with its options filled in."""
    if name not in ALGORITHMS:
        raise ValueError(f"algorithm must be one of {', '.join(map(repr, ALGORITHMS))}; got {name!r}")
    module = importlib.import_module(f"emst.graph.algorithms.{name.replace('-', '_')}")
    forest = module.forest
    if options:
        names = [p.name for p in inspect.signature(forest).parameters.values() if p.kind is p.KEYWORD_ONLY]
        for option in options:
            if option not in names:
                what = f"takes {', '.join(names)}" if names else "takes no options"
                raise TypeError(f"graph_msf() got an unexpected keyword argument {option!r}; algorithm={name!r} {what}")
        forest = partial(forest, **options)
    return Solver(forest, module.PER_EDGE, module.PER_VERTEX)
