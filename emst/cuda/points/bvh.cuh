// Layout of the linear bounding volume hierarchy: how many points a leaf holds, and where each level begins.
#pragma once
#include "distances/point_rows.cuh"

constexpr int LEAF = EMST_LEAF;  // points of a leaf
constexpr int FAN = EMST_FAN;    // children of a node: one for every lane
constexpr int MAX_LEVELS = EMST_MAX_LEVELS;

struct Hierarchy {  // level 0 holds the leaves; node i of a level covers FAN nodes, from FAN * i, of the level below
  int levels;
  int count[MAX_LEVELS];
  int offset[MAX_LEVELS];
};
