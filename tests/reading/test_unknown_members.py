"""Members that a type does not name: told in files, with the name that was probably meant."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import partwire
from partwire.contract.resources import bundle, read_catalog
from partwire.contract.schemas import describe_types
from partwire.contract.versions import parse_type
from partwire.errors import Finding, UsageError
from partwire.json.pointer import escape_pointer
from partwire.reading.pipeline import Binding
from partwire.reading.tolerant import Schemas
from partwire.reading.undeclared import UnknownMembers
from tests.cli.config_texts import ROW, write
from tests.cli.runner import STREAM, run
from tests.strategies import Documents, as_input
from tests.ways import way

__all__ = ["way"]

RULE = "shape/unknown-member"
AT = "2026-01-02T03:04:05Z"
DELTA = "message.MessageDelta"
TEXT = {"runId": "r", "seq": 0, "kind": "text", "payload": {"textDelta": "x"}, "timestamp": AT}
MESSAGE: dict[str, Any] = {"runId": "r", "role": "assistant", "parts": [], "timestamp": AT}
USAGE = {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3}


def unknown_of(
    document: Any, name: str, choice: UnknownMembers = "warn", version: str = "v0.2"
) -> list[Finding]:
    """Return what is reported of unknown members, which is the same of JSON text and of a value."""
    text = json.dumps(document).encode()
    told = partwire.validate(text, name, version, unknown_members=choice)
    given = as_input(document)
    assert told == partwire.validate(given, name, version, unknown_members=choice)
    others = [finding for finding in told if finding.rule != RULE]
    assert others == partwire.validate(text, name, version)
    return told[len(others) :]


def places(document: Any, name: str) -> list[tuple[str, str | None]]:
    return [(each.pointer, each.expected) for each in unknown_of(document, name)]


def test_the_nearest_name_is_told() -> None:
    (finding,) = unknown_of({**TEXT, "turnid": "t"}, DELTA)
    assert finding == Finding(
        RULE,
        "The type names no such member; did you mean turnId?",
        "/turnid",
        "warning",
        "turnId",
        '"turnid"',
    )
    for slip in ("turn_id", "TURN_ID", "turnID", "trunId", "turn-id"):
        assert places({**TEXT, slip: "t"}, DELTA) == [(f"/{slip}", "turnId")]
    (finding,) = unknown_of({**TEXT, "x~/": 1}, DELTA, "error")
    assert (finding.pointer, finding.severity) == ("/x~0~1", "error")
    assert finding.message == "The type names no such member"
    assert str(finding.expected).startswith("one of runId, messageId, ")
    assert unknown_of({**TEXT, "turnid": "t"}, DELTA, "ignore") == []


def test_open_objects_name_every_member_and_are_looked_into() -> None:
    meta = {"anything": {"goes": 1}, "usage": {**USAGE, "reasoning_token": 1}}
    assert places({**MESSAGE, "meta": meta}, "message.Message") == [
        ("/meta/usage/reasoning_token", "reasoningTokens")
    ]
    assert (
        unknown_of({"modelId": "m", "seed": 1, "frequencyPenalty": 2}, "message.ModelConfig") == []
    )
    free = {"name": "f", "description": "d", "parameterSchema": {"type": "object", "x": {"y": []}}}
    assert unknown_of(free, "message.ToolSpec") == []


def test_what_is_wrong_otherwise_is_told_first_and_hides_nothing_else() -> None:
    wrong = {"kind": "text", "payload": {"txt": "a"}, "more": 1}
    unheard = {"kind": "video", "any": {"thing": 1}}
    message = {**MESSAGE, "parts": [wrong, unheard, 5, {"no": "kind"}], "Role": "user"}
    assert [pointer for pointer, _ in places(message, "message.Message")] == [
        "/parts/0/payload/txt",
        "/parts/0/more",
        "/Role",
    ]
    assert unknown_of([{"a": 1}], "message.Message") == []
    assert unknown_of({**TEXT, "payload": [{"a": 1}]}, DELTA) == []


def test_a_bound_holds_and_keeps_an_error() -> None:
    many = {**TEXT, **{f"m{number}": 1 for number in range(50)}}
    assert len(partwire.validate(many, DELTA, max_findings=7, unknown_members="warn")) == 7
    text = json.dumps(many).encode()
    assert len(partwire.validate(text, DELTA, max_findings=7, unknown_members="error")) == 7
    binding = Binding.of(DELTA)
    assert binding.findings_within(text, 50, unknown="warn")[1] is False
    assert binding.findings_within(text, 49, unknown="warn")[1] is True
    # The warning comes first; the error is reported all the same.
    turned = {"value": "abc", "start": 7, "end": 4, "slip": 1}
    source = "session.SourceText"
    rules = ["session/range-order", RULE]
    assert [each.rule for each in partwire.validate(turned, source)] == rules[:1]
    found = partwire.validate(turned, source, unknown_members="error")
    assert [each.rule for each in found] == rules
    (only,) = partwire.validate(turned, source, unknown_members="error", max_findings=1)
    assert only.rule == RULE


@pytest.mark.parametrize("choice", ["warning", "", None, True, [], "Error"])
def test_another_choice_is_a_mistake(choice: Any) -> None:
    with pytest.raises(UsageError) as caught:
        partwire.validate(TEXT, DELTA, unknown_members=choice)
    assert caught.value.rule == "usage/invalid-argument"


def test_many_names_and_long_ones_cost_little() -> None:
    many = {**TEXT, **{f"turnId{number}": 1 for number in range(20_000)}, "t" * 100_000: 1}
    found = unknown_of(many, DELTA)
    assert len(found) == 20_001
    assert sum("did you mean" in each.message for each in found) == 20


def closed_objects(value: Any, schema: Any, defs: Any, pointer: str = "") -> Any:
    """Yield the objects of a valid document that are closed: a second walk, by other means."""
    while "$ref" in schema:
        schema = defs[schema["$ref"].rpartition("/")[2]]
    if "discriminator" in schema:
        spec = schema["discriminator"]
        schema = defs[spec["mapping"][value[spec["propertyName"]]].rpartition("/")[2]]
    for each in schema.get("oneOf", ()):
        kind = defs[each["$ref"].rpartition("/")[2]] if "$ref" in each else each
        kinds = {"object": dict, "array": list, "string": str}
        if "discriminator" in kind or isinstance(value, kinds.get(kind.get("type"), ())):
            yield from closed_objects(value, each, defs, pointer)
            return
    if isinstance(value, dict) and schema.get("type") == "object":
        named = schema.get("properties", {})
        if "additionalProperties" not in schema:
            yield value, pointer
        for name, member in value.items():
            inner = named.get(name, schema.get("additionalProperties"))
            if inner:
                yield from closed_objects(member, inner, defs, f"{pointer}/{escape_pointer(name)}")
    elif isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            yield from closed_objects(item, schema["items"], defs, f"{pointer}/{index}")


@pytest.mark.parametrize("version", tuple(read_catalog()))
def test_every_closed_object_of_every_type_tells(version: str) -> None:
    """A name in each closed object of drawn documents, one at a time; quick look included."""
    maker = Documents(f"unknown members {version}", version)
    looked_at = 0
    for row in describe_types(version):
        name = row.type
        schemas = Schemas.of(parse_type(name, version))
        defs = bundle(name.partition(".")[0], version)["$defs"]
        for _ in range(4):
            document, _ = schemas.relax(maker.valid(name), name.partition(".")[2])
            assert unknown_of(document, name, "warn", version) == [], name
            objects = closed_objects(document, defs[name.partition(".")[2]], defs)
            for value, pointer in list(objects)[:12]:
                value["zzz"] = [1]
                (finding,) = unknown_of(document, name, "warn", version)
                assert finding.pointer == f"{pointer}/zzz"
                line = json.dumps(document).encode()
                assert Binding.of(name, version).refused([line]) == [0]
                assert not Binding.of(name, version).is_clean(line, "warn")
                del value["zzz"]
                looked_at += 1
    assert looked_at > 300


# --- the command ----------------------------------------------------------------------------------


LINES = "".join(json.dumps(each) + "\n" for each in STREAM)
SLIP = json.dumps({**STREAM[1], "turnid": "t"}) + "\n"


@pytest.mark.usefixtures("empty_folder")
def test_the_option_the_row_and_the_configuration_decide_in_this_order() -> None:
    write("a.jsonl", LINES + SLIP)
    row = ROW.format("a.jsonl").replace("message.Message", DELTA).replace("DeltaDelta", "Delta")
    severities = {"error": (1, "1 error"), "warn": (0, "valid, 1 warning"), "ignore": (0, "valid")}
    for whole, own, given in product(("", *severities), repeat=3):
        text = f'unknown-members = "{whole}"\n' if whole else ""
        write("partwire.toml", text + row + (f'unknown-members = "{own}"\n' if own else ""))
        result = run("validate", *(["--unknown-members", given] if given else []))
        status, words = severities[given or own or whole or "warn"]
        assert result.exit_code == status
        assert result.output.endswith(f"{len(STREAM) + 1} documents in 1 source: {words}\n")
    assert run("validate", "--unknown-members", "never").exit_code == 2
    write("partwire.toml", 'unknown-members = "eror"\n')
    result = run("validate")
    assert result.exit_code == 2
    assert "did you mean error?" in result.output


@pytest.mark.usefixtures("empty_folder")
def test_where_it_stands_is_told_with_one_process_and_with_two(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("partwire.cli.files.validation.SPAN_BYTES", 4096)
    write("a.jsonl", LINES * 60 + SLIP + LINES * 60 + SLIP)
    count = len(STREAM) * 60
    for jobs in ("1", "2"):
        result = run("validate", "--type", DELTA, "-j", jobs, "--format", "json", "a.jsonl")
        found = json.loads(result.stdout)["findings"]
        assert [(each["line"], each["severity"]) for each in found] == [
            (count + 1, "warning"),
            (count * 2 + 2, "warning"),
        ]


@pytest.mark.usefixtures("empty_folder")
@pytest.mark.parametrize(
    ("form", "shown"),
    [
        ("text", "did you mean turnId?"),
        ("json", '"severity":"warning"'),
        ("github", "::warning "),
        ("gitlab", '"severity":"minor"'),
        ("sarif", '"level":"warning"'),
        ("junit", "did you mean turnId?"),
    ],
)
def test_every_format_tells(form: str, shown: str) -> None:
    Path("one.json").write_text(SLIP)
    result = run("validate", "--type", DELTA, "--format", form, "one.json")
    assert result.exit_code == 0
    assert shown in result.stdout.replace('": ', '":')


@pytest.mark.usefixtures("empty_folder")
def test_it_can_be_left_out_by_a_row_of_ignore() -> None:
    write("a.jsonl", SLIP)
    row = ROW.format("a.jsonl").replace("message.Message", DELTA).replace("DeltaDelta", "Delta")
    ignore = f'[[ignore]]\nrule = "{RULE}"\nreason = "Our own member."\n'
    write("partwire.toml", 'unknown-members = "error"\n' + row + ignore)
    assert run("validate").exit_code == 0
