"""What the help of ``partwire archive`` and docs/archives.md show works; what people are shown."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from partwire.archive import ArchiveRun, Cost, tables
from partwire.archive.columns import write_parquet
from partwire.cli import archives as archives_module
from partwire.cli import main
from partwire.cli.commands.archive import archive
from partwire.cli.report import archives as report_module
from partwire.convert import convert
from partwire.files.compressed import zstd_module
from partwire.reading import to_wire
from tests.archive.archives import message
from tests.archive.made import stream
from tests.fixture_cases import ROOT

pytest.importorskip("pyarrow")


def run(*args: str) -> Result:
    return CliRunner().invoke(main, ["archive", *args], catch_exceptions=False)


def examples() -> Iterator[list[str]]:
    """Yield the arguments of each example in the help of archive and its commands."""
    for command in (archive, *archive.commands.values()):
        text = (command.help or "").replace("\\\n", " ")
        for line in re.findall(r"^ *partwire archive (.*)$", text, re.MULTILINE):
            yield shlex.split(line)


EXAMPLES = list(examples())
PAGE = (ROOT / "docs" / "archives.md").read_text("utf-8")


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folders that examples read."""
    folder = tmp_path_factory.mktemp("archives")
    deltas = stream("a", 1, ["Hello"])
    of_ada: dict[str, Any] = {"meta": {"user": "ada"}}
    messages = [
        message("a", "Hi", **of_ada),
        message("a", "Ho", at=1, role="assistant", **of_ada),
        message("b", **of_ada),
    ]
    history = [json.loads(line) for line in messages[:2]]
    sessions = convert(history, "session", type="message.Message", agent="a").value
    record = {"contract": "partwire", "version": "v0.2", "type": "message.Message"}
    request = {"model": "large", "messages": [{"role": "user", "content": "Hi"}]}
    chunk = {"id": "c-1", "object": "chat.completion.chunk", "model": "large"}
    choice = {"index": 0, "delta": {"content": "Hi"}, "finish_reason": "stop"}
    answer = [
        b"data: %b" % json.dumps({**chunk, "choices": [choice]}).encode(),
        b"",
        b"data: [DONE]",
    ]
    event = {"task_id": "t", "payload": {}, "retry_count": 0, "max_attempts": 3}
    inputs = {
        "logs/a.jsonl": deltas,
        "logs/2026-11/b.jsonl.zst": stream("b", 1, ["Hello"]),
        "messages/a.jsonl": messages,
        "out/messages/a.jsonl": messages,
        "training/a.jsonl": [*messages, messages[0]],
        "sessions/a.jsonl": [json.dumps(to_wire(each)).encode() for each in sessions],
        "records/a.jsonl": [json.dumps({**record, "data": history[0]}).encode()],
        "requests/a.jsonl": [json.dumps(request).encode()],
        "queue/a.jsonl": [json.dumps(event).encode()],
        "streams/a.sse": answer,
        "recorded/2026/a.sse": answer,
    }
    for name, lines in inputs.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = b"".join(line + b"\n" for line in lines)
        path.write_bytes(zstd_module().compress(text) if name.endswith(".zst") else text)
    (folder / "tables" / "documents").mkdir(parents=True)
    write_parquet(messages, folder / "tables" / "documents" / "a.parquet", "message.Message")
    return folder


@pytest.mark.parametrize("args", EXAMPLES, ids=" ".join)
def test_an_example_runs(
    args: list[str], archives: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    *_, source, target = args
    top = Path(source).parts[0]
    Path(top).symlink_to(archives / top)
    done = run(*args)
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    if args[0] == "plan":
        assert found["inputs"] > 0
        assert not Path(target).exists()
        return
    assert found["totals"]["lines"] > 0
    assert found["totals"]["quarantined"] == 0
    assert tables(target).keys() == found["tables"].keys()


def test_the_steps_of_the_page_run(
    archives: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("logs", "streams", "recorded"):
        Path(name).symlink_to(archives / name)
    seen = set()
    for block in re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL):
        for line in re.findall(r"^partwire archive (.*)$", block.replace("\\\n", ""), re.MULTILINE):
            args = shlex.split(line, comments=True)
            assert run(*args).exit_code == 0
            seen.add(args[0])
    assert {"plan", "assemble", "statistics", "redact", "split"} <= seen


def test_the_python_of_the_page_runs(
    archives: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("logs").symlink_to(archives / "logs")
    (block,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    exec(compile(block, "archives.md", "exec"), {"__name__": "page"})
    planned, done, rows, first, _second = capsys.readouterr().out.splitlines()
    assert planned == "about 6 lines"
    assert done == "6 used, 0 quarantined"
    assert rows == "{'messages': 2}"
    assert first.startswith("b'{")


def test_the_page_names_every_command() -> None:
    table = PAGE.split("\n## Commands\n")[1].split("\n## ")[0]
    named = set(re.findall(r"^\| (.*?) \|", table, re.MULTILINE))
    words = {word for row in named for word in re.findall(r"`([a-z-]+)", row)}
    assert archive.commands.keys() <= words


def test_there_are_examples_of_every_command() -> None:
    commands = archive.commands.keys() - {"plan"}
    assert {args[0] for args in EXAMPLES} == {*commands, "plan"}


def test_every_command_can_be_planned() -> None:
    plan = archive.commands["plan"]
    assert isinstance(plan, click.Group)
    assert {**plan.commands, "plan": plan} == archive.commands


def test_a_plan_is_what_dry_run_prints(archives: Path, tmp_path: Path) -> None:
    args = ("assemble", str(archives / "logs"), str(tmp_path / "out"))
    planned = [
        json.loads(run(*before, *args, *behind).stdout)
        for before, behind in ((("plan",), ()), ((), ("--dry-run",)))
    ]
    for each in planned:
        del each["core_hours"], each["seconds"]
    assert planned[0] == planned[1]
    assert (planned[0]["inputs"], planned[0]["lines"]) == (2, 6)
    assert list(tmp_path.iterdir()) == []


def test_a_plan_refuses_what_its_command_refuses(tmp_path: Path) -> None:
    for args in (("assemble", "gone", "out"), ("assemble", "out"), ("plan", "in", "out"), ("no",)):
        done = run("plan", *args)
        assert done.exit_code == 2
        assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_people_are_shown_where_results_are(archives: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    args = ("--type", "message.Message", "--format", "text", str(archives / "messages"))
    shown = run("statistics", *args, f"{out}/").stdout.splitlines()
    assert f"{out}/report.html" in shown
    assert (out / "report.html").is_file()
    shown = run("validate", *args, str(tmp_path / "checked")).stdout.splitlines()
    assert [line.split() for line in shown[:4]] == [
        ["lines", "3"],
        ["used", "3"],
        ["invalid", "0"],
        ["valid", "3"],
    ]


def test_columns_of_counts_are_below_each_other(archives: Path, tmp_path: Path) -> None:
    args = ("--type", "message.Message", "--format", "text", str(archives / "logs"))
    done = run("validate", *args, str(tmp_path / "checked"))
    assert done.exit_code == 1
    *counts, table, _seconds = done.stdout.splitlines()
    assert any(line.startswith("warning shape/unknown-member ") for line in counts)
    assert len({len(line) for line in counts}) == 1
    assert table.startswith(f"{tmp_path}/checked/findings: ")


def test_people_are_shown_why_lines_were_put_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = tmp_path / "logs.jsonl"
    logs.write_bytes(b"\n".join([b"{", b"[1]", b'{"\x1b": ', *stream("a", 1, ["Hi"])]) + b"\n")
    shown = run("assemble", "--format", "text", str(logs), str(tmp_path / "out")).stdout
    *_, first, second, _seconds = shown.splitlines()
    assert re.fullmatch(rf"  document/invalid-json      2, first {logs}:1: \S.*", first)
    assert re.fullmatch(rf"  shape/type                 1, first {logs}:2: \S.*", second)
    monkeypatch.setattr(report_module, "_REASON_ROWS", 2)
    shown = run("assemble", "--resume", "--format", "text", str(logs), str(tmp_path / "out")).stdout
    assert "  of the first 2 rows:\n" in shown


def test_who_interrupts_is_shown_how_to_go_on(
    archives: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_run: ArchiveRun, _show: object) -> None:
        raise KeyboardInterrupt

    args = ("assemble", str(archives / "logs"), str(tmp_path / "out"))
    monkeypatch.setattr(ArchiveRun, "go", interrupted)
    done = run(*args)
    assert (done.exit_code, done.stderr) == (130, "Aborted!\n")  # which a program reads
    monkeypatch.setattr(archives_module, "is_terminal", lambda *, err: err)
    assert run(*args).stderr == "What is done is kept: --resume goes on.\nAborted!\n"


@pytest.mark.parametrize(
    ("hours", "said"), [(0.0, "less than 0.001"), (0.0421, "about 0.0421"), (310.0, "about 310")]
)
def test_hours_are_for_people(
    hours: float, said: str, archives: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cost = Cost(1, 2, 3, 4, 5, 6, core_hours=hours, seconds=7.0, jobs=2)
    monkeypatch.setattr(ArchiveRun, "cost", lambda _self: cost)
    args = ("assemble", "--format", "text", str(archives / "logs"), str(tmp_path / "out"))
    assert run("plan", *args).stdout.endswith(f"core-hours   {said} (7 s with --jobs 2)\n")
