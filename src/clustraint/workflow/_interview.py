"""Questions about the rows of a table, and the clusters that follow from the answers."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from clustraint.active import STRATEGIES, AnswerFile, AnswerLog, Session
from clustraint.checks import check_choice
from clustraint.cluster import ConstrainedMixture
from clustraint.constraints import Constraints
from clustraint.exceptions import ClustraintError, InconsistentConstraintsError
from clustraint.metric.distances import samples_and_metric
from clustraint.tables import SampleTable, Scale
from clustraint.wording import listed
from clustraint.workflow._clustering import Clustering, cluster_table
from clustraint.workflow._method import AUTO, methods

# Questions that are fair to every clustering, and the strategy that takes texts too.
BEST, KLEIN = "balanced", "klein"
BY_MODEL = ("expected-change", "uncertainty")


class Interview:
    r"""A session of questions about the rows of a table, begun as `clustraint ask` begins it.

    Parameters
    ----------
    table : SampleTable
        The samples.
    n_clusters : int
        The number of clusters.
    n_questions : int, default=20
        The maximum number of questions.
    constraints : Constraints, optional
        What is known already: must-links, cannot-links and rules.
    answers : AnswerLog or iterable of answers, default=()
        Earlier answers; an `AnswerFile` is kept up to date.
    strategy : str, optional
        A name in `clustraint.active.STRATEGIES`; by default "balanced", and
        "klein" for texts.
    method : str, optional
        What clusters by the answers, a name in `methods`; by default what `cluster_table` chooses:
        from 10 answers on, the clustering that predicts held-out answers best.
    scale : {"standard", "minmax", "none"}, default="standard"
        How numeric columns are scaled.
    who : str, default=""
        The person who answers.

    Attributes
    ----------
    session : Session
        The questions.
    strategy : str
        How they are chosen.

    Raises
    ------
    ClustraintError
        If there are fewer than two samples or triplets among the constraints, if strategy or
        method do not take this table, or if answers and constraints contradict each other.

    Examples
    --------
    >>> import io
    >>> from clustraint.tables import read_table
    >>> from clustraint.workflow import Interview
    >>> table = read_table(io.BytesIO(b"name,x\na,1\nb,2\nc,8\nd,9\n"))
    >>> interview = Interview(table, 2, 3, strategy="klein")
    >>> question = interview.session.question
    >>> question.first, question.second
    (0, 1)
    """

    def __init__(
        self,
        table: SampleTable,
        n_clusters: int,
        n_questions: int = 20,
        *,
        constraints: Constraints | None = None,
        answers: Any = (),
        strategy: str | None = None,
        method: str | None = None,
        scale: Scale = "standard",
        who: str = "",
    ) -> None:
        if table.n_samples < 2:
            raise ClustraintError(f"{table.source} holds one sample, but a question is about two.")
        if constraints is None:
            constraints = Constraints(table.n_samples, names=table.names)
        if len(constraints.triplets):
            raise ClustraintError(
                "questions take must-links, cannot-links and rules, but triplets are given; "
                "leave them out."
            )
        self.table, self.constraints = table, constraints
        self.answers: Any = answers if isinstance(answers, AnswerLog) else AnswerLog(answers)
        self.n_clusters, self.n_questions, self.method = n_clusters, n_questions, method
        self._scale = scale
        self._X, self._metric = samples_and_metric(table.matrix(scale))
        is_text = self._metric == "precomputed"
        self.strategy = check_choice(
            "strategy", strategy or (KLEIN if is_text else BEST), STRATEGIES
        )
        if is_text and self.strategy != KLEIN:
            raise ClustraintError(
                f"the strategy {self.strategy} takes tables of numbers and categories, but "
                f"{table.source} holds texts; the strategy {KLEIN} takes these."
            )
        self.session = self._begin(who)

    def _begin(self, who: str) -> Session:
        mixture = ConstrainedMixture(self.n_clusters, random_state=0)
        options: dict[str, Any] = {"metric": self._metric} if self.strategy == KLEIN else {}
        if self.strategy in BY_MODEL:
            # Whatever clusters in the end, the next question should not wait for it.
            options["model"] = mixture
        try:
            return Session(
                self.strategy,
                self._X,
                n_clusters=self.n_clusters,
                n_queries=self.n_questions,
                constraints=self.constraints.expand_rules(self.table),
                answers=self.answers,
                estimator=self._estimator(mixture),
                who=who,
                **options,
            )
        except InconsistentConstraintsError as error:
            raise ClustraintError(f"{self._sources} contradict each other: {error}") from None

    @property
    def _sources(self) -> str:
        where = f" in {self.answers.path}" if isinstance(self.answers, AnswerFile) else ""
        answers, constraints = f"the answers{where}", "the constraints"
        return listed(
            [answers] * bool(self.answers) + [constraints] * bool(self.constraints.n_constraints)
        )

    def _estimator(self, mixture: Any) -> Any:
        """Return what clusters by the answers, None if the questions of Klein do."""
        if self.method is None:
            return None if self.strategy == KLEIN else mixture
        takers = [
            name
            for name, method in methods().items()
            if method.view == "matrix" and {"must_link", "cannot_link"} <= method.kinds
        ]
        if self.method not in takers:
            raise ClustraintError(
                f"the method must cluster by must-links and cannot-links: {listed(takers)}, "
                f"but is {self.method!r:.60}."
            )
        return methods()[self.method].make(self.n_clusters, 0)

    def clustering(self) -> Clustering:
        r"""Return what `cluster_table` finds by the answers and the constraints.

        Answers that contradict each other count as evidence that may be wrong.

        Examples
        --------
        >>> import io
        >>> from clustraint.tables import read_table
        >>> from clustraint.workflow import Interview
        >>> table = read_table(io.BytesIO(b"name,x\na,1\nb,2\nc,8\nd,9\n"))
        >>> labels = Interview(table, 2, 3, strategy="klein").clustering().labels
        >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
        True
        """
        constraints = self.constraints | self.answers.constraints(self.table.n_samples)
        cluster = partial(
            cluster_table, self.table, constraints, self.n_clusters, scale=self._scale
        )
        try:
            return cluster(method=self.method or AUTO)
        except InconsistentConstraintsError:
            clustering = cluster(method="mixture")
            reason = "because constraints contradict each other, and to it they are only evidence"
            return replace(clustering, choice=clustering.choice._replace(reason=reason))
