"""The JSON Schema of a function's parameters, as pydantic makes it."""

from __future__ import annotations

from typing import Any

from pydantic.json_schema import GenerateJsonSchema

__all__ = ["FunctionSchema"]


class FunctionSchema(GenerateJsonSchema):
    """Leaves out titles, which repeat the names, and defaults that are not JSON."""

    ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012 - pydantic's

    def field_title_should_be_set(self, schema: Any) -> bool:
        """See pydantic: a title that is not given is made of the name."""
        return False
