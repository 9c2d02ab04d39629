"""Faults that tests must notice, a file for each room of the code."""

from . import (
    backend,
    cli,
    compat,
    cuda_graph,
    cuda_hierarchy,
    cuda_partitions,
    cuda_points,
    cuda_runtime,
    distances,
    graph,
    hdbscan,
    hierarchy,
    inputs,
    io,
    partitions,
    plots,
    points,
    runtime,
    top,
)
from .fault import Fault

ROOMS = (
    points,
    graph,
    hierarchy,
    distances,
    runtime,
    hdbscan,
    backend,
    inputs,
    io,
    cli,
    plots,
    compat,
    partitions,
    top,
)
CUDA_ROOMS = (cuda_points, cuda_graph, cuda_hierarchy, cuda_partitions, cuda_runtime)
FAULTS = [fault for room in ROOMS + CUDA_ROOMS for fault in room.FAULTS]

__all__ = ["FAULTS", "Fault"]
