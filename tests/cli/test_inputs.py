"""What files may hold, and how they may be packed: all commands read it, and refuse it, alike."""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import yaml

from partwire.files.compressed import zstd_module
from partwire.files.inputs import Source
from tests.cli.runner import STREAM, USER, lines, run

zstd = zstd_module()
RECORD = {"contract": "partwire", "version": "v0.1", "type": "message.Message", "data": USER}
ANSWER = {**USER, "role": "assistant", "parts": [{"kind": "text", "payload": {"text": "Ja\nnein"}}]}

Write = Callable[[list[Any]], bytes]

FORMS: dict[str, Write] = {
    ".json": lambda documents: json.dumps(documents, indent=2).encode(),
    ".jsonl": lines,
    ".ndjson": lines,
    ".yaml": lambda documents: yaml.safe_dump_all(documents).encode(),
    ".yml": lambda documents: yaml.safe_dump_all(documents, allow_unicode=True).encode(),
}
PACKED: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": lambda data: gzip.compress(data[:40]) + gzip.compress(data[40:]),  # as cat makes it
    ".zst": lambda data: zstd.compress(data[:40]) + zstd.compress(data[40:]),
}
NAMES = [f"{form}{packing}" for form in FORMS for packing in PACKED]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(name: str, documents: list[Any]) -> bytes:
    form, _, packing = name.removeprefix(".").partition(".")
    return PACKED[f".{packing}" if packing else ""](FORMS[f".{form}"](documents))


def put(name: str, documents: list[Any]) -> str:
    path = Path(f"x{name}")
    path.write_bytes(written(name, documents))
    return path.name


COMMANDS: dict[str, tuple[list[str], list[Any]]] = {
    "validate": (["validate", "--type", "message.Message"], [USER, ANSWER]),
    "history": (["history"], [USER, ANSWER]),
    "convert": (["convert", "--to", "blocks"], [USER, ANSWER]),
    "migrate": (["migrate", "--to", "v0.2"], [RECORD, RECORD]),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_reads_every_form(command: str, name: str) -> None:
    args, documents = COMMANDS[command]
    expected = run(*args, "-", stdin=lines(documents))
    assert expected.exit_code == 0
    shown = run(*args, put(name, documents))
    assert shown.exit_code == 0, shown.output
    made = [json.loads(line) for line in _lines(shown.stdout)]
    assert made == [json.loads(line) for line in _lines(expected.stdout)]
    counted = "2 documents" in shown.stderr
    assert counted == ("2 documents" in expected.stderr)


def _lines(stdout: str) -> list[str]:
    """Return the documents of an output, an array's as lines."""
    if not stdout.startswith("["):
        return stdout.splitlines()
    return [json.dumps(each) for each in json.loads(stdout)]


@pytest.mark.parametrize("packing", PACKED)
@pytest.mark.parametrize("form", [".json", ".jsonl"])
@pytest.mark.parametrize("command", COMMANDS)
def test_stdin_is_what_it_begins_as(command: str, form: str, packing: str) -> None:
    args, documents = COMMANDS[command]
    shown = run(*args, "-", stdin=PACKED[packing](FORMS[form](documents)))
    assert shown.exit_code == 0, shown.output
    assert len(_lines(shown.stdout)) == len(_lines(run(*args, put(form, documents)).stdout))


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_is_all_that_is_named_as_input(folder: Path, command: str) -> None:
    args, documents = COMMANDS[command]
    (folder / "in" / "deep").mkdir(parents=True)
    (folder / "in" / ".git").mkdir()
    (folder / "in" / "a.jsonl").write_bytes(written(".jsonl", documents))
    (folder / "in" / "deep" / "b.yaml.gz").write_bytes(written(".yaml.gz", documents))
    for place in ("in/.git/c.jsonl", "in/notes.txt"):
        (folder / place).write_bytes(b"no documents")
    whole = run(*args, "in")
    assert whole.exit_code == 0, whole.output
    each = run(*args, "in/a.jsonl", "in/deep/b.yaml.gz")
    assert (whole.stdout, whole.stderr) == (each.stdout, each.stderr)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_pipe_in_a_folder_is_passed_over(folder: Path, command: str) -> None:
    args, documents = COMMANDS[command]
    (folder / "in").mkdir()
    (folder / "in" / "a.jsonl").write_bytes(written(".jsonl", documents))
    os.mkfifo(folder / "in" / "b.jsonl")
    shown = run(*args, "in")
    assert shown.exit_code == 0, shown.output


def test_a_link_that_leads_nowhere_says_where(folder: Path) -> None:
    (folder / "in").mkdir()
    (folder / "in" / "a.jsonl").symlink_to("gone.jsonl")
    for name in ("in", "in/a.jsonl"):
        shown = run("validate", "--type", "message.Message", name)
        assert shown.exit_code == 2, shown.output
        assert "the link leads to gone.jsonl, which is not there" in shown.stderr


# --- refusals -------------------------------------------------------------------------------------

DAMAGED = "document/damaged-compression"
PLAIN = lines([USER] * 40)
BROKEN: dict[str, tuple[str, bytes, str]] = {
    "gz is plain": ("x.jsonl.gz", PLAIN, DAMAGED),
    "gz is zstd": ("x.jsonl.gz", zstd.compress(PLAIN), DAMAGED),
    "gz is empty": ("x.jsonl.gz", b"", DAMAGED),
    "gz is cut": ("x.jsonl.gz", gzip.compress(PLAIN)[:-9], DAMAGED),
    "gz is cut in its head": ("x.json.gz", gzip.compress(PLAIN)[:5], DAMAGED),
    "gz has another checksum": ("x.jsonl.gz", gzip.compress(PLAIN)[:-8] + bytes(8), DAMAGED),
    "gz goes on with something": ("x.jsonl.gz", gzip.compress(PLAIN) + b"more", DAMAGED),
    "zst is plain": ("x.jsonl.zst", PLAIN, DAMAGED),
    "zst is gzip": ("x.json.zst", gzip.compress(PLAIN), DAMAGED),
    "zst is cut": ("x.jsonl.zst", zstd.compress(PLAIN)[:-9], DAMAGED),
    "zst is damaged": ("x.yaml.zst", zstd.compress(PLAIN)[:6] + b"\xff" * 30, DAMAGED),
    "array is cut": ("x.json", b'[{"a": 1}, {"b"', "document/invalid-json"),
    "array goes on": ("x.json", b"[]\n[]", "document/invalid-json"),
    "array without comma": ("x.json", b"[{} {}]", "document/invalid-json"),
    "yaml has a tab": ("x.yaml", b"a:\n\t- b\n", "document/invalid-yaml"),
    "yaml has a name twice": ("x.yaml", b"a: 1\na: 2\n", "document/invalid-yaml"),
    "yaml has another type": ("x.yaml", b"a: !!binary aGk=\n", "document/invalid-yaml"),
    "yaml has no number": ("x.yaml", b"a: .nan\n", "document/invalid-yaml"),
    "yaml has a list as name": ("x.yaml", b"? [a]\n: 1\n", "document/invalid-yaml"),
    "yaml merges": ("x.yaml", b"<<: {a: 1}\n", "document/invalid-yaml"),
    "yaml names nothing": ("x.yaml", b"a: *b\n", "document/invalid-yaml"),
    "yaml is not UTF-8": ("x.yaml", b"a: \xff\n", "document/invalid-utf8"),
    "yaml is Latin-1": ("x.yaml", "a: n\xe4mlich\n".encode("latin-1"), "document/invalid-utf8"),
    "yaml has a control character": ("x.yaml", b"a: \x01\n", "document/invalid-yaml"),
    "yaml is deep": ("x.yaml", b"[" * 600 + b"]" * 600, "document/too-deep"),
}


@pytest.mark.parametrize("case", BROKEN)
@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_broken_is_a_finding(command: str, case: str) -> None:
    name, data, rule = BROKEN[case]
    Path(name).write_bytes(data)
    args, _ = COMMANDS[command]
    shown = run(*args, name)
    assert shown.exit_code == 1, shown.output
    assert rule in shown.output
    assert name in shown.output


def test_gzip_may_be_padded_with_zeros() -> None:
    packed = gzip.compress(PLAIN)
    Path("x.jsonl.gz").write_bytes(packed + bytes(300_000) + packed + bytes(300_000))
    result = run("validate", "--type", "message.Message", "x.jsonl.gz")
    assert (result.exit_code, result.stderr) == (0, "80 documents in 1 source: valid\n")


def test_what_comes_before_the_damage_is_validated_and_the_place_is_told() -> None:
    noise = [{**USER, "runId": f"run_{number * 7919 % 10007}"} for number in range(9_000)]
    data = gzip.compress(lines([{**USER, "role": "robot"}, *noise]))
    Path("x.jsonl.gz").write_bytes(data[: len(data) // 2])
    shown = run("validate", "--type", "message.Message", "x.jsonl.gz", "--format", "json")
    first, last = json.loads(shown.stdout)["findings"]
    assert (first["rule"], first["line"]) == ("shape/enum", 1)
    assert last["rule"] == DAMAGED
    assert 1_000 < last["line"] < 9_000


# Each name stands for eight times what the one before does.
LAUGHS = b"- &a0 [x, x, x, x, x, x, x, x]\n" + b"".join(
    b"- &a%d [%s]\n" % (level, b", ".join([b"*a%d" % (level - 1)] * 8)) for level in range(1, 9)
)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("x.jsonl.gz", gzip.compress(b'"' + b"a" * 20_000_000)),
        ("x.json.zst", zstd.compress(b"{" + b" " * 20_000_000)),
        ("x.json.gz", gzip.compress(b"[" + b" " * 20_000_000)),
        ("x.yaml.gz", gzip.compress(b"- " * 10 + b"a" * 20_000_000)),
        ("x.yaml", LAUGHS),
    ],
    ids=["line", "document", "array", "yaml", "aliases"],
)
def test_what_is_large_without_compression_is_refused_early(name: str, data: bytes) -> None:
    Path(name).write_bytes(data)
    shown = run("--max-document-bytes", "100000", "validate", "--type", "message.Message", name)
    assert shown.exit_code == 2
    assert "at most 100000 bytes" in shown.stderr


def test_without_the_library_the_extra_is_named() -> None:
    put(".json.zst", [USER])
    put(".yaml", [USER])
    hidden = {"backports": None, "backports.zstd": None, "compression": None, "yaml": None}
    with patch.dict(sys.modules, hidden):
        for name, extra in (("x.json.zst", "partwire[zstd]"), ("x.yaml", "partwire[yaml]")):
            shown = run("validate", "--type", "message.Message", name)
            assert shown.exit_code == 2
            assert f"pip install '{extra}'" in shown.stderr
            assert "usage/missing-extra" in shown.stderr


# --- places ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "data", "places"),
    [
        ("a.json", '[{"ö": 1},\n\n  {"a": 1,\n"b": 2}]', [(1, 3), (4, 1)]),
        ("a.json", '\n {"a": 1, "b": 2}', [(2, 11)]),
        ("a.jsonl", '{"a": 1}\n\n  {"b": 1}', [(1, 1), (3, 4)]),
        ("a.yaml", "# who\na: 1\n---\nb:\n  - 1\n", [(2, 1), (4, 1)]),
    ],
)
def test_a_document_knows_where_it_is(name: str, data: str, places: list[tuple[int, int]]) -> None:
    Path(name).write_text(data, "utf-8")
    found = [
        document.position(f"/{list(json.loads(document.data))[-1]}")
        if name != "a.jsonl" or document.line != 1
        else document.position("")
        for document in Source(name).documents()
    ]
    assert [tuple(each) for each in found] == places


def test_a_document_knows_its_offset() -> None:
    for name, data in (
        ("a.json", b"\xef\xbb\xbf[ 1,\n 22]"),
        ("a.jsonl", b"\xef\xbb\xbf1\n\n 22\n"),
    ):
        Path(name).write_bytes(data)
        documents = list(Source(name).documents())
        found = [data[each.offset : each.offset + len(each.data)] for each in documents]
        assert found == [each.data for each in documents]
        assert [each.strip() for each in found] == [b"1", b"22"]


def test_a_finding_in_an_array_names_item_and_line() -> None:
    Path("a.json.gz").write_bytes(
        gzip.compress(json.dumps([USER, {**USER, "role": "robot"}], indent=1).encode())
    )
    shown = run("validate", "--type", "message.Message", "a.json.gz", "--format", "json")
    (found,) = json.loads(shown.stdout)["findings"]
    assert (found["pointer"], found["line"]) == ("/1/role", 17)


# --- migrate --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [".jsonl.gz", ".json.zst", ".json.gz", ".ndjson.zst"])
def test_a_compressed_file_is_replaced_in_its_form(folder: Path, name: str) -> None:
    file = put(name, [RECORD, RECORD])
    shown = run("migrate", "--to", "v0.2", "--in-place", file)
    assert shown.exit_code == 0, shown.output
    unpacked = gzip.decompress if name.endswith(".gz") else zstd.decompress
    plain = put(name.rpartition(".")[0], [RECORD, RECORD])
    assert (
        unpacked(Path(file).read_bytes()).decode() == run("migrate", "--to", "v0.2", plain).stdout
    )
    assert sorted(path.name for path in folder.iterdir()) == sorted([file, plain])


def test_an_output_is_compressed_as_its_name_says() -> None:
    file = put(".yaml", [RECORD, RECORD])
    shown = run("migrate", "--to", "v0.2", "--output", "out.jsonl.zst", file)
    assert shown.exit_code == 0, shown.output
    made = zstd.decompress(Path("out.jsonl.zst").read_bytes()).splitlines()
    assert [json.loads(each)["version"] for each in made] == ["v0.2", "v0.2"]


def test_yaml_is_not_replaced() -> None:
    file = put(".yaml", [RECORD])
    before = Path(file).read_bytes()
    shown = run("migrate", "--to", "v0.2", "--in-place", file)
    assert shown.exit_code == 2
    assert "YAML is not replaced" in shown.stderr
    assert Path(file).read_bytes() == before


# --- streams --------------------------------------------------------------------------------------

CHAT = (
    b'data: {"id":"a","model":"m","choices":[{"delta":{"content":"Hi"}}]}\n\n'
    b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
)


@pytest.mark.parametrize("packing", PACKED)
@pytest.mark.parametrize("dialect", [[], ["--from", "openai"], ["--from", "openai-chat"]])
def test_a_stream_shows_its_dialect_or_is_told_it(dialect: list[str], packing: str) -> None:
    shown = run("assemble", *dialect, "-", stdin=PACKED[packing](CHAT))
    assert shown.exit_code == 0, shown.output
    assert json.loads(shown.stdout)["parts"] == [{"kind": "text", "payload": {"text": "Hi"}}]
    made = run("deltas", *dialect, "-", stdin=PACKED[packing](CHAT))
    assert [json.loads(each)["kind"] for each in made.stdout.splitlines()] == [
        *("start", "text", "done")
    ]


def test_deltas_are_known_too() -> None:
    assert run("assemble", "-", stdin=gzip.compress(lines(STREAM))).exit_code == 0


@pytest.mark.parametrize("command", ["assemble", "deltas"])
@pytest.mark.parametrize("data", [b'data: {"type":"ping"}\n\n', b"words\n", b'{"a":1}\n'])
def test_a_stream_that_shows_nothing_names_the_candidates(command: str, data: bytes) -> None:
    shown = run(command, "-", stdin=data)
    assert shown.exit_code == 2
    assert "[usage/unknown-dialect]" in shown.stderr
    assert "--from" in shown.stderr
    assert "bedrock-converse, cohere-v2, gemini, openai-chat" in shown.stderr


def test_a_damaged_stream_is_a_finding() -> None:
    Path("x.sse.gz").write_bytes(gzip.compress(CHAT)[:-9])
    for command in ("assemble", "deltas"):
        shown = run(command, "x.sse.gz")
        assert shown.exit_code == 1
        assert DAMAGED in shown.stderr


def test_a_wrong_alias_is_refused() -> None:
    shown = run("assemble", "--from", "opnai", "-", stdin=CHAT)
    assert shown.exit_code == 2
    assert "openai-chat" in shown.stderr


def test_memory_stays_flat_however_much_a_file_stands_for(folder: Path) -> None:
    document = json.dumps(USER).encode() + b"\n"
    packed = io.BytesIO()
    with gzip.GzipFile("", "wb", 1, packed) as file:
        for _ in range(200):
            file.write(document * 500)
    Path("x.jsonl.gz").write_bytes(packed.getvalue())
    most = max(len(each.data) for each in Source("x.jsonl.gz").documents())
    assert most == len(document) - 1


# --- schemas --------------------------------------------------------------------------------------

OLD = b"type: object\nproperties:\n  a: {type: [string, integer]}\n"


@pytest.mark.parametrize(
    ("new", "status", "said"),
    [
        (OLD, 0, ""),
        (b"type: object\n# narrower\nproperties:\n  a:\n    type: string\n", 1, "new.yaml:5"),
        (OLD + b"---\n{}\n", 2, "one YAML document"),
        (b"", 2, "one YAML document"),
        (b"type: object\ntype: array\n", 2, "new.yaml:2"),
    ],
    ids=["same", "narrower", "two", "none", "twice"],
)
def test_schemas_may_be_yaml(new: bytes, status: int, said: str) -> None:
    Path("old.json").write_text(json.dumps(yaml.safe_load(OLD)))
    Path("new.yaml").write_bytes(new)
    shown = run("compat", "old.json", "new.yaml")
    assert shown.exit_code == status, shown.output
    assert said in shown.output
