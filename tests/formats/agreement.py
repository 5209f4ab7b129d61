"""How far messages say of the samples what independent readings say: counted by format.

Run ``pytest tests/formats -k agree -rP`` for the table. At least 97 % of the items are the same,
and each other difference has its reason here.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from math import ceil
from typing import Any, Final, TypeAlias

__all__ = ["Agreement", "Why"]

Item: TypeAlias = tuple[Any, ...]
Why: TypeAlias = Callable[[Item | None, Item | None], str | None]
"""Names the reason of a difference: of ours and theirs, one of which may be missing."""

_LEAST: Final = 0.97

NAMED: Final[Mapping[str, Mapping[str, str]]] = {
    "a2a": {"not Base64": "content that is not Base64 is reported, and is not media"},
    "ag-ui (stream)": {
        "snapshot": "what a snapshot says in another way is a loss: what came is not taken back",
        "refused": "the client takes nothing of a stream that breaks a rule; here it is read",
    },
    "ai-sdk": {
        "custom": "content of one provider that no message has a part for: foreign-part",
        "denied": "the SDK adds a result to a denied call of the provider's, which has none",
    },
    "ai-sdk (stream)": {
        "earlier stream": "results of calls that are in no event go on a history",
        "arguments": "pieces that are not the input of the end stay",
    },
    "claude-code": {
        "no uuid": "the oracle sees no message where lines have no uuid",
        "same uuids": "made-up uuids that are all the same are no tree",
        "no parents": "the oracle sees one message where lines name no parent",
    },
    "codex": {
        "older lines": "the oracle does not see lines from before `response_item`",
        "same texts": "texts that are all the same, and items of unknown types",
        "no arguments": "calls without arguments",
    },
    "gemini-cli": {"not a session": "a list of contents is refused: it is not a session"},
    "langchain": {
        "call": "a call of which content or `function_call` alone says so; it has none there",
        "chunk": "a piece of a call without a name is left out: open-call",
        "media": "what is not Base64, or is an item of Responses, is kept as state, not as media",
    },
    "opencode": {
        "hidden": "parts that the model does not get are left out",
        "open call": "a call whose arguments are still to come is left out: open-call",
    },
    "pydantic-ai": {"framed": "the library frames feedback for the model; stored it has no frame"},
}
"""Format → reason of a difference → what it is."""

_LESS: Final = {
    # Without content of one provider, 99 %.
    "ai-sdk": 0.96,
    # Without pieces of calls, which only its merging makes calls, 97 %.
    "langchain": 0.9,
}


class Agreement:
    """What is counted over the samples of a format."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._named = NAMED.get(name, {})
        self._samples = 0
        self._items = 0
        self._same = 0
        self._reasons: Counter[str] = Counter()
        self._unnamed: list[tuple[str, Item | None, Item | None]] = []

    def sample(
        self,
        name: str,
        ours: Sequence[Item],
        theirs: Sequence[Item],
        why: Why = lambda _ours, _theirs: None,
    ) -> None:
        """Count a sample: what messages say, and what the oracle does, in order."""
        self._samples += 1
        self._items += len(theirs)
        mine, other = (
            [json.dumps(item, sort_keys=True) for item in each] for each in (ours, theirs)
        )
        matcher = SequenceMatcher(None, mine, other, autojunk=False)
        for tag, start, end, other_start, other_end in matcher.get_opcodes():
            if tag == "equal":
                self._same += end - start
                continue
            pairs = zip_longest(ours[start:end], theirs[other_start:other_end])
            for pair in pairs:
                reason = why(*pair)
                if reason is not None and reason in self._named:
                    self._reasons[reason] += 1
                else:
                    self._unnamed.append((name, *pair))

    def otherwise(self, reason: str, items: int = 0) -> None:
        """Count a sample that is another one to the oracle, and its items there."""
        assert reason in self._named
        self._samples += 1
        self._items += items
        self._reasons[reason] += items

    def check(self) -> None:
        """Print the row of the table; assert that all differences are named, and few."""
        reasons = ", ".join(f"{reason}: {count}" for reason, count in self._reasons.items())
        share = self._same / max(1, self._items)
        print(
            f"{self._name:20} {self._samples:4} samples {self._same:5} of {self._items:5} items"
            f" {share:7.1%}  {reasons}"
        )
        assert self._unnamed == []
        others = (1 - _LESS.get(self._name, _LEAST)) * self._items
        assert self._items - self._same <= ceil(others)
