"""Replays for tests: a model that answers from files, found where the test is."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from partwire.errors import UsageError
from partwire.model.replay import ReplayModel

from .cases import FixtureCase
from .conformance import all_cases, versions

__all__ = ["ReplayFactory"]


class ReplayFactory:
    """Makes :class:`partwire.model.ReplayModel` for one test; the fixture ``replay_model``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._to_end: list[tuple[ReplayModel, Any]] = []

    def __call__(
        self,
        source: str | Path | FixtureCase | list[str | Path],
        *,
        all_played: bool = False,
        **options: Any,
    ) -> ReplayModel:
        """Return a model that plays ``source``.

        ``source`` is a file or several: a recording, a provider's stream, deltas as JSON Lines;
        relative paths are those from the test's own folder. Or it is a case of the fixtures, or
        the name of one, such as ``providers/anthropic-messages/text``, of the
        newest version that has it. ``all_played``: the test
        fails where it leaves a recorded stream unplayed. ``options`` and errors as those of
        ReplayModel.
        """
        with TemporaryDirectory() as folder:
            model = ReplayModel(self._paths(source, Path(folder)), **options)
        if all_played:
            self._to_end.append((model, source))
        return model

    def _paths(self, source: Any, folder: Path) -> list[Path]:
        """Return the files; a case of the fixtures is written below ``folder``."""
        if isinstance(source, FixtureCase):
            return [source.write(folder / source.id)]
        if isinstance(source, (list, tuple)):
            return [path for each in source for path in self._paths(each, folder)]
        path = self._folder / source
        if isinstance(source, str) and not path.exists():
            for version in reversed(_versions()):
                for case in all_cases(version):
                    if source in (case.key, case.id):
                        return [FixtureCase(case).write(folder / case.id)]
        return [path]

    def finish(self) -> None:
        """Assert that what had to be played whole was."""
        __tracebackhide__ = True
        left = [f"{source}: {model.remaining}" for model, source in self._to_end if model.remaining]
        if left:
            raise AssertionError(f"recorded streams that were not played: {', '.join(left)}")


def _versions() -> tuple[str, ...]:
    """Return the versions with cases; none where the fixtures are not installed."""
    try:
        return versions()
    except UsageError:
        return ()
