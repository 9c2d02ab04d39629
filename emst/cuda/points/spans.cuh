// Passes over all points in spans of SPAN consecutive ones, a lane a point. A warp takes several spans at once, so that
// their waits for memory overlap, and leaves out those in which nothing can have changed.
//
// A span whose points lie in one component stays so: components only grow. So most spans need no look in late rounds.
#pragma once
#include "runtime/warp.cuh"

constexpr int SPAN = EMST_SPAN;
static_assert(SPAN == 32, "a span is a warp's");

// The first point of the warp's first span, if every warp takes COUNT.
template <int COUNT>
__device__ i64 first_of_warp() {
  return thread_id() / 32 * (i64)(COUNT * SPAN);
}

// Which of the warp's spans are looked at, as bits. awake(span, i) says so for a span whose first point is i < n.
template <int COUNT, class Awake>
__device__ u32 awake_spans(i64 n, Awake awake) {
  const i64 i = first_of_warp<COUNT>() + (i64)lane_id() * SPAN;
  return __ballot_sync(FULL, (int)lane_id() < COUNT && i < n && awake(i / SPAN, i));
}
