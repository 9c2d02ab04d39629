"""Sphinx: `python -m sphinx -W --keep-going -j 2 docs docs/_build` makes the pages of docs/_build/index.html.

guide/         user guides
scale_out/     many GPUs and machines
migration/     coming from other libraries
examples/      the gallery: scripts that sphinx-gallery runs
how/           how it works
drawings/      scripts behind the drawings in the pages, which matplotlib's plot directive runs
api/           one page for each public name, made from its docstring
benchmarks/    figures
contributing/  for those who change the code
_ext/          {plot} in Markdown; what makes the pages of api/: members of classes, options of
               commands; the live page; thumbnails of the gallery
"""

import os
import re
import sys
from pathlib import Path

import tomllib

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path.insert(0, str(ROOT))  # datasets/ and benchmarks/ are not installed
sys.path.insert(0, str(DOCS / "_ext"))

import emst

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
REPOSITORY = PROJECT["urls"]["Homepage"]

project = "emst"
author = "The emst developers"
copyright = "The emst developers, BSD-3-Clause"
version = release = emst.__version__

extensions = [
    "matplotlib.sphinxext.plot_directive",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "commands",  # these five are in docs/_ext
    "drawings",
    "live",
    "reference",
    "thumbnails",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "_ext", "_templates", "examples", "drawings"]
default_role = "py:obj"  # `EMST` in a docstring is a link if there is a page for it
smartquotes = False  # "auto" and --sep stay as one types them
toc_object_entries_show_parents = "hide"  # fit(), not HDBSCANGPU.fit(), beside the page

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "html_image"]
myst_heading_anchors = 4
suppress_warnings = ["config.cache"]  # functions in the gallery's settings cannot be pickled

numpydoc_show_class_members = False  # the template of a class shows them, with their docstrings
numpydoc_xref_param_type = True  # the types that _ext/reference.py lists are links
numpydoc_xref_ignore = "all"
autosummary_generate = True
autosummary_filename_map = {"emst.compat.hdbscan.hdbscan": "emst.compat.hdbscan.hdbscan_function"}  # HDBSCAN is a page
autodoc_typehints = "none"  # the docstrings say what each parameter is

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "subsection_order": [f"examples/{folder}" for folder in ("applications", "choosing", "trees", "large")],
    "filename_pattern": "/plot_",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "parallel": True,  # in other processes: `-j` forks this one, and forks of one that has run Dask hang
    "show_memory": False,
    "remove_config_comments": True,
    "image_scrapers": ("matplotlib",),
    "doc_module": ("emst",),  # names in the code of examples are links,
    "reference_url": {"emst": None},  # to the pages of api/,
    "backreferences_dir": "gallery/backreferences",  # which show the examples that use a name
}

plot_basedir = str(DOCS)
plot_working_directory = str(ROOT)
plot_formats = [("png", 110)]
plot_html_show_formats = False
plot_html_show_source_link = False
plot_rcparams = {"savefig.bbox": "tight", "figure.dpi": 110}

html_theme = "pydata_sphinx_theme"
html_title = "emst"
html_static_path = ["_static"]
html_css_files = ["emst.css"]
html_favicon = html_logo = "_static/logo.svg"  # drawings/logo.py draws it
html_theme_options = {
    "github_url": REPOSITORY,
    "logo": {"text": "emst"},
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "navigation_with_keys": False,
    "header_links_before_dropdown": 5,
}
html_sidebars = {page: [] for page in ("index", "install", "quickstart", "which", "questions", "changelog")}

LINK = re.compile(r"\]\((?!\w+:)([^)#\s]+)")


def linked(text, here, page):
    """The text of a file in the folder `here`, for a page in the folder `page`.

    What lies outside docs/ is no page: links to it go to the repository.
    """

    def replaced(link):
        target = Path(os.path.normpath(here / link[1]))
        if target.is_relative_to(DOCS):
            return f"]({Path(os.path.relpath(target, page)).as_posix()}"
        if target.is_relative_to(ROOT):
            return f"]({REPOSITORY}/blob/main/{target.relative_to(ROOT).as_posix()}"
        return link[0]

    return LINK.sub(replaced, text)


def of_a_page(app, name, content):
    """Links of a page."""
    folder = Path(app.env.doc2path(name)).parent
    content[0] = linked(content[0], folder, folder)


def of_an_included_file(app, path, name, content):
    """Links of a file that a page includes, such as CHANGELOG.md. MyST passes the page's name without its folder."""
    page = app.env.doc2path(app.env.docname)
    content[0] = linked(content[0], (DOCS / path).resolve().parent, Path(page).parent)


def setup(app):
    """Called by Sphinx."""
    app.connect("source-read", of_a_page)
    app.connect("include-read", of_an_included_file)
