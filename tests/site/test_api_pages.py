"""The references of the packages: every public name is there, with what is said of it."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from codegen.site import api_pages, api_python, api_rust, api_typescript
from codegen.site.api_pages import Entry, Language, Module, NotDeclared
from codegen.site.docstrings import first_sentence, markdown_of
from codegen.site.places import api_page
from tests.fixture_cases import ROOT

READERS: Final = {"python": api_python, "typescript": api_typescript, "rust": api_rust}


@pytest.fixture(scope="module")
def modules() -> dict[str, list[Module]]:
    """The modules of each language, as they are read from its source."""
    return {name: reader.modules(ROOT) for name, reader in READERS.items()}


@pytest.mark.parametrize("language", READERS)
def test_every_public_name_is_on_its_page_with_its_words(
    language: str, modules: dict[str, list[Module]]
) -> None:
    faults = []
    spoken = READERS[language].LANGUAGE
    pages = {page.path: page.body for page in api_pages.pages(spoken, modules[language])}
    for module in modules[language]:
        body = pages[api_page(language, module.name)]
        assert module.words, module.name
        for entry in module.entries:
            heading = f"\n## `{entry.name}`\n"
            section = body.partition(heading)[2].partition("\n## ")[0]
            if not entry.words or markdown_of(entry.words) not in section:
                faults.append(f"{module.name}: {entry.name}")
    assert not faults, "\n".join(["without words:", *faults])
    assert sum(len(module.entries) for module in modules[language]) > 100


def test_the_names_of_python_are_those_of_the_program(modules: dict[str, list[Module]]) -> None:
    for module in modules["python"]:
        public = set(vars(importlib.import_module(module.name))["__all__"])
        assert {entry.name for entry in module.entries} == public, module.name


def test_what_documents_import_is_on_a_page() -> None:
    shown = set(api_python.MODULES) | {"partwire.types", "partwire.models"}
    found = set()
    for path in (*(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.py")):
        found |= set(
            re.findall(r"^from (partwire[\w.]*) import", path.read_text("utf-8"), re.MULTILINE)
        )
    faces = {
        "partwire.cli",
        "partwire.formats.ai_sdk",
        "partwire.formats.ag_ui",
        "partwire.reading.pipeline",
    }
    assert found - shown <= faces
    assert len(found) > 8


def test_every_entry_of_typescript_has_a_page(modules: dict[str, list[Module]]) -> None:
    exports = json.loads((ROOT / "typescript" / "package.json").read_bytes())["exports"]
    entries = {f"partwire{name[1:]}" for name in exports if not name.endswith(".json")}
    assert {module.name for module in modules["typescript"]} == entries


def test_the_names_of_typescript_are_those_of_the_program(
    modules: dict[str, list[Module]],
) -> None:
    """Types are gone when it runs: what is there has to be on the page, types may be besides."""
    built = ROOT / "typescript" / "dist" / "index.js"
    if not built.is_file():
        pytest.skip("the TypeScript package is not built: make -C typescript build")
    code = f"import({json.dumps(str(built))}).then((all) => console.log(Object.keys(all).join()))"
    done = subprocess.run(["node", "-e", code], capture_output=True, text=True, check=True)
    (entry,) = [module for module in modules["typescript"] if module.name == "partwire"]
    assert set(done.stdout.strip().split(",")) <= {each.name for each in entry.entries}


def test_rust_refuses_public_items_without_words() -> None:
    cargo = (ROOT / "rust" / "Cargo.toml").read_text("utf-8")
    makefile = (ROOT / "rust" / "Makefile").read_text("utf-8")
    assert re.search(r'^missing_docs = "warn"$', cargo, re.MULTILINE)
    assert 'RUSTDOCFLAGS="-D warnings"' in makefile


# --- how they are made ----------------------------------------------------------------------------

LANGUAGE: Final = Language("X", "x", "text", "`types`")


def test_anchors_of_like_headings_differ() -> None:
    members = (Entry("Loss.severity", "", "One."),)
    entries = (Entry("Loss", "", "Two.", members), Entry("LossSeverity", "", "Three."))
    _, page = api_pages.pages(LANGUAGE, [Module("m", "use m", "M.", entries)])
    assert re.findall(r"\(#(\w+)\)", page.body) == ["loss", "lossseverity_1"]


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("Plain *text* of :func:`a.b`.", r"Plain \*text\* of `a.b`."),
        ("Takes ``a|b`` or `c`.", "Takes <code>a&#124;b</code> or `c`."),
        ("One\nline.\n\nTwo.", "One line.\n\nTwo."),
        ("Either\n- a\n  and b\n- c", "Either\n\n- a and b\n- c"),
        ("As in::\n\n    x = 1\n\n    y = 2\n", "As in:\n\n```python\nx = 1\n\ny = 2\n```"),
        ("```rust\nlet x = 1;\n```", "```rust\nlet x = 1;\n```"),
        ("Up to -1.\n\n# No heading", "Up to -1.\n\n&#35; No heading"),
        ("<b>", "&lt;b&gt;"),
    ],
)
def test_words_are_shown_and_do_nothing_else(words: str, shown: str) -> None:
    assert markdown_of(words) == shown


def test_the_first_sentence() -> None:
    assert first_sentence("Says `a.b` and\nmore. Then other.\n\nEnd.") == "Says `a.b` and more."


def rust_of(folder: Path, **files: str) -> list[Module]:
    source = folder / "rust" / "src"
    source.mkdir(parents=True)
    for name, text in files.items():
        (source / f"{name}.rs").write_text(text, "utf-8")
    return api_rust.modules(folder)


def declared(entries: tuple[Entry, ...]) -> Iterator[tuple[str, str, str]]:
    for entry in entries:
        yield entry.name, entry.declaration, entry.words
        yield from declared(entry.members)


def test_what_is_read_of_rust(tmp_path: Path) -> None:
    lib = """//! The crate.

mod inner;
pub use inner::{Kind, Made as Thing};
"""
    inner = """/// A kind.
#[derive(Clone)]
pub enum Kind {
    /// The first.
    First,
}

/// A thing.
pub struct Made<T> {
    /// How many.
    pub count: u32,
    secret: T,
}

impl<T> Made<T> {
    /// Makes one.
    ///
    /// ```
    /// # hidden();
    /// shown([`Kind`]);
    /// ```
    pub fn new(
        count: u32,
    ) -> Self {
        todo()
    }

    #[doc(hidden)]
    pub fn hidden() {}

    fn private() {}
}

impl<T> Clone for Made<T> {
    pub fn clone() {}
}
"""
    (module,) = rust_of(tmp_path, lib=lib, inner=inner)
    assert (module.name, module.words) == ("partwire", "The crate.")
    words = "Makes one.\n\n```rust\nshown(`Kind`);\n```"
    assert list(declared(module.entries)) == [
        ("Kind", "pub enum Kind", "A kind."),
        ("Kind::First", "First", "The first."),
        ("Thing", "pub struct Made<T>", "A thing."),
        ("Thing::count", "pub count: u32", "How many."),
        ("Thing::new", "pub fn new(\n        count: u32,\n    ) -> Self", words),
    ]


def typescript_of(folder: Path, **files: str) -> list[Module]:
    source = folder / "typescript" / "src"
    source.mkdir(parents=True)
    exports: dict[str, Any] = {
        ".": {"types": "./dist/index.d.ts"},
        "./package.json": "./package.json",
    }
    (source.parent / "package.json").write_text(json.dumps({"exports": exports}))
    for name, text in files.items():
        (source / f"{name}.ts").write_text(text, "utf-8")
    return api_typescript.modules(folder)


def test_what_is_read_of_typescript(tmp_path: Path) -> None:
    index = """/** The package. */
export * from "./inner.js";
export { type Options, Made as Thing } from "./inner.js";
"""
    inner = """/** What it is made with. */
export interface Options {
  /** How many. */
  readonly count?: number;
}

/** A thing; see {@link Options}. */
export class Made<T> extends Base {
  readonly #secret: T;

  constructor(
    readonly secret: T,
  ) {}

  /** Takes one. */
  take(
    options: Options = {},
  ): Made<T> {
    return this;
  }

  private hidden(): void {}
}

/** What is wrong. */
export class Wrong extends Error {}

/** Twice. */
export function twice(text: string): string;
export function twice(count: number): number;
export function twice(value: unknown): unknown {
  if (value) return value;
}

/** Whether it is one. */
export const isOne = (value: unknown): value is 1 => value === 1;
"""
    (module,) = typescript_of(tmp_path, index=index, inner=inner)
    assert (module.name, module.words) == ("partwire", "The package.")
    class_line = "export class Made<T> extends Base"
    both = (
        "export function twice(text: string): string\nexport function twice(count: number): number"
    )
    found = list(declared(module.entries))
    assert found[0] == ("Made", class_line, "A thing; see `Options`.")
    assert found[1] == ("Made.take", "take(\n  options: Options = {},\n): Made<T>", "Takes one.")
    assert found[2:] == [
        ("Options", "export interface Options", "What it is made with."),
        ("Options.count", "readonly count?: number", "How many."),
        ("Thing", class_line, "A thing; see `Options`."),
        ("Thing.take", found[1][1], "Takes one."),
        ("Wrong", "export class Wrong extends Error {}", "What is wrong."),
        ("isOne", "export const isOne = (value: unknown): value is 1", "Whether it is one."),
        ("twice", both, "Twice."),
    ]


@pytest.mark.parametrize("language", ["rust", "typescript"])
def test_a_name_that_is_not_found_is_named(language: str, tmp_path: Path) -> None:
    read, files = {
        "rust": (rust_of, {"lib": "pub use inner::Lost;\n", "inner": ""}),
        "typescript": (
            typescript_of,
            {"index": 'export { Lost } from "./inner.js";\n', "inner": ""},
        ),
    }[language]
    with pytest.raises(NotDeclared, match="Lost is not found"):
        read(tmp_path, **files)
