"""The fixtures of a version as one archive: ``python -m codegen.pack VERSION``.

``fixtures/v0.1/`` becomes ``fixtures/v0.1.zip``, and the folder goes. The same files give the same
bytes under the same zlib: names are sorted, and times and owners are nobody's.
``unzip fixtures/v0.1.zip -d fixtures`` makes the folder again.
"""

from __future__ import annotations

import argparse
import io
import shutil
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

__all__ = ["packed"]

ROOT = Path(__file__).resolve().parent.parent
_NO_TIME = (1980, 1, 1, 0, 0, 0)


def main(argv: Sequence[str] | None = None) -> int:
    """Put the archive in the folder's place; return 1 where there is no such folder."""
    parser = argparse.ArgumentParser(prog="python -m codegen.pack", description=__doc__)
    parser.add_argument("version", metavar="VERSION", help="a contract version, such as v0.1")
    parser.add_argument("--root", type=Path, default=ROOT, metavar="FOLDER", help="the repository")
    options = parser.parse_args(argv)
    folder: Path = options.root / "fixtures" / options.version
    if not folder.is_dir():
        print(f"fixtures/{options.version} is not a folder", file=sys.stderr)
        return 1
    archive = folder.with_name(f"{folder.name}.zip")
    archive.write_bytes(packed(folder))
    shutil.rmtree(folder)
    print(archive)
    return 0


def packed(folder: Path) -> bytes:
    """Return the archive of a folder; every name in it begins with the folder's."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(each for each in folder.rglob("*") if each.is_file()):
            name = f"{folder.name}/{path.relative_to(folder).as_posix()}"
            entry = zipfile.ZipInfo(name, _NO_TIME)
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes(), compresslevel=9)
    return made.getvalue()


if __name__ == "__main__":
    sys.exit(main())
