"""``partwire publish``: the contract's schemas into a schema registry."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from ...contract.current import LATEST_VERSION
from ...contract.resources import BundleDraft
from ...registry.naming import LEVELS, SUBJECT_FORMAT, Level, wanted_subjects
from ..options import accept_option, gathered, reading_option
from ..report.options import ReportOptions, report_options
from ..report.usage import finite

if TYPE_CHECKING:
    from ...compat import Reading

__all__ = ["publish"]


@dataclass(frozen=True)
class _Asked:
    """What is published, where, and under which conditions."""

    types: tuple[str, ...]
    url: str
    contract: str
    draft: BundleDraft
    subject_format: str
    level: Level | None
    dry_run: bool
    reading: Reading
    accept: str | None
    force: bool
    timeout: float


@click.command(short_help="Publish the schemas to a schema registry.")
@click.argument("types", nargs=-1, metavar="[TYPE]...")
@click.option(
    "--registry",
    "url",
    required=True,
    metavar="URL",
    envvar="PARTWIRE_REGISTRY",
    show_envvar=True,
    help="Address of the registry. Who you are is read from the environment: see below.",
)
@click.option(
    "--contract", default=LATEST_VERSION, show_default=True, help="Version of the contract."
)
@click.option(
    "--draft",
    type=click.Choice(["2020-12", "draft-07"]),
    default="2020-12",
    show_default=True,
    help="Draft of JSON Schema; draft-07 for registries that know no other.",
)
@click.option(
    "--subject-format",
    default=SUBJECT_FORMAT,
    show_default=True,
    metavar="TEXT",
    help="Names of subjects, of {type}, {family}, {name}, {version} and {major}.",
)
@click.option(
    "--compatibility",
    "level",
    type=click.Choice(LEVELS, case_sensitive=False),
    help="Level that each subject is to have; levels stay as they are if it is not told.",
)
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@reading_option
@accept_option
@click.option("--force", is_flag=True, help="Publish whatever is found, breaks included.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0.1),
    callback=finite,
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait for each answer.",
)
@report_options()
@click.pass_context
@gathered(_Asked)
def publish(ctx: click.Context, asked: _Asked, reporting: ReportOptions) -> None:
    """Put one flat schema per type into a schema registry; of all public types, or of TYPE, as
    message.Message or 'message.*'.

    What is registered is compared with what is to come, in the direction of the level. A change
    that breaks anyone, or that is not proved to break nobody, keeps everything from being
    published, unless it is accepted. Running again changes nothing.

    The environment says who publishes: PARTWIRE_REGISTRY_USER and PARTWIRE_REGISTRY_PASSWORD, or
    PARTWIRE_REGISTRY_TOKEN; PARTWIRE_REGISTRY_CA_FILE names certificates to trust.

    Exit status 0: all is as planned. 1: a change is refused, here or by the registry. 2: the
    registry is not there, lets nobody in, or fails.

    \b
    Examples:
      partwire publish --registry http://localhost:8081 --dry-run
      partwire publish --registry http://localhost:8081 --compatibility FULL 'envelope.*'
    """
    # The client and the engine come with their command: the others need not wait for them.
    from ...registry.client import Credentials, Registry, RegistryError  # noqa: PLC0415
    from ...registry.planning import plan  # noqa: PLC0415
    from ...registry.publishing import publish as carry_out  # noqa: PLC0415
    from ..report.accepted import acceptance  # noqa: PLC0415
    from ..report.publish import View  # noqa: PLC0415

    wanted = wanted_subjects(
        asked.types,
        version=asked.contract,
        draft=asked.draft,
        subject_format=asked.subject_format,
    )
    level = asked.level
    every = asked.force or level == "NONE"
    accepted = acceptance(asked.accept, reporting.baseline, every=every)
    credentials = Credentials.from_environment(os.environ)
    thorough = asked.accept is not None or reporting.baseline is not None
    with (
        Registry(asked.url, credentials, timeout=asked.timeout) as registry,
        reporting.open(asked.contract) as report,
    ):
        view = View(registry.url, report, dry_run=asked.dry_run)
        try:
            plans = plan(registry, wanted, level=level, reading=asked.reading, thorough=thorough)
        except RegistryError as error:
            view.unplanned(error)
        else:
            view.planned(plans, accepted, forced=asked.force)
            if not asked.dry_run and not report.totals.failed:
                view.done(carry_out(registry, plans))
        view.end()
    ctx.exit(report.status)
