"""Requests under fuzz: whatever is given, a body, or a refusal that all dialects share.

Run alone: ``python -m tests.fuzz.requests --n 200000 --seed 1``.
"""

from __future__ import annotations

import copy
import json
import random
import sys
from typing import Any

from partwire.errors import PartwireError, ReadError
from partwire.providers import ADAPTERS, ByteAdapter, open_adapter
from partwire.providers.requests import ENCODERS, EncodedRequest
from partwire.reading import read
from partwire.severities import SEVERITIES
from partwire_testing.conformance.drawn.provider_events import rewritten
from tests.fixture_cases import cases
from tests.fuzz.runner import Target, main
from tests.providers.provider_streams import RUN, assembled, fixed_clock
from tests.providers.request_round_trip import encode

Json = dict[str, Any]

_CORPUS = [case.data("input") for case in cases("requests") if case.version == "v0.1"]
_INPUTS = [json.loads(data) for data in _CORPUS]
_TOKENS = [b"null", b"true", b"-1", b'""', b"[]", b"{}", b'"a":1,', b'"\\ud83d"', b"9" * 30]
_KINDS = ["signature", "redacted_thinking", "call", "reasoning_member", "reasoning_details"]
_ODD: list[Any] = [
    *[None, True, 0, 1, -1, 2, 3.5, 2**60, "", "x", " ", [], {}, [None], {"type": "text"}, "🙂"],
    *["tool", "text", "assistant", "c1", "data:,x", "https://a", *_KINDS, *ENCODERS],
    *[{"kind": kind, "data": {"type": kind}, "start": 0, "end": 1} for kind in _KINDS],
]


def _holders(value: Any) -> list[Any]:
    """Return every object and array of a JSON value that has members."""
    members = value.values() if isinstance(value, dict) else value
    if not isinstance(value, (dict, list)) or not value:
        return []
    return [value, *(holder for member in members for holder in _holders(member))]


def _rewritten(rng: random.Random) -> Any:
    """Return an input with members changed, taken away, or taken over from others."""
    given = copy.deepcopy(rng.choice(_INPUTS))
    for _ in range(1 + int(rng.expovariate(0.5))):
        holder = rng.choice(_holders(given))
        key = rng.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
        other = rng.choice(_holders(rng.choice(_INPUTS)))
        kind = rng.randrange(5)
        if kind == 0 and holder is not given:
            del holder[key]
        elif kind == 1 and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(rng.choice([*holder, *_ODD])))
        elif kind == 2:
            members = list(other.values()) if isinstance(other, dict) else other
            holder[key] = copy.deepcopy(rng.choice(members))
        else:
            holder[key] = copy.deepcopy(rng.choice(_ODD))
        if not given:
            break
    return given


def check(data: bytes, rng: random.Random) -> None:
    """Encode ``data``, or a rewritten conversation, or an answer of any provider."""
    kind = rng.random()
    if kind < 0.15:
        _check_answer(rng)
    elif kind < 0.8:
        _check_input(_rewritten(rng))
    else:
        try:
            given = json.loads(data)
        except (ValueError, RecursionError):
            return
        _check_input(given)


def _check_input(given: Any) -> None:
    if not isinstance(given, dict):
        return
    given = {"messages": [], "config": {}, **given}
    before = copy.deepcopy(given)
    outcomes = [_outcome(dialect, given) for dialect in ENCODERS]
    assert given == before
    refusals = [one for one in outcomes if isinstance(one, PartwireError)]
    if refusals:
        assert len({str(each) for each in refusals}) == 1
        assert len(refusals) == len(ENCODERS)
        raise refusals[0]
    structs = [read(each, "message.Message", "tolerant") for each in given["messages"]]
    for dialect, encoded in zip(ENCODERS, outcomes, strict=True):
        _check_encoded(encoded, given)
        assert encode(dialect, {**given, "messages": structs}).body == encoded.body


def _outcome(dialect: str, given: Json) -> Any:
    """Return the encoded request, or the refusal."""
    try:
        return encode(dialect, given)
    except PartwireError as error:
        return error


def _check_encoded(encoded: EncodedRequest, given: Json) -> None:
    json.dumps(encoded.body, allow_nan=False, ensure_ascii=False).encode()
    for finding in encoded.findings:
        assert finding.rule.startswith("read/") or finding.severity == SEVERITIES[finding.rule]
        assert len(finding.actual or "") <= 80, finding
        node: Any = given
        for step in finding.pointer.split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            node = node[int(name)] if isinstance(node, list) else node[name]


def _check_answer(rng: random.Random) -> None:
    """Send back what an adapter made of any bytes: it is a message, so nothing is refused."""
    data = rewritten(rng)
    asked = copy.deepcopy(_INPUTS[0]["messages"][0])
    for dialect in ADAPTERS:
        adapter = open_adapter(dialect, RUN, clock=fixed_clock)
        reader = ByteAdapter(adapter, max_event_bytes=8192)
        deltas = [*reader.feed(data), *reader.close()]
        try:
            message = assembled(deltas)
        except PartwireError as error:
            if error.rule != "stream/limit-exceeded":
                raise AssertionError(f"no message: {error}") from error
            continue
        for target in ENCODERS:
            given = {"messages": [message, asked], "config": {"modelId": "m"}}
            try:
                encode(target, given)
            except ReadError as error:
                raise AssertionError(f"refused: {error}") from error


TARGET = Target("requests", check, _CORPUS, _TOKENS, "tests.fuzz.requests")

if __name__ == "__main__":
    sys.exit(main([TARGET]))
