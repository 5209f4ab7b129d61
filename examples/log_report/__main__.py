"""A report of your logs: ``python -m examples.log_report LOGS OUT``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from partwire import PartwireError

from .report import ask, quarantined, work


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m examples.log_report", description=__doc__)
    parser.add_argument("logs", nargs="+", help="files, folders, globs, s3://… of deltas")
    parser.add_argument("out", type=Path, help="a folder; where it was begun, it goes on")
    options = parser.parse_args()
    try:
        work(options.logs, options.out)
        for aside in quarantined(options.out):
            print(f"{aside.source}:{aside.line}: {aside.message} [{aside.rule}]")
        print(ask(options.out))
    except PartwireError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(130)
    print(f"Open {options.out / 'report' / 'report.html'} in a browser.")


if __name__ == "__main__":
    main()
