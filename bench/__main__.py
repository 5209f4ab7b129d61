"""The command: python -m bench [--quick] [--only text,growth] [--out FOLDER]."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
if importlib.util.find_spec("partwire") is None:  # a checkout that is not installed
    sys.path.insert(0, str(ROOT / "python"))

from bench import (  # noqa: E402
    compat,
    formats,
    growth,
    imports,
    languages,
    ours,
    plot,
    providers,
    report,
    validate,
)
from bench.archive import messages as archive_messages  # noqa: E402
from bench.archive import rows as archive_rows  # noqa: E402
from bench.content import MIXES  # noqa: E402
from bench.contestants import load_peers  # noqa: E402
from bench.measure import Settings, measure_mix  # noqa: E402
from bench.results import Results  # noqa: E402
from bench.tables import Table, text  # noqa: E402
from bench.ways import LEFT_OUT, WAYS, take  # noqa: E402

__all__ = ["SECTIONS", "main", "run"]

_QUICK: Final = Settings(sizes=(100, 1_000, 10_000), rounds=3, cap_s=2.0, peer_budget_s=0.1)


def main(arguments: list[str] | None = None) -> int:
    """Run, print, write; return the exit status: 1 if something crashed or a result was wrong."""
    options = _parse(arguments)
    sections = options.only or list(SECTIONS)
    results = run(sections, options)
    made = report.tables(results)
    for table in made:
        print(text(table))
    for problem in results.problems:
        print(f"wrong: {problem}", file=sys.stderr)
    complete = not options.quick and not options.only
    folder = options.out or (ROOT / "docs" if complete else None)
    if folder is not None:
        _write(folder, results, made)
    elif options.update:
        page = ROOT / "docs" / "bench.md"
        page.write_text(report.replaced(page.read_text("utf-8"), made), encoding="utf-8")
    else:
        print(
            "Nothing written: only a whole run writes docs/ (or name a folder with --out, or "
            "replace the sections that ran with --update)."
        )
    return 1 if results.problems else 0


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a smoke run of about two minutes")
    parser.add_argument("--only", type=_sections, help=f"sections: {','.join(SECTIONS)}")
    parser.add_argument("--rounds", type=int, help="rounds per cell")
    parser.add_argument("--cap", type=float, help="seconds that one run of a peer may take")
    parser.add_argument("--out", type=Path, help="folder for bench.md and bench.png")
    parser.add_argument(
        "--update", action="store_true", help="replace these sections of docs/bench.md alone"
    )
    parser.add_argument("--without-peers", action="store_true", help="partwire and floor alone")
    return parser.parse_args(arguments)


def _sections(value: str) -> list[str]:
    names = [name.strip() for name in value.split(",")]
    for name in names:
        if name not in SECTIONS:
            raise argparse.ArgumentTypeError(
                f"no section {name!r}; there are {', '.join(SECTIONS)}"
            )
    return names


def run(sections: list[str], options: argparse.Namespace) -> Results:
    """Measure the sections; a section that crashes is reported and the others go on."""
    base = _QUICK if options.quick else Settings()
    settings = Settings(
        sizes=base.sizes,
        rounds=options.rounds or base.rounds,
        cap_s=options.cap or base.cap_s,
        peer_budget_s=base.peer_budget_s,
    )
    results = Results(settings)
    begin = time.monotonic()
    if "native" not in WAYS:
        _say(LEFT_OUT, begin)
    for name in sections:
        _say(f"{name} …", begin)
        try:
            SECTIONS[name](results, options)
        except Exception as error:  # noqa: BLE001  reported, and the exit status says so
            traceback.print_exc()
            results.problems.append(f"section {name}: {type(error).__name__}: {error}")
        take("native")
    results.seconds = time.monotonic() - begin
    return results


# --- sections -------------------------------------------------------------------------------------

Section = Callable[[Results, argparse.Namespace], None]


def _language(section: str) -> Section:
    def measure(results: Results, options: argparse.Namespace) -> None:
        name, about, problem = languages.measure_language(section, quick=options.quick)
        results.languages[name] = about
        results.problems += [problem] if problem else []

    return measure


def _mix(mix: str) -> Section:
    def measure(results: Results, options: argparse.Namespace) -> None:
        contestants = ours.contestants()
        if not options.without_peers:
            found, results.missing = load_peers()
            contestants += found
        for cells in measure_mix(mix, contestants, results.settings):
            results.add_cells(cells)

    return measure


def _growth(results: Results, options: argparse.Namespace) -> None:
    """Parallel calls go less far: with each delta, progress() reports all 64 of them."""
    plan = {"text": 1_000_000, "args": 1_000_000, "parallel": 250_000}
    for mix, largest in plan.items():
        size, doublings = (largest // 40, 1) if options.quick else (largest, 4)
        doublings = min(doublings, 2) if mix == "parallel" else doublings
        results.growth.extend(growth.measure_growth(mix, size, doublings, repeats=2))


def _memory(results: Results, options: argparse.Namespace) -> None:
    sizes = (10_000,) if options.quick else (10_000, 100_000, 1_000_000)
    take("plain")
    results.memory.extend(growth.measure_memory(sizes))


def _providers(results: Results, options: argparse.Namespace) -> None:
    rounds, sample_s, lengths = (1, 0.003, (20, 200)) if options.quick else (5, 0.015, (20, 2_000))
    try:
        results.providers.extend(providers.measure_providers(rounds, sample_s))
        results.costs.extend(providers.measure_costs(lengths, rounds, sample_s))
    except ImportError as error:
        results.missing["official clients"] = f"not installed ({error})"


def _validate(results: Results, options: argparse.Namespace) -> None:
    count, rounds = (20_000, 1) if options.quick else (1_000_000, 3)
    results.validated = validate.measure_validate(count, rounds)
    results.problems += results.validated.problems


def _import(results: Results, options: argparse.Namespace) -> None:
    results.imports.extend(imports.measure_import(3 if options.quick else 25))


def _rows(name: str) -> Section:
    """Return the section of a module that gives named tuples."""

    def measure(results: Results, options: argparse.Namespace) -> None:
        made = getattr(importlib.import_module(f"bench.{name}"), f"measure_{name}")
        getattr(results, name).extend(made(3 if options.quick else 15))

    return measure


def _archive(results: Results, options: argparse.Namespace) -> None:
    archives, rounds = (archive_rows.QUICK, 1) if options.quick else (archive_rows.ARCHIVES, 3)
    rounds = options.rounds or rounds
    peers = not options.without_peers
    found = archive_rows.Found(results.missing, results.problems)
    archive_rows.measure_archive(archives, rounds, found, peers=peers)
    results.archive += found.rows
    results.archive_planned += found.planned
    results.archive_scaled += found.scaled
    count = archive_messages.QUICK if options.quick else archive_messages.WHOLE
    results.archive_messages += archive_messages.measure_messages(count, rounds, results.problems)


def _formats(results: Results, options: argparse.Namespace) -> None:
    rounds, size, length = (3, 1_000_000, 2_000) if options.quick else (5, 10_000_000, 20_000)
    sizes = (1_000_000, 10_000_000) if options.quick else (10_000_000, 100_000_000)
    results.formats.extend(formats.measure_formats(rounds, size, results.missing))
    results.format_writers.extend(formats.measure_writers(rounds, length))
    results.sessions.extend(formats.measure_sessions(sizes))


def _compat(results: Results, _options: argparse.Namespace) -> None:
    results.compat = found = compat.measure_compat()
    results.compat_ran = True
    for row in found[0] if found else []:
        for outcome in ("false compatible", "false breaking", "crash"):
            if row.outcomes[outcome]:
                results.problems.append(f"compat, {row.name}: {row.outcomes[outcome]} {outcome}")


SECTIONS: Final[dict[str, Section]] = {
    **{name: _language(name) for name in languages.NAMES},
    **{mix: _mix(mix) for mix in MIXES},
    "growth": _growth,
    "memory": _memory,
    "providers": _providers,
    "validate": _validate,
    "import": _import,
    "values": _rows("values"),
    "service": _rows("service"),
    "fold": _rows("fold"),
    "archive": _archive,
    "formats": _formats,
    "compat": _compat,
}


def _write(folder: Path, results: Results, made: list[Table]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bench.md").write_text(report.page(made), encoding="utf-8")
    try:
        if results.cells:
            plot.draw(results, folder / "bench.png")
    except ImportError as error:
        print(f"No picture: matplotlib is not installed ({error})", file=sys.stderr)


def _say(message: str, begin: float) -> None:
    print(f"[{time.monotonic() - begin:4.0f} s] {message}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
