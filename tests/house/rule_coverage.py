"""Rules that no fixture can hit, since they are about calls and bytes: how each is hit.

Read by conformance/test_fixture_set.py: a fixture hits a rule of ``schemas/rules/``, or it is here.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from unittest.mock import patch

import anyio
from click.testing import CliRunner

from partwire import DeltaGate, MessageAssembler, Unknown, read, validate
from partwire.blocks import ChunkCollector, ModelAdapterError, StreamingResponse
from partwire.cli import main
from partwire.compat import compare
from partwire.contract import resources as package_resources
from partwire.contract.current.blocks import ErrorChunk
from partwire.contract.current.message import (
    DoneDelta,
    DoneDeltaPayload,
    StartDelta,
    StartDeltaPayload,
)
from partwire.contract.current.session import FilePart
from partwire.envelope import parse_allowed_tools
from partwire.errors import Finding, PartwireError
from partwire.model import ReplayModel
from partwire.model.recording_format import read_recording
from partwire.providers.framing import JSONLinesDecoder, SSEDecoder, join_whole
from partwire.providers.registry import open_adapter
from partwire.session import get_required
from tests.archive.hits import ARCHIVE_HITS
from tests.cli.config_hits import CONFIG_HITS
from tests.codegen.release_hits import RELEASE_HITS
from tests.convert.migrate_hits import MIGRATE_HITS
from tests.fixture_cases import case_file
from tests.house.surface_hits import SURFACE_HITS
from tests.registry.hits import REGISTRY_HITS
from tests.reporting.report_hits import REPORT_HITS
from tests.service.hits import SERVICE_HITS

__all__ = ["HITS"]

AT = "2026-01-02T03:04:05Z"
STOP: Final = ErrorChunk(message="Gone.")
START: Final = StartDelta(
    run_id="run_1",
    seq=0,
    payload=StartDeltaPayload(model_id="model-1", request_id="req_1"),
    timestamp=AT,
)


def done(seq: int, reason: str = "stop") -> DoneDelta:
    payload = DoneDeltaPayload(finish_reason=reason)
    return DoneDelta(run_id="run_1", seq=seq, payload=payload, timestamp=AT)


def raised(call: Callable[..., object], *args: Any, **options: Any) -> set[str]:
    """Return the rules of the error that a call raises; none if it raises nothing."""
    try:
        call(*args, **options)
    except PartwireError as error:
        return rules(error.findings)
    return set()


def rules(findings: Iterable[Finding]) -> set[str]:
    return {finding.rule for finding in findings}


def shown(*arguments: str) -> set[str]:
    """Return the rules that a command shows, ``[in brackets]`` behind each finding."""
    output = CliRunner().invoke(main, arguments).output
    return set(re.findall(r"\[([a-z]+/[a-z-]+)\]", output))


def gated(*deltas: Any) -> set[str]:
    gate = DeltaGate()
    return set().union(*(rules(gate.accept(delta).findings) for delta in deltas))


def consumed(*deltas: Any) -> MessageAssembler:
    assembler = MessageAssembler()
    for delta in deltas:
        assembler.consume(delta)
    return assembler


def missing_field(name: str) -> set[str]:
    part = FilePart(id="prt_1", session_id="s", message_id="m", mime="text/plain", url="file:///a")
    reported: list[PartwireError] = []
    assert get_required(part, name, report=reported.append) is None
    return set().union(*(rules(error.findings) for error in reported))


def tools_without_yaml(text: str) -> set[str]:
    with patch.dict(sys.modules, {"yaml": None}):
        return raised(parse_allowed_tools, text)


def shown_on_a_full_disk() -> set[str]:
    with patch("partwire.cli.commands.schema.emit_json", side_effect=OSError(28, "No space left")):
        return shown("schema", "bundle", "message")


def sent(*chunks: Any, gone: bool = False) -> set[str]:
    """Return the rules of sending chunks into a channel; ``gone``: whose reader has left."""
    sender, stream = StreamingResponse.channel()
    if gone:
        del stream

    async def send_all() -> None:
        for chunk in chunks:
            await sender.send(chunk)
        sender.close()
        await sender.send(STOP)

    return raised(anyio.run, send_all)


def unheard() -> set[str]:
    collector = ChunkCollector()
    collector.feed(Unknown("type", "ping", {"type": "ping"}))
    return rules(collector.findings)


def replayed_twice() -> set[str]:
    source = case_file("v0.1/providers/openai-chat/text", "input")
    model = ReplayModel(source)
    return raised(model.stream, []) | raised(model.stream, [])


def read_twice() -> set[str]:
    source = case_file("v0.1/providers/openai-chat/text", "input")

    async def main() -> set[str]:
        stream = ReplayModel(source).stream([])
        await stream.message()
        try:
            await stream.message()
        except PartwireError as error:
            return rules(error.findings)
        return set()

    return anyio.run(main)


def compared(old: Any, new: Any, *entries: dict[str, str]) -> set[str]:
    """Return the rules that the command shows for two schemas, with breaks that are accepted."""
    with TemporaryDirectory() as folder:
        names = [f"{folder}/{name}.json" for name in ("old", "new", "accepted")]
        for name, value in zip(names, (old, new, list(entries)), strict=True):
            Path(name).write_text(json.dumps(value))
        return shown("compat", names[0], names[1], "--accept", names[2])


def accepted(pointer: str = "#/$defs/A", **members: str) -> set[str]:
    entry = {
        "fingerprint": "4d6b39499515e6df",
        "rule": "compat/entrypoint-removed",
        "pointer": pointer,
        "reason": "Nobody has any.",
        **members,
    }
    return compared({"$defs": {"A": {}}}, {"$defs": {}}, entry)


def open_behind() -> set[str]:
    """A break that is accepted, and another member of which nothing can be proved."""
    old, new = (
        {"properties": {"a": {"type": kind}, "b": {"type": "string", "pattern": pattern}}}
        for kind, pattern in (("string", "^(a*)b\\1$"), ("integer", "^(b|a+ba+)$"))
    )
    entry = {
        "fingerprint": "a668e9eef82f9118",
        "rule": "compat/type-narrowed",
        "pointer": "#/properties/a/type",
        "reason": "Nobody has any.",
    }
    return compared(old, new, entry)


def unions(kind: str) -> dict[str, object]:
    """A schema with more variants than anybody compares with those of another one."""
    pairs = [{"anyOf": [{"required": [f"a{n}"]}, {"required": [f"b{n}"]}]} for n in range(12)]
    return {"allOf": pairs, "properties": {"x": {"type": kind}}}


HITS: dict[str, Callable[[], set[str]]] = {
    "blocks/adapter-failed": lambda: rules(ModelAdapterError("timeout", "No answer").findings),
    "blocks/invalid-chunk": lambda: sent({"type": "error"}),
    "blocks/reader-gone": lambda: sent(STOP, gone=True),
    "blocks/sender-closed": sent,
    "blocks/unknown-chunk": unheard,
    "compat/accepted-expired": lambda: accepted(until="2026-01-01"),
    "compat/accepted-incomplete": open_behind,
    "compat/accepted-unused": lambda: accepted(pointer="#/elsewhere"),
    "compat/components-alone": lambda: compared(
        {"openapi": "3.1.0", "components": {"schemas": {"A": {}}}},
        {"openapi": "3.1.0", "components": {"schemas": {"A": {}}}},
    ),
    "compat/dangling-reference": lambda: raised(compare, {"$ref": "#/$defs/Gone"}, {}),
    "compat/entrypoint-added": lambda: compared({"$defs": {}}, {"$defs": {"A": {}}}),
    "compat/entrypoint-removed": lambda: compared({"$defs": {"A": {}}}, {"$defs": {}}),
    "compat/invalid-schema": lambda: raised(compare, {}, {"type": "text"}),
    "compat/no-documents": lambda: compared(False, {}),
    "compat/undeclared-left-out": lambda: compared(
        {"properties": {"a": {}}, "additionalProperties": True},
        {"properties": {"a": {}, "b": {"type": "string"}}},
    ),
    "compat/unexplained": lambda: compared(unions("null"), unions("array")),
    "compat/unproven": lambda: compared(
        {"type": "string", "pattern": "^(a*)b\\1$"}, {"type": "string", "pattern": "^(b|a+ba+)$"}
    ),
    **ARCHIVE_HITS,
    **CONFIG_HITS,
    **MIGRATE_HITS,
    **REGISTRY_HITS,
    **RELEASE_HITS,
    **REPORT_HITS,
    **SERVICE_HITS,
    **SURFACE_HITS,
    "framing/event-too-large": lambda: raised(SSEDecoder(5).feed, b"data: 123456\n\n"),
    "framing/document-too-large": lambda: raised(join_whole, [b"123456"], 5),
    "framing/line-too-long": lambda: raised(JSONLinesDecoder(5).feed, b"123456\n"),
    "gate/conflicting-repeat": lambda: gated(START, done(1), done(1, "length")),
    "gate/gap": lambda: gated(START, done(2)),
    "gate/reordered": lambda: gated(START, done(2), done(1)),
    "recording/invalid-line": lambda: raised(read_recording, b"{}"),
    "recording/unknown-version": lambda: raised(
        read_recording, b'{"format": "partwire-recording", "formatVersion": 99}'
    ),
    "session/missing-field": lambda: missing_field("filename"),
    "stream/already-done": lambda: raised(consumed(START, done(1)).build_partial),
    "stream/invalid-delta": lambda: raised(MessageAssembler().consume, {"kind": "start"}),
    "stream/not-done": lambda: raised(consumed(START).build_final_message),
    "stream/not-started": lambda: raised(MessageAssembler().snapshot),
    "usage/ambiguous-type": lambda: shown("validate", __file__),
    "usage/missing-extra": lambda: tools_without_yaml("- weather"),
    "usage/missing-resource": lambda: raised(package_resources.read_folder, "nothing"),
    "usage/replay-ended": replayed_twice,
    "usage/stream-taken": read_twice,
    "usage/unknown-dialect": lambda: raised(open_adapter, "morse", "run_1", clock=lambda: AT),
    "usage/unknown-family": lambda: raised(package_resources.bundle, "letters"),
    "usage/unknown-mode": lambda: raised(read, "auto", "message.ToolChoice", "lenient"),
    "usage/unknown-rule": lambda: shown("explain", "shape/no-such-rule"),
    "usage/unknown-version": lambda: raised(validate, "auto", "message.ToolChoice", "v9.9"),
    "usage/unreadable-input": lambda: shown(
        "validate", "--type", "message.Message", "no-such-file"
    ),
    "usage/unwritable-output": shown_on_a_full_disk,
}
"""Rule id → what finds it."""
