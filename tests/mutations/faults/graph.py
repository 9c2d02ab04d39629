"""Faults in forests of graphs."""

from .fault import Fault

ATOMICS = "tests/runtime/test_atomics.py::test_shared_elements_are_lowered_or_claimed_in_one_step"

FAULTS = [
    Fault(
        "edges that leave the giant component are dropped",
        "emst/cpu/graph/worklist.py",
        "not (_has(inside, v) & _has(",
        "not (_has(inside, v) | _has(",
        ("tests/graph/test_cpu_graph.py::test_edges_that_leave_the_giant_component_stay",),
    ),
    Fault(
        "an offer to the larger end is not atomic",
        "emst/cpu/graph/offers.py",
        "        lower(best, b, number)\n",
        "        best[b] = min(best[b], number)\n",
        (ATOMICS,),
    ),
    Fault(
        "a start vertex is claimed without compare-and-swap",
        "emst/cpu/graph/partial_prim.py",
        "        if compare_and_swap(owner, root, NOBODY, me) != NOBODY:\n            continue\n",
        "        if load(owner, root) != NOBODY:\n            continue\n        owner[root] = me\n",
        (ATOMICS,),
    ),
]
