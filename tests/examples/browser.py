"""Pages of examples in a real browser: installed and built as locked, served, and read when they
have nothing more to say.
"""

from __future__ import annotations

import asyncio
import fcntl
import html
import os
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest
import uvicorn
from fastapi import FastAPI, Response

from tests.differential.toolchains import version_of

__all__ = ["built_pages", "find_browser", "leave_out", "page_when_over", "serve"]

_ROOT = Path(__file__).resolve().parents[2]
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_LOCK = "package-lock.json"
_PATIENCE = 30.0
"""Seconds after which a page that still waits is read as it is."""

_HOLD = """<img src="/hold" alt=""><script>
  new MutationObserver(() => {
    const said = document.querySelector("#status")?.textContent;
    if (said === "ready" || said === "error") fetch("/release");
  }).observe(document, { characterData: true, childList: true, subtree: true });
</script></body>"""
"""The browser prints a page when it has loaded: an image keeps it from that until all is over."""


def find_browser() -> str | None:
    """Return the browser of this machine, or None."""
    named = os.environ.get("PARTWIRE_BROWSER")
    return named or next(filter(None, map(shutil.which, _BROWSERS)), None)


def leave_out(missing: str) -> NoReturn:
    """Skip the test, but fail in CI, for what is missing."""
    reason = f"the pages are left out: {missing}"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def built_pages(client: Path, folder: Path) -> Path:
    """Build the pages of a client into a folder; skip, but not in CI, where the tools are missing.

    Packages are kept in .cache, as long as the lock file stays as it is.
    """
    if version_of("node") < (20,) or not version_of("npm"):
        leave_out("no Node.js 20 or newer, or no npm")
    if find_browser() is None:
        leave_out(f"none of {', '.join(_BROWSERS)} is installed")
    work = _ROOT / ".cache" / client.parent.name
    work.mkdir(parents=True, exist_ok=True)
    with work.with_suffix(".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        is_locked_so = _same(client / _LOCK, work / _LOCK)
        for source in filter(Path.is_file, client.iterdir()):
            shutil.copy(source, work)
        if not (is_locked_so and (work / "node_modules" / ".package-lock.json").is_file()):
            _npm(work, "ci", "--no-audit", "--no-fund", "--loglevel=error")
        for script in ("types", "build"):
            _npm(work, "run", "--silent", script)
        shutil.copytree(work / "dist", folder / "dist")
    for style in client.glob("*.css"):
        shutil.copy(style, folder)
    for page in client.glob("*.html"):
        text = page.read_text("utf-8")
        assert text.count("</body>") == 1
        (folder / page.name).write_text(text.replace("</body>", _HOLD), "utf-8")
    return folder


def _same(one: Path, other: Path) -> bool:
    return other.is_file() and one.read_bytes() == other.read_bytes()


def _npm(client: Path, *words: str) -> None:
    run = subprocess.run(
        ["npm", *words], cwd=client, capture_output=True, text=True, timeout=300, check=False
    )
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-4000:]


@contextmanager
def serve(app: FastAPI) -> Iterator[str]:
    """Serve an app, and what holds its pages, on a free port of the loopback; yield the address."""
    outer, over = FastAPI(), asyncio.Event()

    @outer.get("/hold")
    async def hold() -> Response:
        try:
            async with asyncio.timeout(_PATIENCE):
                await over.wait()
        except TimeoutError:
            return Response(status_code=504)
        over.clear()
        return Response()

    @outer.get("/release")
    async def release() -> Response:
        over.set()
        return Response()

    outer.mount("/", app)
    config = uvicorn.Config(outer, port=0, log_level="critical", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        end = time.monotonic() + 60
        while not server.started:
            assert thread.is_alive()
            assert time.monotonic() < end
            time.sleep(0.01)
        host, port = server.servers[0].sockets[0].getsockname()[:2]
        yield f"http://{host}:{port}"
    finally:
        server.should_exit = True
        thread.join(60)
        assert not thread.is_alive()


class Page:
    """What a page shows at the end."""

    def __init__(self, dom: str) -> None:
        self.dom = dom

    def all(self, tag: str, name: str) -> list[str]:
        """Return the texts of the elements of a tag that have a class or an id."""
        found = re.findall(rf'<{tag} (?:class|id)="{name}"[^>]*>(.*?)</{tag}>', self.dom, re.DOTALL)
        return [html.unescape(re.sub(r"<[^>]*>", "", each)) for each in found]

    @property
    def status(self) -> str:
        """How the conversation stands."""
        (status,) = self.all("p", "status")
        return status


def page_when_over(url: str, folder: Path) -> Page:
    """Return the page at an address as it is when it is over."""
    browser = find_browser()
    assert browser is not None
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}"]
    run = subprocess.run(
        [browser, *options, "--dump-dom", url], capture_output=True, timeout=120, check=False
    )
    assert run.returncode == 0, run.stderr[-4000:]
    return Page(run.stdout.decode())
