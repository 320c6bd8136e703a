"""A paper of two small experiments, to try the machinery that runs the real ones."""

import os
import time
from pathlib import Path

from clustraint.exceptions import DatasetNotFoundError
from papers import Claim, Drawing, Experiment, Finding, Paper, ShownTable, Verdict, estimate
from papers._claim import holds_if
from papers._drawing import curves, legend, panels
from papers._exceptions import NotTestableError
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


def gain(results):
    frame = results.frame("draw").pivot(
        index=["number", "repeat"], columns="method", values="score"
    )
    found = estimate("gain", frame["better"] - frame["plain"])
    return Finding(holds_if(found.low > 0), (found,), f"The gain is {found.value:.1f}.")


def loss(results):
    frame = results.frame("draw")
    found = estimate("score", frame["score"])
    return Finding(holds_if(found.high < 0), (found,), "Scores are not below 0.")


def impossible(results):
    raise NotTestableError("nobody has <these> data")


def rows(results):
    found = estimate("rows", results.frame("fetch")["rows"])
    return Finding(Verdict.HOLDS, (found,), "There are rows.")


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
    claims=(
        Claim("a-gain", "better is better", "§1", "Paired gain above 0.", ("draw",), gain),
        Claim("a-loss", "scores are low", "§2", "Scores below 0.", ("draw",), loss),
        Claim("no-data", "it works for all", "§3", "Cannot be.", (), impossible),
        Claim("rows", "there are rows", "§4", "Any rows.", ("fetch",), rows),
    ),
)
