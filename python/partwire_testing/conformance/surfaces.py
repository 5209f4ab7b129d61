"""What of two contract versions is compared beside their schemas, for ``partwire compat``."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from partwire.compat.recorded import Recorded
from partwire.compat.report import EntryVerdict, Replay
from partwire.compat.verdict import Reading
from partwire.json.text import decode_json

from .behaviour import replay_behaviour
from .bindings import compare_bindings
from .suites import all_cases, versions

__all__ = ["golden_documents", "replayed"]


def golden_documents(version: str) -> Iterator[Recorded]:
    """Yield the valid documents of a version's fixtures, each with its type."""
    if version not in versions():
        return
    for case in all_cases(version):
        if case.suite == "documents" and "valid" in case.expect:
            value = decode_json(case.data("document"))
            yield Recorded(value, f"fixtures/{case.id}", None, case.spec["type"])


def replayed(
    old: str, new: str, reading: Reading, surfaces: Collection[str]
) -> Iterator[tuple[list[EntryVerdict], Replay]]:
    """Yield what today's code, which speaks ``new``, makes of cases and names of ``old``."""
    if "behaviour" in surfaces and old in versions():
        yield replay_behaviour(old, reading)
    if "bindings" in surfaces:
        yield compare_bindings(old, new, reading)
