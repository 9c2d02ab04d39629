"""What pictures share: the current axes, and the projection of points to a plane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def current_axis() -> Axes:
    """pyplot's current axes. They need a display or a matplotlib backend that does without; given axes need neither."""
    from matplotlib import pyplot as plt

    return plt.gca()


def on_plane(points: Any) -> tuple[np.ndarray, tuple[str, str]]:
    """Points in the plane, float64 of shape (n, 2), and the names of its two axes.

    Points of more than two dimensions are projected to their first two principal components. Points of one dimension
    get y = 0.

    Parameters
    ----------
    points : array or sparse matrix of shape (n, d)
        Finite coordinates.
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
