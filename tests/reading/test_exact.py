"""Values that are looked at as their JSON text: nothing is found, read or written otherwise."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import json
import math
import uuid
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import partwire
from partwire import native
from partwire.contract.versions import parse_type
from partwire.convert import convert, migrate
from partwire.errors import PartwireError
from partwire.json.text import MAX_DEPTH, value_findings
from partwire.reading import exact, pipeline
from partwire.reading.plain import plain_value
from partwire.reading.tolerant import SafeDefault, Unknown
from partwire.reading.verdict import Verdict
from partwire.types import Message, TextPart, TextPayload
from tests.strategies import documents, json_values, python_values
from tests.ways import way

pytestmark = pytest.mark.usefixtures("untraced")  # the same lines over and over

__all__ = ["way"]

MESSAGE = parse_type("message.Message")


class _Text(str):
    __slots__ = ()


class _Mapping(dict[str, Any]):
    """One that is not what its items are."""

    def get(self, *_: Any) -> Any:
        return "other"


class _Items(list[Any]):
    pass


class _Whole(int):
    pass


class _Word(str, enum.Enum):  # noqa: UP042  # as programs have them, too
    ROLE = "user"


class _Number(enum.IntEnum):
    ONE = 1


@dataclasses.dataclass
class _Data:
    role: str = "user"


class _Other(msgspec.Struct):
    role: str = "user"


def _deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def _endless() -> Any:
    value: dict[str, Any] = {"a": 1}
    value["b"] = [value, value]
    return value


ODD: Mapping[str, Callable[[], Any]] = {
    "nan": lambda: math.nan,
    "infinity": lambda: -math.inf,
    "integer beyond 64 bits": lambda: 2**63,
    "integer below 64 bits": lambda: -(2**63) - 1,
    "integer beyond a double": lambda: 10**400,
    "integer that has no text": lambda: 10**5000,
    "complex number": lambda: 1j,
    "lone surrogate": lambda: "a\ud800",
    "lone surrogate as name": lambda: {"\udc00": 1},
    "number as name": lambda: {1: 1},
    "null as name": lambda: {None: 1},
    "names that are the same as text": lambda: {1: 1, "1": 2},
    "derived name": lambda: {_Text("role"): "user"},
    "tuple": lambda: ("user",),
    "set": lambda: {"user"},
    "bytes": lambda: b"user",
    "bytearray": lambda: bytearray(b"user"),
    "date": lambda: datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC),
    "uuid": lambda: uuid.UUID(int=7),
    "decimal": lambda: decimal.Decimal("1.5"),
    "text of a class": lambda: _Text("user"),
    "integer of a class": lambda: _Whole(1),
    "list of a class": lambda: _Items([1]),
    "dict of a class": lambda: _Mapping(role="user"),
    "ordered dict": lambda: OrderedDict(role="user"),
    "dict with defaults": lambda: defaultdict(dict, role="user"),
    "other mapping": lambda: MappingProxyType({"role": "user"}),
    "word of an enum": lambda: _Word.ROLE,
    "number of an enum": lambda: _Number.ONE,
    "dataclass": _Data,
    "other struct": _Other,
    "class": lambda: Message,
    "absent": lambda: msgspec.UNSET,
    "raw": lambda: msgspec.Raw(b"1"),
    "unknown": lambda: Unknown("kind", "later", {"kind": "later"}),
    "safe default": lambda: SafeDefault("stop", "later"),
    "too deep": lambda: _deep(MAX_DEPTH + 1),
    "far too deep": lambda: _deep(100_000),
    "endless": _endless,
}


def _wire() -> dict[str, Any]:
    return {
        "runId": "r",
        "role": "assistant",
        "parts": [
            {"kind": "text", "payload": {"text": "Zürich"}},
            {
                "kind": "tool_call",
                "payload": {"toolCallId": "c", "toolName": "t", "arguments": {"days": 3}},
            },
        ],
        "timestamp": "2026-01-02T03:04:05Z",
        "meta": {"usage": {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3, "cost": 0.5}},
    }


@contextmanager
def _looked_at_closely() -> Iterator[None]:
    """Let no value be looked at as text."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact, "core", lambda: None)
        patch.setattr(exact, "_is_exact", lambda *_: False)
        patch.setattr(Verdict, "clean_text", lambda *_, **__: None)
        yield


def _outcome(work: Callable[[], Any]) -> Any:
    """Return what comes of it, as what can be compared; errors with their findings."""
    try:
        return repr(work())
    except PartwireError as error:
        return [type(error).__name__, *error.findings]
    except ValueError as error:  # of an integer that has no text
        return [type(error).__name__, str(error)]


def _entrances(value: Any, name: str) -> Iterator[Callable[[], Any]]:
    yield lambda: pipeline.validate_value(value, name)
    yield lambda: pipeline.read_value(value, name)
    yield lambda: pipeline.read_value(value, name, "tolerant")
    yield lambda: partwire.validate([value], list[Message])
    if not isinstance(value, (str, bytes, bytearray, memoryview)):
        yield lambda: partwire.validate(value, name)
        yield lambda: partwire.validate(value, name, max_findings=1)
        yield lambda: partwire.validate(value, name, unknown_members="warn")
        yield lambda: partwire.dump(value, name)
        yield lambda: pipeline.unknown_members(value, name)
        yield lambda: plain_value(value)
        yield lambda: migrate(value, "v0.1", name, "v0.2")
        yield lambda: migrate(value, "v0.2", name, "v0.1")
        yield lambda: migrate(value, "v0.1")
    if name == MESSAGE.__str__():
        yield lambda: partwire.check_history([value, value])
        yield lambda: convert([value], "session", type=Message)
        yield lambda: convert([value], "blocks", type=Message)


def _assert_the_same(value: Any, name: str) -> None:
    for number, work in enumerate(_entrances(value, name)):
        found = _outcome(work)
        with _looked_at_closely():
            expected = _outcome(work)
        assert found == expected, number


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize(
    "place",
    [
        lambda odd: odd,
        lambda odd: {**_wire(), "role": odd},
        lambda odd: {**_wire(), "meta": odd},
        lambda odd: {**_wire(), "later": odd},
        lambda odd: {**_wire(), "meta": {"later": [odd]}},
        lambda odd: {**_wire(), "parts": [*_wire()["parts"], odd]},
        lambda odd: Message(
            run_id="r", role="user", parts=odd, timestamp="2026-01-02T03:04:05Z", meta={}
        ),
        lambda odd: Message(
            run_id="r", role="user", parts=[], timestamp="2026-01-02T03:04:05Z", meta={"a": odd}
        ),
    ],
    ids=["alone", "role", "meta", "unknown member", "deep", "part", "of a struct", "in a struct"],
)
def test_odd_values_are_looked_at_closely(odd: str, place: Callable[[Any], Any]) -> None:
    _assert_the_same(place(ODD[odd]()), str(MESSAGE))


@pytest.mark.parametrize("odd", ODD)
def test_nothing_odd_is_exact(odd: str) -> None:
    value = ODD[odd]()
    assert not exact.is_exact(value, MESSAGE)
    assert not exact.is_exact([{"a": value}], MESSAGE)
    assert exact.exact_text({"a": [value]}, MESSAGE) is None


@given(documents())
def test_documents_give_the_same_either_way(drawn: tuple[str, Any]) -> None:
    name, value = drawn
    _assert_the_same(value, name)


@given(documents(["message.Message"]), st.sampled_from(sorted(ODD)), st.integers(0, 40))
def test_documents_with_something_odd_give_the_same(
    drawn: tuple[str, Any], odd: str, place: int
) -> None:
    name, value = drawn
    _assert_the_same(_with(json.loads(json.dumps(value)), place, ODD[odd]()), name)


def _with(value: Any, place: int, odd: Any) -> Any:
    """Return a JSON value, which is changed, with ``odd`` for one of the values in it."""
    holders: list[Any] = [[value]]
    for holder in holders:  # grows
        inner = holder.values() if isinstance(holder, dict) else holder
        holders += [each for each in inner if isinstance(each, (dict, list))]
    places = [
        (holder, key)
        for holder in holders
        for key in (list(holder) if isinstance(holder, dict) else range(len(holder)))
    ]
    holder, key = places[place % len(places)]
    holder[key] = odd
    return holders[0][0]


@pytest.mark.skipif(native is None, reason="the native core is not installed")
def test_without_the_core_no_value_is_looked_at_as_text(way: str) -> None:
    binding = pipeline.Binding.of(Message)
    message = partwire.read(_wire(), Message)
    text = msgspec.json.encode(message) if way == "native" else None
    assert binding.clean_text(message, closed=True) == text
    assert binding.clean_text({**_wire(), "later": 1}, closed=True) is None
    assert (binding.clean_text({**_wire(), "later": 1}) is None) == (way == "plain")
    assert binding.clean_text({**_wire(), "role": "other"}) is None
    assert binding.clean_text(text) is None  # bytes are not a JSON value
    older = pipeline.Binding.of("message.Message", "v0.1")
    assert older.clean_text(message, closed=True) is None  # it has no such structs
    assert older.clean_text(message, closed=True, holder=MESSAGE) == text


@given(json_values | python_values)
def test_an_exact_value_is_what_its_text_says(value: Any) -> None:
    text = exact.exact_text(value)
    if text is not None:
        assert not value_findings(value)
        assert _typed(json.loads(text)) == _typed(value)


def _typed(value: Any) -> Any:
    if isinstance(value, dict):
        return dict, {name: _typed(member) for name, member in value.items()}
    if isinstance(value, list):
        return list, [_typed(item) for item in value]
    return type(value), value


@pytest.mark.parametrize("value", [None, True, 0, 2**63 - 1, -(2**63), 1.5, "ü", {}, [], _wire()])
def test_plain_values_are_exact(value: Any) -> None:
    assert exact.exact_text(value) == msgspec.json.encode(value)


def test_as_many_levels_as_a_document_may_have_are_exact() -> None:
    assert exact.is_exact(_deep(MAX_DEPTH))
    assert not exact.is_exact(_deep(MAX_DEPTH + 1))


def test_structs_are_exact_where_their_family_is_asked_for() -> None:
    struct = TextPart(payload=TextPayload(text="x"))
    assert exact.exact_text([struct], MESSAGE) == msgspec.json.encode([struct])
    assert not exact.is_exact([struct])
    assert not exact.is_exact([struct], parse_type("session.WithParts"))
    assert not exact.is_exact([struct], parse_type("message.Message", "v0.1"))


def test_a_struct_with_what_no_reader_would_give_is_written_as_before() -> None:
    message = partwire.read(_wire(), Message)
    inner: Any = {"kind": "text", "payload": {"text": "x", "later": 1}}
    odd = msgspec.structs.replace(message, parts=[inner])
    assert b"later" not in partwire.dump(odd)
    with _looked_at_closely():
        assert partwire.dump(odd) == msgspec.json.encode(
            msgspec.structs.replace(message, parts=[TextPart(payload=TextPayload(text="x"))])
        )
