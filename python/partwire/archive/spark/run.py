"""Run an operation on Spark: tasks on its executors, and its shuffle between the two passes.

Tables, manifests and the summary are those of a run on one machine. Row maps and other operations
are the same tasks done elsewhere; assembling has a shuffle in the place of its three steps.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from ...errors import Finding, UsageError
from ...extras import import_extra
from ...files.names import compression_named
from ..lines import Row, blocks
from ..operations import Assemble, Options
from ..outputs import Outputs, quarantined
from ..plan import Part, Plan
from ..run import ArchiveRun, Progress
from ..steps import Done, Kept, Step, Totals
from ..store import Store
from .folding import fold_packs
from .frames import HELD_BYTES, by_run, local_folder, partition_number
from .packs import TOTALS, Packer, columns
from .session import carried, raised_here

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["SparkRun"]

_PARTITION_BYTES: Final = 128 << 20
_LEAST_PARTITIONS: Final = 8
_MOST_PARTITIONS: Final = 20_000
_COMPRESSION: Final = 8
"""About how much larger the lines are than a file that is compressed."""
_EACH_SECONDS: Final = 0.5

_Result = TypeVar("_Result")


class SparkRun(ArchiveRun):
    """One operation over some inputs on Spark; as :class:`~partwire.archive.run.ArchiveRun`.

    All machines have to see inputs and target. ``work`` is asked for by operations of several
    steps alone: a folder that all machines see, where the target is none.
    """

    def __init__(
        self,
        spark: SparkSession,
        options: Options,
        sources: Sequence[str],
        target: str | Path,
        *,
        work: Path | None = None,
        task_bytes: int | None = None,
    ) -> None:
        self._spark = spark
        self._context = spark.sparkContext
        jobs = self._context.defaultParallelism
        super().__init__(options, sources, target, jobs=jobs, work=work, task_bytes=task_bytes)
        self.jobs = jobs  # the memory of one machine does not bound those of a cluster
        if isinstance(options, Assemble) and not options.takes_files:
            partitions = _partitions(self.plan)
            said = {**self.plan.options, "engine": "spark", "partitions": partitions}
            self.plan = msgspec.structs.replace(self.plan, options=said)

    @property
    def _held_bytes(self) -> int:
        return HELD_BYTES

    def _tasks(self, kept: Kept, missing: list[int]) -> Iterable[tuple[int, Any]]:
        tasks = self._context.parallelize(missing, max(len(missing), 1))
        found: list[tuple[int, Any]] = self._watched(tasks.map(_Task(kept)).collect)
        return found

    def _results(self, work: Path, progress: Progress) -> tuple[list[Done], Totals]:
        self._progress, self._shown = progress, ("", 0)
        if isinstance(self.options, Assemble) and not self.options.takes_files:
            return self._assemble(self.options)
        (work / "shared").touch()
        see = partial(_refuse_unshared, work)
        self._watched(lambda: self._context.range(self.jobs, numSlices=self.jobs).foreach(see))
        return super()._results(work, progress)

    # --- assembling -------------------------------------------------------------------------------

    def _assemble(self, options: Assemble) -> tuple[list[Done], Totals]:
        firsts = self._first_lines()
        partitions: int = self.plan.options["partitions"]
        step = Step("fold", partitions, _not_here, Done, are_results=True)
        known: dict[int, Done] = Kept(self.target, step).known()
        plan = self._context.broadcast(self.plan)
        count = len(self.plan.tasks)
        packs = self._spark.range(0, count, 1, max(count, 1)).mapInArrow(
            _Read(plan, firsts, options.max_line_bytes), columns("int")
        )
        sorted_packs = by_run(packs, partitions, without=list(known))
        results = sorted_packs.mapInArrow(_Fold(plan, self.target, options, step), _FOLDED)
        if len(known) < partitions:
            decode = msgspec.json.Decoder(Done).decode
            for row in self._watched(results.collect, ("read", "fold")):
                known[row.number] = decode(row.done)
        done = [known[number] for number in sorted(known)]  # others have had no lines
        return done, sum((each.totals for each in done), Totals())

    def _first_lines(self) -> list[list[int]]:
        """Return the number of the first line of each part of each task in its input.

        Parts that others follow in their input are read for it; most inputs have one part.
        """
        cut = [
            (task, at, part)
            for task, parts in enumerate(self.plan.tasks)
            for at, part in enumerate(parts)
            if part.end is not None
        ]
        lines = [[0] * len(parts) for parts in self.plan.tasks]
        if cut:
            plan = self._context.broadcast(self.plan)
            parts = self._context.parallelize([part for *_, part in cut], len(cut))
            counts: list[int] = self._watched(parts.map(_Count(plan)).collect, ("count",))
            for (task, at, _), count in zip(cut, counts, strict=True):
                lines[task][at] = count
        return self.plan.first_lines(lines)

    # --- jobs -------------------------------------------------------------------------------------

    def _watched(self, job: Callable[[], _Result], names: Sequence[str] = ()) -> _Result:
        """Do a job, and show how far it is: stages by name."""
        pyspark = import_extra("pyspark", "spark", "--engine spark")
        group = f"partwire-{secrets.token_hex(8)}"
        results: list[_Result] = []
        errors: list[BaseException] = []

        def work() -> None:
            try:
                self._context.setJobGroup(group, "partwire archive", interruptOnCancel=True)
                results.append(job())
            except BaseException as error:  # noqa: BLE001 - raised below
                errors.append(error)

        thread = pyspark.InheritableThread(target=work, daemon=True)
        thread.start()
        try:
            while thread.is_alive():
                thread.join(_EACH_SECONDS)
                self._show(group, names)
        except BaseException:
            self._context.cancelJobGroup(group)
            raise
        with raised_here():
            for error in errors:
                raise error
        return results[0]

    def _show(self, group: str, names: Sequence[str]) -> None:
        tracker = self._context.statusTracker()
        stages: set[int] = set()
        for job in tracker.getJobIdsForGroup(group):
            info = tracker.getJobInfo(job)
            stages.update(() if info is None else info.stageIds)
        for name, stage in zip(names, sorted(stages), strict=False):
            known = tracker.getStageInfo(stage)
            if known is not None and known.numActiveTasks:
                shown, self._shown = self._shown, (name, known.numCompletedTasks)
                if shown == self._shown:
                    continue
                step = Step(name, known.numTasks, _not_here, Done, are_results=False)
                self._progress(step, known.numCompletedTasks)


def _partitions(plan: Plan) -> int:
    """Return over how many partitions the runs are spread: as many for the same inputs."""
    sizes = (
        each.size * (1 if compression_named(each.name) is None else _COMPRESSION)
        for each in plan.inputs
    )
    return min(max(sum(sizes) // _PARTITION_BYTES, _LEAST_PARTITIONS), _MOST_PARTITIONS)


def _not_here(_number: int) -> Any:
    raise AssertionError("done by Spark")


# --- on the workers -------------------------------------------------------------------------------

_FOLDED: Final = "number int, done string"


class _Task:
    """Does a task of a step, and says what has come of it."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept

    def __call__(self, number: int) -> tuple[int, Any]:
        with carried():
            return number, self._kept(number)


def _refuse_unshared(work: Path, _number: int) -> None:
    with carried():
        if not (work / "shared").exists():
            raise UsageError(
                Finding(
                    "archive/work-not-shared",
                    "A machine of the cluster does not see the folder of what only the run needs",
                    expected="--work FOLDER on a disk that all of them see",
                    actual=str(work),
                )
            )


class _Count:
    """Counts the lines of a part, which ends at the end of a line."""

    def __init__(self, plan: Any) -> None:
        self._plan = plan

    def __call__(self, part: Part) -> int:
        plan: Plan = self._plan.value
        with carried():
            return sum(chunk.count(b"\n") for chunk in plan.chunks(part))


class _Read:
    """The first pass: packs of the lines of a task."""

    def __init__(self, plan: Any, firsts: list[list[int]], most_bytes: int) -> None:
        self._plan = plan
        self._firsts = firsts
        self._most_bytes = most_bytes

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        plan: Plan = self._plan.value
        with carried():
            for batch in batches:
                for task in batch.column(0).to_pylist():
                    yield from self._task(plan, task)

    def _task(self, plan: Plan, task: int) -> Iterator[Any]:
        packer = Packer("int")
        for part, first in zip(plan.tasks[task], self._firsts[task], strict=True):
            name = plan.inputs[part.source].name
            is_midway = part.begin > 0
            chunks = plan.chunks(part)
            for block in blocks(chunks, part.source, self._most_bytes, first, is_midway=is_midway):
                yield from packer.take(block, part.source, name)
        yield packer.end(task)


class _Fold:
    """The second pass: the files of a partition, and what a manifest says of them."""

    def __init__(self, plan: Any, target: Store, options: Assemble, step: Step) -> None:
        self._plan = plan
        self._target = target
        self._options = options
        self._step = step

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        pa = import_extra("pyarrow", "spark", "Spark")
        number = partition_number()
        with carried():
            work = partial(self._fold, batches)
            done = Kept(self._target, self._step._replace(work=work))(number)
        text = msgspec.json.encode(done).decode()
        yield pa.RecordBatch.from_pydict({"number": pa.array([number], pa.int32()), "done": [text]})

    def _fold(self, batches: Iterator[Any], number: int) -> Done:
        plan: Plan = self._plan.value
        on_unknown = self._options.on_unknown
        with local_folder() as name:
            folder = Path(name)
            with Outputs(self._target, folder, f"{number:06}", plan.compress) as outputs:
                results = _Results(plan, outputs)
                for _ in fold_packs(batches, results, on_unknown, HELD_BYTES, folder):
                    pass
                return Done(outputs.put(), results.totals)


class _Results:
    """Results as files."""

    def __init__(self, plan: Plan, outputs: Outputs) -> None:
        self._outputs = outputs
        self.totals = Totals()
        self.names = [each.name for each in plan.inputs]

    def message(self, text: bytes, lines: int) -> None:
        self._outputs.write("messages", text)
        self.totals.made += 1
        self.totals.used += lines

    def quarantine(self, row: Row, finding: Finding) -> None:
        name = self.names[row.source]
        self._outputs.note("quarantine", quarantined(row.data, finding), name, row.number)
        self.totals.quarantined += 1

    def repeats(self, lines: int) -> None:
        self.totals.repeats += lines

    def passed(self, table: str, text: bytes) -> None:
        if table == TOTALS:
            self.totals += msgspec.json.decode(text, type=Totals)
        else:
            self._outputs.write(table, text)
