"""A rooted tree over samples."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NoReturn, Self

import numpy as np
import numpy.typing as npt

from clustraint.checks import as_generator, check_names, read_only
from clustraint.constraints import Constraints
from clustraint.exceptions import InvalidHierarchyError
from clustraint.hierarchy import _checks
from clustraint.hierarchy._assemble import assemble, canonical_parents, count_samples, identity
from clustraint.hierarchy._linkage import cut_tree, linkage_of_tree, tree_of_linkage
from clustraint.hierarchy._newick import read_newick, write_newick
from clustraint.hierarchy._paths import tree_of_labels, tree_of_paths
from clustraint.hierarchy._triplets import all_triplets, count_triplets, draw_triplets
from clustraint.kernels import tree
from clustraint.kernels.merges import Merges, parents_of_merges
from clustraint.kernels.tree import Ancestry, Layout
from clustraint.typing import FloatArray, IntArray, RandomState


class Hierarchy:
    """A rooted tree whose leaves are the samples.

    Nodes 0 to n_samples - 1 are the samples. Inner nodes follow in merge order, each with at
    least two children and a larger number than any of them; the last node is the root. A sample
    that sits on an inner node of a taxonomy is a leaf child of that node.

    Parameters
    ----------
    parents : array-like of int of shape (n_nodes,)
        The parent of each node, -1 for the root.
    names : sequence of str of shape (n_samples,), optional
        Unique names of the samples, in their order.
    node_names : sequence of str of shape (n_nodes - n_samples,), optional
        Names of the inner nodes, '' for none.
    heights : array-like of float of shape (n_nodes - n_samples,), optional
        The distance at which each inner node was merged; need not increase.

    Attributes
    ----------
    parents, names, node_names, heights
        As above: read-only arrays of int64 and float64, tuples of str, or None.
    n_samples : int
        Number of samples.

    Notes
    -----
    Trees that come without an order of merges (paths, labels, Newick, triplets) are numbered by
    level: deeper nodes first, and at one depth those with the higher lowest sample first.

    Two hierarchies are equal if they have the same samples and the same sets of samples below
    their inner nodes. Named samples are compared by name, in whatever order; numbering, node
    names and heights do not count.

    Examples
    --------
    >>> from clustraint import Hierarchy
    >>> hierarchy = Hierarchy([4, 4, 5, 6, 5, 6, -1])
    >>> hierarchy
    Hierarchy(4 samples, 3 inner nodes, depth 3)
    >>> hierarchy.to_newick()
    '(((0,1),2),3);'
    >>> hierarchy.cut(2)
    array([0, 0, 0, 1])
    """

    parents: IntArray
    names: tuple[str, ...] | None
    node_names: tuple[str, ...] | None
    heights: FloatArray | None
    n_samples: int
    _parents: IntArray
    _heights: FloatArray | None

    def __init__(
        self,
        parents: npt.ArrayLike,
        *,
        names: Sequence[str] | None = None,
        node_names: Sequence[str] | None = None,
        heights: npt.ArrayLike | None = None,
    ) -> None:
        own, n_samples = _checks.check_parents(parents)
        n_inner = own.size - n_samples
        checked_names = _checks.check_node_names(node_names, n_inner)
        own_heights = _checks.check_heights(heights, n_inner)
        self.__setstate__((own, check_names(names, n_samples), checked_names, own_heights))

    def __getstate__(self) -> tuple[Any, ...]:
        return self._parents, self.names, self.node_names, self._heights

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        # What was prepared is prepared again when needed.
        parents, names, node_names, heights = state
        vars(self).update(
            parents=read_only(parents),
            names=names,
            node_names=node_names,
            heights=None if heights is None else read_only(heights),
            n_samples=count_samples(parents),
            _parents=parents,
            _heights=heights,
        )

    @classmethod
    def _trusted(
        cls,
        parents: IntArray,
        names: Sequence[str] | None,
        node_names: tuple[str, ...] | None = None,
        heights: FloatArray | None = None,
    ) -> Self:
        """Return a tree of our own making, of which only the names are checked."""
        hierarchy = cls.__new__(cls)
        checked_names = check_names(names, count_samples(parents))
        hierarchy.__setstate__((parents, checked_names, node_names, heights))
        return hierarchy

    @classmethod
    def from_merges(
        cls, merges: Merges, n_samples: int | None = None, names: Sequence[str] | None = None
    ) -> Self:
        """Return the tree that merges of clusters make; merge i becomes node n_samples + i.

        The merges are trusted, as they come from kernels of this package; `from_linkage` checks
        what it is given.

        Parameters
        ----------
        merges : clustraint.kernels.merges.Merges
            Pairs of clusters, each called by its first sample, the lower one first, and their
            distances, which become `heights`.
        n_samples : int, optional
            Number of samples; without it, all of them are merged. What is not merged hangs from a
            root of the greatest height.
        names : sequence of str of shape (n_samples,), optional
            Unique names of the samples.

        Examples
        --------
        >>> import numpy as np
        >>> from clustraint.kernels.merges import Merges
        >>> merges = Merges(np.array([[1, 2], [0, 1]]), np.array([1.0, 3.0]))
        >>> Hierarchy.from_merges(merges).to_newick()
        '(0,(1,2));'
        """
        count = len(merges.slots) + 1 if n_samples is None else n_samples
        parents, heights = parents_of_merges(merges.slots, count), merges.distances.copy()
        if parents.size > count + len(heights):
            heights = np.append(heights, heights.max(initial=0))
        return cls._trusted(parents, names, heights=heights)

    @classmethod
    def from_linkage(cls, Z: npt.ArrayLike, names: Sequence[str] | None = None) -> Self:
        """Read a linkage matrix of scipy; merge i becomes node n_samples + i.

        Parameters
        ----------
        Z : array-like of shape (n_samples - 1, 4)
            The two clusters merged, their distance, and a size (not read). Distances may
            decrease, as those of centroid linkage do.
        names : sequence of str of shape (n_samples,), optional
            Unique names of the samples.

        Examples
        --------
        >>> from scipy.cluster.hierarchy import linkage
        >>> hierarchy = Hierarchy.from_linkage(linkage([[0.0], [1.0], [5.0]]))
        >>> hierarchy.to_newick()
        '((0,1),2);'
        >>> hierarchy.heights
        array([1., 4.])
        """
        parents, heights = tree_of_linkage(Z)
        return cls._trusted(parents, names, heights=heights)

    @classmethod
    def from_paths(
        cls, paths: Sequence[str], separator: str = "/", names: Sequence[str] | None = None
    ) -> Self:
        """Hang each sample on the node that its path leads to.

        Parameters
        ----------
        paths : sequence of str of shape (n_samples,)
            The steps from the root to the sample's node; "" is the root itself.
        separator : str, default="/"
            What stands between two steps.
        names : sequence of str of shape (n_samples,), optional
            Unique names of the samples.

        Returns
        -------
        Hierarchy
            Its `node_names` are whole paths. A node that holds nothing but one sample or one
            other node is left out.

        Examples
        --------
        >>> hierarchy = Hierarchy.from_paths(["sci", "sci/space", "sci/space", "rec", "rec"])
        >>> hierarchy.to_newick()
        '((0,(1,2)sci/space)sci,(3,4)rec);'
        """
        parents, node_names = tree_of_paths(paths, separator)
        return cls._trusted(parents, names, node_names)

    @classmethod
    def from_labels(cls, y: npt.ArrayLike, names: Sequence[str] | None = None) -> Self:
        """Put the samples below their classes, and the classes below a root.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            The class of each sample. Samples labelled -1, None or nan, whose class is unknown,
            hang from the root.
        names : sequence of str of shape (n_samples,), optional
            Unique names of the samples.

        Returns
        -------
        Hierarchy
            Its `node_names` are the classes as text. A class of one sample is not an inner node.

        Examples
        --------
        >>> hierarchy = Hierarchy.from_labels(["cat", "dog", "cat", None, "dog"])
        >>> hierarchy.to_newick()
        '((0,2)cat,(1,4)dog,3);'
        """
        parents, node_names = tree_of_labels(y)
        return cls._trusted(parents, names, node_names)

    @classmethod
    def from_newick(cls, text: str, names: Sequence[str] | None = None) -> Self:
        """Read a tree in Newick format.

        Parameters
        ----------
        text : str
            One tree, ended by ';'. Names with blanks or any of ``()[],:;'`` stand in single
            quotes, a quote inside them doubled. Underscores stay underscores. Branch lengths
            and [comments] are read over.
        names : sequence of str of shape (n_samples,), optional
            The names of all leaves, in the order that the samples are to have; without it they
            are numbered as they appear.

        Returns
        -------
        Hierarchy
            With the leaves' names as `names` and the inner labels as `node_names`.

        Examples
        --------
        >>> hierarchy = Hierarchy.from_newick("((cat:1, dog:2)mammals:1, 'rainbow trout');")
        >>> hierarchy.names
        ('cat', 'dog', 'rainbow trout')
        >>> hierarchy.node_names
        ('mammals', '')
        """
        raw = read_newick(text, names)
        parents, node_names = assemble(raw.parents, raw.sample_nodes, raw.labels.__getitem__)
        return cls._trusted(parents, raw.names, node_names)

    @classmethod
    def from_triplets(
        cls, triplets: npt.ArrayLike, n_samples: int, names: Sequence[str] | None = None
    ) -> Self:
        """Build the tree of BUILD (OneTree) that displays all triplets.

        Samples that no triplet holds together part at once.

        Parameters
        ----------
        triplets : array-like of int of shape (n_triplets, 3)
            Rows (a, b, c): a and b join before either joins c.
        n_samples : int
            Number of samples.
        names : sequence of str of shape (n_samples,), optional
            Unique names of the samples.

        Raises
        ------
        InconsistentConstraintsError
            If no tree displays them all; its witness is a minimal contradiction.

        References
        ----------
        Aho, Sagiv, Szymanski and Ullman, Inferring a tree from lowest common ancestors, SIAM
        Journal on Computing 10 (1981).

        Examples
        --------
        >>> Hierarchy.from_triplets([(0, 1, 2), (2, 3, 1)], n_samples=5).to_newick()
        '((0,1),(2,3),4);'
        """
        return cls.from_constraints(Constraints(n_samples, triplets=triplets, names=names))

    @classmethod
    def from_constraints(cls, constraints: Constraints) -> Self:
        """Build the tree of BUILD that displays all triplets, some cut of which keeps all pairs.

        Examples
        --------
        >>> c = Constraints(4, must_link=[(0, 3)], cannot_link=[(0, 1)], triplets=[(0, 1, 2)])
        >>> Hierarchy.from_constraints(c).to_newick()
        '(((0,3),1),2);'
        """
        n_samples = constraints.n_samples
        if n_samples == 0:
            raise InvalidHierarchyError("n_samples is 0, but a hierarchy needs at least one.")
        parents = constraints.verdict.parents
        if parents.size == 0:
            constraints.check()
        return cls._trusted(canonical_parents(parents, n_samples), constraints.names)

    @property
    def n_nodes(self) -> int:
        """Number of samples and inner nodes together."""
        return self.parents.size

    @property
    def root(self) -> int:
        """The number of the root, which is the last node."""
        return self.parents.size - 1

    @cached_property
    def depths(self) -> IntArray:
        """Number of edges between the root and each node, of shape (n_nodes,)."""
        return read_only(tree.depths(self._parents))

    @cached_property
    def sizes(self) -> IntArray:
        """Number of samples below each node, of shape (n_nodes,)."""
        return read_only(self.layout.sizes)

    @cached_property
    def layout(self) -> Layout:
        """The tree as kernels take it: parents, children, and samples from left to right."""
        return tree.lay_out(self._parents, self.n_samples)

    @cached_property
    def ancestry(self) -> Ancestry:
        """What tells kernels in constant time where two nodes meet."""
        return tree.prepare_meets(self.layout)

    @cached_property
    def _pairs(self) -> IntArray:
        return tree.count_pairs(self.layout)

    def children(self, node: int) -> IntArray:
        """Return the children of a node, by their lowest samples.

        Examples
        --------
        >>> Hierarchy([3, 4, 3, 4, -1]).children(4)
        array([3, 1])
        """
        [number] = _checks.check_nodes([node], self.n_nodes, "node")
        return self.layout.children[slice(*self.layout.starts[number : number + 2])].copy()

    def samples_below(self, node: int) -> IntArray:
        """Return the samples below a node, lowest first; a sample is below itself.

        Examples
        --------
        >>> Hierarchy([3, 4, 3, 4, -1]).samples_below(3)
        array([0, 2])
        """
        [number] = _checks.check_nodes([node], self.n_nodes, "node")
        start = self.layout.first[number]
        return np.sort(self.layout.order[start : start + self.layout.sizes[number]])

    def meet(self, a: npt.ArrayLike, b: npt.ArrayLike) -> IntArray:
        """Return the lowest node that is above both of two nodes, in constant time per pair.

        Parameters
        ----------
        a, b : int or array-like of int
            Samples or inner nodes, of shapes that broadcast.

        Returns
        -------
        ndarray of int64
            Of the broadcast shape; a node meets itself at itself.

        References
        ----------
        Schieber and Vishkin, On finding lowest common ancestors: simplification and
        parallelization, SIAM Journal on Computing 17 (1988).

        Examples
        --------
        >>> Hierarchy([3, 3, 4, 4, -1]).meet([0, 0], [1, 2])
        array([3, 4])
        """
        left, right = _checks.check_node_pairs(a, b, self.n_nodes)
        nodes = tree.meets(self.ancestry, left.flatten(), right.flatten())
        return nodes.reshape(left.shape)[()]

    def meet_depth(self, a: npt.ArrayLike, b: npt.ArrayLike) -> IntArray:
        """Return the depth of the node where two nodes meet, as `meet` does; 0 at the root.

        Examples
        --------
        >>> Hierarchy([3, 3, 4, 4, -1]).meet_depth([0, 0], [1, 2])
        array([1, 0])
        """
        return self.depths[self.meet(a, b)]

    def displays(self, triplets: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Tell which triplets hold in the tree: c lies outside the node where a and b meet.

        Parameters
        ----------
        triplets : array-like of int of shape (n_triplets, 3)
            Rows (a, b, c) of three different samples.

        Examples
        --------
        >>> Hierarchy([3, 3, 4, 4, -1]).displays([(0, 1, 2), (0, 2, 1)])
        array([ True, False])
        """
        rows = Constraints(self.n_samples, triplets=triplets).links["triplets"].rows
        return tree.displays(self.layout, self.ancestry, rows)

    @cached_property
    def n_triplets(self) -> int:
        """How many triplets the tree displays, counted without listing them."""
        return count_triplets(self.layout, self._pairs)

    def triplets(self) -> IntArray:
        """List every triplet that the tree displays.

        Returns
        -------
        ndarray of int64 of shape (n_triplets, 3)
            Rows (a, b, c) with a < b, in lexicographic order.

        Warns
        -----
        LargeResultWarning
            Before listing more than ten million.

        Examples
        --------
        >>> Hierarchy([4, 4, 5, 5, 6, 6, -1]).triplets()
        array([[0, 1, 2],
               [0, 1, 3],
               [2, 3, 0],
               [2, 3, 1]])
        """
        return all_triplets(self.layout, self._pairs)

    def informative_triplets(self) -> IntArray:
        """List a few triplets that imply all others.

        For every inner node v below u, every other child w of u, and v's children x1, x2, ...:
        rep(x1) rep(xj) | rep(w) for j >= 2, where rep is the lowest sample below a node.

        Returns
        -------
        ndarray of int64 of shape (n_informative, 3)
            Rows (a, b, c) with a < b: n_samples - 2 for a binary tree, (k - 1)(n - k) for n
            samples in k classes.

        Examples
        --------
        >>> Hierarchy([4, 4, 5, 5, 6, 6, -1]).informative_triplets()
        array([[0, 1, 2],
               [2, 3, 0]])
        """
        return tree.informative_triplets(self.layout)

    def sample_triplets(self, n_triplets: int, random_state: RandomState = None) -> IntArray:
        """Draw independently and uniformly from all triplets of the tree, without listing them.

        Returns
        -------
        ndarray of int64 of shape (n_triplets, 3)
            Rows (a, b, c) with a < b; the same triplet may come twice.

        Examples
        --------
        >>> hierarchy = Hierarchy.from_labels([0, 0, 0, 1, 1, 1])
        >>> hierarchy.displays(hierarchy.sample_triplets(3, random_state=0))
        array([ True,  True,  True])
        """
        return draw_triplets(self.layout, self._pairs, n_triplets, as_generator(random_state))

    def cut(self, n_clusters: int, min_size: int = 1) -> IntArray:
        """Open nodes from the root down, latest merge first, until there are `n_clusters`.

        For a binary tree this undoes the last n_clusters - 1 merges. A node whose opening would
        give too many clusters stays closed.

        Parameters
        ----------
        n_clusters : int
            Number of clusters, from 1 to n_samples.
        min_size : int, default=1
            A child of fewer samples is set aside when its parent is opened, and does not count
            as a cluster. A node with one large child gives its place to that child; a node
            without any stays closed.

        Returns
        -------
        ndarray of int64 of shape (n_samples,)
            Clusters, numbered by their lowest samples; -1 for samples that were set aside.

        Raises
        ------
        UnreachableCutError
            If no cut has that many clusters; it names the nearest numbers that one has.

        Examples
        --------
        >>> hierarchy = Hierarchy.from_newick("(((a, b), c), (d, e, f));")
        >>> hierarchy.cut(3)
        array([0, 0, 1, 2, 2, 2])
        >>> hierarchy.cut(2, min_size=2)
        array([0, 0, 0, 1, 1, 1])
        """
        return cut_tree(self.layout, n_clusters, min_size)

    def to_linkage(self) -> FloatArray:
        """Write the tree as a linkage matrix that scipy cuts and draws as it is.

        A node of more than two children becomes several merges, in the order of their lowest
        samples. The heights increase strictly, so that cutting by height undoes the last
        merges: `heights` are raised by the smallest float step wherever they do not.

        Returns
        -------
        ndarray of float64 of shape (n_samples - 1, 4)
            Rows in merge order; without `heights` their heights are 1 to n_samples - 1.

        Examples
        --------
        >>> Hierarchy([4, 4, 5, 5, 5, -1], heights=[2.0, 3.0]).to_linkage()
        array([[0., 1., 2., 2.],
               [2., 4., 3., 3.],
               [3., 5., 3., 4.]])
        """
        return linkage_of_tree(self.layout, self._heights)

    def to_newick(self) -> str:
        """Write the tree in Newick format, without branch lengths.

        Returns
        -------
        str
            Reading it back gives an equal hierarchy whose samples are numbered as they stand in
            the text. Samples without names are written as numbers, and read back with the
            numbers as names.

        Examples
        --------
        >>> Hierarchy([3, 3, 4, 4, -1], names=["cat", "dog", "rainbow trout"]).to_newick()
        "((cat,dog),'rainbow trout');"
        """
        names = self.names or tuple(map(str, range(self.n_samples)))
        node_names = self.node_names or ("",) * (self.n_nodes - self.n_samples)
        return write_newick(self.layout, names, node_names)

    @cached_property
    def _identity(self) -> tuple[tuple[str, ...] | None, bytes]:
        return identity(self._parents, self.n_samples, self.names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hierarchy):
            return NotImplemented
        return self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    def __len__(self) -> int:
        return self.n_samples

    def __repr__(self) -> str:
        n_inner = self.n_nodes - self.n_samples
        return (
            f"Hierarchy({self.n_samples} sample{'s' * (self.n_samples != 1)}, "
            f"{n_inner} inner node{'s' * (n_inner != 1)}, depth {self.depths.max()})"
        )

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Hierarchy cannot be changed, so {name} cannot be set")
