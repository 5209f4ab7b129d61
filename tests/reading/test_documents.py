"""What every document has to be: the same verdict for text and for values, and never a crash."""

from __future__ import annotations

import json
import sys
from collections import OrderedDict, defaultdict
from decimal import Decimal
from enum import IntEnum, StrEnum
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partwire.contract.resources import read_rules
from partwire.errors import Finding, ReadError
from partwire.json.pointer import escape_pointer
from partwire.json.text import (
    MAX_DEPTH,
    are_documents,
    decode_json,
    is_document,
    value_findings,
)
from partwire.reading.pipeline import validate
from tests.strategies import json_values, python_values
from tests.ways import way

__all__ = ["way"]

LARGEST = 2**1024 - 2**970  # the first integer that no double is near to


def refusal(data: bytes) -> Finding:
    with pytest.raises(ReadError) as caught:
        decode_json(data)
    return caught.value.findings[0]


class Nothing(msgspec.Struct):
    """Takes any object and skips all that it holds."""


def verdict(data: bytes) -> bool:
    """Return whether ``data`` may be in a document: the typed decode and the plain one agree."""
    inside = b'{"x":' + data + b"}"
    try:
        msgspec.json.decode(inside, type=Nothing)
        fast = is_document(inside)
    except (ValueError, RecursionError):
        fast = False
    try:
        decode_json(inside)
        plain = True
    except ReadError:
        plain = False
    assert fast is plain
    return fast


def nested(depth: int, kind: type = list) -> Any:
    value: Any = kind()
    for _ in range(depth - 1):
        value = [value] if kind is list else {"a": value}
    return value


# --- text -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "finding"),
    [
        (b"", ("document/empty", "There is no JSON value", "a JSON value", None)),
        (b" \n\t", ("document/empty", "There is no JSON value", "a JSON value", None)),
        (b'"a\xff"', ("document/invalid-utf8", "Not UTF-8 at byte 2", "UTF-8", "0xff")),
        (b'"\xc0\x80"', ("document/invalid-utf8", "Not UTF-8 at byte 1", "UTF-8", "0xc0")),
        (
            b'{"a":1',
            (
                "document/invalid-json",
                "A comma or a closing bracket is missing at column 7",
                "JSON text",
                "the end of the text",
            ),
        ),
        (
            b"[1,\n 2,]",
            ("document/invalid-json", "A value is missing at line 2 column 4", "JSON text", '"]"'),
        ),
        (
            b"{} {}",
            (
                "document/invalid-json",
                "Text follows the end of the JSON value at column 4",
                "JSON text",
                '"{}"',
            ),
        ),
        (
            b'"a\nb"',
            (
                "document/invalid-json",
                "Invalid control character at line 1 column 3",
                "JSON text",
                '"\\nb\\""',
            ),
        ),
        (
            "\ufeff{}".encode(),
            (
                "document/invalid-json",
                "A byte order mark before the JSON text",
                "JSON text",
                '"\ufeff{}"',
            ),
        ),
        (b"[NaN]", ("document/not-finite", "The number is not finite", "a finite number", "nan")),
        (
            b"-Infinity",
            ("document/not-finite", "The number is not finite", "a finite number", "-inf"),
        ),
        (b"1e400", ("document/not-finite", "The number is not finite", "a finite number", "inf")),
        (
            b"1" + b"0" * 400,
            (
                "document/not-finite",
                "The number is beyond the largest double",
                "a finite number",
                "an integer of 1329 bits",
            ),
        ),
        (
            b"1" + b"0" * 5000,
            (
                "document/not-finite",
                "A number is beyond the largest double",
                "a finite number",
                None,
            ),
        ),
        (
            b'["a\\ud83d"]',
            (
                "document/lone-surrogate",
                "A lone surrogate at character 1",
                "well-formed Unicode",
                "U+D83D",
            ),
        ),
        (
            b'"\\udc00\\ud800"',
            (
                "document/lone-surrogate",
                "A lone surrogate at character 0",
                "well-formed Unicode",
                "U+DC00",
            ),
        ),
        (
            b"[" * 513 + b"]" * 513,
            ("document/too-deep", "Nested deeper than 512 levels", "at most 512 levels", None),
        ),
        (
            b'{"":' * 100_000,
            ("document/too-deep", "Nested deeper than 512 levels", "at most 512 levels", None),
        ),
        (
            b"[NaN," + b"[" * 100_000,
            ("document/too-deep", "Nested deeper than 512 levels", "at most 512 levels", None),
        ),
    ],
)
def test_refused_text(data: bytes, finding: tuple[str, str, str, str | None]) -> None:
    found = refusal(data)
    assert (found.rule, found.message, found.expected, found.actual) == finding
    assert found.severity == "error"
    assert validate(data, "message.Message") == [found]
    assert not verdict(data)


@pytest.mark.parametrize(
    ("data", "pointer"),
    [
        (b'{"a":[0,NaN]}', "/a/1"),
        (b'{"a/b":{"~":"\\ud800"}}', "/a~1b/~0"),
        (b'{"\\ud800":1}', "/\\ud800"),
        (b'[{"a":1' + b"0" * 400 + b"}]", "/0/a"),
    ],
)
def test_a_refused_value_in_a_text_has_its_place(data: bytes, pointer: str) -> None:
    assert refusal(data).pointer == pointer
    assert str(refusal(data)).encode()


@pytest.mark.parametrize(
    "data",
    [
        b"null",
        b" [1, 2.5e3, -0, true] \n",
        b'"\\ud83c\\udf0d"',
        '"\U0001f30d\u2028\x7f"'.encode(),
        b'"\\u0000"',
        b"1e308",
        b"1e-400",
        str(LARGEST - 1).encode(),
        b"[" * MAX_DEPTH + b"]" * MAX_DEPTH,
        b"[" + b"{}," * 10_000 + b"{}]",
    ],
)
def test_taken_text(data: bytes) -> None:
    assert decode_json(data) == json.loads(data)
    assert verdict(data) is (not data.startswith(b"[[[[["))  # one level more
    assert value_findings(json.loads(data)) == []


def test_of_duplicate_names_the_last_wins() -> None:
    assert decode_json(b'{"a":1,"b":2,"a":3}') == {"a": 3, "b": 2}


@pytest.mark.parametrize(
    "pair", [b'"\\ud83c" "\\udf0d"', b'["\\ud83c","\\udf0d"]', b'"\\ud83c\\n\\udf0d"']
)
def test_halves_of_a_pair_that_are_apart_are_lone(pair: bytes) -> None:
    assert refusal(pair).rule in ("document/lone-surrogate", "document/invalid-json")


# --- limits ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [list, dict])
@pytest.mark.parametrize("beside", [0, 600])
def test_nesting_ends_at_512_levels(kind: type, beside: int) -> None:
    for depth, fine in ((MAX_DEPTH, True), (MAX_DEPTH + 1, False)):
        inner = nested(depth - 1, kind)
        many: list[Any] = [[]] * beside  # brackets that are not deeper
        value = [inner, *many] if kind is list else {"a": inner, "b": many}
        assert (value_findings(value) == []) is fine
        data = json.dumps(value).encode()
        assert verdict(json.dumps(inner).encode()) is fine
        if fine:
            assert decode_json(data) == value
        else:
            assert [refusal(data)] == value_findings(value)
            assert refusal(data).pointer == ""


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("where", [lambda n: n, lambda n: [n], lambda n: {"a": [{"b": n}]}])
def test_integers_end_where_doubles_end(sign: int, where: Any) -> None:
    for number, fine in ((LARGEST - 1, True), (LARGEST, False), (10**4000, False)):
        value = where(sign * number)
        assert (value_findings(value) == []) is fine
        assert verdict(json.dumps(value).encode()) is fine


def test_an_integer_of_5000_digits_is_refused_as_value_too() -> None:
    (found,) = value_findings({"a": 10**5000})
    assert found == Finding(
        "document/not-finite",
        "The number is beyond the largest double",
        "/a",
        expected="a finite number",
        actual="an integer of 16610 bits",
    )


def test_the_digits_limit_of_the_interpreter_is_no_part_of_it() -> None:
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        assert refusal(b"[1" + b"0" * 5000 + b"]").rule == "document/not-finite"
    finally:
        sys.set_int_max_str_digits(before)


# --- Python values --------------------------------------------------------------------------------


class Level(IntEnum):
    HIGH = 1


class Word(StrEnum):
    A = "a"


@pytest.mark.parametrize(
    "value", [OrderedDict(a=1), defaultdict(list, a=[]), Level.HIGH, Word.A, {Word.A: [Level.HIGH]}]
)
def test_derived_types_are_what_they_derive_from(value: Any) -> None:
    assert value_findings(value) == []


@pytest.mark.parametrize(
    ("value", "pointer", "message"),
    [
        ((1, 2), "", "Python's tuple is not a JSON value"),
        ({"a": {1}}, "/a", "Python's set is not a JSON value"),
        ([b"x"], "/0", "Python's bytes is not a JSON value"),
        ([Decimal(1)], "/0", "Python's Decimal is not a JSON value"),
        (object(), "", "Python's object is not a JSON value"),
        ({"a": {1: 2}}, "/a", "A member name is a string, and not Python's int"),
        ({None: 2}, "", "A member name is a string, and not Python's NoneType"),
    ],
)
def test_what_is_no_json_value(value: Any, pointer: str, message: str) -> None:
    (found,) = value_findings(value)
    assert (found.rule, found.pointer, found.message) == ("shape/type", pointer, message)
    assert found.expected is not None


def test_findings_come_in_document_order() -> None:
    value = {"b": float("nan"), "a": [(), {"x": "\ud800"}], "c": {"d": float("inf"), 2: ()}}
    assert [(f.rule, f.pointer) for f in value_findings(value)] == [
        ("document/not-finite", "/b"),
        ("shape/type", "/a/0"),
        ("document/lone-surrogate", "/a/1/x"),
        ("shape/type", "/c"),
        ("document/not-finite", "/c/d"),
    ]


@pytest.mark.parametrize("branches", [1, 2, 50])
def test_a_value_that_holds_itself_ends(branches: int) -> None:
    round_list: list[Any] = []
    round_list.extend([round_list] * branches)
    round_dict: dict[str, Any] = {}
    round_dict.update({str(n): [round_dict] for n in range(branches)})
    for value in (round_list, round_dict):
        assert [f.rule for f in value_findings(value)] == ["document/too-deep"]


def test_escape_pointer() -> None:
    assert escape_pointer("a/b~c~1") == "a~1b~0c~01"
    assert escape_pointer("\ud800") == "\\ud800"
    assert escape_pointer("é") == "é"


# --- whatever comes -------------------------------------------------------------------------------


@settings(max_examples=300)
@given(python_values)
def test_any_value(value: Any) -> None:
    for found in value_findings(value):
        assert found.rule in (
            "shape/type",
            "document/not-finite",
            "document/lone-surrogate",
        )
        assert len(found.actual or "") <= 80
        assert str(found).encode()


@settings(max_examples=300)
@given(json_values)
def test_text_and_values_have_one_verdict(value: Any) -> None:
    found = value_findings(value)
    data = json.dumps(value).encode()  # NaN, Infinity and lone surrogates pass it
    assert verdict(data) is not bool(found)
    if found:
        assert refusal(data) == found[0]
    else:
        assert decode_json(data) == value


@settings(max_examples=300)
@given(
    st.binary(max_size=30) | st.text(alphabet='[]{}",:\\u0d1eE+-. ', max_size=30).map(str.encode)
)
def test_any_bytes(data: bytes) -> None:
    verdict(data)
    try:
        value, rule = decode_json(data), ""
    except ReadError as error:
        value, rule = None, error.rule
    if rule:
        assert rule in read_rules()
        assert rule.startswith("document/")
    else:
        assert json.loads(data) == value
        assert value_findings(value) == []


@pytest.mark.parametrize(
    "name", ["message.json", "2026.jsonl", "C:\\logs\\a b.jsonl.gz", "../x/y.yaml"]
)
def test_the_name_of_a_file_is_told_from_its_content(name: str) -> None:
    (finding,) = validate(name, "message.Message")
    assert finding.rule == "document/invalid-json"
    assert finding.expected == "JSON text; of a file its content, as in Path(name).read_bytes()"


@pytest.mark.parametrize("text", ["auto", "message.json\n", "{message.json", "[1] message.json"])
def test_other_text_is_not_taken_for_the_name_of_a_file(text: str) -> None:
    (finding,) = validate(text, "message.Message")
    assert (finding.rule, finding.expected) == ("document/invalid-json", "JSON text")


@pytest.mark.parametrize("offset", range(20))
def test_a_number_that_is_too_long_is_seen_wherever_it_begins(offset: int) -> None:
    text = b"[" + b" " * offset + b"9" * 309 + b"]"
    assert refusal(text).rule == "document/not-finite"
    assert decode_json(text.replace(b"9" * 309, b"9" * 300)) == [int("9" * 300)]


@pytest.mark.parametrize("said", [r"\"[", r"\\", r"\u0022[\\\"[", "[{}]", r"\n[\t\\[", r"\/["])
def test_brackets_in_strings_are_no_depth(said: str) -> None:
    first, deep = f'{{"{said}":"{said}"}}', "[" * (MAX_DEPTH - 1)
    text = f'[{first},"]",{deep}"{said}"{"]" * MAX_DEPTH}'
    assert decode_json(text.encode())
    assert refusal(f"[{text}]".encode()).rule == "document/too-deep"


_odd_text = st.text('[]{}"\\/\nnu\t0é', max_size=12)


@given(
    value=st.recursive(
        _odd_text,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_odd_text, inner, max_size=4),
    ),
    is_ascii=st.booleans(),
    limit=st.integers(0, 8),
)
def test_brackets_are_counted_as_the_value_is_nested(
    value: Any, is_ascii: bool, limit: int
) -> None:
    text = json.dumps([value] * 3, ensure_ascii=is_ascii).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("partwire.json.text.MAX_DEPTH", limit)
        try:
            decode_json(text)
            is_fine = True
        except ReadError:
            is_fine = False
    assert is_fine is (depth_of([value] * 3) <= limit)


def depth_of(value: Any) -> int:
    """Return how deep arrays and objects are nested, one by one."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return isinstance(value, (dict, list)) + max(map(depth_of, inner), default=0)


_LONG = b'"' + b"x" * 400 + b'"'
_ODD = [
    b"[1e400]",
    b"[1E+400]",
    b"[1e300]",
    b"9" * 400,
    b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1),
    b"[" * MAX_DEPTH + b"]" * MAX_DEPTH,
    b'"' + b"[" * (MAX_DEPTH + 1) + b'"',
    b'"\xff"',
    '"é"'.encode(),
]


@pytest.mark.parametrize("odd", _ODD, ids=range(len(_ODD)))
@pytest.mark.parametrize("at", [0, 1, 2])
def test_many_documents_are_judged_as_each_of_them(odd: bytes, at: int) -> None:
    lines = [_LONG, _LONG]
    lines.insert(at, odd)
    assert are_documents(b"\n".join(lines), lines) is all(map(is_document, lines))
