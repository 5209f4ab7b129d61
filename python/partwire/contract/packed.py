"""Data of the package by folder: files in a checkout, one packed file per folder in a wheel.

The wheel's build hook packs with this module, which is why it imports nothing of the package. A
folder is packed as a whole: its files are much alike, and xz makes a tenth of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

__all__ = ["SUFFIX", "files_of", "folders", "pack", "unpack"]

SUFFIX = ".xz"

_TOP = ("catalog.json", "config.schema.json", "tables/losses.json")
"""What is read of ``schemas/`` beside rules and versions."""


def folders(root: Path) -> list[str]:
    """Return the folders of a checkout: ``schemas``, ``rules``, ``interfaces``, and the versions.

    Raises OSError or ValueError where ``root`` has no catalog, or what is none.
    """
    catalog = json.loads((root / "schemas" / "catalog.json").read_bytes())
    return ["schemas", "rules", "interfaces", *catalog["versions"]]


def files_of(root: Path, folder: str) -> dict[str, Path]:
    """Return name → file of a folder in a checkout, sorted by name.

    The names: ``catalog.json``; ``stream.json`` of rules; ``openapi-3.1.json`` of interfaces;
    of a version ``message/delta.schema.json``, and ``bundles/message.schema.json`` for a bundle.
    """
    return dict(sorted(_files(root, folder)))


def _files(root: Path, folder: str) -> Iterator[tuple[str, Path]]:
    schemas, package = root / "schemas", root / "python" / "partwire"
    if folder == "schemas":
        yield from ((name, path) for name in _TOP if (path := schemas / name).is_file())
    elif folder == "rules":
        yield from ((path.name, path) for path in (schemas / "rules").glob("*.json"))
    elif folder == "interfaces":
        yield from ((path.name, path) for path in (package / "interfaces").glob("*.json"))
    else:
        for path in (schemas / folder).rglob("*.json"):
            yield path.relative_to(schemas / folder).as_posix(), path
        for path in (package / folder.replace(".", "_") / "bundles").glob("*.json"):
            yield f"bundles/{path.name}", path


def pack(files: Mapping[str, bytes]) -> bytes:
    """Return the files as one: a line of JSON, name → size, then all bytes, in xz."""
    import lzma  # noqa: PLC0415 - a checkout does without

    head = json.dumps({name: len(data) for name, data in files.items()}).encode()
    # A small window, since whoever unpacks has to make room for it.
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": 1 << 20}]
    return lzma.compress(head + b"\n" + b"".join(files.values()), filters=filters)


def unpack(data: bytes) -> dict[str, bytes]:
    """Return what was packed. Raises ValueError for anything else.

    Raises ImportError where this Python was built without lzma.
    """
    import lzma  # noqa: PLC0415 - a checkout does without

    try:
        head, _, body = lzma.decompress(data).partition(b"\n")
    except lzma.LZMAError as error:
        raise ValueError(str(error)) from None
    files, start = {}, 0
    for name, size in json.loads(head).items():
        files[name] = body[start : start + size]
        start += size
    return files
