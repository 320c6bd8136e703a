"""Reading a user's file, whatever its format, into a table of samples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from clustraint.checks import check_choice
from clustraint.exceptions import (
    ClustraintError,
    DatasetFileError,
    InvalidParameterError,
    UnknownColumnError,
)
from clustraint.tables._columns import is_frame
from clustraint.tables._content import FileContent, Source
from clustraint.tables._formats import (
    READERS,
    Format,
    RawTable,
    ReadingChoices,
    of_frame,
    read_raw,
)
from clustraint.tables._kinds import COUNTS_ROWS, PHONES, Recogniser, is_id_name, words_of
from clustraint.tables._sample_table import (
    IGNORED,
    IMPUTES,
    NAMES_SAMPLES,
    Impute,
    SampleTable,
)
from clustraint.tables._table_column import Kind, TableColumn
from clustraint.tables.delimited import TableContentError
from clustraint.wording import counted, excerpt, listed

Duplicates: TypeAlias = Literal["first", "all", "number"]

NO_DELIMITERS = '"\r\n'
DUPLICATES = ("first", "all", "number")
# A column of more values than this, which occur fewer than ten times each, compares nothing.
MANY_LEVELS = 50
FEW_EACH = 10
ANSWER_WORDS = frozenset(
    ("class", "classes", "label", "labels", "target", "targets", "cluster", "clusters", "klasse")
)
ANSWER_NAMES = frozenset(("ground truth", "groundtruth", "y true", "y pred"))
MOST_ANSWERS = 50
ANSWER = "is called {!r}, so it looks like an answer; name its kind to use it"


def read_table(
    path: Source | Any,
    *,
    id_column: str | None = None,
    only: Sequence[str] = (),
    ignore: Sequence[str] = (),
    show: Sequence[str] = (),
    numeric: Sequence[str] = (),
    date: Sequence[str] = (),
    binary: Sequence[str] = (),
    nominal: Sequence[str] = (),
    text: Sequence[str] = (),
    missing: Sequence[str] = (),
    impute: Impute = "auto",
    duplicates: Duplicates = "number",
    format: Format | None = None,
    delimiter: str | None = None,
    decimal: Literal[".", ","] | None = None,
    day_first: bool | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
    table: str | None = None,
) -> SampleTable:
    r"""Read a table of samples, one per row, and recognise what its columns are.

    Parameters
    ----------
    path : str, path, binary file, or table
        A file: CSV, TSV, JSON, JSONL, ARFF, Parquet, Arrow or Feather, Excel or OpenDocument,
        SQLite, npy or npz; text may be packed as .gz, .bz2, .xz or .zst. "-" is standard input. Or
        a table that is in memory: a frame of pandas, whose index names the samples unless it
        counts them, or of polars, a mapping of names to columns, or an array.
    id_column : str, optional
        The column that names the samples; by default one whose values are (nearly) all different
        and that is called as identifiers are, or else the first of different names.
    only : sequence of str
        Columns to cluster by; all others are left out.
    ignore : sequence of str
        Columns to leave out.
    show : sequence of str
        Columns to leave out, but to show to whoever answers questions; by default all that are
        left out, are not ignored and say something.
    numeric, date, binary, nominal, text : sequence of str
        Columns that are of this kind, whatever they look like.
    missing : sequence of str
        More spellings of a missing value, such as "-999".
    impute : {"auto", "frequent", "level", "none"}, default="auto"
        What methods that need all values take where one is missing, see `TableEncoder`.
    duplicates : {"number", "first", "all"}, default="number"
        What to do where several rows have the same identifier: number them, as in ``dog (2)``;
        keep the first row of each; or keep all rows, and do without names.
    format : str, optional
        csv, tsv, json, jsonl, arff, parquet, arrow, excel, sqlite or numpy; by default what the
        content of the file says, or its name.
    delimiter : str, optional
        One character; by default that of comma, semicolon, tab and pipe which gives most columns.
    decimal : {".", ","}, optional
        The decimal sign; by default what the numbers allow.
    day_first : bool, optional
        Whether 3/4/2021 is in April; by default what the dates allow.
    encoding : str, optional
        Text encoding; by default UTF-8 or, if it is not that, UTF-16 or Windows-1252.
    sheet : str or int, optional
        The sheet of a spreadsheet, by name or by number from 1; by default the first.
    table : str, optional
        The table of a database, or a query that begins with SELECT; by default the first table.

    Returns
    -------
    SampleTable
        Each column says why it is of its kind (`reason`), or why it is left out (`note`).

    Raises
    ------
    DatasetFileError
        If the file cannot be read.
    UnknownColumnError
        If a column is not there.

    Notes
    -----
    Wherever names of columns are taken, one text may list several: ``"a, b"``.

    Examples
    --------
    >>> import io
    >>> lines = ["name;price;color", "dog;4,50;brown", "hen;2,00;?", "elk;9;brown"]
    >>> table = read_table(io.BytesIO("\n".join(lines).encode()))
    >>> table
    SampleTable(3 samples: price (numeric), color (nominal); names from name)
    >>> table.column("price").reason
    'numbers, decimal commas'
    """
    check_choice("duplicates", duplicates, DUPLICATES)
    check_choice("impute", impute, IMPUTES)
    if decimal is not None:
        check_choice("decimal", decimal, (".", ","))
    reading = ReadingChoices(format, delimiter, encoding, decimal, sheet, table)
    source, raw = _raw(path, reading)
    names = list(raw.frame.columns)
    columns = _ColumnChoices.of(
        source, names, id_column or raw.row_names, only, ignore, show,
        numeric=numeric, date=date, binary=binary, nominal=nominal, text=text,
    )  # fmt: skip
    spellings = frozenset(each.strip().lower() for each in _as_names(missing))
    recogniser = Recogniser(source, decimal, raw.delimiter, spellings, day_first, raw.kinds)
    return replace(_Reading(raw, columns, recogniser, duplicates).table(), impute=impute)


def read_frame(
    path: Source | Any,
    *,
    format: Format | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
    table: str | None = None,
) -> Any:
    r"""Read the cells of a table as they are, without recognising what its columns are.

    Parameters
    ----------
    path, format, delimiter, encoding, sheet, table
        As for `read_table`.

    Returns
    -------
    polars.DataFrame

    Raises
    ------
    DatasetFileError
        If the file cannot be read.

    Examples
    --------
    >>> import io
    >>> read_frame(io.BytesIO(b"id,cluster\ndog,1\nhen,2\n")).rows()
    [('dog', '1'), ('hen', '2')]
    """
    return _raw(path, ReadingChoices(format, delimiter, encoding, None, sheet, table))[1].frame


def _raw(path: Source | Any, reading: ReadingChoices) -> tuple[str, RawTable]:
    if reading.format is not None:
        check_choice("format", reading.format, READERS)
    delimiter = reading.delimiter
    if delimiter is not None and (len(delimiter) != 1 or delimiter in NO_DELIMITERS):
        rule = "one character, neither a double quote nor a line end"
        raise InvalidParameterError("delimiter", delimiter, rule)
    if is_frame(path) or isinstance(path, Mapping) or hasattr(path, "__array__"):
        raw = of_frame(path)
        if not raw.frame.width or not len(raw.frame):
            raise ClustraintError("the table has no samples or no columns.")
        return "the table", raw
    file = FileContent(path)
    try:
        return file.source, read_raw(file, reading)
    except TableContentError as error:
        raise DatasetFileError(file.source, error.line, str(error)) from None


def _as_names(names: str | Sequence[str] | None) -> tuple[str, ...]:
    if names is None:
        return ()
    return (names,) if isinstance(names, str) else tuple(names)


@dataclass(frozen=True)
class _ColumnChoices:
    """What the user wants of the columns."""

    id_column: str | None
    only: tuple[str, ...]
    ignore: tuple[str, ...]
    show: tuple[str, ...]
    kinds: Mapping[str, Kind]

    @classmethod
    def of(
        cls,
        source: str,
        names: Collection[str],
        id_column: str | None,
        only: Sequence[str],
        ignore: Sequence[str],
        show: Sequence[str],
        **kinds: Sequence[str],
    ) -> _ColumnChoices:
        """Check that all columns named are there, each for one purpose."""
        purposes = {"id_column": _as_names(id_column), "ignore": ignore, "show": show, **kinds}
        chosen = {purpose: _split(source, several, names) for purpose, several in purposes.items()}
        seen: dict[str, str] = {}
        for purpose, several in chosen.items():
            for name in several:
                if seen.setdefault(name, purpose) != purpose:
                    problem = f"column {excerpt(name)!r} is named as {seen[name]} and as {purpose}"
                    raise DatasetFileError(source, 0, f"{problem}; name it once.")
        named: Any = {name: kind for kind in kinds for name in chosen[kind]}
        (first,) = chosen["id_column"] or (None,)
        return cls(first, _split(source, only, names), chosen["ignore"], chosen["show"], named)


def _split(source: str, names: Sequence[str], columns: Collection[str]) -> tuple[str, ...]:
    """Return names of columns, of which one text may list several."""
    result: list[str] = []
    for name in _as_names(names):
        parts = [name] if name in columns else [part.strip() for part in name.split(",")]
        for part in parts:
            if part not in columns:
                raise UnknownColumnError(part, columns, source)
        result += parts
    return tuple(dict.fromkeys(result))


@dataclass(frozen=True)
class _Reading:
    """From what a file holds to a table of samples."""

    raw: RawTable
    choices: _ColumnChoices
    recogniser: Recogniser
    duplicates: Duplicates

    def table(self) -> SampleTable:
        """Return the table, each column as what it is or is chosen to be."""
        raw, choices, recogniser = self.raw, self.choices, self._with_decimal()
        frame = raw.frame
        every = {
            name: recogniser.column(name, frame[name], self._kind(name)) for name in frame.columns
        }
        id_column = choices.id_column or self._id_column(list(every.values()))
        names, remarks = self._names(every.get(id_column or ""))
        if names is not None and self.duplicates == "first" and len({*names}) < len(names):
            return self._of_first_rows(names, id_column)
        columns, left_out = [], []
        for name, column in every.items():
            if name == id_column:
                left_out.append(column.noted(NAMES_SAMPLES if names is not None else NO_NAMES))
            elif why := self._why_left_out(column):
                left_out.append(column.noted(why))
            else:
                columns.append(column)
        columns, beside = self._apart_from_embeddings(columns)
        left_out += beside
        if not columns:
            columns, left_out = self._rescued(left_out)
        return SampleTable(
            recogniser.source,
            tuple(columns),
            tuple(left_out),
            names,
            len(frame),
            (*raw.notes, *remarks),
            frame,
            self._to_read_likewise(recogniser),
            choices.show or None,
        )

    def _kind(self, name: str) -> Kind | None:
        if name == self.choices.id_column:
            return "identifier"
        return self.choices.kinds.get(name)

    def _with_decimal(self) -> Recogniser:
        """Return the recogniser with the decimal sign that columns vote for, if they do."""
        if self.recogniser.decimal is not None:
            return self.recogniser
        shapes = (self.recogniser.shape(each.name, each) for each in self.raw.frame)
        votes = {shape.sure for shape in shapes if shape is not None} - {None}
        decimal = votes.pop() if len(votes) == 1 else None
        return replace(self.recogniser, decimal=decimal)

    def _id_column(self, columns: list[TableColumn]) -> str | None:
        """Return the column that names the samples best."""
        kinds = self.choices.kinds
        free = [
            column
            for column in columns
            if column.kind == "identifier"
            and column.name not in (*kinds, *self.choices.ignore, *self.choices.show)
            and column.reason != COUNTS_ROWS
        ]
        called = [column for column in free if is_id_name(column.name)]
        whole = [
            column
            for column in free
            if column.n_distinct == len(self.raw.frame) and not column.reason.startswith(PHONES)
        ]
        return next((column.name for column in (*called, *whole)), None)

    def _names(self, column: TableColumn | None) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
        """Return the names of the samples, each of them once, and what there is to say of them."""
        if column is None:
            return None, ()
        cells = column.values.tolist()
        names = tuple(f"#{row}" if cell is None else cell for row, cell in enumerate(cells))
        called = excerpt(column.name)
        remarks = []
        if column.n_missing:
            rows = counted(column.n_missing, "sample")
            verb = "has" if column.n_missing == 1 else "have"
            first = names[int(column.missing.argmax())]
            remarks.append(
                f"{rows} {verb} no {called}, and {verb} the row number as name: {first}."
            )
        counts = Counter(names)
        repeated = [name for name, count in counts.items() if count > 1]
        if not repeated or self.duplicates == "first":
            return names, tuple(remarks)
        shown = listed([repr(excerpt(name, width=30)) for name in repeated[:5]])
        more = f" and {len(repeated) - 5:,} more" if len(repeated) > 5 else ""
        remark = f"Several rows have the {called} {shown}{more}"
        others = "To keep only the first row of each, set duplicates to first (duplicates=)"
        if self.duplicates == "all":
            return None, (*remarks, f"{remark}, so that samples are called by their row numbers.")
        numbered = _numbered(names)
        example = next(new for new, old in zip(numbered, names, strict=True) if new != old)
        return numbered, (*remarks, f"{remark}; a later one is called {example!r}. {others}.")

    def _of_first_rows(self, names: tuple[str, ...], id_column: str | None) -> SampleTable:
        first = {name: row for row, name in reversed(list(enumerate(names)))}
        rows = sorted(first.values())
        left = counted(len(names) - len(rows), "row")
        verb = "repeats" if len(names) - len(rows) == 1 else "repeat"
        note = f"{left} that {verb} an identifier {'is' if verb == 'repeats' else 'are'} left out."
        raw = self.raw._replace(frame=self.raw.frame[rows], notes=(*self.raw.notes, note))
        return replace(self, raw=raw, choices=replace(self.choices, id_column=id_column)).table()

    def _why_left_out(self, column: TableColumn) -> str:
        """Return why a column is not for clustering, "" if it is."""
        name, choices = column.name, self.choices
        if name in choices.ignore:
            return IGNORED
        if name in choices.show:
            return "shown only, as requested"
        if choices.only:
            has_values = column.n_missing < column.n_samples
            return "" if name in choices.only and has_values else "not asked for"
        if name in choices.kinds:
            return ""
        return column.note if column.note.startswith("holds ") else _uninformative(column)

    def _apart_from_embeddings(
        self, columns: list[TableColumn]
    ) -> tuple[list[TableColumn], list[TableColumn]]:
        """Return the columns to cluster by, and those that only accompany an embedding."""
        embeddings = [
            column
            for column in columns
            if column.kind == "vector" and column.values.shape[1] >= EMBEDDING_LENGTH
        ]
        if not embeddings or self.choices.only:
            return columns, []
        words = f"the vectors of {embeddings[0].name!r} say what samples are (only=)"
        kept = [
            column
            for column in columns
            if column.kind == "vector" or column.name in self.choices.kinds
        ]
        return kept, [column.noted(words) for column in columns if column not in kept]

    def _rescued(self, left_out: list[TableColumn]) -> tuple[list[TableColumn], list[TableColumn]]:
        """Return a column to cluster by where all were left out: short texts, or an answer."""
        for column in left_out:
            is_short_text = column.kind == "identifier" and column.note != IGNORED
            if is_short_text and len(column.values) > 2 and _has_words(column):
                as_text = self.recogniser.column(column.name, self.raw.frame[column.name], "text")
                return [as_text], [each for each in left_out if each is not column]
        reasons = "; ".join(f"{column.name!r} {column.note}" for column in left_out[:5])
        more = "; …" if len(left_out) > 5 else ""
        way_out = "declare the kind of a column to use it (nominal=)"
        raise DatasetFileError(
            self.recogniser.source,
            0,
            f"has no column to cluster by: {reasons}{more}; {way_out}.",
        )

    def _to_read_likewise(self, recogniser: Recogniser) -> dict[str, Any]:
        chosen = {
            "missing": tuple(sorted(recogniser.missing)),
            "decimal": recogniser.decimal,
            "day_first": recogniser.day_first,
            "duplicates": self.duplicates,
        }
        return {name: value for name, value in chosen.items() if value}


# Vectors of so many numbers are made by a model to stand for the samples; what is beside them, such
# as a language or a source, would count as much as all of their numbers.
EMBEDDING_LENGTH = 16
NO_NAMES = "not unique, so that it names no sample"


def _has_words(column: TableColumn) -> bool:
    texts = [str(value) for value in column.values[:1000].tolist() if value is not None]
    return bool(texts) and sum(len(each.split()) for each in texts) >= 2 * len(texts)


def _numbered(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return names of which those that occur again have a number."""
    taken, result = {*names}, []
    seen: dict[str, int] = {}
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        unique = name
        while seen[name] > 1 and unique in taken:
            unique = f"{name} ({seen[name]})"
            seen[name] += unique in taken
        taken.add(unique)
        result.append(unique)
    return tuple(result)


def _uninformative(column: TableColumn) -> str:
    """Return why a column says nothing about the samples, "" if it does say something."""
    n_samples = column.n_samples
    if column.n_missing == n_samples:
        return "has no values"
    if n_samples > 1 and column.is_constant:
        return f"is always {excerpt(column.shown(0), width=30)!r}"
    if column.kind in ("numeric", "date", "vector"):
        return ANSWER.format(column.name) if _is_answer(column) else ""
    n_distinct = column.n_distinct
    if column.kind == "identifier":
        if column.reason == COUNTS_ROWS:
            return COUNTS_ROWS
        every = "each" if n_distinct == n_samples else "nearly each"
        return f"has a different value for {every} sample"
    if _is_answer(column):
        return ANSWER.format(column.name)
    is_scattered = n_distinct > max(MANY_LEVELS, n_samples / FEW_EACH)
    if column.kind == "nominal" and is_scattered:
        return f"has {n_distinct:,} values for {n_samples:,} samples, too many to compare by"
    return ""


def _is_answer(column: TableColumn) -> bool:
    """Tell whether a column is called as a class or a cluster is, and has as few values."""
    words = words_of(column.name)
    joined = " ".join(words)
    qualifiers = {"true", "gold", "known", "pred", "predicted", "id", "name", "nr", "no"}
    is_called = joined in ANSWER_NAMES or (
        bool(ANSWER_WORDS.intersection(words)) and not {*words} - ANSWER_WORDS - qualifiers
    )
    if not is_called or column.kind not in ("binary", "nominal", "numeric"):
        return False
    return 2 <= column.n_distinct <= MOST_ANSWERS and column.n_distinct < column.n_samples
