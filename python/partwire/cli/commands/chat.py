"""``partwire chat``: a conversation with a model, or with what was recorded of one."""

from __future__ import annotations

import click

from ...model.opening import KINDS
from ..chat.model import open_chat_model
from ..files.streams import DELTAS, PROVIDER_DIALECTS, dialect_option
from ..report.render import EXIT_FINDINGS

__all__ = ["chat"]


@click.command()
@click.option(
    "--model",
    "spec",
    required=True,
    metavar="KIND:NAME",
    help="replay:FILE[,FILE…] plays recordings; else a provider and its model: "
    + ", ".join(f"{kind}:MODEL" for kind in KINDS[1:])
    + ".",
)
@click.option("--system", metavar="TEXT", help="The system prompt.")
@dialect_option((DELTAS, *PROVIDER_DIALECTS))
@click.option(
    "--timing",
    metavar="real|none|FACTOR",
    help="The pauses of a replay: as recorded, none, or a multiple of them.  "
    "[default: real on a terminal, else none]",
)
@click.option("--record", metavar="FILE", help="Write a recording, which a replay can play.")
@click.option("--save", metavar="HISTORY", help="Write the messages, a line of JSON each.")
@click.option("--continue", "continued", metavar="HISTORY", help="Go on from saved messages.")
@click.pass_context
def chat(
    ctx: click.Context,
    spec: str,
    system: str | None,
    dialect: str | None,
    timing: str | None,
    record: str | None,
    save: str | None,
    continued: str | None,
) -> None:
    """Talk to a model: type at a terminal, or pipe one turn per line.

    Nothing is executed here: where the model calls a tool, you are asked for the result, a line
    each. Ctrl-C cancels the running answer, of which is kept what has arrived; where no answer is
    running, it leaves, as Ctrl-D does. A replay that says what was asked plays the whole
    conversation by itself. Keys are taken from the environment, as the provider's own client does.

    Exit status: 0 the conversation has ended, 1 an answer failed and nobody was typing, 2 usage
    or unreadable input, 130 left by Ctrl-C.

    \b
    Examples:
      partwire chat --model replay:conversation.jsonl
      partwire chat --model anthropic:claude-opus-4-5 --save talk.jsonl --continue talk.jsonl
    """
    from ..chat.session import hold_conversation  # noqa: PLC0415 - brings an event loop along

    failed = hold_conversation(
        open_chat_model(spec, dialect, timing),
        system=system,
        record=record,
        save=save,
        continued=continued,
    )
    ctx.exit(EXIT_FINDINGS if failed else 0)
