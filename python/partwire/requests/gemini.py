"""Gemini: the contract's messages and configuration → a body of ``streamGenerateContent``.

The body is that of the REST API; ``model``, which the REST API has in its path, stands beside.

- System prompt and system messages are ``systemInstruction``. A system message behind others moves
  there (``encode/moved-system``).
- Assistants' messages in a row become one. Results are one content, in the order of their calls.
- Thought signatures stand in the part that they came in, parts of the provider's own where they
  stood. Reasoning goes back with the state that it came with; that of others is left out.
- A call goes back with the provider's id, and without one where the provider gave none.
- Images, files and media of the model go back as it has them: inline, or by URI.
- A result is ``output``, or ``error`` where it failed; an object stands for itself.
- ``cacheConfig`` has nothing to mark: prompts are cached without it, or as ``cachedContent``.

Source: https://ai.google.dev/api/generate-content; requirements S001-02.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar, Final, TypeAlias

from .call_ids import Form
from .encoder import RequestEncoder
from .gemini_content import GeminiContent, Part
from .inputs import Request
from .notes import Notes
from .turns import (
    AssistantTurn,
    Call,
    Forms,
    State,
    SystemTurn,
    ToolTurn,
    Turn,
    UserTurn,
)

__all__ = ["GeminiEncoder"]

Json: TypeAlias = dict[str, Any]

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]*")
_ID: Final = re.compile(r"[\x21-\x7e]+")
_MODES: Final = {"auto": "AUTO", "required": "ANY", "none": "NONE", "tool": "ANY"}
_MAX_STOPS: Final = 5
_MAX_TEMPERATURE: Final = 2


class _ToolName(Form):
    """Names that begin with a letter."""

    __slots__ = ()

    def fitted(self, name: str, salt: str = "") -> str:
        made = super().fitted(name, salt)
        return made if self.fits(made) else f"_{made[1:]}"


class GeminiEncoder(RequestEncoder):
    """Encoder of one Gemini request; see :class:`~.encoder.RequestEncoder`."""

    dialect: ClassVar[str] = "gemini"
    forms: ClassVar[Forms] = Forms(call_id=Form(_ID, 512), tool_name=_ToolName(_NAME, 128))

    def __init__(self, request: Request, notes: Notes) -> None:
        super().__init__(request, notes)
        self._content = GeminiContent(notes)

    def body(self) -> dict[str, Any]:
        """Return the members of the body that the contract's own values make."""
        system: list[Json] = [{"text": text} for text, _ in self.request.system]
        contents: list[Json] = []
        for turn in self.turns:
            if isinstance(turn, SystemTurn):
                system += self._system(turn, is_first=not contents)
            else:
                self._add(contents, turn, [part.body for part in self._parts(turn)])
        body: Json = {"model": self.request.model_id, "contents": contents}
        if system:
            body["systemInstruction"] = {"parts": system}
        body |= self._tools()
        if generation := self._generation():
            body["generationConfig"] = generation
        return body

    def defaults(self) -> dict[str, Any]:
        """Return the continuation token, where the last answer is to go on."""
        last = self.turns[-1] if self.turns else None
        found: Json = {}
        for turn in self.turns:
            for piece in turn.pieces if isinstance(turn, AssistantTurn) else ():
                if not isinstance(piece, State) or piece.item.kind != "continuationToken":
                    continue
                if turn is not last:
                    self.notes.response_only(piece.item.pointer, piece.item.kind)
                elif isinstance(piece.item.data, str):
                    found[piece.item.kind] = piece.item.data
                else:
                    self.notes.malformed(piece.item.pointer, "a token as text", piece.item.data)
        return found

    # --- contents --------------------------------------------------------------------------------

    def _system(self, turn: SystemTurn, *, is_first: bool) -> list[Json]:
        if not turn.pieces:
            self._note_empty(turn)
        elif not is_first:
            self.notes.add(
                "encode/moved-system",
                "A system message behind others is sent before them all",
                turn.pointer,
            )
        return [{"text": piece.text} for piece in turn.pieces]

    def _parts(self, turn: UserTurn | AssistantTurn | ToolTurn) -> list[Part]:
        if isinstance(turn, ToolTurn):
            return [self._content.result(result) for result in turn.results]
        if isinstance(turn, AssistantTurn):
            self._note_nameless(turn)
            return self._content.assistant(turn.pieces, own=turn.own)
        return list(self._content.user(turn.pieces))

    def _add(self, contents: list[Json], turn: Turn, parts: list[Json]) -> None:
        role = "model" if isinstance(turn, AssistantTurn) else "user"
        if not parts:
            self._note_empty(turn)
        elif role == "model" and contents and contents[-1]["role"] == role:
            contents[-1]["parts"] += parts
        else:
            contents.append({"role": role, "parts": parts})

    def _note_empty(self, turn: Turn) -> None:
        if isinstance(turn, ToolTurn):
            return
        self.notes.add(
            "encode/empty-message",
            "Nothing of this message can be sent; it is left out",
            turn.pointer,
        )

    def _note_nameless(self, turn: AssistantTurn) -> None:
        """Remember the calls of this message that the provider gave no id."""
        for piece in turn.pieces:
            if isinstance(piece, Call) and piece.nameless:
                self._content.nameless.add(piece.call_id)

    # --- tools and configuration -----------------------------------------------------------------

    def _tools(self) -> Json:
        declarations: list[Json] = []
        for place, spec, schema in self.tools():
            declaration: Json = {"name": spec.name, "parametersJsonSchema": schema}
            if isinstance(spec.description, str):
                declaration["description"] = spec.description
            if spec.strict is True:
                expected = "a tool that need not be strict"
                self.notes.unsupported_config(f"{place}/strict", expected, True)
            declarations.append(declaration)
        members: Json = {}
        if declarations:
            members["tools"] = [{"functionDeclarations": declarations}]
        choice = self.request.choice
        if choice is not None and self.choice_holds({each["name"] for each in declarations}):
            config: Json = {"mode": _MODES[choice.mode]}
            if choice.mode == "tool":
                config["allowedFunctionNames"] = [choice.tool_name]
            members["toolConfig"] = {"functionCallingConfig": config}
        return members

    def _generation(self) -> Json:
        members = self.sampling("maxOutputTokens", "topP", most=_MAX_TEMPERATURE)
        if stops := self.stop_sequences(_MAX_STOPS):
            members["stopSequences"] = stops
        return members
