"""What of a result is compared: a form for each kind of expectation.

A form takes a result and returns a JSON value that leaves out what is free: order where there is
none, words, and members that nothing is said of. It raises Misfit for what has no such form.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from .equality import difference
from .values import BadInput, Json, bytes_of

__all__ = [
    "Form",
    "Misfit",
    "adapted",
    "built",
    "converted",
    "converted_stream",
    "downgraded",
    "encoded",
    "first_error",
    "first_rule",
    "invalid_document",
    "loss_key",
    "not_built",
    "only_error",
    "ordered_findings",
    "read_document",
    "refused_anywhere",
    "refused_at",
    "repaired",
    "resumed_stream",
    "sent",
    "stream",
    "stream_end",
    "taken",
    "taken_whole",
    "transition",
    "valid_document",
    "whole",
]

Form = Callable[[Any], Any]


class Misfit(Exception):
    """A result that is not what the protocol says; its one argument says what is wrong."""


def _members(result: Any, needed: Iterable[str], free: Iterable[str] = ()) -> Json:
    """Return ``result`` if it is an object of these members and no others."""
    if not isinstance(result, dict):
        raise Misfit("not an object")
    needed = set(needed)
    if missing := sorted(needed - set(result)):
        there = ", ".join(sorted(result)) or "none"
        raise Misfit(f"the member {missing[0]!r} is missing; there are: {there}")
    if extra := sorted(set(result) - needed - set(free)):
        raise Misfit(f"the member {extra[0]!r} has no place here")
    return result


def _findings(value: Any, severities: Iterable[str] = ("error", "warning", "info")) -> list[Any]:
    """Return findings as pairs of rule and pointer; each has to be of these severities."""
    if not isinstance(value, list):
        raise Misfit("findings are not an array")
    allowed = set(severities)
    found = []
    for each in value:
        _members(each, ("rule", "pointer", "severity"))
        if not isinstance(each["severity"], str) or each["severity"] not in allowed:
            raise Misfit(f"a finding of severity {each['severity']!r}: {each['rule']!r}")
        found.append(_place(each))
    return found


def _place(value: Json) -> list[str]:
    place = [value["rule"], value["pointer"]]
    if not all(isinstance(each, str) for each in place):
        raise Misfit("rule and pointer are not strings")
    return place


def _notes(value: Any) -> list[Any]:
    """Return findings that are not errors, in their own order."""
    return sorted(_findings(value, ("warning", "info")))


def _error(result: Any, *free: str) -> Json:
    return _members(_members(result, ["error"])["error"], ("rule", "pointer"), free)


def _errors(error: Json) -> list[Any]:
    """Return the errors among the findings of a refusal."""
    if "findings" not in error:
        return [_place(error)]
    _findings(error["findings"])
    return [_place(each) for each in error["findings"] if each["severity"] == "error"]


def _pointers(places: list[Any]) -> list[str]:
    return sorted({pointer for _, pointer in places})


# --- documents ----------------------------------------------------------------------------------


def valid_document(result: Any) -> Any:
    """Keep all findings, which are not errors."""
    return {"findings": _notes(_members(result, ["findings"])["findings"])}


def invalid_document(result: Any) -> Any:
    """Keep the first finding, and where the errors are, which all are."""
    found = _findings(_members(result, ["findings"])["findings"], ["error"])
    return {"first": found[0] if found else None, "pointers": _pointers(found)}


def first_rule(result: Any) -> Any:
    """Keep the rule of the first finding."""
    found = _findings(_members(result, ["findings"])["findings"])
    return {"first": found[0][0] if found else None}


def read_document(result: Any) -> Any:
    """Keep what is written back, safe defaults, and all findings, which are not errors."""
    read = _members(result, ("value", "findings"), ("defaults",))
    return {**read, "findings": _notes(read["findings"])}


def refused_at(result: Any) -> Any:
    """Keep the rule of a refusal, and where its errors are."""
    error = _error(result, "findings")
    return {"rule": error["rule"], "pointers": _pointers(_errors(error))}


def refused_anywhere(result: Any) -> Any:
    """Keep the rule of a refusal."""
    return {"rule": _error(result, "findings")["rule"]}


def only_error(result: Any) -> Any:
    """Keep the errors of a refusal."""
    return {"errors": sorted(_errors(_error(result, "findings")))}


def first_error(result: Any) -> Any:
    """Keep rule and pointer of a refusal."""
    error = _error(result, "findings")
    return {"error": {"rule": error["rule"], "pointer": error["pointer"]}}


# --- streams ------------------------------------------------------------------------------------

_STREAM = ("message", "error", "failure", "partial", "findings", "snapshots", "progress")


def _stream(result: Any, *more: str) -> Json:
    found = dict(_members(result, (), (*_STREAM, *more)))
    if ("message" in found) == ("error" in found):
        raise Misfit("a stream ends with a message or an error, and not with both")
    if "error" in found:
        _members(found["error"], ["rule"], ("line", "seq", "limit"))
    return found


def stream(result: Any) -> Any:
    """Keep all; findings only where no line is refused."""
    found = _stream(result)
    if "line" in found.get("error", ()):
        found.pop("findings", None)
    else:
        found["findings"] = _notes(found.get("findings"))
    return found


def stream_end(result: Any) -> Any:
    """Keep how a stream ends."""
    found = _stream(result)
    return {
        name: found[name] for name in ("message", "error", "failure", "partial") if name in found
    }


def resumed_stream(result: Any) -> Any:
    """Keep the message, what was seen on the way, and of each refused delta rule and seq."""
    found = _stream(result, "refused")
    refused = found.get("refused")
    if "message" not in found or not isinstance(refused, list):
        raise Misfit("a stream without its refused deltas is a message, with what was refused")
    told = [_members(each, ("rule", "seq"), ("line", "limit")) for each in refused]
    refused = [{"rule": each["rule"], "seq": each["seq"]} for each in told]
    seen = {name: found[name] for name in ("snapshots", "progress") if name in found}
    return {"message": found["message"], "refused": refused, **seen}


def taken_whole(result: Any) -> Any:
    """Keep whether a line is refused, and whether the end is missing."""
    error = _stream(result).get("error", {})
    truncated = error.get("rule") == "stream/truncated"
    return {"refused": "line" in error, "truncated": truncated}


def taken(result: Any) -> Any:
    """Keep whether a line is refused; the end may be missing."""
    return {**taken_whole(result), "truncated": False}


# --- conversions --------------------------------------------------------------------------------


def loss_key(loss: Json) -> list[str]:
    """Return a loss as what it is compared by."""
    return [loss["pointer"], loss["code"], loss["severity"]]


def _losses(value: Any) -> list[list[str]]:
    if not isinstance(value, list):
        raise Misfit("losses are not an array")
    keys = [loss_key(_members(each, ("pointer", "code", "severity"))) for each in value]
    if not all(isinstance(each, str) for key in keys for each in key):
        raise Misfit("pointer, code and severity of a loss are not strings")
    return keys


def converted(result: Any) -> Any:
    """Keep the value, and the losses in their own order."""
    found = _members(result, ("value", "losses"))
    return {"value": found["value"], "losses": sorted(_losses(found["losses"]))}


def converted_stream(result: Any) -> Any:
    """Keep the items and the losses in their order, or the refusal of a line."""
    if isinstance(result, dict) and "error" in result:
        return whole(result)
    found = _members(result, ("items", "losses"))
    return {"items": found["items"], "losses": _losses(found["losses"])}


def downgraded(result: Any) -> Any:
    """Keep the items in their order, and the losses in a fixed one."""
    found = _members(result, ("items", "losses"))
    return {"items": found["items"], "losses": sorted(_losses(found["losses"]))}


def adapted(result: Any) -> Any:
    """Keep the deltas, and the findings in their order."""
    found = _members(result, ("deltas", "findings"))
    return {"deltas": found["deltas"], "findings": _findings(found["findings"])}


def encoded(result: Any) -> Any:
    """Keep the body, and the findings in their own order."""
    found = _members(result, ("body", "findings"))
    return {"body": found["body"], "findings": sorted(_findings(found["findings"]))}


def whole(result: Any) -> Any:
    """Keep all."""
    return _members(result, (), result)


# --- histories, sessions, envelopes --------------------------------------------------------------


def ordered_findings(result: Any) -> Any:
    """Keep the findings in their order."""
    return {"findings": _findings(_members(result, ["findings"])["findings"])}


def repaired(given: list[bytes]) -> Form:
    """Return the form of a repaired history: lines of ``given`` as bytes, others as values."""
    known = set(given)

    def line_of(text: Any) -> Any:
        try:
            data = bytes_of(text)
            if data in known:
                return {"line": given.index(data)}
            return {"value": json.loads(data)}
        except (BadInput, ValueError, RecursionError):
            raise Misfit("a line of the repaired history is not a JSON text") from None

    def form(result: Any) -> Any:
        """Keep lines and changes."""
        found = _members(result, ("messages", "changes"))
        if not isinstance(found["messages"], list):
            raise Misfit("messages are not an array")
        lines = [line_of(text) for text in found["messages"]]
        return {"lines": lines, "changes": found["changes"]}

    return form


def transition(state: Json) -> Form:
    """Return the form of a moved state; ``before``, where given, has to be ``state``."""

    def form(result: Any) -> Any:
        """Keep all but ``before``."""
        found = dict(_members(result, (), ("state", "same", "error", "details", "before")))
        before = found.pop("before", state)
        return found if difference(state, before) is None else {**found, "changed": before}

    return form


def built(result: Any) -> Any:
    """Keep the message, and the findings, which are not errors."""
    found = _members(result, ("message", "findings"))
    return {"message": found["message"], "findings": _notes(found["findings"])}


def not_built(result: Any) -> Any:
    """Keep rule, pointer and step of a refusal, and where its errors are."""
    error = _error(result, "findings", "step")
    kept = {name: error[name] for name in ("rule", "pointer", "step") if name in error}
    return {**kept, "pointers": _pointers(_errors(error))}


def sent(result: Any) -> Any:
    """Keep the message."""
    return {"value": _members(result, ["value"], ["findings"])["value"]}
