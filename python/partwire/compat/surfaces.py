"""More than schemas: documents that somebody has recorded, and what is ours alone.

Between two versions of the contract the golden cases of the old one go through today's code, the
names of the bindings are compared, and the golden documents are read again: the package
partwire-testing has them.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from ..contract.current import FAMILIES, LATEST_VERSION
from ..extras import import_extra
from .recorded import read_recorded, replay_documents
from .report import EntryVerdict, Replay, Report
from .sources.inputs import Source

__all__ = ["SURFACES", "version_of", "with_surfaces"]

SURFACES: Final = ("behaviour", "bindings", "documents")
"""What is compared beside the schemas."""


def with_surfaces(
    old: Source,
    new: Source,
    report: Report,
    options: Mapping[str, Any],
    *,
    surfaces: Collection[str] = SURFACES,
    documents: Sequence[str] = (),
) -> Report:
    """Return ``report`` with what the other surfaces say of the two sources.

    ``options`` are those of the comparison; forward there is nothing more to say. ``documents``:
    paths of recorded documents; without any, versions of ours have their golden ones. Behaviour and
    bindings are those of today's code: they are asked where ``new`` is the version that it speaks.
    Raises UsageError and ReadError for documents that cannot be read, and UsageError
    ``usage/missing-extra`` for versions of ours without the extra ``testing``.
    """
    recorded = read_recorded(documents)
    if options["direction"] == "forward":
        return report
    before, after = version_of(old), version_of(new)
    ours: Any = None
    if before and after and not {*SURFACES}.isdisjoint(surfaces):
        room = "partwire_testing.conformance.surfaces"
        ours = import_extra(room, "testing", "A comparison of versions beyond their schemas")
        if not documents:
            recorded = list(ours.golden_documents(before))
    if recorded and "documents" in surfaces:
        told = {name: options[name] for name in ("reading", "granularity", "dialect")}
        report = replay_documents(old, new, report, recorded, **told)
    if ours and after == LATEST_VERSION:
        for verdicts, counts in ours.replayed(before, after, options["reading"], surfaces):
            report = _joined(report, verdicts, counts)
    return report


def _joined(report: Report, verdicts: Sequence[EntryVerdict], counts: Replay) -> Report:
    return replace(
        report,
        verdicts=(*report.verdicts, *verdicts),
        replays=(*report.replays, counts),
    )


def version_of(source: Source) -> str | None:
    """Return the version of ours that a source is as a whole; None for anything else."""
    is_ours = source.name in FAMILIES and not os.path.lexists(source.name)
    return source.name if is_ours and not source.within else None
