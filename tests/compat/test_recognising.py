"""What is not a schema is refused, and said to be what it looks like; APIs by their components."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from partwire.compat import CompatError
from partwire.compat.comparison import check
from partwire.compat.sources.inputs import load_source
from partwire.contract.resources import interface
from tests.cli.runner import run

S: Any = {"type": "string"}
I: Any = {"type": "integer"}  # noqa: E741


def api(version: str, pet: Any, **more: Any) -> dict[str, Any]:
    return {
        "openapi": version,
        "info": {"title": "Pets", "version": "1"},
        "paths": {},
        "components": {
            "schemas": {"Pet": pet, "Owner": {"$ref": "#/components/schemas/Pet"}, **more}
        },
    }


def compared(folder: Path, old: Any, new: Any, *options: str) -> tuple[int, Any]:
    for name, schema in (("old", old), ("new", new)):
        (folder / f"{name}.json").write_text(json.dumps(schema))
    words = [str(folder / "old.json"), str(folder / "new.json"), "--format", "json", *options]
    result = run("compat", *words)
    return result.exit_code, json.loads(result.stdout or result.stderr)


@pytest.mark.parametrize(
    ("document", "name"),
    [
        ({"city": "Oslo", "age": 3}, "data: an object with the members age, city"),
        ({"title": "Dune", "author": "Herbert"}, "data: an object with the members author, title"),
        ({"name": "a", "version": "1"}, "the manifest of a package"),
        ({"openrpc": "1.3.2", "methods": []}, "an OpenRPC document"),
        ({"name": "t", "input_schema": S}, "a tool: its schema is the member input_schema"),
        ({"openapi": "3.1.0", "paths": {}}, "an OpenAPI 3.1.0 document without schemas among"),
    ],
)
@pytest.mark.parametrize("is_old", [False, True])
def test_what_is_no_schema_gets_no_verdict(
    tmp_path: Path, document: Any, name: str, is_old: bool
) -> None:
    status, told = compared(tmp_path, document if is_old else {}, {} if is_old else document)
    assert status == 2
    (finding,) = told["findings"]
    assert finding["rule"] == "compat/invalid-schema"
    assert f"looks like {name}" in finding["message"]
    assert finding["source"].endswith("old.json" if is_old else "new.json")


@pytest.mark.parametrize(
    "schema",
    [
        *({}, True, {"title": "Any"}, {"$comment": "x"}, {"$defs": {}}, {"$ref": "#"}),
        {"$schema": "https://json-schema.org/draft/2020-12/schema", "kind": "mine"},
        {"title": "Any", "x-owner": "me"},
        {"x-owner": "me"},
        {"definitions": {}},
    ],
    ids=json.dumps,
)
def test_what_asks_for_nothing_is_a_schema(tmp_path: Path, schema: Any) -> None:
    if schema == {"$ref": "#"}:
        schema = {"$ref": "#/$defs/a", "$defs": {"a": {}}}
    status, _ = compared(tmp_path, schema, schema)
    assert status == 0


@pytest.mark.parametrize("options", [(), ("--definitions",), ("--entrypoints",)])
@pytest.mark.parametrize(
    ("mark", "version"), [("openapi", "3.1.0"), ("openapi", "3.0.3"), ("asyncapi", "3.0.0")]
)
def test_an_api_is_compared_schema_by_schema(
    tmp_path: Path, mark: str, version: str, options: tuple[str, ...]
) -> None:
    both = [api(version, each, Other=S) for each in (I, S)]
    for each in both:
        each[mark] = each.pop("openapi")
    status, told = compared(tmp_path, both[0], both[1], *options)
    assert status == 1
    (report,) = told["details"]["reports"]
    found = {each["entrypoint"]: each["status"] for each in report["verdicts"]}
    assert found == {"#Pet": "breaking", "#Owner": "breaking", "#Other": "compatible"}
    (change,) = report["changes"]
    assert change["new"]["pointer"] == "/components/schemas/Pet/type"
    assert [note["rule"] for note in report["notes"]] == ["compat/components-alone"]
    assert "--definitions" in report["notes"][0]["message"]


def test_swagger_has_its_schemas_among_the_definitions(tmp_path: Path) -> None:
    both = [{"swagger": "2.0", "paths": {}, "definitions": {"A": each}} for each in (I, S)]
    status, told = compared(tmp_path, both[0], both[1])
    assert status == 1
    assert told["details"]["reports"][0]["changes"][0]["pointer"] == "#/definitions/A/type"


def test_nullable_is_a_type(tmp_path: Path) -> None:
    maybe, never = api("3.0.3", {**S, "nullable": True}), api("3.0.3", S)
    assert compared(tmp_path, never, maybe)[0] == 0
    status, told = compared(tmp_path, maybe, never)
    assert status == 1
    assert told["details"]["reports"][0]["verdicts"][0]["witness"] is None
    later = [{**each, "openapi": "3.1.0"} for each in (maybe, never)]
    assert compared(tmp_path, later[0], later[1])[0] == 0  # there it is not a keyword


JSON_SCHEMA = "application/schema+json;version=draft-07"


def asyncapi(schema: Any, schema_format: str | None = JSON_SCHEMA) -> dict[str, Any]:
    wrapped = {"schemaFormat": schema_format, "schema": schema} if schema_format else schema
    made = api("x", wrapped)
    return {**made, "asyncapi": "3.0.0", "openapi": None}


@pytest.mark.parametrize(
    "schema_format",
    [
        JSON_SCHEMA,
        "application/schema+yaml; version=draft-07",
        "application/vnd.aai.asyncapi;version=3.0.0",
        "application/vnd.aai.asyncapi+json;version=2.6.0",
        "application/vnd.oai.openapi;version=3.0.3",
    ],
)
def test_a_schema_that_names_its_format_is_compared(tmp_path: Path, schema_format: str) -> None:
    both = [asyncapi(each, schema_format) for each in (I, S)]
    status, told = compared(tmp_path, both[0], both[1])
    assert status == 1
    (report,) = told["details"]["reports"]
    found = {each["entrypoint"]: each["status"] for each in report["verdicts"]}
    assert found == {"#Pet": "breaking", "#Owner": "breaking"}
    assert report["changes"][0]["new"]["pointer"] == "/components/schemas/Pet/schema/type"
    assert compared(tmp_path, asyncapi(S, None), both[1])[0] == 0
    status, told = compared(tmp_path, both[0], asyncapi({"type": "text"}, schema_format))
    assert (status, told["findings"][0]["pointer"]) == (2, "/components/schemas/Pet/schema/type")


def test_nullable_counts_in_a_schema_of_openapi(tmp_path: Path) -> None:
    maybe, never = (
        asyncapi(each, "application/vnd.oai.openapi+json;version=3.0.0")
        for each in ({**S, "nullable": True}, S)
    )
    assert [compared(tmp_path, never, maybe)[0], compared(tmp_path, maybe, never)[0]] == [0, 1]


@pytest.mark.parametrize(
    "schema_format",
    [
        "application/vnd.apache.avro;version=1.9.0",
        "application/schema+json;version=draft-04",
        "application/vnd.oai.openapi;version=3.1.0",
        "",
    ],
)
def test_a_schema_in_another_format_gets_no_verdict(tmp_path: Path, schema_format: str) -> None:
    one = {**asyncapi(S), "components": {"schemas": {"A": {"schema": S}}}}
    one["components"]["schemas"]["A"]["schemaFormat"] = schema_format
    status, told = compared(tmp_path, one, one)
    assert status == 2
    (finding,) = told["findings"]
    assert finding["rule"] == "compat/invalid-schema"
    assert finding["pointer"] == "/components/schemas/A"
    assert "draft-07" in finding["expected"]


@pytest.mark.parametrize("mark", ["openapi", "swagger", "asyncapi"])
def test_a_schema_may_be_marked_as_an_api_is(tmp_path: Path, mark: str) -> None:
    schema = {mark: "3.1.0", "type": "object", "properties": {"a": S}}
    assert compared(tmp_path, schema, schema)[0] == 0
    assert compared(tmp_path, schema, {**schema, "type": "array"})[0] == 1


def test_a_component_is_valid_under_its_draft(tmp_path: Path) -> None:
    status, told = compared(tmp_path, api("3.1.0", {}), api("3.1.0", {"type": "text"}))
    assert status == 2
    assert told["findings"][0]["pointer"] == "/components/schemas/Pet/type"


def test_a_folder_may_hold_what_others_refer_to(tmp_path: Path) -> None:
    for side, kind in (("old", I), ("new", S)):
        (tmp_path / side).mkdir()
        (tmp_path / side / "types.json").write_text(json.dumps({"Name": kind}))
        (tmp_path / side / "a.json").write_text(json.dumps({"$ref": "types.json#/Name"}))
    sources = [load_source(str(tmp_path / side)) for side in ("old", "new")]
    assert {each.entrypoint: each.status for each in check(*sources).verdicts}["a.json"] == (
        "breaking"
    )
    (tmp_path / "new" / "data.json").write_text('{"city": "Oslo"}')
    with pytest.raises(CompatError) as caught:
        check(sources[0], load_source(str(tmp_path / "new")))
    assert str(caught.value.findings[0].source).endswith("new/data.json")


@pytest.mark.parametrize("name", ["openapi-3.1", "openapi-3.2"])
def test_no_schema_of_our_own_interface_has_two_types(name: str) -> None:
    """Generators of clients (oapi-codegen) know one type, and null beside it."""
    stack: list[Any] = [interface(name)]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            kinds = part.get("type")
            assert not isinstance(kinds, list) or len(set(kinds) - {"null"}) < 2, part
            stack.extend(part.values())
        elif isinstance(part, list):
            stack.extend(part)
