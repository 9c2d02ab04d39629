"""The trees of a clustering as objects with the interfaces of the hdbscan package.

    condensed.py    `CondensedTree`
    linkage.py      `SingleLinkageTree`
    spanning.py     `SpanningTree`
    texts.py        the condensed tree as JSON and in Newick notation
    sources.py      what the table of a condensed tree is made from
    table.py        data frames with named columns, and the rows that were left out of the hierarchy

Each takes the arrays of its stage on their backend and fetches them when they are first read; in a pickle, it holds
arrays on the host. If points were left out (NaN, infinity), `rows` holds the row numbers of those that
were kept, ascending, and `n` counts all of them. Nodes 0 ... n - 1 are the rows of the data; clusters follow.
"""

from emst.hdbscan.trees.condensed import CondensedTree
from emst.hdbscan.trees.linkage import SingleLinkageTree
from emst.hdbscan.trees.spanning import SpanningTree

__all__ = ["CondensedTree", "SingleLinkageTree", "SpanningTree"]
