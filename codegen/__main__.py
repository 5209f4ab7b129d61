"""``python -m codegen [--check]``: write the generated rooms, or compare them with the schemas.

``--check`` compares released versions with what was released, too.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from codegen import metadata, requirements
from codegen.frozen import all_differences
from codegen.generate import INTERFACES, PYTHON, ROOMS, interface_files
from codegen.load import current_version, load_contract, versions
from codegen.model import Contract
from codegen.problems import LintError
from codegen.targets import current, severities, tables
from codegen.write import differences, put_file, write

ROOT = Path(__file__).resolve().parent.parent
SCHEMAS = ROOT / "schemas"


def main(argv: Sequence[str] | None = None) -> int:
    """Return 0 when all is well, 1 when files differ or the schemas break the dialect."""
    parser = argparse.ArgumentParser(prog="python -m codegen", description=__doc__)
    parser.add_argument(
        "--check",
        action="store_true",
        help="change nothing; exit 1 on a difference, of released versions as well",
    )
    parser.add_argument("--schemas", type=Path, default=SCHEMAS, metavar="FOLDER")
    parser.add_argument(
        "--output", type=Path, metavar="FOLDER", help=f"write the rooms of {PYTHON} alone, here"
    )
    options = parser.parse_args(argv)
    frozen = False
    try:
        names = versions(options.schemas)
        frozen = options.check and _tell_frozen(options.schemas)
        contracts = [load_contract(options.schemas, name) for name in names]
        interfaces = interface_files(options.schemas)
        table_rooms = tables.rooms(SCHEMAS)
        now = current_version(SCHEMAS)
    except LintError as error:
        print(error, file=sys.stderr)
        print(f"{len(error.problems)} problem(s) in {options.schemas}", file=sys.stderr)
        return 1
    changed = _put(options, contracts, now, interfaces, table_rooms)
    for line in changed:
        print(line, file=sys.stderr if options.check else sys.stdout)
    if options.check and changed:
        print("The generated code is stale: run `python -m codegen`.", file=sys.stderr)
    if not options.check and not changed:
        print("nothing to do")
    return 1 if frozen or (options.check and changed) else 0


def _put(
    options: argparse.Namespace,
    contracts: Sequence[Contract],
    now: str,
    interfaces: Mapping[str, str],
    table_rooms: Mapping[str, Mapping[str, str]],
) -> list[str]:
    """Write everything, or compare it; return one line per file that is another one."""
    put = differences if options.check else write
    changed: list[str] = []
    for folder, name in _rooms(options.output):
        for contract in contracts:
            lines = put(folder / contract.module, ROOMS[name](contract))
            place = contract.module if name == PYTHON else f"{name}/{contract.module}"
            changed += [f"{place}: {line}" for line in lines]
        if name == PYTHON:
            lines = put(folder / INTERFACES, interfaces)
            changed += [f"{INTERFACES}: {line}" for line in lines]
    if options.output is None and options.schemas == SCHEMAS:
        (spoken,) = (contract for contract in contracts if contract.version == now)
        single = severities.files(contracts[-1].severities)
        single[f"docs/{requirements.FILE}"] = requirements.page(ROOT)
        single |= metadata.addressed(ROOT)
        single |= current.files(contracts, spoken)
        for path, text in single.items():
            changed += put_file(ROOT, path, text, options.check)
        for room, modules in {**table_rooms, **current.rooms(contracts, spoken)}.items():
            changed += [f"{room}: {line}" for line in put(ROOT / room, modules)]
        from codegen.names import current_manifests  # noqa: PLC0415 (reads what was just written)

        files = current_manifests(ROOT, spoken)
        lines = put(SCHEMAS / "bindings" / now, files)
        changed += [f"bindings/{now}: {line}" for line in lines]
    return changed


def _rooms(output: Path | None) -> list[tuple[Path, str]]:
    """Return the folder of each language's rooms with its name; ``output`` is Python's alone."""
    if output is not None:
        return [(output, PYTHON)]
    return [(ROOT / name, name) for name in ROOMS]


def _tell_frozen(schemas: Path) -> bool:
    """Name every file that is not as it was released; return whether there is one."""
    found = all_differences(schemas.parent)
    for each in found:
        print(each, file=sys.stderr)
    if found:
        print("A released version never changes: take the change back.", file=sys.stderr)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
