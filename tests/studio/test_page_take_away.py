"""What leaves the studio by its page: the same clusters again, knowledge that checks, a report."""

import subprocess
import sys
import zipfile

import pytest

from tests.browser import Visit
from tests.studio.page import COMMAND, RunningStudio, Screen


@pytest.fixture(scope="module")
def files(browser, tmp_path_factory):
    """Say something, name a cluster, and save every file by its button."""
    folder = tmp_path_factory.mktemp("take-away")
    studio = RunningStudio("animals", folder / "animals.studio", "-k", 7)
    screen = Screen(browser, studio, "Ann", viewport={"width": 1280, "height": 800})
    for kind, body in (
        ("together", {"rows": [0, 40]}),
        ("apart", {"rows": [3], "from": [4]}),
        ("rule", {"rule": "legs is 6"}),
        ("name", {"cluster": 0, "name": "=first"}),
    ):
        assert screen.look("([kind, body]) => studio.send(kind, body)", [kind, body])
        screen.settle()
    screen.page.keyboard.press("e")
    for name in ("labels.csv", "table.csv", "knowledge.txt", "report.html", "reproduce.zip"):
        with screen.page.expect_download() as download:
            screen.page.get_by_role("button", name=f"Save {name}").click()
        download.value.save_as(folder / name)
    labels = screen.labels()
    screen.close()
    studio.stop()
    return folder, labels


def run(arguments, folder):
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, cwd=folder, timeout=600
    )


def test_the_archive_gives_the_labels_exactly(files):
    folder, labels = files
    with zipfile.ZipFile(folder / "reproduce.zip") as archive:
        archive.extractall(folder / "again")
    (home,) = (folder / "again").iterdir()
    done = run(["reproduce.py"], home)
    assert done.returncode == 0, done.stderr
    again = (home / "clusters.csv").read_text(encoding="utf-8")
    assert again == (folder / "labels.csv").read_text(encoding="utf-8")
    assert [int(line.split(",")[1]) for line in again.splitlines()[1:]] == labels


def test_the_knowledge_checks(files):
    folder, _ = files
    done = run(["-c", COMMAND, "check", "animals", "-c", "knowledge.txt"], folder)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_name_that_is_a_formula_is_none_in_the_table(files):
    folder, _ = files
    text = (folder / "table.csv").read_text(encoding="utf-8-sig")
    assert "'=first" in text
    assert ",=first" not in text


def test_the_report_opens_without_a_request(files, browser):
    folder, _ = files
    context = browser.new_context(offline=True)
    visit = Visit(context.new_page())
    address = (folder / "report.html").as_uri()
    visit.page.goto(address)
    visit.page.wait_for_load_state("networkidle")
    assert [url for url in visit.fetched if not url.startswith("data:")] == [address]
    assert visit.complaints == []
    assert "animals" in visit.page.inner_text("body")
    context.close()
