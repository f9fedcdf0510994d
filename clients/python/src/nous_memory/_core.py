"""What the sync and the async client share: addresses, headers, answers, and when to ask again.

A request is repeated only if that cannot do anything twice:

- it never left (the connection was refused);
- the server says that it did nothing (429 and 503);
- or it has the same effect twice: a read, a write by id, or a write with an idempotency key. Then
  it is also repeated after a lost answer, and after a proxy's 502 or 504.

A read that took too long is not repeated: the timeout is the caller's own limit.
"""

from __future__ import annotations

import math
import os
import random
import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any, Literal, NamedTuple, TypeVar
from urllib.parse import quote, urlsplit

import httpx
import msgspec

from . import errors
from . import models as m
from ._time import Time

T = TypeVar("T")

VERSION = "0.2.0"
DEFAULT_URL = "http://127.0.0.1:3100"
DEFAULT_TIMEOUT = 30.0
DEFAULT_RETRIES = 4
MAX_AGENT_NAME = 200
# Seconds to wait before the first repeat, doubled each time, and the most of one wait. A server
# that asks for more is not asked again: the caller decides.
FIRST_WAIT = 0.25
MAX_WAIT = 30.0
# Seconds without a sign of life after which a stream counts as broken. The server gives one every
# 15 seconds.
SILENCE = 45.0

START = (
    "Start one with `nous-server`, or use `nous_memory.local()` in place of `Memory()`, "
    "which starts one for this program"
)


class Settings(NamedTuple):
    """What a client knows of its server and its agent."""

    url: str
    agent: str
    key: str | None
    timeout: float
    retries: int

    @property
    def is_loopback(self) -> bool:
        """Whether the server runs on this machine. Then no proxy is asked."""
        return urlsplit(self.url).hostname in ("127.0.0.1", "::1", "localhost")

    @property
    def is_tls(self) -> bool:
        """Whether certificates are checked. To load them takes tens of milliseconds."""
        return urlsplit(self.url).scheme.lower() == "https"

    def headers(self) -> dict[bytes, bytes]:
        found = {
            b"user-agent": f"nous-memory-python/{VERSION}".encode(),
            b"accept": b"application/json",
            b"x-nous-agent": self.agent.encode(),
        }
        if self.key is not None:
            found[b"authorization"] = f"Bearer {self.key}".encode()
        return found


def settings_of(
    url: str | None,
    *,
    agent: str,
    key: str | None,
    timeout: float,
    retries: int,
) -> Settings:
    """Checks what a client is made with. Raises `ValueError`."""
    url = checked_url(url or os.environ.get("MEMORY_URL") or DEFAULT_URL)
    key = key or os.environ.get("MEMORY_KEY") or None
    if not re.fullmatch(r"[^\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffd]{1,200}", agent) or agent in (
        ".",
        "..",
    ):
        raise ValueError(
            f"agent must be a name of 1 to {MAX_AGENT_NAME} characters, without control "
            f"characters, "
            f"and not . or .., found {agent!r}"
        )
    if key is not None and not re.fullmatch(r"[\x21-\x7e]+", key):
        raise ValueError("key must be of printable ASCII characters, without blanks")
    if not timeout > 0:
        raise ValueError(f"timeout must be above 0 seconds, found {timeout!r}")
    if retries < 0:
        raise ValueError(f"retries must be at least 0, found {retries!r}")
    return Settings(url, agent, key, timeout, retries)


def checked_url(given: str) -> str:
    example = f"such as {DEFAULT_URL}"
    parts = urlsplit(given)
    if parts.scheme.lower() not in ("http", "https") or not parts.hostname:
        raise ValueError(f"url must begin with http:// or https://, {example}, found {given!r}")
    if parts.query or parts.fragment:
        raise ValueError(f"url must have no query and no fragment, {example}, found {given!r}")
    if parts.username or parts.password:
        raise ValueError("url must have no name and no password: give a key as `key`")
    url = given.rstrip("/")
    if url.endswith("/v1"):
        raise ValueError(f"url must end before /v1, which the client adds: {url[:-3]!r}")
    return url


# ---- requests ------------------------------------------------------------------------------------


def segment(name: str, value: str) -> str:
    """Returns an id as a part of a path. An empty one would address another path."""
    if not isinstance(value, str) or value in ("", ".", ".."):
        raise ValueError(f"{name} must be an id, found {value!r}")
    return quote(value, safe="")


def query_of(given: Mapping[str, Any]) -> dict[str, str]:
    return {key: written(value) for key, value in given.items() if value is not None}


def written(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, Mapping):
        return body_of(value).decode()
    return str(value)


def body_of(given: Any) -> bytes:
    try:
        body = msgspec.json.encode(given, enc_hook=_plain)
    except UnicodeEncodeError as error:
        raise ValueError(
            f"a text is no Unicode: it has half of a surrogate pair at place {error.start}"
        ) from error
    if b"null" in body:  # what the encoder writes for an infinity, too
        _check_numbers(msgspec.to_builtins(given, str_keys=True, enc_hook=_plain), "")
    return body


def _check_numbers(value: Any, place: str) -> None:
    """Raises `ValueError` for a number that JSON cannot hold."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{place or 'the value'} must be a finite number, found {value!r}")
    if isinstance(value, dict):
        for key, inner in value.items():
            _check_numbers(inner, f"{place}.{key}" if place else key)
    elif isinstance(value, (list, tuple)):
        for at, inner in enumerate(value):
            _check_numbers(inner, f"{place}[{at}]")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is nothing that JSON can hold: {value!r}")


def match(version: int | None) -> dict[bytes, bytes]:
    return {} if version is None else {b"if-match": f'"{version}"'.encode()}


# ---- answers -------------------------------------------------------------------------------------


_DECODERS: dict[Any, msgspec.json.Decoder[Any]] = {}


def decoder(kind: type[T]) -> msgspec.json.Decoder[T]:
    found = _DECODERS.get(kind)
    if found is None:
        found = _DECODERS[kind] = msgspec.json.Decoder(kind, dec_hook=_decoded)
    return found


def _decoded(kind: type, value: Any) -> Any:
    if kind is Time and isinstance(value, str):
        return Time(value)
    raise NotImplementedError(f"no {kind.__name__}: {value!r}")


def answer_of(response: httpx.Response, kind: type[T], url: str) -> T:
    try:
        return decoder(kind).decode(response.content)
    except msgspec.ValidationError as error:
        raise unreadable(call_of(response.request), error) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise not_json(response, url) from error


def unreadable(call: str, error: msgspec.DecodeError) -> errors.NousAnswerError:
    return errors.NousAnswerError(
        f"{call}: the answer is none that nous-memory {VERSION} can read: "
        f"{error}; another version of the client may fit the server"
    )


def deleted(kind: type[T]) -> T:
    """Returns the answer of a deletion whose own answer was lost."""
    return msgspec.convert({"ok": True}, kind)


def not_json(response: httpx.Response, url: str) -> errors.NousAnswerError:
    return errors.NousAnswerError(
        f"{call_of(response.request)}: the answer, with status {response.status_code}, is not "
        f"JSON; "
        f"is nous-server running at {url}?"
    )


def refusal_of(response: httpx.Response, url: str) -> errors.NousError:
    """Returns the error of an answer without success."""
    status = response.status_code
    kind = errors.BY_STATUS.get(status, errors.NousStatusError)
    try:
        body = msgspec.json.decode(response.content)
    except (msgspec.DecodeError, UnicodeDecodeError):
        body = None
    if not isinstance(body, dict) or not isinstance(body.get("error"), str):
        if kind is not errors.UnavailableError:
            return not_json(response, url)
        body = {"error": f"{call_of(response.request)}: the answer has status {status}"}
    issues = tuple(
        errors.Issue(str(issue.get("path", "")), str(issue.get("message", "")))
        for issue in body.get("issues") or []
        if isinstance(issue, dict)
    )
    code, hint = body.get("code"), body.get("hint")
    return kind(
        body["error"],
        status=status,
        issues=issues,
        code=code if isinstance(code, str) else None,
        hint=hint if isinstance(hint, str) else None,
        request_id=response.headers.get("x-request-id"),
        retry_after=seconds_of(response.headers.get("retry-after")),
    )


def failure_of(error: httpx.RequestError, call: str, settings: Settings) -> errors.NousError:
    """Returns the error of a request without an answer."""
    if isinstance(error, httpx.TimeoutException):
        return errors.NousTimeoutError(f"{call}: no answer came within {settings.timeout:g} s")
    if isinstance(error, httpx.ConnectError):
        why = f"no server answers at {settings.url} ({error})"
        advice = START if settings.is_loopback else "Check the address, and that the server runs"
        return errors.NousConnectionError(f"{call}: {why}. {advice}.")
    said = str(error) or type(error).__name__
    return errors.NousConnectionError(f"{call}: the connection broke before the answer ({said})")


def call_of(request: httpx.Request) -> str:
    """Returns method and address, without the query, which may hold words of a memory."""
    return f"{request.method} {request.url.copy_with(query=None)}"


# ---- streams -------------------------------------------------------------------------------------


class EventsLost(NamedTuple):
    """Takes the place of events that the server does not know any more.

    Read the whole memory anew. What comes next was written after `cursor`.
    """

    cursor: str
    """The place to go on from."""
    kind: Literal["reset"] = "reset"
    """Tells it from an event."""


class SentEvent(NamedTuple):
    """A server-sent event. One without a kind only moves the cursor."""

    kind: str
    cursor: str
    data: bytes


class StreamReader:
    """Takes a stream of server-sent events apart, in whatever pieces it comes."""

    def __init__(self) -> None:
        self.retry = 0.0
        """How many seconds the server asks to wait before one connects again."""
        self._rest = b""
        self._fields: dict[bytes, bytes] = {}

    def events_in(self, piece: bytes) -> Iterator[SentEvent]:
        """Returns the events that this piece completes."""
        # Only these two ends of lines: a text may hold others, such as U+2028.
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for line in lines:
            name, _, value = line.rstrip(b"\r").partition(b":")
            if name == b"retry":
                self.retry = int(value) / 1000
            elif name:
                self._fields[name] = value.removeprefix(b" ")
            elif not line.startswith(b":"):  # an empty line ends an event; a colon begins a comment
                fields, self._fields = self._fields, {}
                if b"id" in fields:
                    kind, cursor = (fields.get(name, b"").decode() for name in (b"event", b"id"))
                    yield SentEvent(kind, cursor, fields.get(b"data", b""))


def is_stream(response: httpx.Response) -> bool:
    return bool(response.headers.get("content-type", "").startswith("text/event-stream"))


def no_stream(response: httpx.Response, url: str) -> errors.NousAnswerError:
    return errors.NousAnswerError(
        f"{call_of(response.request)}: the answer is no stream of events; is nous-server 0.2 or "
        f"newer running at {url}, and does a proxy before it keep the header Accept?"
    )


def event_of(sent: SentEvent, call: str) -> m.MemoryEvent | EventsLost | None:
    """Returns what an event tells, or None if it only names a cursor."""
    if sent.kind in ("", "start"):
        return None
    if sent.kind == "reset":
        return EventsLost(sent.cursor)
    try:
        return decoder(m.MemoryEvent).decode(sent.data)
    except msgspec.DecodeError as error:
        raise unreadable(call, error) from error


# ---- repeats -------------------------------------------------------------------------------------


class Tries:
    """Decides whether a call is repeated, and after how many seconds."""

    def __init__(self, settings: Settings, *, is_repeatable: bool, was_connected: bool) -> None:
        self.left = settings.retries
        self.is_repeatable = is_repeatable
        self.was_connected = was_connected
        self.made = 0
        # Whether an earlier try may have reached the server without an answer.
        self.may_be_done = False

    def wait_after(self, failure: errors.NousError, cause: Exception | None) -> float | None:
        """Returns the seconds to wait, or None if the failure is final."""
        if self.left == 0 or not self._may_repeat(failure, cause):
            return None
        asked = failure.retry_after if isinstance(failure, errors.NousStatusError) else None
        if asked is not None and asked > MAX_WAIT:
            return None
        wait = min(FIRST_WAIT * (1 << self.made), MAX_WAIT)
        self.left -= 1
        self.made += 1
        return max(asked or 0.0, wait * random.uniform(0.75, 1.25))

    def _may_repeat(self, failure: errors.NousError, cause: Exception | None) -> bool:
        if isinstance(failure, errors.UnavailableError):
            was_refused = failure.status in (429, 503)
            self.may_be_done = self.may_be_done or not was_refused
            return was_refused or self.is_repeatable
        if isinstance(cause, (httpx.ConnectError, httpx.ConnectTimeout)):
            # A server that was never there is reported at once. One that was there may be
            # restarting.
            return self.was_connected
        if isinstance(cause, httpx.TimeoutException):
            return False
        if isinstance(cause, httpx.TransportError):
            self.may_be_done = True
            return self.is_repeatable
        return False


def seconds_of(header: str | None) -> float | None:
    """Returns a `Retry-After` as seconds from now. It is a number or a date."""
    if header is None:
        return None
    if re.fullmatch(r"\d{1,9}", header.strip()):
        return float(header)
    try:
        then: datetime = parsedate_to_datetime(header)
    except ValueError:
        return None
    then = then if then.tzinfo is not None else then.replace(tzinfo=timezone.utc)
    left: float = (then - datetime.now(timezone.utc)).total_seconds()
    return max(0.0, left)
