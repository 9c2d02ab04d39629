"""Pickles of version 0.1.0: reading one raises a sentence that says to fit again, not an import error.

Unpickling imports the modules of the classes that were pickled, and those of version 0.1.0 have moved. Python asks the
finder below for a module only after all others have failed to find it, so it costs nothing otherwise.
"""

from __future__ import annotations

from typing import Any

# Modules of 0.1.0 whose classes and functions stand in pickles of estimators, trees and forests.
GONE = frozenset(
    {"emst.finite", "emst.graph.forest", "emst.hierarchy.flat", "emst.hierarchy.trees", "emst.metrics", "emst.mst"}
)


class OldModules:
    """Finder for `sys.meta_path`. It finds no module; for a module that is gone it raises an error that says why."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> None:
        """Raise the sentence for a module that is gone: an UnpicklingError for whoever reads a pickle, and a
        ModuleNotFoundError for whoever imports the module."""
        if name in GONE:
            raise unreadable(f"{name} is a module of emst 0.1.0")


def unreadable(why: str) -> Exception:
    """The error for a pickle that another version has made."""
    import pickle  # not needed otherwise: `import emst` alone costs nothing

    from emst import __version__

    class OldPickleError(pickle.UnpicklingError, ModuleNotFoundError):
        """Another version of emst has made the pickle."""

    return OldPickleError(f"{why}: emst {__version__} cannot read what another version has pickled; fit again")
