"""What the wheel holds otherwise than the checkout: JSON without the white space that people read.

A build hook of hatchling; ``pyproject.toml`` names it. The sources of a contract version stay as
they are: their digests are published. An editable install takes the checkout's own files.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# Folder of the checkout → folder of the wheel.
_FOLDERS = {"python/partwire": "partwire", "schemas": "partwire/_data/schemas"}


class CompactJson(BuildHookInterface[Any]):
    """Puts compact copies of JSON files in their places."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the copies, and tell the builder of them."""
        if version != "standard":
            return
        self._made = Path(tempfile.mkdtemp(prefix="partwire-wheel-"))
        for number, (path, target) in enumerate(_files(Path(self.root))):
            copy = self._made / f"{number}.json"
            value = json.loads(path.read_bytes())
            copy.write_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")), "utf-8")
            build_data["force_include"][str(copy)] = target

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the copies."""
        if version == "standard":
            shutil.rmtree(self._made)


def _files(root: Path) -> Iterator[tuple[Path, str]]:
    for folder, target in _FOLDERS.items():
        for path in sorted((root / folder).rglob("*.json")):
            name = path.relative_to(root / folder).as_posix()
            if folder == "schemas" and not _is_read(name):
                continue
            yield path, f"{target}/{name}"


def _is_read(name: str) -> bool:
    """Whether a file of ``schemas/`` is in the wheel, and need not have the bytes that it has."""
    if name.startswith("tables/"):
        return name == "tables/losses.json"
    return not name.startswith("v0.") and not name.endswith(".src.json")
