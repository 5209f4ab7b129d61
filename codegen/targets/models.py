"""``models/<family>.py``: pydantic models with discriminated unions, for code that has pydantic."""

from __future__ import annotations

import json
from typing import Any

from codegen import model as m
from codegen.targets.dcg import bases, generate_module
from codegen.view import View, docs
from codegen.write import banner

_BINDINGS = "partwire.bindings.model"
VIEW = View(
    patterns=True,
    extensible=True,
    any_json=f"{_BINDINGS}.AnyJson",
    any_number=f"{_BINDINGS}.AnyNumber",
)


def generate(contract: m.Contract) -> dict[str, str]:
    """Return one module per family, and the package's ``__init__.py``."""
    package = '"""Pydantic models of the contract, one module per family."""\n'
    files = {"models/__init__.py": banner(contract.version, contract.digest) + package}
    for family in contract.families.values():
        files[f"models/{family.name}.py"] = banner(contract.version, family.digest) + module(family)
    return files


def module(family: m.Family) -> str:
    """Return the module of one family."""
    helpers = [
        name
        for name, members in (
            ("at_least_one", _alternatives),
            ("constant", _constants),
            ("exactly_one", _groups),
        )
        if any(members(definition) for definition in family.types.values())
    ]
    open_objects = [
        name
        for name, definition in family.types.items()
        if isinstance(definition.node, m.Object) and definition.node.extensible
    ]
    code = generate_module(
        VIEW.document(family),
        model_type="pydantic_v2.BaseModel",
        templates="models",
        extra={name: _extra(definition) for name, definition in family.types.items()},
        options={
            "use_missing_sentinel": True,
            "target_pydantic_version": "2.12",
            "use_type_alias": True,
            "base_class": f"{_BINDINGS}.Model",
            "base_class_map": {
                **dict.fromkeys(open_objects, f"{_BINDINGS}.OpenModel"),
                **bases(family, _BINDINGS, "Model"),
            },
            # MISSING moved between pydantic's versions; the bindings know where it is.
            # A model's strictness ends at an alias: every scalar says it for itself. pydantic's
            # own integer refuses 1.0, which is one in JSON Schema.
            "strict_types": ["str", "int", "float", "bool"],
            "additional_imports": [f"{_BINDINGS}.{name}" for name in (*helpers, "complete")],
            "import_overrides": dict.fromkeys(("MISSING", "StrictFloat", "StrictInt"), _BINDINGS),
        },
    )
    return f"{code}\n\ncomplete(globals())\n"


def _extra(definition: m.TypeDef) -> dict[str, Any]:
    return {
        **docs(definition),
        "at_least_one": _named(_alternatives(definition)),
        "exactly_one": [_named(names) for names in _groups(definition)],
        "constants": _constants(definition),
    }


def _named(names: tuple[str, ...]) -> str:
    """Return wire names as arguments with their Python names."""
    return ", ".join(f"{m.snake(name)}={json.dumps(name)}" for name in names)


def _constants(definition: m.TypeDef) -> dict[str, str]:
    """Return the required members that have one value, by wire name, each with that as literal."""
    if not isinstance(definition.node, m.Object):
        return {}
    return {
        each.name: json.dumps(each.node.value)
        for each in definition.node.properties
        if each.required and isinstance(each.node, m.Const)
    }


def _groups(definition: m.TypeDef) -> tuple[tuple[str, ...], ...]:
    """Return the groups of members of which exactly one is present."""
    return definition.node.exactly_one if isinstance(definition.node, m.Object) else ()


def _alternatives(definition: m.TypeDef) -> tuple[str, ...]:
    """Return the members of which one at least is present."""
    return definition.node.at_least_one if isinstance(definition.node, m.Object) else ()
