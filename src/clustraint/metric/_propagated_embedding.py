"""Constraint propagation: coordinates in which neighbours of linked samples are near, too."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from clustraint.base import ConstraintTaker
from clustraint.checks import check_choice, check_number, check_whole_number, is_whole
from clustraint.constraints import Constraints
from clustraint.machine import Footprint, one_thread
from clustraint.metric._neighbor_spectrum import SEARCHES, NeighborSpectrum, with_fixed_signs
from clustraint.metric._signed_pairs import signed_pairs
from clustraint.typing import FloatArray

# Eigenvectors beyond those of the embedding, so that constraints have something to choose from.
MORE_VECTORS = 4


class PropagatedEmbedding(
    ConstraintTaker, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    """Spectral coordinates of a neighbour graph that constraints have pulled and pushed.

    After Lu and Ip, Constrained spectral clustering via exhaustive and efficient constraint
    propagation, ECCV 2010 (E2CP): what is said of two samples holds, more and more faintly, for
    their neighbours, and for the neighbours of these.

    Parameters
    ----------
    n_components : int, default=2
        The number of coordinates; for clusters, take as many as there are clusters.
    n_neighbors : int, default=10
        How many neighbours of each sample the graph links it to.
    reach : float, default=0.9
        How far constraints spread over the graph, from 0 (not at all) to below 1.
    strength : float, default=0.5
        How much constraints count beside the graph, whose largest eigenvalue is 1.
    n_eigenvectors : int, default=60
        How many eigenvectors of the graph the coordinates may be made of.
    search : {"auto", "exact", "approximate"}, default="auto"
        How neighbours are searched. "approximate" takes the package pynndescent; "auto" uses it,
        where it is installed, for more than 50,000 distinct rows.
    warm_start : bool, default=False
        Whether to keep the graph and its eigenvectors from the last `fit` if the samples are the
        same and so are `n_neighbors`, `n_eigenvectors` and `search`. A fit with other constraints
        then takes no longer for many samples than for few, but for the coordinates themselves.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The coordinates of the samples, each row of length 1.
    eigenvalues_ : ndarray of shape (n_components,)
        The largest eigenvalues of the graph together with the constraints.

    Notes
    -----
    The graph's weights are exp(-d(x, y)² / (s(x) s(y))), s being the distance to the seventh
    neighbour. Let V hold the leading eigenvectors of the normalised weights and e their
    eigenvalues. The paper propagates the matrix Z of constraints to (1 - α)² (I - αW)⁻¹ Z
    (I - αW)⁻¹ and changes the weights by it, entry by entry. Here all of it stays in the span of V,
    where propagation is a factor (1 - α) / (1 - αe) for each eigenvector and constraints are one
    small matrix M, scaled to the largest eigenvalue 1; coordinates are the leading eigenvectors of
    diag(e) + strength · M. That costs O(m q² + q³) for m constraints and q eigenvectors.

    A triplet ab|c pulls a and b together and pushes c from both, with half its weight each. Equal
    rows are one vertex of the graph, and constraints between them have no effect. Without
    constraints, the coordinates are those of spectral clustering.

    Examples
    --------
    >>> import numpy as np
    >>> from clustraint import Constraints
    >>> from clustraint.metric import PropagatedEmbedding
    >>> X = np.arange(8.0)[:, np.newaxis]
    >>> constraints = Constraints(8, cannot_link=[(0, 7)], must_link=[(0, 2)])
    >>> embedding = PropagatedEmbedding(n_neighbors=2).fit(X, constraints=constraints)
    >>> (embedding.transform([[1.0], [6.0]]) @ embedding.embedding_[0]).round(1).tolist()
    [1.0, -0.4]
    """

    constraint_kinds: ClassVar[tuple[str, ...]] = ("must_link", "cannot_link", "triplets")

    _spectrum: NeighborSpectrum

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 10,
        reach: float = 0.9,
        strength: float = 0.5,
        n_eigenvectors: int = 60,
        search: Literal["auto", "exact", "approximate"] = "auto",
        warm_start: bool = False,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.reach = reach
        self.strength = strength
        self.n_eigenvectors = n_eigenvectors
        self.search = search
        self.warm_start = warm_start

    def fit(self, X: Any, y: Any = None, *, constraints: Constraints | None = None) -> Self:
        """Find the coordinates of the samples.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            The samples.
        y : array-like of shape (n_samples,), optional
            Labels of some samples, as the constraints that they mean; -1, None or nan where
            unknown. Ignored if none is unknown.
        constraints : Constraints, optional
            Must-links, cannot-links and triplets; their weights say how much each counts.

        Examples
        --------
        >>> PropagatedEmbedding(n_neighbors=1).fit([[0.0], [1.0], [8.0], [9.0]]).embedding_.shape
        (4, 2)
        """
        samples = validate_data(self, X, dtype=np.float64)
        self._check_parameters()
        constraints = self._check_knowledge(constraints, y, X)
        X = samples
        with one_thread():
            self._find_spectrum(X)
            self._rotation, self.eigenvalues_ = self._leading(constraints)
        self.embedding_ = self._normalised(self._spectrum.vectors)[self._spectrum.vertex]
        self._n_features_out = len(self.eigenvalues_)
        return self

    def _footprint(self) -> Footprint:
        # Eigenvectors with those that the iteration works on, and a graph with its indices.
        sizes = (self.n_eigenvectors, self.n_neighbors)
        per_sample = 20 + 10 * sum(int(size) for size in sizes if is_whole(size))
        return self.footprint._replace(per_sample=per_sample)

    def _check_parameters(self) -> None:
        check_whole_number("n_components", self.n_components, least=1)
        check_whole_number("n_neighbors", self.n_neighbors, least=1)
        check_number("reach", self.reach, least=0, most=0.999)
        check_number("strength", self.strength, least=0)
        check_whole_number("n_eigenvectors", self.n_eigenvectors, least=1)
        check_choice("search", self.search, SEARCHES)

    def _find_spectrum(self, X: FloatArray) -> None:
        n_vectors = max(self.n_eigenvectors, self.n_components + MORE_VECTORS)
        made_by = (self.n_neighbors, n_vectors, self.search)
        # Around the middle and within 1, no square is too large and few digits are lost.
        middle = X.mean(axis=0)
        extent = float(np.abs(X - middle).max()) or 1.0
        scaled = (X - middle) / extent
        is_kept = self.warm_start and getattr(self, "_made_by", None) == made_by
        if is_kept and self._spectrum.is_of(scaled):
            return
        self._middle, self._extent, self._made_by = middle, extent, made_by
        self._spectrum = NeighborSpectrum.of(scaled, *made_by)

    def _leading(self, constraints: Constraints) -> tuple[FloatArray, FloatArray]:
        """Return the coordinates' directions in the span of the eigenvectors, and their values."""
        spectrum = self._spectrum
        matrix = np.diag(spectrum.values)
        pairs, signs = signed_pairs(constraints)
        if len(pairs):
            damping = (1 - self.reach) / (1 - self.reach * spectrum.values)
            # Samples count alike, wherever they are: vectors grow with the root of the degree.
            ends = spectrum.vertex[pairs]
            first, second = (
                spectrum.vectors[end] * damping / np.sqrt(spectrum.degrees[end])[:, np.newaxis]
                for end in ends.T
            )
            spread = (first * signs[:, np.newaxis]).T @ second
            spread = (spread + spread.T) / 2
            largest = np.abs(np.linalg.eigvalsh(spread)).max()
            matrix = matrix + self.strength * spread / (largest or 1.0)
        values, vectors = np.linalg.eigh(matrix)
        leading = np.argsort(-values, kind="stable")[: self.n_components]
        return with_fixed_signs(vectors[:, leading]), values[leading]

    def _normalised(self, vectors: FloatArray) -> FloatArray:
        coordinates = vectors @ self._rotation
        lengths = np.linalg.norm(coordinates, axis=1, keepdims=True)
        return np.asarray(coordinates / np.where(lengths > 0, lengths, 1))

    def transform(self, X: Any) -> FloatArray:
        """Return the coordinates of samples, those of new ones by the formula of Nyström.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples; one that equals a sample of `fit` gets its coordinates.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Rows of length 1.

        Examples
        --------
        >>> embedding = PropagatedEmbedding(n_neighbors=1).fit([[0.0], [1.0], [8.0], [9.0]])
        >>> embedding.transform([[0.5], [8.0]]).shape
        (2, 2)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self._normalised(self._spectrum.vectors_at((X - self._middle) / self._extent))
