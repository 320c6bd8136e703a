"""Components of more pairs than fit into memory: 4 bytes a sample, and one look at each pair."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustraint.checks import check_count
from clustraint.constraints import _files
from clustraint.constraints._constraints import Constraints
from clustraint.constraints._pair_file import NotPairsError, PairFile
from clustraint.exceptions import ClustraintError, InconsistentConstraintsError, SampleIndexError
from clustraint.kernels.components import group_sizes, settle_roots, unite_pairs
from clustraint.tables import read_columns
from clustraint.typing import IntArray


class StreamedComponents(NamedTuple):
    """Must-link components of very many samples.

    Attributes
    ----------
    roots : int32 ndarray of shape (n_samples,)
        The lowest sample of each sample's component; int64 from 2³¹ samples on.
    n_components : int
        How many components there are.
    n_pairs : int
        How many pairs were read.

    Examples
    --------
    >>> from clustraint.constraints import check_pairs
    >>> check_pairs(4, [np.array([[0, 1], [1, 3]])]).roots
    array([0, 0, 2, 0], dtype=int32)
    """

    roots: NDArray[Any]
    n_components: int
    n_pairs: int


def check_pairs(n_samples: int, must_link: Any, cannot_link: Any = ()) -> StreamedComponents:
    """Say whether streamed pairs hold together, and return the components that they make.

    Parameters
    ----------
    n_samples : int
        How many samples there are.
    must_link, cannot_link : Rows of two columns, array of shape (n, 2), or iterable of such arrays
        The pairs, by sample numbers. An iterable must be one that can be walked again, such as a
        list: a contradiction is looked for in a second walk.

    Returns
    -------
    StreamedComponents

    Raises
    ------
    InconsistentConstraintsError
        If a cannot-link lies within a component; its witness is a shortest chain.

    Examples
    --------
    >>> import numpy as np
    >>> from clustraint.constraints import check_pairs
    >>> check_pairs(5, np.array([[0, 1], [2, 3]]), np.array([[0, 2]])).n_components
    3
    """
    count = check_count("n_samples", n_samples)
    roots = np.arange(count, dtype=np.int32 if count < 2**31 else np.int64)
    n_pairs = n_joined = 0
    for pairs in _blocks("must_link", must_link, count):
        n_joined += int(unite_pairs(roots, pairs))
        n_pairs += len(pairs)
    n_components = int(settle_roots(roots))
    # A forest has as many trees as samples less edges: a cheap proof that no pair was lost.
    if n_joined != count - n_components:
        raise ClustraintError(
            f"{n_joined} pairs joined {count} samples into {n_components} components, which "
            "cannot be: the memory of this machine may be faulty."
        )
    for pairs in _blocks("cannot_link", cannot_link, count):
        broken = np.flatnonzero(roots[pairs[:, 0]] == roots[pairs[:, 1]])
        if len(broken):
            _raise_contradiction(count, roots, must_link, pairs[broken[0]])
    return StreamedComponents(roots, n_components, n_pairs)


class FileCheck(NamedTuple):
    """What the pairs of a file come to.

    Attributes
    ----------
    n_samples : int
        How many samples there are.
    counts : dict
        How many pairs of each kind there are.
    names : tuple of str or None
        The names of the samples, where the file has names.
    problem : InconsistentConstraintsError or None
        How they contradict each other; its witness is a shortest chain.
    components : dict or None
        If they hold together, how many groups must-links make ("linked"), of how many samples
        ("samples"), and the most samples of one ("largest").

    Examples
    --------
    >>> FileCheck(9, {"must_link": 2}).problem is None
    True
    """

    n_samples: int
    counts: dict[str, int]
    names: tuple[str, ...] | None = None
    problem: InconsistentConstraintsError | None = None
    components: dict[str, int] | None = None


def check_file(
    path: Path, n_samples: int | None = None, *, is_named: bool | None = None
) -> FileCheck | None:
    r"""Say whether the pairs of a large .txt file hold together, without keeping them in memory.

    Parameters
    ----------
    path : path
        The file.
    n_samples : int, optional
        How many samples there are; by default as many as the file is about.
    is_named : bool, optional
        Whether all samples are called by name; by default the first line decides.

    Returns
    -------
    FileCheck or None
        None if the file states triplets or rules, too: such a file is read as a whole.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "pairs.txt"
    >>> _ = path.write_text("dog = wolf\nwolf = fox\nfox != eel\n")
    >>> check_file(path).components
    {'linked': 1, 'samples': 3, 'largest': 3}
    """
    try:
        file = PairFile(path, n_samples, is_named=is_named)
        # The walk that meets all names, or the largest number.
        count = file.count_samples()
    except NotPairsError:
        return None
    count = count if file.is_named or n_samples is None else n_samples
    # A walk of a file of 10⁸ lines takes some ten seconds.
    apart = file.of("cannot_link") if file.counts["cannot_link"] else ()
    try:
        roots = check_pairs(count, file.of("must_link"), apart).roots
    except InconsistentConstraintsError as error:
        return FileCheck(count, file.counts, file.names, _renamed(error, file))
    n_groups, n_linked, largest = group_sizes(roots)
    sizes = {"linked": int(n_groups), "samples": int(n_linked), "largest": int(largest)}
    return FileCheck(count, file.counts, file.names, components=sizes)


def _renamed(error: InconsistentConstraintsError, file: PairFile) -> InconsistentConstraintsError:
    """Return the error about samples by their names, if they have any."""
    if file.names is None:
        return error
    few = error.witness.mentioned
    try:
        named = error.witness[few]
        Constraints(
            len(few),
            must_link=named.must_link,
            cannot_link=named.cannot_link,
            names=[file.names[sample] for sample in few],
        ).check()
    except InconsistentConstraintsError as renamed:
        return renamed
    return error


def read_named(path: Path) -> Constraints:
    """Read constraints of which every sample is called by name, also if that looks like a number.

    The samples are those that the file names.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "known.txt"
    >>> _ = path.write_text("1003 = 1150")
    >>> read_named(path).names
    ('1003', '1150')
    """
    return Constraints(**_files.read_named(Path(path)))


def _blocks(kind: str, pairs: Any, n_samples: int) -> Iterator[IntArray]:
    """Yield pairs by chunks of rows, which are checked."""
    parts: Iterable[Any] = [pairs] if isinstance(pairs, np.ndarray) else pairs
    start = 0
    for part in pairs.chunks() if hasattr(pairs, "chunks") else parts:
        block = part
        if not isinstance(part, np.ndarray):
            block = np.column_stack([column.to_numpy() for column in read_columns(part)])
        if block.ndim != 2 or block.shape[1] != 2 or block.dtype.kind not in "iu":
            raise ClustraintError(
                f"{kind} must be pairs of sample numbers, but a part of it has the shape "
                f"{block.shape} and holds {block.dtype}."
            )
        outside = np.flatnonzero(((block < 0) | (block >= n_samples)).any(axis=1))
        if len(outside):
            row = int(outside[0])
            sample = next(int(each) for each in block[row] if not 0 <= each < n_samples)
            raise SampleIndexError(kind, start + row, sample, n_samples)
        start += len(block)
        yield np.ascontiguousarray(block, np.int64)


def _raise_contradiction(n_samples: int, roots: Any, must_link: Any, pair: IntArray) -> None:
    """Raise with the shortest chain of must-links, from those of the component alone."""
    root = roots[pair[0]]
    own = [
        block[roots[block[:, 0]] == root] for block in _blocks("must_link", must_link, n_samples)
    ]
    chain = np.concatenate([*own, np.empty((0, 2), np.int64)])
    samples = np.unique(np.concatenate((chain.ravel(), pair)))
    few = Constraints(
        len(samples),
        must_link=np.searchsorted(samples, chain),
        cannot_link=np.searchsorted(samples, pair)[np.newaxis],
        names=[f"sample {sample}" for sample in samples],
    )
    try:
        few.check()
    except InconsistentConstraintsError as error:
        witness = error.witness
        whole = Constraints(
            n_samples,
            must_link=samples[witness.must_link],
            cannot_link=samples[witness.cannot_link],
        )
        raise InconsistentConstraintsError(str(error), whole) from None
