// From the leaves of the condensed tree up, at any depth: each leaf has a thread that climbs until it comes to a split
// before one of its siblings does.
//
// A step waits for memory once. Large clusters from which small ones split off one by one are thousands of steps deep;
// so after AHEAD steps a warp takes over: it reads all that the next 32 steps need at once, and most siblings there
// have already stored their words. A step also needs the word of the one before, and sums are rounded. But most sums
// stay below the next power of two. Until then, the amount that a child adds does not depend on the other steps. So the
// warp guesses 32 words by a scan, and each lane computes one word from the guess for the step below. If a word differs
// from its guess, the words above it are not known. It is right itself, and so are those below it.
#pragma once
#include "hierarchy/siblings.cuh"

constexpr int AHEAD = EMST_AHEAD;

// At most AHEAD steps of a thread, to a split into more than two at most; false if it has ended.
template <class Step>
__device__ bool climb_alone(const Climbed &t, int &c, u64 &mine, Step step) {
  int above = t.parent[c];
  if (above < 0) return false;
  int further = t.parent[above];
  int2 children = t.children[above];
  for (int hop = 0; hop < AHEAD && is_pair(children); hop++) {
    const int next = maximum(further, 0), beyond = t.parent[next];  // all loads begin before the first is used
    const int2 children_there = t.children[next];
    const auto look = step.look(above);
    const u64 other = meet(t, above, mine);
    if (other == NO_WORD) return false;
    const double seen = step.seen(above, look);
    const Few pair = pair_of(children, c, mine, other);
    mine = step.join(seen, pair);
    step.keep(above, seen, pair, mine);
    if (further < 0) return false;
    c = above;
    above = further;
    further = beyond;
    children = children_there;
  }
  return true;
}

// What a lane has read of an ancestor, one of 32 in a row.
template <class Look>
struct Ancestor {
  int cluster, far;  // NONE above the root
  int2 children;
  Look look;
  u64 words[FEW_CHILDREN];  // of two children, the word where they meet; of more, those of all
  __device__ int count() const { return children.y - children.x; }
};

// Nothing that is read is used here: the warp goes on with the steps before it. Above the root, that of the root is
// read.
template <class Step>
__device__ auto ancestor(const Climbed &t, int cluster, Step step) -> Ancestor<decltype(step.look(0))> {
  const int at = maximum(cluster, 0);
  return {cluster, t.far[at], t.children[at], step.look(at), {}};
}

// Each word by one load for all lanes: a second one into the same register would wait for the first.
template <class Look>
__device__ void read_words(const Climbed &t, Ancestor<Look> &of) {
  const int count = of.count();
  const volatile u64 *const met = t.meeting(maximum(of.cluster, 0)), *const first = t.word(of.children.x);
  of.words[0] = *(count == 2 ? met : first);
#pragma unroll
  for (int i = 1; i < FEW_CHILDREN; i++) of.words[i] = i < count ? first[i] : NO_WORD;
}

// Sets `few` to the words of its children; `child` is the one that climbs. Returns whether the words of the others are
// known.
template <class Look>
__device__ bool know_words(const Ancestor<Look> &of, int child, Few &few) {
  const int count = of.count();
  few = {of.children.x, count, child - of.children.x};
  bool known = of.cluster >= 0 && count <= FEW_CHILDREN;
#pragma unroll
  for (int i = 0; i < FEW_CHILDREN - 1; i++) {
    const u64 word = count == 2 || i < few.own ? of.words[i] : of.words[i + 1];
    few.others[i] = i < count - 1 ? word : 0;
    known &= few.others[i] != NO_WORD;
  }
  return known;
}

// How far a warp has come among 32 ancestors.
struct Way {
  int lane;  // the next one
  u64 mine;  // the word with which the climb comes there
  u64 came;  // that with which it has come to this lane's
};

// What steps make of a word's number, as long as sums are not rounded: at least `least`, otherwise `more` than it was.
struct Rise {
  double least, more;
  __device__ double of(double number) const { return fmax(least, add(number, more)); }
  __device__ Rise after(Rise below) const { return {of(below.least), add(below.more, more)}; }
};

// One step at least towards `stop`, and as many as are guessed right.
template <class Step>
__device__ void guessed_steps(Way &way, int stop, double seen, Few few, Step step) {
  const int own = (int)lane_id();
  const bool here = own >= way.lane && own < stop;
  const double mine = number_in(way.mine), number = fabs(mine);
  Rise rise = here ? step.rise(number, seen, few) : Rise{0.0, 0.0};
#pragma unroll
  for (int lanes = 1; lanes < 32; lanes *= 2) {
    const Rise below{__shfl_up_sync(FULL, rise.least, lanes), __shfl_up_sync(FULL, rise.more, lanes)};
    if (own >= lanes) rise = rise.after(below);
  }
  const u64 guess = word_of(copysign(rise.of(number), mine)), before = __shfl_up_sync(FULL, guess, 1);
  few.mine = own == way.lane ? way.mine : before;
  const u64 word = here ? step.join(seen, few) : 0;
  const u32 wrong = __ballot_sync(FULL, here && word != guess);
  const int last = wrong ? __ffs(wrong) - 1 : stop - 1;
  if (here && own <= last) way.came = few.mine;
  way.mine = __shfl_sync(FULL, word, last);
  way.lane = last + 1;
}

// The next step: from `child` to its parent, where not all words were known. False if the climb ends there. `met`
// becomes the word of the other of two children.
template <class Look, class Step>
__device__ bool step_up(const Climbed &t, Way &way, const Ancestor<Look> &here, int child, double seen, u64 &met,
                        Step step) {
  if ((int)lane_id() == way.lane) way.came = way.mine;
  const int cluster = __shfl_sync(FULL, here.cluster, way.lane), from = __shfl_sync(FULL, child, way.lane);
  const int first = __shfl_sync(FULL, here.children.x, way.lane);
  const int2 children = make_int2(first, first + __shfl_sync(FULL, here.count(), way.lane));
  seen = __shfl_sync(FULL, seen, way.lane);
  if (cluster < 0) return false;
  if (is_pair(children)) {
    if (lane_id() == 0) met = meet(t, cluster, way.mine);
    met = __shfl_sync(FULL, met, 0);
    if (met == NO_WORD) return false;
    way.mine = step.join(seen, pair_of(children, from, way.mine, met));
  } else {
    Words words(t, children, from, way.mine);
    if (!is_last(t, cluster, from, words)) return false;
    way.mine = step.many(cluster, seen, children.x, words);
  }
  way.lane++;
  return true;
}

// All further steps from c, by a warp. While it makes 32 steps, it reads the words for the next 32, and what else the
// 32 after these need. It does not wait at a cluster where all words are known. When the 32 steps are made, each lane
// stores what follows for its cluster.
template <class Step>
__device__ void climb_together(const Climbed &t, int c, u64 mine, Step step) {
  const int own = (int)lane_id();
  int first = t.parent[c];
  for (int hop = 0; hop < own && first >= 0; hop++) first = t.parent[first];
  auto here = ancestor(t, first, step), later = ancestor(t, here.far, step);
  read_words(t, here);
  for (;;) {
    const auto after = ancestor(t, later.far, step);
    read_words(t, later);
    const int below = __shfl_up_sync(FULL, here.cluster, 1), child = own ? below : c;
    const double seen = step.seen(here.cluster, here.look);
    Few few;
    bool known = know_words(here, child, few);
    const u32 unknown = __ballot_sync(FULL, !known);
    Way way{0, mine, 0};
    for (;;) {
      const u32 left = way.lane < AHEAD ? unknown >> way.lane : 0;
      const int stop = left ? way.lane + __ffs(left) - 1 : AHEAD;
      while (way.lane < stop) guessed_steps(way, stop, seen, few, step);
      if (stop == AHEAD) break;
      u64 met = NO_WORD;
      if (!step_up(t, way, here, child, seen, met, step)) break;
      if (own == stop && met != NO_WORD) {
        few.others[0] = met;
        known = true;
      }
    }
    few.mine = way.came;
    const u64 next = __shfl_down_sync(FULL, way.came, 1), word = own == way.lane - 1 ? way.mine : next;
    if (own < way.lane && known) step.keep(here.cluster, seen, few, word);
    if (way.lane < AHEAD) return;
    c = __shfl_sync(FULL, here.cluster, AHEAD - 1);
    mine = way.mine;
    here = later;
    later = after;
  }
}

// A Step has seven members:
//
//     look(c)                       reads data of a cluster, while the words of its children are on their way
//     seen(c, look)                 makes a number of what look(c) has read
//     leaf(c)                       returns the word of a leaf
//     join(seen, few)               returns the word of a cluster with two to FEW_CHILDREN children
//     keep(c, seen, few, word)      stores what follows from that word
//     many(c, seen, first, words)   does both for a cluster with more children, by a warp
//     rise(number, seen, few)       returns the Rise of a step. The number is that of a word some steps below.
//
// climb_from(t, i, step) begins at cluster i if that is a leaf; all lanes of a warp must call.
template <class Step>
__device__ void climb_from(const Climbed &t, i64 i, Step step) {
  int c = (int)i;
  const bool is_leaf = i < t.count && t.children[c].y == 0;
  u64 mine = is_leaf ? step.leaf(c) : 0;
  const bool on = is_leaf && climb_alone(t, c, mine, step);
  for (u32 left = __ballot_sync(FULL, on); left; left &= left - 1) {
    const int lane = __ffs(left) - 1;
    climb_together(t, __shfl_sync(FULL, c, lane), __shfl_sync(FULL, mine, lane), step);
  }
}

// From all clusters, by a thread each. The deepest leaves have the last numbers, and those of a warp climb one after
// the other: so clusters in a row go to different warps.
template <class Step>
__device__ void climb(const Climbed &t, Step step) {
  const i64 warps = (i64)gridDim.x * (EMST_BLOCK / 32);
  climb_from(t, lane_id() * warps + thread_id() / 32, step);
}
