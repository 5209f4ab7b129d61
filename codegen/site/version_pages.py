"""The versions of the contract, what has changed between them, and who runs their cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from codegen.site.markdown import Page, bullets, code, fence, json_fence, link, prose, table
from codegen.site.places import (
    CONTRACT,
    MATRIX,
    STREAM,
    TOOL_STATES,
    VERSIONS,
    rule_page,
    type_name,
    type_page,
    version_page,
)
from codegen.site.type_pages import Types
from partwire.compat.report import Change, Report

__all__ = ["contract_page", "matrix_page", "versions_page"]

_ABOUT: Final = "The versions of the contract, their types, and what they mean."
_CHANGES: Final = (
    "What has changed from each version of the contract to the next, as the checker finds it."
)
_CASES: Final = (
    "Which operations of the conformance protocol each language runs, on how many cases."
)
_LANGUAGES: Final = ("Python", "TypeScript", "Rust")


def contract_page(catalog: Mapping[str, Any], types: Types) -> Page:
    """Return the page of the contract: its versions, and the entry points of the current one."""
    current = catalog["current"]
    rows = [
        (
            link(CONTRACT, version_page(name), name),
            row["status"] + (", current" if name == current else ""),
            row.get("released", ""),
            str(len(types.by_version[name])),
            code(row["digest"]) if "digest" in row else "",
        )
        for name, row in reversed(catalog["versions"].items())
    ]
    families: dict[str, list[str]] = {}
    for (family, _), each in types.by_version[current].items():
        target = type_page(current, each.file, each.name)
        if each.entrypoint:
            families.setdefault(family, []).append(link(CONTRACT, target, code(each.name)))
    parts = [
        _ABOUT,
        table(("version", "status", "released", "types", "digest of the schemas"), rows),
        (
            "A released version never changes. The JSON Schemas are part of this site, at the "
            "addresses that their `$id` says."
        ),
        f"## Entry points of {current}",
        table(("family", "types"), [(name, ", ".join(all_)) for name, all_ in families.items()]),
        "## More",
        bullets(
            [
                f"{link(CONTRACT, STREAM, 'The stream')}: what a delta does in each status",
                f"{link(CONTRACT, TOOL_STATES, 'Tool states')}: which moves there are",
                f"{link(CONTRACT, VERSIONS, 'Changes per version')}",
                f"{link(CONTRACT, MATRIX, 'Language support')}: operations, languages and cases",
            ]
        ),
    ]
    return Page(CONTRACT, "The contract", "\n\n".join(parts) + "\n", _ABOUT)


# --- what has changed -----------------------------------------------------------------------------


def versions_page(reports: Sequence[Report], types: Types) -> Page:
    """Return the page of what changed; the reports are of neighbours, the oldest first."""
    versions = list(types.by_version)
    parts = [
        _CHANGES,
        (
            "**backward**: documents of the older version, read by the newer one. "
            "**forward**: documents of the newer version, read by the older one. "
            "Each break is shown by a document, which "
            "both of two independent validators refuse."
        ),
    ]
    for (old, new), report in reversed(list(zip(pairwise(versions), reports, strict=True))):
        parts += [f"## {old} to {new}", *_changed(report, types, old, new)]
    return Page(VERSIONS, "Changes per version", "\n\n".join(parts) + "\n", _CHANGES)


def _changed(report: Report, types: Types, old: str, new: str) -> Iterator[str]:
    counts = Counter((each.direction, each.status) for each in report.verdicts)
    yield table(
        ("entry points", *dict.fromkeys(status for _, status in counts)),
        [
            (way, *(str(counts[way, status]) for status in dict.fromkeys(s for _, s in counts)))
            for way in dict.fromkeys(way for way, _ in counts)
        ],
    )
    yield fence(f"partwire compat {old} {new} --direction full --entrypoints", "sh")
    breaks = list(report.changes)
    if breaks:
        yield f"### What breaks from {old} to {new}"
        for change in breaks:
            broken = report.verdicts_of(change)
            names = ", ".join(code(each.entrypoint) for each in broken)
            way = change.direction.capitalize()
            yield f"{_place(change, old, new)} {_said(change)}. {way}: {names}."
            witness = next((each for each in broken if each.has_witness), None)
            if witness is not None:
                yield json_fence(witness.witness)
    yield f"### What breaks nobody from {old} to {new}"
    rows = [(_place(each, old, new), _said(each)) for each in report.notes]
    yield table(("where", "what"), dict.fromkeys(rows))
    added = types.by_version[new].keys() - types.by_version[old].keys()
    gone = types.by_version[old].keys() - types.by_version[new].keys()
    for title, version, keys in (("New types", new, added), ("Types that are gone", old, gone)):
        if keys:
            yield f"### {title} of {version}"
            yield ", ".join(_type(types, version, key) for key in sorted(keys)) + "."


def _type(types: Types, version: str, key: tuple[str, str]) -> str:
    each = types.by_version[version][key]
    target = type_page(version, each.file, each.name)
    return link(VERSIONS, target, code(type_name(each.file, each.name)))


def _said(change: Change) -> str:
    return f"{prose(change.message)} ({link(VERSIONS, rule_page(change.rule), code(change.rule))})"


def _place(change: Change, old: str, new: str) -> str:
    """Return a link to the type that a change is in, with the place within it."""
    file, _, pointer = change.place.partition("#")
    steps = pointer.removeprefix("/").split("/")
    if len(steps) < 2 or steps[0] != "$defs":
        return code(change.place)
    file = file.removeprefix(f"{old}/").removeprefix(f"{new}/")
    version = new if change.new_pointer is not None else old
    target = type_page(version, file, steps[1])
    label = link(VERSIONS, target, code(type_name(file, steps[1])))
    rest = "/".join(step for step in steps[2:] if step not in ("oneOf", "properties"))
    return f"{label} {code(rest)}" if rest else label


# --- cases ----------------------------------------------------------------------------------------


def matrix_page(
    runs: Mapping[str, Mapping[str, int]], operations: Mapping[str, Iterable[str]]
) -> Page:
    """Return the page of operations: ``runs`` is version → operation → how many runs of cases.

    ``operations`` is language → those that its driver has.
    """
    names = list(dict.fromkeys(name for counts in runs.values() for name in counts))
    known = {language: set(operations[language]) for language in _LANGUAGES}
    rows = [
        (
            code(name),
            *(("yes" if name in known[language] else "no") for language in _LANGUAGES),
            *(str(counts.get(name, 0)) for counts in runs.values()),
        )
        for name in names
    ]
    totals = [str(sum(counts.values())) for counts in runs.values()]
    rows.append(("all", *("" for _ in _LANGUAGES), *totals))
    drivers = bullets(
        [
            "Python: `partwire conformance`",
            "TypeScript: `partwire conformance -- node typescript/conformance/driver.js`",
            "Rust: `partwire conformance -- rust/target/release/examples/driver`",
        ]
    )
    head = ("operation", *_LANGUAGES, *(f"runs of {version}" for version in runs))
    parts = [
        _CASES,
        (
            "Each run gives the driver of a language an input and compares what comes back with "
            "the fixtures. All three languages pass every run that they are given; the project's "
            "checks run them on each change. "
            f"{link(MATRIX, 'conformance.md', 'The protocol')} is for any "
            f"language, and so are {link(MATRIX, 'fixtures/index.md', 'the cases')}."
        ),
        table(head, rows),
        drivers,
    ]
    return Page(MATRIX, "Language support", "\n\n".join(parts) + "\n", _CASES)
