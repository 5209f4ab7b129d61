"""What is beside the code of the Rust crate; ``test_languages.py`` asks the code."""

from __future__ import annotations

import tomllib
from pathlib import Path

CRATE = Path(__file__).resolve().parents[2] / "rust"
INDEX = "registry+https://github.com/rust-lang/crates.io-index"


def test_the_lock_file_names_the_common_index_alone() -> None:
    lock = tomllib.loads((CRATE / "Cargo.lock").read_text("utf-8"))
    sources = {package.get("source") for package in lock["package"]}
    assert sources == {INDEX, None}


def test_nothing_unsafe_is_allowed() -> None:
    manifest = tomllib.loads((CRATE / "Cargo.toml").read_text("utf-8"))
    assert manifest["lints"]["rust"]["unsafe_code"] == "forbid"
    assert "#![forbid(unsafe_code)]" in (CRATE / "src" / "lib.rs").read_text("utf-8")
