"""Messages as training data: a list of lines, each the conversation of one run.

What a line does not say is not guessed: it is read back, and what differs is reported, or kept in
its member ``partwire``.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from partwire.losses import in_order

from ..core.compared import Losses, compare
from ..core.extension import PARTWIRE, changes
from ..core.kept import kept_by
from ..core.reading import Json
from ..core.writing import Written
from .read import read_back
from .shapes import Entries, chat_entries, sharegpt_entries
from .values import OWN, listed_tools

__all__ = ["write"]

_SHAREGPT = "sharegpt"


def write(messages: list[Json], version: str, *, extensions: bool = False) -> Written:
    """Return the lines of a history, a list with one for each run, and what they do not say.

    Messages of a run that stand apart are one line all the same, which is reported.
    """
    runs: dict[str, dict[int, Json]] = {}
    losses = Losses()
    for number, message in enumerate(messages):
        run = message["runId"]
        if run in runs and messages[number - 1]["runId"] != run:
            losses.note("part-order", f"/{number}")
        runs.setdefault(run, {})[number] = message
    lines = [_line(run, version, losses, extensions=extensions) for run in runs.values()]
    return Written(lines, in_order(losses.found))


def _line(messages: dict[int, Json], version: str, losses: Losses, *, extensions: bool) -> Json:
    made = {number: _entries(message, version) for number, message in messages.items()}
    line = _beside(messages, version)
    first = next(iter(messages))
    system = _system(messages[first]) if version == _SHAREGPT else None
    if system is not None:
        made[first] = Entries([])
        line["system"] = system
    files: dict[str, list[str]] = {}
    for kind, where in chain.from_iterable(entries.files for entries in made.values()):
        files.setdefault(f"{kind}s", []).append(where)
    line |= files
    name = "conversations" if version == _SHAREGPT else "messages"
    line = {name: [each for entries in made.values() for each in entries.entries], **line}
    back = read_back(line)
    if extensions:
        line[PARTWIRE] = changes(list(messages.values()), back)
        return line
    if version == _SHAREGPT:
        _name_calls(messages, back, losses)
    start = 0
    for number, message in messages.items():
        count = 1 if number == first and system is not None else len(made[number].entries)
        if count:
            gone = {(0, at) for at in made[number].left_out}
            theirs = back[start : start + count]
            compare({number: message}, theirs, losses, own="finetune", left_out=gone)
        else:
            losses.note("message-form", f"/{number}")
        start += count
    return line


def _entries(message: Json, version: str) -> Entries:
    if version == _SHAREGPT:
        return sharegpt_entries(message)
    return chat_entries(message, is_template=version == "messages")


def _beside(messages: dict[int, Json], version: str) -> Json:
    """Return what stood beside the messages of the line that they come from."""
    kept: Any = next(
        (own["line"] for m in messages.values() if "line" in (own := kept_by(m, OWN))), {}
    )
    line = {n: v for n, v in kept.items() if n not in _TAKEN} if isinstance(kept, dict) else {}
    if "tools" in line and version != "messages":
        line["tools"] = listed_tools(line["tools"], as_text=version == _SHAREGPT)
    return line


_TAKEN = ("messages", "conversations", "system", PARTWIRE)


def _system(message: Json) -> str | None:
    """Return the system prompt that stood beside the messages of its line."""
    is_member = message["role"] == "system" and kept_by(message, OWN).get("member") == "system"
    if not is_member or len(message["parts"]) != 1:
        return None
    text: str = message["parts"][0]["payload"]["text"]
    return text or None


def _name_calls(messages: dict[int, Json], back: list[Json], losses: Losses) -> None:
    """Give calls that are read back the ids of ours, which ShareGPT has no place for."""
    ours = [
        (f"/{number}/parts/{at}", part["payload"]["toolCallId"])
        for number, message in messages.items()
        for at, part in enumerate(message["parts"])
        if part["kind"] == "tool_call"
    ]
    theirs = [part["payload"] for each in back for part in each["parts"] if _is_call(part)]
    if len(ours) != len(theirs):
        return
    named = {}
    for (place, own), payload in zip(ours, theirs, strict=True):
        named[payload["toolCallId"]] = own
        if payload["toolCallId"] != own:
            losses.note("part-form", f"{place}/payload/toolCallId")
    ids = set(named.values())
    for number, message in messages.items():
        for at, part in enumerate(message["parts"]):
            if part["kind"] == "tool_result" and part["payload"]["toolCallId"] in ids:
                losses.note("part-form", f"/{number}/parts/{at}/payload/toolCallId")
    for each in back:
        for part in each["parts"]:
            call_id = part["payload"].get("toolCallId")
            if call_id in named:
                part["payload"]["toolCallId"] = named[call_id]


def _is_call(part: Json) -> bool:
    return bool(part["kind"] == "tool_call")
