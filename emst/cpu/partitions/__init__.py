"""Partitions of points, each on a device or in a process of its own, in the order of a run.

split.py         points in the order of their segments, each of which goes to one partition
outline.py       how far points are from what other partitions hold, and which ask
answers.py       reaches and core distances, from the answers of other partitions
border.py        bounds of edges to other partitions; components that must not hook, as these may be lighter
numbered.py      numbers of the components of partitions, and the edges between them that are not certain
components.py    first edges of components between rounds of partitions, and points that ask
questions.py     the questions that others ask a partition in a round
rounds.py        rounds over partitions at once: none on the CPU
joined.py        edges that rounds have found: rows of their ends, and the total order
first_rounds.py  what the dendrogram begins with, on a GPU
gathered.py      edges of partitions as one list
closed.py        vertices that leave their cluster together
"""
