"""The base classes and the numbers of the generated pydantic models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple, TypeAlias, TypeVar

try:
    from pydantic import (
        AfterValidator,
        AllowInfNan,
        BaseModel,
        BeforeValidator,
        ConfigDict,
        Strict,
        model_validator,
    )
except ModuleNotFoundError as error:  # an ImportError, as whoever imports a module expects
    raise ModuleNotFoundError(
        f"The pydantic models need {error.name}, which is not installed: "
        'pip install "partwire[models]"',
        name=error.name,
    ) from None

from partwire.json.text import value_findings

from .tool_spec import FromFunction

if TYPE_CHECKING:
    from pydantic import MISSING
else:
    try:
        from pydantic import MISSING
    except ImportError:  # pydantic 2.12 and 2.13
        from pydantic.experimental.missing_sentinel import MISSING

__all__ = [
    "MISSING",
    "AnyJson",
    "AnyNumber",
    "Model",
    "OpenModel",
    "StrictFloat",
    "StrictInt",
    "ToolSpecModel",
    "at_least_one",
    "complete",
    "constant",
    "exactly_one",
]


def _integral(value: Any) -> Any:
    """Make an int of an integral float; strict integers refuse all else that is not an int."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


StrictInt: TypeAlias = Annotated[int, Strict(), BeforeValidator(_integral)]
"""An integer as JSON Schema has it: 1.0 is one, True and "1" are none."""

StrictFloat: TypeAlias = Annotated[float, Strict(), AllowInfNan(False)]
"""A JSON number: True and "1" are none, and neither are NaN and Infinity."""

AnyNumber: TypeAlias = Annotated[int, Strict()] | StrictFloat
"""A JSON number of any kind, kept as it is: 7 is an int, 7.0 a float."""


def _json(value: Any) -> Any:
    """Refuse what is not JSON: pydantic reads NaN, takes any Python object, and writes null."""
    found = value_findings(value, 1)
    if found:
        raise ValueError(str(found[0]))
    return value


AnyJson: TypeAlias = Annotated[Any, AfterValidator(_json)]
"""A JSON value of any kind, kept as it is."""


_T = TypeVar("_T")


class _Constant(NamedTuple):
    value: Any


def constant(value: _T) -> _T:
    """Return the default of a member that has one value: constructors fill it in, reading does not.

    A document without it is refused, so to pydantic the member has no default.
    """
    marked: Any = _Constant(value)
    return marked  # type: ignore[no-any-return]


class Model(BaseModel):
    """A wire type as pydantic model: absent members are ``MISSING``, never None.

    Instances are made with Python names, ``Message(run_id=…)``, constants such as ``kind`` need not
    be given; documents are read and written by
    wire names alone, and what is absent stays absent. Validation is strict: nothing is converted.
    Unknown members are dropped on reading.
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

    _constants: ClassVar[Mapping[str, Any]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        own = dict(vars(cls))
        inherited = {name: value for name, value in cls._constants.items() if name not in own}
        constants = {name: each.value for name, each in own.items() if type(each) is _Constant}
        for name in constants:
            delattr(cls, name)  # before pydantic looks for defaults
        cls._constants = {**inherited, **constants}
        # Annotations of a generated model name types that stand below it in its module: they are
        # looked up there now, because pydantic would look in the module of the derived class.
        super().__init_subclass__(**options)
        for base in cls.__bases__:
            if issubclass(base, Model) and not base.__pydantic_complete__:
                base.model_rebuild(raise_errors=False)

    def __init__(self, /, **members: Any) -> None:
        self.__pydantic_validator__.validate_python(
            {**self._constants, **members}, self_instance=self, by_alias=True, by_name=True
        )

    # As on BaseModel's own: without it, validation would call __init__ for every nested model.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]  # pyright: ignore[reportFunctionMemberAccess]


class OpenModel(Model):
    """A wire type whose unknown members are kept, and written back (``model_extra``)."""

    model_config = ConfigDict(extra="allow")

    # Declared with the type of the members, as pydantic asks; the base has Any.
    __pydantic_extra__: dict[str, AnyJson]  # pyright: ignore[reportIncompatibleVariableOverride]


class ToolSpecModel(FromFunction, Model):
    """The base of ToolSpec."""


def complete(names: Mapping[str, Any]) -> None:
    """Let pydantic look up the types that the models of a module name, there and now.

    It would do so at the first use otherwise, and take what has such a name where it is used first:
    a struct ``TextPart``, or a class of the user's own.
    """
    for each in tuple(names.values()):
        is_own = isinstance(each, type) and each.__module__ == names["__name__"]
        if is_own and issubclass(each, Model):
            each.model_rebuild(_types_namespace={})


def exactly_one(**wire_names: str) -> Any:
    """Return a validator for the body of a model: one of these members is present, and no other.

    Each Python name is given with its wire name, which is what the error says.
    """

    return _counted("exactly one", lambda given: given == 1, wire_names)


def at_least_one(**wire_names: str) -> Any:
    """Return a validator for the body of a model: one of these members is present, or several."""
    return _counted("at least one", lambda given: given > 0, wire_names)


def _counted(how_many: str, is_right: Callable[[int], bool], wire_names: dict[str, str]) -> Any:
    def check(self: Model) -> Model:
        if not is_right(sum(getattr(self, name) is not MISSING for name in wire_names)):
            raise ValueError(f"{how_many} of {' or '.join(wire_names.values())} has to be present")
        return self

    return model_validator(mode="after")(check)
