"""Losses: their form, and a log that stays bounded."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from partwire.blocks import CHUNK_LOSSES, DELTA_LOSSES
from partwire.convert import LOSSES
from partwire.losses import MAX_PER_CODE, Loss, LossLog


def test_a_loss_is_data_and_one_line() -> None:
    loss = Loss("/3/index", "block-index", "info", "The index is another")
    assert json.loads(json.dumps(loss.to_wire())) == {
        "pointer": "/3/index",
        "code": "block-index",
        "severity": "info",
        "detail": "The index is another",
    }
    assert str(loss) == "The index is another at /3/index [info: block-index]"
    assert str(loss._replace(pointer="")) == "The index is another [info: block-index]"


def test_a_log_keeps_order_and_takes_words_from_its_table() -> None:
    log = LossLog({"a": ("lossy", "A is gone"), "b": ("invented", "B is new")})
    log.note("b", "/1")
    log.note("a")
    assert log.losses == [
        Loss("/1", "b", "invented", "B is new"),
        Loss("", "a", "lossy", "A is gone"),
    ]
    assert log.left_out == {}


def test_a_log_is_bounded_and_misses_no_code() -> None:
    log = LossLog({"a": ("info", "A"), "b": ("lossy", "B")})
    for number in range(10 * MAX_PER_CODE):
        log.note("a", f"/{number}")
    log.note("b")
    assert [loss.code for loss in log.losses] == ["a"] * MAX_PER_CODE + ["b"]
    assert [loss.pointer for loss in log.losses[:2]] == ["/0", "/1"]
    assert log.left_out == {"a": 9 * MAX_PER_CODE}


# --- what the documents tell ----------------------------------------------------------------------


def section(root: Path, number: int) -> str:
    text = (root / "docs" / "semantics.md").read_text(encoding="utf-8")
    return text.split(f"\n## {number}. ")[1].split("\n## ")[0]


def test_the_table_of_the_bridges_is_the_code(root: Path) -> None:
    rows = re.findall(r"^\| `([^`]+)` \| (\w+) \| (.*) \|$", section(root, 10), re.MULTILINE)
    assert [tuple(row) for row in rows] == [(code, *row) for code, row in LOSSES.items()]


@pytest.mark.parametrize(
    ("title", "table"), [("chunks → deltas", CHUNK_LOSSES), ("deltas → chunks", DELTA_LOSSES)]
)
def test_the_tables_of_the_streams_are_the_code(
    root: Path, title: str, table: dict[str, tuple[str, str]]
) -> None:
    rows = section(root, 8).split(f"| {title} | |\n")[1].split("\n\n")[0].splitlines()[1:]
    told = {
        (code, severity.strip())
        for _, severity, codes, _ in (row.split("|") for row in rows)
        for code in re.findall(r"`([a-z]+(?:-[a-z]+)+|[a-z]+)`(?=[ ,;]|$)", codes)
    }
    found = {(code, severity) for code, (severity, _) in table.items()}
    # Words in brackets may quote values too.
    assert found <= told
    assert {code for code, _ in told - found} <= {"unknown", "stop"}
