"""docs/archive-queries.md: each question, asked in DuckDB and in Polars, and answered by hand."""

from __future__ import annotations

import json
import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from partwire.archive.columns.flat import FLAT_COLUMNS
from partwire.archive.columns.shown import show_columns
from tests.archive.conversations import conversations
from tests.fixture_cases import ROOT

pytest.importorskip("pyarrow")
duckdb = pytest.importorskip("duckdb")
pytest.importorskip("polars")

PAGE = (ROOT / "docs" / "archive-queries.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
MESSAGES = list(conversations(120))

Rows = list[tuple[Any, ...]]


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tables that the page's program makes."""
    folder = tmp_path_factory.mktemp("archive")
    lines = [json.dumps(each, ensure_ascii=False) + "\n" for each in MESSAGES]
    (folder / "messages.jsonl").write_text("".join(lines), "utf-8")
    (program,) = re.findall(
        r'^```python title="tables.py"\n(.*?)^```$', PAGE, re.MULTILINE | re.DOTALL
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        exec(compile(program, "tables.py", "exec"), {})
    return folder


@pytest.fixture
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


# --- the answers, in plain Python -----------------------------------------------------------------


def time_of(text: str) -> datetime:
    return datetime.fromisoformat(text.rstrip("Z"))


def day_of(message: dict[str, Any]) -> date:
    return time_of(message["timestamp"]).date()


def began(message: dict[str, Any]) -> datetime:
    return time_of(message["timestamp"])


def meta_of(message: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = message.get("meta", {})
    return found


def answers() -> list[dict[str, Any]]:
    return [each for each in MESSAGES if "modelId" in meta_of(each)]


def grouped(items: list[Any], key: Callable[[Any], Any]) -> list[tuple[Any, list[Any]]]:
    made: dict[Any, list[Any]] = defaultdict(list)
    for each in items:
        made[key(each)].append(each)
    return sorted(made.items())


def tokens() -> Rows:
    rows = grouped(answers(), lambda each: (each["meta"]["modelId"], day_of(each)))
    return [
        (*key, len(group), total(group, "inputTokens"), total(group, "outputTokens"))
        for key, group in rows
    ]


def total(group: list[dict[str, Any]], name: str) -> int:
    return sum(meta_of(each).get("usage", {}).get(name, 0) for each in group)


def latencies() -> Rows:
    rows: Rows = []
    for model, group in grouped(answers(), lambda each: each["meta"]["modelId"]):
        took = sorted(
            (time_of(each["meta"]["completedAt"]) - began(each)).total_seconds() * 1000
            for each in group
            if "completedAt" in each["meta"]
        )
        cuts = statistics.quantiles(took, n=20, method="inclusive")
        rows.append((model, len(took), statistics.median(took), cuts[18], took[-1]))
    return rows


def calls() -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for message in MESSAGES:
        for part in message["parts"]:
            payload = part["payload"]
            if part["kind"] == "tool_call":
                made.append({**payload, "run": message["runId"], "at": began(message)})
            elif part["kind"] == "tool_result":
                for call in made:
                    if (call["run"], call["toolCallId"]) == (
                        message["runId"],
                        payload["toolCallId"],
                    ):
                        call |= {"result": payload, "answered": began(message)}
    return made


def error_rates() -> Rows:
    rows = []
    for tool, group in grouped(calls(), lambda each: each["toolName"]):
        results = [each["result"]["isError"] for each in group if "result" in each]
        rows.append((tool, len(group), len(group) - len(results), sum(results) / len(results)))
    return sorted(rows, key=lambda row: (-row[3], row[0]))


def finish_reasons() -> Rows:
    ended = [each["meta"] for each in answers() if "finishReason" in each["meta"]]
    counts = Counter((each["modelId"], each["finishReason"]) for each in ended)
    models = Counter(each["modelId"] for each in ended)
    rows = [(*key, count, count / models[key[0]]) for key, count in counts.items()]
    return sorted(rows, key=lambda row: (row[0], -row[2], row[1]))


def cut_streams() -> Rows:
    rows: Rows = []
    for day, group in grouped(answers(), day_of):
        endings = [
            each["meta"]["incomplete"]["ending"] for each in group if "incomplete" in each["meta"]
        ]
        rows.append((day, len(group), len(endings), endings.count("truncated")))
    return rows


def costs() -> Rows:
    prices = {"large-2": (3.0, 0.3, 15.0), "small-1": (0.25, 0.025, 1.25)}
    rows: Rows = []
    for key, group in grouped(answers(), lambda each: (each["meta"]["modelId"], day_of(each))):
        if key[0] in prices:
            fresh, cached, written = prices[key[0]]
            used = [each["meta"]["usage"] for each in group if "usage" in each["meta"]]
            dollars = [
                each.get(
                    "cost",
                    (
                        (each["inputTokens"] - each.get("cacheReadTokens", 0)) * fresh
                        + each.get("cacheReadTokens", 0) * cached
                        + each["outputTokens"] * written
                    )
                    / 1e6,
                )
                for each in used
            ]
            if dollars:
                rows.append((*key, sum(dollars)))
    return rows


def conversations_by_length() -> Rows:
    rows = [
        (
            run,
            len(group),
            total(group, "totalTokens"),
            max(time_of(meta_of(each).get("completedAt", each["timestamp"])) for each in group)
            - min(map(began, group)),
        )
        for run, group in grouped(MESSAGES, lambda each: each["runId"])
    ]
    return sorted(rows, key=lambda row: (-row[1], row[0]))[:10]


def drift() -> Rows:
    seen = [("/meta/region", began(each)) for each in answers() if "region" in each["meta"]]
    seen += [
        ("/parts/*/payload/tone", began(each))
        for each in MESSAGES
        if any("tone" in part["payload"] for part in each["parts"])
    ]
    return [
        (place, len(group), min(at for _, at in group), max(at for _, at in group))
        for place, group in grouped(seen, lambda each: each[0])
    ]


def found_texts() -> Rows:
    return [
        (message["runId"], number, message["role"], part["payload"]["text"])
        for number, message in enumerate(MESSAGES)
        for part in message["parts"]
        if part["kind"] == "text" and "invoice" in part["payload"]["text"].lower()
    ]


def failed_calls() -> Rows:
    return [
        (
            each["toolName"],
            each["arguments"]["city"],
            each["result"]["content"],
            each["answered"] - each["at"],
        )
        for each in calls()
        if each.get("result", {}).get("isError")
    ]


ANSWERS: dict[str, Callable[[], Rows]] = {
    "Tokens by model and day": tokens,
    "Latency percentiles": latencies,
    "Tool error rates": error_rates,
    "Finish reasons": finish_reasons,
    "Cut streams": cut_streams,
    "Cost by a price table": costs,
    "Longest conversations": conversations_by_length,
    "Schema drift": drift,
    "Text search": found_texts,
    "Calls with their results": failed_calls,
}


def same(found: Rows, expected: Rows) -> bool:
    return len(found) == len(expected) and all(
        len(row) == len(other)
        and all(
            a == pytest.approx(b) if isinstance(b, float) else a == b
            for a, b in zip(row, other, strict=True)
        )
        for row, other in zip(found, expected, strict=True)
    )


def test_every_question_is_asked() -> None:
    assert [*SECTIONS] == [*ANSWERS, "Without a table"]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("question", ANSWERS)
def test_duckdb_gives_the_answer(question: str) -> None:
    (query,) = blocks(SECTIONS[question], "sql")
    expected = ANSWERS[question]()
    assert len(expected) > 1
    found = duckdb.sql(query).fetchall()
    assert same(found, expected), (found, expected)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("question", ANSWERS)
def test_polars_gives_the_answer(question: str) -> None:
    (head,) = blocks(PAGE.partition("\n## ")[0], "python")
    (query,) = blocks(SECTIONS[question], "python")
    names: dict[str, Any] = {}
    exec(head + query, names)
    found, expected = names["answer"].collect().rows(), ANSWERS[question]()
    assert same(found, expected), (found, expected)


@pytest.mark.usefixtures("here")
def test_lines_and_the_archive_itself_are_asked() -> None:
    (command,) = blocks(SECTIONS["Without a table"], "sh")
    query = command.partition('"')[2].rpartition('"')[0]
    shown = show_columns("message.Message", "duckdb")
    query = query.replace("$(partwire schema show message.Message --as duckdb)", shown)
    roles = Counter(each["role"] for each in MESSAGES)
    assert duckdb.sql(query).fetchall() == sorted(roles.items())
    (query,) = blocks(SECTIONS["Without a table"], "sql")
    kinds = grouped(
        [part for each in MESSAGES for part in each["parts"]], lambda part: part["kind"]
    )
    expected = [
        (
            kind,
            len(group),
            sum(len(part["payload"]["text"]) for part in group) if kind == "text" else None,
        )
        for kind, group in kinds
    ]
    assert duckdb.sql(query).fetchall() == expected


def test_the_page_names_every_column() -> None:
    rows = re.findall(r"^\| `(\w+)\.parquet` \| .+? \| (.+?) \|$", PAGE, re.MULTILINE)
    assert [(name, columns.split(", ")) for name, columns in rows] == [
        (name, [*columns]) for name, columns in FLAT_COLUMNS.items()
    ]
