"""What was acknowledged is there after kill -9."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@pytest.mark.parametrize("rounds", [20, pytest.param(200, marks=pytest.mark.slow)])
def test_nothing_acknowledged_is_lost(tmp_path, rounds, global_random_seed):
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.studio.crash",
            tmp_path,
            str(rounds),
            str(global_random_seed),
        ],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["lost"] == 0
    assert result["intact"] == "ok"
    assert result["kept"] >= result["acknowledged"] > 0
