"""What is written by hand, docs/ and the READMEs, with links that are right on the site."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from codegen.site.markdown import Page, bullets, link, relative
from codegen.site.places import COMMANDS, CONTRACT, LOSSES, RULES, api_index

__all__ = ["BrokenLink", "Documents", "pages", "static_files"]

_HOME: Final = "index.md"
_HOME_TEXT: Final = Path(__file__).with_name("home.md")
_ELSEWHERE: Final = {
    "README.md": _HOME,
    "docs/README.md": "documents.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "fixtures/README.md": "fixtures/index.md",
}
"""Path in the repository → page; of docs/ all, and the READMEs of examples, are where they are."""
_GENERATED: Final = {
    "docs/decisions": "decisions/index.md",
    "schemas": CONTRACT,
    "schemas/rules": RULES,
    "schemas/tables/losses.json": LOSSES,
    "python/partwire": api_index("python"),
    "python/partwire/cli": COMMANDS,
    "typescript/src": api_index("typescript"),
    "rust/src": api_index("rust"),
}
"""Path in the repository → the page that is made of it, and lists what is in it."""
_STATIC: Final = (".svg", ".png", ".json")
_DECISIONS: Final = "decisions/index.md"
_NOT_HOSTED: Final = "/OWNER/"
"""What the address of a repository has that is not published."""
_LINK: Final = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^)\s]+)\)")
_PICTURE: Final = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
_BLOCK: Final = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_PART: Final = re.compile(r"^<!-- README.md: (.*) -->$", re.MULTILINE)
_CODE: Final = re.compile(r"(`+)(?:(?!\1).)+\1")
_FENCE: Final = re.compile(r" *(`{3,}|~{3,})")
_OUTSIDE: Final = re.compile(r"[a-z]+:|#")


_NOT_SEARCHED: Final = ("requirements.md",)
"""Pages for those who work on partwire: they have the words of all others."""


class BrokenLink(Exception):
    """A link of a document leads to nothing in the repository."""


@dataclass(frozen=True, slots=True)
class Documents:
    """The repository's folder and its address, without which there is nothing to link to."""

    root: Path
    address: str

    def target(self, path: str) -> str | None:
        """Return the page or file of the site that a path of the repository is, or None."""
        if path in _ELSEWHERE or path in _GENERATED:
            return _ELSEWHERE.get(path) or _GENERATED[path]
        if re.fullmatch(r"examples/(?:.+/)?README\.md", path):
            return path.replace("README.md", "index.md")
        if path.startswith("docs/") and path.endswith((".md", *_STATIC)):
            return path.removeprefix("docs/")
        if path.startswith("schemas/") and path.endswith(".schema.json"):
            return path
        return None

    def title(self, path: str) -> str:
        """Return the title of a document, or "" where a path is none."""
        if not path.endswith(".md"):
            return ""
        return _title((self.root / path).read_text("utf-8"))

    def hosted(self, path: str) -> str | None:
        """Return the address of a file or folder where the repository is hosted, if it is."""
        if _NOT_HOSTED in self.address:
            return None
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
        if place == _HOME:
            text = home(text)
        searched = place not in _NOT_SEARCHED
        made = rewritten(documents, path, text)
        yield Page(place, title, made, searched=searched, heading=True)
    about = "Why some things are as they are: one page for each decision."
    listed = bullets(link(_DECISIONS, place, title) for place, title in decisions)
    yield Page(_DECISIONS, "Decisions", f"{about}\n\n{listed}\n", about)


def home(readme: str) -> str:
    """Return the text of the site's first page, with the parts of README.md that it names.

    ``Start`` is the first two blocks of code there; the others are sections.
    """
    head, *sections = re.split(r"^## ", readme, flags=re.MULTILINE)
    parts = dict(section.split("\n", 1) for section in sections)
    parts["Start"] = "\n\n".join(_BLOCK.findall(head)[:2])
    text = _HOME_TEXT.read_text("utf-8")
    return _PART.sub(lambda match: parts[match[1]].strip("\n"), text)


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
    lines: list[str] = []
    words: list[str] = []
    marks, margin = "", 0
    for line in text.splitlines():
        if marks:
            lines.append(" " * margin + line if line else line)
            if line.strip().startswith(marks) and not line.strip(" `~"):
                marks = ""
            continue
        fence = _FENCE.match(line)
        if fence is None:
            words.append(line)
            continue
        lines += _nested(_linked(documents, path, words))
        words = []
        marks, margin = fence[1], len(line) - len(line.lstrip(" "))
        lines += _nested([line])
    lines += _nested(_linked(documents, path, words))
    return "\n".join(lines) + "\n"


def _nested(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines as they are nested: a list within a list has four blanks in Python-Markdown."""
    for line in lines:
        yield " " * (len(line) - len(line.lstrip(" "))) + line


def _linked(documents: Documents, path: str, lines: Sequence[str]) -> list[str]:
    """Return lines without blocks of code; the words of a link may go over two of them."""
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(found[0])
        return f"\0{len(kept) - 1}\0"

    text = _CODE.sub(keep, "\n".join(lines))
    text = _PICTURE.sub(lambda match: f"!{_shown(documents, path, match)}", text)
    text = _LINK.sub(lambda match: _shown(documents, path, match), text)
    text = re.sub("\0(\\d+)\0", lambda found: kept[int(found[1])], text)
    return text.split("\n") if lines else []


def _shown(documents: Documents, source: str, found: re.Match[str]) -> str:
    """Return a link as it is on the site: a page has its title there, in place of its file."""
    label, written = found.groups()
    address = _address(documents, source, written)
    if address is None:
        return label
    if label in (written, f"docs/{written}", f"{written}/") or label.endswith((".md", "/")):
        label = documents.title(_path(source, written)) or label
    return f"[{label}]({address})"


def _path(source: str, written: str) -> str:
    """Return the path in the repository that a link of a document leads to."""
    to = written.partition("#")[0]
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), to))


def _address(documents: Documents, source: str, written: str) -> str | None:
    """Return the address of a link on the site; None where there is nothing to link to."""
    if _OUTSIDE.match(written):
        return written
    _, mark, anchor = written.partition("#")
    path = _path(source, written)
    if not (documents.root / path).exists():
        raise BrokenLink(f"{source}: {written} is not in the repository")
    target, page = documents.target(path), documents.target(source)
    assert page is not None, source
    if target is None:
        hosted = documents.hosted(path)
        return None if hosted is None else hosted + mark + anchor
    return relative(page, target) + mark + anchor
