"""The streams of a made archive: what they say, and the message that has to come of it.

Nothing of partwire is used: whoever makes a stream knows its pieces, and puts the message together
from them by a few lines of its own.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from hashlib import sha256
from random import Random
from typing import Any, Final, Literal, NamedTuple

import msgspec

__all__ = ["Call", "Delta", "Digest", "Ending", "Stream", "canonical", "make_stream", "message_of"]

Ending = Literal["done", "truncated", "error"]

_PROSE: Final = (
    "the of and to in is that it for on with as are this be from by at an or which can has its "
    "stream message part delta call value text result field schema reader writer token order "
    'café naïve — “quoted” "data", however. Then; 42 3.14 (see below)\n\n - `code` **bold** '
    "\\path 数据 流 🙂 tab\there"
)
_WORDS: Final = _PROSE.split(" ")
_PHRASES: Final = 8192
_TOOLS: Final = ("search", "read_file", "edit_file", "run_tests", "fetch_page")
_MODELS: Final = ("model-small-2", "model-large-4", "model-large-5")
_RAW: Final = (
    ',"providerRaw":{"id":"chatcmpl-9f2c1","object":"chat.completion.chunk","created":1764400000,'
    '"choices":[{"index":0,"delta":{"content":"some {text} \\"and\\" more"},"finish_reason":null}]}'
)
_SCRAMBLE: Final = 0x9E3779B97F4A7C15  # odd, so that different numbers make different ids


class Call(NamedTuple):
    """A call that a stream makes."""

    call_id: str
    name: str
    arguments: dict[str, Any]


class Delta(NamedTuple):
    """One delta: its kind, the inside of its payload as JSON text, and what that says."""

    kind: str
    payload: str
    said: Any


@dataclass(slots=True)
class Stream:
    """One stream as it would be without any fault; its deltas have the seqs from 1."""

    run_id: str
    message_id: str | None
    turn_id: str | None
    deltas: list[Delta]
    stamps: list[str]
    tag_first: bool
    has_raw: bool
    start: dict[str, str] = field(default_factory=dict)
    """modelId and requestId."""

    def lines(self) -> list[str]:
        """Return its lines, each with its end."""
        names, tail = self._around()
        rows = zip(itertools.count(1), self.deltas, self.stamps, strict=False)
        if self.tag_first:
            return [
                f'{{"kind":"{kind}",{names},"seq":{seq},"payload":{{{payload}}},'
                f'"timestamp":"{stamp}"{tail}}}\n'
                for seq, (kind, payload, _), stamp in rows
            ]
        return [
            f'{{{names},"seq":{seq},"timestamp":"{stamp}","kind":"{kind}",'
            f'"payload":{{{payload}}}{tail}}}\n'
            for seq, (kind, payload, _), stamp in rows
        ]

    def line(self, seq: int, kind: str, payload: str) -> str:
        """Return one line that is not among its deltas."""
        names, tail = self._around()
        return (
            f'{{"kind":"{kind}",{names},"seq":{seq},"payload":{{{payload}}},'
            f'"timestamp":"{self.stamps[seq - 1]}"{tail}}}\n'
        )

    def _around(self) -> tuple[str, str]:
        names = f'"runId":"{self.run_id}"'
        if self.message_id is not None:
            names += f',"messageId":"{self.message_id}"'
        if self.turn_id is not None:
            names += f',"turnId":"{self.turn_id}"'
        return names, _RAW if self.has_raw else ""

    def texts(self) -> list[int]:
        """Return the indexes of the deltas whose loss leaves a stream that can be read."""
        return [at for at, delta in enumerate(self.deltas) if delta.kind in ("text", "thinking")]


# --- what a stream says ---------------------------------------------------------------------------


def _phrases() -> list[tuple[str, str]]:
    """Return pieces of text, each with what it is inside of JSON text."""
    chooser = Random(_PHRASES)
    found = []
    for _ in range(_PHRASES):
        said = "".join(f"{word} " for word in chooser.choices(_WORDS, k=chooser.randint(1, 6)))
        found.append((said, msgspec.json.encode(said).decode()[1:-1]))
    return found


def _text_deltas(kind: str) -> list[Delta]:
    return [Delta(kind, f'"textDelta":"{escaped}"', said) for said, escaped in _phrases()]


_TEXTS: Final = _text_deltas("text")
_THOUGHTS: Final = _text_deltas("thinking")
# Of an hour that begins anywhere: a delta each 30 ms.
_STAMPS: Final = [
    f"{at // 60_000:02}:{at // 1000 % 60:02}.{at % 1000:03}Z" for at in range(0, 3_600_000, 30)
]


def make_stream(
    rng: Random,
    number: int,
    run: int,
    hour: int,
    *,
    length: int,
    is_agents: bool,
    has_id: bool,
    raw: float,
) -> Stream:
    """Return a stream of about ``length`` deltas; ``number`` counts streams, ``run`` runs.

    ``raw`` is the share of streams whose deltas have a providerRaw.
    """
    run_id = f"run_{run * _SCRAMBLE % 2**64:016x}"
    start = {"modelId": rng.choice(_MODELS), "requestId": f"req_{number:08x}"}
    deltas = [Delta("start", msgspec.json.encode(start).decode()[1:-1], None)]
    shape, left = rng.random(), max(length - 3, 1)
    if shape < 0.35:
        thoughts = left // 3
        deltas += rng.choices(_THOUGHTS, k=thoughts)
        left -= thoughts
    calls = rng.randint(1, 3) if is_agents or shape > 0.85 else 0
    texts = max(left // 3 if calls else left, 1)
    deltas += rng.choices(_TEXTS, k=texts)
    left -= texts
    if calls:
        deltas += _calls(rng, number, calls, max(left // calls - 2, 1))
    if calls and shape > 0.95:
        deltas += rng.choices(_TEXTS, k=3)
    usage = {"inputTokens": rng.randint(10, 9_999), "outputTokens": length}
    usage["totalTokens"] = usage["inputTokens"] + length
    deltas.append(Delta("usage", msgspec.json.encode(usage).decode()[1:-1], usage))
    reason = "tool_calls" if calls else "length" if shape < 0.02 else "stop"
    deltas.append(Delta("done", f'"finishReason":"{reason}"', reason))
    begin = rng.randrange(len(_STAMPS) - len(deltas) - 1)
    day = f"2026-{hour // 720 % 12 + 1:02}-{hour // 24 % 28 + 1:02}T{hour % 24:02}:"
    return Stream(
        run_id,
        f"msg_{number:012x}" if has_id else None,
        f"turn_{number:08x}" if is_agents else None,
        deltas,
        # One more than there are deltas, for a fault that appends one.
        [day + stamp for stamp in _STAMPS[begin : begin + len(deltas) + 1]],
        tag_first=rng.random() < 0.8,
        has_raw=rng.random() < raw,
        start=start,
    )


def _calls(rng: Random, number: int, count: int, size: int) -> list[Delta]:
    """Return calls, one after the other or side by side, each with its arguments in pieces."""
    each = []
    for at in range(count):
        phrases = [said for _, _, said in rng.choices(_TEXTS, k=size)]
        arguments = {"path": f"src/module_{at}.py", "lines": [at, None, True], "text": phrases}
        call = Call(f"call_{number:08x}_{at}", rng.choice(_TOOLS), arguments)
        text = msgspec.json.encode(arguments).decode()
        step = -(-len(text) // size)
        pieces = [text[begin : begin + step] for begin in range(0, len(text), step)]
        named = f'"toolCallId":"{call.call_id}"'
        each.append(
            [
                Delta("tool_call_start", f'{named},"toolName":"{call.name}"', call),
                *(Delta("tool_call_args", _args(named, piece), call) for piece in pieces),
                Delta("tool_call_end", named, call),
            ]
        )
    if rng.random() < 0.5:
        return list(itertools.chain.from_iterable(each))
    mixed = itertools.chain.from_iterable(itertools.zip_longest(*each))
    return [delta for delta in mixed if delta is not None]


def _args(named: str, piece: str) -> str:
    return f'{named},"argsTextDelta":{msgspec.json.encode(piece).decode()}'


# --- the message that has to come of it -----------------------------------------------------------


def message_of(
    stream: Stream, deltas: list[Delta], ending: Ending, end_stamp: str
) -> dict[str, Any]:
    """Return the message that these deltas of a stream make, as a JSON object.

    ``end_stamp`` is the time of the delta that ended it.
    """
    parts: list[dict[str, Any]] = []
    open_calls: dict[str, int] = {}  # where the part of each is to be
    meta: dict[str, Any] = dict(stream.start)
    last, pieces = "", [""]
    for kind, _, said in deltas:
        if kind in ("text", "thinking"):
            if kind != last:
                pieces = []
                parts.append({"kind": kind, "payload": {"text": pieces}})
            pieces.append(said)
        elif kind == "tool_call_start":
            open_calls[said.call_id] = len(parts)
            parts.append({})
        elif kind == "tool_call_end":
            call_id, name, arguments = said
            payload = {"toolCallId": call_id, "toolName": name, "arguments": arguments}
            parts[open_calls.pop(call_id)] = {"kind": "tool_call", "payload": payload}
        elif kind == "usage":
            meta["usage"] = said
        elif kind == "done":
            meta["finishReason"] = said
        last = kind
    for part in parts:
        if part and part["kind"] != "tool_call":
            part["payload"]["text"] = "".join(part["payload"]["text"])
    if ending != "truncated":
        meta["completedAt"] = end_stamp
    if ending != "done":
        meta["incomplete"] = {"ending": ending, "openToolCallIds": list(open_calls)}
    message = {
        "runId": stream.run_id,
        "role": "assistant",
        "parts": [part for part in parts if part],
        "timestamp": stream.stamps[0],
        "meta": meta,
    }
    if stream.message_id is not None:
        message["messageId"] = stream.message_id
    if stream.turn_id is not None:
        message["turnId"] = stream.turn_id
    return message


canonical: Final = msgspec.json.Encoder(order="sorted").encode
"""A message with its members in the order of their names and without spaces."""


class Digest:
    """A digest of messages that does not depend on their order.

    It is the sum of the SHA-256 of the canonical text of each, so that nothing has to be sorted,
    and digests of parts of an archive can be added up. Everything that a message has is in it.
    """

    def __init__(self) -> None:
        self.count = 0
        self._sum = 0

    def add(self, text: bytes) -> None:
        """Add a message by its canonical text."""
        self.count += 1
        self._sum += int.from_bytes(sha256(text).digest(), "big")

    @property
    def hex(self) -> str:
        """The digest as hexadecimal text."""
        return f"{self._sum % 2**256:064x}"
