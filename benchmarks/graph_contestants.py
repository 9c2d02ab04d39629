"""What the commands for graphs time: `graph_msf`, and the peers that are installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from contestants import checksum
from graph_sets import Graph

import emst

PIECE = 1 << 20  # edges that are Python objects at the same time


@dataclass(frozen=True)
class Solver:
    """What is timed, what is prepared before, and what is computed from the result.

    Attributes
    ----------
    prepare : callable
        ``prepare(graph)``: the graph in the contestant's own data structure. Not timed.
    solve : callable
        ``solve(prepared)``: timed.
    figures : callable
        ``figures(result, graph)``. "total": the sum of the weights. "components". "checksum": must be the same in every
        run; None for peers, which do not promise that.
    module : str
        Module that must be installed.
    """

    prepare: Callable[[Graph], Any]
    solve: Callable[[Any], Any]
    figures: Callable[[Any, Graph], dict[str, Any]]
    module: str = "emst"


def ours(device: str, **options: Any) -> Solver:
    """`graph_msf` with labels, for one graph; `options` are the algorithm and its own options."""
    return solver(lambda graph: (graph.on(device),), device, **options)


def solver(prepare: Callable[[Graph], tuple[Any, ...]], device: str, **options: Any) -> Solver:
    """`graph_msf` with labels of the arguments that `prepare` makes of a graph."""
    known: dict[str, dict[str, Any]] = {}  # by checksum: exact sums of floats take longer than the forests

    def figures(forest: Any, graph: Graph) -> dict[str, Any]:
        found = checksum_of(forest)
        if found not in known:
            known[found] = figures_of(forest) | {"checksum": found}
        return known[found]

    return Solver(prepare, lambda given: emst.graph_msf(*given, device=device, return_labels=True, **options), figures)


def checksum_of(forest: Any) -> str:
    """Checksums of the edges and of the labels of one of our forests."""
    labels = forest.component_labels
    return f"{checksum(forest.edge_id)} {checksum(np.arange(len(labels), like=labels), labels)}"


def figures_of(forest: Any) -> dict[str, Any]:
    """Total weight and number of components of one of our forests."""
    return {"total": forest.total_weight, "components": forest.n_components}


def _figures(total: float, edges: int, graph: Graph) -> dict[str, Any]:
    whole = graph.weights.dtype.kind == "i"
    return {"total": int(total) if whole else total, "components": graph.n - edges, "checksum": None}


# The peers. All compute in float64, and get the weights in float64.


def _scipy(graph: Graph) -> Any:
    from scipy.sparse import csr_array

    weights = graph.weights + 1.0  # SciPy leaves edges of weight 0 out of its result
    return csr_array((weights, graph.indices, graph.indptr), shape=(graph.n, graph.n))


def _scipy_once(graph: Graph) -> Any:
    from scipy.sparse import triu

    return triu(_scipy(graph), 1, "csr")


def solve_scipy(matrix: Any) -> Any:
    """The forest of a matrix in compressed rows, as such a matrix."""
    from scipy.sparse.csgraph import minimum_spanning_tree

    return minimum_spanning_tree(matrix)


def figures_of_scipy(forest: Any, graph: Graph) -> dict[str, Any]:
    """Total weight and number of components of its forest."""
    return _figures(float(forest.data.sum()) - forest.nnz, forest.nnz, graph)


def _igraph(graph: Graph) -> tuple[Any, np.ndarray]:
    return built_by_igraph(graph.n, graph.edges())


def built_by_igraph(n: int, edges: tuple[np.ndarray, np.ndarray, np.ndarray]) -> tuple[Any, np.ndarray]:
    """A graph of igraph, and the weights of its edges."""
    import igraph

    u, v, weights = edges
    built = igraph.Graph(n=n, edges=np.stack([u, v], axis=1))
    built.es["weight"] = weights.astype(np.float64).tolist()
    return built, weights


def solve_igraph(prepared: tuple[Any, np.ndarray]) -> tuple[list[int], np.ndarray]:
    """The numbers of the edges of the forest, and the weights of all edges."""
    built, weights = prepared
    return built.spanning_tree(weights="weight", return_tree=False), weights


def figures_of_igraph(result: tuple[list[int], np.ndarray], graph: Graph) -> dict[str, Any]:
    """Total weight and number of components of its forest."""
    chosen, weights = result
    return _figures(weights[np.array(chosen, np.int64)].sum(dtype=np.float64), len(chosen), graph)


def _rustworkx(graph: Graph) -> Any:
    return built_by_rustworkx(graph.n, graph.edges())


def built_by_rustworkx(n: int, edges: tuple[np.ndarray, np.ndarray, np.ndarray]) -> Any:
    """A graph of rustworkx whose edges are their weights."""
    import rustworkx

    u, v, weights = edges
    built = rustworkx.PyGraph(node_count_hint=n, edge_count_hint=len(u))
    built.add_nodes_from(range(n))
    for start in range(0, len(u), PIECE):
        piece = slice(start, start + PIECE)
        built.add_edges_from(list(zip(u[piece].tolist(), v[piece].tolist(), weights[piece].astype(float).tolist())))
    return built


def solve_rustworkx(built: Any) -> Any:
    """The weighted edges of the forest."""
    import rustworkx

    return rustworkx.minimum_spanning_edges(built, weight_fn=float)


def figures_of_rustworkx(edges: Any, graph: Graph) -> dict[str, Any]:
    """Total weight and number of components of its forest."""
    return _figures(sum(weight for _, _, weight in edges), len(edges), graph)


def _networkit(graph: Graph) -> Any:
    import networkit

    u, v, weights = graph.edges()
    built = networkit.Graph(graph.n, weighted=True)
    built.addEdges((-weights.astype(np.float64), (u.astype(np.uint64), v.astype(np.uint64))))
    return built


def _solve_networkit(built: Any) -> Any:
    from networkit.graph import RandomMaximumSpanningForest  # the other class returns the union of all maximum forests

    return RandomMaximumSpanningForest(built).run().getMSF(True)


PEERS = {
    "scipy": Solver(_scipy, solve_scipy, figures_of_scipy, "scipy"),
    "scipy, one triangle": Solver(_scipy_once, solve_scipy, figures_of_scipy, "scipy"),
    "igraph": Solver(_igraph, solve_igraph, figures_of_igraph, "igraph"),
    "rustworkx": Solver(_rustworkx, solve_rustworkx, figures_of_rustworkx, "rustworkx"),
    "networkit": Solver(
        _networkit,
        _solve_networkit,
        lambda forest, graph: _figures(-forest.totalEdgeWeight(), forest.numberOfEdges(), graph),
        "networkit",
    ),
}


def peers(names: Iterable[str], known: dict[str, Solver]) -> tuple[dict[str, Solver], list[str]]:
    """The named ones of the known peers that are installed, and the names of those that are not."""
    present = {name: known[name] for name in names if name in known and importlib.util.find_spec(known[name].module)}
    return present, [name for name in names if name not in present]
