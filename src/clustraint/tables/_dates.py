"""Texts that are dates or times of day, and what of a date may matter."""

from __future__ import annotations

from typing import Any, NamedTuple

# polars' (and C's) directives; %d and %m also read one digit.
TIMES = ("", "%H:%M", "%H:%M:%S", "%H:%M:%S%.f", "%I:%M %p", "%I:%M:%S %p")
DAYS = {
    r"^\d{4}-\d{1,2}-\d{1,2}": ("%Y-%m-%d",),
    r"^\d{4}/\d{1,2}/\d{1,2}": ("%Y/%m/%d",),
    r"^\d{4}\.\d{1,2}\.\d{1,2}": ("%Y.%m.%d",),
    r"^\d{1,2}\.\d{1,2}\.\d{4}": ("%d.%m.%Y",),
    r"^\d{1,2}\.\d{1,2}\.\d{2}\b": ("%d.%m.%y",),
    r"^\d{1,2}/\d{1,2}/\d{4}": ("%m/%d/%Y", "%d/%m/%Y"),
    r"^\d{1,2}/\d{1,2}/\d{2}\b": ("%m/%d/%y", "%d/%m/%y"),
    r"^\d{1,2}-\d{1,2}-\d{4}": ("%d-%m-%Y", "%m-%d-%Y"),
    r"^\d{1,2}[ -]\p{L}{3,9}\.?[ -]\d{4}": ("%d %b %Y", "%d %B %Y"),
    r"^\d{1,2}[ -]\p{L}{3}[ -]\d{2}\b": ("%d %b %y",),
    r"^\p{L}{3,9}\.? \d{1,2},? \d{4}": ("%b %d %Y", "%B %d %Y"),
    r"^\p{L}{3,9} \d{4}$": ("%d %b %Y", "%d %B %Y"),
    r"^\d{4}-\d{2}$": ("%Y-%m",),
}
COMPACT = r"^(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$"
TIME_OF_DAY = r"^\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?$"
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
# Years that are no slip of the pen.
YEARS = (1000, 3000)
DAY = 86_400_000_000


class DateShape(NamedTuple):
    """How the dates of a column are written: a format, and whether another would do."""

    format: str
    is_ambiguous: bool = False

    @property
    def day_first(self) -> bool | None:
        """Whether the day comes before the month, None where no one could doubt it."""
        if self.format[:3] in ("%d/", "%d-"):
            return True
        return False if self.format[:3] in ("%m/", "%m-") else None

    @property
    def words(self) -> str:
        """The order of the parts, where it could be doubted."""
        if not self.is_ambiguous:
            return ""
        order = "day before month" if self.day_first else "month before day"
        return f"dates read as {order}, which others may not mean (day_first=)"


def date_shape(present: Any, day_first: bool | None) -> DateShape | None:
    """Return how texts write dates, None if one of them is not a date."""
    distinct = present.unique(maintain_order=True)
    start = distinct.head(20)
    for pattern, formats in DAYS.items():
        if start.str.contains(pattern).all():
            if day_first is not None and len(formats) > 1 and "%b" not in formats[0]:
                formats = tuple(each for each in formats if (each[:2] == "%d") == day_first)
            shapes = [f"{day} {time}".strip() for day in formats for time in TIMES]
            possible = [shape for shape in shapes if _is_all(start, shape)]
            possible = [shape for shape in possible if _is_all(distinct, shape)]
            if possible:
                orders = {shape[:2] for shape in possible}
                return DateShape(possible[0], is_ambiguous=len(orders) > 1)
    return None


def _is_all(texts: Any, format: str) -> bool:
    dates = read_dates(texts, format)
    if dates.null_count():
        return False
    years = dates.dt.year()
    return bool(years.min() >= YEARS[0] and years.max() <= YEARS[1])


def read_dates(cells: Any, format: str) -> Any:
    """Return texts as moments, null where one is none."""
    import polars as pl

    plain = (
        cells.str.replace(r"(\d)[T ]\s*(\d{1,2}:)", "$1 $2")
        .str.replace(r"(:\d{2}(?:\.\d+)?)\s*(?:Z|[+-]\d{2}:?\d{2}|UTC)$", "$1")
        .str.to_uppercase()
    )
    if format.startswith("%d %") or "%b" in format or "%B" in format:
        plain = plain.str.replace_all(r"[-.,]", " ").str.replace_all(r"\s+", " ")
        # A month alone begins on its first day.
        plain = plain.str.replace(r"^(\p{L}+ \d{4})$", "1 $1")
    if format == "%Y-%m":
        plain, format = plain + "-01", "%Y-%m-%d"
    return plain.str.to_datetime(format, strict=False, time_unit="us").cast(pl.Datetime("us"))


def days_of(moments: Any) -> Any:
    """Return moments as days since 1970, with fractions for the time of day."""
    import polars as pl

    if moments.dtype == pl.Date:
        return moments.to_physical().cast(pl.Float64)
    if getattr(moments.dtype, "time_zone", None):
        moments = moments.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    return moments.cast(pl.Datetime("us")).to_physical().cast(pl.Float64) / DAY


def hours_of(cells: Any) -> Any:
    """Return times of day as hours, null where a text is none."""
    import polars as pl

    parts = cells.str.extract_groups(r"^(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d+)?))?$").struct
    hours, minutes, seconds = (
        parts.field(name).cast(pl.Float64, strict=False) for name in ("1", "2", "3")
    )
    return hours + minutes / 60 + seconds.fill_null(0.0) / 3600
