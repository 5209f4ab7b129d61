"""What holds for every document of OpenAI's formats."""

from __future__ import annotations

from typing import Any

import pytest

from partwire.errors import PartwireError
from partwire.providers.requests import encode_request
from tests.formats.laws import leaf_law, losses_are_real, read_given, survives
from tests.formats.openai_documents import (
    CHAT,
    COMPLETION,
    FAILED,
    ITEMS,
    RESPONSE,
    SCRIPT_SESSION,
    SESSION,
)
from tests.providers.request_round_trip import ASKED, CONFIG, answer, provider_texts

_ALL = [
    pytest.param("openai-chat", CHAT["messages"], id="chat-messages"),
    pytest.param("openai-chat", CHAT["messages"][3], id="chat-message"),
    pytest.param("openai-chat", COMPLETION, id="completion"),
    pytest.param("openai-chat", {"messages": CHAT["messages"][:2], "n": 1}, id="chat-request"),
    pytest.param(
        "openai-responses", {"input": ITEMS[:3], "instructions": "Be kind."}, id="request"
    ),
    pytest.param("openai-responses", {"input": "Look.", "store": False}, id="text"),
    pytest.param("openai-responses", ITEMS, id="items"),
    pytest.param("openai-responses", ITEMS[4], id="item"),
    pytest.param("openai-responses", RESPONSE, id="response"),
    pytest.param("openai-agents", SESSION, id="session"),
    pytest.param("openai-responses", {**RESPONSE, "status": "in_progress"}, id="running"),
    pytest.param("openai-responses", FAILED, id="failed"),
    pytest.param("openai-agents", SCRIPT_SESSION, id="session-of-scripts"),
]


@pytest.mark.parametrize(("format_name", "document"), _ALL)
def test_nothing_is_lost_in_silence(format_name: str, document: Any) -> None:
    leaf_law(format_name, document)


@pytest.mark.parametrize(("format_name", "document"), _ALL)
def test_what_is_reported_is_left_out(format_name: str, document: Any) -> None:
    losses_are_real(format_name, document)


@pytest.mark.parametrize(("format_name", "document"), _ALL)
def test_junk_is_refused_or_reported(format_name: str, document: Any) -> None:
    survives(format_name, document)


@pytest.mark.parametrize("dialect", ["openai-chat", "openai-responses"])
def test_what_an_encoder_writes_is_read_and_written_again(dialect: str) -> None:
    """Answers of every form that the fixtures have: what they keep of the provider's comes back."""
    for name, texts in provider_texts(dialect).items():
        try:
            said = answer(dialect, texts)
        except PartwireError:  # a stream that never began
            continue
        body = encode_request(dialect, [ASKED, said], config=CONFIG).body
        again = encode_request(dialect, read_given(dialect, body).messages, config=CONFIG).body
        assert again == body, name
