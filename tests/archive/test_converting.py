"""Documents as those of another version, family or format, and what that loses."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from partwire.archive.documents.convert import Converter, default_key, source_kind
from partwire.archive.documents.options import Convert, Migrate
from partwire.convert import TextMigrator, convert
from partwire.errors import PartwireError
from partwire.formats import write
from partwire.reading import to_wire, validate

from .archives import Outcome, message, over

AUTHOR = {"kind": "user", "id": "u", "name": "Ada"}
EXPECTED = ("run-id", "timestamp")


def conversion(source: str, to: str, **members: Any) -> Convert:
    by = members.pop("by", None) or default_key(source_kind(source))
    return Convert(source=source, to=to, by=by, **members)


def lost(made: Outcome) -> list[tuple[int, str, str]]:
    return [(row["line"], row["pointer"], row["code"]) for row in made.rows("lost")]


# --- migrate --------------------------------------------------------------------------------------


def test_documents_are_migrated_with_what_they_lose(tmp_path: Path) -> None:
    lines = [message("r1"), b"", message("r2", messageId="m", author=AUTHOR), b"{", b"[]"]
    made = over(
        Migrate(to="v0.1", type="message.Message", version="v0.3"), [lines], tmp_path, task_bytes=99
    )
    one_by_one = TextMigrator("v0.1", "message.Message", "v0.3")
    assert made.tables["documents"] == [one_by_one.run(lines[n]).text for n in (0, 2)]
    assert all(
        not validate(row, "message.Message", version="v0.1") for row in made.rows("documents")
    )
    assert made.totals.counts["changed"] == 1
    assert (3, "/author", "author") in lost(made)
    assert made.rows("lost")[-1]["value"] == AUTHOR or AUTHOR in [
        r["value"] for r in made.rows("lost")
    ]
    assert [(row["line"], row["text"]) for row in made.rows("quarantine")] == [(4, "{"), (5, "[]")]


def test_what_is_at_the_version_stays_byte_for_byte(tmp_path: Path) -> None:
    lines = [b" " + message("r1") + b"\r", message("r2", author=AUTHOR)]
    made = over(Migrate(to="v0.3", type="message.Message", version="v0.3"), [lines], tmp_path)
    assert made.tables == {"documents": lines}
    assert not made.totals.counts.get("changed")


def test_strictly_what_would_lose_something_is_put_aside(tmp_path: Path) -> None:
    lines = [message("r1"), message("r2", author=AUTHOR)]
    options = Migrate(to="v0.1", type="message.Message", version="v0.3", strict=True)
    made = over(options, [lines], tmp_path)
    assert [(row["line"], row["rule"]) for row in made.rows("quarantine")] == [(2, "migrate/lossy")]


# --- histories of many lines ----------------------------------------------------------------------

ROLES = ("user", "assistant")
RUNS = [
    [message(f"run-{run}", f"{run}.{at}", at=at, role=ROLES[at % 2]) for at in range(4)]
    for run in range(30)
]


@pytest.mark.parametrize("held_bytes", [1 << 20, 2000])
def test_messages_of_a_run_are_one_line_of_training_data(held_bytes: int, tmp_path: Path) -> None:
    lines = [line for run in RUNS for line in run]
    random.Random(1).shuffle(lines)
    options = conversion("message", "finetune", to_version="openai", accept=EXPECTED)
    made = over(options, [lines[:50], lines[50:]], tmp_path, task_bytes=2000, held_bytes=held_bytes)
    expected = [write("finetune", list(map(json.loads, run))).document[0] for run in RUNS]
    rows = sorted(made.rows("documents"), key=json.dumps)
    assert rows == sorted(expected, key=json.dumps)
    assert (made.totals.used, made.totals.made) == (120, 30)
    assert made.totals.counts == {"lossy run-id": 120, "lossy timestamp": 120}
    assert "lost" not in made.tables


def test_messages_of_one_time_are_in_the_order_of_the_inputs(tmp_path: Path) -> None:
    files = [[message("r", "b", at=5)], [message("r", "c", at=5)], [message("r", "a", at=1)]]
    made = over(conversion("message", "finetune"), files, tmp_path, task_bytes=10)
    (row,) = made.rows("documents")
    assert [each["content"] for each in row["messages"]] == ["a", "b", "c"]


@pytest.mark.parametrize("unit", [1, 1.0])
def test_messages_of_a_session_are_in_the_order_of_their_times(unit: float, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    made = over(conversion("message", "session", context={"agent": "a"}), [RUNS[0]], tmp_path / "a")
    rows = made.rows("documents")
    for row in rows:
        row["info"]["time"]["created"] *= unit
    lines = [json.dumps(row).encode() for row in reversed(rows)]
    (tmp_path / "b").mkdir()
    (row,) = over(conversion("session", "finetune"), [lines], tmp_path / "b").rows("documents")
    assert [each["content"] for each in row["messages"]] == ["0.0", "0.1", "0.2", "0.3"]


def test_what_a_history_loses_on_the_way_is_told_at_its_first_line(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    made = over(conversion("message", "session", context={"agent": "a"}), [RUNS[0]], tmp_path / "a")
    lines = [b"", *made.tables["documents"]]
    (tmp_path / "b").mkdir()
    made = over(conversion("session", "finetune", accept=EXPECTED[1:]), [lines], tmp_path / "b")
    rows = [row for row in made.rows("lost") if row.get("of") == "message"]
    assert {(row["line"], row["code"]) for row in rows if row["code"] in EXPECTED} == {
        (2, "run-id")
    }
    assert made.totals.counts["lossy run-id"] == 4


@pytest.mark.parametrize("by", ["run", "line"])
def test_losses_are_placed_in_their_lines(by: str, tmp_path: Path) -> None:
    files = [[b""], [message("r", "b", at=9 - at) for at in range(4)]]
    files[1].append(message("r", "a", at=1, turnId="t"))
    options = conversion("message", "finetune", accept=EXPECTED, by=by)
    made = over(options, files, tmp_path, task_bytes=120)
    (row,) = made.rows("lost")
    assert (row["source"][-10:], row["line"]) == ("in-1.jsonl", 5)
    assert (row["code"], row["value"]) == ("turn-id", "t")


def test_a_history_with_a_line_that_is_wrong_is_put_aside_as_a_whole(tmp_path: Path) -> None:
    lines = [
        message("good"),
        message("bad", at=1),
        message("bad", at=2, role="wizard"),
        message("bad", at=3),
        b'{"role":"user"}',
        b"{",
        b"x" * 900,
    ]
    files = [lines[:-1], lines[-1:]]
    made = over(conversion("message", "finetune", max_line_bytes=800), files, tmp_path)
    assert made.totals.used == 1
    rows = sorted(made.rows("quarantine"), key=lambda row: (row["source"], row["line"]))
    assert rows.pop()["rule"] == "framing/line-too-long"
    assert [(row["line"], row["rule"], row["pointer"]) for row in rows] == [
        (2, "shape/enum", ""),
        (3, "shape/enum", "/role"),
        (4, "shape/enum", ""),
        (5, "shape/required", "/runId"),
        (6, "document/invalid-json", ""),
    ]
    assert "same history" in rows[0]["message"]


def test_a_history_that_is_larger_than_a_document_is_put_aside(tmp_path: Path) -> None:
    lines = [message("big", "x" * 200, at=at) for at in range(6)] + [message("small", at=9)]
    made = over(conversion("message", "finetune", max_line_bytes=800), [lines], tmp_path)
    assert (made.totals.used, made.totals.quarantined) == (1, 6)
    assert {row["rule"] for row in made.rows("quarantine")} == {"framing/document-too-large"}


def test_to_a_session_and_back(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
    options = conversion("message", "session", context={"agent": "a"})
    made = over(options, [[line for run in RUNS for line in run]], tmp_path / "a")
    expected = [
        to_wire(e)
        for run in RUNS
        for e in convert(run, "session", type="message.Message", agent="a").value
    ]
    rows = made.rows("documents")
    assert sorted(map(json.dumps, rows)) == sorted(map(json.dumps, expected))
    back = over(conversion("session", "message"), [made.tables["documents"]], tmp_path / "b")
    texts = [row["parts"][0]["payload"]["text"] for row in back.rows("documents")]
    assert sorted(texts) == sorted(f"{run}.{at}" for run in range(30) for at in range(4))
    assert all(not validate(row, "message.Message") for row in back.rows("documents"))


# --- histories of one line ------------------------------------------------------------------------

CHAT = b'{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}'
OTHER = b'{"messages":[{"role":"user","content":"c"}]}'


def test_a_line_of_a_format_is_a_run(tmp_path: Path) -> None:
    lines = [CHAT, OTHER, b'{"messages":7}', b"{"]
    made = over(conversion("openai-chat", "message"), [lines], tmp_path)
    runs = [row["runId"] for row in made.rows("documents")]
    assert runs[0] == runs[1] != runs[2]
    assert (made.totals.used, made.totals.made) == (2, 3)
    assert [row["line"] for row in made.rows("quarantine")] == [3, 4]
    assert all(not validate(row, "message.Message") for row in made.rows("documents"))


def test_from_a_format_to_a_format(tmp_path: Path) -> None:
    made = over(conversion("finetune", "anthropic-messages"), [[CHAT, OTHER]], tmp_path)
    assert [len(row["messages"]) for row in made.rows("documents")] == [2, 1]


def test_what_is_lost_of_messages_on_the_way_says_so(tmp_path: Path) -> None:
    made = over(conversion("openai-chat", "blocks"), [[OTHER]], tmp_path)
    assert {"pointer": "/0/runId", "code": "run-id", "of": "message"}.items() <= made.rows("lost")[
        0
    ].items()


def test_a_line_may_be_an_array_of_messages(tmp_path: Path) -> None:
    lines = [b"[" + b",".join(RUNS[0]) + b"]", RUNS[1][0], b"[7]"]
    made = over(conversion("message", "finetune", by="line"), [lines], tmp_path)
    assert [len(row["messages"]) for row in made.rows("documents")] == [4, 1]
    assert [row["line"] for row in made.rows("quarantine")] == [3]
    assert (1, "/3/runId", "run-id") in lost(made)
    assert (2, "/runId", "run-id") in lost(made)


def test_strictly_losses_are_refused_but_those_that_are_accepted(tmp_path: Path) -> None:
    lines = [message("a"), message("b", turnId="t")]
    options = conversion("message", "finetune", strict=True, accept=EXPECTED)
    made = over(options, [lines], tmp_path)
    assert (made.totals.used, [row["rule"] for row in made.rows("quarantine")]) == (
        1,
        ["bridge/lossy"],
    )


@pytest.mark.parametrize(
    ("source", "to", "members"),
    [
        ("claude-code", "message", {}),
        ("nothing", "message", {}),
        ("message.ToolSpec", "message", {}),
        ("message", "message", {}),
        ("message", "message.Message", {}),
        ("message", "nothing", {}),
        ("message", "claude-code", {}),
        ("message", "session", {"to_version": "1"}),
        ("message", "finetune", {"to_version": "no"}),
        ("message", "finetune", {"accept": ("no",)}),
        ("message", "finetune", {"by": "no"}),
        ("message", "session", {"context": {"timestamp": "yesterday"}}),
        ("openai-chat", "message", {"by": "run"}),
        ("blocks", "session", {}),
        ("session", "blocks", {}),
    ],
)
def test_it_is_refused(source: str, to: str, members: dict[str, Any]) -> None:
    with pytest.raises(PartwireError) as refused:
        Converter(conversion(source, to, **members))
    assert refused.value.rule in ("usage/invalid-argument", "bridge/unsupported")
    assert refused.value.findings[0].expected


@pytest.mark.parametrize(
    ("source", "to"),
    [
        ("message.ToolResult", "envelope.ToolCallResponse"),
        ("envelope.ToolResult", "message"),
        ("blocks", "message"),
        ("session", "openai-chat"),
        ("ai-sdk", "session"),
    ],
)
def test_it_is_taken(source: str, to: str) -> None:
    Converter(conversion(source, to))
