"""Golden cases as requests with something changed: conversions, adapters, encoders, envelopes.

What is changed is what comes from outside: documents, lines, bytes of a provider. Options stay as
they are, since a typed interface cannot be asked for others.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from functools import cache
from typing import Any, Final

from partwire.contract.current import FAMILIES

from ..runs import SUITES, Run, runs_of
from ..suites import all_cases
from ..values import Json, bytes_of, text_of
from .json_text import Speller
from .mutate import mutate
from .provider_events import TOKENS, rewritten
from .request import Request
from .values import Documents

__all__ = ["CHANGES", "golden_request"]

_TAGS: Final = ("type", "kind", "role", "status", "seq", "timestamp", "contract", "version")
_TEXTS: Final = (
    *("", "x", " ", "é🌍", "__proto__", "0", "null", '{"a":1}', "[1]", "[]", "1e5", "\0", "\u2028"),
    *("https://a.example/b.png", "data:image/png;base64,AAAA", "data:,x", "image/png", "a/b"),
    *("AAAA", "2026-01-02T03:04:05Z", "call_1", "tool_calls", "Weather in Oslo", "\ud7ff"),
    *("x" * 70, "A" * 300),
)
_LINE_TYPES: Final = {"chunks": "blocks.StreamChunk", "deltas": "message.MessageDelta"}


def golden_request(seed: int, number: int) -> Request:
    """Return the request of a golden case, mostly with something changed."""
    operation = list(CHANGES)[number % len(CHANGES)]
    runs = _runs()[operation]
    rng = random.Random(f"golden:{seed}:{number}")
    version, run = rng.choice(runs)
    documents = Documents(f"golden:{seed}:{number}", version)
    given = copy.deepcopy(run.given)
    if rng.random() < 0.95:
        CHANGES[operation](given, documents)
    return Request(operation, version, given)


@cache
def _runs() -> dict[str, list[tuple[str, Run]]]:
    """Return the runs of the golden cases, each with its version, by operation."""
    found: dict[str, list[tuple[str, Run]]] = {operation: [] for operation in CHANGES}
    for version in FAMILIES:
        for case in all_cases(version):
            for run in runs_of(case) if case.suite in SUITES else ():
                if run.operation in found:
                    found[run.operation].append((version, run))
    return found


def _times(rng: random.Random) -> range:
    return range(rng.choice((1, 1, 1, 1, 2, 4)))


def _edited(documents: Documents, value: Any) -> Any:
    """Return a JSON value with a few places changed, half of the time only in what it says."""
    rng = documents.rng
    if rng.random() < 0.5:
        for holder, key in rng.sample(_said(value), min(len(_said(value)), len(_times(rng)))):
            is_text = isinstance(holder[key], str)
            holder[key] = rng.choice(_TEXTS if is_text else (0, 1, 7, 0.5, 2**53 - 1))
        return value
    for _ in _times(rng):
        value = documents.changed(value)
    return value


def _said(value: Any) -> list[tuple[Any, Any]]:
    """Return the places of texts and numbers, but for those that say what something is."""
    items: Any = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list):
        items = enumerate(value)
    found: list[tuple[Any, Any]] = []
    for key, member in items:
        if isinstance(member, (dict, list)):
            found += _said(member)
        elif isinstance(member, (str, int, float)) and key not in _TAGS:
            found.append((value, key))
    return found


def _text(documents: Documents, value: Any) -> Any:
    return text_of(Speller(documents.rng, 0.0).data(value))


def _document(given: Json, documents: Documents, name: str, type_name: str | None) -> None:
    """Change the document that a member of ``given`` is, or put another one in its place."""
    value = _parsed(given[name])
    if type_name is None or documents.rng.random() < 0.7:
        value = _edited(documents, value)
    else:
        make = documents.rng.choice((documents.valid, documents.mutated))
        made = make(type_name)
        value = [made] if isinstance(value, list) else made
    given[name] = _text(documents, value)


def _parsed(text: Any) -> Any:
    try:
        return json.loads(bytes_of(text))
    except ValueError:  # a case of what is not JSON
        return bytes_of(text).decode("utf-8", "replace")


def _lines(given: Json, documents: Documents, name: str, type_name: str) -> None:
    """Change lines, their order, and how many there are."""
    rng = documents.rng
    lines = given[name]
    for _ in _times(rng):
        at = rng.randrange(max(1, len(lines)))
        kind = rng.randrange(7)
        if kind == 0 or not lines:
            make = rng.choice((documents.valid, documents.valid, documents.mutated))
            lines.insert(at, _text(documents, make(type_name)))
        elif kind == 1:
            del lines[at]
        elif kind == 2:
            lines.insert(rng.randrange(len(lines)), lines.pop(at))
        elif kind == 3:
            lines.insert(at, lines[rng.randrange(len(lines))])
        else:
            lines[at] = _text(documents, _edited(documents, _parsed(lines[at])))


# --- one for each operation -----------------------------------------------------------------------


def _convert(given: Json, documents: Documents) -> None:
    context = given.get("context", {})
    if "ids" in context:
        context["ids"] = [*context["ids"], *(f"new_{number}" for number in range(200))]
    _document(given, documents, "document", given["type"])


def _convert_stream(given: Json, documents: Documents) -> None:
    _lines(given, documents, "lines", _LINE_TYPES[given["from"]])


def _collect(given: Json, documents: Documents) -> None:
    _lines(given, documents, "chunks", _LINE_TYPES["chunks"])


def _adapt(given: Json, documents: Documents) -> None:
    rng = documents.rng
    data = bytes_of(given["input"])
    kind = rng.randrange(10)
    if kind < 2:
        data = data[: rng.randrange(len(data) + 1)]
    elif kind < 4:
        data = mutate(rng, [data], TOKENS)
    else:
        data = rewritten(rng, data if kind < 9 else None)
    given["input"] = text_of(data)
    if "chunk_bytes" in given:
        given["chunk_bytes"] = rng.choice((1, 2, 7, 100))


def _encode_request(given: Json, documents: Documents) -> None:
    asked = _parsed(given["input"])
    name = documents.rng.choice(("messages", "messages", "messages", *asked))
    asked[name] = _edited(documents, asked[name])
    given["input"] = text_of(json.dumps(asked).encode())


def _build_session(given: Json, documents: Documents) -> None:
    rng = documents.rng
    steps = given["steps"]
    for _ in _times(rng):
        at = rng.randrange(max(1, len(steps)))
        kind = rng.randrange(6)
        if kind == 0 or not steps:
            given["info"] = _edited(documents, given["info"])
        elif kind == 1:
            del steps[at]
        elif kind == 2:
            steps.insert(rng.randrange(len(steps)), steps.pop(at))
        elif kind == 3:
            steps.insert(at, copy.deepcopy(steps[rng.randrange(len(steps))]))
        elif "add" in steps[at]:
            steps[at]["add"] = _edited(documents, steps[at]["add"])


def _envelope(given: Json, documents: Documents) -> None:
    rng = documents.rng
    names = [name for name in ("input", "reply", "text") if name in given]
    name = rng.choice(names)
    if name == "text":
        given["text"] = _respelled(given["text"], rng)
    elif rng.random() < 0.3:
        given[name] = text_of(mutate(rng, [bytes_of(given[name])], TOKENS))
    else:
        kind = given.get("type" if name == "input" else "reply_type")
        _document(given, documents, name, kind)


_MARKS: Final = (
    *(
        "---\n",
        "\n",
        "\r\n",
        "\t",
        " ",
        ",",
        "-",
        "(",
        ")",
        ":",
        "*",
        '"',
        "\\",
        "é",
        "🌍",
        ";q=0.5",
    ),
    *(";q=0.5", "v0.1", "v0.2", "v0.3", "v9", "0"),
)


def _respelled(text: str, rng: random.Random) -> str:
    for _ in _times(rng):
        at, end = sorted(rng.choices(range(len(text) + 1), k=2))
        text = text[:at] + rng.choice(("", *_MARKS)) + text[rng.choice((at, end)) :]
    return text


def _migrate(given: Json, documents: Documents) -> None:
    if "document" in given:
        _document(given, documents, "document", given.get("type"))
    elif "lines" in given:
        _lines(given, documents, "lines", _LINE_TYPES["deltas"])
    elif isinstance(given["offers"], str):
        given["offers"] = _respelled(given["offers"], documents.rng)
    else:
        given["offers"] = [_respelled(each, documents.rng) for each in given["offers"]]


CHANGES: Final[dict[str, Callable[[Json, Documents], None]]] = {
    "convert": _convert,
    "convert_stream": _convert_stream,
    "collect": _collect,
    "adapt": _adapt,
    "encode_request": _encode_request,
    "build_session": _build_session,
    "envelope": _envelope,
    "migrate": _migrate,
}
"""Operation → what changes its input in place."""
