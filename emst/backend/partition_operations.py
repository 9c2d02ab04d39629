"""What both backends do for partitions of points, `emst/partitions/`; see `operations.py`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from emst.backend.partition_records import (
    Asking,
    Components,
    GatheredQuestions,
    JoinedComponents,
    JoinedRounds,
    ListedEdges,
    Member,
    Numbering,
    OpenEdges,
    Outline,
    Questions,
    Reaches,
)
from emst.backend.records import Array, Forest, Linkage, Norm, SearchIndex


class PartitionOperations(Protocol):
    """Operations on one partition of the points, and on what is known of all."""

    # ---- the border --------------------------------------------------------------------------------------------------

    def split_points(
        self, points: Array, units: Array | None, first_row: int, dtype: Any, segments: Array, count: int
    ) -> tuple[Array, Array, Array | None, list[int]]:
        """Points T[n, d] in the order of their segments, int32[n], each from 0 to ``count - 1``; points of one segment
        stay in order. Then, in this order, their rows in `dtype`, int32 or int64, that of point i being
        ``first_row + i``; and their weights `units`, int64[n], or None. Then where every segment begins among them, and
        n: `count` + 1 numbers on the host."""

    def outline_reaches(self, index: SearchIndex, outline: Outline, home: int, highest: int, share: float) -> Reaches:
        """How far the points of partition `home` are from the other partitions, and which of them ask.

        The reach of a box is the power of its distance to the nearest leaf of the outline in a partition other than
        `home`, infinite if there is none. A point is a box with equal corners. The width of a box is the power of the
        vector from its low to its high corner, as of a distance, but without wrapping. A box is far if its reach is
        greater than its width.

        The boxes of level `highest` of the hierarchy come first, then those of the levels below it. All points of a far
        box get the reach of this box, and the boxes below it are skipped. All other points are near, and get their own
        reaches. If the hierarchy has no levels, all points are near.

        The radius of a point is its core distance, if the hierarchy keeps core distances. Without them, that of a near
        point is the width of its leaf times `share`, each rounded to T, or infinite without levels; the others have
        none. A point asks if its reach is at most its radius."""

    def outline_hits(
        self, points: Array, labels: Array | None, radius: Array, outline: Outline, home: int, norm: Norm
    ) -> Array:
        """Which partitions other than `home`, that of the points, have a leaf of the outline that is within `radius`,
        T[m], a power, of each point, T[m, d], and whose label is MIXED or differs from `labels`, int32[m]:
        bool[m, partitions]. Without `labels`, all leaves differ."""

    def list_hits(self, hits: Array) -> tuple[Array, list[int]]:
        """The points that hit each partition, by bool[m, partitions]: those of one partition after the other, int32[k],
        ascending for each; and where those of every partition begin, and k at the end: partitions + 1 numbers."""

    def node_boxes(self, index: SearchIndex, level: int, node: Array) -> Array:
        """Low and high corners of the boxes `node`, int32[m], of a level of the hierarchy: T[m, 2, d]. -1 as the level
        stands for points."""

    def take_reaches(self, reach: Array, asking: Array, radius: Array, answers: Sequence[tuple[Array, Array]]) -> None:
        """Write into `reach`, T[n], what the points `asking`, int32[m], were answered, who have asked for points within
        `radius`, T[m], a power.

        An answer is (chosen, first): power of the distance of the point ``asking[chosen[i]]`` to the nearest point
        there within its radius, T[c], infinity if there is none. `chosen`, int32[c], ascends; `first` may be a column
        of another array. The reach becomes the least of the answers. If all are infinite, it becomes the radius, unless
        it is greater."""

    def join_distances(self, powers: Array, answers: Sequence[tuple[Array, Array]]) -> Array:
        """The least of the numbers in every row of `powers`, T[m, count], and of its answers: T[m, count]. An answer is
        (chosen, found): row i of `found`, T[c, width], belongs to row ``chosen[i]``; `chosen`, int32[c], ascends. All
        rows ascend, before and afterwards, and no number is negative."""

    # ---- what is certain ---------------------------------------------------------------------------------------------

    def bound_weights(self, index: SearchIndex, forest: Forest, reach: Array) -> Array:
        """Lower bounds of the weights of edges from lower bounds of the powers of their distances, T[n]: the greater of
        `reach` and the core distance of every point, but infinity at the points that `join_duplicates` has joined to
        the first one of their component. It is `reach` itself if there are neither such points nor core distances."""

    def least_of_others(self, values: Array, places: Array) -> float:
        """The least of the numbers T[n], none of them negative, that are not at `places`, int32[m]; infinity if there
        are no others."""

    def join_bounds(self, forest: Forest, roots: Array, weight: Array, power: Array | None) -> None:
        """Give the components of a partition the least bounds of those that were joined. A bound, by root, is the least
        weight of an edge to other partitions, T[n], and the least power of a distance that goes with it, T[n]; `power`
        is None where weights are powers. `roots` are the components before."""

    def hold_back(self, index: SearchIndex, forest: Forest, weight: Array, power: Array | None) -> int:
        """Take the lightest edge from every component where it does not come before the bound (see `join_bounds`). The
        two are compared by (weight, power of the distance). Returns how many components keep their edge and hook by it
        in this round. If none would, no edge is taken, and the result is 0."""

    def number_points(self, labels: Array, roots: Array) -> tuple[Array, Array]:
        """The number of every point's component, int32[n], and how many points each component has, int64[count].
        `labels`, int32[n], holds the root of every point's component, and `roots`, int32[count], the root of each."""

    def take_open(
        self, index: SearchIndex, forest: Forest, roots: Array, component: Array, numbering: Numbering
    ) -> OpenEdges:
        """Take the edges from the forest by which components hooked since they were `roots`, int32[count], and return
        them in the order of these. Then the forest has these components again; its labels stay as they are. The ends of
        an edge lie in the components that `component`, int32[n], says, and have the ids that `numbering` says."""

    # ---- rounds ------------------------------------------------------------------------------------------------------

    def number_together(
        self, edges: Sequence[OpenEdges], boxes: Sequence[Array], sizes: Sequence[Array]
    ) -> tuple[OpenEdges, Components]:
        """The components of all partitions, numbered one partition after the other, and the edges between them. Of
        every partition there are the edges, the labels of its boxes, int32, and the points of its components, int64;
        these are counted from 0, and a label may be MIXED. The arrays may lie anywhere, and stay as they are."""

    def box_labels(self, index: SearchIndex, labels: Array, group: Array | None, level: Array, node: Array) -> Array:
        """Labels of boxes of the hierarchy, int32[m], after ``label_nodes(index, labels, group)``: of node ``node[i]``
        of level ``level[i]``, both int32[m]. -1 as a level stands for points; a level that the hierarchy does not have
        gives MIXED."""

    def asking_points(self, asking: Asking, nearest: Array, label: Array) -> tuple[Array, bool]:
        """Which of m points may have an edge to other partitions that is as light as the bound of their component:
        int32[k], ascending. The two are compared by (weight, power of the distance).

        `nearest`, int32[m], is a component that the lower bound was found to lead to, or -1; the point asks again if
        that is in its own component now, by `label`.

        And whether these are all points of the partition that may: not if the bound of a component of the partition is
        at least both `rest` and its least weight. But always if `rest` is infinite."""

    def gathered_questions(self, packets: Sequence[Questions], label: Array, norm: Norm) -> GatheredQuestions:
        """The questions of one or more senders, one after the other. ``label[component]`` is what a component is part
        of now, int32. Their arrays may lie anywhere."""

    def edges_across(
        self,
        nearest: Array,
        weight: Array,
        power: Array,
        query_component: Array,
        query_id: Array,
        component: Array,
        base: int,
        numbering: Numbering,
    ) -> OpenEdges:
        """The edges from m queries to the points that `nearest_across` has found for them: its three results. A query
        lies in ``query_component[i]``, int32, and has the id ``query_id[i]``, int64; these are `a` and one of the ends.
        A point lies in ``component[place] + base`` and has the id that `numbering` says. A query without a point has an
        edge inside its component, whose id at this end has no meaning."""

    def first_edges(self, edges: OpenEdges, label: Array, count: int, both: bool = True) -> Array:
        """The place of the first edge in the total order that leaves each of `count` components, -1 where none does:
        int32[count].

        ``label[edges.a]`` and ``label[edges.b]``, int32, are the components of the ends. With `both`, edges inside one
        leave none. Otherwise an edge counts for the component of its end `a` alone, and `b` is not read. Of edges that
        are there several times, the first one counts."""

    def edges_at(self, edges: OpenEdges, places: Array) -> OpenEdges:
        """The edges at some places, int32[k]. Where a place is -1, all of it is 0: an edge inside component 0."""

    def join_components(self, edges: OpenEdges, components: Components, bound: Array) -> JoinedComponents:
        """Contract the first edge in the total order that leaves each component, but for those that wait, which hook
        onto no other one: those of a negative bound, T[count]. Others may hook onto them. Every component has an edge.
        New numbers ascend with the components that hook onto none: those that wait, and of two that take the same edge
        the lesser one."""

    def component_bounds(self, edges: OpenEdges, components: Components) -> tuple[Array, Array]:
        """Weight and power of the first edge in the total order that leaves each component, T[count] each. Every
        component has one. The weight of the component of the most points is -1, of the first if several have as many,
        or 2^32 - 1 or more: it need not ask for lighter edges, since the lightest edges of the others suffice."""

    def join_partitions(
        self,
        members: Sequence[Member],
        edges: OpenEdges,
        components: Components,
        weight: Array,
        power: Array,
        bases: Sequence[int],
    ) -> JoinedRounds | None:
        """Rounds over the components of all partitions at once; None if the backend does not do this, or cannot. In
        each round every component takes the first edge that leaves it in the total order, of the known `edges` and of
        those that its points find in other partitions; but not those of a negative bound, which ask for nothing. Then
        these edges are contracted, as by `join_components`. The rounds end when one component is left, or when there is
        too little memory for the next one, or more edges than 32 bits can count.

        The nodes of all hierarchies get other labels, so the caller holds the locks of their partitions. `weight` and
        `power` are what `component_bounds` returned for the components, and ``bases[i]`` is the number of the first
        component of member i among those of all partitions."""

    # ---- the tree put together ---------------------------------------------------------------------------------------

    def rows_here(self, edges: OpenEdges, numbering: Numbering, rows: Array) -> Array:
        """The rows of both ends of m edges, S[m, 2]: of an end at a place of this partition ``rows[place]``, S[n] with
        S int32 or int64, and -1 of one in another partition. `numbering` says which places their ids are; none of them
        is a point that is left out."""

    def edges_from(self, edges: OpenEdges, start: int, size: int, rows: Array) -> tuple[OpenEdges, Array]:
        """The edges whose smaller end has one of the `size` ids from `start` on, and which of the edges they are,
        ascending, int32[k]. Their `a` and `b` become the rows of both ends, the smaller one first. `rows`,
        int32[parts * m, 2], is what `rows_here` returned in every partition, one after the other."""

    def edge_order(self, edges: OpenEdges) -> Array:
        """Places of edges in the total order by (weight, power of the distance, smaller end, larger end): int32[m].
        Equal edges keep their order."""

    def insert_edges(
        self, listed: ListedEdges, places: Array, others: OpenEdges, numbering: Numbering, seen: Any = None
    ) -> ListedEdges:
        """The edges of a partition and others as one list, in the total order: (weight, power of the distance, smaller
        end, larger end).

        `places` and `listed` are what `listed_edges` returned. `others` are in the total order too, and their `a` and
        `b` are the rows of their ends, the smaller one first. `numbering` says which places their ids are: no id is
        less than its `start`, and points beyond the partition follow on its own. A point that is left out is compared
        as the place that follows it. Of edges with equal keys, `others` come first. `seen`, from `seen_by_partition`,
        is what edges bring along for the dendrogram."""

    def merge_edges(self, first: ListedEdges, second: ListedEdges) -> ListedEdges:
        """The edges of both lists as one list, stably: edges of equal (weight, power of the distance) keep their order,
        those of `first` before those of `second`. If one is empty, the result may be the other."""

    # ---- Borůvka's first round over points, if a backend has kept it for the dendrogram ------------------------------

    def ends_of_joined(
        self,
        first_round: Any,
        listed: ListedEdges,
        places: Array,
        joined: OpenEdges,
        numbering: Numbering,
        n: int,
        base: int,
    ) -> Any:
        """What the n points of a partition have to say of the edges that rounds have found, `joined`, in the total
        order. None without `first_round`, which the forest has kept (`sorted_edges`) when `listed_edges` returned
        `listed` and `places`. `base` is the number of its first component among those of all partitions."""

    def seen_by_partition(self, here: Any, ends: Sequence[Any], rows: Array, which: Array) -> Any:
        """What the edges of a partition bring along. `here` is what `ends_of_joined` returned for it, `ends` for all
        partitions; None without. `rows` are those of `edges_from`, and `which` is what it returned."""

    def whole_first_round(self, seen: Sequence[Any], of_edges: Array | None) -> Any:
        """What `linkage` can begin with, after all lists have been merged; None if there is no such thing, or if it is
        of no use. `seen` is what `seen_by_partition` returned for every partition, `of_edges` that of all edges."""

    # ---- clusters ----------------------------------------------------------------------------------------------------

    def closed_groups(self, linkage: Linkage, leaves: int, merges: int, least: int) -> tuple[Array, Array]:
        """The groups of vertices that leave their clusters together, by a dendrogram of two or more vertices. The
        vertices after the first `leaves` are phantoms, which stand for what lies beyond a partition. A merge is closed
        if it is one of the first `merges`, if fewer than `least` points lie below it, and if no phantom does.

        Returns the group of each of the first `leaves` vertices, int32[leaves], and which of the first `merges` merges
        are closed, bool[merges]. All vertices below a closed merge are a group, and every other vertex is one.
        Groups below closed merges have the first numbers, in the order of their highest closed merges. The next numbers
        are those of the other vertices, in the order of these."""
