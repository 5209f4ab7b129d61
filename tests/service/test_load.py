"""The contract service under load: 500 assemblies at once, no error, flat memory."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from tests.service.process import PYTHON_PATH, Service, serving, until

CLIENTS: Final = 500
SECONDS: Final = float(os.environ.get("PARTWIRE_LOAD_SECONDS", "10"))
MOST_GROWTH: Final = 24 << 20

pytestmark = pytest.mark.early


def load(service: Service, seconds: float, watch: Callable[[], None]) -> dict[str, Any]:
    """Put a load on a service; ``watch`` is called while it runs."""
    arguments = [str(service.port), str(seconds), str(CLIENTS)]
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.service.load", *arguments],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).resolve().parents[2],
        env={**os.environ, "PYTHONPATH": PYTHON_PATH},
    )
    with process:
        while True:
            try:
                output, _ = process.communicate(timeout=1)
                break
            except subprocess.TimeoutExpired:
                watch()
    assert process.returncode == 0
    found: dict[str, Any] = json.loads(output)
    return found


@pytest.mark.slow
def test_five_hundred_assemblies_at_once(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4096)), hard))
    with serving(tmp_path, "--idle-seconds", "120") as service:
        # Whatever is made once is made here: the first answers, and as many places at once.
        load(service, 3, lambda: None)
        before = service.rss_bytes()
        samples: list[int] = []
        streams: list[float] = []

        def watch() -> None:
            samples.append(service.rss_bytes())
            streams.append(service.figure("partwire_open_streams"))

        result = load(service, SECONDS, watch)
        until(lambda: service.figure("partwire_open_streams") == 0, "the last stream")
        after = service.rss_bytes()
        assert service.figure("partwire_held_bytes") == 0
        assert service.figure("partwire_requests_total", route="/v1/assemble", status="200") > 0
        assert service.end() == 0
    figures = {
        "assemblies": result["assemblies"],
        "clients at once": result["most_open"],
        "streams at once": round(max(streams)),
        "seconds": round(result["seconds"]),
        "errors": sum(result["errors"].values()),
        "MiB before": before >> 20,
        "MiB at most": max([*samples, after]) >> 20,
        "MiB after": after >> 20,
    }
    record_property("service load", figures)
    assert not result["errors"]
    assert result["assemblies"] >= CLIENTS
    assert result["most_open"] >= CLIENTS * 0.9
    assert max(streams) >= CLIENTS * 0.8, "as the service sees them"
    assert set(result["kinds"]) == {"message", "events", "long"}
    assert after - before < MOST_GROWTH, figures
    assert max(samples, default=after) - before < 2 * MOST_GROWTH, figures
