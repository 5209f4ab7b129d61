"""What partwire writes for pydantic-ai, as the library takes it; and what its adapters say."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

import pytest
from hypothesis import Phase, assume, given, settings
from pydantic import ValidationError
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter
from pydantic_ai.ui.ag_ui import AGUIAdapter
from pydantic_ai.ui.vercel_ai import VercelAIAdapter

from partwire import formats
from tests.formats.histories import histories
from tests.formats.laws import read_given
from tests.formats.oracles import Item, differences, missing, said
from tests.formats.written import drawn_histories, plain

Json = dict[str, Any]

FORMAT = "pydantic-ai"


@pytest.mark.parametrize("extensions", [False, True])
def test_histories_are_valid_and_dumped_the_same(extensions: bool) -> None:
    for name, messages in histories().items():
        assert _of_library(messages, extensions=extensions) == [], name


@given(drawn_histories)
@settings(max_examples=40, phases=[Phase.generate])
def test_drawn_histories_are_valid_and_dumped_the_same(messages: Any) -> None:
    assume("0000-" not in json.dumps(messages))  # a year that Python does not know
    for extensions in (False, True):
        assert _of_library(plain(messages), extensions=extensions) == []


def _of_library(messages: list[Json], *, extensions: bool) -> list[Any]:
    """Return the places of what is written that is not in what the library writes again."""
    written = formats.write(FORMAT, messages, extensions=extensions).document
    dumped = _dumped(ModelMessagesTypeAdapter.validate_python(written))
    found = missing(written, dumped)
    # It makes digests anew, and writes the figures of a cost as decimals.
    known = ("digests", "/usage/cost")
    return [each for each in found if not each[0].endswith(known)]


def _dumped(read: list[ModelMessage]) -> list[Json]:
    written: list[Json] = ModelMessagesTypeAdapter.dump_python(read, mode="json")
    return written


def test_the_check_sees_what_is_not_of_the_library() -> None:
    with pytest.raises(ValidationError):
        ModelMessagesTypeAdapter.validate_python([{"kind": "request", "parts": [{"part_kind": 5}]}])


# --- its own adapters of AI SDK and AG-UI --------------------------------------------------------


def _ui_messages(read: list[ModelMessage]) -> list[Json]:
    made = VercelAIAdapter.dump_messages(read, sdk_version=6)
    return [each.model_dump(mode="json", by_alias=True, exclude_none=True) for each in made]


def _ag_ui(read: list[ModelMessage]) -> list[Json]:
    made = AGUIAdapter.dump_messages(read)
    return [each.model_dump(mode="json", by_alias=True, exclude_none=True) for each in made]


ADAPTERS: Final[dict[str, Callable[[list[ModelMessage]], list[Json]]]] = {
    "ai-sdk": _ui_messages,
    "ag-ui": _ag_ui,
}
# Parts and documents of which the adapters leave something out, or say it in words of their own.
NAMED: Final = {
    "retry-feedback": "what asks the model to try again is wrapped",
    "speech": "what was spoken is left out",
    "structured-content": "data of the user is left out",
    "text-content": "text with metadata is left out",
    "pydantic-ai/calls": "a call without an id gets another one here",
    "pydantic-ai/server": "a result of a server tool without its call is left out",
}


@pytest.mark.parametrize("format", ADAPTERS)
def test_its_adapters_say_what_we_read(format: str) -> None:  # noqa: A002
    unlike = {}
    for name, messages in histories(FORMAT).items():
        read = ModelMessagesTypeAdapter.validate_python(formats.write(FORMAT, messages).document)
        document = _dumped(read)
        if name in NAMED or any(f'"{each}"' in json.dumps(document) for each in NAMED):
            continue
        theirs = _common(plain(read_given(format, ADAPTERS[format](read)).messages))
        ours = _common(plain(read_given(FORMAT, document).messages))
        if theirs != ours:
            unlike[name] = differences(theirs, ours)[:2]
    assert unlike == {}


def _common(messages: list[Json]) -> list[Item]:
    """Return what messages say as far as the adapters bring it, in no order.

    Instructions are not messages to them. AG-UI has no server tools: their calls are those of other
    tools, with ids that say whose they are. Arguments that are not JSON, and files in results,
    stand as values of theirs.
    """
    texts: dict[tuple[str, str], str] = {}
    found: list[Item] = []
    for role, kind, *rest in said(messages):
        if kind.endswith(("tool_call", "tool_result")):
            found.append((kind.removeprefix("server_"), rest[0].split("|")[-1]))
        elif role != "system" and kind in ("text", "thinking"):
            texts[role, kind] = texts.get((role, kind), "") + rest[0]
    return sorted([*((*key, text) for key, text in texts.items()), *found])
