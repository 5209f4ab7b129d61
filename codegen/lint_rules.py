"""The linter's part on ``x-rules``: ops with their arguments, pointers that lead to members."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from codegen import model as m
from codegen.problems import Problems, step

# op → (arguments that must be there, arguments that may)
OPS: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "tag-table": (frozenset({"tag", "items", "itemTag", "table"}), frozenset()),
    "unique": (frozenset({"items", "key"}), frozenset({"where"})),
    "items-equal": (frozenset({"items", "key", "to"}), frozenset()),
    "items-same": (frozenset({"items", "key"}), frozenset()),
    "not-less": (frozenset({"value", "than"}), frozenset()),
    "present-when": (frozenset({"when", "member"}), frozenset()),
}


class BadRule(Exception):
    """Why a rule says nothing."""


def tokens(pointer: object) -> tuple[str, ...]:
    """Return the member names of a pointer such as ``/time/end``."""
    if not isinstance(pointer, str) or not pointer.startswith("/") or "~" in pointer:
        raise BadRule(f"{pointer!r} is not a pointer to a member")
    return tuple(pointer[1:].split("/"))


def members_at(family: m.Family, node: m.Node, pointer: object) -> list[m.Property]:
    """Return the members that ``pointer`` can mean below ``node``, one per variant."""
    found: list[m.Property] = []
    *parents, last = tokens(pointer)
    nodes = [node]
    for name in (*parents, last):
        found = [prop for inner in nodes for prop in _members(family, inner, name)]
        nodes = [prop.node for prop in found]
    if not found:
        raise BadRule(f"{pointer!r} leads to no declared member")
    return found


def _members(family: m.Family, node: m.Node, name: str) -> list[m.Property]:
    node = family.resolve(node)
    if isinstance(node, m.Union):
        found = [prop for _, ref in node.variants for prop in _members(family, ref, name)]
        return found if len(found) == len(node.variants) else []
    prop = node.property(name) if isinstance(node, m.Object) else None
    return [] if prop is None else [prop]


def check(
    family: m.Family, definition: m.TypeDef, rules: Collection[str], problems: Problems
) -> None:
    """Check every rule of one type."""
    for index, rule in enumerate(definition.rules):
        at = step("", "$defs", definition.name, "x-rules", index)
        if rule.rule not in rules:
            problems.add(definition.file, at, "unknown-rule", f"{rule.rule} is not in rules/")
        try:
            _rule(family, definition, rule)
        except BadRule as error:
            problems.add(definition.file, at, "bad-rule", str(error))


def _rule(family: m.Family, definition: m.TypeDef, rule: m.Rule) -> None:
    needed, optional = OPS.get(rule.op, (None, frozenset()))
    if needed is None:
        raise BadRule(f"the op {rule.op!r} does not exist")
    if not needed <= set(rule.args) <= needed | optional:
        raise BadRule(f"{rule.op} takes {', '.join(sorted(needed))}")
    node = definition.node
    if not isinstance(node, m.Object):
        raise BadRule("a rule stands on an object")
    match rule.op:
        case "not-less":
            for pointer in (rule.args["value"], rule.args["than"]):
                for prop in members_at(family, node, pointer):
                    if not isinstance(family.resolve(prop.node), (m.Integer, m.Number)):
                        raise BadRule(f"{pointer!r} is not a number")
        case "present-when":
            _present_when(family, node, rule)
        case _:
            _items(family, node, rule)


def _present_when(family: m.Family, node: m.Node, rule: m.Rule) -> None:
    members_at(family, node, rule.args["member"])
    when = rule.args["when"]
    if not isinstance(when, dict) or len(when) != 1:
        raise BadRule("when is one pointer and its value")
    members_at(family, node, next(iter(when)))


def _items(family: m.Family, node: m.Node, rule: m.Rule) -> None:
    array = family.resolve(members_at(family, node, rule.args["items"])[0].node)
    if not isinstance(array, m.Array):
        raise BadRule(f"{rule.args['items']!r} is not an array")
    item = family.resolve(array.items)
    if rule.op == "tag-table":
        _tag_table(family, node, item, rule)
        return
    if "to" in rule.args:
        members_at(family, node, rule.args["to"])
    where = rule.args.get("where")
    if where is not None:
        tag = f"/{item.tag}" if isinstance(item, m.Union) else ""
        known = dict(item.variants) if isinstance(item, m.Union) else {}
        if not isinstance(where, dict) or set(where) != {tag} or not _all_in([where[tag]], known):
            raise BadRule("where is the tag of the items and one of its values")
        item = known[where[tag]]
    members_at(family, item, rule.args["key"])


def _tag_table(family: m.Family, node: m.Node, item: m.Node, rule: m.Rule) -> None:
    tag = family.resolve(members_at(family, node, rule.args["tag"])[0].node)
    table = rule.args["table"]
    if not isinstance(tag, m.Enum) or not isinstance(table, dict) or set(table) != set(tag.values):
        raise BadRule("the table has one row per value of the tag")
    if not isinstance(item, m.Union) or item.tag != rule.args["itemTag"]:
        raise BadRule("itemTag is the tag of the items' union")
    known = {value for value, _ in item.variants}
    if not all(isinstance(row, list) and _all_in(row, known) for row in table.values()):
        raise BadRule("the table names an item that does not exist")


def _all_in(values: list[Any], known: Collection[str]) -> bool:
    return all(isinstance(value, str) and value in known for value in values)
