"""Where arrays live, and where to work on them.

A framework is imported only when the caller's array already belongs to it.
"""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

from emst.backend.records import Array

DEVICES = ("auto", "cpu", "cuda")
LEAST_CAPABILITY = 80  # the kernels reduce over warps in one instruction
_DLPACK_CUDA = 2


def native_array(X: Any) -> Any:
    """`X` as a numpy or cupy array without a copy where it is one underneath; otherwise `X` itself."""
    if isinstance(X, np.ndarray):
        return X
    if is_torch(X):
        return _cupy().from_dlpack(X.detach()) if X.is_cuda else X.detach().numpy()
    if hasattr(X, "__cuda_array_interface__"):
        return _cupy().asarray(X)
    if hasattr(X, "__dlpack_device__") and X.__dlpack_device__()[0] == _DLPACK_CUDA:
        return _cupy().from_dlpack(X)
    return X


def on_device_of(array: Any) -> contextlib.AbstractContextManager[Any]:
    """Makes the GPU that holds a cupy array the current one; does nothing for numpy."""
    return contextlib.nullcontext() if isinstance(array, np.ndarray) else array.device


def to_host(array: Any) -> np.ndarray:
    """Any array or array-like, as numpy."""
    native = native_array(array)
    return native.get() if hasattr(native, "__cuda_array_interface__") else np.asarray(native)


def giver(X: Any, on_device: bool) -> Callable[[Array], Any]:
    """Turns a result on either device into the caller's kind of array, where `X` came from."""
    if is_torch(X):
        torch, home = _torch(), X.device
        return lambda result: torch.from_dlpack(result).to(home)
    if on_device:
        return lambda result: _cupy().asarray(result)
    return lambda result: result if isinstance(result, np.ndarray) else result.get()


def choose_device(device: str, on_device: bool = False) -> str:
    """Where to work on data that lies on a GPU, or does not.

    Raises
    ------
    ValueError
        An unknown `device`.
    RuntimeError
        ``device="cuda"`` without CuPy or without a GPU.
    """
    if device not in DEVICES:
        raise ValueError(f"device must be one of {', '.join(map(repr, DEVICES))}; got {device!r}")
    if device == "cpu" or (device == "auto" and not on_device and (not _has_cupy() or _gpu_problem() is not None)):
        return "cpu"
    if not _has_cupy():
        raise RuntimeError("device='cuda' needs CuPy: pip install 'emst[cuda13]' (or 'emst[cuda12]')")
    problem = _gpu_problem()
    if problem is not None:
        raise RuntimeError(
            f"device='cuda' found no usable GPU ({problem}); with an NVIDIA driver for CUDA 13 install 'emst[cuda13]', "
            "for CUDA 12 'emst[cuda12]'"
        )
    return "cuda"


def usable_device(wanted: str) -> str:
    """The wanted device, or the CPU where that is a GPU that this machine does not have."""
    return "cuda" if wanted == "cuda" and _has_cupy() and _gpu_problem() is None else "cpu"


def is_torch(X: Any) -> bool:
    return type(X).__module__.partition(".")[0] == "torch" and hasattr(X, "is_cuda")


def is_cupy_sparse(X: Any) -> bool:
    return type(X).__module__.startswith("cupyx.")


def _torch() -> Any:
    import torch

    return torch


def _cupy() -> Any:
    import cupy

    return cupy


def _has_cupy() -> bool:
    return importlib.util.find_spec("cupy") is not None


def _gpu_problem() -> str | None:
    """Why there is no GPU to use, or None."""
    try:
        runtime = _cupy().cuda.runtime
    except ImportError as error:  # CuPy is there, its CUDA libraries are not
        return str(error)
    try:
        if runtime.getDeviceCount() == 0:
            return "the driver reports no device"
        capability = int(_cupy().cuda.Device().compute_capability)
        return None if capability >= LEAST_CAPABILITY else f"compute capability {capability}, but Ampere's 80 is needed"
    except runtime.CUDARuntimeError as error:
        return str(error)
