"""How publishing is reported: a line for each subject, findings, and one sentence at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from ...errors import Finding, counted
from ...registry.client import RegistryError, RegistryRefusal
from ...registry.planning import Planned
from ...registry.publishing import Outcome
from ...reporting.words import safe_text
from .accepted import Acceptance
from .compat import Compared as Pair
from .compat import bump_of, show
from .options import CommandReport

__all__ = ["View"]

_STATUS: Final = {"new": "would be new", "changed": "would change", "foreign": "would change"}


class View:
    """Reports one run. Nothing is reported of a subject before all are planned."""

    def __init__(self, url: str, report: CommandReport, *, dry_run: bool) -> None:
        self.url = url
        self.report = report
        self.dry_run = dry_run
        self.plans: Sequence[Planned] = ()
        self.outcome: Outcome | None = None
        self.broken = False

    def unplanned(self, error: RegistryError) -> None:
        """The registry could not even be read."""
        self.broken = True
        self.report.cannot_read(error)

    def planned(self, plans: Sequence[Planned], accepted: Acceptance, *, forced: bool) -> None:
        """Report what would change, and everything that is to be said of it."""
        self.plans = plans
        if self.report.options.format == "text":
            self.report.form.write(_table(plans))
        pairs = [Pair(each.old, each.new, each.report) for plan in plans for each in plan.compared]
        show(pairs, accepted, True, self.report)
        self.report.totals.sources = len(plans)
        self.report.totals.documents = len(plans)
        for plan in plans:
            refusals = [
                each for each in (*plan.findings, *_refused(plan)) if each.severity == "error"
            ]
            self.report.totals.failed |= bool(refusals) and not forced
            for finding in (*plan.findings, *_refused(plan)):
                told = finding._replace(severity="warning") if forced else finding
                self.report.add(told)

    def done(self, outcome: Outcome) -> None:
        """Report what came of it."""
        self.outcome = outcome
        if outcome.error is None:
            return
        if isinstance(outcome.error, RegistryRefusal):
            for finding in outcome.error.findings:
                self.report.add(finding)
        else:
            self.report.cannot_read(outcome.error)
        for finding in outcome.findings():
            self.report.add(finding)

    def end(self) -> None:
        """Say what the run has come to."""
        self.report.details = self._details()
        self.report.summary = self._summary

    # --- in one sentence ------------------------------------------------------------------------

    def _summary(self) -> str:
        if self.broken:
            return safe_text(f"{self.url}: nothing is published")
        return safe_text(f"{self.url}: {self._told()}")

    def _told(self) -> str:
        outcome = self.outcome
        if outcome is None:
            counts = Counter(_STATUS.get(each.action, each.action) for each in self.plans)
            parts = [f"{count} {name}" for name, count in counts.items()]
            levels = sum(each.set_level is not None for each in self.plans)
            parts += [counted(levels, "level") + " would be set"] if levels else []
            told = ", ".join(parts) or "no subject"
            if self.report.totals.failed:
                return f"nothing is published: it is refused ({told})"
            return f"{told}; nothing is published, as asked"
        parts = [f"{len(outcome.published)} published"]
        parts += [f"{counted(len(outcome.levels), 'level')} set"] if outcome.levels else []
        if outcome.missing:
            parts.append(f"{len(outcome.missing)} not published: {', '.join(outcome.missing)}")
        done = set(outcome.missing) | set(outcome.published)
        same = sum(each.subject not in done for each in self.plans)
        parts += [f"{same} as they were"] if same else []
        return ", ".join(parts)

    # --- as JSON --------------------------------------------------------------------------------

    def _details(self) -> dict[str, Any]:
        return {
            "registry": self.url,
            "dryRun": self.dry_run,
            "published": not self.broken and self.outcome is not None,
            "subjects": [self._subject(each) for each in self.plans],
        }

    def _subject(self, plan: Planned) -> dict[str, Any]:
        told: dict[str, Any] = {
            "subject": plan.subject,
            "type": plan.wanted.type,
            "contract": plan.wanted.version,
            "action": plan.action,
            "status": self._status(plan),
            "level": plan.level,
            "setLevel": plan.set_level,
            "registryAccepts": plan.registry_accepts,
            "verdicts": [
                {
                    "against": each.version,
                    "status": verdict.status,
                    "direction": verdict.direction,
                    "bump": bump_of(each.report),
                }
                for each in plan.compared
                for verdict in each.report.verdicts
            ],
        }
        registered = plan.latest
        if self.outcome is not None:
            registered = self.outcome.published.get(plan.subject, registered)
        if registered is not None:
            told |= {"version": registered.version, "id": registered.id}
        return told

    def _status(self, plan: Planned) -> str:
        outcome = self.outcome
        if outcome is None:
            return "unchanged"
        if plan.subject == outcome.failed:
            return "refused" if isinstance(outcome.error, RegistryRefusal) else "unknown"
        if plan.subject in outcome.missing:
            return "not-reached"
        if plan.subject in outcome.published:
            return "published"
        return "level-set" if plan.subject in outcome.levels else "unchanged"


def _refused(plan: Planned) -> list[Finding]:
    """Return what the registry itself says against a schema, by a level that stays as it is."""
    if plan.registry_accepts is not False or plan.set_level is not None:
        return []
    return [
        Finding(
            "registry/incompatible",
            "The registry calls the schema incompatible",
            expected=f"a schema that fits those that are registered, by {plan.level}",
            actual="a schema that the registry's own check refuses",
            source=plan.subject,
        )
    ]


def _table(plans: Sequence[Planned]) -> str:
    """Return a line for each subject: what would become of it, and what is said of that."""
    rows = [(each.subject, each.action, *_columns(each)) for each in plans]
    widths = [max(map(len, column), default=0) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "".join(f"{safe_text(line)}\n" for line in lines)


def _columns(plan: Planned) -> tuple[str, str, str]:
    version = f"version {plan.latest.version}" if plan.latest else "no version"
    level = plan.level or "no level"
    if plan.set_level is not None:
        level += " (to be set)"
    statuses = [verdict.status for each in plan.compared for verdict in each.report.verdicts]
    worst = next(
        (
            each
            for each in ("breaking", "unproven", "no-documents", "compatible")
            if each in statuses
        ),
        "",
    )
    said = [worst] if worst else []
    if plan.registry_accepts is not None:
        word = "compatible" if plan.registry_accepts else "incompatible"
        said.append(f"the registry says {word}")
    return version, level, ", ".join(said)
