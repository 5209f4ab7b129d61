"""Schema files → the contract model; whatever the dialect forbids is refused here, all at once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from codegen import lint
from codegen import model as m
from codegen.parse import Parser
from codegen.problems import Problems, step

DIALECT = "https://json-schema.org/draft/2020-12/schema"
ID_BASE = "https://partwire.dev/schemas"
FILE_KEYWORDS = frozenset({"$schema", "$id", "title", "description", "$defs"})
Definitions = dict[tuple[str, str], m.TypeDef]


def load_contract(schemas: Path, version: str) -> m.Contract:
    """Return the contract of ``schemas/<version>``; raise LintError with every problem found."""
    problems = Problems()
    rules = load_rules(schemas, problems)
    definitions, contents = _definitions(schemas / version, version, problems)
    problems.raise_any()
    lint.references(definitions, problems)
    problems.raise_any()
    families = {
        name: m.Family(
            name,
            _digest(contents, f"{name}/", f"{m.COMMON}/"),
            _family_types(name, definitions, problems),
        )
        for name in versions(schemas).get(version, ())
    }
    for family in families.values():
        if not family.types:
            message = f"the catalog names a family {family.name}, which has no schemas"
            problems.add("../catalog.json", "", "empty-family", message)
        lint.family(family, frozenset(rules), problems)
    problems.raise_any()
    severities = {rule: entry["severity"] for rule, entry in rules.items()}
    return m.Contract(version, _digest(contents, ""), families, severities)


def load_rules(schemas: Path, problems: Problems) -> dict[str, dict[str, Any]]:
    """Return every rule, id → its row; a rule is in the file of its room."""
    rules: dict[str, dict[str, Any]] = {}
    for path in sorted((schemas / "rules").glob("*.json")):
        file = f"../rules/{path.name}"
        for rule, row in _object(path, file, problems).get("rules", {}).items():
            if not rule.startswith(f"{path.stem}/"):
                problems.add(file, f"/rules/{rule}", "rule-room", f"{rule} is another room's")
            rules[rule] = row
    return rules


def versions(schemas: Path) -> dict[str, tuple[str, ...]]:
    """Return the catalog's versions with their families."""
    problems = Problems()
    catalog = _object(schemas / "catalog.json", "../catalog.json", problems)
    problems.raise_any()
    return {name: tuple(entry["families"]) for name, entry in catalog["versions"].items()}


def current_version(schemas: Path) -> str:
    """Return the version that the catalog names as current; raises LintError for any other name."""
    problems = Problems()
    catalog = _object(schemas / "catalog.json", "../catalog.json", problems)
    problems.raise_any()
    name = catalog.get("current")
    if name not in tuple(catalog["versions"]):  # it may be anything, hashable or not
        problems.add("../catalog.json", "/current", "unknown-version", "it is one of the versions")
    problems.raise_any()
    return str(name)


def _definitions(
    folder: Path, version: str, problems: Problems
) -> tuple[Definitions, dict[str, bytes]]:
    """Parse every file; return the definitions and the files' contents, in order of name."""
    contents: dict[str, bytes] = {}
    definitions: Definitions = {}
    for path in sorted(folder.rglob("*.schema.json")):
        file = path.relative_to(folder).as_posix()
        contents[file] = path.read_bytes().replace(b"\r\n", b"\n")
        document = _object(path, file, problems)
        _check_file(document, file, version, problems)
        parser = Parser(file, problems)
        schemas = document.get("$defs")
        for name, schema in schemas.items() if isinstance(schemas, dict) else ():
            pointer = step("", "$defs", name)
            node = parser.node(schema, pointer, "def")
            if isinstance(schema, dict):
                definitions[file, name] = _type_def(name, file, node, schema)
                lint.definition(definitions[file, name], problems)
    return definitions, contents


def _digest(contents: Mapping[str, bytes], *prefixes: str) -> str:
    """Return the digest over names and bytes of the files whose name starts with a prefix."""
    digest = hashlib.sha256()
    for file, data in contents.items():
        if file.startswith(prefixes):
            digest.update(file.encode() + b"\0" + data + b"\0")
    return digest.hexdigest()[:16]


def _object(path: Path, file: str, problems: Problems) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text("utf-8"), object_pairs_hook=no_duplicates)
    except (OSError, ValueError) as error:
        problems.add(file, "", "unreadable", str(error))
        return {}
    if isinstance(document, dict):
        return document
    problems.add(file, "", "not-a-schema", "a schema file holds an object")
    return {}


def no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; raises ValueError where a key occurs twice."""
    document = dict(pairs)
    if len(document) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"a key stands twice in one object: {max(names, key=names.count)!r}")
    return document


def _check_file(document: Mapping[str, Any], file: str, version: str, problems: Problems) -> None:
    if not document:
        return
    for keyword in document:
        if keyword not in FILE_KEYWORDS:
            problems.add(file, step("", keyword), "unknown-keyword", "a file holds only $defs")
    if document.get("$schema") != DIALECT:
        problems.add(file, "/$schema", "bad-dialect", f"it is {DIALECT}")
    expected = f"{ID_BASE}/{version}/{file}"
    if document.get("$id") != expected:
        problems.add(file, "/$id", "bad-id", f"it is {expected}")
    for keyword in ("title", "description"):
        if not document.get(keyword):
            problems.add(file, "", "missing-description", f"a file has a {keyword}")
    if not isinstance(document.get("$defs"), dict):
        problems.add(file, "", "not-a-schema", "a file has $defs")


def _type_def(name: str, file: str, node: m.Node, schema: Mapping[str, Any]) -> m.TypeDef:
    rules = _typed(schema, "x-rules", list)
    transitions = _typed(schema, "x-transitions", dict)
    return m.TypeDef(
        name=name,
        file=file,
        node=node,
        description=_typed(schema, "description", str),
        schema=schema,
        entrypoint=schema.get("x-entrypoint") is True,
        reserved=schema.get("x-status") == "reserved",
        transitions={
            state: tuple(after) for state, after in transitions.items() if isinstance(after, list)
        }
        or None,
        rules=tuple(_rule(rule) for rule in rules if isinstance(rule, dict)),
        examples=tuple(_typed(schema, "examples", list)),
    )


def _typed(schema: Mapping[str, Any], keyword: str, form: type) -> Any:
    """Return a keyword's value, or an empty one where it has another form (noted already)."""
    value = schema.get(keyword)
    return value if isinstance(value, form) else form()


def _rule(rule: Mapping[str, Any]) -> m.Rule:
    args = {key: value for key, value in rule.items() if key not in ("rule", "op")}
    return m.Rule(str(rule.get("rule")), str(rule.get("op")), args)


def _family_types(name: str, definitions: Definitions, problems: Problems) -> dict[str, m.TypeDef]:
    """Return the family's own types and the common ones that they use, in order of definition."""
    own = [key for key in definitions if key[0].startswith(f"{name}/")]
    reached = set(own)
    waiting = list(own)
    while waiting:
        for ref in lint.refs_of(definitions[waiting.pop()].node):
            if (ref.file, ref.name) not in reached:
                reached.add((ref.file, ref.name))
                waiting.append((ref.file, ref.name))
    types: dict[str, m.TypeDef] = {}
    for key in definitions:
        if key not in reached:
            continue
        file, type_name = key
        if file.partition("/")[0] not in (name, m.COMMON):
            problems.add(file, step("", "$defs", type_name), "foreign-ref", f"{name} refers to it")
        if type_name in types:
            other = types[type_name].file
            problems.add(file, step("", "$defs", type_name), "name-clash", f"also in {other}")
        types[type_name] = definitions[key]
    return types
