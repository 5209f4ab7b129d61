"""What a driver answers, read with care: a driver may say anything."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, NoReturn

from partwire.errors import clip

from .values import Json

__all__ = ["Errored", "Nonsense", "Skipped", "Started", "read_answer", "read_started"]


class Nonsense(Exception):
    """A line that is not an answer; its one argument says what is wrong."""


class Skipped(Exception):
    """The driver cannot do a run; its one argument is the reason."""


class Errored(Exception):
    """The driver failed, by its own word; its one argument is the message."""


@dataclass(frozen=True)
class Started:
    """Who a driver is, and what it can do."""

    name: str
    version: str
    language: str
    versions: tuple[str, ...]
    operations: frozenset[str]
    exact_integers: bool


def read_started(line: bytes, protocol: int) -> Started:
    """Return the answer to start; raises Nonsense."""
    answer = _object(line)
    if answer.get("type") != "started":
        raise Nonsense(f'the answer to start has type "started", not {clip(answer.get("type"))}')
    if answer.get("protocol") != protocol or isinstance(answer["protocol"], bool):
        raise Nonsense(f"it speaks protocol {clip(answer.get('protocol'))}, not {protocol}")
    named = answer.get("implementation")
    if not isinstance(named, dict):
        raise Nonsense("implementation is not an object")
    exact = answer.get("exact_integers", False)
    if not isinstance(exact, bool):
        raise Nonsense("exact_integers is not a boolean")
    versions = _strings(answer, "versions")
    if not versions:
        raise Nonsense("versions are none")
    return Started(
        name=_string(named, "name"),
        version=_string(named, "version", ""),
        language=_string(named, "language", ""),
        versions=tuple(versions),
        operations=frozenset(_strings(answer, "operations")),
        exact_integers=exact,
    )


def read_answer(line: bytes, number: int) -> Any:
    """Return the result in the answer to run ``number``; raises Nonsense, Skipped, Errored."""
    answer = _object(line)
    kind = answer.get("type")
    if kind not in ("result", "skipped", "errored"):
        raise Nonsense(f"no type of an answer: {clip(kind)}")
    if answer.get("id") != number or isinstance(answer["id"], bool):
        raise Nonsense(f"the answer to run {number} has id {clip(answer.get('id'))}")
    if kind == "skipped":
        raise Skipped(_string(answer, "reason"))
    if kind == "errored":
        raise Errored(_string(answer, "message"))
    if "result" not in answer:
        raise Nonsense("a result without the member result")
    return answer["result"]


def _object(line: bytes) -> Json:
    try:
        value = json.loads(line.decode("utf-8"), parse_constant=_no_constant)
    except UnicodeDecodeError:
        raise Nonsense(f"no UTF-8: {_start(line)}") from None
    except (ValueError, RecursionError):
        raise Nonsense(f"no JSON: {_start(line)}") from None
    if not isinstance(value, dict):
        raise Nonsense(f"no object: {_start(line)}")
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _start(line: bytes) -> str:
    return clip(line[:200].decode("utf-8", "replace"))


def _string(value: Json, name: str, default: str | None = None) -> str:
    text = value.get(name, default)
    if not isinstance(text, str) or (default is None and not text.strip()):
        raise Nonsense(f"{name} is not text")
    return text


def _strings(value: Json, name: str) -> list[str]:
    texts = value.get(name)
    if not isinstance(texts, list) or not all(isinstance(each, str) for each in texts):
        raise Nonsense(f"{name} is not an array of strings")
    return texts
