"""Every rule of ``schemas/rules/``: what it says and why, what it reports and what it does not."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from codegen import model as m
from codegen.site.markdown import Page, bullets, code, fence, inside, json_fence, link, prose, table
from codegen.site.outcomes import File, Outcome, file_of
from codegen.site.places import LOSSES, RULES, group_page, rule_page, type_name, type_page
from partwire.cli.report.explain import example_lines, speaker

__all__ = ["CHINESE", "pages"]

CHINESE: Final = "zh-Hans"
_ROOT: Final = "The rules of the contract and of its tools, by group. Every finding names one."
_FORMS: Final = {
    "operation": "",
    "command": "A command and the files that it reads:",
    "golden": "",
    "python": "A call in Python:",
    "request": "A request to the service:",
}
"""The member that tells a form of an example → how it is introduced."""
_LANGUAGES: Final = {"python": "python"}

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Types:
    """The types of a version, by name: ``message.Message``."""

    version: str
    by_name: Mapping[str, m.TypeDef]


def pages(
    rules: Mapping[str, Row],
    outcomes: Mapping[str, Outcome],
    types: Iterable[m.TypeDef],
    version: str,
) -> Iterator[Page]:
    """Yield a page for each rule, one for each group, and the one that lists the groups.

    ``outcomes`` is rule → what its bad example came to; ``types`` are those of ``version``, whose
    meaning some of the rules are.
    """
    holders: dict[str, list[m.TypeDef]] = {}
    known = _Types(version, {type_name(each.file, each.name): each for each in types})
    for each in known.by_name.values():
        for rule in dict.fromkeys(held.rule for held in each.rules):
            holders.setdefault(rule, []).append(each)
    groups: dict[str, dict[str, Row]] = {}
    for rule, row in rules.items():
        groups.setdefault(rule.partition("/")[0], {})[rule] = row
        yield _rule_page(rule, row, outcomes.get(rule, Outcome()), holders.get(rule, ()), known)
    for group, own in groups.items():
        yield _group_page(group, own)
    yield _index(groups)


def _index(groups: Mapping[str, Mapping[str, Row]]) -> Page:
    rows = [
        (
            link(RULES, group_page(group), code(f"{group}/")),
            str(len(own)),
            ", ".join(link(RULES, rule_page(rule), code(rule.partition("/")[2])) for rule in own),
        )
        for group, own in groups.items()
    ]
    losses = link(RULES, LOSSES, "Losses")
    body = (
        f"{_ROOT} {code('partwire rules WORD')} finds them on the command line, and "
        f"{code('partwire explain RULE')} shows one. What a conversion leaves out "
        f"is listed under {losses}.\n\n{table(('group', 'number', 'rules'), rows)}\n"
    )
    return Page(RULES, "Rules", body, _ROOT)


def _group_page(group: str, rules: Mapping[str, Row]) -> Page:
    path = group_page(group)
    rows = [
        (link(path, rule_page(rule), code(rule)), row["severity"], prose(row["summary"]))
        for rule, row in rules.items()
    ]
    listed = table(("rule", "severity", "what it says"), rows)
    body = f"{link(path, RULES, 'Rules')} › {group}\n\n{listed}\n"
    return Page(path, f"Rules of {group}/", body, f"The rules whose ids begin with {group}/.")


def _rule_page(
    rule: str, row: Row, outcome: Outcome, holders: Sequence[m.TypeDef], types: _Types
) -> Page:
    path, group = rule_page(rule), rule.partition("/")[0]
    chinese = row["zh"]
    parts = [
        (
            f"{link(path, RULES, 'Rules')} › {link(path, group_page(group), group)} · "
            f"**{row['severity']}**"
        ),
        prose(row["summary"]),
        prose(row["reason"]),
        inside("p", chinese["summary"] + chinese["reason"], lang=CHINESE),
        *_examples(path, row["examples"], outcome, types),
        *_beside(path, row, holders, types.version),
        "## On the command line",
        fence(f"partwire explain {rule}", "sh"),
    ]
    return Page(path, rule, "\n\n".join(filter(None, parts)) + "\n", row["summary"])


def _examples(path: str, examples: Row, outcome: Outcome, types: _Types) -> Iterator[str]:
    if "none" in examples:
        yield "## No example"
        yield prose(examples["none"])
        yield inside("p", examples["zh"], lang=CHINESE)
        return
    yield "## What is reported"
    yield from _example(path, examples["bad"], types)
    if outcome.command:
        yield "This command finds it:"
        yield fence(f"$ {outcome.command}\n{outcome.output}", "console")
    if outcome.found:
        yield "What is found, and where:"
        rows = [
            (_linked(path, each.rule), _place(each.place), prose(each.message))
            for each in outcome.found
        ]
        yield table(("rule", "place", "what it says"), rows)
    yield "## What is fine"
    yield from _example(path, examples["good"], types)


def _linked(path: str, rule: str) -> str:
    return code(rule) if rule_page(rule) == path else link(path, rule_page(rule), code(rule))


def _place(place: str) -> str:
    return code(place) if place else "all of it"


def _example(path: str, example: Row, types: _Types) -> Iterator[str]:
    file = file_of(example)
    if file is not None:
        yield _introduced(path, file, types)
        whole = file.name.endswith(".json") and not isinstance(file.values[0], str)
        yield json_fence(file.values[0]) if whole else fence(file.text, _language(file))
        return
    form = next(name for name in _FORMS if name in example)
    lines = list(example_lines(example, speaker("en")))
    if form == "operation":
        protocol = link(path, "conformance.md", "conformance protocol")
        yield f"The operation {code(lines.pop(0))} of the {protocol}, with this input:"
        lines = textwrap.dedent("\n".join(lines)).split("\n")
    yield _FORMS[form]
    yield fence("\n".join(lines), _LANGUAGES.get(form, "text"))


def _language(file: File) -> str:
    return "json" if file.name.endswith(".jsonl") else "text"


def _introduced(path: str, file: File, types: _Types) -> str:
    """Return the words above a file: its name, the type of its values, and of which kinds."""
    if not file.type:
        return f"{code(file.name)}, as it comes from the provider:"
    held = types.by_name.get(file.type)
    if held is None:
        return f"{code(file.name)}:"
    named = _type_link(path, held.file, held.name, types.version)
    words = f"one {named} on each line" if file.name.endswith(".jsonl") else f"of type {named}"
    kinds = ", ".join(_kinds(path, file.values, held.node, types.version))
    return f"{code(file.name)}, {words}{f' ({kinds})' if kinds else ''}:"


def _kinds(path: str, values: Iterable[Any], node: m.Node, version: str) -> Iterator[str]:
    """Yield a link to each variant that values of a union are, in order."""
    if not isinstance(node, m.Union):
        return
    variants = dict(node.variants)
    tags = [each.get(node.tag) for each in values if isinstance(each, dict)]
    for tag in dict.fromkeys(tag for tag in tags if isinstance(tag, str)):
        if tag in variants:
            yield _type_link(path, variants[tag].file, variants[tag].name, version)


def _type_link(path: str, file: str, name: str, version: str) -> str:
    return link(path, type_page(version, file, name), code(name))


def _beside(path: str, row: Row, holders: Sequence[m.TypeDef], version: str) -> Iterator[str]:
    """Yield what belongs to a rule: types, the rule for the change back, requirements."""
    items = [
        f"Part of the meaning of "
        f"{link(path, type_page(version, each.file, each.name), type_name(each.file, each.name))}"
        for each in holders
    ]
    if "mirror" in row:
        items.append(f"The rule for the change back: {_linked(path, row['mirror'])}")
        steps = (f"{way}: {step}" for way, step in row["bump"].items())
        items.append(f"What it asks of the version: {', '.join(steps)}")
    asked = ", ".join(link(path, f"requirements.md#{each}", each) for each in row["requirements"])
    items.append(f"Requirements: {asked}")
    yield "## What it belongs to"
    yield bullets(items)
