"""The bench harness at tiny sizes: results are right, what goes wrong is said. No timing."""

from __future__ import annotations

import importlib
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench import __main__ as command
from bench import extras, growth, ours, providers, report
from bench.content import MIXES, Content, Outcome, make_content
from bench.contestants import PEER_MODULES, Contestant, load_peers
from bench.measure import Cell, Settings, measure_mix
from bench.results import Results
from bench.targets import TARGETS, judge

TINY = Settings(sizes=(3, 130), rounds=2, cap_s=5.0, peer_budget_s=0.01, sample_s=0.0)


def peer(run: Any, outcome: Any = None) -> Contestant:
    """Return a contestant that is not a partwire one; by default its result is what was sent."""
    return Contestant(
        key="peer",
        label="a peer",
        kind="assembles",
        encode=lambda content: content,
        run=run,
        outcome=outcome or (lambda content, _final: content.expected),
    )


def cells_of(contestant: Contestant, settings: Settings = TINY) -> list[Cell]:
    floor = ours.contestants()[0]
    return [cells[1] for cells in measure_mix("text", [floor, contestant], settings)]


@pytest.mark.parametrize("mix", MIXES)
@pytest.mark.parametrize("size", [1, 63, 64, 65, 1_000])
def test_content_has_the_asked_size_and_whole_arguments(mix: str, size: int) -> None:
    content = make_content(mix, size)
    assert content.size == size
    assert content == make_content(mix, size)
    for index, call in enumerate(content.calls):
        pieces = [piece for at, piece in content.pieces if at == index]
        assert all(pieces)
        assert "".join(pieces) in (call.arguments_text, "")
        assert isinstance(json.loads(call.arguments_text), dict)
    assert bool(content.text) == (mix == "text")


@pytest.mark.parametrize("mix", MIXES)
@pytest.mark.parametrize("name", PEER_MODULES)
def test_every_format_carries_every_piece_in_order(name: str, mix: str) -> None:
    content = make_content(mix, 200)
    events = list(importlib.import_module(f"bench.peers.{name}").events(content))
    leaves = iter([leaf for event in events for leaf in strings(event)])
    assert all(piece in leaves for _, piece in content.pieces)


def strings(value: object) -> list[str]:
    if isinstance(value, dict):
        return [leaf for member in value.values() for leaf in strings(member)]
    if isinstance(value, list):
        return [leaf for member in value for leaf in strings(member)]
    return [value] if isinstance(value, str) else []


@pytest.mark.parametrize("mix", MIXES)
def test_floor_and_partwire_arrive_at_the_content(mix: str) -> None:
    contestants = ours.contestants()
    for cells in measure_mix(mix, contestants, TINY):
        assert [(cell.state, cell.note) for cell in cells] == [("measured", "")] * 4
        assert [len(cell.ratios) for cell in cells] == [TINY.rounds] * 4
        assert set(cells[0].ratios) == {1.0}


def test_peers_are_right_where_they_are_installed() -> None:
    found, missing = load_peers()
    assert len(found) + len(missing) == len(PEER_MODULES)
    for contestant in found:
        for mix in MIXES:
            content = make_content(mix, 130)
            given = contestant.encode(content)
            assert contestant.outcome(given, contestant.run(given)) == content.expected


def test_chunks_end_at_line_ends_and_lose_nothing() -> None:
    buffer = b"\n".join([b"a" * 40_000, b"b" * 100_000, b"c" * 10, b"last"])
    chunks = [bytes(chunk) for chunk in ours.chunks_of(buffer)]
    assert b"".join(chunks) == buffer
    assert [chunk[-2:] for chunk in chunks] == [b"a\n", b"b\n", b"c\n", b"st"]


@pytest.mark.slow
def test_a_wrong_result_is_a_problem_and_larger_sizes_are_left_out() -> None:
    cells = cells_of(peer(str, lambda _content, _final: Outcome("something else", ())))
    assert [cell.state for cell in cells] == ["wrong", "skipped"]
    results = Results(TINY)
    results.add_cells(cells)
    assert results.problems == ["a peer, text, 3: the final message differs from the content"]


@pytest.mark.slow
def test_a_crash_is_a_problem_of_that_contestant_alone() -> None:
    def crash(_content: Content) -> None:
        raise RuntimeError("no more")

    first, second = cells_of(peer(crash))
    assert (first.state, first.note) == ("failed", "RuntimeError: no more")
    assert (second.state, second.note) == ("skipped", "not tried: failed at 3")


@pytest.mark.slow
def test_the_time_cap_ends_a_run_that_swallows_errors() -> None:
    def hang(content: Content) -> None:
        end = time.monotonic() + 60.0
        while content.size > 10 and time.monotonic() < end:
            try:
                sum(range(1_000))
            except Exception:  # noqa: BLE001  some peers do this
                continue

    settings = replace(TINY, sizes=(3, 130, 200), cap_s=0.5)
    cells = cells_of(peer(hang), settings)
    assert [cell.state for cell in cells] == ["measured", "capped", "skipped"]
    assert cells[2].note == "not tried: did not finish within 0.5 s at 130"


@pytest.mark.slow
def test_a_missing_peer_is_named_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def load() -> Contestant:
        raise ImportError("No module named 'openai'")

    module = importlib.import_module("bench.peers.openai_chunks")
    monkeypatch.setattr(module, "load", load)
    _, missing = load_peers()
    assert missing["openai_chunks"] == "not installed (No module named 'openai')"
    results = Results(TINY, missing=missing)
    for cells in measure_mix("text", ours.contestants(), TINY):
        results.add_cells(cells)
    assert "openai_chunks: not installed" in "\n".join(map(report.text, report.tables(results)))


def test_every_target_is_judged_by_its_worst_case() -> None:
    assert {verdict.met for verdict in judge(Results(TINY))} == {None}
    contestants = {contestant.key: contestant for contestant in ours.contestants()}
    results = Results(TINY)
    for key, ratios in (("assemble_buffer", [1.4]), ("assemble_lines", [1.2, 1.7, 9.0])):
        cell = Cell(contestants[key], "text", 1_000, 1_003, seconds=[1.0], ratios=ratios)
        results.add_cells([cell])
    verdict = judge(results)[0]
    assert verdict.target is TARGETS[0]
    assert verdict.worst is not None
    assert (verdict.worst.value, verdict.met) == (1.7, False)
    assert (verdict.missed, verdict.cases) == (1, 2)


@pytest.mark.slow
def test_growth_and_memory_measure_streams_that_assemble() -> None:
    rows = list(growth.measure_growth(("text", "args"), largest=400, doublings=2, repeats=1))
    assert {row.mix for row in rows} == {"text", "args"}
    assert all(list(row.seconds) == [100, 200, 400] for row in rows)
    assert all(len(row.doublings) == 2 for row in rows)
    costs = list(growth.measure_cost(("text",), 10, 40, rounds=3))
    assert [row.contestant.kind for row in costs] == ["floor", "ours", "ours", "ours"]
    assert [len(row.ratios) for row in costs] == [3] * 4
    text, args = growth.measure_memory((80,))
    assert text.assembled_bytes == 10 * len("the stream of deltas is never kept, only joined; ")
    assert args.assembled_bytes == text.assembled_bytes - len("the ") - len("only joined; ")
    assert text.peak_bytes > text.assembled_bytes


def test_framing_and_validation_give_figures() -> None:
    assert all(row.value for row in extras.measure_framing(stream_bytes=64_000))
    rows = {row.label: row for row in extras.measure_validation(sample_s=0.0)}
    assert rows["partwire.validate"].value
    assert rows["partwire.read"].value
    assert all(row.value or row.note for row in rows.values())


@pytest.mark.slow
def test_provider_streams_are_measured_where_both_sides_read_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wanted = {"fixture text", "fixture calls-without-index", "fixture character-half-lost"}
    found = [stream for stream in providers.streams() if stream[1] in wanted]
    monkeypatch.setattr(providers, "streams", lambda: iter(found))
    rows = list(providers.measure_providers(1, 0.0))
    notes = {(row.dialect, row.name): row.note for row in rows}
    assert notes["openai-chat", "fixture calls-without-index"] == "raises TypeError"
    assert notes["openai-chat", "fixture character-half-lost"] == "reads another text"
    text = next(row for row in rows if row.name == "fixture text")
    assert (text.note, text.is_recording) == ("", False)
    assert text.ratio is not None
    results = Results(TINY, providers=[*rows, text._replace(name="x", ratio=0.5, events=51)])
    page = "\n".join(map(report.text, report.tables(results)))
    assert "raises TypeError" in page
    assert "reads another text" in page
    missed = [verdict.target.sentence for verdict in judge(results) if verdict.met is False]
    assert [sentence.rsplit(", ")[-1] for sentence in missed] == [
        "median of the recordings",
        "over 50 events",
    ]


@pytest.mark.slow
def test_a_partial_run_prints_and_writes_only_where_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "_QUICK", TINY)
    status = command.main(["--quick", "--only", "text", "--without-peers", "--out", str(tmp_path)])
    assert status == 0
    page = (tmp_path / "bench.md").read_text(encoding="utf-8")
    assert "## Times: text only" in page
    assert "partwire assemble(buffer)" in capsys.readouterr().out
    assert str(tmp_path) not in page


def test_a_section_that_crashes_ends_in_exit_status_1(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_arguments: object, **_options: object) -> None:
        raise RuntimeError("no more")

    monkeypatch.setattr(growth, "measure_memory", crash)
    assert command.main(["--quick", "--only", "memory"]) == 1
    assert "wrong: section memory: RuntimeError: no more" in capsys.readouterr().err


def test_an_unknown_section_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        command.main(["--only", "speed"])
    assert caught.value.code == 2
    assert "no section 'speed'" in capsys.readouterr().err
