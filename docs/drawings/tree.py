"""The minimum spanning tree of 300 points in groups."""

import matplotlib.pyplot as plt
import numpy as np

from emst import EMST

g = np.random.default_rng(7)
X = np.concatenate([g.normal(c, 0.7, (75, 2)) for c in ((0, 0), (4.5, 1), (1.5, 4.5), (8, 4.5))])

_, ax = plt.subplots(figsize=(7, 4.6), layout="constrained")
EMST().fit(X).plot(ax=ax)
ax.set_aspect("equal")
