"""The inputs of a run: which they are, by what each is known again, and what is in them."""

from __future__ import annotations

import glob
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from io import BufferedReader
from itertools import takewhile
from pathlib import Path, PurePath
from typing import Final, NamedTuple

import msgspec

from ..errors import Finding, ReadError, UsageError, printable
from ..files.compressed import compression_of, decompressed
from ..files.inputs import (
    STDIN,
    Source,
    Span,
    as_file,
    own_files,
    read_beginning,
    read_chunks,
    read_span,
    span_of,
)
from ..files.names import Compression, compression_named, form_named
from ..files.unreadable import unreadable
from .columns.inputs import document_lines, is_parquet
from .readers import PLAN, PassedOver, tables_of
from .remote import Changed, Object, Ranges, is_url, object_at, objects_below, written_at
from .store import Folder, open_store

__all__ = ["Found", "Input", "common_folder", "find_inputs", "read_input", "written_ms"]

_HEAD_BYTES: Final = 4
_LARGE_BYTES: Final = 8 << 20  # an object that may be cut into parts: its first bytes are looked at


class Input(msgspec.Struct, frozen=True):
    """A file that is read, and by what it is known again."""

    name: str
    size: int
    stamp: str
    """When it was written, or the tag that a store gives to what it holds."""


class Found(NamedTuple):
    """An input, and whether parts of it can be read as the lines that they are."""

    input: Input
    can_be_split: bool


def find_inputs(
    names: Iterable[str], *, takes_files: bool = False, passed_over: PassedOver | None = None
) -> Iterator[Found]:
    """Yield the inputs that ``names`` mean: files, folders, globs, and URLs of object stores.

    Of a folder all files of JSON Lines, compressed or not, but hidden ones, those of tools, and
    those in targets of runs; with ``takes_files`` also those that are named as recorded streams;
    of a table of a run those that its summary names. ``passed_over`` gets the other files of
    folders. A file that is named twice, or by a link too, comes once. Raises UsageError
    ``usage/unreadable-input``, and ``archive/not-ended``.
    """
    seen: set[object] = set()
    kinds = _Kinds(takes_files, PassedOver() if passed_over is None else passed_over)
    for name in names:
        if is_url(name):
            for found in _remote(name, kinds):
                if found.name not in seen:
                    seen.add(found.name)
                    yield Found(Input(found.name, found.size, found.stamp), _can_be_cut(found))
            continue
        for path in _local(name, kinds):
            given, identity, can_be_split = _look(path)
            if identity not in seen:
                seen.add(identity)
                yield Found(given, can_be_split)


def read_input(given: Input, begin: int, end: int | None) -> Iterator[bytes]:
    """Yield the lines that begin in a part of an input, without compression, some at a time.

    Of a compressed input, of which only a sample has an end: what its first bytes hold. Raises
    UsageError ``archive/input-changed`` and ``usage/unreadable-input``, and ReadError
    ``document/damaged-compression``.
    """
    try:
        if is_url(given.name):
            yield from _read_remote(given, begin, end)
        else:
            yield from _read_local(given, begin, end)
    except ReadError as error:
        raise ReadError(*(each._replace(source=given.name) for each in error.findings)) from None


def _read_local(given: Input, begin: int, end: int | None) -> Iterator[bytes]:
    _refuse_changed(given)
    if is_parquet(given.name):  # of which a sample is all
        yield from document_lines(given.name)
    elif begin == 0 and end is None:
        yield from read_chunks(given.name)
    elif begin == 0 and end is not None and Source(given.name).compression() is not None:
        yield from read_beginning(given.name, end)
    else:
        yield from read_span(given.name, Span(begin, end))
    _refuse_changed(given)


class _Kinds(NamedTuple):
    """Which files of a folder are inputs, and those that are not."""

    takes_files: bool
    passed_over: PassedOver

    def has(self, name: str) -> bool:
        """Tell whether a file is an input by its name; others are counted, but hidden ones."""
        if PurePath(name).name.startswith("."):
            return False
        if self.takes_files:
            is_input = _is_recorded(name)
        else:
            is_input = form_named(name) == "lines" or is_parquet(name)
        if not is_input:
            self.passed_over.add(name)
        return is_input

    @property
    def expected(self) -> str:
        """How inputs are named."""
        if self.takes_files:
            return f"files named {', '.join(_RECORDED)}, compressed or not"
        return "files named .jsonl or .ndjson, compressed or not, or .parquet"


_RECORDED: Final = (".sse", ".eventstream", ".jsonl", ".ndjson", ".json")
"""How files end that are recorded streams."""


def _is_recorded(name: str) -> bool:
    path = PurePath(name.lower())
    return (path.with_suffix("") if compression_named(name) else path).suffix in _RECORDED


def common_folder(names: Iterable[str]) -> str:
    """Return the folder in which all is that inputs mean; empty where there is none.

    It does not depend on what is there now, but on which of them are folders.
    """
    folders = [_folder_of(name).split("/") for name in names]
    shared = takewhile(lambda parts: len(set(parts)) == 1, zip(*folders, strict=False))
    return "/".join(parts[0] for parts in shared)


def _folder_of(name: str) -> str:
    if is_url(name):
        base, is_glob = _fixed(name)
        return base.rpartition("/")[0] if not is_glob and _is_recorded(base) else base
    if os.path.isdir(name):  # noqa: PTH112
        base = name
    elif os.path.exists(name) or not glob.has_magic(name):  # noqa: PTH110
        base = os.path.dirname(name)  # noqa: PTH120
    else:
        base = _fixed(name)[0]
    return Path(os.path.normpath(base)).as_posix()


def written_ms(given: Input) -> int:
    """Return when an input was written, in milliseconds since 1970."""
    return written_at(given.name) if is_url(given.name) else int(given.stamp) // 1_000_000


def _several(name: str, table: str) -> UsageError:
    return unreadable(name, "it has the tables of a run", f"one of them, such as {table}")


# --- files ----------------------------------------------------------------------------------------


def _local(name: str, kinds: _Kinds) -> Iterator[str]:
    if name == STDIN:
        raise unreadable("stdin", "an archive is read more than once", "files, folders or globs")
    # os.path answers False where pathlib raises: no right to look, a name that is too long.
    if os.path.isdir(name):  # noqa: PTH112
        yield from _folder(Path(name), kinds)
    elif os.path.exists(name) or not glob.has_magic(name):  # noqa: PTH110
        yield name
    else:
        base = Path(_fixed(name)[0])
        paths = sorted(filter(os.path.isfile, glob.glob(name, recursive=True)))  # noqa: PTH207
        found = [path for path in paths if not _is_of_run(Path(path).parent, base)]
        if not found:
            raise unreadable(name, "no file fits the glob")
        yield from map(as_file, found)


def _folder(base: Path, kinds: _Kinds) -> Iterator[str]:
    if (base / PLAN).exists():
        raise _several(str(base), str(base / "messages"))
    whole = Path(os.path.abspath(base))  # noqa: PTH100 - a link is the folder that was named
    rows = tables_of(Folder(whole.parent), whole.name)
    if rows is not None:
        yield from (str(base / Path(each).name) for each in rows)
        return
    is_empty = True
    for path in own_files(base):
        if not _is_of_run(path.parent, base) and kinds.has(str(path)):
            is_empty = False
            yield as_file(str(path))
    if is_empty:
        raise unreadable(str(base), "no file of lines is in the folder", kinds.expected)


@lru_cache(maxsize=1000)
def _is_of_run(folder: Path, base: Path) -> bool:
    """Tell whether a folder, or one above it and below ``base``, is the target of a run."""
    if folder == base or base not in folder.parents:
        return False
    return (folder / PLAN).exists() or _is_of_run(folder.parent, base)


def _look(name: str) -> tuple[Input, object, bool]:
    """Return what a file is now, what it is by any name, and whether it can be cut into parts."""
    if printable(name) != name:
        raise unreadable(printable(name), "its name is not UTF-8", "a name that a plan can have")
    try:
        # Without waiting for whoever writes into a pipe.
        handle = os.open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise unreadable(name, "it is not a file")
            is_lines = form_named(name) == "lines" and compression_named(name) is None
            head = os.read(handle, _HEAD_BYTES) if is_lines else b""
        finally:
            os.close(handle)
    except OSError as error:
        raise unreadable(name, error.strerror or str(error)) from None
    identity = (status.st_dev, status.st_ino) if status.st_ino else os.path.realpath(name)
    return _input(name, status), identity, is_lines and compression_of(head) is None


def _input(name: str, status: os.stat_result) -> Input:
    return Input(name, status.st_size, str(status.st_mtime_ns))


def _refuse_changed(given: Input) -> None:
    try:
        now = _input(given.name, os.stat(given.name))  # noqa: PTH116 - names need not be paths
    except OSError as error:
        raise unreadable(given.name, error.strerror or str(error)) from None
    if now != given:
        raise _changed(given, f"{now.size} bytes, written at {now.stamp}")


def _changed(given: Input, actual: str) -> UsageError:
    return UsageError(
        Finding(
            "archive/input-changed",
            "An input has changed since the run was planned",
            expected=f"{given.size} bytes, written at {given.stamp}",
            actual=actual,
            source=given.name,
        )
    )


# --- object stores --------------------------------------------------------------------------------


def _remote(url: str, kinds: _Kinds) -> Iterator[Object]:
    base, is_glob = _fixed(url)
    if not is_glob:
        found = object_at(url)
        if found is not None:
            yield found
            return
        if object_at(f"{base}/{PLAN}") is not None:
            raise _several(url, f"{base}/messages")
        parent, _, name = base.rpartition("/")
        rows = tables_of(open_store(parent), name) if not parent.endswith("/") else None
        if rows is not None:
            named = {f"{parent}/{each}" for each in rows}
            yield from (each for each in objects_below(base) if each.name in named)
            return
    pattern = re.compile(_pattern(url) if is_glob else "", re.DOTALL)
    there = list(objects_below(base))
    runs = tuple(each.name.removesuffix(PLAN) for each in there if each.name.endswith(f"/{PLAN}"))
    is_empty = True
    for found in there:
        if found.name.startswith(runs):
            continue
        if is_glob:
            is_input = pattern.fullmatch(found.name) is not None
        else:
            is_input = not _is_hidden(found.name[len(base) :]) and kinds.has(found.name)
        if is_input:
            is_empty = False
            yield found
    if is_empty:
        why = "no object fits the glob" if is_glob else "no object of lines is there"
        raise unreadable(url, why, kinds.expected)


def _is_hidden(key: str) -> bool:
    return any(each.startswith(".") for each in key.strip("/").split("/"))


def _fixed(name: str) -> tuple[str, bool]:
    """Return the folder in which all lies that fits a name, and whether it is a glob."""
    if not glob.has_magic(name):
        return name.rstrip("/"), False
    parts = name.split("/")
    fixed = next(at for at, part in enumerate(parts) if glob.has_magic(part))
    return "/".join(parts[:fixed]), True


def _pattern(url: str) -> str:
    """Return a glob as a regular expression: ``*`` within a folder, ``**`` over folders."""
    found = ""
    for part in re.split(r"(\*\*/|\*\*|\*|\?|\[[^\]]+\])", url):
        if part == "**/":
            found += "(?:.*/)?"
        elif part == "**":
            found += ".*"
        elif part == "*":
            found += "[^/]*"
        elif part == "?":
            found += "[^/]"
        elif part.startswith("[") and part.endswith("]"):
            inside = part[1:-1].replace("\\", "\\\\")
            found += f"[^{inside[1:]}]" if inside.startswith("!") else f"[{inside}]"
        else:
            found += re.escape(part)
    return found


def _can_be_cut(found: Object) -> bool:
    name = found.name
    if form_named(name) != "lines" or compression_named(name) is not None:
        return False
    if found.size <= _LARGE_BYTES:
        return False  # it is read at once
    return compression_of(Ranges(found, _HEAD_BYTES).read(_HEAD_BYTES) or b"") is None


def _read_remote(given: Input, begin: int, end: int | None) -> Iterator[bytes]:
    found = Object(given.name, given.size, given.stamp)
    try:
        if begin == 0 and end is None:
            named: Compression | None = compression_named(given.name)
            yield from decompressed(Ranges(found).pieces(), named)
        elif begin == 0 and not _can_be_cut(found):
            with suppress(ReadError):  # it ends where no compressed text does
                yield from decompressed(Ranges(found, end).pieces(), None)
        else:
            yield from span_of(BufferedReader(Ranges(found, end)), Span(begin, end))
    except Changed:
        now = object_at(given.name)
        actual = "nothing" if now is None else f"{now.size} bytes, written at {now.stamp}"
        raise _changed(given, actual) from None
