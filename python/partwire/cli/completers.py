"""What stands for what is typed: types, versions, files, commits, suites, models."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterable, Iterator
from typing import Final

import click
from click.shell_completion import CompletionItem

from ..contract.current import FAMILIES, LATEST_VERSION
from ..contract.resources import read_catalog
from ..contract.schemas import describe_types
from ..formats.registry import FORMATS, format_of
from ..model.opening import KINDS

__all__ = ["Completer", "completer_of"]

Completer = Callable[[click.Context, str], Iterable[CompletionItem]]

_GIT: Final = "git:"
_GIT_SECONDS: Final = 2.0
_MOST_REFS: Final = 1000
_REPLAY: Final = f"{KINDS[0]}:"


def completer_of(param: click.Parameter) -> Completer | None:
    """Return what completes a parameter: its placeholder says what it stands for."""
    named = _BY_NAME.get(param.name or "")
    return named or _BY_PLACEHOLDER.get(param.metavar or "")


def _files(_ctx: click.Context, incomplete: str) -> Iterable[CompletionItem]:
    yield CompletionItem(incomplete, type="file")


def _versions(_ctx: click.Context, incomplete: str) -> Iterable[CompletionItem]:
    for name, row in read_catalog().items():
        if name.startswith(incomplete):
            yield CompletionItem(name, help=row["status"])


def _types(ctx: click.Context, incomplete: str) -> Iterable[CompletionItem]:
    """Yield the public types; inner ones where no public one begins so."""
    rows = describe_types(ctx.params.get("contract") or LATEST_VERSION)
    fitting = [row for row in rows if row.type.startswith(incomplete)]
    for row in [each for each in fitting if each.public] or fitting:
        yield CompletionItem(row.type, help=row.description)


def _families(ctx: click.Context, incomplete: str) -> Iterable[CompletionItem]:
    version = ctx.params.get("contract") or LATEST_VERSION
    known = FAMILIES.get(version, ())
    return [CompletionItem(name) for name in known if name.startswith(incomplete)]


def _families_and_formats(ctx: click.Context, incomplete: str) -> Iterable[CompletionItem]:
    yield from _families(ctx, incomplete)
    yield from (CompletionItem(name) for name in FORMATS if name.startswith(incomplete))


def _all_that_documents_are(ctx: click.Context, incomplete: str) -> Iterable[CompletionItem]:
    yield from _families(ctx, incomplete)
    yield from _types(ctx, incomplete)
    yield from (CompletionItem(name) for name in FORMATS if name.startswith(incomplete))


def _versions_of_format(ctx: click.Context, incomplete: str) -> Iterable[CompletionItem]:
    """Yield the versions of the format that ``--to`` names; of all formats before it does."""
    named = format_of(ctx.params.get("target") or "")
    for each in [FORMATS[named]] if named else FORMATS.values():
        for version in each.versions:
            if version.startswith(incomplete):
                yield CompletionItem(version, help=each.name)


def _suites(_ctx: click.Context, incomplete: str) -> Iterable[CompletionItem]:
    # The suite comes with its command: nobody else waits for it.
    try:
        from partwire_testing.conformance.suites import suite_names, versions  # noqa: PLC0415
    except ImportError:  # the extra `testing` is not installed: nothing is offered
        return []
    known = sorted({name for version in versions() for name in suite_names(version)})
    return [CompletionItem(name) for name in known if name.startswith(incomplete)]


def _listed(completer: Completer) -> Completer:
    """Return what completes the last item of a list with commas; none is offered twice."""

    def complete(ctx: click.Context, incomplete: str) -> Iterator[CompletionItem]:
        head, comma, last = incomplete.rpartition(",")
        given = head.split(",")
        for item in completer(ctx, last):
            if item.value not in given:
                yield CompletionItem(f"{head}{comma}{item.value}", help=item.help)

    return complete


def _refs() -> list[str]:
    """Return HEAD, branches and tags of the working folder's repository; none where there is no
    repository, no git, or none that answers in time: whoever waits is typing.
    """
    command = ["git", "for-each-ref", f"--count={_MOST_REFS}", "--format=%(refname:short)"]
    command += ["refs/heads", "refs/tags", "refs/remotes"]
    try:
        done = subprocess.run(  # noqa: S603 - the git of PATH, and nothing that was typed
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_GIT_SECONDS,
            check=True,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return []
    return ["HEAD", *done.stdout.decode("utf-8", "replace").split()]


def _commits(_ctx: click.Context, incomplete: str) -> Iterable[CompletionItem]:
    return _begun(_GIT, (f"{_GIT}{ref}" for ref in _refs()), incomplete)


def _begun(prefix: str, values: Iterable[str], incomplete: str) -> Iterator[CompletionItem]:
    """Yield the values that begin as what is typed, which is looked at once it has ``prefix``."""
    if not incomplete.startswith(prefix):
        if prefix.startswith(incomplete):
            yield CompletionItem(prefix)
        return
    for value in values:
        if value.startswith(incomplete):
            yield CompletionItem(value)


def _sources(ctx: click.Context, incomplete: str) -> Iterable[CompletionItem]:
    """Yield versions, places in commits, and files where what is typed begins none: a shell shows
    files or the others.
    """
    if incomplete.startswith(_GIT):
        return _begun(_GIT, (f"{_GIT}{ref}:" for ref in _refs()), incomplete)
    return list(_versions(ctx, incomplete)) or _files(ctx, incomplete)


def _models(_ctx: click.Context, incomplete: str) -> Iterable[CompletionItem]:
    """Yield kinds of models, and for a replay files; providers do not list their models."""
    if incomplete.startswith(_REPLAY):
        return _begun(_REPLAY, _recordings(incomplete.removeprefix(_REPLAY)), incomplete)
    return [CompletionItem(f"{kind}:") for kind in KINDS if f"{kind}:".startswith(incomplete)]


def _recordings(typed: str) -> Iterator[str]:
    """Yield what is in the folder that is typed, with the prefix that no shell knows."""
    folder = os.path.dirname(typed)  # noqa: PTH120 - what is typed stays as it is
    try:
        found = sorted(os.scandir(folder or "."), key=lambda each: each.name)
    except (OSError, ValueError):
        return
    for each in found:
        if not each.name.startswith("."):
            name = os.path.join(folder, each.name)  # noqa: PTH118
            yield f"{_REPLAY}{name}{'/' if each.is_dir() else ''}"


_BY_PLACEHOLDER: Final[dict[str, Completer]] = {
    "FILE": _files,
    "FILE|-": _files,
    "FILE...": _files,
    "[FILE]...": _files,
    "PATH": _files,
    "FOLDER": _files,
    "HISTORY": _files,
    "OLD NEW": _sources,
    "OFFER...": _versions,
    "VERSION": _versions,
    "VERSION,…": _listed(_versions),
    "VERSIONS": _listed(_versions),
    "TYPE": _types,
    "[TYPE]...": _types,
    "FAMILY": _families,
    "FAMILY|FORMAT": _families_and_formats,
    "FAMILY|TYPE|FORMAT": _all_that_documents_are,
    "FORMAT-VERSION": _versions_of_format,
    "NAME,…": _listed(_suites),
    "git:REF": _commits,
    "KIND:NAME": _models,
}
_BY_NAME: Final[dict[str, Completer]] = {"contract": _versions, "family": _families}
