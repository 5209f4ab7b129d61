"""Gemini: the contract's messages and configuration → a body of ``streamGenerateContent``.

The body is that of the REST API; ``model``, which the REST API has in its path, stands beside.

- System prompt and system messages are ``systemInstruction``. A system message behind others moves
  there (``encode/moved-system``).
- Assistants' messages in a row become one. Results are one content, in the order of their calls.
- Thought signatures stand in the part that they came in, parts of the provider's own where they
  stood. Reasoning goes back with the state that it came with; that of others is left out.
- A call goes back with the provider's id, and without one where the provider gave none.
- What it ran itself goes back as it came, call and result together.
- Images, files and media of the model go back as it has them: inline, or by URI. What it does not
  take goes by its words.
- Citations and grounding go back nowhere.
- A result is ``output``, or ``error`` where it failed; an object stands for itself.
- ``cacheConfig`` has nothing to mark: prompts are cached without it, or as ``cachedContent``.

Source: https://ai.google.dev/api/generate-content.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar, Final, NamedTuple, TypeAlias

from partwire.tables import provider_names
from partwire.tables.media_types import GEMINI, GEMINI_KINDS

from ..request_core.call_ids import Form
from ..request_core.calls_and_results import object_arguments
from ..request_core.encoder import RequestEncoder
from ..request_core.inputs import Request, fresh
from ..request_core.media import Media
from ..request_core.notes import Notes
from ..request_core.state import Item
from ..request_core.turns import (
    AssistantPiece,
    AssistantTurn,
    Attachment,
    Call,
    Forms,
    MediaPiece,
    Result,
    State,
    SystemTurn,
    Text,
    Thinking,
    ToolTurn,
    UserPiece,
    UserTurn,
    words_of,
)

__all__ = ["GeminiContent", "GeminiEncoder", "Part"]


# --- parts ----------------------------------------------------------------------------------------


_UPLOADED: Final = re.compile(r"files/[a-z0-9-]{1,40}")
_UPLOADS: Final = "https://generativelanguage.googleapis.com/v1beta/"
_EXPECTED: Final = (
    "PNG, JPEG, WebP, HEIC, PDF, text, audio or video, inline; files/…, gs:// or a URL"
)
_BYTES: Final = "application/octet-stream"  # of media whose type nobody said
_SIGNATURE: Final = "thoughtSignature"
_MEMBERS: Final = frozenset(provider_names.GEMINI_REQUEST_MEMBERS)


class Part(NamedTuple):
    """A part of the body, and where in the request it comes from."""

    body: Json
    pointer: str


class GeminiContent:
    """Write parts; what cannot be said goes into ``notes``.

    ``nameless`` are the ids, as sent to others, of calls to which the provider gave none: they
    and their results go back without one, told apart by name and order.
    """

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self.nameless: set[str] = set()

    # --- what users and tools say ----------------------------------------------------------------

    def user(self, pieces: list[UserPiece]) -> Iterator[Part]:
        """Yield the parts of text, images, files and media."""
        for piece in pieces:
            if (part := self._part(piece)) is not None:
                yield part

    def result(self, result: Result) -> Part:
        """Return the part of a tool result: its output, or the error, as an object."""
        content = result.content
        media: list[Json] = []
        if isinstance(content, list):
            parts = [part.body for part in self.user(content)]
            texts = [part["text"] for part in parts if "text" in part]
            media = [part for part in parts if "text" not in part]
            output: Any = texts[0] if len(texts) == 1 else texts or ""
        else:
            output = fresh(content)
        # An object stands for itself, unless a member of it would be read as something else.
        is_plain = isinstance(output, dict) and not {"output", "error"} & output.keys()
        if result.is_error or not is_plain:
            output = {"error" if result.is_error else "output": output}
        body: Json = {"name": result.name or "unknown", "response": output}
        if result.call_id not in self.nameless:
            body["id"] = result.call_id
        if media:
            body["parts"] = media
        return Part({"functionResponse": body}, result.pointer)

    def _part(self, piece: UserPiece) -> Part | None:
        """Return the part of text or media; of media that is not taken its words, if there are."""
        said: Text | None
        if isinstance(piece, Text):
            said = piece
        else:
            media = piece.media
            body = _inline(media) if media.data is not None else _linked(media)
            if body is not None:
                return Part(body, piece.pointer)
            said = words_of(piece, _EXPECTED, self._notes)
        return None if said is None else Part({"text": said.text}, said.pointer)

    # --- what the assistant said -----------------------------------------------------------------

    def assistant(self, pieces: list[AssistantPiece], *, own: bool) -> list[Part]:
        """Return the parts of an assistant's message; ``own``: it came from this dialect.

        Text that only a reader's state has cut is one part again.
        """
        parts: list[Part] = []
        texts: list[list[str]] = []  # of each part, beyond its first
        for part in self._assistant(pieces, own):
            if parts and _is_one(parts[-1], part):
                texts[-1].append(part.body["text"])
            else:
                parts.append(part)
                texts.append([])
        for part, more in zip(parts, texts, strict=True):
            if more:
                part.body["text"] += "".join(more)
        return parts

    def _assistant(self, pieces: list[AssistantPiece], own: bool) -> Iterator[Part]:
        for piece in pieces:
            if isinstance(piece, Text):
                yield Part({"text": piece.text, **self._members(piece.state)}, piece.pointer)
            elif isinstance(piece, Call):
                members = self._members(piece.state)
                yield Part({"functionCall": self._call(piece), **members}, piece.pointer)
            elif isinstance(piece, State):
                yield from self._state(piece.item)
            elif not isinstance(piece, Thinking):
                yield from self._shown(piece)
            elif own:
                body = {"text": piece.text, "thought": True, **self._members(piece.state)}
                yield Part(body, piece.pointer)
            else:
                self._leave_out(piece)

    def _shown(self, piece: MediaPiece) -> Iterator[Part]:
        """Yield media of the model, with its type as it said it."""
        part = self._part(piece)
        if part is None:
            return
        if isinstance(piece, Attachment) and "text" not in part.body:
            (content,) = part.body.values()
            content["mimeType"] = piece.media.full_type
            if piece.media.mime_type in ("", _BYTES):
                del content["mimeType"]
            part.body.update(self._members(piece.state))
        yield part

    def _leave_out(self, piece: Thinking) -> None:
        self._notes.add(
            "encode/thinking-left-out",
            "The provider takes no reasoning of others; it is left out",
            piece.pointer,
        )

    def _members(self, items: tuple[Item, ...]) -> Json:
        """Return what stood beside the text or the call in its part."""
        members: Json = {}
        for item in items:
            if item.kind not in _MEMBERS:
                self._notes.response_only(item.pointer, item.kind)
            elif item.kind == _SIGNATURE and not _is_signature(item.data):
                self._notes.malformed(item.pointer, "a signature as text", item.data)
            elif item.kind in members and members[item.kind] != item.data:
                # Pieces of a call may each have one; the first is the call's.
                self._notes.malformed(item.pointer, f"one {item.kind}", "several")
            else:
                members[item.kind] = fresh(item.data)
        return members

    def _call(self, call: Call) -> Json:
        body: Json = {"name": call.name, "args": object_arguments(call, self._notes)}
        if call.call_id not in self.nameless:
            body["id"] = call.call_id
        return body

    def _state(self, item: Item) -> Iterator[Part]:
        """Yield what stands between texts and calls: parts of the provider's own."""
        if item.kind == _SIGNATURE and _is_signature(item.data):
            yield Part({"text": "", _SIGNATURE: item.data}, item.pointer)
        elif item.kind != "part":
            if item.kind != "continuationToken":
                self._notes.response_only(item.pointer, item.kind)
        elif not isinstance(item.data, dict):
            self._notes.malformed(item.pointer, "a part as an object", item.data)
        elif not _is_signature(item.data.get(_SIGNATURE, "signed")):
            self._notes.malformed(item.pointer, "a signature as text", item.data[_SIGNATURE])
        else:
            body = fresh(item.data)
            if not body.keys() - _MEMBERS - {"thought"}:
                body["text"] = ""  # a part without content is refused
            yield Part(body, item.pointer)


def _is_one(part: Part, other: Part) -> bool:
    """Return whether two parts are plain text of one part of the message."""
    if part.pointer != other.pointer or part.body.keys() != other.body.keys():
        return False
    return not part.body.keys() - {"text", "thought"}


def _is_signature(data: object) -> bool:
    return isinstance(data, str) and bool(data)


def _inline(media: Media) -> Json | None:
    kind = media.mime_type.partition("/")[0]
    if media.mime_type in GEMINI or kind in GEMINI_KINDS:
        return {"inlineData": {"mimeType": media.mime_type, "data": media.data}}
    return None


def _linked(media: Media) -> Json | None:
    """Return the part of a file that the provider fetches, or has."""
    uri = media.url
    if media.path is not None and media.path.startswith("gs://"):
        uri = media.path
    elif media.path is not None and _UPLOADED.fullmatch(media.path):
        uri = _UPLOADS + media.path
    if uri is None:
        return None
    mime_type = {"mimeType": media.mime_type} if media.mime_type else {}
    return {"fileData": {**mime_type, "fileUri": uri}}


# --- the request ----------------------------------------------------------------------------------

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


class _Content(NamedTuple):
    """One content of the body; ``pointer`` is that of its message, "" for results."""

    role: str
    parts: list[Part]
    pointer: str = ""


_ANSWERS: Final = {"executableCode": "codeExecutionResult", "toolCall": "toolResponse"}


def _dangling(bodies: list[Json]) -> dict[int, str]:
    """Return the numbers of calls without a result, and results without a call, with their names.

    A result without an id answers the first call that waits.
    """
    waiting: dict[str, list[tuple[str, int]]] = {name: [] for name in _ANSWERS.values()}
    dangling: dict[int, str] = {}
    for number, body in enumerate(bodies):
        for name, value in body.items():
            given = value.get("id") if isinstance(value, dict) else None
            call_id = given if isinstance(given, str) else ""
            if name in _ANSWERS:
                waiting[_ANSWERS[name]].append((call_id, number))
                dangling[number] = name
            elif name in waiting:
                calls = waiting[name]
                found = next((call for call in calls if not call_id or call[0] == call_id), None)
                if found is None:
                    dangling[number] = name
                else:
                    calls.remove(found)
                    del dangling[found[1]]
    return dangling


class GeminiEncoder(RequestEncoder):
    """Encoder of one Gemini request; see :class:`~.encoder.RequestEncoder`."""

    dialect: ClassVar[str] = "gemini"
    forms: ClassVar[Forms] = Forms(
        call_id=Form(_ID, 512),
        tool_name=_ToolName(_NAME, 128),
        apart=True,
        citing=frozenset({"groundingMetadata", "citationMetadata"}),
    )

    def __init__(self, request: Request, notes: Notes) -> None:
        super().__init__(request, notes)
        self._content = GeminiContent(notes)

    def body(self) -> dict[str, Any]:
        """Return the members of the body that the contract's own values make."""
        system: list[Json] = [{"text": text} for text, _ in self.request.system]
        drafts: list[_Content] = []
        for turn in self.turns:
            if isinstance(turn, SystemTurn):
                system += self._system(turn, is_first=not any(each.parts for each in drafts))
            else:
                drafts.append(self._draft(turn))
        drafts = self._merged(drafts)
        self._leave_out_dangling(drafts)
        contents = [
            {"role": draft.role, "parts": [part.body for part in draft.parts]}
            for draft in self._merged(drafts)
        ]
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
            self._note_empty(turn.pointer)
        elif not is_first:
            self.notes.moved_system(turn.pointer)
        return [{"text": piece.text} for piece in turn.pieces]

    def _draft(self, turn: UserTurn | AssistantTurn | ToolTurn) -> _Content:
        if isinstance(turn, ToolTurn):
            return _Content("user", [self._content.result(result) for result in turn.results])
        if isinstance(turn, AssistantTurn):
            self._note_nameless(turn)
            parts = self._content.assistant(turn.pieces, own=turn.own)
            return _Content("model", parts, turn.pointer)
        return _Content("user", list(self._content.user(turn.pieces)), turn.pointer)

    def _merged(self, drafts: list[_Content]) -> list[_Content]:
        """Return the contents without empty ones, those of the model in a row as one."""
        merged: list[_Content] = []
        for draft in drafts:
            if not draft.parts:
                self._note_empty(draft.pointer)
            elif draft.role == "model" and merged and merged[-1].role == draft.role:
                merged[-1].parts.extend(draft.parts)
            else:
                merged.append(draft)
        return merged

    def _note_empty(self, pointer: str) -> None:
        if pointer:
            self.notes.empty_message(pointer)

    def _leave_out_dangling(self, drafts: list[_Content]) -> None:
        """Leave out calls of the provider's own tools without a result, and results without a call.

        Calls of the last answer may wait, if nobody but tools has spoken since.
        """
        answers = [draft for draft in drafts if draft.role == "model"]
        last = next((draft for draft in reversed(drafts) if draft.pointer), None)
        dangling = _dangling([part.body for draft in answers for part in draft.parts])
        number = 0
        for draft in answers:
            kept: list[Part] = []
            for part in draft.parts:
                name = dangling.get(number, "")
                number += 1
                if not name or (draft is last and name in _ANSWERS):
                    kept.append(part)
                else:
                    self.notes.add(
                        "encode/dangling-state",
                        "What the provider ran goes back with its result, and not alone",
                        part.pointer,
                        expected="a call and its result",
                        actual=name,
                    )
            draft.parts[:] = kept

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
