"""``partwire migrate``: files of one contract version as those of another."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

import click

from .. import __version__
from ..errors import Finding, PartwireError, ReadError, UsageError
from ..migrate import TextMigrator
from .config import Config, load_config
from .inputs import Source, expand, unreadable
from .migrating import Converter, Entries, Reporter, text_of_line
from .options import text_or_json
from .render import EXIT_FINDINGS, EXIT_USAGE, keep_problem, render_error
from .rewriting import Draft, Mark, mismatch

__all__ = ["migrate"]

_CHECKPOINT_BYTES = 16 << 20


@dataclass(frozen=True)
class _Plan:
    """What was asked for, but for the files."""

    to: str
    type_name: str | None
    version: str | None
    strict: bool
    in_place: bool
    output: str | None
    dry_run: bool
    checkpoint_bytes: int
    config: Config

    @property
    def to_stdout(self) -> bool:
        """Whether the documents go to stdout."""
        return not (self.in_place or self.output or self.dry_run)

    def migrator(self, source: Source) -> TextMigrator:
        """Return what takes the texts of ``source`` to the version that is asked for."""
        type_name, configured = self._configured(source)
        version = self.version
        if type_name and version is None and not type_name.startswith("envelope."):
            version = configured
        return TextMigrator(self.to, type_name, version, strict=self.strict)

    def options(self, source: Source) -> dict[str, Any]:
        """Return what a run that goes on has to agree in."""
        type_name, configured = self._configured(source)
        return {
            "partwire": __version__,
            "to": self.to,
            "type": type_name,
            "from": self.version or configured,
            "strict": self.strict,
        }

    def _configured(self, source: Source) -> tuple[str | None, str | None]:
        """Return the type of the documents, and the version that the configuration names."""
        row = self.config.row_of(source.path) if self.type_name is None else None
        version = (row.version if row else None) or self.config.contract
        return self.type_name or (row.type if row else None), version


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--to", required=True, metavar="VERSION", help="Version to go to, such as v0.2.")
@click.option(
    "--type",
    "type_name",
    metavar="TYPE",
    help="Type of bare documents, such as message.Message; else the configuration names it "
    "by path; else FILEs hold stored records.",
)
@click.option(
    "--from",
    "version",
    metavar="VERSION",
    help="Version of bare documents; else the configuration's. Queue messages declare it.",
)
@click.option("--in-place", is_flag=True, help="Replace each FILE, all at once, when it is whole.")
@click.option("--output", metavar="FILE", help="Write to FILE, which appears when it is whole.")
@click.option("--dry-run", is_flag=True, help="Say what would happen, and write nothing.")
@click.option("--strict", is_flag=True, help="Refuse where something would be lost.")
@click.option(
    "--checkpoint-bytes",
    type=click.IntRange(min=1),
    default=_CHECKPOINT_BYTES,
    show_default=True,
    help="After how much of a FILE a killed run can be resumed.",
)
@text_or_json("Report for people, or one JSON object per line.")
@click.pass_context
def migrate(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    output_format: str,
    **options: Any,
) -> None:
    """Take the documents of FILEs to another version: JSON, JSON Lines, globs, or - for stdin.

    FILEs hold stored records, or with --type and --from bare documents; .jsonl and .ndjson are
    lines, .json is one document or an array of them. What is at the version already stays as it
    is, byte for byte. Documents go to stdout, unless --in-place, --output or --dry-run is given;
    then the report does, which else goes to stderr.

    A FILE of which one document cannot be read stays as it is. A killed run leaves it as it was,
    and the next run goes on where the last one stood.

    Exit status: 0 migrated, 1 documents that cannot be read (or, with --strict, would lose
    something), 2 usage, unreadable input or unwritable output.

    \b
    Examples:
      partwire migrate --to v0.2 --in-place records.jsonl
      partwire migrate --to v0.1 --from v0.2 --type message.Message --dry-run 'logs/**/*.jsonl'
    """
    plan = _Plan(**options, config=load_config(Path()))
    sources = expand(files)
    _check(plan, sources)
    reporter = Reporter(output_format, err=plan.to_stdout)
    bad = broken = 0
    for source in sources:
        try:
            bad += _migrate(source, plan, reporter)
        except ReadError as error:
            bad += 1
            render_error(error, output_format)
        except PartwireError as error:
            # One file that cannot be read or written must not hide what is wrong with the others.
            broken += 1
            keep_problem(error)
    if broken:
        ctx.exit(EXIT_USAGE)
    ctx.exit(EXIT_FINDINGS if bad else 0)


def _check(plan: _Plan, sources: list[Source]) -> None:
    if plan.in_place and plan.output:
        raise _usage("--in-place and --output exclude each other", "one of them")
    if plan.output and len(sources) != 1:
        raise _usage("--output takes one file", "one FILE", str(len(sources)))
    if plan.in_place and any(source.path is None for source in sources):
        raise _usage("stdin has no place", "a file with --in-place")
    TextMigrator(plan.to)


def _migrate(source: Source, plan: _Plan, reporter: Reporter) -> int:
    """Migrate one source; return how many of its documents are bad."""
    converter = Converter(plan.migrator(source), reporter, source.label)
    with _opened(source) as file:
        entries = Entries(file, source.name)
        if plan.to_stdout or plan.dry_run:
            _pass_on(entries, converter, None if plan.dry_run else _stdout())
            written = False
        else:
            written = _rewrite(file, entries, converter, source, plan)
    _summary(converter, reporter, written)
    return converter.bad


def _pass_on(entries: Entries, converter: Converter, out: BinaryIO | None) -> None:
    """Write what can be migrated to ``out``."""
    if entries.lines:
        for number, line in enumerate(entries.raw_lines(), 1):
            bad = converter.bad
            made = converter.line(line, number)
            if out is not None and converter.bad == bad:
                out.write(made)
    else:
        made = converter.whole(entries.raw_whole())
        if out is not None and not converter.bad:
            out.write(made)
    if out is not None:
        out.flush()


def _rewrite(
    file: BinaryIO, entries: Entries, converter: Converter, source: Source, plan: _Plan
) -> bool:
    """Write the target anew; return whether it was replaced."""
    before = _state(file)
    path = Path(source.name) if plan.output is None else Path(plan.output)
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        raise _usage("Only files can be written anew", "a file", str(path))
    with Draft(target, plan.options(source)) as draft:
        try:
            mark = _draft(draft, file, entries, converter, plan.checkpoint_bytes)
            if converter.bad or (plan.in_place and not converter.changed):
                draft.discard()
                return False
            _verify(draft, mark, entries.lines, converter)
            if source.path is not None and _changed_since(before, source.path):
                raise _changed(source)
            at_target = target.stat() if target.exists() else None
            mode = None if at_target is None else stat.S_IMODE(at_target.st_mode)
            owner = None if at_target is None else (at_target.st_uid, at_target.st_gid)
            draft.replace(mode, owner)
        except PartwireError:
            draft.discard()
            raise
    return True


def _draft(
    draft: Draft, file: BinaryIO, entries: Entries, converter: Converter, every: int
) -> Mark:
    """Write the part, from where an earlier run left it; return how far it goes."""
    if not entries.lines:
        raw, mark = entries.raw_whole(), Mark()
        made = converter.whole(raw)
        draft.begin()
        draft.write(made)
        mark.add(raw, made)
        return mark
    entries.rewind(0)
    mark = draft.resume(file)
    if mark.line:
        converter.go_on(mark.tally)
    kept = mark.read
    for line in entries.raw_lines():
        made = converter.line(line, mark.line + 1)
        mark.add(line, made)
        if converter.bad:
            continue  # the file stays; the rest is read for what else is wrong
        draft.write(made)
        if mark.read - kept >= every:
            kept = mark.read
            mark.tally = converter.tally()
            draft.keep(mark)
    return mark


def _verify(draft: Draft, mark: Mark, lines: bool, converter: Converter) -> None:
    """Raise ReadError ``migrate/count-mismatch`` unless the part holds what was read."""
    count = 0
    if lines:
        written = enumerate(draft.verified(mark), 1)
        count = sum(1 for number, line in written if text_of_line(line, number))
    else:
        count = converter.count(b"".join(draft.verified(mark)))
    if count != converter.documents:
        raise mismatch(draft.target, f"{converter.documents} documents", str(count))


def _summary(converter: Converter, reporter: Reporter, written: bool) -> None:
    tally = {**converter.tally(), "bad": converter.bad, "written": written}
    if reporter.format == "json":
        reporter.json({"source": converter.label, **tally})
        return
    losses = ", ".join(f"{code} {count:,}" for code, count in tally["losses"].items())
    bad = f", {converter.bad:,} cannot be migrated" if converter.bad else ""
    words = f"{converter.documents:,} documents, {converter.changed:,} changed{bad}"
    click.echo(f"{converter.label}: {words}" + (f"; losses: {losses}" if losses else ""), err=True)


# --- files ----------------------------------------------------------------------------------------


@contextmanager
def _opened(source: Source) -> Iterator[BinaryIO]:
    if source.path is None:
        if sys.stdin is None:
            raise unreadable(source.name, "stdin is closed")
        yield cast(BinaryIO, sys.stdin.buffer)
        return
    try:
        file = source.path.open("rb")
    except OSError as error:
        raise unreadable(source.name, error.strerror or str(error)) from None
    with file:
        yield file


def _stdout() -> BinaryIO:
    return cast(BinaryIO, sys.stdout.buffer)


def _state(file: BinaryIO) -> tuple[int, ...] | None:
    try:
        return _numbers(os.fstat(file.fileno()))
    except OSError:  # no file of the system's
        return None


def _numbers(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _changed_since(before: tuple[int, ...] | None, path: Path) -> bool:
    try:
        return before != _numbers(path.stat())
    except OSError:
        return True


def _changed(source: Source) -> ReadError:
    return ReadError(
        Finding(
            "migrate/file-changed",
            "The file was changed while it was migrated; it stays as it is",
            expected="the file as it was at first",
            source=source.label,
        )
    )


def _usage(message: str, expected: str, actual: str | None = None) -> UsageError:
    return UsageError(Finding("usage/invalid-argument", message, expected=expected, actual=actual))
