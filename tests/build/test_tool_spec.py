"""Tools made of functions: what the model is told, and what cannot be a tool."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial, wraps
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

import partwire
from partwire import models
from partwire.providers import encode_request
from partwire.providers.requests import ENCODERS
from partwire.types import ToolSpec
from partwire.v0_1.models.message import ToolSpec as OlderModel
from partwire.v0_1.structs.message import ToolSpec as OlderStruct

INTEGER = {"type": "integer"}
TEXT = {"type": "string"}


class Place(BaseModel):
    """Where it is."""

    city: str
    part_of: Place | None = None


def weather(
    place: Place,
    days: Annotated[int, Field(description="How far ahead", ge=1)] = 3,
    unit: Literal["C", "F"] = "C",
    tags: list[str] | None = None,
) -> str:
    """Forecast the weather.

    Of one place.
    """
    return f"{place}{days}{unit}{tags}"


async def wait(seconds: float) -> None:
    """Wait."""


def logged(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def wrapper(*args: Any, **members: Any) -> Any:
        return function(*args, **members)

    return wrapper


class Tools:
    """A room of tools."""

    def __call__(self, x: int) -> int:
        """Return it."""
        return x

    def method(self, x: int) -> int:
        """Return it."""
        return x

    @classmethod
    def of_class(cls, x: int) -> int:
        """Return it."""
        return x

    @staticmethod
    def static(x: int) -> int:
        """Return it."""
        return x


def keywords(**others: int) -> None: ...
def unnamed(x, y=None): ...  # type: ignore[no-untyped-def]
def nothing() -> None: ...
def not_json(x: int = object()) -> None: ...  # type: ignore[assignment]


def parameters(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "object", "properties": properties}
    made |= {"required": list(required)} if required else {}
    return {**made, "additionalProperties": False}


@pytest.mark.parametrize(
    ("function", "name", "description", "schema"),
    [
        (wait, "wait", "Wait.", parameters({"seconds": {"type": "number"}}, "seconds")),
        (logged(wait), "wait", "Wait.", parameters({"seconds": {"type": "number"}}, "seconds")),
        (Tools().method, "method", "Return it.", parameters({"x": INTEGER}, "x")),
        (Tools.of_class, "of_class", "Return it.", parameters({"x": INTEGER}, "x")),
        (Tools.static, "static", "Return it.", parameters({"x": INTEGER}, "x")),
        (Tools(), "Tools", "Return it.", parameters({"x": INTEGER}, "x")),
        (partial(Tools().method, 1), "method", "Return it.", parameters({})),
        (partial(Tools().method, x=1), "method", "Return it.", parameters({})),
        (keywords, "keywords", None, {**parameters({}), "additionalProperties": INTEGER}),
        (unnamed, "unnamed", None, parameters({"x": {}, "y": {"default": None}}, "x")),
        (nothing, "nothing", None, parameters({})),
        (not_json, "not_json", None, parameters({"x": INTEGER})),
    ],
)
def test_a_function_of_any_kind(
    function: Callable[..., Any], name: str, description: str | None, schema: dict[str, Any]
) -> None:
    document = partwire.to_wire(ToolSpec.from_function(function))
    told = {} if description is None else {"description": description}
    assert document == {"name": name, "parameterSchema": schema, **told}


@pytest.mark.parametrize("kind", [ToolSpec, models.ToolSpec, OlderStruct, OlderModel])
def test_types_defaults_and_words_of_the_parameters(kind: type[ToolSpec]) -> None:
    spec = kind.from_function(weather, strict=True)
    assert type(spec) is kind
    assert partwire.to_wire(spec) == {
        "name": "weather",
        "description": "Forecast the weather.\n\nOf one place.",
        "strict": True,
        "parameterSchema": {
            **parameters(
                {
                    "place": {"$ref": "#/$defs/Place"},
                    "days": {
                        "type": "integer",
                        "description": "How far ahead",
                        "minimum": 1,
                        "default": 3,
                    },
                    "unit": {"type": "string", "enum": ["C", "F"], "default": "C"},
                    "tags": {
                        "anyOf": [{"type": "array", "items": TEXT}, {"type": "null"}],
                        "default": None,
                    },
                },
                "place",
            ),
            "$defs": {
                "Place": {
                    "title": "Place",
                    "description": "Where it is.",
                    "type": "object",
                    "properties": {
                        "city": TEXT,
                        "part_of": {
                            "anyOf": [{"$ref": "#/$defs/Place"}, {"type": "null"}],
                            "default": None,
                        },
                    },
                    "required": ["city"],
                }
            },
        },
    }


def test_what_a_partial_gives_the_model_is_not_asked_for() -> None:
    spec = ToolSpec.from_function(partial(weather, unit="F", tags=[]))
    assert set(spec.parameter_schema["properties"]) == {"place", "days"}


def test_name_and_description_may_be_others() -> None:
    spec = ToolSpec.from_function(lambda: None, name="noop", description="")
    assert (spec.name, spec.description) == ("noop", "")


@pytest.mark.parametrize("dialect", sorted(ENCODERS))
def test_every_provider_takes_it(dialect: str) -> None:
    tools = [ToolSpec.from_function(weather), ToolSpec.from_function(nothing)]
    config = {"modelId": "m", "maxTokens": 100}
    body, findings = encode_request(dialect, [partwire.user("hi")], tools, config=config)
    assert findings == []
    assert "Forecast the weather." in str(body)


# --- what is refused ----------------------------------------------------------------------------


def any_number(*x: int) -> None: ...
def by_position(x: int, /) -> None: ...
def unknown_type(x: Nowhere) -> None: ...  # type: ignore[name-defined]  # noqa: F821 # pyright: ignore
def not_a_type(x: "int]") -> None: ...  # type: ignore[valid-type]  # noqa: F722 # pyright: ignore
def no_member(x: Tools.nowhere) -> None: ...  # type: ignore[name-defined] # pyright: ignore
def no_schema(x: Tools) -> None: ...
def endless(x: float = float("inf")) -> None: ...
def renamed(x: Annotated[int, Field(alias="y")]) -> None: ...


@pytest.mark.parametrize(
    ("function", "said", "actual"),
    [
        (any_number, "any_number cannot be a tool: the parameter x takes any number", '"*x"'),
        (by_position, "by_position cannot be a tool: the parameter x is positional", '"x, /"'),
        (renamed, "renamed cannot be a tool: the parameter x has another name", '"an alias"'),
        (Tools.method, "method cannot be a tool: it is not bound to an object", '"self"'),
        (unknown_type, "No JSON Schema can be made of the parameters of unknown_type: name", "a "),
        (no_schema, "No JSON Schema can be made of the parameters of no_schema: Unable", "a Py"),
        (lambda x: x, "The function has no name that a tool can have", '"<lambda>"'),
        (Tools, "No tool can be made of this", "a Python type"),
        (partial(Tools), "No tool can be made of this", "a Python type"),
        (not_a_type, "The parameters of not_a_type cannot be read: Forward", "a Python function"),
        (no_member, "The parameters of no_member cannot be read: type object", "a Python function"),
        ("weather", "No tool can be made of this", '"weather"'),
    ],
)
def test_what_cannot_be_a_tool_is_refused(function: Any, said: str, actual: str) -> None:
    with pytest.raises(partwire.UsageError) as caught:
        ToolSpec.from_function(function)
    (finding,) = caught.value.findings
    assert finding.rule == "usage/invalid-argument"
    assert finding.message.startswith(said)
    assert (finding.actual or "").startswith(actual)
    assert finding.expected


def test_a_schema_that_is_not_json_is_refused_where_it_is_not() -> None:
    with pytest.raises(partwire.UsageError) as caught:
        ToolSpec.from_function(endless, name="\udfff", description="\ud800")
    assert [(each.rule, each.pointer) for each in caught.value.findings] == [
        ("document/lone-surrogate", "/description"),
        ("document/not-finite", "/parameterSchema/properties/x/default"),
        ("document/lone-surrogate", "/name"),
    ]


@pytest.mark.parametrize("name", ["", 5])
def test_an_empty_name_is_refused(name: Any) -> None:
    with pytest.raises(partwire.UsageError, match="The name of the tool"):
        ToolSpec.from_function(weather, name=name)


@pytest.mark.parametrize("given", [{"description": 5}, {"strict": "yes"}])
def test_what_a_tool_does_not_hold_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(partwire.UsageError, match=r"is wrong; expected .* actual"):
        ToolSpec.from_function(weather, **given)


def test_who_has_no_pydantic_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic", None)
    with pytest.raises(partwire.UsageError) as caught:
        ToolSpec.from_function(weather)
    assert caught.value.rule == "usage/missing-extra"
    assert caught.value.findings[0].expected == 'pip install "partwire[models]"'
