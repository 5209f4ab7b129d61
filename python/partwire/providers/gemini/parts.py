"""Parts of Gemini's content: which of them are parts of ours, and which are kept beside."""

from __future__ import annotations

from typing import Any, Final

from partwire.errors import clip
from partwire.tables import provider_names

from ..core.cited_text import CitedText
from ..core.findings import FindingLog
from ..core.raw_events import as_json_text
from ..core.tool_results import read_result
from ..core.writer import UNKNOWN, DeltaWriter, OpenCall, OpenMedia, TextKind
from .arguments import StreamedArguments

__all__ = ["GeminiParts"]

_PARTS: Final = "/candidates/0/content/parts"
_BESIDE: Final = frozenset(provider_names.GEMINI_BESIDE)
_NEW: Final = frozenset((*provider_names.GEMINI_SERVER_PARTS, *provider_names.GEMINI_MEDIA))
_FAILED: Final = frozenset({"error", "timeout"})


class GeminiParts:
    """Write the parts of candidate 0; ``answer`` takes its text, for citations.

    What stands beside a text, a function call or media in its part (``thoughtSignature`` first of
    all) is kept under its own name, with the text's range, the call or the media. Of a tool that
    the provider runs, call and result keep their parts whole, as ``part``; so is any other part, at
    its place. What is not of the published form is kept under the member's name.
    """

    def __init__(self, writer: DeltaWriter, log: FindingLog, answer: CitedText) -> None:
        self._writer = writer
        self._log = log
        self._answer = answer
        self._sound: OpenMedia | None = None  # which more of may come
        self._call: OpenCall | None = None  # the last one, open or ended
        self._name: str = ""
        self._id: str | None = None
        self._streamed: StreamedArguments | None = None  # while its pieces are still coming
        self._came: dict[str, tuple[str, str | None]] = {}  # id → name and whole arguments
        self.clashes = False  # a call has come twice, with different arguments

    def read(self, parts: list[Any]) -> None:
        """Read the parts of one event."""
        for number, part in enumerate(parts):
            if self.clashes:
                return
            if type(part) is not dict:
                self._log.invalid(f"{_PARTS}/{number}", "an object", part)
                continue
            text = part.get("text")
            if self._sound is not None and text != "" and "inlineData" not in part:
                self._end_sound()
            if type(text) is str and len(part) == 1:
                self._write("text", text)
            elif type(part.get("functionCall")) is dict:
                self._read_call(part["functionCall"], part, f"{_PARTS}/{number}/functionCall")
            elif type(text) is str and (text or not _beside(part, "text", "thought")):
                self._read_text(text, part)
            elif not (self._writer.says_new and self._read_new(part, f"{_PARTS}/{number}")):
                self._end_sound()
                self._read_other(part, f"{_PARTS}/{number}")

    def finish(self, stopped: bool) -> None:
        """End what is open; ``stopped``: the model came to an end of its own accord.

        If it did not, arguments whose last piece never came are left without their end.
        """
        self._end_sound()
        if self._streamed is None:
            return
        self._log.note(
            "adapter/block-order",
            "The message ends while a tool call is open",
            f"{_PARTS}/0/functionCall/willContinue",
        )
        self._end_call(whole=stopped)

    # --- text and what is kept -------------------------------------------------------------------

    def _write(self, kind: TextKind, text: str) -> None:
        writer = self._writer
        start = writer.chars if writer.kind == kind else 0
        writer.write(kind, text)
        if text and kind == "text":
            self._answer.add(writer.part, start, text)

    def _read_text(self, text: str, part: dict[str, Any]) -> None:
        writer = self._writer
        kind: TextKind = "thinking" if part.get("thought") is True else "text"
        # Text that follows text of its kind joins the part: this one begins inside it.
        start = writer.chars if writer.kind == kind else 0
        self._write(kind, text)
        for name, value in _beside(part, "text", "thought").items():
            writer.keep(name, value, start)

    def _read_other(self, part: dict[str, Any], place: str) -> None:
        """Keep a part that is neither text nor a call: whole, at its place."""
        members = _beside(part, "thought")
        if not members:
            return
        for name, published in (("text", "a string"), ("functionCall", "an object")):
            if name in members and members[name] != "":
                self._log.invalid(f"{place}/{name}", published, members[name])
                self._writer.keep(name, part)
                return
        self._writer.keep("part", part)
        content = next((name for name in members if name not in _BESIDE), None)
        if content in provider_names.GEMINI_SERVER_PARTS:
            value = members[content]
            kind = value.get("toolType") if type(value) is dict else None
            self._log.note(
                "adapter/server-tool-call",
                "The provider executes this tool itself; it is not a tool call of the message",
                f"{place}/{content}",
                actual=clip(kind or content),
            )
        elif content is not None:
            self._log.note(
                "adapter/unsupported-content",
                "The contract has no part for this content; it is kept beside the message",
                place,
                actual=clip(content),
            )

    # --- what the provider runs, and media -------------------------------------------------------

    def _read_new(self, part: dict[str, Any], place: str) -> bool:
        """Read a call or result of a server tool, or media; return whether the part is one."""
        name = next((name for name in part if name in _NEW), None)
        if name is None or type(part[name]) is not dict:
            return False
        place = f"{place}/{name}"
        if name in provider_names.GEMINI_MEDIA:
            if part.get("thought") is True:
                return False  # drafts of the answer's images
            self._read_media(name, part, place)
            return True
        self._end_sound()
        if name in provider_names.GEMINI_SERVER_CALLS:
            self._read_server_call(name, part, place)
            return True
        return self._read_result(name, part, place)

    def _read_server_call(self, name: str, part: dict[str, Any], place: str) -> None:
        value, writer = part[name], self._writer
        call_id = self._log.string(value.get("id"), f"{place}/id") or None
        if name == "executableCode":
            call = writer.open_server_call(call_id, "code_execution")
            given: object = {key: said for key, said in value.items() if key != "id"}
        else:
            tool = self._log.string(value.get("toolType"), f"{place}/toolType")
            call = writer.open_server_call(call_id, tool or UNKNOWN)
            given = value.get("args")
            if given is not None and type(given) is not dict:
                self._log.invalid(f"{place}/args", "an object", given)
        if given is not None:
            writer.args(call, given if isinstance(given, str) else as_json_text(given) or "{")
        writer.keep_with(call, "part", part)
        writer.end_call(call)

    def _read_result(self, name: str, part: dict[str, Any], place: str) -> bool:
        """Write a result; return whether there is a call that it answers."""
        value = part[name]
        said = self._log.string(value.get("outcome"), f"{place}/outcome")
        outcome = provider_names.GEMINI_OUTCOMES.get(said, said)
        result = read_result(value.get("output" if name == "codeExecutionResult" else "response"))
        return self._writer.server_result(
            self._log.string(value.get("id"), f"{place}/id"),
            is_error=outcome in _FAILED,
            content=result.content,
            outcome=outcome,
            structured=result.structured,
            opaque=[("part", part)],
        )

    def _read_media(self, name: str, part: dict[str, Any], place: str) -> None:
        """Read media; sound of one type in a row is one, until a piece has something beside it."""
        value, writer = part[name], self._writer
        mime_type = self._log.string(value.get("mimeType"), f"{place}/mimeType")
        media = self._sound
        if media is None or name != "inlineData" or media.mime_type != mime_type:
            self._end_sound()
            title = self._log.string(value.get("displayName"), f"{place}/displayName")
            if not mime_type:
                self._log.note(
                    "adapter/unknown-media-type",
                    "The media does not say its type; it counts as bytes",
                    f"{place}/mimeType",
                )
            media = writer.open_media(None, mime_type, title)
        self._sound = None
        beside = _beside(part, name)
        if name == "fileData":
            member, uri = "fileUri", self._log.string(value.get("fileUri"), f"{place}/fileUri")
            is_read = writer.end_media(media, url=uri, opaque=beside.items())
        else:
            member, data = "data", value.get("data")
            is_read = writer.media_data(media, data_delta=data) and bool(data)
            if is_read and mime_type.startswith("audio/") and not beside:
                self._sound = media
            else:
                writer.end_media(media, opaque=beside.items() if is_read else ())
        if not is_read:
            self._log.invalid(f"{place}/{member}", "bytes in Base64, or a URI", value.get(member))
            writer.keep(name, part)  # not as "part": no request could send it

    def _end_sound(self) -> None:
        media, self._sound = self._sound, None
        if media is not None:
            self._writer.end_media(media)

    # --- function calls --------------------------------------------------------------------------

    def _read_call(self, call: dict[str, Any], part: dict[str, Any], place: str) -> None:
        name = self._log.string(call.get("name"), f"{place}/name")
        call_id = self._log.string(call.get("id"), f"{place}/id") or None
        if self._streamed is None or not self._is_same(name, call_id):
            if name:
                arguments = _whole_arguments(call)
                if call_id is not None and self._came_again(call_id, name, arguments, place):
                    return
                self._open(name, call_id, place)
            elif self._call is None or any(call.values()):
                self._keep_unnamed(call, part, place)
                return
        if self._call is not None:
            for member, value in _beside(part, "functionCall").items():
                self._writer.keep_with(self._call, member, value)
        if self._streamed is not None:
            self._read_arguments(self._streamed, call, place)

    def _is_same(self, name: str, call_id: str | None) -> bool:
        """Return whether a functionCall goes on with the one whose pieces are still coming."""
        if call_id is not None and self._id is not None:
            return call_id == self._id
        return name in ("", self._name)

    def _came_again(self, call_id: str, name: str, arguments: str | None, place: str) -> bool:
        """Take a call; return whether it has come before: by its id and name."""
        before = self._came.get(call_id)
        if before is None or before[0] != name:
            self._came[call_id] = (name, arguments)
            return False
        self.clashes = self.clashes or arguments is None or arguments != before[1]
        self._log.note(
            "adapter/tool-call-mismatch",
            "A tool call that has come already comes again; it is passed over",
            f"{place}/id",
            expected="an id for each call",
            actual=clip(call_id),
        )
        return True

    def _open(self, name: str, call_id: str | None, place: str) -> None:
        if self._streamed is not None:
            self._log.note(
                "adapter/block-order", "A call begins while more of another one is due", place
            )
            self._end_call(whole=True)
        self._call = self._writer.open_call(call_id, name)
        self._name, self._id = name, call_id
        self._streamed = StreamedArguments()

    def _keep_unnamed(self, call: dict[str, Any], part: dict[str, Any], place: str) -> None:
        """Keep a call that has neither a name nor another one that it could go on with."""
        if any(call.values()):
            self._log.note(
                "adapter/unnamed-tool-call",
                "A tool call without a name cannot be called; it is left out of the message",
                f"{place}/name",
                expected="the tool's name",
                actual=clip(call.get("name")),
            )
        self._writer.keep("functionCall", part)  # not as "part": no request could send it

    def _read_arguments(
        self, streamed: StreamedArguments, call: dict[str, Any], place: str
    ) -> None:
        """Read what a functionCall says about arguments; end the call unless more is to come."""
        goes_on = call.get("willContinue") is True
        pieces = call.get("partialArgs")
        if type(pieces) is list:
            for number, piece in enumerate(pieces):
                self._read_piece(streamed, piece, f"{place}/partialArgs/{number}")
        elif pieces is not None:
            self._log.invalid(f"{place}/partialArgs", "an array", pieces)
            streamed.refuse("pieces that cannot be read")
        args = call.get("args")
        if type(args) is dict:
            if goes_on or streamed.begun:
                streamed.merge(args)
            else:
                self._add(as_json_text(args) or "{")
        elif args is not None:
            self._log.invalid(f"{place}/args", "an object", args)
            if goes_on or streamed.begun:
                streamed.refuse("arguments that are not an object")
            else:
                self._add(args if isinstance(args, str) else as_json_text(args) or "{")
        if not goes_on:
            self._end_call(whole=True)

    def _read_piece(self, streamed: StreamedArguments, piece: object, place: str) -> None:
        before = streamed.broken
        self._add(streamed.add(piece if type(piece) is dict else {}))
        if streamed.broken != before:
            self._log.note(
                "adapter/invalid-event",
                f"The arguments cannot be completed: {streamed.broken}",
                place,
                expected="a piece of a value and its path",
                actual=clip(piece),
            )

    def _add(self, text: str) -> None:
        if text and self._call is not None:
            self._writer.args(self._call, text)

    def _end_call(self, *, whole: bool) -> None:
        """End the call that is open; ``whole``: all of it has come."""
        streamed, call = self._streamed, self._call
        self._streamed = None
        if streamed is None or call is None:
            return
        if streamed.again is not None:
            self._log.note(
                "adapter/block-order",
                "Arguments came back to a member that was complete; it is written again",
                f"{_PARTS}/0/functionCall/partialArgs",
                actual=clip(streamed.again),
            )
        self._add(streamed.end() if whole else streamed.cut())
        self._writer.end_call(call)


def _whole_arguments(call: dict[str, Any]) -> str | None:
    """Return the text of arguments that come with the call, None where they come in pieces."""
    if call.get("willContinue") is True or call.get("partialArgs") is not None:
        return None
    return as_json_text(call.get("args") or {})


def _beside(part: dict[str, Any], *names: str) -> dict[str, Any]:
    """Return the members of a part that are none of ``names``, and not null."""
    return {k: v for k, v in part.items() if k not in names and v is not None}
