"""Formulas as nested tuples, written and evaluated by recursion, one sample at a time.

A tree is ``("and", left, right)``, ``("or", left, right)``, ``("not", operand)`` or
``("atom", name, comparison, value)``, with comparison and value None for a bare name and only the
value None for a test of whether one is missing.
"""

import json


def write(tree):
    """Return the tree as text with parentheses around every operand."""
    match tree:
        case ("and", left, right):
            return f"({write(left)})&({write(right)})"
        case ("or", left, right):
            return f"({write(left)})|({write(right)})"
        case ("not", operand):
            return f"~({write(operand)})"
        case ("atom", name, None, None):
            return _quoted(name)
        case ("atom", name, comparison, None):
            return f"{_quoted(name)}{comparison}?"
        case ("atom", name, comparison, value):
            return f"{_quoted(name)}{comparison}{json.dumps(value)}"


def truth(tree, row):
    """Return True, False or None (unknown) for a row, a dict of values in which None is missing."""
    match tree:
        case ("and", left, right):
            answers = {truth(left, row), truth(right, row)}
            return False if False in answers else None if None in answers else True
        case ("or", left, right):
            answers = {truth(left, row), truth(right, row)}
            return True if True in answers else None if None in answers else False
        case ("not", operand):
            answer = truth(operand, row)
            return None if answer is None else not answer
        case ("atom", name, "==" | "!=" as comparison, None):
            return (row[name] is None) == (comparison == "==")
        case ("atom", name, comparison, value):
            return None if row[name] is None else _compared(row[name], comparison, value)


def scope(tree, rows):
    """Return the rows for which the formula is surely true, as a list of bool."""
    return [truth(tree, row) is True for row in rows]


def _quoted(name):
    return "`" + name.replace("`", "``") + "`"


def _compared(found, comparison, value):
    match comparison:
        case None:
            return bool(found)
        case "==":
            return found == value
        case "!=":
            return found != value
        case "<":
            return found < value
        case "<=":
            return found <= value
        case ">":
            return found > value
        case ">=":
            return found >= value
