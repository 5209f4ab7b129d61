"""The options of every command that yields findings, and the report that they ask for."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
from click.core import ParameterSource

from ...errors import Finding, PartwireError, UsageError
from ...reporting import FORMATS, Baseline, Form, Head, Report, Spot, form_of, read_baseline
from ...reporting.items import Rows
from ...reporting.text import statistics_text, summary_text
from ...version import __version__
from ..config.ignores import IgnoreFilter
from ..config.paths import Config, load_config, shown_path
from ..files.signals import ending_cleanly
from .output import FileOutput, Output, write_whole
from .render import (
    EXIT_FINDINGS,
    EXIT_USAGE,
    has_colour,
    is_terminal,
    keep_problem,
    register_report,
    stdout_encoding,
    terminal_width,
    want_json,
)
from .usage import FORMAT_VARIABLE

if TYPE_CHECKING:
    from .alike import Alike
    from .locator import Locator

__all__ = ["CommandReport", "ReportOptions", "report_options"]


# --- options --------------------------------------------------------------------------------------

_Command = TypeVar("_Command", bound=Callable[..., Any])
MOST_SHOWN: Final = 100
"""Kinds of findings that a person may read; programs get all."""

_HELP: Final = (
    "Text for people, one JSON document, annotations for GitHub, Code Quality for GitLab, "
    "SARIF 2.1.0, or JUnit XML."
)


class CommandReport(Report):
    """A report that the command line shows: errors go to stderr, and there is an exit status."""

    def __init__(self, options: ReportOptions, form: Form) -> None:
        super().__init__(form, options.baseline, options.ignoring)
        self.options = options
        self.locate = self._locate
        self.summary: Callable[[], str] | None = lambda: summary_text(self.totals)
        self._replaced = options.output_file and _identity(options.output_file)
        self._lost: str | None = None
        self._locator: Locator | None = None
        self.alike: Alike | None = None
        """Watches what is found, for a command that has use for it."""
        form.remarks = self._remark

    def _locate(self, finding: Finding) -> Spot:
        if self._locator is None:
            from .locator import Locator  # noqa: PLC0415 - only findings need it

            self._locator = Locator()
        return self._locator.locate(finding)

    def _remark(self, finding: Finding, *, on_all: bool) -> str | None:
        if self.alike is None:
            return None
        return self.alike.remark_on_all(finding) if on_all else self.alike.remark(finding)

    def begin_source(self, label: str) -> None:
        """Count a source, and notice the one that the report would replace."""
        if self._replaced and self._replaced == _identity(label):
            self._lost = label
        if self.alike is not None:
            self.alike.begin(label, self.totals.documents)
        super().begin_source(label)

    def add(self, finding: Finding, rows: Rows = (), fingerprint: str | None = None) -> None:
        """Report a finding as :class:`Report` does."""
        if self.alike is not None:
            self.alike.note(finding)
        super().add(finding, rows, fingerprint)

    def end(self) -> None:
        """End the report. Raises UsageError ``usage/unwritable-output`` where it would replace
        what it is about.
        """
        if self._lost is not None:
            raise _refused(
                "usage/unwritable-output",
                "The report would replace what it is about",
                "a file that the command does not read",
                self._lost,
            )
        if self.alike is not None:
            self.alike.end(self.totals.documents)
        super().end()

    def cannot_read(self, error: PartwireError) -> None:
        """Count a source that cannot be read, and say on stderr why."""
        super().cannot_read(error)
        keep_problem(error)

    @property
    def status(self) -> int:
        """The exit status: 2 where something could not be read, 1 for errors, else 0."""
        if self.totals.unreadable:
            return EXIT_USAGE
        return 0 if self.totals.passed or self.options.exit_zero else EXIT_FINDINGS


@dataclass(frozen=True)
class ReportOptions:
    """What was asked of a report."""

    format: str = "text"
    output_file: str | None = None
    baseline: Baseline | None = None
    statistics: bool = False
    exit_zero: bool = False
    ignoring: IgnoreFilter | None = None
    context: bool | None = None
    """Whether text shows lines with a caret; None: on a terminal."""
    most_shown: int = MOST_SHOWN
    config: Config | None = None
    """The configuration that all this was read from; None where a command did not come by it."""

    @contextmanager
    def open(
        self, contract: str | None = None, forms: Mapping[str, type[Form]] | None = None
    ) -> Iterator[CommandReport]:
        """Give the report of the command that runs; at the end it is written and summed up.

        ``forms`` are those that the command makes itself. Raises UsageError
        ``usage/unwritable-output``.
        """
        kind = (forms or {}).get(self.format) or form_of(self.format)
        output = FileOutput(self.output_file) if self.output_file is not None else None
        colour = output is None and has_colour(err=False)
        is_drawn = output is None and is_terminal(err=False)
        head = Head(
            _command_name(),
            __version__,
            contract,
            _folder(),
            colour,
            self._root(),
            _checkout(),
            is_drawn if self.context is None else self.context,
            terminal_width(),
            "utf-8" if output is not None else stdout_encoding(),
            self.most_shown,
        )
        sink = output or Output(encoded=kind.encoded)
        with ending_cleanly():
            try:
                if output is not None:
                    output.begin()
                report = CommandReport(self, kind(sink.write, head))
                register_report(click.get_current_context(), report)
                with closing(report.form):
                    yield report
                    report.end()
                    sink.finish()
            except BaseException:
                sink.discard()
                raise
            self._tell(report)

    def _root(self) -> str | None:
        """Return the project's folder: a report, and what a baseline accepts, is the same wherever
        in the project a command runs.
        """
        file = self.config and self.config.file
        return str(file.path.parent) if file else None

    def _tell(self, report: CommandReport) -> None:
        """Say what belongs beside the report: statistics, the summary, the baseline."""
        beside = self.output_file is not None or self.format != "text"
        if self.statistics and self.format != "json":
            click.echo(statistics_text(report.totals), nl=False, err=beside)
        is_whole = not (report.totals.unreadable or report.is_cut)
        if self.baseline is not None and self.baseline.update and is_whole:
            write_whole(self.baseline.name, self.baseline.updated())
        silent = self.format != "text" and (self.output_file is None or self.format == "json")
        if report.summary is not None and not silent:
            click.echo(report.summary(), err=True)
        if report.totals.findings and self.format == "text" and is_terminal(err=True):
            rule = max(report.totals.statistics, key=report.totals.statistics.__getitem__)
            click.echo(f"partwire explain {rule} says why; partwire rules lists all", err=True)


def report_options(*more_formats: str) -> Callable[[_Command], _Command]:
    """Add the options of reports to a command, which gets them as ``reporting``.

    ``more_formats`` are those that the command makes itself.
    """

    def decorate(command: _Command) -> _Command:
        @wraps(command)
        def with_report(*args: Any, **kwargs: Any) -> Any:
            return command(*args, reporting=_options(kwargs, formats), **kwargs)

        formats = [*FORMATS, *more_formats]
        return _add(with_report, formats)  # type: ignore[return-value]

    return decorate


def _options(kwargs: dict[str, Any], formats: Sequence[str]) -> ReportOptions:
    config = load_config(Path())
    kwargs["output_format"] = _format(kwargs["output_format"], config, formats)
    name, update = kwargs.pop("baseline"), kwargs.pop("baseline_update")
    if name is None and config.baseline is not None:
        name = shown_path(config.baseline)
    file = kwargs.pop("output_file")
    if update and name is None:
        raise _refused(
            "usage/invalid-argument", "--baseline-update needs a file", "--baseline FILE"
        )
    _check_baseline(name, file)
    today = datetime.now(UTC).date()
    return ReportOptions(
        kwargs.pop("output_format"),
        None if file == "-" else file,
        None if name is None else read_baseline(name, today, _command_name(), update=update),
        kwargs.pop("statistics"),
        kwargs.pop("exit_zero"),
        IgnoreFilter(config, today) if config.ignores else None,
        kwargs.pop("context"),
        kwargs.pop("max_shown"),
        config,
    )


def _check_baseline(name: str | None, output_file: str | None) -> None:
    if name in ("", "-"):  # neither a file nor, read and written, a stream
        raise _refused("usage/invalid-argument", "A baseline is a file", "a file", name)
    if name and output_file and os.path.realpath(name) == os.path.realpath(output_file):
        message = "The report would replace the baseline"
        raise _refused("usage/unwritable-output", message, "two files", output_file)


def _refused(rule: str, message: str, expected: str, actual: str | None = None) -> UsageError:
    return UsageError(Finding(rule, message, expected=expected, actual=actual))


def _identity(name: str) -> tuple[int, int] | None:
    """Return which regular file a name stands for; None where there is none."""
    try:
        status = os.stat(name)  # noqa: PTH116 - names need not be paths
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def _command_name() -> str:
    return click.get_current_context().info_name or ""


def _format(given: str, config: Config, formats: Sequence[str]) -> str:
    """Return the format of the configuration, if it has one and neither a person nor the
    environment does, and the command can write it.
    """
    ctx = click.get_current_context()
    if ctx.get_parameter_source("output_format") is not ParameterSource.DEFAULT:
        return given
    if config.format is None or config.format not in formats:
        return given
    if config.format == "json":
        want_json(ctx)
    return config.format


def _add(command: Callable[..., Any], formats: Sequence[str]) -> Callable[..., Any]:
    options = (
        click.option(
            "--format",
            "output_format",
            type=click.Choice(list(formats)),
            default="text",
            show_default=True,
            envvar=FORMAT_VARIABLE,
            show_envvar=True,
            help=_HELP + (" A page." if "html" in formats else ""),
        ),
        click.option(
            "--context/--no-context",
            default=None,
            help="Text: show the line of a finding, with a caret.  [default: on a terminal]",
        ),
        click.option(
            "--max-shown",
            type=click.IntRange(min=0),
            default=MOST_SHOWN,
            show_default=True,
            metavar="N",
            envvar="PARTWIRE_MAX_SHOWN",
            show_envvar=True,
            help="Text: findings that are shown, like ones as one; 0 shows each.",
        ),
        click.option(
            "--output-file",
            metavar="FILE",
            envvar="PARTWIRE_OUTPUT_FILE",
            show_envvar=True,
            help="Write the report to FILE, which is replaced when it is whole; - is stdout.",
        ),
        click.option(
            "--baseline",
            metavar="FILE",
            envvar="PARTWIRE_BASELINE",
            show_envvar=True,
            help="Findings that are accepted: only others are reported, and unused entries.",
        ),
        click.option(
            "--baseline-update", is_flag=True, help="Accept what is found: write --baseline FILE."
        ),
        click.option("--statistics", is_flag=True, help="Count the findings of each rule."),
        click.option("--exit-zero", is_flag=True, help="Exit with 0, findings or not."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def _checkout() -> str | None:
    """Return where GitHub's or GitLab's runner has put the repository."""
    named = os.environ.get("GITHUB_WORKSPACE") or os.environ.get("CI_PROJECT_DIR")
    return os.path.realpath(named) if named else None


def _folder() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 - a text is what is needed
    except OSError:  # the working folder is gone
        return os.sep
