"""What answers have in common: canonical bytes, and where they part."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from partwire.errors import PartwireError
from partwire.json.canonical import canonical

from ..equality import ABSENT, difference
from ..respondent import Answer
from ..values import Json, bytes_of
from .request import Request

__all__ = ["Split", "compare", "is_known"]

_INDEX_NAME: Final = re.compile(rb'"(?:[0-9]|\\u003[0-9])+"\s*:')
_NUMBERS: Final = re.compile(r"/\d+")
_DIGITS: Final = re.compile(r"\d+")
_SHOWN: Final = 60
_ODD: Final = re.compile(r"-0|[0-9]\.0|[0-9][eE]|[0-9]{16}")
_HUGE: Final = re.compile(r"-?[0-9]{16,300}")
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?')


class Split(NamedTuple):
    """Drivers that do not agree: the result of each, and what kind of difference it is.

    ``key`` is equal for differences that look alike; one of each kind is enough to look at.
    """

    results: dict[str, Any]
    key: str


_ANY_ORDER: Final = {
    **dict.fromkeys(
        ("validate", "read", "read_tolerant", "assemble", "build_session", "encode_request"),
        "findings",
    ),
    **dict.fromkeys(("convert", "migrate"), "losses"),
}
"""Operation → what of its results has no order that the contract asks for."""


def compare(
    request: Request, answers: Mapping[str, Answer], *, in_order: bool = True
) -> Split | None:
    """Return how answers differ; None where all are the same. Skipped ones take no part.

    A driver that failed differs from all others, and from itself. With ``in_order`` false the order
    of findings and losses counts only where docs/conformance.md says so.
    """
    results = {
        name: _comparable(request, answer) if in_order else _sorted(request, answer)
        for name, answer in answers.items()
        if answer.status != "skipped"
    }
    failed = sorted(name for name, answer in answers.items() if answer.status == "errored")
    if failed:
        words = [_last_words(answers[name]) for name in failed]
        return Split(results, f"{request.operation} fails in {', '.join(failed)}: {words}")
    texts = {name: json.dumps(result, sort_keys=True) for name, result in results.items()}
    if len(set(texts.values())) <= 1:
        return None  # equal as JSON text, and so in canonical form
    forms = {name: _form(result) for name, result in results.items()}
    if len(set(forms.values())) == 1:
        return None
    return Split(results, _key(request, results, forms))


def is_known(request: Request, split: Split) -> bool:
    """Return whether only what JavaScript cannot know makes the difference.

    It reads 1.0 as 1, and so writes it where a text has to be made of a value. And its objects hold
    names such as "0" before all others: where several things keep a text from being a document,
    another one of them comes first then. What else is said has to be the same.
    """
    if len({_form(_with_numbers_read(result)) for result in split.results.values()}) == 1:
        return True
    if _limits_made_texts(request) and _ODD.search(str(request.given)):
        return True  # a text that is made of 0.0 is longer than one of 0
    if not _has_index_names(request.given):
        return False
    return len({_form(_without_order(result)) for result in split.results.values()}) == 1


def _limits_made_texts(request: Request) -> bool:
    is_made = request.operation in ("collect", "convert_stream")
    return is_made and "arguments_bytes" in request.given.get("limits", {})


def _with_numbers_read(value: Any) -> Any:
    """Return a result in which texts that are JSON spell every number as 1 or 1e+21 is spelled.

    Where names such as "0" are in it, the text is that of the value in canonical order.
    """
    if isinstance(value, list):
        return [_with_numbers_read(item) for item in value]
    if isinstance(value, dict):
        return {name: _with_numbers_read(member) for name, member in value.items()}
    if isinstance(value, str) and (value[:1] in ("{", "[") or _HUGE.fullmatch(value)):
        text = _TOKEN.sub(_spelled, value)
        return _in_order(text) if _INDEX_NAME.search(text.encode()) else text
    return value


def _in_order(text: str) -> str:
    try:
        return json.dumps(json.loads(text), sort_keys=True)
    except (ValueError, RecursionError):
        return text


def _spelled(token: re.Match[str]) -> str:
    if token[0].startswith('"') or not math.isfinite(float(token[0])):
        return token[0]
    return canonical(float(token[0])).decode()


def _has_index_names(given: Json) -> bool:
    """Return whether a value of the input, or one of its texts, has names that are numbers."""
    members = [each if isinstance(each, list) else [each] for each in given.values()]
    texts = [text for row in members for text in row if isinstance(text, str) or _is_base64(text)]
    forms = [json.dumps(given).encode(), *map(bytes_of, texts)]
    return any(_INDEX_NAME.search(form) for form in forms)


def _is_base64(text: Any) -> bool:
    return isinstance(text, dict) and list(text) == ["base64"]


def _without_order(value: Any) -> Any:
    """Return a result with its findings in one order, and but for texts that are not documents."""
    if isinstance(value, list):
        return [_without_order(item) for item in value]
    if not isinstance(value, dict):
        return value
    made = {name: _without_order(member) for name, member in value.items() if name != "findings"}
    if str(value.get("rule", "")).startswith("document/"):
        made.pop("rule")
        made.pop("pointer", None)
    if "findings" in value:
        found = [row for row in value["findings"] if not row["rule"].startswith("document/")]
        made["findings"] = sorted(found, key=str)
    return made


def _last_words(answer: Answer) -> str:
    lines = answer.detail.strip().splitlines() or [""]
    return _DIGITS.sub("#", lines[-1])[:_SHOWN]


def _comparable(request: Request, answer: Answer) -> Any:
    """Return what of an answer has to be the same."""
    if answer.status != "result":
        return {"errored": answer.detail[-_SHOWN * 5 :]}
    result = answer.result
    if not isinstance(result, dict):
        return result
    if request.operation == "transition":
        # That the state has not changed is the driver's to see; it may say so or not.
        result = {name: value for name, value in result.items() if name != "before"}
    if request.operation == "repair_history" and isinstance(result.get("messages"), list):
        result = result | {"messages": _lines(request, result["messages"])}
    return result


def _sorted(request: Request, answer: Answer) -> Any:
    """Return what has to be the same of any implementation."""
    result = _comparable(request, answer)
    name = _ANY_ORDER.get(request.operation)
    if name is None or not isinstance(result, dict):
        return result
    made = {**result, name: sorted(result[name], key=str)} if name in result else dict(result)
    error = made.get("error")
    if isinstance(error, dict) and isinstance(error.get("findings"), list):
        # Of several errors any may be the first.
        others = {k: v for k, v in error.items() if k not in ("rule", "pointer")}
        made["error"] = {**others, "findings": sorted(error["findings"], key=str)}
    return made


def _lines(request: Request, texts: list[Any]) -> list[Any]:
    """Return repaired lines: those of the input as their text, new ones as values."""
    known = [json.dumps(text) for text in request.given["messages"]]
    return [
        {"line": text} if json.dumps(text) in known else {"value": json.loads(bytes_of(text))}
        for text in texts
    ]


def _form(result: Any) -> bytes:
    """Return the canonical bytes; for what has none, which is a difference, its text."""
    try:
        return canonical(result)
    except PartwireError as error:
        return b"\xff" + error.rule.encode() + json.dumps(result).encode()


def _key(request: Request, results: dict[str, Any], forms: dict[str, bytes]) -> str:
    """Return operation, who is together, and where they part."""
    groups: dict[bytes, list[str]] = {}
    for name, form in forms.items():
        groups.setdefault(form, []).append(name)
    sides = " / ".join(sorted("+".join(sorted(names)) for names in groups.values()))
    one, other, *_ = groups
    place = difference(results[groups[one][0]], results[groups[other][0]])
    if place is None:
        return f"{request.operation} {sides}"
    values = " ≠ ".join(_shown(side) for side in (place.expected, place.actual))
    return f"{request.operation} {sides} at {_NUMBERS.sub('/*', place.pointer)}: {values}"


def _shown(side: Any) -> str:
    """Return a side as far as it makes a kind: rules and words do, contents do not."""
    if side is ABSENT:
        return "nothing"
    if isinstance(side, dict) and isinstance(side.get("rule"), str):
        return str(side["rule"])
    if isinstance(side, str) and re.fullmatch(r"[a-z-]+/[a-z-]+|error|warning|info", side):
        return side
    return type(side).__name__
