"""Which device an array belongs to, without a GPU: a stand-in for CuPy with two GPUs records what happens where."""

import importlib.machinery
import sys
import types

import numpy as np
import pytest

from emst.inputs import devices
from emst.inputs.points import check_points


class StandIn(types.ModuleType):
    """As much of CuPy as `emst.inputs.devices` uses. GPU 0 is the current one; GPU g holds the addresses g * 1000
    and above. As CuPy does, `asarray` copies what lies on another GPU to the current one."""

    class ndarray:
        def __init__(self, number, address=1):
            self.number, self.shape, self.ndim, self.dtype = number, (3, 2), 2, np.dtype(np.float32)
            self.data = types.SimpleNamespace(device_id=number)
            self.__cuda_array_interface__ = {"data": (1000 * number + address if address else 0, False)}

        @property
        def device(self):
            return sys.modules["cupy"].cuda.Device(self.number)

        def __len__(self):
            return 3

        def get(self):
            return np.zeros(self.shape, self.dtype)

    def __init__(self, capabilities=(90, 90)):
        super().__init__("cupy")
        self.__spec__ = importlib.machinery.ModuleSpec("cupy", None)
        self.current = [0]
        module = self

        class Device:
            def __init__(self, number=None):
                self.id = module.current[-1] if number is None else number
                self.compute_capability = str(capabilities[self.id])

            def __enter__(self):
                module.current.append(self.id)

            def __exit__(self, *error):
                module.current.pop()

        runtime = types.SimpleNamespace(
            CUDARuntimeError=RuntimeError,
            getDeviceCount=lambda: 2,
            getDevice=lambda: module.current[-1],
            pointerGetAttributes=lambda pointer: types.SimpleNamespace(device=pointer // 1000),
        )
        nvrtc = types.SimpleNamespace(getVersion=lambda: (13, 0))
        self.cuda = types.SimpleNamespace(Device=Device, runtime=runtime, nvrtc=nvrtc)

    def asarray(self, array):
        return self.ndarray(self.current[-1])

    def from_dlpack(self, array):
        assert array.__dlpack_device__()[1] == self.current[-1]
        return self.ndarray(self.current[-1])


@pytest.fixture
def cupy(monkeypatch):
    module = StandIn()
    monkeypatch.setitem(sys.modules, "cupy", module)
    return module


class Interface:
    """An array of another library, which CuPy reads by its pointer."""

    def __init__(self, number, address=1):
        self.__cuda_array_interface__ = StandIn.ndarray(number, address).__cuda_array_interface__


class Capsule:
    """An array that knows DLPack alone, on a GPU or (1) on the host."""

    def __init__(self, number, kind=2):
        self.number, self.kind = number, kind

    def __dlpack_device__(self):
        return self.kind, self.number


@pytest.mark.parametrize("kind", [StandIn.ndarray, Interface, Capsule])
@pytest.mark.parametrize("number", [0, 1])
def test_arrays_stay_on_their_own_gpu(cupy, kind, number):
    array = kind(number)
    assert devices.gpu_of(array) == number
    native = devices.native_array(array)
    assert isinstance(native, cupy.ndarray)
    assert native.number == number
    with devices.on_device_of(array):
        assert cupy.current[-1] == number
    assert cupy.current == [0]


def test_a_cupy_array_is_taken_as_it_is(cupy):
    array = cupy.ndarray(1)
    assert devices.native_array(array) is array
    assert devices.placed(array, 1) is array
    assert isinstance(devices.placed(array, None), np.ndarray)
    assert devices.giver(array)(array) is array
    assert check_points(array).array is array
    with check_points(array).scope():
        assert cupy.current == [0, 1]
    assert cupy.current == [0]


def test_an_array_without_memory_is_on_the_gpu_that_its_library_says_or_on_the_current_one(cupy):
    assert devices.gpu_of(cupy.ndarray(1, address=0)) == 1
    assert devices.gpu_of(Interface(1, address=0)) == 0


def test_host_data_is_on_no_gpu(cupy):
    for array in (np.zeros(3), [1.0], None, "text", Capsule(0, kind=1)):
        assert devices.gpu_of(array) is None
    with devices.on_device_of(np.zeros(3)):
        assert cupy.current == [0]


def test_the_gpu_that_is_looked_at_is_the_one_that_holds_the_data(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", StandIn(capabilities=(90, 70)))
    assert (
        devices.choose_device("cuda") == devices.choose_device("cuda", 0) == devices.choose_device("auto", 0) == "cuda"
    )
    for device in ("auto", "cuda"):
        with pytest.raises(RuntimeError, match="compute capability 70"):
            devices.choose_device(device, 1)
    assert devices.choose_device("cpu", 1) == "cpu"
    monkeypatch.setitem(sys.modules, "cupy", StandIn(capabilities=(70, 90)))
    assert devices.choose_device("auto") == "cpu"
    assert devices.choose_device("auto", 1) == "cuda"


def test_a_gpu_without_a_compiler_for_kernels_is_of_no_use(cupy):
    def missing():
        raise RuntimeError("Failure finding libnvrtc.so.13")

    cupy.cuda.nvrtc.getVersion = missing
    assert devices.choose_device("auto") == "cpu"
    words = (
        "no usable GPU .NVRTC, which compiles the kernels, is missing: Failure finding libnvrtc.so.13.; with an NVIDIA"
    )
    for device, gpu in (("cuda", None), ("auto", 1)):
        with pytest.raises(RuntimeError, match=words):
            devices.choose_device(device, gpu)


def test_a_sparse_matrix_of_cupy_is_no_array(cupy):
    matrix = type("csr_matrix", (), {"__module__": "cupyx.scipy.sparse._csr", "data": cupy.ndarray(1)})()
    assert devices.gpu_of(matrix) == 1
    assert devices.native_array(matrix) is matrix
    with devices.on_device_of(matrix):
        assert cupy.current[-1] == 1
