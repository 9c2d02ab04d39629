// Points of a partition that may ask others, as `Asking` of the records: which of them do.
#pragma once
#include "runtime/order.cuh"

template <class T>
struct Asking {
  const int *places;
  const Bits<T> *weight, *power;
  const int *component, *group;
  const Bits<T> *bound, *bound_power, *least;
  i64 count, components;
  T rest;

  __device__ i64 place(i64 i) const { return places ? places[i] : i; }

  // Whether the weight and power of point i are not after the bound of its component, which is part of g.
  __device__ bool asks(i64 i, int g) const {
    const Bits<T> most = bound[g];
    return most >= 0 && weight[i] <= most && !(power && weight[i] == most && power[i] > bound_power[g]);
  }

  // Whether points that are not among these may ask, because of component c. No number is negative, but for the bound
  // of a component that asks for nothing.
  __device__ bool exceeds_rest(i64 c) const { return exceeds_rest(c, bound[group[c]]); }
  __device__ bool exceeds_rest(i64 c, Bits<T> most) const {
    return bits_of(rest) < INFINITE<T> && most >= least[c] && most >= bits_of(rest);
  }
};
