"""``partwire archive``: any amount of files, in tasks that can be killed and gone on with."""

from __future__ import annotations

from typing import Any

import click

from ...archive.operations import DELTAS, RECORDINGS, Assemble, Validate
from ...contract.current import LATEST_VERSION
from ...reading.undeclared import UNKNOWN_MEMBERS, UnknownMembers
from ...tables.event_dialects import ALIASES
from ..archives import PLANNED, ArchiveSaid, archive_options, go
from ..files.streams import PROVIDER_DIALECTS
from . import archive_documents, archive_tables

__all__ = ["archive"]


@click.group()
def archive() -> None:
    """Assemble, validate and change any amount of files, on all cores and in bounded memory.

    SRC are files, folders and globs of JSON Lines (.jsonl, .ndjson), also with .gz or .zst, and of
    Parquet; DST is a folder that is empty, or not there. Either may be in an object store: s3://,
    gs://, az://, with the settings that the store's own tools take from the environment.

    In DST a run puts tables, each a folder of files, and _partwire/summary.json when all is there.
    A table is SRC of the next command. A line that cannot be used is in the table quarantine, with
    its place and why; all lines are counted, and none is lost. A run that was killed goes on with
    --resume, and ends with the same rows.

    \b
    Examples:
      partwire archive plan assemble logs/ out/
      partwire archive assemble logs/ out/
      partwire archive validate --type message.Message out/messages checked/
      partwire archive statistics --type message.Message out/messages figures/
    """


class _Source(click.Choice[str]):
    """What files hold, by its name or an alias."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return super().convert(ALIASES.get(value, value), param, ctx)


@archive.command()
@click.option(
    "--from",
    "source",
    type=_Source((DELTAS, *PROVIDER_DIALECTS, RECORDINGS)),
    default=DELTAS,
    show_default=True,
    help="What the files hold: deltas of any streams, or each of them one stream of a provider, as "
    "it was recorded; recordings, if the files show of which provider they are, or a "
    "RecordingModel has written them.",
)
@click.option(
    "--on-unknown",
    type=click.Choice(["refuse", "tolerate", "drop"]),
    default="refuse",
    show_default=True,
    help="Deltas of a kind that this version does not know: put them aside with the rest of their "
    "stream, read past them, or put them alone aside.",
)
@archive_options
@click.pass_context
def assemble(ctx: click.Context, said: ArchiveSaid, source: str, on_unknown: str) -> None:
    """Make a message of each stream in SRC, of deltas or as providers have sent them.

    The lines of deltas may be mixed, in any order and in any files: a stream is named by runId
    and messageId, and its lines count in the order of seq. A line that comes again is a repeat. A
    stream that was cut or has failed becomes a message with meta.incomplete.

    With --from another than deltas a file is one stream: .sse, .eventstream, .jsonl, .ndjson or
    .json, also with .gz or .zst. Its runId is its name in SRC, its times are that of the file. What
    cannot be read is in quarantine: one row for the first line, and how many lines follow.

    Tables: messages, quarantine.

    \b
    Examples:
      partwire archive assemble logs/ out/
      partwire archive assemble --jobs 4 --memory 1GB 'logs/2026-*/*.jsonl.zst' out/
      partwire archive assemble --from openai-chat streams/ out/
      partwire archive assemble --from recordings recorded/ out/
    """
    options: Any = {"source": source, "on_unknown": on_unknown}
    go(ctx, said, Assemble(**options))


@archive.command()
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
@archive_options
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
    error, or lines are missing in the results, 2 usage or unreadable input.

    \b
    Examples:
      partwire archive validate --type message.Message messages/ checked/
      partwire archive validate --type message.MessageDelta 'logs/2026-*/*.zst' checked/
    """
    options = Validate(type=type_name, version=contract, unknown_members=unknown_members)
    go(ctx, said, options)


for _command in (*archive_documents.COMMANDS, *archive_tables.COMMANDS):
    archive.add_command(_command)


@archive.group(commands=dict(archive.commands))
@click.pass_context
def plan(ctx: click.Context) -> None:
    """Print what a command would cost, and write nothing.

    It takes the command as it would be run, or --dry-run behind it, which is the same. A part of
    SRC, of 64 MB at most, is worked on in a temporary folder: the lines, the disk for the results
    and meanwhile, the core-hours and the time of the whole run follow from it.

    \b
    Examples:
      partwire archive plan assemble logs/ out/
      partwire archive plan statistics --type message.Message --jobs 16 messages/ figures/
    """
    ctx.meta[PLANNED] = True
