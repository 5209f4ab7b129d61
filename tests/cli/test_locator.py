"""Lines of a file that are read again for what is shown: any line, in any order, in any cut."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from partwire.cli.report import locator
from partwire.errors import Finding

CHUNK = 128 * 1024


@pytest.mark.parametrize("end", [b"", b"\n"])
@pytest.mark.parametrize("size", [0, 1, 7, 500, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK])
def test_lines_are_found_in_any_order(tmp_path: Path, size: int, end: bytes) -> None:
    drawn = random.Random(size)
    lines = [b'{"n": %d, "x": "%s"}' % (n, b"y" * drawn.choice([0, size])) for n in range(40)]
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\n".join(lines) + end)
    one = locator.Locator()
    numbers = [drawn.randint(1, 42) for _ in range(30)]
    spots = [one.locate(Finding("shape/type", "", "/n", source=str(path), line=n)) for n in numbers]
    for number, spot in zip(numbers, spots, strict=True):
        assert spot.line == number
        assert spot.text == (lines[number - 1].decode() if number <= 40 else None)


def test_a_line_that_is_too_long_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locator, "_MOST_BYTES", 2 * CHUNK)
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"n": "%s"}\n{"n": 1}\n' % (b"y" * 3 * CHUNK))
    one = locator.Locator()
    texts = [
        one.locate(Finding("shape/type", "", "/n", source=str(path), line=number)).text
        for number in (1, 2)
    ]
    assert texts == [None, '{"n": 1}']
