// Stable radix sorts, eight bits a pass, every pass one trip through memory: of keys of 32 or 64 bits with 32-bit
// values, and of packed keys by their highest bits (packed.cuh).
//
// A block ranks its tile by digit, finds how many equal digits earlier tiles hold by looking back over their published
// counts, and writes its tile in runs of equal digits: A. Adinets, D. Merrill, "Onesweep: a faster least significant
// digit radix sort for GPUs" (2022). The words that tiles publish are described in lookback.cuh. Few keys are ranked
// instead, by n^2 comparisons: that takes less time than the launches of a radix sort.
#include "runtime/grid.cuh"
#include "runtime/lookback.cuh"
#include "runtime/packed.cuh"

constexpr int THREADS = EMST_SORT_THREADS, SORT_WARPS = THREADS / 32, LEAST_RESIDENT = EMST_SORT_RESIDENT;
constexpr int COUNT_THREADS = DIGITS, COUNT_ITEMS = 4;
constexpr int SAMPLE = EMST_SORT_SAMPLE, SAMPLE_THREADS = EMST_SAMPLE_THREADS;

template <class Word>
__device__ constexpr int PASSES = 8 * sizeof(Word) / DIGIT_BITS;  // at most
constexpr int PACKED_ITEMS = EMST_PACKED_ITEMS;                   // packed keys of a thread
// Keys of a thread that have values. Registers do not suffice for more of 64 bits where one launch takes all passes.
template <class Word, bool AT_ONCE>
__device__ constexpr int PAIRS_ITEMS = sizeof(Word) == 4 ? EMST_PAIRS_ITEMS_32
                                       : AT_ONCE         ? EMST_PAIRS_ITEMS_64_AT_ONCE
                                                         : EMST_PAIRS_ITEMS_64;

template <class Word>
__device__ int digit_of(Word key, int shift) {
  return (int)(key >> shift & (DIGITS - 1));
}

// Small numbers of a thread, several in a register. Indices are constants once loops are unrolled.
template <int BITS, int ITEMS>
struct Several {
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

// counts[pass * DIGITS + digit], for the passes from `first` up to `end` at once; the lowest digit starts at bit
// `lowest`. `local`, in shared memory, holds as many counts.
template <class Word>
__device__ void count_all(const Word *keys, i64 n, int lowest, int first, int end, u64 *counts, u32 *local) {
  for (int c = threadIdx.x; c < end * DIGITS; c += blockDim.x) local[c] = 0;
  __syncthreads();
  const i64 step = (i64)gridDim.x * blockDim.x;
  for (i64 i = thread_id(); i < n; i += COUNT_ITEMS * step) {
    Word key[COUNT_ITEMS];
#pragma unroll
    for (int j = 0; j < COUNT_ITEMS; j++) key[j] = keys[minimum(i + j * step, n - 1)];
#pragma unroll
    for (int j = 0; j < COUNT_ITEMS; j++) {
      if (i + j * step >= n) break;
      for (int pass = first; pass < end; pass++)
        atomicAdd(local + pass * DIGITS + digit_of(key[j], lowest + DIGIT_BITS * pass), 1u);
    }
  }
  __syncthreads();
  for (int c = threadIdx.x; c < end * DIGITS; c += blockDim.x)
    if (local[c]) atomicAdd(counts + c, (u64)local[c]);
}

template <class Word>
__global__ void __launch_bounds__(COUNT_THREADS)
    count_digits(const Word *keys, i64 n, int lowest, int passes, u64 *counts) {
  __shared__ u32 local[PASSES<Word> * DIGITS];
  count_all(keys, n, lowest, 0, passes, counts, local);
}

__global__ void __launch_bounds__(COUNT_THREADS) count_packed(const u64 *keys, i64 n, const int *many, u64 *counts) {
  __shared__ u32 local[MOST_PASSES * DIGITS];
  const int passes = passes_of(many);
  if (passes <= MOST_PASSES)
    count_all(keys, n, lowest_bit(MOST_PASSES), MOST_PASSES - passes, MOST_PASSES, counts, local);
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

// The counts of a tile's warps and digits, twice, and its keys: they take turns in shared memory.
constexpr int COUNTS = SORT_WARPS * DIGITS;
template <class Word, int ITEMS>
struct Room {
  static constexpr int KEY_BYTES = sizeof(Word) * ITEMS * THREADS, COUNT_BYTES = 2 * sizeof(u32) * COUNTS;
  u64 words[(KEY_BYTES > COUNT_BYTES ? KEY_BYTES : COUNT_BYTES) / sizeof(u64)];
};

// A block sorts the tile that it takes by one digit: load(i) is the i-th key, and store(to, key) gets its new place.
// VALUES: whether keys have values; values_in null: the value of a key is its index. EARLY: whether values are read
// while the tile waits for earlier ones, which takes registers.
template <class Word, bool VALUES, bool EARLY, int ITEMS, class Load, class Store>
__device__ void sort_tile(Load load, const int *values_in, i64 n, int shift, const u64 *starts, Store store,
                          int *values_out, u64 *tiles, u32 epoch, Room<Word, ITEMS> &room) {
  constexpr int TILE = ITEMS * THREADS;
  __shared__ u32 out_base[DIGITS];  // where the tile's first key of a digit goes, minus its place in the tile
  // First, of a warp and a digit, how many keys it has, then the place in the tile of its next one; and those lanes
  // whose key has the digit. Afterwards keys, then values, in the tile's sorted order.
  u32(*const next_place)[DIGITS] = reinterpret_cast<u32(*)[DIGITS]>(room.words);
  u32(*const lanes_with)[DIGITS] = next_place + SORT_WARPS;
  Word *const exchange = reinterpret_cast<Word *>(room.words);
  const int warp = threadIdx.x / 32, lane = (int)lane_id(), digit = threadIdx.x;
  for (int c = threadIdx.x; c < SORT_WARPS * DIGITS; c += THREADS) next_place[0][c] = lanes_with[0][c] = 0;
  const int tile = lookback::take_tile(tiles);  // after which all counts are 0
  const i64 tile_start = (i64)tile * TILE, first = tile_start + warp * (32 * ITEMS) + lane;
  const int here = (int)minimum((i64)TILE, n - tile_start);

  // Counts first, since later tiles wait for them; ranks later. Padding comes last in its tile.
  Word key[ITEMS];
#pragma unroll
  for (int j = 0; j < ITEMS; j++) key[j] = first + j * 32 < n ? load(first + j * 32) : ~(Word)0;
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
  Several<16, ITEMS> to_exchange;
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
  const auto value_of = [&](int j) {
    const i64 i = minimum(first + j * 32, n - 1);
    return values_in ? values_in[i] : (int)i;
  };
  int value[ITEMS];
  if constexpr (VALUES && EARLY)
#pragma unroll
    for (int j = 0; j < ITEMS; j++) value[j] = value_of(j);

  // A thread a digit.
  if (digit < DIGITS) {
    const u32 earlier = sum_of_earlier(words, epoch, tile);
    if (tile) lookback::publish(word, lookback::word(epoch, lookback::PREFIX, earlier + total));
    out_base[digit] = (u32)starts[digit] + earlier - place;
  }
  __syncthreads();

  // Through shared memory, so that neighbouring threads write equal digits to neighbouring places.
  Several<DIGIT_BITS, ITEMS> digits;
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    int at = j * THREADS + threadIdx.x;
    Word k = exchange[at];
    digits.set(j, digit_of(k, shift));
    if (at < here) store(out_base[digits[j]] + at, k);
  }
  if constexpr (VALUES) {
    __syncthreads();
    int *values = reinterpret_cast<int *>(room.words);
#pragma unroll
    for (int j = 0; j < ITEMS; j++) values[to_exchange[j]] = EARLY ? value[j] : value_of(j);
    __syncthreads();
#pragma unroll
    for (int j = 0; j < ITEMS; j++) {
      int at = j * THREADS + threadIdx.x;
      if (at < here) values_out[out_base[digits[j]] + at] = values[at];
    }
  }
}

template <class Word>
__global__ void __launch_bounds__(THREADS, LEAST_RESIDENT)
    sort_pass(const Word *keys_in, const int *values_in, i64 n, int shift, const u64 *starts, Word *keys_out,
              int *values_out, u64 *tiles, u32 epoch) {
  constexpr int ITEMS = PAIRS_ITEMS<Word, false>;
  __shared__ Room<Word, ITEMS> room;
  sort_tile<Word, true, true, ITEMS>([&](i64 i) { return keys_in[i]; }, values_in, n, shift, starts,
                                     [&](u32 to, Word key) { keys_out[to] = key; }, values_out, tiles, epoch, room);
}

// The first pass that is wanted reads the unsorted keys, the others what the pass before wrote.
__global__ void __launch_bounds__(THREADS, LEAST_RESIDENT)
    packed_pass(const u64 *unsorted, const u64 *keys_in, i64 n, int shift, const u64 *starts, u64 *keys_out,
                const int *many, u64 *tiles, u32 epoch) {
  const int lowest = lowest_bit(passes_of(many));
  if (shift < lowest || lowest < lowest_bit(MOST_PASSES)) return;
  const u64 *const from = shift == lowest ? unsorted : keys_in;
  __shared__ Room<u64, PACKED_ITEMS> room;
  sort_tile<u64, false, false, PACKED_ITEMS>([&](i64 i) { return from[i]; }, nullptr, n, shift, starts,
                                             [&](u32 to, u64 key) { keys_out[to] = key; }, nullptr, tiles, epoch, room);
}

// Keys, and values if they have any.
template <class Word>
struct Pairs {
  Word *keys;
  int *values;
};

// All passes from `first` up to `end` at once, where each block has one tile. They write `sorted` and `spare` in turns,
// the last one `sorted`. The lowest digit of pass 0 starts at bit `lowest`. Counts and `arrived` are 0 before the
// launch.
template <class Word, bool VALUES, int ITEMS>
__device__ void sort_at_once(const Word *keys, const int *values, i64 n, int lowest, int first, int end, u64 *counts,
                             Pairs<Word> spare, Pairs<Word> sorted, u64 *tiles, u32 *arrived) {
  const Grid grid = {arrived, (int)blockIdx.x, (int)gridDim.x};
  __shared__ u64 starts[DIGITS];
  __shared__ Room<Word, ITEMS> room;
  static_assert(sizeof(room) >= PASSES<Word> * DIGITS * sizeof(u32), "keys are counted there");
  const int digit = threadIdx.x;
  count_all(keys, n, lowest, first, end, counts, reinterpret_cast<u32 *>(room.words));
#pragma unroll 1
  for (int pass = first; pass < end; pass++) {
    grid.sync();  // all keys have been counted, or written by the pass before
    const u64 start = block_exclusive_sum<THREADS>(digit < DIGITS ? counts[pass * DIGITS + digit] : 0);
    if (digit < DIGITS) starts[digit] = start;
    const Pairs<Word> to = (end - pass) % 2 ? sorted : spare;
    sort_tile<Word, VALUES, false, ITEMS>([&](i64 i) { return keys[i]; }, values, n, lowest + DIGIT_BITS * pass, starts,
                                          [&](u32 at, Word key) { to.keys[at] = key; }, to.values, tiles,
                                          (u32)(pass + 1), room);
    keys = to.keys;
    values = to.values;
  }
}

__global__ void __launch_bounds__(THREADS, LEAST_RESIDENT)
    packed_passes(const u64 *keys, i64 n, const int *many, u64 *counts, u64 *spare, u64 *sorted, u64 *tiles,
                  u32 *arrived) {
  const int passes = passes_of(many);
  if (passes > MOST_PASSES) return;
  sort_at_once<u64, false, PACKED_ITEMS>(keys, nullptr, n, lowest_bit(MOST_PASSES), MOST_PASSES - passes, MOST_PASSES,
                                         counts, {spare, nullptr}, {sorted, nullptr}, tiles, arrived);
}

template <class Word>
__global__ void __launch_bounds__(THREADS, LEAST_RESIDENT)
    sort_passes(const Word *keys, const int *values, i64 n, int passes, u64 *counts, Word *spare, int *spare_values,
                Word *sorted, int *sorted_values, u64 *tiles, u32 *arrived) {
  sort_at_once<Word, true, PAIRS_ITEMS<Word, true>>(keys, values, n, 0, 0, passes, counts, {spare, spare_values},
                                                    {sorted, sorted_values}, tiles, arrived);
}

// Keys whose values are their indices, and which leave enough bits for these: the first pass packs them, as long as
// there is no `packed_in`, and the last takes them apart.
__global__ void __launch_bounds__(THREADS, LEAST_RESIDENT)
    indexed_pass(const u64 *keys_in, const u64 *packed_in, i64 n, int bits, int shift, const u64 *starts,
                 u64 *packed_out, u64 *keys_out, int *values_out, u64 *tiles, u32 epoch) {
  __shared__ Room<u64, PACKED_ITEMS> room;
  sort_tile<u64, false, false, PACKED_ITEMS>(
      [&](i64 i) { return packed_in ? packed_in[i] : keys_in[i] << bits | (u64)i; }, nullptr, n, bits + shift, starts,
      [&](u32 to, u64 key) {
        if (packed_out) {
          packed_out[to] = key;
        } else {
          keys_out[to] = key >> bits;
          values_out[to] = (int)index_of(key, bits);
        }
      },
      nullptr, tiles, epoch, room);
}

// many[p]: whether LEAST_PASSES + p passes leave many ties; a block each. They do if there are fewer than `least`, and
// they do not if there are `sure` or more. In between, they do if more than `most` keys of a sample have been in it
// before or, where more passes are possible, more than `fewer`. Keys of all ones are left out.
__global__ void __launch_bounds__(SAMPLE_THREADS)
    sample_ties(const u64 *keys, i64 n, int least, int sure, int most, int fewer, int *many) {
  constexpr int SLOTS = 2 * SAMPLE;
  constexpr u32 FREE = ~0u;
  __shared__ u32 seen[SLOTS];  // a hash table
  const int passes = LEAST_PASSES + blockIdx.x, lowest = lowest_bit(passes);
  if (blockIdx.x == 0 && threadIdx.x == 0) many[gridDim.x] = 0;
  if (passes < least || passes >= sure) {
    if (threadIdx.x == 0) many[blockIdx.x] = passes < least;
    return;
  }
  const i64 taken = minimum(n, (i64)SAMPLE);
  u64 sample[SAMPLE / SAMPLE_THREADS];
#pragma unroll
  for (int j = 0; j < SAMPLE / SAMPLE_THREADS; j++) {
    const i64 i = j * SAMPLE_THREADS + threadIdx.x;
    sample[j] = i < taken ? keys[i * n / taken] : ~0ull;
  }
  for (int s = threadIdx.x; s < SLOTS; s += SAMPLE_THREADS) seen[s] = FREE;
  __syncthreads();
  u64 again = 0;
#pragma unroll
  for (int j = 0; j < SAMPLE / SAMPLE_THREADS; j++) {
    const u64 high = sample[j] >> lowest;
    if (high == ~0ull >> lowest) continue;
    const u32 key = (u32)(high * 0x9e3779b97f4a7c15ull >> 32);  // in effect a number of its own
    u32 slot = key / (FREE / SLOTS + 1), found;
    while ((found = atomicCAS(seen + slot, FREE, key)) != FREE && found != key) slot = (slot + 1) % SLOTS;
    again += found == key;
  }
  again = block_sum<SAMPLE_THREADS>(again);
  if (threadIdx.x == 0) many[blockIdx.x] = (i64)again > (passes < MOST_PASSES ? fewer : most);
}

// Few keys, in one launch: a warp a key. values_in null: as above.
template <class Word>
__global__ void rank_keys(const Word *__restrict__ keys_in, const int *__restrict__ values_in, i64 n, Word *keys_out,
                          int *values_out) {
  const i64 i = thread_id() / 32;
  if (i >= n) return;
  const u32 before = rank_of_key(keys_in, n, i);
  if (lane_id() != 0) return;
  keys_out[before] = keys_in[i];
  values_out[before] = values_in ? values_in[i] : (int)i;
}
