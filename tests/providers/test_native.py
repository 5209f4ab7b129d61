"""Responses read by the native core: the deltas and the message are those of the adapters.

Each fixture and each recording, in chunks of every size that a network or a file has; with fuzz,
``tests/fuzz/providers.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from partwire import assemble
from partwire.providers import ADAPTERS, ByteAdapter, adapt_bytes, open_adapter
from tests.fixture_cases import Case, cases
from tests.fuzz import providers as fuzz
from tests.fuzz.providers import outcome
from tests.fuzz.runner import main
from tests.providers import recordings as recorded
from tests.providers.provider_streams import RUN, fixed_clock, step_clock

SIZES = (1, 7, 200, 64 * 1024)


def in_chunks(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


def check(
    dialect: str, data: bytes, clock: Callable[[], Callable[[], str]], **options: Any
) -> None:
    adapter = open_adapter(dialect, RUN, clock=clock(), **options)
    reader = ByteAdapter(adapter)
    due = reader.feed(data) + reader.close()
    message = outcome(partial(assemble, due))
    for size in SIZES if len(data) < 20_000 else SIZES[2:]:
        chunks = in_chunks(data, size)
        assert list(adapt_bytes(dialect, chunks, RUN, clock=clock(), **options)) == due, size
        source = adapt_bytes(dialect, chunks, RUN, clock=clock(), **options)
        assert outcome(partial(assemble, source)) == message, size


@pytest.mark.parametrize("case", cases("providers"), ids=lambda case: f"{case.version}/{case.name}")
def test_a_fixture(case: Case) -> None:
    spec = case.spec
    options = {
        "used_tool_call_ids": frozenset(spec.get("used_tool_call_ids", ())),
        "keep_raw": spec.get("keep_raw", False),
        "message_id": spec.get("message_id"),
        "turn_id": spec.get("turn_id"),
    }
    check(spec["api"], case.data("input"), lambda: step_clock(**spec["clock"]), **options)


@pytest.mark.parametrize("name", recorded.ids(*ADAPTERS))
def test_a_recording(name: str, recordings: Path) -> None:
    recording = recorded.load()[name]
    for data in filter(None, (recording.sse, recording.raw_sse)):
        check(recording.dialect, data, lambda: fixed_clock)
        check(recording.dialect, data, lambda: fixed_clock, keep_raw=True)


@pytest.mark.parametrize("cases", [200, pytest.param(3_000, marks=pytest.mark.slow)])
def test_any_bytes(cases: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([fuzz.TARGET], ["--n", str(cases)]) == 0, capsys.readouterr().out
