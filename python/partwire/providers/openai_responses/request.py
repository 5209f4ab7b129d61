"""OpenAI Responses: the contract's messages and configuration → a request body.

For OpenAI and the vendors that speak its dialect; where they differ, as OpenAI publishes it:

- The whole conversation is ``input``: nothing depends on what the provider stores, unless the
  configuration says ``previous_response_id`` and the caller gives what is new alone.
- System prompt and system messages are messages of the role ``system``; ``instructions``, which
  some vendors refuse, is the configuration's to give.
- Items that the provider made go back as they came, under their ids: reasoning, encrypted or not,
  tools that it ran, images with their bytes, messages with their annotations, and calls. Reasoning
  is known to the provider by its id where responses are stored; with ``"store": false`` ask for
  ``"include": ["reasoning.encrypted_content"]``, which models without reasoning refuse.
- What the provider ran goes with its result; a call that waits is sent in the last answer alone.
- The first answer to ``mcp_approval_request`` goes; it says yes only to the arguments as they were.
- A tool's failure begins with ``Error: ``, since the format has no mark for it.
- Of media, images and documents go whose type OpenAI publishes; a ``file_ref`` goes as any file but
  audio and video.
- Functions are strict only where the tool says so: the provider's default is otherwise.
- There are no stop sequences; ``cacheConfig`` has nothing to mark: prompts are cached without it.

Source: https://platform.openai.com/docs/api-reference/responses/create.
"""

from __future__ import annotations

import json
import re
from typing import Any, ClassVar, Final, NamedTuple, TypeAlias

from msgspec import UNSET

from partwire.errors import clip
from partwire.json.equality import same_json
from partwire.json.text import json_text
from partwire.tables import media_types, provider_names

from ..request_core.call_ids import Form
from ..request_core.encoder import RequestEncoder
from ..request_core.inputs import fresh
from ..request_core.media import Media
from ..request_core.notes import Notes
from ..request_core.state import Item
from ..request_core.turns import (
    USER_MEDIA,
    Approval,
    AssistantTurn,
    Attachment,
    Call,
    Forms,
    Image,
    Result,
    State,
    SystemTurn,
    Text,
    Thinking,
    ToolTurn,
    Turn,
    UserPiece,
    UserTurn,
    words_of,
)
from .media import IMAGE
from .server_items import APPROVAL

__all__ = ["Json", "OpenAIResponsesEncoder", "ResponsesInput", "ResponsesOutput"]


# --- users and tools ------------------------------------------------------------------------------

Json: TypeAlias = dict[str, Any]

_FILE_ID: Final = re.compile(r"file-[A-Za-z0-9_-]{8,}")
_DECISIONS: Final = ("approved", "denied")
_EXPECTED: Final = "an image or a document: by URL, inline or uploaded"


class ResponsesInput:
    """Write content; what cannot be said goes into ``notes``."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes

    def content(self, pieces: list[UserPiece]) -> str | list[Json] | None:
        """Return content: a string for one text, else its parts; None for nothing."""
        parts = [part for piece in pieces if (part := self._part(piece)) is not None]
        if len(parts) == 1 and parts[0]["type"] == "input_text":
            text: str = parts[0]["text"]
            return text
        return parts or None

    def output(self, result: Result) -> str | list[Json]:
        """Return what a tool gave; the format has no mark for a failure, so its text says it."""
        pieces: list[UserPiece]
        if isinstance(result.content, list):
            pieces = list(result.content)
        else:
            content = result.content
            text = content if isinstance(content, str) else json_text(content)
            pieces = [Text(text, result.pointer)]
        if result.is_error:
            first = pieces[0] if pieces else None
            said = first.text if isinstance(first, Text) else ""
            rest = pieces[1:] if isinstance(first, Text) else pieces
            pieces = [Text(f"Error: {said}" if said else "Error", result.pointer), *rest]
        return self.content(pieces) or ""

    def answer(self, approval: Approval, asked: dict[str, str]) -> Json | None:
        """Return the first answer to a call that waits; yes is for the arguments as they were.

        ``asked`` are the requests that were sent and wait.
        """
        payload, item, pointer = approval
        request = item.data if isinstance(item.data, dict) else {}
        own = request.get("id")
        if not isinstance(own, str) or asked.get(own) != item.pointer:
            why = "The request was not sent, or has its answer already"
            self._notes.approval_left_out(pointer, why)
            return None
        del asked[own]
        approves = payload.decision == "approved"
        reason, changed = payload.reason, payload.arguments
        beside = {
            "choice": payload.choice,
            "decidedBy": payload.decided_by,
            "decidedAt": payload.decided_at,
            "arguments": UNSET if approves else changed,
        }
        self._notes.approval_members(pointer, beside)
        if payload.decision not in _DECISIONS:
            self._notes.add(
                "encode/approval-left-out",
                "The provider takes yes or no alone; any other decision is no",
                f"{pointer}/payload/decision",
                expected=" or ".join(_DECISIONS),
                actual=clip(payload.decision),
            )
        if approves and changed is not UNSET and not _are_as_asked(changed, request):
            approves = False
            self._notes.add(
                "encode/approval-arguments",
                "The provider would run the call with its own arguments; the answer is no",
                f"{pointer}/payload/arguments",
            )
        body: Json = {
            "type": "mcp_approval_response",
            "approval_request_id": own,
            "approve": approves,
        }
        return body if reason is UNSET else {**body, "reason": reason}

    def _part(self, piece: UserPiece) -> Json | None:
        said: Text | None
        if isinstance(piece, Text):
            said = piece
        else:
            part = self._image(piece.media) if isinstance(piece, Image) else self._file(piece.media)
            # Of a file nobody may know the type; of media it is known.
            if part is not None and not (
                isinstance(piece, Attachment) and not _is_read(piece.media)
            ):
                return part
            said = words_of(piece, _EXPECTED, self._notes)
        return None if said is None else {"type": "input_text", "text": said.text}

    def _image(self, media: Media) -> Json | None:
        part: Json = {"type": "input_image", "detail": "auto"}
        if media.url is not None:
            return {**part, "image_url": media.url}
        if media.data is not None and media.mime_type.startswith("image/"):
            return {**part, "image_url": f"data:{media.mime_type};base64,{media.data}"}
        if media.path is not None and _FILE_ID.fullmatch(media.path):
            return {**part, "file_id": media.path}
        return None

    def _file(self, media: Media) -> Json | None:
        if media.mime_type.startswith("image/"):
            return self._image(media)
        if media.mime_type.startswith(("audio/", "video/")):
            return None
        if media.url is not None:
            return {"type": "input_file", "file_url": media.url}
        if media.path is not None:
            is_id = _FILE_ID.fullmatch(media.path)
            return {"type": "input_file", "file_id": media.path} if is_id else None
        data = f"data:{media.mime_type};base64,{media.data}"
        return {"type": "input_file", "filename": media.file_name, "file_data": data}


def _are_as_asked(arguments: Json, request: Json) -> bool:
    asked = request.get("arguments")
    try:
        return same_json(json.loads(asked or "{}") if isinstance(asked, str) else asked, arguments)
    except (ValueError, RecursionError):
        return False


def _is_read(media: Media) -> bool:
    """Return whether the provider publishes that it reads a type."""
    if media.mime_type in media_types.IMAGES or media.mime_type in media_types.OPENAI_RESPONSES:
        return True
    family, _, name = media.mime_type.partition("/")
    if "\n" in name:
        return False
    is_office = name.startswith(media_types.OPENAI_RESPONSES_PREFIXES)
    is_structured = name[1:].endswith(media_types.OPENAI_RESPONSES_SUFFIXES)
    is_application = family == "application" and (is_office or is_structured)
    return is_application or (family == "text" and name != "")


# --- the assistant --------------------------------------------------------------------------------

_CALL_OF: Final = {output: call for call, output in provider_names.RESPONSES_PAIRED.items()}
_RESPONSE_ONLY: Final = frozenset(provider_names.RESPONSES_RESPONSE_ONLY)


_Pair: TypeAlias = tuple[str, str]  # type and call id of an item that may be one of a pair


class _Draft(NamedTuple):
    """An item of the input. ``own``: it is the provider's, under its own id.

    ``ran``: it is a call that the provider ran, or what came of it, and the part of one.
    """

    body: Json
    pointer: str
    own: bool = False
    ran: bool = False


class ResponsesOutput:
    """Write the items of assistants' turns.

    ``is_stored``: the provider keeps responses, and so knows reasoning and images by id alone.
    ``goes_on``: it knows what came before ``turns``, too. ``custom`` are the ids of calls of custom
    tools, ``callers`` says who made a call, ``asked`` where a request for approval is from that
    was sent and waits, by its id.
    """

    def __init__(self, notes: Notes, turns: list[Turn], *, is_stored: bool, goes_on: bool) -> None:
        self._notes = notes
        self._is_stored = is_stored
        self._goes_on = goes_on
        answers = [turn for turn in turns if isinstance(turn, AssistantTurn)]
        self._last = answers[-1] if answers else None
        states = [p.item.data for t in answers for p in t.pieces if isinstance(p, State)]
        self._found = {_pair(data) for data in states if isinstance(data, dict)}
        self.custom: set[str] = set()
        self.callers: dict[str, Any] = {}
        self.asked: dict[str, str] = {}
        self._sent: set[str] = set()

    def items(self, turn: AssistantTurn) -> list[Json]:
        """Return the items of a turn."""
        drafts: list[_Draft] = []
        for piece in turn.pieces:
            if isinstance(piece, Text):
                drafts.append(self._text(piece))
            elif isinstance(piece, Call):
                drafts.append(self._call(piece))
            elif isinstance(piece, Thinking):
                drafts += self._thinking(piece)
            elif isinstance(piece, State):
                drafts += self._between(piece.item)
            elif isinstance(piece, Attachment) and (image := self._image(piece)) is not None:
                drafts.append(image)
            elif (words := words_of(piece, USER_MEDIA, self._notes)) is not None:
                drafts.append(self._text(words))
        drafts = self._without_unpaired(drafts, is_last=turn is self._last)
        drafts = self._without_dangling(drafts)
        return [draft.body for draft in self._without_repeats(drafts)]

    # --- text ------------------------------------------------------------------------------------

    def _text(self, piece: Text) -> _Draft:
        head = next((item for item in piece.state if item.kind == "message"), None)
        if head is None:
            for item in piece.state:
                self._notes.response_only(item.pointer, item.kind)
            return _Draft({"role": "assistant", "content": piece.text}, piece.pointer)
        parts = [item for item in piece.state if item is not head]
        return self._message(head, piece.text, parts)

    def _message(self, head: Item, text: str, parts: list[Item]) -> _Draft:
        """Return a message under its own id; one that has lost it is a plain one."""
        data = head.data
        if not isinstance(data, dict) or not isinstance(data.get("id"), str):
            self._notes.malformed(head.pointer, "a message with its id", data)
            return _Draft({"role": "assistant", "content": text}, head.pointer)
        body: Json = {"type": "message", "role": "assistant", "status": "completed"}
        body |= _without_nulls(data)
        return _Draft({**body, "content": self._contents(head, text, parts)}, head.pointer, True)

    def _contents(self, head: Item, text: str, parts: list[Item]) -> list[Json]:
        """Return the content parts of a message, its text cut where they say."""
        start, at = head.start or 0, 0
        contents: list[Json] = []
        for item in parts:
            if item.kind != "content_part" or not isinstance(item.data, dict):
                self._notes.response_only(item.pointer, item.kind)
                continue
            begins = max((item.start or 0) - start, at)
            ends = max((item.end or 0) - start, begins)
            said = text[begins:ends]
            kind = item.data.get("type")
            if kind not in ("refusal", "output_text"):
                self._notes.response_only(item.pointer, "content_part")
                continue
            if begins > at:
                contents.append(_output_text(text[at:begins]))
            at = ends
            if kind == "refusal":
                contents.append({"type": "refusal", "refusal": said})
            else:
                state = _without_nulls(item.data)
                contents.append({"annotations": [], **state, "text": said})
        if at < len(text) or not contents:
            contents.append(_output_text(text[at:]))
        return contents

    # --- reasoning, and what stands between -----------------------------------------------------

    def _thinking(self, piece: Thinking) -> list[_Draft]:
        drafts = [draft for item in piece.state for draft in self._between(item)]
        if not any(draft.body.get("type") == "reasoning" for draft in drafts):
            self._notes.add(
                "encode/thinking-left-out",
                "Reasoning goes back only as the item that it came in; it is left out",
                piece.pointer,
            )
        return drafts

    def _between(self, item: Item) -> list[_Draft]:
        """Return what state gives that is not text and no call of ours."""
        if item.kind in _RESPONSE_ONLY:
            self._notes.response_only(item.pointer, item.kind)
            return []
        if item.kind == "message":
            return [self._message(item, "", [])]
        if not isinstance(item.data, dict) or item.data.get("type") != item.kind:
            self._notes.malformed(item.pointer, "an item with its type", item.data)
            return []
        return [_Draft(_without_nulls(item.data), item.pointer, True, item.start is None)]

    def _image(self, piece: Attachment) -> _Draft | None:
        """Return an image of the provider's own: with its bytes, or by its id."""
        data = next((item.data for item in piece.state if item.kind == IMAGE), None)
        if not isinstance(data, dict):
            return None
        body: Json = {**_without_nulls(data), "type": IMAGE, "result": piece.media.data}
        if piece.media.data is None and not (self._is_stored and isinstance(body.get("id"), str)):
            return None
        return _Draft(body, piece.pointer, True)

    # --- calls -----------------------------------------------------------------------------------

    def _call(self, call: Call) -> _Draft:
        body: Json = {}
        for item in call.state:
            if item.kind in provider_names.RESPONSES_CALLS and not isinstance(item.data, dict):
                self._notes.malformed(item.pointer, "the item of a call", item.data)
            elif item.kind in provider_names.RESPONSES_CALLS:
                body = {**_without_nulls(item.data), "type": item.kind}
            else:
                self._notes.response_only(item.pointer, item.kind)
        kind = body.setdefault("type", "function_call")
        body |= {"call_id": call.call_id, "name": call.name}
        member = provider_names.RESPONSES_CALLS[kind]
        body[member] = _args_text(call, body.get(member))
        if kind == "custom_tool_call":
            self.custom.add(call.call_id)
            body.pop("status", None)
        if isinstance(body.get("caller"), dict):
            self.callers[call.call_id] = body["caller"]
        return _Draft(body, call.pointer, isinstance(body.get("id"), str))

    # --- what goes together ----------------------------------------------------------------------

    def _without_unpaired(self, drafts: list[_Draft], *, is_last: bool) -> list[_Draft]:
        """Leave out what goes back in pairs alone: calls and outputs that are separate items.

        A call that the provider runs may be answered by what comes next.
        """
        found = {_pair(draft.body) for draft in drafts}
        kept = []
        for draft in drafts:
            if self._is_due(draft, found, is_last=is_last):
                message = "What a built-in tool was asked goes back with what it gave"
                self._note_dangling(draft, message)
            else:
                kept.append(draft)
        return kept

    def _is_due(self, draft: _Draft, found: set[_Pair], *, is_last: bool) -> bool:
        """Return whether a call waits for its output, or an output lacks its call."""
        kind, call_id = _pair(draft.body)
        output = provider_names.RESPONSES_PAIRED.get(kind)
        if not draft.ran:  # the caller's, or state of v0.2, of which no call is known
            is_call = kind not in ("program", "tool_search_call")
            is_call |= draft.body.get("execution") == "client"
            return is_call and output is not None and (output, call_id) not in found
        if output is not None:
            return not is_last and (output, call_id) not in self._found
        call = _CALL_OF.get(kind)
        return call is not None and not self._goes_on and (call, call_id) not in self._found

    def _without_dangling(self, drafts: list[_Draft]) -> list[_Draft]:
        """Leave out reasoning without its next item, and what a provider does not keep.

        An item whose reasoning is missing goes without its id: by it the provider would ask.
        """
        leads = False
        dangling: set[int] = set()
        for number in range(len(drafts) - 1, -1, -1):
            if drafts[number].body.get("type") != "reasoning":
                leads = drafts[number].own
            elif not leads:
                dangling.add(number)
        kept: list[_Draft] = []
        is_lost = False
        for number, draft in enumerate(drafts):
            if draft.body.get("type") == "reasoning":
                is_lost = not (self._is_stored or _is_readable(draft.body))
                if is_lost:
                    message = "Reasoning that is neither stored nor encrypted cannot go back"
                    self._note_dangling(draft, message)
                elif number in dangling:
                    self._note_dangling(draft, "Reasoning goes back with the item that it led to")
                else:
                    kept.append(draft)
            else:
                kept.append(_without_id(draft) if is_lost else draft)
        return kept

    def _without_repeats(self, drafts: list[_Draft]) -> list[_Draft]:
        """Leave out ids that the input has already, as where an answer stands in it twice.

        What cannot go without its id is left out; what reasoning led to follows it.
        """
        kept: list[_Draft] = []
        is_lost = False
        for draft in drafts:
            kind, item_id = draft.body.get("type"), draft.body.get("id")
            repeats = isinstance(item_id, str) and item_id in self._sent
            if isinstance(item_id, str):
                self._sent.add(item_id)
            if kind == "reasoning":
                is_lost = repeats
            if repeats:
                message = "The provider takes an item once; it is sent without its id or left out"
                self._notes.add("encode/repeated-state", message, draft.pointer, actual=item_id)
            if kind in ("message", *provider_names.RESPONSES_CALLS):
                kept.append(_without_id(draft) if repeats or is_lost else draft)
            elif not repeats:
                kept.append(draft)
                if kind == APPROVAL and isinstance(item_id, str):
                    self.asked[item_id] = draft.pointer
        return kept

    def _note_dangling(self, draft: _Draft, message: str) -> None:
        kind = draft.body["type"]
        self._notes.add("encode/dangling-state", message, draft.pointer, actual=kind)


def _pair(item: Json) -> _Pair:
    return str(item.get("type")), str(item.get("call_id"))


def _is_readable(reasoning: Json) -> bool:
    """Return whether reasoning says all by itself: encrypted, or as it was thought."""
    return bool(reasoning.get("encrypted_content") or reasoning.get("content"))


def _without_id(draft: _Draft) -> _Draft:
    body = {name: value for name, value in draft.body.items() if name != "id"}
    if body.get("type") != "message":
        return draft._replace(body=body)
    text = "".join(part.get("text", part.get("refusal", "")) for part in body["content"])
    phase = {name: body[name] for name in ("phase",) if name in body}
    return draft._replace(body={"role": "assistant", "content": text, **phase})


def _output_text(text: str) -> Json:
    return {"type": "output_text", "text": text, "annotations": []}


def _without_nulls(data: Json) -> Json:
    """Return a copy without null members, which a request does not have."""
    return {name: fresh(value) for name, value in data.items() if value is not None}


def _args_text(call: Call, given: object) -> str:
    """Return the argument text that the model wrote, if that is what the call still says."""
    if call.raw_args is not None:
        return call.raw_args
    if isinstance(given, str):
        try:
            if json.loads(given or "{}") == call.arguments:
                return given
        except (ValueError, RecursionError):
            pass
    return json_text(call.arguments)


# --- the request ----------------------------------------------------------------------------------

_NAME: Final = re.compile(r"[A-Za-z0-9_-]+")
_ANY: Final = re.compile(r"(?s).+")
_MAX_TEMPERATURE: Final = 2


class OpenAIResponsesEncoder(RequestEncoder):
    """Encoder of one Responses request; see :class:`~.encoder.RequestEncoder`."""

    dialect: ClassVar[str] = "openai-responses"
    forms: ClassVar[Forms] = Forms(
        call_id=Form(_ANY, 64),
        tool_name=Form(_NAME, 64),
        approvals=APPROVAL,
        paired=frozenset(provider_names.RESPONSES_PAIRED),
        citing=frozenset({"content_part"}),
    )

    def body(self) -> dict[str, Any]:
        """Return the members of the body that the contract's own values make."""
        body: Json = {"model": self.request.model_id, "input": self._input()}
        return body | self._tools() | self._sampling()

    def defaults(self) -> dict[str, Any]:
        """Return ``stream``."""
        return {"stream": True}

    # --- the conversation ------------------------------------------------------------------------

    def _input(self) -> list[Json]:
        content = ResponsesInput(self.notes)
        extensions = self.request.extensions
        output = ResponsesOutput(
            self.notes,
            self.turns,
            is_stored=extensions.get("store") is not False,
            goes_on=bool(extensions.get("previous_response_id")),
        )
        items: list[Json] = [{"role": "system", "content": text} for text, _ in self.request.system]
        for turn in self.turns:
            made = self._items(turn, content, output)
            is_answer = isinstance(turn, UserTurn) and turn.approvals
            if not made and not is_answer and not isinstance(turn, ToolTurn):
                self.notes.empty_message(turn.pointer)
            items += made
        return items

    def _items(self, turn: Turn, content: ResponsesInput, output: ResponsesOutput) -> list[Json]:
        if isinstance(turn, AssistantTurn):
            return output.items(turn)
        if not isinstance(turn, ToolTurn):
            answers = turn.approvals if isinstance(turn, UserTurn) else ()
            given = [content.answer(approval, output.asked) for approval in answers]
            made = [answer for answer in given if answer is not None]
            said = content.content(list(turn.pieces))
            role = "system" if isinstance(turn, SystemTurn) else "user"
            return made if said is None else [*made, {"role": role, "content": said}]
        items: list[Json] = []
        for result in turn.results:
            call_id = result.call_id
            kind = "custom_tool_call" if call_id in output.custom else "function_call"
            item: Json = {"type": f"{kind}_output", "call_id": call_id}
            item["output"] = content.output(result)
            if call_id in output.callers:
                item["caller"] = dict(output.callers[call_id])
            items.append(item)
        return items

    # --- the rest --------------------------------------------------------------------------------

    def _tools(self) -> Json:
        members: Json = {}
        tools: list[Json] = []
        for _, spec, schema in self.tools():
            tool: Json = {
                "type": "function",
                "name": spec.name,
                "parameters": {"properties": {}, **schema},
                "strict": spec.strict is True,
            }
            if isinstance(spec.description, str):
                tool["description"] = spec.description
            tools.append(tool)
        if tools:
            members["tools"] = tools
        choice = self.request.choice
        if choice is not None and self.choice_holds({tool["name"] for tool in tools}):
            members["tool_choice"] = (
                {"type": "function", "name": choice.tool_name}
                if choice.mode == "tool"
                else choice.mode
            )
        return members

    def _sampling(self) -> Json:
        members = self.sampling("max_output_tokens", "top_p", most=_MAX_TEMPERATURE)
        for number, stop in enumerate(self.request.stop_sequences):
            place = f"/config/stopSequences/{number}"
            self.notes.unsupported_config(place, "no stop sequences", stop)
        return members
