"""What the wheel of partwire-testing holds: files of the checkout that are not below this folder.

``force-include`` would copy them into an editable install too, where they would grow stale.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class FilesOfTheCheckout(BuildHookInterface[Any]):
    """Puts the files that ``pyproject.toml`` names into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the files to the builder."""
        if version == "standard":
            checkout = Path(self.root).parent.parent
            files = self.config["files"]
            build_data["force_include"] |= {str(checkout / path): files[path] for path in files}
