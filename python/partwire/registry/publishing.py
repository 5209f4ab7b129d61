"""Publishing what was planned: subject by subject, and an exact account of what was done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..errors import Finding
from .client import Registered, Registry, RegistryError, RegistryRefusal
from .planning import Planned

__all__ = ["Outcome", "publish"]


@dataclass
class Outcome:
    """What was done; where ``error`` is set, it ended the run at the subject ``failed``.

    ``levels`` are the subjects whose level was set, ``published`` those that have a new version,
    ``missing`` those that publishing did not come to, ``failed`` included.
    """

    levels: list[str] = field(default_factory=list)
    published: dict[str, Registered] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    failed: str | None = None
    error: RegistryError | None = None

    def findings(self) -> list[Finding]:
        """Return one finding for each subject that is not as it was to be."""
        return [self._finding(subject) for subject in self.missing]

    def _finding(self, subject: str) -> Finding:
        if subject != self.failed:
            message = "Not published: the run ended before it"
        elif isinstance(self.error, RegistryRefusal):
            message = "Not published: the registry has refused it"
        else:
            message = "Whether it is published is not known: the registry has failed at it"
        return Finding(
            "registry/not-published",
            message,
            expected="all that was planned",
            actual=f"the run ended at {self.failed}",
            source=subject,
        )


def publish(registry: Registry, plans: Sequence[Planned]) -> Outcome:
    """Set levels and register schemas as planned. Never raises what the registry does.

    A failure ends the run: what was done stays done, and running again does the rest. The level of
    a subject is set before its schema is registered, since it is what the registry checks by.
    """
    outcome = Outcome()
    todo = [each for each in plans if each.changes]
    for number, each in enumerate(todo):
        try:
            if each.set_level is not None:
                registry.set_level(each.subject, each.set_level)
                outcome.levels.append(each.subject)
            if each.action in ("new", "changed", "foreign"):
                outcome.published[each.subject] = registry.register(each.subject, each.wanted.text)
        except RegistryError as error:
            outcome.failed, outcome.error = each.subject, error
            outcome.missing = [other.subject for other in todo[number:]]
            break
    return outcome
