"""Messages → turns.

- An assistant's parts are cut where the provider's state begins, ends or stands, so that it can
  be put back; state of another dialect is left out.
- Results of parallel calls stand together, right behind the turn of their calls and in the order
  of these, whatever came in between: no provider takes them elsewhere, and Gemini tells them apart
  by their order.
- Tool call ids are the provider's own where ours was minted, and otherwise such that it takes
  them.
- An approval has one request, and its answer names the call that it approves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from msgspec import UNSET

from partwire.contract.current.message import (
    ApprovalRequest,
    ApprovalRequestPart,
    ApprovalResponsePart,
    MediaPart,
    Message,
    ServerToolCallPart,
    ServerToolResultPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
)
from partwire.errors import clip

from .call_ids import CallIds, Sent
from .citations import note_citations, read_citations
from .notes import Notes
from .server_tools import ServerTools
from .state import Item, note_stray, read_state
from .stretches import stretches
from .turns import (
    Approval,
    AssistantPiece,
    AssistantTurn,
    Call,
    Forms,
    Result,
    State,
    SystemTurn,
    Text,
    Thinking,
    ToolTurn,
    Turn,
    UserPiece,
    UserTurn,
    attachment,
    media_piece,
)

__all__ = ["read_turns"]


def read_turns(messages: list[Message], dialect: str, forms: Forms, notes: Notes) -> list[Turn]:
    """Return the turns of valid messages for a provider of ``dialect``."""
    return _Reader(dialect, forms, notes).read(messages)


class _Answer(NamedTuple):
    """A result, and the number of the call that it answers."""

    call: int
    result: Result


class _Asked(NamedTuple):
    """The call that waits for an approval, and the item that asks for it."""

    call_id: str
    request: Item


class _Reader:
    def __init__(self, dialect: str, forms: Forms, notes: Notes) -> None:
        self._dialect = dialect
        self._forms = forms
        self._notes = notes
        self._ids = CallIds(forms.call_id, notes)
        self._turns: list[Turn] = []
        self._answers: dict[int, list[_Answer]] = {}  # by number of the turn that called
        self._last_spoken = -1  # number of the last turn of system or user
        self._last_answered = 0  # number of the last call that has a result, as calls stand
        self._server = ServerTools(dialect, forms, notes)
        self._asked: dict[tuple[str, str], _Asked] = {}  # own requests, by run and approval id

    def read(self, messages: list[Message]) -> list[Turn]:
        self._server.read(messages)
        for number, message in enumerate(messages):
            pointer = f"/messages/{number}"
            if message.role == "assistant":
                self._turns.append(self._assistant(message, pointer))
            elif message.role == "tool":
                self._tool(message, pointer)
            else:
                self._spoken(message, pointer)
        turns: list[Turn] = []
        for number, turn in enumerate(self._turns):
            turns.append(turn)
            if number in self._answers:
                answers = sorted(self._answers[number], key=lambda answer: answer.call)  # stable
                turns.append(ToolTurn([answer.result for answer in answers]))
        return turns

    def _spoken(self, message: Message, pointer: str) -> None:
        name = self._name(message, pointer)
        approvals = self._approvals(message, pointer)
        pieces = list(self._pieces(message.parts, f"{pointer}/parts"))
        if approvals or not _is_answer(message.parts):
            self._last_spoken = len(self._turns)
            turn: Turn = UserTurn(pieces, pointer, name, approvals)
            if message.role == "system":
                texts = [piece for piece in pieces if isinstance(piece, Text)]
                turn = SystemTurn(texts, pointer, name)
            self._turns.append(turn)

    def _name(self, message: Message, pointer: str) -> str:
        """Return the name of the author as the provider takes it, "" without one."""
        if message.author is UNSET:
            return ""
        form, author = self._forms.author, message.author
        given = [] if author.agent_path is UNSET else author.agent_path[-1:]
        name = next((each for each in (author.name, *given) if each is not UNSET), "")
        if form is None or message.role == "tool":
            self._notes.add(
                "encode/author-left-out",
                "The provider's format has no place for the author; it is left out",
                f"{pointer}/author",
            )
            return ""
        if not name or form.fits(name):
            return name
        made = form.fitted(name, message.run_id)
        self._notes.add(
            "encode/renamed-author",
            "The provider does not take the name of the author; it is sent as another",
            f"{pointer}/author",
            expected=f"at most {form.chars} characters that it takes",
            actual=clip(name),
        )
        return made

    def _approvals(self, message: Message, pointer: str) -> tuple[Approval, ...]:
        """Return the answers to requests of the provider's own; others are noted."""
        approvals = []
        for number, part in enumerate(message.parts):
            if not isinstance(part, ApprovalResponsePart):
                continue
            place, payload = f"{pointer}/parts/{number}", part.payload
            asked = self._asked.get((message.run_id, payload.approval_id))
            if asked is None:
                self._notes.approval_left_out(place)
            elif asked.call_id != payload.tool_call_id:
                why = "The answer names another call than its request"
                self._notes.approval_left_out(place, why)
            else:
                approvals.append(Approval(payload, asked.request, place))
        return tuple(approvals)

    def _pieces(self, parts: list[Any], pointer: str) -> Iterator[UserPiece]:
        """Yield the pieces of what a user, a system message or a tool says."""
        for number, part in enumerate(parts):
            place = f"{pointer}/{number}"
            note_stray(getattr(part, "payload", None), place, self._notes)
            if isinstance(part, TextPart):
                note_citations(part.payload, place, self._notes)
                if part.payload.text:
                    yield Text(part.payload.text, place)
            elif isinstance(part, ApprovalResponsePart):
                continue  # see _approvals
            elif (media := media_piece(part, place)) is not None:
                yield media
            elif isinstance(part, ThinkingPart):
                self._notes.add(
                    "encode/thinking-left-out",
                    "Reasoning of a system message goes to no provider; it is left out",
                    place,
                )
            else:
                self._unknown(part, place)

    def _unknown(self, part: Any, place: str) -> None:
        """Note an Unknown: every part that is known stands where its role may have it."""
        self._notes.unsupported_part(place, "a part that this version knows", part.tag)

    # --- the assistant ---------------------------------------------------------------------------

    def _assistant(self, message: Message, pointer: str) -> AssistantTurn:
        name = self._name(message, pointer)
        state = read_state(message, pointer, self._dialect, self._notes)
        is_own = state.known
        pieces: list[AssistantPiece] = []
        for number, part in enumerate(message.parts):
            items = state.parts.get(number, [])
            place = f"{pointer}/parts/{number}"
            if isinstance(part, ThinkingPart) and number in state.foreign and not items:
                self._leave_out(part, place)
                continue
            if isinstance(part, TextPart):
                citing, dialect = self._forms.citing, self._dialect
                cited = read_citations(part.payload, place, items, dialect, citing, self._notes)
                is_own |= bool(cited)
                items = [*items, *cited]
            if isinstance(part, (TextPart, ThinkingPart)):
                pieces += self._cut(part, place, items)
                continue
            pieces += (State(item) for item in items if item.start is not None)
            mine = tuple(item for item in items if item.start is None)
            if isinstance(part, (ServerToolCallPart, ServerToolResultPart)):
                if self._server.goes_back(message.run_id, part):
                    pieces += map(State, mine)
                elif text := self._server.text(message.run_id, part, place):
                    pieces.append(Text(text, place, alone=True))
            elif isinstance(part, ApprovalRequestPart):
                pieces += self._ask(message.run_id, part.payload, place, mine)
            elif isinstance(part, MediaPart):
                pieces.append(attachment(part, place, mine))
            elif isinstance(part, ToolCallPart):
                own = state.call_ids.get(number, "")
                pieces.append(self._call(message.run_id, part.payload, place, mine, own))
            elif (media := media_piece(part, place)) is not None:
                pieces.append(media)
            else:
                self._unknown(part, place)
        pieces += map(State, state.parts.get(len(message.parts), []))
        meta = {} if message.meta is UNSET else message.meta
        return AssistantTurn(pieces, pointer, is_own, meta, name)

    def _cut(
        self, part: TextPart | ThinkingPart, place: str, items: list[Item]
    ) -> Iterator[AssistantPiece]:
        """Yield text or reasoning, cut where its state says."""
        is_text = isinstance(part, TextPart)
        make = Text if is_text else Thinking
        blank = self._forms.blank or not is_text
        for stretch in stretches(part.payload.text, items, blank=blank):
            if stretch.text:
                yield make(stretch.text, place, stretch.items)
            else:
                yield from map(State, stretch.items)

    def _ask(
        self, run_id: str, payload: ApprovalRequest, place: str, mine: tuple[Item, ...]
    ) -> Iterator[State]:
        """Yield the provider's own request for approval; any other is noted, and so is a second."""
        request = next((item for item in mine if item.kind == self._forms.approvals), None)
        key = run_id, payload.approval_id
        if request is None:
            self._notes.approval_left_out(place)
        elif key in self._asked:
            self._notes.approval_left_out(place, "The approval has its request already")
        else:
            self._asked[key] = _Asked(payload.tool_call_id, request)
            beside = {
                "reason": payload.reason,
                "choices": payload.choices,
                "requestedAt": payload.requested_at,
            }
            self._notes.approval_members(place, beside)
            yield from map(State, mine)

    def _leave_out(self, part: ThinkingPart, place: str) -> None:
        if part.payload.text:
            self._notes.add(
                "encode/thinking-left-out",
                "Reasoning goes back only to the vendor that it came from; it is left out",
                place,
            )

    def _call(
        self, run_id: str, payload: Any, place: str, items: tuple[Item, ...], own: str | None
    ) -> Call:
        """Return a call; ``own`` is the provider's id of it, None where it gave none."""
        name, form = payload.tool_name, self._forms.tool_name
        if not form.fits(name):
            name = form.fitted(name)
            self._notes.add(
                "encode/renamed-tool",
                "The provider does not take the name of the called tool; it is sent as another",
                f"{place}/payload/toolName",
                expected=f"at most {form.chars} characters that it takes",
                actual=clip(payload.tool_name),
            )
        pointer = f"{place}/payload/toolCallId"
        call_id = self._ids.add(run_id, payload.tool_call_id, own, name, len(self._turns), pointer)
        raw = None if payload.raw_args_text is UNSET else payload.raw_args_text
        return Call(call_id, name, payload.arguments, raw, place, items, own is None)

    # --- tools -----------------------------------------------------------------------------------

    def _tool(self, message: Message, pointer: str) -> None:
        self._name(message, pointer)
        for number, part in enumerate(message.parts):
            place = f"{pointer}/parts/{number}"
            if isinstance(part, ToolResultPart):
                self._result(message.run_id, part.payload, place)
            elif not isinstance(part, ApprovalResponsePart):
                self._unknown(part, place)
        if approvals := self._approvals(message, pointer):
            self._turns.append(UserTurn([], pointer, approvals=approvals))

    def _result(self, run_id: str, payload: Any, place: str) -> None:
        content = payload.content
        if isinstance(content, list):
            content = list(self._pieces(content, f"{place}/payload/content"))
        call = self._ids.find(run_id, payload.tool_call_id)
        if call is None:
            self._orphan(payload, content, place)
            return
        self._note_move(call, place)
        result = Result(call.call_id, call.name, payload.is_error, content, place)
        self._answers.setdefault(call.turn, []).append(_Answer(call.number, result))

    def _note_move(self, call: Sent, place: str) -> None:
        message = ""
        if self._last_spoken > call.turn:
            message = "The result is sent right behind its call: no provider takes it elsewhere"
        elif self._last_answered > call.number:
            message = "The result is sent before those of later calls: results go as their calls do"
        self._last_answered = max(self._last_answered, call.number)
        if message:
            self._notes.add("encode/moved-tool-result", message, place)

    def _orphan(self, payload: Any, content: Any, place: str) -> None:
        self._notes.add(
            "encode/orphan-tool-result",
            "The result answers no call before it; it is sent as it is",
            f"{place}/payload/toolCallId",
            expected="a call in an earlier message",
            actual=clip(payload.tool_call_id),
        )
        if not self._turns or not isinstance(self._turns[-1], ToolTurn):
            self._turns.append(ToolTurn([]))
        turn = self._turns[-1]
        assert isinstance(turn, ToolTurn)
        call_id = self._ids.orphan(payload.tool_call_id)
        turn.results.append(Result(call_id, "", payload.is_error, content, place))


def _is_answer(parts: list[Any]) -> bool:
    """Return whether a message answers requests for approval, and says nothing else."""
    return bool(parts) and all(isinstance(part, ApprovalResponsePart) for part in parts)
