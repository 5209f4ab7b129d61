"""Builds messages of a session: info first, then the parts in their order, then the whole.

Not thread-safe, unlike the tool states: a builder belongs to whoever writes the message.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, Unpack

import msgspec
from msgspec.structs import replace

from partwire.contract.current.session import (
    AssistantInfo,
    FilePart,
    FilePartSource,
    MessagePath,
    ModelRef,
    Part,
    ReasoningPart,
    StepFinishPart,
    StepStartPart,
    TextPart,
    TextTime,
    TokenStats,
    ToolPart,
    ToolState,
    ToolStatus,
    UserInfo,
    UserSummary,
    WithParts,
)
from partwire.contract.ids import uuid7
from partwire.errors import Finding, ReadError, bad_argument, clip
from partwire.reading.pipeline import read, validate

from .copies import copied, owned
from .errors import Ids, part_refused
from .parts import (
    MakeId,
    create_file_part,
    create_reasoning_part,
    create_step_finish_part,
    create_step_start_part,
    create_text_part,
    create_tool_part,
)
from .transitions import StateFields, follow, move
from .validation import placeholder_findings

__all__ = ["WithPartsBuilder", "call_id_of", "message_findings"]


# --- rules of a finished message ------------------------------------------------------------------


def message_findings(
    document: dict[str, Any], *, finished: bool, compacting: bool
) -> list[Finding]:
    """Return what is wrong with a message: the schema's findings first, then those of building.

    ``document`` holds an object ``info`` and an array ``parts``, whatever is in them.
    """
    found = validate(document, "session.WithParts")
    info, parts = document["info"], document["parts"]
    if "summary" in info and not compacting:
        found.append(_summary_finding())
    if finished and info.get("role") == "assistant":
        found += _completion_findings(info, parts)
    for index, part in enumerate(parts):
        found += placeholder_findings(part, f"/parts/{index}")
    return found


def _summary_finding() -> Finding:
    return Finding(
        "session/summary-without-compaction",
        "A summary is made only when the context is compacted",
        "/info/summary",
        expected="no summary, or a builder made with compacting=True",
    )


def _completion_findings(info: dict[str, Any], parts: list[Any]) -> list[Finding]:
    time = info.get("time")
    if isinstance(time, dict) and "completed" not in time:
        message = "The message is finished, and does not say since when"
        return [
            Finding("session/not-completed", message, "/info/time", expected="a member completed")
        ]
    return [
        Finding(
            "session/completed-early",
            "The message is complete, and a tool call of it is not",
            f"/parts/{index}/state/status",
            expected="completed, error or denied",
            actual=clip(status),
        )
        for index, part in enumerate(parts)
        if (status := _status_of(part)) in ("pending", "awaiting_approval", "running")
    ]


def _status_of(part: Any) -> Any:
    state = part.get("state") if isinstance(part, dict) else None
    return state.get("status") if isinstance(state, dict) else None


def call_id_of(part: Any) -> str | None:
    """Return the call id of a tool part; None for other parts, and for one that is not a string."""
    if isinstance(part, ToolPart):
        return part.call_id
    if isinstance(part, dict) and part.get("type") == "tool":
        given = part.get("callID")
        return given if isinstance(given, str) else None
    return None


# --- the builder ----------------------------------------------------------------------------------

JsonObject = dict[str, Any]

P = TypeVar("P")

_NO_TOKENS = {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}}


class WithPartsBuilder:
    """Collects one message of a session.

    What it takes and what it returns are copies: nothing that is done to them changes the message.
    ``info`` is a struct, or a JSON object that need not be complete yet: an assistant's cost and
    tokens come with :meth:`set_usage`, and the end with :meth:`complete`. ``session_id`` is what
    the parts get that are made here, and ``make_id`` makes their ids. A user's message may have a
    summary only where ``compacting`` says that the context is being compacted.
    """

    def __init__(
        self,
        info: UserInfo | AssistantInfo | JsonObject,
        session_id: str,
        *,
        compacting: bool = False,
        make_id: MakeId = uuid7,
    ) -> None:
        given = copied(info)
        if not isinstance(given, dict):
            raise bad_argument("Info is a struct or a JSON object", "an object", given)
        self._info: JsonObject = given
        self._session_id = session_id
        self._compacting = compacting
        self._make_id = make_id
        self._parts: list[Any] = []
        self._calls: dict[str, int] = {}

    @classmethod
    def for_user(
        cls,
        session_id: str,
        *,
        created: int,
        agent: str,
        model: ModelRef,
        message_id: str | None = None,
        compacting: bool = False,
        make_id: MakeId = uuid7,
    ) -> WithPartsBuilder:
        """Return a builder for a user's message; its id is made by ``make_id`` if none is given.

        What else a user's info may hold (system, tools, variant) takes a UserInfo.
        """
        info = {
            "id": make_id() if message_id is None else message_id,
            "role": "user",
            "time": {"created": created},
            "agent": agent,
            "model": model,
        }
        return cls(info, session_id, compacting=compacting, make_id=make_id)

    @classmethod
    def for_assistant(
        cls,
        session_id: str,
        *,
        created: int,
        agent: str,
        path: MessagePath,
        message_id: str | None = None,
        make_id: MakeId = uuid7,
    ) -> WithPartsBuilder:
        """Return a builder for an assistant's message, whose cost and tokens are to come."""
        info = {
            "id": make_id() if message_id is None else message_id,
            "role": "assistant",
            "time": {"created": created},
            "agent": agent,
            "path": path,
        }
        return cls(info, session_id, make_id=make_id)

    @property
    def session_id(self) -> str:
        """The session of the parts that are made here."""
        return self._session_id

    @property
    def message_id(self) -> str:
        """The message's id."""
        given = self._info.get("id")
        return given if isinstance(given, str) else ""

    @property
    def parts(self) -> tuple[Part | JsonObject, ...]:
        """Copies of the parts so far, in order; one that is not valid is a JSON object."""
        return tuple(_copy_of(part) for part in self._parts)

    # --- parts ----------------------------------------------------------------------------------

    def add(self, part: Part | JsonObject) -> None:
        """Put a part behind the others; what is wrong with it is said by :meth:`build`.

        Raises PartValidationError ``session/duplicate-tool-call``: calls are distinguished by id.
        """
        document = copied(part)
        try:
            self._append(read(document, "session.Part"))
        except ReadError:
            self._append(document)

    def add_text(
        self,
        text: str,
        *,
        synthetic: bool | None = None,
        ignored: bool | None = None,
        time: TextTime | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> TextPart:
        """Add a text part; as the other ``add_…``, returns it and raises PartValidationError."""
        return self._append(
            create_text_part(
                *self._ids,
                text,
                synthetic=synthetic,
                ignored=ignored,
                time=time,
                metadata=metadata,
                make_id=self._make_id,
            )
        )

    def add_reasoning(
        self,
        text: str,
        *,
        start: int,
        end: int | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> ReasoningPart:
        """Add a reasoning part; times in milliseconds since the epoch."""
        return self._append(
            create_reasoning_part(
                *self._ids, text, start=start, end=end, metadata=metadata, make_id=self._make_id
            )
        )

    def add_step_start(self, *, snapshot: str | None = None) -> StepStartPart:
        """Add the begin of a step."""
        return self._append(
            create_step_start_part(*self._ids, snapshot=snapshot, make_id=self._make_id)
        )

    def add_tool(
        self,
        call_id: str,
        tool: str,
        state: ToolState,
        *,
        metadata: Mapping[str, Any] | None = None,
    ) -> ToolPart:
        """Add a tool call; raises as :meth:`add` for an id that another call has."""
        return self._append(
            create_tool_part(
                *self._ids, call_id, tool, state, metadata=metadata, make_id=self._make_id
            )
        )

    def add_step_finish(
        self, reason: str, cost: float, tokens: TokenStats, *, snapshot: str | None = None
    ) -> StepFinishPart:
        """Add the end of a step; ``cost`` in US dollars."""
        return self._append(
            create_step_finish_part(
                *self._ids, reason, cost, tokens, snapshot=snapshot, make_id=self._make_id
            )
        )

    def add_file(
        self,
        mime: str,
        url: str,
        *,
        filename: str | None = None,
        source: FilePartSource | None = None,
    ) -> FilePart:
        """Add a file."""
        return self._append(
            create_file_part(
                *self._ids, mime, url, filename=filename, source=source, make_id=self._make_id
            )
        )

    @property
    def _ids(self) -> tuple[str, str]:
        return self._session_id, self.message_id

    def _append(self, part: P) -> P:
        """Keep ``part``, and return a copy of it."""
        call_id = call_id_of(part)
        if call_id is not None:
            if call_id in self._calls:
                finding = Finding(
                    "session/duplicate-tool-call",
                    "The message has a call of this id already",
                    f"/parts/{len(self._parts)}/callID",
                    expected="a different id",
                    actual=clip(call_id),
                )
                raise part_refused([finding], self._log_ids(call_id))
            self._calls[call_id] = len(self._parts)
        self._parts.append(part)
        return _copy_of(part)

    # --- tool states ----------------------------------------------------------------------------

    def move(self, call_id: str, to: ToolStatus, **fields: Unpack[StateFields]) -> ToolPart:
        """Move the state of a call on, as ``transition`` does; the title falls back to the tool.

        The part is replaced at its place by one that differs in ``state`` alone. Pointers of what
        is raised lead into the state. Raises as ``transition``, and PartValidationError
        ``session/unknown-tool-call``.
        """
        index, part = self._tool_part(call_id)
        if to == "completed" and fields.get("tool") is None:
            fields["tool"] = part.tool
        return self._replace(index, move(part.state, to, fields, self._log_ids(call_id)))

    def set_state(self, call_id: str, state: ToolState) -> ToolPart:
        """Put a state that was made elsewhere in the place of the call's; it has to be allowed.

        It keeps input and start. Raises as :meth:`move`.
        """
        index, part = self._tool_part(call_id)
        return self._replace(index, follow(part.state, state, self._log_ids(call_id)))

    def _tool_part(self, call_id: Any) -> tuple[int, ToolPart]:
        index = self._calls.get(call_id) if isinstance(call_id, str) else None
        if index is None:
            finding = Finding(
                "session/unknown-tool-call",
                "The message has no call of this id",
                expected="the id of a tool part",
                actual=clip(call_id),
            )
            raise part_refused([finding], self._log_ids(call_id))
        part = self._parts[index]
        if not isinstance(part, ToolPart):
            found = validate(part, "session.Part")
            moved = [each._replace(pointer=f"/parts/{index}{each.pointer}") for each in found]
            raise part_refused(moved, self._log_ids(call_id))
        return index, part

    def _replace(self, index: int, state: ToolState) -> ToolPart:
        part: ToolPart = self._parts[index]
        if state is not part.state:
            self._parts[index] = part = replace(part, state=state)
        return _copy_of(part)

    # --- info -----------------------------------------------------------------------------------

    def set_usage(self, cost: float, tokens: TokenStats | JsonObject) -> None:
        """Take cost (US dollars) and tokens of an assistant's message, as the provider reports."""
        self._only("assistant", "cost and tokens")
        self._info.update(cost=cost, tokens=copied(tokens))

    def set_summary(self, summary: UserSummary | JsonObject) -> None:
        """Give a user's message its summary, while the context is compacted."""
        self._only("user", "a summary")
        self._info["summary"] = copied(summary)

    def complete(self, at: int) -> None:
        """Say that the message has been complete since ``at``, in milliseconds since the epoch."""
        time = self._info.get("time")
        self._info["time"] = {**(time if isinstance(time, dict) else {}), "completed": at}

    def _only(self, role: str, what: str) -> None:
        if self._info.get("role") != role:
            message = f"Only the message of a role {role} has {what}"
            raise bad_argument(message, role, self._info.get("role"))

    # --- the message ----------------------------------------------------------------------------

    def check(self) -> list[Finding]:
        """Return what :meth:`build` would find, errors and warnings; empty if nothing."""
        document = self._document()
        return message_findings(document, finished=True, compacting=self._compacting)

    def build(self) -> WithParts:
        """Return the finished message, which shares nothing with the builder.

        Raises PartValidationError with every error found: BR-01 to BR-04 and BR-06 to BR-10 by the
        schema, and those of what makes a message finished: a summary without compaction (BR-11),
        no cost or tokens (BR-12, BR-13), no time of completion, or a call that still runs (BR-14).
        """
        return self._built(self._document(), finished=True)

    def build_partial(self) -> WithParts:
        """Return the message as far as it is: for storing while it is being written.

        It may lack the time of completion and have calls that run. Cost and tokens are 0 as long
        as nothing is known. Raises PartValidationError.
        """
        document = self._document()
        if self._info.get("role") == "assistant":
            document["info"] = {"cost": 0, "tokens": _NO_TOKENS, **document["info"]}
        return self._built(document, finished=False)

    def _document(self) -> JsonObject:
        document: JsonObject = copied({"info": self._info, "parts": self._parts})
        return document

    def _built(self, document: JsonObject, *, finished: bool) -> WithParts:
        found = message_findings(document, finished=finished, compacting=self._compacting)
        errors = [finding for finding in found if finding.severity == "error"]
        if errors:
            raise part_refused(errors, self._log_ids(None))
        built: WithParts = read(document, "session.WithParts")
        return built

    def _log_ids(self, call_id: object) -> Ids:
        return {"call": call_id, "message": self.message_id, "session": self._session_id}


def _copy_of(part: P) -> P:
    """Return a copy of a part that the builder has made, or has found not to be a part."""
    if isinstance(part, msgspec.Struct):
        return owned(part, "session.Part")
    copy: P = copied(part)
    return copy
