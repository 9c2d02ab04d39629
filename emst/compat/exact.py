"""`HDBSCANGPU` with the conventions of the peers, for what they decide otherwise and no parameter says."""

from __future__ import annotations

from emst.hdbscan import HDBSCANGPU
from emst.hdbscan.parameters import Conventions


class PeersHDBSCAN(HDBSCANGPU):
    """What `exact_` of the classes of `emst.compat` is: an `HDBSCANGPU` that follows hdbscan, scikit-learn and cuML.

    With "leaf" and `allow_single_cluster`, all points are noise if the root never splits; `recluster` keeps to that.
    Under haversine, a latitude beyond a pole is taken for the place where it leads, with a UserWarning.
    """

    _conventions = Conventions(unsplit_root=False, wraps_places=True)
