"""Provider errors: what a provider calls them → the contract's error codes.

Asked in this order: a code or type that says it plainly, the HTTP status that many vendors use as
a code, and where these say too little, words of the message.
Source: semantics, model and adapters.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from partwire.errors import clip
from partwire.tables import provider_errors as tables
from partwire.tables.provider_errors import RETRYABLE

__all__ = ["RETRYABLE", "ProviderError", "error_body", "error_code", "exception_body", "read_error"]

_NAMES: Final = {name: code for names in tables.NAMES.values() for name, code in names.items()}
_BARE: Final = frozenset(tables.BARE_MEMBERS)


class ProviderError(NamedTuple):
    """An error in the provider's own words; what it does not say is None.

    ``code`` and ``type`` are its names for it (a numeric code as decimal text), ``status`` the
    HTTP status if it gives one. For logs and for the way back: nothing may depend on the text.
    """

    code: str | None
    type: str | None
    message: str | None
    status: int | None


def read_error(value: object) -> ProviderError:
    """Return what an error object of any vendor says: an object, or only a text.

    Unwraps ``{"error": …}``, ``{"detail": …}``, ``{"message": {…}}`` and ``{"errors": [{…}]}``,
    one level each.
    """
    if isinstance(value, dict) and isinstance(errors := value.get("errors"), list) and errors:
        value = errors[0]
    for key in ("error", "detail", "message"):
        if isinstance(value, dict) and isinstance(inner := value.get(key), dict):
            value = {**{k: v for k, v in value.items() if k != key}, **inner}
    if not isinstance(value, dict):
        return ProviderError(None, None, _text(value), None)
    code = _given(value, tables.CODE_MEMBERS)
    status = _status(_given(value, tables.STATUS_MEMBERS))
    texts = (_text(value.get(name)) for name in tables.MESSAGE_MEMBERS)
    message = next((text for text in texts if text), None)
    if message is None and isinstance(value.get("detail"), list):
        message = _refused_members(value["detail"])
    kind = _text(_given(value, tables.TYPE_MEMBERS))
    if kind is None and status is None and isinstance(value.get("status"), str):
        kind = _text(value.get("status"))  # Google's name for it is here, not a number
    return ProviderError(_text(code), kind, message, status or _status(code))


def error_code(error: ProviderError) -> str:
    """Return the contract's code for a provider's error; ``unknown`` where nothing tells."""
    # A number is a name with one vendor alone, which gives no type beside it.
    numbered = error.type is not None and error.code is not None and _is_number(error.code)
    given = (error.type,) if numbered else (error.code, error.type)
    names = [found for name in given if (found := _by_name(name))]
    plain = (found for found in names if found not in tables.VAGUE)
    found = next(plain, names[0] if names else _by_status(error.status))
    if found is None or found in tables.VAGUE:
        words = (error.message or "")[:2000].lower()
        found = next((each.code for each in tables.PHRASES if each.words in words), found)
    return found or _by_name(error.message) or "unknown"


def error_body(event: dict[str, Any]) -> object:
    """Return the error that an event without choices carries, None if it carries none.

    ``{"error": …}`` is the published form; servers also send their own HTTP error bodies:
    ``{"object": "error", "message": …}`` (vLLM), ``{"detail": …}`` (FastAPI), ``{"code": …,
    "message": …}`` (DashScope), ``{"code": …, "error": "…"}`` (xAI), ``{"message": …}`` (AWS),
    ``{"errors": [{…}]}`` (Cloudflare), ``{"base_resp": {"status_code": …}}`` (MiniMax), and an
    exception of AWS's as an event by its name.
    """
    if error := event.get("error"):
        return event if isinstance(error, str) else error
    if event.get("object") == "error" or event.get("type") == "error":
        return event
    if event.get("choices") is None and (error := _body_without_error(event)):
        return error
    base = event.get("base_resp")
    if type(base) is dict and (status := base.get("status_code")):
        name = tables.MINIMAX.get(status) if type(status) is int else None
        return {"code": status, "message": base.get("status_msg"), "type": name or "unknown"}
    return None


def exception_body(name: object, body: object) -> dict[str, Any]:
    """Return the error object of an AWS exception: its name as the code, and what it says."""
    if not isinstance(body, dict):
        return {"code": name, "message": body}
    words = body.get("message", body.get("Message"))
    return {"code": name, "message": words, "status": body.get("originalStatusCode")}


def _body_without_error(event: dict[str, Any]) -> object:
    """Return what an error body says that has no member ``error``, None if it is none."""
    if event.get("detail") and "object" not in event:
        detail = event["detail"]
        return {"detail" if isinstance(detail, list) else "message": _plain(detail)}
    words = event.get("message") or event.get("Message")
    if isinstance(words, str) and (event.get("code") or event.keys() <= _BARE):
        return event
    errors = event.get("errors")
    if isinstance(errors, list) and errors and isinstance(errors[0], dict):
        return errors[0]
    if len(event) == 1:
        ((name, body),) = event.items()
        if name.endswith("Exception"):
            return exception_body(name, body)
    return None


def _refused_members(detail: list[Any]) -> str:
    """Return what FastAPI has against a request: a list of messages, each with its place."""
    words = [item["msg"] for item in detail if isinstance(item, dict) and "msg" in item]
    return f"Input validation error: {'; '.join(map(clip, words[:5]))}" if words else clip(detail)


def _given(value: dict[str, Any], names: tuple[str, ...]) -> Any:
    """Return the first of some members that is not null."""
    return next((value[name] for name in names if value.get(name) is not None), None)


def _by_name(name: str | None) -> str | None:
    if not name:
        return None
    plain = name[:100].lower().replace("-", "_").replace(" ", "_").replace(".", "_")
    plain = plain.removesuffix("exception").rstrip("_")
    return _NAMES.get(plain) or _NAMES.get(plain.removesuffix("error").removesuffix("_"))


def _by_status(status: int | None) -> str | None:
    if status is None:
        return None
    if status in tables.STATUSES:
        return tables.STATUSES[status]
    return "provider_internal" if status >= 500 else "invalid_request"


def _status(value: object) -> int | None:
    if isinstance(value, str) and len(value) == 3 and _is_number(value):
        value = int(value)
    return value if type(value) is int and 400 <= value <= 599 else None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _text(value: Any) -> str | None:
    if isinstance(value, str):
        return value or None
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() <= 64:
        return str(value)
    return None


def _plain(value: object) -> object:
    return value if isinstance(value, (str, dict, list)) else clip(value)
