"""States and parts of a session for tests."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from partwire.contract.current.session import (
    CacheTokenStats,
    FileSource,
    Part,
    SourceText,
    TokenStats,
)
from partwire.errors import PartwireError
from partwire.session import (
    create_completed,
    create_error,
    create_file_part,
    create_pending,
    create_reasoning_part,
    create_running,
    create_step_finish_part,
    create_step_start_part,
    create_text_part,
    create_tool_part,
)

SESSION = "0197c6f0-5a00-7000-8000-000000000001"
MESSAGE = "0197c6f0-5a00-7000-8000-000000000002"

PENDING = create_pending({"city": "Oslo"}, '{"city":"Oslo"}')
RUNNING = create_running({"city": "Oslo"}, "Asking", start=5, metadata={"tries": 1})
COMPLETED = create_completed({"city": "Oslo"}, "7 °C", "Weather", {"unit": "C"}, 5, 7)
ERROR = create_error({"city": "Oslo"}, "No such city", 5, 7, metadata={"tries": 2})

TOKENS = TokenStats(input=1, output=2, reasoning=3, cache=CacheTokenStats(read=4, write=5))
SOURCE = FileSource(path="a.md", text=SourceText(value="@a.md", start=0, end=5))

TEXT = create_text_part(SESSION, MESSAGE, "hi")
REASONING = create_reasoning_part(SESSION, MESSAGE, "hm", start=5)
TOOL = create_tool_part(SESSION, MESSAGE, "call_1", "weather", create_pending({}, ""))
STEP_START = create_step_start_part(SESSION, MESSAGE)
STEP_FINISH = create_step_finish_part(SESSION, MESSAGE, "stop", 0.5, TOKENS)
FILE = create_file_part(SESSION, MESSAGE, "text/plain", "file:///a")
SIX: tuple[Part, ...] = (TEXT, REASONING, TOOL, STEP_START, STEP_FINISH, FILE)


def raised(call: Callable[[], object]) -> PartwireError:
    with pytest.raises(PartwireError) as caught:
        call()
    return caught.value


def place(error: PartwireError) -> tuple[str, str]:
    return error.findings[0].rule, error.findings[0].pointer
