"""The loop from the command line: ``python -m examples.tool_loop --help``."""

from __future__ import annotations

import argparse
import asyncio
import sys
import threading
from contextlib import aclosing

from partwire import PartwireError, user
from partwire.model import Model, open_model
from partwire.types import Message, TextDelta, ToolCallPart, ToolResultPart

from .loop import Tool, tool_loop

PLACES = {"Oslo": "rain, 4 °C", "Rome": "sun, 18 °C"}


async def weather(city: str) -> str:
    """Tell the weather of a city."""
    await asyncio.sleep(0.2)  # as a service would take
    return PLACES.get(city, "fog")


async def book_trip(city: str) -> str:
    """Book a trip to a city."""
    return f"A trip to {city} is booked"


TOOLS = [Tool(weather, timeout_s=5), Tool(book_trip, needs_approval=True)]


class Person:
    """Whoever is at the terminal: one question at a time; the end of the input is a no."""

    def __init__(self) -> None:
        self._free = asyncio.Lock()

    async def approves(self, call: ToolCallPart) -> bool:
        """Ask whether a call may be run."""
        async with self._free:
            what = f"{call.payload.tool_name}({call.payload.arguments})"
            print(f"\n{what}: run it? [y/N] ", end="", flush=True)
            return (await self._line()).strip().lower() in ("y", "yes")

    def _line(self) -> asyncio.Future[str]:
        loop = asyncio.get_running_loop()
        line: asyncio.Future[str] = loop.create_future()

        def set_line(text: str) -> None:
            if not line.done():  # cancelled meanwhile
                line.set_result(text)

        def read() -> None:
            loop.call_soon_threadsafe(set_line, sys.stdin.readline())

        # A thread of the loop's own would keep Ctrl-C waiting until something is typed.
        threading.Thread(target=read, daemon=True).start()
        return line


async def converse(model: Model, text: str) -> None:
    """Ask a question and show what comes of it."""
    question = user(text)
    async with aclosing(tool_loop(model, [question], TOOLS, approve=Person().approves)) as items:
        async for item in items:
            if isinstance(item, list):
                show_results(item)
            elif isinstance(item, TextDelta):
                print(item.payload.text_delta, end="", flush=True)


def show_results(step: list[Message]) -> None:
    """Print the results of an answer's calls."""
    print()
    for part in (part for message in step for part in message.parts):
        if isinstance(part, ToolResultPart):
            mark = "!" if part.payload.is_error else ">"
            print(f"{mark} {part.payload.tool_call_id}: {part.payload.content}")


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m examples.tool_loop", description=__doc__)
    parser.add_argument("model", help="anthropic:MODEL, openai-chat:MODEL, replay:FILE,FILE, …")
    parser.add_argument("text", nargs="?", default="Where does the sun shine? Book a trip.")
    options = parser.parse_args()
    try:
        asyncio.run(converse(open_model(options.model), options.text))
    except PartwireError as error:  # the answer failed, or was cut
        sys.exit(f"\n{error}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
