"""Sphinx settings: ``make docs`` builds the site into build/site, without a network."""

from __future__ import annotations

import os
import re
import sys
from importlib.metadata import version as installed_version
from pathlib import Path

from sphinx_gallery.sorting import ExplicitOrder

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "scripts"))

project = "parzen"
author = "The parzen developers"
copyright = author
release = version = installed_version("parzen")

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
root_doc = "index"
exclude_patterns = ["results", "scripts", "auto_examples/**/*.ipynb", "auto_examples/**/*.py"]
templates_path = ["_templates"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
nitpicky = True
default_role = "code"
show_warning_types = True

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = True
numpydoc_show_inherited_class_members = True
numpydoc_class_members_toctree = False
numpydoc_xref_param_type = False

html_theme = "pydata_sphinx_theme"
html_title = "parzen"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_theme_options = {
    "navbar_align": "left",
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}
html_sidebars = {"index": [], "get_started": [], "choose": []}

_THEMES = ["first_steps", "bandwidths", "decisions", "sparse_models", "mixed_tables", "pitfalls",
           "papers"]  # fmt: skip
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"\.py$" if not os.environ.get("PARZEN_DOCS_QUICK") else r"quickstart\.py$",
    "ignore_pattern": re.escape(os.sep) + "_",
    "subsection_order": ExplicitOrder([f"../examples/{theme}" for theme in _THEMES] + ["*"]),
    "within_subsection_order": "ExampleTitleSortKey",
    "backreferences_dir": "reference/backreferences",
    "doc_module": ("parzen",),
    "reference_url": {"parzen": None},
    "show_memory": False,
    "plot_gallery": "True",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "remove_config_comments": True,
    "nested_sections": True,
}
suppress_warnings = ["config.cache"]
