"""What names the current version, and the lists of all versions.

The catalog says which version is current. All other code takes types, models, verdicts and
vocabularies from ``contract/current``, so that a new version is spoken by a change of the catalog.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from codegen import model as m

__all__ = ["files", "rooms"]

_HELD: Final = {
    "blocks": "content blocks",
    "envelope": "queue messages",
    "message": "messages",
    "session": "sessions",
}
_NOTICE: Final = (
    "Generated from schemas/catalog.json.\n"
    "Do not edit: change the catalog, then run `python -m codegen`.\n"
)
_MODELS: Final = "models"


def rooms(contracts: Sequence[m.Contract], spoken: m.Contract) -> dict[str, dict[str, str]]:
    """Return folder → file name → text of what is made of the current version."""
    return {
        "python/partwire/contract/current": _python(contracts, spoken),
        "python/partwire/types": _face(_STRUCTS, spoken, "contract.current"),
        "python/partwire/models": _face(_PYDANTIC, spoken, "contract.current.models"),
        "typescript/src/contract/current": _typescript(spoken),
    }


def files(contracts: Sequence[m.Contract], spoken: m.Contract) -> dict[str, str]:
    """Return path → text of what lists the versions, oldest first, or names the current one."""
    return {
        "typescript/src/generated/versions.ts": _commented("//", _typescript_names(contracts)),
        "typescript/src/generated/rooms.ts": _commented("//", _typescript_rooms(contracts)),
        "rust/src/contract/versions.rs": _commented("//", _rust_versions(contracts)),
        "rust/src/contract/current.rs": _commented("//", _rust_current(spoken)),
    }


def _holds(family: str) -> str:
    return _HELD.get(family, f"the family {family}")


def _commented(sign: str, text: str) -> str:
    return "".join(f"{sign} {line}\n" for line in _NOTICE.splitlines()) + "\n" + text


# --- Python ---------------------------------------------------------------------------------------


def _python(contracts: Sequence[m.Contract], contract: m.Contract) -> dict[str, str]:
    rows = "".join(f"    {_row(each)},\n" for each in contracts)
    files = {"__init__.py": _LATEST.format(version=contract.version, rows=rows)}
    files["vocabulary.py"] = (
        '"""The vocabularies of the current version: known values, safe defaults, transitions."""\n'
        f"\nfrom ...{contract.module}.vocabulary import *\n"
    )
    files[f"{_MODELS}/__init__.py"] = (
        '"""The types of the current version as pydantic models, one module per family."""\n'
    )
    for family in contract.families:
        about = f"The types of {_holds(family)} in the current version"
        files[f"{family}.py"] = (
            f'"""{about}, as structs."""\n\nfrom ...{contract.module}.structs.{family} import *\n'
        )
        files[f"{_MODELS}/{family}.py"] = (
            f'"""{about}, as pydantic models."""\n'
            f"\nfrom ....{contract.module}.models.{family} import *\n"
        )
    files["entrances.pyi"] = _entrances(contract)
    return {name: _commented("#", text) for name, text in files.items()}


def _entrances(contract: m.Contract) -> str:
    """Return the public functions that take a type's name, with what each name gives.

    Type checkers see them in place of the functions themselves, whose documentation they have.
    """
    named = [
        (f"{family.name}.{name}", f"{family.name}.{name}")
        for family in contract.families.values()
        for name, definition in family.types.items()
        if definition.schema.get("x-entrypoint")
    ]
    lines = [_ENTRANCES.format(families=", ".join(contract.families))]
    for module, function, shape in _BY_NAME:
        source = (_PACKAGE / module).read_text("utf-8")
        doc = next(
            ast.get_docstring(node, clean=False)
            for node in reversed(ast.parse(source).body)
            if isinstance(node, ast.FunctionDef) and node.name == function
        )
        known = [(f'Literal["{name}"]', "None", made) for name, made in named]
        for wanted, version, made in [("type[T]", _ANY_VERSION, "T"), *known, _OTHERWISE]:
            lines += ["@overload", shape.format(function=function, wanted=wanted, version=version)]
            result = f"ReadResult[{made}]" if function == "read_with_findings" else made
            body = f'\n    """{doc}"""' if wanted == "type[T]" else " ..."
            lines[-1] += f" -> {result}:{body}"
        lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


_PACKAGE: Final = Path(__file__).parents[2] / "python" / "partwire"
_ANY_VERSION: Final = "str | None"
_OTHERWISE: Final = ("str", _ANY_VERSION, "Any")
_READS: Final = (
    'def {function}(data: Document, type: {wanted}, mode: Mode = "strict", '
    "version: {version} = None)"
)
_LOADS: Final = "def {function}(record: Document | StoredRecord, type: {wanted})"
_BY_NAME: Final = (
    ("convert/versions/stored.py", "load", _LOADS),
    ("reading/pipeline.py", "read", _READS),
    ("reading/pipeline.py", "read_with_findings", _READS),
)
_ENTRANCES: Final = '''\
"""What the public functions return for each name of a type, for type checkers alone."""

from typing import Any, Literal, TypeVar, overload

from ...convert.versions.stored import StoredRecord
from ...reading.pipeline import Document, Mode, ReadResult
from . import {families}

T = TypeVar("T")

@overload
def load(record: Document | StoredRecord) -> Any: ...
'''


_LATEST: Final = '''\
"""The current version: the one place that names it.

What is not about versions takes structs, models and vocabulary from here, a module per family.
"""

from collections.abc import Mapping
from typing import Final

__all__ = ["FAMILIES", "LATEST_VERSION"]

LATEST_VERSION = "{version}"
"""The contract version that is meant where none is named, and that the rooms speak."""

FAMILIES: Final[Mapping[str, tuple[str, ...]]] = {{
{rows}}}
"""The families of every version, the oldest version first."""
'''


def _row(contract: m.Contract) -> str:
    families = ", ".join(f'"{family}"' for family in contract.families)
    return f'"{contract.version}": ({families},)'


def _face(doc: str, contract: m.Contract, below: str) -> dict[str, str]:
    doc = doc.format(order=", ".join(contract.families))
    return {"__init__.py": _lazy(doc, _homes(contract), below)}


def _homes(contract: m.Contract) -> dict[str, list[str]]:
    """Return the names of each family, without those that a family before it has."""
    taken = set(contract.families)
    homes: dict[str, list[str]] = {}
    for family in contract.families.values():
        homes[family.name] = sorted(name for name in family.types if name not in taken)
        taken.update(homes[family.name])
    return dict(sorted(homes.items()))


_STRUCTS: Final = '''\
"""The types of the current version as structs: names that stay when the version changes.

``from partwire.types import Message, TextPart``. A name that several families have is that of the
first of {order}. The others are at their family: ``from partwire.types
import session``, then ``session.TextPart``, by the name that the type has everywhere.
"""'''
_PYDANTIC: Final = '''\
"""The types of the current version as pydantic models, by the names of :mod:`partwire.types`.

``from partwire.models import Message, TextPart``. Pydantic comes with the extra ``models``.
"""'''


def _lazy(doc: str, homes: Mapping[str, list[str]], below: str) -> str:
    """Return a module that imports the types of a family when one of them is asked for."""
    imports = [f"    from ..{below} import {family} as {family}" for family in homes]
    imports += [
        f"    from ..{below}.{family} import {name} as {name}"
        for family, names in homes.items()
        for name in names
    ]
    table = [
        line
        for family, names in homes.items()
        for line in (f'    "{family}": (', *(f'        "{name}",' for name in names), "    ),")
    ]
    lines = [
        *(doc, "", "from typing import TYPE_CHECKING", "", "from ..lazy import attach", ""),
        *("if TYPE_CHECKING:", *imports, "", "_HOMES = {", *table, "}", ""),
        "# Hidden from type checkers: to them, a name that is not above would be any name.",
        "if not TYPE_CHECKING:",
        f'    __getattr__, __dir__, __all__ = attach(__name__, _HOMES, "partwire.{below}")',
    ]
    return _commented("#", "\n".join(lines) + "\n")


# --- TypeScript -----------------------------------------------------------------------------------


def _typescript(contract: m.Contract) -> dict[str, str]:
    made = f"../../generated/{contract.module}"
    compiled = f"../../compiled/{contract.module}"
    found = {
        "index.ts": _TYPESCRIPT.format(
            families=", ".join(sorted(contract.families)), made=made, version=contract.version
        )
    }
    for family in contract.families:
        about = f"the types of {_holds(family)} in the current version"
        found[f"{family}.ts"] = f'/** T{about[1:]}. */\nexport type * from "{made}/{family}.js";\n'
        found[f"{family}.checks.ts"] = (
            f"/** What checks {about}: compiled verdicts, and schema data. */\n"
            f'export {{ verdicts }} from "{compiled}/{family}.js";\n'
            f'export {{ data }} from "{made}/{family}.data.js";\n'
        )
    return {name: _commented("//", text) for name, text in found.items()}


_TYPESCRIPT: Final = """\
/**
 * The contract version that is spoken where none is named. What is not about versions takes types,
 * data and vocabularies from here: no other room names the current version.
 */
export type {{ {families} }} from "{made}/index.js";
export * from "{made}/vocabulary.js";

export type Latest = "{version}";

/** The newest version: the one that is written. */
export const LATEST_VERSION: Latest = "{version}";
"""


def _typescript_names(contracts: Sequence[m.Contract]) -> str:
    names = [f'"{contract.version}"' for contract in contracts]
    return f"""\
/** The versions of the contract: their names alone. */

export type Version = {" | ".join(names)};

/** Every contract version, the oldest first. */
export const VERSIONS: readonly Version[] = [{", ".join(names)}];
"""


def _typescript_rooms(contracts: Sequence[m.Contract]) -> str:
    imports: list[str] = []
    types: list[str] = []
    rooms_: list[str] = []
    for contract in contracts:
        module, families = contract.module, list(contract.families)
        imports += [
            f'import {{ verdicts as {family}_{module} }} from "../compiled/{module}/{family}.js";'
            for family in families
        ]
        imports.append(f'import * as {module} from "./{module}/index.js";')
        own = f"types: {module}.Types; tolerant: {module}.TolerantTypes"
        types.append(f'  "{contract.version}": {{ {own} }};')
        verdicts = ", ".join(f"{family}: {family}_{module}" for family in families)
        rooms_ += [
            f'  "{contract.version}": {{',
            f"    families: {module}.families,",
            f"    verdicts: {{ {verdicts} }},",
            "  },",
        ]
    return "\n".join(
        [
            "/** What each contract version has: its types, schema data and verdicts. */",
            "",
            *imports,
            'import type { Verdict } from "../contract/binding.js";',
            'import type { FamilyData } from "../contract/nodes.js";',
            'import type { Version } from "./versions.js";',
            "",
            "/** Types by version and name, and what tolerant reading gives for them. */",
            "export interface Versions {",
            *types,
            "}",
            "",
            "/** The schema data and the verdicts of a version, by family. */",
            "export interface Room {",
            "  readonly families: Readonly<Record<string, FamilyData>>;",
            "  readonly verdicts: Readonly<Record<string, Readonly<Record<string, Verdict>>>>;",
            "}",
            "",
            "export const ROOMS: Readonly<Record<Version, Room>> = {",
            *rooms_,
            "};",
            "",
        ]
    )


# --- Rust -----------------------------------------------------------------------------------------


def _rust_current(contract: m.Contract) -> str:
    names = ", ".join([*sorted(contract.families), "vocabulary"])
    return f"""\
//! The current version: the one place that names it.

use crate::contract::versions::Version;

pub use crate::{contract.module}::{{{names}}};

/// The contract version that is spoken where none is named.
pub const LATEST_VERSION: Version = Version::{_variant(contract)};

impl Default for Version {{
    fn default() -> Self {{
        LATEST_VERSION
    }}
}}
"""


def _rust_versions(contracts: Sequence[m.Contract]) -> str:
    modules = ", ".join(contract.module for contract in contracts)
    variants = "".join(
        f"    /// `{contract.version}`\n    {_variant(contract)},\n" for contract in contracts
    )
    listed = ", ".join(f"Version::{_variant(contract)}" for contract in contracts)

    def cases(value: str) -> str:
        return "".join(
            f"            Self::{_variant(contract)} => "
            f"{value.format(version=contract.version, module=contract.module)},\n"
            for contract in contracts
        ).removesuffix("\n")

    return f"""\
//! The versions of the contract.

use crate::contract::types::Family;
use crate::{{{modules}}};

/// A version of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {{
{variants}}}

/// Every contract version, the oldest first.
pub const VERSIONS: &[Version] = &[{listed}];

impl Version {{
    /// Returns the name that documents use.
    #[must_use]
    pub fn as_str(self) -> &'static str {{
        match self {{
{cases('"{version}"')}
        }}
    }}

    /// Returns the families of the version, with their schemas.
    pub(crate) fn families(self) -> &'static [Family] {{
        match self {{
{cases("{module}::FAMILIES")}
        }}
    }}

    /// Returns severity by rule, of the rules that the schemas name.
    pub(crate) fn severities(self) -> &'static [(&'static str, &'static str)] {{
        match self {{
{cases("{module}::vocabulary::SEVERITIES")}
        }}
    }}
}}
"""


def _variant(contract: m.Contract) -> str:
    return contract.module.upper()
