"""Texts that are numbers: both decimal signs, money, percent, units, negatives in parentheses."""

from __future__ import annotations

import re
from typing import Any, Literal, NamedTuple, TypeAlias

from clustraint.wording import excerpt, listed

Decimal: TypeAlias = Literal[".", ","]

# Spellings of a missing value, in lower case; those of NUMBERS_ONLY are a value among others in a
# column of categories ("none" may be an answer), but not in one of numbers or dates.
SPELLINGS = frozenset(
    ("", "?", "na", "n/a", "n.a.", "#n/a", "<na>", "nan", "nat", "null", "-", "--", "–", "—", "\\n",
     "unknown", "missing", "(blank)", "not available", "#null!", "#value!", "#ref!", "#div/0!",
     "#num!", "#name?")
)  # fmt: skip
NUMBERS_ONLY = frozenset(("none", ".", "..", "...", "nil", "k.a.", "keine angabe", "not known"))
# As they are usually written, so that polars finds them while it reads.
MISSING = frozenset(
    ("", "?", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "null", "NULL", "None", "-", "unknown")
)

PLAIN = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
# Plain numbers that are no codes: no zeros lead them.
TYPED = r"^-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?$"
WHOLE = r"^-?(?:0|[1-9][0-9]{0,17})$"
LEADING_ZERO = r"^[+-]?0[0-9]+$"
# May be 1.234 or 1234, by what a point or comma means.
AMBIGUOUS = r"^[+-]?[1-9][0-9]{0,2}[.,][0-9]{3}$"
# From here on neighbouring whole numbers are one float.
LARGEST_WHOLE = 2**53

CURRENCY = (
    r"\p{Sc}|US\$|A\$|C\$|R\$|kr\.?|Kč|zł|Fr\.|Rs\.?|(?:EUR|USD|GBP|CHF|JPY|CNY|INR|BRL|CAD|AUD|NZD|"
    r"SEK|NOK|DKK|PLN|CZK|HUF|RUB|TRY|MXN|ZAR|KRW|SGD|HKD|ILS)"
)
GAPS = r"'’\u{00a0}\u{202f}\u{2009} "
# Groups: parenthesis, sign, currency, sign, digits, what follows, sign, parenthesis.
NUMBER = (
    rf"^(\()?\s*([-+−–])?\s*({CURRENCY})?\s*([-+−–])?\s*"
    rf"([0-9](?:[0-9.,{GAPS}]*[0-9.,])?(?:[eE][+-]?[0-9]{{1,3}})?|[.,][0-9]+)"
    rf"\s*({CURRENCY}|%|‰|°?[\p{{L}}µΩ][\p{{L}}0-9µΩ/²³^.·]{{0,9}}|°)?\s*(-)?\s*(\))?$"
)
BODIES: dict[str, str] = {
    ".": rf"^(?:[0-9]+|[1-9][0-9]{{0,2}}(?:[,{GAPS}][0-9]{{2,3}})*[,{GAPS}][0-9]{{3}})?"
    r"(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?$",
    ",": rf"^(?:[0-9]+|[1-9][0-9]{{0,2}}(?:[.{GAPS}][0-9]{{3}})+)?(?:,[0-9]*)?"
    r"(?:[eE][+-]?[0-9]+)?$",
}
# A column is taken for numbers of a unit only if so large a share of them has it.
UNIT_SHARE = 0.5
# A column with so large a share of numbers was probably meant to hold nothing else.
NEARLY = 0.8


def missing_expr(cells: Any, more: frozenset[str] = frozenset(), *, numbers: bool = False) -> Any:
    """Return texts without blanks around them, null where they spell a missing value."""
    import polars as pl

    spellings = SPELLINGS | more | (NUMBERS_ONLY if numbers else frozenset())
    trimmed = cells.str.strip_chars()
    missing = trimmed.str.to_lowercase().is_in(sorted(spellings)) | (trimmed == "None")
    return pl.select(pl.when(~missing).then(trimmed)).to_series().alias(cells.name)


def sample_dtype(sample: Any, comma: bool) -> Any:
    """Return the type as which polars may read a column of which this is a sample."""
    import polars as pl

    present = sample.drop_nulls()
    if not len(present) or not present.str.contains(TYPED).all():
        return pl.String
    if comma and present.str.contains(AMBIGUOUS).any():
        return pl.String
    return pl.Int64 if present.str.contains(WHOLE).all() else pl.Float64


def decimal_vote(cells: Any) -> Decimal | None:
    """Return the decimal sign that a column of texts has for sure."""
    shape = NumberShape.of(cells.drop_nulls().head(1000))
    return shape.sure if shape is not None else None


class NumberShape(NamedTuple):
    """How the numbers of a column are written.

    Attributes
    ----------
    signs : tuple of str
        The decimal signs by which all of them are numbers.
    is_ambiguous : bool
        Whether these give different numbers.
    before, after : tuple of str
        What stands before and after the digits.
    has_brackets : bool
        Whether parentheses mean negatives.
    has_groups : bool
        Whether thousands are separated.
    leads_zero : bool
        Whether zeros lead whole numbers, as in codes.
    """

    signs: tuple[str, ...]
    is_ambiguous: bool
    before: tuple[str, ...]
    after: tuple[str, ...]
    has_brackets: bool
    has_groups: bool
    leads_zero: bool

    @classmethod
    def of(cls, present: Any) -> NumberShape | None:
        """Return how texts write numbers, None if one of them is not a number."""
        if not len(present) or not present.head(20).str.contains(NUMBER).all():
            return None
        distinct = present.unique(maintain_order=True)
        if not distinct.str.contains(NUMBER).all():
            return None
        parts = distinct.str.extract_groups(NUMBER).struct
        bodies = parts.field("5").str.strip_chars()
        signs = tuple(sign for sign, body in BODIES.items() if bodies.str.contains(body).all())
        opened, closed = parts.field("1").is_not_null(), parts.field("8").is_not_null()
        if not signs or (opened != closed).any():
            return None
        before, after = _affixes(parts.field("3")), _affixes(parts.field("6"))
        if not _is_one_unit(before, after, parts, len(distinct)):
            return None
        has_groups = bodies.str.contains(rf"[{GAPS}]|[.,][0-9]{{2,3}}[.,]|[.,][0-9]{{3}}$").any()
        ambiguous = len(signs) > 1 and bodies.str.contains(AMBIGUOUS).any()
        zeros = not (before or after) and bodies.str.contains(LEADING_ZERO).any()
        return cls(
            signs, bool(ambiguous), before, after, bool(opened.any()), bool(has_groups), bool(zeros)
        )

    @property
    def sure(self) -> Decimal | None:
        """The decimal sign, if the texts leave no other."""
        sure: dict[tuple[str, ...], Decimal] = {(".",): ".", (",",): ","}
        return sure.get(self.signs)

    def sign(self, decimal: str | None, delimiter: str | None) -> str:
        """Return the decimal sign to read by: the column's own, or that of the file."""
        if len(self.signs) == 1:
            return self.signs[0]
        return decimal or ("," if delimiter == ";" else ".")

    def read(self, cells: Any, sign: str) -> Any:
        """Return the numbers that texts mean, null where there is none."""
        import polars as pl

        parts = cells.str.extract_groups(NUMBER).struct
        body = parts.field("5").str.replace_all(rf"[{GAPS}{'.' if sign == ',' else ','}]", "")
        numbers = body.str.replace(",", ".", literal=True).cast(pl.Float64, strict=False)
        minus = (
            parts.field("1").is_not_null()
            | parts.field("2").is_in(["-", "−", "–"]).fill_null(False)
            | parts.field("4").is_in(["-", "−", "–"]).fill_null(False)
            | parts.field("7").is_not_null()
        )
        signed = pl.select(pl.when(minus).then(-numbers).otherwise(numbers)).to_series()
        return signed.alias(cells.name)

    def words(self, sign: str) -> str:
        """Return in words how the numbers are written, "" if there is nothing to say."""
        remarks = []
        affixes = [*self.before, *self.after]
        if affixes == ["%"]:
            remarks.append("per cent")
        elif affixes:
            money = all(re.fullmatch(_PYTHON_CURRENCY, each) for each in affixes)
            remarks.append(f"{'money in' if money else 'in'} {listed(affixes)}")
        if sign == "," and (len(self.signs) == 1 or self.is_ambiguous):
            remarks.append("decimal commas")
        if self.has_groups and (len(self.signs) == 1 or self.is_ambiguous):
            remarks.append("thousands separators")
        if self.has_brackets:
            remarks.append("parentheses for negatives")
        return ", ".join(remarks)


_PYTHON_CURRENCY = re.compile(
    CURRENCY.replace(r"\p{Sc}", "[$€£¥₹₽₩₺₴₫฿¢₪₦]"),
)


def _affixes(texts: Any) -> tuple[str, ...]:
    return tuple(texts.drop_nulls().unique(maintain_order=True).to_list())


def _is_one_unit(before: tuple[str, ...], after: tuple[str, ...], parts: Any, count: int) -> bool:
    """Tell whether all numbers are of one unit, so that they can be compared."""
    affixes = {*before, *after}
    if not affixes:
        return True
    if len(affixes) > 1:
        return False
    with_unit = parts.field("3").is_not_null() | parts.field("6").is_not_null()
    return bool(with_unit.sum() >= UNIT_SHARE * count)


def nearly_numbers(present: Any) -> str:
    """Return a warning of texts of which a few keep a column from being numeric."""
    start = present.head(1000)
    if (~start.str.contains(NUMBER)).sum() > 0.5 * len(start):
        return ""
    counts = present.alias("value").value_counts().sort("count", "value", descending=[True, False])
    values, sizes = counts[:, 0], counts[:, 1]
    odd = ~values.str.contains(NUMBER)
    n_odd = int(sizes.filter(odd).sum())
    if not n_odd or n_odd > (1 - NEARLY) * len(present):
        return ""
    if NumberShape.of(values.filter(~odd)) is None:
        return ""
    return f"would be numeric but for {excerpt(values.filter(odd)[0], width=30)!r}"
