// The distance of a given rank among all distances of a query, without a list of them: O(1) memory for any rank.
//
// Invariant: the wanted distance lies in (low, high], and it is the `rank`-th of the distances in there. A pass offers
// distances. It counts those in (low, high) in bins; the bin that reaches the rank is the next interval. If they are
// fewer than the rank, the wanted distance is `high` itself: it is not counted, so a great number of points at that
// distance, equal points above all, need not be visited. When few distances are left, a pass stores them, and the
// wanted one is picked.
//
// Distances are bits (exact.cuh), and bins are ranges of these integers: so bins are exact, and an eighth of an octave
// wide or less. Bins that begin below four octaves are joined in the first one. If that holds the wanted distance, the
// next bins span the whole interval, so every two passes make it at least 32 times smaller. The least and the greatest
// distance of a pass cut it further: where all are equal, it ends.
//
// The limit of a pass that counts may shrink on the way (`shrink`): once some bins hold enough distances, those above
// them do not count. So a walk soon leaves out a crowd of points that are no farther than the first, rough interval.
// Where one bin holds a crowd, a pass may stop before it has counted all (`stop`). The rank-th of the distances that it
// has counted is an upper bound of the wanted one, and the bins of the next pass divide the range just below it.
#pragma once
#include "runtime/exact.cuh"

template <class T>
struct Selection {
  using U = decltype(ordered(T(0)));  // as wide as Bits
  static constexpr int BINS = 32, STORED = BINS * 4 / sizeof(T), FINE = sizeof(T) == 4 ? 20 : 49;
  static constexpr int MOST_COUNTED = 4096;  // distances after which a pass may stop

  u32 *words;  // BINS words in shared memory that belong to this thread, `step` apart
  int step;
  Bits<T> low, high;
  int rank, left;  // left: how many distances are in (low, high], at most
  Bits<T> limit;   // what the pass looks for: distances in (low, limit]; -1 if nothing
  Bits<T> base, least, greatest;
  int shift, count;  // count: of the distances up to `limit`
  int top;           // the bin that holds the limit
  int fine;          // bins have 2^fine numbers at most, unless they span the whole interval
  bool stores, whole, stopped;

  // At least `wanted` distances are at most `farthest`.
  __device__ void start(Bits<T> farthest, int wanted) {
    low = -1;
    high = farthest;
    rank = wanted;
    left = 0x7fffffff;
    whole = false;
    fine = FINE;
  }
  __device__ bool done() const { return high - low == 1; }
  __device__ bool coarse() const { return high - low > Bits<T>(2) << FINE; }

  __device__ void begin_pass() {
    count = 0;
    least = INFINITE<T>;
    greatest = -1;
    limit = -1;
    stopped = false;
    if (done()) return;
    stores = left <= STORED;
    limit = stores ? high : high - 1;
    if (stores) return;
    for (int b = 0; b < BINS; b++) words[b * step] = 0;
    shift = 0;
    while (((U)(high - low - 2) >> shift) >= BINS) shift++;
    if (!whole) shift = minimum(shift, fine);
    const U span = (U)BINS << shift;
    base = (U)(high - low - 1) <= span ? low + 1 : high - (Bits<T>)span;
    top = (int)((U)(limit - base) >> shift);
  }

  __device__ void offer(Bits<T> d) {
    if (d <= low || d > limit) return;
    if (stores) {
      store(count, d);
    } else {
      words[(d <= base ? 0 : (int)((d - base) >> shift)) * step]++;
      least = minimum(least, d);
      greatest = maximum(greatest, d);
    }
    count++;
  }

  // Lowers the limit of a pass that counts to the first bin that reaches the rank; whether it did.
  __device__ bool shrink() {
    if (limit < 0 || stores) return false;
    const int before = top;
    for (int here; count - (here = words[top * step]) >= rank; top--) count -= here;
    if (top < before) limit = base + (Bits<T>)(((U)(top + 1) << shift) - 1);
    return top < before;
  }

  // Ends the pass for this query if it has counted MOST_COUNTED distances and at least twice the rank; whether it did.
  // It is called after `shrink`.
  __device__ bool stop() {
    if (limit < 0 || stores || count < MOST_COUNTED || count / 2 < rank) return false;
    limit = -1;
    return stopped = true;
  }

  __device__ void end_pass() {
    if (done()) return;
    if (stores)
      settle(picked());
    else if (stopped)
      lower_high();
    else if (count < rank)
      settle(high);
    else
      narrow_to_bin();
  }

  __device__ void settle(Bits<T> d) {
    low = d - 1;
    high = d;
  }

  // After a pass that has stopped. Nearer distances may not have been counted, so `low` and the rank stay.
  __device__ void lower_high() {
    high = end_of_bin(top);
    left = 0x7fffffff;
    whole = top == 0 && base > low + 1;
    fine = maximum(shift - 5, 0);  // 32 bins for this one
  }

  // The last number of a bin, or the greatest distance that was counted, if that is less.
  __device__ Bits<T> end_of_bin(int bin) const {
    const U end = ((U)(bin + 1) << shift) - 1;  // after base
    return greatest <= base || (U)(greatest - base) <= end ? greatest : base + (Bits<T>)end;
  }

  __device__ void narrow_to_bin() {
    int bin = 0, here = words[0];
    while (here < rank) {
      rank -= here;
      bin++;
      here = words[bin * step];
    }
    left = here;
    whole = bin == 0 && base > low + 1;
    if (bin > 0) low = base + (Bits<T>)((U)bin << shift) - 1;
    low = maximum(low, least - 1);
    high = end_of_bin(bin);
    fine = FINE;
  }

  // The rank-th of the stored distances.
  __device__ Bits<T> picked() const {
    for (int i = 0; i < count; i++) {
      const Bits<T> d = stored(i);
      int less = 0, equal = 0;
      for (int j = 0; j < count; j++) {
        const Bits<T> e = stored(j);
        less += e < d;
        equal += e == d;
      }
      if (less < rank && rank <= less + equal) return d;
    }
    return high;
  }

  __device__ void store(int i, Bits<T> d) {
    if constexpr (sizeof(T) == 4) {
      words[i * step] = (u32)d;
    } else {
      words[2 * i * step] = (u32)d;
      words[(2 * i + 1) * step] = (u32)(d >> 32);
    }
  }
  __device__ Bits<T> stored(int i) const {
    if constexpr (sizeof(T) == 4)
      return (Bits<T>)words[i * step];
    else
      return (Bits<T>)((u64)words[(2 * i + 1) * step] << 32 | words[2 * i * step]);
  }
};
