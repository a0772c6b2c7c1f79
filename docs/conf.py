"""Sphinx settings: ``make docs`` builds the site into build/site, without a network.

With PARZEN_DOCS_QUICK set, the gallery shows its examples without running them.
"""

from __future__ import annotations

import os
import re
import sys
from importlib.metadata import version as installed_version
from pathlib import Path

from sphinx_gallery.sorting import ExplicitOrder, FileNameSortKey

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "scripts"))

import commands  # noqa: E402
import reference  # noqa: E402
import tables  # noqa: E402

reference.write(HERE / "reference" / "names")
reference.write_if_new(HERE / "reference" / "names" / "commands.md", commands.page())
tables.write(HERE / "tables")
QUICK = bool(os.environ.get("PARZEN_DOCS_QUICK"))

project = "parzen"
author = "The parzen developers"
copyright = author
release = version = installed_version("parzen")

extensions = [
    "myst_parser",
    "numpydoc",
    "matplotlib.sphinxext.plot_directive",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_design",
    "mathml",
    "sphinx_gallery.gen_gallery",
]
root_doc = "index"
exclude_patterns = [
    "results",
    "scripts",
    "tables",
    "reference/names/commands.md",
    "reference/backreferences",
    "auto_examples/**/*.ipynb",
    "auto_examples/**/*.py",
]
templates_path = ["_templates"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
nitpicky = True
default_role = "code"
show_warning_types = True
suppress_warnings = ["config.cache"]  # the order of the gallery is an object, which no cache keeps

autosummary_generate = True
toc_object_entries_show_parents = "hide"
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_attributes_as_param_list = True
numpydoc_xref_param_type = False

plot_html_show_source_link = False
plot_html_show_formats = False
plot_formats = [("png", 110)]
plot_basedir = str(HERE.parent / "examples")

html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = "parzen"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/mark.svg"
html_show_sourcelink = False
html_show_search_summary = False  # summaries are fetched, which browsers refuse for local files
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"image_light": "_static/mark.svg", "image_dark": "_static/mark.svg", "text": "parzen"},
    "navbar_align": "left",
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}
html_sidebars = {"index": [], "get_started": [], "choose": []}

THEMES = ["first_steps", "bandwidths", "decisions", "sparse_models", "feature_spaces",
          "large_data", "mixed_tables", "pitfalls", "papers"]  # fmt: skip


class QuickstartFirst(FileNameSortKey):
    """The first example of the first theme is the one to begin with; all others go by name."""

    def __call__(self, filename):
        return filename != "quickstart.py", super().__call__(filename)


sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"\.py$",
    "ignore_pattern": re.escape(os.sep) + "_",
    "subsection_order": ExplicitOrder([f"../examples/{theme}" for theme in THEMES]),
    "within_subsection_order": QuickstartFirst,
    "backreferences_dir": "reference/backreferences",
    "doc_module": ("parzen",),
    "reference_url": {"parzen": None},
    "show_memory": False,
    "plot_gallery": not QUICK,
    "abort_on_example_error": True,
    "download_all_examples": False,
    "remove_config_comments": True,
    "nested_sections": True,
    "parallel": 2,
}


def skip_members_of_others(app, what, name, member, skip, options):
    """Show the members that the library writes: what scikit-learn adds is described there."""
    function = getattr(member, "fget", None) or getattr(member, "__func__", member)
    home = getattr(function, "__module__", None)
    return True if home is not None and not home.startswith("parzen") else skip


def setup(app):
    """Connect what the settings alone cannot say."""
    app.connect("autodoc-skip-member", skip_members_of_others)
