"""Of two rules that one delta breaks, the table in docs/semantics.md says which is named."""

from __future__ import annotations

import json

from partwire.contract.resources import read_rules
from partwire_testing.conformance.operations.streams import assemble_lines
from tests.differential.precedence import FAULTS, broken_pairs, order


def test_the_table_names_every_rule_that_a_delta_can_break() -> None:
    assert sorted(order()) == sorted(fault.name for fault in FAULTS)
    assert {name for name in order() if "/" in name} <= set(read_rules())


def test_the_first_rule_of_two_is_named() -> None:
    found = {}
    for kind, first, second, request in broken_pairs():
        error = assemble_lines(request.given, request.version)["error"]
        told = error["limit"] if error["rule"] == "stream/limit-exceeded" else error["rule"]
        assert error["line"] == len(request.given["deltas"]), json.dumps(request.given, indent=1)
        assert told == first, (kind, first, second)
        found[first, second, kind] = told
    assert len(found) > 150
    named = {name for first, second, _ in found for name in (first, second)}
    assert named == set(order())
