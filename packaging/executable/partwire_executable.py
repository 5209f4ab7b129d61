"""What the single file of the command line runs (`make executable`)."""

from typing import TYPE_CHECKING

from partwire.cli import main

if TYPE_CHECKING:
    # PyInstaller brings along what it reads here; partwire imports these by name.
    import jsonschema  # noqa: F401
    import jsonschema_rs  # noqa: F401
    import referencing  # noqa: F401
    import yaml  # noqa: F401

main()
