"""What people can do in the studio, kind by kind: how it is checked, worded, and what it says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from clustraint.active import Answer
from clustraint.checks import is_whole
from clustraint.constraints import Constraints, Rule
from clustraint.exceptions import ClustraintError, RuleSyntaxError, StudioRequestError
from clustraint.studio._rows import kept_rows, read_rows
from clustraint.tables import SampleTable
from clustraint.typing import IntArray
from clustraint.wording import counted, excerpt, listed, short_text

LONGEST_NAME = 80
LONGEST_NOTE = 2_000
MOST_NAMED = 3
ROLES = ("cluster", "show", "leave")
COLUMN_KINDS = ("numeric", "date", "binary", "nominal", "text")
Body = dict[str, Any]


class Scene(NamedTuple):
    """What a statement is about.

    Attributes
    ----------
    table : SampleTable
        The samples.
    labels : int64 ndarray of shape (n_samples,), or None
        The clusters that are shown.
    split : callable
        From the rows of a cluster to two of its samples that are best kept apart.
    """

    table: SampleTable
    labels: IntArray | None
    split: Callable[[IntArray], tuple[int, int]]

    @property
    def n_samples(self) -> int:
        """How many samples there are."""
        return self.table.n_samples

    def rows(self, body: Body, key: str = "rows", least: int = 1) -> IntArray:
        """Return the rows that a body names, at least so many."""
        rows = read_rows(body.get(key), self.n_samples, key)
        if len(rows) < least:
            raise StudioRequestError(f"{key} must name at least {counted(least, 'sample')}.")
        return rows

    def members(self, cluster: Any) -> IntArray:
        """Return the rows of a cluster that is shown."""
        rows = np.flatnonzero(self.labels == cluster) if is_whole(cluster) else np.empty(0, int)
        if self.labels is None or not len(rows):
            raise StudioRequestError(f"there is no cluster {cluster!r:.20} now.")
        return rows

    def kept(self, rows: IntArray) -> Any:
        """Return rows as the log keeps them."""
        return kept_rows(rows, self.n_samples)


class Names:
    """What samples and clusters are called."""

    def __init__(self, table: SampleTable, clusters: dict[int, str]) -> None:
        self.table, self.clusters = table, clusters

    def sample(self, row: int) -> str:
        """Return the name of a sample."""
        names = self.table.names
        return f"sample {row}" if names is None else short_text(names[row], 40)

    def samples(self, rows: IntArray) -> str:
        """Return the names of a few samples, or how many there are."""
        if len(rows) <= MOST_NAMED:
            return listed(self.sample(row) for row in rows.tolist())
        first = ", ".join(self.sample(row) for row in rows[:2].tolist())
        return f"{counted(len(rows), 'sample')} ({first}, …)"

    def cluster(self, cluster: int) -> str:
        """Return the name of a cluster."""
        return self.clusters.get(cluster) or f"cluster {cluster}"


class StatementLinks(NamedTuple):
    """What a statement says as constraints."""

    must_link: IntArray
    cannot_link: IntArray
    triplets: IntArray
    rules: tuple[Rule, ...] = ()


def _links(must: Any = (), cannot: Any = (), triplets: Any = (), rules: Any = ()) -> StatementLinks:
    return StatementLinks(
        np.asarray(must, np.int64).reshape(-1, 2),
        np.asarray(cannot, np.int64).reshape(-1, 2),
        np.asarray(triplets, np.int64).reshape(-1, 3),
        tuple(rules),
    )


def _star(rows: IntArray, others: IntArray) -> IntArray:
    """Return pairs of the first of some rows with each of others."""
    return np.column_stack([np.full(len(others), rows[0]), others])


def _together(rows: IntArray) -> StatementLinks:
    return _links(_star(rows, rows[1:]))


def _own(rows: IntArray, n_samples: int) -> StatementLinks:
    others = np.setdiff1d(np.arange(n_samples), rows, assume_unique=True)
    return _links(_star(rows, rows[1:]), _star(rows, others))


@dataclass(frozen=True)
class Kind:
    """A kind of event.

    Attributes
    ----------
    check : callable
        From a body as the page sends it and the scene to the body that is kept, or an error.
    text : callable
        From a body that is kept, names and the number of samples to words.
    links : callable, optional
        From a body and the number of samples to constraints; only a kind that says something
        about samples has it.
    moves : bool
        Whether clusters may change by it.
    """

    check: Callable[[Body, Scene], Body]
    text: Callable[[Body, Names, int], str]
    links: Callable[[Body, int], StatementLinks] | None = None
    moves: bool = True


def _weighted(body: Body, checked: Body) -> Body:
    weight = body.get("weight", 1.0)
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 < weight <= 1e6:
        raise StudioRequestError("weight must be a number above 0.")
    return checked if weight == 1 else checked | {"weight": float(weight)}


def _check_together(body: Body, scene: Scene) -> Body:
    return _weighted(body, {"rows": scene.kept(scene.rows(body, least=2))})


def _check_apart(body: Body, scene: Scene) -> Body:
    rows = scene.rows(body)
    if "cluster" in body:
        others = np.setdiff1d(scene.members(body["cluster"]), rows)
        if not len(others):
            raise StudioRequestError("all samples of that cluster are among the ones chosen.")
    else:
        others = scene.rows(body, "from")
    both = np.intersect1d(rows, others)
    if len(both):
        raise StudioRequestError("a sample cannot be apart from itself.")
    return _weighted(body, {"rows": scene.kept(rows), "from": scene.kept(others)})


def _check_own(body: Body, scene: Scene) -> Body:
    rows = scene.rows(body)
    if len(rows) == scene.n_samples:
        raise StudioRequestError("these are all samples: there is nobody to keep them apart from.")
    return {"rows": scene.kept(rows)}


def _check_closer(body: Body, scene: Scene) -> Body:
    rows = body.get("rows")
    checked = scene.rows(body, least=1)
    if not isinstance(rows, list) or len(rows) != 3 or len(checked) != 3:
        raise StudioRequestError("closer takes three different samples: a and b, rather than c.")
    return _weighted(body, {"rows": [int(row) for row in rows]})


def read_rule(body: Body) -> Rule:
    """Return the rule of a body, or raise with the place of what cannot be read."""
    text, exactly = body.get("rule"), body.get("exactly", False)
    if not isinstance(text, str) or not isinstance(exactly, bool):
        raise StudioRequestError("a rule is a text, and exactly is true or false.")
    try:
        return Rule(text, exactly=exactly)
    except RuleSyntaxError as error:
        raise StudioRequestError(str(error), error.column) from None


def _check_rule(body: Body, scene: Scene) -> Body:
    rule = read_rule(body)
    n_scope = int(rule.scope(scene.table).sum())
    if not n_scope:
        raise StudioRequestError(f"the rule '{excerpt(rule.text)}' holds for no sample.")
    if rule.exactly and n_scope == scene.n_samples:
        raise StudioRequestError(f"the rule '{excerpt(rule.text)}' holds for all samples.")
    return {"rule": rule.text, "exactly": rule.exactly}


def _check_merge(body: Body, scene: Scene) -> Body:
    clusters = body.get("clusters")
    if not isinstance(clusters, list) or not all(map(is_whole, clusters)):
        raise StudioRequestError("clusters must be a list of cluster numbers.")
    distinct = sorted({*clusters})
    if len(distinct) < 2:
        raise StudioRequestError("it takes two clusters to make them one.")
    rows = np.sort(np.concatenate([scene.members(cluster) for cluster in distinct]))
    return {"clusters": distinct, "rows": scene.kept(rows)}


def _check_split(body: Body, scene: Scene) -> Body:
    cluster = body.get("cluster")
    rows = scene.members(cluster)
    if len(rows) < 2:
        raise StudioRequestError("a cluster of one sample cannot be split.")
    return {"cluster": cluster, "rows": scene.kept(rows), "apart": list(scene.split(rows))}


def _check_pure(body: Body, scene: Scene) -> Body:
    cluster, complete = body.get("cluster"), body.get("complete", False)
    if not isinstance(complete, bool):
        raise StudioRequestError("complete must be true or false.")
    rows = scene.members(cluster)
    return {"cluster": cluster, "complete": complete, "rows": scene.kept(rows)}


def _check_answer(body: Body, scene: Scene) -> Body:
    rows = body.get("rows")
    if len(scene.rows(body)) != 2 or not isinstance(rows, list):
        raise StudioRequestError("an answer is about two different samples.")
    answer = Answer.parse((*map(int, rows), body.get("answer")))
    return _weighted(body, {"rows": [answer.first, answer.second], "answer": answer.answer})


def _check_name(body: Body, scene: Scene) -> Body:
    name, cluster = body.get("name"), body.get("cluster")
    if not isinstance(name, str) or len(name) > LONGEST_NAME:
        raise StudioRequestError(f"a name has at most {LONGEST_NAME} characters.")
    scene.members(cluster)
    return {"cluster": cluster, "name": " ".join(name.split())}


def _check_n_clusters(body: Body, scene: Scene) -> Body:
    n_clusters: Any = body.get("n_clusters")
    if not is_whole(n_clusters) or not 1 <= n_clusters <= scene.n_samples:
        raise StudioRequestError(
            f"n_clusters must be a whole number from 1 to {scene.n_samples:,}, the number of "
            f"samples, but is {n_clusters!r:.60}."
        )
    return {"n_clusters": n_clusters}


def _check_method(body: Body, scene: Scene) -> Body:
    from clustraint.workflow import methods

    method = body.get("method")
    if method != "auto" and method not in methods():
        names = listed(("auto", *methods()), "or")
        raise StudioRequestError(f"there is no method {method!r:.60}; the methods are {names}.")
    number = _check_n_clusters(body, scene) if body.get("n_clusters") is not None else {}
    return {"method": method, **number}


def _check_columns(body: Body, scene: Scene) -> Body:
    roles, kinds = body.get("roles", {}), body.get("kinds", {})
    if not isinstance(roles, dict) or not isinstance(kinds, dict):
        raise StudioRequestError("roles and kinds are given by the names of columns.")
    for chosen, allowed in ((roles, ROLES), (kinds, COLUMN_KINDS)):
        for name, value in chosen.items():
            if scene.table.column(name).kind == "identifier":
                raise StudioRequestError(f"column {excerpt(name)!r} names the samples.")
            if value not in allowed:
                raise StudioRequestError(f"{value!r:.60} must be one of {listed(allowed, 'or')}.")
    return {"roles": roles, "kinds": kinds}


def _check_take(body: Body, scene: Scene) -> Body:
    if not is_whole(body.get("clustering")):
        raise StudioRequestError("clustering must be the number of a clustering.")
    return {"clustering": body["clustering"]}


def _check_note(body: Body, scene: Scene) -> Body:
    text = body.get("text")
    if not isinstance(text, str) or len(text) > LONGEST_NOTE:
        raise StudioRequestError(f"a note has at most {LONGEST_NOTE:,} characters.")
    return {"text": text}


def _answer_links(body: Body, n_samples: int) -> StatementLinks:
    pair = [body["rows"]]
    return {"yes": _links(pair), "no": _links((), pair)}.get(body["answer"], _links())


def _rows_text(body: Body, names: Names, n_samples: int) -> str:
    rows = read_rows(body["rows"], n_samples)
    if len(rows) == 2:
        return " = ".join(names.sample(row) for row in rows.tolist())
    return f"{names.samples(rows)} belong together"


def _apart_text(body: Body, names: Names, n_samples: int) -> str:
    rows, others = (read_rows(body[key], n_samples) for key in ("rows", "from"))
    if len(rows) == len(others) == 1:
        return f"{names.sample(int(rows[0]))} ≠ {names.sample(int(others[0]))}"
    return f"{names.samples(rows)} apart from {names.samples(others)}"


def _own_text(body: Body, names: Names, n_samples: int) -> str:
    return f"{names.samples(read_rows(body['rows'], n_samples))}: a cluster of their own"


def _closer_text(body: Body, names: Names, n_samples: int) -> str:
    first, second, third = (names.sample(row) for row in body["rows"])
    return f"{first} and {second} are closer than {third}"


def _answer_text(body: Body, names: Names, n_samples: int) -> str:
    sign = {"yes": "=", "no": "≠"}.get(body["answer"], "?")
    return f" {sign} ".join(names.sample(row) for row in body["rows"])


def _columns_text(body: Body, names: Names, n_samples: int) -> str:
    words = {"cluster": "to cluster by", "show": "only shown", "leave": "left out"}
    parts = [f"{excerpt(name)}: {words[role]}" for name, role in body["roles"].items()]
    parts += [f"{excerpt(name)}: {kind}" for name, kind in body["kinds"].items()]
    return "; ".join(parts) or "columns as they were"


def _method_text(body: Body, names: Names, n_samples: int) -> str:
    number = body.get("n_clusters")
    return f"method {body['method']}" + (f" with {counted(number, 'cluster')}" if number else "")


KINDS: dict[str, Kind] = {
    "together": Kind(
        _check_together,
        _rows_text,
        lambda body, n: _together(read_rows(body["rows"], n)),
    ),
    "apart": Kind(
        _check_apart,
        _apart_text,
        lambda body, n: _links(
            _together(rows := read_rows(body["rows"], n)).must_link,
            _star(rows, read_rows(body["from"], n)),
        ),
    ),
    "own": Kind(_check_own, _own_text, lambda body, n: _own(read_rows(body["rows"], n), n)),
    "closer": Kind(_check_closer, _closer_text, lambda body, n: _links(triplets=[body["rows"]])),
    "rule": Kind(
        _check_rule,
        lambda body, names, n: f"{'exactly' if body['exactly'] else 'together'}: {body['rule']}",
        lambda body, n: _links(rules=[Rule(body["rule"], exactly=body["exactly"])]),
    ),
    "merge": Kind(
        _check_merge,
        lambda body, names, n: f"{listed(map(names.cluster, body['clusters']))} are one cluster",
        lambda body, n: _together(read_rows(body["rows"], n)),
    ),
    "split": Kind(
        _check_split,
        lambda body, names, n: f"{names.cluster(body['cluster'])} is several",
        lambda body, n: _links((), [body["apart"]]),
    ),
    "pure": Kind(
        _check_pure,
        lambda body, names, n: (
            f"{names.cluster(body['cluster'])} is pure"
            + (" and complete" if body["complete"] else "")
        ),
        lambda body, n: (
            _own(read_rows(body["rows"], n), n)
            if body["complete"]
            else _together(read_rows(body["rows"], n))
        ),
    ),
    "answer": Kind(_check_answer, _answer_text, _answer_links),
    "name": Kind(
        _check_name,
        lambda body, names, n: f"cluster {body['cluster']} is called {body['name'] or 'nothing'}",
        moves=False,
    ),
    "n_clusters": Kind(
        _check_n_clusters, lambda body, names, n: counted(body["n_clusters"], "cluster")
    ),
    "method": Kind(_check_method, _method_text),
    "columns": Kind(_check_columns, _columns_text),
    "take": Kind(_check_take, lambda body, names, n: f"take clustering {body['clustering']}"),
    "note": Kind(_check_note, lambda body, names, n: short_text(body["text"]), moves=False),
    "retract": Kind(lambda body, scene: body, lambda body, names, n: "take back"),
    "undo": Kind(lambda body, scene: body, lambda body, names, n: "undo"),
    "redo": Kind(lambda body, scene: body, lambda body, names, n: "redo"),
}
STATEMENTS = tuple(name for name, kind in KINDS.items() if kind.links is not None)
RETRACTIONS = ("retract", "undo", "redo")


def check_body(kind: Any, body: Any, scene: Scene) -> Body:
    """Return the body of an event as it is kept, or raise one sentence."""
    if kind not in KINDS or kind in RETRACTIONS:
        raise StudioRequestError(f"there is no kind of event {kind!r:.60}.")
    if not isinstance(body, dict):
        raise StudioRequestError("body must be an object.")
    try:
        return KINDS[kind].check(body, scene)
    except StudioRequestError:
        raise
    except ClustraintError as error:
        raise StudioRequestError(str(error)) from None


def pairs_of(links: StatementLinks, table: SampleTable) -> StatementLinks:
    """Return what a statement says with its rules as pairs of samples."""
    if not links.rules:
        return links
    expanded = Constraints(table.n_samples, rules=links.rules).expand_rules(table)
    return _links(
        np.concatenate([links.must_link, expanded.must_link]),
        np.concatenate([links.cannot_link, expanded.cannot_link]),
        links.triplets,
    )
