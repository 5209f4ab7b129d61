"""Histories for tests: clean ones of any shape, the same with a defect, and mere soup."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

Json = dict[str, Any]
Place = tuple[str, str]

AT = "2026-01-02T03:04:05Z"
_PLAIN = ("text", "thinking", "image", "file_ref", "media")
_APPROVALS = ("approval_request", "approval_response")
KINDS = (
    *_PLAIN,
    "tool_call",
    "tool_result",
    "server_tool_call",
    "server_tool_result",
    *_APPROVALS,
)
ALLOWED = {
    "system": {"text", "thinking"},
    "user": {"text", "image", "file_ref", "media", "approval_response"},
    "assistant": {
        *_PLAIN,
        "tool_call",
        "server_tool_call",
        "server_tool_result",
        "approval_request",
    },
    "tool": {"tool_result", "approval_response"},
}
ID = "/payload/toolCallId"
APPROVAL = "/payload/approvalId"


def message(role: str, *parts: Json, run: str = "run_1", **members: Any) -> Json:
    return {"runId": run, "role": role, "parts": list(parts), "timestamp": AT, **members}


def text(content: str = "Hi") -> Json:
    return {"kind": "text", "payload": {"text": content}}


def call(call_id: str, mark: str = "") -> Json:
    payload = {"toolCallId": call_id, "toolName": "ls", "arguments": {"mark": mark}}
    return {"kind": "tool_call", "payload": payload}


def result(call_id: str, mark: str = "") -> Json:
    payload = {"toolCallId": call_id, "isError": False, "content": mark}
    return {"kind": "tool_result", "payload": payload}


def request(approval_id: str, call_id: str, mark: str = "") -> Json:
    payload = {"approvalId": approval_id, "toolCallId": call_id, "reason": mark}
    return {"kind": "approval_request", "payload": payload}


def response(approval_id: str, call_id: str, decision: str = "approved", mark: str = "") -> Json:
    payload = {
        "approvalId": approval_id,
        "toolCallId": call_id,
        "decision": decision,
        "reason": mark,
    }
    return {"kind": "approval_response", "payload": payload}


def of_server(made: Json) -> Json:
    """The same call or result, of a tool that the provider runs."""
    return {**made, "kind": f"server_{made['kind']}"}


def part(kind: str, call_id: str, mark: str) -> Json:
    """A part of any kind that holds ``mark`` and, if it is about a call, the id."""
    plain = kind.removeprefix("server_")
    if plain in ("tool_call", "tool_result"):
        made = call(call_id, mark) if plain == "tool_call" else result(call_id, mark)
        return made if plain == kind else of_server(made)
    chance = sum(map(ord, mark))
    if kind in _APPROVALS:
        decision = ("approved", "approved", "denied", "expired", "Approved")[chance % 5]
        approval_id = "pqr"[chance % 3]
        if kind == "approval_request":
            made = request(approval_id, call_id, mark)
            more: Json = {"choices": [{"id": "once"}, {"id": "always"}]} if chance % 2 else {}
        else:
            made = response(approval_id, call_id, decision, mark)
            more = ({}, {"choice": "once"}, {"choice": "never"})[chance % 7 % 3]
        return {**made, "payload": {**made["payload"], **more}}
    payload = {
        "text": {"text": mark},
        "thinking": {"text": mark},
        "image": {"mimeType": "image/png", "url": mark},
        "file_ref": {"path": mark},
        "media": {"mimeType": "audio/wav", "source": {"kind": "ref", "ref": mark}},
    }[kind]
    return {"kind": kind, "payload": payload}


# --- clean ----------------------------------------------------------------------------------------


def clean_history(rng: random.Random) -> list[Json]:
    """Runs in any mixture; each has turns with calls that are answered in any order."""
    runs = [clean_run(f"run_{n}", rng) for n in range(rng.randint(1, 4))]
    history: list[Json] = []
    while any(runs):
        run = rng.choice([run for run in runs if run])
        history.append(run.pop(0))
    return history


def clean_run(run: str, rng: random.Random) -> list[Json]:
    messages = [message("system", text("Be short."), run=run)] if rng.random() < 0.3 else []
    ids = (f"call_{n}" for n in range(1000))
    for _ in range(rng.randint(1, 4)):
        messages.append(
            message("user", text(), *rng.choice([[], [part("image", "", "u")]]), run=run)
        )
        for _ in range(rng.randint(0, 3)):
            messages += clean_turn(run, ids, rng)
        if rng.random() < 0.7:
            messages.append(message("assistant", text("Done."), run=run))
        if rng.random() < 0.1:
            incomplete = {"ending": "error", "openToolCallIds": ["lost"]}
            messages.append(message("assistant", run=run, meta={"incomplete": incomplete}))
    return messages


def clean_turn(run: str, ids: Iterator[str], rng: random.Random) -> list[Json]:
    spoken: list[Json] = []
    results: list[Json] = []
    answers: list[Json] = []
    for _ in range(rng.choice([1, 1, 1, 2])):
        calls = [call(next(ids)) for _ in range(rng.randint(0, 3))]
        named = [each["payload"]["toolCallId"] for each in calls]
        results += [result(each) for each in named]
        said = [part("thinking", "", "Hm."), text()][: rng.randint(0, 2)]
        asked = [each for each in named if rng.random() < 0.2]
        calls += [request(f"apr_{each}", each) for each in asked]
        answers += [response(f"apr_{each}", each) for each in asked]
        if rng.random() < 0.2:
            searched = next(ids)
            said += [of_server(call(searched)), of_server(result(searched))]
        spoken.append(message("assistant", *said, *calls, run=run))
    rng.shuffle(results)
    answered = [message("user", *answers, run=run)] if answers else []
    while results:
        size = rng.randint(1, len(results))
        answered.append(message("tool", *results[:size], run=run))
        results = results[size:]
        if rng.random() < 0.1:
            answered.append(message("system", text("Hurry."), run=run))
    return spoken + answered


# --- one defect -----------------------------------------------------------------------------------


def parts_of(history: list[Json], kind: str) -> list[tuple[int, int]]:
    return [
        (i, j)
        for i, each in enumerate(history)
        for j, item in enumerate(each["parts"])
        if item["kind"] == kind
    ]


def id_at(history: list[Json], place: tuple[int, int]) -> tuple[str, str]:
    message, number = place
    return history[message]["runId"], history[message]["parts"][number]["payload"]["toolCallId"]


def pointer(place: tuple[int, int], member: str = ID) -> str:
    return f"/{place[0]}/parts/{place[1]}{member}"


def find(history: list[Json], kind: str, key: tuple[str, str]) -> tuple[int, int]:
    return next(place for place in parts_of(history, kind) if id_at(history, place) == key)


Seeded = tuple[list[Json], list[Place]]


def open_id_again(history: list[Json], rng: random.Random) -> Seeded:
    """The same id twice in one message."""
    i, j = rng.choice(parts_of(history, "tool_call"))
    history[i]["parts"].insert(j + 1, copy.deepcopy(history[i]["parts"][j]))
    return history, [("history/duplicate-tool-call", pointer((i, j + 1)))]


def answered_id_again(history: list[Json], rng: random.Random) -> Seeded:
    """A call behind the whole history takes the id of one that is answered long since."""
    run, call_id = id_at(history, rng.choice(parts_of(history, "tool_call")))
    at = len(history)
    history += [
        message("assistant", call(call_id), run=run),
        message("tool", result(call_id), run=run),
    ]
    return history, [("history/duplicate-tool-call", pointer((at, 0)))]


def second_result(history: list[Json], rng: random.Random) -> Seeded:
    """A result comes again, anywhere behind the first one."""
    place = rng.choice(parts_of(history, "tool_result"))
    run, call_id = id_at(history, place)
    at = rng.randint(place[0] + 1, len(history))
    history.insert(at, message("tool", result(call_id), run=run))
    return history, [("history/duplicate-tool-result", pointer((at, 0)))]


def orphan(history: list[Json], rng: random.Random) -> Seeded:
    """A result without call, anywhere."""
    at = rng.randint(0, len(history))
    run = rng.choice(history)["runId"]
    history.insert(at, message("tool", result("call_of_nobody"), run=run))
    return history, [("history/orphan-tool-result", pointer((at, 0)))]


def early_result(history: list[Json], rng: random.Random) -> Seeded:
    """A result moves before its call."""
    place = rng.choice(parts_of(history, "tool_result"))
    key = id_at(history, place)
    moved = history[place[0]]["parts"].pop(place[1])
    at = rng.randint(0, find(history, "tool_call", key)[0])
    history.insert(at, message("tool", moved, run=key[0]))
    return history, [("history/result-before-call", pointer((at, 0)))]


def lost_result(history: list[Json], rng: random.Random) -> Seeded:
    """A result is lost."""
    place = rng.choice(parts_of(history, "tool_result"))
    key = id_at(history, place)
    history[place[0]]["parts"].pop(place[1])
    return history, [("history/unanswered-tool-call", pointer(find(history, "tool_call", key)))]


def late_result(history: list[Json], rng: random.Random) -> Seeded:
    """A result comes behind the next word of the user."""
    place = rng.choice(parts_of(history, "tool_result"))
    run, _ = id_at(history, place)
    moved = history[place[0]]["parts"].pop(place[1])
    history += [message("user", text("And?"), run=run), message("tool", moved, run=run)]
    return history, [("history/late-tool-result", pointer((len(history) - 1, 0)))]


def foreign_result(history: list[Json], rng: random.Random) -> Seeded:
    """A result is stored under another run."""
    place = rng.choice(parts_of(history, "tool_result"))
    key = id_at(history, place)
    moved = history[place[0]]["parts"].pop(place[1])
    history.insert(place[0], message("tool", moved, run="run_of_nobody"))
    places = [
        ("history/unanswered-tool-call", pointer(find(history, "tool_call", key))),
        ("history/orphan-tool-result", pointer((place[0], 0))),
    ]
    return history, places


def orphan_answer(history: list[Json], rng: random.Random) -> Seeded:
    """An answer to a question that nobody asked, anywhere."""
    at = rng.randint(0, len(history))
    run = rng.choice(history)["runId"]
    history.insert(at, message("user", response("apr_of_nobody", "call_1"), run=run))
    return history, [("history/orphan-approval", pointer((at, 0), APPROVAL))]


def orphan_request(history: list[Json], rng: random.Random) -> Seeded:
    """A question about a call that nobody made, anywhere."""
    at = rng.randint(0, len(history))
    run = rng.choice(history)["runId"]
    history.insert(at, message("assistant", request("apr_x", "call_of_nobody"), run=run))
    return history, [("history/orphan-approval", pointer((at, 0)))]


def second_answer(history: list[Json], rng: random.Random) -> Seeded:
    """A call that is over is asked about, and two answers come."""
    run, call_id = id_at(history, rng.choice(parts_of(history, "tool_call")))
    at = len(history)
    history += [
        message("assistant", request("apr_x", call_id), run=run),
        message("tool", response("apr_x", call_id), run=run),
        message("user", response("apr_x", call_id, "denied"), run=run),
    ]
    return history, [("history/duplicate-approval", pointer((at + 2, 0), APPROVAL))]


def result_of_the_server(history: list[Json], rng: random.Random) -> Seeded:
    """A result of the provider for a call of the caller, anywhere."""
    run, call_id = id_at(history, rng.choice(parts_of(history, "tool_call")))
    at = rng.randint(0, len(history))
    history.insert(at, message("assistant", of_server(result(call_id)), run=run))
    return history, [("history/orphan-tool-result", pointer((at, 0)))]


def _is_silent(message: Json) -> bool:
    """Whether a message holds approvals alone: with a word in it, it would end a turn."""
    return {each["kind"] for each in message["parts"]} == {"approval_response"}


def wrong_role(history: list[Json], rng: random.Random) -> Seeded:
    """A part is in a role that may not hold it."""
    plain = set(_PLAIN)
    i = rng.choice(
        [
            i
            for i, each in enumerate(history)
            if plain - ALLOWED[each["role"]] and not _is_silent(each)
        ]
    )
    kinds = sorted(plain - ALLOWED[history[i]["role"]])
    j = rng.randint(0, len(history[i]["parts"]))
    history[i]["parts"].insert(j, part(rng.choice(kinds), "", "x"))
    return history, [("history/role-part-kind", pointer((i, j), "/kind"))]


def no_message(history: list[Json], rng: random.Random) -> Seeded:
    """Something that is not a message is among them."""
    at = rng.randint(0, len(history))
    garbage, rule, place = rng.choice(
        [
            ({**message("user"), "role": "judge"}, "shape/enum", "/role"),
            (
                message("user", {"kind": "text", "payload": {}}),
                "shape/required",
                "/parts/0/payload",
            ),
            ([], "shape/type", ""),
            (None, "shape/null", ""),
        ]
    )
    history.insert(at, garbage)  # type: ignore[arg-type]
    return history, [(rule, f"/{at}{place}")]


SEEDS: dict[str, Callable[[list[Json], random.Random], Seeded]] = {
    seed.__name__: seed
    for seed in (
        open_id_again,
        answered_id_again,
        second_result,
        orphan,
        early_result,
        lost_result,
        late_result,
        foreign_result,
        orphan_answer,
        orphan_request,
        second_answer,
        result_of_the_server,
        wrong_role,
        no_message,
    )
}


# --- soup -----------------------------------------------------------------------------------------


def soup(rng: random.Random, size: int = 12) -> list[Json]:
    """Messages of any role with any parts; every part has its own mark, few have their own id."""
    history = []
    for i in range(rng.randint(0, size)):
        kinds = [
            rng.choice(KINDS + ("tool_call", "tool_result") * 3 + _APPROVALS)
            for _ in range(rng.randint(0, 4))
        ]
        parts = [part(kind, rng.choice("abc"), f"mark-{i}-{j}") for j, kind in enumerate(kinds)]
        run = rng.choice(["run_1", "run_1", "run_2"])
        history.append(message(rng.choice(tuple(ALLOWED)), *parts, run=run))
    return history
