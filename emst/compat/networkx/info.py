"""What NetworkX reads of every backend when it is imported. So this file imports nothing."""

from __future__ import annotations

from typing import Any

FOREST = (
    "The forest is that of Kruskal's algorithm in NetworkX, edge for edge and in its order, also where weights tie. "
    "With another `algorithm`, other edges of the same weights may be chosen than NetworkX chooses."
)
DEVICE = {
    'device : str, optional (default: "auto")': (
        'Where the forest is computed: "cpu", "cuda", or "auto" for a GPU if there is one.'
    )
}
FUNCTIONS = ("minimum_spanning_edges", "maximum_spanning_edges", "minimum_spanning_tree", "maximum_spanning_tree")


def backend_info() -> dict[str, Any]:
    """What NetworkX shows of this backend in the docstrings of its functions."""
    return {
        "backend_name": "emst",
        "project": "emst",
        "package": "emst",
        "url": "https://github.com/emst/emst",
        "short_summary": "Minimum and maximum spanning forests, exact and on all cores or a GPU.",
        "functions": {name: {"additional_docs": FOREST, "additional_parameters": DEVICE} for name in FUNCTIONS},
    }
