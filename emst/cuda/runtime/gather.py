"""Elements at given places of an array. Kernels: gather.cu."""

from __future__ import annotations

import cupy

from emst.cuda.runtime.compile import number_type
from emst.cuda.runtime.launch import launch

WORDS = {4: "u32", 8: "u64"}


def take(array: cupy.ndarray, places: cupy.ndarray) -> cupy.ndarray:
    """See `emst.backend.operations`. CuPy's own kernel is for elements of other sizes, and for arrays with gaps."""
    word = WORDS.get(array.itemsize)
    if word is None or not (array.flags.c_contiguous and places.flags.c_contiguous):
        return array[places]
    out, n = cupy.empty(len(places), array.dtype), len(places)
    launch("runtime/gather", f"gather_words<{word}, {number_type(places.dtype)}>", n, array, places, n, out)
    return out


def put(array: cupy.ndarray, places: cupy.ndarray, values: cupy.ndarray) -> None:
    """See `emst.backend.operations`."""
    n = len(places)
    name = f"put_words<{WORDS[array.itemsize]}, {number_type(places.dtype)}>"
    launch("runtime/gather", name, n, values, places, n, array)
