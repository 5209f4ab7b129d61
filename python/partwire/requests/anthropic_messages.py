"""Anthropic Messages: the contract's messages and configuration → a request body.

- System prompt and system messages are ``system`` blocks. A system message behind others moves
  there (``encode/moved-system``): models before the newest take none among the messages.
- Messages of one side in a row become one; tool results stand first in the user's, all results of
  parallel calls in one. What is left empty is left out.
- Reasoning goes back with its signature, at its place, and not without; redacted thinking, server
  tools with their results and whatever else the provider had stands where it stood.
- Images, PDF and text go inline, by URL or uploaded, from users and tools; not from assistants.
- The provider needs ``max_tokens``: without one it is 4,096, which every model takes, beyond the
  thinking budget if there is one (``encode/default-max-tokens``).
- ``cacheConfig`` marks the last tool, the last system block and the last block of the last message.

Source: https://docs.anthropic.com/en/api/messages; requirements S001-02.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar, Final

from .anthropic_content import AnthropicContent
from .blocks import BlockEncoder, Draft, Json
from .call_ids import Form
from .inputs import Request
from .notes import Notes
from .turns import AssistantTurn, Forms, State, UserTurn

__all__ = ["AnthropicMessagesEncoder"]

DEFAULT_MAX_TOKENS: Final = 4096
_NAME: Final = re.compile(r"[A-Za-z0-9_-]+")
_THINKING: Final = frozenset({"thinking", "redacted_thinking"})
_SERVER_CALLS: Final = frozenset({"server_tool_use", "mcp_tool_use"})
_SERVER_RESULT: Final = "_tool_result"


class AnthropicMessagesEncoder(BlockEncoder):
    """Encoder of one Anthropic Messages request; see :class:`~.encoder.RequestEncoder`."""

    dialect: ClassVar[str] = "anthropic-messages"
    forms: ClassVar[Forms] = Forms(call_id=Form(_NAME, 64), tool_name=Form(_NAME, 128))

    def __init__(self, request: Request, notes: Notes) -> None:
        super().__init__(request, notes)
        self._content = AnthropicContent(notes)

    def body(self) -> dict[str, Any]:
        """Return the members of the body that the contract's own values make."""
        request = self.request
        system, drafts = self._messages()
        body: dict[str, Any] = {
            "model": request.model_id,
            "messages": [
                {"role": draft.role, "content": [block.body for block in draft.content]}
                for draft in drafts
            ],
        }
        if system:
            body["system"] = system
        body |= self._tools()
        if request.cache:
            _mark(body)
        return body | self._sampling()

    def defaults(self) -> dict[str, Any]:
        """Return ``stream``, ``container`` where it is due, and ``max_tokens`` without a limit."""
        defaults: dict[str, Any] = {"stream": True, **self._container()}
        given = self.request.extensions
        if self.request.max_tokens is None and "max_tokens" not in given:
            thinking = given.get("thinking")
            budget = thinking.get("budget_tokens") if isinstance(thinking, dict) else None
            tokens = DEFAULT_MAX_TOKENS + (budget if type(budget) is int else 0)
            defaults["max_tokens"] = tokens
            self.notes.add(
                "encode/default-max-tokens",
                "The provider needs a limit for the answer, and the configuration has none",
                "/config",
                expected="maxTokens",
                actual=str(tokens),
            )
        return defaults

    # --- messages --------------------------------------------------------------------------------

    def _leave_out_dangling(self, drafts: list[Draft]) -> None:
        """Leave out server tools' calls without a result, and results without a call.

        A call may wait in the last answer: it was paused, or waits for tools of ours.
        """
        last = max((n for n, d in enumerate(drafts) if d.role == "assistant"), default=-1)
        is_open = last + 1 == len(drafts) or bool(drafts[last + 1].results)
        bodies = [block.body for draft in drafts for block in draft.blocks]
        answered = {str(each.get("tool_use_id")) for each in bodies if _is_server_result(each)}
        called: set[str] = set()
        for number, draft in enumerate(drafts):
            kept = []
            for block in draft.blocks:
                body, call_id = block.body, str(block.body.get("id"))
                if body["type"] in _SERVER_CALLS:
                    called.add(call_id)
                    is_due = call_id in answered or (number == last and is_open)
                else:
                    is_due = not _is_server_result(body) or str(body.get("tool_use_id")) in called
                if is_due:
                    kept.append(block)
                else:
                    self._note_dangling(block.pointer, body["type"])
            draft.blocks = kept

    def _is_thinking(self, body: Json) -> bool:
        return body["type"] in _THINKING

    # --- tools and configuration -----------------------------------------------------------------

    def _tools(self) -> dict[str, Any]:
        members: dict[str, Any] = {}
        tools = []
        for _, spec, schema in self.tools():
            tool: Json = {"name": spec.name, "input_schema": schema}
            if isinstance(spec.description, str):
                tool["description"] = spec.description
            if isinstance(spec.strict, bool):
                tool["strict"] = spec.strict
            tools.append(tool)
        if tools:
            members["tools"] = tools
        choice = self.request.choice
        if choice is not None and self.choice_holds({tool["name"] for tool in tools}):
            mode = "any" if choice.mode == "required" else choice.mode
            name = {"name": choice.tool_name} if choice.mode == "tool" else {}
            members["tool_choice"] = {"type": mode, **name}
        return members

    def _sampling(self) -> dict[str, Any]:
        members = self.sampling("max_tokens", "top_p", most=1)
        stops = []
        for number, stop in enumerate(self.request.stop_sequences):
            if stop.strip():
                stops.append(stop)
            else:
                place = f"/config/stopSequences/{number}"
                self.notes.unsupported_config(place, "more than white space", stop)
        if stops:
            members["stop_sequences"] = stops
        return members

    def _container(self) -> dict[str, Any]:
        """Return the container of the last answer, where that answer goes on.

        One that is not asked for may have expired, and then the request would be refused.
        """
        found: dict[str, Any] = {}
        spoken = [turn for turn in self.turns if isinstance(turn, (UserTurn, AssistantTurn))]
        for turn in spoken:
            if not isinstance(turn, AssistantTurn):
                continue
            for piece in turn.pieces:
                if not isinstance(piece, State) or piece.item.kind != "container":
                    continue
                data = piece.item.data
                container = data.get("id") if isinstance(data, dict) else None
                if not isinstance(container, str):
                    self.notes.malformed(piece.item.pointer, "a container with an id", data)
                elif turn is spoken[-1]:
                    found["container"] = container
                else:
                    self.notes.response_only(piece.item.pointer, "container")
        return found


def _is_server_result(body: Json) -> bool:
    return str(body["type"]).endswith(_SERVER_RESULT) and body["type"] != "tool_result"


def _mark(body: dict[str, Any]) -> None:
    """Mark the last tool, the last system block and the last block for the prompt cache."""
    marked = [body[name][-1] for name in ("tools", "system") if name in body]
    if body["messages"]:  # reasoning, which cannot be marked, is never the last block
        marked.append(body["messages"][-1]["content"][-1])
    for block in marked:
        block["cache_control"] = {"type": "ephemeral"}
