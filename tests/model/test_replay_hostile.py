"""What ReplayModel refuses: files, folders and recordings that are broken or do not tell."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from partwire.model import ReplayModel
from partwire.providers.framing import DEFAULT_LIMIT_BYTES
from tests.model.test_replay import CALL, HEADER, REQUEST, TEXT, message, refusal


@pytest.fixture(autouse=True)
def _in_root(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)


def test_sources_that_are_none_are_refused(tmp_path: Path) -> None:
    for source in (None, 3, [], [None], b"bytes", "", ["a", 1]):
        rule = refusal(ReplayModel, source)[0]
        assert rule in ("usage/invalid-argument", "usage/unreadable-input"), source
    assert refusal(ReplayModel, tmp_path)[0] == "usage/unreadable-input"
    assert refusal(ReplayModel, tmp_path / "none.sse")[0] == "usage/unreadable-input"
    for name in ("nul\0byte", "n" * 5000, "\ud800"):
        assert refusal(ReplayModel, name)[0] == "usage/unreadable-input"
    assert refusal(ReplayModel, TEXT, dialect="morse")[0] == "usage/unknown-dialect"


@pytest.mark.parametrize(
    "case", [b"[]", b"{", b"\xff", b'{"input": "../../secret"}', b'{"input": 5}', b"[" * 10**5]
)
def test_folders_with_a_broken_case_are_refused(case: bytes, tmp_path: Path) -> None:
    (tmp_path / "case.json").write_bytes(case)
    assert refusal(ReplayModel, tmp_path)[0] == "usage/unreadable-input"


@pytest.mark.parametrize("api", [[], {}, ["openai-chat"], 1, True, "morse"], ids=repr)
def test_a_case_of_a_dialect_that_is_none_is_refused(api: object, tmp_path: Path) -> None:
    shutil.copy(CALL, tmp_path / "input.sse")
    (tmp_path / "case.json").write_text(json.dumps({"input": "input.sse", "api": api}))
    assert refusal(ReplayModel, tmp_path)[0] == "usage/unknown-dialect"


@pytest.mark.parametrize("option", ["clock", "sleep"])
def test_what_cannot_be_called_is_refused_at_construction(option: str) -> None:
    assert refusal(ReplayModel, TEXT, **{option: "soon"})[0] == "usage/invalid-argument"


def test_a_broken_case_beside_a_file_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / "case.json").write_bytes(b"{")
    shutil.copy(CALL, tmp_path / "d.jsonl")
    assert message(ReplayModel(tmp_path / "d.jsonl")).parts


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n\n",
        b"hello",
        b"\x00\x00\x00\x10",
        b"data: {}\n\n",
        b'{"error":{"message":"no"}}\n',
        b'{"a":1}\n' * 100,
        b"\xff\xfe",
        b'data: {"event_type":"stream-start"}\n\n',
    ],
)
def test_files_that_do_not_tell_what_they_are_are_refused(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    assert refusal(ReplayModel, path)[0] == "usage/unknown-dialect"


@pytest.mark.parametrize(
    ("data", "rule", "line"),
    [
        (b'{"format":"partwire-recording","formatVersion":1,"contract":"v0.1"}', "version", 1),
        (b'{"format":"partwire-recording","formatVersion":true,"contract":"v0.1"}', "version", 1),
        (b'{"format":"partwire-recording","formatVersion":2,"contract":"v9"}', "version", 1),
        (b'{"format":"partwire-recording"}', "version", 1),
        (HEADER + b"no json\n" + REQUEST, "document/invalid-json", 2),
        (HEADER + b"[]\n", "line", 2),
        (HEADER + REQUEST + REQUEST, "line", 3),
        (HEADER + b'{"type":"delta","stream":1}\n', "line", 2),
        (HEADER + REQUEST + b'{"type":"delta","stream":1,"atMs":0}\n', "shape/null", 3),
        (HEADER + REQUEST + b'{"type":"delta","stream":1,"atMs":-1,"delta":{}}\n', "line", 3),
        (HEADER + REQUEST + b'{"type":"delta","stream":true}\n', "line", 3),
        (HEADER + REQUEST + b'{"type":"end","stream":1,"how":"well"}\n', "line", 3),
        (HEADER + REQUEST + b'{"type":"end","stream":1,"how":"cut","findings":[1]}\n', "line", 3),
        (HEADER + REQUEST + b'{"type":"end","stream":1,"how":"cut","error":1}\n', "line", 3),
        (HEADER + REQUEST + b'{"type":"end","stream":1,"how":"cut"}\n' * 2, "line", 4),
        (HEADER + REQUEST + b'{"type":"party","stream":1}\n', "line", 3),
        (HEADER + REQUEST.replace(b"[],", b"{},", 1), "line", 2),
        (HEADER + REQUEST.replace(b"[],", b"[1],", 1), "line", 2),
        (HEADER + REQUEST.replace(b'"m"', b'""'), "shape/min-length", 2),
    ],
    ids=range(19),
)
def test_broken_recordings_are_refused_with_their_line(
    data: bytes, rule: str, line: int, tmp_path: Path
) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(data)
    due = {"version": "recording/unknown-version", "line": "recording/invalid-line"}
    found = refusal(ReplayModel, path)
    assert (found[0], found[2]) == (due.get(rule, rule), line)


def test_a_recording_without_streams_plays_nothing(tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_bytes(HEADER)
    assert refusal(ReplayModel, tmp_path / "r.jsonl")[0] == "usage/invalid-argument"


def test_deltas_that_are_none_are_refused_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    lines = CALL.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b'{"kind":"text"}\n')
    assert refusal(ReplayModel, path) == ("shape/required", "", 2)
    path.write_bytes(lines[0] + lines[1][:20])
    assert refusal(ReplayModel, path)[0] == "document/invalid-json"


def test_a_line_beyond_the_limit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with path.open("wb") as file:
        file.write(HEADER + b'{"x":"')
        file.seek(DEFAULT_LIMIT_BYTES + 100)
        file.write(b'"}\n')
    assert refusal(ReplayModel, path) == ("framing/line-too-long", "", 2)
