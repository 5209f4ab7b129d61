"""From the contract's structs to its pydantic models, and back.

Both ways go through the document: what comes out is valid, and equal to what reading the written
value would give. Without pydantic, the error says how to install it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ..contract.versions import TypeName, generated_module
from ..errors import WriteError
from ..extras import import_extra
from .pipeline import binding_of, dump, read, to_wire

__all__ = ["to_model", "to_struct"]


def to_model(
    value: Any,
    type: str | type[Any] | None = None,  # noqa: A002
    version: str | None = None,
) -> Any:
    """Return a struct, or (with ``type``) a JSON value, as pydantic model.

    Raises WriteError for what :func:`partwire.dump` would not write, and for variants that the
    version does not know: a model has no place for them. UsageError ``usage/missing-extra`` where
    pydantic is not installed.
    """
    import_extra("pydantic", "models", "A model")
    binding = binding_of(value, type, version)
    document = to_wire(value, type, version)
    errors = [each for each in binding.check(document) if each.severity == "error"]
    if errors:
        raise WriteError(*errors)
    return _adapter(binding.type).validate_python(document)


def to_struct(
    value: Any,
    type: str | type[Any] | None = None,  # noqa: A002
    version: str | None = None,
) -> Any:
    """Return a pydantic model, or one of a class derived from it, as struct.

    Members that a derived class adds are not the contract's, and are left out. Raises WriteError
    for a model that has been made invalid after it was validated.
    """
    binding = binding_of(value, type, version)
    return read(dump(value, type, version), str(binding.type), version=binding.type.version)


@cache
def _adapter(type_name: TypeName) -> Any:
    from pydantic import TypeAdapter  # noqa: PLC0415

    models = generated_module(type_name.version, "models", type_name.family)
    return TypeAdapter(getattr(models, type_name.name))
