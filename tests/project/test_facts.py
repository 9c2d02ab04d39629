"""Numbers on pages that repeat constants of the code are those of the code."""

import math
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORDS = {word: number for number, word in enumerate("zero one two three four five six seven eight nine ten".split())}
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
CPU, CUDA = "emst/cpu/", "emst/cuda/"
CONSTANTS = CUDA + "runtime/constants.py"
# Page, a regular expression with one group, which spaces and line breaks do not matter to; file, constant or formula.
FACTS = [
    ("guide/graph_inputs.md", r"the greatest is at least ([\d,]+), and at", "emst/graph/ids.py", "FEW"),
    ("guide/graph_inputs.md", r"and at least (\w+) times the number of edges", "emst/graph/ids.py", "PER_EDGE"),
    ("guide/graph_files.md", r"among the first (\d+) rows", "emst/io/tables.py", "FIRST_ROWS"),
    ("migration/networkx.md", r"of at least ([\d,]+) edges", "emst/compat/networkx/backend.py", "WORTH_IT"),
    ("how/backends.md", r"points of a packet \| (\d+), in one vector", CPU + "runtime/lanes.py", "LANES"),
    ("how/backends.md", r"points of a leaf \| (\d+),", CPU + "runtime/lanes.py", "LANES"),
    ("how/backends.md", r"points of a leaf \| 16, one vector \| (\d+),", CONSTANTS, "LEAF"),
    ("how/backends.md", r"children of a node \| (\d+),", CPU + "runtime/lanes.py", "LANES"),
    ("how/backends.md", r"children of a node \| 16, one vector \| (\d+),", CONSTANTS, "FAN"),
    ("how/backends.md", r"many_dimensions.md\) \| from (\d+) on", CPU + "points/engine.py", "LEAST_AXES"),
    ("how/backends.md", r"from (\d+) on products", CUDA + "points/engine.py", "BRUTE_FROM"),
    ("how/backends.md", r"on products; from (\d+) on", CUDA + "points/engine.py", "LOOK_FROM"),
    ("how/searching.md", r"a leaf of (\d+) points", CONSTANTS, "LEAF"),
    ("how/searching.md", r"and (\w+) such points are served at once", CONSTANTS, "FAN // LEAF"),
    ("how/searching.md", r"visits the (\d+) leaves around", CPU + "runtime/lanes.py", "LANES"),
    ("how/curve.md", r"more than (\d+) points is divided", "emst/backend/records.py", "CROWD"),
    ("how/curve.md", r"At most (\d+) take part", "emst/backend/records.py", "MOST_CURVE_AXES"),
    ("how/curve.md", r"a number of (\d+) bits", "emst/backend/records.py", "CURVE_BITS"),
    ("how/curve.md", r"the highest (\d+), 32 or 40 bits", CONSTANTS, "LEAST_PASSES * DIGIT_BITS"),
    ("how/curve.md", r"the highest 24, 32 or (\d+) bits", CONSTANTS, "MOST_PASSES * DIGIT_BITS"),
    ("how/rounds.md", r"a list of (\w+) neighbours", CPU + "points/cached.py", "LISTED"),
    ("how/rounds.md", r"at least ([\d,]+) components", CPU + "points/cached.py", "LIST_FROM"),
    ("how/rounds.md", r"([\d.]+) times the square", CUDA + "points/search.py", "SLACK"),
    ("how/rounds.md", r"([\d.]+) times under mutual", CUDA + "points/search.py", "SLACK_MRD"),
    ("how/rounds.md", r"up to ([\d,]+) coordinates", CPU + "points/small.py", "FEW"),
    ("how/rounds.md", r"limit is ([\d,]+) points", CONSTANTS, "FEW_POINTS"),
    ("how/rounds.md", r"all rounds of up to ([\d,]+) points", CUDA + "points/rounds.py", "ALL_UP_TO"),
    ("how/linkage.md", r"for more than ([\d,]+) points", CUDA + "points/rounds.py", "ALL_UP_TO"),
    ("how/linkage.md", r"more than one in (\w+) points repeats", CUDA + "points/duplicates.py", "FEW_RUNS + 1"),
    ("how/rounds.md", r"begin with (\d+) points a component", CUDA + "points/rounds.py", "SHARE"),
    ("how/mutual_reachability.md", r"of which (\d+) are kept", CPU + "points/knn.py", "KEPT"),
    ("how/mutual_reachability.md", r"its nearest (\d+), of", CPU + "runtime/lanes.py", "LANES"),
    ("how/mutual_reachability.md", r"Up to k = (\d+),", CUDA + "points/knn.py", "LONGEST_LIST"),
    ("how/mutual_reachability.md", r"distances in (\d+) bins", CUDA + "distances/selection.cuh", "BINS"),
    ("how/many_dimensions.md", r"up to (\d+) points with all others", CPU + "points/products.py", "MOST_ROWS"),
    ("how/many_dimensions.md", r"products of (\d+) coordinates are added", CPU + "points/products.py", "PART"),
    ("how/many_dimensions.md", r"m = min\(d, (\d+)\)", CPU + "points/products.py", "PART"),
    ("how/many_dimensions.md", r"holds up to 2([⁰-⁹¹²³]+) dimensions", CPU + "points/products.py", "log2(MOST_AXES)"),
    ("how/many_dimensions.md", r"Euclidean norm, from (\d+) dimensions and", CPU + "points/engine.py", "LEAST_AXES"),
    ("how/many_dimensions.md", r"dimensions and (\d+) points on", CPU + "points/engine.py", "LEAST_POINTS"),
    ("how/many_dimensions.md", r"for each thread (\d+) MB", CPU + "points/products.py", "BLOCK * 4 >> 20"),
    ("how/many_dimensions.md", r"between 2¹⁴ and 2([⁰-⁹¹²³]+)\.", CUDA + "points/products.py", "GREATEST"),
    ("how/many_dimensions.md", r"add runs of (\d+) terms", CONSTANTS, "PRODUCT_RUN"),
    ("how/many_dimensions.md", r"With up to (\d+) dimensions there is one run", CONSTANTS, "PRODUCT_CHUNK"),
    ("how/many_dimensions.md", r"greatest ρ of (\d+) points", CONSTANTS, "PRODUCT_TILE"),
    ("how/many_dimensions.md", r"divided into groups of (\d+)", CUDA + "points/products.py", "GROUP"),
    ("how/many_dimensions.md", r"Tiles of (\d+) points whose", CONSTANTS, "PRODUCT_TILE"),
    ("how/many_dimensions.md", r"from ([\d,]+) points on: always", CUDA + "points/engine.py", "LEAST_MULTIPLIED"),
    ("how/many_dimensions.md", r"always from (\d+) dimensions on", CUDA + "points/engine.py", "BRUTE_FROM"),
    ("how/many_dimensions.md", r"between (\d+) and 32, for", CUDA + "points/engine.py", "LOOK_FROM"),
    ("how/many_dimensions.md", r"between 12 and (\d+), for", CUDA + "points/engine.py", "BRUTE_FROM - 1"),
    ("how/many_dimensions.md", r"for ([\d,]+) to [\d,]+ points", CUDA + "points/engine.py", "LEAST_LOOKED"),
    ("how/many_dimensions.md", r"for [\d,]+ to ([\d,]+) points", CUDA + "points/engine.py", "MOST_LOOKED"),
    ("how/many_dimensions.md", r"a look at (\d+) points", CUDA + "points/engine.py", "LOOKED_AT"),
    ("how/many_dimensions.md", r"\(of a multiple of (\d+)\)", CONSTANTS, "PRODUCT_CHUNK"),
    ("how/many_dimensions.md", r"the (\d+) points of a tile lie close", CONSTANTS, "BRUTE_TILE"),
    ("how/rounding.md", r"in pieces of ([\d,]+),", CONSTANTS, "PIECE"),
    ("how/rounding.md", r"in pieces of ([\d,]+),", CPU + "hierarchy/sums.py", "PIECE"),
    ("how/rounding.md", r"(\d+) partial sums", CPU + "hierarchy/sums.py", "LANES"),
    ("how/rounding.md", r"whose unit is 2\^-(\d+) of", CPU + "hierarchy/sums.py", "SPARE"),
    ("how/condensed.md", r"after (\d+) steps a warp", CONSTANTS, "AHEAD"),
    ("how/condensed.md", r"become (\d+) times as long", CONSTANTS, "AHEAD"),
    ("how/condensed.md", r"Up to ([\d,]+) clusters are selected", CUDA + "hierarchy/selection.py", "SELECTED_AT_ONCE"),
    ("how/graphs.md", r"a sample of (\d+) edges", CONSTANTS, "GRAPH_THREADS"),
    ("how/graphs.md", r"about ([\d.]+) edges per vertex\. The", CUDA + "graph/forest.cu", "LIGHT / 4"),
    ("how/graphs.md", r"about (\w+) edges per component", CPU + "graph/forest.py", "LIGHT"),
    ("how/graphs.md", r"a sample of ([\d,]+) edges gives the", CPU + "graph/forest.py", "SAMPLE"),
    ("how/graphs.md", r"With up to (\w+) threads", CPU + "graph/offers.py", "FEW_THREADS"),
    ("how/graphs.md", r"climbs at most (\d+) steps", CUDA + "contract.cuh", "HOPS"),
    ("how/metrics.md", r"by a factor of 1 - 2\^-(\d+)", CPU + "points/norms.py", "-log2(1 - BELOW)"),
    ("guide/memory.md", r"On the CPU, from (\d+) dimensions on", CPU + "points/engine.py", "LEAST_AXES"),
    ("guide/memory.md", r"On the GPU, from (\d+) dimensions on", CUDA + "points/engine.py", "LOOK_FROM"),
    ("guide/memory.md", r"lists of up to (\d+) neighbours", CUDA + "points/knn.py", "LONGEST_LIST"),
    ("guide/first_call.md", r"number of dimensions up to (\d+)", CUDA + "points/engine.py", "BRUTE_FROM - 1"),
    ("guide/first_call.md", r"each `min_samples` up to (\d+)", CUDA + "points/knn.py", "LONGEST_LIST"),
    ("guide/limits.md", r"([\d,]+) points or vertices", "emst/inputs/points.py", "MAX_POINTS"),
    ("guide/memory.md", r"up to ([\d,]+) points or vertices", "emst/graph/input.py", "MOST_VERTICES"),
    (
        "guide/memory.md",
        r"published algorithms\S+ the limit is ([\d,]+)\.",
        "emst/graph/algorithms/edges.py",
        "MOST_EDGES",
    ),
    ("benchmarks/first_call.md", r"Up to ([\d,]+) points are joined", CONSTANTS, "FEW_POINTS"),
    ("benchmarks/trees.md", r"Up to (\d+) the GPU keeps lists", CUDA + "points/knn.py", "LONGEST_LIST"),
    ("guide/graph_algorithms.md", r"`gamma=(\d+)`", "emst/graph/algorithms/partial_prim.py", "GAMMA"),
    ("guide/graph_algorithms.md", r"`offload=([\d.]+)`", "emst/graph/algorithms/hybrid.py", "OFFLOAD"),
    ("guide/graph_algorithms.md", r"A row of more than ([\d,]+) edges", CUDA + "graph/partial_prim.cu", "PATIENCE"),
    ("guide/validity.md", r"fewer than ([\d,]+) points", CUDA + "distances/validity.py", "LARGE"),
    ("guide/html_page.md", r"Of more than ([\d,]+) points", "emst/plots/page.py", "MOST"),
    ("guide/html_page.md", r"one of ([\d,]+) steps", "emst/plots/packing.py", "2**BITS"),
    ("scale_out/how.md", r"Samples of some ([\d,]+) codes", "emst/partitions/partition.py", "round(SAMPLE, -3)"),
    ("scale_out/how.md", r"about ([\d,]+) boxes each", "emst/partitions/outline.py", "BOXES"),
    ("scale_out/how.md", r"\(([\d,]+) between GPUs", "emst/partitions/outline.py", "FEW_BOXES"),
    ("scale_out/how.md", r"more than ([\d,]+) partitions", CUDA + "partitions/rounds.py", "MOST_MEMBERS"),
    ("scale_out/faults.md", r"all workers are gone for (\d+) seconds", "emst/dask/faults.py", "NO_WORKERS_FOR"),
    ("scale_out/faults.md", r"waited for memory for (\d+) seconds", "emst/dask/faults.py", "PAUSED_FOR"),
    ("scale_out/faults.md", r"have had no task for (\d+) seconds", "emst/dask/faults.py", "IDLE_FOR"),
    ("scale_out/faults.md", r"counts (\d+) bytes", "emst/partitions/spanning.py", "BYTES_A_POINT"),
]
DEFINITION = re.compile(r"^ *(?:(?:static )?constexpr \w+ )?((?:[A-Z]\w*, )*[A-Z]\w*) = ([^#;\n]*)", re.M)
SECOND = re.compile(r", [A-Z]\w* = ")  # what a line of CUDA code defines beside the first


def constants(file):
    """What a file defines by numbers alone: read as text, so CUDA code and modules that need CuPy do as well."""
    found = {"log2": math.log2, "sqrt": math.sqrt, "round": round, "__builtins__": {}}
    for names, value in DEFINITION.findall((ROOT / file).read_text()):
        try:
            values = eval(SECOND.split(value)[0], dict(found))
        except (NameError, SyntaxError, TypeError, AttributeError):
            continue
        several = values if isinstance(values, tuple) else (values,)
        found.update(zip(names.split(", "), several))
    return found


def number(text):
    return WORDS[text] if text in WORDS else float(text.translate(RAISED).replace(",", ""))


@pytest.mark.parametrize("page, fact, file, formula", FACTS, ids=lambda part: str(part))
def test_a_number_on_a_page_is_that_of_the_code(page, fact, file, formula):
    text = " ".join((ROOT / "docs" / page).read_text().split())
    told = re.findall(fact, text)
    assert told, "the page does not say it any more: adapt this list"
    assert [number(one) for one in told] == [eval(formula, constants(file))] * len(told)


def test_the_tiles_of_products_on_the_cpu():
    """They depend on the processor."""
    text = " ".join((ROOT / "docs" / "how" / "many_dimensions.md").read_text().split())
    told = re.search(r"tiles of (\w+) points and (\w+) leaves, (\w+) vectors .* \((\w+) points and (\w+) leaf on", text)
    tall, wide, vectors, least_tall, least_wide = map(number, told.groups())
    source = (ROOT / "emst" / "cpu" / "points" / "products.py").read_text()
    assert f"TALL, WIDE = ({tall:.0f}, {wide:.0f}) if" in source
    assert f"else ({least_tall:.0f}, {least_wide:.0f})" in source
    assert vectors == tall * wide
