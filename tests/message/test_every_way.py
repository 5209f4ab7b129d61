"""Any bytes give the same by every way of assembling, with the native core and without.

The targets try both themselves: here nothing is run once more for each way (``tests/ways.py``).
"""

from __future__ import annotations

import pytest

from tests.fuzz import mixed, streams
from tests.fuzz.runner import Target, main


@pytest.mark.parametrize(
    ("target", "cases"),
    [
        pytest.param(streams.TARGET, 1_500, id="streams"),
        pytest.param(mixed.TARGET, 150, id="mixed"),
        pytest.param(streams.TARGET, 20_000, id="streams, more", marks=pytest.mark.slow),
        pytest.param(mixed.TARGET, 8_000, id="mixed, more", marks=pytest.mark.slow),
    ],
)
def test_any_bytes(target: Target, cases: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([target], ["--n", str(cases)]) == 0, capsys.readouterr().out
