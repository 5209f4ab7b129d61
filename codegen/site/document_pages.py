"""What is written by hand, docs/ and the READMEs, with links that are right on the site."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from codegen.site.markdown import Page, bullets, link, relative

__all__ = ["BrokenLink", "Documents", "pages", "static_files"]

_ELSEWHERE: Final = {
    "README.md": "index.md",
    "docs/README.md": "documents.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "fixtures/README.md": "fixtures/index.md",
}
"""Path in the repository → page; of docs/ all, and the READMEs of examples, are where they are."""
_STATIC: Final = (".svg", ".png", ".json")
_DECISIONS: Final = "decisions/index.md"
_LINK: Final = re.compile(r"(\]\()([^)\s]+)(\))")
_CODE: Final = re.compile(r"(`+)(?:(?!\1).)+\1")
_FENCE: Final = re.compile(r" *(`{3,}|~{3,})")
_OUTSIDE: Final = re.compile(r"[a-z]+:|#")


class BrokenLink(Exception):
    """A link of a document leads to nothing in the repository."""


@dataclass(frozen=True, slots=True)
class Documents:
    """The repository's folder and its address, without which there is nothing to link to."""

    root: Path
    address: str

    def target(self, path: str) -> str | None:
        """Return the page or file of the site that a path of the repository is, or None."""
        if path in _ELSEWHERE:
            return _ELSEWHERE[path]
        if re.fullmatch(r"examples/(?:.+/)?README\.md", path):
            return path.replace("README.md", "index.md")
        if path.startswith("docs/") and path.endswith((".md", *_STATIC)):
            return path.removeprefix("docs/")
        if path == "docs/decisions":
            return _DECISIONS
        if path.startswith("schemas/") and path.endswith(".schema.json"):
            return path
        return None

    def hosted(self, path: str) -> str:
        """Return the address of a file or folder where the repository is hosted."""
        kind = "tree" if (self.root / path).is_dir() else "blob"
        return f"{self.address}/{kind}/main/{path}".removesuffix("/")


def pages(documents: Documents) -> Iterator[Page]:
    """Yield the documents as pages, and a list of the decisions.

    Raises BrokenLink for a link to what is not in the repository.
    """
    decisions = []
    for path in sorted(_sources(documents.root)):
        text = (documents.root / path).read_text("utf-8")
        place = documents.target(path)
        assert place is not None, path
        title = _title(text) or place
        if place.startswith("decisions/"):
            decisions.append((place, title))
        yield Page(place, title, rewritten(documents, path, text), heading=True)
    about = "Why some things are as they are: one page for each decision."
    listed = bullets(link(_DECISIONS, place, title) for place, title in decisions)
    yield Page(_DECISIONS, "Decisions", f"{about}\n\n{listed}\n", about)


def _sources(root: Path) -> Iterator[str]:
    yield from _ELSEWHERE
    for folder, pattern in (("docs", "**/*.md"), ("examples", "**/README.md")):
        for found in (root / folder).glob(pattern):
            path = found.relative_to(root).as_posix()
            if path not in _ELSEWHERE and "node_modules" not in path:
                yield path


def static_files(documents: Documents) -> dict[str, Path]:
    """Return the files of the site that are not pages: site's path → file of the repository."""
    found = [path for path in (documents.root / "docs").rglob("*") if path.suffix in _STATIC]
    found += (documents.root / "schemas").rglob("*.schema.json")
    paths = {path.relative_to(documents.root).as_posix(): path for path in sorted(found)}
    targets = {documents.target(name): path for name, path in paths.items()}
    return {name: path for name, path in targets.items() if name is not None}


def _title(text: str) -> str:
    heading = re.search(r"^# (.+)$", text, re.MULTILINE)
    return re.sub(r"[`*]", "", heading[1]) if heading else ""


def rewritten(documents: Documents, path: str, text: str) -> str:
    """Return a document with its links as they are on the site, and lists as Zensical nests them.

    Blocks of code stay as they are, but for their margin.
    """
    lines, marks, margin = [], "", 0
    for line in text.splitlines():
        fence = _FENCE.match(line)
        if marks:
            lines.append(" " * margin + line if line else line)
            if line.strip().startswith(marks) and not line.strip(" `~"):
                marks = ""
            continue
        spaces = len(line) - len(line.lstrip(" "))
        if fence:
            marks, margin = fence[1], spaces
        # A list within a list has a margin of two in our documents, of four in Python-Markdown.
        lines.append(" " * spaces + (line if fence else _linked(documents, path, line)))
    return "\n".join(lines) + "\n"


def _linked(documents: Documents, path: str, line: str) -> str:
    kept: Mapping[str, str] = {
        f"\0{index}\0": match.group() for index, match in enumerate(_CODE.finditer(line))
    }
    for mark, shown in kept.items():
        line = line.replace(shown, mark, 1)
    line = _LINK.sub(lambda match: match[1] + _address(documents, path, match[2]) + match[3], line)
    for mark, shown in kept.items():
        line = line.replace(mark, shown)
    return line


def _address(documents: Documents, source: str, written: str) -> str:
    if _OUTSIDE.match(written):
        return written
    to, mark, anchor = written.partition("#")
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source), to))
    if not (documents.root / path).exists():
        raise BrokenLink(f"{source}: {written} is not in the repository")
    target, page = documents.target(path), documents.target(source)
    assert page is not None, source
    if target is None:
        return documents.hosted(path) + mark + anchor
    return relative(page, target) + mark + anchor
