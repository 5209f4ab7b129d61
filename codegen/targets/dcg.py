"""The one call of datamodel-code-generator, with the options that structs and models share."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from codegen import model as m

TEMPLATES = Path(__file__).resolve().parent.parent / "templates"
REQUIRED_VERSION = "0.89.0"


_BASES: Final = {"message": {"ToolSpec": "ToolSpec"}}
"""Family → type → its base class, without ``Struct`` or ``Model``: it has methods."""


def bases(family: m.Family, bindings: str, kind: str) -> dict[str, str]:
    """Return type → import path of its base class, for the types that have one."""
    own = _BASES.get(family.name, {})
    return {name: f"{bindings}.{base}{kind}" for name, base in own.items() if name in family.types}


def generate_module(
    schema: Mapping[str, Any],
    *,
    model_type: str,
    templates: str,
    extra: Mapping[str, Any],
    options: dict[str, Any],
) -> str:
    """Return the Python text for ``schema``; a warning of the generator is an error here."""
    # Half a second each time the package is imported: only when there is something to generate.
    from datamodel_code_generator import generate  # noqa: PLC0415
    from datamodel_code_generator.enums import DataModelType  # noqa: PLC0415

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # A newer Python's word to the libraries beneath, not the generator's to us.
        warnings.simplefilter("ignore", DeprecationWarning)
        text = generate(
            dict(schema),
            output_model_type=DataModelType(model_type),
            custom_template_dir=TEMPLATES / templates,
            extra_template_data=defaultdict(dict, extra),
            **_common_options(),
            **options,
        )
    if not isinstance(text, str):
        raise TypeError(f"one module was expected, not {type(text).__name__}")
    return text.removeprefix("#").lstrip("\n").rstrip("\n") + "\n"


def _common_options() -> dict[str, Any]:
    from datamodel_code_generator.enums import InputFileType  # noqa: PLC0415
    from datamodel_code_generator.format import Formatter, PythonVersion  # noqa: PLC0415
    from datamodel_code_generator.parser import LiteralType  # noqa: PLC0415

    return {
        "input_file_type": InputFileType.JsonSchema,
        "input_filename": "schemas",
        "schema_version": "2020-12",
        "target_python_version": PythonVersion.PY_311,
        "disable_timestamp": True,
        "custom_file_header": "#",
        "use_annotated": True,
        "snake_case_field": True,
        "enum_field_as_literal": LiteralType.All,
        "formatters": [Formatter.BUILTIN],  # neither black nor isort: the same bytes everywhere
        "builtin_format_line_length": 100,
        "use_double_quotes": True,
        "strict_nullable": True,
        "skip_root_model": True,
        "strict_refs": True,
        "allow_remote_refs": False,
        "keep_model_order": True,  # aliases after what they name
        "use_object_type": True,
    }
