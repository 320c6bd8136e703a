"""The page's files: vendored as documented, one module from many, nothing fetched."""

import hashlib
import re
from importlib.resources import files

import pytest

from clustraint.studio._bundle import bundle

STATIC = files("clustraint.studio") / "static"
MODULES = sorted(path.name for path in STATIC.iterdir() if path.name.endswith(".js"))


def read(name):
    return STATIC.joinpath(name).read_text(encoding="utf-8")


def test_the_vendored_file_is_the_one_that_is_documented():
    octets = STATIC.joinpath("vendor/preact.js").read_bytes()
    written = re.search(
        r"^sha256 ([0-9a-f]{64})  preact\.js$", read("vendor/README.txt"), re.MULTILINE
    )
    assert written[1] == hashlib.sha256(octets).hexdigest()


def test_every_vendored_package_has_its_licence():
    licences = read("vendor/LICENSES.txt")
    packages = re.findall(
        r"^  (\S+) +[\d.]+ +\S+ +Copyright", read("vendor/README.txt"), re.MULTILINE
    )
    assert len(packages) == 4
    assert all(package in licences for package in packages)


@pytest.mark.parametrize("name", [*MODULES, "vendor/preact.js", "studio.css", "index.html"])
def test_nothing_comes_from_elsewhere_and_nothing_is_evaluated(name):
    text = read(name)
    # Names of XML vocabularies are addresses that nobody fetches.
    addresses = re.findall(r"https?://(?!www\.w3\.org/)\S+", text)
    assert addresses == []
    assert not re.search(
        r"\beval\(|new Function\(|\.innerHTML|dangerouslySetInnerHTML:", text
    ) or name.startswith("vendor/")
    assert " style=" not in text


def test_the_page_has_no_script_or_style_of_its_own():
    page = read("index.html")
    assert re.findall(r"<script[^>]*>([^<]*)</script>", page) == [""]
    assert "<style" not in page
    assert not re.search(r"\son\w+=", page)


def test_one_module_holds_all_others():
    text = bundle()
    # Whatever a page of its own needs is left out, everything else is in, once.
    assert text.count("(() => {\n") >= len(MODULES) - 1
    for name in MODULES:
        if name != "app.js":
            assert text.count(read(name).splitlines()[0]) == 1, name
    assert not re.search(r"^import ", text, re.MULTILINE)
    assert re.findall(r"^export .*", text, re.MULTILINE) == ["export default m0.widget;"]
