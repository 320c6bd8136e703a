"""Which method fits a table and constraints, and which of them is chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sklearn.pipeline import Pipeline

from clustraint.constraints import KINDS, Constraints
from clustraint.exceptions import NoMethodError, NoNumberOfClustersError, UnknownMethodError
from clustraint.machine import available_memory
from clustraint.tables import SampleTable, Scale, TableEncoder
from clustraint.wording import listed
from clustraint.workflow._method import AUTO, RULES, Method, methods

# The method that compares others.
BEST = "best"
# From so many constraints on, some can be held out, and a wrong one stands out among the others.
ENOUGH_CONSTRAINTS = 10


# Kinds of columns whose values are only of use as numbers of a matrix.
UNTESTABLE = {"text": "texts", "vector": "vectors"}


class Facts(NamedTuple):
    """What a choice depends on.

    Attributes
    ----------
    kinds : frozenset of str
        The kinds of constraints that occur.
    n_samples : int
        How many samples there are.
    columns : frozenset of str
        The kinds of columns: numeric, date, binary, nominal, text, vector.
    n_clusters : int or None
        The number of clusters, where it is chosen already.
    rules_beyond : bool
        Whether rules speak of columns that are left out.
    n_constraints : int
        How many constraints there are.
    may_compare : bool
        Whether there is time to compare methods by held-out constraints.
    """

    kinds: frozenset[str]
    n_samples: int
    columns: frozenset[str]
    n_clusters: int | None = None
    rules_beyond: bool = False
    n_constraints: int = 0
    may_compare: bool = True

    @classmethod
    def of(
        cls, table: SampleTable, constraints: Constraints, n_clusters: int | None = None
    ) -> Facts:
        """Return what a choice depends on for a table and constraints on its samples."""
        named = {name for rule in constraints.rules for name in rule.attributes}
        return cls(
            frozenset(constraints.kinds),
            table.n_samples,
            frozenset(table.kinds),
            n_clusters,
            not named.isdisjoint(column.name for column in table.left_out),
            constraints.n_constraints,
        )

    @property
    def is_nominal(self) -> bool:
        """Whether values are only equal or not."""
        return self.columns <= {"binary", "nominal"}


class Choice(NamedTuple):
    r"""A method and why it was chosen.

    Attributes
    ----------
    method : Method
        The method.
    reason : str
        Why, as the end of a sentence: "because …", or "as requested".

    Examples
    --------
    >>> import io
    >>> from clustraint.tables import read_table
    >>> from clustraint.workflow import choose
    >>> table = read_table(io.BytesIO(b"x,y\n1,1\n2,1\n8,9\n9,9\n"))
    >>> print(choose(table, n_clusters=2))
    cop-kmeans, because there are no constraints, so it is plain k-means
    """

    method: Method
    reason: str

    def __str__(self) -> str:
        return f"{self.method.name}, {self.reason}"


def choose(
    table: SampleTable,
    constraints: Constraints | None = None,
    n_clusters: int | None = None,
    *,
    method: str = AUTO,
) -> Choice:
    r"""Choose a method for a table and constraints on its samples.

    Parameters
    ----------
    table : SampleTable
        The samples.
    constraints : Constraints, optional
        Constraints on them.
    n_clusters : int, optional
        The number of clusters; some methods need it.
    method : str, default="auto"
        A method by name, see `methods`; "auto" chooses by the kinds of constraints and columns and
        by the number of samples.

    Returns
    -------
    Choice
        The method, and why.

    Raises
    ------
    UnknownMethodError
        If there is no such method.
    NoMethodError
        If no method, or not this one, accepts the kinds of constraints and columns that there are.
    NoNumberOfClustersError
        If the method needs to know how many clusters to find.

    Examples
    --------
    >>> import io
    >>> from clustraint import Constraints
    >>> from clustraint.tables import read_table
    >>> from clustraint.workflow import choose
    >>> table = read_table(io.BytesIO(b"x,y\n1,1\n2,1\n8,9\n9,9\n"))
    >>> choice = choose(table, Constraints(4, triplets=[(0, 1, 2)]), 2)
    >>> choice.method.name, choice.reason
    ('recon', 'because there are triplets, and its hierarchy satisfies all that are consistent')
    """
    if constraints is None:
        constraints = Constraints(table.n_samples)
    return choose_for(Facts.of(table, constraints, n_clusters), method)


def choose_for(facts: Facts, method: str = AUTO) -> Choice:
    """Return the choice for what it depends on; see `choose`."""
    choice = _best(facts) if method == AUTO else _requested(facts, method)
    if choice.method.needs_n_clusters and facts.n_clusters is None:
        raise NoNumberOfClustersError(choice.method.name)
    if choice.method.expands_rules and facts.kinds & RULES:
        note = "rules count as the pairs of samples that they link or separate"
        return Choice(choice.method, f"{choice.reason}; {note}")
    return choice


def candidates(facts: Facts) -> list[Method]:
    """Return all methods that accept these kinds of constraints and columns.

    Examples
    --------
    >>> facts = Facts(frozenset({"triplets"}), 50, frozenset({"numeric"}), n_clusters=3)
    >>> [method.name for method in candidates(facts)]
    ['best', 'mixture', 'propagation', 'recon', 'ihac', 'bihac']
    """
    return [method for method in methods().values() if not obstacle(method, facts)]


def obstacle(method: Method, facts: Facts) -> str:
    """Return why a method cannot be used, "" if it can.

    Examples
    --------
    >>> facts = Facts(frozenset({"triplets"}), 50, frozenset({"numeric"}))
    >>> obstacle(methods()["tree"], facts)
    'does not accept triplets'
    """
    refused = [kind for kind in KINDS if kind in facts.kinds - method.kinds]
    if refused:
        nouns = dict.fromkeys(
            "rules" if KINDS[kind].is_rule else KINDS[kind].plural for kind in refused
        )
        return f"does not accept {listed(nouns, 'or')}"
    for kind, plural in UNTESTABLE.items():
        if kind in facts.columns and not method.reads_texts:
            return f"does not read {plural}"
    if method.view == "nominal" and not facts.is_nominal:
        return "accepts only binary (yes/no) and nominal (category) columns"
    if method.view == "nominal" and facts.rules_beyond:
        return "does not accept rules about columns that are left out"
    needed = facts.n_samples * (facts.n_samples - 1) * 4
    if method.all_pairs and needed > (available_memory() or float("inf")):
        return f"needs {needed / 1e9:.3g} GB for the distances between {facts.n_samples:,} samples"
    return ""


class Preference(NamedTuple):
    """A method to take where a condition holds, and why."""

    method: str
    holds: Callable[[Facts], bool]
    reason: str


PREFERENCES = (
    Preference(
        BEST,
        lambda facts: facts.n_constraints >= ENOUGH_CONSTRAINTS and facts.may_compare,
        f"there are at least {ENOUGH_CONSTRAINTS} constraints, so some can be held out to judge "
        "methods by",
    ),
    Preference(
        "bihac",
        lambda facts: "triplets" in facts.kinds and "text" in facts.columns,
        "there are triplets of texts, and it learns from them which words matter",
    ),
    Preference(
        "recon",
        lambda facts: "triplets" in facts.kinds,
        "there are triplets, and its hierarchy satisfies all that are consistent",
    ),
    Preference(
        "attribute-kmedoids",
        lambda facts: bool(facts.kinds) and facts.kinds <= RULES,
        "all constraints are rules and all columns binary or nominal, and it satisfies every rule",
    ),
    Preference(
        "cop-kmeans",
        lambda facts: not facts.kinds,
        "there are no constraints, so it is plain k-means",
    ),
    # A hierarchy in which pairs influence their neighbours falls far below k-means on some tables
    # if pairs are few, or wrong now and then; this does not.
    Preference(
        "cop-kmeans",
        lambda facts: True,
        "it satisfies every pair, and is otherwise plain k-means, which a few pairs cannot spoil",
    ),
)


def _best(facts: Facts) -> Choice:
    possible = {method.name: method for method in candidates(facts)}
    if not possible:
        related = (m for m in methods().values() if not facts.kinds or m.kinds & facts.kinds)
        raise NoMethodError({method.name: obstacle(method, facts) for method in related})
    for preference in PREFERENCES:
        if preference.method in possible and preference.holds(facts):
            return Choice(possible[preference.method], f"because {preference.reason}")
    only = next(iter(possible.values()))
    return Choice(only, "because no other method accepts all of this")


def _requested(facts: Facts, name: str) -> Choice:
    all_methods = methods()
    if name not in all_methods:
        raise UnknownMethodError(name, (AUTO, *all_methods))
    if problem := obstacle(all_methods[name], facts):
        others = [method.name for method in candidates(facts)]
        way_out = f"; use {listed(others, 'or')} instead" if others else ""
        raise NoMethodError({name: f"{problem}{way_out}"})
    return Choice(all_methods[name], "as requested")


def make_pipeline(
    method: Method,
    table: SampleTable,
    n_clusters: int | None,
    *,
    scale: Scale = "standard",
    random_state: int | None = None,
) -> Pipeline:
    r"""Return a pipeline from a table to clusters, not fitted.

    Its steps are called encode and cluster, so that constraints are given by
    ``pipeline.fit(table, cluster__constraints=constraints)``; see `constraints_for`.

    Examples
    --------
    >>> import io
    >>> from clustraint.tables import read_table
    >>> table = read_table(io.BytesIO(b"x,y\n1,1\n2,1\n8,9\n9,9\n"))
    >>> method = choose(table, n_clusters=2).method
    >>> pipeline = make_pipeline(method, table, 2, random_state=0).fit(table)
    >>> pipeline["cluster"].labels_[[0, 1]].tolist() == pipeline.predict(table)[:2].tolist()
    True
    """
    estimator = method.make(n_clusters, random_state, of_texts="text" in table.kinds)
    encoder = TableEncoder(method.view, scale=scale)
    return Pipeline([("encode", encoder), ("cluster", estimator)])


def constraints_for(method: Method, constraints: Constraints, table: SampleTable) -> Constraints:
    r"""Return constraints as a method takes them: rules as pairs if it takes only these.

    Examples
    --------
    >>> import io
    >>> from clustraint import Rule
    >>> from clustraint.tables import read_table
    >>> table = read_table(io.BytesIO(b"x,y\n1,1\n2,1\n8,9\n9,9\n"))
    >>> constraints = Constraints(4, rules=[Rule("x > 3")])
    >>> constraints_for(methods()["cop-kmeans"], constraints, table)
    Constraints(4 samples: 1 must-link)
    """
    if not constraints.rules or not method.expands_rules:
        return constraints
    return constraints.expand_rules(table)
