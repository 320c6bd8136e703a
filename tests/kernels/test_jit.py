"""The decorators that compile kernels: lazy, cached, never stale, and at home nowhere."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

import clustraint
import clustraint.kernels as kernels_package
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
hits, misses = (sum(counts.values()) for counts in twice.compiled().stats[1:])
print(answer, hits, misses)
"""


@pytest.fixture
def small_package(tmp_path):
    """A package with the real decorator and two kernels, one in the other's file's help."""
    kernels = tmp_path / "install" / "clustraint" / "kernels"
    kernels.mkdir(parents=True)
    (kernels.parent / "__init__.py").touch()
    shutil.copy(kernels_package.__file__, kernels)
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
import clustraint.kernels as kernels

for module in pkgutil.walk_packages(kernels.__path__, "clustraint.kernels."):
    for name, value in vars(importlib.import_module(module.name)).items():
        if callable(getattr(value, "compiled", None)):
            print("compiled" if value.compiled().signatures else "lazy")
"""
    words = run(program, PACKAGE.parent, os.environ["XDG_CACHE_HOME"])
    assert set(words) == {"lazy"}


def test_numbas_own_cache_setting_is_left_alone(monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", "mine")

    @_jit.jit
    def same(x):
        return x

    assert numba.config.CACHE_DIR == "mine"
    assert same.compiled().signatures == []


def test_the_setting_is_restored_even_where_decoration_fails(monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", "mine")
    with pytest.raises(TypeError, match="not a function"):
        _jit._compilable(object())
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


def quick(monkeypatch, function, **options):
    """Return a kernel that decides for itself when to be compiled."""
    monkeypatch.setattr(_jit, "COMPILE", "auto")
    monkeypatch.setattr(_jit, "_on_disk", frozenset)
    return _jit.jit(function, **options)


def total(values):
    result = 0.0
    for value in values:
        result += value
    return result


def test_a_small_input_runs_as_it_is_written_and_a_large_one_is_compiled(monkeypatch):
    kernel = quick(monkeypatch, total)
    assert kernel(np.ones(10)) == 10
    assert not kernel.compiled().signatures
    n_values = _jit.SMALL // _jit.STEPS + 1
    assert kernel(np.ones(n_values)) == n_values
    assert kernel.compiled().signatures


def test_how_many_steps_a_kernel_takes_may_be_its_own_affair(monkeypatch):
    kernel = quick(monkeypatch, total, work=lambda values: _jit.SMALL + 1)
    assert kernel(np.ones(1)) == 1
    assert kernel.compiled().signatures


def test_numbers_in_tuples_and_whole_numbers_count(monkeypatch):
    assert _jit._size((np.ones((2, 3)), (np.ones(4), 5), 0.5, -1)) == 16


def test_a_kernel_is_compiled_when_running_it_has_taken_as_long(monkeypatch):
    kernel = quick(monkeypatch, total)
    clock = iter(np.arange(10) * _jit.COMPILING)
    monkeypatch.setattr(_jit.time, "thread_time", lambda: next(clock))
    kernel(np.ones(3))
    assert not kernel.compiled().signatures
    kernel(np.ones(3))
    assert kernel.compiled().signatures


IMPORTED = """
import sys
import numpy as np
from clustraint import COPKMeans
X = np.random.default_rng(0).normal(size=({n_samples}, 2))
COPKMeans(2, random_state=0).fit(X)
print("numba" in sys.modules)
"""


@pytest.mark.parametrize(("n_samples", "imported"), [(20, "False"), (20_000, "True")])
def test_numba_is_imported_when_a_kernel_needs_it(n_samples, imported):
    program = IMPORTED.format(n_samples=n_samples)
    cache = os.environ["XDG_CACHE_HOME"]
    assert run(program, PACKAGE.parent, cache, CLUSTRAINT_COMPILE="auto") == [imported]


def test_a_kernel_on_disk_is_read_when_running_it_has_taken_as_long(monkeypatch):
    kernel = quick(monkeypatch, total)
    monkeypatch.setattr(_jit, "_on_disk", lambda: frozenset({"test_jit.total"}))
    monkeypatch.setattr(_jit, "is_loaded", lambda: False)
    monkeypatch.setattr(_jit.PlainRuns, "reading", _jit.READING)
    clock = iter(np.arange(10) * _jit.READING)
    monkeypatch.setattr(_jit.time, "thread_time", lambda: next(clock))
    for is_read in (False, True):
        kernel(np.ones(3))
        assert bool(kernel.compiled().signatures) == is_read


def test_a_kernel_on_disk_is_read_at_once_when_numba_is_there(monkeypatch):
    kernel = quick(monkeypatch, total)
    monkeypatch.setattr(_jit, "_on_disk", lambda: frozenset({"test_jit.total"}))
    kernel(np.ones(3))
    assert kernel.compiled().signatures


def test_dividing_by_zero_warns_nobody(monkeypatch):
    kernel = quick(monkeypatch, lambda a, b: a[0] / b[0])
    assert kernel(np.ones(1), np.zeros(1)) == np.inf


def test_broken_files_of_the_cache_are_replaced(small_package, tmp_path):
    install = small_package.parent.parent
    for ending in ("*.nbi", "*.nbc"):
        assert run(CALL_TWICE, install, tmp_path / "cache")[0] == "3"
        paths = list((tmp_path / "cache").rglob(ending))
        assert paths
        for path in paths:
            path.write_bytes(path.read_bytes()[:40])
        assert run(CALL_TWICE, install, tmp_path / "cache") == ["3", "0", "1"]
        assert run(CALL_TWICE, install, tmp_path / "cache") == ["3", "1", "0"]


def test_only_folders_that_nobody_uses_are_removed(tmp_path):
    now = 10.0 * _jit.STALE
    for name, age in (("mine", 2.0), ("old", 1.1), ("recent", 0.9)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "kernel.nbc").touch()
        os.utime(tmp_path / name, times=(now - age * _jit.STALE,) * 2)
    _jit.remove_stale(tmp_path / "mine", now)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine", "recent"]


FIT_ALL = """
import json
import numpy as np
from clustraint import *

rng = np.random.default_rng({seed})
n_samples = 40
y = rng.integers(3, size=n_samples)
X = rng.normal(size=(n_samples, 4)) + 2 * y[:, np.newaxis]
pairs = Constraints.from_labels(y, n_pairs=20, random_state={seed})
triplets = Constraints.from_labels(y, n_triplets=20, random_state={seed})
rules = Constraints(n_samples, rules=[Rule("x0"), Rule("x3")])
bits = X > 1
bits[:4, [0, 3]] = [[True, False], [False, True], [False, False], [False, False]]
labels = {{}}
for name, model, X_, constraints in [
    ("cop", COPKMeans(3, random_state=0), X, pairs),
    ("soft", COPKMeans(3, assignment="soft", random_state=0), X, pairs),
    ("complete", ConstrainedCompleteLinkage(3), X, pairs),
    ("tree", ClusteringTree(3), X, pairs),
    ("recon", ReCon(3), X, triplets),
    ("ihac", IHAC(3), np.abs(X), triplets),
    ("bihac", BiHAC(3), np.abs(X), triplets),
    ("medoids", AttributeKMedoids(4, overlap="nearest", random_state=0), bits, rules),
    ("mixture", ConstrainedMixture(3, random_state=0), X, pairs | triplets),
    ("propagation", ConstraintPropagation(3, random_state=0), X, pairs),
    ("pc", PCKMeans(3, random_state=0), X, pairs),
    ("mpc", MPCKMeans(3, random_state=0), X, pairs),
]:
    labels[name] = model.fit(X_, constraints=constraints).labels_.tolist()
kept, dropped = Constraints(9, triplets=[(a % 9, (a * a + 1) % 9, (a + 3) % 9) for a in range(60)
                            if len({{a % 9, (a * a + 1) % 9, (a + 3) % 9}}) == 3]).repair()
labels["repair"] = kept.triplets.tolist()
print(json.dumps(labels, separators=(",", ":")))
"""


def test_what_is_written_and_what_is_compiled_give_the_same_clusters(tmp_path, global_random_seed):
    program = FIT_ALL.format(seed=global_random_seed)
    compiled, plain = (
        json.loads(run(program, PACKAGE.parent, cache, CLUSTRAINT_COMPILE=mode)[0])
        for mode, cache in (("always", os.environ["XDG_CACHE_HOME"]), ("never", tmp_path))
    )
    assert plain == compiled
