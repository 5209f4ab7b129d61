"""The navigation: six sections, each short enough to be read at once."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator
from typing import Any, Final

__all__ = [
    "GUIDES",
    "SECTIONS",
    "configured",
    "in_order",
    "index_of",
    "section_of",
    "unlisted",
]

SECTIONS: Final[dict[str, tuple[str, ...]]] = {
    "Start": ("index.md", "documents.md", "examples/index.md", "inspector.md"),
    "Guides": (
        "guides/",
        "python.md",
        "typescript.md",
        "rust.md",
        "formats.md",
        "model.md",
        "ci.md",
        "testing.md",
        "evolution.md",
        "migrate.md",
        "archives.md",
        "service.md",
        "events.md",
        "publish.md",
    ),
    "Reference": (
        "cli/index.md",
        "api/python/index.md",
        "api/typescript/index.md",
        "api/rust/index.md",
        "archive-queries.md",
        "reports.md",
        "errors.md",
        "compat.md",
        "openapi.md",
    ),
    "Rules": ("rules/index.md", "losses/index.md"),
    "Contract": (
        "contract/index.md",
        "contract/stream.md",
        "contract/tool-states.md",
        "contract/versions.md",
        "contract/matrix.md",
        "semantics.md",
        "conformance.md",
        "fixtures/index.md",
    ),
    "Project": (
        "changelog.md",
        "bench.md",
        "contributing.md",
        "releasing.md",
        "decisions/index.md",
        "failures.md",
        "quirks.md",
        "differences.md",
        "glossary.md",
    ),
}
"""Section → its pages, in order; ``guides/`` is every page of that folder, its index first."""

GUIDES: Final = (
    "first-message",
    "stream-to-a-browser",
    "store-and-migrate",
    "bring-your-data",
    "check-schemas-in-ci",
    "test-a-service",
    "write-a-driver",
    "publish-schemas",
    "look-at-a-stream",
    "archive-your-logs",
    "assemble-on-spark",
)
"""The guides in the order in which somebody may read them."""

_HEADINGS: Final = {"Guides": (("Step by step", "guides/"), ("By topic", ""))}
"""Section → its headings, each with what the paths of its pages begin with."""

_UNDER: Final = {"requirements.md": "Project"}
"""Pages that are found from others alone → their section."""

_DEEPER: Final = ("api/", "cli/", "contract/v", "decisions/", "examples/", "losses/", "rules/")
"""Folders whose pages are found from their index."""


def in_order(paths: Collection[str]) -> dict[str, list[str]]:
    """Return section → the pages that there are, in order; what is not there is left out."""
    return {
        section: [path for entry in entries for path in _entry(entry, paths)]
        for section, entries in SECTIONS.items()
    }


def _entry(entry: str, paths: Collection[str]) -> Iterator[str]:
    if not entry.endswith("/"):
        yield from (path for path in (entry,) if path in paths)
        return
    found = [path for path in paths if path.startswith(entry)]
    places = {f"guides/{name}.md": place for place, name in enumerate(GUIDES)}
    yield from sorted(
        found,
        key=lambda path: (not path.endswith("/index.md"), places.get(path, len(places)), path),
    )


def unlisted(paths: Collection[str]) -> list[str]:
    """Return the pages that nothing leads to: in no section, and in no folder with an index."""
    listed = {path for section in in_order(paths).values() for path in section}
    listed |= _UNDER.keys()
    return sorted(path for path in paths if path not in listed and not path.startswith(_DEEPER))


def section_of(path: str) -> str:
    """Return the section of a page: its own, or that of the nearest index above it, or ""."""
    sections = {each: name for name, entries in SECTIONS.items() for each in entries} | _UNDER
    return next((sections[each] for each in (path, *_above(path)) if each in sections), "")


def index_of(path: str) -> str:
    """Return the nearest index above a page that the navigation lists, or ""."""
    listed = {each for entries in SECTIONS.values() for each in entries}
    return next((each for each in _above(path) if each in listed and each.endswith(".md")), "")


def _above(path: str) -> Iterator[str]:
    """Yield the folders above a page as the navigation may name them, the nearest first."""
    folder = posixpath.dirname(path)
    while folder:
        yield from (f"{folder}/", f"{folder}/index.md")
        folder = posixpath.dirname(folder)


def configured(paths: Collection[str]) -> list[dict[str, Any]]:
    """Return the navigation as Zensical's configuration has it."""
    return [{section: _grouped(section, found)} for section, found in in_order(paths).items()]


def _grouped(section: str, paths: list[str]) -> list[Any]:
    """Return the pages of a section below the headings that it has, each below the first."""
    if section not in _HEADINGS:
        return list(paths)
    groups: dict[str, list[str]] = {}
    for path in paths:
        heading = next(name for name, start in _HEADINGS[section] if path.startswith(start))
        groups.setdefault(heading, []).append(path)
    return [{heading: found} for heading, found in groups.items()]
