"""Answers that are one text take a short way; it leads where the adapter's does."""

from __future__ import annotations

from typing import Any

import pytest

from partwire.formats.histories import cohere, pieces
from partwire.formats.histories.answers import Answers
from tests.formats.laws import read_given

FORMATS = ("anthropic-messages", "bedrock-converse", "cohere-v2", "gemini")
TEXTS = ("Hi", " ", "\n\n", "\0", "\x1b[31m", "\u202e\U0001f600e\u0301", "a" * 100_000, '{"a": 1}')


def history(format_name: str, text: str) -> list[Any]:
    if format_name == "gemini":
        return [{"role": "model", "parts": [{"text": text}]}]
    kind = {} if format_name == "bedrock-converse" else {"type": "text"}
    return [{"role": "assistant", "content": [{**kind, "text": text}]}]


@pytest.mark.parametrize("format_name", FORMATS)
def test_a_text_is_what_the_adapter_makes_of_it(
    format_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    histories = [history(format_name, text) for text in TEXTS]
    with monkeypatch.context() as patched:  # whoever asks the adapter fails
        patched.setattr(Answers, "add", None)
        short = [read_given(format_name, each) for each in histories]
    with monkeypatch.context() as patched:
        patched.setattr(Answers, "add_text", None)
        for module in (cohere, pieces):
            patched.setattr(module, "sole_text", lambda _content: None)
        assert [read_given(format_name, each) for each in histories] == short
