"""The limits of a stream: the document lists what the table says."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from partwire.message.assembler.limits import Limits
from partwire.tables.limits import DEFAULT_LIMITS

_MIB = 1024 * 1024


def test_the_defaults_are_those_of_the_table() -> None:
    assert msgspec.structs.asdict(Limits()) == DEFAULT_LIMITS._asdict()


def test_the_document_lists_the_defaults(root: Path) -> None:
    text = " ".join((root / "docs" / "semantics.md").read_text("utf-8").split())
    (listed,) = re.findall(r"Limits \(all settable; [^)]*\): (.*?)\. ", text)
    given = DEFAULT_LIMITS
    assert listed == (
        f"{given.text_bytes // _MIB} MiB of text per message,"
        f" {given.arguments_bytes // _MIB} MiB of arguments per call,"
        f" {given.opaque_bytes // _MIB} MiB of opaque data per message,"
        f" {given.payload_bytes // _MIB} MiB of payloads per message,"
        f" {given.media_bytes // _MIB} MiB of media held at once,"
        f" {given.tool_calls:,} tool calls, {given.parts:,} parts,"
        f" arguments, opaque data and payloads nested {given.arguments_depth} deep,"
        f" ids of {given.id_chars} characters, paths of {given.agents} agents"
    )
    assert given.opaque_depth == given.payload_depth == given.arguments_depth
