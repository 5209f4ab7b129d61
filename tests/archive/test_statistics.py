"""The statistics of an archive: right figures, whatever the tasks, on a page that is safe."""

from __future__ import annotations

import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from partwire.archive.documents.options import Statistics
from partwire.archive.statistics import lines as lines_module
from partwire.archive.statistics.days import over_time
from partwire.contract.resources import rule_url

from .archives import Outcome, message, over
from .conversations import conversations

MESSAGES = list(conversations(150))
LINES = [json.dumps(each).encode() for each in MESSAGES]
OPTIONS = Statistics(type="message.Message")
NAMES = ("statistics.json", "report.html")


def counted(
    options: Statistics, files: Sequence[Iterable[bytes]], folder: Path, **more: Any
) -> tuple[Outcome, dict[str, Any], str]:
    folder.mkdir(exist_ok=True)
    made = over(options, files, folder, **more)
    texts = [(folder / "target" / name).read_text("utf-8") for name in NAMES]
    return made, json.loads(texts[0]), texts[1]


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return counted(OPTIONS, [LINES], tmp_path_factory.mktemp("whole"))[1]


def test_figures_do_not_depend_on_tasks(figures: dict[str, Any], tmp_path: Path) -> None:
    _, found, _ = counted(OPTIONS, [LINES], tmp_path, task_bytes=3000)
    for row in found["undeclared"]:
        row["source"] = figures["undeclared"][0]["source"]
    assert found["undeclared"]
    assert found == figures


def test_figures_do_not_depend_on_the_order_of_documents(
    figures: dict[str, Any], tmp_path: Path
) -> None:
    lines = LINES[:]
    random.Random(5).shuffle(lines)
    _, found, _ = counted(OPTIONS, [lines[:99], lines[99:]], tmp_path)
    for row in found["undeclared"]:
        name = row["place"].rpartition("/")[2].encode()
        assert name in (lines[:99], lines[99:])["-1." in row["source"]][row["line"] - 1]
    for given in (found, figures := dict(figures)):
        given["undeclared"] = [
            {name: row[name] for name in row.keys() - {"source", "line"}}
            for row in given["undeclared"]
        ]
    assert found == figures


def test_volumes_and_values_are_those_of_the_documents(figures: dict[str, Any]) -> None:
    expected = Counter((each["timestamp"][:10], each["role"]) for each in MESSAGES)
    found = {(row["day"], row["kind"]): row["documents"] for row in figures["volumes"]}
    assert found == expected
    assert sum(row["bytes"] for row in figures["volumes"]) == sum(map(len, LINES))
    kinds = Counter(part["kind"] for each in MESSAGES for part in each["parts"])
    values = {(row["place"], row["value"]): row["count"] for row in figures["values"]}
    assert {name: values["/parts/*/kind", name] for name in kinds} == kinds
    models = Counter(each["meta"]["modelId"] for each in MESSAGES if "meta" in each)
    assert {name: values["/meta/modelId", name] for name in models} == models
    assert figures["members"]["/parts/*/payload/toolName"] == kinds["tool_call"]
    assert figures["members"]["/author"] == 0


def test_members_that_nobody_declared_are_told_with_their_days(figures: dict[str, Any]) -> None:
    regions = [each for each in MESSAGES if each.get("meta", {}).get("region")]
    days = sorted(each["timestamp"][:10] for each in regions)
    (row,) = [row for row in figures["undeclared"] if row["place"] == "/meta/region"]
    assert (row["type"], row["count"]) == ("string", len(regions))
    assert (row["first"], row["last"]) == (days[0], days[-1])
    assert "region" in MESSAGES[row["line"] - 1]["meta"]
    tones = [row for row in figures["undeclared"] if row["place"] == "/parts/*/payload/tone"]
    assert [row["type"] for row in tones] == ["object"]


def test_tokens_are_distributed_by_model(figures: dict[str, Any]) -> None:
    expected: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for each in MESSAGES:
        if usage := each.get("meta", {}).get("usage"):
            row = usage["inputTokens"], usage["outputTokens"]
            expected[each["meta"]["modelId"]].append(row)
    assert {row["model"] for row in figures["tokens"]} == set(expected)
    for row in figures["tokens"]:
        both = zip(("input", "output"), zip(*expected[row["model"]], strict=True), strict=True)
        for name, numbers in both:
            found = row[name]
            assert found["count"] == len(numbers)
            assert found["p50"] == pytest.approx(sorted(numbers)[len(numbers) // 2], rel=0.032)
            assert found["max"] == pytest.approx(max(numbers), rel=0.032)


def test_usage_is_by_model_and_day(figures: dict[str, Any]) -> None:
    expected: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for each in MESSAGES:
        if "usage" in each.get("meta", {}):
            row = expected[each["meta"]["modelId"], each["timestamp"][:10]]
            row.update(each["meta"]["usage"])
            row["documents"] += 1
    assert len(figures["usage"]) == len(expected)
    for row in figures["usage"]:
        mine = expected[row["model"], row["day"]]
        for name in ("documents", "inputTokens", "outputTokens", "totalTokens", "cacheReadTokens"):
            assert (row[name] or 0) == mine[name]
        assert (row["cost"] or 0) == pytest.approx(mine["cost"])


def test_durations_endings_and_calls(figures: dict[str, Any]) -> None:
    spans: dict[str, list[float]] = defaultdict(list)
    endings: Counter[tuple[str, str]] = Counter()
    reasons: Counter[tuple[str, str]] = Counter()
    for each in MESSAGES:
        meta = each.get("meta", {})
        if "completedAt" in meta:
            times = [datetime.fromisoformat(at) for at in (each["timestamp"], meta["completedAt"])]
            spans[meta["modelId"]].append((times[1] - times[0]).total_seconds() * 1000)
        if "finishReason" in meta:
            reasons[meta["modelId"], meta["finishReason"]] += 1
        if "incomplete" in meta:
            endings[each["timestamp"][:10], meta["incomplete"]["ending"]] += 1
    for row in figures["latency"]:
        mine = sorted(spans[row["model"]])
        assert row["milliseconds"]["count"] == len(mine)
        for name, share in (("p50", 0.5), ("p95", 0.95)):
            exact = mine[int(share * len(mine))]
            assert row["milliseconds"][name] == pytest.approx(exact, rel=0.02, abs=1)
    found = {
        (row["model"], row["finishReason"]): row["documents"] for row in figures["finishReasons"]
    }
    assert found == reasons
    assert {(row["day"], row["ending"]): row["documents"] for row in figures["cut"]} == endings

    calls: dict[tuple[str, str], list[Any]] = {}
    for each in MESSAGES:
        for part in each["parts"]:
            key = (each["runId"], part["payload"].get("toolCallId"))
            if part["kind"] == "tool_call":
                calls[key] = [part["payload"]["toolName"], None]
            if part["kind"] == "tool_result":
                calls[key][1] = part["payload"]["isError"]
    tools = {row["tool"]: row for row in figures["calls"]["tools"]}
    assert figures["calls"]["count"] == len(calls)
    for name, row in tools.items():
        ends: list[bool | None] = [failed for tool, failed in calls.values() if tool == name]
        assert (row["calls"], row["answered"]) == (len(ends), len(ends) - ends.count(None))
        assert row["failed"] == ends.count(True)


def test_runs_are_distributed_by_their_messages_and_how_long_they_took(
    figures: dict[str, Any],
) -> None:
    runs: dict[str, list[datetime]] = defaultdict(list)
    for each in MESSAGES:
        runs[each["runId"]].append(datetime.fromisoformat(each["timestamp"]))
    # A time is counted as milliseconds.
    took = [max(times) - min(times) for times in runs.values()]
    expected = {
        "messages": [float(len(times)) for times in runs.values()],
        "milliseconds": [each.total_seconds() * 1000 for each in took],
    }
    assert figures["runs"]["count"] == figures["runs"]["sampled"] == len(runs) == 150
    for name, given in expected.items():
        found, numbers = figures["runs"][name], sorted(given)
        assert found["count"] == 150
        assert found["max"] == pytest.approx(numbers[-1], abs=1)
        for share in (50, 90, 95, 99):
            assert found[f"p{share}"] == pytest.approx(numbers[150 * share // 100], abs=1)


@pytest.fixture(params=["native", "plain"])
def counting(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the native core, where it is installed, and without it."""
    if request.param == "plain":
        monkeypatch.setattr(lines_module, "native_counting", lambda _measured: None)


@pytest.mark.usefixtures("counting")
def test_a_message_that_ends_before_it_began_has_no_duration(tmp_path: Path) -> None:
    lines = [
        message("r", at=at, role="assistant", meta={"completedAt": "2026-01-02T00:00:05Z"})
        for at in (1, 5, 6)
    ]
    _, found, _ = counted(OPTIONS, [lines], tmp_path)
    (row,) = found["latency"]
    assert row["impossible"] == 1
    assert row["milliseconds"]["count"] == 2
    assert row["milliseconds"]["max"] == pytest.approx(4000, rel=0.016)


@pytest.mark.usefixtures("counting")
def test_documents_with_an_error_are_invalid_in_whatever_task(tmp_path: Path) -> None:
    bad = message("r", role="odd")
    files = [[LINES[0], bad, bad], [bad, message("r", meta={"x": 1})], LINES[:2]]
    _, found, _ = counted(OPTIONS, files, tmp_path, task_bytes=10)
    assert (found["documents"], found["invalid"]) == (7, 3)
    (row,) = found["findings"]
    assert (row["rule"], row["place"], row["count"]) == ("shape/enum", "/role", 3)


def test_lines_that_are_not_json_are_put_aside_and_invalid_ones_are_found(tmp_path: Path) -> None:
    bad = [b'{"runId":"a","role":"odd","parts":[{"kind":"new"}],"timestamp":"no"}', b"7", b"{"]
    made, found, _ = counted(OPTIONS, [[*LINES[:5], *bad, b""]], tmp_path)
    assert (made.totals.used, made.totals.quarantined, made.totals.blank) == (7, 1, 1)
    assert (found["documents"], found["invalid"]) == (7, 2)
    rules = {(row["rule"], row["place"], row["line"]) for row in found["findings"]}
    assert ("shape/unknown-variant", "/parts/*/kind", 6) in rules
    assert ("shape/type", "", 7) in rules
    strange = {(row["place"], row["value"]) for row in found["values"] if row.get("known") is False}
    assert strange == {("/role", "odd"), ("/parts/*/kind", "new")}


def delta(seq: int, kind: str, payload: Any, at: float, **members: Any) -> bytes:
    time = f"2026-01-02T00:00:{at:06.3f}Z"
    names = {"runId": "r", "messageId": "m", "seq": seq, "kind": kind}
    return json.dumps({**names, "payload": payload, "timestamp": time, **members}).encode()


def test_streams_of_deltas(tmp_path: Path) -> None:
    start = {"modelId": "large-2", "requestId": "q"}
    lines = [
        delta(0, "start", start, 1),
        delta(1, "text", {"textDelta": "Hi"}, 1.5),
        delta(2, "usage", {"inputTokens": 5, "outputTokens": 7}, 2),
        delta(3, "done", {"finishReason": "stop"}, 3),
        delta(0, "start", start, 4, messageId="cut"),
        delta(1, "tool_call_start", {"toolCallId": "c", "toolName": "t"}, 4.25, messageId="cut"),
    ]
    random.Random(1).shuffle(lines)
    options = Statistics(type="message.MessageDelta")
    _, found, _ = counted(options, [lines[:2], lines[2:]], tmp_path, task_bytes=150)
    streams = found["streams"]
    assert (streams["count"], streams["sampled"], streams["cut"]) == (2, 2, 1)
    assert streams["firstContentMilliseconds"]["max"] == 500
    assert streams["firstContentMilliseconds"]["p50"] in (250, 500)
    assert streams["milliseconds"] == dict.fromkeys(("p50", "p90", "p95", "p99", "max"), 2000) | {
        "count": 1
    }
    assert [(row["inputTokens"], row["outputTokens"]) for row in found["usage"]] == [(5, 7)]
    assert [row["finishReason"] for row in found["finishReasons"]] == ["stop"]
    assert found["calls"]["tools"] == [{"tool": "t", "calls": 1, "answered": 0, "failed": 0}]


def test_streams_whose_content_comes_at_once_or_that_are_cut(tmp_path: Path) -> None:
    start = {"modelId": "large-2", "requestId": "q"}
    lines = []
    for name in "abc":
        lines += [
            delta(0, "start", start, 1, messageId=name),
            delta(1, "text", {"textDelta": "Hi"}, 1, messageId=name),
        ]
    lines += [delta(2, "done", {"finishReason": "stop"}, 1.5, messageId=name) for name in "ab"]
    _, found, _ = counted(Statistics(type="message.MessageDelta"), [lines], tmp_path)
    streams = found["streams"]
    assert (streams["count"], streams["cut"]) == (3, 1)
    assert streams["firstContentMilliseconds"]["count"] == 3
    assert streams["firstContentMilliseconds"]["max"] == 0
    assert streams["milliseconds"]["count"] == 2


UUID = "6f8414d7-8e69-4d6e-b516-6c2ef3fca8d8"
EVENT = {
    "message_id": UUID,
    "sent_at": "2026-01-02T23:30:00-01:00",
    "trace_id": "t",
    "schema_version": "v0.3",
    "message_type": "TaskEvent",
    "task_id": UUID,
    "payload": {"any": 1},
    "retry_count": 0,
    "max_attempts": 3,
}
TOOL = {
    "id": "p",
    "sessionID": UUID,
    "messageID": UUID,
    "type": "tool",
    "callID": "c",
    "tool": "bash",
    "state": {"status": "error", "input": {}, "error": "no", "time": {"start": 1, "end": 2}},
}
SESSION = {
    "info": {
        "id": UUID,
        "role": "assistant",
        "time": {"created": 1767323045000, "completed": 1767323046000},
        "cost": 0.5,
        "tokens": {"input": 3, "output": 4, "reasoning": 0, "cache": {"read": 1, "write": 2}},
    },
    "parts": [TOOL],
}


def test_envelopes_and_sessions(tmp_path: Path) -> None:
    event = json.dumps(EVENT).encode()
    _, found, _ = counted(Statistics(type="envelope.TaskEvent"), [[event]], tmp_path / "e")
    assert [(row["day"], row["kind"]) for row in found["volumes"]] == [("2026-01-03", "TaskEvent")]
    session = json.dumps(SESSION).encode()
    _, found, _ = counted(Statistics(type="session.WithParts"), [[session]], tmp_path / "s")
    assert [(row["day"], row["kind"]) for row in found["volumes"]] == [("2026-01-02", "assistant")]
    (usage,) = found["usage"]
    assert (usage["inputTokens"], usage["cacheWriteTokens"], usage["cost"]) == (3, 2, 0.5)
    assert found["latency"][0]["milliseconds"]["p50"] == pytest.approx(1000, rel=0.016)
    assert found["calls"]["tools"] == [{"tool": "bash", "calls": 1, "answered": 1, "failed": 1}]


def test_findings_have_their_places_where_tasks_have_several_files(tmp_path: Path) -> None:
    good, bad = message("r"), message("r", role="odd")
    files = [[good], [good], [good], [good, bad]]
    _, found, _ = counted(OPTIONS, files, tmp_path, task_bytes=10_000)  # two small files
    (row,) = found["findings"]
    assert (Path(row["source"]).name, row["line"]) == ("in-3.jsonl", 2)


# --- what happened when ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "last", "unit", "columns"),
    [
        ("2026-01-30", "2026-02-02", "day", ["2026-01-30", "2026-02-02"]),
        ("2025-11-05", "2026-02-28", "week", ["2025-11-03", "2026-02-23"]),
        ("2020-12-31", "2026-02-01", "month", ["2020-12", "2026-02"]),
        ("1999-06-01", "2026-02-28", "year", ["1999", "2026"]),
    ],
)
def test_every_day_is_in_a_column(first: str, last: str, unit: str, columns: list[str]) -> None:
    by_name = {f"n{at}": {first: 10 + at, last: 1} for at in range(8)}
    shown = over_time("Documents", by_name)
    assert f"Documents by {unit}, from {columns[0]} to {columns[1]}" in shown
    seen: Counter[tuple[str, str]] = Counter()
    for column, count, name in re.findall("<title>(.*?): (.*?) (.*?)</title>", shown):
        seen[column, name] += int(count)
    names = [*(f"n{at}" for at in (7, 6, 5, 4, 3)), "others"]
    assert seen == {
        **{(columns[0], f"n{at}"): 10 + at for at in range(3, 8)},
        (columns[0], "others"): 33,
        **{(columns[1], name): 3 if name == "others" else 1 for name in names},
    }


def test_a_day_that_is_far_from_all_others_is_told() -> None:
    days = {"2026-01-01": 5000, "2026-01-02": 5000, "0001-01-01": 3, "9999-12-31": 4}
    shown = over_time("Documents", {"all": days})
    assert "Documents by day, from 2026-01-01 to 2026-01-02" in shown
    assert "; 7 are far before or behind and not shown" in shown


# --- the page -------------------------------------------------------------------------------------

_VOID = frozenset({"meta", "br"})


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.headings: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = dict(attrs)
        if tag not in _VOID and tag != "rect":
            self.open.append(tag)
        if tag == "svg":
            assert said["aria-label"]
        assert tag not in ("script", "link", "iframe", "img")
        assert not {"src", "onload", "onclick"} & said.keys()
        if "id" in said:
            self.ids.append(str(said["id"]))
        if tag == "a":
            self.links.append(str(said["href"]))
        if tag in ("h1", "h2", "h3"):
            self.headings.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag == "rect"

    def handle_endtag(self, tag: str) -> None:
        if tag != "rect":
            assert self.open.pop() == tag


HOSTILE = [
    message("r", meta={"<script>alert(1)</script>": 1, "n" * 10_000: [], "\u202e~/": None}),
    message("r", meta={"modelId": "<img src=x onerror=y>", "finishReason": '"><b>'}),
    message("r", timestamp="0001-01-01T00:00:00Z"),
    message("r", timestamp="9999-12-31T23:59:59-12:00"),
    message("r", timestamp=7, meta={"usage": {"inputTokens": -1, "cost": 1e300}}),
    b'{"parts":[[]],"meta":[],"timestamp":"2026-01-02T00:00:00Z","role":{}}',
]


@pytest.mark.parametrize(
    ("type_name", "lines"),
    [
        ("message.Message", LINES),
        ("message.Message", HOSTILE),
        ("message.Message", []),
        ("message.Message", [b"no"]),
        ("message.ToolChoice", [b'"auto"', b'{"toolName":"t"}']),
        ("session.WithParts", [json.dumps(SESSION).encode()]),
    ],
)
def test_the_page_is_whole_and_loads_nothing(
    type_name: str, lines: list[bytes], tmp_path: Path
) -> None:
    _, found, text = counted(Statistics(type=type_name), [lines], tmp_path)
    page = Page(text)
    assert page.open == []
    assert len(set(page.ids)) == len(page.ids)
    rules = {rule_url(row["rule"]) for row in found["findings"]}
    assert set(page.links) - {f"#{each}" for each in page.ids} == rules
    assert page.headings[0] == "h1"
    assert text.replace(str(tmp_path), "").count("://") == len(rules)
    assert "<script" not in text


def test_no_name_grows_the_page(tmp_path: Path) -> None:
    lines = [message("r", meta={f"{at}-{number}": 1 for number in range(50)}) for at in range(100)]
    _, found, text = counted(OPTIONS, [lines], tmp_path)
    assert found["bounded"] == ["undeclared"]
    assert len(found["undeclared"]) == 2000
    assert len(text) < 150_000
