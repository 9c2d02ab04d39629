// Stable radix sort of keys of 32 or 64 bits with 32-bit values, eight bits a pass, every pass one trip through memory.
//
// A block ranks its tile by digit, finds how many equal digits earlier tiles hold by looking back over their published
// counts, and writes its tile in runs of equal digits: A. Adinets, D. Merrill, "Onesweep: a faster least significant
// digit radix sort for GPUs" (2022). The words that tiles publish are described in lookback.cuh. Few keys are ranked
// instead, by n^2 comparisons: that takes less time than the launches of a radix sort.
#include "runtime/lookback.cuh"
#include "runtime/warp.cuh"

constexpr int DIGIT_BITS = EMST_DIGIT_BITS, DIGITS = 1 << DIGIT_BITS;
constexpr int THREADS = EMST_SORT_THREADS, SORT_WARPS = THREADS / 32, LEAST_RESIDENT = EMST_SORT_RESIDENT;
constexpr int COUNT_THREADS = DIGITS, COUNT_ITEMS = 4;
constexpr int SAMPLE = EMST_SORT_SAMPLE, SAMPLE_THREADS = EMST_SAMPLE_THREADS;

template <class Word>
__device__ constexpr int PASSES = 8 * sizeof(Word) / DIGIT_BITS;  // at most
template <class Word>
__device__ constexpr int TILE = EMST_SORT_BYTES / sizeof(Word);  // keys of a block

template <class Word>
__device__ int digit_of(Word key, int shift) {
  return (int)(key >> shift & (DIGITS - 1));
}

// Small numbers of a thread, several in a register. Indices are constants once loops are unrolled.
template <int BITS, int ITEMS>
struct Packed {
  static constexpr int EACH_WORD = 32 / BITS;
  u32 word[(ITEMS + EACH_WORD - 1) / EACH_WORD];
  __device__ void set(int j, u32 value) {
    const u32 rest = j % EACH_WORD ? word[j / EACH_WORD] : 0;
    word[j / EACH_WORD] = rest | value << j % EACH_WORD * BITS;
  }
  __device__ u32 operator[](int j) const {
    return word[j / EACH_WORD] >> j % EACH_WORD * BITS & (u32)((1ull << BITS) - 1);
  }
};

// counts[pass * DIGITS + digit], for all passes at once.
template <class Word>
__global__ void __launch_bounds__(COUNT_THREADS)
    count_digits(const Word *keys, i64 n, int passes, u64 *counts, const int *unwanted) {
  if (unwanted && *unwanted) return;
  __shared__ u32 local[PASSES<Word> * DIGITS];
  for (int c = threadIdx.x; c < passes * DIGITS; c += COUNT_THREADS) local[c] = 0;
  __syncthreads();
  const i64 step = (i64)gridDim.x * COUNT_THREADS;
  for (i64 first = thread_id(); first < n; first += COUNT_ITEMS * step) {
    Word key[COUNT_ITEMS];
#pragma unroll
    for (int j = 0; j < COUNT_ITEMS; j++) key[j] = keys[minimum(first + j * step, n - 1)];
#pragma unroll
    for (int j = 0; j < COUNT_ITEMS; j++) {
      if (first + j * step >= n) break;
      for (int pass = 0; pass < passes; pass++)
        atomicAdd(local + pass * DIGITS + digit_of(key[j], DIGIT_BITS * pass), 1u);
    }
  }
  __syncthreads();
  for (int c = threadIdx.x; c < passes * DIGITS; c += COUNT_THREADS)
    if (local[c]) atomicAdd(counts + c, (u64)local[c]);
}

// Counts to the places where each digit starts; one block a pass.
__global__ void __launch_bounds__(DIGITS) digit_starts(u64 *counts) {
  u64 *mine = counts + blockIdx.x * DIGITS + threadIdx.x;
  *mine = block_exclusive_sum<DIGITS>(*mine);
}

// How many keys with a digit the tiles before `tile` hold; `words` are those that the tiles publish for this digit.
// Several words are read at once, since a tile may be many tiles behind the last complete sum.
__device__ inline u32 sum_of_earlier(const u64 *words, u32 epoch, int tile) {
  constexpr int AT_ONCE = 4;
  u32 sum = 0;
  for (int nearest = tile - 1; nearest >= 0;) {
    u64 word[AT_ONCE];
#pragma unroll
    for (int q = 0; q < AT_ONCE; q++)
      word[q] = nearest >= q ? *(const volatile u64 *)(words + (i64)(nearest - q) * DIGITS)
                             : lookback::word(epoch, lookback::PREFIX, 0);
    int taken = 0;
#pragma unroll
    for (int q = 0; q < AT_ONCE; q++) {
      if (taken != q || !lookback::published(word[q], epoch)) continue;
      sum += (u32)word[q];
      if (lookback::state(word[q]) == lookback::PREFIX) return sum;
      taken++;
    }
    nearest -= taken;
  }
  return sum;
}

// values_in null: the value of a key is its index. unwanted: null, or whether the result is not needed after all.
template <class Word>
__global__ void __launch_bounds__(THREADS, LEAST_RESIDENT)
    sort_pass(const Word *__restrict__ keys_in, const int *__restrict__ values_in, i64 n, int shift, const u64 *starts,
              Word *keys_out, int *values_out, const int *unwanted, u64 *tiles, u32 epoch) {
  if (unwanted && *unwanted) return;
  constexpr int ITEMS = TILE<Word> / THREADS;
  __shared__ Word exchange[TILE<Word>];  // keys, then values, in the tile's sorted order
  __shared__ u32 out_base[DIGITS];       // where the tile's first key of a digit goes, minus its place in the tile
  __shared__ u32 lanes_with[SORT_WARPS][DIGITS];  // of a warp, those whose key has this digit
  // Before that: the place in the tile of a warp's next key with a digit; before that, how many the warp has.
  static_assert(sizeof(u32) * SORT_WARPS * DIGITS <= sizeof(exchange), "the counts need more room");
  u32(*const next_place)[DIGITS] = reinterpret_cast<u32(*)[DIGITS]>(exchange);
  const int warp = threadIdx.x / 32, lane = (int)lane_id(), digit = threadIdx.x;
  for (int c = threadIdx.x; c < SORT_WARPS * DIGITS; c += THREADS) next_place[0][c] = lanes_with[0][c] = 0;
  const int tile = lookback::take_tile(tiles);  // after which all counts are 0
  const i64 tile_start = (i64)tile * TILE<Word>, first = tile_start + warp * (32 * ITEMS) + lane;
  const int here = (int)minimum((i64)TILE<Word>, n - tile_start);

  // Counts first, since later tiles wait for them; ranks later. Padding comes last in its tile.
  Word key[ITEMS];
#pragma unroll
  for (int j = 0; j < ITEMS; j++) key[j] = first + j * 32 < n ? keys_in[first + j * 32] : ~(Word)0;
#pragma unroll
  for (int j = 0; j < ITEMS; j++) atomicAdd(&next_place[warp][digit_of(key[j], shift)], 1u);
  __syncthreads();
  u32 total = 0;
  const u64 *words = lookback::words(tiles) + digit;
  u64 *word = lookback::words(tiles) + (i64)tile * DIGITS + digit;
  if (digit < DIGITS) {
#pragma unroll
    for (int w = 0; w < SORT_WARPS; w++) {
      u32 count = next_place[w][digit];
      next_place[w][digit] = total;
      total += count;
    }
    lookback::publish(word, lookback::word(epoch, tile ? lookback::AGGREGATE : lookback::PREFIX, total));
  }
  const u32 place = block_exclusive_sum<THREADS>(total);
  if (digit < DIGITS)
#pragma unroll
    for (int w = 0; w < SORT_WARPS; w++) next_place[w][digit] += place;
  __syncthreads();

  // Places in the tile, item by item, so that equal digits stay in order. The compiler is to compute the digits anew:
  // those of before would fill the registers.
  asm volatile("" : "+r"(shift));
  Packed<16, ITEMS> to_exchange;
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u32 *next = &next_place[warp][digit_of(key[j], shift)];
    u32 *const lanes = &lanes_with[warp][digit_of(key[j], shift)];
    atomicOr(lanes, 1u << lane);
    __syncwarp();
    const u32 peers = *lanes, at = *next + __popc(peers & ((1u << lane) - 1));
    __syncwarp();
    if (lane == 31 - __clz(peers)) {
      *next = at + 1;
      *lanes = 0;
    }
    __syncwarp();
    to_exchange.set(j, at);
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < ITEMS; j++) exchange[to_exchange[j]] = key[j];

  // A thread a digit.
  if (digit < DIGITS) {
    const u32 earlier = sum_of_earlier(words, epoch, tile);
    if (tile) lookback::publish(word, lookback::word(epoch, lookback::PREFIX, earlier + total));
    out_base[digit] = (u32)starts[digit] + earlier - place;
  }
  __syncthreads();

  // Through shared memory, so that neighbouring threads write equal digits to neighbouring places.
  Packed<DIGIT_BITS, ITEMS> digits;
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    int at = j * THREADS + threadIdx.x;
    Word k = exchange[at];
    digits.set(j, digit_of(k, shift));
    if (at < here) keys_out[out_base[digits[j]] + at] = k;
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
    if (at < here) values_out[out_base[digits[j]] + at] = values[at];
  }
}

// Sets `many` if more than `most` keys of a sample have been in it before. One block; keys of all ones are left out.
__global__ void __launch_bounds__(SAMPLE_THREADS) sample_ties(const u32 *keys, i64 n, int most, int *many) {
  constexpr int SLOTS = 2 * SAMPLE;
  constexpr u32 FREE = ~0u;
  __shared__ u32 seen[SLOTS];  // a hash table
  u32 sample[SAMPLE / SAMPLE_THREADS];
#pragma unroll
  for (int j = 0; j < SAMPLE / SAMPLE_THREADS; j++)
    sample[j] = keys[(u64)(j * SAMPLE_THREADS + threadIdx.x) * n / SAMPLE];
  for (int s = threadIdx.x; s < SLOTS; s += SAMPLE_THREADS) seen[s] = FREE;
  __syncthreads();
  u64 again = 0;
#pragma unroll
  for (int j = 0; j < SAMPLE / SAMPLE_THREADS; j++) {
    const u32 key = sample[j];
    if (key == FREE) continue;
    u32 slot = key * 0x9e3779b1u / (FREE / SLOTS + 1), found;
    while ((found = atomicCAS(seen + slot, FREE, key)) != FREE && found != key) slot = (slot + 1) % SLOTS;
    again += found == key;
  }
  again = block_sum<SAMPLE_THREADS>(again);
  if (threadIdx.x == 0) *many = again > most;
}

// Few keys, in one launch: a warp a key counts the keys that come before it. values_in null: as above.
template <class Word>
__global__ void rank_keys(const Word *__restrict__ keys_in, const int *__restrict__ values_in, i64 n, Word *keys_out,
                          int *values_out) {
  const i64 i = thread_id() / 32;
  if (i >= n) return;
  const Word key = keys_in[i];
  u32 before = 0;
#pragma unroll 4
  for (i64 j = lane_id(); j < n; j += 32) {
    const Word other = keys_in[j];
    before += other < key || (other == key && j < i);
  }
  before = __reduce_add_sync(FULL, before);
  if (lane_id() != 0) return;
  keys_out[before] = key;
  values_out[before] = values_in ? values_in[i] : (int)i;
}
