// Prim's rule from many vertices at once; emst/graph/algorithms/partial_prim.py explains why no race closes a cycle.
//
// A thread is a worker with a block of start vertices and one heap, which holds, for every vertex of the growing
// subtree, the lightest edge read so far that leaves the subtree. Vertices are claimed by compare-and-swap. A worker
// that loses a claim stops; nobody waits. Owners are read past the first-level cache, so a worker sees its own claims.
// Whether it sees those of others makes no difference: it only tests whether it owns a vertex itself.
#include "runtime/exact.cuh"

// The heaps of all workers are interleaved: place i of worker w is element i * workers + w.
struct Heap {
  u64 *key;
  i64 *arc;
  int *vertex;
  i64 stride;
  i64 count;

  __device__ u64 &key_at(i64 place) { return key[place * stride]; }
  __device__ i64 &arc_at(i64 place) { return arc[place * stride]; }
  __device__ int &vertex_at(i64 place) { return vertex[place * stride]; }
  __device__ void put(i64 place, u64 k, i64 a, int v) { key_at(place) = k, arc_at(place) = a, vertex_at(place) = v; }
  __device__ void move(i64 from, i64 to) { put(to, key_at(from), arc_at(from), vertex_at(from)); }

  __device__ void push(u64 k, i64 a, int v) {
    i64 place = count++;
    for (; place > 0 && k < key_at((place - 1) / 2); place = (place - 1) / 2) move((place - 1) / 2, place);
    put(place, k, a, v);
  }

  __device__ void replace_least(u64 k, i64 a, int v) {
    i64 place = 0;
    for (i64 below; (below = 2 * place + 1) < count; place = below) {
      if (below + 1 < count && key_at(below + 1) < key_at(below)) below++;
      if (k <= key_at(below)) break;
      move(below, place);
    }
    put(place, k, a, v);
  }

  __device__ void pop() {
    if (--count > 0) replace_least(key_at(count), arc_at(count), vertex_at(count));
  }
};

constexpr i64 LOST = -2;
constexpr i64 PATIENCE = 4096;  // edges of one row that are read at most: there can be millions of parallel edges

struct Graph {
  const i64 *indptr;
  const int *columns;
  const u64 *keys;
  bool ascending;  // whether the keys of every row ascend
  int *owner;

  __device__ bool is_of(i64 arc, int root) const { return *(const volatile int *)(owner + columns[arc]) == root; }
  __device__ bool claim(int v, int root) const { return atomicCAS(owner + v, NONE, root) == NONE; }

  // v's lightest edge that leaves the subtree of root, NONE if there is none. In ascending rows the search begins at
  // `from`. LOST if more than PATIENCE edges had to be read: a subtree of several vertices may stop then.
  __device__ i64 lightest_leaving(int root, int v, i64 from, bool alone) const {
    const i64 end = indptr[v + 1], far = ascending ? from + PATIENCE : indptr[v] + (alone ? end : PATIENCE);
    if (ascending) {
      while (from < minimum(end, far) && is_of(from, root)) from++;
      return from == end ? NONE : from == far ? LOST : from;
    }
    if (far < end) return LOST;
    i64 lightest = NONE;
    u64 least = ~0ull;
    for (i64 arc = indptr[v]; arc < end; arc++) {
      u64 key = keys[arc];
      if (key < least && !is_of(arc, root)) {
        least = key;
        lightest = arc;
      }
    }
    return lightest;
  }
};

__device__ void grow_from(const Graph &graph, Heap &heap, int root, i64 gamma, i64 *via, i64 *hook) {
  heap.count = 0;
  i64 size = 1, arc = graph.indptr[root];
  for (int v = root;;) {
    arc = graph.lightest_leaving(root, v, arc, size == 1);
    if (arc == LOST) return;
    if (arc >= 0) heap.push(graph.keys[arc], arc, v);
    while (heap.count > 0 && graph.is_of(heap.arc_at(0), root)) {  // its other end has joined since
      v = heap.vertex_at(0);
      arc = graph.lightest_leaving(root, v, heap.arc_at(0), false);
      if (arc == LOST) return;
      if (arc >= 0)
        heap.replace_least(graph.keys[arc], arc, v);
      else
        heap.pop();
    }
    if (heap.count == 0) return;  // the subtree is a connected component
    i64 taken = heap.arc_at(0);
    v = graph.columns[taken];
    if (size == gamma || !graph.claim(v, root)) {
      hook[root] = taken;
      return;
    }
    via[v] = taken;
    arc = graph.indptr[v];
    size++;
  }
}

__global__ void grow_subtrees(const i64 *indptr, const int *columns, const u64 *keys, i64 n, i64 gamma, i64 ascending,
                              i64 workers, int *owner, i64 *via, i64 *hook, u64 *heap_key, i64 *heap_arc,
                              int *heap_vertex) {
  const i64 worker = thread_id();
  if (worker >= workers) return;
  const Graph graph{indptr, columns, keys, ascending != 0, owner};
  Heap heap{heap_key + worker, heap_arc + worker, heap_vertex + worker, workers, 0};
  const i64 block = (n + workers - 1) / workers, begin = worker * block, end = minimum(begin + block, n);
  for (i64 root = begin; root < end; root++)
    if (graph.claim((int)root, (int)root)) grow_from(graph, heap, (int)root, gamma, via, hook);
}
