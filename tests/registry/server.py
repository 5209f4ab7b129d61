"""A small schema registry on a real socket: subjects, versions, levels, compatibility, and faults.

It answers as the registries of Confluent do, by the paths that their client asks for. What it
calls compatible is simple: by every level but NONE, a schema requires nothing that its predecessor
does not.
"""

from __future__ import annotations

import base64
import json
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

__all__ = ["LocalRegistry", "local_registry"]

Json = dict[str, Any]
MEDIA_TYPE = "application/vnd.schemaregistry.v1+json"
LEVELS = {
    "NONE",
    *(f"{way}{more}" for way in ("BACKWARD", "FORWARD", "FULL") for more in ("", "_TRANSITIVE")),
}


class Refused(Exception):
    """An answer that is an error."""

    def __init__(self, status: int, code: int, message: str) -> None:
        super().__init__(message)
        self.answer = JSONResponse(
            {"error_code": code, "message": message}, status, media_type=MEDIA_TYPE
        )


@dataclass
class LocalRegistry:
    """What the registry holds, what it was asked, and how it is to misbehave.

    ``faults`` maps ``METHOD /path`` (or the beginning of one) to an answer, or to a function that
    makes one, which may be None: no fault this time. ``writes`` are the requests that change
    anything.
    """

    subjects: dict[str, list[tuple[int, str, Json]]] = field(default_factory=dict)
    levels: dict[str, str] = field(default_factory=dict)
    level: str = "BACKWARD"
    drafts: tuple[str, ...] = ("2020-12", "draft-07")
    tells_version: bool = True
    credentials: str | None = None
    faults: dict[str, Response | Callable[[], Response | None]] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    url: str = ""

    @property
    def writes(self) -> list[str]:
        """What changed the registry, or was meant to."""
        return [
            each
            for each in self.requests
            if each.startswith("PUT") or (each.startswith("POST") and each.endswith("/versions"))
        ]

    def forget(self) -> None:
        """Be as new again, at the same address."""
        url = self.url
        self.__init__()  # type: ignore[misc]
        self.url = url

    def latest(self, subject: str) -> Json:
        """Return the newest schema of a subject, parsed."""
        schema: Json = json.loads(self.subjects[subject][-1][2]["schema"])
        return schema

    def put(self, subject: str, schema: Any, **more: Any) -> None:
        """Add a version, as somebody else would have done."""
        text = schema if isinstance(schema, str) else json.dumps(schema)
        body = {"schema": text, "schemaType": "JSON", "references": [], **more}
        number = sum(map(len, self.subjects.values())) + 1
        self.subjects.setdefault(subject, []).append((number, _canonical(body), body))

    # --- answers ----------------------------------------------------------------------------------

    def app(self) -> Starlette:
        """Return the application."""
        rows: list[tuple[str, str, Callable[[Request], Awaitable[Any]]]] = [
            ("GET", "/config", self._config),
            ("GET", "/config/{subject}", self._config),
            ("PUT", "/config/{subject}", self._set_config),
            ("GET", "/subjects", self._subjects),
            ("POST", "/subjects/{subject}", self._lookup),
            ("GET", "/subjects/{subject}/versions", self._versions),
            ("POST", "/subjects/{subject}/versions", self._register),
            ("GET", "/subjects/{subject}/versions/{version}", self._version),
            ("POST", "/compatibility/subjects/{subject}/versions/{version}", self._compatible),
        ]
        return Starlette(
            routes=[Route(path, self._guarded(do), methods=[verb]) for verb, path, do in rows]
        )

    def _guarded(
        self, do: Callable[[Request], Awaitable[Any]]
    ) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            asked = f"{request.method} {request.url.path}"
            self.requests.append(asked)
            if self.credentials is not None and not self._lets_in(request):
                return Refused(401, 40101, "Unauthorized").answer
            for start, fault in self.faults.items():
                if asked.startswith(start):
                    made = fault() if not isinstance(fault, Response) else fault
                    if made is not None:
                        return made
            try:
                return JSONResponse(await do(request), media_type=MEDIA_TYPE)
            except Refused as error:
                return error.answer

        return answer

    def _lets_in(self, request: Request) -> bool:
        given = request.headers.get("authorization", "")
        basic = base64.b64encode((self.credentials or "").encode()).decode()
        return given in (f"Basic {basic}", f"Bearer {self.credentials}")

    async def _config(self, request: Request) -> Json:
        subject = request.path_params.get("subject")
        if subject is None:
            return {"compatibilityLevel": self.level}
        if subject not in self.levels:
            raise Refused(404, 40408, f"Subject '{subject}' does not have subject-level config")
        return {"compatibilityLevel": self.levels[subject]}

    async def _set_config(self, request: Request) -> Json:
        level = (await request.json())["compatibility"]
        if level not in LEVELS:
            raise Refused(422, 42203, "Invalid compatibility level")
        self.levels[request.path_params["subject"]] = level
        return {"compatibility": level}

    async def _subjects(self, request: Request) -> list[str]:
        return list(self.subjects)

    async def _lookup(self, request: Request) -> Json:
        subject, body = request.path_params["subject"], await request.json()
        for number, (id_, text, held) in enumerate(self._of(subject), 1):
            if text == _canonical(body):
                return {"subject": subject, "version": number, "id": id_, **held}
        raise Refused(404, 40403, "Schema not found")

    def _of(self, subject: str) -> list[tuple[int, str, Json]]:
        if subject not in self.subjects:
            raise Refused(404, 40401, f"Subject '{subject}' not found.")
        return self.subjects[subject]

    async def _versions(self, request: Request) -> list[int]:
        return list(range(1, len(self._of(request.path_params["subject"])) + 1))

    async def _version(self, request: Request) -> Json:
        subject, asked = request.path_params["subject"], request.path_params["version"]
        held = self._of(subject)
        number = len(held) if asked == "latest" else int(asked)
        if not 1 <= number <= len(held):
            raise Refused(404, 40402, f"Version {asked} not found.")
        id_, _, body = held[number - 1]
        schema = body["schema"]
        with suppress(ValueError):  # registries spell a schema their own way
            schema = json.dumps(json.loads(schema), indent=1)
        return {**body, "subject": subject, "version": number, "id": id_, "schema": schema}

    async def _register(self, request: Request) -> Json:
        subject, body = request.path_params["subject"], await request.json()
        self._check(body)
        for number, (id_, text, _) in enumerate(self.subjects.get(subject, ()), 1):
            if text == _canonical(body):
                return {"id": id_, "version": number}
        if not self._fits(subject, body):
            raise Refused(
                409, 409, "Schema being registered is incompatible with an earlier schema"
            )
        self.put(subject, body["schema"], schemaType=body["schemaType"])
        held = self.subjects[subject]
        made = {"id": held[-1][0]}
        return {**made, "version": len(held)} if self.tells_version else made

    def _check(self, body: Json) -> None:
        if body.get("references"):
            raise Refused(422, 42201, "Schema references are not supported for 'JSON' schema type")
        draft = json.loads(body["schema"]).get("$schema", "draft-07")
        if not any(known in draft for known in self.drafts):
            raise Refused(422, 42201, f"Invalid schema: unknown draft {draft}")

    async def _compatible(self, request: Request) -> Json:
        subject, body = request.path_params["subject"], await request.json()
        self._of(subject)
        return {"is_compatible": self._fits(subject, body)}

    def _fits(self, subject: str, body: Json) -> bool:
        held = self.subjects.get(subject)
        if not held or self.levels.get(subject, self.level) == "NONE":
            return True
        if held[-1][2]["schemaType"] != body["schemaType"]:
            return False
        old, new = (
            set(json.loads(text).get("required", ())) for text in (held[-1][1], body["schema"])
        )
        return new <= old


def _canonical(body: Json) -> str:
    try:
        return json.dumps(json.loads(body["schema"]), sort_keys=True)
    except ValueError:
        return str(body["schema"])


@contextmanager
def local_registry() -> Iterator[LocalRegistry]:
    """Give a registry that listens on a port of this machine until the block ends."""
    registry = LocalRegistry()
    config = uvicorn.Config(
        registry.app(), host="127.0.0.1", port=0, log_level="critical", lifespan="off", ws="none"
    )
    server = uvicorn.Server(config)
    sockets = [config.bind_socket()]
    # asyncio sets it, but not on such a socket: each answer would wait for an acknowledgement.
    sockets[0].setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    thread = threading.Thread(target=server.run, args=(sockets,), daemon=True)
    thread.start()
    try:
        # The socket listens from now on: a request waits until the server takes it.
        registry.url = f"http://127.0.0.1:{sockets[0].getsockname()[1]}"
        sockets[0].listen()
        yield registry
    finally:
        server.should_exit = True
        thread.join(60)
        assert not thread.is_alive()
