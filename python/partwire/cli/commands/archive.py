"""``partwire archive``: any amount of files, in tasks that can be killed and gone on with."""

from __future__ import annotations

import click

from ...archive.operations import Assemble, Validate
from ...contract.current import LATEST_VERSION
from ...reading.undeclared import UNKNOWN_MEMBERS, UnknownMembers
from ..archives import ArchiveSaid, archive_options, go
from . import archive_documents, archive_tables

__all__ = ["archive"]


@click.group()
def archive() -> None:
    """Assemble, validate and change any amount of files, on all cores and in bounded memory.

    SRC are files, folders and globs of JSON Lines, also with .gz or .zst; DST is a folder. Either
    may be in an object store: s3://, gs://, az://, with the settings that the store's own tools
    take from the environment. In DST a run puts tables, each of many files, and
    _partwire/summary.json when all is there. A line that cannot be used is in the table
    quarantine, with its place and why; the lines of every run are counted, and no one is lost. A
    run that was killed goes on with --resume, and ends with the same rows.

    \b
    Examples:
      partwire archive assemble --dry-run logs/ out/
      partwire archive assemble logs/ out/
      partwire archive validate --type message.Message out/messages checked/
    """


@archive.command()
@archive_options
@click.option(
    "--on-unknown",
    type=click.Choice(["refuse", "tolerate", "drop"]),
    default="refuse",
    show_default=True,
    help="Deltas of a kind that this version does not know: put them aside with the rest of their "
    "stream, read past them, or put them alone aside.",
)
@click.pass_context
def assemble(ctx: click.Context, said: ArchiveSaid, on_unknown: str) -> None:
    """Make a message of each stream of deltas in SRC.

    The lines of all streams may be mixed, in any order and in any files: a stream is named by runId
    and messageId, and its lines count in the order of seq. A line that comes again is a repeat. A
    stream that was cut or has failed becomes a message with meta.incomplete.

    Tables: messages, quarantine.

    \b
    Examples:
      partwire archive assemble logs/ out/
      partwire archive assemble --jobs 4 --memory 1GB 'logs/2026-*/*.jsonl.zst' out/
    """
    go(ctx, said, Assemble(on_unknown=on_unknown))  # type: ignore[arg-type]  # a choice


@archive.command()
@archive_options
@click.option("--type", "type_name", required=True, metavar="TYPE", help="Type of the documents.")
@click.option(
    "--contract", default=LATEST_VERSION, show_default=True, help="Version of the contract."
)
@click.option(
    "--unknown-members",
    type=click.Choice(UNKNOWN_MEMBERS),
    default="warn",
    show_default=True,
    help="What a member is that the type does not name: an error, a warning, or nothing.",
)
@click.pass_context
def validate(
    ctx: click.Context,
    said: ArchiveSaid,
    type_name: str,
    contract: str,
    unknown_members: UnknownMembers,
) -> None:
    """Hold each line of SRC against a type of the contract.

    Table: findings, with the source and line of each. Exit status: 0 valid, 1 findings of severity
    error, 2 usage or unreadable input.

    \b
    Example:
      partwire archive validate --type message.Message messages/ findings/
    """
    options = Validate(type=type_name, version=contract, unknown_members=unknown_members)
    go(ctx, said, options)


for _command in (*archive_documents.COMMANDS, *archive_tables.COMMANDS):
    archive.add_command(_command)
