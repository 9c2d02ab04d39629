"""Where a command reads and writes: files, or standard input and output for `-`."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

STREAM = Path("-")
MAGIC = {  # how files begin
    b"\x93NUMPY": ".npy",
    b"PK": ".npz",
    b"PAR1": ".parquet",
    b"LASF": ".las",
    b"SIMPLE  =": ".fits",
}


def fill_closed_streams() -> None:
    """Open the null device for each standard stream that is closed. Otherwise the next file would get the stream's
    number, and C libraries would write their messages into that file."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(number)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))


@contextlib.contextmanager
def reading(path: Path) -> Iterator[Path]:
    """The file to read. Standard input is first copied to a temporary file. Its first bytes give the suffix; without
    known ones it is .csv."""
    if path != STREAM:
        yield path
        return
    if sys.stdin is None:
        raise ValueError("standard input is closed")
    with tempfile.TemporaryDirectory(prefix="emst-") as folder:
        start = sys.stdin.buffer.read(16)
        suffix = next((suffix for magic, suffix in MAGIC.items() if start.startswith(magic)), ".csv")
        copy = Path(folder) / f"input{suffix}"
        with open(copy, "wb") as file:
            file.write(start)
            shutil.copyfileobj(sys.stdin.buffer, file)
        try:
            yield copy
        except ValueError as error:
            raise ValueError(str(error).replace(str(copy), "standard input")) from error


@contextlib.contextmanager
def writing(path: Path | None) -> Iterator[BinaryIO | None]:
    """A file to write, which replaces `path` at the end. For standard output, it is copied there at the end. None if
    there is no file to write."""
    from emst.io.atomic import copied_to, replacing

    if path is None:
        yield None
        return
    if path != STREAM:
        with replacing(path) as output:
            yield output
        return
    if sys.__stdout__ is None:
        raise ValueError("standard output is closed")
    with copied_to(sys.stdout.buffer) as file:
        yield file


def suffix_of(output: Path, of_stream: str) -> str:
    """Format of an output: the suffix of a file, `of_stream` for standard output."""
    return of_stream if output == STREAM else output.suffix.lower()


def summary_file(output: Path | None) -> object:
    """Where the summary goes: to standard error if standard output takes the results."""
    return sys.stderr if output == STREAM else sys.stdout
