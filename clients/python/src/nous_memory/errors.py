"""Everything that the client raises. The texts are the server's own wherever it has answered."""

from __future__ import annotations

import re
from typing import NamedTuple


class Issue(NamedTuple):
    """One fault of a request."""

    path: str
    """The field, such as `filter.user` or `memories[2].text`; empty for the whole request."""
    message: str
    """The fault of the field."""


class NousError(Exception):
    """Any failure of the client. `str(error)` says what is wrong, and what to do."""

    code: str = "error"
    """A name of the failure that stays the same, such as `not_found`."""


class NousConnectionError(NousError):
    """No answer came: nothing listens there, or the connection broke."""

    code = "no_answer"


class NousTimeoutError(NousConnectionError):
    """No answer came in time."""

    code = "timeout"


class NousAnswerError(NousError):
    """The answer is none of this server, or none that this version of the client can read."""

    code = "unknown_answer"


class ServerNotFoundError(NousError):
    """`nous_memory.local` found no program of the server."""

    code = "no_server"


class ServerStartError(NousError):
    """`nous_memory.local` started a server that did not get ready."""

    code = "no_start"


class NousStatusError(NousError):
    """The server refused the request."""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        issues: tuple[Issue, ...] = (),
        code: str | None = None,
        hint: str | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        places = [f"{path} {fault}" if path else fault for path, fault in issues]
        super().__init__("; ".join([message, *places]))
        self.message = message
        """The reason, in one sentence."""
        self.status = status
        """The status of the answer."""
        self.issues = issues
        """The faults of the request, by field."""
        self.code = code or type(self).code
        self.field = next((path for path, _ in issues if path), None)
        """The first field at fault, if the server names one."""
        self.hint = hint or next((found for _, fault in issues if (found := hint_in(fault))), None)
        """What the server proposes, such as `did you mean limit?`."""
        self.request_id = request_id
        """The id of the request in the server's log."""
        self.retry_after = retry_after
        """Seconds after which the server may be asked again."""

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuilt, (type(self), self.message, self.__dict__))


def _rebuilt(
    kind: type[NousStatusError], message: str, fields: dict[str, object]
) -> NousStatusError:
    found = kind(message, status=0, issues=fields["issues"])  # type: ignore[arg-type]
    found.__dict__.update(fields)
    return found


class BadRequestError(NousStatusError):
    """400: the request is not valid. `issues` name the fields."""

    code = "bad_request"


class AuthenticationError(NousStatusError):
    """401: the server has keys, and the request has none that it knows."""

    code = "unauthenticated"


class PermissionDeniedError(NousStatusError):
    """403: the key is not for this operation or this agent."""

    code = "forbidden"


class NotFoundError(NousStatusError):
    """404: there is no such memory, edge, cluster or route."""

    code = "not_found"


class ConflictError(NousStatusError):
    """409: the request conflicts with what is stored, such as an id in use."""

    code = "conflict"


class VersionError(NousStatusError):
    """412: the memory has another version than `if_match` says."""

    code = "other_version"


class TooLargeError(NousStatusError):
    """413: the body is larger than the server takes."""

    code = "too_large"


class KeyReusedError(NousStatusError):
    """422: the idempotency key was used for another request."""

    code = "key_reused"


class UnavailableError(NousStatusError):
    """429, 502, 503 or 504: it cannot be done now."""

    code = "unavailable"


class DiskFullError(NousStatusError):
    """507: there is no room on the server's disk. Reads go on."""

    code = "disk_full"


BY_STATUS: dict[int, type[NousStatusError]] = {
    400: BadRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    412: VersionError,
    413: TooLargeError,
    422: KeyReusedError,
    429: UnavailableError,
    502: UnavailableError,
    503: UnavailableError,
    504: UnavailableError,
    507: DiskFullError,
}


def hint_in(fault: str) -> str | None:
    found = re.search(r"\b(did you mean [^?]+\?)", fault)
    return None if found is None else found[1]
