"""What the wheel holds otherwise than the checkout: the data, packed, one file per folder.

A build hook of hatchling; ``pyproject.toml`` names it. JSON loses the white space that people read,
but for contract versions: the digests of their schemas are published, and bundles that are written
like them are packed the better. An editable install takes the checkout's own files.
"""

from __future__ import annotations

import json
import runpy
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_PACKED = "python/partwire/contract/packed.py"
_DATA = "partwire/_data"


class PackedData(BuildHookInterface[Any]):
    """Puts packed folders in their places."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the packed folders, and name them to the builder."""
        if version != "standard":
            return
        root = Path(self.root)
        # Run as a script: the build's environment has hatchling alone, and not what partwire needs.
        packed = runpy.run_path(str(root / _PACKED))
        self._made = Path(tempfile.mkdtemp(prefix="partwire-wheel-"))
        for folder in packed["folders"](root):
            files = {
                name: path.read_bytes() if folder.startswith("v") else _compact(path)
                for name, path in packed["files_of"](root, folder).items()
            }
            copy = self._made / f"{folder}{packed['SUFFIX']}"
            copy.write_bytes(packed["pack"](files))
            build_data["force_include"][str(copy)] = f"{_DATA}/{copy.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the copies."""
        if version == "standard":
            shutil.rmtree(self._made)


def _compact(path: Path) -> bytes:
    value = json.loads(path.read_bytes())
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
