"""Times by stage: figure 8 of the ICPP'22 paper."""

from __future__ import annotations

import statistics

from race import on_device
from stages import time_stages

from .point_lab import PointLab
from .table import Table

STAGES = {  # operations of the backend; those of no other stage are in "rounds"
    "order": ["asarray", "point_statistics", "curve_codes", "curve_order", "sort_order"],
    "hierarchy of boxes": ["build_index"],
    "core distances": ["core_distances", "scale_cores", "set_cores"],
    "rounds": [],
    "sorted edges": ["sorted_edges", "unscaled"],
    "dendrogram": ["linkage"],
}
NOTE = (
    "Milliseconds, medians of runs in which every operation is timed by itself, and the share of each stage. The order "
    "along the curve and the hierarchy of boxes together are what ArborX calls the construction of the tree. The "
    "dendrogram follows the tree and is not in the times of the other figures. The paper's numbers were not at hand."
)


def phases(lab: PointLab) -> Table:
    """Figure 8: where the time goes."""
    rows = []
    for name in lab.options.sets:
        points = lab.points(name)
        if points is None:
            continue
        for k in lab.options.stage_k:
            milliseconds = _phases(lab, points, k)
            whole = sum(milliseconds.values())
            shares = [f"{time / whole:.0%}" for time in milliseconds.values()]
            cells = [f"{time:.4g} ({share})" for time, share in zip(milliseconds.values(), shares)]
            rows.append([lab.title, len(points), points.shape[1], k, *cells, whole])
    head = ["set", "points", "d", "k", *STAGES, "sum"]
    return Table("figure-8", "Figure 8: stages", head, rows, NOTE)


def _phases(lab: PointLab, points, k: int) -> dict[str, float]:
    device = lab.options.device
    points = on_device(device, points)
    runs = [time_stages(points, k, device, dendrogram=True)["seconds"] for _ in range(lab.options.runs + 1)][1:]
    stage_of = {operation: stage for stage, operations in STAGES.items() for operation in operations}
    sums = [dict.fromkeys(STAGES, 0.0) for _ in runs]
    for seconds, summed in zip(runs, sums):
        for operation, time in seconds.items():
            summed[stage_of.get(operation, "rounds")] += 1000 * time
    return {stage: statistics.median(summed[stage] for summed in sums) for stage in STAGES}
