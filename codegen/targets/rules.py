"""Meaning rules as code: their conditions on JSON objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from codegen import model as m
from codegen.lint_rules import members_at, tokens

Lines = list[str]


def path(family: m.Family, node: m.Node, root: str, pointer: str) -> tuple[str, list[str]]:
    """Return the expression at ``pointer`` below ``root`` and the conditions that it is there."""
    expression, conditions = root, []
    walked = ""
    for name in tokens(pointer):
        walked += f"/{name}"
        if not all(prop.required for prop in members_at(family, node, walked)):
            conditions.append(f'"{name}" in {expression}')
        expression = f'{expression}["{name}"]'
    return expression, conditions


class RuleEmitter:
    """Emits, for one type, the lines that look whether its rules hold.

    ``fail`` makes the statement for a rule that does not; ``tables`` collects module constants.
    """

    def __init__(
        self,
        family: m.Family,
        definition: m.TypeDef,
        fail: Callable[[m.Rule, str], str],
        tables: dict[str, str],
    ) -> None:
        self.family = family
        self.definition = definition
        self.fail = fail
        self.tables = tables

    def lines(self) -> Lines:
        """Return the statements for all rules of the type, on the variable ``v``."""
        lines: Lines = []
        for index, rule in enumerate(self.definition.rules):
            lines += getattr(self, "_" + rule.op.replace("-", "_"))(rule, index)
        return lines

    def path(self, pointer: str) -> tuple[str, list[str]]:
        return path(self.family, self.definition.node, "v", pointer)

    def items(self, rule: m.Rule) -> tuple[str, list[str], m.Node]:
        pointer = rule.args["items"]
        array = self.family.resolve(members_at(self.family, self.definition.node, pointer)[0].node)
        assert isinstance(array, m.Array)
        return *self.path(pointer), self.family.resolve(array.items)

    def key(self, rule: m.Rule, item: m.Node) -> tuple[str, list[str]]:
        """Return the key of the item ``y``, and the conditions that select it."""
        where: Mapping[str, str] = rule.args.get("where", {})
        conditions = []
        for tag, value in where.items():
            conditions.append(f'y["{tag[1:]}"] == "{value}"')
            assert isinstance(item, m.Union)
            item = dict(item.variants)[value]
        key, there = path(self.family, item, "y", rule.args["key"])
        return key, conditions + there

    def _tag_table(self, rule: m.Rule, index: int) -> Lines:
        name = table_name(self.definition, index)
        rows = {row: dict.fromkeys(kinds) for row, kinds in sorted(rule.args["table"].items())}
        self.tables[name] = f"{name}: dict[str, dict[str, None]] = {literal(rows)}"
        items, conditions, _ = self.items(rule)
        tag, more = self.path(rule.args["tag"])
        return guarded(
            conditions + more,
            [
                f"row = {name}[{tag}]",
                f"for y in {items}:",
                f"    if y[{literal(rule.args['itemTag'])}] not in row:",
                f"        {self.fail(rule, name)}",
                "        break",
            ],
        )

    def _unique(self, rule: m.Rule, index: int) -> Lines:
        del index
        items, conditions, item = self.items(rule)
        key, selected = self.key(rule, item)
        condition = f" if {' and '.join(selected)}" if selected else ""
        return guarded(
            conditions,
            [
                f"keys = [{key} for y in {items}{condition}]",
                "if len(keys) > 1 and len(set(keys)) < len(keys):",
                f"    {self.fail(rule, '')}",
            ],
        )

    def _items_equal(self, rule: m.Rule, index: int) -> Lines:
        del index
        items, conditions, item = self.items(rule)
        to, more = self.path(rule.args["to"])
        key, selected = self.key(rule, item)
        return guarded(
            conditions + more,
            [
                f"to = {to}",
                f"for y in {items}:",
                f"    if {' and '.join([*selected, f'{key} != to'])}:",
                f"        {self.fail(rule, '')}",
                "        break",
            ],
        )

    def _items_same(self, rule: m.Rule, index: int) -> Lines:
        del index
        items, conditions, item = self.items(rule)
        key, selected = self.key(rule, item)
        condition = f" if {' and '.join(selected)}" if selected else ""
        return guarded(
            conditions,
            [f"if len({{{key} for y in {items}{condition}}}) > 1:", f"    {self.fail(rule, '')}"],
        )

    def _not_less(self, rule: m.Rule, index: int) -> Lines:
        del index
        value, conditions = self.path(rule.args["value"])
        than, more = self.path(rule.args["than"])
        every = list(dict.fromkeys([*conditions, *more, f"{value} < {than}"]))
        return [f"if {' and '.join(every)}:", f"    {self.fail(rule, '')}"]

    def _present_when(self, rule: m.Rule, index: int) -> Lines:
        del index
        ((pointer, value),) = rule.args["when"].items()
        given, conditions = self.path(pointer)
        *_, last = tokens(rule.args["member"])
        compare = (
            f"{given} is {value}" if isinstance(value, bool) else f"{given} == {literal(value)}"
        )
        return [
            f"if {' and '.join([*conditions, compare, f'{literal(last)} not in v'])}:",
            f"    {self.fail(rule, '')}",
        ]


def table_name(definition: m.TypeDef, index: int) -> str:
    """Return the name of the table of one rule."""
    return f"_{m.snake(definition.name).upper()}_RULE_{index + 1}"


def guarded(conditions: list[str], lines: Lines) -> Lines:
    """Return ``lines`` below ``if conditions:``, or as they are."""
    if not conditions:
        return lines
    return [f"if {' and '.join(conditions)}:", *(f"    {line}" for line in lines)]


def literal(value: Any) -> str:
    """Return a Python literal with double quotes, the same for the same value."""
    if isinstance(value, str):
        body = value.encode("unicode_escape").decode().replace('"', '\\"')
        return f'"{body}"'
    if isinstance(value, dict):
        inner = ", ".join(f"{literal(key)}: {literal(each)}" for key, each in value.items())
        return f"{{{inner}}}"
    if isinstance(value, tuple):
        inner = ", ".join(literal(each) for each in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    return repr(value)
