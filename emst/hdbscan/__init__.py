"""HDBSCAN*: the estimator, and what a fit goes through.

`parameters.py` says what is asked of it, `fitting.py` builds the spanning tree, `model.py` holds it and what follows
from it by `emst.hierarchy`; `attributes.py` and `centers.py` answer what is asked later.
"""

from emst.hdbscan.estimator import HDBSCAN, HDBSCANGPU

__all__ = ["HDBSCAN", "HDBSCANGPU"]
