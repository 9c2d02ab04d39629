"""Which device holds an array, which device works on it, and how arrays move between devices.

Work and results belong on the device that holds the caller's data: of several GPUs that is the array's own, whichever
GPU is the current one. A framework is imported only when the caller's array already belongs to it.
"""

from __future__ import annotations

import contextlib
import importlib.util
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from emst.backend import backend_of
from emst.backend.imports import imported_cupy, unkept
from emst.backend.notices import NOT_KEPT, say_once
from emst.backend.records import Array

DEVICES = ("auto", "cpu", "cuda")
LEAST_CAPABILITY = 80  # the kernels reduce over warps in one instruction
_DLPACK_CUDA = 2
_usable: set[tuple[Any, int | None]] = set()  # GPUs that were found usable, by CuPy's module: it takes microseconds


def gpu_of(X: Any) -> int | None:
    """Number of the GPU that holds an array or a sparse matrix; None for anything on the host."""
    if isinstance(X, np.ndarray):
        return None
    if _is_cupy(X):
        return int(X.data.device_id)
    if is_torch(X):
        return int(X.device.index) if X.is_cuda else None
    if is_cupy_sparse(X):
        return gpu_of(X.data)
    if hasattr(X, "__cuda_array_interface__"):
        return _gpu_of_pointer(X.__cuda_array_interface__["data"][0])
    if hasattr(X, "__dlpack_device__"):
        kind, number = X.__dlpack_device__()
        return int(number) if kind == _DLPACK_CUDA else None
    return None


def native_array(X: Any) -> Any:
    """An array of any library as a numpy or cupy array on its own device, without a copy; anything else as it is."""
    if isinstance(X, np.ndarray) or _is_cupy(X) or is_cupy_sparse(X):
        return X
    gpu = gpu_of(X)
    if gpu is None:
        return X.detach().numpy() if is_torch(X) else X
    with _cupy().cuda.Device(gpu):  # CuPy brings what it converts to the current GPU
        if is_torch(X):
            with _torch().cuda.device(gpu):  # torch has a current GPU of its own, and exports from that one only
                return _cupy().from_dlpack(X.detach())
        return _cupy().asarray(X) if hasattr(X, "__cuda_array_interface__") else _cupy().from_dlpack(X)


def opened(X: Any) -> tuple[Any, int | None, Callable[[Array], Any]]:
    """`native_array`, `gpu_of` and `giver` of the same data, which is looked at once."""
    if isinstance(X, np.ndarray):
        return X, None, to_host
    if _is_cupy(X):
        return X, X.data.device_id, _placer(X.data.device_id)
    array = native_array(X)
    return array, gpu_of(array), giver(X)


def on_device_of(array: Any) -> contextlib.AbstractContextManager[Any]:
    """Makes the GPU that holds an array or a sparse matrix the current one; does nothing for data on the host."""
    return on_gpu(gpu_of(array))


def on_gpu(gpu: int | None) -> contextlib.AbstractContextManager[Any]:
    """Makes the GPU of that number the current one; does nothing for None."""
    return contextlib.nullcontext() if gpu is None else _cupy().cuda.Device(gpu)


def to_host(array: Any) -> np.ndarray:
    """Any array or array-like, as numpy."""
    native = native_array(array)
    if not hasattr(native, "__cuda_array_interface__"):
        return np.asarray(native)
    with native.device:
        return native.get()


def placed(array: Array, gpu: int | None) -> Array:
    """A numpy or cupy array on that GPU, or on the host for None: itself if it lies there, otherwise a copy."""
    if gpu_of(array) == gpu:
        return array
    if gpu is None:
        return to_host(array)
    with _cupy().cuda.Device(gpu):
        return backend_of("cuda").asarray(array)


def giver(X: Any) -> Callable[[Array], Any]:
    """Function that turns a result on any device into the kind of array that `X` is, on the device of `X`."""
    if is_torch(X):
        torch, home = _torch(), X.device
        return lambda result: torch.from_dlpack(result).to(home)
    return _placer(gpu_of(X))


def _placer(gpu: int | None) -> Callable[[Array], Any]:
    """`placed` on that GPU."""
    return lambda result: placed(result, gpu)


def choose_device(device: str, gpu: int | None = None) -> str:
    """Where to work on data that lies on that GPU, or on the host for None: host data goes to the current GPU.

    Raises
    ------
    ValueError
        An unknown `device`.
    RuntimeError
        ``device="cuda"`` without CuPy or without a GPU.
    """
    if device not in DEVICES:
        raise ValueError(f"device must be one of {', '.join(map(repr, DEVICES))}; got {device!r}")
    if device == "cpu" or (device == "auto" and gpu is None and usable_device("cuda") == "cpu"):
        return "cpu"
    known = sys.modules.get("cupy"), gpu
    if gpu is not None and known in _usable:
        return "cuda"
    if not _has_cupy():
        raise RuntimeError("device='cuda' needs CuPy: pip install 'emst[cuda13]' (or 'emst[cuda12]')")
    problem = _gpu_problem(gpu)
    if problem is not None:
        raise RuntimeError(
            f"device='cuda' found no usable GPU ({problem}); with an NVIDIA driver for CUDA 13 install 'emst[cuda13]', "
            "for CUDA 12 'emst[cuda12]'"
        )
    _usable.add(known)
    return "cuda"


def usable_device(wanted: str) -> str:
    """The wanted device for host data, or the CPU where that is a GPU that this machine does not have."""
    return "cuda" if wanted == "cuda" and _has_cupy() and _gpu_problem(None) is None else "cpu"


def _is_cupy(X: Any) -> bool:
    """Whether `X` is CuPy's own array. It is asked before all other questions: they cost microseconds."""
    cupy = sys.modules.get("cupy")
    return cupy is not None and isinstance(X, cupy.ndarray)


def is_torch(X: Any) -> bool:
    """Whether `X` is a torch tensor."""
    return type(X).__module__.partition(".")[0] == "torch" and hasattr(X, "is_cuda")


def is_cupy_sparse(X: Any) -> bool:
    """Whether `X` is a sparse matrix of CuPy."""
    return type(X).__module__.startswith("cupyx.")


def _torch() -> Any:
    import torch

    return torch


def _cupy() -> Any:
    if "cupy" not in sys.modules:
        imported_cupy()
    import cupy  # another thread may import it now

    return cupy


def _has_cupy() -> bool:
    return importlib.util.find_spec("cupy") is not None


def _gpu_of_pointer(pointer: int) -> int:
    """Number of the GPU that holds this memory. Empty arrays have no memory: the current GPU."""
    runtime = _cupy().cuda.runtime
    return int(runtime.pointerGetAttributes(pointer).device if pointer else runtime.getDevice())


def _gpu_problem(gpu: int | None) -> str | None:
    """Why this GPU, by default the current one, cannot be used; None if it can."""
    try:
        runtime = _cupy().cuda.runtime
    except (ImportError, OSError) as error:  # CuPy is there, its CUDA libraries are not; or no folder can be made
        return str(error)
    try:
        if runtime.getDeviceCount() == 0:
            return "the driver reports no device"
        capability = int(_cupy().cuda.Device(gpu).compute_capability)
        if capability < LEAST_CAPABILITY:
            return f"compute capability {capability}, but Ampere's 80 is needed"
    except runtime.CUDARuntimeError as error:
        return str(error)
    for why in unkept:
        say_once(NOT_KEPT.format(why, "CUPY_CACHE_DIR"))
    return _compiler_problem()


def _compiler_problem() -> str | None:
    """Why kernels cannot be compiled, not even be looked up among those that are kept: CuPy asks NVRTC its version."""
    try:
        _cupy().cuda.nvrtc.getVersion()
    except Exception as error:  # of a kind that depends on CuPy's version
        return f"NVRTC, which compiles the kernels, is missing: {error}"
    return None
