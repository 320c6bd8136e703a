"""Constraints and what became of them, as a notebook shows them."""

from clustraint import Constraints, Rule
from clustraint.evaluation import constraint_satisfaction
from tests.html_page import read_page

NAMES = ["<b>ant</b>", "bee & co", "cow", "dog"]


def cells(html):
    return [
        [cell.text for cell in row.children]
        for body in read_page(html).find("tbody")
        for row in body.find("tr")
    ]


def test_each_kind_with_its_first_rows_by_name():
    constraints = Constraints(
        4,
        must_link=[(0, 1)],
        cannot_link=[(0, 2), (0, 3), (1, 2), (1, 3)],
        triplets=[(0, 1, 2)],
        rules=[Rule("milk")],
        names=NAMES,
    )
    html = constraints._repr_html_()
    assert "<b>" not in html
    assert cells(html) == [
        ["must-links", "1", "<b>ant</b> = bee & co"],
        ["cannot-links", "4", "<b>ant</b> != cow; <b>ant</b> != dog; bee & co != cow; …"],
        ["triplets", "1", "<b>ant</b>, bee & co | cow"],
        ["rules", "1", "together: milk"],
    ]


def test_without_constraints_the_table_is_empty():
    html = Constraints(1)._repr_html_()
    assert cells(html) == []
    assert "Constraints on 1 sample" in html


def test_a_report_shows_what_is_violated():
    constraints = Constraints(4, must_link=[(0, 1), (2, 3)], names=NAMES)
    kept = constraint_satisfaction(constraints, [0, 0, 1, 1])._repr_html_()
    assert cells(kept) == [["must-links", "2", "2", "0"]]
    broken = constraint_satisfaction(constraints, [0, 0, 1, 2])._repr_html_()
    assert cells(broken) == [["must-links", "2", "1", "1"], ["must-links", "1", "cow = dog"]]
