"""Machine code on disk: found again while the sources are the same, never after any of them has changed."""

import errno
import gc
import inspect
import os
import pathlib
import shutil
import subprocess
import sys

import numba
import pytest

from emst.backend.notices import NOT_KEPT
from emst.cpu.runtime.atomics import lower
from emst.cpu.runtime.numba_internals import _Cache

ROOT = pathlib.Path(__file__).resolve().parents[2]
CALL = """
import sys
import numpy as np
import emst.cpu
from emst.cpu.runtime.compile import kernels

assert emst.__file__.startswith(sys.argv[1]), emst.__file__
u, v, key, labels = np.int32([0, 1]), np.int32([1, 2]), np.uint64([5, 7]), np.int32([0, 1, 2])
least, *_ = emst.cpu.lightest_of_edges(u, v, key, labels)
used = [kernel.stats for kernel in kernels if kernel.signatures]
hits, misses = (sum(sum(getattr(stats, what).values()) for stats in used) for what in ("cache_hits", "cache_misses"))
print(hits, misses, np.int64(least).tolist(), used[0].cache_path, sep="|")
"""


@pytest.fixture
def package(tmp_path):
    """A copy of the package that may be edited."""
    home = tmp_path / "site"
    shutil.copytree(ROOT / "emst", home / "emst", ignore=shutil.ignore_patterns("__pycache__"))
    return home / "emst"


def run(package, **variables):
    """Cache hits, cache misses, result and folder of the cache, of a fresh process that runs the copy."""
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    environment |= {"PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1", **variables}
    command = [sys.executable, "-c", CALL, str(package)]
    done = subprocess.run(command, env=environment, cwd=package.parent, stdout=subprocess.PIPE, text=True, check=True)
    hits, misses, least, folder = done.stdout.strip().split("|")
    return int(hits), int(misses), eval(least), pathlib.Path(folder)


def edit(path, old, new):
    """Replace what stands once in a file, which keeps its size and its times."""
    text, times = path.read_text(), path.stat()
    assert text.count(old) == 1 and len(old) == len(new)
    path.write_text(text.replace(old, new))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def test_edited_function_of_another_file_is_compiled_again(package, tmp_path):
    cache = str(tmp_path / "cache")
    hits, misses, first, folder = run(package, NUMBA_CACHE_DIR=cache)
    assert (hits, first) == (0, [5, 5, 7]) and misses == 2 and str(folder).startswith(cache)
    assert run(package, NUMBA_CACHE_DIR=cache)[:3] == (2, 0, first)
    inlined = package / pathlib.Path(inspect.getsourcefile(lower.py_func)).relative_to(ROOT / "emst")
    edit(inlined, "if value < load(array, at):", "if value > load(array, at):")  # no offer is accepted any more
    assert run(package, NUMBA_CACHE_DIR=cache)[:3] == (0, 2, [-1, -1, -1])
    edit(inlined, "if value > load(array, at):", "if value < load(array, at):")
    assert run(package, NUMBA_CACHE_DIR=cache)[:3] == (2, 0, first)


def test_installations_of_one_version_share_what_is_compiled(package, tmp_path):
    cache = str(tmp_path / "cache")
    assert run(package, NUMBA_CACHE_DIR=cache)[:2] == (0, 2)
    second = tmp_path / "other" / "emst"
    shutil.copytree(package, second)
    *found, _, folder = run(second, NUMBA_CACHE_DIR=cache)
    assert found == [2, 0] and folder == tmp_path / "cache" / "emst"
    edit(second / "backend" / "records.py", "CROWD = 16", "CROWD = 19")  # kernels hold such constants
    assert run(second, NUMBA_CACHE_DIR=cache)[:2] == (0, 2)


def test_a_damaged_file_is_made_again(package, tmp_path):
    cache = str(tmp_path / "cache")
    *_, first, _ = run(package, NUMBA_CACHE_DIR=cache)
    files = list(pathlib.Path(cache).rglob("*.nbc"))
    assert len(files) == 2
    os.truncate(files[0], 0)
    os.truncate(files[1], files[1].stat().st_size // 2)
    assert run(package, NUMBA_CACHE_DIR=cache)[:3] == (0, 2, first)
    assert run(package, NUMBA_CACHE_DIR=cache)[:3] == (2, 0, first)


def test_without_a_folder_of_its_own_the_cache_lies_beside_the_kernels(package):
    *_, least, folder = run(package)
    assert folder.is_relative_to(package) and folder.name == "__pycache__"
    assert run(package)[:3] == (2, 0, least)


def test_where_nobody_may_write_beside_the_kernels_the_cache_is_the_users(package, tmp_path):
    for folder in {path.parent for path in (package / "cpu").rglob("*.py")}:
        (folder / "__pycache__").touch()  # a file: no folder of that name can be made, not even by root
    home = {"HOME": str(tmp_path / "home"), "XDG_CACHE_HOME": str(tmp_path / "home")}
    *_, least, folder = run(package, **home)
    assert folder.is_relative_to(tmp_path / "home")
    assert run(package, **home)[:3] == (2, 0, least)


def test_where_nothing_can_be_written_kernels_are_compiled_and_not_kept(package, tmp_path):
    """As in a container whose files cannot be changed."""
    for folder in {path.parent for path in (package / "cpu").rglob("*.py")}:
        (folder / "__pycache__").touch()
    (tmp_path / "home").touch()
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    environment |= {"PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    environment |= {"HOME": str(tmp_path / "home"), "XDG_CACHE_HOME": str(tmp_path / "home")}
    command = [sys.executable, "-c", CALL.replace("used[0].cache_path", "emst.cpu.kernels_ready()[1]"), str(package)]
    done = subprocess.run(command, env=environment, cwd=package.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("0|2|[5, 5, 7]|")
    assert done.stderr.count("emst cannot keep its kernels on disk (neither") == 1
    assert "NUMBA_CACHE_DIR names another folder" in done.stderr and len(done.stderr.splitlines()) == 1


def test_a_full_disk_costs_time_and_no_result(monkeypatch, tmp_path, caplog):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("emst.backend.notices._said", [])
    file = _Cache(lower.py_func)._cache_file

    def full(name, data):
        raise OSError(errno.ENOSPC, "No space left on device")

    file._save_data = full
    file.save("signature", "code")
    file.save("other signature", "code")
    assert file.load("signature") is None
    assert [record.message for record in caplog.records] == [
        NOT_KEPT.format("[Errno 28] No space left on device", "NUMBA_CACHE_DIR")
    ]


def test_kernels_are_read_where_nothing_can_be_written(monkeypatch, tmp_path):
    """As in a container that was filled by another user. numba looks for a folder that it can write to."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    _Cache(lower.py_func)._cache_file.save("signature", "code")

    def unwritable(*args, **kwargs):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("numba.core.caching.tempfile.TemporaryFile", unwritable)
    assert _Cache(lower.py_func)._cache_file.load("signature") == "code"


def test_processes_that_compile_at_the_same_time_do_not_mix_up_signatures(monkeypatch, tmp_path):
    """With numba's own files, both took the first number: one signature ran the machine code of the other."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    one, other = (_Cache(lower.py_func)._cache_file for _ in range(2))
    save, load_index = one._save_data, other._load_index
    known = load_index()

    def meanwhile(name, data):
        other._load_index = lambda: dict(known)  # what the other process read before this one began to save
        other.save("other signature", "other code")
        save(name, data)

    one._save_data = meanwhile
    one.save("signature", "code")
    third = _Cache(lower.py_func)._cache_file
    assert third.load("signature") in (None, "code") and third.load("other signature") in (None, "other code")
    assert third.load("nobody's") is None


def test_a_file_that_holds_another_signature_is_not_taken(monkeypatch, tmp_path):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    file = _Cache(lower.py_func)._cache_file
    file.save("signature", "code")
    assert file.load("signature") == "code"
    file._name_of = lambda key, named=file._name_of: named("signature")
    assert file.load("other signature") is None


@pytest.mark.parametrize("on", [True, False])
def test_garbage_is_not_collected_while_a_kernel_is_compiled(on):
    from emst.cpu.runtime.compile import compiled, part, telling_compilation

    @part
    def inner(x):
        return x + 1

    def outer(x):
        return inner(x)

    outer.__module__ = inner.py_func.__module__ = "emst.cpu.none"
    states, was_on = [], gc.isenabled()
    try:
        (gc.enable if on else gc.disable)()
        with telling_compilation(lambda begins: states.append((begins, gc.isenabled()))):
            assert compiled(outer)(1) == 2
            assert gc.isenabled() == on
            with pytest.raises(numba.TypingError):
                compiled(outer)("text")
        assert gc.isenabled() == on
    finally:
        (gc.enable if was_on else gc.disable)()
    assert len(states) >= 6 and not any(enabled for begins, enabled in states if begins)


def test_functions_of_others_compile():
    """The listener hears of all functions, also of those that belong to no module."""
    made = {}
    exec("def doubled(x): return 2 * x", made)
    made["doubled"].__module__ = None
    assert numba.njit(made["doubled"])(21) == 42
