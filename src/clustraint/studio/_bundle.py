"""The page's modules as one text, because notebooks take a widget's script as one module."""

from __future__ import annotations

import re
from importlib.resources import files

STATIC = files("clustraint.studio") / "static"
_IMPORT = re.compile(r'^import \{ ([^}]*) \} from "\./([^"]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?(?:const|function|class) (\w+))", re.MULTILINE)
# How the vendored file ends, which a tool has written.
_EXPORTS = re.compile(r"export\{([^}]*)\};\s*$")


def bundle(entry: str = "widget.js") -> str:
    """Return a module and all that it imports as one module, which exports what `widget` is.

    Each module becomes a function that is called once, after those it imports, so that nothing
    is renamed and no tool has to run before the page does.

    Examples
    --------
    >>> text = bundle()
    >>> text.rstrip().endswith("export default m0.widget;"), "import {" in text
    (True, False)
    """
    written: dict[str, str] = {}
    numbers: dict[str, int] = {}
    _write(entry, written, numbers)
    return "".join(written.values()) + f"export default m{numbers[entry]}.widget;\n"


def _write(name: str, written: dict[str, str], numbers: dict[str, int]) -> None:
    """Add a module after those that it imports."""
    if name in numbers:
        return
    numbers[name] = len(numbers)
    text = STATIC.joinpath(name).read_text(encoding="utf-8")
    for _, imported in _IMPORT.findall(text):
        _write(imported, written, numbers)
    body = _IMPORT.sub(
        lambda match: f"const {{ {match[1].replace(' as ', ': ')} }} = m{numbers[match[2]]};", text
    )
    exported = [name for _, name in _EXPORT.findall(body)]
    body = _EXPORT.sub(r"\1", body)
    ending = _EXPORTS.search(body)
    if ending:
        exported += [": ".join(reversed(pair.split(" as "))) for pair in ending[1].split(",")]
        body = body[: ending.start()]
    written[name] = (
        f"const m{numbers[name]} = (() => {{\n{body}\nreturn {{ {', '.join(exported)} }};\n}})();\n"
    )
