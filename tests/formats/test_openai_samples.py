"""OpenAI's formats beside independent readings of samples, and sent back."""

from __future__ import annotations

import json
from itertools import groupby
from typing import Any

import pytest

from partwire.providers.requests import encode_request
from tests.formats.agreement import Agreement
from tests.formats.laws import leaf_law, read_given
from tests.formats.oracles import items_of, wanted_items
from tests.formats.samples import Sample, ids, load

_FORMATS = {
    "openai-chat": "openai-chat",
    "openai-responses": "openai-responses",
    "openai-agents": "openai-responses",
}

# --- items ----------------------------------------------------------------------------------------

# Where a message says more, or otherwise, than the oracles: what it is to them → what it is here.
_OTHERWISE = {
    "encrypted reasoning": "state of the next part, without text of its own",
    "texts of one answer": "one text, cut by state",
    "a refusal": "text",
    "a developer": "the system",
    "a tool of the provider's": "a call and its result, or state: compared in tests of their own",
    "a vendor's part with a URL": "media",
    "an image, a file": "an image, media or a reference",
    "reasoning_details": "reasoning; the oracle leaves it out",
}


def _comparable(items: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return items without what :data:`_OTHERWISE` names."""
    found: list[tuple[Any, ...]] = []
    for item in items:
        role, kind, *rest = item
        if kind in ("image", "file_ref", "media"):
            found.append((role, "media"))
        elif kind in ("opaque", "server_tool_call", "server_tool_result") or rest == [""]:
            continue
        else:
            found.append(item)
    joined: list[tuple[Any, ...]] = []
    for head, run in groupby(found, lambda item: (item[0], item[1])):
        if head == ("assistant", "text") or head[1] == "thinking":
            joined.append((*head, "".join(text for _, _, text in run)))
        else:
            joined += run
    return joined


def _wanted(sample: Sample) -> list[tuple[Any, ...]]:
    """Return the oracle's items; reasoning of Responses is its summary, else its content."""
    items = []
    for each in sample.expected["items"]:
        item = {**each, "role": "system"} if each["role"] == "developer" else each
        if "summary" in item:
            items.append({**item, "text": "".join(item["summary"] or item["content"])})
        elif str(item.get("type")).endswith("_url"):
            items.append({**item, "kind": "media"})
        elif item["kind"] == "refusal":
            items.append({**item, "kind": "text"})
        else:
            items.append(item)
    return wanted_items({"items": items})


def _without_details(document: Any, items: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    if "reasoning_details" not in json.dumps(document):
        return items
    return [item for item in items if item[1] != "thinking"]


@pytest.mark.parametrize("format_name", _FORMATS)
def test_samples_agree_with_others(format_name: str) -> None:
    agreement = Agreement(format_name)
    for name in ids(format_name):
        sample = load(name)
        got = items_of(read_given(format_name, sample.document).messages)
        ours, theirs = (
            _without_details(sample.document, _comparable(items))
            for items in (got, _wanted(sample))
        )
        agreement.sample(name, ours, theirs)
    agreement.check()


# --- and back -------------------------------------------------------------------------------------


def _history(document: Any) -> list[Any]:
    """Return the entries of a document, instructions first."""
    if isinstance(document, list):
        return document
    entries = document.get("messages", document.get("input"))
    if isinstance(entries, str):
        entries = [{"role": "user", "content": entries}]
    head = document.get("instructions")
    return [*([{"role": "system", "content": head}] if head else []), *entries]


def _normal(value: Any) -> Any:
    """Return an entry in normal form: one text is a string, what says nothing is not there."""
    if isinstance(value, list):
        if value and all(_is_text(part) for part in value):
            return "".join(part["text"] for part in value)
        return [_normal(part) for part in value]
    if not isinstance(value, dict):
        return value
    made = {name: _normal(each) for name, each in value.items()}
    if made.get("type") in ("message", "function"):
        del made["type"]
    if str(made.get("type")).endswith("_call_output"):
        made.pop("name", None)  # the call has it
    if made.get("status") == "completed":
        del made["status"]
    if isinstance(made.get("arguments"), str):
        made["arguments"] = json.loads(made["arguments"])
    return {name: each for name, each in made.items() if each not in (None, "", [])}


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and str(part.get("type")).endswith("text") and "text" in part


def _without(document: Any, pointers: list[str]) -> Any:
    """Return a copy without what losses name."""
    made = json.loads(json.dumps(document))
    for pointer in pointers:
        node = made
        *way, last = pointer.split("/")[1:]
        try:
            for token in way:
                node = node[int(token) if isinstance(node, list) else token]
            node[int(last) if isinstance(node, list) else last] = None
        except (LookupError, TypeError):
            continue
    return made


# Findings of the encoder behind which a request says less, or otherwise, than the history.
_NAMED = (
    "encode/unsupported-part",
    "encode/empty-message",
    "encode/dangling-state",
    "encode/malformed-state",
    "encode/repeated-state",
    "encode/moved-tool-result",
    "encode/orphan-tool-result",
)


@pytest.mark.parametrize(
    ("format_name", "name"), [(each, name) for each in _FORMATS for name in ids(each)]
)
def test_a_history_is_sent_back_as_it_came(format_name: str, name: str) -> None:
    document = load(name).document
    read = read_given(format_name, document)
    lossy = [loss.pointer for loss in read.losses if loss.severity == "lossy"]
    sent = encode_request(
        _FORMATS[format_name], read.messages, config={"provider": "any", "modelId": "m"}
    )
    got = [_normal(each) for each in _history(sent.body)]
    due = [_normal(each) for each in _history(_without(document, lossy))]
    if got != due:
        found = {finding.rule for finding in sent.findings}
        assert found & set(_NAMED), [
            pair for pair in zip(got, due, strict=False) if pair[0] != pair[1]
        ]


@pytest.mark.parametrize(
    ("format_name", "name"), [(each, name) for each in _FORMATS for name in ids(each)]
)
def test_nothing_of_a_sample_is_lost_in_silence(format_name: str, name: str) -> None:
    leaf_law(format_name, load(name).document)
