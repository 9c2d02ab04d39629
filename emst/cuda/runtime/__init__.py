"""What GPU kernels are built from.

compile.py      how kernels are compiled, by NVRTC when they are first needed
launch.py       how kernels are launched
arguments.py    where the arguments of a launch lie in memory
signature.py    a kernel's parameters, to check the arguments of a launch
constants.py    numbers that kernels and Python must agree on
tensor_cores.py  what the tensor cores of a GPU can be given
memory.py       arrays on the GPU, memory for kernels alone, and how much memory is free
to_host.py      few numbers on their way to the host
copies          arrays that come to the GPU, and several that become one
blocks.py       array code of the stages, block by block
processors.py   how much of the GPU kernels use
convert.cu      float32 to float64
exact.cuh       arithmetic that rounds as the CPU does
order.cuh       the total order on edges: (weight, power of the distance, smaller end, larger end)
warp.cuh        scans and sums over the lanes of a warp and the threads of a block
grid.cuh        blocks that work together in one launch
gather          elements and rows at given places
total           the sum of numbers
sort            radix sort of keys of 32 or 64 bits
packed.cuh      keys that share a word with an index
ties.cuh        the order of equal keys, after a sort
scan.cuh        prefix sums within segments
compact.cuh     ordered compaction: the indices to keep, in order
compaction.py   how it is launched
told.cuh        what a kernel tells the host
lookback.cuh    how the tiles of a single-pass scan exchange their sums
"""
