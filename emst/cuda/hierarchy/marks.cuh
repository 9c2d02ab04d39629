// What stands for a merge until the clusters are known.
#pragma once

constexpr int INNER = -2;   // it is no node, and its node belongs to a cluster
constexpr int SMALL = -1;   // its node belongs to no cluster
constexpr int GOES_ON = 0;  // a node that belongs to the cluster of the node above, or to the root
// Positive: the number of the cluster that begins at this node.
