"""`emst cluster --layers`: labels at several minimum cluster sizes, as columns beside those of the clusters."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    from emst.hdbscan.layers import Layers

MOST = 10  # layers that are written
HELP = f"""\
also write the labels at the min_cluster_size of each of the at most {MOST} most persistent layers, from --min-samples
up, as columns layer0 (the finest), layer1, ...: --method and other options of the selection have no effect on them"""


def size_of(text: str) -> int | str:
    """The value of --min-cluster-size."""
    return text if text == "auto" else int(text)


size_of.__name__ = "int or auto"  # what argparse calls a value that is neither


def layer_names(arguments: argparse.Namespace) -> list[str]:
    """The columns that `--layers` may write."""
    return [f"layer{number}" for number in range(MOST)] if arguments.layers else []


def check_layers(arguments: argparse.Namespace, suffix: str) -> None:
    """Raise ValueError if there is no file that can hold the layers."""
    if arguments.layers and arguments.output is None:
        raise ValueError("--layers needs -o FILE, where the labels of the layers are written")
    if arguments.layers and suffix == ".npy":
        others = ".npz, .csv, .tsv or .parquet"
        raise ValueError(f"{arguments.output}: an .npy holds the labels only; --layers needs {others}")


def layer_columns(layers: Layers) -> dict[str, np.ndarray]:
    """The labels of every layer, by the name of their column."""
    return {f"layer{number}": labels for number, labels in enumerate(layers.labels)}


def layers_in_words(layers: Layers) -> str:
    """A line for the summary: the size of each layer, and how many clusters it has."""
    if not len(layers):
        return "no layers: nothing splits into clusters"
    each = zip(layers.min_cluster_sizes.tolist(), layers.labels)
    sizes = ", ".join(f"{size:,} ({int(labels.max()) + 1:,} clusters)" for size, labels in each)
    left_out = layers.n_peaks - len(layers)
    others = f", {left_out:,} less persistent ones left out" if left_out else ""
    return f"layers of min_cluster_size {sizes}{others}"
