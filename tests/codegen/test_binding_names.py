"""Public names of TypeScript and Rust: read off the sources, and missed when they are gone."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from codegen.load import load_contract
from codegen.model import Contract
from codegen.names import current_manifests, rust, typescript
from partwire.contract import LATEST_VERSION
from partwire_testing.conformance.bindings import compare_names, files_of, manifest
from tests.conftest import ROOT

ROOM = LATEST_VERSION.replace(".", "_")
Names = dict[str, str]


def typescript_names(root: Path, contract: Contract) -> Names:
    return typescript.generated_names(root, contract) | typescript.package_names(root, contract)


def rust_names(root: Path, contract: Contract) -> Names:
    return rust.generated_names(root, contract) | rust.package_names(root)


READERS: dict[str, Callable[[Path, Contract], Names]] = {
    "typescript": typescript_names,
    "rust": rust_names,
}


@pytest.fixture(scope="module")
def contract() -> Contract:
    return load_contract(ROOT / "schemas", LATEST_VERSION)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The sources of both packages, to be changed."""
    for language in READERS:
        shutil.copytree(ROOT / language / "src", tmp_path / language / "src")
    shutil.copy(ROOT / "typescript" / "package.json", tmp_path / "typescript")
    return tmp_path


# Language, file, text, what is there instead, and the first name that is gone.
GONE = [
    ("typescript", "index.ts", "dump,", "", "partwire.dump"),
    ("typescript", "index.ts", "type ReadOptions,", "", "partwire.ReadOptions"),
    (
        "typescript",
        "providers/framing/index.ts",
        ", MAX_HEADER_BYTES",
        "",
        "framing.MAX_HEADER_BYTES",
    ),
    ("typescript", "message/history/check.ts", "function checkHistory(", "function check(", None),
    (
        "typescript",
        "message/assembler/assembler.ts",
        "  close(",
        "  end(",
        "partwire.MessageAssembler.close",
    ),
    ("typescript", "errors.ts", "  get rule(", "  get id(", "partwire.PartwireError.rule"),
    (
        "typescript",
        "providers/framing/jsonlines.ts",
        "readonly number:",
        "readonly line:",
        "RawLine.number",
    ),
    (
        "typescript",
        f"generated/{ROOM}/message.ts",
        "  textDelta: string;",
        "  delta: string;",
        "message.TextDeltaPayload.textDelta",
    ),
    ("rust", "lib.rs", "dump, ", "", "partwire.dump"),
    ("rust", "convert/versions/mod.rs", "downgrade, ", "", "partwire::convert::versions.downgrade"),
    ("rust", "lib.rs", "pub use json::canonical::canonical;\n", "", "partwire.canonical"),
    (
        "rust",
        "message/assembler/mod.rs",
        "    pub fn close(",
        "    fn close(",
        "MessageAssembler.close",
    ),
    (
        "rust",
        "generated/tables/limits.rs",
        "    pub parts:",
        "    parts:",
        "partwire.Limits.parts",
    ),
    ("rust", "blocks/adapter.rs", "fn model_name(", "fn name(", "partwire.ModelAdapter.model_name"),
    ("rust", "session/transitions.rs", "    Placeholder,", "    Words,", "EmptyOutput.Placeholder"),
    (
        "rust",
        f"generated/{ROOM}/message.rs",
        "    pub text_delta: ",
        "    pub delta: ",
        "message.TextDeltaPayload.text_delta",
    ),
    (
        "rust",
        f"generated/{ROOM}/message.rs",
        'ContentFilter = "content_filter", ',
        "",
        "message.FinishReason.ContentFilter",
    ),
]


@pytest.mark.parametrize(
    ("language", "file", "old", "new", "gone"), GONE, ids=[f"{row[0]}-{row[4]}" for row in GONE]
)
def test_a_name_that_is_gone_is_missed(
    language: str, file: str, old: str, new: str, gone: str | None, copy: Path, contract: Contract
) -> None:
    before = READERS[language](copy, contract)
    path = copy / language / "src" / file
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
    if gone is None:  # what is exported is nowhere declared: such a package does not compile
        with pytest.raises(KeyError):
            READERS[language](copy, contract)
        return
    changes = compare_names(language, before, READERS[language](copy, contract))
    told = {(change.old_pointer or "").strip("/").replace("~1", "/") for change in changes}
    assert any(name.endswith(gone) for name in told), told
    # Other entries may export it too, other classes inherit it; nothing else is gone.
    assert {name.rpartition(".")[2] for name in told} == {gone.rpartition(".")[2]}


@pytest.mark.parametrize("language", READERS)
def test_unchanged_sources_have_the_same_names(
    language: str, copy: Path, contract: Contract
) -> None:
    names = READERS[language](copy, contract)
    assert names == READERS[language](ROOT, contract)
    assert compare_names(language, names, names) == []


def test_every_export_is_told(contract: Contract) -> None:
    """Counted without the readers: each name in the lists of the packages' entries."""
    known = rust.package_names(ROOT)
    files = {
        f"partwire::{module.replace('/', '::')}": f"rust/src/{module}/mod.rs"
        for module in (
            "blocks",
            "convert",
            "convert/versions",
            "envelope",
            "providers",
            "providers/framing",
            "session",
        )
    }
    files["partwire::providers::requests"] = "rust/src/providers/requests.rs"
    for entry, file in {"partwire": "rust/src/lib.rs", **files}.items():
        listed = re.findall(r"^pub use [\w:]+::(?:\{([^}]*)\}|(\w+));", _text(file), re.MULTILINE)
        names = {name for group in listed for part in group for name in re.findall(r"\w+", part)}
        names |= set(
            re.findall(r"^pub (?:fn|struct|enum|const|trait) (\w+)", _text(file), re.MULTILINE)
        )
        assert names
        recorded = {name.partition(".")[2] for name in known if name.startswith(f"{entry}.")}
        assert names == {name for name in recorded if "." not in name}
    index = _text("typescript/src/index.ts")
    words = re.findall(
        r"[{,]\s*(?:type )?(\w+)(?=\s*[,}])", "".join(re.findall(r"\{[^}]*\}", index))
    )
    known = typescript.package_names(ROOT, contract)
    assert words
    assert [word for word in words if f"partwire.{word}" not in known] == []


def test_manifests_are_those_of_the_sources(contract: Contract) -> None:
    files = current_manifests(ROOT, contract)
    assert {name.partition("/")[0] for name in files} == {"python", "typescript", "rust"}
    folder = ROOT / "schemas" / "bindings" / contract.version
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*.txt")}
    assert there == set(files)
    for name, text in files.items():
        assert (folder / name).read_text("utf-8") == text


@pytest.mark.parametrize("language", READERS)
def test_files_hold_the_names_that_they_are_made_of(
    language: str, contract: Contract, tmp_path: Path
) -> None:
    names = READERS[language](ROOT, contract)
    for file, text in files_of(language, names).items():
        path = tmp_path / "v0.1" / language / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        assert text.splitlines() == sorted(text.splitlines(), key=lambda line: line.split()[0])
    assert manifest(language, "v0.1", tmp_path) == names


@pytest.mark.parametrize("language", READERS)
def test_the_first_version_has_its_generated_names(language: str) -> None:
    module = {"typescript": typescript, "rust": rust}[language]
    names = manifest(language, "v0.1")
    assert names == module.generated_names(ROOT, load_contract(ROOT / "schemas", "v0.1"))


def _text(path: str) -> str:
    return (ROOT / path).read_text("utf-8")
