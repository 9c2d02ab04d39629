"""From the contracted partitions to clusters, on one worker, and back to the points."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Array, Linkage
from emst.cpu.hierarchy.linkage import weighted_sizes
from emst.dask.certain import Local, OpenEdges
from emst.dask.contract import Contracted
from emst.dask.order import total_order
from emst.dask.sizes import Sized
from emst.distances.metrics import Metric
from emst.hierarchy.selection import FlatClustering, Options, flat_clustering
from emst.spanning import heights
