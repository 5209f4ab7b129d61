# Generated from schemas/v0.2 (digest 00a26d42abad09cf) by codegen 1 with datamodel-code-generator 0.89.0.
# Do not edit: change the schemas, then run `python -m codegen`.

"""What the typed decode of the message family leaves unchecked.

``RESIDUAL[name](value)`` is True where nothing is found, False where the checks have
to look; None: nothing is left to check. The value is decoded as ``DECODED_AS[name]``
or, where there is none, as the struct of that name.

``TEXTS[name]``: for the types where all that is left to check is that these texts
match as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from msgspec import UNSET, Struct

from partwire.v0_2.checks.message import CHECKS
from partwire.v0_2.structs import message as structs

Test: TypeAlias = Callable[[Any], bool]
_R1 = re.compile("(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,9})?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])")
_P1 = _R1.fullmatch
_R2 = re.compile("(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_P2 = _R2.fullmatch
_R3 = re.compile("[0-9a-f]{64}")
_P3 = _R3.fullmatch


def _timestamp(v: Any) -> bool:
    return _P1(v) is not None


def _base64(v: Any) -> bool:
    return _P2(v) is not None


def _message_delta(v: Any) -> bool:
    f = _MESSAGE_DELTA_VARIANTS.get(type(v))
    return f is None or f(v)


def _start_delta(v: Any) -> bool:
    return _P1(v.timestamp) is not None


def _text_delta(v: Any) -> bool:
    return _P1(v.timestamp) is not None


def _thinking_delta(v: Any) -> bool:
    return _P1(v.timestamp) is not None


def _tool_call_start_delta(v: Any) -> bool:
    return _P1(v.timestamp) is not None


def _tool_call_args_delta(v: Any) -> bool:
    return _P1(v.timestamp) is not None


def _tool_call_end_delta(v: Any) -> bool:
    return _P1(v.timestamp) is not None


def _usage_delta(v: Any) -> bool:
    return _P1(v.timestamp) is not None


def _done_delta(v: Any) -> bool:
    return _P1(v.timestamp) is not None


def _error_delta(v: Any) -> bool:
    return _P1(v.timestamp) is not None


def _message(v: Any) -> bool:
    if not _message__parts(v.parts):
        return False
    if _P1(v.timestamp) is None:
        return False
    if not (v.meta is UNSET or _message_meta(v.meta)):
        return False
    row = _MESSAGE_RULE_1[v.role]
    for y in v.parts:
        if y.kind not in row:
            return False
    keys = [y.payload.tool_call_id for y in v.parts if y.kind == "tool_call"]
    if len(keys) > 1 and len(set(keys)) < len(keys):
        return False
    keys = [y.payload.tool_call_id for y in v.parts if y.kind == "tool_result"]
    if len(keys) > 1 and len(set(keys)) < len(keys):
        return False
    return True


def _message__parts(v: Any) -> bool:
    for y in v:
        f = _MESSAGE_PART_VARIANTS.get(type(y))
        if f is not None and not f(y):
            return False
    return True


def _message_meta(v: Any) -> bool:
    return CHECKS["MessageMeta"](v) is None and _message_meta__as_written(v)


def _message_meta__as_written(v: Any) -> bool:
    return ("usage" not in v or _usage_summary__as_written(v["usage"])) and ("toolCallParseErrors" not in v or _message_meta__tool_call_parse_errors__as_written(v["toolCallParseErrors"])) and ("incomplete" not in v or _incomplete__as_written(v["incomplete"]))


def _usage_summary__as_written(v: Any) -> bool:
    return _USAGE_SUMMARY_NAMES.issuperset(v) and type(v["inputTokens"]) is int and type(v["outputTokens"]) is int and type(v["totalTokens"]) is int and ("reasoningTokens" not in v or type(v["reasoningTokens"]) is int) and ("cacheReadTokens" not in v or type(v["cacheReadTokens"]) is int) and ("cacheWriteTokens" not in v or type(v["cacheWriteTokens"]) is int)


def _message_meta__tool_call_parse_errors__as_written(v: Any) -> bool:
    return all(_tool_call_parse_error__as_written(y) for y in v)


def _tool_call_parse_error__as_written(v: Any) -> bool:
    return _TOOL_CALL_PARSE_ERROR_NAMES.issuperset(v)


def _incomplete__as_written(v: Any) -> bool:
    return _INCOMPLETE_NAMES.issuperset(v)


def _message_part(v: Any) -> bool:
    f = _MESSAGE_PART_VARIANTS.get(type(v))
    return f is None or f(v)


def _tool_result_part(v: Any) -> bool:
    return _tool_result(v.payload)


def _image_part(v: Any) -> bool:
    return _image_payload(v.payload)


def _media_part(v: Any) -> bool:
    return _media_payload(v.payload)


def _tool_result(v: Any) -> bool:
    return _tool_result_content(v.content)


def _tool_result_content(v: Any) -> bool:
    if isinstance(v, (list)):
        return _tool_result_content__1(v)
    return True


def _tool_result_content__1(v: Any) -> bool:
    for y in v:
        f = _TOOL_RESULT_CONTENT_PART_VARIANTS.get(type(y))
        if f is not None and not f(y):
            return False
    return True


def _tool_result_content_part(v: Any) -> bool:
    f = _TOOL_RESULT_CONTENT_PART_VARIANTS.get(type(v))
    return f is None or f(v)


def _image_payload(v: Any) -> bool:
    return (v.data is UNSET or _P2(v.data) is not None) and (v.data is UNSET) + (v.url is UNSET) == 1


def _media_payload(v: Any) -> bool:
    return _media_source(v.source) and (v.sha256 is UNSET or _P3(v.sha256) is not None)


def _media_source(v: Any) -> bool:
    f = _MEDIA_SOURCE_VARIANTS.get(type(v))
    return f is None or f(v)


def _inline_source(v: Any) -> bool:
    return _P2(v.data) is not None


def _model_config(v: Any) -> bool:
    return CHECKS["ModelConfig"](v) is None and _model_config__as_written(v)


def _model_config__as_written(v: Any) -> bool:
    return ("maxTokens" not in v or type(v["maxTokens"]) is int) and ("toolChoice" not in v or _tool_choice__as_written(v["toolChoice"])) and ("cacheConfig" not in v or _cache_config__as_written(v["cacheConfig"]))


def _tool_choice__as_written(v: Any) -> bool:
    if isinstance(v, dict):
        return _specific_tool__as_written(v)
    return True


def _specific_tool__as_written(v: Any) -> bool:
    return _SPECIFIC_TOOL_NAMES.issuperset(v)


def _cache_config__as_written(v: Any) -> bool:
    return _CACHE_CONFIG_NAMES.issuperset(v)


def _start_delta__alone(v: Any) -> bool:
    return type(v) is structs.StartDelta and _start_delta(v)


def _text_delta__alone(v: Any) -> bool:
    return type(v) is structs.TextDelta and _text_delta(v)


def _thinking_delta__alone(v: Any) -> bool:
    return type(v) is structs.ThinkingDelta and _thinking_delta(v)


def _tool_call_start_delta__alone(v: Any) -> bool:
    return type(v) is structs.ToolCallStartDelta and _tool_call_start_delta(v)


def _tool_call_args_delta__alone(v: Any) -> bool:
    return type(v) is structs.ToolCallArgsDelta and _tool_call_args_delta(v)


def _tool_call_end_delta__alone(v: Any) -> bool:
    return type(v) is structs.ToolCallEndDelta and _tool_call_end_delta(v)


def _usage_delta__alone(v: Any) -> bool:
    return type(v) is structs.UsageDelta and _usage_delta(v)


def _done_delta__alone(v: Any) -> bool:
    return type(v) is structs.DoneDelta and _done_delta(v)


def _error_delta__alone(v: Any) -> bool:
    return type(v) is structs.ErrorDelta and _error_delta(v)


def _text_part__alone(v: Any) -> bool:
    return type(v) is structs.TextPart


def _thinking_part__alone(v: Any) -> bool:
    return type(v) is structs.ThinkingPart


def _tool_call_part__alone(v: Any) -> bool:
    return type(v) is structs.ToolCallPart


def _tool_result_part__alone(v: Any) -> bool:
    return type(v) is structs.ToolResultPart and _tool_result_part(v)


def _image_part__alone(v: Any) -> bool:
    return type(v) is structs.ImagePart and _image_part(v)


def _file_ref_part__alone(v: Any) -> bool:
    return type(v) is structs.FileRefPart


def _media_part__alone(v: Any) -> bool:
    return type(v) is structs.MediaPart and _media_part(v)


def _inline_source__alone(v: Any) -> bool:
    return type(v) is structs.InlineSource and _inline_source(v)


def _url_source__alone(v: Any) -> bool:
    return type(v) is structs.UrlSource


def _ref_source__alone(v: Any) -> bool:
    return type(v) is structs.RefSource


_MESSAGE_DELTA_VARIANTS: Final[Mapping[type, Test]] = {
    structs.StartDelta: _start_delta,
    structs.TextDelta: _text_delta,
    structs.ThinkingDelta: _thinking_delta,
    structs.ToolCallStartDelta: _tool_call_start_delta,
    structs.ToolCallArgsDelta: _tool_call_args_delta,
    structs.ToolCallEndDelta: _tool_call_end_delta,
    structs.UsageDelta: _usage_delta,
    structs.DoneDelta: _done_delta,
    structs.ErrorDelta: _error_delta,
}
_MESSAGE_RULE_1: dict[str, dict[str, None]] = {"assistant": {"text": None, "thinking": None, "tool_call": None, "image": None, "file_ref": None, "media": None}, "system": {"text": None, "thinking": None}, "tool": {"tool_result": None}, "user": {"text": None, "image": None, "file_ref": None, "media": None}}
_USAGE_SUMMARY_NAMES: Final = frozenset({"inputTokens", "outputTokens", "totalTokens", "reasoningTokens", "cacheReadTokens", "cacheWriteTokens", "cost"})
_TOOL_CALL_PARSE_ERROR_NAMES: Final = frozenset({"toolCallId", "error"})
_INCOMPLETE_NAMES: Final = frozenset({"ending", "openToolCallIds"})
_MESSAGE_PART_VARIANTS: Final[Mapping[type, Test]] = {
    structs.ToolResultPart: _tool_result_part,
    structs.ImagePart: _image_part,
    structs.MediaPart: _media_part,
}
_TOOL_RESULT_CONTENT_PART_VARIANTS: Final[Mapping[type, Test]] = {
    structs.ImagePart: _image_part,
    structs.MediaPart: _media_part,
}
_MEDIA_SOURCE_VARIANTS: Final[Mapping[type, Test]] = {
    structs.InlineSource: _inline_source,
}
_SPECIFIC_TOOL_NAMES: Final = frozenset({"toolName"})
_CACHE_CONFIG_NAMES: Final = frozenset({"strategy"})


class _OtherKind(Struct, frozen=True, tag_field="kind", tag=""):
    """Makes msgspec ask for the tag; the tag of no variant."""


DECODED_AS: Final[Mapping[str, Any]] = {
    "StartDelta": structs.StartDelta | _OtherKind,
    "TextDelta": structs.TextDelta | _OtherKind,
    "ThinkingDelta": structs.ThinkingDelta | _OtherKind,
    "ToolCallStartDelta": structs.ToolCallStartDelta | _OtherKind,
    "ToolCallArgsDelta": structs.ToolCallArgsDelta | _OtherKind,
    "ToolCallEndDelta": structs.ToolCallEndDelta | _OtherKind,
    "UsageDelta": structs.UsageDelta | _OtherKind,
    "DoneDelta": structs.DoneDelta | _OtherKind,
    "ErrorDelta": structs.ErrorDelta | _OtherKind,
    "TextPart": structs.TextPart | _OtherKind,
    "ThinkingPart": structs.ThinkingPart | _OtherKind,
    "ToolCallPart": structs.ToolCallPart | _OtherKind,
    "ToolResultPart": structs.ToolResultPart | _OtherKind,
    "ImagePart": structs.ImagePart | _OtherKind,
    "FileRefPart": structs.FileRefPart | _OtherKind,
    "MediaPart": structs.MediaPart | _OtherKind,
    "InlineSource": structs.InlineSource | _OtherKind,
    "UrlSource": structs.UrlSource | _OtherKind,
    "RefSource": structs.RefSource | _OtherKind,
}
RESIDUAL: Final[Mapping[str, Test | None]] = {
    "JsonObject": None,
    "Timestamp": _timestamp,
    "Base64": _base64,
    "RunId": None,
    "MessageId": None,
    "TurnId": None,
    "ToolCallId": None,
    "ToolName": None,
    "FinishReason": None,
    "ErrorCode": None,
    "UsageSummary": None,
    "ProviderFinishReason": None,
    "Opaque": None,
    "MessageDelta": _message_delta,
    "Seq": None,
    "StartDelta": _start_delta__alone,
    "TextDelta": _text_delta__alone,
    "ThinkingDelta": _thinking_delta__alone,
    "ToolCallStartDelta": _tool_call_start_delta__alone,
    "ToolCallArgsDelta": _tool_call_args_delta__alone,
    "ToolCallEndDelta": _tool_call_end_delta__alone,
    "UsageDelta": _usage_delta__alone,
    "DoneDelta": _done_delta__alone,
    "ErrorDelta": _error_delta__alone,
    "StartDeltaPayload": None,
    "TextDeltaPayload": None,
    "ThinkingDeltaPayload": None,
    "ToolCallStartDeltaPayload": None,
    "ToolCallArgsDeltaPayload": None,
    "ToolCallEndDeltaPayload": None,
    "DoneDeltaPayload": None,
    "ErrorDeltaPayload": None,
    "Message": _message,
    "Role": None,
    "MessageMeta": _message_meta,
    "ToolCallParseError": None,
    "Incomplete": None,
    "MessagePart": _message_part,
    "TextPart": _text_part__alone,
    "ThinkingPart": _thinking_part__alone,
    "ToolCallPart": _tool_call_part__alone,
    "ToolResultPart": _tool_result_part__alone,
    "ImagePart": _image_part__alone,
    "FileRefPart": _file_ref_part__alone,
    "MediaPart": _media_part__alone,
    "TextPayload": None,
    "ThinkingPayload": None,
    "ToolCallPayload": None,
    "ToolCall": None,
    "ToolResult": _tool_result,
    "ToolResultContent": _tool_result_content,
    "ToolResultContentPart": _tool_result_content_part,
    "ImagePayload": _image_payload,
    "FileRefPayload": None,
    "MediaPayload": _media_payload,
    "MediaSource": _media_source,
    "InlineSource": _inline_source__alone,
    "UrlSource": _url_source__alone,
    "RefSource": _ref_source__alone,
    "ToolSpec": None,
    "ToolChoice": None,
    "ToolChoiceMode": None,
    "SpecificTool": None,
    "CacheConfig": None,
    "ModelConfig": _model_config,
    "StopSequence": None,
    "ModelInfo": None,
    "RequestMetadata": None,
}
TEXTS: Final[Mapping[str, Mapping[str, re.Pattern[str]]]] = {
    "UsageSummary": {},
    "Opaque": {},
    "MessageDelta": {"timestamp": _R1},
    "StartDeltaPayload": {},
    "TextDeltaPayload": {},
    "ThinkingDeltaPayload": {},
    "ToolCallStartDeltaPayload": {},
    "ToolCallArgsDeltaPayload": {},
    "ToolCallEndDeltaPayload": {},
    "DoneDeltaPayload": {},
    "ErrorDeltaPayload": {},
    "ToolCallParseError": {},
    "Incomplete": {},
    "TextPayload": {},
    "ThinkingPayload": {},
    "ToolCallPayload": {},
    "ToolCall": {},
    "FileRefPayload": {},
    "ToolSpec": {},
    "SpecificTool": {},
    "CacheConfig": {},
    "ModelInfo": {},
    "RequestMetadata": {},
}
