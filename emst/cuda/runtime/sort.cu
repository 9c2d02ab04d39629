// Stable radix sort of 64-bit keys with 32-bit values, eight bits a pass, every pass one trip through memory.
//
// A block ranks its tile by digit, finds how many equal digits earlier tiles hold by looking back over their published
// counts, and writes its tile in runs of equal digits: A. Adinets, D. Merrill, "Onesweep: a faster least significant
// digit radix sort for GPUs" (2022). The words that tiles publish are described in lookback.cuh. Few keys are ranked
// instead, by n^2 comparisons: that takes less time than the launches of a radix sort.
#include "runtime/lookback.cuh"
#include "runtime/warp.cuh"

constexpr int DIGIT_BITS = EMST_DIGIT_BITS, DIGITS = 1 << DIGIT_BITS;
constexpr int THREADS = DIGITS, SORT_WARPS = THREADS / 32, TILE = EMST_SORT_TILE, ITEMS = TILE / THREADS;
constexpr int MOST_PASSES = 64 / DIGIT_BITS, LEAST_RESIDENT = 4;

__device__ inline int digit_of(u64 key, int shift) { return (int)(key >> shift & (DIGITS - 1)); }

// counts[pass * DIGITS + digit], for all passes at once.
__global__ void __launch_bounds__(THREADS) count_digits(const u64 *keys, i64 n, int passes, u64 *counts) {
  __shared__ u32 local[MOST_PASSES * DIGITS];
  for (int c = threadIdx.x; c < passes * DIGITS; c += THREADS) local[c] = 0;
  __syncthreads();
  for (i64 i = thread_id(); i < n; i += (i64)gridDim.x * THREADS) {
    u64 key = keys[i];
    for (int pass = 0; pass < passes; pass++) atomicAdd(local + pass * DIGITS + digit_of(key, DIGIT_BITS * pass), 1u);
  }
  __syncthreads();
  for (int c = threadIdx.x; c < passes * DIGITS; c += THREADS)
    if (local[c]) atomicAdd(counts + c, (u64)local[c]);
}

// Counts to the places where each digit starts; one block a pass.
__global__ void __launch_bounds__(DIGITS) digit_starts(u64 *counts) {
  u64 *mine = counts + blockIdx.x * DIGITS + threadIdx.x;
  *mine = block_exclusive_sum<DIGITS>(*mine);
}

// Lanes of the warp that hold the same digit.
__device__ inline u32 lanes_with(int digit) {
  u32 peers = FULL;
#pragma unroll
  for (int bit = 0; bit < DIGIT_BITS; bit++) {
    u32 set = __ballot_sync(FULL, digit >> bit & 1);
    peers &= digit >> bit & 1 ? set : ~set;
  }
  return peers;
}

// values_in null: the value of a key is its index.
__global__ void __launch_bounds__(THREADS, LEAST_RESIDENT)
    sort_pass(const u64 *__restrict__ keys_in, const int *__restrict__ values_in, i64 n, int shift, const u64 *starts,
              u64 *keys_out, int *values_out, u64 *tiles, u32 epoch) {
  __shared__ u64 exchange[TILE];                  // keys, then values, in the tile's sorted order
  __shared__ u32 next_place[SORT_WARPS][DIGITS];  // in the tile, of a warp's next key with this digit; a count before
  __shared__ u32 out_base[DIGITS];  // where the tile's first key of a digit goes, minus its place in the tile
  const int warp = threadIdx.x / 32, lane = (int)lane_id(), digit = threadIdx.x;
#pragma unroll
  for (int w = 0; w < SORT_WARPS; w++) next_place[w][digit] = 0;
  const int tile = lookback::take_tile(tiles);  // after which all counts are 0
  const i64 tile_start = (i64)tile * TILE, first = tile_start + warp * (32 * ITEMS) + lane;
  const int here = (int)minimum((i64)TILE, n - tile_start);

  // Counts first, since later tiles wait for them; ranks later. Padding comes last in its tile.
  u64 key[ITEMS];
#pragma unroll
  for (int j = 0; j < ITEMS; j++) key[j] = first + j * 32 < n ? keys_in[first + j * 32] : ~0ull;
#pragma unroll
  for (int j = 0; j < ITEMS; j++) atomicAdd(&next_place[warp][digit_of(key[j], shift)], 1u);
  __syncthreads();
  u32 total = 0;
#pragma unroll
  for (int w = 0; w < SORT_WARPS; w++) {
    u32 count = next_place[w][digit];
    next_place[w][digit] = total;
    total += count;
  }
  const u64 *words = lookback::words(tiles) + digit;
  u64 *word = lookback::words(tiles) + (i64)tile * DIGITS + digit;
  lookback::publish(word, lookback::word(epoch, tile ? lookback::AGGREGATE : lookback::PREFIX, total));
  const u32 place = block_exclusive_sum<THREADS>(total);
#pragma unroll
  for (int w = 0; w < SORT_WARPS; w++) next_place[w][digit] += place;
  __syncthreads();

  // Places in the tile, item by item, so that equal digits stay in order.
  unsigned short to_exchange[ITEMS];
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u32 *next = &next_place[warp][digit_of(key[j], shift)];
    u32 peers = lanes_with(digit_of(key[j], shift)), at = *next + __popc(peers & ((1u << lane) - 1));
    __syncwarp();
    if (lane == 31 - __clz(peers)) *next = at + 1;
    __syncwarp();
    to_exchange[j] = (unsigned short)at;
    exchange[at] = key[j];
  }

  // A thread a digit: how many earlier tiles hold.
  u32 earlier = 0;
  for (int before = tile - 1; before >= 0; before--) {
    u64 w = lookback::wait(words + (i64)before * DIGITS, epoch);
    earlier += (u32)w;
    if (lookback::state(w) == lookback::PREFIX) break;
  }
  if (tile) lookback::publish(word, lookback::word(epoch, lookback::PREFIX, earlier + total));
  out_base[digit] = (u32)starts[digit] + earlier - place;
  __syncthreads();

  // Through shared memory, so that neighbouring threads write equal digits to neighbouring places.
  u32 to[ITEMS];
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    int at = j * THREADS + threadIdx.x;
    u64 k = exchange[at];
    to[j] = out_base[digit_of(k, shift)] + at;
    if (at < here) keys_out[to[j]] = k;
  }
  __syncthreads();
  int *values = reinterpret_cast<int *>(exchange);
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    i64 i = first + j * 32;
    if (i < n) values[to_exchange[j]] = values_in ? values_in[i] : (int)i;
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    int at = j * THREADS + threadIdx.x;
    if (at < here) values_out[to[j]] = values[at];
  }
}

// Few keys, in one launch: a warp a key counts the keys that come before it. values_in null: as above.
__global__ void rank_keys(const u64 *__restrict__ keys_in, const int *__restrict__ values_in, i64 n, u64 *keys_out,
                          int *values_out) {
  const i64 i = thread_id() / 32;
  if (i >= n) return;
  const u64 key = keys_in[i];
  u32 before = 0;
#pragma unroll 4
  for (i64 j = lane_id(); j < n; j += 32) {
    const u64 other = keys_in[j];
    before += other < key || (other == key && j < i);
  }
  before = __reduce_add_sync(FULL, before);
  if (lane_id() != 0) return;
  keys_out[before] = key;
  values_out[before] = values_in ? values_in[i] : (int)i;
}
