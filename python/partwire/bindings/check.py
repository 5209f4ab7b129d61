"""What the generated checks call: the slow, explaining side.

A generated check takes any Python value and returns None when all is well, else findings whose
pointers are relative to that value; the caller puts its own step in front (:func:`member`,
:func:`below`). The valid path allocates nothing and calls nothing of this module but the checks
of nested types. Nothing here raises, whatever the value is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from contextvars import ContextVar
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from partwire.errors import Finding, UsageError, clip, counted

from ..json.pointer import escape_pointer

__all__ = [
    "ABSENT",
    "Check",
    "Found",
    "Level",
    "add",
    "add_meaning",
    "below",
    "boolean",
    "const",
    "enum",
    "exactly_one",
    "fewer_items",
    "finds",
    "free",
    "full",
    "integer",
    "member",
    "no_member_type",
    "none_of",
    "number",
    "run",
    "run_within",
    "string",
    "tag_of",
    "wrong_type",
]

Found: TypeAlias = list[Finding] | None
Check: TypeAlias = Callable[[Any], Found]
Level: TypeAlias = Literal["all", "shape"]


class _Absent:
    __slots__ = ()

    def __repr__(self) -> str:
        return "nothing"


ABSENT: Final = _Absent()

_KINDS: Final[tuple[tuple[type, str], ...]] = (
    (bool, "a boolean"),
    (str, "a string"),
    (int, "a number"),
    (float, "a number"),
    (dict, "an object"),
    (list, "an array"),
)


def run(
    checks: Mapping[str, Check], type_name: str, document: object, level: Level
) -> list[Finding]:
    """Return the findings of ``document``; level shape leaves out what JSON Schema cannot say.

    Meaning is looked at where the shape is right. Raises UsageError (usage/unknown-type).
    """
    check = checks.get(type_name)
    if check is None:
        raise UsageError(Finding("usage/unknown-type", "No such type", actual=clip(type_name)))
    found = _run(check, document, None)
    if level == "all":
        return found
    return [finding for finding in found if finding.rule.startswith(("shape/", "document/"))]


class _Bound(NamedTuple):
    """How many findings a check gathers before it stops, and which: ``errors`` leaves out what is
    less, ``shape`` what JSON Schema cannot say.
    """

    most: int
    told: Literal["all", "errors", "shape"]


# No argument: on the valid path, which is nearly all there is, nobody asks for it.
_bound: ContextVar[_Bound | None] = ContextVar("partwire_bound", default=None)


_FIRST: Final = _Bound(1, "all")


def run_within(
    check: Check, document: object, most: int, level: Level = "all"
) -> tuple[list[Finding], bool]:
    """Return the first ``most`` findings of ``document``, and whether there are more.

    The check stops where it has them. What is returned holds an error if the document has one: if
    the first findings are all less than that, the first error stands in the last one's place.
    """
    found = _run(check, document, _Bound(most + 1, level))
    if len(found) <= most:
        return found, False
    del found[most:]
    if all(finding.severity != "error" for finding in found):
        found[-1:] = _run(check, document, _Bound(1, "errors"))[:1] or found[-1:]
    return found, True


def finds(check: Check, document: object) -> bool:
    """Tell whether anything at all is found in ``document``."""
    return bool(_run(check, document, _FIRST))


def _run(check: Check, document: object, bound: _Bound | None) -> list[Finding]:
    token = _bound.set(bound)
    try:
        return check(document) or []
    except RecursionError:
        return [Finding("document/too-deep", "Nested too deep to be checked")]
    finally:
        _bound.reset(token)


def full(found: Found) -> bool:
    """Tell whether as much is found as was asked for: what comes later needs no look."""
    bound = _bound.get()
    return bound is not None and found is not None and len(found) >= bound.most


def kind_of(value: object) -> str:
    """Return the JSON type of ``value``, which is not null, in words."""
    for kind, name in _KINDS:
        if isinstance(value, kind):
            return name
    return f"a Python {type(value).__name__}"


def wrong_type(value: object, expected: str) -> list[Finding]:
    """Say that ``value`` is not of the JSON type ``expected`` ("a string")."""
    if value is None:
        message = "null is not allowed here"
        return [Finding("shape/null", message, "", "error", expected, "null")]
    message = f"Not {expected} but {kind_of(value)}"
    return [Finding("shape/type", message, "", "error", expected, clip(value))]


def below(found: Found, inner: Found, token: object) -> Found:
    """Return ``found`` and the findings of a member or item, with its name in their pointers.

    ``found`` grows in place: it belongs to the check that is running.
    """
    if inner is None:
        return found
    step = f"/{token}" if isinstance(token, int) else "/" + escape_pointer(str(token))
    moved = [finding._replace(pointer=step + finding.pointer) for finding in inner]
    if found is None:
        return moved
    found.extend(moved)
    return found


def add(found: Found, finding: Finding) -> list[Finding]:
    """Return ``found`` and one finding more."""
    if found is None:
        return [finding]
    found.append(finding)
    return found


def add_meaning(found: Found, finding: Finding) -> Found:
    """Return ``found`` and a finding about meaning, if those of its kind are asked for."""
    bound = _bound.get()
    told = "all" if bound is None else bound.told
    if told == "all" or (told == "errors" and finding.severity == "error"):
        return add(found, finding)
    return found


def member(found: Found, name: str, value: object, inner: Found) -> Found:
    """Add what is wrong with the member ``name``: it is missing, or ``inner``."""
    if value is ABSENT:
        finding = Finding(
            "shape/required", f"The member {name} is missing", "", "error", f"a member {name}"
        )
        return add(found, finding)
    return below(found, inner, name)


def string(
    value: object,
    least: int | None = None,
    most: int | None = None,
    matches: Callable[[str], object] | None = None,
    pattern: str = "",
) -> Found:
    """Check a string's length in code points and its form."""
    if not isinstance(value, str):
        return wrong_type(value, "a string")
    found: list[Finding] = []
    if least is not None and len(value) < least:
        message = "The string is empty" if not value else "The string is too short"
        found.append(
            Finding(
                "shape/min-length", message, "", "error", _at_least(least, "character"), clip(value)
            )
        )
    if most is not None and len(value) > most:
        message = f"The string is too long: {len(value)} characters"
        found.append(
            Finding(
                "shape/max-length", message, "", "error", f"at most {most} characters", clip(value)
            )
        )
    if matches is not None and not matches(value):
        message = "The string does not have the expected form"
        found.append(Finding("shape/pattern", message, "", "error", pattern, clip(value)))
    return found or None


def enum(value: object, allowed: Collection[str]) -> Found:
    """Check that a string is one of ``allowed``."""
    if not isinstance(value, str):
        return wrong_type(value, "a string")
    if value in allowed:
        return None
    expected = ", ".join(allowed)
    return [Finding("shape/enum", "None of the allowed values", "", "error", expected, clip(value))]


def const(value: object, expected: str) -> Found:
    """Check that a value is exactly the string ``expected``."""
    if isinstance(value, str) and value == expected:
        return None
    if not isinstance(value, str):
        return wrong_type(value, "a string")
    message = "Only one value is allowed here"
    return [Finding("shape/const", message, "", "error", clip(expected), clip(value))]


def integer(value: object, least: int | None, most: int | None) -> Found:
    """Check an integral number; 1.0 is one (source: semantics, rules for every schema)."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return wrong_type(value, "an integer")
    if isinstance(value, float) and not value.is_integer():
        if not math.isfinite(value):
            return [_not_finite(value)]
        message = "The number is not integral"
        return [Finding("shape/integer", message, "", "error", "an integer", clip(value))]
    return _bounds(value, least, most)


def number(value: object, least: float | None, most: float | None) -> Found:
    """Check a finite number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return wrong_type(value, "a number")
    if not _finite(value):
        return [_not_finite(value)]
    return _bounds(value, least, most)


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an int beyond the largest double
        return False


def _not_finite(value: float) -> Finding:
    message = "The number is not finite, or overflows a double"
    shown = value if isinstance(value, int) else str(value)
    return Finding("document/not-finite", message, "", "error", "a finite number", clip(shown))


def _bounds(value: float, least: float | None, most: float | None) -> Found:
    if least is not None and value < least:
        message = "The number is too small"
        return [Finding("shape/minimum", message, "", "error", f"at least {least}", clip(value))]
    if most is not None and value > most:
        message = "The number is too large"
        return [Finding("shape/maximum", message, "", "error", f"at most {most}", clip(value))]
    return None


def boolean(value: object) -> Found:
    """Check true or false; 0 and 1 are neither."""
    return None if isinstance(value, bool) else wrong_type(value, "a boolean")


def free(value: object) -> Found:
    """Check that a value is an object, whatever it holds."""
    return None if isinstance(value, dict) else wrong_type(value, "an object")


def free_array(value: object) -> Found:
    """Check that a value is an array, whatever it holds."""
    return None if isinstance(value, list) else wrong_type(value, "an array")


def tag_of(value: object, tag: str, known: Mapping[str, Check]) -> list[Finding]:
    """Say why ``value`` belongs to no variant of a union."""
    if not isinstance(value, dict):
        return wrong_type(value, "an object")
    given = value.get(tag, ABSENT)
    if given is ABSENT or not isinstance(given, str):
        return member(None, tag, given, wrong_type(given, "a string")) or []
    return [
        Finding(
            "shape/unknown-variant",
            f"No variant has this {tag}",
            "/" + escape_pointer(tag),
            "error",
            ", ".join(known),
            clip(given),
        )
    ]


def fewer_items(array: list[Any], least: int) -> list[Finding]:
    """Say that an array is too short."""
    message = "The array is empty" if not array else "The array is too short"
    expected = _at_least(least, "item")
    return [Finding("shape/min-items", message, "", "error", expected, clip(array))]


def no_member_type(value: object, expected: str) -> list[Finding]:
    """Say that a value's JSON type is not one of a union's."""
    if value is None:
        return wrong_type(value, expected)
    message = f"Neither {expected.replace(' or ', ' nor ')} but {kind_of(value)}"
    return [Finding("shape/union-type", message, "", "error", expected, clip(value))]


def exactly_one(found: Found, value: dict[Any, Any], names: Collection[str]) -> Found:
    """Add a finding unless exactly one of the members ``names`` is present."""
    given = [name for name in names if name in value]
    if len(given) == 1:
        return found
    message = "Exactly one of these members has to be present"
    actual = ", ".join(given) or "none"
    finding = Finding("shape/exactly-one-of", message, "", "error", " or ".join(names), actual)
    return add(found, finding)


def none_of(found: Found, names: Collection[str]) -> Found:
    """Add a finding that none of the members ``names`` is present."""
    message = f"One of the members {', '.join(names)} is missing"
    expected = f"a member {' or '.join(names)}"
    return add(found, Finding("shape/required", message, "", "error", expected))


def _at_least(least: int, noun: str) -> str:
    return f"at least {counted(least, noun)}"
