"""What points of a partition ask others in a round, and what a partition is asked by others."""

from __future__ import annotations

import numpy as np

from emst.backend.partition_records import GatheredQuestions, Questions
from emst.cpu.partitions.components import asking_points
from emst.cpu.partitions.outline import list_hits, outline_hits
from emst.cpu.points.bvh import build_queries
from emst.cpu.runtime.copies import concatenated


def questions(index, asking, base, numbering, outline, home):
    """See `emst.backend.partition_operations`."""
    rows, suffice = asking_points(asking, None, None)()
    if not suffice:
        return lambda: None
    places = rows if asking.places is None else asking.places[rows]
    component = asking.component[places]
    label = asking.group[component]
    points = index.points(places)
    members, start = list_hits(outline_hits(points, label, asking.bound[label], outline, home, index.norm))
    component, places = component[members], places[members]
    core = None if index.core is None else index.core[places]
    radius, ids = asking.bound[label[members]], numbering.ids(places)
    asked = Questions(points[members], component + np.int32(base), core, radius, ids)
    return lambda: (asked, start)


def gathered_questions(packets, label, norm):
    """See `emst.backend.partition_operations`."""
    columns = zip(*packets)
    points, component, core, radius, ids = (None if parts[0] is None else concatenated(parts) for parts in columns)
    return GatheredQuestions(build_queries(points, norm), label[component], component, core, radius, ids)
