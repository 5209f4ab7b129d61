"""Operations of providers: adapt what they stream, encode what they are asked."""

from __future__ import annotations

import json
from typing import Any

from partwire.contract.current import LATEST_VERSION
from partwire.errors import PartwireError
from partwire.providers import ADAPTERS, ByteAdapter, open_adapter
from partwire.providers.requests import ENCODERS, encode_request

from ..values import Json, Skip, bytes_of, clock_of, findings_of, refusal_of, served_deltas

__all__ = ["adapt", "encode"]


def written_by(version: str) -> str:
    """Return the version that adapters write for cases of ``version``; v0.1 is made of v0.2."""
    return "v0.2" if version == "v0.1" else version


def adapt(given: Json, version: str) -> Json:
    """Return the deltas of a provider's stream, and the adapter's findings."""
    if given["api"] not in ADAPTERS:
        raise Skip(f"there is no adapter for {given['api']}")
    written = written_by(version)
    adapter = open_adapter(
        given["api"],
        given["run_id"],
        clock=clock_of(given["clock"]),
        used_tool_call_ids=frozenset(given.get("used_tool_call_ids", ())),
        keep_raw=given.get("keep_raw", False),
        message_id=given.get("message_id"),
        turn_id=given.get("turn_id"),
        author=given.get("author"),
        format=given.get("format"),
        version=written,
    )
    reader = ByteAdapter(adapter)
    data = bytes_of(given["input"])
    size = given.get("chunk_bytes", len(data) or 1)
    deltas: list[Any] = []
    for at in range(0, len(data), size):
        deltas += reader.feed(data[at : at + size])
    deltas += reader.close()
    return {
        # What is written as the case's version needs no way down.
        "deltas": served_deltas(deltas, LATEST_VERSION if written == version else version),
        "findings": findings_of(adapter.findings),
    }


def encode(given: Json, version: str) -> Json:  # noqa: ARG001 (every operation takes one)
    """Return the body of a request, or the refusal of its input."""
    if given["dialect"] not in ENCODERS:
        raise Skip(f"there is no encoder for {given['dialect']}")
    asked = json.loads(bytes_of(given["input"]))
    try:
        encoded = encode_request(
            given["dialect"],
            asked["messages"],
            asked.get("toolSpecs", ()),
            asked.get("systemPrompt"),
            tool_choice=asked.get("toolChoice"),
            config=asked["config"],
            system_prompt_content=asked.get("systemPromptContent"),
        )
    except PartwireError as error:
        return refusal_of(error)
    return {"body": encoded.body, "findings": findings_of(encoded.findings)}
