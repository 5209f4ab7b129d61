"""``partwire completion SHELL``, and how its commands are taught to complete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    add_completion_class,
    get_completion_class,
)

from ...errors import PartwireError
from ..completers import Completer, completer_of
from ..lazy import COMPLETION_VARIABLE

__all__ = ["Taught", "completion", "teach"]

_SHELLS: Final = ("bash", "fish", "zsh")

if TYPE_CHECKING:
    _Base: TypeAlias = click.ParamType[Any]
else:  # generic is it in newer releases only
    _Base = click.ParamType


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

    The placeholder that the help shows says what that is; a choice, and a parameter that knows
    better itself, is left alone.
    """
    for param in command.params:
        completer = completer_of(param)
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
        except PartwireError:  # such as a version that does not exist: the command will report it
            return []


class _Bash(BashComplete):
    """bash, which takes a colon for the end of a word: what is before it is put back, and what is
    offered is the rest.
    """

    # What ends so is only begun: no space follows.
    source_template = BashComplete.source_template.replace(
        "COMPREPLY+=($value)",
        "COMPREPLY+=($value)\n            [[ $value == *[:/] ]] && compopt -o nospace",
    )
    _head = ""

    def get_completion_args(self) -> tuple[list[str], str]:
        pieces, incomplete = super().get_completion_args()
        words: list[str] = []
        broken = False
        for piece in (*pieces, incomplete):
            if words and (broken or piece == ":"):
                words[-1] += piece
                self._head = words[-1].rpartition(":")[0] + ":"
            else:
                words.append(piece)
                self._head = ""
            broken = piece == ":"
        return words[:-1], words[-1]

    def format_completion(self, item: CompletionItem[Any]) -> str:
        item.value = item.value.removeprefix(self._head)
        return super().format_completion(item)


class _Fish(FishComplete):
    """fish, in whose script a comma ends what is offered: lists have commas, and so have words."""

    source_template = FishComplete.source_template.replace(
        'string split ","', 'string split -m 1 ","'
    )


add_completion_class(_Bash)
add_completion_class(_Fish)
