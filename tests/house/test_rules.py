"""The texts and examples of ``schemas/rules/``: all there, in two languages, and true."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from codegen.site.outcomes import protocol_input
from partwire.cli.commands.explain import LOSS_TABLES
from partwire.contract.current import LATEST_VERSION
from partwire.contract.resources import read_loss_texts
from partwire.severities import SEVERITIES
from tests.fixture_cases import SCHEMAS
from tests.house.rule_examples import FORMS, shown_by

Json = dict[str, Any]


def _schema(name: str) -> Json:
    loaded: Json = json.loads((SCHEMAS / name).read_bytes())
    return loaded


ROOMS: Final = {path.stem: _schema(f"rules/{path.name}") for path in (SCHEMAS / "rules").iterdir()}
CHINESE: Final = read_loss_texts()
RULES: Final[Json] = {rule: row for room in ROOMS.values() for rule, row in room["rules"].items()}
PROTOCOL: Final = _schema("conformance.schema.json")
SCHEMA: Final = _schema("rules.schema.json")
REGISTRY: Final = Registry().with_resources(
    (each["$id"], DRAFT202012.create_resource(each)) for each in (PROTOCOL, SCHEMA)
)

BESIDE: Final[dict[str, set[str]]] = {
    # Every string with a greatest length has a pattern as well, which says the same length.
    "shape/max-length": {"shape/pattern"},
    # What comes late was missing before.
    "gate/reordered": {"gate/gap"},
    # A break that is accepted is shown with what it is accepted for.
    "compat/accepted-expired": {"compat/entrypoint-removed"},
    "compat/accepted-incomplete": {"compat/type-narrowed"},
    # What breaks, beside the note that says the change.
    "compat/document-refused": {"compat/property-added"},
    "compat/property-claimed": {"compat/property-added"},
    "compat/property-released": {"compat/property-removed"},
    "compat/undeclared-left-out": {"compat/property-added"},
    # A schema that is refused is one that is not published, and the other way round.
    "registry/incompatible": {"registry/not-published"},
    "registry/invalid-schema": {"registry/not-published"},
    "registry/not-published": {"registry/incompatible"},
    # What was ignored, or accepted, counts again.
    "baseline/expired": {"shape/enum"},
    "config/ignore-expired": {"shape/enum"},
    # What there is too much of is reported as far as it goes.
    "document/too-many-findings": {"shape/type"},
    # A version that comes too late has no family that nobody has released.
    "release/version-order": {"release/families-differ"},
}
"""What a bad example cannot but show beside its rule."""

BESIDE_GOOD: Final[dict[str, set[str]]] = {
    "compat/accepted-expired": {"compat/entrypoint-removed"},
    "compat/accepted-incomplete": {"compat/type-narrowed"},
    "compat/undeclared-left-out": {"compat/property-added"},
}
"""What a good example cannot but show: breaks, accepted."""

MOST_WITHOUT: Final = 0.05
"""The share of rules that may do without an example, if they say why."""


def texts() -> Iterator[tuple[str, str, str, str]]:
    """Yield every pair of texts: rule, what it is, English and Chinese."""
    for rule, row in RULES.items():
        yield rule, "summary", row["summary"], row["zh"]["summary"]
        yield rule, "reason", row["reason"], row["zh"]["reason"]
        if "none" in row["examples"]:
            yield rule, "none", row["examples"]["none"], row["examples"]["zh"]
    for name, table in LOSS_TABLES.items():
        for code, (_, english) in table.items():
            yield code, f"loss of {name}", english, CHINESE[name][code]


# --- form ---------------------------------------------------------------------------------------


def test_every_file_has_the_form_that_its_schema_says() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    validator = Draft202012Validator(SCHEMA, registry=REGISTRY)
    for room, document in ROOMS.items():
        found = validator.iter_errors(document)
        assert [(room, list(error.absolute_path), error.message) for error in found] == []


def test_a_rule_is_in_the_file_of_its_room() -> None:
    assert {
        rule
        for room, document in ROOMS.items()
        for rule in document["rules"]
        if not rule.startswith(f"{room}/")
    } == set()


def test_the_table_of_severities_is_that_of_the_rules() -> None:
    assert {rule: row["severity"] for rule, row in RULES.items()} == SEVERITIES


@pytest.mark.parametrize(
    "change",
    [
        {"severity": "fatal"},
        {"summary": "No full stop"},
        {"requirements": []},
        {"reason": ""},
        {"zh": {"summary": "摘要。"}},
        {"zh": {"summary": "Summary.", "reason": "原因。"}},
        {"examples": {"bad": {"python": ["pass"]}}},
        {"examples": {"bad": {}, "good": {}}},
        {"examples": {"none": "Why."}},
        {"more": 1},
        {"mirror": "compat/type-narrowed"},
    ],
    ids=json.dumps,
)
def test_the_schema_refuses(change: Json) -> None:
    row = {**RULES["shape/required"], **change}
    validator = Draft202012Validator(SCHEMA, registry=REGISTRY)
    file = {"$schema": "../rules.schema.json", "rules": {"shape/required": RULES["shape/required"]}}
    assert validator.is_valid(file)
    assert not validator.is_valid({**file, "rules": {"shape/required": row}})


def test_texts_are_said_once() -> None:
    for what in ("summary", "reason"):
        for language in (2, 3):
            said = [text for text in texts() if text[1] == what]
            counted = {text[language]: text[0] for text in said}
            assert len(counted) == len(said), what


def test_every_loss_has_chinese_words() -> None:
    found = {name: list(table) for name, table in CHINESE.items()}
    assert found == {name: list(table) for name, table in LOSS_TABLES.items()}


# --- Chinese ------------------------------------------------------------------------------------

HAN: Final = "[\u4e00-\u9fff]"


def test_chinese_is_chinese() -> None:
    for rule, what, _, chinese in texts():
        han = len(re.findall(HAN, chinese))
        assert han >= 4, (rule, what)
        words = re.findall("[A-Za-z]+", chinese)
        assert han > len(words), (rule, what)


def test_chinese_is_set_as_chinese() -> None:
    """Full-width punctuation behind Chinese, and a space between it and letters or digits."""
    for rule, what, _, chinese in texts():
        assert not re.search(rf"{HAN}[,.;:!?()]|[,;:!?()]{HAN}", chinese), (rule, what)
        assert not re.search(rf"{HAN}[A-Za-z0-9]|[A-Za-z0-9]{HAN}", chinese), (rule, what)
        assert not re.search(rf"{HAN} +{HAN}|[，。；：、（）] | [，。；：、（）]", chinese), (
            rule,
            what,
        )


def glossary(root: Path) -> dict[str, str]:
    text = (root / "docs" / "glossary.md").read_text("utf-8")
    rows = re.findall(r"^\| ([a-z ]+) \| (\S+) \|$", text, re.MULTILINE)
    return dict(rows)


def test_a_word_has_one_word_in_chinese(root: Path) -> None:
    words = glossary(root)
    assert len(words) > 30
    for rule, what, english, chinese in texts():
        for word, said in words.items():
            if re.search(rf"(?<![\w.]){word}s?(?![\w.]\w)", english):
                assert said in chinese, (rule, what, word)


# --- examples -----------------------------------------------------------------------------------


def test_few_rules_are_without_example() -> None:
    without = [rule for rule, row in RULES.items() if "none" in row["examples"]]
    assert len(without) <= MOST_WITHOUT * len(RULES), without


def examples() -> list[Any]:
    return [
        pytest.param(rule, kind, row["examples"][kind], id=f"{rule}-{kind}")
        for rule, row in RULES.items()
        for kind in ("bad", "good")
        if kind in row["examples"]
    ]


@pytest.mark.parametrize(("rule", "kind", "example"), examples())
def test_an_example_shows_what_it_is_for(rule: str, kind: str, example: Json) -> None:
    if kind == "bad":
        assert shown_by(example) == {rule} | BESIDE.get(rule, set())
    else:
        assert shown_by(example) == BESIDE_GOOD.get(rule, set())


def test_any_driver_can_run_the_operations() -> None:
    run = Draft202012Validator({"$ref": f"{PROTOCOL['$id']}#/$defs/Run"}, registry=REGISTRY)
    for rule, row in RULES.items():
        for example in row["examples"].values():
            if "operation" in example:
                line = {
                    "type": "run",
                    "id": 1,
                    "operation": example["operation"],
                    "version": LATEST_VERSION,
                    "input": protocol_input(example),
                }
                assert [error.message for error in run.iter_errors(line)] == [], rule


def test_every_form_is_used() -> None:
    used = {name for _, _, example in (p.values for p in examples()) for name in example}
    assert used >= set(FORMS)
