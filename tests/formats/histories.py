"""Histories of every format as messages, to be written in any other."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, Final

from partwire import formats
from partwire.errors import ReadError
from tests.fixture_cases import cases
from tests.formats import samples
from tests.formats.laws import read_given
from tests.formats.written import plain

__all__ = ["histories", "own_documents"]

Json = dict[str, Any]

# Where a format has its own documents: tables of many, and documents that stand alone.
_TABLES: Final = (
    ("a2a", "test_a2a", "DOCUMENTS"),
    ("ag-ui", "ag_ui_documents", "DOCUMENTS"),
    ("ai-sdk", "ai_sdk_documents", "UI_MESSAGES"),
    ("ai-sdk", "ai_sdk_documents", "STORED"),
    ("ai-sdk", "ai_sdk_documents", "MODEL_MESSAGES"),
    ("anthropic-messages", "test_anthropic", "DOCUMENTS"),
    ("bedrock-converse", "test_bedrock", "DOCUMENTS"),
    ("cohere-v2", "test_cohere", "DOCUMENTS"),
    ("gemini", "test_gemini", "DOCUMENTS"),
    ("langchain", "langchain_documents", "HISTORIES"),
    ("langchain", "langchain_documents", "LOSSY"),
    ("mcp", "test_mcp", "DOCUMENTS"),
    ("otel-genai", "otel_genai_documents", "DOCUMENTS"),
    ("pydantic-ai", "pydantic_ai_documents", "DOCUMENTS"),
)
_ALONE: Final = (
    ("openai-chat", "openai_documents", "CHAT"),
    ("openai-chat", "openai_documents", "COMPLETION"),
    ("openai-responses", "openai_documents", "ITEMS"),
    ("openai-responses", "openai_documents", "RESPONSE"),
    ("openai-agents", "openai_documents", "SESSION"),
    ("openai-agents", "openai_documents", "SCRIPT_SESSION"),
)


@cache
def own_documents(*only: str) -> dict[str, Any]:
    """Return the documents of this project, of all formats or of those, by format and name."""
    found: dict[str, Any] = {}
    for format, module, table in _TABLES:  # noqa: A001 - as read calls it
        for name, document in getattr(import_module(f"tests.formats.{module}"), table).items():
            found[f"{format}/{name}"] = document
    for format, module, name in _ALONE:  # noqa: A001
        found[f"{format}/{name}"] = getattr(import_module(f"tests.formats.{module}"), name)
    for case in cases("formats"):
        if "source" in case.spec and "error" not in case.expect:
            found[f"{case.spec['format']}/{case.name.partition('/')[2]}"] = case.spec["source"]
    return {
        name: document
        for name, document in found.items()
        if not only or name.partition("/")[0] in only
    }


@cache
def _sampled(*only: str) -> dict[str, Any]:
    """Return the samples that are one document, where they are."""
    names = [name for each in formats.FORMATS for name in samples.ids(each) if "/" in name]
    names = [name for name in names if not only or name.partition("/")[0] in only]
    found: dict[str, Any] = {}
    for name in names:
        try:
            found[name] = samples.load(name).document
        except ValueError:  # lines, or a stream
            continue
    return found


@cache
def histories(*only: str) -> dict[str, list[Json]]:
    """Return what all documents are read as, own ones and samples; those that are refused not."""
    found: dict[str, list[Json]] = {}
    for name, document in {**own_documents(*only), **_sampled(*only)}.items():
        try:
            found[name] = plain(read_given(name.partition("/")[0], document).messages)
        except ReadError:
            continue
    return found
