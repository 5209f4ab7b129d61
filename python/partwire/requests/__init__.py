"""Requests: the contract's messages, tools and configuration → a provider's request body.

    encoded = encode_request("anthropic-messages", messages, tools, "Be brief.", config=config)
    client.messages.create(**encoded.body)      # encoded.findings: what could not be said as it was

Sans-IO and pure. AWS's Python client wants bytes where JSON has Base64:
:func:`bedrock_arguments`. A new provider is one module and one row in the registry.
"""

from __future__ import annotations

from .bedrock_media import bedrock_arguments
from .encoder import EncodedRequest, EncodedText, RequestEncoder
from .registry import ENCODERS, encode_request, encode_request_text

__all__ = [
    "ENCODERS",
    "EncodedRequest",
    "EncodedText",
    "RequestEncoder",
    "bedrock_arguments",
    "encode_request",
    "encode_request_text",
]
