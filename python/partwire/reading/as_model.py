"""A document as a pydantic model of the contract, or of a class derived from one."""

from __future__ import annotations

from typing import Any

from ..errors import Finding, ReadError, clip
from ..extras import import_extra
from ..json.pointer import escape_pointer

__all__ = ["model_of"]


def model_of(kind: type[Any], document: Any) -> Any:
    """Return a document, in which the contract finds no error, as an instance of ``kind``.

    Raises ReadError ``shape/type`` for what only ``kind`` refuses: a member that it adds.
    """
    pydantic = import_extra("pydantic", "models", "A model")
    try:
        return kind.model_validate(document)
    except pydantic.ValidationError as error:
        found = [
            Finding(
                "shape/type",
                f"{kind.__name__} refuses it: {each['msg']}",
                "".join(f"/{escape_pointer(str(step))}" for step in each["loc"]),
                expected=f"what {kind.__name__} takes",
                actual=clip(each["input"]) if each["type"] != "missing" else None,
            )
            for each in error.errors(include_url=False)
        ]
        raise ReadError(*found) from None
