"""``partwire compat``: whether a change of schemas breaks whoever reads or writes by them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ...errors import Finding, UsageError, counted
from ..config.paths import load_config
from ..options import accept_option, gathered, reading_option
from ..report.options import ReportOptions, report_options

if TYPE_CHECKING:
    from ...compat.sources.inputs import Source

__all__ = ["compat", "surface_options"]


# --- options of recorded documents and surfaces ---------------------------------------------------

F = TypeVar("F", bound=Callable[..., Any])

_SURFACES = ("behaviour", "bindings", "documents")


def surface_options(command: F) -> F:
    """Add ``--documents`` and ``--surface`` to a command."""
    documents = click.option(
        "--documents",
        multiple=True,
        metavar="PATH",
        help="Documents recorded under OLD: files, folders or globs of JSON or JSON Lines.",
    )
    surfaces = click.option(
        "--surface",
        "surfaces",
        multiple=True,
        type=click.Choice(["schema", *_SURFACES]),
        default=_SURFACES,
        help="What is compared beside the schemas; all that there is, if not told otherwise.",
    )
    return documents(surfaces(command))


# --- the command ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Asked:
    """What is compared, and how."""

    sources: tuple[str, ...]
    direction: str
    transitive: bool
    reading: str
    granularity: str | None
    accept: str | None
    unproven: str
    against: str | None
    dialect: str
    documents: tuple[str, ...]
    surfaces: tuple[str, ...]


_DIALECTS = ("draft-04", "draft-06", "draft-07", "2019-09", "2020-12")


@click.command()
@click.argument("sources", nargs=-1, metavar="OLD NEW")
@click.option(
    "--direction",
    type=click.Choice(["backward", "forward", "full"]),
    default="backward",
    show_default=True,
    help="Old documents and new readers, new documents and old readers, or both.",
)
@click.option("--transitive", is_flag=True, help="Compare every pair of any number of versions.")
@reading_option
@click.option(
    "--entrypoints",
    "granularity",
    flag_value="entrypoints",
    help="Compare what is marked x-entrypoint, else the root of each file.",
)
@click.option(
    "--definitions", "granularity", flag_value="definitions", help="Compare each definition."
)
@accept_option
@click.option(
    "--unproven",
    type=click.Choice(["fail", "warn"]),
    default="fail",
    show_default=True,
    help="What a verdict is worth that is neither proved nor refuted.",
)
@click.option(
    "--against",
    metavar="git:REF",
    help="Compare files and folders, or those that the configuration names, with a commit's.",
)
@click.option(
    "--dialect",
    type=click.Choice(_DIALECTS),
    default="2020-12",
    show_default=True,
    help="Draft of schemas that do not name theirs.",
)
@surface_options
@report_options()
@click.pass_context
@gathered(_Asked)
def compat(ctx: click.Context, asked: _Asked, reporting: ReportOptions) -> None:
    """Compare the schemas OLD and NEW: files (JSON, or YAML by the name), folders of JSON files,
    contract versions or git:REF:PATH.

    Exit status 0: compatible, by proof. 1: breaking, each break with a document that shows it, or
    not proved. 2: no verdict, since something is not there or is not a schema.

    \b
    Examples:
      partwire compat old.schema.json new.schema.json
      partwire compat --against git:main schemas
      partwire compat git:main:openapi.yaml openapi.yaml
      partwire compat --transitive v1.json v2.json v3.json --direction full
      partwire compat old.schema.json new.schema.json --documents recorded/
    """
    # The engine comes with its command: the others need not wait for it.
    from ...compat.comparison import check  # noqa: PLC0415
    from ...compat.surfaces import with_surfaces  # noqa: PLC0415
    from ..report.accepted import accepted_breaks  # noqa: PLC0415
    from ..report.compat import Compared, show  # noqa: PLC0415

    accepted = accepted_breaks(asked.accept, reporting.baseline)
    options: dict[str, Any] = {
        "direction": asked.direction,
        "reading": asked.reading,
        "granularity": asked.granularity or "auto",
        "dialect": asked.dialect,
        "thorough": asked.accept is not None or reporting.baseline is not None,
    }
    more: dict[str, Any] = {"documents": asked.documents, "surfaces": asked.surfaces}
    with reporting.open() as report:
        compared = [
            Compared(old, new, with_surfaces(old, new, check(old, new, **options), options, **more))
            for old, new in _pairs(asked.sources, asked.transitive, asked.against)
        ]
        show(compared, accepted, asked.unproven == "fail", report)
    ctx.exit(report.status)


def _pairs(
    names: tuple[str, ...], transitive: bool, against: str | None
) -> Iterator[tuple[Source, Source]]:
    from ...compat.sources.inputs import load_source  # noqa: PLC0415

    if against is not None:
        if transitive:
            raise _refused("--against compares with one commit, --transitive with all", against)
        yield from _against(against, names)
        return
    if len(names) < 2 or (len(names) > 2 and not transitive):
        needed = "two or more" if transitive else "two: OLD and NEW"
        expected = "OLD NEW, or --against git:REF with files and folders"
        raise _refused(f"A comparison needs {needed}", counted(len(names), "source"), expected)
    loaded = [load_source(name) for name in names]
    yield from combinations(loaded, 2) if transitive else pairwise(loaded)


def _against(against: str, names: tuple[str, ...]) -> Iterator[tuple[Source, Source]]:
    """Yield what is in a commit, and in the working tree; what the commit lacks is new."""
    from ...compat.sources.inputs import Source, load_source, load_source_at  # noqa: PLC0415

    scheme, _, ref = against.partition(":")
    if scheme != "git" or not ref or ":" in ref:
        raise _refused("No such place to compare with", against, "git:REF, as in git:main")
    if not names:
        config = load_config(Path.cwd())
        if not config.schemas:
            raise _refused(
                "Nothing to compare",
                against,
                "paths, or schemas = [...] in the configuration",
            )
        names = tuple(_relative(config.folder / path) for path in config.schemas)
    for name in names:
        new = load_source(name)
        if not Path(name).exists():  # a version of the contract, or another commit: no tree has it
            expected = "files and folders of the working tree"
            raise _refused("--against looks at what a commit may hold", name, expected)
        old = load_source_at(ref, name)
        yield old or Source(f"git:{ref}:{name}", {}, single=new.single), new


def _relative(path: Path) -> str:
    """Return a path as people know it: annotations are placed by it."""
    try:
        return path.relative_to(Path.cwd()).as_posix()
    except ValueError:
        return str(path)


def _refused(message: str, actual: str, expected: str | None = None) -> UsageError:
    return UsageError(Finding("usage/invalid-argument", message, expected=expected, actual=actual))
