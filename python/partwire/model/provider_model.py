"""What the classes over the official clients share."""

from __future__ import annotations

import importlib
import inspect
import logging
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from types import ModuleType
from typing import Any, ClassVar, Final, Unpack

from ..contract.clock import now
from ..contract.current.message import (
    Message,
    ModelInfo,
    RequestMetadata,
    ServerToolCallPart,
    ToolCallPart,
    ToolChoice,
    ToolSpec,
)
from ..contract.ids import uuid7
from ..errors import Finding, UsageError, bad_argument, clip
from ..providers import RETRYABLE, ByteAdapter, open_adapter
from ..providers.core.stream_words import AuthorLike, FormatLike
from ..providers.requests import encode_request
from ..reading.pipeline import read, to_wire
from .config import ConfigParams, StreamParams, changes_of, check_callables, merged, read_config
from .credentials import Shown, without_keys
from .errors import ErrorMapper, MappedError, ProviderErrorMapper
from .protocol import Json
from .pump import pump
from .stream import ModelStream

__all__ = ["ProviderModel", "run_id_of", "used_call_ids"]

_log: Final = logging.getLogger("partwire.model")
_CALLS: Final = (ToolCallPart, ServerToolCallPart)
_CALL_KINDS: Final = ("tool_call", "server_tool_call")


class ProviderModel(ABC):
    """A model over a provider's official asynchronous client.

    ``client`` is an instance of it; without one it is made with the client's own defaults (keys
    from the environment). Nothing is sent at construction. ``config`` is a ModelConfig; members
    that the contract does not name go into the request as they are, except those that are
    options of the client's own call (``extra_headers``, ``timeout`` …), which it gets.
    ``defaults`` are members of a ModelConfig: what ``config`` does not say comes from there,
    objects member by member; ``cache_config`` is such a default, too, and wins over them.
    ``error_mapper`` replaces the class's own table. ``clock`` gives the timestamps of deltas; with
    ``keep_raw`` they carry the provider's events as ``providerRaw``. How often a request is tried
    again is the client's own setting (``max_retries``); a Model never does. Raises UsageError
    ``usage/missing-extra`` without the client's package, UsageError and ReadError for arguments
    that cannot be used.
    """

    provider: ClassVar[str]
    dialect: ClassVar[str]
    extra: ClassVar[str]
    """The extra that installs the client: ``pip install "partwire[<extra>]"``."""

    def __init__(
        self,
        client: Any = None,
        config: Json | None = None,
        *,
        defaults: Json | None = None,
        cache_config: Json | None = None,
        error_mapper: ErrorMapper | None = None,
        clock: Callable[[], str] = now,
        keep_raw: bool = False,
    ) -> None:
        cache = None if cache_config is None else {"cacheConfig": cache_config}
        checked = read_config(config, cache, defaults)
        if error_mapper is not None and not callable(error_mapper):
            raise bad_argument(
                "No error mapper", "a callable: exception → MappedError", error_mapper
            )
        check_callables(clock=clock)
        self._config = checked
        self._mapper = ProviderErrorMapper()
        self.error_mapper: ErrorMapper = error_mapper or self._mapper
        self._clock = clock
        self._keep_raw = keep_raw
        if client is None:
            client = self._default_client()
        elif not self._takes(client):
            raise bad_argument(f"No client for {type(self).__name__}", self.takes, client)
        self.client = client

    # --- configuration ---------------------------------------------------------------------------

    @property
    def config(self) -> dict[str, Any]:
        """A copy of the configuration."""
        return self.get_config()

    @property
    def cache_config(self) -> dict[str, Any] | None:
        """A copy of the configuration's ``cacheConfig``."""
        return self.get_config().get("cacheConfig")

    def update_config(self, **model_config: Unpack[ConfigParams]) -> None:
        """Change members of the configuration; None takes one out. See :class:`.Model`."""
        self._config = merged(self._config, changes_of(model_config, ConfigParams))

    def get_config(self) -> dict[str, Any]:
        """Return a copy of the configuration."""
        return read_config(self._config)

    def model_info(self) -> ModelInfo:
        """Return model and provider; sizes are not known without asking the provider."""
        return ModelInfo(model_id=self._config["modelId"], provider=self.provider)

    # --- streams ---------------------------------------------------------------------------------

    def stream(  # noqa: PLR0913 - what the contract says that a model is given
        self,
        messages: Sequence[Message | Json],
        tool_specs: Sequence[ToolSpec | Json] = (),
        system_prompt: str | None = None,
        *,
        tool_choice: ToolChoice | Json | None = None,
        system_prompt_content: Sequence[Json] | None = None,
        invocation_state: Mapping[str, Any] | None = None,
        request_metadata: RequestMetadata | Json | None = None,
        message_id: str | None = None,
        turn_id: str | None = None,
        author: AuthorLike | None = None,
        format: FormatLike | None = None,  # noqa: A002 - its name in the contract
        **params: Unpack[StreamParams],
    ) -> ModelStream:
        """Return the answer as a stream of deltas; see :class:`.Model`."""
        changes = changes_of(params, StreamParams)
        config = merged(self._config, changes) if changes else self._config
        request = encode_request(
            self.dialect,
            messages,
            tool_specs,
            system_prompt,
            tool_choice=tool_choice,
            system_prompt_content=system_prompt_content,
            config=config,
        )
        for finding in request.findings:
            level = logging.INFO if finding.severity == "info" else logging.WARNING
            _log.log(level, "%s", without_keys(str(finding)))
        adapter = open_adapter(
            self.dialect,
            run_id_of(request_metadata, messages) or uuid7(),
            clock=self._clock,
            used_tool_call_ids=used_call_ids(messages),
            keep_raw=self._keep_raw,
            message_id=message_id,
            turn_id=turn_id,
            author=author,
            format=format,
        )
        return ModelStream(
            pump(
                self._events(request.body, config["modelId"]),
                ByteAdapter(adapter),
                self._mapped,
            ),
            lambda: [*request.findings, *adapter.findings],
        )

    def _mapped(self, error: Exception) -> MappedError:
        """Return what the error mapper says; a mapper that fails must not end the stream so."""
        try:
            code, message, retryable = self.error_mapper(error)
        except Exception as failure:  # noqa: BLE001 - the caller's own code
            _log.error("the error mapper failed: %s", Shown(failure))
        else:
            if code in RETRYABLE:
                return MappedError(code, without_keys(str(message)), bool(retryable))
            shown = without_keys(clip(code))
            _log.error("the error mapper gave %s: no error code of the contract", shown)
        return self._mapper(error)

    # --- what a class fills in -------------------------------------------------------------------

    takes: ClassVar[str]
    """What ``client`` has to be, in words."""

    @abstractmethod
    def _takes(self, client: Any) -> bool:
        """Return whether ``client`` has what this class calls."""

    @abstractmethod
    def _default_client(self) -> Any:
        """Return the official client with its own defaults."""

    @abstractmethod
    def _events(self, body: dict[str, Any], model_id: str) -> AsyncGenerator[Any, None]:
        """Send the request and yield its answer: bytes in any cut, or events as JSON objects."""

    def _import(self, module: str) -> ModuleType:
        """Import the official client. Raises UsageError ``usage/missing-extra``."""
        try:
            return importlib.import_module(module)
        except ImportError:
            raise UsageError(
                Finding(
                    "usage/missing-extra",
                    f"{type(self).__name__} needs the client of {self.provider}: "
                    f'pip install "partwire[{self.extra}]"',
                    expected=f"the package {module}",
                    actual="not installed",
                )
            ) from None

    def _made(self, make: Callable[[], Any]) -> Any:
        """Return a client; what its own check refuses (no key, for one) becomes a UsageError."""
        try:
            return make()
        except Exception as error:  # noqa: BLE001 - clients raise what they like
            raise UsageError(
                Finding(
                    "usage/invalid-argument",
                    f"{type(self).__name__} cannot make a client with its defaults: "
                    f"{self._mapper(error).message}",
                    expected=f"{self.takes}, or what it needs in the environment",
                    actual="neither",
                )
            ) from None  # its words are above, without credentials


def run_id_of(metadata: RequestMetadata | Json | None, messages: Sequence[Any]) -> str | None:
    """Return the run of an answer: the request's, else that of the last message; None without both.

    Raises ReadError and UsageError for metadata that the contract refuses.
    """
    if metadata is None:
        last = messages[-1] if messages else None
        run: str | None = last["runId"] if isinstance(last, Mapping) else last and last.run_id
        return run
    wire = metadata if isinstance(metadata, Mapping) else to_wire(metadata)
    run_id: str = read(dict(wire), "message.RequestMetadata").run_id
    return run_id


def used_call_ids(messages: Sequence[Any]) -> frozenset[str]:
    """Return the ids of all tool calls of a conversation: a new call must not repeat one."""
    ids: set[str] = set()
    for message in messages:
        if isinstance(message, Message):
            # A part may be an Unknown, which has no kind.
            parts: Any = message.parts
            ids |= {p.payload.tool_call_id for p in parts if isinstance(p, _CALLS)}
            continue
        wire = message if isinstance(message, Mapping) else to_wire(message)
        calls = [part for part in wire["parts"] if part["kind"] in _CALL_KINDS]
        ids |= {part["payload"]["toolCallId"] for part in calls}
    return frozenset(ids)


def split_arguments(
    call: Callable[..., Any], body: Mapping[str, Any], extra: str
) -> dict[str, Any]:
    """Return the arguments with which ``call`` sends ``body``.

    Members that the client does not know yet go its own way for them, the parameter ``extra``;
    what the body has under that name joins them.
    """
    names = inspect.signature(call).parameters
    known = {name: value for name, value in body.items() if name in names and name != extra}
    others = {name: value for name, value in body.items() if name not in names and name != extra}
    given = body.get(extra)
    if isinstance(given, Mapping):
        others |= given
    return {**known, extra: others} if others else known


def has_call(client: Any, path: str) -> bool:
    """Return whether ``client`` has the dotted attribute ``path``, and it can be called."""
    for name in path.split("."):
        client = getattr(client, name, None)
    return callable(client)


def is_async_client(client: Any) -> bool:
    """Return whether a client is asynchronous: others are context managers without await."""
    return hasattr(client, "__aenter__") or not hasattr(client, "__enter__")
