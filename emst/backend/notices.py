"""What is said once a process, whatever `verbose` is, by the logger "emst"."""

from __future__ import annotations

import logging

NOT_KEPT = "emst cannot keep its kernels on disk ({}): every process compiles them again; {} names another folder"


_said: list[str] = []


def say_once(text: str) -> None:
    """Log a warning, unless it was logged before."""
    if text not in _said:
        _said.append(text)
        logging.getLogger("emst").warning(text)


def keeps_kernels() -> bool:
    """Whether all kernels could be written to the disk so far."""
    return not any(text.startswith(NOT_KEPT.partition("{")[0]) for text in _said)
