"""What adapters hide of raw events, recordings hide too."""

from __future__ import annotations

import re

from partwire.model.credentials import HIDDEN, redacted, without_keys
from partwire.providers.core.opaque import without_secrets
from partwire.tables.credentials import EVENT_MEMBERS, EVENT_PARAMETERS, MEMBERS

KEY = "0a1b2c3d4e5f6a7b8c"


def test_members_of_events_are_hidden_however_they_are_written() -> None:
    for name in EVENT_MEMBERS:
        assert re.sub(r"[^a-z]", "", name) in MEMBERS
        for written in (name, name.upper(), name.title()):
            assert without_secrets({written: ["s"]}) == {written: HIDDEN}
            assert redacted({written: ["s"]}) == {written: HIDDEN}


def test_parameters_of_events_are_hidden() -> None:
    for name in EVENT_PARAMETERS:
        for url in (f"/a?{name}={KEY}&b=1", f"/a?b=1&{name.upper()}={KEY}#c"):
            assert without_secrets(url) == url.replace(KEY, HIDDEN)
            assert KEY not in without_keys(url)
