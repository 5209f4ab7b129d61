"""What hand-written code adds to the generated ToolSpec, as struct and as model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

__all__ = ["FromFunction"]


class FromFunction:
    """A tool made of a function."""

    __slots__ = ()

    @classmethod
    def from_function(
        cls,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        description: str | None = None,
        strict: bool | None = None,
    ) -> Self:
        """Return the tool that ``function`` is: a function, a method or a partial, also async.

        The name is that of the function, the description its docstring, the schema of the
        parameters what pydantic makes of their types: ``Annotated[str, Field(description=…)]``,
        defaults, nested models. A parameter that a partial gives by name is left out. Raises
        UsageError: ``usage/missing-extra`` without pydantic (``partwire[models]``), else
        ``usage/invalid-argument`` for what cannot be called by name (``*args``, positional-only
        parameters), has no name (a lambda) or a type that has no schema.
        """
        from .function_tool import tool_members  # noqa: PLC0415 - inspect is slow to import

        make: Callable[..., Self] = cls
        return make(**tool_members(function, name, description, strict))
