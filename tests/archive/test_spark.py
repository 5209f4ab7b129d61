"""Archives on Spark: rows and totals are those of one machine. All tests share a session."""

from __future__ import annotations

import itertools
import json
import os
import socket
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner

from bench import archive as made_archives
from bench.archive import FAULTS
from partwire.archive.documents.options import (
    Convert,
    Dedupe,
    FromParquet,
    Migrate,
    Redact,
    Sample,
    Split,
    Statistics,
    ToParquet,
)
from partwire.archive.operations import Assemble, Options, Validate
from partwire.archive.readers import read_table
from partwire.archive.remote import Remote
from partwire.archive.run import ArchiveRun
from partwire.archive.steps import Totals
from partwire.cli import main
from partwire.errors import UsageError
from tests.archive.conversations import conversations
from tests.archive.disks import small_disk
from tests.archive.made import Rows, assembled, expected, lines_of, make, run, stream, write
from tests.archive.servers import Fault, gateway, proxy
from tests.archive.spark_driver import environment
from tests.fixture_cases import ROOT

pytest.importorskip("pyspark", reason="pip install 'partwire[spark]'")

from partwire.archive.spark import assemble, assemble_live, totals_of
from partwire.archive.spark.frames import HELD_BYTES
from partwire.archive.spark.run import SparkRun
from partwire.archive.spark.session import patient, raised_here, session

pytestmark = [pytest.mark.early, pytest.mark.filterwarnings("ignore::ResourceWarning")]
_TASK_BYTES = 64 << 10
_ABORTED = (
    "An error occurred while calling o1.x.\n: org.apache.spark.SparkException: Job aborted due to "
    "stage failure: Task 16 in stage 1.0 failed 4 times, most recent failure: Lost task 16.3 in "
    "stage 1.0 (TID 70) (localhost executor driver):"
)
_NO_SPACE = "java.io.IOException: No space left on device"


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """A session with two processes, which see this checkout."""
    before = dict(os.environ)
    os.environ.update(environment())
    found = session("local[2]")
    found.conf.set("spark.sql.shuffle.partitions", "4")
    yield found
    found.stop()
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Rows]:
    """An archive with all faults, and what has to come of it."""
    base = tmp_path_factory.mktemp("spark")
    source = write(base / "source", make(34, 150))
    return source, expected(source, base)


def _run(spark: Any, options: Options, source: Path, target: Path) -> Any:
    return SparkRun(spark, options, [str(source)], target, task_bytes=_TASK_BYTES).go()


# --- the command line's runs ----------------------------------------------------------------------


def test_assembling_gives_what_it_gives_on_one_machine(
    spark: Any, archive: tuple[Path, Rows], tmp_path: Path
) -> None:
    source, wanted = archive
    summary = _run(spark, Assemble(), source, tmp_path / "target")
    assert assembled(tmp_path / "target") == wanted
    totals = summary.totals
    assert totals.lines == sum(1 for _ in lines_of(source))
    assert (totals.lost, totals.given_on) == (0, 0)
    assert totals.made == wanted.messages.total()
    assert totals.quarantined == wanted.quarantine.total()


def test_an_archive_of_which_the_truth_is_known(spark: Any, tmp_path: Path) -> None:
    """With every fault that a stream may have, compressed files, and a run that is everywhere."""
    faults = dict.fromkeys(FAULTS, 0.03)
    options = made_archives.Options(
        faults=faults, garbage=0.01, blank=0.01, hot=0.2, files=5, compressions=("", "gz", "zst")
    )
    truth = made_archives.make_archive(tmp_path / "archive", 6_000, 3, options)
    source = (tmp_path / "archive" / truth.files[0]).parent
    totals = _run(spark, Assemble(), source, tmp_path / "target").totals
    made = made_archives.outcome_of(sorted((tmp_path / "target" / "messages").iterdir()))
    assert (made.messages, made.digest) == (truth.messages, truth.digest)
    counted = (totals.lines, totals.blank, totals.used, totals.quarantined, totals.repeats)
    lines = (truth.lines, truth.blank, truth.in_messages, truth.quarantined, truth.repeats)
    assert counted == lines


def test_recorded_streams_are_taken_as_on_one_machine(spark: Any, tmp_path: Path) -> None:
    source = ROOT / "fixtures" / "v0.3" / "providers" / "openai-chat"
    options = Assemble(source="recordings")
    there = _run(spark, options, source, tmp_path / "there")
    here = ArchiveRun(options, [str(source)], tmp_path / "here", jobs=1).go()
    assert assembled(tmp_path / "there") == assembled(tmp_path / "here")
    assert there.totals == here.totals
    assert here.totals.made > 20


@pytest.mark.parametrize("on_unknown", ["tolerate", "drop"])
def test_unknown_kinds_are_taken_as_on_one_machine(
    spark: Any, archive: tuple[Path, Rows], tmp_path: Path, on_unknown: Any
) -> None:
    source, wanted = archive
    options = Assemble(on_unknown=on_unknown)
    there = _run(spark, options, source, tmp_path / "there")
    here = ArchiveRun(options, [str(source)], tmp_path / "here", jobs=1).go()
    assert assembled(tmp_path / "there") == assembled(tmp_path / "here") != wanted
    assert there.totals == here.totals


def test_lines_in_any_order_and_files_are_brought_together(spark: Any, tmp_path: Path) -> None:
    lines = make(32, 60)
    Random(5).shuffle(lines)
    source = write(tmp_path / "source", lines, files=40)
    _run(spark, Assemble(), source, tmp_path / "target")
    assert assembled(tmp_path / "target") == expected(source, tmp_path)


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Inputs of operations on documents, by name."""
    base = tmp_path_factory.mktemp("documents")
    lines = [json.dumps(each).encode() for each in conversations(25)]
    lines += [*lines[:9], b"{", b"", b"[1]", lines[0].replace(b"Tell me", b"%s" % _SECRET)]
    tables = ToParquet(type="message.Message")
    messages = write(base / "messages", lines)
    ArchiveRun(tables, [str(messages)], base / "parquet", jobs=1).go()
    return {"messages": messages, "parquet": base / "parquet" / "documents"}


_SECRET = b"sk-proj-abcdefgh1234567890XYZabc"
_OPERATIONS: dict[str, tuple[Options, str]] = {
    "validate": (Validate(type="message.Message"), "messages"),
    "migrate": (Migrate(to="v0.1", type="message.Message", version="v0.3"), "messages"),
    "convert": (Convert(source="message", to="session", by="run"), "messages"),
    "convert each line": (Convert(source="message", to="blocks"), "messages"),
    "redact": (Redact(type="message.Message", patterns={"city": "Oslo"}), "messages"),
    "sample": (Sample(rate="1/2"), "messages"),
    "split": (Split(into={"train": "0.7", "test": "0.3"}), "messages"),
    "dedupe": (Dedupe(), "messages"),
    "statistics": (Statistics(type="message.Message"), "messages"),
    "to-parquet": (ToParquet(type="message.Message"), "messages"),
    "to-parquet --flat": (ToParquet(type="message.Message", flat=True), "messages"),
    "from-parquet": (FromParquet(), "parquet"),
}


def _rows_of(target: Path, name: str, files: list[str]) -> list[Any]:
    if files[0].endswith(".parquet"):
        parquet = pytest.importorskip("pyarrow.parquet")
        tables = [parquet.read_table(target / file).to_pylist() for file in files]
        return [json.dumps(row, default=str) for table in tables for row in table]
    return list(read_table(target, name))


@pytest.mark.parametrize("name", _OPERATIONS)
def test_every_operation_gives_what_it_gives_on_one_machine(
    spark: Any, documents: dict[str, Path], tmp_path: Path, name: str
) -> None:
    options, kind = _OPERATIONS[name]
    source, size = str(documents[kind]), 20_000
    there, here = tmp_path / "there", tmp_path / "here"
    done = SparkRun(spark, options, [source], there, task_bytes=size).go()
    wanted = ArchiveRun(options, [source], here, jobs=1, task_bytes=size).go()
    assert done.totals == wanted.totals
    assert done.totals.lines > 0
    assert set(done.tables) == set(wanted.tables)
    for table, known in wanted.tables.items():
        rows = _rows_of(there, table, done.tables[table].files)
        assert rows == _rows_of(here, table, known.files)
        assert len(rows) == known.rows > 0
    for page in ("statistics.json", "report.html"):
        assert (there / page).exists() == (here / page).exists() == (name == "statistics")
        if name == "statistics":
            assert (there / page).read_bytes() == (here / page).read_bytes()
    assert not list(there.glob("_partwire/work-*"))


def test_a_line_that_is_too_long_is_put_aside(spark: Any, tmp_path: Path) -> None:
    long = b'{"runId":"run-1","text":"%s"}' % (b"x" * 300_000)
    source = write(tmp_path / "source", [*stream(1, 1, ["a"]), long, *stream(2, 2, ["b"])], files=1)
    summary = _run(spark, Assemble(max_line_bytes=200_000), source, tmp_path / "target")
    (row,) = map(json.loads, read_table(tmp_path / "target", "quarantine"))
    assert (row["rule"], row["line"], row["length"]) == ("framing/line-too-long", 4, len(long) + 1)
    assert summary.totals.made == 2


def test_ten_thousand_small_files_with_a_poison_line_each_and_a_run_that_is_everywhere(
    spark: Any, tmp_path: Path
) -> None:
    """A run with most of all lines is in every file, and takes more than a worker may hold."""
    source, target = tmp_path / "source", tmp_path / "target"
    source.mkdir()
    hot = [line for at in range(4) for line in stream("hot", at, ["x" * 4000] * 2499, "cut")]
    assert sum(map(len, hot)) > HELD_BYTES
    for number in range(10_000):
        lines = [b"\xff poison", hot[number], *stream(number, number, ["a"])]
        (source / f"{number:05}.jsonl").write_bytes(b"\n".join(lines))
    totals = SparkRun(spark, Assemble(), [str(source)], target).go().totals
    assert totals.lines == 50_000
    assert (totals.quarantined, totals.used, totals.made) == (10_000, 40_000, 10_004)
    rows = [json.loads(row) for row in read_table(target, "quarantine")]
    assert {row["line"] for row in rows} == {1}
    assert len({row["source"] for row in rows}) == 10_000


# --- runs that end before their end ---------------------------------------------------------------


def test_a_run_goes_on_with_the_partitions_that_are_missing(
    spark: Any, archive: tuple[Path, Rows], tmp_path: Path
) -> None:
    source, wanted = archive
    target = tmp_path / "target"
    first = _run(spark, Assemble(), source, target)
    (target / "_partwire" / "summary.json").unlink()
    manifests = sorted((target / "_partwire" / "fold").iterdir())
    kept = {path: path.stat().st_ino for path in manifests[::2]}
    for path in manifests[1::2]:
        path.unlink()
    again = _run(spark, Assemble(), source, target)
    assert again.totals == first.totals
    assert assembled(target) == wanted
    assert {path: path.stat().st_ino for path in kept} == kept
    named = {name for table in again.tables.values() for name in table.files}
    assert {f"{p.parent.name}/{p.name}" for p in target.glob("[a-z]*/*")} == named


def test_a_target_of_the_other_engine_is_refused(
    spark: Any, archive: tuple[Path, Rows], tmp_path: Path
) -> None:
    source, _ = archive
    ArchiveRun(Assemble(), [str(source)], tmp_path / "target", jobs=1).go()
    with pytest.raises(UsageError) as refused:
        _run(spark, Assemble(), source, tmp_path / "target")
    assert refused.value.rule == "archive/other-plan"


def test_an_input_that_changes_while_it_is_read_is_refused_by_its_name(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write(tmp_path / "source", make(33, 20, faults=False), files=2)
    planned = SparkRun(spark, Assemble(), [str(source)], tmp_path / "target", task_bytes=2000)
    changed = source / "000.jsonl"

    first_lines = planned._first_lines

    def change() -> Any:
        """Change a file whose lines have been counted, and are to be read."""
        found = first_lines()
        changed.write_bytes(b"{}\n" + changed.read_bytes())
        return found

    monkeypatch.setattr(planned, "_first_lines", change)
    with pytest.raises(UsageError) as refused:
        planned.go()
    finding = refused.value.findings[0]
    assert (finding.rule, finding.source) == ("archive/input-changed", str(changed))
    assert not (tmp_path / "target" / "_partwire" / "summary.json").exists()


def test_a_target_without_space_is_said_and_the_run_goes_on(
    spark: Any, archive: tuple[Path, Rows], tmp_path: Path
) -> None:
    source, wanted = archive
    with small_disk(tmp_path / "disk", 2 << 20):
        target, ballast = tmp_path / "disk" / "target", tmp_path / "disk" / "ballast"
        ballast.write_bytes(bytes((2 << 20) - (80 << 10)))
        with pytest.raises(UsageError) as refused:
            _run(spark, Assemble(), source, target)
        assert refused.value.rule == "usage/unwritable-output"
        assert "No space left on device" in str(refused.value)
        ballast.unlink()
        _run(spark, Assemble(), source, target)
        assert assembled(target) == wanted


def test_an_object_store_that_fails_now_and_then(
    spark: Any, archive: tuple[Path, Rows], tmp_path: Path
) -> None:
    """One request in three is answered with 503 or not at all, and an answer is cut."""
    pytest.importorskip("obstore", reason="pip install 'partwire[archive]'")
    source, _ = archive
    context = spark.sparkContext
    with gateway(tmp_path / "s3") as server, pytest.MonkeyPatch.context() as patch:
        for path in sorted(source.iterdir()):
            Remote("s3://bucket/source").put_new(path.name, path.read_bytes())
        wanted = run("s3://bucket/source", tmp_path / "here")
        with proxy(server, patch) as weak:
            names = [name for name in os.environ if name.startswith("AWS_")]
            for name in names:  # of the workers
                patch.setitem(context.environment, name, os.environ[name])
            weak.fault, weak.cut_after = _now_and_then(), 50_000
            target = "s3://bucket/target"
            there = SparkRun(spark, Assemble(), ["s3://bucket/source"], target).go()
            assert weak.requests > 20
            assert assembled(target) == assembled(tmp_path / "here")
            found = set(Remote(target).names())
        assert there.totals == wanted.totals
        named = {name for table in there.tables.values() for name in table.files}
        assert {name for name in found if not name.startswith("_partwire/")} == named


def _now_and_then() -> Fault:
    numbers = itertools.count()

    def fault(_head: bytes, client: socket.socket) -> bool:
        number = next(numbers) % 6
        if number == 1:
            client.sendall(b"HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\n\r\n")
        return number in (1, 4)

    return fault


def test_an_error_that_is_not_ours_is_a_finding_too(spark: Any) -> None:
    with pytest.raises(UsageError) as refused, raised_here():
        spark.sparkContext.parallelize(["x"]).map(int).collect()
    assert refused.value.rule == "archive/engine-failed"


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ("", "X"),
        ("\n Java is not there \nmore", "Java is not there"),
        (f"{_ABORTED} java.io.IOException: No space left on device\n\tat a.b", _NO_SPACE),
        (f"{_ABORTED} PythonException: Traceback (most recent call last):\n  File\nValueError: x\n",
         "ValueError: x"),
    ],
)  # fmt: skip
def test_why_spark_has_given_up(lines: str, why: str) -> None:
    kind = type("X", (Exception,), {"__module__": "py4j.protocol"})
    with pytest.raises(UsageError) as refused, raised_here():
        raise kind(lines)
    assert refused.value.findings[0].actual == why


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (["assemble", "--dry-run"], "--dry-run without --engine spark"),
        (["plan", "assemble"], "--dry-run without --engine spark"),
        (["assemble", "--memory", "1GB"], "spark.executor.memory"),
    ],
)
def test_what_spark_does_not_offer_is_refused(
    tmp_path: Path, said: list[str], expected: str
) -> None:
    source = write(tmp_path / "source", [], files=1)
    command = ["archive", *said, "--engine", "spark"]
    done = CliRunner().invoke(main, [*command, str(source), str(tmp_path / "target")])
    assert done.exit_code == 2
    assert expected in done.stderr
    assert not (tmp_path / "target").exists()


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("local", "local[1,4]"),
        ("local[3]", "local[3,4]"),
        ("local[*]", "local[*,4]"),
        ("local[2,1]", "local[2,1]"),
        ("local-cluster[2,1,1024]", "local-cluster[2,1,1024]"),
        ("spark://host:7077", "spark://host:7077"),
        ("yarn", "yarn"),
    ],
)
def test_tasks_are_tried_again_on_one_machine_too(said: str, meant: str) -> None:
    assert patient(said) == meant


# --- DataFrames in any job ------------------------------------------------------------------------


def _of_frame(results: Any) -> Rows:
    rows = Rows(Counter(), Counter())
    for row in results.where("table <> 'totals'").collect():
        said = json.loads(row.json)
        if row.table == "messages":
            rows.messages[json.dumps(said, sort_keys=True)] += 1
        else:
            rows.quarantine[f"{said['rule']} {said['source']}:{said['line']}"] += 1
    return rows


def test_a_table_with_a_line_in_each_row_is_assembled(
    spark: Any, archive: tuple[Path, Rows], tmp_path: Path
) -> None:
    """The rows are in no order, and in a file of another form."""
    source, wanted = archive
    names = [str(path) for path in sorted(source.iterdir())]
    rows = [(bytearray(line), names[at], number) for at, number, line in lines_of(source)]
    Random(6).shuffle(rows)
    given = spark.createDataFrame(rows, "text binary, file string, line long")
    given.write.parquet(str(tmp_path / "lines"))
    lines = spark.read.parquet(str(tmp_path / "lines"))
    results = assemble(lines, text="text", source="file", number="line", partitions=3).persist()
    assert _of_frame(results) == wanted
    totals = totals_of(results)
    assert totals.lines == len(rows)
    assert totals.used + totals.blank + totals.quarantined + totals.repeats == len(rows)
    made = results.where("table = 'messages'").collect()
    assert [row.run_id for row in made] == [json.loads(row.json)["runId"] for row in made]
    aside = results.where("table = 'quarantine' and run_id is not null").collect()
    assert aside
    assert all(row.run_id in row.json for row in aside if "base64" not in row.json)
    results.unpersist()


def test_text_without_places_is_taken_in_the_order_of_reading(spark: Any, tmp_path: Path) -> None:
    lines = [line.decode() for line in make(35, 40, faults=False)]
    given = spark.createDataFrame([(line,) for line in lines], "value string").coalesce(1)
    results = assemble(given, partitions=2)
    source = write(tmp_path / "source", [line.encode() for line in lines])
    assert _of_frame(results).messages == expected(source, tmp_path).messages


def test_a_cell_may_have_line_breaks_or_nothing(spark: Any) -> None:
    lines = [json.dumps(json.loads(line), indent=1) for line in stream(1, 1, ["a", "b"])]
    cells = [(lines[0],), (None,), (lines[1] + "\n",), ("",), *((line,) for line in lines[2:])]
    given = spark.createDataFrame(cells, "value string")
    totals = totals_of(assemble(given, partitions=1))
    assert totals == Totals(lines=6, blank=2, used=4, made=1)


def test_a_column_that_is_not_there_or_of_another_type_is_refused(spark: Any) -> None:
    given = spark.createDataFrame([("{}", 1)], "value string, file int")
    cases: list[tuple[dict[str, Any], str]] = [
        ({"text": "line"}, "the columns value, file"),
        ({"source": "file"}, "int"),
        ({"number": "value"}, "string"),
    ]
    for said, actual in cases:
        with pytest.raises(UsageError) as refused:
            assemble(given, **said)
        finding = refused.value.findings[0]
        assert (finding.rule, finding.actual) == ("usage/invalid-argument", actual)


def test_results_that_lack_lines_are_refused(spark: Any) -> None:
    rows = [("totals", None, '{"lines":3,"used":2}'), ("totals", None, '{"quarantined":1}')]
    given = spark.createDataFrame(rows, "table string, run_id string, json string")
    assert totals_of(given) == Totals(lines=3, used=2, quarantined=1)
    with pytest.raises(UsageError) as refused:
        totals_of(given.limit(1))
    assert refused.value.rule == "archive/lines-lost"


# --- streams that are still coming ----------------------------------------------------------------


class _Live:
    """A query over the files of a folder, whose lines have the second at which they came."""

    def __init__(self, spark: Any, base: Path) -> None:
        self._spark, self._base = spark, base
        (base / "in").mkdir()
        self._files = 0

    def put(self, *rows: tuple[int | str, bytes]) -> None:
        """Put lines, each with its second; "" for one without."""
        path = self._base / "in" / f"{self._files:03}"
        path.write_text("".join(f"{at}\t{line.decode()}\n" for at, line in rows))
        self._files += 1

    def go(self) -> Any:
        """Take what has come; return all results until now."""
        lines = (
            self._spark.readStream.option("maxFilesPerTrigger", 1)
            .schema("at long, line string")
            .csv(str(self._base / "in"), sep="\t", quote="")
            .selectExpr("timestamp_seconds(at) as time", "line as value")
        )
        lines.sparkSession.conf.set("spark.sql.shuffle.partitions", "2")
        query = (
            assemble_live(lines, time="time", timeout="60 seconds")
            .writeStream.format("json")
            .option("path", str(self._base / "out"))
            .option("checkpointLocation", str(self._base / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        return self._spark.read.schema("table string, run_id string, json string").json(
            str(self._base / "out")
        )


def test_messages_come_when_they_are_whole_or_their_run_is_over(spark: Any, tmp_path: Path) -> None:
    live = _Live(spark, tmp_path)
    whole, cut, late = stream(1, 1, ["a", "b"]), stream(2, 2, ["c"], "cut"), stream(3, 3, ["d"])
    live.put((1000, whole[1]), (1000, whole[0]), (1001, cut[0]), (1002, late[0]), ("", b"[1]"))
    live.put(("", whole[3]), (1011, whole[2]), (1012, cut[1]), (1013, late[2]))
    results = live.go()
    assert [json.loads(row.json)["rule"] for row in results.where("table='quarantine'").collect()]
    made = results.where("table = 'messages'").collect()
    assert [(row.run_id, json.loads(row.json)["messageId"]) for row in made] == [("run-1", "msg-1")]
    # What is missing comes, and a line that has come before; then time goes on without these runs.
    live.put((1020, late[1]), (1021, whole[1]))
    live.put((1200, stream(4, 4, ["e"])[0]))
    live.put((1201, stream(5, 5, ["f"], "cut")[0]))
    results = live.go()
    made = {
        row.run_id: json.loads(row.json) for row in results.where("table = 'messages'").collect()
    }
    assert sorted(made) == ["run-1", "run-2", "run-3"]
    assert results.where("table = 'messages'").count() == 3
    assert made["run-2"]["meta"]["incomplete"]
    assert "incomplete" not in made["run-1"]["meta"] | made["run-3"]["meta"]
    totals = totals_of(results)
    assert totals == Totals(lines=11, used=9, quarantined=1, repeats=1, made=3)
