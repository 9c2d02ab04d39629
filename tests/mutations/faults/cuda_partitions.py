"""Faults in the CUDA kernels of partitions."""

from .fault import Fault

DENDROGRAM = "tests/gpus/test_first_round.py::test_the_dendrogram_is_the_same"
FIRST = f"{DENDROGRAM}[cuda-many-uniform-float32-5-3]"
TIES = f"{DENDROGRAM}[cuda-many-grid-float32-2-2]"
LISTS = "tests/partitions/test_gathered.py"
ROUNDS = "tests/partitions/test_rounds.py"

FAULTS = [
    Fault(
        "an edge from an earlier partition comes after those of the same keys",
        "emst/cuda/partitions/before.cuh",
        "smaller < 0 ? 0 : packed_edge",
        "packed_edge",
        (TIES,),
    ),
    Fault(
        "of edges of the same keys, those that rounds have found come first",
        "emst/cuda/partitions/before.cuh",
        "packed_edge(places[middle].x, places[middle].y) < ends;",
        "false;",
        (LISTS,),
    ),
    Fault(
        "a point that was held back chooses among certain edges alone",
        "emst/cuda/partitions/first_rounds.cu",
        "    atomicMin(choice + place, number);\n",
        "",
        (FIRST,),
    ),
    Fault(
        "a point that was held back chooses among found edges alone",
        "emst/cuda/partitions/first_rounds.cu",
        "    if (is_held(hooks, ends[j].y)) atomicMin(choice + ends[j].y, certain_choice(i));\n",
        "",
        (FIRST,),
    ),
    Fault(
        "the components at the ends of a found edge are in the order of ids",
        "emst/cuda/partitions/first_rounds.cu",
        "  if (row.y < row.x) end = make_uint2(end.y, end.x);\n",
        "",
        (FIRST,),
    ),
    Fault(
        "components of partitions share numbers where edges are left",
        "emst/cuda/partitions/first_rounds.cuh",
        "make_int2((int)base + of_ends.x, (int)base + of_ends.y)",
        "make_int2(of_ends.x, (int)base + of_ends.y)",
        (FIRST,),
    ),
    Fault(
        "a first round in which no component was sure is kept",
        "emst/cuda/partitions/border.py",
        "            merges.hooks = None  # the first round is not that of the tree of all points\n",
        "            pass\n",
        ("tests/gpus/test_first_round.py::test_no_point_is_sure_of_its_edge",),
    ),
    Fault(
        "runs that wait count as components that hook",
        "emst/cuda/partitions/border.cu",
        "!(waiting && is_run(waiting, n, components[k]))",
        "true",
        ("tests/gpus/test_first_round.py::test_only_runs_are_sure_of_their_edge",),
    ),
    Fault(
        "products keep a first round, in which a point has no edge",
        "emst/cuda/points/duplicates.py",
        " and index.engine is not Engine.PRODUCTS",
        "",
        ("tests/hierarchy/test_first_round.py::test_fits_are_those_of_the_cpu",),
    ),
    Fault(
        "an edge of a partition keeps the power of another one",
        "emst/cuda/points/result.cu",
        "    if constexpr (LISTED && MRD) power[at] = edge.key[KEYS<T, MRD> - 1];\n",
        "    if constexpr (LISTED && MRD) power[at] = edge.key[0];\n",
        (LISTS,),
    ),
    Fault(
        "in long runs of ties, edges of partitions come in the order of their larger ends",
        "emst/cuda/points/result.py",
        "    for smaller in (False, True):\n",
        '    for smaller in (in_list == "true", in_list != "true"):\n',
        ("tests/points/test_result.py::test_many_edges_of_the_same_weight",),
    ),
    Fault(
        "the bounds of repeated points are finite",
        "emst/cuda/partitions/border.cu",
        "ends && ends[i] != NO_EDGE ? INFINITE<T> : ",
        "",
        ("tests/partitions/test_border.py::test_bound_weights",),
    ),
    Fault(
        "points beyond the border do not ask in rounds at once",
        "emst/cuda/partitions/rounds.cu",
        "*here.exceeds ? all : near",
        "near",
        (f"{ROUNDS}::test_points_beyond_the_border_ask",),
    ),
    Fault(
        "in every round, members get the labels of the first one",
        "emst/cuda/partitions/rounds.cu",
        "home.label + now.round % 2 * home.labels",
        "home.label",
        (f"{ROUNDS}::test_all_rounds[cuda-uniform-1-5]",),
    ),
    Fault(
        "the last question of a member is not answered",
        "emst/cuda/partitions/rounds.cu",
        "size && q < asked;",
        "size && q < asked - 1;",
        (f"{ROUNDS}::test_all_rounds[cuda-uniform-1-5]",),
    ),
    Fault(
        "a member whose points did not all have a place asks nothing",
        "emst/cuda/partitions/rounds.cu",
        "bool fits = *members[me].listed <= members[me].room;",
        "bool fits = true;",
        (f"{ROUNDS}::test_rounds_with_more_questions_than_places[1]",),
    ),
    Fault(
        "rounds with more places forget the edges of those before",
        "emst/cuda/partitions/rounds.py",
        "taken = OpenEdges(concatenated([before.taken.words, further.taken.words]))",
        "taken = further.taken",
        (f"{ROUNDS}::test_rounds_with_more_questions_than_places[1]",),
    ),
    Fault(
        "nodes keep the labels of the round before",
        "emst/cuda/partitions/rounds.py",
        "                _start(one.mark)\n",
        "",
        (f"{ROUNDS}::test_all_rounds[cuda-uniform-1-5]",),
    ),
    Fault(
        "the merge above a phantom is open, those above it may be closed",
        "emst/cuda/partitions/closed.cu",
        "for (int i = above[v]; closed[i]; i = parent[i]) closed[i] = false;",
        "closed[above[v]] = false;",
        ("tests/partitions/test_closed.py::test_long_chains[cuda-4000-60000]",),
    ),
    Fault(
        "vertices far below the highest closed merge do not reach it",
        "emst/cuda/partitions/closed.py",
        "range(min(least, m).bit_length())",
        "range(min(least, m, 9).bit_length())",
        ("tests/partitions/test_closed.py::test_long_chains[cuda-4000-60000]",),
    ),
]
