"""Files of the registry's sets: downloaded, generated or copied once, and checked every time."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from datasets.dataset import Dataset
from datasets.graph_files import EdgeList
from datasets.graphs import from_pairs
from datasets.registry import find

HERE = Path(__file__).resolve().parent
CHUNK = 1 << 16  # bytes written at a time


def fetch(name: str, folder: str | Path | None = None) -> Path:
    """Path of a set's file, which is downloaded, generated or copied if it is not there.

    Parameters
    ----------
    name : str
        Key of REGISTRY: "places", "USA-road-d.NY", ...
    folder : str or Path, optional
        Where to keep the file. By default the user's folder for caches; a set of this repository stays where it is.

    Raises
    ------
    ValueError
        There is no such set. Or the file has another checksum or another size than is known, or another format: it is
        not kept, but a file that was there before is left as it was.
    OSError
        The download failed, or the file cannot be written. Nothing half-written stays.
    ImportError
        pooch is not installed.
    """
    row = find(name)
    if row.origin == "committed" and folder is None:
        file = HERE / row.file
        _compare(file, _sha256(file), row.sha256)
        return file
    file = Path(folder if folder is not None else _pooch().os_cache("emst")) / Path(row.file).name
    seal = file.with_name(f"{file.name}.sha256")
    known = row.sha256 or (seal.read_text().split()[0] if seal.exists() else None)
    if file.exists():
        digest = _checked(row, file, known)
    else:
        with _draft(file) as draft:
            _SOURCES[row.origin](row, draft)
            digest = _checked(row, draft, known)
    if row.sha256 is None and not seal.exists():
        seal.write_text(f"{digest}  {file.name}\n")  # as sha256sum has it
    return file


def load(name: str, folder: str | Path | None = None) -> Any:
    """A set as an array, or as a symmetric sparse matrix.

    Parameters
    ----------
    name : str
        Key of REGISTRY.
    folder : str or Path, optional
        Where `fetch` keeps the file. A set that is generated needs no file, and none is written.

    Returns
    -------
    array of shape (n, d), or csr_array
        Points; lines with a row of NaN after each; or a graph. SNAP's graphs have no weights: they get ECL-MST's
        (`datasets.graphs.ecl`), and loops and repeated edges are left out.
    """
    row = find(name)
    if row.make is not None:
        made = row.make()
        return made if isinstance(made, np.ndarray) else _matrix(made)
    found = row.read(fetch(name, folder))
    return _matrix(from_pairs(*found)) if isinstance(found, EdgeList) else found


def _matrix(made: tuple[np.ndarray, np.ndarray, np.ndarray]) -> sparse.csr_array:
    indptr, indices, weights = made
    return sparse.csr_array((weights, indices, indptr), shape=(len(indptr) - 1,) * 2)


# ---- where files come from -----------------------------------------------------------------------------------------


def _download(row: Dataset, draft: Path) -> None:
    pooch = _pooch()
    from requests import RequestException

    bar = sys.stderr.isatty()
    try:
        pooch.HTTPDownloader(progressbar=bar, chunk_size=CHUNK, timeout=30)(row.url, str(draft), None)
    except RequestException as error:
        status = getattr(error.response, "status_code", None)
        why = f"the server answered {status}" if status else type(error).__name__
        file = draft.parent.parent / draft.name
        raise OSError(
            f"{row.url} cannot be fetched ({why}); a copy from another source can be placed at {file}"
        ) from error


def _generate(row: Dataset, draft: Path) -> None:
    made = row.make()
    if isinstance(made, np.ndarray):
        np.save(draft, made)
    else:
        sparse.save_npz(draft, _matrix(made), compressed=False)


def _copy(row: Dataset, draft: Path) -> None:
    shutil.copyfile(HERE / row.file, draft)


_SOURCES = {"downloaded": _download, "generated": _generate, "committed": _copy}


def _pooch() -> Any:
    try:
        import pooch
    except ImportError as error:
        raise ImportError("pooch fetches the data sets, and it is missing: pip install '.[datasets]'") from error
    return pooch


@contextlib.contextmanager
def _draft(file: Path) -> Iterator[Path]:
    """A path of the same name in a new folder beside `file`; moved to `file` at the end, if there is no error.
    Otherwise the folders made for it are removed."""
    new = [folder for folder in file.parents if not folder.exists()]
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".", dir=file.parent) as folder:
            draft = Path(folder) / file.name
            yield draft
            os.replace(draft, file)
            new = []
    except OSError as error:
        if error.strerror is None:  # it has a message of its own
            raise
        raise OSError(f"{file} cannot be written ({error.strerror}); nothing was kept") from error
    finally:
        with contextlib.suppress(OSError):  # somebody else has put a file there
            for folder in new:
                folder.rmdir()


# ---- checks --------------------------------------------------------------------------------------------------------


def _checked(row: Dataset, file: Path, known: str | None) -> str:
    """The checksum of a file, which is the known one; if none is known, the file has the known sizes."""
    digest = _sha256(file)
    if known is not None:
        _compare(file, digest, known)
    else:
        sizes = _sizes(row.read(file))
        expected = row.n, row.d or row.edges
        if any(right is not None and size != right for size, right in zip(sizes, expected)):
            raise ValueError(f"{file.name} has {_said(row, *sizes)}; known are {_said(row, *expected)}")
    return digest


def _compare(file: Path, digest: str, known: str | None) -> None:
    if digest != known:
        raise ValueError(f"{file.name} has the SHA-256 {digest}, and not {known}, as is known")


def _sha256(file: Path) -> str:
    digest = hashlib.sha256()
    with open(file, "rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _sizes(found: Any) -> tuple[int, int]:
    if isinstance(found, EdgeList):
        return found.n, len(found.source)
    return (found.shape[0], found.nnz) if sparse.issparse(found) else found.shape


def _said(row: Dataset, n: int | None, other: int | None) -> str:
    first, second = ("vertices", "edges") if row.kind == "graph" else ("rows", "columns")
    return " and ".join(f"{size:,} {what}" for size, what in ((n, first), (other, second)) if size is not None)
