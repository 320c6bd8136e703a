import shutil
from pathlib import Path

import clustraint

project = "clustraint"
author = "the clustraint developers"
copyright = f"2026, {author}"
version = release = clustraint.__version__

extensions = ["sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc"]
templates_path = ["_templates"]
exclude_patterns = ["_build"]

autosummary_generate = True
autodoc_typehints = "none"  # numpydoc's sections already tell the types
numpydoc_show_class_members = False
# Written by scikit-learn, with references into its own documentation.
autodoc_default_options = {
    "exclude-members": "set_fit_request, set_predict_request, set_score_request, "
    "set_transform_request"
}

html_theme = "pydata_sphinx_theme"
html_title = "clustraint"
html_show_sourcelink = False
html_theme_options = {"secondary_sidebar_items": ["page-toc"], "show_prev_next": False}
html_sidebars = {"index": [], "constraint-files": [], "papers": []}

rst_prolog = """
.. role:: raw-html(raw)
   :format: html
"""


def copy_papers(app, exception):
    """Put the generated pages of the papers beside the others."""
    if exception is None:
        shutil.copytree(Path(app.srcdir, "papers"), Path(app.outdir, "papers"), dirs_exist_ok=True)


def setup(app):
    app.connect("build-finished", copy_papers)
