"""`graph_msf` over many workers: minimum spanning forests of graphs that are given in chunks of edges.

If G1 and G2 together hold all edges of G, then MSF(G) = MSF(MSF(G1) ∪ MSF(G2)). So every chunk is reduced to its
forest, and a tree of joins reduces `FAN_IN` forests to one at a time. The forests of a join lie side by side in the
input, and the edges of each are in the order of the input. So positions inside a join have the order of positions in
the input, edges of equal weight compare the same everywhere, and the forest is that of one device, bit for bit.
"""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from distributed import Client

from emst.backend.operations import Backend
from emst.backend.records import Array
from emst.dask.edges import Chunk, Edges, chunks_of
from emst.dask.engine import DaskEngine
from emst.dask.faults import read_again
from emst.graph import msf
from emst.graph.input import MOST_VERTICES
from emst.graph.result import MinimumSpanningForest
from emst.inputs.devices import to_host
from emst.inputs.ends import outside

FAN_IN = 4  # forests that one task joins; it holds the edges of all of them
FEW = 4  # a chunk with less than 1 / FEW edges a vertex is solved on the vertices that it touches


class Forest(NamedTuple):
    """The forest of some neighbouring chunks, on the host."""

    source: np.ndarray  # int32[k]
    target: np.ndarray  # int32[k]
    weight: np.ndarray
    position: np.ndarray  # int64[k], ascending: entries before this one in the same chunks
    entries: int  # of the chunks
    n: int  # number of vertices as far as these chunks tell
    name: str  # of the first chunk that has entries


class FaultyChunk(ValueError):
    """A chunk, given by its number, has entries that are no edges."""


def graph_msf(
    graph: Any,
    *,
    n_vertices: int | None = None,
    client: Client | None = None,
    device: str = "auto",
    return_labels: bool = False,
) -> MinimumSpanningForest:
    """Minimum spanning forest of an undirected graph whose edges are given in chunks, over the workers of a cluster.

    Parameters
    ----------
    graph : tuple, data frame, path or list of paths
        A tuple (source, target, weight) of three one-dimensional dask arrays with the same chunks, of known or unknown
        size; a dask data frame with columns of these names; or paths, one chunk each, of any format that
        `emst.io.graphs.read_graph` reads (.npz, .parquet, .gr, .mtx, .csv), as the workers see them. Three plain
        arrays, or a plain data frame, are cut into chunks. Vertices are numbered from 0.

        An edge may be stored in one direction or in both, in any chunk. Every entry is an undirected edge, so of
        several entries for one pair of vertices the lightest counts, whatever their directions; this is
        ``symmetric="min"`` of `emst.graph_msf`. Entries that join a vertex with itself are ignored. All chunks have
        the same dtype of weights; only int32 and int64, between which readers of text choose, may be mixed and give
        int64.
    n_vertices : int, optional
        Number of vertices. By default the greatest end plus 1, or what files say if that is more.
    client : distributed.Client, optional
        By default the current one.
    device : {"auto", "cpu", "cuda"}, default "auto"
        Where the workers compute. "auto" is the GPU if all workers have one.
    return_labels : bool, default False
        Whether to number the connected components and return the component of every vertex.

    Returns
    -------
    emst.MinimumSpanningForest
        In numpy arrays, in this process. `edge_id` holds positions among the entries of all chunks, one after the
        other. The edges, weights and labels are those of ``emst.graph_msf(..., symmetric="min")`` for all entries as
        one matrix in coordinates.

    Raises
    ------
    RuntimeError
        No client, no workers, workers with other versions of emst, GPUs on some workers only, no GPU for
        ``device="cuda"``, or workers that died again and again.
    TypeError
        If `graph` is of an unknown kind, or ends or `n_vertices` are not integers.
    ValueError
        If the three arrays differ in length or in chunks, columns are missing, files do not follow their format,
        weights are not real numbers or differ in dtype between chunks. If ends are out of range or weights are NaN:
        the message names the first such entry, its position in the input and its chunk.
    FileNotFoundError
        If a worker finds no file at one of the paths.

    Notes
    -----
    A forest has fewer edges than the graph has vertices, so it fits one worker, and this process, where the graph need
    not. A thread of a worker holds one chunk and what it takes to solve it, or four forests and what it takes to join
    them: about 400 bytes a vertex. Chunks with many times more edges than vertices are best; a chunk with fewer edges
    than vertices is hardly reduced.

    Examples
    --------
    >>> import dask.array as da
    >>> from emst.dask import graph_msf, local_cluster
    >>> client = local_cluster(2, device="cpu")
    >>> source, target, weight = (da.from_array(a, chunks=2) for a in ([0, 1, 2, 0], [1, 2, 0, 3], [4, 0, 3, -1]))
    >>> forest = graph_msf((source, target, weight), n_vertices=5, client=client)
    >>> forest.source.tolist(), forest.target.tolist(), forest.edge_id.tolist()
    ([1, 0, 0], [2, 2, 3], [1, 2, 3])
    >>> client.close()
    """
    n = _checked_count(n_vertices)
    engine = DaskEngine(client, device)

    def forest() -> MinimumSpanningForest:
        with engine.releasing():
            return _reduced(chunks_of(graph, engine), n, return_labels, engine)

    return read_again(graph, forest)


def _checked_count(n_vertices: Any) -> int | None:
    if n_vertices is None:
        return None
    if not isinstance(n_vertices, Integral) or isinstance(n_vertices, bool):
        raise TypeError(f"n_vertices must be an integer; got {n_vertices!r}")
    n = int(n_vertices)
    if not 0 <= n <= MOST_VERTICES:
        raise ValueError(f"n_vertices must lie between 0 and {MOST_VERTICES:,}; got {n:,}")
    return n


def _reduced(chunks: list[Chunk], n: int | None, labels: bool, engine: DaskEngine) -> MinimumSpanningForest:
    """The forest of all chunks. The tasks form one graph, which Dask walks depth first, so that few forests are held at
    a time."""
    forests = [chunk.task(engine, _forest_of_chunk, i, chunk.name, n) for i, chunk in enumerate(chunks)]
    while len(forests) > FAN_IN:
        groups = [forests[i : i + FAN_IN] for i in range(0, len(forests), FAN_IN)]
        forests = [engine.delayed(_joined, group) if len(group) > 1 else group[0] for group in groups]
    try:
        return engine.result(engine.delayed(_finished, forests, n, labels))
    except FaultyChunk as error:
        raise _first_fault(chunks[: error.args[0] + 1], n, engine) from None


# ---- tasks ---------------------------------------------------------------------------------------------------------


def _forest_of_chunk(ops: Backend, edges: Edges, number: int, name: str, n: int | None) -> Forest:
    if _fault(edges, n) is not None:
        raise FaultyChunk(number)
    m = len(edges.weight)
    if n is None:
        n = max(edges.n, *(int(ends.max()) + 1 for ends in edges[:2] if m), 0)
    if m == 0:
        none = np.zeros(0, np.int32)
        weight = to_host(edges.weight)
        weight = weight if weight.dtype.kind in "biuf" else np.zeros(0)  # an empty part of a frame may have any dtype
        return Forest(none, none, weight, none.astype(np.int64), 0, n, name)
    source, target = (ends.astype(np.int32, copy=False) for ends in edges[:2])
    forest = _solved(source, target, edges.weight, n, False, ops)
    source, target, weight, position = map(to_host, (forest.source, forest.target, forest.weight, forest.edge_id))
    return Forest(source, target, weight, position, m, n, name)


def _joined(ops: Backend, forests: list[Forest]) -> Forest:
    edges = _side_by_side(forests)
    forest = _solved(edges.source, edges.target, edges.weight, edges.n, False, ops)
    return edges._replace(
        source=forest.source, target=forest.target, weight=forest.weight, position=edges.position[forest.edge_id]
    )


def _finished(ops: Backend, forests: list[Forest], n: int | None, labels: bool) -> MinimumSpanningForest:
    edges = _side_by_side(forests)
    n = edges.n if n is None else n
    forest = _solved(edges.source, edges.target, edges.weight, n, labels, ops)
    edge_id = edges.position[forest.edge_id]
    return replace(forest, edge_id=edge_id, n_vertices=n, n_components=n - len(edge_id))


def _side_by_side(forests: list[Forest]) -> Forest:
    """The edges of neighbouring forests in the order of the input. Empty chunks have no dtype of their own."""
    begins = np.cumsum([0, *(forest.entries for forest in forests)])
    positions = [forest.position + begin for forest, begin in zip(forests, begins)]
    filled = [forest for forest in forests if forest.entries] or forests[:1]
    first, dtype = filled[0], filled[0].weight.dtype
    for other in filled[1:]:
        mixed = {dtype, other.weight.dtype}
        if len(mixed) > 1 and mixed != {np.dtype(np.int32), np.dtype(np.int64)}:
            raise ValueError(
                f"weights must have the same dtype in all chunks; they have {dtype} in {first.name} and "
                f"{other.weight.dtype} in {other.name}"
            )
        dtype = max(mixed, key=lambda one: one.itemsize)
    source, target, weight = (np.concatenate(arrays) for arrays in zip(*(forest[:3] for forest in filled)))
    return Forest(
        source, target, weight.astype(dtype, copy=False), np.concatenate(positions), int(begins[-1]),
        max(forest.n for forest in forests), first.name,
    )  # fmt: skip


def _solved(source: Array, target: Array, weight: Array, n: int, labels: bool, ops: Backend) -> MinimumSpanningForest:
    """The forest of these edges. Few edges are solved on the vertices that they touch, in the same order, so that ties
    stay as they are."""
    touched = None
    if not labels and FEW * len(source) < n:
        touched, ends = np.unique(np.concatenate([source, target]), return_inverse=True)
        source, target, n = ends[: len(source)], ends[len(source) :], len(touched)
    matrix = SimpleNamespace(format="coo", row=source, col=target, data=weight, shape=(n, n))
    forest = msf.graph_msf(matrix, device=ops.name, symmetric="min", return_labels=labels)
    if touched is None:
        return forest
    return replace(forest, source=touched[forest.source], target=touched[forest.target])


# ---- faults --------------------------------------------------------------------------------------------------------


def _fault(edges: Edges, n: int | None) -> tuple[int, str] | None:
    """The first entry that is no edge, and what is wrong with it; None if all are edges. Ends come before weights."""
    source, target, weight, _ = edges
    if len(weight) == 0:
        return None
    most = MOST_VERTICES if n is None else n
    firsts = [first for count, first in (outside(source, most), outside(target, most)) if count]
    if firsts:
        at = min(firsts)
        within = f"between 0 and {most - 1:,}" + ("" if n is None else f" in a graph of {n:,} vertices")
        return at, f"ends must lie {within}; the edge {{}} joins {int(source[at]):,} and {int(target[at]):,}"
    if weight.dtype.kind == "f" and bool(np.isnan(weight).any()):
        at = int(np.isnan(weight).argmax())
        joins = f"joins {int(source[at]):,} and {int(target[at]):,}"
        return at, f"weights must not be NaN; the edge {{}} has one, and {joins}"
    return None


def _count_and_fault(ops: Backend, edges: Edges, n: int | None) -> tuple[int, tuple[int, str] | None]:
    return len(edges.weight), _fault(edges, n)


def _listed(ops: Backend, results: list[Any]) -> list[Any]:
    return results


def _first_fault(chunks: list[Chunk], n: int | None, engine: DaskEngine) -> ValueError:
    """The error for the first faulty entry of all. A worker that finds one knows neither what other chunks hold nor how
    many entries lie before its own, so these are read again."""
    tasks = [chunk.task(engine, _count_and_fault, n) for chunk in chunks]
    results = engine.result(engine.delayed(_listed, tasks))
    begin = 0
    for chunk, (count, fault) in zip(chunks, results):
        if fault is not None:
            at, what = fault
            return ValueError(what.format(f"at position {begin + at:,} ({chunk.name}, entry {at:,} of it)"))
        begin += count
    raise AssertionError("a fault was found and is gone: the input changed while it was read")
