"""Frozen versions: what the folders of a released version held, and whether they still do.

The manifest of a folder is what ``sha256sum`` prints for its files, in order of their paths; its
own digest is in the catalog. A folder may be packed (``codegen.archive``): of an archive the
catalog has the digest, and there is no manifest. ``docs/releasing.md`` says how anybody recomputes
them. Nothing of partwire is imported: generated code is checked before there is any.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

__all__ = [
    "DIGESTS",
    "Difference",
    "all_differences",
    "archive_path",
    "differences",
    "digest_of",
    "files_of",
    "is_portable",
    "manifest",
    "manifest_path",
]

DIGESTS: Final = {"schemas": "digest", "fixtures": "fixturesDigest"}
"""Folder of a repository → the member of a version's row in the catalog that holds its digest."""

_LINE: Final = re.compile(r"([0-9a-f]{64})  (.+)")
_PORTABLE: Final = re.compile(r"[A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)*")


class Difference(NamedTuple):
    """What is no longer as it was released; ``path`` is relative to the repository."""

    rule: str
    path: str
    message: str
    expected: str | None = None
    actual: str | None = None

    def __str__(self) -> str:
        return f"{self.path}: {self.message} [{self.rule}]"


def files_of(base: Path, version: str) -> list[str]:
    """Return what is below ``base/version`` and is not a folder, as paths relative to ``base``.

    In byte order of the paths, as ``LC_ALL=C sort`` has them.
    """
    found: list[str] = []
    for root, folders, files in os.walk(base / version):
        links = [name for name in folders if (Path(root) / name).is_symlink()]
        found += [(Path(root) / name).relative_to(base).as_posix() for name in (*files, *links)]
    return sorted(found, key=os.fsencode)


def is_portable(base: Path, path: str) -> bool:
    """Return whether a path is a plain file, and named so that every tool shows it alike."""
    file = base / path
    plain = file.is_file() and not file.is_symlink() and os.access(file, os.R_OK)
    return plain and _PORTABLE.fullmatch(path) is not None


def manifest(base: Path, version: str) -> str:
    """Return the manifest of ``base/version``: a line ``<sha256>  <path>`` for each file."""
    return "".join(f"{_sum(base / path)}  {path}\n" for path in files_of(base, version))


def manifest_path(base: Path, version: str) -> Path:
    """Return where the manifest of a released version is: beside its folder."""
    return base / f"{version}.sha256"


def archive_path(base: Path, version: str) -> Path:
    """Return where the archive of a packed version is: in the place of its folder."""
    return base / f"{version}.zip"


def digest_of(data: str | bytes) -> str:
    """Return the digest of a manifest or an archive as the catalog has it: ``sha256:<hex>``."""
    whole = data.encode() if isinstance(data, str) else data
    return f"sha256:{hashlib.sha256(whole).hexdigest()}"


def all_differences(repository: Path) -> list[Difference]:
    """Return what differs in any released version, and manifests of versions that are none."""
    catalog = json.loads((repository / "schemas" / "catalog.json").read_bytes())
    released = {
        name: row for name, row in catalog["versions"].items() if row.get("status") == "released"
    }
    found = [each for name, row in released.items() for each in differences(repository, name, row)]
    for folder in DIGESTS:
        for path in sorted((repository / folder).glob("*.sha256")):
            if path.stem not in released:
                message = "a manifest, but the catalog has no released version of that name"
                found.append(Difference("release/digest-mismatch", _told(folder, path), message))
    return found


def differences(repository: Path, version: str, row: Mapping[str, Any]) -> Iterator[Difference]:
    """Yield every file of a released version that was changed, added or taken away.

    ``row`` is the version's row of the catalog. Where the manifest itself is not what the row's
    digest says, that is reported as well: then the files are compared with what is left of it.
    """
    for folder, member in DIGESTS.items():
        base = repository / folder
        if archive_path(base, version).is_file():
            yield from _packed(folder, base, version, row.get(member))
            continue
        path = manifest_path(base, version)
        try:
            kept = path.read_bytes().decode("utf-8", "replace")
        except OSError:
            kept = ""
        if digest_of(kept) != row.get(member):
            message = f"the manifest is not the one whose digest stands in the catalog ({member})"
            if not path.is_file():
                message = "the manifest of a released version is not there"
            yield Difference(
                "release/digest-mismatch",
                _told(folder, path),
                message,
                str(row.get(member, "a digest")),
                digest_of(kept) if path.is_file() else None,
            )
        there = {name: _sum(base / name) for name in files_of(base, version)}
        if path.is_file():
            yield from _compared(folder, version, _sums(kept), there)


def _packed(folder: str, base: Path, version: str, digest: Any) -> Iterator[Difference]:
    path = archive_path(base, version)
    now = digest_of(path.read_bytes())
    if now != digest:
        message = f"not the archive as it was released in {version}"
        yield Difference("release/frozen-changed", _told(folder, path), message, str(digest), now)
    for name in files_of(base, version):
        message = f"{version} is packed: what is beside its archive is not part of it"
        yield Difference("release/frozen-added", f"{folder}/{name}", message)


def _compared(
    folder: str, version: str, then: Mapping[str, str], now: Mapping[str, str]
) -> Iterator[Difference]:
    for name in sorted({*then, *now}):
        path = f"{folder}/{name}"
        if name not in now:
            yield Difference("release/frozen-missing", path, f"a file of {version} is gone")
        elif name not in then:
            yield Difference(
                "release/frozen-added", path, f"the release of {version} has no such file"
            )
        elif then[name] != now[name]:
            message = f"not as it was released in {version}"
            yield Difference("release/frozen-changed", path, message, then[name], now[name])


def _told(folder: str, path: Path) -> str:
    return f"{folder}/{path.name}"


def _sums(text: str) -> dict[str, str]:
    """Return path → sum; a line of another form is left out, and the digest shows it."""
    matches = map(_LINE.fullmatch, text.split("\n"))
    return {match[2]: match[1] for match in matches if match}


def _sum(path: Path) -> str:
    """Return the SHA-256 of a file's bytes; of a link, of where it points: a link is not a file."""
    try:
        data = os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
    except OSError as error:
        return f"unreadable: {error.strerror}"
    return hashlib.sha256(data).hexdigest()
