"""What operations that take each document by itself are to do, and those that make data sets."""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec

from ...contract.current import LATEST_VERSION
from ...contract.versions import parse_type
from ...errors import bad_argument
from ...extras import import_extra
from ..operations import Options, Validate
from .rows import CopyLines, LineMap

__all__ = [
    "Convert",
    "Dedupe",
    "FromParquet",
    "Migrate",
    "Redact",
    "Sample",
    "Split",
    "Statistics",
    "ToParquet",
    "check_documents",
    "line_map",
]


class Migrate(Options, frozen=True, kw_only=True):
    """Documents as those of another version: tables ``documents`` and ``lost``."""

    name: ClassVar[str] = "migrate"

    to: str
    type: str | None = None
    """None: stored records, which say their type and version."""
    version: str | None = None
    """The version they are of; None where documents say it."""
    strict: bool = False
    """Whether a document that would lose something is put aside."""


class Convert(Options, frozen=True, kw_only=True):
    """Documents in another family or format: tables ``documents`` and ``lost``."""

    name: ClassVar[str] = "convert"

    source: str
    """A type or a format."""
    to: str
    """A family, a type or a format."""
    to_version: str | None = None
    """Version of the format that is written."""
    by: str = "line"
    """Which lines are one history."""
    strict: bool = False
    accept: tuple[str, ...] = ()
    """Losses that are taken all the same."""
    context: dict[str, Any] = msgspec.field(default_factory=dict)
    """What documents do not say; see :class:`partwire.convert.Context`."""


class Redact(Options, frozen=True, kw_only=True):
    """Documents without credentials: tables ``documents`` and ``found``."""

    name: ClassVar[str] = "redact"

    type: str
    version: str = LATEST_VERSION
    patterns: dict[str, str] = msgspec.field(default_factory=dict)
    """Regular expressions by name: what else is hidden."""
    max_found: int = 100
    """How many finds of one document are given."""


class Sample(Options, frozen=True, kw_only=True):
    """A share of the lines: table ``documents``."""

    name: ClassVar[str] = "sample"

    rate: str
    """A number above 0, at most 1."""
    by: str = "run"
    seed: int = 0


class Split(Options, frozen=True, kw_only=True):
    """All lines, in tables by name, each with a share."""

    name: ClassVar[str] = "split"

    into: dict[str, str]
    """Shares by name, in order: numbers that are at most 1 in all."""
    by: str = "run"
    seed: int = 0


class Statistics(Options, frozen=True, kw_only=True):
    """What is in the documents: ``report.html`` and ``statistics.json``."""

    name: ClassVar[str] = "statistics"

    type: str
    version: str = LATEST_VERSION
    max_findings: int = 100
    """How many findings of one document are counted."""


class ToParquet(Options, frozen=True, kw_only=True):
    """Documents as Parquet: table ``documents``; or the flat tables of messages."""

    name: ClassVar[str] = "to-parquet"

    type: str
    version: str = LATEST_VERSION
    flat: bool = False


class FromParquet(Options, frozen=True, kw_only=True):
    """Documents as lines: table ``documents``."""

    name: ClassVar[str] = "from-parquet"


class Dedupe(Options, frozen=True, kw_only=True):
    """Each document once: table ``documents``."""

    name: ClassVar[str] = "dedupe"

    ignore: tuple[str, ...] = ()
    """Pointers to members in which documents may differ; ``*`` is any item or member."""


def check_documents(options: Options) -> None:
    """Raise UsageError for options that are wrong, or want an extra that is not installed."""
    # Each imports what only it needs.
    if isinstance(options, Convert):
        from .convert import Converter  # noqa: PLC0415

        Converter(options)
    elif isinstance(options, Dedupe):
        from .digests import Digester  # noqa: PLC0415

        Digester(options.ignore)
    elif isinstance(options, Statistics):
        parse_type(options.type, options.version)
    elif isinstance(options, ToParquet):
        name = str(parse_type(options.type, options.version))
        if options.flat and name != "message.Message":
            raise bad_argument("The flat tables are those of messages", "message.Message", name)
        import_extra("pyarrow", "archive", "A table")
    else:
        line_map(options)


def line_map(options: Options) -> LineMap:
    """Return what an operation makes of lines; raises UsageError as :func:`check_documents`."""
    # Each imports what only it needs.
    if isinstance(options, Validate):
        from .validate import ValidateLines  # noqa: PLC0415

        return ValidateLines(options)
    if isinstance(options, Migrate):
        from .migrate import MigrateLines  # noqa: PLC0415

        return MigrateLines(options)
    if isinstance(options, Convert):
        from .convert import ConvertLines  # noqa: PLC0415

        return ConvertLines(options)
    if isinstance(options, Redact):
        from .redact import RedactLines  # noqa: PLC0415

        return RedactLines(options)
    if isinstance(options, (Sample, Split)):
        from .chosen import ChosenLines  # noqa: PLC0415

        return ChosenLines.of(options)
    if isinstance(options, FromParquet):
        import_extra("pyarrow", "archive", "A table")
        return CopyLines()
    raise AssertionError(options)
