// Layout of the linear bounding volume hierarchy: how many points a leaf holds, and where each level begins.
#pragma once
#include "distances/point_rows.cuh"

constexpr int LEAF = 8;  // points a leaf
constexpr int FAN = 32;  // children a node: one for every lane
constexpr int MAX_LEVELS = 8;

struct Hierarchy {  // level 0 holds the leaves; node i of a level covers FAN nodes, from FAN * i, of the level below
  int levels;
  int count[MAX_LEVELS];
  int offset[MAX_LEVELS];
};
