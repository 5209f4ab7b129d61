"""The bench harness at tiny sizes: results are right, what goes wrong is said. No timing."""

from __future__ import annotations

import importlib
import json
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bench import __main__ as command
from bench import fold, growth, imports, languages, ours, providers, report
from bench.content import MIXES, Content, Outcome, make_content
from bench.contestants import PEER_MODULES, Contestant, load_peers
from bench.measure import Cell, Settings, measure_mix
from bench.results import Results
from bench.tables import text
from bench.targets import TARGETS, Measured, Target, judge
from bench.ways import WAYS, take
from partwire import native_core
from tests.fixture_cases import ROOT

TINY = Settings(sizes=(3, 130), rounds=2, cap_s=5.0, peer_budget_s=0.01, sample_s=0.0)


@pytest.fixture(autouse=True)
def _way_is_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests go the way that they went before the bench took its own."""
    monkeypatch.setattr(native_core, "_core", native_core.core())


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
        assert {(cell.state, cell.note) for cell in cells} == {("measured", "")}
        assert {len(cell.ratios) for cell in cells} == {TINY.rounds}
        assert set(cells[0].ratios) == {1.0}
    taken = {contestant.way for contestant in contestants}
    assert taken == {None, *WAYS}


@pytest.mark.parametrize("form", ["", *ours.FORMS])
def test_lines_of_every_form_hold_the_content_and_what_the_form_adds(form: str) -> None:
    content = make_content("args", 40)
    lines = [json.loads(line) for line in ours.to_buffer(content, form).splitlines()]
    bare = list(ours.deltas(content))
    members = {"ids": ["messageId", "turnId"], "raw": ["providerRaw"]}.get(form, [])
    assert [{k: v for k, v in line.items() if k not in members} for line in lines] == bare
    assert all(line.keys() >= set(members) for line in lines)
    assert (b'": "' in ours.to_buffer(content, form)) is (form == "spaces")


def test_ways_are_taken_by_what_begins_from_then_on() -> None:
    take("plain")
    assert native_core.core() is None
    take(None)
    assert (native_core.core() is not None) == ("native" in WAYS)


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
    assert "openai_chunks: not installed" in "\n".join(map(text, report.tables(results)))


def test_every_target_is_judged_by_its_worst_case(monkeypatch: pytest.MonkeyPatch) -> None:
    assert {verdict.met for verdict in judge(Results(TINY))} == {None}

    def measure(_results: Results, _way: str) -> list[Measured]:
        return [Measured(value, f"at {value}") for value in (1.4, 1.7, 1.2)]

    target = Target(("plain",), "costs", "at most", 1.5, 1.3, "×", measure)
    for changed, worst, state in (
        ({}, "1.70", "**not met** (1 of 3)"),
        ({"must": 2.0}, "1.70", "met, aim not (2 of 3)"),
        ({"must": 2.0, "aim": None}, "1.70", "met"),
        ({"must": None}, "1.70", "aim not met"),
        ({"must": 2.0, "aim": 1.7}, "1.70", "aim met"),
        ({"bound": "at least"}, "1.20", "**not met** (2 of 3)"),
    ):
        monkeypatch.setattr("bench.targets.TARGETS", (target._replace(**changed),))
        (_, row) = report.tables(Results(TINY))[0].rows
        assert row[5:] == [f"{worst} ×", f"at {float(worst)}", state]


def test_native_rows_are_left_out_without_a_native_core(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("targets", "report"):
        monkeypatch.setattr(f"bench.{module}.WAYS", ("plain",))
    rows = report.tables(Results(TINY))[0].rows[1:]
    # Those of archives are in a table beside theirs.
    due = [target for target in TARGETS if not target.sentence.startswith("archive ")]
    assert len(rows) == sum(len(target.ways) for target in due)
    assert {(row[1], row[-1]) for row in rows} == {
        ("native", "left out: no native core"),
        ("plain", "not measured"),
    }


def test_figures_reach_their_targets_by_way_mix_and_size() -> None:
    results = Results(TINY)
    for each in ours.contestants():
        for size in (100, 1_000):
            ratios = [{None: 1.0, "native": 0.25, "plain": 2.5}[each.way]]
            results.add_cells([Cell(each, "text", size, size + 3, seconds=[1.0], ratios=ratios)])
    found = {
        (verdict.target.sentence, verdict.way): verdict.worst.value
        for verdict in judge(results)
        if verdict.worst is not None
    }
    native = {
        "assemble from a buffer, 1,000 and more, text": 0.25,
        "assemble from a buffer, 100, text": 0.25,
        "lines or chunks as they come, 1,000 and more, text": 0.25,
        "with providerRaw, ids, spaces of json.dumps, against plain": 0.1,
        "with providerRaw, ids, spaces of json.dumps, against the bare form": 1.0,
    }
    plain = {
        "assemble a buffer or lines, 1,000 and more": 2.5,
        "consume delta by delta, 1,000 and more": 2.5,
    }
    due = {(sentence, "plain"): value for sentence, value in plain.items()}
    if "native" in WAYS:
        due |= {(sentence, "native"): value for sentence, value in native.items()}
    assert found == due


@pytest.mark.slow
def test_growth_and_memory_measure_streams_that_assemble() -> None:
    for mix in ("text", "args"):
        rows = list(growth.measure_growth(mix, largest=400, doublings=2, repeats=1))
        assert {row.mix for row in rows} == {mix}
        assert {row.way for row in rows} == {"plain", *WAYS}
        assert all(list(row.seconds) == [100, 200, 400] for row in rows)
        assert all(len(row.doublings) == 2 for row in rows)
    whole, args = growth.measure_memory((80,))
    assert whole.assembled_bytes == 10 * len("the stream of deltas is never kept, only joined; ")
    assert args.assembled_bytes == whole.assembled_bytes - len("the ") - len("only joined; ")
    assert whole.peak_bytes > whole.assembled_bytes


@pytest.mark.usefixtures("untraced")
def test_mixed_streams_are_measured_on_all_ways() -> None:
    rows = list(fold.measure_fold(1, 200))
    assert rows[1].what == "text, 60 deltas each, 1,000 open"
    assert all((row.native_us is not None) is ("native" in WAYS) for row in rows)
    assert all(row.plain_ratio == row.plain_us / row.floor_us for row in rows)
    made = report.tables(Results(TINY, fold=rows))
    assert "Many mixed streams" in [table.title for table in made]


def test_of_imports_that_of_the_package_alone_is_judged() -> None:
    alone, used, names = imports.measure_import(1)
    assert (alone.code, names.code) == ("import partwire", "from partwire import *")
    assert used.bare_ms == alone.bare_ms > 0
    results = Results(TINY, imports=[alone._replace(ms=40.0), names._replace(ms=90.0)])
    worst = {v.target.sentence: v.worst.value for v in judge(results) if v.worst is not None}
    assert worst == ({"import partwire, CPU": 40.0} if "native" in WAYS else {})


@pytest.mark.slow
def test_provider_streams_are_measured_where_all_sides_read_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wanted = {"fixture text", "fixture calls-without-index", "fixture character-half-lost"}
    found = [stream for stream in providers.streams() if stream[1] in wanted]
    monkeypatch.setattr(providers, "streams", lambda: iter(found))
    rows = list(providers.measure_providers(1, 0.0))
    notes = {(row.dialect, row.name): row.note for row in rows}
    assert notes["openai-chat", "fixture calls-without-index"] == "raises TypeError"
    assert notes["openai-chat", "fixture character-half-lost"] == "reads another text"
    compared = [row for row in rows if row.name == "fixture text"]
    assert {row.chunks for row in compared} == {"200 bytes", "64 KiB"}
    assert all(row.ratios.keys() == set(WAYS) for row in compared)
    slow = compared[0]._replace(name="x", events=51, ratios=dict.fromkeys(WAYS, 0.5))
    results = Results(TINY, providers=[*rows, slow])
    page = "\n".join(map(text, report.tables(results)))
    assert "raises TypeError" in page
    assert "reads another text" in page
    missed = {(v.target.sentence[:17], v.way) for v in judge(results) if v.met is False}
    assert ("any stream agains", "plain") in missed
    long = [v for v in judge(results) if "over 50 events" in v.target.sentence and v.worst]
    assert {v.worst.value for v in long if v.worst} == {0.5}


@pytest.mark.slow
def test_a_stream_and_its_events_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    def seconds(sides: providers._Sides, *_: object) -> dict[str, list[float]]:
        return {"official": [5e-6 + 2e-6 * sides["official"]()]}

    def count(chunks: list[bytes]) -> int:
        return b"".join(chunks).count(b"data:")

    accumulators = {name: providers.Official(count, str) for name in providers.DIALECTS}
    monkeypatch.setattr(providers, "load_official", lambda: accumulators)
    monkeypatch.setattr(providers, "_why_not", lambda *_: "")
    monkeypatch.setattr(providers, "_seconds", seconds)
    rows = list(providers.measure_costs((20, 200), 2, 0.0))
    assert len(rows) == len(providers.DIALECTS) * len(ours.CHUNKS)
    for row in rows:
        assert row.event_us == pytest.approx(2.0)
        around = (row.stream_us - 5) / 2  # events beside those of the text
        assert around == pytest.approx(round(around))
        assert 2 < around < 10


def test_official_accumulators_read_the_texts_that_costs_are_measured_with() -> None:
    content = make_content("text", 30)
    official = providers.load_official()
    for dialect, made in providers._MADE.items():
        data = providers._sse([json.dumps(event) for event in made(content)])
        for size in ours.CHUNKS.values():
            chunks = ours.cut(data, size)
            assert official[dialect].text(official[dialect].run(chunks)) == content.text
            for way in WAYS:
                message = providers._run(way, partial(providers.ours, dialect, chunks))
                assert ours.message_outcome(chunks, message) == content.expected


@pytest.mark.parametrize(
    ("recipe", "about", "problem"),
    [
        ("printf '## Rust\\n\\n| a |\\n' > $(MARKDOWN)", "| a |", ""),
        ("printf '## Rust\\n\\n| a |\\n' > $(MARKDOWN); false", "| a |", "Rust: the bench failed"),
        ("printf '## Other\\n' > $(MARKDOWN)", "No figures.", "Rust: the bench wrote no section"),
        ("true", "No figures.", "Rust: the bench wrote no section"),
    ],
)
def test_another_language_writes_its_section_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recipe: str, about: str, problem: str
) -> None:
    (tmp_path / "rust").mkdir()
    (tmp_path / "rust" / "Makefile").write_text(f"bench:\n\t@{recipe}\n", encoding="utf-8")
    monkeypatch.setattr(languages, "ROOT", tmp_path)
    monkeypatch.setattr(languages, "NAMES", {"rust": ("Rust", "make")})
    assert languages.measure_language("rust", quick=True) == ("Rust", about, problem)
    monkeypatch.setattr(languages, "NAMES", {"rust": ("Rust", "no-such-program")})
    _, left_out, problem = languages.measure_language("rust", quick=True)
    assert (left_out, problem) == ("Left out: no no-such-program on this machine.", "")


@pytest.mark.slow
def test_a_partial_run_prints_and_writes_only_where_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "_QUICK", TINY)
    status = command.main(["--quick", "--only", "text", "--without-peers", "--out", str(tmp_path)])
    assert status == 0
    page = (tmp_path / "bench.md").read_text(encoding="utf-8")
    assert "## Times: text only" in page
    assert "assemble(buffer), plain" in capsys.readouterr().out
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


def test_the_page_begins_with_what_its_tables_say() -> None:
    text = (ROOT / "docs" / "bench.md").read_text("utf-8")
    assert report.replaced(text, []) == text
    faster = text.replace("| partwire validate, native | ", "| partwire validate, native | 9")
    assert "- **Validation:** 9" in report.replaced(faster, [])
