"""Laws of migration over generated documents: up loses nothing, down is valid, losses say all."""

from __future__ import annotations

import copy
import os
import random
from itertools import combinations
from typing import Any, Final, TypeAlias

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partwire.contract.resources import bundle
from partwire.contract.schemas import describe_types, standalone_schema
from partwire.convert import VERSIONS, Migrated, MigrationError, downgrade, migrate
from partwire.json.pointer import value_at
from partwire.reading.pipeline import read, to_wire, validate
from tests.convert.bridge_law import without
from tests.strategies import Documents

# The environment asks for more: 2,000 of each type take about five minutes of one core.
COUNT = int(os.environ.get("PARTWIRE_MIGRATE_DOCUMENTS", "60"))

Way: TypeAlias = tuple[str, str]
PUBLIC = {
    version: [row.type for row in describe_types(version) if row.public] for version in VERSIONS
}
TYPES = PUBLIC["v0.1"]
WAYS = [(old, new) for old, new in combinations(VERSIONS, 2)]
STATE: Final = ("v0.1", "v0.2")
"""The way on which provider state moves."""


def up(document: Any, type_name: str, way: Way = STATE) -> Migrated:
    return migrate(document, way[1], type_name, way[0])


def down(document: Any, type_name: str, way: Way = STATE) -> Migrated:
    return downgrade(document, way[0], type_name, way[1])


def is_valid(document: Any, type_name: str, version: str) -> bool:
    return not any(f.severity == "error" for f in validate(document, type_name, version))


def generated(type_name: str, version: str, count: int = COUNT) -> list[Any]:
    """Return valid documents, some with members that no version names."""
    maker = Documents(f"migrate {type_name} {version}", version)
    found: list[Any] = []
    tries = 0
    while len(found) < count:
        tries += 1
        assert tries < 200 * count, f"{type_name}: hardly a valid document is made"
        document = maker.valid(type_name)
        if isinstance(document, dict) and "schema_version" in document:
            document["schema_version"] = version
        if is_valid(document, type_name, version):
            found.append(document)
    return found


def assert_valid(document: Any, type_name: str, version: str) -> None:
    assert is_valid(document, type_name, version), validate(document, type_name, version)
    jsonschema.Draft202012Validator(standalone_schema(type_name, version)).validate(document)


def test_the_public_types_of_all_versions_are_the_same() -> None:
    assert all(types == TYPES for types in PUBLIC.values())
    assert len(TYPES) > 20


@pytest.mark.parametrize("type_name", TYPES)
@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_up_loses_nothing_and_down_gives_the_same_again(type_name: str, way: Way) -> None:
    for document in generated(type_name, way[0]):
        given_ = copy.deepcopy(document)
        lifted = up(document, type_name, way)
        assert {loss.code for loss in lifted.losses} <= {"unknown-member"}
        assert_valid(lifted.value, type_name, way[1])
        again = down(lifted.value, type_name, way)
        assert not [each for each in again.losses if each.severity == "lossy"]
        assert document == given_
        assert again.value == without(given_, lifted.losses, items=False)


@pytest.mark.parametrize("type_name", TYPES)
@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_what_goes_down_is_valid_and_says_what_it_lost(type_name: str, way: Way) -> None:
    for document in generated(type_name, way[1]):
        check_down(document, type_name, way)


def has_no_place(document: Any, type_name: str) -> bool:
    """Tell whether a document is a part or delta of a kind that v0.3 brought."""
    if type_name not in {"message.MessagePart", "message.MessageDelta"}:
        return False
    known = bundle("message", "v0.2")["$defs"][type_name.partition(".")[2]]["discriminator"]
    return document["kind"] not in known["mapping"]


def check_down(document: Any, type_name: str, way: Way = STATE) -> None:
    given_ = copy.deepcopy(document)
    if has_no_place(document, type_name):
        with pytest.raises(MigrationError) as caught:
            down(document, type_name, way)
        assert [each.pointer for each in caught.value.findings] == [""]
        return
    lowered = down(document, type_name, way)
    assert document == given_
    assert_valid(lowered.value, type_name, way[0])
    for loss in lowered.losses:
        value_at(document, loss.pointer.rpartition("/")[0])  # raises where nothing is
    back = up(lowered.value, type_name, way)
    assert back.losses == []
    assert down(back.value, type_name, way).value == lowered.value
    if type_name.startswith("envelope.") and isinstance(document, dict):
        # Up says the type of the message, whether it was said or not.
        given_.setdefault("message_type", back.value.get("message_type"))
        if given_["message_type"] is None:
            del given_["message_type"]
    if any(loss.code != "message-type" for loss in lowered.losses):
        assert back.value != given_
    else:
        assert back.value == given_


# --- provider state -------------------------------------------------------------------------------

TEXTS = st.sampled_from(["", "a", "ab", "é🌍"])
ITEM: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"kind": st.sampled_from(["signature", "citation"]), "data": st.sampled_from(["x", None, {}])},
    optional={
        "start": st.sampled_from([0, 0, 1, 0.0]),
        "end": st.sampled_from([0, 0, 1, True]),
        "partOffset": st.sampled_from([-1, 1, 2, 0, 9, True, "x"]),
    },
)
ITEMS = st.lists(ITEM, min_size=1, max_size=3)
ODD: st.SearchStrategy[Any] = st.sampled_from([None, [], {}, "x", [1], [[]], 1, {"items": []}])
CALL_IDS = ("call_0", "call_1", "call_2")


def _parts(opaque: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[list[Any]]:
    def text(kind: str) -> st.SearchStrategy[dict[str, Any]]:
        payload = st.builds(lambda text, more: {"text": text, **more}, TEXTS, opaque)
        return st.builds(lambda payload: {"kind": kind, "payload": payload}, payload)

    call = st.builds(
        lambda more: {"kind": "tool_call", "payload": {"toolName": "t", "arguments": {}, **more}},
        opaque,
    )
    return st.lists(st.one_of(text("text"), text("thinking"), call), max_size=5).map(_numbered)


def _numbered(parts: list[Any]) -> list[Any]:
    ids = iter(CALL_IDS)
    made = []
    for part in parts:
        call_id = next(ids, None) if part["kind"] == "tool_call" else None
        if call_id is not None:
            made.append({**part, "payload": {**part["payload"], "toolCallId": call_id}})
        elif part["kind"] != "tool_call":
            made.append(part)
    return made


OLD_STATE = st.fixed_dictionaries(
    {
        "dialect": st.sampled_from(["p", "p", "p", "q", ""]),
        "parts": st.dictionaries(
            st.sampled_from([*"0123456", "00", "x", "-1"]), st.one_of(ITEMS, ITEMS, ODD)
        ),
    },
    optional={
        "toolCallIds": st.dictionaries(
            st.sampled_from([*CALL_IDS, "other"]), st.sampled_from([None, "own", "", 1, []])
        ),
        "more": st.just(1),
    },
)
METAS = st.fixed_dictionaries({}, optional={"opaque": st.one_of(OLD_STATE, ODD), "x": st.just(1)})
NO_OPAQUE: st.SearchStrategy[dict[str, Any]] = st.just({})
NEW_STATE = st.one_of(
    NO_OPAQUE,
    st.builds(
        lambda provider, data: {"opaque": {"provider": provider, "data": data}},
        st.sampled_from(["p", "p", "p", "q"]),
        st.one_of(
            st.fixed_dictionaries({"items": ITEMS}),
            st.fixed_dictionaries(
                {"items": st.lists(ITEM, max_size=2)},
                optional={"toolCallId": st.sampled_from([None, "own", 1])},
            ),
            st.sampled_from([{}, {"items": [1]}, {"items": "x"}, {"x": 1}, {"toolCallId": "own"}]),
        ),
    ),
)


def _message(parts: list[Any], role: str, meta: Any) -> dict[str, Any]:
    if role != "assistant":
        parts = [part for part in parts if part["kind"] == "text"]
    made = {"runId": "r", "role": role, "parts": parts, "timestamp": "2026-01-02T03:04:05Z"}
    return made if meta is None else {**made, "meta": meta}


ROLES = st.sampled_from(["assistant", "assistant", "assistant", "user"])
OLD_MESSAGES = st.builds(_message, _parts(NO_OPAQUE), ROLES, st.one_of(st.none(), METAS))
NEW_MESSAGES = st.builds(_message, _parts(NEW_STATE), ROLES, st.one_of(st.none(), METAS))


@given(OLD_MESSAGES)
@settings(max_examples=200, deadline=None)
def test_provider_state_goes_up_and_comes_down_the_same(message: dict[str, Any]) -> None:
    lifted = up(message, "message.Message")
    assert lifted.losses == []
    assert_valid(lifted.value, "message.Message", "v0.2")
    again = down(lifted.value, "message.Message")
    assert again.value == message
    assert {loss.severity for loss in again.losses} <= {"info"}


@given(NEW_MESSAGES)
@settings(max_examples=200, deadline=None)
def test_provider_state_goes_down_as_far_as_it_is_said(message: dict[str, Any]) -> None:
    check_down(message, "message.Message")


@given(NEW_MESSAGES)
@settings(max_examples=100, deadline=None)
def test_structs_and_text_take_the_same_way_as_values(message: dict[str, Any]) -> None:
    plain = down(message, "message.Message")
    struct = downgrade(read(message, "message.Message"))
    assert type(struct.value).__module__ == "partwire.v0_1.structs.message"
    assert to_wire(struct.value) == plain.value
    assert struct.losses == plain.losses


def test_what_is_nested_to_the_limit_stays_where_it_is() -> None:
    deepest: Any = "x"
    for _ in range(505):
        deepest = [deepest]
    rng = random.Random(1)
    for depth in (505, 504, 503, 502, 501, rng.randrange(400)):
        item = deepest
        for _ in range(505 - depth):
            item = item[0]
        state = {"dialect": "p", "parts": {"0": [{"kind": "k", "data": item}]}}
        message = _message([{"kind": "text", "payload": {"text": "a"}}], "assistant", None)
        message["meta"] = {"opaque": state}
        if not is_valid(message, "message.Message", "v0.1"):
            assert depth > 504
            continue
        lifted = up(message, "message.Message").value
        assert is_valid(lifted, "message.Message", "v0.2"), depth
        assert down(lifted, "message.Message").value == message
        assert ("opaque" in lifted["parts"][0]["payload"]) == (depth <= 502)
