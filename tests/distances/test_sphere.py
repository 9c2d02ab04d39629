"""Lengths of arcs on a sphere."""

import math

import numpy as np
from helpers import to_device, to_host

from emst import minimum_spanning_tree
from emst.distances.sphere import Sphere


def test_no_arc_is_longer_than_half_a_circle(ops):
    """Chords are rounded, to more than the diameter as well."""
    chord = to_device(ops, np.array([2.0, np.nextafter(2.0, 3.0)]))
    assert to_host(Sphere(radius=10.0).arc(chord)).tolist() == [10 * math.pi] * 2


def test_antipodes(ops):
    """Their images are 2.0000000000000004 apart on the CPU. A last digit of a chord counts 1e-8 of so long an arc."""
    x = to_device(ops, np.array([[-23.0, 22.0], [23.0, -158.0]]))
    tree = minimum_spanning_tree(x, metric="haversine", metric_params={"degrees": True}, device=ops.name)
    np.testing.assert_allclose(to_host(tree.weights), [math.pi], rtol=1e-7)
