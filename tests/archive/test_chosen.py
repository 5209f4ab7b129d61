"""Samples and splits: by what lines belong to, whatever file they are in."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partwire.archive.documents.keys import share_of, shares
from partwire.archive.documents.options import Sample, Split, line_map
from partwire.errors import UsageError

from .archives import message, over

LINES = [message(f"run-{number % 200}", str(number)) for number in range(1000)]
NOT_USED = [
    *(b"", b" \t", b"{broken", b"[]"),
    *(b'{"runId":""}', b'{"role":"user"}', b'{"runId":{}}', b'{"runId":true}'),
]


def runs(rows: list[dict[str, str]]) -> set[str]:
    return {row["runId"] for row in rows}


def test_a_run_is_in_or_out_whatever_file_it_is_in(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
    options = Sample(rate="0.1")
    whole = over(options, [LINES, NOT_USED], tmp_path / "a")
    parts = over(options, [LINES[300:], LINES[:300]], tmp_path / "b", task_bytes=5000)
    assert sorted(whole.tables["documents"]) == sorted(parts.tables["documents"])
    chosen = runs(whole.rows("documents"))
    assert 8 <= len(chosen) <= 40
    assert len(whole.tables["documents"]) == 5 * len(chosen) == whole.totals.used
    assert whole.totals.left_out == 1000 - whole.totals.used
    assert (whole.totals.blank, whole.totals.quarantined) == (2, 6)
    rules = [(row["line"], row["rule"]) for row in whole.rows("quarantine")]
    assert rules == [
        (3, "document/invalid-json"),
        (4, "shape/required"),
        (5, "shape/type"),
        (6, "shape/required"),
        (7, "shape/type"),
        (8, "shape/type"),
    ]


def test_what_is_in_at_a_lower_rate_is_in_at_a_higher_one(tmp_path: Path) -> None:
    found = []
    for rate in ("0.05", "0.5", "1"):
        folder = tmp_path / rate
        folder.mkdir()
        found.append(runs(over(Sample(rate=rate), [LINES], folder).rows("documents")))
    assert found[0] < found[1] < found[2]
    assert len(found[2]) == 200


def test_another_seed_chooses_others(tmp_path: Path) -> None:
    found = []
    for seed in (0, 1):
        folder = tmp_path / str(seed)
        folder.mkdir()
        found.append(runs(over(Sample(rate="0.5", seed=seed), [LINES], folder).rows("documents")))
    assert found[0] - found[1]
    assert found[1] - found[0]


def test_a_split_has_every_line_once_and_knows_nothing_of_a_sample(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
    sample = over(Sample(rate="0.2"), [LINES], tmp_path / "a").tables["documents"]
    made = over(Split(into={"train": "0.5", "test": "0.5"}), [sample], tmp_path / "b")
    assert sorted(made.tables["train"] + made.tables["test"]) == sorted(sample)
    assert not runs(made.rows("train")) & runs(made.rows("test"))


def test_shares_that_are_less_than_all_leave_the_rest_out(tmp_path: Path) -> None:
    made = over(Split(into={"a": "0.25", "b": "1/4"}), [LINES], tmp_path)
    assert made.totals.left_out + made.totals.used == 1000
    assert 300 < made.totals.left_out < 700


@pytest.mark.parametrize(
    ("by", "lines"),
    [
        ("session", [b'{"info":{},"parts":[{"sessionID":"s1"}]}', b'{"session_id":"s1","a":1}']),
        ("/meta/user", [b'{"meta":{"user":7},"n":1}', b'{"n":2,"meta":{"user":"7"}}']),
        ("line", [b'{"n":1}', b' {"n":1}\r']),
    ],
)
def test_lines_belong_together_by(by: str, lines: list[bytes], tmp_path: Path) -> None:
    for seed in range(12):
        folder = tmp_path / str(seed)
        folder.mkdir()
        assert over(Sample(rate="0.5", by=by, seed=seed), [lines], folder).totals.used in (0, 2)


@settings(max_examples=30)
@given(st.text("abé", max_size=4), st.text("abé", max_size=4))
def test_a_share_depends_on_key_and_salt(key: str, salt: str) -> None:
    assert 0 <= share_of(key, salt) < 1 << 64
    assert share_of(key, salt) == share_of(key, salt)
    assert share_of(key, salt) != share_of(f"{key}.", salt)
    assert share_of(key, salt) != share_of(key, f"{salt}.")


@settings(max_examples=50)
@given(st.lists(st.integers(1, 99), min_size=1, max_size=5))
def test_shares_that_are_all_leave_nothing_out(parts: list[int]) -> None:
    ends = shares({str(at): f"{part}/{sum(parts)}" for at, part in enumerate(parts)})
    assert list(ends.values()) == sorted(ends.values())
    assert max(ends.values()) == 1 << 64


@pytest.mark.parametrize(
    "options",
    [
        *(Sample(rate=rate) for rate in ("0", "-0.1", "1.01", "x", "", "1/0", "nan", "inf")),
        Sample(rate="0.1", by="runs"),
        Split(into={"a": "0.7", "b": "0.4"}),
        Split(into={"a": "0"}),
        *(Split(into={name: "0.5"}) for name in ("quarantine", "_partwire", "A", "a/b", "..", "")),
    ],
    ids=repr,
)
def test_it_is_refused(options: Sample | Split) -> None:
    with pytest.raises(UsageError) as refused:
        line_map(options)
    assert refused.value.rule == "usage/invalid-argument"
