"""A table of customers as a shop exports it: four segments by behaviour, and much beside it."""

import csv
import io

import numpy as np

# Orders in a year, value of a basket, share bought on sale, days since the last order.
SEGMENTS = {
    "loyal": (24, 60, 0.15, 20),
    "bargain hunters": (10, 25, 0.80, 60),
    "big spenders": (6, 400, 0.10, 45),
    "lapsed": (1, 50, 0.40, 400),
}
HEADER = ("Customer ID", "Name", "ZIP", "Phone", "Signed up", "Orders / year", "Average basket",
          "Bought on sale", "Days since order", "Newsletter", "Channel", "Balance")  # fmt: skip


def customers(n_rows=3000, seed=0):
    """Return a CSV file, whose last row repeats an earlier one, and the segment of each row."""
    random = np.random.default_rng(seed)
    segments = random.integers(0, len(SEGMENTS), n_rows)
    rows = [_row(random, number, list(SEGMENTS.values())[s]) for number, s in enumerate(segments)]
    rows[-1], segments[-1] = rows[17], segments[17]
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(HEADER)
    writer.writerows(rows)
    return buffer.getvalue(), segments


def _row(random, number, segment):
    orders, basket, on_sale, days = segment
    day = np.datetime64("2019-01-01") + int(random.integers(0, 1800))
    signed_up = day.astype(object).strftime("%m/%d/%Y")
    balance = random.normal(0, 80)
    blank = random.random(5) < 0.04
    first = ("Anna", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hana")[random.integers(8)]
    return (
        f"C{number:05d}",
        f"{first} {chr(65 + number % 26)}{'aeiou'[number % 5]}{number:x}",
        f"{random.integers(0, 775) * 13 + 501:05d}",
        f"({random.integers(200, 999)}) 555-{random.integers(1000, 9999)}",
        signed_up,
        "" if blank[0] else str(max(0, round(random.normal(orders, 1 + orders / 8)))),
        "N/A" if blank[1] else f"${max(1, random.normal(basket, basket / 6)):,.2f}",
        "" if blank[2] else f"{np.clip(random.normal(on_sale, 0.06), 0, 1):.0%}",
        "-" if blank[3] else str(max(0, round(random.normal(days, 10 + days / 8)))),
        ("yes", "no", "Y", "N")[random.integers(4)],
        "" if blank[4] else ("web", "store", "Web", "phone")[random.integers(4)],
        f"(${-balance:,.2f})" if balance < 0 else f"${balance:,.2f}",
    )
