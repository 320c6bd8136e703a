"""What tests of contradictions ask of them."""

import pytest

from clustraint.exceptions import InconsistentConstraintsError
from tests.reference import build as reference
from tests.strategies_constraints import KINDS, without_one


def tables(constraints):
    return [list(map(tuple, getattr(constraints, kind).tolist())) for kind in KINDS]


def fits_a_hierarchy(constraints):
    return reference.has_clustered_hierarchy(range(constraints.n_samples), *tables(constraints))


def contradiction_of(constraints, **arguments):
    with pytest.raises(InconsistentConstraintsError) as caught:
        constraints.check(**arguments)
    return caught.value


def assert_part_of(witness, constraints):
    assert witness.n_samples == constraints.n_samples
    assert witness.names == constraints.names
    assert constraints | witness == constraints


def assert_minimal(witness):
    assert not witness.is_consistent()
    for rest in without_one(witness):
        assert rest.is_consistent()
