"""How much memory is free: control groups of both versions, on a tree of files that stands in for the machine's; and
arrays that are read in place."""

import importlib
from types import SimpleNamespace

import numpy as np
import pytest
from helpers import to_device, to_host

from emst.cpu.runtime import memory

GIB = 1 << 30
UNLIMITED_1 = 2**63 - 4096


@pytest.fixture
def machine(tmp_path):
    """Function that writes files below a root, from a dictionary of paths and texts."""

    def write(files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(str(text))
        return tmp_path

    return write


def version_2(folder, limit, used, inactive):
    stat = f"anon 17\nfile 99\ninactive_anon 5\nactive_file 3\ninactive_file {inactive}\n"
    return {
        f"{folder}/memory.max": f"{limit}\n",
        f"{folder}/memory.current": f"{used}\n",
        f"{folder}/memory.stat": stat,
    }


def version_1(folder, limit, used, inactive):
    stat = f"cache 99\ninactive_file 1\ntotal_cache 99\ntotal_inactive_file {inactive}\n"
    return {
        f"{folder}/memory.limit_in_bytes": limit,
        f"{folder}/memory.usage_in_bytes": used,
        f"{folder}/memory.stat": stat,
    }


def test_page_cache_that_can_be_reclaimed_is_free(machine):
    """A container that has read large files: its limit is used up, and nearly all of that is page cache."""
    files = {"proc/self/cgroup": "0::/\n", **version_2("sys/fs/cgroup", 4 * GIB, 4 * GIB - 5, 3 * GIB)}
    assert memory.groups_free(machine(files)) == 3 * GIB + 5


def test_no_limit(machine):
    files = {"proc/self/cgroup": "0::/user.slice\n", **version_2("sys/fs/cgroup/user.slice", "max", 7, 3)}
    assert memory.groups_free(machine(files)) is None


def test_no_groups(machine):
    assert memory.groups_free(machine({"proc/meminfo": "MemAvailable: 1 kB\n"})) is None


def test_the_least_of_a_group_and_its_ancestors(machine):
    """The innermost group is not limited; of those around it, the one in the middle has the least left."""
    files = {
        "proc/self/cgroup": "0::/outer/middle/inner\n",
        **version_2("sys/fs/cgroup/outer", 9 * GIB, 3 * GIB, 0),
        **version_2("sys/fs/cgroup/outer/middle", 5 * GIB, 3 * GIB, GIB),
        **version_2("sys/fs/cgroup/outer/middle/inner", "max", GIB, 0),
    }
    assert memory.groups_free(machine(files)) == 3 * GIB


def test_version_1(machine):
    files = {
        "proc/self/cgroup": "5:cpu,cpuacct:/a\n4:memory:/a/b\n1:name=systemd:/x:y\n",
        **version_1("sys/fs/cgroup/memory", UNLIMITED_1, 90 * GIB, 0),
        **version_1("sys/fs/cgroup/memory/a", 8 * GIB, 7 * GIB, 2 * GIB),
        **version_1("sys/fs/cgroup/memory/a/b", UNLIMITED_1, GIB, 0),
    }
    assert memory.groups_free(machine(files)) == 3 * GIB


def test_version_1_in_a_container(machine):
    """`/proc/self/cgroup` gives the path outside; inside, the container's group is the mount point."""
    files = {
        "proc/self/cgroup": "4:memory:/docker/0123abcd\n0::/system.slice/docker.service\n",
        **version_1("sys/fs/cgroup/memory", 2 * GIB, 2 * GIB, GIB // 2),
    }
    assert memory.groups_free(machine(files)) == GIB // 2


def test_both_versions_side_by_side(machine):
    files = {
        "proc/self/cgroup": "4:memory:/job\n0::/job\n",
        **version_1("sys/fs/cgroup/memory/job", 6 * GIB, GIB, 0),
        **version_2("sys/fs/cgroup/unified/job", 3 * GIB, GIB, 0),
    }
    assert memory.groups_free(machine(files)) == 2 * GIB


def test_a_group_over_its_limit_has_nothing_left(machine):
    files = {"proc/self/cgroup": "0::/\n", **version_2("sys/fs/cgroup", GIB, 2 * GIB, 5)}
    assert memory.groups_free(machine(files)) == 0


def test_the_machine_and_its_groups(machine, monkeypatch):
    """What counts is the lesser of the two."""
    files = {"proc/self/cgroup": "0::/\n", **version_2("sys/fs/cgroup", 8 * GIB, 2 * GIB, 0)}
    root = machine({"proc/meminfo": f"MemTotal: 99 kB\nMemAvailable:  {4 * GIB // 1024} kB\n", **files})
    monkeypatch.setattr(memory, "ROOT", root)
    assert memory.bytes_free() == 4 * GIB
    (root / "sys/fs/cgroup/memory.current").write_text(str(7 * GIB))
    assert memory.bytes_free() == GIB


def test_this_machine_has_some_memory_left():
    assert memory.bytes_free() > 0


def test_a_tree_fits_where_the_page_cache_fills_the_container(machine, monkeypatch):
    """It raised MemoryError before."""
    import emst

    files = {"proc/self/cgroup": "0::/\n", **version_2("sys/fs/cgroup", 4 * GIB, 4 * GIB, 3 * GIB)}
    root = machine({"proc/meminfo": f"MemAvailable: {8 * GIB // 1024} kB\n", **files})
    monkeypatch.setattr(memory, "ROOT", root)
    assert len(emst.minimum_spanning_tree(np.random.default_rng(0).random((50, 2)), device="cpu").edges) == 49


@pytest.mark.gpu
def test_arrays_in_one_piece_of_memory_on_a_gpu():
    """They begin on lines of their own, hold what is written, and keep the memory as long as one of them is used."""
    from emst.cuda.runtime.memory import CACHE_LINE, empties

    kinds = [(3, np.int32), ((5, 2), np.int32), (0, np.float64), (1, np.bool_), (70, np.uint64)]
    arrays = empties(*kinds)
    for number, (array, (shape, dtype)) in enumerate(zip(arrays, kinds)):
        assert array.dtype == dtype
        assert array.shape == (shape if isinstance(shape, tuple) else (shape,))
        assert array.data.ptr % CACHE_LINE == 0
        array.fill(number)
    last = arrays.pop()
    for number, array in enumerate(arrays):
        assert (array.get() == np.dtype(array.dtype).type(number)).all()
    del arrays, array
    assert (last.get() == 4).all()
    assert [array.size for array in empties((0, np.int32), (0, np.int32))] == [0, 0]


def test_an_array_of_this_device_is_read_in_place(ops):
    """Unless it has gaps."""
    values = np.arange(12).reshape(3, 4)
    array = to_device(ops, values)
    assert ops.readable(array) is array
    copy = ops.readable(array[:, :3])
    assert copy.flags.c_contiguous
    np.testing.assert_array_equal(to_host(copy), values[:, :3])


@pytest.mark.gpu
def test_memory_for_kernels_alone():
    """Each request has its own bytes: zeros if it asks for them, at the current stream, and also after many others."""
    import cupy

    memory = importlib.import_module("emst.cuda.runtime.memory")
    kinds = (3, np.int32), ((5, 2), np.uint64), (0, np.float64), (memory.CLEARED // 80, np.int64)
    taken = {}
    for stream in (cupy.cuda.Stream.null, cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream.null):
        with stream:
            for _ in range(20):
                for address in memory.cleared(*kinds, (memory.CLEARED, np.uint8)) + memory.cleared(*kinds):
                    array = memory.array_at(address)
                    assert array.shape == address.shape and len(array) == len(address)
                    assert not array.any()
                    array.fill(7)
                    taken[int(address)] = array
    spans = sorted((begin, begin + array.nbytes) for begin, array in taken.items() if array.nbytes)
    assert all(end <= begin for (_, end), (begin, _) in zip(spans, spans[1:]))
    assert all((array == 7).all() for array in taken.values())
    large = memory.scratch((memory.ONE_PIECE, np.uint8), (9, np.int32))
    assert large[0].memory.mem is not large[1].memory.mem  # freed one by one
    whole = memory.array_at(large[1])
    whole[:] = cupy.arange(9)
    rest = memory.part_of(large[1], 4)
    assert memory.array_at(rest).tolist() == [4, 5, 6, 7, 8] and memory.array_at(rest, 2).tolist() == [4, 5]
    for _ in range(300):  # memory that nobody has any more is given away again, and cleared before
        array = memory.array_at(memory.cleared((1000, np.int64))[0])
        assert not array.any()
        array.fill(7)
        del array


class Bytes:
    """What stands for the memory of a GPU: whether its bytes are zeros, as far as anybody has written them."""

    made = 0

    def __init__(self, size):
        self.size, self.ptr = size, 1 << 20
        Bytes.made += 1


class Pointer:
    cleared = 0

    def __init__(self, mem, offset):
        self.mem, self.ptr = mem, mem.ptr + offset

    def memset_async(self, value, size):
        assert (value, size) == (0, self.mem.size)
        Pointer.cleared += 1


@pytest.fixture
def pieces(monkeypatch):
    """The module without a GPU, and a function that changes the stream."""
    memory = pytest.importorskip("emst.cuda.runtime.memory", reason="needs CuPy, which is not installed")
    stream = SimpleNamespace(ptr=1)
    runtime = SimpleNamespace(CUDARuntimeError=RuntimeError)
    cuda = SimpleNamespace(Memory=Bytes, MemoryPointer=Pointer, get_current_stream=lambda: stream, runtime=runtime)
    monkeypatch.setattr(memory, "cupy", SimpleNamespace(cuda=cuda))
    monkeypatch.setattr(memory, "current_gpu", lambda: 0)
    monkeypatch.setattr(memory, "_cleared", memory._Cleared())
    monkeypatch.setattr(Bytes, "made", 0)
    monkeypatch.setattr(Pointer, "cleared", 0)
    return memory, lambda number: setattr(stream, "ptr", number)


def test_cleared_memory_is_used_again_when_nobody_has_it(pieces):
    """Pieces are made, cleared again, or left to those who have parts of them; others for each stream."""
    memory, change_stream = pieces
    kind = (memory.CLEARED // 8, np.uint8)
    first = [memory.cleared(kind)[0] for _ in range(8)]
    assert len({*first}) == 8 and (Bytes.made, Pointer.cleared) == (1, 1)
    del first[:7]  # one is enough to hold it
    places = [int(memory.cleared(kind)[0]) for _ in range(24)]
    assert sorted(places) == sorted(places[:8] * 3) and (Bytes.made, Pointer.cleared) == (2, 4)
    del first[:]
    places += [int(memory.cleared(kind)[0]) for _ in range(16)]
    assert (Bytes.made, Pointer.cleared) == (2, 6)
    change_stream(2)
    memory.cleared(kind)
    assert (Bytes.made, Pointer.cleared) == (3, 7)


def test_no_more_memory_is_kept_than_a_few_pieces(pieces, monkeypatch):
    """However many are held, on however many streams; and where none is free, the allocator is asked."""
    memory, change_stream = pieces
    kind = (memory.CLEARED // 8, np.uint8)
    held = [memory.cleared(kind)[0] for _ in range(100)]
    assert len({(id(one.memory.mem), int(one)) for one in held}) == 100 and Bytes.made == 13
    for number in range(2, 100):
        change_stream(number)
        memory.cleared(kind)
    kept = memory._cleared.pieces
    assert 1 < len(kept) <= memory.STREAMS_OF_THREAD and max(map(len, kept.values())) <= memory.PIECES_OF_STREAM

    def none(size):
        raise RuntimeError("out of memory")

    monkeypatch.setattr(memory.cupy.cuda, "Memory", none)
    monkeypatch.setattr(memory, "_filled", lambda size: Pointer(Bytes(size), 0))
    change_stream(1000)
    (other,) = memory.cleared(kind)
    assert other.memory.mem.size == kind[0]
