"""The fixtures as archives: the same files give the same bytes.

``python -m codegen.archive all FOLDER`` writes ``partwire-fixtures-<version>.tar.gz``, for who
tests an implementation without this repository, and its digest beside it.

``python -m codegen.archive version v0.1`` puts ``fixtures/v0.1.zip`` in the place of
``fixtures/v0.1/``; ``unzip fixtures/v0.1.zip -d fixtures`` makes the folder again.

Names are sorted, and times and owners are nobody's. A zip has the same bytes under the same zlib.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import shutil
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import partwire

__all__ = ["members", "packed_all", "packed_version"]

ROOT = Path(__file__).resolve().parent.parent
_FOLDERS = ("fixtures", "schemas")
_MORE = ("docs/conformance.md", "docs/semantics.md", "LICENSE")
_NO_TIME = (1980, 1, 1, 0, 0, 0)


def main(argv: Sequence[str] | None = None) -> int:
    """Write an archive and print what was written; return 1 where there is nothing to pack."""
    parser = argparse.ArgumentParser(prog="python -m codegen.archive", description=__doc__)
    parser.add_argument("--root", type=Path, default=ROOT, metavar="FOLDER", help="the repository")
    what = parser.add_subparsers(required=True, dest="what")
    everything = what.add_parser("all", help="all fixtures, and the schemas that they are of")
    everything.add_argument("folder", type=Path, help="where archive and digest are written")
    one = what.add_parser("version", help="the fixtures of a version, in place of their folder")
    one.add_argument("version", metavar="VERSION", help="a contract version, such as v0.1")
    options = parser.parse_args(argv)
    if options.what == "all":
        return _write_all(options.root, options.folder)
    return _replace_version(options.root, options.version)


# --- all of them ----------------------------------------------------------------------------------


def _write_all(root: Path, folder: Path) -> int:
    name = f"partwire-fixtures-{partwire.__version__}"
    data = packed_all(root, name)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.tar.gz"
    path.write_bytes(data)
    digest = Path(f"{path}.sha256")
    digest.write_text(f"{hashlib.sha256(data).hexdigest()}  {path.name}\n", "utf-8")
    print(path, digest, sep="\n")
    return 0


def packed_all(root: Path, name: str) -> bytes:
    """Return the archive; everything in it is under the folder ``name``."""
    packed = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=packed, mode="wb", mtime=0, filename="") as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for path in members(root):
            data = path.read_bytes()
            entry = tarfile.TarInfo(f"{name}/{path.relative_to(root).as_posix()}")
            entry.size, entry.mode = len(data), 0o644
            tar.addfile(entry, io.BytesIO(data))
    return packed.getvalue()


def members(root: Path) -> Iterator[Path]:
    """Yield the files of the archive of all, in order."""
    for folder in _FOLDERS:
        yield from _files(root / folder)
    yield from (root / each for each in _MORE)


# --- one version ----------------------------------------------------------------------------------


def _replace_version(root: Path, version: str) -> int:
    folder = root / "fixtures" / version
    if not folder.is_dir():
        print(f"fixtures/{version} is not a folder", file=sys.stderr)
        return 1
    archive = folder.with_name(f"{folder.name}.zip")
    archive.write_bytes(packed_version(folder))
    shutil.rmtree(folder)
    print(archive)
    return 0


def packed_version(folder: Path) -> bytes:
    """Return the archive of a folder; every name in it begins with the folder's."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in _files(folder):
            name = f"{folder.name}/{path.relative_to(folder).as_posix()}"
            entry = zipfile.ZipInfo(name, _NO_TIME)
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes(), compresslevel=9)
    return made.getvalue()


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


if __name__ == "__main__":
    sys.exit(main())
