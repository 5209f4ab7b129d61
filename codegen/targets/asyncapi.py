"""``asyncapi.json``: the queue messages with their channels and directions, for AsyncAPI tools.

Made of ``schemas/asyncapi.src.json``. Payloads are draft-07: that is what a document of AsyncAPI 3
means where it names no other format, and all that its parser looks into.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from codegen.flatten import as_text, flatten, read_source

SOURCE: Final = "asyncapi.src.json"


def generate(schemas: Path) -> dict[str, str]:
    """Return the document; nothing where the folder has no source of one."""
    source = schemas / SOURCE
    if not source.exists():
        return {}
    made = flatten(read_source(source), schemas, name=SOURCE, draft07=True)
    components = made["components"]
    messages = components["messages"]
    for name, message in messages.items():
        messages[name] = _with_examples(message, components["schemas"])
    return {"asyncapi.json": as_text(made, source)}


def _with_examples(message: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    """Return a message with the examples of its type, as those tools that show messages look."""
    schema = schemas[message["payload"]["$ref"].rpartition("/")[2]]
    return {**message, "examples": [{"payload": each} for each in schema["examples"]]}
