"""Files that are written completely or not at all."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write. It replaces `path` when the block ends without an error; otherwise it is deleted.

    It is created at once, in the folder of `path`, so a folder that cannot be written to fails before any work is done.
    The new file gets the permissions of the file that it replaces. If `path` is a symbolic link, the link stays, and
    the file that it points to is replaced. A FIFO or a device, such as /dev/null, is not replaced: at the end, the
    bytes are written to it.
    """
    mode = _mode_of(path)
    if mode is not None and stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "is a directory", str(path))
    target = Path(os.path.realpath(path)) if path.is_symlink() else path
    if mode is None and not target.parent.exists():
        advice = f"No such file or directory; make the folder {target.parent} first"
        raise FileNotFoundError(errno.ENOENT, advice, str(path))
    if mode is None or stat.S_ISREG(mode):
        with _draft_of(path, target, mode) as file:
            yield file
    else:
        with io.BufferedWriter(_Output(path, "wb", path)) as output, copied_to(output) as file:
            yield file


class _Output(io.FileIO):
    """A file whose errors of writing, such as a full disk, name the path that the caller knows."""

    def __init__(self, path: Path, mode: str, called: Path) -> None:
        super().__init__(path, mode)
        self._called = called

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OSError(error.errno, f"{error.strerror}; no file was changed", str(self._called)) from error


@contextlib.contextmanager
def copied_to(output: BinaryIO) -> Iterator[BinaryIO]:
    """A temporary file to write. It is copied to `output` when the block ends without an error. So `output` may be a
    pipe, although some formats need a file in which they can go back."""
    with tempfile.TemporaryFile() as file:
        yield file
        file.seek(0)
        shutil.copyfileobj(file, output)
        output.flush()


@contextlib.contextmanager
def _draft_of(path: Path, target: Path, mode: int | None) -> Iterator[BinaryIO]:
    """A new file beside `target` that takes its place; errors name `path`, which the caller knows."""
    # A short name, because that of `target` may be as long as names can be; a random one, because a killed process
    # leaves its draft, and numbers of processes come again.
    draft = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        file = io.BufferedWriter(_Output(draft, "xb", path))
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    try:
        if mode is not None and stat.S_IMODE(mode) != stat.S_IMODE(draft.stat().st_mode):
            os.chmod(draft, stat.S_IMODE(mode))
        yield file
        file.close()
        os.replace(draft, target)
    finally:
        with contextlib.suppress(OSError):  # what could not be written cannot be flushed
            file.close()
        draft.unlink(missing_ok=True)


def _mode_of(path: Path) -> int | None:
    """Kind and permissions of the file at `path`, or of the file that a link there points to; None if there is none."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None
