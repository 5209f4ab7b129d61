"""Where things are on the site: the one place that knows the addresses of generated pages."""

from __future__ import annotations

from pathlib import PurePosixPath

__all__ = [
    "COMMANDS",
    "CONTRACT",
    "LOSSES",
    "MATRIX",
    "RULES",
    "STREAM",
    "TOOL_STATES",
    "VERSIONS",
    "api_index",
    "api_page",
    "command_page",
    "family_of",
    "group_page",
    "loss_page",
    "rule_page",
    "type_name",
    "type_page",
    "version_page",
]

CONTRACT = "contract/index.md"
STREAM = "contract/stream.md"
TOOL_STATES = "contract/tool-states.md"
VERSIONS = "contract/versions.md"
MATRIX = "contract/matrix.md"
RULES = "rules/index.md"
LOSSES = "losses/index.md"
COMMANDS = "cli/index.md"


def family_of(file: str) -> str:
    """Return the family that a schema file is in: its folder."""
    return PurePosixPath(file).parts[0]


def type_name(file: str, name: str) -> str:
    """Return what a type is called, such as ``message.Message``."""
    return f"{family_of(file)}.{name}"


def type_page(version: str, file: str, name: str) -> str:
    """Return the page of a type in a version."""
    return f"contract/{version}/{family_of(file)}/{name}.md"


def version_page(version: str) -> str:
    """Return the page that lists the types of a version."""
    return f"contract/{version}/index.md"


def group_page(group: str) -> str:
    """Return the page that lists the rules of a group: what is before ``/`` in their ids."""
    return f"rules/{group}/index.md"


def rule_page(rule: str) -> str:
    """Return the page of a rule."""
    return f"rules/{rule}.md"


def loss_page(code: str) -> str:
    """Return the page of a loss."""
    return f"losses/{code}.md"


def command_page(name: str) -> str:
    """Return the page of a command."""
    return f"cli/{name}.md"


def api_index(language: str) -> str:
    """Return the page that lists the modules of a language's package."""
    return f"api/{language}/index.md"


def api_page(language: str, module: str) -> str:
    """Return the page of a module; of an entry of a package the last of its names."""
    return f"api/{language}/{module.replace('::', '.').replace('/', '.')}.md"
