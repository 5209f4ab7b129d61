"""Streams of deltas as requests: whole, cut, in disorder, with other people's deltas, hostile."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from ..values import Json, text_of
from .documents import hostile_text
from .json_text import NUMBERS, Speller
from .request import Request
from .values import Documents

__all__ = ["RUN", "START_AT", "THEN", "delta", "stream_request"]

RUN: Final = "run_1"
START_AT: Final = "2026-01-02T03:04:05Z"
THEN: Final = "2026-01-02T03:04:06.250Z"

_TEXTS: Final = (
    *(
        "",
        "",
        "a",
        "Hello",
        " world",
        "\n",
        "é",
        "e\u0301",
        "🌍",
        "👩\u200d🚀",
        "\0",
        "\u2028",
        '"',
    ),
    *("\\", "\ufeff", "x" * 40, "ü" * 20, "\r\n", "{}", "\U0010ffff", "\x7f"),
)
_IDS: Final = ("a", "b", "c", "call_1", "__proto__", "constructor", "toString", "é", "🌍🌍", "0")
_RUNS: Final = ("run_1", "run_1", "run_1", "run_2", "RUN_1", "run_1 ", "__proto__", "")
_ARGUMENTS: Final = (
    *(
        "",
        " ",
        "\t\n\r ",
        "\u00a0",
        "{}",
        " {} ",
        "[]",
        "null",
        "1",
        '"x"',
        "{",
        "}",
        '{"a"',
        '{"a":',
    ),
    *('{"a":1}', '{"a":1', '{"a":"b', '{"a":"b\\', '{"a":"\\u00', '{"a":tr', '{"a":-', '{"a":1.'),
    *('{"a":1e', '{"a":[1,', '{"a":[1,2],', '{"a":1}{"b":2}', '{"a":1} x', '\ufeff{"a":1}', "NaN"),
    *('{"a":NaN}', '{"a":1,"a":2}', '{"__proto__":{"x":1}}', '{"a":"\\ud83d"}', '{"a":"\\ud83d\\u'),
    *(
        '{"a":"\\ud83d\\ude00"}',
        "{'a':1}",
        '{"a":01}',
        '{"a":"\x01"}',
        '{"a":1,}',
        "{}\0",
        '{"":""}',
    ),
    *(f'{{"n":{number}}}' for number in NUMBERS),
    *(f'{{"n":[{number}' for number in NUMBERS[:30]),
    *('{"a":' * depth + "1" + "}" * depth for depth in (3, 127, 128, 129, 600)),
    *('{"a":' + "[" * depth for depth in (2, 127, 128, 600)),
)
_SMALL: Final = {
    "text_bytes": (1, 2, 5, 20, 80),
    "arguments_bytes": (1, 2, 7, 30),
    "tool_calls": (1, 2, 3),
    "parts": (1, 2, 3, 5),
    "arguments_depth": (1, 2, 3, 127, 500),
    "id_chars": (1, 2, 5, 6),
    "opaque_bytes": (8, 20, 60, 200),
    "opaque_depth": (1, 2, 3),
    "payload_bytes": (25, 60, 90, 200),
    "payload_depth": (1, 2, 3, 4),
    "media_bytes": (4, 8, 16),
    "agents": (1, 2),
}
_BYTES: Final = ("", "QQ==", "QUI=", "QUJD", "/+8=", "QR==", "QUJDRA==")
_URLS: Final = ("https://example.com", "é", "x")
_FORMED: Final = (
    *('{"a":', '"b', 'c"', "}", "[1", ",2", "]", " ", "1", "2 ", "tru", "e ", "null\n", '"'),
    *("Here: ", "```json\n", "\\u00", "e9", "[[", "]]", "-", "1.5e", "3 ", '{"a":1}', "{}"),
)


def delta(kind: str, seq: int, payload: Json, **members: Any) -> Json:
    """Return a delta as JSON object."""
    stamp = START_AT if kind == "start" else THEN
    head = {"runId": RUN, "seq": seq, "kind": kind, "payload": payload, "timestamp": stamp}
    return head | members


def stream_request(seed: int, number: int) -> Request:
    """Return a stream with its options."""
    version = "v0.1" if number % 8 == 0 else "v0.2" if number % 4 == 1 else "v0.3"
    maker = _Streams(Documents(f"stream:{seed}:{number}", version))
    return Request("assemble", version, maker.given())


class _Streams:
    """Makes one stream."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._rng = documents.rng
        self._newer = documents.version != "v0.1"
        self._newest = documents.version == "v0.3"
        self._open: list[str] = []
        self._closed: list[str] = []
        self._server: set[str] = set()  # calls that the provider runs
        self._media: list[str] = []
        self._format: Json | None = None
        self._has_text = False
        self._ids: Json = {}

    def given(self) -> Json:
        """Return the input of assemble."""
        rng = self._rng
        deltas = self._deltas()
        for _ in range(rng.choice((0, 0, 0, 1, 1, 2, 4))):
            deltas = self._disturbed(deltas)
        oddity = rng.choice((0.0, 0.0, 0.0, 0.0, 0.01, 0.05))
        lines = [text_of(self._line(each, oddity)) for each in deltas]
        given: Json = {"deltas": lines}
        if rng.random() < 0.45:
            given["mode"] = rng.choice(("tolerant", "tolerant", "strict"))
        if rng.random() < 0.15:
            given["run_id"] = rng.choice(("run_1", "run_1", "run_2", "é"))
        if rng.random() < 0.3:
            names = rng.sample(sorted(_SMALL), rng.choice((1, 1, 2, 8)))
            given["limits"] = {name: rng.choice(_SMALL[name]) for name in names}
            if given["limits"].get("id_chars", 5) < 5:
                given.pop("run_id", None)  # an assembler cannot be made for a run with a longer id
        for name, chance in (("snapshots", 0.4), ("progress", 0.6), ("drop_refused", 0.5)):
            if rng.random() < chance:
                given[name] = True
        return given

    def _line(self, each: Any, oddity: float) -> bytes:
        if isinstance(each, bytes):
            return each
        return Speller(self._rng, oddity if self._rng.random() < 0.3 else 0.0).data(each)

    # --- a stream that goes well ---------------------------------------------------------------

    def _deltas(self) -> list[Any]:
        rng = self._rng
        made = [self._start()]
        made += [self._next() for _ in range(rng.choice((0, 2, 5, 10, 20, 40)))]
        while self._open:
            made.append(self._end(rng.choice(self._open)))
        made += [self._media_end(each) for each in self._media if rng.random() < 0.9]
        if rng.random() < 0.85:
            made.append(self._last())
        seq = rng.choice((0, 0, 0, 1, 7, 2**53 - 200))
        for each in made:
            each["seq"] = seq
            seq += 1 if rng.random() < 0.9 else rng.randint(2, 5)
        return made

    def _start(self) -> Json:
        if self._newer:
            for name in ("messageId", "turnId"):
                if self._rng.random() < 0.3:
                    self._ids[name] = self._rng.choice(("msg_1", "é", "__proto__", "x" * 6, "🌍"))
        payload: Json = {"modelId": self._rng.choice(("m", "é" * 3)), "requestId": "r"}
        if self._newest and self._rng.random() < 0.3:
            path = self._rng.choices(("a", "é", "🌍"), k=self._rng.choice((1, 1, 2, 3)))
            payload["author"] = self._rng.choice(({"name": "Ada"}, {"agentPath": path}, {}))
        if self._newest and self._rng.random() < 0.4:
            self._format = self._rng.choice(({}, {"name": "é"}, {"name": "a", "schemaRef": "b"}))
            payload["format"] = self._format
        return delta("start", 0, payload, **self._ids)

    def _next(self) -> Json:
        rng = self._rng
        if self._newest and rng.random() < 0.45:
            return self._next_whole()
        kind = rng.choice(
            ("text", "text", "thinking", "start", "args", "args", "args", "end", "usage")
        )
        if kind in ("text", "thinking"):
            self._has_text = self._has_text or kind == "text"
            texts = _TEXTS if self._format is None or rng.random() < 0.2 else _FORMED
            return self._made(kind, {"textDelta": rng.choice(texts)}, opaque=0.15)
        if kind == "usage":
            return self._usage()
        if kind == "start" or not self._open:
            return self._begun()
        call_id = rng.choice(self._open)
        if kind == "end":
            return self._end(call_id)
        payload = {"toolCallId": call_id, "argsTextDelta": self._arguments()}
        return self._made(self._kind_of_call(call_id) + "_args", payload, opaque=0.1)

    def _begun(self) -> Json:
        fresh = [each for each in _IDS if each not in self._open and each not in self._closed]
        call_id = self._rng.choice(fresh) if fresh else f"n{len(self._closed)}{len(self._open)}"
        self._open.append(call_id)
        if self._newest and self._rng.random() < 0.4:
            self._server.add(call_id)
        payload = {"toolCallId": call_id, "toolName": self._rng.choice(("ls", "x y", "é"))}
        return self._made(self._kind_of_call(call_id) + "_start", payload, opaque=0.1)

    def _kind_of_call(self, call_id: str) -> str:
        """Return the kind of a call, now and then that of the other one."""
        is_server = (call_id in self._server) is not (self._newest and self._rng.random() < 0.02)
        return "server_tool_call" if is_server else "tool_call"

    def _end(self, call_id: str) -> Json:
        self._open.remove(call_id)
        self._closed.append(call_id)
        kind = self._kind_of_call(call_id) + "_end"
        return self._made(kind, {"toolCallId": call_id}, opaque=0.1)

    # --- what comes whole, and media --------------------------------------------------------------

    def _next_whole(self) -> Json:
        makers: list[Callable[[], Json]] = [self._result, self._warning, *[self._any_media] * 3]
        makers += [self._approval] if self._closed or self._rng.random() < 0.05 else []
        makers += [self._citation] * 2 if self._has_text or self._rng.random() < 0.05 else []
        return self._rng.choice(makers)()

    def _citation(self) -> Json:
        rng = self._rng
        source: Json = {"kind": rng.choice(("url", "media", "odd"))}
        if rng.random() < 0.3:
            source |= {"url": rng.choice(_URLS), "locator": {"unit": "page", "start": 0}}
        citation: Json = {"source": source, "quotedText": rng.choice(_TEXTS)}
        start, end = rng.randrange(4), rng.randrange(3, 9)
        for name, place in (("start", start), ("end", end if rng.random() < 0.95 else 0)):
            if rng.random() < 0.6:
                citation[name] = place
        payload: Json = {"citation": self._with_opaque(citation, 0.2)}
        if rng.random() < 0.3:
            payload["partIndex"] = rng.choice((0, 0, 1, 2, 3, 9))
        return self._made("text_citation", payload)

    def _result(self) -> Json:
        rng = self._rng
        content = rng.choice(("", "found", {"a": 1}, [{"kind": "text", "payload": {"text": "a"}}]))
        payload: Json = {"toolCallId": self._some_call(), "isError": rng.random() < 0.3}
        payload["content"] = content
        if rng.random() < 0.3:
            payload["outcome"] = rng.choice(("success", "timeout", "odd"))
        if rng.random() < 0.3:
            payload["structured"] = self._documents.json()
        return self._made("server_tool_result", self._with_opaque(payload, 0.2))

    def _some_call(self) -> str:
        """Return the id of a call, most often of one that has ended."""
        some = [*self._closed] * 9 + self._open
        return self._rng.choice(some or ["elsewhere"])

    def _approval(self) -> Json:
        rng = self._rng
        payload: Json = {"approvalId": rng.choice(_IDS), "toolCallId": self._some_call()}
        if rng.random() < 0.3:
            payload |= {
                "choices": [{"id": "a", "decision": "approved"}, {"id": "b", "label": ""}],
                "reason": rng.choice(_TEXTS),
            }
        if rng.random() < 0.2:
            payload["requestedAt"] = rng.choice((START_AT, THEN, "today"))
        return self._made("approval_request", self._with_opaque(payload, 0.2))

    def _warning(self) -> Json:
        payload = {"code": self._rng.choice(("other", "other", "deprecated"))}
        if self._rng.random() < 0.4:
            payload["message"] = self._rng.choice(_TEXTS)
        return self._made("warning", payload)

    def _any_media(self) -> Json:
        rng = self._rng
        if not self._media or rng.random() < 0.2:
            media_id = rng.choice(_IDS)
            self._media.append(media_id)
            payload = {"mediaId": media_id, "mimeType": rng.choice(("audio/wav", "image/png"))}
            return self._made("media_start", payload, opaque=0.1)
        media_id = rng.choice(self._media)
        if rng.random() < 0.2:
            self._media.remove(media_id)
            return self._media_end(media_id)
        payload = {"mediaId": media_id}
        for name, chance in (("dataDelta", 0.7), ("data", 0.2)):
            if rng.random() < chance:
                payload[name] = rng.choice(_BYTES)
        if rng.random() < 0.4:
            payload["transcriptDelta"] = rng.choice(_TEXTS)
        return self._made("media_data", payload)

    def _media_end(self, media_id: str) -> Json:
        rng = self._rng
        payload: Json = {"mediaId": media_id}
        if rng.random() < 0.6:
            payload["source"] = rng.choice(
                (
                    {"kind": "ref", "ref": rng.choice(_URLS)},
                    {"kind": "inline", "data": rng.choice(_BYTES)},
                    {"kind": "odd"},
                )
            )
        if rng.random() < 0.2:
            payload |= {"mimeType": "audio/mpeg", "sizeBytes": rng.randrange(9)}
        return self._made("media_end", payload, opaque=0.1)

    def _arguments(self) -> str:
        """Return a piece of arguments: some whole, some cut anywhere."""
        rng = self._rng
        if rng.random() < 0.3:
            text = Speller(rng, 0.1, broken=False).text({"a": self._documents.json()})
        else:
            text = rng.choice(_ARGUMENTS)
        if any("\ud800" <= char <= "\udfff" for char in text):
            return ""
        return text if rng.random() < 0.5 else text[: rng.randrange(len(text) + 1)]

    def _usage(self) -> Json:
        rng = self._rng
        names = ["inputTokens", "outputTokens", "totalTokens"]
        payload: Json = {name: rng.choice((0, 1, 7, 2**53 - 1)) for name in names}
        if self._newer:
            for name in ("reasoningTokens", "cacheReadTokens", "cacheWriteTokens"):
                if rng.random() < 0.3:
                    payload[name] = rng.randrange(9)
        if rng.random() < 0.3:
            payload["cost"] = rng.choice((0, 0.5, 1e-9, 1e21, 3))
        return self._made("usage", payload)

    def _last(self) -> Json:
        rng = self._rng
        if rng.random() < 0.2:
            payload = {"errorCode": rng.choice(("timeout", "x", "rate_limit"))}
            return self._made("error", payload | ({"message": "é"} if rng.random() < 0.5 else {}))
        payload = {"finishReason": rng.choice(("stop", "tool_calls", "length", "odd", "__proto__"))}
        if self._newer and rng.random() < 0.3:
            payload["providerFinishReason"] = rng.choice(("end_turn", "", "é"))
        return self._made("done", payload)

    def _made(self, kind: str, payload: Json, opaque: float = 0.0) -> Json:
        rng = self._rng
        made = delta(kind, 0, self._with_opaque(payload, opaque if self._newer else 0.0))
        for name, value in self._ids.items():
            if rng.random() < 0.2:
                made[name] = value
        if rng.random() < 0.05:
            made["providerRaw"] = self._documents.json()
        return made

    def _with_opaque(self, payload: Json, chance: float) -> Json:
        rng = self._rng
        if rng.random() >= chance:
            return payload
        data = {rng.choice(_TEXTS): self._documents.json() for _ in range(rng.randrange(3))}
        return {
            **payload,
            "opaque": {"provider": rng.choice(("anthropic", "é", "__proto__")), "data": data},
        }

    # --- what goes wrong -------------------------------------------------------------------------

    def _disturbed(self, deltas: list[Any]) -> list[Any]:
        if not deltas:
            return deltas
        changes: tuple[Callable[[list[Any], int], None], ...] = (
            lambda all_, at: all_.__setitem__(slice(at, None), []),
            lambda all_, at: all_.pop(at),
            lambda all_, at: all_.insert(self._rng.randrange(len(all_) + 1), all_[at]),
            lambda all_, at: all_.insert(self._rng.randrange(len(all_)), all_.pop(at)),
            lambda all_, at: all_.insert(at, self._foreign()),
            self._change_member,
            self._change_member,
            self._change_member,
            self._change_anything,
            self._make_hostile,
        )
        self._rng.choice(changes)(deltas, self._rng.randrange(len(deltas)))
        return deltas

    def _foreign(self) -> Any:
        """Return a delta of no stream in particular."""
        make = self._rng.choice((self._documents.valid, self._documents.mutated))
        made = make("message.MessageDelta")
        if isinstance(made, dict) and self._rng.random() < 0.7:
            made |= {"runId": "run_1", "seq": self._rng.randrange(40)}
        return made

    def _change_member(self, deltas: list[Any], at: int) -> None:
        rng = self._rng
        if not isinstance(deltas[at], dict):
            return
        made = dict(deltas[at])
        name = rng.choice(("runId", "seq", "kind", "messageId", "turnId", "timestamp", "payload"))
        if name in ("messageId", "turnId") and not self._newer:
            return
        texts = ("msg_1", "msg_2", "", "é", None, 1, "e\u0301")
        made[name] = {
            "runId": rng.choice((*_RUNS, None)),
            "seq": rng.choice((0, 1, 3, -1, 2**53 - 1, 2**53, 1.0, 2.5, True, "1", None)),
            "kind": rng.choice(("text", "done", "quantum", "tool_call_end", "", None, "start")),
            "messageId": rng.choice(texts),
            "turnId": rng.choice(texts),
            "timestamp": rng.choice(("2026-02-30T00:00:00Z", "x", 5, "2026-01-02T03:04:05+01:00")),
            "payload": rng.choice(
                ({}, None, [], {"toolCallId": "a"}, {"textDelta": "x"}, {"mediaId": "a"})
            ),
        }[name]
        deltas[at] = made

    def _change_anything(self, deltas: list[Any], at: int) -> None:
        deltas[at] = self._documents.changed(json.loads(json.dumps(_plain(deltas[at]))))

    def _make_hostile(self, deltas: list[Any], at: int) -> None:
        deltas[at] = hostile_text(self._rng, _plain(deltas[at]))


def _plain(each: Any) -> Any:
    return {"kind": "text"} if isinstance(each, bytes) else each
