"""What the commands read: files, folders, globs and stdin, compressed or not."""

from __future__ import annotations

import glob
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from io import BufferedIOBase, BufferedReader, BytesIO, RawIOBase
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, cast

from ..errors import Finding, FramingError, ReadError
from ..providers.framing.jsonlines import LineBlock, LineBlockDecoder
from .compressed import compression_of, decompressed
from .documents import Document, Entries
from .limits import CHUNK_BYTES, document_bytes
from .names import SUFFIXES, Compression, Form, compression_named, form_named
from .unreadable import unreadable

__all__ = [
    "STDIN",
    "HeldSource",
    "Source",
    "Span",
    "as_file",
    "expand",
    "own_files",
    "read_beginning",
    "read_chunks",
    "read_span",
    "span_of",
]

STDIN: Final = "-"
_LINE_BYTES: Final = 1 << 12  # most lines are shorter


class Span(NamedTuple):
    """A part of a file: the lines that begin at or behind ``begin`` and before ``end``.

    Both are offsets in bytes; ``end`` None is the end of the file.
    """

    begin: int
    end: int | None


class Source:
    """A file or stdin. Iterating it gives its documents in order, in constant memory for lines,
    items of an array and documents of YAML.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.path = None if name == STDIN else Path(name)
        self.label = "<stdin>" if name == STDIN else name
        self.form: Form | None = None if name == STDIN else form_named(name)

    def size_bytes(self) -> int | None:
        """Return the size, or None where it is not known (stdin, pipes)."""
        if self.path is None:
            return None
        try:
            status = self.path.stat()
        except OSError:  # whoever reads it says why
            return None
        return status.st_size if stat.S_ISREG(status.st_mode) else None

    def compression(self) -> Compression | None:
        """Return how a file is compressed; None for stdin, and where nothing can be read."""
        if self.size_bytes() is None:
            return None
        try:
            with open(self.name, "rb") as file:  # noqa: PTH123 - names need not be paths
                return _compression(file, self.name)
        except OSError:
            return None

    def can_be_split(self) -> bool:
        """Return whether parts of the file can be read as the lines that they are."""
        return self.form == "lines" and self.compression() is None

    def documents(self) -> Iterator[Document]:
        """Yield the documents.

        Files named ``.jsonl`` or ``.ndjson`` are JSON Lines, ``.yaml`` or ``.yml`` YAML, ``.json``
        is one document or an array of them. Anything else is an array if it begins with ``[``, JSON
        Lines if its first line alone is a JSON value, and one document if not. Raises UsageError
        ``usage/unreadable-input``, ReadError for bytes that are not what they are said to be, and
        FramingError for a document beyond the limit.
        """
        with self.entries() as entries:
            yield from entries.documents()

    def blocks(self, span: Span | None = None) -> Iterator[Document | LineBlock]:
        """Yield JSON Lines in blocks, with their line ends, as they come, or else the documents.

        ``span`` is a part of a file of JSON Lines, whose first line is number 1 then. Raises as
        :meth:`documents`.
        """
        if span is not None:
            with self.labelled():
                yield from _line_blocks(read_span(self.name, span), midway=span.begin > 0)
            return
        with self.entries() as entries:
            if entries.lines and not entries.is_yaml:
                yield from _line_blocks(entries.chunks())
            else:
                yield from entries.documents()

    @contextmanager
    def entries(self) -> Iterator[Entries]:
        """Give what reads the source; what reading it raises names the source."""
        with self.labelled(), self.opened() as file:
            yield Entries(file, self.form, self.name)

    @contextmanager
    def opened(self) -> Iterator[BufferedIOBase]:
        """Give the bytes without compression, as a file that can be read, and sought if it can be.

        Raises UsageError ``usage/unreadable-input``; what reading it raises is the system's.
        """
        with ExitStack() as stack:
            with _readable(self.name):
                file = stack.enter_context(_raw(self.name))
                is_file = self.path is not None and stat.S_ISREG(os.fstat(file.fileno()).st_mode)
                is_plain = is_file and _compression(file, self.name) is None
            yield file if is_plain else BufferedReader(_Plain(file, self.name), CHUNK_BYTES)

    def chunks(self) -> Iterator[bytes]:
        """Yield the bytes without compression, as they come; raises as :func:`read_chunks`."""
        return read_chunks(self.name)

    @contextmanager
    def labelled(self) -> Iterator[None]:
        """Name the source in the findings of what is raised within."""
        try:
            yield
        except (FramingError, ReadError) as error:
            error.findings = tuple(
                _with_option(each)._replace(source=self.label) for each in error.findings
            )
            error.args = error.findings
            raise


class HeldSource(Source):
    """A source whose bytes, without compression, are in memory: it can be read again and again."""

    def __init__(self, source: Source, data: bytes, form: Form | None) -> None:
        super().__init__(source.name)
        self.form = form
        self.data = data

    def size_bytes(self) -> int:
        """Return the size."""
        return len(self.data)

    def compression(self) -> None:
        """Return None: it is not compressed."""

    @contextmanager
    def opened(self) -> Iterator[BufferedIOBase]:
        """Give the bytes as a file."""
        yield BytesIO(self.data)

    def chunks(self) -> Iterator[bytes]:
        """Yield the bytes."""
        data = self.data
        return (data[at : at + CHUNK_BYTES] for at in range(0, len(data), CHUNK_BYTES))


_LIMITED: Final = frozenset({"framing/line-too-long", "framing/document-too-large"})


def _with_option(finding: Finding) -> Finding:
    """Return a finding that says which option sets the limit that it is about."""
    option = "partwire --max-document-bytes N … takes more"
    if finding.rule not in _LIMITED or option in (finding.expected or ""):
        return finding
    return finding._replace(expected=f"{finding.expected}; {option}")


def _line_blocks(chunks: Iterator[bytes], *, midway: bool = False) -> Iterator[LineBlock]:
    decoder = LineBlockDecoder(document_bytes(), midway=midway, keep_ends=True)
    try:
        for chunk in chunks:
            yield from decoder.feed(chunk)
    except ReadError as error:  # the compression of what follows is damaged
        line = decoder.lines_read + 1
        raise ReadError(*(each._replace(line=line) for each in error.findings)) from None
    yield from decoder.close()


# --- bytes ----------------------------------------------------------------------------------------


def read_chunks(name: str) -> Iterator[bytes]:
    """Yield the bytes of a file or of stdin as they come, without compression, at most 128 KiB at
    a time.

    Raises UsageError ``usage/unreadable-input`` and ReadError ``document/damaged-compression``.
    """
    with _readable(name), _raw(name) as file:
        yield from decompressed(_chunks(file), _compression_named(name))


def read_beginning(name: str, size: int) -> Iterator[bytes]:
    """Yield, without compression, what the first ``size`` bytes of a file hold.

    Raises UsageError ``usage/unreadable-input``.
    """
    with _readable(name), _raw(name) as file:
        beginning = BytesIO(file.read(size))
        with suppress(ReadError):  # it ends where no compressed text does
            yield from decompressed(iter(lambda: beginning.read(CHUNK_BYTES), b""), None)


@contextmanager
def _raw(name: str) -> Iterator[BufferedReader]:
    if name == STDIN:
        if sys.stdin is None:
            raise unreadable(name, "stdin is closed")
        yield cast(BufferedReader, sys.stdin.buffer)
        return
    if not name:
        raise unreadable('""', "a file has a name")
    with Path(name).open("rb") as file:
        yield file


def _compression_named(name: str) -> Compression | None:
    return None if name == STDIN else compression_named(name)


def _compression(file: BinaryIO, name: str) -> Compression | None:
    """Return how a file is compressed, or is said to be; it is at its beginning."""
    head = file.read(4)
    file.seek(0)
    return compression_of(head) or compression_named(name)


class _Plain(RawIOBase):
    """The bytes of a file without compression, which can be sought where the file can be."""

    def __init__(self, file: BufferedReader, name: str) -> None:
        self._inner = file
        self._named: Compression | None = _compression_named(name)
        self._begin()

    def _begin(self) -> None:
        self._chunks = decompressed(_chunks(self._inner), self._named)
        self._left = memoryview(b"")
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._inner.seekable()

    def fileno(self) -> int:
        return self._inner.fileno()

    def readinto(self, buffer: Any, /) -> int:
        if not self._left:
            self._left = memoryview(next(self._chunks, b""))
        room = memoryview(buffer).cast("B")
        size = min(len(room), len(self._left))
        room[:size] = self._left[:size]
        self._left = self._left[size:]
        self._at += size
        return size

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Go to a place, counted from the beginning."""
        assert whence == os.SEEK_SET
        if offset < self._at:
            self._inner.seek(0)
            self._begin()
        skipped = bytearray(CHUNK_BYTES)
        while self._at < offset and self.readinto(memoryview(skipped)[: offset - self._at]):
            pass
        return self._at


@contextmanager
def _readable(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        expected = None
        if isinstance(error, FileNotFoundError):
            if os.path.islink(name):  # noqa: PTH114 - names need not be paths
                why = f"the link leads to {os.readlink(name)}, which is not there"  # noqa: PTH115
            expected = _near(name)
        elif isinstance(error, IsADirectoryError):
            expected = f"a file, or a folder with files named {', '.join(SUFFIXES)}"
        raise unreadable(name, why, expected) from None


def _near(name: str) -> str | None:
    """Return the file that was probably meant, from the same folder."""
    import difflib  # noqa: PLC0415 - only a mistake needs it

    folder, base = os.path.split(name)
    try:
        names = os.listdir(folder or os.curdir)  # noqa: PTH208 - a name is a text
    except OSError:
        return f"a folder {folder}" if folder else None
    near = difflib.get_close_matches(base, names, n=1)
    return os.path.join(folder, near[0]) if near else None  # noqa: PTH118


def _chunks(file: BufferedReader) -> Iterator[bytes]:
    # read1 returns what is there: a live stream is shown as it comes.
    while chunk := file.read1(CHUNK_BYTES):
        yield chunk


def read_span(name: str, span: Span) -> Iterator[bytes]:
    """Yield the lines of a span, whole; raises as :func:`read_chunks`."""
    with _readable(name), Path(name).open("rb") as file:
        yield from span_of(file, span)


def span_of(file: BufferedReader, span: Span) -> Iterator[bytes]:
    """Yield the lines of a span of an open file, whole; raises what reading it raises."""
    at = _line_start(file, span) if span.begin else 0
    if span.end is not None and at >= span.end:
        return
    file.seek(at)
    size = CHUNK_BYTES
    while chunk := file.read1(size):
        if span.end is not None and at + len(chunk) >= span.end:
            # The first line end at or behind the last byte ends the last line.
            end = chunk.find(b"\n", max(0, span.end - 1 - at)) + 1
            if end:
                yield chunk[:end]
                return
        yield chunk
        at += len(chunk)
        if span.end is not None and at < span.end:
            # What lies behind the end is another's to read, but for the rest of a line.
            size = min(CHUNK_BYTES, max(_LINE_BYTES, span.end - at))
        else:
            size = CHUNK_BYTES


def _line_start(file: BufferedReader, span: Span) -> int:
    """Return where the first line of the span begins; beyond the span if none does."""
    # The line that a span begins in the midst of belongs to the span before.
    at = span.begin - 1
    file.seek(at)
    size = min(CHUNK_BYTES, _LINE_BYTES)
    while (span.end is None or at < span.end) and (chunk := file.read1(size)):
        place = chunk.find(b"\n")
        if place >= 0:
            return at + place + 1
        at += len(chunk)
        size = CHUNK_BYTES
    return at


def expand(names: tuple[str, ...]) -> list[Source]:
    """Return the sources that ``names`` mean: files, ``-``, folders, and globs that the shell
    left.

    Of a folder all files that are named as inputs, with those of its folders but hidden ones and
    those of tools. Raises UsageError ``usage/unreadable-input`` where there is no file.
    """
    sources = []
    for name in names:
        # os.path answers False where pathlib raises: no right to look, a name that is too long.
        if name != STDIN and os.path.isdir(name):  # noqa: PTH112
            inside = [str(path) for path in own_files(Path(name)) if form_named(path.name)]
            # A folder without any stays, so that it is reported in its turn.
            sources += [Source(as_file(path)) for path in inside or (name,)]
            continue
        if name == STDIN or os.path.exists(name) or not glob.has_magic(name):  # noqa: PTH110
            sources.append(Source(name))
            continue
        # Path.glob takes no absolute pattern.
        found = sorted(filter(os.path.isfile, glob.glob(name, recursive=True)))  # noqa: PTH207
        if not found:
            raise unreadable(name, "no file fits the glob")
        sources += [Source(as_file(path)) for path in found]
    return sources


def as_file(name: str) -> str:
    """Return the name of a file that was found, such that it is not stdin."""
    return f"{os.curdir}{os.sep}{name}" if name == STDIN else name


# --- folders --------------------------------------------------------------------------------------

_TOOLS: Final = frozenset({"node_modules", "__pycache__"})
"""Folders that hold what tools have put there."""


def own_files(base: Path) -> Iterator[Path]:
    """Yield the files of a folder and of its folders, each folder's in order of their names.

    Hidden folders, virtual environments, ``node_modules`` and ``__pycache__`` are passed over,
    pipes, sockets and devices, which may never end, too; links to folders are not followed, and a
    folder that is not there is empty. Raises UsageError ``usage/unreadable-input`` for one
    that cannot be read, which would hide files.
    """
    for folder, names, files in os.walk(base, onerror=_unless_missing):
        names[:] = sorted(each for each in names if _is_own(folder, each))
        yield from filter(_is_to_read, (Path(folder, each) for each in sorted(files)))


def _is_to_read(path: Path) -> bool:
    """Return whether it is a file; a link that leads nowhere is one that will be reported."""
    # os.path answers False where pathlib raises: whoever reads it says why it cannot.
    return os.path.isfile(path) or not os.path.exists(path)  # noqa: PTH110, PTH113


def _unless_missing(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError | NotADirectoryError):
        name = Path(error.filename or "")
        with suppress(ValueError, OSError):  # it is as people write it: from the working folder
            name = name.relative_to(Path.cwd())
        raise unreadable(str(name), error.strerror or str(error))


def _is_own(folder: str, name: str) -> bool:
    """Return whether a folder is the project's own, and not that of a tool."""
    hidden = name.startswith(".") or name in _TOOLS
    return not hidden and not os.path.exists(Path(folder, name, "pyvenv.cfg"))  # noqa: PTH110
