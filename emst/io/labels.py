"""Labels and probabilities of a clustering, written as .npy, .npz, .csv or .parquet."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any

import numpy as np

from emst.io.tables import pyarrow_for

SUFFIXES = (".npy", ".npz", ".csv", ".parquet")


def check_labels(path: Path) -> None:
    """Raise ValueError if `write_labels` cannot write such a file."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(f"{path}: unknown suffix {suffix!r}; labels are written to {', '.join(SUFFIXES)}")
    if suffix == ".parquet":
        pyarrow_for(path, "writing")


def write_labels(file: IO[bytes], path: Path, columns: dict[str, Any]) -> None:
    """Write columns in the format that the suffix of `path` names; to an .npy only the first column."""
    suffix = path.suffix.lower()
    if suffix == ".npy":
        np.save(file, next(iter(columns.values())))
    elif suffix == ".npz":
        np.savez(file, **columns)
    elif suffix == ".csv":
        file.write((",".join(columns) + "\n").encode())
        formats = ["%d" if values.dtype.kind == "i" else "%.9g" for values in columns.values()]
        np.savetxt(file, np.rec.fromarrays(list(columns.values())), fmt=",".join(formats))
    else:
        import pyarrow as arrow

        pyarrow_for(path, "writing").write_table(arrow.table(columns), file)
