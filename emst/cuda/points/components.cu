// Components of partitions between rounds: the first edge that leaves each, and the points that ask for more.
//
// components.py launches, for edges, least_weights, least_powers, least_smaller_ends, least_larger_ends and
// first_places, and for points list_asking.
#include "runtime/compact.cuh"
#include "runtime/exact.cuh"

// Keys of the total order are compared as unsigned integers: none is negative, and all ones comes last. The least keys
// of a component are found one after the other, each among the edges that share those before it.
template <class B>
struct UnsignedOf {
  using type = u64;
};
template <>
struct UnsignedOf<int> {
  using type = u32;
};
template <class B>
__device__ void lower_key(B *least, B key) {
  using U = typename UnsignedOf<B>::type;
  lower(reinterpret_cast<U *>(least), (U)key);
}

// Calls visit(component) for the components that edge i leaves: of both ends, or of the first one where b is null.
template <class Visit>
__device__ void each_left(const int *a, const int *b, const int *label, i64 edges, Visit visit) {
  const i64 i = thread_id();
  if (i >= edges) return;
  const int from = label[a[i]];
  if (!b) {
    visit(i, from);
    return;
  }
  const int to = label[b[i]];
  if (from == to) return;
  visit(i, from);
  visit(i, to);
}

template <class T>
__global__ void least_weights(const int *a, const int *b, const int *label, i64 edges, const Bits<T> *weight,
                              Bits<T> *least_weight) {
  each_left(a, b, label, edges, [&](i64 i, int c) { lower_key(least_weight + c, weight[i]); });
}

template <class T>
__global__ void least_powers(const int *a, const int *b, const int *label, i64 edges, const Bits<T> *weight,
                             const Bits<T> *power, const Bits<T> *least_weight, Bits<T> *least_power) {
  each_left(a, b, label, edges, [&](i64 i, int c) {
    if (weight[i] == least_weight[c]) lower_key(least_power + c, power[i]);
  });
}

template <class T>
__global__ void least_smaller_ends(const int *a, const int *b, const int *label, i64 edges, const Bits<T> *weight,
                                   const Bits<T> *power, const Bits<T> *least_weight, const Bits<T> *least_power,
                                   const i64 *u, i64 *least_u) {
  each_left(a, b, label, edges, [&](i64 i, int c) {
    if (weight[i] == least_weight[c] && power[i] == least_power[c]) lower_key(least_u + c, u[i]);
  });
}

template <class T>
__global__ void least_larger_ends(const int *a, const int *b, const int *label, i64 edges, const Bits<T> *weight,
                                  const Bits<T> *power, const Bits<T> *least_weight, const Bits<T> *least_power,
                                  const i64 *u, const i64 *least_u, const i64 *v, i64 *least_v) {
  each_left(a, b, label, edges, [&](i64 i, int c) {
    if (weight[i] == least_weight[c] && power[i] == least_power[c] && u[i] == least_u[c]) lower_key(least_v + c, v[i]);
  });
}

// An edge may be there several times: the first one counts.
template <class T>
__global__ void first_places(const int *a, const int *b, const int *label, i64 edges, const Bits<T> *weight,
                             const Bits<T> *power, const Bits<T> *least_weight, const Bits<T> *least_power,
                             const i64 *u, const i64 *least_u, const i64 *v, const i64 *least_v, u32 *place) {
  each_left(a, b, label, edges, [&](i64 i, int c) {
    if (weight[i] == least_weight[c] && power[i] == least_power[c] && u[i] == least_u[c] && v[i] == least_v[c])
      lower(place + c, (u32)i);
  });
}

// Lists the points whose weight and power are not after the bound of their component. places is null for all points in
// order, power where the power is the weight, nearest where points remember no neighbour.
template <class T>
__global__ void __launch_bounds__(COMPACT_THREADS)
    list_asking(const int *places, i64 n, const Bits<T> *weight, const Bits<T> *power, const int *nearest,
                const int *component, const int *group, const Bits<T> *bound, const Bits<T> *bound_power,
                const int *label, int *asking, int *total, u64 *tiles, u32 epoch) {
  compact(
      n, tiles, epoch, total,
      [&](int, i64 i) {
        const int c = component[places ? places[i] : i];
        const Bits<T> most = bound[c];
        if (most < 0 || weight[i] > most || (power && weight[i] == most && power[i] > bound_power[c])) return false;
        return !nearest || nearest[i] < 0 || label[nearest[i]] == group[c];
      },
      [&](i64 i, bool kept, u32 rank) {
        if (kept) asking[rank] = (int)i;
      });
}
