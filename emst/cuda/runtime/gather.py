"""Elements and rows at given places of an array, read or written. Kernels: gather.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.cuda.runtime.compile import number_type
from emst.cuda.runtime.launch import launch

WORDS = {4: "u32", 8: "u64"}


def take(array: cupy.ndarray, places: cupy.ndarray) -> cupy.ndarray:
    """See `emst.backend.operations`. CuPy's own kernel is for elements of other sizes, and for other gaps."""
    word, n = WORDS.get(array.itemsize), len(places)
    rows = array.ndim == 2 and array.strides[1] == array.itemsize
    if word is None or not (places.flags.c_contiguous and (rows or array.flags.c_contiguous)):
        return array[places]
    out, template = cupy.empty((n, *array.shape[1:]), array.dtype), f"<{word}, {number_type(places.dtype)}>"
    if rows:
        stride, width = array.strides[0] // array.itemsize, array.shape[1]
        args = array, stride, np.int32(width), places, n, out
        launch("runtime/gather", f"gather_rows{template}", n * width, *args)
    else:
        launch("runtime/gather", f"gather_words{template}", n, array, places, n, out)
    return out


def put(array: cupy.ndarray, places: cupy.ndarray, values: cupy.ndarray) -> None:
    """See `emst.backend.operations`."""
    n, stride = len(places), values.strides[0] // values.itemsize
    name = f"put_words<{WORDS[array.itemsize]}, {number_type(places.dtype)}>"
    launch("runtime/gather", name, n, places, n, values, stride, array)
