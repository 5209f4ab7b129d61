"""The example of structured output, over streams of every dialect."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from examples.structured import __main__ as command
from examples.structured.structured import structured
from partwire import StreamFailed, check_history, user
from partwire.model import RecordingModel, ReplayModel
from tests.examples.dialect_streams import DIALECTS, cut, path_of, replay

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "structured"
BREAD = "replay:examples/streams/recipe-invalid.sse,examples/streams/recipe.sse"
WHOLE = {"gemini"}
"""Dialects whose arguments come in one piece."""

every_dialect = pytest.mark.parametrize("dialect", DIALECTS)


class Recipe(BaseModel):
    """A recipe for the kitchen."""

    title: str
    minutes: int
    steps: list[str]


RIGHT = Recipe(title="Bread", minutes=90, steps=["Mix", "Bake"])


def values(model: Any, **options: Any) -> list[Any]:
    """Return all that is yielded."""

    async def main() -> list[Any]:
        async with aclosing(structured(model, [user("Bread?")], Recipe, **options)) as found:
            return [value async for value in found]

    return asyncio.run(main())


@every_dialect
def test_a_value_grows_and_is_valid_at_the_end(dialect: str) -> None:
    *growing, last = values(replay(dialect, "right"))
    assert last == RIGHT
    assert growing[-1] == RIGHT.model_dump()
    assert len(growing) >= (1 if dialect in WHOLE else 3)
    assert all(one != other for one, other in pairwise(growing))
    assert all(set(each) <= set(Recipe.model_fields) for each in growing)


@every_dialect
def test_one_retry_with_the_findings(dialect: str, tmp_path: Path) -> None:
    path = tmp_path / "recorded.jsonl"
    with RecordingModel(replay(dialect, "wrong", "right"), path) as model:
        assert values(model)[-1] == RIGHT
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    first, second = (row for row in rows if row.get("type") == "request")
    assert first["toolChoice"] == {"toolName": "Recipe"}
    assert first["toolSpecs"][0]["parameterSchema"] == Recipe.model_json_schema()
    assert [message["role"] for message in second["messages"]] == ["user", "assistant", "tool"]
    (result,) = second["messages"][-1]["parts"]
    assert result["payload"]["isError"]
    assert "/minutes: Input should be a valid integer" in result["payload"]["content"]
    assert check_history(second["messages"]) == []


@every_dialect
def test_the_last_answer_has_to_be_valid(dialect: str) -> None:
    with pytest.raises(ValidationError, match="minutes"):
        values(replay(dialect, "wrong", "wrong"))
    with pytest.raises(ValidationError):
        values(replay(dialect, "wrong", "right"), retries=0)


@every_dialect
def test_an_answer_that_calls_nothing_is_wrong_too(dialect: str, tmp_path: Path) -> None:
    path = tmp_path / "recorded.jsonl"
    with RecordingModel(replay(dialect, "answer", "right"), path) as model:
        assert values(model)[-1] == RIGHT
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    *_, second = (row for row in rows if row.get("type") == "request")
    assert [message["role"] for message in second["messages"]] == ["user", "assistant", "user"]


def test_an_answer_in_json_text_is_a_value(tmp_path: Path) -> None:
    text = path_of("anthropic-messages", "answer").read_text("utf-8")
    text = text.replace("Rain in Oslo, ", r"{\"title\":\"Bread\",\"minutes\":90,")
    text = text.replace("sun in Rome.", r"\"steps\":[\"Mix\",\"Bake\"]}")
    (tmp_path / "answer.sse").write_text(text)
    assert values(ReplayModel(tmp_path / "answer.sse")) == [RIGHT]


@every_dialect
def test_a_cut_stream_is_not_a_value(dialect: str, tmp_path: Path) -> None:
    model = ReplayModel(cut(path_of(dialect, "right"), tmp_path), dialect=dialect)
    with pytest.raises(StreamFailed) as caught:
        values(model)
    assert caught.value.error.error_code == "truncated_stream"


def test_the_example_is_short() -> None:
    assert len((EXAMPLE / "structured.py").read_text("utf-8").splitlines()) < 100


def test_the_command_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("sys.argv", ["structured", BREAD])
    command.main()
    assert f"python -m examples.structured {BREAD}" in (EXAMPLE / "README.md").read_text("utf-8")
    assert "Bread, 180 minutes\n1. Mix flour, water, yeast and salt\n" in capsys.readouterr().out
