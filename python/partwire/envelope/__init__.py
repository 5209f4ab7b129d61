"""Queue messages: made whole, read from newer and older peers, and held against each other."""

from .allowed_tools import parse_allowed_tools
from .constructors import (
    AttemptsExhausted,
    evaluation_request,
    evaluation_response,
    get_context_request,
    prompt_blocks_response,
    report_result_request,
    retry_event,
    task_event,
    tool_call_request,
    tool_call_response,
    tool_result,
)
from .correlation import check_reply, check_tool_results
from .parsing import MESSAGE_TYPES, parse, parse_with_findings, reading_version, sniff
from .prompt_blocks import (
    decode_prompt_block,
    decode_prompt_blocks,
    encode_prompt_block,
    encode_prompt_blocks,
    may_be_base64,
)

__all__ = [
    "MESSAGE_TYPES",
    "AttemptsExhausted",
    "check_reply",
    "check_tool_results",
    "decode_prompt_block",
    "decode_prompt_blocks",
    "encode_prompt_block",
    "encode_prompt_blocks",
    "evaluation_request",
    "evaluation_response",
    "get_context_request",
    "may_be_base64",
    "parse",
    "parse_allowed_tools",
    "parse_with_findings",
    "prompt_blocks_response",
    "reading_version",
    "report_result_request",
    "retry_event",
    "sniff",
    "task_event",
    "tool_call_request",
    "tool_call_response",
    "tool_result",
]
