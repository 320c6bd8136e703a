"""The paper's figures, and small tables beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from clustraint.plot import PALETTE
from papers._drawing import curves, legend, panels
from papers._exceptions import NotTestableError
from papers._experiment import Drawing, ShownTable
from papers._results import Results
from papers.recon.data import LARGE_TABLES, TABLES, TITLES, UNIT
from papers.recon.measures import correlation, explained_share
from papers.recon.methods import KMEANS_SVM, RECON, RECON_SVM, SCHEMES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

RANDOM_RECON = "ReCon + Euclidean, as many random triplets"
STYLES = {scheme: place for place, scheme in enumerate((*SCHEMES, RANDOM_RECON))}
DASHED = (*SCHEMES[3:], RANDOM_RECON)
FIGURE_3 = ("letters-ijlt", "digits-389")
FIGURE_5 = (*FIGURE_3, *LARGE_TABLES)


def _scaled(frame: DataFrame) -> DataFrame:
    """Return the rows of the main reading; an experiment that has no other names none."""
    return frame[frame["scale"].fillna(UNIT) == UNIT] if "scale" in frame else frame


def present(frame: DataFrame, tables: Sequence[str]) -> list[str]:
    """Return the tables that have results, in the paper's order."""
    names = set(frame["table"])
    return [table for table in tables if table in names]


def show_random(results: Results) -> Iterator[Drawing | ShownTable]:
    """Show figures 2 and 3, and F with as many triplets as samples."""
    frame = _scaled(results.frame("figure-2"))
    yield Drawing(
        "figure-2",
        "F of the five schemes over the number of random triplets, mean of the runs with its 95 % "
        "interval.",
        accuracy_panels(frame, TABLES),
    )
    spread = present(frame, FIGURE_3)
    if spread:
        yield Drawing(
            "figure-3",
            "ReCon + Euclidean with random triplets: lowest, mean and highest F of the runs, and "
            "the standard deviation beside that of the metric alone.",
            spread_panels(frame, spread),
        )
    yield ShownTable(
        "random-triplets",
        "Mean F with as many random triplets as samples.",
        by_table_and_scheme(frame[frame["share"] == 1]),
    )
    yield ShownTable(
        "cuts-random",
        "Mean F of ReCon + Euclidean by cut, over all amounts of random triplets.",
        by_cut(frame[(frame["share"] > 0) & (frame["scheme"] == RECON)]),
    )


def show_informative(results: Results) -> Iterator[Drawing | ShownTable]:
    """Show figure 4, and the three cuts with all informative triplets."""
    frame = _scaled(results.frame("figure-4"))
    matched = frame[(frame["source"] == "random") & (frame["scheme"] == RECON)]
    rows = _stacked(frame[frame["source"] == "informative"], matched.assign(scheme=RANDOM_RECON))
    yield Drawing(
        "figure-4",
        "F of the five schemes over the number of informative triplets, random subsets and (last "
        "point) the complete set, and of ReCon with as many random triplets.",
        accuracy_panels(rows, TABLES),
    )
    complete = rows[(rows["share"] == 1) & rows["scheme"].isin((RECON, RECON_SVM))]
    yield ShownTable(
        "cuts-complete",
        "Mean F of ReCon with all informative triplets, by cut.",
        by_cut(complete),
    )


def show_large(results: Results) -> Iterator[Drawing | ShownTable]:
    """Show figure 5, and F on the two tables of many classes."""
    frame = _scaled(_stacked(*_frames(results, ("figure-2", "figure-5"))))
    tables = present(frame, FIGURE_5)
    rows = frame[frame["scheme"] == RECON]
    if tables:
        yield Drawing(
            "figure-5",
            "CPU seconds of ReCon + Euclidean over the number of random triplets, mean of the runs "
            "with its 95 % interval.",
            time_panels(rows, tables),
        )
    if present(frame, LARGE_TABLES):
        yield Drawing(
            "figure-5-accuracy",
            "F of the five schemes on 3,000 rows of all 26 letters and all 10 digits.",
            accuracy_panels(frame, LARGE_TABLES),
        )


def show_utility(results: Results) -> Iterator[Drawing | ShownTable]:
    """Show how the two utilities of equally large sets go with the gain."""
    frame = results.frame("utility")
    rows = [
        {
            "table": TITLES[str(table)],
            "triplets": int(part["triplets"].iloc[0]),
            "runs": len(part),
            "mean gain in F": round(float(part["gain"].mean()), 3),
            "correlation with informativeness": round(_with_gain(part, "informativeness"), 2),
            "correlation with coherence": round(_with_gain(part, "coherence"), 2),
            "explained by both": round(explained_share(part), 2) if len(part) >= 5 else None,
        }
        for (table, _), part in frame.groupby(["table", "share"], sort=False)
    ]
    yield _table(
        "utility",
        "Informativeness and coherence of random sets of equally many triplets, and ReCon's gain.",
        rows,
    )


def show_dead_ends(results: Results) -> Iterator[Drawing | ShownTable]:
    """Show how often each method ends too soon."""
    frame = results.frame("dead-ends")
    rows = []
    for (table, triplets), part in frame.groupby(["table", "triplets"], sort=False):
        ihac, recon = (part[part["method"] == method] for method in ("iHAC", "ReCon"))
        stuck = ihac["left"] > 1
        rows.append(
            {
                "table": TITLES.get(str(table), str(table)),
                "triplets": int(triplets),
                "runs": len(ihac),
                "iHAC ends too soon": f"{stuck.mean():.0%}",
                "clusters then left": round(float(ihac["left"][stuck].mean()), 1)
                if stuck.any()
                else None,
                "ReCon displays all": f"{(recon['displayed'] == 1).mean():.0%}",
            }
        )
    yield _table("dead-ends", "How often merging ends before the hierarchy is complete.", rows)


def show_inference(results: Results) -> Iterator[Drawing | ShownTable]:
    """Show how much the informative triplets imply."""
    frame = results.frame("inference")
    rows = [
        {
            "hierarchy": str(tree),
            "samples": int(samples),
            "classes": str(classes or "–"),
            "hierarchies": len(part),
            "informative triplets": int(part["given"].iloc[0]),
            "others implied": f"{part['implied'].mean():.1%}",
            "lost if left out": f"{part['needed'].mean():.1%}",
        }
        for (tree, samples, classes), part in frame.groupby(
            ["tree", "n_samples", "n_classes"], sort=False
        )
    ]
    yield _table("inference", "What the informative triplets of random hierarchies imply.", rows)


def accuracy_panels(frame: DataFrame, tables: Sequence[str]) -> Figure:
    """Return a panel for each table: F over the number of triplets, a line for each scheme."""
    shown = present(frame, tables)
    figure, axes = panels([TITLES[table] for table in shown])
    for panel, table in zip(axes, shown, strict=True):
        part = frame[frame["table"] == table]
        curves(panel, part, x="triplets", y="f", by="scheme", styles=STYLES, dashed=DASHED)
        _label(panel, "triplets", "F")
    legend(figure, axes, columns=3)
    return figure


def spread_panels(frame: DataFrame, tables: Sequence[str]) -> Figure:
    """Return two panels for each table: the range of F over runs, and its standard deviation."""
    titles = [f"{TITLES[table]}: {what}" for table in tables for what in ("range", "spread")]
    figure, axes = panels(titles, columns=2, width=3.4)
    for table, span, spread in zip(tables, axes[::2], axes[1::2], strict=True):
        part = frame[frame["table"] == table]
        _draw_range(span, part[part["scheme"] == RECON])
        for scheme in (RECON, KMEANS_SVM):
            _draw_spread(spread, part[part["scheme"] == scheme], scheme)
    legend(figure, axes, columns=3)
    return figure


def _draw_range(axes: Axes, part: DataFrame) -> None:
    by_amount = part.groupby("triplets")["f"].agg(["min", "mean", "max"])
    colour = PALETTE[STYLES[RECON]]
    axes.plot(by_amount.index, by_amount["mean"], color=colour, marker="o", label=RECON)
    axes.fill_between(
        by_amount.index,
        by_amount["min"],
        by_amount["max"],
        color=colour,
        alpha=0.2,
        linewidth=0,
        label="lowest to highest run",
    )
    _label(axes, "triplets", "F")


def _draw_spread(axes: Axes, part: DataFrame, scheme: str) -> None:
    spread = part.groupby("triplets")["f"].std()
    axes.plot(spread.index, spread, color=PALETTE[STYLES[scheme]], marker="o", label=scheme)
    _label(axes, "triplets", "standard deviation of F")


def time_panels(rows: DataFrame, tables: Sequence[str]) -> Figure:
    """Return a panel for each table: CPU seconds over the number of triplets."""
    figure, axes = panels([TITLES[table] for table in tables], columns=2, width=3.4)
    for panel, table in zip(axes, tables, strict=True):
        part = rows[rows["table"] == table]
        curves(panel, part, x="triplets", y="time", by="scheme", styles=STYLES)
        panel.set_xlim(left=0)
        panel.set_ylim(bottom=0)
        _label(panel, "triplets", "CPU seconds")
    return figure


def by_table_and_scheme(frame: DataFrame) -> DataFrame:
    """Return the mean F, a row for each table and a column for each scheme."""
    means = frame.pivot_table(index="table", columns="scheme", values="f")
    columns = [scheme for scheme in SCHEMES if scheme in means.columns]
    return _ready(means[columns], frame)


def by_cut(frame: DataFrame) -> DataFrame:
    """Return the mean F, a row for each table and a column for each cut."""
    names = {"f": "levels", "f_whole": "whole", "f_resolved": "resolved", "f_last": "last"}
    means = frame.groupby("table")[list(names)].mean()
    return _ready(means.rename(columns=names), frame)


def _ready(means: DataFrame, frame: DataFrame) -> DataFrame:
    means = means.loc[present(frame, TABLES)].round(3)
    means.index = [TITLES[table] for table in means.index]
    return means.rename_axis(index="table", columns=None).reset_index()


def _label(axes: Axes, x: str, y: str) -> None:
    axes.set_xlabel(x)
    axes.set_ylabel(y)


def _with_gain(part: DataFrame, name: str) -> float:
    return correlation(part[name], part["gain"])


def _table(name: str, caption: str, rows: Sequence[Mapping[str, object]]) -> ShownTable:
    from pandas import DataFrame

    return ShownTable(name, caption, DataFrame(rows))


def _stacked(*frames: DataFrame) -> DataFrame:
    from pandas import concat

    return concat(frames, ignore_index=True)


def _frames(results: Results, experiments: Sequence[str]) -> Iterator[DataFrame]:
    """Yield the frames of the experiments that have been run; at least one must."""
    n_frames = 0
    for name in experiments:
        try:
            frame = results.frame(name)
        except NotTestableError:
            continue
        n_frames += 1
        yield frame
    if not n_frames:
        raise NotTestableError(f"nothing of {' or '.join(experiments)} has been run")
