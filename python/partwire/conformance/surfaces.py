"""More than schemas: what code does, what its names are, and what was really written.

Between two versions of ours the golden cases of the old one go through today's code, the names of
the bindings are compared, and the golden documents are read again; documents that somebody has
recorded are looked at for any schemas.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, get_args

from ..compat.recorded import Recorded, read_recorded, replay_documents
from ..compat.report import EntryVerdict, Replay, Report, Surface
from ..compat.sources.inputs import Source
from ..contract.current import LATEST_VERSION
from ..contract.resources import read_catalog
from ..json.text import decode_json
from .behaviour import replay_behaviour
from .bindings import compare_bindings
from .suites import all_cases, versions

__all__ = ["SURFACES", "golden_documents", "with_surfaces"]

SURFACES: Final[tuple[Surface, ...]] = get_args(Surface)


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
    Raises UsageError and ReadError for documents that cannot be read.
    """
    recorded = read_recorded(documents)
    if options["direction"] == "forward":
        return report
    before, after = version_of(old), version_of(new)
    if before and after and not documents:
        recorded = list(golden_documents(before))
    if recorded and "documents" in surfaces:
        told = {name: options[name] for name in ("reading", "granularity", "dialect")}
        report = replay_documents(old, new, report, recorded, **told)
    if before and after == LATEST_VERSION:
        if "behaviour" in surfaces and before in versions():
            report = _joined(report, *replay_behaviour(before, options["reading"]))
        if "bindings" in surfaces:
            report = _joined(report, *compare_bindings(before, after, options["reading"]))
    return report


def _joined(report: Report, verdicts: Sequence[EntryVerdict], counts: Replay) -> Report:
    return replace(
        report,
        verdicts=(*report.verdicts, *verdicts),
        replays=(*report.replays, counts),
    )


def version_of(source: Source) -> str | None:
    """Return the version of ours that a source is as a whole; None for anything else."""
    is_ours = source.name in read_catalog() and not os.path.lexists(source.name)
    return source.name if is_ours and not source.within else None


def golden_documents(version: str) -> Iterator[Recorded]:
    """Yield the valid documents of a version's fixtures, each with its type."""
    if version not in versions():
        return
    for case in all_cases(version):
        if case.suite == "documents" and "valid" in case.expect:
            value = decode_json(case.data("document"))
            yield Recorded(value, f"fixtures/{case.id}", None, case.spec["type"])
