"""Lines of partwire's own source that say something else: each once, and each an error again."""

from __future__ import annotations

from typing import Final

from tests.mutants.mutant import Edit, edited

ADAPT: Final = ("adapt",)
ENCODE: Final = ("encode_request",)
REPAIR: Final = ("repair_history",)

# --- framing ----------------------------------------------------------------------------------

edited(
    "sse-crlf-ends-nothing",
    "SSE-14",
    "Events that end with CRLF are never seen to end.",
    ADAPT,
    Edit(
        "partwire.providers.framing.sse", r'text.replace("\r\n", "\n").replace("\r", "\n")', "text"
    ),
)
edited(
    "sse-wants-a-space",
    "SSE-16",
    "A field without a space behind the colon loses its first character.",
    ADAPT,
    Edit(
        "partwire.providers.framing.sse",
        'data = data[6:] if data[5:6] == " " else data[5:]',
        "data = data[6:]",
    ),
)
edited(
    "sse-other-line-ends",
    "SSE-11",
    "Line and paragraph separators are taken for ends of lines.",
    ADAPT,
    Edit(
        "partwire.providers.framing.sse",
        r'if "\r" in text:',
        r'if text := "\n".join(text.splitlines()) + "\n" * 2:',
    ),
)
edited(
    "frames-are-not-checked",
    "SSE-07",
    "A damaged frame of an AWS stream is read as if it were whole.",
    ADAPT,
    Edit(
        "partwire.providers.framing.eventstream",
        "found = crc32(memoryview(data)[at:end])",
        "found = checksum",
    ),
)
edited(
    "exceptions-are-not-looked-at",
    "SSE-06",
    "Exceptions of an AWS stream stand in headers, and are not looked at.",
    ADAPT,
    Edit(
        "partwire.providers.byte_adapter",
        'if ":exception-type" in headers or headers.get(":message-type") == "exception":',
        'if ":no-such-header" in headers:',
    ),
)

# --- adapters ---------------------------------------------------------------------------------

edited(
    "cut-anthropic-is-done",
    "SSE-01",
    "A connection that breaks off is stored as a whole answer.",
    ADAPT,
    Edit("partwire.providers.anthropic.stream", 'self._truncated("message_stop")', "self._end()"),
)
edited(
    "cut-chat-is-done",
    "SSE-01",
    "A connection that breaks off before any finish reason is a whole answer.",
    ADAPT,
    Edit(
        "partwire.providers.openai_chat.stream",
        'self._truncated("a finish reason or [DONE]")',
        "self._end()",
    ),
)
edited(
    "errors-inside-success",
    "SSE-03",
    "An error inside a successful response is passed over.",
    ADAPT,
    Edit(
        "partwire.providers.anthropic.stream",
        'elif kind == "error":',
        'elif kind == "no such type":',
    ),
)
edited(
    "signatures-are-dropped",
    "BLK-04",
    "The signature of thinking is not kept by the adapter.",
    ADAPT,
    Edit(
        "partwire.providers.anthropic.blocks",
        'if signature := "".join(block.signature):',
        "if signature := None:",
    ),
)
edited(
    "the-first-piece-of-a-signature",
    "BLK-06",
    "A signature comes in pieces, and the first one is kept.",
    ADAPT,
    Edit(
        "partwire.providers.anthropic.blocks",
        '"".join(block.signature)',
        '"".join(block.signature[:1])',
    ),
)
edited(
    "cached-input-is-not-counted",
    "FIN-07",
    "Tokens read from a cache are no input.",
    ADAPT,
    Edit(
        "partwire.providers.anthropic.stream",
        "read += (cache_read or 0) + (cache_write or 0)",
        "read += 0",
    ),
)
edited(
    "a-second-message-goes-on",
    "ORD-08",
    "A second message inside the first one's stream is appended to it.",
    ADAPT,
    Edit(
        "partwire.providers.anthropic.stream",
        "if self._begun:\n            self._read_second(message_id)",
        "if False:\n            self._read_second(message_id)",
    ),
)
edited(
    "second-chat-answers-are-appended",
    "ORD-08",
    "Another answer behind the finish reason of a chat stream is appended to the first one.",
    ADAPT,
    Edit(
        "partwire.providers.openai_chat.stream",
        "if self._ids.is_other(chunk_id, self._is_whole()) and _say_anything(choices):",
        "if False:",
    ),
)
edited(
    "done-alone-is-an-answer",
    "FIN-14",
    "A body of nothing but [DONE] is a finished message.",
    ADAPT,
    Edit(
        "partwire.providers.openai_chat.stream",
        "self._is_marked = self._is_answered",
        "self._is_marked = True",
    ),
)
edited(
    "end-alone-is-an-answer",
    "FIN-14",
    "A body of nothing but an end marker is a finished message.",
    ADAPT,
    Edit(
        "partwire.providers.core.adapter",
        "return not self._writer.wrote and not self._writer.state.items",
        "return False",
    ),
)
edited(
    "running-responses-are-finished",
    "FIN-14",
    "A response that is in progress at its end is a finished message.",
    ADAPT,
    Edit(
        "partwire.providers.openai_responses.stream",
        'is_running = said == "completed" and status in _RUNNING',
        "is_running = False",
    ),
)
edited(
    "second-responses-are-appended",
    "ORD-08",
    "A response that begins behind content of another one is appended to it.",
    ADAPT,
    Edit(
        "partwire.providers.openai_responses.stream",
        'if is_other or kind == "response.created":',
        "if is_other:",
    ),
)
edited(
    "calls-are-cut-silently",
    "ARG-10",
    "A response that ends in the middle of a call's arguments is taken without a word.",
    ADAPT,
    Edit(
        "partwire.providers.openai_responses.stream",
        "if self._content.has_open_call:",
        "if False:",
    ),
)
edited(
    "unspecified-reasons-block",
    "FIN-19",
    "A block reason that says nothing ends a cut stream as filtered.",
    ADAPT,
    Edit("partwire.tables.provider_names", '"BLOCK_REASON_UNSPECIFIED",', ""),
)
edited(
    "names-in-pieces-are-calls",
    "TCI-15",
    "A name that comes in two pieces on one index is two calls.",
    ADAPT,
    Edit(
        "partwire.providers.openai_chat.tool_calls",
        "return call if self._takes_more(call) else None",
        "return None",
    ),
)
edited(
    "figures-may-fall",
    "FIN-07",
    "Usage that falls is taken without a word.",
    ADAPT,
    Edit(
        "partwire.providers.core.writing.stream",
        'self._log.usage("a figure below an earlier one")',
        "pass",
    ),
)
edited(
    "totals-may-be-below-their-sum",
    "FIN-07",
    "A total below its sum is taken without a word.",
    ADAPT,
    Edit(
        "partwire.providers.core.writing.stream", 'self._log.usage("a total below its sum")', "pass"
    ),
)
edited(
    "wide-integers-are-not-named",
    "ARG-17",
    "An integer that JavaScript would round goes into a request without a word.",
    ENCODE,
    Edit("partwire.providers.request_core.calls_and_results", "    if says_more:", "    if False:"),
)
edited(
    "empty-ids-open-calls",
    "TCI-02",
    "A later piece of a call has an empty id, and is taken for another call.",
    ADAPT,
    Edit(
        "partwire.providers.openai_chat.tool_calls",
        'provider_id = self._text(entry, "id")',
        'provider_id = entry.get("id")',
    ),
)
edited(
    "one-index-one-call",
    "TCI-10",
    "Calls that share an index become one.",
    ADAPT,
    Edit(
        "partwire.providers.openai_chat.tool_calls",
        "            if name is not None:\n                return None\n            self._mismatch",
        "            self._mismatch",
    ),
)
edited(
    "text-numbers-are-no-index",
    "TCI-11",
    "An index that is written as text is not seen.",
    ADAPT,
    Edit("partwire.providers.openai_chat.tool_calls", "return int(value)\n", "return None\n"),
)
edited(
    "used-ids-are-taken-again",
    "TCI-07",
    "Ids that the run has used already are used again.",
    ADAPT,
    Edit(
        "partwire.providers.core.call_ids",
        "if self._is_used(call_id) or len(call_id) > MAX_ID_CHARS:",
        "if len(call_id) > MAX_ID_CHARS:",
    ),
)
edited(
    "usage-needs-choices",
    "FIN-01",
    "The last chunk has usage and no choices, and is not read.",
    ADAPT,
    Edit(
        "partwire.providers.openai_chat.stream",
        '        usage = event.get("usage")\n',
        '        usage = event.get("usage") if choices else None\n',
    ),
)
edited(
    "every-choice-is-the-first",
    "FIN-02",
    "What another choice says is written into the message.",
    ADAPT,
    Edit("partwire.providers.openai_chat.stream", "        if index == 0:\n", "        if True:\n"),
)
edited(
    "gemini-filter-is-stop",
    "FIN-20",
    "An answer that a filter ended reads as whole.",
    ADAPT,
    Edit("partwire.tables.finish_reasons", '"SAFETY": "content_filter"', '"SAFETY": "stop"'),
)
edited(
    "malformed-call-is-stop",
    "FIN-19",
    "The model's call could not be read, and the empty answer looks like one.",
    ADAPT,
    Edit(
        "partwire.tables.finish_reasons",
        '"MALFORMED_FUNCTION_CALL": "error"',
        '"MALFORMED_FUNCTION_CALL": "stop"',
    ),
)
edited(
    "cohere-timeout-is-done",
    "FIN-18",
    "A finish reason that means an error is taken for an answer.",
    ADAPT,
    Edit("partwire.tables.provider_names", '"TIMEOUT", "USER_CANCEL"', '"USER_CANCEL"'),
)
edited(
    "overloaded-is-final",
    "SSE-03",
    "An overloaded provider's error says that no other try may succeed.",
    ADAPT,
    Edit("partwire.tables.provider_errors", '"overloaded": True', '"overloaded": False'),
)
edited(
    "overloaded-is-unknown",
    "SSE-03",
    "The name that a provider has for its overload is not known.",
    ADAPT,
    Edit("partwire.tables.provider_errors", '        "overloaded": "overloaded",\n', ""),
)
edited(
    "thoughts-are-not-counted",
    "FIN-08",
    "What Gemini thinks is not in the tokens that it writes.",
    ADAPT,
    Edit("partwire.tables.usage_figures", '    "thoughtsTokenCount",\n', ""),
)
edited(
    "failed-responses-are-done",
    "FIN-17",
    "A response that failed is not seen to have failed.",
    ADAPT,
    Edit(
        "partwire.providers.openai_responses.stream", 'if error or said == "failed":', "if False:"
    ),
)
edited(
    "text-is-said-again",
    "BLK-26",
    "Events at the end repeat the whole text, and it stands there twice.",
    ADAPT,
    Edit(
        "partwire.providers.openai_responses.content",
        "        if item is not None and item.final:\n            if item.is_again(body):",
        "        if item is not None:\n            item = None\n            if item is body:",
    ),
)

# --- requests, repair, bridges, envelopes -----------------------------------------------------

edited(
    "anthropic-hides-failures",
    "HIS-22",
    "A tool that failed is shown to the model as one that succeeded.",
    ENCODE,
    Edit(
        "partwire.providers.anthropic.request",
        'body["is_error"] = True',
        'body["is_error"] = False',
    ),
)
edited(
    "chat-hides-failures",
    "HIS-22",
    "A failure's text goes to the model without the word that says so.",
    ENCODE,
    Edit("partwire.providers.openai_chat.request", "if result.is_error:", "if False:"),
)
edited(
    "state-of-another-provider",
    "BLK-13",
    "State of one provider is sent to another one.",
    ENCODE,
    Edit(
        "partwire.providers.request_core.state",
        "            foreign.add(number)\n",
        "            pass\n",
    ),
)
edited(
    "repair-invents-success",
    "HIS-22",
    "A call that was interrupted is answered as if it had succeeded.",
    REPAIR,
    Edit(
        "partwire.message.history.draft",
        "tool_call_id=call_id, is_error=True",
        "tool_call_id=call_id, is_error=False",
    ),
)
edited(
    "repair-makes-text-results",
    "HIS-03",
    "A failure that becomes text is quoted as a result.",
    REPAIR,
    Edit(
        "partwire.message.history.draft",
        'what = "Error" if payload["isError"] else "Result"',
        'what = "Result"',
    ),
)
edited(
    "sessions-store-failures-as-output",
    "HIS-22",
    "A failed call of a message is a completed one of the session.",
    ("convert",),
    Edit(
        "partwire.convert.families.session_parts",
        'return "error" if result["isError"] else "completed"',
        'return "completed"',
    ),
)
edited(
    "session-errors-come-back-well",
    "HIS-22",
    "An error of a session comes back as a result.",
    ("convert",),
    Edit(
        "partwire.convert.families.session_parts",
        '"isError": failed,',
        '"isError": False,',
    ),
)
edited(
    "bridges-drop-members",
    "HIS-08",
    "Members that a type does not name are lost without a word.",
    ("convert",),
    Edit("partwire.convert.families.conversion", "for pointer in left_out:", "for pointer in ():"),
)
edited(
    "streams-drop-members",
    "HIS-08",
    "Members that a chunk or delta does not name are lost without a word.",
    ("convert_stream",),
    Edit("partwire.losses", "in sorted(pointers, key=_place):", "in ():"),
)
edited(
    "ignored-text-is-sent",
    "HIS-22",
    "Text that a session holds back from the model becomes a part of the message.",
    ("convert",),
    Edit(
        "partwire.convert.families.session_record", 'and part.get("ignored") is True', "and False"
    ),
)
edited(
    "cached-tokens-are-not-input",
    "FIN-08",
    "Tokens from a cache are part of no count of input.",
    ("convert",),
    Edit(
        "partwire.convert.families.session_tokens",
        'tokens["input"] + cache["read"]',
        'tokens["input"]',
    ),
)
edited(
    "reasoning-is-counted-twice",
    "FIN-08",
    "Reasoning that the output holds is added to it.",
    ("convert",),
    Edit("partwire.convert.families.session_tokens", "return False if", "return True if"),
)
edited(
    "retries-are-not-counted",
    "ENV-05",
    "A task that fails for ever is tried for ever.",
    ("envelope",),
    Edit(
        "partwire.envelope.constructors",
        "count = task_event.retry_count + 1",
        "count = task_event.retry_count",
    ),
)
