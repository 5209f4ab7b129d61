"""Freeze a version of the contract: ``python -m codegen.release VERSION [--check]``.

What may be released, and what stops it, is described in ``docs/releasing.md``.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from codegen.frozen import (
    DIGESTS,
    archive_path,
    differences,
    digest_of,
    manifest,
    manifest_path,
)
from codegen.release_checks import Repository, checks
from codegen.release_compat import compatibility, surfaces
from partwire.cli.report.render import render_error
from partwire.errors import Finding, PartwireError

ROOT = Path(__file__).resolve().parent.parent


class ReleaseError(PartwireError):
    """A version that must not be released as it is; nothing was written."""


def main(argv: Sequence[str] | None = None) -> int:
    """Return 0 when the version is released (or could be, with ``--check``), else 1."""
    parser = argparse.ArgumentParser(prog="python -m codegen.release", description=__doc__)
    parser.add_argument("version", metavar="VERSION", help="a contract version, such as v0.2")
    parser.add_argument("--check", action="store_true", help="say what stops it; write nothing")
    parser.add_argument(
        "--date",
        type=date.fromisoformat,
        metavar="YYYY-MM-DD",
        help="the day of the release; today in UTC if it is left out",
    )
    parser.add_argument("--root", type=Path, default=ROOT, metavar="FOLDER", help="the repository")
    options = parser.parse_args(argv)
    day = options.date or datetime.now(UTC).date()
    try:
        said = release(options.root, options.version, day, dry=options.check)
    except PartwireError as error:
        render_error(error)
        count = len(error.findings)
        print(f"{options.version}: refused, {count} finding(s)", file=sys.stderr)
        return 1
    print(said)
    return 0


def release(root: Path, version: str, day: date, *, dry: bool = False) -> str:
    """Freeze ``version``, and return one sentence that says what was done.

    A version that is released already is compared with what was released. Raises ReleaseError
    with everything that stops the release; the catalog is then as it was.
    """
    repository = Repository(root)
    catalog = _catalog(repository)
    rows = catalog["versions"]
    if version not in rows:
        raise ReleaseError(
            Finding(
                "release/unknown-version",
                "The catalog has no such version",
                expected=", ".join(rows),
                actual=version,
                source="schemas/catalog.json",
            )
        )
    if rows[version]["status"] == "released":
        return _released_before(repository, version, rows[version])
    found = [*_frozen(repository, rows), *checks(repository, version, rows)]
    if not found:  # what is not a contract yet, or comes too late, is not compared
        found += compatibility(repository, version, rows)
        found += surfaces(repository, version, rows)
    if found:
        raise ReleaseError(*found)
    if dry:
        return f"{version} can be released"
    return _freeze(repository, catalog, version, day)


def _released_before(repository: Repository, version: str, row: Mapping[str, Any]) -> str:
    found = list(_frozen(repository, {version: row}))
    if found:
        raise ReleaseError(*found)
    return f"{version} was released on {row.get('released')}, and is unchanged since"


def _frozen(repository: Repository, rows: Mapping[str, Any]) -> list[Finding]:
    """Return what differs in versions that were released before."""
    return [
        Finding(
            each.rule,
            each.message[0].upper() + each.message[1:],
            expected=each.expected,
            actual=each.actual,
            source=each.path,
        )
        for name, row in rows.items()
        if row["status"] == "released"
        for each in differences(repository.root, name, row)
    ]


def _freeze(repository: Repository, catalog: dict[str, Any], version: str, day: date) -> str:
    """Write the manifests, then the catalog: a version is released once that is written.

    What is packed has no manifest: its digest is that of the archive.
    """
    row = catalog["versions"][version]
    digests: dict[str, str] = {}
    counts: list[str] = []
    for folder, member in DIGESTS.items():
        base = repository.root / folder
        archive = archive_path(base, version)
        if archive.is_file():
            digests[member] = digest_of(archive.read_bytes())
            counts.append(f"the archive of {folder}")
            continue
        text = manifest(base, version)
        _write(manifest_path(base, version), text)
        digests[member] = digest_of(text)
        counts.append(f"{len(text.splitlines())} {folder}")
    catalog["versions"][version] = {
        "status": "released",
        "released": day.isoformat(),
        **{name: value for name, value in row.items() if name != "status"},
        **digests,
    }
    _write(repository.catalog, catalog_text(catalog))
    return f"{version} is released: {' and '.join(counts)} are frozen, {digests['digest']}"


def catalog_text(value: Any, indent: str = "") -> str:
    """Return the catalog as it is written: objects over several lines, arrays on one."""
    if not isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    inner = indent + "  "
    lines = [
        f"{inner}{json.dumps(name, ensure_ascii=False)}: {catalog_text(each, inner)}"
        for name, each in value.items()
    ]
    text = "{\n" + ",\n".join(lines) + f"\n{indent}}}" if lines else "{}"
    return text if indent else text + "\n"


def _write(path: Path, text: str) -> None:
    """Replace a file at once: whoever reads it sees the old one or the new one."""
    beside = path.with_name(f".{path.name}.new")
    try:
        beside.write_bytes(text.encode())
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        problem = f"The file cannot be written: {error.strerror}"
        raise ReleaseError(Finding("usage/unwritable-output", problem, source=path.name)) from None


def _catalog(repository: Repository) -> dict[str, Any]:
    problem = "The catalog cannot be read"
    try:
        catalog = json.loads(repository.catalog.read_bytes())
    except (OSError, ValueError) as error:
        problem = f"{problem}: {error}"
        catalog = None
    rows = catalog.get("versions") if isinstance(catalog, dict) else None
    if isinstance(catalog, dict) and isinstance(rows, dict):
        wrong = [name for name, row in rows.items() if not _is_row(name, row)]
        if not wrong:
            return catalog
        problem = f"The row of {', '.join(wrong)} is not a row of a version"
    raise ReleaseError(
        Finding(
            "release/invalid-catalog",
            problem,
            expected='versions: name such as v0.1 → {"status": "draft" or "released", "families"}',
            source="schemas/catalog.json",
        )
    )


def _is_row(name: str, row: Any) -> bool:
    return (
        Repository.number(name) is not None
        and isinstance(row, dict)
        and row.get("status") in ("draft", "released")
        and isinstance(row.get("families"), list)
        and all(isinstance(family, str) for family in row["families"])
    )


if __name__ == "__main__":
    sys.exit(main())
