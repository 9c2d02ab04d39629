"""Files that are replaced: their permissions, links, devices, and what killed runs leave."""

import errno
import os
import pathlib
import stat
import sys
import threading

import numpy as np
import pytest

from emst.io.atomic import replacing
from emst.io.column_files import write_columns

posix = pytest.mark.skipif(sys.platform == "win32", reason="links, FIFOs and permissions of POSIX")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "out.npy"


def write(path, what=b"new"):
    with replacing(path) as file:
        file.write(what)


def test_a_draft_that_is_there_blocks_no_other(path):
    """Not even one of the same process number: a killed run leaves its draft, and in a container numbers come again."""
    with replacing(path):
        write(path)
        assert path.read_bytes() == b"new"


@posix
def test_a_name_as_long_as_names_can_be(tmp_path):
    path = tmp_path / ("n" * 251 + ".csv")
    write(path)
    assert path.read_bytes() == b"new"
    with pytest.raises(OSError) as raised, replacing(tmp_path / ("n" * 300)):
        raise AssertionError("it begins without a file")
    assert raised.value.errno == errno.ENAMETOOLONG


@posix
@pytest.mark.parametrize("present", [True, False])
def test_a_link_stays(tmp_path, present):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    if present:
        (folder / "target").write_bytes(b"old")
    link = tmp_path / "link"
    link.symlink_to("elsewhere/target")
    write(link)
    assert link.is_symlink() and (folder / "target").read_bytes() == b"new"
    assert [path.name for path in folder.iterdir()] == ["target"]


@posix
def test_a_link_into_a_folder_that_is_missing(tmp_path):
    link = tmp_path / "link"
    link.symlink_to("absent/target")
    with pytest.raises(FileNotFoundError, match=r"make the folder .*absent first"):
        write(link)


@posix
@pytest.mark.parametrize("mode", [0o600, 0o664, 0o444])
def test_permissions_are_kept(path, mode):
    path.write_bytes(b"old")
    path.chmod(mode)
    write(path)
    assert stat.S_IMODE(path.stat().st_mode) == mode and path.read_bytes() == b"new"


@posix
def test_a_fifo_and_a_device_are_written_to(path):
    """Also in a format for which the file must know its position."""
    os.mkfifo(path)
    read = []
    reader = threading.Thread(target=lambda: read.append(path.read_bytes()), daemon=True)
    reader.start()
    with replacing(path) as file:
        np.save(file, np.arange(3))
    reader.join(10)
    assert read and read[0].startswith(b"\x93NUMPY") and stat.S_ISFIFO(path.stat().st_mode)
    link = path.with_name("null")
    link.symlink_to(os.devnull)
    write(link)
    assert stat.S_ISCHR(link.stat().st_mode) and sorted(path.parent.iterdir()) == [link, path]


def test_nothing_is_left_of_an_error(path):
    path.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError), replacing(path) as file:
        file.write(b"half")
        raise ZeroDivisionError
    assert path.read_bytes() == b"old" and list(path.parent.iterdir()) == [path]


def test_errors_of_reading_are_not_those_of_writing(path):
    with pytest.raises(OSError, match=r"^\[Errno 5\] of a disk$") as raised, replacing(path):
        raise OSError(errno.EIO, "of a disk")
    assert raised.value.filename is None and not path.exists()


@posix
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_an_array_on_a_full_device_says_so():
    """numpy alone would not say why: only how many numbers it has written."""
    with open("/dev/full", "wb", buffering=0) as file, pytest.raises(OSError, match="No space left"):
        write_columns(file, ".npy", {"label": np.arange(10_000)})


@posix
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_device_is_named():
    with pytest.raises(OSError, match="no file was changed: '/dev/full'"):
        write(pathlib.Path("/dev/full"))
