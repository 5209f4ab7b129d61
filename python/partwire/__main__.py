"""The command line: ``python -m partwire``."""

from .cli import main

if __name__ == "__main__":
    main(prog_name="python -m partwire")
