"""The examples of the gallery run as they are, and draw something."""

import runpy
from pathlib import Path

import matplotlib
import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("plot_*.py"))


@pytest.fixture
def plt():
    with matplotlib.rc_context():
        matplotlib.use("Agg")
        from matplotlib import pyplot

        yield pyplot
        pyplot.close("all")


def test_there_is_one_for_each_kind_of_knowledge():
    assert {"pairs", "triplets", "rules"} <= {path.stem.removeprefix("plot_") for path in EXAMPLES}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(path, plt):
    runpy.run_path(str(path))
    figures = [plt.figure(number) for number in plt.get_fignums()]
    assert figures
    assert all(axes.has_data() for figure in figures for axes in figure.axes)
