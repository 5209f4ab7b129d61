"""``partwire completion SHELL``, and what stands for what is typed: types, versions, files, …"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import click
from click.shell_completion import CompletionItem, get_completion_class

from ..contract import LATEST_VERSION, describe_types
from ..errors import PartwireError
from ..resources import read_catalog
from .lazy import COMPLETION_VARIABLE

__all__ = ["Taught", "completion", "teach"]

_SHELLS: Final = ("bash", "fish", "zsh")

if TYPE_CHECKING:
    _Base: TypeAlias = click.ParamType[Any]
else:  # generic is it in newer releases only
    _Base = click.ParamType

Completer = Callable[[click.Context, str], Iterable[CompletionItem]]


@click.command()
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script that teaches SHELL the commands, options, types, versions and rules.

    \b
    Examples, for the file that the shell reads at its start:
      eval "$(partwire completion bash)"
      eval "$(partwire completion zsh)"
      partwire completion fish | source
    """
    maker = get_completion_class(shell)
    assert maker is not None, shell
    script = maker(ctx.find_root().command, {}, "partwire", COMPLETION_VARIABLE).source()
    click.echo(script, nl=False)


def teach(command: click.Command) -> None:
    """Let the parameters of ``command``, and of commands in it, complete what they stand for.

    The placeholder that the help shows tells what that is; a choice, and a parameter that knows
    better itself, is left alone.
    """
    for param in command.params:
        completer = _completer(param)
        if completer is not None and isinstance(param.type, click.types.StringParamType):
            param.type = Taught(param.type, completer)
    if isinstance(command, click.Group):
        for each in command.commands.values():
            teach(each)


class Taught(_Base):
    """A type of parameter as it was, that completes."""

    def __init__(self, inner: click.ParamType[Any], completer: Completer) -> None:
        self.name = inner.name
        self.inner = inner
        self._completer = completer

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return self.inner.convert(value, param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        try:
            return list(self._completer(ctx, incomplete))
        except PartwireError:  # such as a version that does not exist: the command will tell
            return []


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
    known = read_catalog().get(version, {"families": []})["families"]
    return [CompletionItem(name) for name in known if name.startswith(incomplete)]


def _sources(ctx: click.Context, incomplete: str) -> Iterable[CompletionItem]:
    """Yield versions, and files where what is typed begins none: a shell shows one of the two."""
    return list(_versions(ctx, incomplete)) or _files(ctx, incomplete)


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
    "VERSION,…": _versions,
    "TYPE": _types,
    "[TYPE]...": _types,
    "FAMILY": _families,
}
_BY_NAME: Final[dict[str, Completer]] = {"contract": _versions, "family": _families}


def _completer(param: click.Parameter) -> Completer | None:
    named = _BY_NAME.get(param.name or "")
    return named or _BY_PLACEHOLDER.get(param.metavar or "")
