"""The sections of TypeScript and Rust, which their own benches write."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

__all__ = ["NAMES", "measure_language"]

ROOT: Final = Path(__file__).resolve().parent.parent
NAMES: Final = {"typescript": ("TypeScript", "node"), "rust": ("Rust", "cargo")}
"""By section: its heading, and what it takes."""


def measure_language(section: str, *, quick: bool) -> tuple[str, str, str]:
    """Return heading and text of a section, in Markdown, and what went wrong ("": nothing)."""
    name, needs = NAMES[section]
    if shutil.which(needs) is None:
        return name, f"Left out: no {needs} on this machine.", ""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        page = Path(folder) / "page.md"
        command = ["make", "--no-print-directory", "-C", str(ROOT / section), "bench"]
        options = [f"MARKDOWN={page}", f"BENCH_ARGS={'--quick' if quick else ''}"]
        # What this make was told is not for that one.
        environment = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}
        run = subprocess.run([*command, *options], env=environment, check=False)
        written = page.read_text("utf-8") if page.exists() else ""
    heading, _, text = written.partition("\n")
    if heading != f"## {name}":
        return name, "No figures.", f"{name}: the bench wrote no section"
    return name, text.strip(), f"{name}: the bench failed" if run.returncode else ""
