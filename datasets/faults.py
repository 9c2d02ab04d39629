"""Damaged files, and files of another format, become one sentence."""

from __future__ import annotations

import contextlib
import csv
import gzip
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

FOREIGN = (
    ValueError,
    KeyError,  # no such file in an archive
    EOFError,
    csv.Error,
    struct.error,
    gzip.BadGzipFile,
    zipfile.BadZipFile,
    zlib.error,
    NotImplementedError,  # an archive compressed in a way that Python does not know
)


@contextlib.contextmanager
def reading(path: Path, what: str) -> Iterator[None]:
    """Raise ValueError("PATH is not WHAT (why)") for whatever the parsing of a file raises."""
    try:
        yield
    except FOREIGN as error:
        message = error.args[0] if isinstance(error, KeyError) else error  # str() of a KeyError is in quotation marks
        why = (str(message) or type(error).__name__).splitlines()[0].rstrip(".")
        raise ValueError(f"{path} is not {what} ({why})") from error
