"""Which types there are, and their schemas on their own."""

from __future__ import annotations

import re
from typing import Any

import jsonschema_rs
import pytest
from jsonschema import Draft7Validator, Draft202012Validator

from partwire.contract.current import LATEST_VERSION
from partwire.contract.resources import BundleDraft, read_catalog
from partwire.contract.schemas import describe_types, standalone_schema
from partwire.contract.versions import TypeName, families, generated_module, parse_type
from partwire.errors import UsageError
from tests.reference import schema_reference as reference
from tests.strategies import PUBLIC_TYPES, TYPES, Documents, definitions

DRAFTS: tuple[BundleDraft, ...] = ("2020-12", "draft-07")


def usage(call: Any, *args: Any) -> tuple[str, str, str | None, str | None]:
    with pytest.raises(UsageError) as caught:
        call(*args)
    (found,) = caught.value.findings
    return found.rule, found.message, found.expected, found.actual


def test_parse_type() -> None:
    assert parse_type("message.Message") == TypeName("message", "Message", LATEST_VERSION)
    assert parse_type("message.Message", "v0.1").version == "v0.1"
    assert str(parse_type("session.WithParts", "v0.1")) == "session.WithParts"
    for name in TYPES:
        assert str(parse_type(name)) == name


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("message.Mesage", "message.Message"),
        ("Message", "message.Message or blocks.Message"),
        ("WithParts", "session.WithParts"),
        ("message.WithParts", "session.WithParts"),
        ("messages.ToolCall", "message.ToolCall"),
        ("envelope.taskevent", "envelope.TaskEvent"),
        ("message.", "message."),
        ("", None),
        ("zzzzzzz", None),
        (".", None),
        ("message.Message.parts", "message.Message"),
        ("message.Message ", "message.Message"),
    ],
)
def test_an_unknown_type_is_answered_with_near_ones(text: str, near: str | None) -> None:
    rule, message, expected, actual = usage(parse_type, text)
    assert (rule, message, actual) == (
        "usage/unknown-type",
        f"No such type in {LATEST_VERSION}",
        f'"{text}"',
    )
    assert expected is not None
    if near is None:
        assert expected == "a type such as message.Message; `partwire schema list` has all"
    else:
        assert expected.startswith(near)
    assert all(each in TYPES for each in expected.split(" or ")) or near is None


def test_a_long_name_is_clipped() -> None:
    actual = usage(parse_type, "x" * 500)[3]
    assert actual is not None
    assert len(actual) == 80


@pytest.mark.parametrize("version", ["v0.9", "0.1", "", "v0_1", "../v0.1"])
def test_an_unknown_version(version: str) -> None:
    expected = (
        "usage/unknown-version",
        "No such contract version",
        "v0.1, v0.2, v0.3",
        f'"{version}"',
    )
    for call, args in (
        (parse_type, ("message.Message", version)),
        (describe_types, (version,)),
        (families, (version,)),
        (standalone_schema, ("message.Message", version)),
    ):
        assert usage(call, *args) == expected


@pytest.mark.parametrize(
    "name", [None, 1, b"message.Message", ["message.Message"], {}, memoryview(bytearray())]
)
def test_a_name_that_is_no_string(name: Any) -> None:
    assert usage(parse_type, name)[0] == "usage/unknown-type"
    if name is not None:  # the current one
        assert usage(parse_type, "message.Message", name)[0] == "usage/unknown-version"


def test_an_error_of_our_own_is_not_taken_for_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise TypeError("a bug")

    monkeypatch.setattr("partwire.contract.versions.generated_module", broken)
    with pytest.raises(TypeError, match="a bug"):
        parse_type("message.Nothing")


def test_describe_types() -> None:
    rows = describe_types()
    assert [row.type for row in rows] == TYPES
    assert len(set(TYPES)) == len(TYPES) >= 130
    catalog = read_catalog()[LATEST_VERSION]["families"]
    assert [*families(LATEST_VERSION)] == catalog == ["message", "session", "blocks", "envelope"]
    assert [row.type.partition(".")[0] for row in rows] == sorted(
        (row.type.partition(".")[0] for row in rows), key=catalog.index
    )
    assert all(row.description.endswith(".") for row in rows)
    public = {row.type for row in rows if row.public}
    assert public == set(PUBLIC_TYPES)
    assert {"message.Message", "message.MessageDelta", "session.WithParts"} <= public
    reserved = {row.type for row in rows if row.reserved}
    assert reserved == {
        "envelope.ToolCallRequest",
        "envelope.ToolCallResponse",
        "envelope.ToolError",
    }


def test_every_type_has_its_generated_code() -> None:
    for name in TYPES:
        family, _, short = name.partition(".")
        for kind in ("structs", "models"):
            assert hasattr(generated_module(LATEST_VERSION, kind, family), short), name
        assert short in generated_module(LATEST_VERSION, "checks", family).CHECKS


# --- schemas of one type --------------------------------------------------------------------------


@pytest.mark.parametrize("draft", DRAFTS)
def test_a_type_alone_says_what_the_bundle_says(draft: BundleDraft) -> None:
    validator = {
        "2020-12": jsonschema_rs.Draft202012Validator,
        "draft-07": jsonschema_rs.Draft7Validator,
    }[draft]
    maker = Documents(f"alone:{draft}")
    invalid = 0
    for name in TYPES:
        alone = validator(standalone_schema(name, LATEST_VERSION, draft))
        for _ in range(12):
            document = (maker.valid if maker.rng.random() < 0.3 else maker.mutated)(name)
            verdict = reference.from_bundle_rs(name)(document)
            assert alone.is_valid(document) is verdict, (name, document)
            invalid += not verdict
    assert invalid > 300


@pytest.mark.parametrize("draft", DRAFTS)
@pytest.mark.parametrize("name", TYPES)
def test_a_type_alone_is_a_schema_without_loose_ends(name: str, draft: BundleDraft) -> None:
    schema = standalone_schema(name, LATEST_VERSION, draft)
    {"2020-12": Draft202012Validator, "draft-07": Draft7Validator}[draft].check_schema(schema)
    keyword = "$defs" if draft == "2020-12" else "definitions"
    assert schema["title"] == f"{name} {LATEST_VERSION}"
    prefix = f"#/{keyword}/"
    referred = {ref.removeprefix(prefix) for ref in re.findall(r"#/[^'\"]*", repr(schema))}
    assert referred == set(schema[keyword])
    assert set(schema[keyword]) <= set(definitions(name.partition(".")[0]))


def test_a_type_alone_is_the_callers_own() -> None:
    schema = standalone_schema("message.Message", LATEST_VERSION)
    schema["$defs"].clear()
    assert standalone_schema("message.Message", LATEST_VERSION)["$defs"]


def test_members_may_be_called_as_keywords_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """A member called examples holds a schema, the keyword of that name holds data."""
    defs = {
        "A": {
            "type": "object",
            "properties": {"examples": {"$ref": "#/$defs/B"}, "$ref": {"$ref": "#/$defs/C"}},
            "examples": [{"$ref": "#/$defs/D"}],
        },
        "B": {"type": "string"},
        "C": {"type": "string", "const": "#/$defs/D"},
        "D": {"type": "string"},
    }
    whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": defs}
    monkeypatch.setattr("partwire.contract.schemas.bundle", lambda *_: whole)
    monkeypatch.setattr(
        "partwire.contract.schemas.parse_type", lambda *_: TypeName("message", "A", LATEST_VERSION)
    )
    assert set(standalone_schema("message.A", LATEST_VERSION)["$defs"]) == {"A", "B", "C"}


def test_an_unknown_draft() -> None:
    rule = usage(standalone_schema, "message.Message", LATEST_VERSION, "draft-04")[0]
    assert rule == "usage/invalid-argument"
