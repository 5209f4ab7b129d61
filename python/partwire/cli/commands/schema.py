"""``partwire schema``: look at the contract itself."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal

import click

from ...contract.current import LATEST_VERSION
from ...contract.resources import BundleDraft, bundle, interface
from ...contract.schemas import describe_types, standalone_schema
from ..report.render import emit_json

if TYPE_CHECKING:
    from ...archive.columns.shown import ColumnForm

__all__ = ["schema"]

_contract_option = click.option(
    "--contract", default=LATEST_VERSION, show_default=True, help="Version of the contract."
)
_draft_option = click.option(
    "--draft",
    type=click.Choice(["2020-12", "draft-07"]),
    default="2020-12",
    show_default=True,
    help="Draft of JSON Schema; draft-07 is for editors and older tools.",
)


@click.group()
def schema() -> None:
    """List, show and bundle the schemas of the contract.

    \b
    Examples:
      partwire schema show message.Message
      partwire schema show message.Message --as arrow
    """


@schema.command("list")
@_contract_option
@click.option("--all", "every", is_flag=True, help="Inner types too, not only public ones.")
def list_types(contract: str, every: bool) -> None:
    """List the types, one per line, with what they are.

    \b
    Example:
      partwire schema list
    """
    rows = [row for row in describe_types(contract) if every or row.public]
    width = max(len(row.type) for row in rows)
    for row in rows:
        note = " (reserved)" if row.reserved else ""
        click.echo(f"{row.type:<{width}}  {row.description}{note}")


@schema.command("show", short_help="Print one type as a JSON Schema, or as columns of a table.")
@click.argument("type_name", metavar="TYPE")
@_contract_option
@_draft_option
@click.option(
    "--as",
    "form",
    type=click.Choice(["json-schema", "arrow", "duckdb", "polars", "spark"]),
    default="json-schema",
    show_default=True,
    help="arrow: the columns of Parquet files; the others: what a reader of JSON Lines takes.",
)
def show(
    type_name: str,
    contract: str,
    draft: BundleDraft,
    form: ColumnForm | Literal["json-schema"],
) -> None:
    """Print one type as a JSON Schema that stands alone: any validator takes it.

    With --as, print the columns that its documents have as rows of a table.

    \b
    Examples:
      partwire schema show message.Message > message.schema.json
      partwire schema show message.Message --as arrow
      duckdb -c "FROM read_json('messages.jsonl',
        columns = $(partwire schema show message.Message --as duckdb))"
    """
    if form == "json-schema":
        _print(standalone_schema(type_name, contract, draft))
        return
    from ...archive.columns.shown import show_columns  # noqa: PLC0415 - the others do without

    click.echo(show_columns(type_name, form, contract))


@schema.command("bundle", short_help="Print a family as one JSON Schema.")
@click.argument("family")
@_contract_option
@_draft_option
def bundle_family(family: str, contract: str, draft: BundleDraft) -> None:
    """Print all types of FAMILY as one JSON Schema without references to other files.

    \b
    Example:
      partwire schema bundle message --draft draft-07
    """
    _print(bundle(family, contract, draft))


@schema.command("interface", short_help="Print an interface document: asyncapi, openapi-3.1.")
@click.argument("name")
def interface_document(name: str) -> None:
    """Print an interface document, with all schemas that it refers to.

    \b
    Examples:
      partwire schema interface asyncapi
      partwire schema interface openapi-3.1
    """
    _print(interface(name))


def _print(document: object) -> None:
    emit_json(json.dumps(document, indent=2, ensure_ascii=False).encode())
