"""From a minimum spanning tree to clusters, and what can be asked of them.

The stages in order: `linkage.py` (dendrogram), `condensed.py`, `flat.py` (clusters chosen, points labelled). Then, of a
clustering: `scores.py`, the `trees` as objects, new points (`joining.py`, `prediction.py`, `membership.py`); and of any
labels `validity.py`, with `pairs.py` for metrics that no backend knows.
"""
