"""The types have the fields that the source documents give them, by name and necessity.

Written from the documents, not from the schemas: required members before the bar, optional ones
behind it. What v0.1 decides where they are silent, and what later versions add, is in
docs/semantics.md.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from partwire.contract.resources import bundle, read_catalog

ENVELOPE = "message_id sent_at schema_version"
PART = "id sessionID messageID type"
DELTA = "runId seq kind payload timestamp | providerRaw"

FIELDS = {
    "message": {
        "Message": "runId role parts timestamp | meta",
        "TextPart": "kind payload |",
        "TextPayload": "text |",
        "ThinkingPayload": "text |",
        "ToolCallPayload": "toolCallId toolName arguments | rawArgsText",
        "ToolCall": "toolCallId toolName arguments |",
        "ToolResult": "toolCallId isError content |",
        "ImagePayload": "mimeType | data url",
        "FileRefPayload": "path | mimeType size",
        "TextDelta": DELTA,
        "ErrorDelta": DELTA,
        "StartDeltaPayload": "modelId requestId |",
        "TextDeltaPayload": "textDelta |",
        "ThinkingDeltaPayload": "textDelta |",
        "ToolCallStartDeltaPayload": "toolCallId toolName |",
        "ToolCallArgsDeltaPayload": "toolCallId argsTextDelta |",
        "ToolCallEndDeltaPayload": "toolCallId |",
        "UsageSummary": "inputTokens outputTokens totalTokens | cost",
        "DoneDeltaPayload": "finishReason |",
        "ErrorDeltaPayload": "errorCode | message retryable",
        "ToolSpec": "name parameterSchema | description strict",
        "ModelConfig": "modelId | temperature maxTokens topP stopSequences toolChoice cacheConfig",
        "CacheConfig": "strategy |",
        "RequestMetadata": "sessionId runId traceId |",
    },
    "session": {
        "TextPart": f"{PART} text | synthetic ignored time metadata",
        "ReasoningPart": f"{PART} text time | metadata",
        "ReasoningTime": "start | end",
        "ToolPart": f"{PART} callID tool state | metadata",
        "ToolStatePending": "status input raw |",
        "ToolStateRunning": "status input time | title metadata",
        "ToolStateCompleted": "status input output title metadata time | attachments",
        "ToolCompletedTime": "start end | compacted",
        "ToolStateError": "status input error time | metadata",
        "ToolEndTime": "start end |",
        "StepStartPart": f"{PART} | snapshot",
        "StepFinishPart": f"{PART} reason cost tokens | snapshot",
        "TokenStats": "input output reasoning cache |",
        "CacheTokenStats": "read write |",
        "FilePart": f"{PART} mime url | filename source",
        "UserInfo": "id role time agent model | summary system tools variant",
        "AssistantInfo": "id role time cost tokens agent path |",
        "MessageTime": "created | completed",
        "WithParts": "info parts |",
        "InvalidStateTransitionError": "name message details |",
        "InvalidStateTransitionDetails": "currentStatus attemptedStatus validTransitions |",
    },
    "blocks": {
        "Message": "role content |",
        "TextBlock": "type text |",
        "ToolUseBlock": "type tool_use_id tool_name parameters |",
        "ToolResultBlock": "type tool_use_id content is_error |",
        "ImageBlock": "type image_type media_type data |",
        "ContentBlockStartChunk": "type index |",
        "ContentBlockDeltaChunk": "type index delta |",
        "ContentBlockStopChunk": "type index |",
        "ToolUseChunk": "type tool_name tool_use_id parameters |",
        "MessageStopChunk": "type usage |",
        "ErrorChunk": "type message |",
        "TokenUsage": "input_tokens output_tokens | total_tokens",
    },
    "envelope": {
        "Envelope": f"{ENVELOPE} | trace_id",
        "TaskEvent": f"{ENVELOPE} task_id payload retry_count max_attempts | trace_id",
        "RetryEvent": f"{ENVELOPE} task_id payload retry_count max_attempts | trace_id",
        "GetContextRequest": f"{ENVELOPE} agent_id task_id globals | trace_id",
        "PromptBlocksResponse": (
            f"{ENVELOPE} system task allowed_tools context_data instruction | trace_id"
        ),
        "ToolCallRequest": f"{ENVELOPE} invocation_id tool_name tool_version args | trace_id",
        "ToolCallResponse": f"{ENVELOPE} invocation_id success | trace_id data error",
        "ToolError": "code message |",
        "ReportResultRequest": f"{ENVELOPE} task_id tool_results task_results | trace_id",
        "ToolResult": "invocation_id tool_id result_type data created_at |",
        "EvaluationRequest": f"{ENVELOPE} task_id task_results | trace_id",
        "EvaluationResponse": f"{ENVELOPE} task_id status score next_action | trace_id",
    },
}
VARIANTS = {
    ("message", "MessagePart"): "text thinking tool_call tool_result image file_ref",
    ("message", "MessageDelta"): (
        "start text thinking tool_call_start tool_call_args tool_call_end usage done error"
    ),
    ("session", "Part"): "text reasoning tool step-start step-finish file",
    ("session", "ToolState"): "pending running completed error",
    ("session", "MessageInfo"): "user assistant",
    ("session", "FilePartSource"): "file symbol resource",
    ("blocks", "ContentBlock"): "text tool_use tool_result image",
    ("blocks", "StreamChunk"): (
        "content_block_start content_block_delta content_block_stop tool_use message_stop error"
    ),
}
ENUMS = {
    ("message", "Role"): "system user assistant tool",
    ("message", "ToolChoiceMode"): "auto required none",
    ("blocks", "Role"): "user assistant system",
    ("session", "ToolStatus"): "pending running completed error",
}


# What a version adds to the one before it, always optional.
_IDS = "messageId turnId"
ADDED: dict[str, dict[tuple[str, str], str]] = {
    "v0.1": {},
    "v0.2": {
        **{("message", name): _IDS for name in ("Message", "TextDelta", "ErrorDelta")},
        **{("message", f"{name}Payload"): "opaque" for name in ("Text", "Thinking", "ToolCall")},
        ("message", "TextDeltaPayload"): "opaque",
        ("message", "ThinkingDeltaPayload"): "opaque",
        ("message", "ToolCallStartDeltaPayload"): "opaque",
        ("message", "ToolCallArgsDeltaPayload"): "opaque",
        ("message", "ToolCallEndDeltaPayload"): "opaque",
        ("message", "UsageSummary"): "reasoningTokens cacheReadTokens cacheWriteTokens",
        ("message", "DoneDeltaPayload"): "providerFinishReason",
        ("message", "MessagePart"): "media",
        ("session", "TokenStats"): "total",
        **{
            ("envelope", name): "message_type"
            for name, fields in FIELDS["envelope"].items()
            if fields.startswith(ENVELOPE)
        },
    },
    "v0.3": {
        ("message", "Message"): "author",
        ("message", "TextPayload"): "citations format",
        ("message", "ToolResult"): "outcome structured",
        ("message", "StartDeltaPayload"): "author format",
        ("message", "MessagePart"): (
            "server_tool_call server_tool_result approval_request approval_response"
        ),
        ("message", "MessageDelta"): (
            "text_citation server_tool_call_start server_tool_call_args server_tool_call_end"
            " server_tool_result approval_request media_start media_data media_end warning"
        ),
        **{("session", name): "awaiting_approval denied" for name in ("ToolState", "ToolStatus")},
        **{
            ("session", f"ToolState{name}"): "approval"
            for name in ("Running", "Completed", "Error")
        },
    },
}


def added(version: str, family: str, name: str) -> list[str]:
    """What the versions up to this one have added to a type."""
    upto = list(ADDED)[: list(ADDED).index(version) + 1]
    return [each for v in upto for each in ADDED[v].get((family, name), "").split()]


def defs(family: str, version: str) -> dict[str, Any]:
    schemas: dict[str, Any] = bundle(family, version)["$defs"]
    return schemas


def test_every_version_is_looked_at() -> None:
    assert list(ADDED) == list(read_catalog())


@pytest.mark.parametrize("version", ADDED)
@pytest.mark.parametrize(
    ("family", "name"), [(family, name) for family, types in FIELDS.items() for name in types]
)
def test_a_type_has_the_documents_fields(family: str, name: str, version: str) -> None:
    schema = defs(family, version)[name]
    required, optional = (part.split() for part in FIELDS[family][name].split("|"))
    optional += added(version, family, name)
    assert sorted(schema.get("required", [])) == sorted(required)
    assert sorted(schema["properties"]) == sorted(required + optional)


@pytest.mark.parametrize("version", ADDED)
@pytest.mark.parametrize(("family", "name"), VARIANTS)
def test_a_union_has_the_documents_variants(family: str, name: str, version: str) -> None:
    mapping = defs(family, version)[name]["discriminator"]["mapping"]
    expected = VARIANTS[family, name].split() + added(version, family, name)
    assert sorted(mapping) == sorted(expected)


@pytest.mark.parametrize("version", ADDED)
@pytest.mark.parametrize(("family", "name"), ENUMS)
def test_an_enum_has_the_documents_values(family: str, name: str, version: str) -> None:
    expected = ENUMS[family, name].split() + added(version, family, name)
    assert sorted(defs(family, version)[name]["enum"]) == sorted(expected)


@pytest.mark.parametrize("version", ADDED)
def test_every_queue_message_carries_the_envelope_at_its_root(version: str) -> None:
    public = {
        name for name, schema in defs("envelope", version).items() if schema.get("x-entrypoint")
    }
    for name in public - {"ToolResult"}:
        schema = defs("envelope", version)[name]
        assert set(ENVELOPE.split()) <= set(schema["required"]), name
        assert "trace_id" in schema["properties"], name


@pytest.mark.parametrize("version", ADDED)
def test_envelope_fields_are_snake_case(version: str) -> None:
    names = {
        name
        for schema in defs("envelope", version).values()
        for name in schema.get("properties", ())
    }
    assert names
    assert [name for name in names if not re.fullmatch("[a-z]+(_[a-z]+)*", name)] == []
