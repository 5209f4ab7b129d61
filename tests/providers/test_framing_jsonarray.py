"""JSON arrays: elements as soon as they are whole, at every cut, and what is not an array."""

from __future__ import annotations

import itertools
import json
import random

import pytest

from partwire.providers.framing import JSONArrayDecoder, RawLine
from tests.reference.framing_reference import by_bytes, cut_at, outcome

RULES: dict[str, tuple[bytes, list[RawLine]]] = {
    "compact": (b'[{"a":1},{"b":2}]', [RawLine(b'{"a":1}', 1), RawLine(b'{"b":2}', 1)]),
    "as Google writes it": (
        b'[{\n  "a": [1, 2]\n}\n,\r\n{"b": {}}\n]\n',
        [RawLine(b'{\n  "a": [1, 2]\n}', 1), RawLine(b'{"b": {}}', 5)],
    ),
    "brackets and quotes in strings": (
        rb'[{"a":"]}\"[{,\\"},{"\\\"":"\\\\"}]',
        [RawLine(rb'{"a":"]}\"[{,\\"}', 1), RawLine(rb'{"\\\"":"\\\\"}', 1)],
    ),
    "scalars": (
        b'[1 , "a,]\\"",\tnull\n, true]',
        [RawLine(b"1 ", 1), RawLine(b'"a,]\\""', 1), RawLine(b"null", 1), RawLine(b"true", 2)],
    ),
    "arrays in the array": (b"[[1,[2]],[]]", [RawLine(b"[1,[2]]", 1), RawLine(b"[]", 1)]),
    "two arrays": (b"[{}]\n[{}]", [RawLine(b"{}", 1), RawLine(b"{}", 2)]),
    "behind the array": (
        b"[{}]}]x\n{}",
        [RawLine(b"{}", 1), RawLine(b"}]x", 1), RawLine(b"{}", 2)],
    ),
    "cut in an element": (
        b'[{"a":1},{"b":"]',
        [RawLine(b'{"a":1}', 1), RawLine(b'{"b":"]', 1, False)],
    ),
    "cut behind a backslash": (b'["\\', [RawLine(b'"\\', 1, False)]),
    "cut between elements": (b'[{"a":1},\n', [RawLine(b'{"a":1}', 1)]),
    "a scalar that nothing ends": (b"[1", [RawLine(b"1", 1, False)]),
    "a bracket too many": (b'[{"a":1]]]', [RawLine(b'{"a":1]', 1), RawLine(b"]", 1, False)]),
    "SSE-15 BOM": (b"\xef\xbb\xbf[{}]", [RawLine(b"{}", 1)]),
    "SSE-15 later BOM": (b"[\xef\xbb\xbf{}]", [RawLine(b"\xef\xbb\xbf{}", 1)]),
    "half a BOM": (b"\xef\xbb", [RawLine(b"\xef\xbb", 1, False)]),
    "empty": (b" [\n] ", []),
    "nothing": (b"", []),
}


@pytest.mark.parametrize("name", RULES)
def test_rule_at_every_cut(name: str) -> None:
    data, due = RULES[name]
    decoder = JSONArrayDecoder()
    assert decoder.feed(data) + decoder.close() == due
    whole = outcome(JSONArrayDecoder(), [data])
    assert outcome(JSONArrayDecoder(), by_bytes(data)) == whole
    for at in range(len(data) + 1):
        assert outcome(JSONArrayDecoder(), cut_at(data, [at])) == whole


def test_an_element_comes_with_its_last_byte() -> None:
    decoder = JSONArrayDecoder()
    assert decoder.feed(b'[{"a":{}') == []
    assert decoder.feed(b"}") == [RawLine(b'{"a":{}}', 1)]
    assert decoder.feed(b'\n,\n"b"') == []
    assert decoder.feed(b"]") == [RawLine(b'"b"', 3)]
    assert decoder.close() == []


def test_random_values_come_back() -> None:
    rng = random.Random(7)

    def value(depth: int) -> object:
        kind = rng.randrange(3 if depth < 4 else 1)
        if kind == 0:
            return rng.choice([1, None, True, 'a"]', "{\\", "ø,\n", ""])
        items = [value(depth + 1) for _ in range(rng.randrange(4))]
        return items if kind == 1 else {f"{at}]{{": item for at, item in enumerate(items)}

    for indent, _ in itertools.product((None, 1), range(100)):
        values = [value(0) for _ in range(rng.randrange(6))]
        data = json.dumps(values, indent=indent, ensure_ascii=False).encode()
        whole = outcome(JSONArrayDecoder(), [data])
        assert [json.loads(event[0]) for event in whole.events] == values
        cuts = [rng.randrange(len(data) + 1) for _ in range(5)]
        assert outcome(JSONArrayDecoder(), cut_at(data, cuts)) == whole


def test_random_bytes_agree_at_every_cut() -> None:
    rng = random.Random(3)
    tokens = [b"[", b"]", b"{", b"}", b'"', b"\\", b",", b"\n", b" ", b"a", b"\xef\xbb\xbf"]
    for _ in range(3000):
        data = b"".join(rng.choices(tokens, k=rng.randrange(14)))
        limit = rng.choice((100, rng.randrange(1, 9)))
        whole = outcome(JSONArrayDecoder(limit), [data])
        assert outcome(JSONArrayDecoder(limit), by_bytes(data)) == whole, data
        cuts = [rng.randrange(len(data) + 1) for _ in range(2)]
        assert outcome(JSONArrayDecoder(limit), cut_at(data, cuts)) == whole, data


def test_an_element_stays_within_the_limit() -> None:
    assert outcome(JSONArrayDecoder(7), [b'[{"a":1},\n{"b":22}]']).error == (
        "framing/event-too-large",
        2,
    )
    assert outcome(JSONArrayDecoder(7), [b'[{"a":1}' + b" " * 50 + b',{"b":2}]']).error is None
    assert outcome(JSONArrayDecoder(1), [b"\xef\xbb"]).error == ("framing/event-too-large", 1)


def test_time_is_proportional_to_the_bytes() -> None:
    """One large element, byte by byte: nothing is searched twice."""
    data = b'["' + b"x\\n" * 200_000 + b'"]'
    decoder = JSONArrayDecoder()
    for at in range(0, len(data), 3):
        decoder.feed(data[at : at + 3])
    assert decoder.close() == []
