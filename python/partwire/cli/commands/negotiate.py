"""``partwire negotiate``: the best version that two peers know."""

from __future__ import annotations

import json

import click

from ...convert import VERSIONS, NegotiationError
from ...convert import negotiate as negotiate_version
from ..options import text_or_json
from ..report.render import EXIT_FINDINGS, emit_json, render_error

__all__ = ["negotiate"]


@click.command()
@click.argument("offers", nargs=-1, required=True, metavar="OFFER...")
@click.option(
    "--supported",
    metavar="VERSIONS",
    help=f"Versions of this side, with commas between.  [default: {','.join(VERSIONS)}]",
)
@text_or_json("The version alone, or one JSON object.")
@click.pass_context
def negotiate(
    ctx: click.Context, offers: tuple[str, ...], supported: str | None, output_format: str
) -> None:
    """Print the version that is best of those that a peer OFFERs: the newest that both know.

    An OFFER may be a list with commas and have weights, as HTTP's Accept: a greater weight wins, 0
    excludes, and * stands for all others.

    Exit status: 0 found, 1 no common version, 2 usage.

    \b
    Examples:
      partwire negotiate v0.1 v0.2
      partwire negotiate 'v0.1, v0.2;q=0.5'
    """
    mine = VERSIONS if supported is None else [each.strip() for each in supported.split(",")]
    try:
        version = negotiate_version(",".join(offers), mine)
    except NegotiationError as error:
        if error.rule != "negotiate/no-common-version":
            raise
        render_error(error, output_format)
        ctx.exit(EXIT_FINDINGS)
    if output_format == "json":
        emit_json(json.dumps({"version": version}).encode())
    else:
        click.echo(version)
