"""What ``encode_request`` is given, read with the contract's reader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from partwire.contract.current.message import Message, SpecificTool, ToolSpec
from partwire.errors import Finding, PartwireError, ReadError, UsageError, clip
from partwire.json.text import json_text
from partwire.reading.pipeline import dump, read_with_findings, to_wire

from .notes import Notes
from .state import note_stray

__all__ = ["Choice", "Request", "SystemText", "fresh", "read_request"]

_NAMED: Final = frozenset(
    {
        "modelId",
        "temperature",
        "maxTokens",
        "topP",
        "stopSequences",
        "toolChoice",
        "cacheConfig",
    }
)


class Choice(NamedTuple):
    """The tool choice; ``tool_name`` is set for the mode ``tool`` alone."""

    mode: Literal["auto", "required", "none", "tool"]
    tool_name: str
    pointer: str


class SystemText(NamedTuple):
    """A text of the system prompt, and where it stands."""

    text: str
    pointer: str


@dataclass(frozen=True, slots=True)
class Request:
    """The arguments, valid and typed. Nothing in it may be changed: it is the caller's.

    ``system`` is the prompt that was given apart from the messages. ``extensions`` are the
    members of the configuration that the contract does not name.
    """

    messages: list[Any]  # Message; its parts may be Unknown
    tools: list[ToolSpec]
    system: list[SystemText]
    model_id: str
    choice: Choice | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    top_p: float | None = None
    stop_sequences: list[str] = field(default_factory=list)
    cache: bool = False
    extensions: dict[str, Any] = field(default_factory=dict)


def read_request(
    messages: Sequence[Any],
    tool_specs: Sequence[Any],
    system_prompt: str | None,
    notes: Notes,
    *,
    system_prompt_content: Sequence[Any] | None,
    tool_choice: Any,
    config: Any,
) -> Request:
    """Read the arguments tolerantly; what is not an error is noted.

    Raises ReadError, with pointers into the request, for what the contract refuses, UsageError
    for what is not a sequence or no text.
    """
    options = _document(config, "message.ModelConfig", "/config", notes)
    choice, place = tool_choice, "/toolChoice"
    if choice is None:
        choice, place = options.get("toolChoice"), "/config/toolChoice"
    return Request(
        messages=[
            _message(each, f"/messages/{number}", notes)
            for number, each in enumerate(_sequence(messages, "messages", "/messages"))
        ],
        tools=[
            _read(each, "message.ToolSpec", f"/toolSpecs/{number}", notes)
            for number, each in enumerate(_sequence(tool_specs, "tool specs", "/toolSpecs"))
        ],
        system=_system(system_prompt, system_prompt_content, notes),
        model_id=options["modelId"],
        choice=None if choice is None else _choice(choice, place, notes),
        temperature=options.get("temperature"),
        max_tokens=None if "maxTokens" not in options else int(options["maxTokens"]),
        top_p=options.get("topP"),
        stop_sequences=list(options.get("stopSequences", ())),
        cache="cacheConfig" in options,
        extensions={name: value for name, value in options.items() if name not in _NAMED},
    )


def fresh(value: Any) -> Any:
    """Return a JSON value as a copy: the caller's objects stay the caller's."""
    root = [value]
    todo: list[Any] = [root]
    while todo:
        holder = todo.pop()
        for key, member in holder.items() if isinstance(holder, dict) else enumerate(holder):
            if isinstance(member, (dict, list)):
                holder[key] = made = member.copy()
                todo.append(made)
    return root[0]


def _sequence(value: Any, what: str, place: str) -> Sequence[Any]:
    if isinstance(value, (list, tuple)):
        return value
    raise UsageError(
        Finding(
            "usage/invalid-argument",
            f"A request takes a list of {what}",
            place,
            expected="a list or tuple",
            actual=clip(value),
        )
    )


def _at(error: PartwireError, place: str) -> ReadError:
    """Return the error with pointers that lead into the request."""
    return ReadError(*(each._replace(pointer=f"{place}{each.pointer}") for each in error.findings))


def _read(value: Any, type_name: str, place: str, notes: Notes) -> Any:
    # A string among a request's values (the mode of a choice) is a string, not JSON text.
    given = json_text(value) if isinstance(value, str) else value
    try:
        read = read_with_findings(given, type_name, "tolerant")
    except PartwireError as error:
        raise _at(error, place) from None
    notes.findings += (each._replace(pointer=f"{place}{each.pointer}") for each in read.findings)
    return read.value


def _message(value: Any, place: str, notes: Notes) -> Any:
    """Return a message as struct; one that is a struct is only checked, which is faster."""
    if not isinstance(value, Message):
        return _read(value, "message.Message", place, notes)
    try:
        dump(value)
    except PartwireError as error:
        raise _at(error, place) from None
    return value


def _document(value: Any, type_name: str, place: str, notes: Notes) -> dict[str, Any]:
    """Return an open object as the dict that it is read as."""
    read = _read(value, type_name, place, notes)
    document: dict[str, Any] = read if isinstance(read, dict) else to_wire(read, type_name)
    return document


def _choice(value: Any, place: str, notes: Notes) -> Choice:
    read = _read(value, "message.ToolChoice", place, notes)
    if isinstance(read, SpecificTool):
        return Choice("tool", read.tool_name, place)
    return Choice(read, "", place)


def _check_text(text: str) -> None:
    """Raise ReadError for text that no message may hold."""
    try:
        read_with_findings({"text": text}, "message.TextPayload")
    except PartwireError as error:
        raise ReadError(*(f._replace(pointer="/systemPrompt") for f in error.findings)) from None


def _system(text: str | None, content: Sequence[Any] | None, notes: Notes) -> list[SystemText]:
    """Return the system prompt: the structured one, where both are given."""
    if text is not None and not isinstance(text, str):
        raise UsageError(
            Finding(
                "usage/invalid-argument",
                "A system prompt is text",
                "/systemPrompt",
                expected="a string, or None",
                actual=clip(text),
            )
        )
    if text is not None:
        _check_text(text)
    if content is None:
        return [SystemText(text, "/systemPrompt")] if text else []
    parts = [
        _read(each, "message.TextPart", f"/systemPromptContent/{number}", notes)
        for number, each in enumerate(
            _sequence(content, "parts of the system prompt", "/systemPromptContent")
        )
    ]
    for number, part in enumerate(parts):
        note_stray(part.payload, f"/systemPromptContent/{number}", notes)
    texts = [part.payload.text for part in parts]
    if text is not None and "".join(text.split()) != "".join("".join(texts).split()):
        notes.add(
            "encode/system-prompt-twice",
            "The system prompt is given as text and as parts, which differ; the parts count",
            "/systemPrompt",
            expected="the text of the parts",
            actual=clip(text),
        )
    return [
        SystemText(each, f"/systemPromptContent/{number}")
        for number, each in enumerate(texts)
        if each
    ]
