"""Reproducing papers: run what has not been run, then judge and draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from pathlib import Path

from clustraint.exceptions import InvalidParameterError, MissingPackageError
from papers._exceptions import UnknownPaperError
from papers._experiment import Size
from papers._guests import with_methods
from papers._pages import Page, page_of, write_changes, write_index, write_page
from papers._paper import Paper
from papers._results import Results
from papers._runner import Run, Watch, run_paper
from papers._store import Store

PAPERS = ("attribute", "beyond", "bihac", "ccl", "clusilc", "recon")


@dataclass(frozen=True)
class Reproduction:
    """What came of a paper.

    Attributes
    ----------
    run : Run
        What was run now.
    page : Page
        What is known by now: claims with findings, experiments with figures.
    path : Path
        The page on disk.

    Examples
    --------
    >>> from papers import reproduce
    >>> (done,) = reproduce(["ccl"], size="quick")  # doctest: +SKIP
    >>> done.page.counts  # doctest: +SKIP
    {'holds': 7, 'does not hold': 3, 'not testable here': 1}
    """

    run: Run
    page: Page
    path: Path


def paper(name: str) -> Paper:
    """Return a paper by its name.

    Parameters
    ----------
    name : str
        One of ``"attribute"``, ``"beyond"``, ``"bihac"``, ``"ccl"``, ``"clusilc"``, ``"recon"``.

    Returns
    -------
    Paper
        Its experiments and claims.

    Raises
    ------
    UnknownPaperError
        If there is no such paper.

    Examples
    --------
    >>> from papers import paper
    >>> paper("ccl").name
    'ccl'
    """
    if name not in PAPERS:
        raise UnknownPaperError(name, PAPERS)
    loaded: Paper = import_module(f"papers.{name}").PAPER
    return loaded


def reproduce(
    papers: Sequence[str | Paper] = PAPERS,
    *,
    size: Size = "full",
    folder: str | PathLike[str] = "clustraint-papers",
    results: str | PathLike[str] | None = None,
    only: str | None = None,
    methods: Sequence[str] = (),
    cells: int | None = None,
    n_jobs: int | None = None,
    fresh: bool = False,
    pages_only: bool = False,
    watch: Watch = lambda run, total: None,
) -> list[Reproduction]:
    """Run the experiments of papers, judge their claims and write a page for each.

    Cells that have results already are not run again: a run that was killed goes on where it
    stopped.

    Parameters
    ----------
    papers : sequence of str or Paper
        Which; all by default.
    size : {"full", "quick"}, default "full"
        The papers' own protocols, or a few minutes for each.
    folder : path-like, default "clustraint-papers"
        Where pages, figures and tables go.
    results : path-like, optional
        The SQLite file of results; ``results.sqlite`` in `folder` by default.
    only : str, optional
        The one experiment to run.
    methods : sequence of str
        Methods that are not the papers', by the names under which they are registered: each also
        runs the cells of the experiments that compare methods with constraints that it takes, and
        is shown beside the papers' own. Claims are judged without them.
    cells : int, optional
        How many cells of each experiment to run at most, from the first.
    n_jobs : int, optional
        How many cells run at once, as joblib takes it. ``joblib.parallel_config`` chooses
        another backend, such as Dask.
    fresh : bool, default False
        Run again what has results.
    pages_only : bool, default False
        Leave out PNG and CSV files.
    watch : callable
        Called before the first cell and after each with the `Run` so far and the number of cells.

    Returns
    -------
    list of Reproduction
        What came of each paper.

    Raises
    ------
    MissingPackageError
        If matplotlib, pandas or Jinja are not installed.
    UnknownPaperError, UnknownExperimentError
        If there is no such paper or experiment.
    UnknownMethodError, UnsuitableMethodError
        If there is no such method, or it can take part in none of the experiments.

    Examples
    --------
    >>> from papers import reproduce
    >>> reproduce(["ccl"], size="quick")  # doctest: +SKIP
    >>> reproduce(["ccl"], size="quick", methods=["mixture"])  # doctest: +SKIP
    """
    _check(size, cells)
    _check_packages()
    wanted = [paper(each) if isinstance(each, str) else each for each in papers]
    wanted = with_methods(wanted, methods)
    folder = Path(folder)
    with Store(results or folder / "results.sqlite") as store:
        done = []
        for each in wanted:
            for experiment in each.chosen(only) if fresh else ():
                store.forget(each.name, experiment.name)
            run = run_paper(
                each, store, size=size, only=only, cells=cells, n_jobs=n_jobs, watch=watch
            )
            page = page_of(Results(each, store, size))
            done.append(Reproduction(run, page, write_page(page, folder, pages_only=pages_only)))
        pages = _all_pages(done, store, size)
        write_index(pages, folder)
        write_changes(pages, folder)
    return done


def _all_pages(done: Sequence[Reproduction], store: Store, size: Size) -> list[Page]:
    """Return the pages of these papers and of the others that have results."""
    pages = {each.run.paper: each.page for each in done}
    others = [name for name in store.papers() if name in PAPERS and name not in pages]
    pages |= {name: page_of(Results(paper(name), store, size)) for name in others}
    return [pages[name] for name in sorted(pages)]


def _check(size: str, cells: int | None) -> None:
    if size not in ("quick", "full"):
        raise InvalidParameterError("size", size, "'quick' or 'full'")
    if cells is not None and cells < 0:
        raise InvalidParameterError("cells", cells, "None or a whole number from 0")


def _check_packages() -> None:
    for package in ("jinja2", "matplotlib", "pandas"):
        try:
            import_module(package)
        except ImportError as error:
            raise MissingPackageError("reproducing papers", package, "papers") from error
