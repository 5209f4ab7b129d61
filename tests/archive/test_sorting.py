"""Rows in order through files, of which there are never many."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from partwire.archive.streams import sorting
from partwire.archive.streams.sorting import Sortable, sorted_rows


@pytest.mark.parametrize("most_bytes", [1, 2000, 1 << 20])
def test_rows_are_in_order_through_few_files(
    most_bytes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sorting, "_MOST_FILES", 3)
    rng = Random(1)
    rows: list[Sortable] = [
        (rng.choice("ab"), rng.choice(("", "m")), rng.randrange(9), rng.randrange(3), at, b"x" * at)
        for at in range(100)
    ]
    files: list[int] = []

    def given() -> Iterator[Sortable]:
        for row in rows:
            yield row
            files.append(len(list(tmp_path.iterdir())))

    assert list(sorted_rows(given(), most_bytes, tmp_path)) == sorted(rows)
    assert (max(files) > 0) == (most_bytes < 1 << 20)
    assert max(files) < 3 * 5
    assert list(tmp_path.iterdir()) == []
    begun = sorted_rows(given(), most_bytes, tmp_path)
    next(begun)
    begun.close()  # type: ignore[attr-defined]
    assert list(tmp_path.iterdir()) == []
