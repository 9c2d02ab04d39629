"""How kernels are compiled.

`kernel` marks what Python calls, `part` what kernels are made of. Parts are inlined: a call would pass every array in
seven registers or stack slots. Kernels are compiled without numba's reference counts (`_nrt`): they own no arrays, and
an atomic increment for every array taken out of a tuple took half of their time. So they cannot allocate: scratch
comes from `for_chunks`, one set a thread.
"""

from numba import njit

kernel = njit(nogil=True, cache=True, error_model="numpy", _nrt=False)
part = njit(nogil=True, forceinline=True, error_model="numpy", _nrt=False)
