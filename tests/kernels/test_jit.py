"""The decorators that compile kernels: lazy, cached, never stale, and at home nowhere."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest
from numba.core.dispatcher import Dispatcher

import clustraint
from clustraint.kernels import _jit

PACKAGE = Path(clustraint.__file__).parent

HELPER = """
from clustraint.kernels._jit import piece

@piece
def step(x):
    return x + {step}
"""

CALLER = """
from clustraint.kernels._jit import jit
from clustraint.kernels.helper import step

@jit
def twice(x):
    return step(step(x))
"""

CALL_TWICE = """
from clustraint.kernels.caller import twice
answer = twice(1)
hits, misses = (sum(counts.values()) for counts in twice.stats[1:])
print(answer, hits, misses)
"""


@pytest.fixture
def small_package(tmp_path):
    """A package with the real decorator and two kernels, one in the other's file's help."""
    kernels = tmp_path / "install" / "clustraint" / "kernels"
    kernels.mkdir(parents=True)
    for folder in (kernels.parent, kernels):
        (folder / "__init__.py").touch()
    shutil.copy(_jit.__file__, kernels)
    (kernels / "helper.py").write_text(HELPER.format(step=1))
    (kernels / "caller.py").write_text(CALLER)
    return kernels


def run(program, install, cache, **environment):
    """Run `program` with the package of the folder `install` and return the words it prints."""
    variables = {
        **os.environ,
        "PYTHONPATH": str(install),
        "PYTHONDONTWRITEBYTECODE": "1",
        "XDG_CACHE_HOME": str(cache),
        **environment,
    }
    answer = subprocess.run(
        [sys.executable, "-c", program], env=variables, cwd=install, capture_output=True, text=True
    )
    assert answer.returncode == 0, answer.stderr
    return answer.stdout.split()


def files_below(folder):
    return sorted(path.relative_to(folder) for path in folder.rglob("*"))


def test_the_second_process_finds_it_compiled(small_package, tmp_path):
    install = small_package.parent.parent
    assert run(CALL_TWICE, install, tmp_path / "cache") == ["3", "0", "1"]
    assert list((tmp_path / "cache").rglob("*.nbi"))
    assert run(CALL_TWICE, install, tmp_path / "cache") == ["3", "1", "0"]


def test_a_changed_helper_is_not_served_stale(small_package, tmp_path):
    install = small_package.parent.parent
    assert run(CALL_TWICE, install, tmp_path / "cache")[0] == "3"
    (small_package / "helper.py").write_text(HELPER.format(step=5))
    assert run(CALL_TWICE, install, tmp_path / "cache")[0] == "11"


@pytest.fixture
def read_only_install(tmp_path):
    install = tmp_path / "install"
    shutil.copytree(
        PACKAGE, install / "clustraint", ignore=shutil.ignore_patterns("__pycache__", "*.nb?")
    )
    (install / "clustraint" / "kernels" / "helper.py").write_text(HELPER.format(step=1))
    (install / "clustraint" / "kernels" / "caller.py").write_text(CALLER)
    folders = [install, *(path for path in install.rglob("*") if path.is_dir())]
    for path in install.rglob("*"):
        path.chmod(path.stat().st_mode & ~0o222)
    install.chmod(0o555)
    yield install
    for folder in folders:
        folder.chmod(0o755)


def test_a_read_only_install_without_a_home_runs(read_only_install, tmp_path):
    # Below a regular file nothing can be made, not even by root.
    nowhere = tmp_path / "file"
    nowhere.touch()
    before = files_below(tmp_path)
    words = run(CALL_TWICE, read_only_install, nowhere / "cache", HOME=str(nowhere / "home"))
    assert words[0] == "3"
    assert files_below(tmp_path) == before


def test_a_user_without_a_home_gets_no_folder_called_tilde(small_package, tmp_path):
    no_home = (
        "import os, pwd\n"
        "def getpwuid(uid): raise KeyError(uid)\n"
        "pwd.getpwuid = getpwuid\n"
        "del os.environ['HOME'], os.environ['XDG_CACHE_HOME']\n"
    )
    install = small_package.parent.parent
    before = files_below(tmp_path)
    assert run(no_home + CALL_TWICE, install, tmp_path / "cache", HOME="")[0] == "3"
    assert files_below(tmp_path) == before


def test_importing_kernels_compiles_nothing():
    program = """
import importlib, pkgutil
from numba.core.dispatcher import Dispatcher
import clustraint.kernels as kernels

for module in pkgutil.walk_packages(kernels.__path__, "clustraint.kernels."):
    for name, value in vars(importlib.import_module(module.name)).items():
        if isinstance(value, Dispatcher):
            print("compiled" if value.signatures else "lazy")
"""
    words = run(program, PACKAGE.parent, os.environ["XDG_CACHE_HOME"])
    assert set(words) == {"lazy"}


def test_numbas_own_cache_setting_is_left_alone(monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", "mine")

    @_jit.jit
    def same(x):
        return x

    assert numba.config.CACHE_DIR == "mine"
    assert same.signatures == []


def test_the_setting_is_restored_even_where_decoration_fails(monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", "mine")
    with pytest.raises(TypeError, match="not a function"):
        _jit.jit(object())
    assert numba.config.CACHE_DIR == "mine"


def test_a_piece_is_compiled_into_kernels_and_stays_a_plain_function():
    @_jit.piece
    def step(x):
        return x + 1

    @_jit.jit
    def twice(x):
        return step(step(x))

    assert twice(1) == step(step(1)) == 3
    assert not isinstance(step, Dispatcher)


def test_the_hash_sees_names_and_contents(tmp_path):
    (tmp_path / "one.py").write_text("a = 1\n")
    first = _jit.source_hash(tmp_path)
    (tmp_path / "one.py").write_text("a = 2\n")
    second = _jit.source_hash(tmp_path)
    (tmp_path / "one.py").rename(tmp_path / "two.py")
    third = _jit.source_hash(tmp_path)
    (tmp_path / "notes.txt").write_text("not a source\n")
    assert len({first, second, third}) == 3
    assert _jit.source_hash(tmp_path) == third
