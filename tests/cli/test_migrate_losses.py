"""What ``partwire migrate --in-place`` would lose: refused, or kept beside the file."""

from __future__ import annotations

import json
import os
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from tests.cli.runner import run
from tests.convert.migrate_runs import NEW, OLD, UP, files, write
from tests.convert.stored_texts import bare, lifted, message, record, text_lines

pytestmark = pytest.mark.usefixtures("empty_folder")

DOWN = ("migrate", "--to", "v0.1", "--in-place")


def lossy(number: int = 1, **others: Any) -> dict[str, Any]:
    return record({**lifted(number), "turnId": f"t{number}", **others}, "v0.2")


def rows(name: str) -> list[Any]:
    return [json.loads(line) for line in Path(name).read_bytes().splitlines()]


# --- refused --------------------------------------------------------------------------------------


def test_unknown_members_are_not_deleted() -> None:
    data = text_lines([record({**message(1), "colour": "red"}, "v0.1")])
    path = write("a.jsonl", data)
    shown = run(*UP, "--in-place", "a.jsonl")
    assert (shown.exit_code, path.read_bytes(), files()) == (1, data, ["a.jsonl"])
    assert "v0.2 has no place for all of it: no file of this run is replaced" in shown.stdout
    assert "[migrate/lossy]" in shown.stdout
    assert "--allow-loss, which keeps in a.jsonl.lost what is lost" in shown.stdout
    assert "unknown-member 1" in shown.stdout
    assert shown.stderr == (
        "a.jsonl: 1 document, 1 would change; losses: unknown-member 1; nothing is written\n"
    )


def test_one_file_that_loses_something_keeps_all_as_they_are() -> None:
    good = text_lines([record(lifted(n), "v0.2") for n in range(3)])
    write("a.jsonl", good)
    write("b.jsonl", text_lines([lossy()]))
    write("c.json", json.dumps([record(lifted(1), "v0.2")]).encode())
    before = {name: Path(name).read_bytes() for name in files()}
    shown = run(*DOWN, "a.jsonl", "b.jsonl", "c.json")
    assert shown.exit_code == 1
    assert {name: Path(name).read_bytes() for name in files()} == before
    assert shown.stderr.splitlines() == [
        "a.jsonl: 3 documents, 3 would change; nothing is written",
        "b.jsonl: 1 document, 1 would change; losses: turn-id 1; nothing is written",
        "c.json: 1 document, 1 would change; nothing is written",
    ]
    shown = run(*DOWN, "--allow-loss", "a.jsonl", "b.jsonl", "c.json")
    assert shown.exit_code == 0
    assert Path("a.jsonl").read_bytes() == text_lines(
        [record(message(n), "v0.1") for n in range(3)]
    )
    assert files() == ["a.jsonl", "b.jsonl", "b.jsonl.lost", "c.json"]


def test_a_file_that_loses_something_and_cannot_be_read_keeps_the_others_too() -> None:
    write("a.jsonl", text_lines([lossy()]) + b"{\n")
    good = text_lines([record(lifted(1), "v0.2")])
    path = write("b.jsonl", good)
    assert run(*DOWN, "a.jsonl", "b.jsonl").exit_code == 1
    assert path.read_bytes() == good
    assert files() == ["a.jsonl", "b.jsonl"]


def test_losses_of_information_alone_refuse_nothing() -> None:
    parts = [{"kind": "text", "payload": {"text": "a"}}]
    path = write("a.jsonl", text_lines([record({**message(1), "parts": parts}, "v0.2")]))
    shown = run(*DOWN, "a.jsonl")
    assert shown.exit_code == 0
    assert "opaque-lifted 1" in shown.stderr
    assert json.loads(path.read_bytes())["version"] == "v0.1"
    assert files() == ["a.jsonl"]


def test_a_dry_run_in_place_says_that_it_would_be_refused() -> None:
    write("a.jsonl", text_lines([lossy()]))
    shown = run(*DOWN, "--dry-run", "--format", "json", "a.jsonl")
    told = [json.loads(line) for line in shown.stdout.splitlines()]
    assert shown.exit_code == 1
    assert [each.get("rule") for each in told] == [None, "migrate/lossy", None]
    assert (told[-1]["bad"], told[-1]["written"]) == (0, False)
    assert run(*DOWN, "--dry-run", "--allow-loss", "a.jsonl").exit_code == 0
    assert run("migrate", "--to", "v0.1", "--dry-run", "a.jsonl").exit_code == 0
    assert files() == ["a.jsonl"]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((*UP, "--allow-loss", "a.jsonl"), "--allow-loss is for --in-place"),
        ((*DOWN, "--allow-loss", "--strict", "a.jsonl"), "exclude each other"),
    ],
)
def test_usage(args: tuple[str, ...], words: str) -> None:
    write("a.jsonl", text_lines([lossy()]))
    shown = run(*args)
    assert (shown.exit_code, words in shown.stderr) == (2, True)


# --- kept -----------------------------------------------------------------------------------------


def test_what_is_lost_is_beside_the_file() -> None:
    state = {"provider": "x", "data": {"any": [1.50, 12345678901234567890]}}
    text = {"kind": "text", "payload": {"text": "a", "opaque": state, "b~/c": {"é": None}}}
    line = bare(lossy(1, parts=[text])).replace(b"1.5,", b"1.50 ,")
    path = write("a.jsonl", b"\n" + line + b"\n" + text_lines([lossy(2)]))
    path.chmod(0o640)
    shown = run(*DOWN, "--allow-loss", "a.jsonl")
    assert shown.exit_code == 0
    assert shown.stderr.endswith("; what is lost is in a.jsonl.lost\n")
    head = b'{"line":2,"pointer":"/data/parts/0/payload/'
    assert Path("a.jsonl.lost").read_bytes().splitlines() == [
        head + b'b~0~1c","code":"unknown-member","value":{"\xc3\xa9":null}}',
        head + b'opaque","code":"opaque-form",'
        b'"value":{"provider":"x","data":{"any":[1.50,12345678901234567890]}}}',
        b'{"line":2,"pointer":"/data/turnId","code":"turn-id","value":"t1"}',
        b'{"line":3,"pointer":"/data/turnId","code":"turn-id","value":"t2"}',
    ]
    assert Path("a.jsonl.lost").stat().st_mode & 0o777 == 0o640
    assert path.read_bytes().startswith(b"\n{")


def test_places_in_arrays_and_in_whole_documents() -> None:
    write("a.json", json.dumps([record(lifted(0), "v0.2"), lossy(1)], indent=2).encode())
    write("b.json", json.dumps(lossy(2), indent=2).encode())
    assert run(*DOWN, "--allow-loss", "a.json", "b.json").exit_code == 0
    assert rows("a.json.lost") == [{"pointer": "/1/data/turnId", "code": "turn-id", "value": "t1"}]
    assert rows("b.json.lost") == [{"pointer": "/data/turnId", "code": "turn-id", "value": "t2"}]


def test_nothing_that_is_there_is_overwritten() -> None:
    for number, name in enumerate(("a.jsonl.lost", "a.jsonl.lost-2", "a.jsonl.lost-3"), 1):
        write("a.jsonl", text_lines([lossy(number)]))
        shown = run(*DOWN, "--allow-loss", "--format", "json", "a.jsonl")
        assert json.loads(shown.stdout.splitlines()[-1])["lost"] == name
        assert [each["value"] for each in rows(name)] == [f"t{number}"]
    assert len(files()) == 4


def test_a_system_without_links_keeps_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def link(*_: object) -> None:
        raise PermissionError(1, "no links here")

    monkeypatch.setattr(os, "link", link)
    write("a.jsonl", text_lines([lossy()]))
    write("a.jsonl.lost", b"mine")
    assert run(*DOWN, "--allow-loss", "a.jsonl").exit_code == 0
    assert len(rows("a.jsonl.lost-2")) == 1
    assert Path("a.jsonl.lost").read_bytes() == b"mine"
    assert files() == ["a.jsonl", "a.jsonl.lost", "a.jsonl.lost-2"]


def test_a_document_that_loses_more_than_is_told_is_kept_whole() -> None:
    many = record({**message(1), **{f"x{n}": n for n in range(150)}}, "v0.1")
    write("a.jsonl", text_lines([many, record({**message(2), "y": 1}, "v0.1")]))
    assert run(*UP, "--in-place", "--allow-loss", "a.jsonl").exit_code == 0
    assert rows("a.jsonl.lost") == [
        {"line": 1, "pointer": "", "code": "unknown-member", "value": many},
        {"line": 2, "pointer": "/data/y", "code": "unknown-member", "value": 1},
    ]


def test_a_file_that_is_named_twice_is_one() -> None:
    write("a.jsonl", text_lines([lossy()]))
    Path("b.jsonl").symlink_to("a.jsonl")
    shown = run(*DOWN, "--allow-loss", "a.jsonl", "*.jsonl", "b.jsonl")
    assert shown.exit_code == 0
    assert shown.stderr.count("1 document, 1 changed") == 1
    assert files() == ["a.jsonl", "a.jsonl.lost", "b.jsonl"]


def test_nothing_lost_and_there_is_no_file() -> None:
    write("a.jsonl", text_lines(OLD))
    assert run(*UP, "--in-place", "--allow-loss", "a.jsonl").exit_code == 0
    assert Path("a.jsonl").read_bytes() == text_lines(NEW)
    assert files() == ["a.jsonl"]


def test_only_files_are_written_anew() -> None:
    os.mkfifo("pipe.jsonl")
    for way in (("--in-place", "pipe.jsonl"), ("--output", "pipe.jsonl", "a.jsonl")):
        write("a.jsonl", text_lines(OLD))
        shown = run(*UP, *way)
        assert (shown.exit_code, shown.stdout) == (2, "")
        assert "Only files can be written anew [usage/invalid-argument]" in shown.stderr
    assert run(*UP, "--in-place", "/dev/null").exit_code == 2


# --- arrays ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("indent", [1, 2, 4, "\t"])
def test_items_of_an_array_keep_their_layout(indent: Any, end: str) -> None:
    def laid_out(items: list[Any]) -> bytes:
        text = json.dumps(items, indent=indent, ensure_ascii=False) + "\n"
        return text.replace("\n", end).encode()

    path = write("a.json", laid_out(OLD))
    assert run(*UP, "--in-place", "a.json").exit_code == 0
    assert path.read_bytes() == laid_out(NEW)


def test_items_that_stay_and_what_is_between_are_kept_byte_for_byte() -> None:
    spaced = json.dumps(NEW[1], indent=3).encode()
    pieces = (b"\xef\xbb\xbf [", bare(OLD[0]), b" ,\n\n ", spaced, b",", bare(OLD[2]), b"\n]\r\n ")
    path = write("a.json", b"".join(pieces))
    assert run(*UP, "--in-place", "--checkpoint-bytes", "1", "a.json").exit_code == 0
    swapped = {bare(OLD[0]): bare(NEW[0]), bare(OLD[2]): bare(NEW[2])}
    assert path.read_bytes() == b"".join(swapped.get(each, each) for each in pieces)


@pytest.mark.parametrize(
    ("text", "actual"),
    [
        (b"[%b %b]", '"{\\"contract'),
        (b"[%b,]", '"]"'),
        (b"[,%b]", '",{'),
        (b"[%b", "the end of the text"),
        (b"[%b, {", "the end of the text"),
        (b"[%b, ", "the end of the text"),
        (b"[", "the end of the text"),
        (b"[%b] x", '"x"'),
        (b"[%b][]", '"[]"'),
        (b'[%b, "a', '"\\"a"'),
    ],
)
def test_what_is_no_array_is_left_alone(text: bytes, actual: str) -> None:
    data = text.replace(b"%b", bare(OLD[0]))
    path = write("a.json", data)
    shown = run(*UP, "--in-place", "a.json")
    assert (shown.exit_code, path.read_bytes(), files()) == (1, data, ["a.json"])
    assert "[document/invalid-json]" in shown.stdout
    assert f"actual    {actual}" in shown.stdout
    assert run(*UP, "a.json").stdout_bytes == b""


@pytest.mark.parametrize("text", [b"[]", b" [ \n]", b"\xef\xbb\xbf[]"])
def test_an_empty_array_has_no_documents(text: bytes) -> None:
    write("a.json", text)
    shown = run(*UP, "--in-place", "a.json")
    assert (shown.exit_code, shown.stderr) == (0, "a.json: 0 documents, 0 changed\n")


def test_items_that_are_no_documents_say_so_at_their_place() -> None:
    write("a.json", b'[1, "a,]", true, [1, [2]], {"a": "]"}, {[}], null]')
    shown = run(*UP, "--dry-run", "--format", "json", "a.json")
    told = [json.loads(line) for line in shown.stdout.splitlines()]
    assert {each["pointer"] for each in told[:-1]} == {f"/{n}" for n in range(7)}
    assert told[-1]["documents"] == told[-1]["bad"] == 7


@pytest.mark.slow
def test_memory_does_not_grow_with_the_items() -> None:
    def peak_of(count: int) -> int:
        items = [record(message(n % 9), "v0.1") for n in range(count)]
        write("a.json", json.dumps(items).encode())
        tracemalloc.start()
        try:
            assert run(*UP, "--in-place", "a.json").exit_code == 0
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    few = peak_of(500)
    assert peak_of(5000) < few + 1_000_000  # of 2 MB, which were 40 as values
