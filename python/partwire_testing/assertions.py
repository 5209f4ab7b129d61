"""Assertions whose message says what is wrong: rule, place, expected, actual, or a witness."""

from __future__ import annotations

import json
import os
from typing import Any, Final

from partwire.compat import Reading
from partwire.compat.comparison import Directions, check
from partwire.compat.report import SINGLE, EntryVerdict, Report
from partwire.compat.sources.inputs import Source, Text, load_source
from partwire.contract.current import LATEST_VERSION
from partwire.errors import bad_argument
from partwire.reading.pipeline import validate
from partwire.reporting.text import finding_text

__all__ = ["assert_compatible", "assert_conforms"]

_MAX_SHOWN: Final = 20
_WITNESS_CHARS: Final = 2000


def assert_conforms(value: Any, type: str, version: str = LATEST_VERSION) -> None:  # noqa: A002
    """Assert that a value is a valid document of a type, such as ``message.Message``.

    ``value`` is JSON text (str or bytes), a JSON value, or one of partwire's structs and models.
    The message of the AssertionError has every finding that is an error, with place, expected and
    actual; warnings do not fail. Raises UsageError for an unknown type or version.
    """
    __tracebackhide__ = True
    errors = [each for each in validate(value, type, version) if each.severity == "error"]
    if not errors:
        return
    shown = [finding_text(each) for each in errors[:_MAX_SHOWN]]
    if len(errors) > _MAX_SHOWN:
        shown.append(f"and {len(errors) - _MAX_SHOWN} more")
    noun = "finding" if len(errors) == 1 else "findings"
    raise AssertionError("\n".join([f"no {type} of {version}: {len(errors)} {noun}", *shown]))


def assert_compatible(
    old: Any,
    new: Any,
    direction: Directions = "backward",
    *,
    reading: Reading = "declared",
    dialect: str = "2020-12",
) -> None:
    """Assert that a schema change breaks nobody; the message has a document that it breaks.

    ``old`` and ``new`` are JSON Schemas (a dict, true or false), pydantic models, or names as of
    ``partwire compat``: a file, a folder, ``git:REF:PATH``, ``v0.1``, ``v0.1/message``.
    ``backward``: what was valid still is; ``forward``: what is valid now was so before; ``full``:
    both. A change of which nothing can be proved fails too. ``reading`` is how readers treat
    members that no schema declares, ``dialect`` the draft of schemas without ``$schema``. Wants
    the extra ``compat``. Raises UsageError, ReadError or CompatError for what is not a schema.
    """
    __tracebackhide__ = True
    if direction not in ("backward", "forward", "full"):
        raise bad_argument("No such direction", "backward, forward or full", direction)
    sources = _source(old, "old"), _source(new, "new")
    report = check(*sources, direction=direction, reading=reading, dialect=dialect)
    wrong = [each for each in report.verdicts if each.status != "compatible" and not each.harmless]
    if wrong:
        raise AssertionError("\n".join(_told(report, wrong, direction)))


def _source(given: Any, name: str) -> Source:
    if isinstance(given, (str, os.PathLike)):
        return load_source(os.fspath(given))
    of_model = getattr(given, "model_json_schema", None)
    schema = of_model() if callable(of_model) else given
    if isinstance(schema, (dict, bool)):
        try:
            data = json.dumps(schema, ensure_ascii=False).encode()
        except (TypeError, ValueError, RecursionError):
            pass  # said below
        else:
            return Source(name, {SINGLE: Text(SINGLE, name, data)}, single=True)
    raise bad_argument(
        f"The {name} schema is none",
        "a JSON Schema as dict or bool, a pydantic model, or the name of a source",
        given,
    )


def _told(report: Report, wrong: list[EntryVerdict], direction: Directions) -> list[str]:
    lines = [f"{report.old} -> {report.new} is not compatible ({direction})"]
    for verdict in wrong[:_MAX_SHOWN]:
        entry = "the schema" if verdict.entrypoint in ("#", SINGLE) else verdict.entrypoint
        lines.append(f"{entry}: {verdict.status}, {verdict.direction}")
        lines += [f"  {each.message} [{each.rule}] at {each.place}" for each in verdict.changes]
        if verdict.status == "no-documents":
            lines.append("  the writer's schema allows none")
        if verdict.has_witness:
            reader = report.new if verdict.direction == "backward" else report.old
            lines.append(f"  witness   {_compact(verdict.witness)}")
            lines += [
                f"  refused   by {reader} at {each['instance'] or 'the root'}: {each['message']}"
                for each in verdict.failures[:3]
            ]
        lines += [
            f"  open      {each.pointer or 'the root'}: {each.reason}" for each in verdict.open
        ]
    if len(wrong) > _MAX_SHOWN:
        lines.append(f"and {len(wrong) - _MAX_SHOWN} more")
    return lines


def _compact(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _WITNESS_CHARS else text[:_WITNESS_CHARS] + " …"
