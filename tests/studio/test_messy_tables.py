"""A table as people have them: dates, gaps, columns without values, names that say nothing."""

import json

import pytest

from tests.studio.desk import visiting

WORDS = ("North", "South", "East")
HEADER = "no;owner;visit;income;region;empty;always;score;score"


def messy():
    """Return a CSV file with semicolons, decimal commas, dates and gaps."""
    lines = [HEADER]
    for row in range(24):
        owner = f"Zoë {row}" if row % 6 else "<b>Bob</b>"
        income = "" if row == 5 else f"{1000 * (row % 4) + row},50"
        cells = (f"C-{row}", owner, f"{row + 1:02d}.06.2025", income, WORDS[row % 3])
        lines.append(";".join((*cells, "", "x", str(row % 4), "1e9")))
    return "\n".join(lines).encode()


@pytest.fixture(scope="module")
def visitor():
    with visiting(content=messy(), n_clusters=3, name="messy.csv", ignore=("owner",)) as visitor:
        yield visitor


def columns(visitor):
    return {each["name"]: each for each in visitor.get("/api/columns").json()["columns"]}


def test_each_column_says_what_it_is_and_why(visitor):
    by_name = columns(visitor)
    assert by_name["visit"]["kind"] == "date"
    assert by_name["visit"]["reason"] == "dates like 01.06.2025"
    assert by_name["visit"]["histogram"]["ends"] == ["01.06.2025", "24.06.2025"]
    assert "decimal commas" in by_name["income"]["reason"]
    assert by_name["income"]["histogram"]["ends"] == ["0.5", "3,024"]
    assert by_name["income"]["oddities"] == ["1 value is missing"]
    assert by_name["empty"]["n_distinct"] == 0


def test_what_is_not_clustered_by_is_shown_unless_it_tells_nothing(visitor):
    roles = {name: each["role"] for name, each in columns(visitor).items()}
    assert roles == {
        "visit": "cluster",
        "income": "cluster",
        "region": "cluster",
        "score": "cluster",
        "owner": "show",
        "no": "show",
        "empty": "leave",
        "always": "leave",
        "score (2)": "leave",
    }
    page = visitor.get("/api/samples").json()
    assert set(page["columns"]) == {name for name, role in roles.items() if role != "leave"}
    values = visitor.get("/api/sample/0").json()["values"]
    assert {each["column"]: each["role"] for each in values} == {
        name: role for name, role in roles.items() if role != "leave"
    }


def test_dates_are_dates_wherever_a_person_reads_them(visitor):
    page = visitor.get("/api/samples").json()
    place = page["columns"].index("visit")
    assert page["rows"][2]["values"][place] == "03.06.2025"
    values = {
        each["column"]: each["value"] for each in visitor.get("/api/sample/2").json()["values"]
    }
    assert values["visit"] == "03.06.2025"
    telling = visitor.get("/api/sample/0").json()["telling"]
    assert {each["value"] for each in telling if each["column"] == "visit"} <= {"01.06.2025"}


def test_a_search_says_where_it_was_successful(visitor):
    answer = visitor.get("/api/samples?query=zoë 1").json()
    assert [each["name"] for each in answer["rows"]][:2] == ["C-1", "C-10"]
    assert answer["rows"][1]["match"] == {"column": "owner", "value": "Zoë 10"}
    (named,) = visitor.get("/api/samples?query=c-23").json()["rows"]
    assert (named["name"], named["match"]) == ("C-23", None)
    assert visitor.get("/api/samples?query=03.06.2025").json()["total"] == 1
    assert visitor.get("/api/samples?query=nobody").json()["total"] == 0


def test_a_search_does_not_look_into_columns_that_are_left_out(visitor):
    assert visitor.get("/api/samples?query=south").json()["total"] == 8
    visitor.say("columns", {"roles": {"region": "leave"}})
    assert visitor.get("/api/samples?query=south").json()["total"] == 0
    visitor.say("undo")
    assert visitor.get("/api/samples?query=south").json()["total"] == 8


def test_lists_of_numbers_are_shown_but_nothing_is_coloured_by_them():
    rows = [{"name": f"s{row}", "at": [row, row % 5, 1.5, 2], "x": row % 3} for row in range(12)]
    with visiting(content=json.dumps(rows).encode(), n_clusters=3, name="lists.json") as visitor:
        vector = columns(visitor)["at"]
        assert (vector["kind"], vector["histogram"]) == ("vector", None)
        answer = visitor.get(f"/api/columns/{vector['index']}/values")
        assert answer.status_code == 422
        assert "several numbers for each sample" in answer.json()["sentence"]
        values = visitor.get("/api/sample/1").json()["values"]
        assert {"[1, 1, 1.5, …]"} <= {each["value"] for each in values}
        assert visitor.get("/api/samples?query=1.5").json()["total"] == 12


def test_a_single_value_has_no_spread():
    with visiting(content=b"name,x,y\na,1,2\nb,1.1,2\nc,90,8\n", n_clusters=2) as visitor:
        clusters = visitor.state()["clusters"]
        (alone,) = [each for each in clusters if each["size"] == 1]
        assert {each["here"] for each in alone["telling"]} == {"90", "8"}
