"""Plain Python: a dictionary of lists of deltas, and each list folded when all has been read."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any


def main(output: str, files: list[str]) -> None:
    """Read everything, then write a message of each stream."""
    streams = defaultdict(list)
    for path in files:
        with Path(path).open(encoding="utf-8") as lines:
            for line in lines:
                if line.strip():
                    delta = json.loads(line)
                    streams[delta["runId"], delta.get("messageId")].append(delta)
    with Path(output).open("w", encoding="utf-8") as made:
        for deltas in streams.values():
            deltas.sort(key=lambda delta: delta["seq"])
            made.write(json.dumps(message_of(deltas), ensure_ascii=False) + "\n")


def message_of(deltas: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the message of a stream whose deltas are in order; some may be there several times."""
    message = begun(deltas[0])
    meta = message["meta"]
    parts: list[dict[str, Any]] = []
    calls: dict[str, dict[str, Any]] = {}
    seq, last, ending = None, None, "truncated"
    for delta in deltas:
        if delta["seq"] == seq:
            continue
        seq, kind, payload = delta["seq"], delta["kind"], delta["payload"]
        if kind in ("text", "thinking"):
            if kind == last:
                parts[-1]["payload"]["text"].append(payload["textDelta"])
            else:
                parts.append({"kind": kind, "payload": {"text": [payload["textDelta"]]}})
        elif kind == "tool_call_start":
            call_id = payload["toolCallId"]
            call = {"toolCallId": call_id, "toolName": payload["toolName"], "arguments": []}
            calls[call_id] = call
            parts.append({"kind": "tool_call", "payload": call})
        elif kind == "tool_call_args":
            calls[payload["toolCallId"]]["arguments"].append(payload["argsTextDelta"])
        elif kind == "tool_call_end":
            call = calls.pop(payload["toolCallId"])
            call["arguments"] = json.loads("".join(call["arguments"]))
        elif kind == "usage":
            meta["usage"] = payload
        elif kind == "done":
            meta["finishReason"] = payload["finishReason"]
        if kind in ("done", "error"):
            meta["completedAt"], ending = delta["timestamp"], kind
        last = kind
    for part in parts:
        if part["kind"] != "tool_call":
            part["payload"]["text"] = "".join(part["payload"]["text"])
    if ending != "done":
        meta["incomplete"] = {"ending": ending, "openToolCallIds": list(calls)}
    message["parts"] = [part for part in parts if part["payload"].get("toolCallId") not in calls]
    return message


def begun(start: dict[str, Any]) -> dict[str, Any]:
    """Return what the first delta says of a message."""
    message = {"runId": start["runId"], "role": "assistant", "timestamp": start["timestamp"]}
    for name in ("messageId", "turnId"):
        if name in start:
            message[name] = start[name]
    payload = start["payload"]
    message["meta"] = {"modelId": payload["modelId"], "requestId": payload["requestId"]}
    return message


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
