"""From a spanning tree to clusters on the CPU.

linkage.py      the dendrogram: by union-find, or by many threads from Borůvka's rounds
rounds.py       these rounds: which components hold a point, and the lightest edges that leave them
chains.py       from the rounds to merges: children, parents and sizes
nodes.py        nodes: merges of equal height that are connected; where clusters split
condensed.py    the condensed tree
simplify.py     the condensed tree without splits of little persistence
selection.py    selected clusters, labels, probabilities and outlier scores
constrained.py  the clusters that satisfy the most constraints
nesting.py      which clusters lie within which, and the smallest one that holds two
cut.py          flat clusters at one height of the dendrogram
ancestors.py    at which lambda two clusters of the condensed tree split
sums.py         sums whose last bit does not depend on the order of ties
descent.py      values that merges inherit from their nearest ancestor that has one, at any depth
"""
