"""The emitters, on a sample contract that has what the dialect allows and v0.1 does not use."""

from __future__ import annotations

import importlib
import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from pydantic import TypeAdapter, ValidationError

import partwire
from codegen.__main__ import main
from codegen.load import load_contract
from codegen.model import snake
from codegen.patterns import check_pattern
from codegen.targets import checks as checks_target
from codegen.targets import dcg
from codegen.view import docstring
from partwire.bindings.check import run
from partwire.errors import Finding, UsageError
from tests.reading.sample_cases import INVALID, MEANING, VALID

SAMPLE = Path(__file__).parents[1] / "data" / "codegen" / "sample.schema.json"
SCHEMAS = Path(__file__).parents[2] / "schemas"
WARNINGS = {"sample/order"}
RULES = [*WARNINGS, "sample/table", "sample/unique", "sample/nick", "sample/same-team"]
RULES += ["sample/one-team", "sample/owner"]


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The sample's generated modules, as ``partwire.v9_9``."""
    folder = tmp_path_factory.mktemp("sample")
    place = folder / "schemas" / "v9.9" / "sample"
    place.mkdir(parents=True)
    (place / SAMPLE.name).write_text(SAMPLE.read_text("utf-8"), "utf-8")
    catalog = {"versions": {"v9.9": {"status": "draft", "families": ["sample"]}}}
    rules = {rule: {"severity": "warning" if rule in WARNINGS else "error"} for rule in RULES}
    (folder / "schemas" / "rules").mkdir()
    rooms = {rule.partition("/")[0] for rule in rules}
    documents = {
        f"rules/{room}.json": {
            "rules": {k: v for k, v in rules.items() if k.startswith(f"{room}/")}
        }
        for room in rooms
    }
    for name, document in {"catalog.json": catalog, **documents}.items():
        (folder / "schemas" / name).write_text(json.dumps(document), "utf-8")
    package = folder / "package"
    assert main(["--schemas", str(folder / "schemas"), "--output", str(package)]) == 0
    partwire.__path__.append(str(package))
    names = ("structs", "models", "checks")
    modules = {name: importlib.import_module(f"partwire.v9_9.{name}.sample") for name in names}
    bundles = {
        draft: json.loads((package / "v9_9" / "bundles" / f"sample{draft}.schema.json").read_text())
        for draft in ("", ".draft-07")
    }
    vocabulary = importlib.import_module("partwire.v9_9.vocabulary")
    yield SimpleNamespace(**modules, bundles=bundles, vocabulary=vocabulary)
    partwire.__path__.remove(str(package))
    for name in [name for name in sys.modules if name.startswith("partwire.v9_9")]:
        del sys.modules[name]


def judged(sample: Any, name: str, document: Any) -> list[bool]:
    """Return what JSON Schema says of a document, by both bundles."""
    new = {**sample.bundles[""], "$ref": f"#/$defs/{name}"}
    old = {**sample.bundles[".draft-07"], "allOf": [{"$ref": f"#/definitions/{name}"}]}
    return [
        jsonschema_rs.Draft202012Validator(new).is_valid(document),
        jsonschema_rs.Draft7Validator(old).is_valid(document),
    ]


def struct_takes(sample: Any, name: str, document: Any) -> bool:
    try:
        msgspec.json.decode(json.dumps(document).encode(), type=getattr(sample.structs, name))
    except msgspec.ValidationError:
        return False
    return True


def model_takes(sample: Any, name: str, document: Any) -> bool:
    adapter: TypeAdapter[Any] = TypeAdapter(getattr(sample.models, name))
    try:
        adapter.validate_python(document)
    except ValidationError:
        return False
    return True


@pytest.mark.parametrize(("name", "document"), VALID, ids=str)
def test_valid_everywhere(sample: Any, name: str, document: Any) -> None:
    assert sample.checks.check(name, document) == []
    assert judged(sample, name, document) == [True, True]
    assert model_takes(sample, name, document)
    if ".0" not in json.dumps(document):  # msgspec takes no integral float: reading does
        assert struct_takes(sample, name, document)


@pytest.mark.parametrize(("name", "document", "expected"), INVALID, ids=str)
def test_invalid_everywhere(
    sample: Any, name: str, document: Any, expected: list[tuple[str, str]]
) -> None:
    found = sample.checks.check(name, document)
    assert [(each.rule, each.pointer) for each in found] == expected
    assert sample.checks.check(name, document, "shape") == found
    assert all(each.expected for each in found)
    if is_json(document):
        assert judged(sample, name, document) == [False, False]


def is_json(document: Any) -> bool:
    text = json.dumps(document) if not isinstance(document, tuple) else "NaN"
    return "NaN" not in text and "Infinity" not in text and len(text) < 300


@pytest.mark.parametrize(("document", "expected"), MEANING, ids=str)
def test_meaning(sample: Any, document: Any, expected: list[tuple[str, str, str]]) -> None:
    found = sample.checks.check("Book", document)
    seen = [(each.rule, each.pointer, each.severity) for each in found]
    assert [each for each in seen if each[0] == expected[0][0]] == expected
    assert sample.checks.check("Book", document, "shape") == []
    assert judged(sample, "Book", document) == [True, True]
    assert struct_takes(sample, "Book", document)


def test_meaning_waits_for_the_shape(sample: Any) -> None:
    document = {"mode": "bound", "kebab-name": 1}
    assert [each.rule for each in sample.checks.check("Book", document)] == ["shape/type"]


def test_recursion_beyond_the_stack_is_a_finding(sample: Any) -> None:
    deep: dict[str, Any] = {"name": "leaf"}
    for _ in range(100_000):
        deep = {"name": "tree", "children": [deep]}
    found = sample.checks.check("Tree", deep)
    assert [each.rule for each in found] == ["document/too-deep"]
    while "children" in deep:  # taken apart by hand: CPython's own clean-up recurses
        deep = deep["children"].pop()


def test_deep_errors_take_linear_time(sample: Any) -> None:
    """A finding below 60 levels is made once, not once per level and branch."""
    deep: dict[str, Any] = {"name": 0}
    for _ in range(60):
        deep = {"name": "tree", "children": [deep]}
    found = sample.checks.check("Tree", deep)
    assert [each.pointer for each in found] == ["/children/0" * 60 + "/name"]


@pytest.mark.parametrize(
    "value",
    [object(), b"x", {1: 2}, {None: 1}, {"kind": object()}, {1}],
    ids=["object", "bytes", "int name", "None name", "object as tag", "set"],
)
@pytest.mark.parametrize("name", ["Tree", "Value", "Code", "Shape", "Book", "Open", "Mode", "Span"])
def test_values_that_are_no_json_are_judged_too(sample: Any, name: str, value: Any) -> None:
    assert isinstance(sample.checks.check(name, value), list)


def test_subclasses_of_json_types_are_what_they_are(sample: Any) -> None:
    class Text(str):
        __slots__ = ()

    class Count(int):
        pass

    assert sample.checks.check("Value", [Count(1), Count(2)]) == []
    assert sample.checks.check("Value", Text("abc")) == []
    assert sample.checks.check("Line", {"kind": Text("line"), "code": Text("aa-1")}) == []
    assert [each.rule for each in sample.checks.check("Value", Text("ABC"))] == ["shape/pattern"]


def test_unknown_type_is_a_usage_error(sample: Any) -> None:
    with pytest.raises(UsageError) as caught:
        sample.checks.check("Nothing", {})
    assert caught.value.rule == "usage/unknown-type"


def test_level_shape_keeps_what_is_no_meaning() -> None:
    found = [Finding("shape/type", "a"), Finding("sample/order", "b"), Finding("document/x", "c")]
    shape = run({"T": lambda _: found}, "T", None, "shape")
    assert [each.rule for each in shape] == ["shape/type", "document/x"]


def test_structs_lose_nothing(sample: Any) -> None:
    for name, document in VALID:
        text = json.dumps(document)
        if ".0" in text or "more" in text:
            continue
        kind = getattr(sample.structs, name)
        value = msgspec.json.decode(text.encode(), type=kind)
        assert msgspec.json.decode(msgspec.json.encode(value)) == document


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("Amount", float("nan")),
        ("Small", True),
        ("Flag", 1),
        ("Word", b"abc"),
        ("Digits", [1, "2"]),
    ],
    ids=str,
)
def test_models_are_strict_behind_an_alias_too(sample: Any, name: str, document: Any) -> None:
    assert not model_takes(sample, name, document)


def test_structs_of_scalars_are_not_tracked_by_the_collector(sample: Any) -> None:
    structs = sample.structs
    tracked = {
        name: getattr(structs, name).__struct_config__.gc for name in ("Line", "Span", "Book")
    }
    assert tracked == {"Line": False, "Span": False, "Book": True}
    assert structs.Line.__struct_config__.frozen


def test_vocabulary(sample: Any) -> None:
    vocabulary = sample.vocabulary
    assert vocabulary.known_person_team("red") == "red"
    assert vocabulary.known_person_team("blue") == "none"
    assert vocabulary.SAFE_DEFAULTS == {"sample.Mode": "free"}
    assert vocabulary.TRANSITIONS["sample.Shape"] == {"dot": ("line",), "line": ()}
    assert vocabulary.TAGS["sample.Shape"] == ("kind", ("dot", "line"))


def test_bundles_hold_no_identifier_and_nothing_that_leaves_them(sample: Any) -> None:
    new, old = json.dumps(sample.bundles[""]), json.dumps(sample.bundles[".draft-07"])
    assert '"$id"' not in new + old
    assert set(re.findall(r'"\$ref": "(#/[^/]*)/', new)) == {"#/$defs"}
    assert set(re.findall(r'"\$ref": "(#/[^/]*)/', old)) == {"#/definitions"}
    assert '"discriminator"' in new
    assert '"x-' in new
    assert '"discriminator"' not in old
    assert '"x-' not in old
    assert not re.search(r'"\$ref": "[^"]*", "', old)


def test_the_digest_is_that_of_the_files_that_count(tmp_path: Path) -> None:
    """A change to a family's file changes that family's digest and the contract's."""
    shutil.copytree(SCHEMAS, tmp_path / "schemas")
    before = load_contract(tmp_path / "schemas", "v0.1")
    file = tmp_path / "schemas" / "v0.1" / "session" / "part.schema.json"
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert load_contract(tmp_path / "schemas", "v0.1").digest == before.digest
    file.write_bytes(file.read_bytes() + b"\n")
    after = load_contract(tmp_path / "schemas", "v0.1")
    changed = {n for n in after.families if after.families[n].digest != before.families[n].digest}
    assert changed == {"session"}
    assert after.digest != before.digest


# --- without a contract ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wire", "python"),
    [
        ("runId", "run_id"),
        ("toolCallId", "tool_call_id"),
        ("sessionID", "session_id"),
        ("URL", "url"),
        ("HTTPStatus", "http_status"),
        ("step-start", "step_start"),
        ("topP", "top_p"),
        ("already_snake", "already_snake"),
    ],
)
def test_snake(wire: str, python: str) -> None:
    assert snake(wire) == python


def test_attributes_are_called_as_the_emitters_believe() -> None:
    """datamodel-code-generator names the attributes; what is generated beside them uses them."""
    for family in load_contract(SCHEMAS, "v0.1").families.values():
        structs = importlib.import_module(f"partwire.v0_2.structs.{family.name}")
        for name in family.types:
            made = getattr(structs, name)
            if not (isinstance(made, type) and issubclass(made, msgspec.Struct)):
                continue
            fields = {field.encode_name: field.name for field in msgspec.structs.fields(made)}
            assert fields == {wire: snake(wire) for wire in fields}, name


@pytest.mark.parametrize(
    "text",
    ["plain", 'in "quotes"', 'ends in a quote"', "back\\slash", '"""', "long " * 60, "ends in \\"],
)
@pytest.mark.parametrize("indent", [0, 4])
def test_docstring_is_one_literal_of_the_text(text: str, indent: int) -> None:
    literal = docstring(text, indent)
    assert eval(literal).split() == text.split()
    assert all(len(line) + indent <= 104 for line in literal.splitlines())


def test_a_warning_of_the_generator_is_an_error() -> None:
    schema = {"$defs": {"A": {"$ref": "#/$defs/Nothing"}}}
    with pytest.raises(Exception, match="Nothing"):
        dcg.generate_module(
            schema, model_type="msgspec.Struct", templates="structs", extra={}, options={}
        )


def test_the_pinned_generator_is_the_installed_one() -> None:
    version = importlib.import_module("importlib.metadata").version("datamodel-code-generator")
    assert version == dcg.REQUIRED_VERSION


def test_checks_are_compiled_from_patterns_that_the_linter_takes() -> None:
    contract = load_contract(SCHEMAS, "v0.1")
    text = "".join(checks_target.generate(contract).values())
    patterns = re.findall(r'_P\d+ = re\.compile\("(.*)"\)\.fullmatch', text)
    assert patterns
    for pattern in patterns:
        check_pattern("^" + pattern.replace("\\\\", "\\") + "$")
