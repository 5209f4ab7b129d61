"""Why ``meta`` does not declare the provider's word for the end of a stream: it cannot.

Source: docs/decisions/0006-opaque-data-ends-its-part.md.
"""

from __future__ import annotations

import copy
from typing import Any

from partwire import validate
from partwire.compat import compare
from partwire.contract.resources import bundle

NAME = "providerFinishReason"


def meta_schema(version: str, **declared: Any) -> dict[str, Any]:
    definitions = copy.deepcopy(dict(bundle("message", version)["$defs"]))
    definitions["MessageMeta"]["properties"] |= declared
    return {"$ref": "#/$defs/MessageMeta", "$defs": definitions}


def test_to_declare_the_providers_word_would_break_what_v0_1_allows() -> None:
    old, new = meta_schema("v0.1"), meta_schema("v0.2")
    assert NAME not in new["$defs"]["MessageMeta"]["properties"]
    assert compare(old, new).status == "compatible"
    declared = meta_schema("v0.2", **{NAME: {"$ref": "#/$defs/ProviderFinishReason"}})
    assert compare(old, declared).left_out
    verdict = compare(new, declared, reading="exact")
    assert verdict.status == "breaking"
    assert set(verdict.witness) == {NAME}


def test_what_stands_under_that_name_is_kept() -> None:
    """What a writer of v0.1 has put there is valid in v0.2, whatever it is."""
    for value in (0, None, "", {"code": 3}, "end_turn"):
        assert validate({NAME: value}, "message.MessageMeta") == []
