"""Files of a git commit, read through the git command: nothing is checked out."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from ...errors import Finding, UsageError, clip

__all__ = ["GitFile", "missing", "read_git", "repository_path"]

_SECONDS: Final = 60
_REGULAR: Final = ("100644", "100755")


class GitFile(NamedTuple):
    """A file of a commit; ``path`` is relative to what was asked for, "" for that itself."""

    path: str
    data: bytes


def read_git(ref: str, path: str, suffix: str = ".json") -> list[GitFile] | None:
    """Return the file ``path`` of a commit, or all files below it whose name ends so, sorted.

    ``path`` counts from the top of the repository of the working folder ("" is all of it), or
    from the working folder if it begins with ``./``. None: the commit has no such path. Raises
    UsageError ``usage/unreadable-input`` for a missing git, repository or ref.
    """
    name = f"git:{ref}:{path}"
    commit = _commit(ref, name)
    target = f"{commit}:{path.rstrip('/') if path != '/' else ''}"
    kind = _run(["cat-file", "-t", target], name, may_fail=True)
    if kind is None:
        return None
    if kind.strip() == b"blob":
        return [GitFile("", _must(["cat-file", "blob", target], name))]
    if kind.strip() != b"tree":
        raise missing(name, "neither a file nor a folder (a submodule, perhaps)")
    return _tree(target, name, suffix)


def repository_path(path: str) -> str:
    """Return a path of the working tree as ``read_git`` takes it, from the top of its repository.

    Raises UsageError ``usage/unreadable-input`` where there is no git, or no repository.
    """
    top = _must(["rev-parse", "--show-toplevel"], path).decode("utf-8", "surrogateescape")
    root = Path(top.rstrip("\n")).resolve()
    try:
        relative = Path(path).resolve().relative_to(root).as_posix()
    except (ValueError, OSError, RuntimeError):
        raise missing(path, "it stands outside the repository of the working folder") from None
    return "" if relative == "." else relative


def missing(name: str, why: str) -> UsageError:
    """Return the error that says that a source cannot be read."""
    return UsageError(
        Finding("usage/unreadable-input", f"Cannot be read: {why}", source=name, actual=clip(name))
    )


def _commit(ref: str, name: str) -> str:
    if not ref or ref.startswith("-"):
        raise missing(name, "a ref has a name that does not begin with a dash")
    _must(["rev-parse", "--git-dir"], name)
    found = _run(["rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}"], name, may_fail=True)
    if found is None:
        raise missing(name, "git knows no such ref (a shallow clone has few; fetch it first)")
    return found.decode().strip()


def _tree(target: str, name: str, suffix: str) -> list[GitFile]:
    listing = _must(["ls-tree", "-r", "-z", "--full-tree", target], name)
    wanted: list[tuple[str, str]] = []
    for row in filter(None, listing.split(b"\0")):
        head, _, raw = row.partition(b"\t")
        mode, _, digest = head.decode().split(" ")
        path = raw.decode("utf-8", "surrogateescape")
        if not path.endswith(suffix):
            continue
        if mode not in _REGULAR:
            raise missing(f"{name}/{path}", "a link or a submodule, which is not followed")
        wanted.append((path, digest))
    wanted.sort()
    contents = _blobs([digest for _, digest in wanted], name)
    return [GitFile(path, data) for (path, _), data in zip(wanted, contents, strict=True)]


def _blobs(digests: Sequence[str], name: str) -> list[bytes]:
    """Read all at once: one process, however many files."""
    if not digests:
        return []
    answer = _run(["cat-file", "--batch"], name, given="".join(f"{d}\n" for d in digests).encode())
    found: list[bytes] = []
    here = 0
    for digest in digests:
        end = (answer or b"").find(b"\n", here)
        words = (answer or b"")[here:end].split()
        if answer is None or end < 0 or len(words) != 3:
            raise missing(name, f"git does not give out {digest} (a partial clone, perhaps)")
        size = int(words[2])
        found.append(answer[end + 1 : end + 1 + size])
        here = end + 2 + size
    return found


def _must(args: list[str], name: str) -> bytes:
    answer = _run(args, name)
    assert answer is not None  # it raises where git fails
    return answer


def _run(args: list[str], name: str, *, given: bytes = b"", may_fail: bool = False) -> bytes | None:
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C", "GIT_PAGER": "cat"}
    try:
        done = subprocess.run(  # noqa: S603  # arguments, and no shell
            ["git", "--no-replace-objects", *args],  # noqa: S607  # the user's own git
            input=given,
            capture_output=True,
            check=False,
            timeout=_SECONDS,
            env=environment,
        )
    except subprocess.TimeoutExpired:
        raise missing(name, f"git did not answer within {_SECONDS} s") from None
    except OSError as error:
        why = "git is not installed" if isinstance(error, FileNotFoundError) else str(error)
        raise missing(name, why) from None
    except ValueError:  # a NUL in an argument
        raise missing(name, "no ref and no path has such a name") from None
    if done.returncode == 0:
        return done.stdout
    if may_fail:
        return None
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    raise missing(name, f"git says: {said[0][:200] if said else 'nothing, but fails'}")
