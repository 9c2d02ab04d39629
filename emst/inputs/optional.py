"""Libraries that need not be installed: they are imported by the functions that use them."""

from __future__ import annotations

import importlib
from typing import Any


def optional(name: str) -> Any:
    """An optional library, imported when it is needed, or ImportError that says how to install it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"this needs {name}: pip install 'emst[{name}]'") from error
