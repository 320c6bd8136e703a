"""A paper of two small experiments, to try the machinery that runs the real ones."""

import os
import time
from pathlib import Path

from clustraint.exceptions import DatasetNotFoundError
from papers import Claims, Drawing, Experiment, Paper, Scope, ShownTable, estimate
from papers._criteria import above, below, equal, so
from papers._drawing import curves, legend, panels
from papers._experiment import generator_of


def draw(*, number, repeat):
    note_call("draw")
    time.sleep(float(os.environ.get("TOY_PAUSE", "0")))
    noise = generator_of("draw", number, repeat).normal()
    return [
        {"method": "plain", "score": number + noise},
        {"method": "better", "score": number + noise + 1},
    ]


def fetch(*, table):
    note_call("fetch")
    if table == "absent":
        raise DatasetNotFoundError(table, "nowhere")
    if table == "broken":
        raise RuntimeError("the table is broken")
    return [{"rows": len(table)}]


def note_call(name):
    """Note, where somebody asked for it, that a cell was run."""
    log = os.environ.get("TOY_LOG")
    if log:
        with Path(log).open("a") as lines:
            lines.write(f"{name}\n")


def draw_grid(size):
    for repeat in range(2 if size == "quick" else 5):
        for number in (1, 2, 3):
            yield {"number": number, "repeat": repeat}


def fetch_grid(size):
    for table in os.environ.get("TOY_TABLES", "iris wine").split():
        yield {"table": table}


def show_draw(results):
    frame = results.frame("draw")
    figure, axes = panels(["all"])
    curves(axes[0], frame, x="number", y="score", by="method")
    legend(figure, axes)
    yield Drawing("draw", "The score grows with the number.", figure)
    means = frame.groupby("method", as_index=False)["score"].mean()
    yield ShownTable("draw-means", "Mean scores.", means)


CLAIMS = Claims()


def paired(rows):
    table = rows.pivot(index=["number", "repeat"], columns="method", values="score")
    return estimate("gain", table["better"] - table["plain"])


@CLAIMS("a-gain", "better is better", "§1", Scope(("draw",)), "1")
def _(rows):
    """The paired gain is above 0 and 1."""
    yield above(paired(rows))
    yield equal(paired(rows), "1")


@CLAIMS("a-loss", "scores are low", "§2", Scope(("draw",)))
def _(rows):
    """Scores are below 0."""
    return below(estimate("score", rows["score"]))


CLAIMS.untestable("no-data", "it works for all", "§3", "nobody has <these> data")


@CLAIMS("rows", "there are rows", "§4", Scope(("fetch",), by_construction=True))
def _(rows):
    """Each table has rows."""
    return so("rows", rows["rows"].min(), rows["rows"].min() > 0, "above 0")


TOY = Paper(
    name="toy",
    title="Toys & drawings",
    citation="Nobody: A toy (2026).",
    about="It draws numbers.",
    departures=("None.",),
    experiments=(
        Experiment("draw", "Do scores grow?", "Five draws.", draw, draw_grid, show_draw),
        Experiment("fetch", "How long are names?", "Once.", fetch, fetch_grid, lambda results: ()),
    ),
    claims=tuple(CLAIMS),
)
