"""What the checker says of a version that is to be released, against those that are.

A new minor takes every document of its major's released versions, be the major 0 or not;
``docs/decisions/0005-a-break-is-a-new-major.md`` says why.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

from codegen.lint import refs_of
from codegen.load import load_contract
from codegen.problems import LintError
from codegen.release_checks import Repository, lint_findings
from partwire.compat.comparison import check
from partwire.compat.report import Change, EntryVerdict
from partwire.compat.sources.entrypoints import Granularity
from partwire.compat.sources.inputs import Source, load_source
from partwire.contract.current import LATEST_VERSION
from partwire.errors import Finding, PartwireError, printable
from partwire_testing.conformance.behaviour import replay_behaviour
from partwire_testing.conformance.bindings import compare_bindings

__all__ = ["compatibility", "outside_the_promise", "surfaces"]

_SCHEMAS = Path(__file__).resolve().parent.parent / "schemas"
_GRANULARITIES: tuple[Granularity, ...] = ("entrypoints", "definitions")
_SHOWN_CHARS = 80
Key = tuple[str, str]


def compatibility(
    repository: Repository, version: str, rows: Mapping[str, Mapping[str, Any]]
) -> Iterator[Finding]:
    """Yield what breaks documents of the version's major, and what is not proved to break none.

    Against every released version of the major, the newest first: each step may be compatible
    where the first and the last are not. Direction backward, reading declared.
    """
    for old in _released(version, rows):
        yield from _against(repository, old, version)


def surfaces(
    repository: Repository, version: str, rows: Mapping[str, Mapping[str, Any]]
) -> Iterator[Finding]:
    """Yield what breaks beside documents: golden cases with another outcome, names that are gone.

    Both are those of the code that runs: asked for the version that it speaks, and for its own
    repository. Names are compared with the last version alone, which has those of all before it.
    """
    if version != LATEST_VERSION or not repository.schemas.samefile(_SCHEMAS):
        return
    olds = _released(version, rows)
    replayed = [replay_behaviour(old) for old in olds]
    replayed += [compare_bindings(old, version) for old in olds[:1]]
    for verdicts, _ in replayed:
        for verdict in verdicts:
            for change in verdict.changes:
                yield Finding(
                    "release/breaking",
                    f"{change.message} ({change.rule}; {verdict.entrypoint})",
                    change.old_pointer or "",
                    expected=f"as in {olds[0]}, or v{_number(version)[0] + 1}.0",
                    actual="another one" if change.new_pointer is not None else "gone",
                    source=change.old_source,
                )


def _released(version: str, rows: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the released versions of the same major, the newest first."""
    major, _ = _number(version)
    olds = [
        name
        for name, row in rows.items()
        if row["status"] == "released" and _number(name)[0] == major and name != version
    ]
    return sorted(olds, key=_number, reverse=True)


def outside_the_promise(repository: Repository, version: str) -> set[str]:
    """Return entry points and definitions that are reserved, or that only reserved ones use.

    By the names that the checker gives them: ``family.Name`` and ``folder/file#Name``.
    """
    families = load_contract(repository.schemas, version).families.values()
    types = {(each.file, each.name): each for family in families for each in family.types.values()}
    users: dict[Key, set[Key]] = {key: set() for key in types}
    for key, each in types.items():
        for ref in refs_of(each.node):
            users[ref.file, ref.name].add(key)
    outside = {key for key, each in types.items() if each.reserved}
    grown = True
    while grown:
        more = {
            key
            for key, each in types.items()
            if key not in outside and not each.entrypoint and users[key] and users[key] <= outside
        }
        outside |= more
        grown = bool(more)
    short = {f"{PurePosixPath(file).parent}.{name}" for file, name in outside}
    return short | {f"{file}#{name}" for file, name in outside}


def _against(repository: Repository, old: str, new: str) -> Iterator[Finding]:
    sources = load_source(str(repository.schemas / old)), load_source(str(repository.schemas / new))
    try:
        outside = outside_the_promise(repository, old)
    except LintError as error:  # the old files are as they were: the linter or the rules changed
        yield from lint_findings(error, old)
        return
    broken: dict[str, tuple[Change, list[EntryVerdict]]] = {}
    open_points: dict[str, Finding] = {}
    for granularity in _GRANULARITIES:
        try:
            verdicts = check(*sources, granularity=granularity).verdicts
        except PartwireError as error:
            yield from error.findings
            return
        for verdict in verdicts:
            if verdict.entrypoint in outside:
                continue
            for change in verdict.changes if verdict.status == "breaking" else ():
                broken.setdefault(_key(change), (change, []))[1].append(verdict)
            if verdict.status == "unproven" or (
                verdict.status == "no-documents" and not verdict.harmless
            ):
                open_points[verdict.entrypoint] = _unproven(verdict, old, new)
    for change, breaks in broken.values():
        yield _breaking(change, breaks, sources, (old, new))
    yield from open_points.values()


def _key(change: Change) -> str:
    """Distinguish changes; a type that is gone is gone under both of its names."""
    return change.place if change.rule == "compat/entrypoint-removed" else change.fingerprint


def _breaking(
    change: Change,
    breaks: list[EntryVerdict],
    sources: tuple[Source, Source],
    versions: tuple[str, str],
) -> Finding:
    """Return the finding of one change, at its place in the new version where it has one."""
    side = 0 if change.new_pointer is None else 1
    uri = (change.old_source, change.new_source)[side]
    pointer = (change.old_pointer, change.new_pointer)[side] or ""
    text = sources[side].texts.get(uri)
    witness = next((each for each in breaks if each.has_witness), None)
    names = ", ".join(dict.fromkeys(each.entrypoint for each in breaks))
    old, new = versions
    return Finding(
        "release/breaking",
        f"{change.message} ({change.rule}; {names})",
        pointer,
        expected=f"what {old} allows, or v{_number(new)[0] + 1}.0",
        actual=f"{new} refuses {_shown(witness.witness)}" if witness else f"{new} has none",
        source=f"schemas/{versions[side]}/{unquote(uri)}",
        line=text.find(pointer).line if text else None,
    )


def _shown(witness: Any) -> str:
    text = printable(json.dumps(witness, ensure_ascii=False))
    return text if len(text) <= _SHOWN_CHARS else text[: _SHOWN_CHARS - 1] + "…"


def _unproven(verdict: EntryVerdict, old: str, new: str) -> Finding:
    reasons = "; ".join(f"{each.reason} at {each.pointer or '/'}" for each in verdict.open)
    return Finding(
        "release/unproven",
        f"{verdict.entrypoint}: not proved to take every document of {old}",
        expected="a proof, or a new major version",
        actual=f"open: {reasons or 'the search found nothing'} ({verdict.tried} documents tried)",
        source=f"schemas/{new}",
    )


def _number(version: str) -> tuple[int, int]:
    return Repository.number(version) or (0, 0)
