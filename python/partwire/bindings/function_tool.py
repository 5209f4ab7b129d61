"""A function as a tool: its name, its docstring, and the JSON Schema of its parameters."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Iterator
from inspect import Parameter, Signature
from typing import Any, Final

from ..errors import Finding, UsageError, bad_argument
from ..extras import import_extra
from ..json.text import value_findings

__all__ = ["tool_members"]

_REFUSED: Final = {
    Parameter.POSITIONAL_ONLY: ("is positional-only", "{}, /"),
    Parameter.VAR_POSITIONAL: ("takes any number of positional arguments", "*{}"),
}


def tool_members(
    function: Any, name: Any, description: str | None, strict: bool | None
) -> dict[str, Any]:
    """Return the members of a ToolSpec for ``function``, by their Python names.

    Raises UsageError as ``ToolSpec.from_function``.
    """
    inner: Any = function
    while isinstance(inner, functools.partial):
        inner = inner.func
    if not callable(inner) or isinstance(inner, type):
        raise bad_argument(
            "No tool can be made of this", "a function, a method, or a partial of one", inner
        )
    if name is None:
        name = _name_of(inner)
    if not isinstance(name, str) or not name:
        raise bad_argument("The name of the tool is wrong", "text that is not empty", name)
    if not isinstance(description, str | None):
        raise bad_argument("The description of the tool is wrong", "text", description)
    if not isinstance(strict, bool | None):
        raise bad_argument("strict is wrong", "True or False", strict)
    if description is None:
        description = inspect.getdoc(inner if inspect.isroutine(inner) else type(inner).__call__)
    members: dict[str, Any] = {"name": name, "parameter_schema": _schema(function, inner, name)}
    if description is not None:
        members["description"] = description
    if strict is not None:
        members["strict"] = strict
    if found := value_findings([description, members["parameter_schema"], name]):
        raise UsageError(*(_placed(each) for each in found))
    return members


def _placed(finding: Finding) -> Finding:
    """Return a finding in a list of such members with a pointer into the ToolSpec."""
    at, rest = finding.pointer[1], finding.pointer[2:]
    return finding._replace(pointer=("/description", "/parameterSchema", "/name")[int(at)] + rest)


def _name_of(inner: Any) -> str:
    name = getattr(inner, "__name__", type(inner).__name__)
    if not name.isidentifier():
        raise bad_argument("The function has no name that a tool can have", "name=…", name)
    return name


def _schema(function: Any, inner: Any, name: str) -> dict[str, Any]:
    """Return the JSON Schema of the parameters that are still to be given, by their names."""
    import_extra("pydantic", "models", "ToolSpec.from_function")
    from pydantic import TypeAdapter  # noqa: PLC0415
    from pydantic.errors import PydanticUndefinedAnnotation, PydanticUserError  # noqa: PLC0415

    from .function_schema import FunctionSchema  # noqa: PLC0415

    try:
        parameters = list(_parameters(function, inner, name))
        shadow = _shadow(name, parameters)
        schema = TypeAdapter(shadow).json_schema(schema_generator=FunctionSchema)
    except (PydanticUserError, PydanticUndefinedAnnotation, NameError) as error:
        said = str(error).partition("\n")[0].partition(". ")[0]
        raise bad_argument(
            f"No JSON Schema can be made of the parameters of {name}: {said}",
            "types that pydantic knows, at the level of a module",
            inner,
        ) from None
    for each in parameters:
        if each.kind is not Parameter.VAR_KEYWORD and each.name not in schema["properties"]:
            raise _not_by_name(name, f"the parameter {each.name} has another name", "an alias")
    return schema


def _parameters(function: Any, inner: Any, name: str) -> Iterator[Parameter]:
    """Yield what a call by name may give, each with its type; what a partial gives is left out."""
    given = function.keywords if isinstance(function, functools.partial) else {}
    hinted = inner if inspect.isroutine(inner) else type(inner).__call__
    try:
        listed = inspect.signature(function).parameters.values()
        hints = typing.get_type_hints(hinted, include_extras=True)
    except (TypeError, ValueError, SyntaxError, AttributeError) as error:
        raise bad_argument(
            f"The parameters of {name} cannot be read: {error}", "a function with types", inner
        ) from None
    for place, each in enumerate(listed):
        if each.name in given:
            continue
        if each.kind in _REFUSED:
            why, form = _REFUSED[each.kind]
            raise _not_by_name(name, f"the parameter {each.name} {why}", form.format(each.name))
        if not place and each.name in {"self", "cls"} and each.name not in hints:
            raise _not_by_name(name, "it is not bound to an object", each.name)
        yield each.replace(annotation=hints.get(each.name, Any))


def _not_by_name(name: str, why: str, actual: str) -> UsageError:
    return bad_argument(
        f"{name} cannot be a tool: {why}", "parameters that are given by name", actual
    )


def _shadow(name: str, parameters: list[Parameter]) -> Any:
    """Return a function with these parameters, for pydantic to look at."""

    def shadow() -> None:
        pass

    shadow.__name__ = shadow.__qualname__ = name
    shadow.__annotations__ = {each.name: each.annotation for each in parameters}
    shadow.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return shadow
