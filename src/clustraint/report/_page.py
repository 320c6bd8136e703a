"""How clustraint's pages look: one template below all others, and what made them."""

from __future__ import annotations

import platform
from importlib.metadata import version

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

import clustraint
from clustraint.plot import theme


def page_templates(package: str) -> Environment:
    """Return the templates of a package, which may extend ``house.html``.

    Whatever is put into them is escaped, and a name that is not there is an error.

    Parameters
    ----------
    package : str
        A package with a folder ``templates``.

    Returns
    -------
    jinja2.Environment

    Examples
    --------
    >>> from clustraint.report import page_templates
    >>> templates = page_templates("clustraint.report")
    >>> templates.from_string("<b>{{ name }}</b>").render(name="<script>")
    '<b>&lt;script&gt;</b>'
    """
    templates = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("clustraint.report")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.globals["theme"] = theme()
    return templates


def made_with() -> list[str]:
    """Return the versions of what a page was made with.

    Examples
    --------
    >>> from clustraint.report import made_with
    >>> made_with()[0].split()[0]
    'clustraint'
    """
    return [
        f"clustraint {clustraint.__version__}",
        f"Python {platform.python_version()}",
        *(f"{name} {version(name)}" for name in ("numpy", "scipy", "scikit-learn", "numba")),
    ]
