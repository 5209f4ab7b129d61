"""Histories of every format as requests of the providers: their own clients' types take them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest
from anthropic.types.beta.message_create_params import (
    MessageCreateParamsStreaming as BetaParams,
)
from pydantic import ValidationError

from partwire.providers.requests import encode_request
from tests.formats.histories import histories, own_documents
from tests.providers import cohere_requests
from tests.providers import test_requests_anthropic as anthropic
from tests.providers import test_requests_bedrock as bedrock
from tests.providers import test_requests_gemini as gemini
from tests.providers import test_requests_openai_chat as chat
from tests.providers import test_requests_openai_responses as responses

Json = dict[str, Any]


def _faults(check: Callable[[Json], None]) -> Callable[[Json], list[str]]:
    """Return a check that asserts as one that returns what is wrong."""

    def found(body: Json) -> list[str]:
        try:
            check(body)
        except (AssertionError, ValidationError) as error:
            return [str(error)]
        return []

    return found


CHECKS: Final[dict[str, Callable[[Json], list[str]]]] = {
    "anthropic-messages": lambda body: anthropic.published_faults(body, BetaParams),
    "bedrock-converse": bedrock.problems,
    "cohere-v2": _faults(cohere_requests.check),
    "gemini": _faults(gemini.check_published),
    "openai-chat": chat.published_faults,
    "openai-responses": responses.published_faults,
}
# Documents that hold what the client's types do not know. It goes back as it came.
NAMED: Final = {
    "anthropic-messages": {
        "ai-sdk/state-anthropic": "a caller of a tool that is not the model",
        "anthropic-messages/answer": "a block that nobody knows",
        "anthropic-messages/state-nested-deep": "a block that nobody knows",
        "anthropic-messages/unknown-blocks": "blocks that nobody knows",
        "pydantic-ai/server": "a search result without its required members",
    },
    "bedrock-converse": {
        "bedrock-converse/messages": "a member of a server tool that nobody knows",
    },
    "gemini": {
        "ai-sdk/model-reasoning": "a signature that is not Base64",
        "ai-sdk/state-google": "signatures that are not Base64",
        "gemini/contents": "a signature that is not Base64",
        "gemini/nested-too-deep": "a member of a part that nobody knows",
        "gemini/unknown-parts": "a part that nobody knows",
    },
    "openai-responses": {
        "ai-sdk/state": "a phase that nobody knows",
        "ai-sdk/state-openai": "a citation without its required members",
        "langchain/state of standard blocks": "a phase that nobody knows",
        "openai-responses/ITEMS": "a tool without its schema",
        "openai-responses/items-of-the-provider": "items that nobody knows",
        "openai-responses/malformed-items": "items without their required members",
    },
}
# Of what others have collected at most these go back with something of the kind.
_MOST: Final = 0.02


def _body(dialect: str, messages: list[Json]) -> Json:
    config = {"modelId": "anthropic.model-1", "maxTokens": 1}
    body = encode_request(dialect, messages, config=config).body
    return body if dialect == "bedrock-converse" else {"stream": True, **body}


@pytest.mark.filterwarnings("ignore:.* is not a valid ToolType")  # of google-genai, which keeps it
@pytest.mark.parametrize("dialect", CHECKS)
def test_bodies_are_what_the_client_publishes(dialect: str) -> None:
    check = CHECKS[dialect]
    wrong = {
        name: found
        for name, messages in histories().items()
        if (found := check(_body(dialect, messages)))
    }
    own = own_documents().keys()
    assert wrong.keys() & own == NAMED.get(dialect, {}).keys()
    assert len(wrong.keys() - own) <= len(histories().keys() - own) * _MOST, wrong
