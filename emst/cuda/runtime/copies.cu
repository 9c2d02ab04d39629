// Copies of small arrays by launches: the driver and the GPU take longer to begin a copy than a kernel.
//
// copies.py launches copy_pieces, and to_host.py launches send_words.
#include "runtime/exact.cuh"

constexpr int MOST_PIECES = EMST_MOST_PIECES;

// Words that are copied, and how many there are in all pieces up to the end of this one.
struct Piece {
  const u32 *from;
  u32 *to;
  i64 upto;
};
struct Pieces {
  Piece piece[MOST_PIECES];
};

// A thread copies one word of all pieces. They may lie in the memory of other GPUs.
__global__ void copy_pieces(const __grid_constant__ Pieces pieces, int count, i64 words) {
  const i64 i = thread_id();
  if (i >= words) return;
  int low = 0, high = count - 1;  // the first piece that ends after i
  while (low < high) {
    const int middle = (low + high) / 2;
    if (pieces.piece[middle].upto <= i)
      low = middle + 1;
    else
      high = middle;
  }
  const i64 at = i - (low ? pieces.piece[low - 1].upto : 0);
  pieces.piece[low].to[at] = pieces.piece[low].from[at];
}

// Sends few words to memory of the host. Other kernels follow at once, while a copy keeps the GPU idle before and
// after.
__global__ void send_words(const u32 *words, i64 count, u32 *host) {
  const i64 i = thread_id();
  if (i < count) host[i] = words[i];
}
