"""What a run reads: which files and objects, and what is refused before anything is written."""

from __future__ import annotations

import gzip
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from partwire.archive.inputs import find_inputs, read_input
from partwire.archive.lines import Block, blocks
from partwire.archive.operations import Assemble
from partwire.archive.plan import make_plan
from partwire.archive.readers import read_table
from partwire.archive.run import ArchiveRun
from partwire.archive.steps import Step
from partwire.errors import ReadError, UsageError
from partwire.files.compressed import zstd_module
from tests.archive.made import assembled, make, run, stream, write
from tests.archive.memory import peak_of


def _found(*names: str | Path) -> list[str]:
    return [found.input.name for found in find_inputs(map(str, names))]


def _refused(*names: str | Path) -> tuple[str, str]:
    with pytest.raises(UsageError) as caught:
        list(find_inputs(map(str, names)))
    return caught.value.rule, caught.value.findings[0].message


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    for name in ("b.jsonl", "a.ndjson", "c/d.jsonl.gz", ".hidden/e.jsonl", "notes.txt", "f.json"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"{}\n")
    return folder


def test_folder_gives_its_lines_in_order(logs: Path) -> None:
    assert _found(logs) == [str(logs / name) for name in ("a.ndjson", "b.jsonl", "c/d.jsonl.gz")]


def test_glob(logs: Path) -> None:
    assert _found(f"{logs}/**/*.jsonl*") == [str(logs / "b.jsonl"), str(logs / "c/d.jsonl.gz")]
    assert _refused(f"{logs}/*.nothing")[1] == "Cannot be read: no file fits the glob"


def test_file_comes_once_by_whatever_names(logs: Path) -> None:
    (logs / "latest.jsonl").symlink_to("b.jsonl")
    (logs / "other").symlink_to(logs / "c")
    (logs / "round").symlink_to(logs)
    assert _found(logs, logs / "b.jsonl", logs / "other", f"{logs}/*.jsonl") == [
        str(logs / name) for name in ("a.ndjson", "b.jsonl", "c/d.jsonl.gz")
    ]


def test_link_that_leads_nowhere(logs: Path) -> None:
    (logs / "lost.jsonl").symlink_to("nowhere")
    assert _refused(logs) == (
        "usage/unreadable-input",
        "Cannot be read: No such file or directory",
    )


def _pipe(folder: Path) -> Path:
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


def _empty(folder: Path) -> Path:
    (folder / "empty").mkdir()
    return folder / "empty"


@pytest.mark.parametrize(
    ("make_name", "why"),
    [
        (_empty, "no file of lines is in the folder"),
        (_pipe, "it is not a file"),
        (lambda folder: folder / "absent", "No such file or directory"),
        (lambda folder: "-", "an archive is read more than once"),
        (lambda folder: "", "No such file or directory"),
        (lambda folder: folder / ("x" * 300), "File name too long"),
    ],
)
def test_what_is_not_an_input(
    tmp_path: Path, make_name: Callable[[Path], Path | str], why: str
) -> None:
    rule, message = _refused(make_name(tmp_path))
    assert (rule, message) == ("usage/unreadable-input", f"Cannot be read: {why}")


@pytest.fixture
def nobodys_folder() -> Iterator[Path]:
    """A folder whose owner is not root, as who the test runs: root may read everything."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if os.geteuid() != 0:
            yield folder
            return
        os.chown(folder, _NOBODY, _NOBODY)
        os.seteuid(_NOBODY)
        try:
            yield folder
        finally:
            os.seteuid(0)


_NOBODY = 65534


def test_file_that_may_not_be_read(nobodys_folder: Path) -> None:
    file = nobodys_folder / "a.jsonl"
    file.write_bytes(b"{}\n")
    file.chmod(0)
    assert _refused(nobodys_folder)[1] == "Cannot be read: Permission denied"


def test_folder_that_may_not_be_read(nobodys_folder: Path) -> None:
    (nobodys_folder / "inside").mkdir()
    (nobodys_folder / "inside").chmod(0)
    assert _refused(nobodys_folder)[1] == "Cannot be read: Permission denied"


def test_target_inside_of_the_source_is_left_out(tmp_path: Path) -> None:
    logs = write(tmp_path / "logs", make(1, 20))
    run(logs, logs / "out")
    first = assembled(logs / "out")
    assert run(logs, logs / "out").totals.lines == run(logs, tmp_path / "other").totals.lines
    assert assembled(tmp_path / "other") == first
    assert _found(f"{logs}/**/*.jsonl") == [str(logs / "000.jsonl"), str(logs / "001.jsonl")]


def test_table_of_a_run_is_what_its_summary_names(tmp_path: Path) -> None:
    logs = write(tmp_path / "logs", make(1, 20))
    summary = run(logs, tmp_path / "out")
    table = tmp_path / "out" / "messages"
    (table / "000000-01234567.jsonl").write_bytes(b"of an attempt that does not count\n")
    assert {f"messages/{Path(name).name}" for name in _found(table)} == set(
        summary.tables["messages"].files
    )
    rule, message = _refused(tmp_path / "out")
    assert (rule, message) == (
        "usage/unreadable-input",
        "Cannot be read: it has the tables of a run",
    )
    (tmp_path / "out" / "_partwire" / "summary.json").unlink()
    assert _refused(table)[0] == "archive/not-ended"


@pytest.mark.parametrize("where", ["out", "logs"])
def test_target_with_other_files_is_refused(tmp_path: Path, where: str) -> None:
    logs = write(tmp_path / "logs", make(1, 5))
    own = tmp_path / "out" / "messages" / "000000-01234567.jsonl"
    own.parent.mkdir(parents=True)
    own.write_bytes(b"mine\n")
    with pytest.raises(UsageError) as caught:
        run(logs, tmp_path / where)
    assert caught.value.rule == "archive/other-plan"
    assert own.read_bytes() == b"mine\n"
    assert not (tmp_path / where / "_partwire").exists()


def test_work_folder_that_was_named_stays(tmp_path: Path) -> None:
    logs = write(tmp_path / "logs", make(1, 5))
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "mine").write_bytes(b"1")
    run(logs, tmp_path / "out", work=tmp_path / "work")
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["mine"]


# --- inputs that change, or are damaged -----------------------------------------------------------


def _grow(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"{}\n")


def _rewrite(path: Path) -> None:
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(data)


@pytest.mark.parametrize("change", [_grow, _rewrite, Path.unlink], ids=lambda each: each.__name__)
def test_input_that_changes_while_it_is_read(
    tmp_path: Path, change: Callable[[Path], None]
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"".join(b'{"at": %d}\n' % at for at in range(100_000)))
    (found,) = find_inputs([str(path)])
    chunks = read_input(found.input, 0, None)
    next(chunks)
    change(path)
    with pytest.raises(UsageError) as caught:
        list(chunks)
    assert caught.value.rule in ("archive/input-changed", "usage/unreadable-input")
    assert caught.value.findings[0].source == str(path)


@pytest.mark.parametrize(("change", "jobs"), [(_grow, 2), (_rewrite, 1), (Path.unlink, 1)])
def test_input_that_changes_during_a_run(
    tmp_path: Path, change: Callable[[Path], None], jobs: int
) -> None:
    logs = write(tmp_path / "logs", make(1, 100))

    def spoil(step: Step, done: int) -> None:
        if step.name == "scan" and done == step.tasks:
            change(logs / "001.jsonl")

    target = tmp_path / "out"
    assemble = ArchiveRun(Assemble(), [str(logs)], target, jobs=jobs, task_bytes=64 << 10)
    with pytest.raises(UsageError) as caught:
        assemble.go(spoil)
    assert caught.value.rule in ("archive/input-changed", "usage/unreadable-input")
    assert caught.value.findings[0].source == str(logs / "001.jsonl")
    with pytest.raises(UsageError) as unread:
        read_table(tmp_path / "out", "messages").__next__()
    assert unread.value.rule == "archive/not-ended"


def test_run_does_not_go_on_with_another_input(tmp_path: Path) -> None:
    logs = write(tmp_path / "logs", make(1, 20))
    run(logs, tmp_path / "out")
    (tmp_path / "out" / "_partwire" / "summary.json").unlink()
    _grow(logs / "000.jsonl")
    with pytest.raises(UsageError) as caught:
        run(logs, tmp_path / "out")
    assert caught.value.rule == "archive/other-plan"
    assert caught.value.findings[0].actual == f"another {logs / '000.jsonl'}"


@pytest.mark.parametrize("suffix", ["gz", "zst"])
@pytest.mark.parametrize(("share", "jobs"), [(0.0, 1), (0.001, 1), (0.5, 1), (0.5, 2), (0.99, 1)])
def test_compressed_file_that_is_cut(tmp_path: Path, suffix: str, share: float, jobs: int) -> None:
    logs = write(tmp_path / "logs", make(1, 200), files=1)
    text = (logs / "000.jsonl").read_bytes()
    data = _packed(text, suffix)
    cut = logs / f"001.jsonl.{suffix}"
    cut.write_bytes(data[: int(share * len(data))])
    with pytest.raises(ReadError) as caught:
        run(logs, tmp_path / "out", jobs=jobs)
    assert caught.value.rule == "document/damaged-compression"
    assert caught.value.findings[0].source == str(cut)


def _packed(text: bytes, suffix: str) -> bytes:
    if suffix == "gz":
        return gzip.compress(text)
    packed: bytes = zstd_module().compress(text)
    return packed


def test_parts_are_the_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    rows = [b"x" * (at * 7919 % 300) + b"\n" for at in range(2000)]
    path.write_bytes(b"".join(rows))
    plan = make_plan([str(path)], "any", {}, 1, task_bytes=10_000)
    parts = [b"".join(plan.chunks(part)) for task in plan.tasks for part in task]
    assert len(parts) > 20
    assert b"".join(parts) == b"".join(rows)
    assert all(part.endswith(b"\n") for part in parts if part)


@pytest.mark.parametrize("text", [b"{}\n[]\n", b"{}"])
@pytest.mark.parametrize("is_midway", [False, True])
def test_byte_order_mark_is_dropped_at_the_beginning_alone(text: bytes, is_midway: bool) -> None:
    mark = b"\xef\xbb\xbf"
    given = [mark, text[:1], text[1:]] if text.endswith(b"\n") else [mark + text]
    found = list(blocks(given, 0, 100, is_midway=is_midway))
    data = b"".join(each.data for each in found if isinstance(each, Block))
    assert data == (mark if is_midway else b"") + text.rstrip(b"\n") + b"\n"


@pytest.mark.parametrize("name", ["jobs", "memory", "task_bytes"])
@pytest.mark.parametrize("number", [0, -1, 1.5, True, "1"])
def test_number_of_which_no_run_can_be_made(tmp_path: Path, name: str, number: object) -> None:
    logs = write(tmp_path / "logs", make(1, 5))
    with pytest.raises(UsageError) as caught:
        run(logs, tmp_path / "out", **{name: number})
    assert caught.value.rule == "usage/invalid-argument"
    assert name in caught.value.findings[0].message
    assert caught.value.findings[0].actual == repr(number)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("megabytes", "jobs"), [(1, 1), (89, 1), (150, 2), (512, 9), (2048, 16)])
def test_jobs_have_room_in_memory(tmp_path: Path, megabytes: int, jobs: int) -> None:
    logs = write(tmp_path / "logs", make(1, 50))
    sources, out, memory = [str(logs)], tmp_path / "out", megabytes << 20
    planned = ArchiveRun(Assemble(), sources, out, jobs=16, memory=memory, task_bytes=500)
    assert planned.jobs == jobs


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is read in /proc")
def test_hundred_thousand_small_files(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    for at in range(100):
        (logs / f"{at:03}").mkdir(parents=True)
    for at in range(100_000):
        line = stream(at, at, ["x"])[at % 2]
        (logs / f"{at % 100:03}" / f"{at}.jsonl").write_bytes(line + b"\n")
    peak, summary = peak_of(logs, tmp_path / "out", memory=512 << 20)
    assert summary.totals.lines == 100_000
    assert summary.totals.made == summary.totals.quarantined == 50_000  # a line without a start
    assert len(json.loads((tmp_path / "out/_partwire/plan.json").read_bytes())["tasks"]) < 50
    assert peak < 512 << 20
    print(f"{summary.seconds} s, {peak >> 20} MB")
