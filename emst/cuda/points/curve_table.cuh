// The Hilbert curve in two and three dimensions by a table. A step takes several levels, so that a code needs a fifth
// of the instructions.
//
// `hilbert_transpose` does the same to all lower bits of the coordinates. A state describes it:
// which coordinate has taken the place of each axis, and which are inverted. It also stands for the parity of the last
// axis, which inverts all axes of the code below it: that is as if the first axis were inverted, since every axis is
// added to the next.
#pragma once
#include "runtime/exact.cuh"

template <int D>
struct CurveState {
  int axis[D] = {}, inverted[D] = {};

  __device__ explicit constexpr CurveState(int number) {  // 0 is where a curve begins
    bool taken[D] = {};
    int rank = number >> D;
    for (int d = 0; d < D; d++) {
      inverted[d] = number >> d & 1;
      int left = rank % (D - d);
      rank /= D - d;
      while (taken[axis[d]] || left-- > 0) axis[d]++;
      taken[axis[d]] = true;
    }
  }
  __device__ constexpr int number() const {
    int rank = 0, weight = 1, bits = 0;
    for (int d = 0; d < D; d++) {
      bits |= inverted[d] << d;
      int before = axis[d];
      for (int e = 0; e < d; e++) before -= axis[e] < axis[d];
      rank += weight * before;
      weight *= D - d;
    }
    return rank << D | bits;
  }
  // Goes down one level: from the bits of the coordinates, the first axis highest, to those of the code.
  __device__ constexpr int step(int in) {
    int bit[D] = {}, out = 0;
    for (int d = 0; d < D; d++) bit[d] = (in >> (D - 1 - axis[d]) & 1) ^ inverted[d];
    for (int d = 0; d < D; d++) {
      const int a = axis[0], i = inverted[0];
      if (bit[d]) {
        inverted[0] = !i;
      } else {
        axis[0] = axis[d];
        inverted[0] = inverted[d];
        axis[d] = a;
        inverted[d] = i;
      }
    }
    for (int d = 0; d < D; d++) {
      if (d > 0) bit[d] ^= bit[d - 1];
      out = out << 1 | bit[d];
    }
    inverted[0] ^= bit[D - 1];
    return out;
  }
};

template <int D>
struct CurveTable {
  static constexpr int LEVELS = D == 2 ? 4 : 2, IN = D * LEVELS, STATES = (D == 2 ? 2 : 6) << D;
  unsigned short next[STATES << IN] = {};  // by state and bits of the coordinates: state << IN | bits of the code
  int above = 0;                           // the state one level above the beginning, where all bits are 0

  __device__ constexpr CurveTable() {
    for (int from = 0; from < STATES; from++) {
      for (int in = 0; in < 1 << IN; in++) {
        CurveState<D> state(from);
        int code = 0;
        for (int level = LEVELS - 1; level >= 0; level--) {
          int bits = 0;
          for (int d = 0; d < D; d++) bits = bits << 1 | (in >> (LEVELS * (D - 1 - d) + level) & 1);
          code = code << D | state.step(bits);
        }
        next[from << IN | in] = (unsigned short)(state.number() << IN | code);
      }
      CurveState<D> state(from);
      if (state.step(0) == 0 && state.number() == 0) above = from;
    }
  }
};

template <int D>
__device__ constexpr CurveTable<D> CURVE_TABLE = CurveTable<D>();

// Codes of coordinates of BITS bits by the table, which lies in shared memory.
template <int D, int BITS>
struct TableCoder {
  using Table = CurveTable<D>;
  static constexpr int LEVELS = Table::LEVELS, IN = Table::IN, STEPS = (BITS + LEVELS - 1) / LEVELS;
  static_assert(STEPS * LEVELS - BITS <= 1, "the table knows the state of one level above");
  unsigned short next[Table::STATES << IN];

  // Called by all threads of a block; a barrier follows.
  __device__ void copy() {
    for (int at = threadIdx.x; at < Table::STATES << IN; at += blockDim.x) next[at] = CURVE_TABLE<D>.next[at];
  }
  __device__ u64 code(const u32 (&X)[D]) const {
    constexpr u32 MASK = (1u << IN) - 1;
    constexpr u32 START = STEPS * LEVELS > BITS ? CurveTable<D>().above : 0;
    u64 code = 0;
    u32 state = START << IN;
#pragma unroll
    for (int b = (STEPS - 1) * LEVELS; b >= 0; b -= LEVELS) {
      u32 in = 0;
#pragma unroll
      for (int d = 0; d < D; d++) in = in << LEVELS | (X[d] >> b & ((1u << LEVELS) - 1));
      const u32 entry = next[state | in];
      code = code << IN | (entry & MASK);
      state = entry & ~MASK;
    }
    return code;
  }
};
