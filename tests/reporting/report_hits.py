"""How the rules of reports are hit: by the commands that their own examples run."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from partwire.contract.resources import read_rules
from tests.house.rule_examples import shown_by

__all__ = ["REPORT_HITS"]

ROOMS: Final = ("baseline/", "conformance/", "document/too-many-findings")

REPORT_HITS: Final[dict[str, Callable[[], set[str]]]] = {
    rule: partial(shown_by, row["examples"]["bad"])
    for rule, row in read_rules().items()
    if rule.startswith(ROOMS)
}
"""Rule id → what finds it."""
