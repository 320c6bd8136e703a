"""Rules as texts: reading, canonical form, errors; test_rule_columns.py has the data."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clustraint.constraints._formula_parser import MAX_LENGTH
from clustraint.constraints._rule import Rule
from clustraint.constraints.atoms import Atom
from clustraint.exceptions import ClustraintError, RuleSyntaxError
from tests.reference import formula as reference

LINE_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
COMPARISONS = ["==", "!=", "<", "<=", ">", ">="]
TOKENS = [*"?&|~()=!<>`'\"\\.+-#[]{},:; ", "==", "milk", "and", "not", "é", "4", "1e3", "'a'", "\n"]

names = st.one_of(
    st.sampled_from(["milk", "legs", "x0", "has fins", "a`b", "and", "ünï", "4legs", "milk "]),
    st.text(st.characters(exclude_characters=LINE_BREAKS, codec="utf-8"), min_size=1, max_size=5),
)
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
atoms = st.one_of(
    st.tuples(st.just("atom"), names, st.none(), st.none()),
    st.tuples(st.just("atom"), names, st.sampled_from(COMPARISONS), numbers | st.text(max_size=5)),
    st.tuples(st.just("atom"), names, st.sampled_from(["==", "!="]), st.none()),
)
trees = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.tuples(st.just("not"), inner),
        st.tuples(st.sampled_from(["and", "or"]), inner, inner),
    ),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("milk", "milk"),
        ("  milk\t&\n eggs ", "milk and eggs"),
        ("((milk))", "milk"),
        ("~(~(milk))", "not not milk"),
        ("~(legs==4)", "not legs is 4"),
        ("a|b&c", "a or b and c"),
        ("a|(b&c)", "a or b and c"),
        ("(a|b)&c", "(a or b) and c"),
        ("~(a|b)", "not (a or b)"),
        ("~a&b", "not a and b"),
        ("a|(b|(c|d))", "a or b or c or d"),
        ("a&(b&c)&(d|e)", "a and b and c and (d or e)"),
        ("Milk AND NOT eggs or x", "Milk and not eggs or x"),
        ("not(milk)", "not milk"),
        ("legs==+4", "legs is 4"),
        ("legs = 4", "legs is 4"),
        ("legs <> 4", "legs is not 4"),
        ("4 == legs", "legs is 4"),
        ("4 >= legs", "legs <= 4"),
        ("1<legs<=4", "1 < legs <= 4"),
        ("4 > legs >= 1.5", "1.5 <= legs < 4"),
        ("legs>=-0", "legs >= 0"),
        ("legs<007", "legs < 7"),
        ("size<.5", "size < 0.5"),
        ("size>1E3", "size > 1000"),
        ("size>1E30", "size > 1e+30"),
        ("size != 12345678901234567890123", "size is not 12345678901234567890123"),
        ("color=='red'", "color is red"),
        ("color is FR", "color is FR"),
        ("color is not 'New Zealand'", 'color is not "New Zealand"'),
        ("color in{red,'dark blue' , 4}", 'color in {red, "dark blue", 4}'),
        ("color NOT IN {'4'}", 'color not in {"4"}'),
        ("color is 'in' or color is 'missing'", 'color is "in" or color is "missing"'),
        (r"""color=='it\'s "so"'""", r'color is "it' + "'" + r's \"so\""'),
        (r'color=="\u00e9\t\/\\"', r'color is "é\t/\\"'),
        (r'color=="\ud83d\ude00"', 'color is "\U0001f600"'),
        (r'color=="\ud83d"', r'color is "\ud83d"'),
        ('color=="\u2028\x85"', r'color is "\u2028\u0085"'),
        ("`milk`", "milk"),
        ("'milk'", "milk"),
        ("`has fins`==1", '"has fins" is 1'),
        ("`a``b`|````", '"a`b" or "`"'),
        ("größe > 3", "größe > 3"),
        ("`and` | 'not'", '"and" or "not"'),
        ("known | missing is true", "known or missing"),
        ("`4` & _4", '"4" and _4'),
        ("legs==?|~(milk!= ?)", "legs is missing or not milk is known"),
        ("legs is not missing", "legs is known"),
        ("legs is not known", "legs is missing"),
        ("legs is nan", "legs is missing"),
        ("milk == True", "milk"),
        ("milk is false", "not milk"),
        ("milk is not false", "milk"),
    ],
)
def test_canonical_text(text, canonical):
    rule = Rule(text)
    assert rule.text == canonical
    assert Rule(canonical).text == canonical
    assert Rule(canonical) == rule


def test_zeros_before_a_number_do_not_count_as_digits():
    assert Rule("legs == -" + "0" * 5000 + "4").text == "legs is -4"


@given(trees)
def test_canonical_text_gives_the_same_rule(tree):
    rule = Rule(reference.write(tree))
    again = Rule(rule.text)
    assert again == rule
    assert again.text == rule.text
    assert hash(again) == hash(rule)
    assert len(rule.text.splitlines()) == 1
    assert rule.text.encode()


@given(trees)
def test_canonical_text_keeps_the_atoms_in_order(tree):
    def named(tree):
        return [tree[1]] if tree[0] == "atom" else [name for t in tree[1:] for name in named(t)]

    assert Rule(reference.write(tree)).attributes == tuple(dict.fromkeys(named(tree)))


@given(trees, st.sampled_from(["and", "or"]), trees, trees)
@settings(max_examples=30)
def test_nesting_of_one_operator_does_not_matter(left, operator, middle, right):
    to_the_left = (operator, (operator, left, middle), right)
    to_the_right = (operator, left, (operator, middle, right))
    assert Rule(reference.write(to_the_left)) == Rule(reference.write(to_the_right))


values = numbers | st.text(max_size=5)
signs = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
printed = st.one_of(
    st.tuples(names),
    st.tuples(names, st.sampled_from(["in", "not in"]), st.lists(values, min_size=1).map(tuple)),
    st.tuples(names, st.sampled_from(["< <", "< <=", "<= <="]), st.tuples(numbers, numbers)),
    st.tuples(names, signs, values),
    st.tuples(names, st.sampled_from(["==", "!="])),
).map(lambda parts: Atom(*parts))


@given(st.lists(st.tuples(printed, st.booleans()), min_size=1, max_size=5), st.booleans())
def test_what_is_printed_can_be_read(parts, all_of_them):
    texts = [f"{'not ' * negated}{atom.text}" for atom, negated in parts]
    text = (" and " if all_of_them else " or ").join(texts)
    assert Rule(text).text == text
    assert Rule(text).attributes == tuple(dict.fromkeys(atom.name for atom, _ in parts))


def rule_or_error(text):
    try:
        return Rule(text)
    except RuleSyntaxError as error:
        return error


@given(st.text() | st.lists(st.sampled_from(TOKENS), max_size=12).map("".join))
@settings(max_examples=400)
def test_any_text_is_a_rule_or_a_syntax_error(text):
    outcome = rule_or_error(text)
    if isinstance(outcome, Rule):
        assert Rule(outcome.text) == outcome
    else:
        assert 1 <= outcome.column <= len(text) + 1
        assert f"at column {outcome.column}:" in str(outcome)


@pytest.mark.parametrize(
    ("text", "column", "problem"),
    [
        ("", 1, "empty: expected a name, 'not' or '('"),
        (" \n ", 1, "empty: expected a name, 'not' or '('"),
        ("milk &", 7, "expected a name, 'not' or '(', found the end of the rule"),
        ("milk and  ", 9, "expected a name, 'not' or '(', found the end of the rule"),
        ("~", 2, "expected a name, 'not' or '(', found the end of the rule"),
        ("& milk", 1, "expected a name, 'not' or '(', found '&'"),
        ("()", 2, "expected a name, 'not' or '(', found ')'"),
        ("(a|(milk)", 10, "expected 'and', 'or' or ')' for the '(' at column 1, found the end"),
        ("(milk == 1", 11, "expected 'and', 'or' or ')' for the '(' at column 1, found the end"),
        ("milk)", 5, "expected a comparison, 'and', 'or' or the end of the rule, found ')'"),
        ("milk eggs", 6, "found 'eggs' (a name or text with spaces or signs in it stands in quot"),
        ("milk.eggs", 5, "found '.' (a name or text with spaces or signs in it stands in quotes)"),
        ("land is New Zealand", 13, "expected 'and', 'or' or the end of the rule, found 'Zealand'"),
        ("legs ==", 8, "expected a number, a text or 'missing', found the end of the rule"),
        ("legs is", 8, "expected a number, a text or 'missing', found the end of the rule"),
        ("legs in", 8, "expected values in braces, as in {red, blue}, found the end of the rule"),
        ("legs in {", 10, "expected a value, found the end of the rule"),
        ("legs in {2, ", 12, "expected a value, found the end of the rule"),
        ("legs in {2 4}", 12, "expected ',' or '}', found '4'"),
        ("c in {a, b and 7 more}", 12, "found 'and' (this set was printed short; its formula"),
        ("c in {a, missing}", 10, "a set holds numbers and texts: quote missing if it is a text"),
        ("legs > ?", 6, "a missing value can be compared by is and is not only"),
        ("legs < known", 6, "a missing value can be compared by is and is not only"),
        ("legs ?", 6, "expected a comparison, 'and', 'or' or the end of the rule, found '?'"),
        ("legs == ? 4", 11, "expected 'and', 'or' or the end of the rule, found '4'"),
        ("1 < legs > 4", 10, "a range has two signs of one direction, as in 2 < legs <= 4"),
        ("legs < 4 < 5", 10, "expected 'and', 'or' or the end of the rule, found '<'"),
        ("milk && eggs", 7, "(use 'and' for '&&')"),
        ("milk || eggs", 7, "(use 'or' for '||')"),
        ("!milk", 1, "(use 'not' for '!')"),
        ("milk & $", 8, "expected a name, 'not' or '(', found '$'"),
        ('color == "red', 10, 'a quoted value never ends: expected a closing "'),
        ("color == 'red", 10, "a quoted value never ends: expected a closing '"),
        ("color == 'r\ned'", 10, "a quoted value never ends"),
        ("`has fins", 1, "a name in backquotes never ends"),
        ("`has\nfins`", 1, "a name in backquotes never ends"),
        ("milk & ``", 8, "a name in backquotes is empty"),
        (r"color == 'a\x41'", 12, r"unknown escape '\\x' (write \\ for a backslash)"),
        (r"color == '\u12'", 11, r"unknown escape '\\u'"),
        ("size < 1e999", 8, "the number 1e999 is too large"),
        ("size < -" + "9" * 5000, 8, "is too large"),
        ("__import__('os')", 11, "'and', 'or' or the end of the rule, found '('"),
        ("a.__class__", 2, "found '.'"),
        ("lambda: 0", 7, "found ':'"),
    ],
)
def test_syntax_errors_say_where_and_what(text, column, problem):
    with pytest.raises(RuleSyntaxError) as caught:
        Rule(text)
    assert caught.value.column == column
    assert problem in str(caught.value)
    assert f"at column {column}:" in str(caught.value)


@pytest.mark.parametrize("text", [None, 3, b"milk", ["milk"], Rule("milk")])
def test_a_rule_must_be_text(text):
    with pytest.raises(
        RuleSyntaxError, match="a rule must be a text such as 'milk and not eggs'"
    ) as e:
        Rule(text)
    assert e.value.column == 1


@pytest.mark.parametrize("exactly", ["no", 1, None])
def test_exactly_must_be_a_truth_value(exactly):
    with pytest.raises(ClustraintError, match="exactly must be True or False, but is"):
        Rule("milk", exactly=exactly)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 49_999 + "x0" + ")" * 49_999,
        "~" * 24_000 + "x0",
        "~(" * 24_000 + "x0" + ")" * 24_000,
        "x0|(" * 10_000 + "x0" + ")" * 10_000,
        "x0&(x0|(" * 5_000 + "x0" + "))" * 5_000,
    ],
    ids=["parentheses", "negations", "both", "one operator", "two operators"],
)
def test_deep_nesting_does_not_recurse(text):
    rule = Rule(text)
    assert rule.scope(np.array([[1], [0]])).tolist() == [True, False]


@pytest.mark.parametrize("text", ["(" * 50_000, "~" * 50_000, "a|(" * 10_000, ")" * 50_000])
def test_deep_nesting_that_is_wrong_is_a_syntax_error(text):
    with pytest.raises(RuleSyntaxError, match="expected a name, 'not' or '\\('"):
        Rule(text)


def test_a_very_long_rule_is_a_syntax_error():
    with pytest.raises(RuleSyntaxError, match=r"may have 100,000 characters, .* has 100,001"):
        Rule("a" * (MAX_LENGTH + 1))
    assert Rule("a" * MAX_LENGTH).text == "a" * MAX_LENGTH


def test_a_rule_too_long_in_canonical_form_is_a_syntax_error():
    with pytest.raises(RuleSyntaxError, match="150,001 when written with single spaces"):
        Rule("|".join(["a"] * 30_001))


def test_repr_and_str():
    together, exactly = Rule("(milk)&~eggs"), Rule("feathers", exactly=True)
    assert repr(together) == "Rule('milk and not eggs')"
    assert repr(exactly) == "Rule('feathers', exactly=True)"
    assert str(together) == "together: milk and not eggs"
    assert str(exactly) == "exactly: feathers"
    assert (together.kind, exactly.kind) == ("together", "exactly")


def test_equality_and_hash_follow_canonical_text_and_exactly():
    assert Rule("a & b") == Rule("(a)&(b)")
    assert Rule("a & b") != Rule("b & a")
    assert Rule("a") != Rule("a", exactly=True)
    assert Rule("a") != "a"
    assert len({Rule("a"), Rule("(a)"), Rule("a", exactly=True), Rule("a", np.True_)}) == 2


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickle(protocol):
    rule = Rule("`has fins` & legs == 4", exactly=True)
    again = pickle.loads(pickle.dumps(rule, protocol))
    assert again == rule
    assert again.scope(np.array([[1, 4]]), ["has fins", "legs"]).tolist() == [True]


def test_copy():
    rule = Rule("milk", exactly=True)
    assert copy.deepcopy(rule) == copy.copy(rule) == rule


def test_rules_cannot_be_changed():
    rule = Rule("milk")
    with pytest.raises(AttributeError):
        rule.text = "eggs"
    with pytest.raises((AttributeError, TypeError)):
        rule.other = 1


def test_a_subclass_of_str_is_a_text():
    rule = Rule(np.str_("milk | eggs"))
    assert type(rule.text) is str
    assert all(type(name) is str for name in rule.attributes)
