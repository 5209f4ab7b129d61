"""Stores: a folder, and a real S3 server; runs over both, and a server that fails."""

from __future__ import annotations

import errno
import gzip
import json
import os
import pickle
import re
import shutil
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from partwire.archive.documents.options import Convert, Dedupe, Migrate, Statistics, ToParquet
from partwire.archive.inputs import find_inputs, read_input
from partwire.archive.operations import Assemble, Options
from partwire.archive.readers import read_table, tables
from partwire.archive.remote import Remote, is_url, object_at, split_url
from partwire.archive.run import ArchiveRun
from partwire.archive.store import Folder, Store, open_store
from partwire.errors import UsageError
from tests.archive.driver import begin, end, meanwhile
from tests.archive.made import Rows, assembled, expected, make, run, write
from tests.archive.servers import Gateway, Proxy, gateway, proxy
from tests.fixture_cases import ROOT

pytestmark = pytest.mark.early


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    pytest.importorskip("obstore", reason="no obstore: pip install 'partwire[archive]'")
    with gateway(tmp_path_factory.mktemp("s3")) as found:
        yield found


def _no_link(*_args: object, **_said: object) -> None:
    raise OSError(errno.EPERM, os.strerror(errno.EPERM))


@pytest.fixture(params=["folder", "folder without links", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A place with nothing in it."""
    if request.param != "s3":
        if request.param != "folder":
            monkeypatch.setattr(os, "link", _no_link)
        return Folder(tmp_path / "store")
    request.getfixturevalue("server")
    return Remote(f"s3://bucket/{tmp_path.name}")


@pytest.fixture
def weak(server: Gateway, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    """A proxy before the server."""
    with proxy(server, monkeypatch) as found:
        yield found


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Rows]:
    """An archive, and what has to come of it."""
    base = tmp_path_factory.mktemp("store")
    source = write(base / "source", make(30, 200))
    return source, expected(source, base)


# --- what is asked of a store ---------------------------------------------------------------------


def test_first_one_counts(store: Store) -> None:
    assert store.read("a/b.json") is None
    assert store.put_new("a/b.json", b"1")
    assert not store.put_new("a/b.json", b"2")
    assert store.read("a/b.json") == b"1"


def test_one_of_many_at_once_counts(store: Store) -> None:
    with ThreadPoolExecutor(8) as pool:
        for at in range(10):
            names, data = [f"race/{at}"] * 8, [b"%d" % who for who in range(8)]
            put = list(pool.map(store.put_new, names, data))
            assert [data[who] for who in range(8) if put[who]] == [store.read(names[0])]


def test_files_are_moved_whole(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "file"
    data = bytes(range(256)) * 80_000  # more than one piece of an upload
    file.write_bytes(data)
    store.put("t/1", file)
    assert not file.exists()
    assert b"".join(store.chunks("t/1")) == data
    assert list(store.names()) == ["t/1"]


def test_names(store: Store) -> None:
    assert list(store.names()) == []
    for name in ("a/1", "a/b/2", "ab/3", "4"):
        store.put_new(name, b"")
    assert sorted(store.names()) == ["4", "a/1", "a/b/2", "ab/3"]
    assert sorted(store.names("a")) == ["a/1", "a/b/2"]
    assert list(store.names("none")) == []


def test_delete(store: Store) -> None:
    store.put_new("a/1", b"")
    store.delete("a/1")
    store.delete("a/1")
    assert store.read("a/1") is None


def test_store_goes_to_other_processes(store: Store) -> None:
    store.put_new("a", b"1")
    assert pickle.loads(pickle.dumps(store)).read("a") == b"1"


@pytest.mark.parametrize("has_links", [True, False])
def test_what_was_put_in_a_folder_outlasts_a_loss_of_power(
    has_links: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda file: synced.append(os.fstat(file).st_ino))
    if not has_links:
        monkeypatch.setattr(os, "link", _no_link)
    store = Folder(tmp_path / "store")
    (tmp_path / "file").write_bytes(b"1")
    for folder, put in (
        (store.path / "a", lambda: store.put("a/1", tmp_path / "file")),
        (store.path / "b", lambda: store.put_new("b/1", b"1")),
    ):
        synced.clear()
        put()
        assert synced[-2:] == [(folder / "1").stat().st_ino, folder.stat().st_ino]


@pytest.mark.parametrize(
    "options",
    [
        Assemble(),
        Convert(source="message", to="session", by="run"),
        Dedupe(),
        Migrate(to="v0.2"),
        Statistics(type="message.Message"),
        ToParquet(type="message.Message", flat=True),
    ],
    ids=lambda options: type(options).__name__,
)
def test_what_is_said_of_a_task_does_not_outlast_its_files(
    options: Options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A loss of power between two steps: what the next one takes is there, and whole."""
    source = write(tmp_path / "source", make(3, 40))
    if not isinstance(options, Assemble):
        run(source, tmp_path / "assembled", task_bytes=2000)
        source = tmp_path / "assembled" / "messages"
    synced: dict[int, int] = {}
    named: set[str] = set()
    put_new = Folder.put_new

    def sync(file: int) -> None:
        status = os.fstat(file)
        synced[status.st_ino] = status.st_size

    def put(store: Folder, name: str, data: bytes) -> bool:
        for each in set(re.findall(rb'"(p?[0-9]{6}-[0-9a-f]{8})', data)):
            for file in (tmp_path / "work").rglob(f"{each.decode()}*"):
                status = file.stat()
                assert status.st_size == synced[status.st_ino], file
                assert file.parent.stat().st_ino in synced
                named.add(file.suffix)
        return put_new(store, name, data)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(Folder, "put_new", put)
    target, work = tmp_path / "target", tmp_path / "work"
    ArchiveRun(options, [str(source)], target, jobs=1, work=work, task_bytes=2000).go()
    assert named


@pytest.mark.parametrize("which", [1, 2])
def test_a_small_file_that_was_not_written_is_not_in_the_way(
    which: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = [0]

    def fail(_file: int) -> None:
        count[0] += 1
        if count[0] == which:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fail)
    monkeypatch.setattr(os, "link", _no_link)
    store = Folder(tmp_path / "store")
    with pytest.raises(OSError, match="No space left"):
        store.put_new("a/1", b"1")
    assert list(store.names()) == []
    assert store.put_new("a/1", b"2")
    assert store.read("a/1") == b"2"


@pytest.mark.parametrize("url", ["s3://", "s3:///folder", "gs:// /x"])
def test_url_without_a_bucket(url: str) -> None:
    assert is_url(url)
    with pytest.raises(UsageError) as caught:
        open_store(url)
    assert caught.value.rule == "usage/invalid-argument"


def test_split_url() -> None:
    assert split_url("s3://b/c/d") == ("s3://b", "c/d")
    assert not is_url("s3:/b")
    assert not is_url("http://b")


def test_bucket_that_is_not_there(server: Gateway) -> None:
    with pytest.raises(UsageError) as caught:
        list(Remote("s3://absent/x").names())
    assert caught.value.rule == "archive/store-failed"
    assert "NoSuchBucket" in str(caught.value)


# --- inputs ---------------------------------------------------------------------------------------


@pytest.fixture
def objects(server: Gateway, tmp_path: Path) -> Iterator[str]:
    """Some objects, by the URL of their folder."""
    folder = server.bucket / "objects"
    for name in (
        "b.jsonl",
        "a.ndjson",
        "c/d.jsonl.gz",
        ".hidden/e.jsonl",
        "notes.txt",
        "c/x/f.jsonl",
    ):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"{}\n")
    yield "s3://bucket/objects"
    shutil.rmtree(folder)


@pytest.mark.parametrize(
    ("url", "names"),
    [
        ("", ["a.ndjson", "b.jsonl", "c/d.jsonl.gz", "c/x/f.jsonl"]),
        ("/", ["a.ndjson", "b.jsonl", "c/d.jsonl.gz", "c/x/f.jsonl"]),
        ("/c", ["c/d.jsonl.gz", "c/x/f.jsonl"]),
        ("/b.jsonl", ["b.jsonl"]),
        ("/*.jsonl", ["b.jsonl"]),
        ("/**/*.jsonl", [".hidden/e.jsonl", "b.jsonl", "c/x/f.jsonl"]),
        ("/[ab].*", ["a.ndjson", "b.jsonl"]),
        ("/[!a].jsonl", ["b.jsonl"]),
        ("/c/?.jsonl.gz", ["c/d.jsonl.gz"]),
        ("/notes.txt", ["notes.txt"]),
    ],
)
def test_objects(objects: str, url: str, names: list[str]) -> None:
    found = [each.input.name for each in find_inputs([objects + url])]
    assert found == [f"{objects}/{name}" for name in names]


@pytest.mark.parametrize("url", ["/none", "/*.none", "/.hidden/none.jsonl"])
def test_objects_that_are_not_there(objects: str, url: str) -> None:
    with pytest.raises(UsageError) as caught:
        list(find_inputs([objects + url]))
    assert caught.value.rule == "usage/unreadable-input"


def test_object_comes_once(objects: str) -> None:
    assert len(list(find_inputs([objects, f"{objects}/b.jsonl"]))) == 4


def test_object_that_has_changed(objects: str) -> None:
    remote = Remote(objects)
    (found,) = find_inputs([f"{objects}/b.jsonl"])
    remote.delete("b.jsonl")
    with pytest.raises(UsageError) as gone:
        list(read_input(found.input, 0, None))
    remote.put_new("b.jsonl", b"[]\n")  # as long as before
    with pytest.raises(UsageError) as changed:
        list(read_input(found.input, 0, None))
    assert (gone.value.rule, changed.value.rule) == ("archive/input-changed",) * 2


# --- runs -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 2])
def test_run_over_a_store(
    server: Gateway, archive: tuple[Path, Rows], tmp_path: Path, jobs: int
) -> None:
    source, want = archive
    shutil.copytree(source, server.bucket / "in", dirs_exist_ok=True)
    target = f"s3://bucket/{tmp_path.name}"
    run("s3://bucket/in", target, jobs=jobs, work=tmp_path / "work", task_bytes=256 << 10)
    found = assembled(target)
    assert found.messages == want.messages
    assert {row.replace("s3://bucket/in", str(source)) for row in found.quarantine} == set(
        want.quarantine
    )
    assert set(Remote(target).names("messages")) == set(tables(target)["messages"].files)
    # Its table is an input of others.
    assert len(list(find_inputs([f"{target}/messages"]))) == len(tables(target)["messages"].files)
    with pytest.raises(UsageError, match="it has the tables of a run"):
        list(find_inputs([target]))


def test_recorded_streams_in_a_store(server: Gateway, tmp_path: Path) -> None:
    folder = server.bucket / tmp_path.name
    source = ROOT / "fixtures" / "v0.3" / "providers" / "openai-chat"
    (folder / "2026").mkdir(parents=True)
    path = next(path for path in sorted(source.iterdir()) if b"[DONE]" in path.read_bytes())
    (folder / "2026" / "a.sse").write_bytes(path.read_bytes())
    (folder / "notes.txt").write_bytes(b"")
    sources = [f"s3://bucket/{tmp_path.name}"]
    options = Assemble(source="openai-chat")
    summary = ArchiveRun(options, sources, tmp_path / "out", jobs=1).go()
    (message,) = map(json.loads, read_table(tmp_path / "out", "messages"))
    assert message["runId"] == "2026/a.sse"
    written = (folder / "2026" / "a.sse").stat().st_mtime
    assert abs(datetime.fromisoformat(message["timestamp"]).timestamp() - written) < 2
    assert summary.passed_over.first == [f"{sources[0]}/notes.txt"]


@pytest.mark.parametrize("suffix", ["jsonl", "jsonl.gz"])
def test_cost_of_objects(server: Gateway, tmp_path: Path, suffix: str) -> None:
    path = server.bucket / tmp_path.name / f"a.{suffix}"
    path.parent.mkdir()
    text = b"".join(line + b"\n" for line in make(31, 3000, faults=False))
    path.write_bytes(gzip.compress(text, 1) if suffix.endswith("gz") else text)
    sources = [f"s3://bucket/{tmp_path.name}"]
    run = ArchiveRun(Assemble(), sources, tmp_path / "out", jobs=1, task_bytes=1 << 20)
    lines = text.count(b"\n")
    assert lines * 0.7 < run.cost().lines < lines * 1.3
    assert not (tmp_path / "out").exists()


def test_run_that_is_killed_goes_on(
    server: Gateway, archive: tuple[Path, Rows], tmp_path: Path
) -> None:
    source, want = archive
    target, work = f"s3://bucket/{tmp_path.name}", tmp_path / "work"
    first = begin(source, target, work=str(work), jobs=1, task_bytes=16 << 10)
    meanwhile(first, lambda: list(Remote(target).names("messages")), "a first file")
    first.kill()
    end(first)
    run(source, target, work=work, task_bytes=16 << 10)
    assert assembled(target) == want
    assert set(Remote(target).names("messages")) == set(tables(target)["messages"].files)


# --- a server that fails --------------------------------------------------------------------------


def _busy(times: int) -> Any:
    """Return a fault that answers 503 so often, and then no more."""
    left = [times]

    def answer(_head: bytes, client: socket.socket) -> bool:
        if left[0] == 0:
            return False
        left[0] -= 1
        client.sendall(b"HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        return True

    return answer


def _hang_up(times: int) -> Any:
    left = [times]

    def cut(_head: bytes, _client: socket.socket) -> bool:
        left[0] -= 1
        return left[0] >= 0

    return cut


@pytest.mark.parametrize("fault", [_busy, _hang_up], ids=["503", "cut"])
def test_requests_that_fail_are_sent_again(
    weak: Proxy, archive: tuple[Path, Rows], tmp_path: Path, fault: Any
) -> None:
    source, want = archive
    weak.fault = _every(4, fault)
    target = f"s3://bucket/{tmp_path.name}"
    run(source, target, work=tmp_path / "work", task_bytes=256 << 10)
    assert weak.requests > 10
    assert assembled(target) == want


def _every(number: int, fault: Any) -> Any:
    """Return a fault that takes each so-manieth request."""
    lock, count = threading.Lock(), [0]

    def take(head: bytes, client: socket.socket) -> bool:
        with lock:
            count[0] += 1
            is_due = count[0] % number == 0
        return is_due and fault(1)(head, client)

    return take


def test_answer_that_is_cut_is_asked_for_again(weak: Proxy, tmp_path: Path) -> None:
    remote = Remote(f"s3://bucket/{tmp_path.name}")
    data = bytes(range(256)) * 20_000
    assert remote.put_new("whole.jsonl", data)
    found = object_at(f"{remote.place}/whole.jsonl")
    assert found is not None
    for limit in (0, 500, 200_000):
        weak.cut_after = limit
        assert b"".join(remote.chunks("whole.jsonl")) == data
        assert weak.cut_after is None


def test_put_new_whose_answer_is_lost_has_put(weak: Proxy, tmp_path: Path) -> None:
    remote = Remote(f"s3://bucket/{tmp_path.name}")
    weak.cut_after = 0
    assert remote.put_new("a", b"mine")
    assert weak.requests >= 2
    assert not remote.put_new("a", b"other")


def test_slow_server(weak: Proxy, archive: tuple[Path, Rows], tmp_path: Path) -> None:
    source, want = archive
    weak.seconds_per_answer = 0.05
    target = f"s3://bucket/{tmp_path.name}"
    run(source, target, work=tmp_path / "work", task_bytes=1 << 20)
    assert assembled(target) == want


def test_server_that_is_gone_stops_the_run_and_it_goes_on(
    archive: tuple[Path, Rows], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("obstore")
    monkeypatch.setenv("PARTWIRE_RETRY_SECONDS", "1")
    source, want = archive
    with gateway(tmp_path / "s3") as server:
        work = tmp_path / "work"
        first = begin(source, "s3://bucket/out", work=str(work), jobs=1, task_bytes=16 << 10)
        meanwhile(first, lambda: list(server.bucket.glob("out/messages/*")), "a first file")
        server.kill()
        status, said = end(first)
        assert (status, "archive/store-failed" in said) == (2, True), said
        server.start()
        run(source, "s3://bucket/out", work=work, task_bytes=16 << 10)
        assert assembled("s3://bucket/out") == want


def test_server_that_is_killed_while_a_file_is_put(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("obstore")
    monkeypatch.setenv("PARTWIRE_RETRY_SECONDS", "1")
    file = tmp_path / "file"
    file.write_bytes(bytes(40 << 20))
    with gateway(tmp_path / "s3") as server, proxy(server, monkeypatch) as weak:
        remote = Remote("s3://bucket/out")

        def kill(head: bytes, _client: socket.socket) -> bool:
            if b"partNumber=3" in head:
                server.kill()
            return False

        weak.fault = kill
        with pytest.raises(UsageError) as caught:
            remote.put("t/1", file)
        assert caught.value.rule == "archive/store-failed"
        assert file.exists()
        server.start()
        weak.fault = lambda _head, _client: False
        assert list(remote.names()) == []  # nothing of it is to be seen
        remote.put("t/1", file)
        assert list(remote.names()) == ["t/1"]
