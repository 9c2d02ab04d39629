"""What a picture stands on: its axes, and points of any dimension on their plane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def current_axis() -> Axes:
    """pyplot's, which needs a display or a backend without one; figures that are given need neither."""
    from matplotlib import pyplot as plt

    return plt.gca()


def on_plane(points: Any) -> tuple[np.ndarray, tuple[str, str]]:
    """Points, as an array or a sparse matrix, as float64 of shape (n, 2), and names of the two axes.

    More than two dimensions are projected on the first two principal components, one lies on a line.
    """
    from scipy.sparse import issparse
    from sklearn.decomposition import PCA

    points = points.astype(np.float64)
    n, d = points.shape
    if d > 2 and n > 2:
        pca = PCA(n_components=2, svd_solver="arpack" if issparse(points) else "auto", random_state=0)
        return pca.fit_transform(points), ("principal component 1", "principal component 2")
    places = points.toarray() if issparse(points) else points
    return np.column_stack([places, np.zeros((n, 1))])[:, :2], ("x", "y" if d > 1 else "")
