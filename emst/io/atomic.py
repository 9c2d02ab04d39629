"""Files that are either whole or absent."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write that takes the place of `path` when the block ends well and vanishes when it does not.

    It is made at once, beside `path`, so a place that cannot be written to is found out before any work is done.
    """
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a directory")
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        file = open(draft, "xb")
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error  # the draft's name says nothing to a caller
    with file:
        try:
            yield file
            file.close()
            os.replace(draft, path)
        except BaseException:
            file.close()
            draft.unlink(missing_ok=True)
            raise
