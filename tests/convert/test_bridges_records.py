"""``meta.session`` that anyone may have changed: it is taken as it is, or left out."""

from __future__ import annotations

import copy

import pytest

from partwire.convert import messages_to_session, session_to_messages
from partwire.reading.plain import plain_value
from tests.convert.bridge_histories import is_valid
from tests.convert.bridge_law import differences
from tests.strategies import Documents


@pytest.mark.parametrize("start", range(0, 1000, 250))
def test_a_changed_record_is_taken_as_it_is_or_left_out(start: int) -> None:
    used = left_out = 0
    for number in range(start, start + 250):
        maker = Documents(f"record {number}")
        source = maker.valid("session.WithParts")
        if not is_valid(source, "session.WithParts"):
            continue
        messages = [plain_value(each)[0] for each in session_to_messages(source).value]
        own = next(each for each in messages if "meta" in each)
        own["meta"]["session"] = maker.changed(own["meta"]["session"])
        if not all(is_valid(each, "message.Message") for each in messages):
            continue
        result = messages_to_session(messages)
        again = [plain_value(each)[0] for each in session_to_messages(result.value).value]
        assert differences(copy.deepcopy(messages), again, result.losses) == [], number
        misfit = any(loss.code == "record-misfit" for loss in result.losses)
        used, left_out = used + (not misfit), left_out + misfit
    assert min(used, left_out) > 10
