// The forest's edges on their way out: sort keys under the law, then the caller's rows and units.
#include "rows.cuh"

// Sort keys of slots; empty slots sort last. What is packed where depends on how much fits into 64 bits:
//   float32, Euclidean            first = (weight, smaller end)   last = larger end, 32 bits
//   float32, mutual reachability  first = (weight, distance)      last = (smaller end, larger end)
//   float64                       first = weight                  last = (smaller end, larger end), middle = distance
template <class T, bool MRD>
__global__ void edge_keys(const int *source, const int *target, const T *weight, i64 n, const T *rows, int dimensions, int stride,
                          u64 *first, u64 *middle, void *last) {
  i64 i = thread_id();
  if (i >= n) return;
  int u = source[i], v = target[i];
  bool empty = u == NONE;
  u64 d = 0, w = empty ? 0 : (u64)bits_of(weight[i]);
  if (MRD && !empty) d = (u64)dist2(rows + (i64)u * stride, rows + (i64)v * stride, dimensions);
  first[i] = empty ? ~0ull : sizeof(T) == 8 ? w : w << 32 | (MRD ? d : (u64)u);
  if (sizeof(T) == 8 && MRD) middle[i] = d;
  if (sizeof(T) == 4 && !MRD)
    static_cast<u32 *>(last)[i] = (u32)v;
  else
    static_cast<u64 *>(last)[i] = (u64)(u32)u << 32 | (u32)v;
}

template <class T>
__global__ void emit_edges(const i64 *sorted, i64 edges, const int *source, const int *target, const T *weight, const int *order,
                           double unscale, int2 *edge, T *length) {
  i64 i = thread_id();
  if (i >= edges) return;
  i64 slot = sorted[i];
  int u = order[source[slot]], v = order[target[slot]];
  edge[i] = make_int2(minimum(u, v), maximum(u, v));
  length[i] = (T)mul((double)root(weight[slot]), unscale);
}

template <class T>
__global__ void unscaled(const T *squared, i64 n, const int *order, double unscale, T *out) {
  i64 i = thread_id();
  if (i < n) out[order[i]] = (T)mul((double)root(squared[i]), unscale);
}
