"""``python -m codegen.site``: the pages of Markdown, and the site that Zensical makes of them."""

from __future__ import annotations

import argparse
import dataclasses
import json
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from codegen.problems import LintError
from codegen.site.api_pages import NotDeclared
from codegen.site.document_pages import BrokenLink, static_files
from codegen.site.gather import all_pages, documents_of
from codegen.site.lean import tidy
from codegen.site.links import faults
from codegen.site.markdown import Page
from codegen.site.navigation import configured, in_order, index_of, section_of, unlisted
from codegen.site.search_index import trim_search

ROOT: Final = Path(__file__).resolve().parents[2]
_HERE: Final = Path(__file__).resolve().parent
_INSPECTOR: Final = Path("python/partwire/inspector/page.html")
_BESIDE: Final = {
    "partwire.css": "partwire.css",
    "iframe-worker.js": "iframe-worker.js",
    "search-on-use.js": "search.js",
}
"""File of the site, in its root → the file in this folder."""


def main(argv: Sequence[str] | None = None) -> int:
    """Return 0 when the site is built and every link of it is right, else 1."""
    parser = argparse.ArgumentParser(prog="python -m codegen.site", description=__doc__)
    parser.add_argument("--source", type=Path, default=ROOT / "build" / "site-src")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "site")
    parser.add_argument("--python", default=sys.executable, help="the Python that has Zensical")
    options = parser.parse_args(argv)
    try:
        pages = list(all_pages(ROOT))
    except (LintError, BrokenLink, NotDeclared) as error:
        print(error, file=sys.stderr)
        return 1
    inspector = ROOT / _INSPECTOR
    if inspector.is_file():
        pages = [_with_link(page) if page.path == "inspector.md" else page for page in pages]
    left = unlisted([page.path for page in pages])
    if left:
        print(f"codegen/site/navigation.py leads to none of: {', '.join(left)}", file=sys.stderr)
        return 1
    write_source(options.source, pages, static_files(documents_of(ROOT)))
    if not build(options.source, options.output, options.python):
        return 1
    trim_search(options.output)
    tidy(options.output)
    if inspector.is_file():
        _write(options.output / "inspect" / "index.html", inspector.read_bytes())
    write_beside(options.output, pages)
    found = list(faults(options.output))
    for fault in found:
        print(fault, file=sys.stderr)
    size = sum(path.stat().st_size for path in options.output.rglob("*") if path.is_file())
    print(f"{options.output}: {len(pages)} pages, {size / 1e6:.0f} MB")
    return 1 if found else 0


def write_source(source: Path, pages: Iterable[Page], files: dict[str, Path]) -> None:
    """Make the folder that Zensical reads: pages, files beside them, and the configuration."""
    shutil.rmtree(source, ignore_errors=True)
    pages = list(pages)
    names = [page.path for page in pages]
    listed = {path for paths in in_order(names).values() for path in paths}
    for page in pages:
        shown = () if page.path in listed else (section_of(page.path), index_of(page.path))
        _write(source / "pages" / page.path, page.source(*shown))
    shutil.copytree(_HERE / "theme", source / "theme")
    ours = {name: _HERE / file for name, file in _BESIDE.items()}
    for name, file in (files | ours).items():
        _write(source / "pages" / name, file.read_bytes())
    settings = (_HERE / "zensical.toml").read_text("utf-8")
    nav = json.dumps(configured(names)).replace('": [', '" = [')
    _write(
        source / "zensical.toml", settings.replace("[project]\n", f"[project]\nnav = {nav}\n", 1)
    )


def build(source: Path, output: Path, python: str) -> bool:
    """Build the site with the Zensical of a Python; say what it says where it fails."""
    program = str(Path(shutil.which(python) or python).absolute())  # it runs in another folder
    command = [program, "-m", "zensical", "build", "--clean"]
    done = subprocess.run(  # noqa: S603
        command, cwd=source, capture_output=True, text=True, check=False
    )
    if done.returncode:
        print(done.stdout, done.stderr, file=sys.stderr)
        return False
    shutil.rmtree(output, ignore_errors=True)
    output.parent.mkdir(parents=True, exist_ok=True)
    (source / "html").rename(output)
    return True


def write_beside(output: Path, pages: Sequence[Page]) -> None:
    """Write each page as Markdown beside its HTML, and llms.txt, which lists what is current."""
    for page in pages:
        _write(output / page.path, page.markdown)
    by_path = {page.path: page for page in pages}
    sections = in_order(by_path)
    parts = [_HEAD]
    for section, paths in sections.items():
        parts.append(f"## {section}\n\n{_listed(by_path[path] for path in paths)}")
    shown = {path for paths in sections.values() for path in paths}
    rest = [page for page in pages if page.searched and page.path not in shown]
    parts.append(f"## Optional\n\n{_listed(rest)}")
    _write(output / "llms.txt", "\n\n".join(parts) + "\n")


_HEAD: Final = """\
# partwire

> One contract for what language models stream: versioned JSON Schemas for messages, parts, deltas,
> sessions and queue messages, with packages for Python, TypeScript and Rust that are held to them.

Each page is Markdown here, and HTML under the same name."""


def _listed(pages: Iterable[Page]) -> str:
    return "\n".join(
        f"- [{page.title}]({page.path})" + (f": {page.description}" if page.description else "")
        for page in pages
    )


def _with_link(page: Page) -> Page:
    """Lead from the page about the inspector to the inspector itself, which is beside it here."""
    link = "## Open it here\n\n[The inspector](inspect/index.html), empty: drop a file on it.\n"
    return dataclasses.replace(page, body=f"{page.body.rstrip()}\n\n{link}")


def _write(path: Path, content: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


if __name__ == "__main__":
    sys.exit(main())
