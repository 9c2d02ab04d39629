"""Files that are written completely or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write. It replaces `path` when the block ends without an error; otherwise it is deleted.

    It is created at once, in the folder of `path`, so a folder that cannot be written to fails before any work is done.
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a directory", str(path))
    if not path.parent.exists():
        advice = f"No such file or directory; make the folder {path.parent} first"
        raise FileNotFoundError(errno.ENOENT, advice, str(path))
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        file = open(draft, "xb")
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error  # the caller knows `path`, not the draft
    try:
        yield file
        file.close()
        os.replace(draft, path)
    except OSError as error:
        if error.filename is None and not isinstance(error, BrokenPipeError):  # raised by writing: full, or too large
            raise OSError(error.errno, f"{error.strerror or error}; no file was changed", str(path)) from error
        raise
    finally:
        with contextlib.suppress(OSError):  # what could not be written cannot be flushed
            file.close()
        draft.unlink(missing_ok=True)
