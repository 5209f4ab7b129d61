"""Known failures: runs that may fail, each with its reason, and none that is forgotten."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from partwire.reporting.kept_files import SENTENCE, EntryForm

from .runner import Outcome, Trial

__all__ = ["Known", "KnownFailures", "read_known"]

_FORM: Final = EntryForm(
    "Known failures are an array",
    {"implementation": SENTENCE, "case": SENTENCE, "reason": SENTENCE},
    needed=("case", "reason"),
)


@dataclass(frozen=True)
class Known:
    """One entry: ``case`` is a run (``v0.1/streams/late#assemble``), or a case with all its runs.

    ``implementation`` is the name that a driver gives itself; None for every driver.
    """

    case: str
    reason: str
    implementation: str | None = None

    def fits(self, trial: Trial, outcome: Outcome) -> bool:
        """Return whether the entry speaks of an outcome."""
        named = self.implementation in (None, trial.name)
        return named and self.case in (outcome.run, outcome.case)


@dataclass(frozen=True)
class KnownFailures:
    """The entries of a file, in order."""

    entries: tuple[Known, ...] = ()

    def entry_of(self, trial: Trial, outcome: Outcome) -> Known | None:
        """Return the first entry that speaks of an outcome."""
        return next((each for each in self.entries if each.fits(trial, outcome)), None)

    def is_known(self, trial: Trial, outcome: Outcome) -> bool:
        """Return whether an outcome is a failure that is known."""
        failed = outcome.status in ("failed", "errored")
        return failed and self.entry_of(trial, outcome) is not None

    def unexpected(self, trial: Iterable[Trial], places: set[tuple[str, str]]) -> list[str]:
        """Return one line per entry that excuses nothing, as :meth:`idle` says."""
        return [
            f"{entry.case}: {words}: {entry.reason}" for entry, words in self.idle(trial, places)
        ]

    def idle(self, trial: Iterable[Trial], places: set[tuple[str, str]]) -> list[tuple[Known, str]]:
        """Return the entries that excuse nothing, each with words that say why.

        ``places`` are the versions and suites that were run: an entry of another one is left
        alone, as is one of a driver that did not run.
        """
        drivers = list(trial)
        told = []
        for entry in self.entries:
            named = [each for each in drivers if entry.implementation in (None, each.name)]
            version, _, rest = entry.case.partition("/")
            if not named or (version, rest.partition("/")[0]) not in places:
                continue
            met = [(one, out) for one in named for out in one.outcomes if entry.fits(one, out)]
            if not met:
                told.append((entry, "a known failure that is not a run"))
            elif all(out.status == "passed" for _, out in met):
                told.append((entry, "a known failure that passes"))
        return told


def read_known(name: str) -> KnownFailures:
    """Return the known failures of a file: a JSON array of ``{implementation?, case, reason}``.

    Raises as :meth:`EntryForm.read`.
    """
    return KnownFailures(tuple(Known(**row) for row in _FORM.read(name).rows))
