// The first edges in the total order that leave components, and their contraction. Each kernel is one launch of blocks
// that are all resident: the host would take longer to launch several kernels than the GPU to run them.
//
// components.py launches first_edges, join_components and component_bounds.
#include "partitions/contraction.cuh"

template <int WORDS>
__global__ void __launch_bounds__(THREADS)
    first_edges(const Edges<WORDS> edges, i64 components, u64 *least, u32 *place, Meeting *meeting) {
  find_first(meeting->grid(), edges, components, least, place);
}

// Contracts the first edges: see `contract`. `told`, in memory of the host, gets how many components and how many edges
// are left, and whether some edges close a cycle.
template <class T>
__global__ void __launch_bounds__(THREADS)
    join_components(const Edges<WORDS_OF<T>> edges, i64 components, const Bits<T> *bound, const i64 *size,
                    const int *label, i64 count, const int *box, i64 boxes, u64 *least, u32 *first, int *parent,
                    int *number, i64 *sizes, int *labels, int *of_boxes, u64 *taken, u64 *left, u64 *numbers,
                    Meeting *meeting, int *told) {
  const Contraction<T> what = {components, bound,  size,  label,  count,    boxes, least, first,
                               parent,     number, sizes, labels, of_boxes, taken, left,  numbers};
  const Left after = contract(meeting->grid(), edges, what, [&](i64 i) { return box[i]; }, meeting);
  if (thread_id() != 0) return;
  told[0] = (int)after.components;
  told[1] = (int)after.edges;
  told[2] = after.components == 0;
}

// Bounds of all components: see `bound_components`.
template <class T>
__global__ void __launch_bounds__(THREADS)
    component_bounds(const Edges<WORDS_OF<T>> edges, i64 components, const i64 *size, u64 *least, u32 *first,
                     Bits<T> *weight, Bits<T> *power, Meeting *meeting) {
  bound_components<T>(meeting->grid(), edges, components, size, least, first, weight, power, meeting);
}
