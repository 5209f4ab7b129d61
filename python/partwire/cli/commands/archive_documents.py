"""Commands of ``partwire archive`` that take documents one by one, and make data sets."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import click

from ...archive.documents.options import Convert, Dedupe, Migrate, Redact, Sample, Split
from ...contract.current import LATEST_VERSION
from ...errors import bad_argument
from ...files.unreadable import unreadable
from ..archives import ArchiveSaid, archive_options, go
from .convert import context_options

__all__ = ["COMMANDS"]


@click.command()
@click.option("--to", required=True, metavar="VERSION", help="Version to go to, such as v0.3.")
@click.option(
    "--type",
    "type_name",
    metavar="TYPE",
    help="Type of bare documents, such as message.Message; else lines are stored records.",
)
@click.option(
    "--from",
    "version",
    metavar="VERSION",
    help="Version of bare documents. Queue messages declare it.",
)
@click.option("--strict", is_flag=True, help="Put documents aside that would lose something.")
@archive_options
@click.pass_context
def migrate(
    ctx: click.Context,
    said: ArchiveSaid,
    to: str,
    type_name: str | None,
    version: str | None,
    strict: bool,
) -> None:
    """Take documents to another version of the contract.

    What is at the version already stays as it is, byte for byte. What a document loses is in the
    table lost, with all that was there; what only changes its form is counted.

    Tables: documents, lost, quarantine.

    \b
    Examples:
      partwire archive migrate --to v0.3 records/ new/
      partwire archive migrate --type message.Message --from v0.1 --to v0.3 messages/ new/
    """
    from ...convert import TextMigrator  # noqa: PLC0415 - few commands need it

    TextMigrator(to, type_name, version)  # refuses what is wrong before anything is written
    go(ctx, said, Migrate(to=to, type=type_name, version=version, strict=strict))


_by: Final = click.option(
    "--by",
    default="run",
    show_default=True,
    metavar="run|session|line|POINTER",
    help="What belongs together, and is in or out together: lines of a run, of a session, equal "
    "lines, or lines that agree in what a JSON Pointer such as /meta/user leads to.",
)
_seed: Final = click.option(
    "--seed", type=int, default=0, show_default=True, help="Another seed is another choice."
)


@click.command()
@click.option("--rate", required=True, metavar="SHARE", help="Which share of all: 0.01 is 1 %.")
@_by
@_seed
@archive_options
@click.pass_context
def sample(ctx: click.Context, said: ArchiveSaid, rate: str, by: str, seed: int) -> None:
    """Take a share of the lines in SRC.

    Whole runs are in or out, as the digest of their ids chooses. The same run is always in, or
    always out, whatever file it is in; and what is in at a lower rate is in at a higher one.

    Tables: documents, quarantine.

    \b
    Examples:
      partwire archive sample --rate 0.01 logs/ some/
      partwire archive sample --rate 0.1 --by session --seed 7 sessions/ some/
    """
    go(ctx, said, Sample(rate=rate, by=by, seed=seed))


@click.command()
@click.option(
    "--into",
    required=True,
    multiple=True,
    metavar="TABLE=SHARE",
    help="A table, and which share of all it gets; several, of at most 1 in all.",
)
@_by
@_seed
@archive_options
@click.pass_context
def split(ctx: click.Context, said: ArchiveSaid, into: tuple[str, ...], by: str, seed: int) -> None:
    """Part the lines in SRC into tables, by shares.

    Whole runs go into one table, as the digest of their ids chooses: the same run is always in the
    same table, whatever file it is in. Where shares are less than 1 in all, the rest is left out.

    Tables: those of --into, quarantine.

    \b
    Examples:
      partwire archive split --into train=0.9 --into test=0.1 messages/ parts/
      partwire archive split --into train=0.8 --into dev=0.1 --into test=0.1 \\
        --by /meta/user messages/ parts/
    """
    go(ctx, said, Split(into=_pairs(into, "train=0.9"), by=by, seed=seed))


def _pairs(said: tuple[str, ...], example: str) -> dict[str, str]:
    """Return what NAME=VALUE says, by name; raises UsageError where one is not that."""
    found: dict[str, str] = {}
    for pair in said:
        name, sign, value = pair.partition("=")
        if not (name and sign and value):
            raise bad_argument("This is not a name and a value", f"such as {example}", pair)
        if name in found:
            raise bad_argument("A name is given twice", "each name once", name)
        found[name] = value
    return found


@click.command()
@click.option(
    "--ignore",
    multiple=True,
    metavar="POINTER",
    help="A member in which equal documents may differ, such as /timestamp; * is any item, as in "
    "/parts/*/payload/toolCallId.",
)
@archive_options
@click.pass_context
def dedupe(ctx: click.Context, said: ArchiveSaid, ignore: tuple[str, ...]) -> None:
    """Keep each document of SRC once.

    The first in order is kept; the others are counted as repeats. Documents are equal as JSON
    values: the order of members, white space and how a number is written make no difference.

    Tables: documents, quarantine.

    \b
    Examples:
      partwire archive dedupe messages/ once/
      partwire archive dedupe --ignore /timestamp training/ once/
    """
    go(ctx, said, Dedupe(ignore=ignore))


@click.command()
@click.option("--type", "type_name", required=True, metavar="TYPE", help="Type of the documents.")
@click.option(
    "--contract", default=LATEST_VERSION, show_default=True, help="Version of the contract."
)
@click.option(
    "--pattern",
    "patterns",
    multiple=True,
    metavar="NAME=REGEX",
    help="What else is hidden; where the regular expression has a group, only that.",
)
@click.option(
    "--patterns",
    "file",
    metavar="FILE",
    help="The same, one on each line of FILE; lines that begin with # say nothing.",
)
@archive_options
@click.pass_context
def redact(
    ctx: click.Context,
    said: ArchiveSaid,
    type_name: str,
    contract: str,
    patterns: tuple[str, ...],
    file: str | None,
) -> None:
    """Hide credentials in the documents in SRC.

    Keys, tokens, passwords and private keys are known by their forms, by what is before them in any
    text, and by the names of members; what is hidden is the same as in a recording. A document
    without any stays as it is, byte for byte; one that was valid is valid again. The table found
    says where each was, by what pattern, and how it began; the table quarantine has places and
    reasons, but no text, which might hold one. Of a stream of deltas, assemble the messages first:
    a key may be cut in two between deltas.

    Tables: documents, found, quarantine.

    \b
    Examples:
      partwire archive redact --type message.Message messages/ clean/
      partwire archive redact --type message.Message --pattern 'customer=C-[0-9]{8}' \\
        --pattern 'mail=[\\w.]+@[\\w.]+' messages/ clean/
    """
    found = _pairs((*_lines_of(file), *patterns), "customer=C-[0-9]{8}")
    go(ctx, said, Redact(type=type_name, version=contract, patterns=found))


def _lines_of(file: str | None) -> list[str]:
    if file is None:
        return []
    try:
        lines = Path(file).read_text("utf-8").splitlines()
    except OSError as error:
        raise unreadable(file, error.strerror or str(error)) from None
    except UnicodeDecodeError:
        raise unreadable(file, "it is not UTF-8") from None
    return [line for line in lines if line.strip() and not line.startswith("#")]


@click.command()
@click.option(
    "--from",
    "source",
    required=True,
    metavar="FAMILY|TYPE|FORMAT",
    help="What lines hold: message, session, blocks; a type; or a format (partwire formats).",
)
@click.option(
    "--to",
    required=True,
    metavar="FAMILY|TYPE|FORMAT",
    help="message, session, blocks or envelope; a type of it; or a format.",
)
@click.option(
    "--to-version",
    metavar="FORMAT-VERSION",
    help="Version of the format that is written, of those that partwire formats lists.",
)
@click.option(
    "--by",
    metavar="run|session|line|POINTER",
    help="Which lines are one history.  [default: messages of a run, those of a session, else each "
    "line by itself]",
)
@click.option("--strict", is_flag=True, help="Put histories aside that would lose something.")
@click.option(
    "--accept",
    multiple=True,
    metavar="CODE",
    help="A loss that is expected: it is counted, and is not in the table lost.",
)
@context_options("run-id", "session-id")
@archive_options
@click.pass_context
def convert(
    ctx: click.Context,
    said: ArchiveSaid,
    /,
    source: str,
    to: str,
    to_version: str | None,
    by: str | None,
    strict: bool,
    accept: tuple[str, ...],
    **context: str | None,
) -> None:
    """Convert documents to another family or format.

    Messages of one run are one history, wherever they are in SRC: they are put in order by time,
    and equal times as they are stored. A line of a format is a history by itself, such as a line of
    training data or the body of a request; where it does not say a run, its messages get one that
    is made of its text. What is lost is in the table lost, with all that was there; a history of
    which a line cannot be converted is put aside as a whole.

    Tables: documents, lost, quarantine.

    \b
    Examples:
      partwire archive convert --from message --to finetune --to-version openai \\
        --accept run-id --accept timestamp messages/ training/
      partwire archive convert --from openai-chat --to message requests/ messages/
      partwire archive convert --from session --to message sessions/ messages/
    """
    from ...archive.documents.convert import default_key, source_kind  # noqa: PLC0415

    options = Convert(
        source=source,
        to=to,
        to_version=to_version,
        by=by or default_key(source_kind(source)),
        strict=strict,
        accept=accept,
        context={name: value for name, value in context.items() if value is not None},
    )
    go(ctx, said, options)


COMMANDS: Final[tuple[Any, ...]] = (migrate, convert, redact, sample, split, dedupe)
