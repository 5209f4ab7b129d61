"""What a registry's refusals and failures become, and who is let in."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.responses import PlainTextResponse, Response

from partwire.errors import PartwireError, UsageError
from partwire.registry import Credentials, Registry, plan, publish, wanted_subjects
from partwire.registry.client import RegistryRefusal, RegistryUnusable
from tests.registry.runs import closed, connected, listening, looser, one, quick, server, silent
from tests.registry.server import LocalRegistry, Refused, local_registry

__all__ = ["closed", "listening", "quick", "server"]


def answer(status: int, code: int | None = None, message: str = "No.") -> Response:
    return Refused(status, code or status, message).answer


HTML = PlainTextResponse("<html>Welcome</html>", media_type="text/html")
TEXT = Response(b'{"schema": 7, "version": 1, "id": 1}')
NUMBER = Response(b'{"schema": "{}", "version": "1", "id": 1}')
FAULTS: list[tuple[str, Response, str]] = [
    ("GET /config", answer(401), "registry/unauthorized"),
    ("GET /config", answer(403), "registry/unauthorized"),
    ("GET /config", answer(429), "registry/unavailable"),
    ("GET /config", answer(500, 50001), "registry/unavailable"),
    ("GET /config", answer(503), "registry/unavailable"),
    ("GET /config", answer(418), "registry/unexpected-answer"),
    ("GET /config", HTML, "registry/unexpected-answer"),
    ("GET /config", Response(b"", 204), "registry/unexpected-answer"),
    ("GET /config", Response(b"[]"), "registry/unexpected-answer"),
    ("GET /config", Response(b'{"compatibilityLevel": 7}'), "registry/unexpected-answer"),
    ("GET /config", Response(b"", 302, {"location": "/elsewhere"}), "registry/unexpected-answer"),
    ("GET /config", PlainTextResponse("Not Found", 404), "registry/unexpected-answer"),
    ("GET /subjects/", HTML, "registry/unexpected-answer"),
    ("GET /subjects/", answer(404, 404), "registry/unexpected-answer"),
    ("GET /subjects/", Response(b"[]"), "registry/unexpected-answer"),
    ("GET /subjects/", Response(b"{}"), "registry/unexpected-answer"),
    ("GET /subjects/", TEXT, "registry/unexpected-answer"),
    ("GET /subjects/", NUMBER, "registry/unexpected-answer"),
    ("POST /compatibility", answer(500), "registry/unavailable"),
    ("POST /compatibility", Response(b'{"is_compatible": "yes"}'), "registry/unexpected-answer"),
    ("POST /subjects/", HTML, "registry/unexpected-answer"),
]


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("start", "fault", "rule"), FAULTS, ids=[f"{i}-{row[2]}" for i, row in enumerate(FAULTS)]
)
def test_a_registry_that_cannot_be_read(
    server: LocalRegistry, start: str, fault: Response, rule: str
) -> None:
    wanted = one()
    server.put(wanted.subject, looser(wanted))
    server.faults[start] = fault
    with pytest.raises(RegistryUnusable) as caught:
        plan(connected(server.url), [wanted])
    (finding,) = caught.value.findings
    assert finding.rule == rule
    assert finding.expected
    assert finding.actual
    assert server.writes == []


@pytest.mark.usefixtures("quick")
def test_nobody_is_there() -> None:
    with local_registry() as gone:
        url = gone.url
    with pytest.raises(RegistryUnusable) as caught:
        plan(connected(url), [one()])
    assert caught.value.rule == "registry/unreachable"
    assert url in str(caught.value.findings[0].actual)


@pytest.mark.usefixtures("quick")
def test_a_registry_that_is_silent(server: LocalRegistry) -> None:
    with silent(server), pytest.raises(RegistryUnusable) as caught:
        plan(connected(server.url, timeout=0.2), [one()])
    assert caught.value.rule == "registry/unreachable"


@pytest.mark.usefixtures("quick")
def test_a_registry_that_fails_once_is_asked_again(server: LocalRegistry) -> None:
    answers = iter([answer(503), None])
    server.faults["POST /subjects/"] = lambda: next(answers, None)
    registry = connected(server.url)
    assert publish(registry, plan(registry, [one()])).error is None
    assert len(server.writes) == 2


REFUSALS = [
    (answer(409), RegistryRefusal, "registry/incompatible", "has refused it"),
    (answer(422, 42201), RegistryRefusal, "registry/invalid-schema", "has refused it"),
    (answer(401), RegistryUnusable, "registry/unauthorized", "is not known"),
    (answer(500), RegistryUnusable, "registry/unavailable", "is not known"),
    (answer(404, 40401), RegistryUnusable, "registry/unexpected-answer", "is not known"),
    (HTML, RegistryUnusable, "registry/unexpected-answer", "is not known"),
    (Response(b'{"id": null}'), RegistryUnusable, "registry/unexpected-answer", "is not known"),
]


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("fault", "kind", "rule", "said"), REFUSALS, ids=[str(i) for i in range(len(REFUSALS))]
)
def test_a_failure_in_the_middle_is_told_exactly(
    server: LocalRegistry, fault: Response, kind: type[PartwireError], rule: str, said: str
) -> None:
    wanted = wanted_subjects(["message.Tool*"])
    names = [each.subject for each in wanted]
    assert len(names) == 4
    server.faults[f"POST /subjects/{names[2]}/versions"] = fault
    registry = connected(server.url)
    outcome = publish(registry, plan(registry, wanted, level="FULL"))
    assert isinstance(outcome.error, kind)
    assert outcome.error.rule == rule
    assert outcome.error.findings[0].source == names[2]
    assert list(outcome.published) == names[:2] == list(server.subjects)
    assert outcome.levels == names[:3]
    assert (outcome.failed, outcome.missing) == (names[2], names[2:])
    first, second = outcome.findings()
    assert (first.source, second.source) == (names[2], names[3])
    assert said in first.message
    assert second.message == "Not published: the run ended before it"
    # Once the fault is gone, running again does the rest and nothing else.
    server.faults.clear()
    before = len(server.writes)
    registry = connected(server.url)
    assert publish(registry, plan(registry, wanted, level="FULL")).error is None
    assert server.writes[before:] == [
        f"POST /subjects/{names[2]}/versions",
        f"PUT /config/{names[3]}",
        f"POST /subjects/{names[3]}/versions",
    ]


def test_what_was_to_stay_as_it_is_is_not_missing(server: LocalRegistry) -> None:
    wanted = wanted_subjects(["message.Tool*"])
    names = [each.subject for each in wanted]
    server.put(names[3], wanted[3].schema)
    server.faults[f"POST /subjects/{names[2]}/versions"] = answer(409)
    registry = connected(server.url)
    outcome = publish(registry, plan(registry, wanted))
    assert (list(outcome.published), outcome.missing) == (names[:2], [names[2]])


def test_a_level_that_cannot_be_set_ends_the_run(server: LocalRegistry) -> None:
    server.faults["PUT /config"] = answer(422, 42203, "Invalid compatibility level")
    registry = connected(server.url)
    outcome = publish(registry, plan(registry, [one()], level="FULL"))
    assert (outcome.levels, outcome.published) == ([], {})
    assert outcome.error is not None
    assert "Invalid compatibility level" in outcome.error.findings[0].message


def test_a_schema_of_a_draft_that_the_registry_does_not_know(server: LocalRegistry) -> None:
    server.drafts = ("draft-07",)
    registry = connected(server.url)
    outcome = publish(registry, plan(registry, [one()]))
    assert outcome.error is not None
    assert outcome.error.rule == "registry/invalid-schema"
    older = one(draft="draft-07")
    assert publish(registry, plan(registry, [older])).error is None


# --- who publishes --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "environment",
    [
        {"PARTWIRE_REGISTRY_USER": "alice", "PARTWIRE_REGISTRY_PASSWORD": "s3cret:word"},
        {"PARTWIRE_REGISTRY_TOKEN": "alice:s3cret:word"},
    ],
    ids=["user", "token"],
)
def test_credentials_let_in_and_are_never_shown(
    server: LocalRegistry, environment: dict[str, str]
) -> None:
    server.credentials = "alice:s3cret:word"
    credentials = Credentials.from_environment(environment)
    assert "s3cret" not in repr(credentials)
    registry = connected(server.url, credentials)
    assert publish(registry, plan(registry, [one()])).error is None
    with pytest.raises(RegistryUnusable) as caught:
        plan(connected(server.url), [one()])
    assert caught.value.rule == "registry/unauthorized"
    # A registry may say in its answer what it was sent.
    secret = next(value for name, value in environment.items() if name[-4:] != "USER")
    server.faults["GET /config"] = answer(403, 40301, f"not with {secret}, says {server.url}")
    with pytest.raises(RegistryUnusable) as caught:
        plan(connected(server.url, credentials), [one()])
    told = str(caught.value) + str(caught.value.findings)
    assert "s3cret" not in told
    assert "not with ***" in told


@pytest.mark.parametrize(
    "environment",
    [
        {"USER": "alice"},
        {"PASSWORD": "s3cret"},
        {"USER": "alice", "PASSWORD": "s3cret", "TOKEN": "s3cret"},
        {"USER": "ali:ce", "PASSWORD": "s3cret"},
        {"TOKEN": "s3cret\n"},
        {"TOKEN": "s3crét"},
    ],
    ids=str,
)
def test_credentials_that_are_none(environment: dict[str, str]) -> None:
    named = {f"PARTWIRE_REGISTRY_{name}": value for name, value in environment.items()}
    with pytest.raises(UsageError) as caught:
        Credentials.from_environment(named)
    assert caught.value.rule == "usage/invalid-argument"
    assert "s3cr" not in str(caught.value.findings)


def test_without_credentials_there_are_none() -> None:
    assert Credentials.from_environment({"PARTWIRE_REGISTRY_USER": ""}) == Credentials()


@pytest.mark.parametrize(
    "url",
    [
        *("", "localhost:8081", "ftp://registry", "http://", "file:///etc/passwd", "http://a:b:c"),
        *("http://[::1", "http://one,http://two", "http://host:0", "http://host:99999"),
    ],
)
def test_addresses_that_are_none(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        Registry(url)
    assert caught.value.rule == "usage/invalid-argument"


@pytest.mark.parametrize(
    "url", ["http://alice:s3cret@host", "http://s3cret@host", "http://a:s3cret@h:x"]
)
def test_credentials_in_the_address_are_refused_and_not_shown(url: str) -> None:
    with pytest.raises(UsageError, match="belong into the environment") as caught:
        Registry(url)
    assert "s3cret" not in str(caught.value.findings)


def test_certificates_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a long path would be clipped
    Path("empty.pem").write_text("")
    for name in ("none.pem", "empty.pem"):
        with pytest.raises(UsageError, match="The certificates cannot be read: ") as caught:
            Registry("https://host", Credentials(ca_file=name))
        assert name in str(caught.value.findings[0].actual)


def test_a_missing_client_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr("partwire.registry.client.importlib.import_module", missing)
    with pytest.raises(UsageError) as caught:
        Registry("http://host")
    assert caught.value.rule == "usage/missing-extra"
