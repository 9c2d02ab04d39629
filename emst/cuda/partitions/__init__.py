"""Partitions of points, each on a device or in a process of its own, in the order of a run.

split          points in the order of their segments, each of which goes to one partition
outline        how far points are from what other partitions hold, and which ask; outline.cuh has the distance of a box
answers        reaches and core distances, from the answers of other partitions
border         bounds of edges to other partitions; components that must not hook, as these may be lighter
numbered       numbers of the components of partitions, and the edges between them that are not certain
components     edges between components, between rounds of partitions, and points that ask
contraction    the first edge that leaves each component, and the contraction of these; one launch each
rounds         rounds over components at once: GPUs read each other's memory, and none waits for the host
members        the arrays and launches of these rounds
questions      the questions that others ask a partition in a round
joined         edges that rounds have found: rows of their ends, and the total order
first_rounds   Borůvka's first round over points, kept for the dendrogram, and the choices of points at the border
gathered       edges of partitions as one list
closed         vertices that leave their cluster together
asking.cuh     points that may ask, and whether they do
before.cuh     where an edge belongs among those of a partition
edges.cuh      ids of points, and edges as rows of words
"""
