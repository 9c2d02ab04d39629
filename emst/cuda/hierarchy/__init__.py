"""From a spanning tree to clusters on the GPU.

linkage        the dendrogram, from Borůvka's rounds on the sorted edges
rounds.cuh     the steps of one of these rounds
chains         the dendrogram in the order of its chains; scans over them, round by round
deferred       records some of whose arrays are made when somebody asks
linked         dendrograms and condensed trees whose arrays by rank are made then
nodes          nodes: merges of equal height that are connected; where clusters split
marks.cuh      what stands for a merge until the clusters are known
condensed      the condensed tree
condensed_few  the condensed tree of few points, by one launch
leaving.cuh    the clusters that points leave, and at which heights
members.cuh    steps from nodes to the condensed tree
simplify       the condensed tree without splits of little persistence
selection      selected clusters, labels, probabilities and outlier scores
constrained    the clusters that satisfy the most constraints
nesting        which clusters lie within which, and the smallest one that holds two
sizes          sizes of merges by weight, of 64 bits
cut            flat clusters at one height of the dendrogram
ancestors      at which lambda two clusters of the condensed tree split
descent.cuh    values that merges inherit from their parents, from the root down
climb.cuh      values that nodes collect from their children, from the leaves up
siblings.cuh   how the children of a cluster pass up their values, and which of them climbs on
sum.cuh        the sum of the values of siblings, rounded once
density.cuh    lambda = 1 / height, rounded as on the CPU
"""
