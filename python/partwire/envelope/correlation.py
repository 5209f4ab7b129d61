"""Checks that two queue messages belong together: what one of them alone does not show.

Ids are compared as UUIDs, of either case. What a document states is an error. That a reply
carries the trace on is stated nowhere: a reply that does not is a warning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, TypeAlias

from msgspec import UNSET

from ..contract.current.envelope import ReportResultRequest
from ..errors import Finding, UsageError, bad_argument, clip
from ..json.equality import same_json
from ..json.text import value_findings
from ..severities import SEVERITIES
from .arguments import require_fields, require_text
from .versions import name_of

__all__ = ["check_reply", "check_tool_results"]

_Check: TypeAlias = Callable[[Any, Any], list[Finding]]


def check_reply(message: Any, reply: Any) -> list[Finding]:
    """Return what keeps ``reply`` from following from ``message``; empty if nothing does.

    Both are structs, each of any version. The pairs: GetContextRequest and PromptBlocksResponse,
    ToolCallRequest and ToolCallResponse, ReportResultRequest and EvaluationRequest,
    EvaluationRequest and EvaluationResponse, a TaskEvent or RetryEvent and a RetryEvent. Pointers
    lead into the reply; errors come first. Findings: ``envelope/invocation-mismatch``,
    ``envelope/task-mismatch``, ``envelope/results-changed``, ``envelope/retry-not-raised``,
    ``envelope/message-id-reused``, and the warning ``envelope/trace-mismatch``. Raises UsageError
    ``usage/invalid-argument`` for any other pair, and for structs made by hand whose ids, counts
    or results are none.
    """
    names = (name_of(message), name_of(reply))
    checks = _PAIRS.get(names)
    if checks is None:
        replies = [after for before, after in _PAIRS if before == names[0]]
        raise UsageError(
            Finding(
                "usage/invalid-argument",
                f"{_name(reply)} is not a reply to {_name(message)}",
                expected=" or ".join(replies) or "a message that has a reply",
                actual=_name(reply),
            )
        )
    for name, struct in (("message", message), ("reply", reply)):
        require_fields(name, struct)
    return [finding for check in checks for finding in check(message, reply)]


def check_tool_results(report: ReportResultRequest, invocation_ids: Iterable[str]) -> list[Finding]:
    """Return what does not fit between a report and the tool calls that were made.

    ``invocation_ids`` are the calls' (``invocation_id`` of each ToolCallRequest). A result of
    another call is an error (``envelope/unknown-invocation``), a call without result a warning
    (``envelope/unanswered-invocation``). Two results of one call show in the report itself
    (``envelope/duplicate-invocation``, by reading). Raises UsageError ``usage/invalid-argument``
    for what is not a report, and unless ``invocation_ids`` are several: a str is one of them.
    """
    _require_report(report)
    open_calls = _by_lower_case(invocation_ids)
    calls = frozenset(open_calls)
    found = []
    for index, result in enumerate(report.tool_results):
        key = result.invocation_id.lower()
        open_calls.pop(key, None)
        if key not in calls:
            place = f"/tool_results/{index}/invocation_id"
            found.append(
                Finding(
                    "envelope/unknown-invocation",
                    "The report has a result of a call that was not made",
                    place,
                    expected="the invocation_id of a call that was made",
                    actual=clip(result.invocation_id),
                )
            )
    return found + [
        Finding(
            "envelope/unanswered-invocation",
            "The report has no result of a call that was made",
            "/tool_results",
            SEVERITIES["envelope/unanswered-invocation"],
            expected=f"a result of {clip(each)}",
        )
        for each in open_calls.values()
    ]


def _require_report(report: Any) -> None:
    if name_of(report) != "ReportResultRequest":
        raise bad_argument("report is wrong", "a ReportResultRequest", report)
    results: Any = report.tool_results
    if not isinstance(results, list):
        raise bad_argument("report.tool_results is wrong", "a list of ToolResults", results)
    for index, result in enumerate(results):
        if name_of(result) != "ToolResult":
            raise bad_argument(f"report.tool_results[{index}] is wrong", "a ToolResult", result)
        require_fields(f"report.tool_results[{index}]", result)


def _by_lower_case(ids: Any) -> dict[str, str]:
    expected = "the ids of several calls, as of a list"
    if isinstance(ids, (str, bytes)) or not isinstance(ids, Iterable):
        raise bad_argument("invocation_ids is wrong", expected, ids)
    known: dict[str, str] = {}
    for each in ids:
        require_text("invocation_ids", each, "ids as text (str)")
        known[each.lower()] = each
    return known


def _same_id(field: str, rule: str, words: str) -> _Check:
    def check(message: Any, reply: Any) -> list[Finding]:
        expected, actual = getattr(message, field), getattr(reply, field)
        if expected.lower() == actual.lower():
            return []
        return [
            Finding(rule, words, f"/{field}", expected=clip(expected), actual=clip(actual)),
        ]

    return check


def _own_message_id(message: Any, reply: Any) -> list[Finding]:
    if message.message_id.lower() != reply.message_id.lower():
        return []
    return [
        Finding(
            "envelope/message-id-reused",
            "The reply has the message id of what it replies to",
            "/message_id",
            expected="a different id",
            actual=clip(reply.message_id),
        )
    ]


def _same_trace(message: Any, reply: Any) -> list[Finding]:
    if message.trace_id is UNSET or message.trace_id == reply.trace_id:
        return []
    absent = reply.trace_id is UNSET
    return [
        Finding(
            "envelope/trace-mismatch",
            "The reply does not carry the trace on",
            "" if absent else "/trace_id",
            SEVERITIES["envelope/trace-mismatch"],
            expected=clip(message.trace_id),
            actual="no trace_id" if absent else clip(reply.trace_id),
        )
    ]


def _same_results(message: Any, reply: Any) -> list[Finding]:
    for name, struct in (("message", message), ("reply", reply)):
        if value_findings(struct.task_results):  # a value may hold itself
            raise bad_argument(f"{name}.task_results is wrong", "a JSON value", struct.task_results)
    if same_json(message.task_results, reply.task_results):
        return []
    return [
        Finding(
            "envelope/results-changed",
            "The results to be evaluated are not those that were reported",
            "/task_results",
            expected=clip(message.task_results),
            actual=clip(reply.task_results),
        )
    ]


def _raised_count(message: Any, reply: Any) -> list[Finding]:
    if reply.retry_count > message.retry_count:
        return []
    return [
        Finding(
            "envelope/retry-not-raised",
            "The retry does not raise the count of the task that it retries",
            "/retry_count",
            expected=f"more than {message.retry_count}",
            actual=str(reply.retry_count),
        )
    ]


def _name(value: Any) -> str:
    return type(value).__name__


_task = _same_id("task_id", "envelope/task-mismatch", "The reply is about another task")
_invocation = _same_id(
    "invocation_id", "envelope/invocation-mismatch", "The response answers another call"
)
_RETRY: Final = (_task, _raised_count, _own_message_id, _same_trace)
_PAIRS: Final[dict[tuple[str, str], tuple[_Check, ...]]] = {
    ("GetContextRequest", "PromptBlocksResponse"): (_own_message_id, _same_trace),
    ("ToolCallRequest", "ToolCallResponse"): (_invocation, _own_message_id, _same_trace),
    ("ReportResultRequest", "EvaluationRequest"): (
        *(_task, _same_results, _own_message_id, _same_trace),
    ),
    ("EvaluationRequest", "EvaluationResponse"): (_task, _own_message_id, _same_trace),
    ("TaskEvent", "RetryEvent"): _RETRY,
    ("RetryEvent", "RetryEvent"): _RETRY,
}
