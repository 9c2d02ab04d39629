"""What CPU kernels are built from.

compile.py            how kernels are compiled and cached
numba_internals.py    the parts of numba and llvmlite that have no public interface
numba_compiler.py     which steps of numba compile a kernel
numba_haste.py        changes to numba that save compile time
numba_wrapper.py      how Python and threads call a compiled kernel
parallel.py           threads: chunks of a range
blocks.py             array code of the stages, block by block
team.py               the threads that run compiled kernels
processors.py         how many of them there may be
memory.py             how much memory is free
copies.py             arrays that come to the host, and several that become one
arrays.py             arrays that start on a cache line
compact.py            positions of the flags that are set
gather.py             elements and rows at given places
total.py              the sum of numbers
lanes.py              vectors of 16 lanes
atomics.py            atomic operations on elements of an array
prefetch.py           asking for memory before it is needed
order.py              the total order on edges: (weight, power of the distance, smaller end, larger end)
heap.py               the smallest numbers so far
numbers.py            minima, maxima and the like, written so that they compile fast
sort.py               radix sort of 64-bit keys
"""
