"""A schema registry through the official client, whose failures become findings here."""

from __future__ import annotations

import importlib
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache, partial
from typing import Any, Final, NamedTuple, TypeVar
from urllib.parse import quote, quote_plus, urlsplit

from ..errors import Finding, PartwireError, UsageError, bad_argument, clip
from ..extras import import_extra
from ..model.credentials import without_keys

__all__ = [
    "Credentials",
    "Registered",
    "Registry",
    "RegistryError",
    "RegistryRefusal",
    "RegistryUnusable",
]

T = TypeVar("T")

_JSON: Final = "JSON"
# What registries say of a subject, a version, a schema or a subject's level that is not there;
# 40400 is that of the client's own mock.
_ABSENT: Final = frozenset({40400, 40401, 40402, 40403, 40408})
_TOKEN: Final = re.compile(r"[\x21-\x7e]+")


class RegistryError(PartwireError):
    """A call that the registry did not do."""


class RegistryRefusal(RegistryError):
    """A schema that the registry does not take: incompatible, or no schema to it."""


class RegistryUnusable(RegistryError):
    """A registry that is not there, lets nobody in, or does not answer as registries do."""


class Credentials(NamedTuple):
    """Who publishes: a user and a password, or a token. None of it is ever shown."""

    user: str = ""
    password: str = ""
    token: str = ""
    ca_file: str = ""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Credentials:
        """Read ``PARTWIRE_REGISTRY_USER``, ``…_PASSWORD``, ``…_TOKEN`` and ``…_CA_FILE``.

        Raises UsageError ``usage/invalid-argument`` for half of a pair, or for both kinds.
        """
        names = [f"PARTWIRE_REGISTRY_{field.upper()}" for field in cls._fields]
        made = cls(*(environment.get(name, "") for name in names))
        user, password, token = names[:3]
        if bool(made.user) != bool(made.password):
            raise _bad_credentials(f"{user} and {password} belong together")
        if made.user and made.token:
            raise _bad_credentials(f"Either {user} and {password}, or {token}")
        if ":" in made.user:
            raise _bad_credentials(f"{user} holds a colon, which ends the name of a user")
        if made.token and not _TOKEN.fullmatch(made.token):
            raise _bad_credentials(f"{token} is not a token: it holds more than printable ASCII")
        return made

    def __repr__(self) -> str:
        return "Credentials(…)"


class Registered(NamedTuple):
    """A schema as the registry has it; ``kind`` is JSON, AVRO or PROTOBUF."""

    subject: str
    version: int
    id: int
    text: str
    kind: str = _JSON
    references: bool = False


class Registry:
    """A registry at an address. Every call raises RegistryUnusable; the messages show no secret.

    ``mock://name`` is the client's own mock: it keeps neither levels nor what was published once
    the program ends. A registry is closed, or used in a ``with`` block: it holds connections.
    Raises UsageError ``usage/invalid-argument`` for no address, ``usage/missing-extra`` where the
    client is not installed.
    """

    def __init__(
        self, url: str, credentials: Credentials | None = None, *, timeout: float = 30.0
    ) -> None:
        self.url = _checked(url)
        self.is_mock = url.startswith("mock://")
        self._secrets = _spelled(credentials or Credentials())
        self._client = self._connected(credentials or Credentials(), timeout)

    def _connected(self, credentials: Credentials, timeout: float) -> Any:
        client = _library("confluent_kafka.schema_registry").SchemaRegistryClient
        settings: dict[str, Any] = {
            "url": self.url,
            "timeout": timeout,
            "max.retries": 2,
            "retries.wait.ms": 250,
            "retries.max.wait.ms": 2000,
        }
        if credentials.user:
            settings["basic.auth.user.info"] = f"{credentials.user}:{credentials.password}"
        if credentials.token:
            settings["bearer.auth.credentials.source"] = "STATIC_TOKEN"
            settings["bearer.auth.token"] = credentials.token
            settings["bearer.auth.logical.cluster"] = ""
        if credentials.ca_file:
            settings["ssl.ca.location"] = credentials.ca_file
        try:
            return client.new_client(settings)
        except (OSError, TypeError, ValueError) as error:
            if credentials.ca_file and isinstance(error, OSError):
                raise _no_certificates(credentials.ca_file, error) from None
            raise bad_argument(
                f"The client of the registry cannot be made: {self._safe(error)}",
                "an address, and certificates that can be read",
                self.url,
            ) from None

    def __enter__(self) -> Registry:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    # --- reading ----------------------------------------------------------------------------------

    def latest(self, subject: str) -> Registered | None:
        """Return the newest version of a subject; None where the subject is new."""
        return self._call(lambda: _registered(self._client.get_latest_version(subject)), subject)

    def versions(self, subject: str) -> list[Registered]:
        """Return all versions of a subject, the oldest first."""

        def read() -> list[Registered]:
            numbers = sorted(self._client.get_versions(subject))
            return [_registered(self._client.get_version(subject, each)) for each in numbers]

        return self._call(read, subject) or []

    def find(self, subject: str, text: str) -> Registered | None:
        """Return the version of a subject that has this schema; None where none has."""
        schema = self._schema(text)
        return self._call(
            lambda: _registered(self._client.lookup_schema(subject, schema), text), subject
        )

    def level(self, subject: str | None) -> str | None:
        """Return the compatibility level that a subject itself has, or (None) all others have.

        None: it has none, or the registry keeps no levels.
        """
        if self.is_mock:
            return None
        return self._call(lambda: _text(self._client.get_compatibility(subject)), subject or "")

    def accepts(self, subject: str, text: str) -> bool | None:
        """Return whether the registry calls a schema compatible by its present level.

        None: the registry cannot say.
        """
        if self.is_mock:
            return None
        schema = self._schema(text)

        def ask() -> bool:
            answer = self._client.test_compatibility(subject, schema)
            if not isinstance(answer, bool):
                raise TypeError(f"is_compatible is {clip(answer)}")
            return answer

        return self._call(ask, subject)

    # --- writing ----------------------------------------------------------------------------------

    def set_level(self, subject: str, level: str) -> None:
        """Give a subject its own level."""
        self._call(lambda: self._client.set_compatibility(subject, level), subject, write=True)

    def register(self, subject: str, text: str) -> Registered:
        """Add a version. Raises RegistryRefusal ``registry/incompatible``, ``…/invalid-schema``."""
        schema = self._schema(text)

        def add() -> Registered:
            made = self._client.register_schema_full_response(subject, schema)
            if made.version is None:  # older registries report the id alone
                made = self._client.lookup_schema(subject, schema)
            return _registered(made, text)

        made = self._call(add, subject, write=True)
        assert made is not None
        return made

    # --- failures ---------------------------------------------------------------------------------

    def _schema(self, text: str) -> Any:
        return _library("confluent_kafka.schema_registry").Schema(text, _JSON)

    def _call(self, call: Callable[[], T], subject: str, *, write: bool = False) -> T | None:
        """Return what a call returns; None where, in reading, there is nothing."""
        refusal = _library("confluent_kafka.schema_registry.error").SchemaRegistryError
        try:
            return call()
        except refusal as error:
            if error.http_status_code == 404 and error.error_code in _ABSENT and not write:
                return None
            raise self._refused(error, subject) from None
        except _transport_errors() as error:
            finding = Finding(
                "registry/unreachable",
                f"The registry does not answer: {type(error).__name__}: {self._safe(error)}",
                expected="a schema registry",
                actual=clip(self.url),
                source=subject or None,
            )
            raise RegistryUnusable(finding) from None
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            # The client looks into answers without a check: whatever it stumbles over is here.
            raise self._unexpected(
                f"{type(error).__name__}: {self._safe(error)}", subject
            ) from None

    def _refused(self, error: Any, subject: str) -> RegistryError:
        status, said = error.http_status_code, self._safe(error.error_message)
        known = {
            401: ("registry/unauthorized", "The registry lets nobody in with these credentials"),
            403: ("registry/unauthorized", "The registry does not let this user do that"),
            409: ("registry/incompatible", "The registry calls the schema incompatible"),
            422: ("registry/invalid-schema", "The registry does not take the schema"),
            408: ("registry/unavailable", "The registry has no time"),
            429: ("registry/unavailable", "The registry asks for fewer calls"),
        }
        rule, message = known.get(status, ("", ""))
        if status >= 500:
            rule, message = "registry/unavailable", "The registry has failed"
        if not rule:
            return self._unexpected(f"HTTP {status}: {said}", subject)
        finding = Finding(
            rule,
            f"{message}: {said}" if said else message,
            expected=_EXPECTED[rule],
            actual=f"HTTP {status}" + (f", code {error.error_code}" if error.error_code else ""),
            source=subject or None,
        )
        if rule in ("registry/incompatible", "registry/invalid-schema"):
            return RegistryRefusal(finding)
        return RegistryUnusable(finding)

    def _unexpected(self, what: str, subject: str) -> RegistryUnusable:
        return RegistryUnusable(
            Finding(
                "registry/unexpected-answer",
                "What answers here does not answer as a schema registry does",
                expected=f"a schema registry at {self.url}",
                actual=clip(self._safe(what), 200),
                source=subject or None,
            )
        )

    def _safe(self, error: object) -> str:
        """Return the words of an error on one short line, without any secret."""
        text = " ".join(str(error).split())
        for secret in self._secrets:
            text = text.replace(secret, "***")
        text = without_keys(text)
        return text if len(text) <= 200 else f"{text[:199]}…"


def _spelled(credentials: Credentials) -> list[str]:
    """Return the secrets as a registry may echo them, the longest first."""
    user, password, token = credentials[:3]
    pair = f"{user}:{password}" if password else ""
    plain = [each for each in (pair, password, token) if each]
    coded = [code(each.encode()).decode() for each in plain for code in _BASE64]
    spelled = {*plain, *coded, *(each.rstrip("=") for each in coded)}
    quoted = {code(each) for each in spelled for code in _QUOTED}
    spelled |= {*quoted, *map(_lower_hex, quoted)}
    return sorted(spelled, key=len, reverse=True)


_BASE64: Final = (b64encode, urlsafe_b64encode)
_QUOTED: Final = (quote, partial(quote, safe=""), quote_plus)


def _lower_hex(text: str) -> str:
    return re.sub("%[0-9A-F]{2}", lambda code: code[0].lower(), text)


_EXPECTED: Final = {
    "registry/unauthorized": "PARTWIRE_REGISTRY_USER and …_PASSWORD, or …_TOKEN, that may do it",
    "registry/incompatible": "a schema that fits those that are registered, or another level",
    "registry/invalid-schema": "a schema of a draft that the registry knows",
    "registry/unavailable": "an answer; what is published stays, and can be published again",
}


_PLAIN_ADDRESS: Final = re.compile(
    r"[a-z]{0,8}:?/{0,2}[\w.\-]*(\[[0-9a-fA-F:.]*\])?(:\d*)?(/[\w.\-/]*)?"
)


def _checked(url: str) -> str:
    try:
        parts = urlsplit(url)
        fits = parts.scheme in ("http", "https", "mock") and bool(parts.netloc) and parts.port != 0
        fits = fits and _PLAIN_ADDRESS.fullmatch(url) is not None
    except ValueError:
        fits = False
    # Whatever it is that is there, it is shown only where it cannot be a secret.
    secret = not _PLAIN_ADDRESS.fullmatch(url)
    if not fits:
        raise UsageError(
            Finding(
                "usage/invalid-argument",
                "Credentials in an address are seen by others: they belong into the environment"
                if "@" in url
                else "No address of a schema registry",
                expected="http://host:port or https://host, without user and password",
                actual=None if secret else clip(url),
            )
        )
    return url


def _bad_credentials(message: str) -> UsageError:
    return UsageError(
        Finding("usage/invalid-argument", message, expected="a user and a password, or a token")
    )


def _no_certificates(name: str, error: OSError) -> UsageError:
    return bad_argument(
        f"The certificates cannot be read: {error.strerror or error}",
        "a file or a folder of certificates",
        name,
    )


def _library(name: str) -> Any:
    return import_extra(name, "registry", "Publishing")


@cache
def _transport_errors() -> tuple[type[Exception], ...]:
    """Return what the HTTP library of the client raises; which of the two it is, it chooses."""
    found: list[type[Exception]] = []
    for name in ("httpx2", "httpx"):
        with suppress(ImportError):
            library = importlib.import_module(name)
            found += [library.HTTPError, library.InvalidURL]
    return tuple(found)


def _registered(answer: Any, text: str | None = None) -> Registered:
    """Return what the client has read; it checks nothing of it. Raises TypeError."""
    schema = answer.schema.schema_str if text is None else text
    numbers = (answer.version, answer.schema_id)
    if not isinstance(schema, str) or not all(type(each) is int for each in numbers):
        raise TypeError("no version, id and schema")
    kind = answer.schema.schema_type if text is None else _JSON
    references = bool(answer.schema.references) if text is None else False
    return Registered(str(answer.subject), *numbers, schema, str(kind), references)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"a level is {clip(value)}")
    return value
