"""What is done with whole documents: plain functions, which run here or in a worker's process.

A job takes the bytes of a request and its options, and returns an answer as JSON text. It raises
PartwireError for what is refused, and nothing else.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

import msgspec

from ..bindings.check import Level
from ..compat.comparison import check
from ..compat.report import SINGLE, Bump, Change, EntryVerdict, Report
from ..compat.sources.inputs import Source, Text
from ..compat.verdict import Budget
from ..convert import CONVERSIONS, convert
from ..convert.families.context import given_by
from ..errors import Finding, ReadError, UsageError, clip
from ..json.text import MAX_DEPTH, decode_json
from ..reading.pipeline import Binding, dump

__all__ = [
    "COUNTED",
    "JOBS",
    "Job",
    "count_errors",
    "document_findings",
    "json_text",
    "suspects",
    "to_wire",
    "validation",
]


class Done(NamedTuple):
    """The answer of a job as JSON text, and how often each rule was found."""

    body: bytes
    rules: dict[str, int]


Job = Callable[[bytes, Mapping[str, Any]], Done]

COUNTED: Final = 10_000
"""How many findings of one document are counted: a check of millions would help nobody."""

_binding = cache(Binding.of)
_encode = msgspec.json.Encoder().encode
_BUMPS: Final[tuple[Bump, ...]] = ("none", "patch", "minor", "major")
_COMPARISON: Final = ("old", "new", "direction", "reading")
_DIRECTIONS: Final = ("backward", "forward", "full")
_READINGS: Final = ("declared", "exact")


# --- validate -------------------------------------------------------------------------------------


def validate(data: bytes, options: Mapping[str, Any]) -> Done:
    """Hold one document against a type.

    Options: ``type``, ``version``, ``level``, ``unknown`` (what unknown members are), ``findings``
    (the most that are reported), ``depth``, and ``line``: what is not JSON is a finding then. Else
    raises ReadError ``document/…`` for it.
    """
    found, is_cut = document_findings(data, options)
    if not found:
        return _NOTHING
    first = found[0].rule if found else ""
    if first.startswith("document/") and not options["line"]:
        raise ReadError(*found)
    shown = found[: options["findings"]]
    is_cut = is_cut or len(shown) < len(found)
    body = validation(1, count_errors(found), to_wire(shown), is_cut)
    return Done(body, Counter(each.rule for each in found))


def to_wire(found: Iterable[Finding]) -> list[dict[str, Any]]:
    """Return findings as JSON values."""
    return [each.to_wire() for each in found]


def count_errors(found: list[Finding]) -> int:
    """Return how many findings are errors."""
    return sum(each.severity == "error" for each in found)


def document_findings(data: bytes, options: Mapping[str, Any]) -> tuple[list[Finding], bool]:
    """Return what is wrong with a document, and whether there is more: the check stops at
    :data:`COUNTED` findings, or as many as are reported. What is not JSON has ``document/…`` alone.
    """
    is_shallow = not _may_be_deep(data, options["depth"])
    binding = _binding(options["type"], options["version"])
    unknown = options["unknown"]
    if is_shallow and binding.is_clean(data, unknown):
        return [], False
    try:
        value = decode_json(data)
    except ReadError as error:
        return list(error.findings), False
    if not is_shallow and (finding := too_deep(value, options["depth"])):
        return [finding], False
    most = max(COUNTED, options["findings"])
    level: Level = "shape" if options["level"] == "shape" else "all"
    return binding.check_within(value, most, level, unknown)


def suspects(lines: list[bytes], options: Mapping[str, Any]) -> list[int]:
    """Return the indexes of the lines, ascending, in which something may be found: all others are
    documents in which :func:`document_findings` finds nothing.
    """
    found = _binding(options["type"], options["version"]).refused(lines)
    depth = options["depth"]
    if depth == MAX_DEPTH:
        return found
    return sorted({*found, *(at for at, each in enumerate(lines) if _may_be_deep(each, depth))})


def _may_be_deep(data: bytes, depth: int) -> bool:
    """Return whether there are brackets enough to be nested deeper than ``depth``."""
    return depth < MAX_DEPTH and data.count(b"[") + data.count(b"{") > depth


def validation(documents: int, errors: int, shown: list[dict[str, Any]], truncated: bool) -> bytes:
    """Return the answer about ``documents``: how many errors, and the findings that are shown."""
    return json_text(
        {
            "valid": not errors,
            "documents": documents,
            "errors": errors,
            "findings": shown,
            "truncated": truncated,
        }
    )


def too_deep(value: Any, depth: int) -> Finding | None:
    """Return the finding for a value that is nested deeper than ``depth``."""
    level = [value]
    for _ in range(depth):
        below: list[Any] = []
        for node in level:
            if isinstance(node, dict):
                below += node.values()
            elif isinstance(node, list):
                below += node
        level = [each for each in below if isinstance(each, (dict, list))]
        if not level:
            return None
    expected = f"at most {depth} levels"
    return Finding("document/too-deep", f"Nested deeper than {depth} levels", expected=expected)


# --- convert --------------------------------------------------------------------------------------


def transform(data: bytes, options: Mapping[str, Any]) -> Done:
    """Convert a document, or those of an array as one history, to another family.

    Options: ``type``, ``to``, ``strict``, ``depth`` and ``context``. Raises as
    :func:`partwire.convert.families.convert`.
    """
    value = _shallow(data, options)
    given = given_by(options["context"])
    result = convert(value, options["to"], type=options["type"], strict=options["strict"], **given)
    made = result.value
    documents = made if isinstance(made, list) else [made]
    texts = [msgspec.Raw(dump(each)) for each in documents]
    answer = {
        "type": _type_of(documents, options),
        "documents": texts,
        "losses": [each.to_wire() for each in result.losses],
    }
    return Done(json_text(answer), {})


def _type_of(documents: list[Any], options: Mapping[str, Any]) -> str:
    """Return the type that a conversion has led to."""
    for source, target in CONVERSIONS:
        if source == options["type"] and options["to"] in (target, target.partition(".")[0]):
            return target
    raise AssertionError(documents)


def _shallow(data: bytes, options: Mapping[str, Any]) -> Any:
    value = decode_json(data)
    if options["depth"] < MAX_DEPTH and (finding := too_deep(value, options["depth"])):
        raise ReadError(finding)
    return value


# --- compat ---------------------------------------------------------------------------------------


def compare(data: bytes, options: Mapping[str, Any]) -> Done:
    """Compare two schemas: ``{old, new, direction?, reading?}``.

    Options: ``seconds`` for the proof, ``depth``. Raises ReadError, CompatError, and UsageError
    ``usage/invalid-argument`` for a body that asks for something else.
    """
    asked = _comparison(_shallow(data, options))
    old, new = (_source(side, asked[side]) for side in ("old", "new"))
    direction = asked.get("direction", "backward")
    budget = Budget()._replace(seconds=options["seconds"])
    report = check(
        old,
        new,
        direction=direction,
        reading=asked.get("reading", "declared"),
        budget=budget,
    )
    told = _report(report)
    return Done(json_text(told), Counter(each["rule"] for each in told["changes"]))


def _comparison(asked: Any) -> dict[str, Any]:
    if not isinstance(asked, dict):
        raise _unasked("", "The body is not a comparison", "an object with old and new", asked)
    for name in asked:
        if name not in _COMPARISON:
            raise _unasked("", "There is no such member", ", ".join(_COMPARISON), name)
    for name in ("old", "new"):
        if not isinstance(asked.get(name), (dict, bool)):
            raise _unasked(f"/{name}", "No schema", "an object or a boolean", asked.get(name))
    for name, known in (("direction", _DIRECTIONS), ("reading", _READINGS)):
        if name in asked and asked[name] not in known:
            raise _unasked(f"/{name}", f"{name} is wrong", " or ".join(known), asked[name])
    return asked


def _unasked(pointer: str, message: str, expected: str, actual: Any) -> UsageError:
    return UsageError(
        Finding("usage/invalid-argument", message, pointer, expected=expected, actual=clip(actual))
    )


def _source(name: str, schema: Any) -> Source:
    return Source(name, {SINGLE: Text(SINGLE, name, json_text(schema))}, single=True)


def _report(report: Report) -> dict[str, Any]:
    statuses = [verdict.status for verdict in report.verdicts]
    graver = ("breaking", "unproven", "no-documents")
    worst = next((each for each in graver if each in statuses), "compatible")
    changes = (*report.changes, *report.notes)
    return {
        "verdict": worst,
        "bump": max((each.bump for each in changes), key=_BUMPS.index, default="none"),
        "verdicts": [_verdict(each) for each in report.verdicts],
        "changes": [_change(each) for each in report.changes],
        "notes": [_change(each) for each in report.notes],
    }


def _verdict(verdict: EntryVerdict) -> dict[str, Any]:
    told: dict[str, Any] = {
        "entrypoint": verdict.entrypoint,
        "status": verdict.status,
        "direction": verdict.direction,
        "reading": verdict.reading,
    }
    if verdict.status == "breaking":
        told["changes"] = [change.fingerprint for change in verdict.changes]
    if verdict.has_witness:
        names = ("instance", "schema", "keyword", "message")
        told["witness"] = verdict.witness
        told["refusals"] = [{name: each[name] for name in names} for each in verdict.failures]
    if verdict.status == "unproven":
        told["open"] = [part._asdict() for part in verdict.open]
        told["tried"] = verdict.tried
    if verdict.status == "no-documents":
        told["harmless"] = verdict.harmless
    return told


def _change(change: Change) -> dict[str, Any]:
    told: dict[str, Any] = {
        "fingerprint": change.fingerprint,
        "rule": change.rule,
        "message": change.message,
        "direction": change.direction,
        "bump": change.bump,
        "values": list(change.values),
    }
    if change.old_pointer is not None:
        told["oldPointer"] = change.old_pointer
    if change.new_pointer is not None:
        told["newPointer"] = change.new_pointer
    return told


def json_text(value: Any) -> bytes:
    """Return a value as JSON text."""
    try:
        return _encode(value)
    except OverflowError:  # an integer of more than 64 bits, of a schema
        return json.dumps(value, ensure_ascii=False).encode()


_NOTHING: Final = Done(validation(1, 0, [], truncated=False), {})
"""The answer about a document in which nothing is found."""
JOBS: Final[Mapping[str, Job]] = {"validate": validate, "convert": transform, "compare": compare}
"""The jobs by name."""
