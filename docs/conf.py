import shutil
import sys
from pathlib import Path

import clustraint

sys.path.insert(0, str(Path(__file__).parent))

project = "clustraint"
author = "the clustraint developers"
copyright = f"2026, {author}"
version = release = clustraint.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "_generated"]

autosummary_generate = True
autodoc_typehints = "none"  # numpydoc's sections already tell the types
numpydoc_show_class_members = False
# Written by scikit-learn, with references into its own documentation.
autodoc_default_options = {
    "exclude-members": "set_fit_request, set_predict_request, set_score_request, "
    "set_transform_request"
}

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "backreferences_dir": None,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 3600,
    "write_computation_times": False,
    "abort_on_example_error": True,
    "within_subsection_order": "ExampleTitleSortKey",
}

html_theme = "pydata_sphinx_theme"
html_title = "clustraint"
html_show_sourcelink = False
html_static_path = ["_static"]
html_css_files = ["house.css"]
html_theme_options = {
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": False,
    "header_links_before_dropdown": 4,
}
# Pages of the first level have nothing to list beside them.
html_sidebars = {page.stem: [] for page in Path(__file__).parent.glob("*.rst")}

rst_prolog = """
.. role:: raw-html(raw)
   :format: html
"""


def copy_papers(app, exception):
    """Put the generated pages of the papers beside the others."""
    papers = Path(app.srcdir, "papers")
    if exception is None and papers.exists():
        shutil.copytree(papers, Path(app.outdir, "papers"), dirs_exist_ok=True)


def write_example(app, exception):
    """Put a report beside the pages, made by the package itself."""
    if exception is None and app.builder.format == "html":
        import generate

        generate.example_report(Path(app.outdir, "example-report.html"))


def generate(app):
    """Write the pages that follow from the code."""
    import generate

    generate.write_all()


def setup(app):
    app.connect("builder-inited", generate)
    app.connect("build-finished", copy_papers)
    app.connect("build-finished", write_example)
