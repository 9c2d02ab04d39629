"""Numbers that the kernels and Python must agree on, spelled here alone.

`compile` hands each to the kernels as a macro: ``LEAF`` is ``EMST_LEAF`` there. What the CPU uses as well comes from
the records.
"""

from emst.backend import records

# Launches.
BLOCK = 256  # threads of a block where nothing else is said
EACH = 4  # points that a thread takes in a pass over all points (exact.cuh)
MOST_PIECES = 64  # arrays that one launch copies (copies.cu)
MOST_SENDERS = 64  # of questions that one launch gathers (questions.cu)

# Compaction, scans and sorting.
COMPACT_TILE, SCAN_TILE = 4096, 1024  # indices of a block (compact.cuh, scan.cuh)
BITS_TILE = 256  # words of a block that lists bits (compact.cuh)
COUNTER_WORDS = 16  # words before those of the tiles (lookback.cuh)
SORT_THREADS, SORT_RESIDENT = 384, 3  # of a block; blocks of a multiprocessor (sort.cu)
PACKED_ITEMS = 14  # packed keys of a thread
PAIRS_ITEMS_32, PAIRS_ITEMS_64, PAIRS_ITEMS_64_AT_ONCE = 16, 12, 8  # keys of a thread that have values (sort.cu)
SORT_SAMPLE, SAMPLE_THREADS = 4096, 1024
DIGIT_BITS = 8
LEAST_PASSES, MOST_PASSES = 3, 5  # by which packed keys are sorted (packed.cuh)
TIES_A_THREAD = 4  # places of a thread (ties.cuh)
MERGED_EACH = 9  # edges of a thread that merges two lists, odd so that threads use different banks (gathered.cu)
LONGEST_RUN = 64  # of equally heavy edges that are put in order while they are written (result.cu)
CLIMBS, MEETING_WORDS = 8, 12  # passes towards roots, at most; 32-bit words of a `Meeting` (contraction.cuh)
JOINED_WORDS = 5  # 32-bit words of the `Progress` in partitions/rounds.cu

# The order of points, their hierarchy and its walk.
SPLIT_TILE, MOST_SPLITS = 2048, 32  # points of a block; segments up to which points are counted, not sorted (split.cu)
CROWD, CURVE_BITS = records.CROWD, records.CURVE_BITS
LEAF = 16  # points of a leaf (bvh.cuh)
FAN = 32  # children of a node: one for every lane
MAX_LEVELS = 8
WALK_WARPS = 4  # packets of a block (walk.cuh)
SPANS = 8  # of 32 points that a warp looks at together (search.cu)
LISTED_UP_TO = 4  # dimensions: with more, a packet has more leaves nearby than a list has places (leaves.cuh)
ROUNDS_BLOCKS = 8  # of a multiprocessor, at most: more search sooner, but wait longer for each other (rounds.cu)
ROUNDS_WORDS = 33  # 32-bit words of the `State` in rounds.cu

# Few points, keys or edges, which are compared all with all.
FEW = 10_240
FEW_POINTS = 5_500  # beyond them rounds by walks take less time
FEW_THREADS = 1024  # of a block that does all steps (scan.cuh, selection.cu)
SMALL_ROUNDS = 14  # in which Borůvka's rule joins them all
SMALL_WORDS = SMALL_ROUNDS + 2  # 32-bit words of the `State` in small.cu

# All pairs of points, rows of distances, norms.
BRUTE_QUERIES = 128  # threads of a block, each with one query (tiles.cuh)
BRUTE_TILE = 32  # points that a query is compared with at once
BRUTE_CHUNK = 16  # coordinates of them that are read at once
BRUTE_SPLITS = 64  # parts that the points are split into at most (brute.cu)
PRODUCT_TILE = 128  # rows and columns of products that a block computes at once (products.cuh)
PRODUCT_CHUNK = 64  # halves of a row that it reads at once
PRODUCT_RUN = 32  # terms that tensor cores add
PRODUCT_THREADS = 256
CANDIDATES = 1024  # places for the pairs of a point that products leave (candidates.cuh)
EUCLIDEAN, MANHATTAN, CHEBYSHEV, POWERS, ANY_POWER = range(5)  # metrics (metric.cuh)
PERIODIC = 8  # added to the number of a metric whose differences wrap
LOG2_SERIES, EXP2_SERIES = records.LOG2_SERIES, records.EXP2_SERIES
ROW_THREADS = 256  # a block takes a row (rows.cu)
TREE_THREADS = 256  # of a block that grows a cluster's tree (validity.cu)

# The dendrogram and the condensed tree.
ROUND_THREADS, PROGRESS_WORDS = 512, 97  # of a block; 64-bit words of a `Progress` (rounds.cuh)
HOOK_WORDS = 3  # of 32 points (first_round.cuh)
PIECE = 1024  # terms that a warp adds (members.cuh)
CONDENSED_WORDS = 7  # 64-bit words a merge of the `Scratch` in condensed_few.cu
FARTHER = records.FARTHER
AHEAD = 32  # from a cluster to its far ancestor: one step for each lane (climb.cuh, selection.cu)
NO_WORD = 2**64 - 1  # nothing has been passed up yet (siblings.cuh)

# Graphs.
GRAPH_THREADS = 256  # of a block (entries.cuh)
GRAPH_TILE = 256  # entries that a warp works on at once
MOST_BLOCKS = 4096  # that have a place in a `State` (worklist.cuh, components.cu)
FOREST_WORDS = 4871  # 64-bit words of the `State` in worklist.cuh
NUMBERING_WORDS = 4097  # and of that in components.cu
COMPONENT_THREADS = 256
STATISTICS_FIELDS = 13  # of the result (statistics.cu)

MACROS = {f"EMST_{name}": value for name, value in list(globals().items()) if name.isupper()}
