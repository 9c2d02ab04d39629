// Layout of the linear bounding volume hierarchy: how many points a leaf holds, and where each level begins.
#pragma once
#include "distances/point_rows.cuh"

constexpr int LEAF = EMST_LEAF;  // points of a leaf
constexpr int FAN = EMST_FAN;    // children of a node: one for every lane
constexpr int FAN_BITS = 5;
static_assert(1 << FAN_BITS == FAN, "the children of a node are a power of 2");
constexpr int MAX_LEVELS = EMST_MAX_LEVELS;

struct Hierarchy {  // level 0 holds the leaves; node i of a level covers FAN nodes, from FAN * i, of the level below
  int levels;
  int count[MAX_LEVELS];
  int offset[MAX_LEVELS];
};
