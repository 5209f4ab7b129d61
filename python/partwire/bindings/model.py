"""The base classes and the numbers of the generated pydantic models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import AllowInfNan, BaseModel, BeforeValidator, ConfigDict, Strict

if TYPE_CHECKING:
    from pydantic import MISSING
else:
    try:
        from pydantic import MISSING
    except ImportError:  # pydantic 2.12 and 2.13
        from pydantic.experimental.missing_sentinel import MISSING

__all__ = ["MISSING", "Model", "OpenModel", "StrictFloat", "StrictInt"]


def _integral(value: Any) -> Any:
    """Make an int of an integral float; strict integers refuse all else that is no int."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


StrictInt: TypeAlias = Annotated[int, Strict(), BeforeValidator(_integral)]
"""An integer as JSON Schema has it: 1.0 is one, True and "1" are none."""

StrictFloat: TypeAlias = Annotated[float, Strict(), AllowInfNan(False)]
"""A JSON number: True and "1" are none, and neither are NaN and Infinity."""


class Model(BaseModel):
    """A wire type as pydantic model: absent members are ``MISSING``, never None.

    Instances are made with Python names, ``Message(run_id=…)``; documents are read and written by
    wire names alone, and what is absent stays absent. Validation is strict: nothing is converted.
    Unknown members are dropped on reading (source: requirements S004-27).
    """

    model_config = ConfigDict(
        strict=True,
        extra="ignore",
        allow_inf_nan=False,
        validate_by_alias=True,
        validate_by_name=False,
        serialize_by_alias=True,
        protected_namespaces=(),
    )

    def __init__(self, /, **members: Any) -> None:
        self.__pydantic_validator__.validate_python(
            members, self_instance=self, by_alias=True, by_name=True
        )

    # As on BaseModel's own: without it, validation would call __init__ for every nested model.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]  # pyright: ignore[reportFunctionMemberAccess]


class OpenModel(Model):
    """A wire type whose unknown members are kept, and written back (``model_extra``)."""

    model_config = ConfigDict(extra="allow")
