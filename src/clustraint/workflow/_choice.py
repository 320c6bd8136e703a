"""Which method takes which knowledge and data, and which of them is chosen."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from sklearn.pipeline import Pipeline

from clustraint.cluster._attribute_kmedoids import AttributeKMedoids
from clustraint.cluster._bihac import BiHAC
from clustraint.cluster._clustering_tree import ClusteringTree
from clustraint.cluster._complete_linkage import ConstrainedCompleteLinkage
from clustraint.cluster._cop_kmeans import COPKMeans
from clustraint.cluster._ihac import IHAC
from clustraint.cluster._recon import ReCon
from clustraint.constraints import Constraints
from clustraint.exceptions import NoMethodError, NoNumberOfClustersError, UnknownMethodError
from clustraint.machine import available_memory
from clustraint.tables import SampleTable, Scale
from clustraint.wording import listed

AUTO = "auto"
PAIRS = frozenset(("must_link", "cannot_link"))
RULES = frozenset(("together", "exactly"))
# Up to so many samples, distances between all of them are a matter of a second.
FEW_SAMPLES = 2_000
WORDS = {
    "must_link": "must-links",
    "cannot_link": "cannot-links",
    "triplets": "triplets",
    "together": "rules",
    "exactly": "rules",
}


@dataclass(frozen=True)
class Method:
    """A method as the command line knows it.

    Attributes
    ----------
    name : str
        What it is called there.
    estimator : type
        The class that does the work.
    view : {"matrix", "nominal", "frame"}
        What of a table it takes, see `TableEncoder`.
    idea : str
        What it does, in a few words.
    needs_k : bool
        Whether it has to be told the number of clusters.
    reads_texts : bool
        Whether it takes sparse matrices.
    all_pairs : bool
        Whether it holds the distances of all pairs of samples in memory.
    """

    name: str
    estimator: type[Any]
    view: Literal["matrix", "nominal", "frame"]
    idea: str
    needs_k: bool = True
    reads_texts: bool = False
    all_pairs: bool = False

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of knowledge taken; rules count as pairs where only pairs are taken."""
        own = frozenset(self.estimator.constraint_kinds)
        return own | RULES if own >= PAIRS else own

    @property
    def expands_rules(self) -> bool:
        """Whether rules have to become pairs first."""
        return not RULES & set(self.estimator.constraint_kinds)

    def make(
        self, n_clusters: int | None, random_state: int | None = None, *, of_texts: bool = False
    ) -> Any:
        """Return the estimator, not fitted."""
        options: dict[str, Any] = {}
        if "random_state" in inspect.signature(self.estimator).parameters:
            options["random_state"] = random_state
        if self.estimator is IHAC and not of_texts:
            options["metric"] = "euclidean"
        return self.estimator(n_clusters, **options)


METHODS = {
    method.name: method
    for method in (
        Method("cop-kmeans", COPKMeans, "matrix", "k-means that keeps all pairs", reads_texts=True),
        Method(
            "complete-linkage",
            ConstrainedCompleteLinkage,
            "matrix",
            "a hierarchy in which pairs bend the distances around them",
            all_pairs=True,
        ),
        Method("recon", ReCon, "matrix", "a hierarchy that displays all triplets"),
        Method("tree", ClusteringTree, "frame", "a decision tree whose leaves are clusters"),
        Method(
            "attribute-kmedoids", AttributeKMedoids, "nominal", "k-medoids that keeps all rules"
        ),
        Method(
            "ihac",
            IHAC,
            "matrix",
            "a hierarchy whose merges avoid violating triplets",
            needs_k=False,
            reads_texts=True,
            all_pairs=True,
        ),
        Method(
            "bihac",
            BiHAC,
            "matrix",
            "a hierarchy that learns from triplets how much each feature counts",
            needs_k=False,
            reads_texts=True,
            all_pairs=True,
        ),
    )
}


class Facts(NamedTuple):
    """What a choice depends on.

    Attributes
    ----------
    given : frozenset of str
        The kinds of constraints that are given.
    n_samples : int
        How many samples there are.
    columns : frozenset of str
        The kinds of columns: numeric, binary, nominal, text.
    n_clusters : int or None
        The number of clusters, where it is known.
    has_missing : bool
        Whether values are missing.
    rules_beyond : bool
        Whether rules speak of columns that are left out.
    """

    given: frozenset[str]
    n_samples: int
    columns: frozenset[str]
    n_clusters: int | None = None
    has_missing: bool = False
    rules_beyond: bool = False

    @classmethod
    def of(cls, constraints: Constraints, table: SampleTable, n_clusters: int | None) -> Facts:
        """Return what there is to know of a table and of constraints on its samples."""
        given, columns = frozenset(constraints.kinds), frozenset(table.kinds)
        named = {name for rule in constraints.rules for name in rule.attributes}
        beyond = not named.isdisjoint(column.name for column in table.left_out)
        return cls(given, table.n_samples, columns, n_clusters, table.has_missing, beyond)

    @property
    def is_nominal(self) -> bool:
        """Whether values are only equal or not."""
        return self.columns <= {"binary", "nominal"}

    @property
    def is_mixed(self) -> bool:
        """Whether there are values with distances beside values that are only equal or not."""
        return self.columns >= {"numeric", "nominal"}


class Choice(NamedTuple):
    """A method and, in a sentence, why it."""

    method: Method
    reason: str


def choose(facts: Facts, method: str = AUTO) -> Choice:
    """Return the method for some knowledge and data.

    Parameters
    ----------
    facts : Facts
        What there is.
    method : str, default="auto"
        A method by name; "auto" takes what fits best.

    Raises
    ------
    UnknownMethodError
        If there is no such method.
    NoMethodError
        If no method, or not this one, takes all kinds of constraints and columns that there are.
    NoNumberOfClustersError
        If the method has to know how many clusters to find.

    Examples
    --------
    >>> facts = Facts(frozenset({"triplets"}), 50, frozenset({"numeric"}), n_clusters=3)
    >>> choose(facts).method.name
    'recon'
    >>> choose(facts).reason
    'there are triplets, and it keeps all of them in its hierarchy'
    """
    if method == AUTO:
        choice = _best(facts)
    else:
        if method not in METHODS:
            raise UnknownMethodError(method, (AUTO, *METHODS))
        choice = Choice(METHODS[method], "as asked")
        if problem := obstacle(choice.method, facts):
            raise NoMethodError({method: _with_way_out(problem, facts)})
    if choice.method.needs_k and facts.n_clusters is None:
        raise NoNumberOfClustersError(choice.method.name)
    if choice.method.expands_rules and facts.given & RULES:
        told = "rules count as the pairs of samples that they tie or part"
        return Choice(choice.method, f"{choice.reason}; {told}")
    return choice


def candidates(facts: Facts) -> list[Method]:
    """Return all methods that take this knowledge and these data.

    Examples
    --------
    >>> facts = Facts(frozenset({"triplets"}), 50, frozenset({"numeric"}), n_clusters=3)
    >>> [method.name for method in candidates(facts)]
    ['recon', 'ihac', 'bihac']
    """
    return [method for method in METHODS.values() if not obstacle(method, facts)]


def obstacle(method: Method, facts: Facts) -> str:
    """Return what keeps a method from some knowledge and data, "" if nothing does.

    Examples
    --------
    >>> facts = Facts(frozenset({"triplets"}), 50, frozenset({"numeric"}))
    >>> obstacle(METHODS["tree"], facts)
    'takes no triplets'
    """
    refused = [kind for kind in WORDS if kind in facts.given - method.kinds]
    if refused:
        return f"takes no {listed(dict.fromkeys(WORDS[kind] for kind in refused))}"
    if "text" in facts.columns and not method.reads_texts:
        return "reads no texts"
    if facts.has_missing and method.view != "frame":
        return "takes no missing values"
    if method.view == "nominal" and not facts.is_nominal:
        return "takes only nominal and binary columns"
    if method.view == "nominal" and facts.rules_beyond:
        return "takes no rules about columns that are left out"
    needed = facts.n_samples * (facts.n_samples - 1) * 4
    if method.all_pairs and needed > (available_memory() or float("inf")):
        return f"needs {needed / 1e9:.3g} GB for the distances of {facts.n_samples:,} samples"
    return ""


def _with_way_out(problem: str, facts: Facts) -> str:
    others = [method.name for method in candidates(facts)]
    return f"{problem}; {listed(others, 'or')} would do" if others else problem


class Preference(NamedTuple):
    """A method to take where a condition holds, and why."""

    method: str
    holds: Callable[[Facts], bool]
    reason: str


PREFERENCES = (
    Preference(
        "bihac",
        lambda facts: "triplets" in facts.given and "text" in facts.columns,
        "there are triplets of texts, and it learns from them which words count",
    ),
    Preference(
        "recon",
        lambda facts: "triplets" in facts.given,
        "there are triplets, and it keeps all of them in its hierarchy",
    ),
    Preference(
        "attribute-kmedoids",
        lambda facts: bool(facts.given) and facts.given <= RULES,
        "there are rules and only nominal or binary columns, and it keeps all rules",
    ),
    Preference(
        "tree",
        lambda facts: facts.has_missing,
        "values are missing, which only a tree lives with",
    ),
    Preference(
        "tree",
        lambda facts: facts.is_mixed and "text" not in facts.columns,
        "there are numeric and nominal columns, which a tree takes as they are",
    ),
    Preference(
        "cop-kmeans",
        lambda facts: not facts.given,
        "nothing is known about the samples, so that it is plain k-means",
    ),
    Preference(
        "cop-kmeans",
        lambda facts: "text" in facts.columns,
        "there are texts, and it keeps all pairs",
    ),
    Preference(
        "complete-linkage",
        lambda facts: facts.n_samples <= FEW_SAMPLES,
        f"there are pairs and up to {FEW_SAMPLES:,} samples, so that what a pair says can spread "
        "to its neighbours",
    ),
    Preference(
        "cop-kmeans",
        lambda facts: True,
        f"there are pairs and more than {FEW_SAMPLES:,} samples, for which it is fast, and it "
        "keeps all pairs",
    ),
)


def _best(facts: Facts) -> Choice:
    possible = candidates(facts)
    if not possible:
        raise NoMethodError(_obstacles(facts))
    for preference in PREFERENCES:
        method = METHODS[preference.method]
        if method in possible and preference.holds(facts):
            return Choice(method, preference.reason)
    return Choice(possible[0], "no other method takes all of this")


def _obstacles(facts: Facts) -> dict[str, str]:
    """Return what keeps each method, of those that take something of what is given."""
    related = [m for m in METHODS.values() if not facts.given or m.kinds & facts.given]
    return {method.name: obstacle(method, facts) for method in related}


def make_pipeline(
    choice: Choice,
    table: SampleTable,
    n_clusters: int | None,
    *,
    scale: Scale = "standard",
    random_state: int | None = None,
) -> Pipeline:
    r"""Return a pipeline from a table to clusters, not fitted.

    Its steps are called encode and cluster, so that constraints are given by
    ``pipeline.fit(table, cluster__constraints=knowledge)``; see `knowledge_for`.

    Examples
    --------
    >>> import io
    >>> from clustraint.tables import read_table
    >>> table = read_table(io.BytesIO(b"x,y\n1,1\n2,1\n8,9\n9,9\n"))
    >>> facts = Facts.of(Constraints(4), table, 2)
    >>> pipeline = make_pipeline(choose(facts), table, 2, random_state=0).fit(table)
    >>> pipeline["cluster"].labels_[[0, 1]].tolist() == pipeline.predict(table)[:2].tolist()
    True
    """
    from clustraint.tables import TableEncoder

    of_texts = "text" in table.kinds
    estimator = choice.method.make(n_clusters, random_state, of_texts=of_texts)
    return Pipeline(
        [("encode", TableEncoder(choice.method.view, scale=scale)), ("cluster", estimator)]
    )


def knowledge_for(choice: Choice, constraints: Constraints, table: SampleTable) -> Constraints:
    r"""Return the constraints as the method takes them: rules as pairs if it takes only these.

    Examples
    --------
    >>> import io
    >>> from clustraint import Rule
    >>> from clustraint.tables import read_table
    >>> table = read_table(io.BytesIO(b"x,y\n1,1\n2,1\n8,9\n9,9\n"))
    >>> known = Constraints(4, rules=[Rule("x > 3")])
    >>> choice = choose(Facts.of(known, table, 2))
    >>> knowledge_for(choice, known, table)
    Constraints(4 samples: 1 must-link)
    """
    if not constraints.rules or not choice.method.expands_rules:
        return constraints
    return constraints.expand_rules(table)
