"""Every loss of ``schemas/tables/losses.json``: what a conversion does not carry over, by code."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from codegen.site.markdown import Page, code, fence, inside, json_fence, link, prose, table
from codegen.site.places import LOSSES, loss_page
from codegen.site.rule_pages import CHINESE
from partwire_testing.conformance.suites import Case

__all__ = ["Meaning", "pages"]

Meaning = tuple[str, str, str, str]
"""What converts, the severity, and the words in English and Chinese."""

_GIVEN: Final = ("input", "deltas", "chunks", "source", "messages", "events", "items")
_SEVERITIES: Final = (
    "What a conversion cannot carry over is reported, never dropped in silence. **lossy**: it is "
    "left out. **invented**: something was put where the source says nothing. **info**: it is said "
    "in another way."
)
_ROOT: Final = "What conversions between families, versions and formats report, by code."


def pages(losses: Mapping[str, Sequence[Meaning]], cases: Iterable[Case]) -> Iterator[Page]:
    """Yield a page for each code, with the smallest case of the fixtures that shows it, and a list.

    ``cases`` are those of conversions; where two are alike, the first one is shown.
    """
    shown: dict[str, Case] = {}
    for case in sorted(cases, key=_size):
        for code_ in _codes(case):
            shown.setdefault(code_, case)
    for name, meanings in losses.items():
        yield _page(name, meanings, shown.get(name))
    rows = [
        (link(LOSSES, loss_page(name), code(name)), *map(prose, each[:3]))
        for name, meanings in losses.items()
        for each in meanings
    ]
    body = f"{_SEVERITIES}\n\n{table(('code', 'converts', 'severity', 'what it says'), rows)}\n"
    yield Page(LOSSES, "Losses", body, _ROOT)


def _size(case: Case) -> int:
    return len(json.dumps(case.spec))


def _codes(case: Case) -> Iterator[str]:
    for each in case.spec.get("losses", ()):
        yield each["code"]


def _page(name: str, meanings: Sequence[Meaning], case: Case | None) -> Page:
    path = loss_page(name)
    rows = [
        (
            prose(converts),
            prose(severity),
            f"{prose(english)}<br>{inside('span', chinese, lang=CHINESE)}",
        )
        for converts, severity, english, chinese in meanings
    ]
    parts = [
        f"{link(path, LOSSES, 'Losses')} › {name}",
        table(("converts", "severity", "what it says"), rows),
        *([] if case is None else _example(name, case)),
        "## On the command line",
        fence(f"partwire explain {name}", "sh"),
        (
            f"{code('partwire convert')} and {code('partwire migrate')} report it with its place; "
            f"with {code('--strict')} it is an error, unless {code(f'--accept {name}')} takes it."
        ),
    ]
    return Page(path, f"Loss {name}", "\n\n".join(parts) + "\n", meanings[0][2])


def _example(name: str, case: Case) -> Iterator[str]:
    yield "## Where it shows"
    yield prose(f"{case.spec['purpose']} (fixtures: {case.key}).")
    given = next((each for each in _GIVEN if each in case.spec), None)
    if given is not None:
        yield json_fence(case.spec[given])
    rows = [
        (code(each["code"]), prose(each.get("severity", "")), _place(each.get("pointer", "")))
        for each in case.spec["losses"]
        if each["code"] == name
    ]
    yield table(("loss", "severity", "place"), rows)


def _place(pointer: Any) -> str:
    return code(str(pointer)) if pointer else "all of it"
