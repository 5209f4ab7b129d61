"""Chat completions: the contract's messages and configuration → a request body.

For OpenAI and the vendors that speak its dialect; where they differ, as OpenAI publishes it:

- System prompt and system messages are messages of the role ``system``, which every vendor takes
  and OpenAI reads as ``developer`` where a model wants that.
- One message per tool result; a failed tool's text begins with ``Error: ``, since the format has no
  mark for it. Argument text is what the model wrote where that is kept, else the arguments as JSON.
- ``maxTokens`` is ``max_completion_tokens``: ``max_tokens`` is out of date, and refused by
  reasoning models. For a vendor that knows only the old name, give ``max_tokens`` as a member of
  the configuration in place of ``maxTokens``.
- ``stream_options`` asks for usage; a vendor that does not know it wants another value from the
  configuration.
- Reasoning, and what vendors keep with it, goes back as the message's own vendor sent it; reasoning
  of others is left out. A refusal goes back as ``refusal``.
- An author's name is ``name``; sound of an assistant's goes back by its id, as long as the vendor
  keeps it. What other providers ran is text, in a part of its own.
- Of media, images, WAV, MP3 and PDF go, which is all that OpenAI reads; a ``file_ref``, whose type
  other vendors may know, goes as any file but audio and video.
- The name of a message's author goes as ``name``, in letters that OpenAI takes.
- ``cacheConfig`` has nothing to mark: prompts are cached without it.

Source: https://platform.openai.com/docs/api-reference/chat/create.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar, Final, TypeAlias

from partwire.json.text import json_text
from partwire.tables.media_types import OPENAI_CHAT_AUDIO

from ..request_core.call_ids import Form
from ..request_core.calls_and_results import result_texts
from ..request_core.encoder import RequestEncoder
from ..request_core.inputs import fresh
from ..request_core.media import Media
from ..request_core.notes import Notes
from ..request_core.turns import (
    MEDIA_PIECES,
    USER_MEDIA,
    AssistantTurn,
    Attachment,
    Call,
    Forms,
    Image,
    MediaPiece,
    Result,
    State,
    SystemTurn,
    Text,
    Thinking,
    ToolTurn,
    UserPiece,
    words_of,
)

__all__ = ["ChatMessages", "ChatState", "OpenAIChatEncoder"]


# --- vendors' state -------------------------------------------------------------------------------


# Members of a message that hold reasoning as one text.
_TEXT_MEMBERS: Final = ("reasoning_content", "reasoning")


class ChatState:
    """The state of one assistant's message; noted is what goes back to nobody."""

    def __init__(self, turn: AssistantTurn, notes: Notes) -> None:
        self._notes = notes
        self._members: Json = {}
        self._reasoning: list[str] = []
        self._blocks: list[Json] = []
        self._pieces: list[str] = []  # of the last block's thinking, beyond its first
        items = [piece.item for piece in turn.pieces if isinstance(piece, State)]
        self._member = next((i.data for i in items if i.kind == "reasoning_member"), None)

    def members(self) -> Json:
        """Return the members of the message, once all of its pieces have been read."""
        if self._reasoning:
            self._members[str(self._member)] = "".join(self._reasoning)
        if self._blocks:
            self._end_block()
            self._members["thinking_blocks"] = self._blocks
        return self._members

    def thinking(self, piece: Thinking) -> Iterator[Json]:
        """Take reasoning; yield it where the vendor has it among the parts of the content."""
        signature = None
        for item in piece.state:
            if item.kind == "signature" and self._member == "content":
                signature = fresh(item.data)
            else:
                yield from self.between(State(item))
        if self._member in _TEXT_MEMBERS:
            self._reasoning.append(piece.text)
        elif self._member == "content":
            part: Json = {"type": "thinking", "thinking": [{"type": "text", "text": piece.text}]}
            if signature is not None:
                part["signature"] = signature
            yield part
        elif self._member != "reasoning_details":
            self._notes.add(
                "encode/thinking-left-out",
                "Reasoning goes back only to the vendor that it came from; it is left out",
                piece.pointer,
            )

    def between(self, piece: State) -> Iterator[Json]:
        """Take state that belongs to the message; yield what is a part of its content."""
        kind, data, pointer, *_ = piece.item
        if kind == "reasoning_member":
            if data not in (*_TEXT_MEMBERS, "content", "reasoning_details"):
                self._notes.malformed(pointer, "the name of a member", data)
        elif kind == "reasoning_details" and isinstance(data, list):
            self._members.setdefault(kind, []).extend(fresh(data))
        elif kind == "thinking_blocks" and isinstance(data, list):
            self._take_blocks(data, pointer)
        elif (
            kind == "content_part" and isinstance(data, dict) and isinstance(data.get("type"), str)
        ):
            yield fresh(data)
        elif kind == "audio" and isinstance(data, dict):
            if isinstance(data.get("id"), str):
                self._members["audio"] = {"id": data["id"]}
        elif kind in ("extra_content", "reasoning_signature"):
            self._members[kind] = fresh(data)
        elif kind in ("reasoning_details", "thinking_blocks", "content_part", "audio"):
            self._notes.malformed(pointer, f"{kind} as the vendor sends it", data)
        else:
            self._notes.response_only(pointer, kind)

    def sound(self, piece: Attachment) -> bool:
        """Take sound, which goes back by its id, one in a message; return whether it does."""
        if "audio" in self._members:
            return False
        for item in piece.state:
            list(self.between(State(item)))
        return "audio" in self._members

    def _take_blocks(self, blocks: list[Any], pointer: str) -> None:
        """Join the pieces in which LiteLLM streams thinking blocks: a signature ends one."""
        for block in blocks:
            if not isinstance(block, dict):
                self._notes.malformed(pointer, "blocks as objects", block)
                continue
            last = self._blocks[-1] if self._blocks else {}
            is_piece = block.get("type") == "thinking" == last.get("type")
            if not is_piece or last.get("signature"):
                self._end_block()
                self._blocks.append(fresh(block))
                continue
            if isinstance(block.get("thinking"), str):
                self._pieces.append(block["thinking"])
            if isinstance(block.get("signature"), str):
                last["signature"] = block["signature"]

    def _end_block(self) -> None:
        if self._pieces:
            last = self._blocks[-1]
            last["thinking"] = f"{last.get('thinking') or ''}{''.join(self._pieces)}"
            self._pieces = []

    def of_call(self, call: Call) -> Iterator[tuple[str, Any]]:
        """Yield the members of a call beside those that the contract has."""
        for item in call.state:
            if item.kind == "extra_content":
                yield item.kind, item.data
            else:
                self._notes.response_only(item.pointer, item.kind)


# --- messages -------------------------------------------------------------------------------------


_FILE_ID: Final = re.compile(r"file-[A-Za-z0-9_-]{8,}")
_PDF: Final = "application/pdf"
_EXPECTED: Final = "an image by URL or inline; a file inline or uploaded; WAV or MP3 inline"


class ChatMessages:
    """Write messages; what cannot be said goes into ``notes``."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes

    # --- users -----------------------------------------------------------------------------------

    def user(self, pieces: list[UserPiece]) -> str | list[Json] | None:
        """Return a user's content: a string for one text, else parts; None for nothing."""
        parts: list[Json] = []
        for piece in pieces:
            if isinstance(piece, Text):
                parts.append({"type": "text", "text": piece.text})
                continue
            part = self._media(piece)
            if part is not None:
                parts.append(part)
            elif (words := words_of(piece, _EXPECTED, self._notes)) is not None:
                parts.append({"type": "text", "text": words.text})
        return content_of(parts)

    def _media(self, piece: MediaPiece) -> Json | None:
        if isinstance(piece, Image):
            return self._image(piece.media)
        part = self._file(piece.media)
        if not isinstance(piece, Attachment) or part is None:
            return part
        # Of a file nobody may know the type; of media it is known, and with it what OpenAI reads.
        if part["type"] == "file" and piece.media.mime_type != _PDF:
            return None
        return None if piece.media.is_odd_image else part

    def _image(self, media: Media) -> Json | None:
        if media.url is not None:
            return {"type": "image_url", "image_url": {"url": media.url}}
        if media.data is not None and media.mime_type.startswith("image/"):
            url = f"data:{media.mime_type};base64,{media.data}"
            return {"type": "image_url", "image_url": {"url": url}}
        return None

    def _file(self, media: Media) -> Json | None:
        if media.mime_type.startswith("image/"):
            return self._image(media)
        if media.path is not None and _FILE_ID.fullmatch(media.path):
            return {"type": "file", "file": {"file_id": media.path}}
        if media.data is None:
            return None
        if format_ := OPENAI_CHAT_AUDIO.get(media.mime_type):
            audio = {"data": media.data, "format": format_}
            return {"type": "input_audio", "input_audio": audio}
        if media.mime_type.startswith(("audio/", "video/")):
            return None
        data = f"data:{media.mime_type};base64,{media.data}"
        return {"type": "file", "file": {"filename": media.file_name, "file_data": data}}

    # --- tools -----------------------------------------------------------------------------------

    def results(self, turn: ToolTurn) -> Iterator[Json]:
        """Yield one message per result."""
        for result in turn.results:
            content = self._result(result)
            yield {"role": "tool", "tool_call_id": result.call_id, "content": content}

    def _result(self, result: Result) -> str | list[Json]:
        """Return a result's content; the format has no mark for a failure, so its text says it."""
        texts = result_texts(result, self._notes)
        if result.is_error:
            first, *rest = texts or [""]
            texts = [f"Error: {first}" if first else "Error", *rest]
        return content_of([{"type": "text", "text": text} for text in texts]) or ""

    # --- the assistant ---------------------------------------------------------------------------

    def assistant(self, turn: AssistantTurn) -> Json | None:
        """Return an assistant's message, None where nothing of it can be sent."""
        state = ChatState(turn, self._notes)
        parts: list[Json] = []
        refusals: list[str] = []
        calls: list[Json] = []
        alone = False
        for each in turn.pieces:
            piece = each
            if isinstance(each, MEDIA_PIECES):
                if isinstance(each, Attachment) and state.sound(each):
                    continue
                words = words_of(each, USER_MEDIA, self._notes)
                if words is None:
                    continue
                piece = words
            if isinstance(piece, Text):
                alone |= piece.alone
                is_refusal = any(item.kind == "refusal" for item in piece.state)
                if is_refusal:
                    refusals.append(piece.text)
                else:
                    parts.append({"type": "text", "text": piece.text})
            elif isinstance(piece, Thinking):
                parts += state.thinking(piece)
            elif isinstance(piece, Call):
                calls.append(self._call(piece, state))
            elif isinstance(piece, State):
                parts += state.between(piece)
        if turn.own and not alone and all(part["type"] == "text" for part in parts):
            # It was one string when it came; a kept part may have lost its text.
            texts = (part.get("text") for part in parts)
            text = "".join(each for each in texts if isinstance(each, str))
            parts = [{"type": "text", "text": text}] if text else []
        members = state.members()
        if not (parts or refusals or calls or "audio" in members):
            return None
        message: Json = {"role": "assistant", "content": content_of(parts), **members}
        if refusals:
            message["refusal"] = "".join(refusals)
        if calls:
            message["tool_calls"] = calls
        return message

    def _call(self, call: Call, state: ChatState) -> Json:
        arguments = json_text(call.arguments) if call.raw_args is None else call.raw_args
        function = {"name": call.name, "arguments": arguments}
        extras = {name: fresh(data) for name, data in state.of_call(call)}
        return {"id": call.call_id, "type": "function", "function": function, **extras}


def content_of(parts: list[Json]) -> str | list[Json] | None:
    """Return content as its parts, one text as a string, which every vendor takes."""
    if not parts:
        return None
    if len(parts) == 1 and parts[0]["type"] == "text":
        text: str = parts[0]["text"]
        return text
    return parts


# --- the request ----------------------------------------------------------------------------------

Json: TypeAlias = dict[str, Any]

_NAME: Final = re.compile(r"[A-Za-z0-9_-]+")
_ANY: Final = re.compile(r"(?s).+")
_MAX_STOPS: Final = 4
_MAX_TEMPERATURE: Final = 2


class OpenAIChatEncoder(RequestEncoder):
    """Encoder of one chat completion request; see :class:`~.encoder.RequestEncoder`."""

    dialect: ClassVar[str] = "openai-chat"
    forms: ClassVar[Forms] = Forms(
        call_id=Form(_ANY, 40), tool_name=Form(_NAME, 64), author=Form(_NAME, 64)
    )

    def body(self) -> dict[str, Any]:
        """Return the members of the body that the contract's own values make."""
        request = self.request
        body: Json = {"model": request.model_id, "messages": self._messages()}
        return body | self._tools() | self._sampling()

    def defaults(self) -> dict[str, Any]:
        """Return ``stream``, and that usage is wanted."""
        return {"stream": True, "stream_options": {"include_usage": True}}

    def _messages(self) -> list[Json]:
        content = ChatMessages(self.notes)
        messages: list[Json] = [
            {"role": "system", "content": text} for text, _ in self.request.system
        ]
        for turn in self.turns:
            made: list[Json]
            if isinstance(turn, ToolTurn):
                made = list(content.results(turn))
            elif isinstance(turn, AssistantTurn):
                said = content.assistant(turn)
                made = [] if said is None else [said]
            else:
                parts = content.user(list(turn.pieces))
                role = "system" if isinstance(turn, SystemTurn) else "user"
                made = [] if parts is None else [{"role": role, "content": parts}]
            if not made and not isinstance(turn, ToolTurn):
                self.notes.empty_message(turn.pointer)
            if not isinstance(turn, ToolTurn) and turn.name:
                made = [{**message, "name": turn.name} for message in made]
            messages += made
        return messages

    def _tools(self) -> Json:
        members: Json = {}
        tools: list[Json] = []
        for _, spec, schema in self.tools():
            function: Json = {"name": spec.name, "parameters": {"properties": {}, **schema}}
            if isinstance(spec.description, str):
                function["description"] = spec.description
            if isinstance(spec.strict, bool):
                function["strict"] = spec.strict
            tools.append({"type": "function", "function": function})
        if tools:
            members["tools"] = tools
        choice = self.request.choice
        if choice is not None and self.choice_holds({tool["function"]["name"] for tool in tools}):
            members["tool_choice"] = (
                {"type": "function", "function": {"name": choice.tool_name}}
                if choice.mode == "tool"
                else choice.mode
            )
        return members

    def _sampling(self) -> Json:
        members = self.sampling("max_completion_tokens", "top_p", most=_MAX_TEMPERATURE)
        if stops := self.stop_sequences(_MAX_STOPS):
            members["stop"] = stops
        return members
