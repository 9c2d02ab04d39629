"""Partitions of points with outlines, for tests of what partitions know of one another."""

import numpy as np
from helpers import cloud, to_device, to_host

from emst.backend.partition_records import Outline


def outline_of(parts, labels, random, dividing=0.9):
    """Trees over ranges of the points of every partition: two to 32 children a node; leaves on any level, of one point
    or of many."""
    low, high, child, children, label, start = [], [], [], [], [], [0]
    for x, own in zip(parts, labels):
        waiting = [(0, len(x))] if len(x) else []
        first = len(low)
        for begin, end in waiting:  # it grows: level by level, so children lie one after the other
            low.append(x[begin:end].min(axis=0))
            high.append(x[begin:end].max(axis=0))
            label.append(own[begin] if (own[begin:end] == own[begin]).all() else -1)
            divided = end - begin > 1 and random.random() < dividing
            fan = min(int(random.integers(2, 33)), end - begin) if divided else 0
            child.append(first + len(waiting) if divided else -1)
            children.append(fan)
            cuts = [begin, *sorted(random.choice(np.arange(begin + 1, end), fan - 1, False)), end] if divided else []
            waiting += zip(cuts[:-1], cuts[1:])
        start.append(len(low))
    corners = (np.array(values, parts[0].dtype).reshape(-1, parts[0].shape[1]) for values in (low, high))
    return Outline(*corners, *(np.array(values, np.int32) for values in (child, children, label, start)))


def single_points(x, cuts):
    """An outline whose leaves are the points."""
    parts = np.split(x, cuts)
    return outline_of(parts, [np.zeros(len(part), np.int32) for part in parts], np.random.default_rng(0), 1.0)


def partitions(n, d, dtype, kind, seed=0):
    """Points cut into ranges along the first axis, some of them empty, with components; and their outline."""
    random = np.random.default_rng([seed, n, d])
    x = cloud(n, d, dtype, kind)
    x = x[np.argsort(x[:, 0], kind="stable")]
    labels = (np.arange(n) * 5 // n * random.integers(0, 2, n)).astype(np.int32)
    cuts = np.sort(random.integers(0, n + 1, 5))
    parts, names = np.split(x, cuts), np.split(labels, cuts)
    return x, labels, cuts, outline_of([*parts, x[:0]], [*names, labels[:0]], random)


def on(ops, outline):
    return Outline(*(to_device(ops, field) for field in outline))


class OnHost:
    """What the reference reads of a hierarchy of the backend, in numpy arrays."""

    def __init__(self, index):
        self.n, self.dtype, self.norm, self.levels = index.n, index.dtype, index.norm, index.levels
        self.core = None if index.core is None else to_host(index.core)
        self.points = lambda: to_host(index.points())
