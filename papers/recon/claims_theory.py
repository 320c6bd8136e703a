"""The paper's claims about what is always so: no dead ends, all kept, all implied; and times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from papers._claim import Claim, Finding, holds_if
from papers._estimate import Estimate, estimate
from papers._exceptions import NotTestableError
from papers._results import Results
from papers.recon.measures import figure, share_of, with_triplets
from papers.recon.runs import EXAMPLE
from papers.recon.schemes import RECON, RECON_SVM
from papers.recon.tables import TITLES

if TYPE_CHECKING:
    from pandas import DataFrame, Series

COMPARISONS = ("figure-2", "figure-4", "figure-5")
DEAD_ENDS = "dead-ends"
INFERENCE = "inference"
A_FEW_MINUTES = 180.0
DEPENDS = 2.0


def recon_rows(results: Results) -> DataFrame:
    """Return all runs of ReCon with triplets, whatever the experiment."""
    from pandas import concat

    frames = []
    for name in COMPARISONS:
        try:
            frame = results.frame(name)
        except NotTestableError:
            continue
        frames.append(with_triplets(frame[frame["scheme"].isin((RECON, RECON_SVM))]))
    if not frames:
        raise NotTestableError("no comparison of the schemes has been run")
    return concat(frames)


def displays_all(results: Results) -> Finding:
    """Test: each hierarchy of ReCon displays all of its triplets."""
    rows = recon_rows(results)
    measurement = estimate("share of triplets that the hierarchy displays", rows["displayed"])
    whole = int((rows["displayed"] == 1).sum())
    return Finding(
        holds_if(whole == len(rows)),
        (measurement,),
        f"All triplets, up to {int(rows['triplets'].max()):,} of them, are displayed in {whole:,} "
        f"of {len(rows):,} hierarchies.",
    )


def partitions_keep_all(results: Results) -> Finding:
    """Test: cutting the hierarchy gives a partition that keeps all triplets."""
    rows = recon_rows(results)
    broken = int((rows["kept_resolved"] < 1).sum())
    return Finding(
        holds_if(not broken),
        (
            estimate("share of triplets kept by the cut resolved", rows["kept_resolved"]),
            estimate("share of triplets kept if outliers join near clusters", rows["kept"]),
        ),
        f"A plain cut breaks triplets in {broken:,} of {len(rows):,} runs. Handling outliers as in "
        f"section 4.2.1 breaks some in {share_of(rows['kept'] < 1)} of the runs, "
        f"{share_of(1 - rows['kept'])} of the triplets on average.",
    )


def example_is_a_dead_end(results: Results) -> Finding:
    """Test: in the paper's example iHAC ends too soon, and ReCon does not."""
    frame = results.frame(DEAD_ENDS)
    rows = frame[frame["table"] == EXAMPLE].set_index("method")
    if rows.empty:
        raise NotTestableError("the example has not been run")
    left = {method: int(rows.loc[method, "left"]) for method in ("iHAC", "ReCon")}
    shown = float(rows.loc["ReCon", "displayed"])
    return Finding(
        holds_if(left["iHAC"] > 1 and left["ReCon"] == 1 and shown == 1),
        tuple(estimate(f"clusters left by {name}", [count]) for name, count in left.items()),
        f"With b and d closest, a merge that violates neither ab|c nor cd|a leaves iHAC with "
        f"{left['iHAC']} clusters; ReCon ends with {left['ReCon']} and displays "
        f"{share_of(shown)} of the triplets.",
    )


def dead_ends_occur(results: Results) -> Finding:
    """Test: iHAC that enforces all triplets does not always end with a complete hierarchy."""
    frame = results.frame(DEAD_ENDS)
    rows = frame[frame["table"] != EXAMPLE]
    ihac, recon = (rows[rows["method"] == method] for method in ("iHAC", "ReCon"))
    if ihac.empty:
        raise NotTestableError("no table has been run")
    by_table = (ihac["left"] > 1).groupby(ihac["table"]).mean()
    always = [TITLES[str(table)] for table, rate in by_table.items() if rate == 1]
    return Finding(
        holds_if(bool((ihac["left"] > 1).any() and (recon["displayed"] == 1).all())),
        (
            estimate("share of runs in which iHAC ends too soon", ihac["left"] > 1),
            estimate("clusters that iHAC leaves when it ends too soon", _stuck(ihac)),
            estimate("share of runs in which ReCon displays all", recon["displayed"] == 1),
        ),
        f"With random triplets iHAC runs into a dead end in {share_of(ihac['left'] > 1)} of "
        f"{len(ihac)} runs, in each run on {', '.join(always) or 'no table'}; ReCon displays all "
        f"triplets in {share_of(recon['displayed'] == 1)} of the same runs.",
    )


def _stuck(rows: DataFrame) -> Series:
    return rows["left"][rows["left"] > 1]


def binary_count_suffices(results: Results) -> Finding:
    """Test: for a binary hierarchy n - 2 triplets imply all."""
    return _inference(results, "binary", "n - 2")


def class_count_suffices(results: Results) -> Finding:
    """Test: for classes (k - 1)(|D| - k) triplets imply all."""
    return _inference(results, "classes", "(k - 1)(|D| - k)")


def _inference(results: Results, tree: str, count: str) -> Finding:
    frame = results.frame(INFERENCE)
    rows = frame[frame["tree"] == tree]
    if rows.empty:
        raise NotTestableError(f"no hierarchy of the kind {tree} has been run")
    as_many = bool((rows["given"] == rows["expected"]).all())
    implied = int((rows["implied"] * rows["asked"]).round().sum())
    return Finding(
        holds_if(as_many and implied == rows["asked"].sum()),
        (
            estimate("share of triplets that the informative ones imply", rows["implied"]),
            estimate("share of informative triplets that the others do not imply", rows["needed"]),
        ),
        f"In {len(rows)} random hierarchies of {rows['n_samples'].min()} to "
        f"{rows['n_samples'].max()} samples the informative triplets number {count} in "
        f"{share_of(rows['given'] == rows['expected'])} of the cases and imply {implied:,} of the "
        f"{int(rows['asked'].sum()):,} triplets asked about; {share_of(rows['needed'])} of them "
        "would be lost if left out.",
    )


def takes_minutes(results: Results) -> Finding:
    """Test: clustering takes no more than a few minutes."""
    rows = recon_rows(results)
    times = rows["time"]
    slowest = rows.loc[times == times.max()].iloc[0]
    return Finding(
        holds_if(bool((times <= A_FEW_MINUTES).mean() > 0.5)),
        (estimate("CPU time of ReCon, seconds", times),),
        f"{share_of(times <= A_FEW_MINUTES)} of {len(rows):,} runs take at most three minutes; the "
        f"slowest took {figure(times.max())} s ({slowest.scheme} on {TITLES[slowest.table]} with "
        f"{int(slowest.triplets):,} triplets).",
    )


def time_depends(results: Results) -> Finding:
    """Test: the time of ReCon differs by table and by triplets at about the same size."""
    rows = recon_rows(results)
    rows = rows[(rows["scheme"] == RECON) & (rows["share"] == 1) & (rows["table"].isin(THOUSANDS))]
    if "source" in rows:
        rows = rows[rows["source"].isna()]
    if rows["table"].nunique() < 2:
        raise NotTestableError("fewer than two of the tables of about 3,000 rows have results")
    means = rows.groupby("table")["time"].mean().sort_values()
    spread = rows.groupby("table")["time"].agg(lambda times: times.max() / times.min())
    ratio = float(means.iloc[-1] / means.iloc[0])
    return Finding(
        holds_if(ratio >= DEPENDS),
        tuple(_seconds(str(table), rows) for table in means.index),
        f"With as many random triplets as samples, the mean on {TITLES[str(means.index[-1])]} is "
        f"{ratio:.1f} times that on {TITLES[str(means.index[0])]}; on one table the slowest run "
        f"takes up to {spread.max():.1f} times as long as the fastest.",
    )


def _seconds(table: str, rows: DataFrame) -> Estimate:
    return estimate(f"{TITLES[table]}: CPU seconds", rows["time"][rows["table"] == table])


THOUSANDS = ("letters-ijlt", "digits-389", "letters-3000", "digits-3000")

BEFORE = (
    Claim(
        "dead-end-example",
        "A simple example consists of four data instances a, b, c, d and two constraints ab|c, "
        "cd|a. … If b, d are merged … in the first round, there is no possible merging move in the "
        "second round.",
        "Section 4.2",
        "On four points of which b and d are closest, with these two triplets, iHAC that violates "
        "no triplet ends with more than one cluster, and ReCon with one that displays both.",
        (DEAD_ENDS,),
        example_is_a_dead_end,
    ),
    Claim(
        "dead-ends-on-data",
        "The first algorithm (iHAC) presented in [5] does not guarantee a complete hierarchy if "
        "all constraints are enforced.",
        "Section 1",
        "With random triplets of the paper's tables iHAC that violates none ends too soon in at "
        "least one run, while ReCon displays all triplets in every run.",
        (DEAD_ENDS,),
        dead_ends_occur,
    ),
    Claim(
        "all-satisfied",
        "Our algorithm generates a hierarchy of data instances that satisfies all constraints as "
        "long as the given constraints are consistent.",
        "Section 4",
        "Each hierarchy of ReCon in figures 2, 4 and 5 displays every triplet it was given.",
        COMPARISONS[:1],
        displays_all,
    ),
    Claim(
        "partition-satisfied",
        "Given any k, a k-partition that satisfies all the constraints can then be generated by "
        "cutting the resulting hierarchy.",
        "Section 4, definition 4.2",
        "No partition cut from a hierarchy of ReCon where most triplets are resolved has c of ab|c "
        "together with only one of a and b.",
        COMPARISONS[:1],
        partitions_keep_all,
    ),
    Claim(
        "binary-hierarchies",
        "For binary hierarchies, it can be shown that n − 2 constraints are enough to capture all "
        "information.",
        "Section 4.3",
        "The informative triplets of each random binary hierarchy number n − 2 and imply every "
        "other triplet of it that is asked about (up to 200).",
        (INFERENCE,),
        binary_count_suffices,
    ),
    Claim(
        "class-hierarchies",
        "We used a simple method to generate (k − 1) × |D| constraints that represents the "
        "two-level hierarchy.",
        "Section 5.2",
        "Without the degenerate ones, (k − 1)(|D| − k) triplets of random classes imply every "
        "other triplet of the classes that is asked about (up to 200).",
        (INFERENCE,),
        class_count_suffices,
    ),
)

TIMES = (
    Claim(
        "few-minutes",
        "In most experiments we conducted with the UCI datasets, our algorithm completed "
        "clustering within a few minutes.",
        "Section 5.3, figure 5",
        "More than half of all runs of ReCon with triplets take at most 180 seconds of CPU time "
        "(on other hardware than the paper's).",
        COMPARISONS[:1],
        takes_minutes,
    ),
    Claim(
        "time-depends",
        "The running time largely depends on the distribution of the data and the constraints "
        "selected.",
        "Section 5.3, figure 5",
        "Of the four tables of about 3,000 rows, with as many random triplets as rows, ReCon's "
        "mean CPU time on the slowest is at least twice that on the fastest.",
        COMPARISONS[:1],
        time_depends,
    ),
)
