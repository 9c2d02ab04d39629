"""Friends of friends over many workers: the methods that a tree and the estimator share."""

from __future__ import annotations

from collections.abc import Sequence

import dask.array as da
import numpy as np

from emst.spanning_forest import Height, check_min_cluster_size, check_number


class Cuts:
    """What `MinimumSpanningTree` and `EMST` of this package do with heights."""

    def _labels(self, heights: list[Height], min_cluster_size: int) -> da.Array:
        """Labels at each height, int64[n, k]."""
        raise NotImplementedError

    def labels_at(self, height: float | Sequence[float]) -> da.Array:
        """The component of every point in the graph of the edges of weight `height` or less.

        Parameters
        ----------
        height : float, or sequence of k floats
            Greatest weight of an edge that connects, itself included. It is compared with the weights exactly, without
            rounding either.

        Returns
        -------
        dask array, int64 of shape (n,) or (k, n)
            As `emst.MinimumSpanningTree.labels_at` returns it, bit for bit, in the chunks of the input. The call
            returns when the labels are complete; they stay on the workers.

        Raises
        ------
        ValueError
            A height that is not a number.
        sklearn.exceptions.NotFittedError
            An `EMST` that has not been fitted.
        RuntimeError
            Workers died, and what they held cannot be computed again.

        Examples
        --------
        >>> import numpy as np
        >>> from emst.dask import local_cluster, minimum_spanning_tree
        >>> client = local_cluster(2, device="cpu")
        >>> tree = minimum_spanning_tree(np.array([[0.0], [1.0], [5.0], [7.0]]), client=client)
        >>> tree.labels_at([0.5, 1.0, 2.0]).compute()
        array([[0, 1, 2, 3],
               [0, 0, 1, 2],
               [0, 0, 1, 1]])
        >>> client.close()
        """
        if np.ndim(height) == 0:
            return self._labels([check_number("height", height)], 1)[:, 0]
        return self._labels([check_number("height", one) for one in height], 1).T  # type: ignore[union-attr]

    def cut(self, distance: float, min_cluster_size: int = 1) -> da.Array:
        """Friends-of-friends: groups of points that edges of weight `distance` or less connect.

        Parameters
        ----------
        distance : float
            Greatest weight of an edge that connects, itself included: the linking length.
        min_cluster_size : int, default 1
            Smaller groups are noise.

        Returns
        -------
        dask array, int64 of shape (n,)
            The group of every point, as `emst.MinimumSpanningTree.cut` returns it, bit for bit, in the chunks of the
            input: numbered from 0 in the order of their first points; -1 for noise. The call returns when the labels
            are complete; they stay on the workers.

        Raises
        ------
        ValueError
            A distance that is not a number; a `min_cluster_size` that is not an integer of at least 1.
        sklearn.exceptions.NotFittedError
            An `EMST` that has not been fitted.
        RuntimeError
            Workers died, and what they held cannot be computed again.

        Examples
        --------
        >>> import numpy as np
        >>> from emst.dask import EMST, local_cluster
        >>> client = local_cluster(2, device="cpu")
        >>> mst = EMST(client=client).fit(np.array([[0.0], [1.0], [5.0], [7.0]]))
        >>> mst.cut(1.0).compute(), mst.cut(1.0, min_cluster_size=2).compute()
        (array([0, 0, 1, 2]), array([ 0,  0, -1, -1]))
        >>> client.close()
        """
        check_min_cluster_size(min_cluster_size)  # its result has a bound that more than 2**31 points may exceed
        return self._labels([check_number("distance", distance)], int(min_cluster_size))[:, 0]
