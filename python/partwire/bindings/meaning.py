"""The explaining side of the meaning rules that schemas declare under ``x-rules``.

The generated checks look whether a rule holds; only where it does not, one of these functions
says where and why. Each takes the findings so far, the rule's id and severity, the value of right
shape, and the rule's own arguments (pointers relative to the value).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from partwire.errors import Finding, Severity, clip

from .check import ABSENT, Found, add_meaning, full

__all__ = [
    "items_equal",
    "items_same",
    "not_less",
    "present_when",
    "shape_holds",
    "tag_table",
    "unique",
]


def shape_holds(found: Found) -> bool:
    """Tell whether all findings so far are about meaning: rules look only at right shapes."""
    if full(found):
        return False  # nobody has looked at all of it
    return not any(finding.rule.startswith(("shape/", "document/")) for finding in found or ())


def at(value: Any, pointer: str) -> Any:
    """Return what stands at ``pointer``, or ABSENT."""
    for name in pointer[1:].split("/"):
        value = value.get(name, ABSENT) if isinstance(value, dict) else ABSENT
    return value


def _keys(
    value: Any, items: str, key: str, where: tuple[str, str] | None = None
) -> Iterator[tuple[str, Any]]:
    """Yield pointer and key of every item that has one (and that ``where`` selects)."""
    for index, item in enumerate(at(value, items)):
        found = at(item, key)
        if found is not ABSENT and (where is None or at(item, where[0]) == where[1]):
            yield f"{items}/{index}{key}", found


def tag_table(  # noqa: PLR0917  # as the generated code calls it
    found: Found,
    rule: str,
    severity: Severity,
    value: Any,
    tag: str,
    items: str,
    item_tag: str,
    table: Mapping[str, Mapping[str, None]],
) -> Found:
    """Name the items whose kind is in another row of the table."""
    row = at(value, tag)
    message = f"Not allowed where {tag[1:]} is {row}"
    for pointer, kind in _keys(value, items, f"/{item_tag}"):
        if kind not in table[row]:
            expected = ", ".join(table[row])
            told = Finding(rule, message, pointer, severity, expected, clip(kind))
            found = add_meaning(found, told)
            if full(found):
                break
    return found


def unique(  # noqa: PLR0917  # as the generated code calls it
    found: Found,
    rule: str,
    severity: Severity,
    value: Any,
    items: str,
    key: str,
    where: tuple[str, str] | None,
) -> Found:
    """Name the items whose key an earlier item has already."""
    first: dict[Any, str] = {}
    for pointer, given in _keys(value, items, key, where):
        before = first.setdefault(given, pointer)
        if before != pointer:
            message = f"The same as at {before}"
            expected = "a value that no other has"
            told = Finding(rule, message, pointer, severity, expected, clip(given))
            found = add_meaning(found, told)
            if full(found):
                break
    return found


def items_equal(  # noqa: PLR0917  # as the generated code calls it
    found: Found, rule: str, severity: Severity, value: Any, items: str, key: str, to: str
) -> Found:
    """Name the items whose key differs from the member ``to``."""
    expected = at(value, to)
    for pointer, given in _keys(value, items, key):
        if given != expected:
            message = f"Not the same as at {to}"
            found = add_meaning(
                found, Finding(rule, message, pointer, severity, clip(expected), clip(given))
            )
            if full(found):
                break
    return found


def items_same(
    found: Found, rule: str, severity: Severity, value: Any, items: str, key: str
) -> Found:
    """Name the items whose key differs from the first item's."""
    first: tuple[str, Any] | None = None
    for pointer, given in _keys(value, items, key):
        first = first or (pointer, given)
        if given != first[1]:
            message = f"Not the same as at {first[0]}"
            found = add_meaning(
                found, Finding(rule, message, pointer, severity, clip(first[1]), clip(given))
            )
            if full(found):
                break
    return found


def not_less(
    found: Found, rule: str, severity: Severity, value: Any, pointer: str, than: str
) -> Found:
    """Say that one number is less than another."""
    expected = f"at least {clip(at(value, than))}"
    message = f"Less than {than}"
    actual = clip(at(value, pointer))
    return add_meaning(found, Finding(rule, message, pointer, severity, expected, actual))


def present_when(
    found: Found, rule: str, severity: Severity, value: Any, when: str, member: str
) -> Found:
    """Say that a member is missing that another member's value asks for."""
    name = member.rpartition("/")[2]
    message = f"The member {name} is missing where {when} is {clip(at(value, when))}"
    return add_meaning(found, Finding(rule, message, "", severity, f"a member {name}"))
