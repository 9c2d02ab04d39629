"""How much memory is free: control groups of both versions, on a tree of files that stands in for the machine's; and
arrays that are read in place."""

import importlib

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
def test_numbers_on_their_way_to_the_host():
    """Several at once, in any order, asked for more than once, none, and more than a landing holds."""
    import cupy

    memory = importlib.import_module("emst.cuda.runtime.memory")
    arrays = [
        cupy.arange(begin, begin + size, dtype=dtype)
        for begin, size, dtype in [
            (7, 3, "i4"),
            (1 << 63, 4, "u8"),
            (0, 0, "i4"),
            (5, memory.LANDING, "i4"),
            (2, 2, "f4"),
        ]
    ]
    for order in (range(5), range(4, -1, -1)):
        sent = [memory.OnItsWay(array) for array in arrays]
        for at in [*order, *order]:
            assert sent[at].arrived() == arrays[at].tolist()


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


@pytest.mark.gpu
def test_numbers_that_a_kernel_writes_for_the_host():
    """They are zeros at first, also where others have been. Where an error prevents the launch, the landing is free."""
    import cupy

    memory = importlib.import_module("emst.cuda.runtime.memory")
    launch = importlib.import_module("emst.cuda.runtime.launch").launch
    words = cupy.arange(1, 5, dtype=np.int32)
    for count in (4, 3, 4):
        written, unused = memory.Written(4), memory.Written(2)
        assert written._landing is not unused._landing
        launch("runtime/copies", "send_words", count, words, count, written.address)
        written.launched()
        del unused  # nobody has launched anything
        assert written.arrived() == [1, 2, 3, 4][:count] + [0] * (4 - count)
        assert written.arrived() == written.arrived()


@pytest.mark.gpu
def test_a_landing_waits_for_numbers_that_nobody_asked_for():
    """After an error nobody asks for them. What they land on is used again, but not before."""
    import cupy

    memory = importlib.import_module("emst.cuda.runtime.memory")
    ours, theirs = cupy.full(1, 7, np.int32), cupy.full(1, 8, np.int32)
    large, stream = cupy.zeros(memory.LANDING, np.int32), cupy.cuda.Stream(non_blocking=True)
    memory.OnItsWay(ours).arrived()  # makes a landing, if there is none
    free = memory._landings[memory.current_gpu()]
    for _ in range(20):
        landing = free[-1]
        with stream:
            busy = cupy.zeros(1 << 26, np.float32)
            for _ in range(20):
                busy += 1
            left = memory.OnItsWay(theirs), memory.OnItsWay(large)
            events = [one._landing.event for one in left]
            del left
            assert events[1].done  # its memory may be given away
        found = memory.OnItsWay(ours)
        assert found._landing is landing
        assert found.arrived() == [7]
        stream.synchronize()
        assert landing.bytes[:4].view(np.int32)[0] == 7
