"""References of the packages: an index for each language, and a page for each of its modules."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from codegen.site.docstrings import first_sentence, markdown_of
from codegen.site.markdown import Page, code, fence, link, table
from codegen.site.places import CONTRACT, api_index, api_page

__all__ = ["Entry", "Language", "Module", "NotDeclared", "pages"]


class NotDeclared(Exception):
    """A public name whose declaration is not found in the source."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A public name: how it is declared, what is said of it, and its public members."""

    name: str
    declaration: str
    words: str
    members: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True)
class Module:
    """A module that programs import from: ``imported`` is the line that does so."""

    name: str
    imported: str
    words: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Language:
    """A language: ``folder`` is below ``api/``, ``fence`` what its blocks of code are called."""

    title: str
    folder: str
    fence: str
    types: str
    """Where its types of the contract are: they have no page here."""


_NO_SIGN: Final = re.compile(r"[^\w\- ]")


def pages(language: Language, modules: Sequence[Module]) -> Iterator[Page]:
    """Yield the pages of a language, its index first."""
    index = api_index(language.folder)
    about = f"What programs import from the {language.title} package, and what is said of it there."
    contract = link(index, CONTRACT, "the contract")
    types = f"Types of the contract ({language.types}) are described in {contract}."
    rows = []
    for module in modules:
        words = first_sentence(module.words)
        rows.append([link(index, api_page(language.folder, module.name), code(module.name)), words])
    listed = table(["module", "what"], rows)
    yield Page(index, language.title, f"{about}\n\n{types}\n\n{listed}\n", about)
    for module in modules:
        path = api_page(language.folder, module.name)
        # In one line, as llms.txt and the head of a page want it.
        about = re.sub(r"[`\\]", "", first_sentence(module.words))
        crumbs = f"{link(path, index, language.title)} › {module.name}"
        body = f"{crumbs}\n\n{_body(language, module)}"
        yield Page(path, f"{module.name} ({language.title})", body, about)


def _body(language: Language, module: Module) -> str:
    seen: Counter[str] = Counter()
    shown, listed = [], []
    for entry in module.entries:
        anchor = _anchor(entry.name, seen)
        listed.append([f"[{code(entry.name)}](#{anchor})", first_sentence(entry.words)])
        shown += [f"## {code(entry.name)}", *_blocks(language, entry)]
        for member in entry.members:
            _anchor(member.name, seen)
            shown += [f"### {code(member.name)}", *_blocks(language, member)]
    imported = fence(module.imported, language.fence)
    head = [markdown_of(module.words), imported, table(["name", "what"], listed)]
    return "\n\n".join(part for part in (*head, *shown) if part) + "\n"


def _blocks(language: Language, entry: Entry) -> Iterator[str]:
    if entry.declaration:
        yield fence(entry.declaration, language.fence)
    yield markdown_of(entry.words)


def _anchor(heading: str, seen: Counter[str]) -> str:
    """Return the anchor that Zensical gives a heading, after those that it has seen."""
    anchor = _NO_SIGN.sub("", heading).strip().lower().replace(" ", "-")
    seen[anchor] += 1
    return anchor if seen[anchor] == 1 else f"{anchor}_{seen[anchor] - 1}"
