"""Events nested up to the documented depth, and beyond: deltas and findings, never a traceback."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any, Final

import pytest

from partwire import to_wire
from partwire.providers import ADAPTERS, ByteAdapter, open_adapter
from tests.providers.provider_streams import RUN, fixed_clock

# Events as text, one after the other; @@ is where the nested value is.
EVENTS: Final[dict[str, list[str]]] = {
    "bedrock-converse": [
        '{"contentBlockStart":{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"t","name":"f","type":"server_tool_use","input":@@}}}}|{"contentBlockStop":{"contentBlockIndex":0}}',
        '{"contentBlockStart":{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"t","name":"f"}}}}|{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"toolUse":{"input":@@}}}}',
        '{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"citation":@@}}}',
        '{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"zzz":@@}}}',
        '{"contentBlockStart":{"contentBlockIndex":0,"start":{"zzz":@@}}}',
        '{"messageStop":{"stopReason":"end_turn","additionalModelResponseFields":@@}}',
        '{"metadata":{"usage":@@}}',
        '{"zzz":@@}',
        '{"output":{"message":{"content":@@}}}',
        '{"output":{"message":{"content":[{"toolUse":{"name":"f","toolUseId":"x","input":@@}}]}},"stopReason":"end_turn"}',
        '{"contentBlockStart":{"contentBlockIndex":0,"start":{"toolResult":{"toolUseId":"t"}}}}|{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"toolResult":[@@]}}}',
    ],
    "anthropic-messages": [
        '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":@@}}|{"type":"content_block_stop","index":0}',
        '{"type":"content_block_start","index":0,"content_block":{"type":"zzz","x":@@}}|{"type":"content_block_stop","index":0}',
        '{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":@@}}',
        '{"type":"content_block_delta","index":0,"delta":{"type":"zzz","citation":@@}}',
        '{"type":"message_start","message":@@}',
        '{"type":"message_delta","delta":{"stop_details":@@}}',
        '{"type":"error","error":@@}',
        '{"type":"message_start","message":{"id":@@,"model":@@}}|{"type":"message_start","message":{"id":@@,"model":@@}}',
    ],
    "cohere-v2": [
        '{"type":"message-start","id":@@}|{"type":"message-start","id":@@}',
        '{"type":"tool-call-start","index":0,"delta":{"message":{"tool_calls":{"id":"a","function":{"name":"f","arguments":@@}}}}}',
        '{"type":"citation-start","index":0,"delta":{"message":{"citations":@@}}}',
        '{"type":"content-start","index":0,"delta":{"message":{"content":{"type":"zzz","z":@@}}}}',
        '{"type":"content-delta","index":0,"delta":{"message":{"content":@@}}}',
        '{"message":@@}',
        '{"message":{"content":@@,"tool_calls":@@}}',
    ],
    "gemini": [
        '{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"x":@@}}}]}}]}',
        '{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","willContinue":true}}]}}]}|{"candidates":[{"content":{"parts":[{"functionCall":{"args":{"x":@@}}}]}}]}',
        '{"candidates":[{"content":{"parts":[{"zzz":@@}]}}]}',
        '{"candidates":[{"groundingMetadata":@@}]}|{"candidates":[{"groundingMetadata":@@}]}',
        '{"usage_metadata":{},"candidates":[{"content":{"parts":[{"zzz":@@}]}}]}',
        '{"promptFeedback":{"blockReason":"SAFETY","x":@@}}|{"promptFeedback":{"blockReason":"SAFETY","x":@@}}',
        '{"response":@@}',
        '{"candidates":@@}',
        '{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","partialArgs":[{"jsonPath":"$.a","stringValue":@@}],"willContinue":true}}]}}]}',
    ],
    "openai-chat": [
        '{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":@@}}]}}]}',
        '{"choices":[{"index":0,"delta":{"annotations":@@}}]}',
        '{"choices":[{"index":0,"delta":{"reasoning_details":[@@,{"type":"zzz","x":@@}]}}]}|{"choices":[{"index":0,"delta":{"reasoning_details":[{"type":"zzz","x":@@}]}}]}',
        '{"choices":[{"index":0,"delta":{"content":@@}}]}',
        '{"choices":[],"citations":@@}',
        '{"choices":@@}',
        '{"error":@@}',
        '{"choices":[{"index":0,"message":{"content":"a","tool_calls":@@}}]}',
        '{"detail":@@}',
        '{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","extra_content":@@,"function":{"name":"f","arguments":"{}"}}]}}]}',
    ],
    "openai-responses": [
        '{"type":"response.output_item.added","output_index":0,"item":{"type":"zzz_call","id":"a","x":@@}}|{"type":"response.output_item.done","output_index":0,"item":{"type":"zzz_call","id":"a","x":@@}}',
        '{"type":"response.created","response":{"id":"r","tools":@@}}',
        '{"type":"response.created","response":{"id":@@}}|{"type":"response.output_text.delta","output_index":0,"delta":"x"}|{"type":"response.created","response":{"id":@@}}',
        '{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"a","summary":[],"content":@@}}',
        '{"type":"response.output_item.done","output_index":0,"item":{"type":"message","id":"a","content":[{"type":"output_text","text":"x","annotations":@@}]}}',
        '{"type":"response.completed","response":{"id":"r","status":"completed","output":@@}}',
        '{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","id":"a","call_id":"c","name":"f","arguments":@@}}',
    ],
}


DEPTHS: Final = (60, 126, 256, 512, 800, 960, 980, 990, 1000, 20_000)


def nested(depth: int, kind: str) -> str:
    """Return JSON text of arrays, or of objects, nested so deep."""
    if kind == "arrays":
        return "[" * depth + "]" * depth
    if kind == "namespaces":
        return '[{"type":"namespace","tools":' * (depth // 2) + "[]" + "}]" * (depth // 2)
    return '{"a":' * depth + "1" + "}" * depth


def streams(dialect: str) -> Iterator[list[str]]:
    """Yield the events of streams with something nested at each place that an adapter reads."""
    for template in EVENTS[dialect]:
        for depth in DEPTHS:
            for kind in ("arrays", "objects", "namespaces"):
                yield template.replace("@@", nested(depth, kind)).split("|")


def ends(dialect: str, events: list[Any], **options: Any) -> None:
    """Feed events, as text or as values; nothing raises, and what comes out can be written."""
    adapter = open_adapter(dialect, RUN, clock=fixed_clock, **options)
    deltas = []
    for event in events:
        deltas += adapter.feed_text(event) if isinstance(event, str) else adapter.feed(event)
    deltas += adapter.close()
    assert [to_wire(delta)["kind"] for delta in deltas][-1] in ("done", "error")


@pytest.mark.parametrize("dialect", ADAPTERS)
@pytest.mark.usefixtures("untraced")
def test_deep_events_end_in_deltas(dialect: str) -> None:
    for events in streams(dialect):
        ends(dialect, events)
        ends(dialect, events, keep_raw=True)
        reader = ByteAdapter(open_adapter(dialect, RUN, clock=fixed_clock))
        data = "".join(f"data: {event}\n\n" for event in events).encode()
        assert (reader.feed(data) + reader.close())[-1].kind in ("done", "error")


@pytest.mark.parametrize("dialect", ADAPTERS)
@pytest.mark.usefixtures("untraced")
def test_deep_events_as_values_end_in_deltas(dialect: str) -> None:
    """What a client has read already is nested as deep as its own reader lets it be."""
    limit = sys.getrecursionlimit()
    for events in streams(dialect):
        sys.setrecursionlimit(30_000)
        try:
            values = [json.loads(event) for event in events if len(event) < 15_000]
        finally:
            sys.setrecursionlimit(limit)
        ends(dialect, values)
