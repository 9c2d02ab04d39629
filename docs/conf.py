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
"""

import os
import re
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path[:0] = [str(ROOT), str(DOCS)]  # datasets/ and benchmarks/ are not installed

import emst

REPOSITORY = "https://github.com/emst/emst"  # as in [project.urls] of pyproject.toml

project = "emst"
author = "The emst developers"
copyright = "The emst developers, BSD-3-Clause"
version = release = emst.__version__

extensions = [
    "matplotlib.sphinxext.plot_directive",
    "myst_parser",
    "markdown_plot",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "examples", "drawings"]
default_role = "py:obj"  # `EMST` in a docstring is a link if there is a page for it
nitpicky = False

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
suppress_warnings = ["config.cache"]  # functions in the gallery's settings cannot be pickled

numpydoc_show_class_members = False
autosummary_generate = True
autodoc_typehints = "none"  # the docstrings say what each parameter is

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "filename_pattern": "/plot_",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "remove_config_comments": True,
    "image_scrapers": ("matplotlib",),
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
html_theme_options = {
    "github_url": REPOSITORY,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "navigation_with_keys": False,
}

OUTSIDE = re.compile(r"\]\((\.\.?/[^)#\s]*)")


def link_to_the_repository(app, name, content):
    """Pages link to files of the repository; those outside docs/ are no pages, so their links go to the repository."""
    here = Path(app.env.doc2path(name)).parent

    def replaced(link):
        target = Path(os.path.normpath(here / link[1]))
        if target.is_relative_to(DOCS) or not target.is_relative_to(ROOT):
            return link[0]
        return f"]({REPOSITORY}/blob/main/{target.relative_to(ROOT).as_posix()}"

    content[0] = OUTSIDE.sub(replaced, content[0])


def setup(app):
    """Called by Sphinx."""
    app.connect("source-read", link_to_the_repository)
