"""What can be compared: files, folders, contract versions, and files or folders of a commit."""

from __future__ import annotations

import json
import os
import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, unquote

from ...contract.resources import bundle, read_folder
from ...contract.versions import families
from ...errors import Finding, FramingError, PartwireError, ReadError
from ...json.pointer import escape_pointer
from ...json.positions import Position, Positions
from ...json.text import decode_json
from ...json.yaml_text import YamlDocument, yaml_documents
from ...providers.framing import DEFAULT_LIMIT_BYTES, join_whole
from ..report import SINGLE
from .git import missing, read_git, repository_path
from .recognition import prepared
from .schemas import CompatError, Place, SchemaSet, components, invalid

__all__ = ["Source", "Text", "file_bytes", "load_source", "load_source_at", "name_twice"]


# --- duplicate names ------------------------------------------------------------------------------


class _Object:
    """An object as it is in the text."""

    def __init__(self, members: list[tuple[str, Any]]) -> None:
        self.members = members


def name_twice(data: bytes) -> str | None:
    """Return the pointer of the first name that an object of a JSON text has twice, or None.

    The text is valid JSON, and no deeper than a reader can follow.
    """
    repeats = False

    def watch(members: list[tuple[str, Any]]) -> None:
        nonlocal repeats
        repeats = repeats or len(members) != len(dict(members))

    json.loads(data, object_pairs_hook=watch)
    return _pointer(json.loads(data, object_pairs_hook=_Object)) if repeats else None


def _pointer(value: Any) -> str | None:
    if isinstance(value, _Object):
        seen: set[str] = set()
        for name, member in value.members:
            step = f"/{escape_pointer(name)}"
            if name in seen:
                return step
            seen.add(name)
            below = _pointer(member)
            if below is not None:
                return step + below
    elif isinstance(value, list):
        for number, item in enumerate(value):
            below = _pointer(item)
            if below is not None:
                return f"/{number}{below}"
    return None


# --- sources --------------------------------------------------------------------------------------

_CONTRACT: Final = re.compile(r"(v\d+\.\d+)(?:/([a-z]+))?")
_SUFFIX: Final = ".json"
_YAML_SUFFIXES: Final = (".yaml", ".yml")
_CHUNK_BYTES: Final = 1 << 20


@dataclass(frozen=True)
class Text:
    """One document: ``uri`` is its name among the others, ``name`` what people call it."""

    uri: str
    name: str
    data: bytes
    path: str | None = None
    """The file in the working tree, if it is one: what annotations refer to."""

    @cached_property
    def value(self) -> Any:
        """The parsed document. Raises ReadError, with the document's name."""
        try:
            return decode_json(self.data if self._yaml is None else self._yaml.data)
        except PartwireError as error:
            error.findings = tuple(each._replace(source=self.name) for each in error.findings)
            error.args = error.findings
            raise

    def refuse_names_twice(self, place: Place) -> None:
        """Refuse an object that has a name twice. Raises CompatError, with the pointer to it."""
        pointer = None if self._yaml is not None else name_twice(self.data)
        if pointer is not None:
            raise CompatError(
                Finding(
                    "compat/invalid-schema",
                    "A name stands twice in one object: which of the two counts, nobody can say",
                    pointer=pointer,
                    expected="each name once",
                    actual=pointer.rpartition("/")[2],
                    source=place.resource.document,
                )
            )

    @cached_property
    def _yaml(self) -> YamlDocument | None:
        """The document, where its name says that it is YAML; a file holds one schema."""
        if not self.name.endswith(_YAML_SUFFIXES):
            return None
        found = list(islice(yaml_documents(BytesIO(self.data), DEFAULT_LIMIT_BYTES), 2))
        if len(found) != 1:
            message = "A file of a schema holds one YAML document"
            line = found[1].begin.line if found else None
            raise ReadError(Finding("document/invalid-yaml", message, line=line))
        return found[0]

    @cached_property
    def _positions(self) -> Positions:
        return Positions(self.data)

    def find(self, pointer: str) -> Position:
        """Return line and column of a pointer."""
        if self._yaml is not None:
            return self._yaml.position(pointer)
        return self._positions.find(pointer)


@dataclass(frozen=True)
class Source:
    """The documents that one argument stands for, by URI: paths relative to a folder.

    ``single``: one document is meant, whose URI is ``SINGLE``; ``own_name`` is what its neighbours
    call it. ``within``: only what is in this folder is meant, the rest is referred to.
    """

    name: str
    texts: dict[str, Text]
    single: bool = False
    own_name: str = ""
    within: str = ""

    def meant(self) -> list[Text]:
        """Return the documents that are compared, without those that they only refer to."""
        if self.single:
            return [self.texts[SINGLE]]
        return [text for uri, text in self.texts.items() if uri.startswith(self.within)]

    def schemas(self, dialect: str = "2020-12") -> tuple[SchemaSet, dict[str, Place]]:
        """Return the documents as a set, and by URI as places.

        Raises CompatError ``compat/invalid-schema`` and ReadError, with the name of the file.
        """
        found = SchemaSet(dialect=dialect)
        places: dict[str, Place] = {}
        for uri, text in self.texts.items():
            value = text.value
            try:
                places[uri] = place = found.add(prepared(value), uri)
                if not isinstance(value, (dict, bool)):
                    raise invalid(place, "No schema", expected="an object", actual=value)
                found.parts += [part for _, part in components(found, place)]
                text.refuse_names_twice(place)
            except PartwireError as error:
                raise self.placed(error) from None
        if self.own_name and SINGLE in places:
            found.alias(self.own_name, places[SINGLE])
        return found, places

    def placed(self, error: PartwireError) -> PartwireError:
        """Return the error with findings that name file and line."""
        error.findings = error.args = tuple(self._placed(each) for each in error.findings)
        return error

    def _placed(self, finding: Finding) -> Finding:
        text = self.texts.get(finding.source or "")
        if text is None:
            return finding._replace(source=finding.source or self.name)
        return finding._replace(source=text.name, line=text.find(finding.pointer).line)


def load_source(name: str) -> Source:
    """Return what an argument stands for.

    A file (JSON, or YAML by its name) or a folder of JSON files; a contract version such as
    ``v0.1``, or a family of one, ``v0.1/message``, where no file has that name; ``git:REF:PATH``, a
    file or a folder of a commit. Raises UsageError ``usage/unreadable-input``,
    ``usage/unknown-version`` or ``usage/unknown-family``.
    """
    if name.startswith("git:"):
        ref, colon, path = name[4:].partition(":")
        if not colon:
            raise missing(name, "the form is git:REF:PATH, as in git:main:schemas")
        found = _from_git(name, ref, path)
        if found is None:
            raise missing(name, f"{ref} has no such path")
        return found
    contract = _CONTRACT.fullmatch(name)
    if contract and not os.path.lexists(name):
        return _contract(name, contract[1], contract[2] or "")
    return _from_disk(name)


def load_source_at(ref: str, path: str) -> Source | None:
    """Return what is at ``path``, of the working tree, in a commit; None: nothing yet.

    Raises UsageError as :func:`load_source` does.
    """
    inside = repository_path(path)
    return _from_git(f"git:{ref}:{inside}", ref, inside)


def _contract(name: str, version: str, family: str) -> Source:
    known = families(version)
    if family and family not in known:
        bundle(family, version)  # says which there are
    files = {
        f"{version}/{name}": (_uri(name), data)
        for name, data in read_folder(version).items()
        if not name.startswith("bundles/")
    }
    texts = {uri: Text(uri, name, data) for name, (uri, data) in files.items()}
    return Source(name, texts, within=f"{family}/" if family else "")


def _from_disk(name: str) -> Source:
    path = Path(name)
    texts: dict[str, Text] = {}
    data = b""
    try:
        if is_folder := path.is_dir():
            texts = _folder(path, name.rstrip("/"))
        else:
            data = file_bytes(path)
    except OSError as error:
        raise missing(name, error.strerror or str(error)) from None
    except FramingError:
        raise
    except ValueError:
        raise missing(repr(name), "no file has such a name") from None
    if is_folder:
        return _not_empty(Source(name, texts))

    def read(relative: str) -> Text | None:
        beside = path.parent / relative
        if not os.path.isfile(beside):  # noqa: PTH113 - pathlib raises where nobody may look
            return None
        return Text(_uri(relative), str(beside), file_bytes(beside), str(beside))

    return _with_neighbours(name, path.name, Text(SINGLE, name, data, name), read)


def _folder(folder: Path, label: str) -> dict[str, Text]:
    """Return every JSON file below a folder, by path; what git keeps for itself is not looked at.

    Raises OSError.
    """
    texts: dict[str, Text] = {}
    for root, folders, files in os.walk(folder, onerror=_raise):
        folders[:] = sorted(set(folders) - {".git"})
        for file in sorted(files):
            if file.endswith(_SUFFIX):
                path = Path(root) / file
                relative = path.relative_to(folder).as_posix()
                name = f"{label}/{relative}" if label != "." else relative
                uri = _uri(relative)
                texts[uri] = Text(uri, name, file_bytes(path), name)
    return texts


def file_bytes(path: Path) -> bytes:
    """Return what a file holds, within a limit: it may be a device, which has no end.

    Raises OSError, and FramingError ``framing/document-too-large``.
    """
    with path.open("rb") as file:
        try:
            return join_whole(iter(partial(file.read, _CHUNK_BYTES), b""))
        except FramingError as error:
            raise FramingError(error.findings[0]._replace(source=str(path))) from None


def _raise(error: OSError) -> None:
    raise error


def _from_git(name: str, ref: str, path: str) -> Source | None:
    files = read_git(ref, path, _SUFFIX)
    if files is None:
        return None
    if len(files) == 1 and files[0].path == "":
        folder, _, own = path.rpartition("/")

        def read(relative: str) -> Text | None:
            beside = posixpath.normpath(posixpath.join(folder, relative))
            if beside.startswith("../"):
                return None
            if path.startswith("./"):
                beside = f"./{beside}"
            found = read_git(ref, beside, _SUFFIX)
            if not found or found[0].path != "":
                return None
            return Text(_uri(relative), f"git:{ref}:{beside}", found[0].data)

        return _with_neighbours(name, own, Text(SINGLE, name, files[0].data), read)
    label = name.rstrip("/") + ("" if name.endswith(":") else "/")
    texts = {
        _uri(file.path): Text(_uri(file.path), f"{label}{file.path}", file.data) for file in files
    }
    return _not_empty(Source(name, texts))


def _not_empty(source: Source) -> Source:
    if not source.texts:
        raise missing(source.name, f"no file in it ends with {_SUFFIX}")
    return source


def _uri(path: str) -> str:
    return quote(path, safe="/!$&'()*+,;=@~", errors="surrogateescape")


def _with_neighbours(
    name: str, own_name: str, first: Text, read: Callable[[str], Text | None]
) -> Source:
    """Return a document with all files that it refers to by relative paths, and these in turn."""
    texts = {SINGLE: first}
    open_texts = [first]
    seen = {own_name, ""}
    while open_texts:
        here = open_texts.pop()
        base = "" if here.uri == SINGLE else unquote(here.uri)
        for reference in _references(here.value):
            path = unquote(reference.partition("#")[0])
            if not path or path.startswith("/") or ":" in path:
                continue
            relative = posixpath.normpath(posixpath.join(posixpath.dirname(base), path))
            if relative in seen:
                continue
            seen.add(relative)
            found = read(relative)
            if found is not None:
                texts[found.uri] = found
                open_texts.append(found)
    return Source(name, texts, single=True, own_name=_uri(own_name))


def _references(value: Any) -> Iterator[str]:
    stack = [value]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            reference = part.get("$ref")
            if isinstance(reference, str):
                yield reference
            stack.extend(part.values())
        elif isinstance(part, list):
            stack.extend(part)
