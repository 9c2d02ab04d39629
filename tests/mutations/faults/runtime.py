"""Faults in what the CPU's stages share, and where their threads meet."""

from .fault import Fault

RACES = "tests/runtime/test_races.py::test_threads_that_meet_in_any_way_change_no_bit"
LATE = "tests/runtime/test_parallel.py::test_a_chunk_is_run_however_late_its_thread_begins_with_it"

FAULTS = [
    Fault(
        "the calling thread ends the others when it finds no chunk",
        "emst/cpu/runtime/parallel.py",
        "        finish(futures)  # a helper may",
        "        stop = True\n        finish(futures)  # a helper may",
        (LATE,),
    ),
    Fault(
        "an edge that another thread wrote first is not seen",
        "emst/cpu/points/lightest.py",
        "        while improved.any():\n",
        "        while improved.all():\n",
        (RACES,),
    ),
    Fault(
        "a node is claimed without compare-and-swap",
        "emst/cpu/hierarchy/nodes.py",
        "            elif compare_and_swap(claimed, at, np.int32(-1), below) != -1:\n",
        "            elif claimed[at] == -1:\n                claimed[at] = below\n            else:\n",
        (RACES,),
    ),
]
