"""./dev: its words, and when it makes .venv and installs. A stub plays Python: no network."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

DEV = Path(__file__).parents[2] / "dev"

# Logs its arguments, answers what ./dev asks of an interpreter, and copies itself as
# `-m venv` would. $STUB_VERSION and $STUB_WITHOUT make it old or incomplete.
STUB = """#!/bin/sh
printf '%s\\n' "$*" >>"$STUB_LOG"
version=${STUB_VERSION:-3.11}
case $* in
*'sys.exit(sys.version_info'*) [ "${version#3.}" -ge 11 ] ;;
*print*) echo "$version" ;;
*'import ensurepip'*) [ -z "${STUB_WITHOUT_VENV:-}" ] ;;
'-m venv'*) mkdir -p .venv/bin && cp "$0" .venv/bin/python && exit "${STUB_VENV_STATUS:-0}" ;;
'-m pip'*) exit "${STUB_PIP_STATUS:-0}" ;;
*) exit 0 ;;
esac
"""


class Checkout:
    """A copy of ./dev in a folder with spaces, and a PATH whose only Pythons are stubs."""

    def __init__(self, folder):
        self.root = folder / "a checkout"
        self.bin = folder / "bin"
        self.log = folder / "log"
        self.root.mkdir()
        self.bin.mkdir()
        shutil.copy(DEV, self.root)
        (self.root / "pyproject.toml").write_text("first\n")
        for tool in ("sh", "cat", "cksum", "cp", "dirname", "mkdir", "tr"):
            (self.bin / tool).symlink_to(shutil.which(tool))
        self.add_tool("chromium")

    def add_tool(self, name, text="exit 0"):
        (self.bin / name).write_text(f"#!/bin/sh\n{text}\n")
        (self.bin / name).chmod(0o755)

    def add_pythons(self, *names, text=STUB):
        for name in names:
            (self.bin / name).write_text(text)
            (self.bin / name).chmod(0o755)

    def run(self, *arguments, cwd="/", **variables):
        """Run ./dev from elsewhere; afterwards `calls` holds the calls of Python."""
        self.log.write_text("")
        environment = {"PATH": str(self.bin), "STUB_LOG": str(self.log), **variables}
        answer = subprocess.run(
            [self.root / "dev", *arguments],
            cwd=cwd,
            env=environment,
            capture_output=True,
            encoding="utf-8",
        )
        self.calls = self.log.read_text().splitlines()
        return answer

    def did(self, start):
        return [call for call in self.calls if call.startswith(start)]


@pytest.fixture
def checkout(tmp_path):
    return Checkout(tmp_path)


@pytest.fixture
def ready(checkout):
    """A checkout whose .venv serves the tests."""
    checkout.add_pythons("python3")
    assert checkout.run("test").returncode == 0
    return checkout


def one_sentence(answer):
    """Return the only line of an answer that failed with one."""
    assert answer.returncode == 2
    assert answer.stdout == ""
    (line,) = answer.stderr.splitlines()
    return line


@pytest.mark.parametrize("arguments", [[], ["help"], ["--help"]])
def test_help_has_a_line_for_each_command(checkout, arguments):
    answer = checkout.run(*arguments)
    assert answer.returncode == 0
    commands = [line.split()[0] for line in answer.stdout.splitlines() if line.startswith("  ")]
    assert commands == [
        *("setup", "demo", "test", "lint", "bench", "docs", "papers", "lowest", "package")
    ]
    assert not (checkout.root / ".venv").exists()


def test_an_unknown_command_is_named(checkout):
    answer = checkout.run("tset")
    assert answer.returncode == 2
    assert "no command 'tset'" in answer.stderr


def test_an_old_python_is_named_with_what_is_needed(checkout):
    checkout.add_pythons("python3")
    sentence = one_sentence(checkout.run("test", STUB_VERSION="3.8"))
    assert "Python 3.11 or newer is needed" in sentence
    assert "python3 is Python 3.8" in sentence


def test_no_python_at_all(checkout):
    sentence = one_sentence(checkout.run("test"))
    assert "Python 3.11 or newer is needed, but there is no python3" in sentence


def test_a_missing_venv_module_says_what_to_install(checkout):
    checkout.add_pythons("python3")
    sentence = one_sentence(checkout.run("test", STUB_WITHOUT_VENV="yes"))
    assert sentence.endswith("apt install python3-venv")


def test_a_newer_python_is_found_beside_an_old_one(checkout):
    checkout.add_pythons("python3", text=STUB.replace(":-3.11", ":-3.9"))
    checkout.add_pythons("python3.12", text=STUB.replace(":-3.11", ":-3.12"))
    assert checkout.run("test").returncode == 0
    assert (checkout.root / ".venv/.made").read_text().startswith("3.12 ")


def test_a_python_that_does_not_start_is_passed_over(checkout):
    checkout.add_pythons("python3", text="#!/bin/sh\nexit 127\n")
    checkout.add_pythons("python3.13")
    assert checkout.run("test").returncode == 0


def test_the_python_that_was_asked_for_is_the_only_choice(checkout):
    checkout.add_pythons("python3", "snake")
    assert checkout.run("test", PYTHON="snake").returncode == 0
    shutil.rmtree(checkout.root / ".venv")
    sentence = one_sentence(checkout.run("test", PYTHON="absent"))
    assert "there is no absent" in sentence


def test_the_first_run_sets_up_and_passes_arguments_on(checkout):
    checkout.add_pythons("python3")
    answer = checkout.run("test", "-k", "two words", cwd=checkout.root)
    assert answer.stderr == "setting up .venv …\n"
    assert checkout.did("-m venv") == ["-m venv --clear .venv"]
    (install,) = checkout.did("-m pip install -q --disable-pip-version-check")
    assert install.endswith("-e .[test]")
    assert checkout.calls[-1].startswith("-m pytest")
    assert checkout.calls[-1].endswith("-k two words")


def test_the_second_run_installs_nothing(ready):
    answer = ready.run("test")
    assert answer.stderr == ""
    assert not ready.did("-m venv")
    assert not ready.did("-m pip")
    assert ready.did("-m pytest")


def test_a_changed_pyproject_installs_again_but_keeps_the_venv(ready):
    (ready.root / "pyproject.toml").write_text("second\n")
    ready.run("test")
    assert len(ready.did("-m pip")) == 1
    assert not ready.did("-m venv")
    ready.run("test")
    assert not ready.did("-m pip")


def test_another_command_installs_only_what_it_lacks(ready):
    ready.run("demo")
    assert not ready.did("-m pip")
    assert ready.calls[-1] == "-m clustraint.cli demo --report build/demo.html"
    ready.run("bench", "--quick")
    assert [call.split()[-1] for call in ready.did("-m pip")] == [".[bench]"]
    assert ready.calls[-1] == "-m benchmarks --quick"
    ready.run("setup")
    assert [call.split()[-1] for call in ready.did("-m pip")] == [".[test,lint,bench,docs,papers]"]


def test_an_interrupted_venv_is_made_again(checkout):
    checkout.add_pythons("python3")
    assert checkout.run("test", STUB_VENV_STATUS="1").returncode == 2
    checkout.run("test")
    assert checkout.did("-m venv")


def test_an_interrupted_install_is_done_again(checkout):
    checkout.add_pythons("python3")
    answer = checkout.run("test", STUB_PIP_STATUS="1")
    assert answer.returncode == 2
    assert "could not install .[test]" in answer.stderr
    checkout.run("test")
    assert checkout.did("-m pip")
    assert not checkout.did("-m venv")


def test_a_venv_whose_python_is_gone_is_made_again(ready):
    python = ready.root / ".venv/bin/python"
    python.unlink()
    python.symlink_to("/nonexistent/python3")
    # venv --clear empties the folder; the stub does not.
    ready.add_pythons("python3", text=STUB.replace("mkdir -p", "rm -rf .venv; mkdir -p"))
    (ready.bin / "rm").symlink_to(shutil.which("rm"))
    ready.run("test")
    assert ready.did("-m venv")
    assert ready.did("-m pip")


@pytest.mark.parametrize("change", ["moved checkout", "upgraded Python"])
def test_a_venv_that_no_longer_fits_is_made_again(ready, change):
    if change == "moved checkout":
        ready.root = ready.root.rename(ready.root.parent / "moved")
        answer = ready.run("test")
    else:
        answer = ready.run("test", STUB_VERSION="3.13")
    assert answer.returncode == 0
    assert ready.did("-m venv")


def test_lint_runs_everything_and_fails_at_the_end(ready):
    tools = ready.root / ".venv/bin"
    for name, status in {"ruff": 1, "mypy": 0, "lint-imports": 1}.items():
        (tools / name).write_text(f"#!/bin/sh\necho {name} $*\nexit {status}\n")
        (tools / name).chmod(0o755)
    answer = ready.run("lint", "--fix")
    assert answer.returncode == 1
    assert answer.stdout.splitlines() == [
        "ruff check --fix",
        "ruff format --check",
        "mypy",
        "lint-imports --no-logo",
    ]
    assert answer.stderr.splitlines()[-1] == "dev: failed: ruff check, ruff format, lint-imports"


@pytest.fixture
def browserless(ready):
    """A ready checkout on a machine without a browser, whose apt-get makes one."""
    (ready.bin / "chromium").unlink()
    ready.add_tool("id", "echo 1000")
    ready.add_tool("env", 'printf "%s\\n" "$*" >>"$STUB_LOG"; shift; exec "$@"')
    ready.add_tool("apt-get", f'case $* in *install*) cp "$0" "{ready.bin}/chromium" ;; esac')
    return ready


INSTALLS = [
    "DEBIAN_FRONTEND=noninteractive apt-get -qq update",
    "DEBIAN_FRONTEND=noninteractive apt-get -qq install -y chromium",
]
NO_BROWSER = "dev: there is no chromium, so the browser tests are skipped"


@pytest.mark.parametrize("browser", ["chromium", "chromium-browser", "google-chrome"])
def test_a_browser_that_is_there_is_not_installed(browserless, browser):
    browserless.add_tool("id", "echo 0")
    browserless.add_tool(browser)
    answer = browserless.run("test")
    assert answer.stderr == ""
    assert not browserless.did("DEBIAN_FRONTEND")


def test_root_gets_a_browser(browserless):
    browserless.add_tool("id", "echo 0")
    answer = browserless.run("test")
    assert answer.returncode == 0
    assert answer.stderr == "installing chromium …\n"
    assert browserless.did("DEBIAN_FRONTEND") == INSTALLS
    assert browserless.did("-m pytest")
    assert browserless.run("test").stderr == ""


def test_who_may_become_root_without_a_password_gets_a_browser(browserless):
    browserless.add_tool("sudo", '[ "$1" = -n ] && shift && exec "$@"')
    browserless.add_tool("true")
    assert browserless.run("test").stderr == "installing chromium …\n"
    assert browserless.did("DEBIAN_FRONTEND") == INSTALLS


@pytest.mark.parametrize("lacks", ["sudo", "password", "apt-get"])
def test_without_a_browser_the_tests_run_all_the_same(browserless, lacks):
    if lacks == "password":
        browserless.add_tool("sudo", "exit 1")
    if lacks == "apt-get":
        browserless.add_tool("id", "echo 0")
        (browserless.bin / "apt-get").unlink()
    answer = browserless.run("test")
    assert answer.returncode == 0
    (line,) = answer.stderr.splitlines()
    assert line.startswith(NO_BROWSER)
    assert browserless.did("-m pytest")


def test_a_browser_that_cannot_be_installed_is_told_of(browserless):
    browserless.add_tool("id", "echo 0")
    browserless.add_tool("apt-get", "echo E: no network >&2; exit 100")
    answer = browserless.run("test")
    assert answer.returncode == 0
    first, second = answer.stderr.splitlines()
    assert first == "installing chromium …"
    assert second.startswith(NO_BROWSER)


def test_other_commands_need_no_browser(browserless):
    assert browserless.run("demo").stderr == ""


@pytest.mark.parametrize("shell", ["dash", "bash"])
def test_it_is_plain_posix_shell(shell):
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    subprocess.run([shell, "-n", DEV], check=True)


def test_it_can_be_executed():
    assert os.access(DEV, os.X_OK)
