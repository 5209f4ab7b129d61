"""The configuration's file: where it is, and what it may hold."""

from __future__ import annotations

import json
import re
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from partwire.cli.config.paths import load_config
from partwire.cli.config.shape import config_schema
from partwire.contract.current import FAMILIES
from partwire.contract.resources import read_rules
from partwire.errors import Finding, UsageError
from tests.cli.config_texts import ROW, write


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run where there is no configuration."""
    monkeypatch.chdir(tmp_path)


def refused(text: str, name: str = "partwire.toml") -> list[Finding]:
    """Return what is found in a configuration that is refused."""
    write(name, text)
    with pytest.raises(UsageError) as caught:
        load_config(Path())
    return list(caught.value.findings)


# --- which file it is -----------------------------------------------------------------------------


@pytest.mark.parametrize("start", [".", "a/b"])
def test_the_nearest_folder_with_a_file_decides(tmp_path: Path, start: str) -> None:
    write("partwire.toml", ROW.format("*.json"))
    Path("a/b").mkdir(parents=True)
    found = load_config(Path(start))
    assert (found.folder, [row.glob for row in found.paths]) == (tmp_path, ["*.json"])


def test_its_own_file_and_the_shared_one_say_the_same() -> None:
    own = 'contract = "v0.1"\nschemas = ["s"]\n' + ROW.format("*.json")
    write("own/partwire.toml", own)
    write("shared/pyproject.toml", "[tool.partwire]\n" + own.replace("[[", "[[tool.partwire."))
    one, other = load_config(Path("own")), load_config(Path("shared"))
    assert (one.contract, one.schemas, one.paths) == (other.contract, other.schemas, other.paths)
    assert one.contract == "v0.1"


def test_a_project_does_not_inherit(tmp_path: Path) -> None:
    write("partwire.toml", 'contract = "v0.1"\n')
    write("below/pyproject.toml", '[project]\nname = "x"\n')
    assert load_config(Path("below")).contract is None


def test_two_configurations_are_refused_and_a_shared_file_without_one_is_not() -> None:
    write("partwire.toml", 'contract = "v0.1"\n')
    write("pyproject.toml", '[project]\nname = "x"\n')
    assert load_config(Path()).contract == "v0.1"
    write("pyproject.toml", "[tool.partwire]\n")
    assert load_config(Path()).contract == "v0.1"
    write("pyproject.toml", "[[[ no toml, and none of our business")
    assert load_config(Path()).contract == "v0.1"
    (finding,) = refused('[project]\nname = "x"\n[tool.partwire]\nschemas = []\n', "pyproject.toml")
    assert (finding.rule, finding.source, finding.line) == ("config/two-files", "pyproject.toml", 3)
    assert finding.actual == "a table with schemas"


def test_an_empty_file_of_its_own_leaves_the_shared_one_unread() -> None:
    """The nearest rule that is simple: partwire.toml is the configuration where it is."""
    write("partwire.toml")
    write("pyproject.toml", '[tool.partwire]\ncontract = "v0.1"\n')
    assert load_config(Path()).contract is None


# --- what it may hold -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "rule", "place", "line", "expected"),
    [
        ('\nformt = "text"', "config/unknown-key", "/formt", 2, "format"),
        ("[[path]]\nglob = 1", "config/unknown-key", "/path", 1, "paths"),
        ("[[ignores]]", "config/unknown-key", "/ignores", 1, "ignore"),
        ("zebra = 1", "config/unknown-key", "/zebra", 1, "one of contract, paths, exclude"),
        ('format = "githup"', "config/invalid-value", "/format", 1, "one of text, json, github"),
        ("contract = 2", "config/invalid-value", "/contract", 1, 'a string, such as "v0.2"'),
        ("schemas = ['a', 1]", "config/invalid-value", "/schemas/1", 1, "a string"),
        ("paths = {}", "config/invalid-value", "/paths", 1, "an array"),
        ("paths = ['x']", "config/invalid-value", "/paths/0", 1, "a table"),
        (ROW.format("a") + ROW.format(""), "config/invalid-value", "/paths/1/glob", 5, "a string"),
        (ROW.format("/a/*"), "config/invalid-value", "/paths/0/glob", 2, "Paths below the conf"),
        (ROW.format("../a"), "config/invalid-value", "/paths/0/glob", 2, "Paths below the conf"),
        ("exclude = ['./a']", "config/invalid-value", "/exclude/0", 1, "Paths below the conf"),
        ('[[paths]]\ntype = "a"', "config/missing-key", "/paths/0", 1, "a string, such as"),
        ('contract = "v0.9"', "usage/unknown-version", "/contract", 1, ", ".join(FAMILIES)),
        (
            ROW.format("a") + 'version = "v0"',
            "usage/unknown-version",
            "/paths/0/version",
            4,
            ", ".join(FAMILIES),
        ),
        (
            '[[paths]]\nglob = "x"\ntype = "message.Mesage"',
            "usage/unknown-type",
            "/paths/0/type",
            3,
            "message.Message",
        ),
    ],
)
def test_a_fault_is_told_with_its_place(
    text: str, rule: str, place: str, line: int, expected: str
) -> None:
    (finding,) = refused(text)
    assert (finding.rule, finding.pointer, finding.line) == (rule, place, line)
    assert finding.source == "partwire.toml"
    assert (finding.expected or "").startswith(expected)


@pytest.mark.parametrize(
    ("members", "rule", "place"),
    [
        ('rule = "shape/enum"', "config/missing-key", ""),
        ('reason = "r"', "config/missing-key", ""),
        ('rule = "shape/enum"\nreason = " "', "config/invalid-value", "/reason"),
        ('rule = "shape/enum"\nreason = "r"\npaths = []', "config/invalid-value", "/paths"),
        (
            'rule = "shape/enum"\nreason = "r"\nuntil = "2026-02-30"',
            "config/invalid-value",
            "/until",
        ),
        ('rule = "shape/enum"\nreason = "r"\nuntil = "20260203"', "config/invalid-value", "/until"),
        ('rule = "shape/enum"\nreason = "r"\nuntil = 12:00:00', "config/invalid-value", "/until"),
        (
            'rule = "shape/enum"\nreason = "r"\nuntil = 2026-01-02T00:00:00',
            "config/invalid-value",
            "/until",
        ),
        ('rule = "shape/enumm"\nreason = "r"', "usage/unknown-rule", "/rule"),
        ('rule = "compat/type-narrowed"\nreason = "r"', "config/invalid-value", "/rule"),
        ('rule = "usage/unreadable-input"\nreason = "r"', "config/invalid-value", "/rule"),
        ('rule = "document/too-many-findings"\nreason = "r"', "config/invalid-value", "/rule"),
        ('rule = "usage/unreadable"\nreason = "r"', "config/invalid-value", "/rule"),
    ],
)
def test_an_ignore_has_a_rule_a_reason_and_perhaps_a_day(
    members: str, rule: str, place: str
) -> None:
    (finding,) = refused(f"[[ignore]]\n{members}\n")
    assert (finding.rule, finding.pointer) == (rule, f"/ignore/0{place}")


def test_a_rule_that_no_report_leaves_out_cannot_be_ignored() -> None:
    """A setting that its writer believes in has an effect: else it is refused."""
    reported = ("conformance", "document", "envelope", "history", "message", "read", "registry")
    refused_rules = set()
    for rule in read_rules():
        write("partwire.toml", f'[[ignore]]\nrule = "{rule}"\nreason = "r"\n')
        try:
            load_config(Path())
        except UsageError as error:
            (finding,) = error.findings
            assert (finding.rule, finding.pointer) == ("config/invalid-value", "/ignore/0/rule")
            assert (finding.line, finding.actual) == (2, json.dumps(rule))
            assert "Id of a rule of documents, histories" in (finding.expected or "")
            refused_rules.add(rule)
    rooms = (*reported, "session", "shape")
    assert refused_rules == {
        rule
        for rule in read_rules()
        if rule.partition("/")[0] not in rooms or rule == "document/too-many-findings"
    }


def test_all_faults_are_told_at_once() -> None:
    found = refused('formt = 1\n[[paths]]\ntipe = "x"\nglob = ""\n')
    assert [finding.pointer for finding in found] == [
        "/formt",
        "/paths/0",
        "/paths/0/tipe",
        "/paths/0/glob",
    ]


def test_the_line_is_that_of_the_row_in_a_shared_file() -> None:
    text = (
        '[project]\nname = """\n[[tool.partwire.paths]]\nglob = 1\n"""\n'
        '[tool.partwire]\nschemas = [\n  "a = b",\n]\n# [[tool.partwire.paths]]\n'
        '[[tool.partwire.paths]] # one\nglob = "x"\n"type" = "message.Message"\n'
        "[tool.other]\nglob = 3\n"
        '[[ tool . "partwire" . paths ]]\n"glob" = "y"\n'
    )
    (finding,) = refused(text, "pyproject.toml")
    assert (finding.pointer, finding.line) == ("/tool/partwire/paths/1", 16)
    (finding,) = refused(text + "type = 5\n", "pyproject.toml")
    assert (finding.pointer, finding.line) == ("/tool/partwire/paths/1/type", 18)


def toml_text(value: Any) -> str:
    """Write a value as TOML, tables inline; JSON's strings of plain characters are TOML's."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {toml_text(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml_text, value)) + "]"
    return value.isoformat() if isinstance(value, date) else json.dumps(value)


NAMES = ["glob", "type", "version", "rule", "reason", "until", "paths", "ignore", "contract", "x"]
TEXTS = st.text(st.sampled_from("ab*/?. \n\t0129-é"), max_size=12)
DAYS = st.sampled_from(["2026-01-31", "2026-02-30", "2026-1-1", "20260131", "2026-01-31\n", " "])
JUNK = st.recursive(
    st.one_of(st.booleans(), st.integers(0, 9), st.dates(), TEXTS, DAYS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2), st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)
    ),
    max_leaves=4,
)


def mostly(good: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.integers(0, 9).flatmap(lambda dice: JUNK if dice == 0 else good)


def table(
    needed: dict[str, st.SearchStrategy[Any]], optional: dict[str, st.SearchStrategy[Any]]
) -> st.SearchStrategy[dict[str, Any]]:
    """Draw a table that is mostly good: now and then a key is missing, is odd or is too many."""
    keys = {name: mostly(each) for name, each in needed.items()}
    more = {name: mostly(each) for name, each in optional.items()}
    good = st.fixed_dictionaries(keys, optional=more)
    other = st.fixed_dictionaries({}, optional=keys | more | {"x": JUNK})
    return st.integers(0, 5).flatmap(lambda dice: other if dice == 0 else good)


GLOBS = st.sampled_from(["*.json", "a/**", "b", ".a", "/a", "./a", "../a", ".../a", "a/../b"])
ROWS = table({"glob": GLOBS, "type": st.just("message.Message")}, {"version": st.just("v0.1")})
IGNORES = table(
    {"rule": st.sampled_from(["shape/enum", "compat/unproven"]), "reason": TEXTS},
    {"paths": st.lists(mostly(GLOBS), max_size=2), "until": DAYS | st.dates()},
)
CONFIGS = table(
    {},
    {
        "contract": st.just("v0.2"),
        "paths": st.lists(mostly(ROWS), max_size=2),
        "exclude": st.lists(mostly(GLOBS), max_size=2),
        "schemas": st.lists(mostly(TEXTS), max_size=2),
        "ignore": st.lists(mostly(IGNORES), max_size=2),
        "format": st.sampled_from(["text", "junit", "xml"]),
        "baseline": TEXTS,
    },
)
SCHEMA = config_schema()
REFERENCE = Draft7Validator(SCHEMA, format_checker=Draft7Validator.FORMAT_CHECKER)
SECOND = jsonschema_rs.Draft7Validator(SCHEMA, validate_formats=True)


@settings(max_examples=300)
@given(CONFIGS)
def test_the_loader_and_the_schema_agree(tmp_path_factory: Any, content: dict[str, Any]) -> None:
    """What an editor marks by the schema is what the program refuses, and nothing else is."""
    folder = tmp_path_factory.mktemp("config")
    text = "".join(f"{json.dumps(name)} = {toml_text(each)}\n" for name, each in content.items())
    (folder / "partwire.toml").write_text(text)
    seen = json.loads(json.dumps(tomllib.loads(text), default=str))
    places: set[str] = set()
    try:
        load_config(folder)
    except UsageError as error:
        places = {each.pointer for each in error.findings if each.rule.startswith("config/")}
    errors = list(REFERENCE.iter_errors(seen))
    expected = {"".join(f"/{part}" for part in each.absolute_path) for each in errors}
    # The reference tells of unknown keys at the table that has them.
    for each in errors:
        if each.validator == "additionalProperties":
            at = "".join(f"/{part}" for part in each.absolute_path)
            assert isinstance(each.schema, dict)
            extra = set(each.instance) - set(each.schema["properties"])
            if not any(
                other.validator != "additionalProperties"
                and other.absolute_path == each.absolute_path
                for other in errors
            ):
                expected.discard(at)
            expected |= {f"{at}/{name}" for name in extra}
    assert SECOND.is_valid(seen) == (not errors)
    assert places == expected


REFUSED = {
    "paths = 1": "/paths",
    'glob = "a"': "/glob",
    'format = "xml"': "/format",
    'baseline = ""': "/baseline",
    "schemas = [1]": "/schemas/0",
    'exclude = ["/a"]': "/exclude/0",
    'exclude = ["../a"]': "/exclude/0",
    'unknown-members = "loud"': "/unknown-members",
    '[[paths]]\ntype = "message.Message"': "/paths/0",
    '[[paths]]\nglob = "a"': "/paths/0",
    '[[paths]]\nglob = ""\ntype = "message.Message"': "/paths/0/glob",
    '[[paths]]\nglob = "a"\ntype = "message.Message"\nunknown-members = "no"': (
        "/paths/0/unknown-members"
    ),
    '[[ignore]]\nrule = "shape/enum"': "/ignore/0",
    '[[ignore]]\nrule = "shape/enum"\nreason = " "': "/ignore/0/reason",
    '[[ignore]]\nrule = "usage/unreadable-input"\nreason = "r"': "/ignore/0/rule",
    '[[ignore]]\nrule = "shape/enum"\nreason = "r"\npaths = []': "/ignore/0/paths",
    '[[ignore]]\nrule = "shape/enum"\nreason = "r"\nuntil = "2027-02-30"': "/ignore/0/until",
    '[[ignore]]\nrule = "shape/enum"\nreason = "r"\nuntil = 2027': "/ignore/0/until",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_the_loader_refuses_an_editor_marks(text: str) -> None:
    """Of every keyword of the schema one case: neither takes it, and both name the place."""
    write("partwire.toml", text)
    with pytest.raises(UsageError) as caught:
        load_config(Path())
    assert [each.pointer for each in caught.value.findings] == [REFUSED[text]]
    seen = json.loads(json.dumps(tomllib.loads(text), default=str))
    (error,) = REFERENCE.iter_errors(seen)
    place = "".join(f"/{part}" for part in error.absolute_path)
    assert REFUSED[text] in (place, f"{place}/glob")
    assert not SECOND.is_valid(seen)


def test_editors_find_the_schema() -> None:
    """As SchemaStore and the TOML language servers want it, and as the guide says."""
    address = "https://partwire.dev/schemas/config.schema.json"
    assert SCHEMA["$id"] == address
    assert SCHEMA["$schema"] == "http://json-schema.org/draft-07/schema#"
    (pattern,) = SCHEMA["x-taplo-info"]["patterns"]
    for name in ("partwire.toml", "/home/a/partwire.toml", "C:\\a\\partwire.toml"):
        assert re.search(pattern, name)
    assert not re.search(pattern, "/home/a/my-partwire.toml")
    page = (Path(__file__).parents[2] / "docs" / "ci.md").read_text("utf-8")
    assert f"#:schema {address}\n" in page
    (block,) = re.findall(r"```json\n(\{\n  \"name\".*?)```", page, re.DOTALL)
    entry = json.loads(block)
    assert (entry["name"], entry["fileMatch"]) == (SCHEMA["title"], ["partwire.toml"])
    assert entry["url"] == address
    assert entry["description"]


def test_the_schema_is_one_and_its_examples_are_good() -> None:
    Draft7Validator.check_schema(SCHEMA)
    config = {
        name: each["examples"][0]
        for name, each in SCHEMA["properties"].items()
        if "examples" in each
    }
    for name, key in (("path", "paths"), ("ignore", "ignore")):
        properties = SCHEMA["definitions"][name]["properties"]
        config[key] = [{k: v["examples"][0] for k, v in properties.items() if "examples" in v}]
    config["paths"][0]["glob"] = SCHEMA["definitions"]["glob"]["examples"][0]
    write("partwire.toml", "".join(f"{k} = {toml_text(v)}\n" for k, v in config.items()))
    assert len(load_config(Path()).ignores) == 1
    assert REFERENCE.is_valid(config)


def test_the_loader_knows_every_keyword_of_the_schema() -> None:
    known = {"type", "items", "properties", "required", "additionalProperties", "enum", "$ref"}
    known |= {"minLength", "minItems", "pattern", "format", "description", "examples"}

    def keywords(schema: dict[str, Any]) -> set[str]:
        below = [*schema.get("properties", {}).values(), schema.get("items", {})]
        return set(schema).union(*(keywords(each) for each in below if each))

    top = {"$schema", "$id", "title", "definitions", "x-tombi-toml-version", "x-taplo-info"}
    for each in (SCHEMA, *SCHEMA["definitions"].values()):
        assert keywords(each) - top <= known
    formats = re.findall(r'"format": "(.*?)"', json.dumps(SCHEMA["definitions"]))
    assert formats == ["date"]
