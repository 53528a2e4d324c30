"""How Sphinx builds the documentation: `make docs` writes it to build/docs."""

from __future__ import annotations

import sys
from pathlib import Path

import vest_tucker

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "vest-tucker"
author = "the vest-tucker developers"
copyright = author  # noqa: A001, Sphinx' own name for it
version = release = vest_tucker.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "option_list",
]
templates_path = ["_templates"]
exclude_patterns = ["_templates", "_extensions"]
myst_heading_anchors = 3
default_role = "py:obj"  # `fit` in a docstring links to it

autodoc_typehints = "none"  # the docstrings say it, in words
autodoc_member_order = "bysource"
numpydoc_show_class_members = False  # the template of classes lists them
# Path and path, Stability and stability: some file systems would take their pages for the same.
autosummary_filename_map = {
    f"vest_tucker.{name}": f"vest_tucker.{name}-class" for name in ("Path", "Stability")
}

html_theme = "pydata_sphinx_theme"
html_title = "vest-tucker"
html_show_sourcelink = False
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {name: [] for name in ("index", "start", "faq", "changelog")}  # pages without parts
