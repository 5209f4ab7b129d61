"""Files of entries: what they may hold, and how they are refused."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from partwire.errors import Finding, PartwireError, ReadError
from partwire.reporting.kept_files import COUNT, DAY, SENTENCE, TEXT, EntryForm, parse_day

FORM = EntryForm(
    "Things are an array",
    {"name": TEXT, "why": SENTENCE, "count": COUNT, "until": DAY},
    needed=("name",),
)


def refusal(text: str | bytes, folder: Path, form: EntryForm = FORM) -> Finding:
    path = folder / "things.json"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(PartwireError) as caught:
        form.read(str(path))
    (found,) = caught.value.findings
    assert found.source == str(path)
    return found


def test_the_entries_are_read_in_order(tmp_path: Path) -> None:
    path = tmp_path / "things.json"
    path.write_text('[{"until": "2027-01-31", "name": ""}, {"name": "b", "count": 2, "why": "c"}]')
    assert FORM.read(str(path)).rows == [
        {"until": date(2027, 1, 31), "name": ""},
        {"name": "b", "count": 2, "why": "c"},
    ]


@pytest.mark.parametrize(
    ("text", "pointer", "line", "message", "expected", "actual"),
    [
        ("\n{}", "", 2, "Things are an array", "an array of entries", "object with 0 members"),
        ('[\n{"name": "a"},\n5]', "/1", 3, "An entry is an object", "an object", "5"),
        ('[\n{"why": "a"}]', "/0", 2, "name is missing", "a member name", "object with 1 member"),
        (
            '[{"name": "a",\n\n"a/b": 1}]',
            "/0/a~1b",
            3,
            "Unknown member",
            "name or why or count or until",
            '"a/b"',
        ),
        ('[{\n"name": null}]', "/0/name", 2, "No string", "a string", "null"),
        *(
            (f'[{{"name": "",\n"why": {value}}}]', "/0/why", 2, "No text", SENTENCE.expected, value)
            for value in ('" "', "1")
        ),
        *(
            (f'[{{"name": "", "count": {it}}}]', "/0/count", 1, "No count", COUNT.expected, it)
            for it in ("0", "true", "1.5", '"1"')
        ),
        (
            '[{"name": "",\n"until": 5}]',
            "/0/until",
            2,
            "No day of the calendar",
            "a day such as 2026-01-31",
            "5",
        ),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(
    text: str, pointer: str, line: int, message: str, expected: str, actual: str, tmp_path: Path
) -> None:
    found = refusal(text, tmp_path)
    assert found.rule == "usage/invalid-argument"
    assert (found.pointer, found.line, found.message) == (pointer, line, message)
    assert (found.expected, found.actual) == (expected, actual)


def test_what_a_reader_refuses_later_has_its_line_too(tmp_path: Path) -> None:
    path = tmp_path / "things.json"
    path.write_text('[\n{"name": "a"},\n{"name": "a"}\n]')
    found = FORM.read(str(path)).refused("/1/name", "Told twice", "one", "a").findings[0]
    assert (found.source, found.line) == (str(path), 3)


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (b"[", "document/invalid-json"),
        (b"", "document/empty"),
        (b'["\xff"]', "document/invalid-utf8"),
        (b"[" * 600 + b"]" * 600, "document/too-deep"),
        (b'["\\ud800"]', "document/lone-surrogate"),
    ],
    ids=["cut", "empty", "no UTF-8", "deep", "surrogate"],
)
def test_a_file_that_is_no_json_is_refused_by_name(data: bytes, rule: str, tmp_path: Path) -> None:
    assert refusal(data, tmp_path).rule == rule
    with pytest.raises(ReadError, match=rule):
        FORM.read(str(tmp_path / "things.json"))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    name = str(tmp_path / "none.json")
    told = EntryForm("Things are an array", {}, (), absent="make one")
    for form, why in ((FORM, "No such file or directory"), (told, "make one")):
        with pytest.raises(PartwireError, match=f"{name}: Cannot be read: {why}"):
            form.read(name)
    assert FORM.read(name, optional=True).rows == []


@pytest.mark.parametrize("name", [".", "\0"])
@pytest.mark.parametrize("optional", [False, True])
def test_what_is_no_file_is_never_optional(name: str, optional: bool) -> None:
    with pytest.raises(PartwireError) as caught:
        FORM.read(name, optional=optional)
    assert caught.value.rule == "usage/unreadable-input"


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2028-02-29", date(2028, 2, 29)),
        ("2027-02-29", None),
        ("20270131", None),
        ("2026-W01-1", None),
        ("2027-01-31T00:00", None),
        (" 2027-01-31", None),
        ("٢٠٢٧-٠١-٣١", None),
        (20270131, None),
        (None, None),
    ],
)
def test_a_day_has_one_spelling(text: Any, day: date | None) -> None:
    assert parse_day(text) == day
