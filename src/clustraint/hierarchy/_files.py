"""Hierarchies in files: trees in Newick format and ontologies in OBO format."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from clustraint.checks import check_choice
from clustraint.exceptions import HierarchyFileError, InvalidHierarchyError, NewickSyntaxError
from clustraint.hierarchy._hierarchy import Hierarchy
from clustraint.hierarchy._obo import SeveralParents, TreeContentError, read_obo


def read_hierarchy(
    path: str | os.PathLike[str],
    terms: Sequence[str] | None = None,
    *,
    names: Sequence[str] | None = None,
    several_parents: SeveralParents = "raise",
) -> Hierarchy:
    """Read a hierarchy from a tree in Newick format or an ontology in OBO format.

    Parameters
    ----------
    path : path
        The file: .nwk, .newick, .tree or .tre holds one tree in Newick format, .obo an ontology
        such as the Gene Ontology.
    terms : sequence of str of shape (n_samples,), optional
        The term that each sample belongs to: its id, or its name where only one term has that.
        By default each term with no others below it is a sample. For .obo files only.
    names : sequence of str of shape (n_samples,), optional
        Unique names of the samples. Of a tree, the names of all its leaves in the order that the
        samples are to have; of an ontology, what to call the samples of `terms`.
    several_parents : {"raise", "first"}, default="raise"
        What happens to a term of an ontology with several parents, which no tree has: an error,
        or it stands below the first that the file lists.

    Returns
    -------
    Hierarchy
        Its `node_names` are the names of terms. A term that holds nothing but one sample or one
        other term is left out.

    Raises
    ------
    HierarchyFileError
        If the file cannot be read, with its line.
    InvalidHierarchyError
        If a term is not in the ontology.

    Notes
    -----
    Of an ontology, ``is_a`` lines count. Relationships of other kinds, obsolete terms and stanzas
    that are not of terms are read over. Several roots hang below a common one without a name.

    Examples
    --------
    >>> from importlib.resources import files
    >>> from clustraint.hierarchy import read_hierarchy
    >>> file = files("clustraint.datasets").joinpath("animals.obo")
    >>> hierarchy = read_hierarchy(file, ["wolf", "brown trout", "dog"], names=["a", "b", "c"])
    >>> hierarchy.to_newick()
    '((a,c)carnivores,b)vertebrates;'
    """
    check_choice("several_parents", several_parents, ("raise", "first"))
    if terms is not None and (isinstance(terms, str) or not isinstance(terms, Sequence)):
        raise InvalidHierarchyError(f"terms must be one text for each sample, not {terms!r:.60}.")
    file = Path(path)
    read = _reader(file)
    try:
        content = file.read_bytes()
    except OSError as error:
        raise HierarchyFileError(file, 0, f"cannot be read: {error.strerror or error}.") from error
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise HierarchyFileError(file, line, "is not UTF-8 text; save it as UTF-8.") from None
    try:
        return read(text, terms, names, several_parents)
    except TreeContentError as error:
        raise HierarchyFileError(file, error.line, str(error)) from None
    except NewickSyntaxError as error:
        line = text.count("\n", 0, error.position - 1) + 1
        raise HierarchyFileError(file, line, str(error)) from None


Reader = Callable[
    [str, Sequence[str] | None, Sequence[str] | None, SeveralParents],
    Hierarchy,
]


def _from_newick(
    text: str,
    terms: Sequence[str] | None,
    names: Sequence[str] | None,
    several_parents: SeveralParents,
) -> Hierarchy:
    if terms is not None:
        raise TreeContentError(0, "terms are for ontologies (.obo); a tree lists its own leaves.")
    return Hierarchy.from_newick(text, names)


def _from_obo(
    text: str,
    terms: Sequence[str] | None,
    names: Sequence[str] | None,
    several_parents: SeveralParents,
) -> Hierarchy:
    ontology = read_obo(text, several_parents)
    if terms is None:
        if names is not None:
            raise TreeContentError(
                0, "names are those of terms; give the term of each sample, too."
            )
        nodes, leaves = ontology.leaves()
        names = leaves
    else:
        nodes = ontology.places(terms)
    parents, node_names = ontology.hung(nodes)
    return Hierarchy(parents, names=names, node_names=node_names)


READERS: dict[str, Reader] = {
    ".obo": _from_obo,
    **dict.fromkeys((".nwk", ".newick", ".tree", ".tre"), _from_newick),
}


def _reader(path: Path) -> Reader:
    suffix = path.suffix.lower()
    if suffix not in READERS:
        raise HierarchyFileError(
            path, 0, f"a hierarchy file ends in {', '.join(READERS)}, not in {suffix!r}."
        )
    return READERS[suffix]
