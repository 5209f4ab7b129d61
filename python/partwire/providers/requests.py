"""Requests: the contract's messages, tools and configuration → a provider's request body.

    encoded = encode_request("anthropic-messages", messages, tools, "Be brief.", config=config)
    client.messages.create(**encoded.body)      # encoded.findings: what could not be said as it was

Sans-IO and pure. AWS's Python client wants bytes where JSON has Base64:
:func:`bedrock_arguments`.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any, Final

from partwire.errors import Finding, ReadError
from partwire.json.text import json_text

from .anthropic.request import AnthropicMessagesEncoder
from .bedrock.media import bedrock_arguments
from .bedrock.request import BedrockConverseEncoder
from .cohere.request import CohereEncoder
from .core.sniff import dialect_named
from .gemini.request import GeminiEncoder
from .openai_chat.request import OpenAIChatEncoder
from .openai_responses.request import OpenAIResponsesEncoder
from .request_core.calls_and_results import WIDE_INTEGER
from .request_core.encoder import EncodedRequest, EncodedText, RequestEncoder
from .request_core.inputs import read_request
from .request_core.notes import Notes

__all__ = [
    "ENCODERS",
    "EncodedRequest",
    "EncodedText",
    "RequestEncoder",
    "bedrock_arguments",
    "encode_request",
    "encode_request_text",
]

ENCODERS: Final = MappingProxyType[str, type[RequestEncoder]](
    {
        "anthropic-messages": AnthropicMessagesEncoder,
        "bedrock-converse": BedrockConverseEncoder,
        "cohere-v2": CohereEncoder,
        "gemini": GeminiEncoder,
        "openai-chat": OpenAIChatEncoder,
        "openai-responses": OpenAIResponsesEncoder,
    }
)
"""Dialect → encoder."""


def encode_request(
    dialect: str,
    messages: Sequence[Any],
    tool_specs: Sequence[Any] = (),
    system_prompt: str | None = None,
    *,
    tool_choice: Any = None,
    config: Any,
    system_prompt_content: Sequence[Any] | None = None,
) -> EncodedRequest:
    """Return the body of a streaming request to a provider, and what it cannot say as it was.

    Messages, tool specs, tool choice and config are structs of the contract or JSON values; they
    are read tolerantly, and never changed. ``tool_choice`` wins over the config's;
    ``system_prompt_content``, text parts, over ``system_prompt``. Members of the config that the
    contract does not name go into the body as they are. Pointers of the findings lead into
    ``{messages, toolSpecs, systemPrompt, systemPromptContent, toolChoice, config}``.

    Raises UsageError ``usage/unknown-dialect`` and ``usage/invalid-argument``, and ReadError for
    what the contract refuses.
    """
    encoder = ENCODERS[dialect_named(dialect, ENCODERS)]
    notes = Notes()
    request = read_request(
        messages,
        tool_specs,
        system_prompt,
        notes,
        system_prompt_content=system_prompt_content,
        tool_choice=tool_choice,
        config=config,
    )
    try:
        return encoder(request, notes).encode()
    except RecursionError:
        message = "Nested too deep to be sent from here"
        raise ReadError(Finding("document/too-deep", message)) from None


def encode_request_text(
    dialect: str,
    messages: Sequence[Any],
    tool_specs: Sequence[Any] = (),
    system_prompt: str | None = None,
    *,
    tool_choice: Any = None,
    config: Any,
    system_prompt_content: Sequence[Any] | None = None,
) -> EncodedText:
    """Return the body of :func:`encode_request` as JSON text, for whoever sends bytes.

    The text has every integer of the arguments as the model wrote it, in every language: what
    ``encode/wide-integer`` says of the body does not hold for it, and is not a finding here.
    """
    body, findings = encode_request(
        dialect,
        messages,
        tool_specs,
        system_prompt,
        tool_choice=tool_choice,
        config=config,
        system_prompt_content=system_prompt_content,
    )
    return EncodedText(json_text(body), [each for each in findings if each.rule != WIDE_INTEGER])
