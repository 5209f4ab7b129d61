"""The driver of partwire itself: ``python -m partwire_testing.conformance.driver``.

It reads JSON Lines on standard input and answers on standard output, as ``docs/conformance.md``
says; whoever writes one for another language may compare with it.
"""

from __future__ import annotations

import json
import platform
import sys
import traceback
from typing import IO, Any, Final

import partwire
from partwire.contract.current import FAMILIES

from .operations.table import OPERATIONS, run_operation
from .values import BadInput, Json, Skip

__all__ = ["PROTOCOL", "answer", "main", "serve"]

PROTOCOL: Final = 1
"""The version of the protocol that is spoken here."""

_LAST_CHARS: Final = 2000


def main() -> None:
    """Serve standard input until it ends or says stop; what is printed goes to standard error."""
    out = sys.stdout.buffer
    sys.stdout = sys.stderr
    serve(sys.stdin.buffer, out)


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Answer each line of ``requests`` by one line, until stop or the end."""
    for line in requests:
        request = json.loads(line)
        if request["type"] == "stop":
            return
        text = json.dumps(answer(request), allow_nan=False)
        answers.write(text.encode("ascii") + b"\n")
        answers.flush()


def answer(request: Json) -> Json:
    """Return the answer to a line; whatever goes wrong here is one too."""
    if request["type"] == "start":
        return _started()
    number: Any = request["id"]
    try:
        result = run_operation(request["operation"], request["version"], request["input"])
    except Skip as skip:
        return {"type": "skipped", "id": number, "reason": str(skip)}
    except BadInput as error:
        return {"type": "errored", "id": number, "message": f"bad input: {error}"}
    except Exception:  # noqa: BLE001 (a driver says what failed, and goes on)
        message = traceback.format_exc()[-_LAST_CHARS:]
        return {"type": "errored", "id": number, "message": message}
    return {"type": "result", "id": number, "result": result}


def _started() -> Json:
    language = f"Python {platform.python_version()}"
    return {
        "type": "started",
        "protocol": PROTOCOL,
        "implementation": {
            "name": "partwire",
            "version": partwire.__version__,
            "language": language,
        },
        "versions": list(FAMILIES),
        "operations": list(OPERATIONS),
        "exact_integers": True,
    }


if __name__ == "__main__":
    main()
