"""What the linter reports: one problem per place, all of them at once."""

from __future__ import annotations

from typing import NamedTuple


class Problem(NamedTuple):
    """Something in a schema file that the dialect forbids."""

    file: str
    pointer: str
    rule: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}#{self.pointer}: {self.message} [{self.rule}]"


class LintError(ValueError):
    """The schemas are outside the dialect; ``problems`` is sorted by file and place."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = sorted(set(problems))
        super().__init__("\n".join(map(str, self.problems)))


class Problems:
    """Collects problems while the files are read."""

    def __init__(self) -> None:
        self.found: list[Problem] = []

    def add(self, file: str, pointer: str, rule: str, message: str) -> None:
        """Note one problem; ``rule`` is given without its room."""
        self.found.append(Problem(file, pointer, f"lint/{rule}", message))

    def raise_any(self) -> None:
        """Raise :class:`LintError` if anything was found."""
        if self.found:
            raise LintError(self.found)


def step(pointer: str, *tokens: str | int) -> str:
    """Return ``pointer`` extended by ``tokens``, escaped after RFC 6901."""
    return pointer + "".join(
        "/" + str(token).replace("~", "~0").replace("/", "~1") for token in tokens
    )
