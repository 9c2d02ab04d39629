// The questions that other partitions ask a partition in a round. questions.py launches gather_questions.
#include "points/bvh.cuh"
#include "runtime/exact.cuh"

constexpr int MOST_SENDERS = EMST_MOST_SENDERS;

// The questions of several senders, one sender after the other. Those of a sender end at the row `upto`.
template <class T>
struct Sender {
  const T *points;
  const int *component;
  const Bits<T> *core, *radius;
  const i64 *ids;
  i64 upto;
};
template <class T>
struct Senders {
  Sender<T> sender[MOST_SENDERS];
};

// The questions of all senders as rows of queries and columns, from row `first` on; a thread a coordinate. The senders
// may lie in the memory of other GPUs. Rows after the last one, up to `padded`, get points that are infinitely far.
template <class T>
__global__ void gather_questions(const __grid_constant__ Senders<T> senders, int count, i64 first, i64 padded,
                                 int dimensions, int stride, const int *label, T *rows, int *now, int *component,
                                 Bits<T> *core, Bits<T> *radius, i64 *ids) {
  const i64 thread = thread_id(), r = thread / dimensions, row = first + r;
  const int d = (int)(thread - r * dimensions);
  if (row >= padded) return;
  int s = 0;
  while (s < count && senders.sender[s].upto <= r) s++;
  T *const x = rows + row * stride;
  if (s == count) {
    x[d] = value_of(INFINITE<T>);
  } else {
    const Sender<T> &sender = senders.sender[s];
    const i64 from = r - (s ? senders.sender[s - 1].upto : 0);
    x[d] = sender.points[from * dimensions + d];
    if (d == 0) {
      const int c = sender.component[from];
      component[row] = c;
      now[row] = label[c];
      if (core) core[row] = sender.core[from];
      radius[row] = sender.radius[from];
      ids[row] = sender.ids[from];
    }
  }
  if (d == 0)
    for (int rest = dimensions; rest < stride; rest++) x[rest] = T(0);
}
