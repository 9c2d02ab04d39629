"""What is said once a process, whatever `verbose` is, by the logger "emst"."""

from __future__ import annotations

import functools
import logging

NOT_KEPT = "emst cannot keep its kernels on disk ({}): every process compiles them again; {} names another folder"


@functools.cache
def say_once(text: str) -> None:
    """Log a warning, unless it was logged before."""
    logging.getLogger("emst").warning(text)
