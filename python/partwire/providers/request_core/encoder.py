"""What every encoder is: the contract's messages and configuration in, one request body out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Final, NamedTuple

from partwire.contract.current.message import ToolSpec
from partwire.errors import Finding, clip
from partwire.json.pointer import escape_pointer

from .inputs import Request, fresh
from .notes import Notes
from .turn_reader import read_turns
from .turns import Forms

__all__ = ["EncodedRequest", "EncodedText", "RequestEncoder"]


class EncodedRequest(NamedTuple):
    """A request body as JSON value, the caller's to keep, and what could not be said as it is."""

    body: dict[str, Any]
    findings: list[Finding]


class EncodedText(NamedTuple):
    """A request body as JSON text, every integer as it was written, and what was found."""

    text: str
    findings: list[Finding]


class RequestEncoder(ABC):
    """Encode one request; an object is for one call.

    A class per dialect fills in :attr:`dialect`, :attr:`forms`, :meth:`body` and, where there
    are any, :meth:`defaults`. ``self.request`` is what was given, ``self.turns`` its messages as
    turns; ``self.notes`` takes the findings. Whatever a body takes over from ``request`` goes
    through :func:`~.inputs.fresh`, so that the caller's objects stay the caller's.
    Source: semantics, requests.
    """

    dialect: ClassVar[str]
    forms: ClassVar[Forms]

    def __init__(self, request: Request, notes: Notes) -> None:
        self.request: Final = request
        self.notes: Final = notes
        self.turns: Final = read_turns(request.messages, self.dialect, self.forms, notes)

    @abstractmethod
    def body(self) -> dict[str, Any]:
        """Return the members of the body that the contract's own values make."""

    def defaults(self) -> dict[str, Any]:
        """Return members that are sent unless the configuration's extensions name them."""
        return {}

    def encode(self) -> EncodedRequest:
        """Return the body with the extensions of the configuration, and the findings."""
        body = self.body()
        defaults = self.defaults()
        for name, value in self.request.extensions.items():
            place = f"/config/{escape_pointer(name)}"
            if name not in body:
                body[name] = fresh(value)
            elif name == "tools" and isinstance(value, list):
                body[name] = [*body[name], *fresh(value)]
            else:
                body[name] = self._joined(body[name], value, place)
        body = {**body, **{k: v for k, v in defaults.items() if k not in body}}
        return EncodedRequest(body, self.notes.findings)

    def _joined(self, ours: Any, theirs: Any, place: str) -> Any:
        """Return a member that both the contract and an extension say: objects are joined."""
        if isinstance(ours, dict) and isinstance(theirs, dict):
            joined = dict(ours)
            for name, value in theirs.items():
                at = f"{place}/{escape_pointer(name)}"
                joined[name] = self._joined(ours[name], value, at) if name in ours else fresh(value)
            return joined
        if ours != theirs:
            self.notes.add(
                "encode/config-conflict",
                "The contract's own value says something else, and is sent in place of this one",
                place,
                expected=clip(ours),
                actual=clip(theirs),
            )
        return ours

    # --- what encoders share ---------------------------------------------------------------------

    def tools(self) -> list[tuple[str, ToolSpec, dict[str, Any]]]:
        """Return the tools that the provider takes: place, spec, and the schema of its arguments.

        The schema says that arguments are an object, which the contract means anyway; a tool with
        another schema, or with a name that the provider does not take, is left out with a finding.
        """
        form = self.forms.tool_name
        taken = []
        for number, spec in enumerate(self.request.tools):
            place = f"/toolSpecs/{number}"
            kind = spec.parameter_schema.get("type", "object")
            if not form.fits(spec.name):
                self._refuse_tool(f"{place}/name", f"at most {form.chars} characters", spec.name)
            elif kind != "object":
                self._refuse_tool(f"{place}/parameterSchema/type", '"object"', kind)
            else:
                taken.append((place, spec, {"type": "object", **fresh(spec.parameter_schema)}))
        return taken

    def _refuse_tool(self, pointer: str, expected: str, actual: object) -> None:
        self.notes.add(
            "encode/unsupported-tool",
            "The provider does not take this tool; it is left out",
            pointer,
            expected=expected,
            actual=clip(actual),
        )

    def choice_holds(self, names: set[str]) -> bool:
        """Return whether a tool choice can be sent beside the tools ``names``.

        Without tools, auto and none say nothing, and what asks for a call is a finding; so is a
        tool that was left out. Tools that an extension names are the provider's business.
        """
        choice = self.request.choice
        if choice is None or "tools" in self.request.extensions:
            return choice is not None
        if choice.mode == "tool" and choice.tool_name not in names:
            expected = ", ".join(sorted(names)) or "a tool"
            self.notes.unsupported_config(choice.pointer, expected, choice.tool_name)
            return False
        if choice.mode == "required" and not names:
            self.notes.unsupported_config(choice.pointer, "a tool", "required")
            return False
        return bool(names)

    def sampling(self, max_tokens: str, top_p: str, *, most: float) -> dict[str, Any]:
        """Return the members ``max_tokens``, ``temperature`` up to ``most``, and ``top_p``."""
        request = self.request
        members: dict[str, Any] = {}
        if request.max_tokens is not None:
            members[max_tokens] = request.max_tokens
        members |= self.temperature(most)
        if request.top_p is not None:
            members[top_p] = request.top_p
        return members

    def temperature(self, most: float) -> dict[str, float]:
        """Return ``temperature`` as a member, empty without one or where it is above ``most``."""
        given = self.request.temperature
        if given is None:
            return {}
        if given > most:
            self.notes.unsupported_config("/config/temperature", f"at most {most}", given)
            return {}
        return {"temperature": given}

    def stop_sequences(self, most: int) -> list[str]:
        """Return the first ``most`` stop sequences."""
        stops = self.request.stop_sequences
        for number in range(most, len(stops)):
            place = f"/config/stopSequences/{number}"
            self.notes.unsupported_config(place, f"at most {most} stop sequences", stops[number])
        return stops[:most]
