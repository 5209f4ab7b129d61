"""Documents without credentials: nothing half hidden, nothing shown, and valid again."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from partwire.archive.documents.options import Redact
from partwire.archive.documents.redact import RedactLines, Redactor, check_patterns, masked
from partwire.errors import UsageError
from partwire.json.pointer import value_at
from partwire.model.credentials import HIDDEN, redacted
from partwire.reading import validate

from .archives import message, over

KEY = "sk-proj-abcdefgh1234567890XYZabc"
STATE = "." * 300 + KEY
"""Long, and without white space."""
OPTIONS = Redact(type="message.Message", patterns={"customer": r"C-[0-9]{8}"})


def hidden(value: Any, **patterns: str) -> Any:
    return Redactor(check_patterns(patterns))(value)


_texts = st.lists(
    st.sampled_from(
        [KEY, "password: hunter22", " ", "?token=", "abc", "Bearer ", "token", "=", "é"]
    ),
    max_size=4,
).map("".join)
_values = st.recursive(
    _texts | st.integers(0, 9) | st.none() | st.booleans(),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["a", "password", "value", "headers", "max_tokens", "db_secret"]),
            inner,
            max_size=3,
        ),
        st.fixed_dictionaries({"name": st.sampled_from(["X-Api-Key", "colour"]), "value": inner}),
    ),
    max_leaves=8,
)


def one_mark(value: Any) -> str:
    """Return a value as text in which marks beside each other are one."""
    return re.sub(r"(\[redacted\])+", HIDDEN, json.dumps(value))


@settings(max_examples=200)
@given(_values)
def test_the_same_is_hidden_as_in_a_recording(value: Any) -> None:
    made, found = hidden(value)
    assert one_mark(made) == one_mark(redacted(value))
    assert (made is value) or found or made == value
    again, more = hidden(made)
    assert again == made
    assert not more


@example("aba", ["a(b)a"])
@given(st.text("ab-", max_size=12), st.lists(st.sampled_from(["a+", "b-", "ab", "-a-", "a(b)a"])))
def test_what_several_patterns_find_is_hidden_as_one(text: str, patterns: list[str]) -> None:
    named = {f"p{number}": pattern for number, pattern in enumerate(patterns)}
    made, found = hidden([text], **named)
    spans = [
        match.span(pattern.groups)
        for pattern in map(re.compile, patterns)
        for match in pattern.finditer(text)
    ]
    shown = [at for at in range(len(text)) if not any(begin <= at < end for begin, end in spans)]
    assert made[0].replace(HIDDEN, "") == "".join(text[at] for at in shown)
    assert bool(found) == bool(spans)


def test_documents_are_written_without_them_and_say_where_they_were(tmp_path: Path) -> None:
    lines = [
        message("r1", f"my key is {KEY}, I am C-12345678"),
        b"  " + message("r1", "nothing here"),
        message(
            "r2",
            meta={"requestHeaders": {"x": 1}},
            parts=[
                {
                    "kind": "tool_call",
                    "payload": {
                        "toolCallId": "c",
                        "toolName": "t",
                        "arguments": {"password": "hunter2", KEY: [KEY], "max_tokens": 5},
                    },
                }
            ],
            role="assistant",
        ),
    ]
    made = over(OPTIONS, [lines], tmp_path)
    text = b"\n".join(made.tables["documents"]) + b"\n".join(made.tables["found"])
    assert made.tables["documents"][1] == lines[1]
    for secret in (KEY, "C-12345678", "hunter2"):
        assert secret.encode() not in text
    assert made.totals.counts == {
        "changed": 2,
        "found key": 3,
        "found customer": 1,
        "found member": 1,
    }
    places = [(row["line"], row["pointer"], row["pattern"]) for row in made.rows("found")]
    arguments = "/parts/0/payload/arguments"
    assert places == [
        (1, "/parts/0/payload/text", "key"),
        (1, "/parts/0/payload/text", "customer"),
        (3, f"{arguments}/password", "member"),
        (3, arguments, "key"),
        (3, f"{arguments}/[redacted]/0", "key"),
    ]


def test_what_is_put_aside_shows_nothing_of_its_text(tmp_path: Path) -> None:
    lines = [
        b'{"password: ' + KEY.encode(),
        b'{"a":"' + KEY.encode() + b'\xff"}',
        message("r", f"{KEY} " * 40),
        message("r", KEY),
    ]
    options = Redact(type="message.Message", max_line_bytes=1000, patterns={"all": "(?:user)"})
    made = over(options, [lines[2:3], lines[:2], lines[3:]], tmp_path)
    rows = made.rows("quarantine")
    lines = [lines[2], *lines[:2], lines[3]]
    assert [(row["line"], row["rule"]) for row in rows] == [
        (1, "framing/line-too-long"),
        (1, "document/invalid-json"),
        (2, "document/invalid-utf8"),
        (1, "shape/enum"),
    ]
    assert all(
        row["length"] in (len(line), len(line) + 1) for row, line in zip(rows, lines, strict=True)
    )
    for table in made.tables.values():
        assert KEY.encode() not in b"".join(table)


@pytest.mark.parametrize(
    ("name", "shown"),
    [(KEY, HIDDEN), (f"a/{KEY}", f"a~1{HIDDEN}"), ("C-12345678", HIDDEN), ("~", "~0")],
)
def test_the_place_of_what_is_wrong_shows_no_name_that_is_hidden(
    name: str, shown: str, tmp_path: Path
) -> None:
    lines = [json.dumps({"a": [{name: float("nan")}]}).encode()]
    (row,) = over(OPTIONS, [lines], tmp_path).rows("quarantine")
    assert (row["rule"], row["pointer"]) == ("document/not-finite", f"/a/0/{shown}")
    assert shown == name.replace("~", "~0") or name not in json.dumps(row)


def test_a_valid_document_is_valid_again_or_put_aside(tmp_path: Path) -> None:
    text = f"see {KEY} here"
    citation = {"start": len(text) - 4, "end": len(text), "source": {"kind": "url", "url": "u"}}
    payload = {"text": text, "citations": [citation]}
    lines = [
        message("r", role="assistant", parts=[{"kind": "text", "payload": payload}]),
        message("r", "a role that is hidden is not a role"),
        b'{"role":"user","note":"it was not valid before"}',
    ]
    made = over(Redact(type="message.Message", patterns={"who": "^user$"}), [lines], tmp_path)
    cited, invalid = made.rows("documents")
    assert validate(cited, "message.Message") == []
    shown = cited["parts"][0]["payload"]["text"]
    assert shown[citation["start"] : citation["end"]] == "here"
    assert invalid["role"] == HIDDEN
    (row,) = made.rows("quarantine")
    assert (row["line"], row["rule"], row["pointer"]) == (2, "shape/enum", "/role")
    assert "Without its credentials" in row["message"]


def test_names_that_are_hidden_stay_apart() -> None:
    value = {KEY: [KEY], KEY.replace("a", "b"): [f"{KEY} end"], HIDDEN: ["there"]}
    made, found = hidden(value)
    assert list(made.values()) == [[HIDDEN], [f"{HIDDEN} end"], ["there"]]
    places = [each.pointer for each in found if each.pointer]
    assert [value_at(made, place) for place in places] == [HIDDEN, f"{HIDDEN} end"]
    assert hidden(made) == (made, [])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"opaque": {"k": STATE}}, {"opaque": {"k": STATE}}),
        ({"opaque": {"k": [STATE], "id": KEY}}, {"opaque": {"k": [STATE], "id": HIDDEN}}),
        ({"opaque": {"k": f"{STATE} {KEY}"}}, {"opaque": {"k": f"{STATE[:300]}{HIDDEN} {HIDDEN}"}}),
        ({"other": {"k": STATE}}, {"other": {"k": STATE[:300] + HIDDEN}}),
    ],
)
def test_what_a_provider_wants_back_stays(value: Any, expected: Any) -> None:
    assert hidden(value)[0] == expected


def test_a_pattern_whose_group_is_empty_hides_nothing() -> None:
    assert hidden(["ax"], empty="a(y?)") == (["ax"], [])


def test_what_is_found_in_one_document_is_counted_and_shown_up_to_a_limit(tmp_path: Path) -> None:
    lines = [message("r1", f"{KEY} and C-12345678 and C-87654321"), message("r2", "C-12345678")]
    options = Redact(type="message.Message", patterns=OPTIONS.patterns, max_found=2)
    made = over(options, [lines], tmp_path)
    assert made.totals.counts == {"changed": 2, "found key": 1, "found customer": 3}
    assert [(row["line"], row["sample"], row["length"]) for row in made.rows("found")] == [
        (1, f"{KEY[:4]}…", len(KEY)),
        (1, "C…", 10),
        (2, "C…", 10),
    ]


def test_a_text_that_is_counted_keeps_its_length() -> None:
    value = {"text": f"a {KEY} b", "citations": [{"start": 0, "end": 1}]}
    made, _ = hidden(value)
    assert len(made["text"]) == len(value["text"])
    assert KEY not in made["text"]
    assert hidden(made)[1] == []


@pytest.mark.parametrize("secret", ["", "a", "hunter22", KEY, "x" * 5000])
def test_a_sample_shows_how_it_begins_at_most(secret: str) -> None:
    shown = masked(secret)[:-1]
    assert secret.startswith(shown)
    assert len(shown) <= min(4, len(secret) / 8)


@pytest.mark.parametrize(
    "options",
    [
        Redact(type="message.MessageDelta"),
        Redact(type="blocks.StreamChunk"),
        Redact(type="message.Massage"),
        Redact(type="message.Message", version="v9"),
        *(
            Redact(type="message.Message", patterns={name: pattern})
            for name, pattern in [
                ("a", "("),
                ("a", "(a)(b)"),
                ("a", ""),
                ("a", "x*"),
                ("", "x"),
                ("a b", "x"),
                ("a", "a{99999999999}"),
            ]
        ),
    ],
    ids=repr,
)
def test_it_is_refused(options: Redact) -> None:
    with pytest.raises(UsageError):
        RedactLines(options)
