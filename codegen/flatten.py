"""An interface document with every schema of the contract that it refers to, in one piece.

The sources of the interface documents (``schemas/*.src.json``) refer to schema files by relative
paths, such as ``v0.2/envelope/task.schema.json#/$defs/TaskEvent``. Many tools follow no such
reference, and fewer one into a schema that has an ``$id``: here all of them are under
``components/schemas``, named by family and type (``envelope.TaskEvent``), without ``$id``.
"""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from codegen import GENERATOR_VERSION
from codegen.problems import Problems

__all__ = ["as_text", "flatten", "read_source"]

_PREFIX: Final = "#/components/schemas/"
_VERSION: Final = re.compile(r"v\d+\.\d+")
_SUFFIX: Final = ".schema.json"

# Keywords whose value is data, or has names of its own choice for schemas.
_DATA: Final = frozenset({"example", "examples", "default", "const", "enum", "required"})
_MAPS: Final = frozenset({"properties", "patternProperties", "dependentSchemas"})

Target = Callable[[str], str]


def read_source(source: Path) -> dict[str, Any]:
    """Return a source document. Raises LintError where it is not a JSON object."""
    problems = Problems()
    try:
        document = json.loads(source.read_bytes())
    except (OSError, ValueError) as error:
        document = None
        problems.add(source.name, "", "unreadable", str(error))
    if document is not None and not isinstance(document, dict):
        problems.add(source.name, "", "not-a-document", "an interface document is an object")
    problems.raise_any()
    return dict(document or {})


def flatten(
    document: Mapping[str, Any], schemas: Path, *, name: str, draft07: bool = False
) -> dict[str, Any]:
    """Return ``document`` with its references inside itself.

    ``schemas`` is the folder that references are relative to, ``name`` what problems call the
    document. ``draft07``: what that draft, or a parser of it, would complain about is left out:
    whatever is beside ``$ref``, ``discriminator`` and ``x-…``. Raises LintError: a reference
    leads nowhere, or two schemas have one name.
    """
    return _Flattening(schemas, name, draft07).whole(document)


def as_text(document: Mapping[str, Any], source: Path) -> str:
    """Return the text of a flat document, which says of itself what it is made from."""
    made = {key: value for key, value in document.items() if key != "$comment"}
    digest = hashlib.sha256(json.dumps(made).encode()).hexdigest()[:16]
    origin = (
        f"Generated from schemas/{source.name} (digest {digest}) by codegen {GENERATOR_VERSION}. "
    )
    origin += "Do not edit: change the source or the schemas, then run `python -m codegen`."
    made["info"] = {**made["info"], "x-generated": origin}
    return json.dumps(made, ensure_ascii=False, indent=2) + "\n"


class _Flattening:
    def __init__(self, schemas: Path, name: str, draft07: bool) -> None:
        self._folder, self._name, self._old = schemas, name, draft07
        self._problems = Problems()
        self._files: dict[str, Any] = {}
        self._places: dict[str, tuple[str, str]] = {}
        self._made: dict[str, Any] = {}

    def whole(self, document: Mapping[str, Any]) -> dict[str, Any]:
        made: dict[str, Any] = self._document(document)
        components = dict(made.get("components", {}))
        schemas = dict(components.get("schemas", {}))
        for name in self._made:
            if name in schemas:
                place = f"/components/schemas/{name}"
                self._problems.add(self._name, place, "name-clash", "a schema file has this name")
        self._problems.raise_any()
        components["schemas"] = {**schemas, **dict(sorted(self._made.items()))}
        return {**made, "components": components}

    def _document(self, value: Any) -> Any:
        """Return a part of the source that is not a file's schema, with its references inside."""
        if isinstance(value, list):
            return [self._document(each) for each in value]
        if not isinstance(value, dict):
            return value
        made = {}
        for keyword, inner in value.items():
            if keyword == "$ref" and isinstance(inner, str) and not inner.startswith("#"):
                made[keyword] = self._target("", inner)
            elif keyword in _DATA:
                made[keyword] = inner
            else:
                made[keyword] = self._document(inner)
        return made

    def _target(self, base: str, reference: str) -> str:
        """Return the place of a schema in the document; it is taken over if it is not there."""
        path, _, pointer = reference.partition("#")
        file = posixpath.normpath(posixpath.join(posixpath.dirname(base), path)) if path else base
        name = _name(file, pointer)
        place = self._places.setdefault(name, (file, pointer))
        if place != (file, pointer):
            message = f"{file}#{pointer} and {place[0]}#{place[1]} are both called {name}"
            self._problems.add(self._name, "", "name-clash", message)
        elif name not in self._made:
            self._made[name] = {}  # a schema may refer to itself
            found = self._find(file, pointer)
            self._made[name] = self._schema(found, lambda inner: self._target(file, inner))
        return _PREFIX + name

    def _find(self, file: str, pointer: str) -> Any:
        if file not in self._files:
            path = self._folder / file
            try:
                self._files[file] = json.loads(path.read_bytes())
            except (OSError, ValueError) as error:
                self._problems.add(self._name, "", "unreadable", f"{file}: {error}")
                self._files[file] = {}
                return {}
        found = self._files[file]
        for step in pointer.split("/")[1:]:
            found = found.get(step) if isinstance(found, dict) else None
        if not isinstance(found, dict):
            self._problems.add(self._name, "", "unresolved", f"{file}#{pointer} is not a schema")
            return {}
        if not pointer:
            left_out = ("$schema", "$id", "$comment", "$defs")
            return {key: value for key, value in found.items() if key not in left_out}
        return found

    def _schema(self, schema: Any, target: Target) -> Any:
        """Return a schema of a file with its references inside the document."""
        if isinstance(schema, list):
            return [self._schema(each, target) for each in schema]
        if not isinstance(schema, dict):
            return schema
        if self._old and isinstance(schema.get("$ref"), str):
            return {"$ref": target(schema["$ref"])}
        made: dict[str, Any] = {}
        for keyword, value in schema.items():
            is_extension = keyword.startswith("x-")
            if self._old and (keyword == "discriminator" or is_extension):
                continue
            if keyword == "$ref":
                made[keyword] = target(value)
            elif keyword == "discriminator":
                mapping = {tag: target(where) for tag, where in value["mapping"].items()}
                made[keyword] = {**value, "mapping": mapping}
            elif keyword in _MAPS:
                made[keyword] = {name: self._schema(each, target) for name, each in value.items()}
            elif keyword in _DATA or is_extension:
                made[keyword] = value
            else:
                made[keyword] = self._schema(value, target)
        return made


def _name(file: str, pointer: str) -> str:
    """Return what a schema is called: ``envelope.TaskEvent``, ``report.Finding``, ``report``."""
    folders = [part for part in file.split("/")[:-1] if not _VERSION.fullmatch(part)]
    own = file.rpartition("/")[2].removesuffix(_SUFFIX)
    last = pointer.rpartition("/")[2]
    return ".".join([*(folders or [own]), *([last] if last else [])])
