"""``partwire migrate``: files of one contract version as those of another."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from io import BufferedIOBase
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO, cast

import click

from ...convert import TextMigrator
from ...errors import Finding, PartwireError, ReadError, UsageError, counted
from ...files.documents import Entries
from ...files.inputs import Source, expand
from ...files.names import Compression, Form, compression_named
from ...files.unreadable import unreadable
from ...version import __version__
from ..config.paths import Config, load_config
from ..files.atomic import Draft, Mark, mismatch
from ..files.foreign import tell_of_formats
from ..files.migration import Converter, Reporter
from ..options import text_or_json
from ..report.render import EXIT_FINDINGS, EXIT_USAGE, keep_problem, render_error

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
    allow_loss: bool
    output: str | None
    dry_run: bool
    checkpoint_bytes: int
    config: Config

    @property
    def to_stdout(self) -> bool:
        """Whether the documents go to stdout."""
        return not (self.in_place or self.output or self.dry_run)

    @property
    def refuses_loss(self) -> bool:
        """Whether what is lost would be lost for good, and nobody has said that it may be."""
        return self.in_place and not self.allow_loss

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
            "allow_loss": self.allow_loss,
        }

    def _configured(self, source: Source) -> tuple[str | None, str | None]:
        """Return the type of the documents, and the version that the configuration names."""
        row = self.config.row_of(source.path) if self.type_name is None else None
        version = (row.version if row else None) or self.config.contract
        return self.type_name or (row.type if row else None), version


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--to", required=True, metavar="VERSION", help="Version to go to, such as v0.3.")
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
@click.option(
    "--allow-loss",
    is_flag=True,
    help="With --in-place: replace FILEs that lose something, and keep that in FILE.lost.",
)
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
    """Take the documents of FILEs to another version: files, folders, globs, or - for stdin.

    FILEs hold stored records, or with --type and --from bare documents; .jsonl and .ndjson are
    lines, .json is one document or an array of them, .yaml and .yml are YAML, which becomes JSON
    Lines; each also with .gz or .zst behind it. What is at the version already stays as it is, byte
    for byte, and what was compressed is so again, in its place or where --output says so. Documents
    go to stdout, unless --in-place, --output or --dry-run is given;
    then the report does, which else goes to stderr.

    A FILE of which one document cannot be read stays as it is. With --in-place, all FILEs stay as
    they are if one of them would lose something, unless --allow-loss is given. A killed run leaves
    a FILE as it was, and the next run goes on where the last one was.

    Exit status: 0 migrated, 1 documents that cannot be read (or would lose something, with --strict
    or --in-place), 2 usage, unreadable input or unwritable output.

    \b
    Examples:
      partwire migrate --to v0.3 --in-place records.jsonl archive/2025.jsonl.gz
      partwire migrate --to v0.2 --from v0.3 --type message.Message --dry-run 'logs/**/*.jsonl'
    """
    plan = _Plan(**options, config=load_config(Path()))
    sources = expand(files)
    _check(plan, sources)
    reporter = Reporter(output_format, err=plan.to_stdout)
    outcome = _Outcome(output_format)
    if plan.in_place and not plan.dry_run:
        _all_or_none(sources, plan, reporter, outcome)
    else:
        for source in sources:
            outcome.of(partial(_migrate, source, plan, reporter))
    if outcome.bad and output_format == "text":
        tell_of_formats(sources)
    if outcome.broken:
        ctx.exit(EXIT_USAGE)
    ctx.exit(EXIT_FINDINGS if outcome.bad else 0)


class _Outcome:
    """What has come of the files: one that fails must not hide what is wrong with the others."""

    def __init__(self, output_format: str) -> None:
        self.bad = self.broken = 0
        self._format = output_format

    def of(self, work: Callable[[], Converter]) -> Converter | None:
        """Return what a file has come to; None where it cannot be read or written."""
        try:
            converter = work()
        except ReadError as error:
            self.bad += 1
            render_error(error, self._format)
        except PartwireError as error:
            self.broken += 1
            keep_problem(error)
        else:
            self.bad += converter.bad + converter.is_refused
            return converter
        return None


def _all_or_none(sources: list[Source], plan: _Plan, reporter: Reporter, outcome: _Outcome) -> None:
    """Replace the files once all of them are drafted, and nothing is lost that must not be."""
    drafted: list[tuple[Source, Converter]] = []
    is_refused = False
    # A file under two names, or named by two globs, is one.
    distinct = {os.path.realpath(source.name): source for source in reversed(sources)}
    for source in reversed(distinct.values()):
        made = outcome.of(partial(_migrate, source, plan, reporter, is_draft=True))
        is_refused |= made is not None and made.is_refused
        if made is not None and made.is_ready:
            drafted.append((source, made))
    if not is_refused:
        for source, converter in drafted:
            outcome.of(partial(_migrate, source, plan, reporter, drafted=converter))
        return
    for source, converter in drafted:
        with Draft(_target(source, plan), plan.options(source)) as draft:
            draft.discard()
        _summary(converter, plan, reporter)


def _check(plan: _Plan, sources: list[Source]) -> None:
    if plan.in_place and plan.output:
        raise _usage("--in-place and --output exclude each other", "one of them")
    if plan.output and len(sources) != 1:
        raise _usage("--output takes one file", "one FILE", str(len(sources)))
    if plan.in_place and any(source.path is None for source in sources):
        raise _usage("stdin has no place", "a file with --in-place")
    if plan.allow_loss and not plan.in_place:
        raise _usage("--allow-loss is for --in-place", "--in-place")
    if plan.allow_loss and plan.strict:
        raise _usage("--strict and --allow-loss exclude each other", "one of them")
    TextMigrator(plan.to)


def _migrate(
    source: Source,
    plan: _Plan,
    reporter: Reporter,
    *,
    is_draft: bool = False,
    drafted: Converter | None = None,
) -> Converter:
    """Migrate one source, or draft what takes its place; return what has come of it."""
    converter = Converter(plan.migrator(source), reporter, source.label)
    converter.state = None if drafted is None else drafted.state
    with source.labelled(), _opened(source, plan) as file:
        _refuse_itself(file, plan)
        entries = Entries(file, source.form, source.name)
        if plan.to_stdout or plan.dry_run:
            _pass_on(entries, converter, None if plan.dry_run else _stdout())
        else:
            _rewrite(file, entries, converter, source, plan, is_draft=is_draft)
    if plan.refuses_loss and (lossy := converter.lossy()) and not converter.is_written:
        converter.is_refused = True
        _tell_of_loss(lossy, converter, plan, reporter)
    if not converter.is_ready:
        _summary(converter, plan, reporter)
    return converter


def _pass_on(entries: Entries, converter: Converter, out: BinaryIO | None) -> None:
    """Write what can be migrated to ``out``: lines one by one, else all of it or nothing."""
    if entries.lines or out is None:
        for _, made in converter.pieces(entries):
            if out is not None and not converter.was_bad:
                out.write(made)
    else:
        with TemporaryFile() as held:
            for _, made in converter.pieces(entries):
                held.write(made)
            if not converter.bad:
                held.seek(0)
                shutil.copyfileobj(held, out)
    if out is not None:
        out.flush()


def _rewrite(
    file: BufferedIOBase,
    entries: Entries,
    converter: Converter,
    source: Source,
    plan: _Plan,
    *,
    is_draft: bool,
) -> None:
    """Write the target anew, beside it and then in its place."""
    converter.state = converter.state or _state(file)
    with Draft(_target(source, plan), plan.options(source)) as draft:
        try:
            mark = _draft(draft, file, entries, converter, plan)
            if converter.bad or (plan.in_place and not converter.changed):
                draft.discard()
                return
            if source.path is not None and _changed_since(converter.state, source.path):
                raise _changed(source)
            if is_draft:
                draft.keep(mark)
                converter.is_ready = True
                return
            if plan.refuses_loss and converter.lossy():  # the file is another than it was
                raise _changed(source)
            _verify(draft, mark, converter, entries)
            if source.path is not None and _changed_since(converter.state, source.path):
                raise _changed(source)
            at_target = draft.target.stat() if draft.target.exists() else None
            mode = None if at_target is None else stat.S_IMODE(at_target.st_mode)
            owner = None if at_target is None else (at_target.st_uid, at_target.st_gid)
            if (kind := _compression(source, plan)) is not None:
                draft.compress(kind, mark)
            kept = draft.replace(mode, owner)
            converter.kept = None if kept is None else _as_named(kept, source)
            converter.is_written = True
        except PartwireError:
            draft.discard()
            raise


def _compression(source: Source, plan: _Plan) -> Compression | None:
    """Return how the target is compressed: as the file that it replaces, or as its name says."""
    return source.compression() if plan.output is None else compression_named(plan.output)


def _as_named(kept: Path, source: Source) -> Path:
    """Return a file beside the source, named as the source is given unless that is a link."""
    named = Path(source.name).with_name(kept.name)
    return named if named.exists() and named.samefile(kept) else kept


def _refuse_itself(file: BufferedIOBase, plan: _Plan) -> None:
    """Refuse --output that is the source: only --in-place asks first what would be lost for good.

    Raises UsageError ``usage/invalid-argument``.
    """
    if plan.output is None:
        return
    try:
        is_itself = os.path.samestat(os.fstat(file.fileno()), Path(plan.output).stat())
    except (OSError, ValueError):  # one of them is not there, or not a file of the system's
        return
    if is_itself:
        raise _usage(
            "--output is the file that is read: --in-place replaces it",
            "another file, or --in-place",
            plan.output,
        )


def _target(source: Source, plan: _Plan) -> Path:
    path = Path(source.name) if plan.output is None else Path(plan.output)
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        raise _usage("Only files can be written anew", "a file", str(path))
    return target


def _draft(
    draft: Draft, file: BufferedIOBase, entries: Entries, converter: Converter, plan: _Plan
) -> Mark:
    """Write the part, from where an earlier run left it; return how far it goes."""
    mark = Mark()
    if file.seekable() and not entries.is_yaml:  # what is read of YAML is not its text
        mark = draft.resume(file)
        entries.go_on(mark.read, mark.line)
    else:
        draft.begin()
    if mark.line:
        converter.go_on(mark.tally)

    def keep_lost(rows: bytes) -> None:
        draft.lose(rows)
        mark.lose(rows)

    converter.keep_lost = keep_lost if plan.allow_loss else None
    kept = mark.read
    for piece, made in converter.pieces(entries):
        mark.add(piece.raw, made)
        if converter.bad:
            continue  # the file stays; the rest is read for what else is wrong
        draft.write(made)
        if mark.read - kept >= plan.checkpoint_bytes:
            kept = mark.read
            mark.tally = converter.tally()
            draft.keep(mark)
    mark.tally = converter.tally()
    return mark


def _verify(draft: Draft, mark: Mark, converter: Converter, entries: Entries) -> None:
    """Raise ReadError ``migrate/count-mismatch`` unless the part holds what was read."""
    count, digest = 0, hashlib.sha256()
    with draft.written() as file:
        form: Form = "lines" if entries.lines else "json"
        for piece in Entries(file, form, converter.label).pieces():
            digest.update(piece.raw)
            count += bool(piece.text)
    if digest.digest() != mark.written_digest.digest():
        raise mismatch(draft.target, "the bytes that were written", "other bytes")
    if count != converter.documents:
        raise mismatch(draft.target, f"{converter.documents} documents", str(count))


def _tell_of_loss(
    lossy: dict[str, int], converter: Converter, plan: _Plan, reporter: Reporter
) -> None:
    """Say what keeps a file from being replaced, and how it can be all the same."""
    finding = Finding(
        "migrate/lossy",
        f"{plan.to} has no place for all of it: no file of this run is replaced",
        expected=f"--allow-loss, which keeps in {converter.label}.lost what is lost",
        actual=_counted(lossy),
        source=converter.label,
    )
    reporter.finding(finding)


def _counted(losses: dict[str, int]) -> str:
    return ", ".join(f"{code} {count:,}" for code, count in losses.items())


def _summary(converter: Converter, plan: _Plan, reporter: Reporter) -> None:
    tally = {**converter.tally(), "bad": converter.bad, "written": converter.is_written}
    if converter.kept is not None:
        tally["lost"] = str(converter.kept)
    if reporter.format == "json":
        reporter.json({"source": converter.label, **tally})
        return
    is_kept = converter.changed > 0 and not (converter.is_written or plan.to_stdout)
    change = "would change" if is_kept else "changed"
    words = f"{counted(converter.documents, 'document')}, {converter.changed:,} {change}"
    if converter.bad:
        words += f", {converter.bad:,} cannot be migrated"
    if losses := _counted(tally["losses"]):
        words += f"; losses: {losses}"
    if converter.kept is not None:
        words += f"; what is lost is in {converter.kept}"
    if is_kept:
        words += "; nothing is written"
    click.echo(f"{converter.label}: {words}", err=True)


# --- files ----------------------------------------------------------------------------------------


@contextmanager
def _opened(source: Source, plan: _Plan) -> Iterator[BufferedIOBase]:
    if plan.in_place and source.path is not None:
        _refuse_in_place(source)
    with source.opened() as file:
        yield file


def _refuse_in_place(source: Source) -> None:
    """Refuse what is not written anew as it is: pipes, and YAML with its comments.

    Raises UsageError ``usage/invalid-argument`` and ``usage/unreadable-input``.
    """
    assert source.path is not None
    try:
        mode = source.path.stat().st_mode
    except OSError as error:
        raise unreadable(source.name, error.strerror or str(error)) from None
    # To open a pipe is to wait for a writer.
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise _usage("Only files can be written anew", "a file", source.name)
    if source.form == "yaml":
        message = "YAML is not replaced: its comments and its layout would be lost"
        raise _usage(message, "--output, which writes JSON Lines", source.name)


def _stdout() -> BinaryIO:
    return cast(BinaryIO, sys.stdout.buffer)


def _state(file: BufferedIOBase) -> tuple[int, ...] | None:
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
