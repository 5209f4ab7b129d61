"""The quick look lets through what has no findings, and nothing else; and it does look."""

from __future__ import annotations

import json
import random
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwire import native
from partwire.contract.resources import read_catalog
from partwire.contract.schemas import describe_types
from partwire.reading.pipeline import Binding
from tests.cli.runner import STREAM
from tests.strategies import Documents, edited
from tests.ways import way

__all__ = ["way"]

VERSIONS = tuple(read_catalog())
DELTA = "message.MessageDelta"
DELTAS = [json.dumps(each, ensure_ascii=False).encode() for each in STREAM]
RAW = b'{"runId":"r","seq":1,"kind":"text","payload":{"textDelta":"x"},"timestamp":"2026-01-02T'
RAW += b'03:04:05Z","providerRaw":%s}'


def refused(lines: list[bytes], type_name: str = DELTA, version: str = "v0.2") -> list[int]:
    return Binding.of(type_name, version).refused(lines)


def with_findings(lines: list[bytes], type_name: str = DELTA, version: str = "v0.2") -> set[int]:
    """Return where the checks find something: the slow way."""
    binding = Binding.of(type_name, version)
    return {index for index, line in enumerate(lines) if binding.findings(line)}


@pytest.mark.parametrize("version", VERSIONS)
def test_made_documents(version: str) -> None:
    """Whatever has a finding is refused, and most of what has none is not."""
    maker = Documents("verdicts", version)
    passed = 0
    names = [row.type for row in describe_types(version)]
    for name in names:
        lines = []
        for number in range(30):
            made = maker.mutated(name) if number % 2 else maker.valid(name)
            text = json.dumps(made, ensure_ascii=number % 3 == 0).encode("utf-8", "surrogatepass")
            lines.append(edited(text.decode(), maker.rng).encode() if number % 5 == 0 else text)
        maker.rng.shuffle(lines)
        seen = refused(lines, name, version)
        assert seen == sorted({*seen})
        assert with_findings(lines, name, version) <= {*seen}, name
        passed += len(lines) - len(seen)
    assert passed > 6 * len(names)


def test_what_one_type_covers_it_takes(way: str) -> None:
    """Of any two types: documents of the one, whole and broken, that are clean are so by the other
    that covers it.
    """
    bindings = [
        Binding.of(row.type, version) for version in VERSIONS for row in describe_types(version)
    ]
    covered = 0
    for narrow in bindings:
        maker = Documents("covered", narrow.type.version)
        name = str(narrow.type)
        made = [maker.mutated(name) if n % 4 == 0 else maker.valid(name) for n in range(24)]
        texts = [json.dumps(each).encode("utf-8", "surrogatepass") for each in made]
        clean = [text for text in texts if narrow.is_clean(text, "warn")]
        for wide in bindings:
            if wide.covers(narrow):
                covered += wide is not narrow
                assert wide.refused(clean) == [], (wide.type, narrow.type)
    assert (covered > 0) == (way == "native")


def test_a_newer_version_covers_the_older_one_and_not_the_other_way_round(way: str) -> None:
    older, newer = VERSIONS[0], VERSIONS[-1]
    pairs = [
        (Binding.of(row.type, newer), Binding.of(row.type, older)) for row in describe_types(older)
    ]
    assert all(new.covers(old) == (way == "native") for new, old in pairs)
    for name in ("message.Message", "message.TextDelta", "envelope.TaskEvent"):
        assert not Binding.of(name, older).covers(Binding.of(name, newer))


ASKED = ("role", "parts", "kind", "payload", "toolCallId")
"""What the rules of a message look at."""


@pytest.mark.parametrize("name", ASKED)
def test_what_rules_look_at_is_not_there_twice(name: str) -> None:
    payload = {"toolCallId": "c", "toolName": "t", "arguments": {}}
    call = {"kind": "tool_call", "payload": payload}
    other = {**call, "payload": {**payload, "toolCallId": "d"}}
    message = {
        "runId": "r",
        "role": "assistant",
        "parts": [call, other],
        "timestamp": "2026-01-02T03:04:05Z",
    }
    text = json.dumps(message)
    value = {"role": '"user"', "parts": "[]", "kind": '"text"', "payload": '{"text":"x"}'}
    again = f'"{name}":{value.get(name, chr(34) + "d" + chr(34))},'
    twice = text.replace(f'"{name}":', f'{again}"{name}":', 1).encode()
    assert Binding.of("message.Message").is_clean(text.encode())
    assert with_findings([twice], "message.Message") <= {*refused([twice], "message.Message")}
    for first, last in (('"role": "assistant"', '"role":"user"'), ('"c"', '"toolCallId":"d"')):
        wrong = text.replace(first, f"{first},{last}", 1).encode()  # the last one holds
        assert with_findings([wrong], "message.Message") == {0}
        assert refused([wrong], "message.Message") == [0]
    beside = text.replace('"runId"', f'"meta":{{{again}"{name}":1}},"runId"', 1).encode()
    assert with_findings([beside], "message.Message") == set()
    once = text.replace('"runId"', f'"meta":{{"{name}":1}},"runId"', 1).encode()
    assert Binding.of("message.Message").is_clean(once)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", ["tool_call", "tool_result"])
def test_a_call_that_comes_twice_is_seen_wherever_it_is(kind: str, version: str) -> None:
    payloads: dict[str, dict[str, Any]] = {
        "tool_call": {"toolName": "t", "arguments": {}},
        "tool_result": {"isError": False, "content": {"a": 1}},
    }
    role = {"tool_call": "assistant", "tool_result": "tool"}[kind]
    for count in (1, 2, 3, 9):
        for first, second in combinations(range(count), 2):
            ids = [f"c{n}" for n in range(count)]
            for is_twice in (False, True):
                ids[second] = ids[first] if is_twice else f"c{second}"
                parts = [
                    {"kind": kind, "payload": {"toolCallId": each, **payloads[kind]}}
                    for each in ids
                ]
                message = {"runId": "r", "timestamp": "2026-01-02T03:04:05Z", "role": role}
                text = json.dumps({**message, "parts": parts}).encode()
                found = with_findings([text], "message.Message", version)
                assert found == ({0} if is_twice else set())
                assert refused([text], "message.Message", version) == [*found]


@pytest.mark.parametrize("version", VERSIONS)
def test_valid_lines_are_let_through(version: str) -> None:
    assert refused(DELTAS, version=version) == []
    assert refused([line + b"\r" for line in DELTAS], version=version) == []
    assert refused([], version=version) == []
    uuid = "9f2c1d3e-0000-4000-8000-000000000000"
    envelope = {
        "message_id": uuid,
        "sent_at": "2026-01-02T03:04:05Z",
        "schema_version": "v0.1",
        "agent_id": uuid,
        "task_id": uuid,
        "globals": {},
    }
    good = json.dumps(envelope).encode()
    for index, name in enumerate(("message_id", "sent_at", "schema_version", "agent_id")):
        bad = json.dumps({**envelope, name: "x\ny"}).encode()
        places = refused([good] * index + [bad, good, bad], "envelope.GetContextRequest", version)
        assert places == [index, index + 2]


def delta(**changes: Any) -> bytes:
    return json.dumps({**STREAM[2], **changes}).encode()


HOSTILE: dict[str, bytes] = {
    "nothing": b"",
    "blank": b" \t",
    "two values": DELTAS[0] + b" " + DELTAS[1],
    "a value and a comma": DELTAS[0] + b",",
    "a cut value": DELTAS[0][:-1],
    "a byte order mark": b"\xef\xbb\xbf" + DELTAS[0],
    "NUL": DELTAS[0] + b"\0",
    "an array": b"[" + DELTAS[0] + b"]",
    "a member twice, the last is wrong": DELTAS[2][:-1] + b',"seq":-1}',
    "a member twice, the first is wrong": b'{"seq":-1,' + DELTAS[2][1:],
    "a tag twice": DELTAS[2][:-1] + b',"kind":"thinking"}',
    "a tag twice, in other letters": DELTAS[2][:-1] + b',"k\\u0069nd":"nope"}',
    "NaN": RAW % b"NaN",
    "NaN in an unknown member": DELTAS[2][:-1] + b',"x":NaN}',
    "beyond a double": RAW % b'{"a":1e999}',
    "beyond a double, unknown": DELTAS[2][:-1] + b',"x":-1e999}',
    "a long integer": RAW % (b'{"a":1' + b"0" * 309 + b"}"),
    "a long integer, unknown": DELTAS[2][:-1] + b',"x":1' + b"0" * 309 + b"}",
    "too deep": RAW % (b'{"a":' + b"[" * 511 + b"]" * 511 + b"}"),
    "too deep, unknown": DELTAS[2][:-1] + b',"x":' + b"[" * 600 + b"]" * 600 + b"}",
    "deeper than the stack": RAW % (b'{"a":' + b"[" * 9999 + b"]" * 9999 + b"}"),
    "a lone surrogate": delta(payload={"textDelta": "\ud800"}),
    "a lone surrogate in a name": RAW % b'{"\\ud800":1}',
    "a lone surrogate, unknown": DELTAS[2][:-1] + b',"x":"\\udfff"}',
    "no UTF-8": DELTAS[2].replace(b"Gr", b"\xff"),
    "no UTF-8 in a free name": RAW % b'{"\xc0\x80":1}',
    "no UTF-8 in an unknown name": DELTAS[2][:-1] + b',"\xff":1}',
    "no UTF-8, unknown": DELTAS[2][:-1] + b',"x":"\xff"}',
    "a surrogate as UTF-8": DELTAS[2].replace(b"Gr", b"\xed\xa0\x80"),
    "an integral float": delta(seq=2.0),
    "a float": delta(seq=2.5),
    "true": delta(seq=True),
    "a large seq": delta(seq=2**53),
    "an empty runId": delta(runId=""),
    "null": delta(messageId=None),
    "no such day": delta(timestamp="2026-02-29T00:00:00Z"),
    "a line end behind a time": delta(timestamp="2026-01-02T03:04:05Z\n"),
    "two times in one": delta(timestamp="2026-01-02T03:04:05Z\n2026-01-02T03:04:05Z"),
    "a line end alone": delta(timestamp="\n"),
    "no time": delta(timestamp=""),
    "ten fraction digits": delta(timestamp="2026-01-02T03:04:05.0123456789Z"),
    "a small z": delta(timestamp="2026-01-02T03:04:05z"),
    "Arabic digits": delta(timestamp="٢٠٢٦-01-02T03:04:05Z"),
}
VALID = {
    "nested deep": RAW % (b'{"a":' + b"[" * 509 + b"]" * 509 + b"}"),
    "a long integer": RAW % (b'{"a":1' + b"0" * 308 + b"}"),
    "a large number": RAW % b'{"a":1e308}',
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("place", [0, 4, 9])
def test_a_hostile_line_is_seen_among_good_ones(name: str, place: int) -> None:
    lines = [*DELTAS[:place], HOSTILE[name], *DELTAS[place:]]
    assert {*refused(lines)} <= {place}
    assert with_findings(lines) <= {*refused(lines)}


@pytest.mark.parametrize("name", VALID)
def test_within_the_limits_nothing_is_refused(name: str) -> None:
    assert with_findings([VALID[name]]) == set()
    assert refused([VALID[name]]) == [] or (native and name == "nested deep")


def test_all_hostile_lines_together() -> None:
    lines = [*HOSTILE.values(), *DELTAS, *VALID.values()] * 3
    random.Random(7).shuffle(lines)
    alone = [index for index, line in enumerate(lines) if refused([line])]
    assert refused(lines) == alone


@given(st.lists(st.sampled_from([*DELTAS, *HOSTILE.values(), *VALID.values()]), max_size=12))
def test_no_line_depends_on_its_neighbours(lines: list[bytes]) -> None:
    assert refused(lines) == [index for index, line in enumerate(lines) if refused([line])]


@given(
    st.sampled_from([*DELTAS, *VALID.values()]),
    st.lists(st.tuples(st.integers(0, 400), st.integers(0, 2), st.binary(max_size=3)), max_size=3),
)
def test_edited_bytes(line: bytes, edits: list[tuple[int, int, bytes]]) -> None:
    for place, length, put in edits:
        line = line[: place % len(line)] + put + line[place % len(line) + length :] or b"0"
    assert with_findings([line]) <= {*refused([line])}


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("2000-02-29T00:00", "1000-02-29T00:00"),
        ("2000-02-29T00:00", "2100-02-29T00:00"),
        ("2020-02-29T00:00", "2010-02-29T00:00"),
        ("2024-02-29T00:00", "2025-02-29T00:00"),
        ("2026-03-01T00:00", "2026-13-01T00:00"),
        ("2026-10-01T00:00", "2026-19-01T00:00"),
        ("2026-02-08T00:00", "2026-02-38T00:00"),
        ("2026-02-28T00:00", "2026-02-29T00:00"),
        ("2026-01-01T09:00", "2026-01-01T29:00"),
        ("2026-01-01T20:00", "2026-01-01T29:00"),
        ("2026-01-01T20:09", "2026-01-01T20:69"),
    ],
)
def test_one_digit_makes_a_time_wrong(good: str, bad: str) -> None:
    lines = [delta(timestamp=f"{text}:00Z") for text in (good, good, bad, good, bad)]
    assert refused(lines) == [2, 4]
