"""A page of the site in a real browser: what it fetches at once, and what a search finds."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

__all__ = ["Opened", "opened"]

_PATIENCE: Final = 60.0
_FOLDER: Final = "below/site"
_SAYS: Final = "/says"
_PROBE: Final = """<script>addEventListener("load", async () => {
  const say = (words) => { new Image().src = "ADDRESS?" + new URLSearchParams(words); };
  const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));
  const until = async (find) => {
    for (;;) {
      const found = find();
      if (found) return found;
      await pause(20);
    }
  };
  const hosts = () => [...document.querySelectorAll("body > div")];
  const search = await until(() => hosts().map((each) => each.shadowRoot).find(Boolean));
  await pause(300); // for what may come late
  const fetched = performance.getEntriesByType("resource").map((each) => each.name).join(" ");
  say({ index: typeof window.searchIndex, fetched });
  dispatchEvent(new KeyboardEvent("keydown", KEY));
  const input = await until(() => search.activeElement);
  input.value = "start expected";
  input.dispatchEvent(new InputEvent("input", { bubbles: true }));
  say({ found: (await until(() => search.querySelector("ol a"))).href });
});</script></body>"""


@dataclass(slots=True)
class Opened:
    """A page in a browser: the address of its site, and what its probe says, in order."""

    site: str = ""
    _said: Queue[tuple[str, str]] = field(default_factory=Queue)

    def says(self, name: str) -> str:
        """Return what the probe says next, which has a name."""
        said = self._said.get(timeout=_PATIENCE)
        assert said[0] == name, said
        return said[1]

    def put(self, query: str) -> None:
        for said in parse_qsl(query, keep_blank_values=True):
            self._said.put(said)


class _Handler(SimpleHTTPRequestHandler):
    def __init__(self, page: Opened, *given: Any, **named: Any) -> None:
        self.page = page
        super().__init__(*given, **named)

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if parts.path == _SAYS:
            self.page.put(parts.query)
            self.send_response(204)
            self.end_headers()
        else:
            super().do_GET()

    def log_message(self, *_given: Any) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        pass


@contextmanager
def opened(
    browser: str, site: Path, page: str, folder: Path, key: str, *, from_files: bool
) -> Iterator[Opened]:
    """Open a page of a folder of the site with a probe in it, from files or below a server's path.

    The probe says, when the page is at rest, of what type the index of the search is and, where it
    came from a server, all that was fetched. It opens the search with a key, and says the address
    of what is found first.
    """
    name = page.partition("/")[0]
    copy = folder / _FOLDER
    (copy / name).mkdir(parents=True)
    for path in (*site.iterdir(), *(site / name).iterdir()):
        place = copy / path.relative_to(site)
        if place not in (copy / name, copy / page):
            place.symlink_to(path)
    found = Opened()
    handler = partial(_Handler, found, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            address = f"http://127.0.0.1:{server.server_address[1]}"
            probe = _PROBE.replace("ADDRESS", address + _SAYS).replace("KEY", key)
            text = (site / page).read_text("utf-8").replace("</body>", probe)
            (copy / page).write_text(text, "utf-8")
            found.site = copy.as_uri() if from_files else f"{address}/{_FOLDER}"
            with _browser(browser, f"{found.site}/{page}", folder / "browser"):
                yield found
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def _browser(browser: str, address: str, folder: Path) -> Iterator[None]:
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    options += [f"--user-data-dir={folder}", "--remote-debugging-port=0"]
    process = subprocess.Popen(
        [browser, *options, address], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(_PATIENCE)
