"""What all adapters share: raw events, findings, halves of characters, pieces, tables."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwire import to_wire
from partwire.contract.resources import read_rules
from partwire.errors import Finding
from partwire.providers import ADAPTERS, RETRYABLE, open_adapter
from partwire.providers.core.errors import ProviderError, error_code, read_error
from partwire.providers.core.findings import MAX_FINDINGS, FindingLog
from partwire.providers.core.opaque import without_secrets
from partwire.providers.core.raw_events import NOTHING, as_json_text, decode_event
from partwire.providers.core.sniff import dialect_of
from partwire.providers.openai_chat.tool_calls import ArgumentPieces
from partwire.tables import event_dialects, finish_reasons, provider_errors
from tests.fixture_cases import provider_cases
from tests.providers.provider_streams import RUN, fixed_clock, run_bytes, run_events

CHAT = "openai-chat"
CLAUDE = "anthropic-messages"
HELLO = '{"id":"c","model":"m","choices":[{"index":0,"delta":{"content":"Hi"}}]}'
STOP = '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}'


def _piece(text: str) -> dict[str, Any]:
    return {"id": "c", "model": "m", "choices": [{"index": 0, "delta": {"content": text}}]}


# --- raw events ----------------------------------------------------------------------------------


def test_events_are_read_as_they_are_meant() -> None:
    assert decode_event('{"a":NaN,"b":-Infinity}') == {"a": None, "b": None}
    assert decode_event('"a\tb\u0000"') == "a\tb\u0000"
    assert decode_event('"\\ud83d"') == "\ud83d"
    assert decode_event("12345678901234567890123") == 12345678901234567890123
    assert decode_event('{"a":1,"a":2}') == {"a": 2}
    for text in ("", "x", "{", '{"a":1}x', "[" * 100_000, "1" * 5000, "\ufeff{}"):
        assert decode_event(text) is NOTHING


def test_values_as_text() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert as_json_text(deep) is None
    assert as_json_text({"a": object()}) is None
    assert as_json_text({"ø": [1, 2.5, None]}) == '{"ø":[1,2.5,null]}'
    assert as_json_text("\ud83d") == '"\\ud83d"'


def test_what_is_no_object_is_a_finding() -> None:
    """FIN-04."""
    ran = run_events(CHAT, [HELLO, "null", "5", "keep-alive", " ", None, STOP])
    assert ran.kinds == ["start", "text", "done"]
    assert [finding.pointer for finding in ran.adapter.findings] == ["/1", "/2", "/3"]


def test_nothing_comes_after_close() -> None:
    adapter = open_adapter(CHAT, RUN, clock=fixed_clock)
    assert [delta.kind for delta in adapter.close()] == ["start", "error"]
    assert adapter.ended
    assert adapter.close() == []
    assert adapter.feed(_piece("late")) == []
    assert adapter.feed_text("[DONE]") == []
    assert adapter.feed_text("{torn") == []
    assert adapter.feed_text('{"error":"x"}', "error") == []
    rules = [finding.rule for finding in adapter.findings]
    assert rules == ["adapter/after-end", "adapter/invalid-event"]  # repeats are kept once


def test_findings_are_bounded_and_repeats_kept_once() -> None:
    adapter = open_adapter(CHAT, RUN, clock=fixed_clock)
    for number in range(3 * MAX_FINDINGS):
        adapter.feed({"object": f"billing.{number}"})
        adapter.feed({"object": "billing"})
    adapter.fail(Finding("framing/invalid-utf8", "x"))
    assert len(adapter.findings) == MAX_FINDINGS
    assert sum(finding.actual == '"billing"' for finding in adapter.findings) == 1


def test_findings_carry_no_payload() -> None:
    """SEC-05, SEC-07: places, types and short values."""
    events = [{"object": "x" * 10_000}, "{" + "y" * 10_000, {"choices": "z" * 10_000}]
    ran = run_events(CHAT, events)
    assert all(len(finding.actual or "") <= 80 for finding in ran.adapter.findings)


# --- raw events kept -----------------------------------------------------------------------------


def test_every_raw_event_is_carried_once() -> None:
    events = [
        {"id": "", "model": "", "choices": []},
        _piece("a"),
        {"choices": []},
        "keep-alive",
        {"usage": {"prompt_tokens": 1, "completion_tokens": 1}, "choices": []},
        json.loads(STOP),
    ]
    deltas = run_events(CHAT, events, keep_raw=True).deltas
    raw = [to_wire(delta).get("providerRaw", {"events": []})["events"] for delta in deltas]
    assert [event for found in raw for event in found] == events
    assert len(raw[0]) == 2  # with start: what came before it, and what brought it
    plain = run_events(CHAT, events).deltas
    assert all("providerRaw" not in to_wire(delta) for delta in plain)


def test_raw_errors_are_carried() -> None:
    ran = run_bytes(CHAT, [b'event: error\ndata: {"message":"m"}\n\n'], keep_raw=True)
    assert to_wire(ran.deltas[0])["providerRaw"] == {"events": [{"message": "m"}]}


def test_raw_events_carry_no_credentials() -> None:
    """SEC-05."""
    event = {
        "headers": {"Authorization": "Bearer CANARY", "Accept": "x", "Set-Cookie": ["CANARY"]},
        "url": "https://example.org/v1?alt=sse&key=CANARY&x=1",
        "api_key": {"a": "CANARY"},
        "nested": [{"X-Api-Key": "CANARY"}],
    }
    ran = run_events(CHAT, [event, HELLO, STOP], keep_raw=True)
    kept = to_wire(ran.deltas[0])["providerRaw"]["events"][0]
    assert "CANARY" not in json.dumps(kept)
    assert kept["headers"]["Accept"] == "x"
    assert kept["url"] == "https://example.org/v1?alt=sse&key=[redacted]&x=1"
    deep: Any = "CANARY"
    for _ in range(200):
        deep = [deep]
    assert "CANARY" not in json.dumps(without_secrets(deep))


# --- halves of characters ------------------------------------------------------------------------

TEXTS = st.text(alphabet=st.sampled_from("aø🌍😀\u2028\x00"), max_size=12)


def _halves(text: str) -> list[str]:
    """Return the UTF-16 units of ``text``, each as its own string."""
    data = text.encode("utf-16-le")
    return [chr(int.from_bytes(data[at : at + 2], "little")) for at in range(0, len(data), 2)]


@given(TEXTS, st.data())
def test_text_cut_at_any_unit_is_the_same_text(text: str, data: st.DataObject) -> None:
    """HIS-17: in text, in thinking and in arguments."""
    units = _halves(text)
    at = data.draw(st.lists(st.integers(0, len(units)), max_size=5).map(sorted))
    pieces = ["".join(units[a:b]) for a, b in zip([0, *at], [*at, len(units)], strict=True)]
    begin = {"index": 0, "id": "t", "function": {"name": "f"}}
    events: list[Any] = [{"choices": [{"delta": {"tool_calls": [begin]}}]}]
    for piece in pieces:
        entry = {"index": 0, "function": {"arguments": piece}}
        events.append(_piece(piece))
        events.append({"choices": [{"delta": {"tool_calls": [entry]}}]})
    ran = run_events(CHAT, [*events, STOP])
    written = [to_wire(delta)["payload"] for delta in ran.deltas]
    assert "".join(payload.get("argsTextDelta", "") for payload in written) == text
    assert ran.rules == []
    assert "".join(p["payload"]["text"] for p in ran.parts if p["kind"] == "text") == text


def test_a_half_waits_for_its_other_half_and_for_nothing_else() -> None:
    reasoning = {"choices": [{"delta": {"reasoning": "\ude00r\ud83d"}}]}
    ran = run_events(CHAT, [_piece("\ud83d"), reasoning, _piece("\ude00\ud83d"), STOP])
    parts = [(part["kind"], part["payload"]["text"]) for part in ran.parts]
    assert parts == [
        ("text", "\ufffd"),
        ("thinking", "\ufffdr\ufffd"),
        ("text", "\ufffd\ufffd"),
    ]
    assert set(ran.rules) == {"adapter/lone-surrogate"}


def test_a_half_at_the_end_of_arguments_becomes_a_whole_character() -> None:
    entry = {"index": 0, "id": "t", "function": {"name": "f", "arguments": '{"a":"\ud83d'}}
    ran = run_events(CHAT, [{"choices": [{"delta": {"tool_calls": [entry]}}]}, STOP])
    assert ran.parts[0]["payload"]["rawArgsText"] == '{"a":"\ufffd'


# --- argument pieces -----------------------------------------------------------------------------

ARGUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
).map(lambda value: json.dumps({"a": value}))


def _written(chunks: list[str]) -> str:
    pieces = ArgumentPieces()
    texts = [text for chunk in chunks for text in pieces.add(chunk)]
    return "".join([*texts, *pieces.rest()[0]])


@given(ARGUMENTS, st.data())
def test_pieces_add_up(text: str, data: st.DataObject) -> None:
    at = sorted(data.draw(st.sets(st.integers(1, len(text) - 1), max_size=8)))
    chunks = [text[a:b] for a, b in zip([0, *at], [*at, len(text)], strict=True)]
    assert _written(chunks) == text


@given(ARGUMENTS, st.data())
def test_growing_wholes_are_taken_apart(text: str, data: st.DataObject) -> None:
    """ARG-04."""
    at = sorted(data.draw(st.sets(st.integers(1, len(text) - 1), max_size=8)))
    repeats = data.draw(st.integers(1, 3))
    assert _written([text[:b] for b in [*at, len(text)] for _ in range(repeats)]) == text


@pytest.mark.parametrize(
    "chunks",
    [
        ['{"a":', '{"a":', "1}}"],  # the pieces look like wholes, and are pieces
        ['{"a":', '{"a":1}', "}"],
        ["[", "[", "]]"],
        ['{"a":1}', " "],
        ["{", '{"a'],  # cut: neither is JSON, nothing is lost
    ],
)
def test_pieces_that_only_look_like_wholes_are_pieces(chunks: list[str]) -> None:
    """ARG-06."""
    assert _written(chunks) == "".join(chunks)


def test_wholes_may_shrink_and_break_off() -> None:
    grown = ['{"a"', '{"a":1', '{"a":12']
    assert _written([*grown, '{"a":1', '{"a":12}']) == '{"a":12}'
    assert _written([*grown, "}"]) == '{"a":12}'


# --- tables --------------------------------------------------------------------------------------


def test_every_error_code_is_retryable_or_not() -> None:
    assert set(RETRYABLE) == set(get_args(provider_errors.Code))


def test_what_a_table_of_finish_reasons_holds_is_known() -> None:
    for table in (finish_reasons.ANTHROPIC, finish_reasons.CHAT, finish_reasons.COHERE):
        assert "unknown" not in table.values()


@pytest.mark.parametrize("sign", event_dialects.SIGNS)
def test_a_sign_says_the_dialect(sign: event_dialects.Sign) -> None:
    for value in sign.values or ((sign.prefix or "") + "x",):
        assert dialect_of({sign.member: value}) == (sign.dialect, f"/{sign.member}")
    if sign.values or sign.prefix:
        for other in ("ping", ["message"], None, 1):
            assert dialect_of({sign.member: other}) is None


def test_of_several_signs_the_first_counts() -> None:
    event = {"choices": [], "candidates": [], "object": "response", "type": "message-start"}
    found = []
    while event and (told := dialect_of(event)):
        found.append(told)
        del event[told[1][1:]]
    assert found == [
        ("cohere-v2", "/type"),
        ("openai-responses", "/object"),
        ("openai-chat", "/choices"),
        ("gemini", "/candidates"),
    ]


def test_every_dialect_with_an_adapter_has_a_sign() -> None:
    assert {sign.dialect for sign in event_dialects.SIGNS} == {*ADAPTERS, "cohere-v1"}


def test_an_error_has_one_name_in_the_table() -> None:
    names = [name for names in provider_errors.NAMES.values() for name in names]
    assert len(names) == len(set(names))
    assert set(provider_errors.MINIMAX.values()) < set(names)


@pytest.mark.parametrize(
    ("name", "code"),
    [row for names in provider_errors.NAMES.values() for row in names.items()],
)
def test_a_name_of_an_error_is_found_however_it_is_written(name: str, code: str) -> None:
    for written in (name, f"{name}_error", name.upper().replace("_", "-"), f"{name}Exception"):
        assert error_code(ProviderError(written, None, None, None)) == code


def test_a_code_that_is_a_number_counts_without_a_type_alone() -> None:
    assert error_code(ProviderError("1113", None, None, None)) == "quota_exceeded"
    assert error_code(ProviderError("1113", "overloaded", None, None)) == "overloaded"
    assert error_code(ProviderError("billing", "overloaded", None, None)) == "quota_exceeded"


def test_severities_are_those_of_the_rules(root: Path) -> None:
    for rule, row in read_rules().items():
        if rule.startswith("adapter/"):
            log = FindingLog()
            log.note(rule, "A finding")
            assert log.findings[0].severity == row["severity"]


def test_adapters_know_their_dialect() -> None:
    assert {name: adapter.dialect for name, adapter in ADAPTERS.items()} == {
        name: name for name in ADAPTERS
    }


@pytest.mark.parametrize(
    ("code", "kind", "message", "status", "due"),
    [
        (None, "overloaded_error", None, None, "overloaded"),
        (
            None,
            "invalid_request_error",
            "prompt is too long: 9 > 8",
            None,
            "context_length_exceeded",
        ),
        ("context_length_exceeded", "invalid_request_error", None, 400, "context_length_exceeded"),
        ("rate_limit_exceeded", None, "You exceeded your current quota", 429, "quota_exceeded"),
        ("insufficient_quota", "requests", None, 429, "quota_exceeded"),
        ("invalid_api_key", "invalid_request_error", None, 401, "authentication"),
        ("content_filter", None, None, 400, "content_filtered"),
        ("ServiceUnavailable", None, None, None, "overloaded"),
        ("BadRequestError", None, None, None, "invalid_request"),
        ("model-not-found", None, None, None, "not_found"),
        (None, None, None, 418, "invalid_request"),
        (None, None, None, 520, "provider_internal"),
        (None, None, "boom", None, "unknown"),
        ("error", "error", None, None, "unknown"),
    ],
)
def test_error_codes(
    code: str | None, kind: str | None, message: str | None, status: int | None, due: str
) -> None:
    assert error_code(ProviderError(code, kind, message, status)) == due


def test_errors_of_odd_types() -> None:
    odd: list[object] = [None, 5, [], {}, {"message": []}, {"code": True}, {"code": 10**40}, ""]
    for value in odd:
        error = read_error(value)
        assert error_code(error) == "unknown"
        assert error.status is None
    assert read_error({"code": "0" * 5000}).status is None
    assert read_error({"status": 502}) == ProviderError(None, None, None, 502)
    assert read_error(404) == ProviderError(None, None, "404", None)


# --- usage ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("figure", [2**50, 2**50 + 1, 2**53 - 1])
@pytest.mark.parametrize("dialect", sorted(ADAPTERS))
def test_huge_figures_make_no_usage_that_the_contract_has_not(dialect: str, figure: int) -> None:
    """Adapters add figures up; what they make of any is a count, and every delta is valid."""
    changed, counted = 0, set()
    for case in provider_cases("v0.1", dialect):
        huge = rb"\g<1>%d" % figure
        data, count = re.subn(rb'([tT]okens?\w*"\s*:\s*)[0-9]+', huge, case.data("input"))
        ran = run_bytes(dialect, [data])
        changed += count
        usages = [delta.payload for delta in ran.deltas if delta.kind == "usage"]
        counted |= {usage.input_tokens >= figure for usage in usages}
    assert changed > 0
    assert (True in counted) == (figure <= 2**50)
