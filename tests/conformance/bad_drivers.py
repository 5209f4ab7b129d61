"""Drivers that misbehave, each in its own way: partwire's own, with one thing done badly.

``python -m tests.conformance.bad_drivers WAY AT``: everything is answered well but run AT of each
process. Read by tests/conformance/test_drivers.py.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from partwire_testing.conformance.driver import answer

Json = dict[str, Any]
DEEP = 100_000


def write(text: str | bytes) -> None:
    data = text.encode() if isinstance(text, str) else text
    sys.stdout.buffer.write(data + b"\n")
    sys.stdout.buffer.flush()


def hang(_request: Json) -> None:
    time.sleep(600)


def deaf(_request: Json) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    time.sleep(600)


def die(_request: Json) -> None:
    print("out of memory", file=sys.stderr, flush=True)
    os._exit(3)


def killed(_request: Json) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def leave_a_child(_request: Json) -> None:
    """Die, while a child keeps the pipes open."""
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    os._exit(4)


def close_output(_request: Json) -> None:
    os.close(1)
    time.sleep(600)


def flood(_request: Json) -> None:
    while True:
        os.write(1, b"x" * 65536)


def flood_lines(_request: Json) -> None:
    while True:
        os.write(1, b'{"type": "result", "id": 0, "result": {}}\n' * 1000)


def chatter(request: Json) -> None:
    """Answer well, after more words on standard error than a pipe holds."""
    sys.stderr.write("chatter\n" * 100_000)
    sys.stderr.flush()
    write(json.dumps(answer(request)))


def twice(request: Json) -> None:
    text = json.dumps(answer(request))
    write(text + "\n" + text)


def errored(request: Json) -> None:
    write(json.dumps({"type": "errored", "id": request["id"], "message": "boom"}))


def skipped(request: Json) -> None:
    write(json.dumps({"type": "skipped", "id": request["id"], "reason": "not today"}))


def wrong(request: Json) -> None:
    said = answer(request)
    said["result"]["error" if "state" in said["result"] else "state"] = {}
    write(json.dumps(said))


def says(text: str | bytes) -> Callable[[Json], None]:
    def say(request: Json) -> None:
        number = str(request["id"])
        write(text.replace("ID", number) if isinstance(text, str) else text)

    return say


WAYS: dict[str, Callable[[Json], None]] = {
    "hang": hang,
    "deaf": deaf,
    "die": die,
    "killed": killed,
    "leave-a-child": leave_a_child,
    "close-output": close_output,
    "flood": flood,
    "flood-lines": flood_lines,
    "chatter": chatter,
    "twice": twice,
    "errored": errored,
    "skipped": skipped,
    "wrong": wrong,
    "no-json": says("Traceback (most recent call last):"),
    "no-utf8": says(b"\xff\xfe"),
    "no-object": says("[1]"),
    "empty-line": says(""),
    "nan": says('{"type": "result", "id": ID, "result": {"state": NaN}}'),
    "deep": says('{"type": "result", "id": ID, "result": ' + "[" * DEEP + "]" * DEEP + "}"),
    "no-type": says('{"id": ID, "result": {}}'),
    "other-id": says('{"type": "result", "id": 99999, "result": {}}'),
    "true-id": says('{"type": "result", "id": true, "result": {}}'),
    "no-result": says('{"type": "result", "id": ID}'),
    "no-reason": says('{"type": "skipped", "id": ID}'),
    "blank-message": says('{"type": "errored", "id": ID, "message": " "}'),
    "result-null": says('{"type": "result", "id": ID, "result": null}'),
    "never": lambda request: write(json.dumps(answer(request))),
}


def main(way: str, at: int) -> None:
    """Answer, badly from run ``at`` of this process on: at that one run, or at 0 at all of them."""
    runs = 0
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if request["type"] == "stop":
            return
        if request["type"] == "run":
            runs += 1
            if at in (0, runs):
                WAYS[way](request)
                continue
        write(json.dumps(answer(request)))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
