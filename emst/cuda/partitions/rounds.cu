// Rounds over the components of all partitions, without the host. A member is a partition; one GPU, the home, joins.
// Members and home read each other's memory. The host launches all kernels of a round with the same arguments as in the
// round before, and does not wait for numbers: kernels read these from the memory of the GPU.
//
// members.py launches, on the GPU of every member, begin_round, list_asking, ask_others, answer_others and
// first_answers, with labels of the member's nodes in between (points/labels.cu, box_labels in components.cu); then, at
// home, join_answers. rounds.py sees to the order.
#include "partitions/asking.cuh"
#include "partitions/contraction.cuh"
#include "partitions/outline.cuh"
#include "points/across.cuh"

// The state of all rounds. The home has it, and every member a copy, which begin_round makes.
struct Progress {
  int components, edges;  // that are left, and that are known between them
  int asked;              // questions in the last round
  int over;               // one of `Over`; if it is not GOES_ON, the kernels of this file return at once
  int round;              // the next one, from 0
};
static_assert(sizeof(Progress) == EMST_JOINED_WORDS * sizeof(int), "members.py allocates it");

constexpr int SMALLEST_PACKET = 4;  // questions that a warp takes together, at least

// Whether there is another round. There is none if one component is left, or if edges close a cycle. If a list has too
// few places for a round, this round is not taken, and none after it.
enum Over { GOES_ON, JOINED, TOO_MANY, CYCLE };

// What the home knows of the components. Of two lists, the one at round % 2 is read, and the other one is written.
template <class T>
struct Home {
  Progress *progress;
  int *label;                      // [2][labels]: of the components of all partitions
  i64 *size;                       // [2][components in the beginning]
  u64 *edges;                      // [2][room]: each of several words
  Bits<T> *weight, *power;         // bounds of the components
  int *boxes;                      // labels of the whole outline
  i64 labels, sizes, room, nodes;  // lengths of these lists, and of `boxes`
};

// A member's copy of what it needs in a round, and what it counts.
template <class T>
struct Copy {
  Progress *progress;
  int *label;
  Bits<T> *weight, *power;  // power is null where weights are powers
  int *boxes;
  u32 *asked;    // by member: how many points ask it
  u32 *listed;   // how many points may ask
  int *exceeds;  // 1 once points beyond those near the border may ask, too
};

// What others read of a member.
template <class T>
struct Member {
  const T *rows;
  const int *component;
  const int *questions;  // [members][room]: places of the points that ask each
  const u32 *asked, *listed;
  const int *answers;  // how many answers it has; then 1 if it has too few places for questions
  const u64 *found;    // of every component, the first edge among the answers
  const int *boxes;    // labels of its outline
  Numbering numbering;
  i64 base, box, boxes_here;  // its first component, and its first box among all, of so many
  i64 room;                   // how many places each list of questions has
};

// Copies what a member needs from the home, and finds out whether points that are not near the border may ask, too.
template <class T>
__global__ void begin_round(const Home<T> home, const Copy<T> here, const Asking<T> near, i64 base, int members) {
  const i64 first = thread_id(), step = gridDim.x * (i64)blockDim.x;
  const Progress now = *home.progress;
  if (first == 0) *here.progress = now;
  if (now.over) return;
  const int *const label = home.label + now.round % 2 * home.labels;
  for (i64 c = first; c < home.labels; c += step) here.label[c] = label[c];
  for (i64 c = first; c < now.components; c += step) {
    here.weight[c] = home.weight[c];
    if (here.power) here.power[c] = home.power[c];
  }
  for (i64 i = first; i < home.nodes; i += step) here.boxes[i] = home.boxes[i];
  for (i64 j = first; j < members; j += step) here.asked[j] = 0;
  if (first == 0) *here.listed = 0;
  for (i64 c = first; c < near.components; c += step)
    if (near.exceeds_rest(c, home.weight[label[base + c]])) *here.exceeds = 1;
}

// Lists the points that may ask. Each block takes a run of points on the curve, and lists them in this order.
template <class T>
__global__ void __launch_bounds__(THREADS)
    list_asking(const Copy<T> here, const Asking<T> near, const Asking<T> all, int *listed, i64 room) {
  __shared__ i64 begin;
  if (here.progress->over) return;
  const Asking<T> &asking = *here.exceeds ? all : near;
  const i64 share = (asking.count / gridDim.x / THREADS + 1) * THREADS;
  const i64 first = minimum(blockIdx.x * share, asking.count), end = minimum(first + share, asking.count);
  const auto asks = [&](i64 i) { return asking.asks(i, asking.group[asking.component[asking.place(i)]]); };
  u64 mine = 0;
  for (i64 i = first + threadIdx.x; i < end; i += THREADS) mine += asks(i);
  mine = block_sum<THREADS>(mine);
  if (mine == 0) return;
  if (threadIdx.x == 0) begin = (i64)atomicAdd(here.listed, (u32)mine);
  __syncthreads();
  i64 before = begin;
  for (i64 tile = first; tile < end; tile += THREADS) {
    const i64 i = tile + threadIdx.x;
    const bool kept[1] = {i < end && asks(i)};
    u32 at[1];
    const u32 count = block_places<THREADS>(kept, at);
    if (kept[0] && before + at[0] < room) listed[before + at[0]] = (int)asking.place(i);
    before += count;
  }
}

// Lists the points that ask each of the other members, among those that may ask.
template <class T, int METRIC>
__global__ void __launch_bounds__(THREADS)
    ask_others(const Copy<T> here, const int *listed, i64 room, const int *component, i64 base, const T *rows,
               int dimensions, int stride, const Norm<METRIC> norm, const Outline<T> outline, int *questions) {
  if (here.progress->over) return;
  const i64 count = *here.listed, tiles = (count + THREADS - 1) / THREADS;
  if (count > room) return;
  for (i64 tile = blockIdx.x; tile < tiles * outline.partitions; tile += gridDim.x) {
    const int j = (int)(tile % outline.partitions);
    if (j == outline.home) continue;
    const i64 i = tile / outline.partitions * THREADS + threadIdx.x;
    const int place = listed[minimum(i, count - 1)], label = here.label[base + component[place]];
    const T *const x = rows + (i64)place * stride;
    const Box<T, METRIC> point{x, x, dimensions};
    const bool hit[1] = {i < count && hits(point, label, here.weight[label], norm, outline, j)};
    u32 at[1];
    const i64 k = (i64)reserve<THREADS>(hit, here.asked + j, at) + at[0];
    if (hit[0] && k < room) questions[j * room + k] = place;
  }
}

// Finds, for every question of the other members, the edge to the nearest point of another component in member `me`.
template <class T, int D, int METRIC, bool MRD>
__global__ void __launch_bounds__(32 * WARPS)
    answer_others(const Copy<T> here, const Member<T> *members, int count, int me, const T *points, const int *labels,
                  i64 components, const __grid_constant__ Hierarchy h, const T *nodes, const Norm<METRIC> norm,
                  u64 *words, i64 room, int *answers) {
  __shared__ u64 stacks[WARPS][STACK];
  if (here.progress->over) return;
  i64 all = 0;
  bool fits = *members[me].listed <= members[me].room;
  for (int s = 0; s < count; s++) {
    const i64 asked = s == me ? 0 : members[s].asked[me];
    all += asked;
    fits &= asked <= members[s].room;
  }
  fits &= all <= room;
  if (thread_id() == 0) answers[0] = fits ? (int)all : 0;
  if (thread_id() == 0) answers[1] = !fits;
  if (!fits) return;

  const Member<T> mine = members[me];
  NearestAcross<T, D, METRIC, MRD, true> search;
  search.points = points;
  search.norm = norm;
  search.labels = labels;
  search.group = here.label + mine.base;
  search.groups = (int)components;
  const i64 warps = gridDim.x * (i64)WARPS;
  int size = 32;
  while (size > SMALLEST_PACKET && all < size * warps) size /= 2;
  i64 packet = thread_id() / 32, before = 0;
  for (int s = 0; s < count; s++) {
    if (s == me) continue;
    const Member<T> sender = members[s];
    const i64 asked = sender.asked[me], packets = (asked + size - 1) / size;
    const int *const questions = sender.questions + me * sender.room;
    for (; packet < packets; packet += warps) {
      const i64 q = packet * size + minimum((int)lane_id(), size - 1);
      const bool on = (int)lane_id() < size && q < asked;
      const int place = questions[minimum(q, asked - 1)];
      const int component = sender.component[place] + (int)sender.base, label = here.label[component];
      const Row<T, D> x = load<T, D>(sender.rows, place);
      search.begin(x, label, bits_of(x.tag), here.weight[label], on);
      walk<T, D>(h, nodes, Packet<T, D>(search.x), stacks[threadIdx.x / 32], search);
      if (!on) continue;
      const i64 mine_id = sender.numbering.id_of(place);
      u64 *const edge = words + (before + q) * WORDS_OF<T>;
      if (!search.has_found()) {  // an edge inside a component counts for none
        write_edge<T>(edge, component, component, mine_id, mine_id, INFINITE<T>, INFINITE<T>);
        continue;
      }
      const i64 id = mine.numbering.id_of(search.id);
      const int other = labels[search.id] + (int)mine.base;
      write_edge<T>(edge, component, other, minimum(mine_id, id), maximum(mine_id, id), search.weight, search.distance);
    }
    packet -= packets;
    before += asked;
  }
}

// The first of the answers of a member for every component; all of an edge is 0 where none leaves it.
template <class T>
__global__ void __launch_bounds__(THREADS) first_answers(const Copy<T> here, u64 *words, const int *answers, u64 *least,
                                                         u32 *place, u64 *found, Meeting *meeting) {
  if (here.progress->over || answers[1]) return;
  const Edges<WORDS_OF<T>> edges{words, answers[0], here.label, true};
  const Grid grid = meeting->grid();
  const i64 components = here.progress->components;
  find_first(grid, edges, components, least, place);
  for (i64 c = grid.first(); c < components; c += grid.step()) {
    if (place[c] != ~0u)
      edges.copy(place[c], found + c * WORDS_OF<T>);
    else
      for (int k = 0; k < WORDS_OF<T>; k++) found[c * WORDS_OF<T> + k] = 0;
  }
}

// Contracts the first edges of all components, of those that were known and those that members have found. `taken` gets
// the edges of all rounds, one after the other.
template <class T>
__global__ void __launch_bounds__(THREADS)
    join_answers(const Home<T> home, const Member<T> *members, int count, u64 *least, u32 *first, int *parent,
                 int *number, u64 *taken, u64 *numbers, Meeting *meeting) {
  constexpr int WORDS = WORDS_OF<T>;
  const Grid grid = meeting->grid();
  const Progress now = *home.progress;
  if (now.over) return;
  const int from = now.round % 2, to = 1 - from;
  const i64 components = now.components, found = components * count;
  bool mine_fit = now.edges + found <= home.room;  // a thread a member: each of these reads crosses to another GPU
  for (int s = threadIdx.x; s < count; s += THREADS) mine_fit &= !members[s].answers[1];
  const bool fits = __syncthreads_and(mine_fit);
  if (!fits) {
    if (grid.first() == 0) home.progress->over = TOO_MANY;
    return;
  }
  if (grid.first() == 0) {
    for (u32 &pass : meeting->unfinished) pass = 0;
    meeting->greatest = 0;
  }
  u64 *const words = home.edges + from * home.room * WORDS, *const left = home.edges + to * home.room * WORDS;
  for (int s = 0; s < count; s++) {
    const u64 *const answers = members[s].found;
    u64 *const place = words + (now.edges + s * components) * WORDS;
    for (i64 i = grid.first(); i < components * WORDS; i += grid.step()) place[i] = answers[i];
  }
  int *const label = home.label + from * home.labels, *const labels = home.label + to * home.labels;
  i64 *const size = home.size + from * home.sizes, *const sizes = home.size + to * home.sizes;
  u64 *const taken_now = taken + (home.sizes - components) * WORDS;
  const Contraction<T> what = {components, home.weight, size,  label,  home.labels, home.nodes, least, first,
                               parent,     number,      sizes, labels, home.boxes,  taken_now,  left,  numbers};
  const auto box = [&](i64 i) {
    int s = 0;
    while (i >= members[s].box + members[s].boxes_here) s++;
    return members[s].boxes[i - members[s].box];
  };
  const Edges<WORDS> known{words, now.edges + found, label, true};
  const Left after = contract(grid, known, what, box, meeting);
  if (after.components > 1) {
    const Edges<WORDS> rest{left, after.edges, labels, true};
    bound_components<T>(grid, rest, after.components, sizes, least, first, home.weight, home.power, meeting);
  }
  if (grid.first() != 0) return;
  int asked = 0;
  for (int s = 0; s < count; s++) asked += members[s].answers[0];
  const Over over = after.components == 0 ? CYCLE : after.components == 1 ? JOINED : GOES_ON;
  *home.progress = {(int)after.components, (int)after.edges, asked, over, now.round + 1};
}
