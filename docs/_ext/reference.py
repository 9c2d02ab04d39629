"""The API reference: which members a page of a class shows, and where names in docstrings lead to.

`docs/_templates/autosummary/class.rst` asks `members_of` what to show. A name in single backticks is a link if there
is a page for it: `resolve` also finds names that a docstring writes without the module of their page.
"""

from __future__ import annotations

import importlib
import inspect
from typing import Any

PREFIXES = ("emst.", "emst.hdbscan.trees.")  # `CondensedTree` in a docstring of emst.dask is emst.hdbscan.trees's


def found(fullname: str) -> Any:
    """The object of a full name, such as "emst.EMST"."""
    module, name = fullname.rsplit(".", 1)
    return getattr(importlib.import_module(module), name)


def alias_of(fullname: str) -> str:
    """The name of a class, if this is another one for it; otherwise ""."""
    name = found(fullname).__name__
    return "" if fullname.rsplit(".", 1)[1] == name else name


def members_of(fullname: str, kind: str) -> list[str]:
    """The public methods or properties of a class with a docstring of this project, inherited ones included.

    Those of scikit-learn, such as `set_params`, are the same in all estimators; the index of the reference names them.
    """
    cls, names = found(fullname), []
    for name in dir(cls):
        home = next((base for base in cls.__mro__ if name in vars(base)), None)
        if name.startswith("_") or home is None or not home.__module__.startswith("emst."):
            continue
        member = vars(home)[name]
        if isinstance(member, property) if kind == "properties" else inspect.isfunction(member):
            names.append(name)
    return names


def without_signature(app: Any, what: str, name: str, obj: Any, options: Any, signature: Any, returns: Any) -> Any:
    """Results have no signature: a class whose docstring has no parameters is not made by its users."""
    if what == "class" and "Parameters\n" not in (obj.__doc__ or ""):
        return "", None
    return None


def resolve(app: Any, env: Any, node: Any, contnode: Any) -> Any:
    """A reference to a name without its module, as a link to the page of that name."""
    if node.get("refdomain") != "py":
        return None
    domain = env.domains.python_domain
    for prefix in PREFIXES:
        target = prefix + node["reftarget"]
        if target in domain.objects:
            return domain.resolve_xref(env, node["refdoc"], app.builder, node["reftype"], target, node, contnode)
    return None


def for_templates(app: Any, config: Any) -> None:
    """The functions that the templates call."""
    config.autosummary_context |= {"alias_of": alias_of, "members_of": members_of}


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("config-inited", for_templates)
    app.connect("autodoc-process-signature", without_signature)
    app.connect("missing-reference", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
