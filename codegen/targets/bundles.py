"""``bundles/<family>[.draft-07].schema.json``: each family as one file that refers to nothing else.

2020-12 keeps every keyword of the dialect. Draft-07 is for older tools: ``definitions`` instead of
``$defs``, and nothing that they would complain about (``discriminator``, ``x-…``). Neither holds a
``$id``: several tools would try to fetch what is there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from codegen import model as m
from codegen.write import notice

_DRAFTS = {
    "": ("https://json-schema.org/draft/2020-12/schema", "$defs"),
    ".draft-07": ("http://json-schema.org/draft-07/schema#", "definitions"),
}
_MAPS = ("properties",)
_DATA = ("examples", "enum", "const", "required", "x-rules", "x-transitions", "x-known-values")


def generate(contract: m.Contract) -> dict[str, str]:
    """Return two bundles per family."""
    files: dict[str, str] = {}
    for family in contract.families.values():
        for draft in _DRAFTS:
            document = bundle(contract, family, draft)
            text = json.dumps(document, ensure_ascii=False, indent=2)
            files[f"bundles/{family.name}{draft}.schema.json"] = text + "\n"
    return files


def bundle(contract: m.Contract, family: m.Family, draft: str) -> dict[str, Any]:
    """Return the bundle of one family; ``draft`` is empty or ``.draft-07``."""
    dialect, keyword = _DRAFTS[draft]
    old = bool(draft)

    def target(reference: str) -> str:
        return f"#/{keyword}/{reference.rpartition('/')[2]}"

    return {
        "$schema": dialect,
        "$comment": " ".join(notice(contract.version, family.digest)),
        "title": f"{family.name} {contract.version}",
        keyword: {
            name: _schema(definition.schema, target, old)
            for name, definition in family.types.items()
        },
    }


def _schema(schema: Mapping[str, Any], target: Callable[[str], str], old: bool) -> dict[str, Any]:
    """Return ``schema`` with its references inside the bundle."""
    if old and "$ref" in schema:
        # Draft-07 ignores what is beside $ref; some tools say so at every place.
        return {"$ref": target(schema["$ref"])}
    made: dict[str, Any] = {}
    for keyword, value in schema.items():
        if old and (keyword == "discriminator" or keyword.startswith("x-")):
            continue
        if keyword == "$ref":
            made[keyword] = target(value)
        elif keyword == "discriminator":
            mapping = {tag: target(reference) for tag, reference in value["mapping"].items()}
            made[keyword] = {**value, "mapping": mapping}
        elif keyword in _MAPS:
            made[keyword] = {name: _schema(inner, target, old) for name, inner in value.items()}
        elif keyword in _DATA or not isinstance(value, (dict, list)):
            made[keyword] = value
        elif isinstance(value, list):
            made[keyword] = [_schema(inner, target, old) for inner in value]
        else:
            made[keyword] = _schema(value, target, old)
    return made
