"""Places in object stores: ``s3://bucket/folder``, ``gs://bucket/folder``, ``az://container/folder``.

The client takes its settings from the environment, as the stores' own tools do (``AWS_REGION``,
``AWS_ENDPOINT_URL``, ``GOOGLE_SERVICE_ACCOUNT``, ``AZURE_STORAGE_ACCOUNT_NAME``, …). It tries a
request again that a server answers with 5xx or does not answer, up to ten times within three
minutes; what is read is asked for in pieces, so that a connection that is cut costs one piece.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from io import RawIOBase
from pathlib import Path
from typing import Any, Final, NamedTuple

from ..errors import Finding, PartwireError, UsageError
from ..extras import import_extra
from .store import Store

__all__ = ["Changed", "Object", "Ranges", "Remote", "is_url", "split_url"]

_CLIENTS: Final = {"s3": "S3Store", "gs": "GCSStore", "az": "AzureStore"}
_PIECE_BYTES: Final = 8 << 20
_MOST_PARTS: Final = 10_000  # of an upload; the stores' own limit
_UPLOADS: Final = 2  # pieces of one file that are on the way at the same time
_MOST_RETRIES: Final = 10
_RETRY_SECONDS: Final = 180
_SILENT_SECONDS: Final = 60  # after which a connection is given up
_WAIT_SECONDS: Final = (0.1, 0.5, 2.0, 8.0)  # before what was cut is asked for again


class Changed(Exception):
    """An object is not the one that was asked for."""


class Object(NamedTuple):
    """What a store says of what it holds."""

    name: str
    """Its URL."""
    size: int
    stamp: str
    """The tag that the store gives to what an object holds, or when it was written."""


def is_url(name: str) -> bool:
    """Tell whether a name is that of something in an object store."""
    return name.partition("://")[0] in _CLIENTS and "://" in name


def split_url(url: str) -> tuple[str, str]:
    """Return the part of a URL that names a bucket, and the key behind it."""
    scheme, _, rest = url.partition("://")
    bucket, _, key = rest.partition("/")
    if not bucket or bucket != bucket.strip():
        raise UsageError(
            Finding(
                "usage/invalid-argument",
                "A URL of an object store names a bucket",
                expected=f"{scheme}://BUCKET/FOLDER",
                actual=url,
            )
        )
    return f"{scheme}://{bucket}", key


class _Client:
    """The client of a bucket. One for each bucket and process: a connection is used again."""

    def __init__(self, bucket: str) -> None:
        self.obstore = import_extra("obstore", "archive", "An object store")
        stores = import_extra("obstore.store", "archive", "An object store")
        scheme, _, name = bucket.partition("://")
        with _failing(bucket):
            self.store = getattr(stores, _CLIENTS[scheme])(
                name,
                client_options={
                    "allow_http": _is_plain_http(),
                    "connect_timeout": timedelta(seconds=10),
                    "read_timeout": timedelta(seconds=_SILENT_SECONDS),
                    "timeout": timedelta(minutes=10),
                },
                retry_config={
                    "max_retries": _MOST_RETRIES,
                    "retry_timeout": timedelta(seconds=_retry_seconds()),
                    "backoff": {
                        "init_backoff": timedelta(milliseconds=100),
                        "max_backoff": timedelta(seconds=15),
                    },
                },
            )


def _is_plain_http() -> bool:
    """Tell whether an endpoint was named that has no TLS; no other way leads to one."""
    return any(
        value.startswith("http://")
        for name, value in os.environ.items()
        if name.startswith(("AWS_ENDPOINT", "AZURE_", "GOOGLE_"))
    )


def _retry_seconds() -> float:
    return float(os.environ.get("PARTWIRE_RETRY_SECONDS", _RETRY_SECONDS))


_clients: dict[str, _Client] = {}


def _client(bucket: str) -> _Client:
    found = _clients.get(bucket)
    if found is None:
        found = _clients[bucket] = _Client(bucket)
    return found


class _failing:  # noqa: N801 - used as a function
    """Say what a store has failed at as a finding."""

    def __init__(self, place: str) -> None:
        self._place = place

    def __enter__(self) -> None:
        pass

    def __exit__(self, _type: object, error: BaseException | None, _trace: object) -> None:
        if error is None or not _is_of_client(error):
            return
        words = str(error).split("\n\nDebug source")[0].strip()
        raise UsageError(
            Finding(
                "archive/store-failed",
                f"The object store has failed: {words[:_MOST_WORDS]}",
                expected="a place that can be reached, and the right to it; "
                "a run that ended so goes on with --resume",
                actual=type(error).__name__,
                source=self._place,
            )
        ) from None


_MOST_WORDS: Final = 600


def _is_of_client(error: BaseException) -> bool:
    if isinstance(error, PartwireError):
        return False
    is_own = type(error).__module__.startswith("obstore")
    return is_own or isinstance(error, FileNotFoundError | ValueError | PermissionError)


class Remote(Store):
    """A place in an object store. Raises UsageError ``archive/store-failed``."""

    def __init__(self, url: str) -> None:
        self.place = url.rstrip("/")
        self._bucket, key = split_url(self.place)
        self._prefix = f"{key}/" if key else ""
        _client(self._bucket)

    def __reduce__(self) -> tuple[type[Remote], tuple[str]]:
        return Remote, (self.place,)

    def put(self, name: str, file: Path) -> None:
        client = _client(self._bucket)
        size = file.stat().st_size
        with _failing(f"{self.place}/{name}"):
            client.obstore.put(
                client.store,
                self._prefix + name,
                file,
                chunk_size=max(_PIECE_BYTES, -(-size // _MOST_PARTS)),
                max_concurrency=_UPLOADS,
                use_multipart=size > _PIECE_BYTES,
            )
        file.unlink()

    def put_new(self, name: str, data: bytes) -> bool:
        client = _client(self._bucket)
        key = self._prefix + name

        def put() -> bool:
            client.obstore.put(client.store, key, data, mode="create", use_multipart=False)
            return True

        with _failing(f"{self.place}/{name}"):
            try:
                return put()
            except Exception as error:
                # Clients and stores say in many ways that something is there. And where an answer
                # was lost, what is there may be what this call has put.
                if not _is_of_client(error):
                    raise
                there = self.read(name)
                return put() if there is None else there == data

    def read(self, name: str) -> bytes | None:
        client = _client(self._bucket)
        with _failing(f"{self.place}/{name}"):
            try:
                return bytes(_body(lambda: client.obstore.get(client.store, self._prefix + name)))
            except FileNotFoundError:
                return None

    def chunks(self, name: str) -> Iterator[bytes]:
        url = f"{self.place}/{name}"
        found = object_at(url)
        if found is None:
            raise UsageError(Finding("archive/store-failed", "A file is not there", source=url))
        return Ranges(found).pieces()

    def names(self, folder: str = "") -> Iterator[str]:
        prefix = self._prefix + folder
        for each in _listed(self._bucket, f"{prefix.rstrip('/')}/" if prefix else ""):
            yield each["path"][len(self._prefix) :]

    def delete(self, name: str) -> None:
        client = _client(self._bucket)
        with _failing(f"{self.place}/{name}"), suppress(FileNotFoundError):
            client.obstore.delete(client.store, self._prefix + name)

    def work_folder(self, plan: str) -> Path:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        name = hashlib.sha256(f"{self.place}\n{plan}".encode()).hexdigest()
        return Path(base) / "partwire" / f"work-{name[:16]}"


def _body(get: Callable[[], Any]) -> Any:
    """Return what an answer holds; one that is cut in its midst is asked for again."""
    for seconds in _WAIT_SECONDS:
        answer = get()  # the client sends again what is not answered
        try:
            return answer.bytes()
        except Exception as error:
            if not _is_of_client(error):
                raise
        time.sleep(seconds)
    return get().bytes()


def _listed(bucket: str, prefix: str) -> Iterator[Any]:
    client = _client(bucket)
    with _failing(f"{bucket}/{prefix}"):
        for group in client.obstore.list(client.store, prefix or None):
            yield from group


def _object(bucket: str, meta: Any) -> Object:
    stamp = meta["e_tag"] or meta["last_modified"].isoformat()
    return Object(f"{bucket}/{meta['path']}", meta["size"], stamp)


def object_at(url: str) -> Object | None:
    """Return what is at a URL; None if there is nothing."""
    bucket, key = split_url(url)
    if not key or key.endswith("/"):
        return None
    client = _client(bucket)
    with _failing(url):
        try:
            return _object(bucket, client.obstore.head(client.store, key))
        except FileNotFoundError:
            return None


def written_at(url: str) -> int:
    """Return when an object was written, in milliseconds since 1970."""
    bucket, key = split_url(url)
    client = _client(bucket)
    with _failing(url):
        return int(client.obstore.head(client.store, key)["last_modified"].timestamp() * 1000)


def objects_below(url: str) -> Iterator[Object]:
    """Yield what is in a folder of a store and in its folders, in order of their names."""
    bucket, key = split_url(url)
    prefix = f"{key.rstrip('/')}/" if key else ""
    yield from sorted(_object(bucket, meta) for meta in _listed(bucket, prefix))


class Ranges(RawIOBase):
    """An object as a file that can be sought; what is read of it is asked for in pieces.

    Raises Changed where it is another one now, and UsageError ``archive/store-failed``. ``end`` is
    up to where it will be read, and a little more.
    """

    def __init__(self, found: Object, end: int | None = None) -> None:
        self._object = found
        self._bucket, self._key = split_url(found.name)
        self._end = found.size if end is None else min(end, found.size)
        self._at = self._begin = 0
        self._held = memoryview(b"")

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        assert whence == os.SEEK_SET
        self._at = offset
        return offset

    def readinto(self, buffer: Any, /) -> int:
        if self._at >= self._object.size:
            return 0
        if not self._begin <= self._at < self._begin + len(self._held):
            self._hold()
        room = memoryview(buffer).cast("B")
        found = self._held[self._at - self._begin :][: len(room)]
        room[: len(found)] = found
        self._at += len(found)
        return len(found)

    def pieces(self) -> Iterator[bytes]:
        """Yield all of it up to the end, some at a time."""
        while self._at < self._end:
            self._hold()
            for at in range(0, len(self._held), _CHUNK_BYTES):
                yield bytes(self._held[at : at + _CHUNK_BYTES])
            self._at += len(self._held)

    def _hold(self) -> None:
        room = self._end - self._at
        end = self._at + (min(room, _PIECE_BYTES) if room > 0 else _BEYOND_BYTES)
        end = min(end, self._object.size)
        self._held = memoryview(b"")  # not both at a time
        self._held, self._begin = memoryview(self._ask(self._at, end)), self._at

    def _ask(self, begin: int, end: int) -> Any:
        client = _client(self._bucket)
        options: dict[str, Any] = {"range": (begin, end)}
        if self._object.stamp.startswith(('"', "W/")):
            options["if_match"] = self._object.stamp

        def get() -> Any:
            found = client.obstore.get(client.store, self._key, options=options)
            if _object(self._bucket, found.meta) != self._object:
                raise Changed
            return found

        with _failing(self._object.name):
            try:
                return _body(get)
            except FileNotFoundError:
                raise Changed from None
            except Exception as error:
                if type(error).__name__ == "PreconditionError":
                    raise Changed from None
                raise


_CHUNK_BYTES: Final = 1 << 17
_BEYOND_BYTES: Final = 1 << 16
