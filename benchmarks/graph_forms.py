"""Forms other than a symmetric matrix in which people have a graph, and the peers that can take them.

Every edge is there once, in random order and a random direction. A peer's time begins with the same arrays, so it
includes what the peer needs to turn them into its own graph.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from graph_contestants import (
    Solver,
    built_by_igraph,
    built_by_rustworkx,
    figures_of_igraph,
    figures_of_rustworkx,
    figures_of_scipy,
    solve_igraph,
    solve_rustworkx,
    solve_scipy,
    solver,
)
from graph_sets import Graph

Ends = tuple[np.ndarray, np.ndarray, np.ndarray]


def shuffled(graph: Graph) -> Ends:
    """Both ends and the weight of every edge, each once, in random order and directions: the same in every run."""
    rng = np.random.default_rng(0)
    u, v, weights = graph.edges()
    turned, order = rng.random(len(u)) < 0.5, rng.permutation(len(u))
    return np.where(turned, v, u)[order], np.where(turned, u, v)[order], weights[order]


def edge_list(graph: Graph, device: str) -> Any:
    """The arguments of `graph_msf`: arrays of sources, targets and weights."""
    if device == "cpu":
        return shuffled(graph)
    import cupy

    return tuple(cupy.asarray(array) for array in shuffled(graph))


def coordinates(graph: Graph, device: str) -> Any:
    """A matrix in coordinates, of SciPy or CuPy."""
    source, target, weights = edge_list(graph, device)
    if device == "cpu":
        from scipy.sparse import coo_array as matrix
    else:
        from cupyx.scipy.sparse import coo_matrix as matrix
    return (matrix((weights, (source, target)), shape=(graph.n, graph.n)),)


def one_way(graph: Graph, device: str) -> Any:
    """A matrix in compressed rows with every edge in one of its triangles, mixed."""
    (matrix,) = coordinates(graph, "cpu")
    rows = matrix.tocsr()
    if device == "cpu":
        return (rows,)
    import cupy

    return (tuple(cupy.asarray(array) for array in (rows.indptr, rows.indices, rows.data)),)


def _scipy_of_list(graph: Graph) -> tuple[Ends, int]:
    source, target, weights = shuffled(graph)
    return (source, target, weights + 1.0), graph.n  # SciPy leaves edges of weight 0 out of its result


def _solve_scipy_of_list(prepared: tuple[Ends, int]) -> Any:
    from scipy.sparse import coo_array

    (source, target, weights), n = prepared
    return solve_scipy(coo_array((weights, (source, target)), shape=(n, n)).tocsr())


def _scipy_one_way(graph: Graph) -> Any:
    (matrix,) = one_way(graph, "cpu")
    return type(matrix)((matrix.data + 1.0, matrix.indices, matrix.indptr), shape=matrix.shape)


def _listed(graph: Graph) -> tuple[int, Ends]:
    return graph.n, shuffled(graph)


FORMS: dict[str, Callable[[Graph, str], Any]] = {"list": edge_list, "coo": coordinates, "one-way": one_way}
PEERS_OF: dict[str, dict[str, Solver]] = {
    "list": {
        "scipy": Solver(_scipy_of_list, _solve_scipy_of_list, figures_of_scipy, "scipy"),
        "igraph": Solver(_listed, lambda given: solve_igraph(built_by_igraph(*given)), figures_of_igraph, "igraph"),
        "rustworkx": Solver(
            _listed, lambda given: solve_rustworkx(built_by_rustworkx(*given)), figures_of_rustworkx, "rustworkx"
        ),
    },
    "coo": {"scipy": Solver(_scipy_of_list, _solve_scipy_of_list, figures_of_scipy, "scipy")},
    "one-way": {"scipy": Solver(_scipy_one_way, solve_scipy, figures_of_scipy, "scipy")},
}


def ours_in(form: str, device: str) -> Solver:
    """`graph_msf` with labels of a graph in this form."""
    return solver(lambda graph: FORMS[form](graph, device), device)
