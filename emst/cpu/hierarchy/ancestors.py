"""The splits of the condensed tree at which clusters separate."""

from __future__ import annotations

import numpy as np

from emst.cpu.runtime.compile import kernel
from emst.cpu.runtime.parallel import for_chunks, grain_for


def common_ancestor_lambdas(condensed, clusters, others):
    """See `emst.backend.operations`."""
    parting = np.empty((len(clusters), len(others)))
    args = (condensed.parent, condensed.death, clusters, others, parting)
    for_chunks(_common_ancestor_lambdas, len(clusters), grain_for(len(clusters), 16), *args)
    return parting


@kernel
def _common_ancestor_lambdas(parent, death, clusters, others, parting, begin, end):
    for i in range(begin, end):
        for j in range(len(others)):
            a, b = clusters[i], others[j]
            while a != b:  # parents have smaller numbers
                if a > b:
                    a = parent[a]
                else:
                    b = parent[b]
            apart = a != clusters[i] and a != others[j]
            parting[i, j] = death[a] if apart else np.nan
