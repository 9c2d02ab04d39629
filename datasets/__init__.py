"""Data behind the examples and the figures: what is in this repository, what can be downloaded, what is generated.

    registry.py      every set by name
    downloads.py     the sets to download: address, licence, citation, size, checksum
    storage.py       fetch (a file) and load (an array or a matrix)
    point_files.py   readers of published point sets
    graph_files.py   readers of published graphs
    synthetic.py     generators of points
    graphs.py        generators of graphs
    autzen/ land/ places/   data in this repository, each with its licence

`python -m datasets list` names all sets. docs/guide/datasets.md describes them.
"""

from datasets.dataset import Dataset
from datasets.registry import REGISTRY
from datasets.storage import fetch, load

__all__ = ["REGISTRY", "Dataset", "fetch", "load"]
