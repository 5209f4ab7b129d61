"""The fixtures as one archive, for who tests an implementation without this repository.

``python -m codegen.archive FOLDER`` writes ``partwire-fixtures-<version>.tar.gz`` and its digest
beside it. The same files give the same bytes: names are sorted, and times and owners are nobody's.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import sys
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import partwire

__all__ = ["archive", "members"]

ROOT = Path(__file__).resolve().parent.parent
_FOLDERS = ("fixtures", "schemas")
_MORE = ("docs/conformance.md", "docs/semantics.md", "LICENSE")


def main(argv: Sequence[str] | None = None) -> int:
    """Write the archive and its digest; print both names."""
    parser = argparse.ArgumentParser(prog="python -m codegen.archive", description=__doc__)
    parser.add_argument("folder", type=Path, help="where they are written")
    options = parser.parse_args(argv)
    name = f"partwire-fixtures-{partwire.__version__}"
    data = archive(ROOT, name)
    options.folder.mkdir(parents=True, exist_ok=True)
    path = options.folder / f"{name}.tar.gz"
    path.write_bytes(data)
    digest = Path(f"{path}.sha256")
    digest.write_text(f"{hashlib.sha256(data).hexdigest()}  {path.name}\n", "utf-8")
    print(path, digest, sep="\n")
    return 0


def archive(root: Path, name: str) -> bytes:
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
    """Yield the files of the archive, in order."""
    for folder in _FOLDERS:
        yield from sorted(path for path in (root / folder).rglob("*") if path.is_file())
    yield from (root / each for each in _MORE)


if __name__ == "__main__":
    sys.exit(main())
