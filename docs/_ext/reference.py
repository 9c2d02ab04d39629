"""The API reference: which members a page of a class shows, and where names in docstrings lead to.

`docs/_templates/autosummary/class.rst` asks `members_of` what to show. A name in single backticks is a link if there
is a page for it: `resolve` also finds names that a docstring writes without the module of their page.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

API = Path(__file__).resolve().parents[1] / "api"
TABLE = re.compile(r"^\.\. currentmodule:: (\S+)\n\n\.\. autosummary::\n(?:   :.*\n)*\n((?:   \S+\n)+)", re.M)

# `CondensedTree` in a docstring of emst.dask is emst.hdbscan.trees's.
PREFIXES = ("emst.", "emst.hdbscan.trees.", "emst.hdbscan.branches.")
TYPES = {  # types of parameters and results that are links
    "ApproximationGraph": "emst.hdbscan.branches.ApproximationGraph",
    "BranchDetector": "emst.BranchDetector",
    "CondensedTree": "emst.hdbscan.trees.CondensedTree",
    "Costs": "emst.partitions.records.Costs",
    "HDBSCANGPU": "emst.HDBSCANGPU",
    "MinimumSpanningForest": "emst.MinimumSpanningForest",
    "MinimumSpanningTree": "emst.MinimumSpanningTree",
    "PredictionData": "emst.compat.hdbscan.prediction.PredictionData",
    "SingleLinkageTree": "emst.hdbscan.trees.SingleLinkageTree",
    "SpanningTree": "emst.hdbscan.trees.SpanningTree",
}


def documented() -> Iterator[str]:
    """Full names of all objects with a page, which the tables of docs/api list."""
    for page in sorted(API.glob("*.md")):
        for module, names in TABLE.findall(page.read_text()):
            yield from (f"{module}.{name}" for name in names.split())


def found(fullname: str) -> Any:
    """The object of a full name, such as "emst.EMST"."""
    module, name = fullname.rsplit(".", 1)
    return getattr(importlib.import_module(module), name)


def names_of(fullname: str) -> str:
    """All names of an object in its module, as one line: the gallery shows the examples that use any of them."""
    module, wanted = fullname.rsplit(".", 1)[0], found(fullname)
    return " ".join(
        f"{module}.{name}" for name in dir(importlib.import_module(module)) if found(f"{module}.{name}") is wanted
    )


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


def in_card(node: Any) -> bool:
    """Whether a node is in a card of sphinx-design, which is a link as a whole."""
    while node is not None and node.get("design_component") != "card":
        node = node.parent if node.parent is not node.document else None
    return node is not None


def link_names(app: Any, doctree: Any) -> None:
    """In pages, a public name in code leads to its page of the reference where it occurs first."""
    from docutils import nodes
    from sphinx.addnodes import pending_xref

    here = app.env.docname
    if here.startswith("api/"):
        return
    left = {*documented()}
    for code in list(doctree.findall(nodes.literal)):
        name = code.astext().split("(")[0]
        full = name if name in left else f"emst.{name}"
        if full in left and isinstance(code.parent, nodes.paragraph) and not in_card(code):
            left.remove(full)
            link = pending_xref("", refdomain="py", reftype="obj", reftarget=full, refdoc=here, refexplicit=True)
            code.replace_self(link)
            link += code


def configure(app: Any, config: Any) -> None:
    """What the templates call; and no other links of types: those of numpydoc lead to pages of other projects."""
    config.autosummary_context |= {"members_of": members_of, "names_of": names_of}
    config.numpydoc_xref_aliases_complete = TYPES


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("config-inited", configure, priority=900)  # after numpydoc
    app.connect("doctree-read", link_names)
    app.connect("autodoc-process-signature", without_signature)
    app.connect("missing-reference", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
