"""``structs/<family>.py``: msgspec Structs and tagged unions, the fast reading side."""

from __future__ import annotations

from typing import Any

from codegen import model as m
from codegen.targets.dcg import bases, generate_module
from codegen.view import View, docs
from codegen.write import banner

_BINDINGS = "partwire.bindings.struct"
VIEW = View(patterns=False, extensible=False)


def generate(contract: m.Contract) -> dict[str, str]:
    """Return one module per family, and the package's ``__init__.py``."""
    package = '"""Structs of the contract, one module per family."""\n'
    files = {"structs/__init__.py": banner(contract.version, contract.digest) + package}
    for family in contract.families.values():
        files[f"structs/{family.name}.py"] = banner(contract.version, family.digest) + module(
            family
        )
    return files


def module(family: m.Family) -> str:
    """Return the module of one family."""
    tagged = any(isinstance(definition.node, m.Union) for definition in family.types.values())
    return generate_module(
        VIEW.document(family),
        model_type="msgspec.Struct",
        templates="structs",
        extra={name: _extra(family, definition) for name, definition in family.types.items()},
        options={
            "use_msgspec_tagged_unions": True,
            "keyword_only": True,
            "base_class": f"{_BINDINGS}.Struct",
            "base_class_map": bases(family, _BINDINGS, "Struct"),
            "additional_imports": ["typing.ClassVar"] if tagged else None,
        },
    )


def _extra(family: m.Family, definition: m.TypeDef) -> dict[str, Any]:
    options: dict[str, Any] = {"frozen": True}
    if _untracked(family, definition.node, frozenset()):
        options["gc"] = False
    return {**docs(definition), "base_class_kwargs": options}


def _untracked(family: m.Family, node: m.Node, seen: frozenset[str]) -> bool:
    """Return whether the collector may pass over the structs of this type.

    True where there are only scalars, free JSON and structs of those: decoded JSON has no cycles,
    and an object that the collector does not track costs a quarter less to decode. Lists of
    structs stay tracked: those are what callers put together themselves.
    """
    if isinstance(node, m.Ref):
        inner = family.types[node.name].node
        return node.name not in seen and _untracked(family, inner, seen | {node.name})
    if isinstance(node, (m.Array, m.Union, m.Choice)):
        return False
    return all(_untracked(family, child, seen) for child in m.children(node))
