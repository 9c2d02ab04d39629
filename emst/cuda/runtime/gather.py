"""Elements and rows at given places of an array, read or written. Kernels: gather.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.cuda.runtime.compile import number_type
from emst.cuda.runtime.constants import DIGIT_BITS
from emst.cuda.runtime.launch import launch
from emst.cuda.runtime.sort import index_bits, sort_pairs

WORDS = {4: "u32", 8: "u64"}
FAR = 1 << 24  # words of an array that the second-level cache does not hold


def take(array: cupy.ndarray, places: cupy.ndarray) -> cupy.ndarray:
    """See `emst.backend.operations`. CuPy's own kernel is for elements of other sizes, and for other gaps."""
    word, n, whole = WORDS.get(array.itemsize), len(places), array.flags.c_contiguous
    in_rows = whole or (array.ndim == 2 and array.strides[1] == array.itemsize)
    if word is None or not (in_rows and places.flags.c_contiguous):
        return array[places]
    out, template = cupy.empty((n, *array.shape[1:]), array.dtype), f"<{word}, {number_type(places.dtype)}>"
    if array.ndim == 1:
        launch("runtime/gather", f"gather_words{template}", n, array, places, n, out)
        return out
    width = array.shape[1]
    stride = width if whole else array.strides[0] // array.itemsize
    launch("runtime/gather", f"gather_rows{template}", n * width, array, stride, np.int32(width), places, n, out)
    return out


def put(array: cupy.ndarray, places: cupy.ndarray, values: cupy.ndarray) -> None:
    """See `emst.backend.operations`. Many values are put in the order of the places' highest digit first: what is
    written at the same time then fits into the second-level cache. At random places, a write takes four times as long.
    """
    if places.dtype == np.int32 and are_far(values):
        bits = index_bits(len(array))
        keys, words = places.view(np.uint32), cupy.ascontiguousarray(values).view(np.int32)
        near, moved = sort_pairs(keys, words, bits, lowest=max(bits - DIGIT_BITS, 0))
        places, values = near.view(np.int32), moved.view(values.dtype)
    n, stride = len(places), values.strides[0] // values.itemsize
    name = f"put_words<{WORDS[array.itemsize]}, {number_type(places.dtype)}>"
    launch("runtime/gather", name, n, places, n, values, stride, array)


def are_far(values: cupy.ndarray) -> bool:
    """Whether so many values reach their places in less time in two passes."""
    return values.itemsize == 4 and len(values) > FAR
