"""What the checker says of a release: no break within a major, by entry point and definition."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from codegen import release_compat
from codegen.release_checks import Repository as Place
from partwire.compat import Budget
from partwire.compat.comparison import check
from tests.codegen.release_repository import FILE, Outcome, Repository, copied, first_released

Json = dict[str, Any]
Change = Callable[[Json], Any]


@pytest.fixture
def released(tmp_path: Path) -> Repository:
    """v0.1 is released, v0.2 is a draft."""
    return copied(first_released(), tmp_path / "repository")


def thing(defs: Json) -> Json:
    members: Json = defs["Thing"]["properties"]
    return members


def text(**members: Any) -> Json:
    return {"type": "string", "description": "A text.", **members}


def require(name: str, type_name: str = "Thing") -> Change:
    """Ask for a member that could be left out, or was not there."""

    def apply(defs: Json) -> None:
        defs[type_name]["properties"].setdefault(name, text())
        defs[type_name]["required"].append(name)
        for example in defs[type_name]["examples"]:
            example[name] = "a"

    return apply


def both(*changes: Change) -> Change:
    def apply(defs: Json) -> None:
        for change in changes:
            change(defs)

    return apply


def renamed(defs: Json) -> None:
    defs["Label"] = defs.pop("Name")
    thing(defs)["name"] = {"$ref": "#/$defs/Label"}


def moved_inline(defs: Json) -> None:
    del defs["Colour"]
    thing(defs)["colour"] = text(enum=["red", "green"]) | {"x-safe-default": "red"}


def without_plan(defs: Json) -> None:
    del defs["Plan"], defs["PlanBody"]


COMPATIBLE: dict[str, Change] = {
    "nothing": lambda defs: None,
    "other words": lambda defs: defs["Thing"].update(description="Another word for it."),
    "a new member": lambda defs: thing(defs).update(size=text()),
    "a member less": lambda defs: thing(defs).pop("note"),
    "a new value": lambda defs: defs["Colour"]["enum"].append("blue"),
    "a bound less": lambda defs: defs["Name"].pop("minLength"),
    "a new type": lambda defs: defs.update(Word=text(examples=["a"]) | {"x-entrypoint": True}),
    "a reserved type": require("day", "Plan"),
    "what only a reserved type uses": both(
        require("day", "PlanBody"),
        lambda defs: defs["Plan"].update(examples=[{"body": {"text": "a", "day": "a"}}]),
    ),
    "reserved types are gone": without_plan,
    "a reserved type is promised": lambda defs: defs["Plan"].pop("x-status"),
}
BREAKING: dict[str, tuple[Change, list[tuple[str, str]]]] = {
    "a new required member": (require("size"), [("required-added", "sample.Thing")]),
    "an old member is required": (require("note"), [("required-added", "sample.Thing")]),
    "another type": (
        lambda defs: thing(defs).update(note={"type": "boolean", "description": "A flag."}),
        [("type-narrowed", "sample.Thing")],
    ),
    "a value less": (
        lambda defs: defs["Colour"]["enum"].pop(),
        [("enum-value-removed", "sample.Thing")],
    ),
    "a tighter bound": (
        lambda defs: (defs["Name"].update(minLength=2, examples=["aa"]),
                      defs["Thing"].update(examples=[{"name": "aa"}])),
        [("bound-tightened", "sample.Thing")],
    ),
    "a type that nobody uses": (
        lambda defs: defs["Loose"].update(maxLength=3),
        [("bound-tightened", f"{FILE}#Loose")],
    ),
    "an entry point is gone": (
        lambda defs: defs.pop("Thing"),
        [("entrypoint-removed", "sample.Thing")],
    ),
    "no entry point any more": (
        lambda defs: defs["Thing"].pop("x-entrypoint"),
        [("entrypoint-removed", "sample.Thing")],
    ),
    "a definition has another name": (renamed, [("entrypoint-removed", f"{FILE}#Name")]),
    "a definition is gone, its content is not": (
        moved_inline,
        [("entrypoint-removed", f"{FILE}#Colour")],
    ),
    "two breaks": (
        both(require("size"), lambda defs: defs["Colour"]["enum"].pop()),
        [("enum-value-removed", f"{FILE}#Colour"), ("required-added", "sample.Thing")],
    ),
    "a type that is called reserved now": (
        both(require("size"), lambda defs: defs["Thing"].update({"x-status": "reserved"})),
        [("required-added", "sample.Thing")],
    ),
}  # fmt: skip


def told(done: Outcome) -> list[tuple[str, str]]:
    """Return the checker's rule and the first name of each break."""
    found = re.findall(
        r"\(compat/([a-z-]+); ([^),]+)[^)]*\) \[release/breaking\]$", done.err, re.MULTILINE
    )
    return sorted(found)


@pytest.mark.parametrize("name", COMPATIBLE)
def test_what_breaks_nobody_is_released(name: str, released: Repository) -> None:
    released.add("v0.2", COMPATIBLE[name])
    done = released.release("v0.2")
    assert (done.status, done.err) == (0, "")
    assert released.row("v0.2")["status"] == "released"


@pytest.mark.parametrize("name", BREAKING)
def test_a_break_is_no_minor_version(name: str, released: Repository) -> None:
    change, expected = BREAKING[name]
    released.add("v0.2", change)
    before = released.contents()
    done = released.release("v0.2")
    assert (done.status, done.out) == (1, "")
    assert told(done) == expected, done.err
    assert done.err.count("expected  what v0.1 allows, or v1.0") == len(expected)
    assert done.err.endswith(f"v0.2: refused, {len(expected)} finding(s)\n")
    assert released.contents() == before


@pytest.mark.parametrize("name", BREAKING)
def test_a_break_is_a_major_version(name: str, released: Repository) -> None:
    released.add("v1.0", BREAKING[name][0])
    done = released.release("v1.0")
    assert (done.status, done.err) == (0, "")


def test_a_break_is_shown_at_its_place_with_a_witness(released: Repository) -> None:
    released.add("v0.2", require("size"))
    done = released.release("v0.2")
    lines = released.schema("v0.2").read_text("utf-8").splitlines()
    match = re.search(rf"^schemas/v0.2/{re.escape(FILE)}:(\d+): ", done.err, re.MULTILINE)
    assert match is not None
    assert '"size"' in lines[int(match[1]) - 1]
    assert re.search(r"^  at +/\$defs/Thing/required/1$", done.err, re.MULTILINE)
    assert re.search(r'^  actual +v0.2 refuses {"name": "."}$', done.err, re.MULTILINE)


def test_a_version_is_compared_with_every_release_of_its_major(released: Repository) -> None:
    """Each step breaks nobody: what the first has and the third has otherwise, the second lacks."""
    released.add("v0.2", lambda defs: thing(defs).pop("note"))
    assert released.release("v0.2").status == 0
    flag = {"type": "boolean", "description": "A flag."}
    released.add("v0.3", lambda defs: thing(defs).update(note=flag))
    done = released.release("v0.3")
    assert done.status == 1
    assert told(done) == [("type-narrowed", "sample.Thing")]
    assert "what v0.1 allows" in done.err
    assert "what v0.2 allows" not in done.err
    released.add("v1.0", lambda defs: thing(defs).update(note=flag))
    assert released.release("v1.0").status == 0
    released.add("v1.1", lambda defs: thing(defs).pop("note"))
    assert released.release("v1.1").status == 0


def test_what_is_reserved_stays_outside_only_as_it_was_promised(released: Repository) -> None:
    released.add("v0.2", lambda defs: defs["Thing"].update({"x-status": "reserved"}))
    assert released.release("v0.2").status == 0
    released.add("v0.3", require("size"))
    done = released.release("v0.3")
    assert told(done) == [("required-added", "sample.Thing")]
    assert "what v0.1 allows" in done.err


def test_what_is_outside_the_promise(released: Repository) -> None:
    outside = release_compat.outside_the_promise(Place(released.root), "v0.1")
    assert outside == {
        *("sample.Plan", "sample.PlanBody", f"{FILE}#Plan", f"{FILE}#PlanBody"),
    }


@pytest.mark.parametrize(("version", "status"), [("v0.2", 1), ("v1.0", 0)])
def test_what_is_not_proved_is_no_minor_version(
    version: str, status: int, released: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A checker that may take no step proves nothing; a schema of the dialect leaves none open."""
    released.add(version, lambda defs: thing(defs).update(size=text()))
    before = released.contents()
    spent = partial(check, budget=Budget(steps=0, seconds=0, documents=3))
    monkeypatch.setattr(release_compat, "check", spent)
    done = released.release(version)
    assert done.status == status
    if status:
        assert "[release/unproven]" in done.err
        assert "[release/breaking]" not in done.err
        assert "sample.Thing: not proved to take every document of v0.1" in done.err
        assert "documents tried" in done.err
        assert released.contents() == before


def test_an_old_version_that_the_linter_refuses_now(released: Repository) -> None:
    """The files are as they were: a rule that they name is gone from the list of rules."""
    rule = {"rule": "sample/rule", "op": "not-less", "value": "/b", "than": "/a"}
    rules = {"rules": {"sample/rule": {"severity": "error"}}}
    integer = {"type": "integer", "description": "A number.", "minimum": 0, "maximum": 9}
    released.write("schemas/rules/sample.json", rules)
    released.add("v0.2", lambda defs: (
        thing(defs).update(a=integer, b=integer), defs["Thing"].update({"x-rules": [rule]})
    ))  # fmt: skip
    done = released.release("v0.2")
    assert done.status == 0, done.err
    released.add("v0.3", lambda defs: thing(defs).update(a=integer, b=integer))
    released.write("schemas/rules/sample.json", {"rules": {}})
    done = released.release("v0.3")
    assert done.status == 1
    assert re.search(r"^schemas/v0.2/.*\(lint/unknown-rule\) \[release/lint-failed\]$", done.err,
                     re.MULTILINE)  # fmt: skip
