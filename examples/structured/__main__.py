"""Structured output from the command line: ``python -m examples.structured --help``."""

from __future__ import annotations

import argparse
import asyncio
import sys
from contextlib import aclosing

from pydantic import BaseModel, Field, ValidationError

from partwire import PartwireError, user
from partwire.model import Model, open_model

from .structured import structured


class Recipe(BaseModel):
    """A recipe for the kitchen."""

    title: str
    minutes: int = Field(gt=0)
    steps: list[str] = Field(min_length=1)


async def converse(model: Model, text: str) -> None:
    """Ask for a recipe and show it as it grows."""
    async with aclosing(structured(model, [user(text)], Recipe)) as values:
        async for value in values:
            if isinstance(value, Recipe):
                print(f"\n{value.title}, {value.minutes} minutes")
                for number, step in enumerate(value.steps, 1):
                    print(f"{number}. {step}")
            else:
                print(f"… {value}")


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m examples.structured", description=__doc__)
    parser.add_argument("model", help="anthropic:MODEL, openai-chat:MODEL, replay:FILE,FILE, …")
    parser.add_argument("text", nargs="?", default="How do I bake bread?")
    options = parser.parse_args()
    try:
        asyncio.run(converse(open_model(options.model), options.text))
    except (PartwireError, ValidationError) as error:
        sys.exit(f"\n{error}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
