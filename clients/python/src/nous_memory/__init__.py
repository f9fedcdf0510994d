"""The Python client of nous-server, a memory server for AI agents.

from nous_memory import Memory

memory = Memory()
memory.remember("Mira eats no dairy since March.")
print(memory.context("What may Mira eat?").prompt)
"""

from __future__ import annotations

from . import models
from ._async_client import AsyncFollowing, AsyncMemory, AsyncPages
from ._core import VERSION as __version__
from ._core import EventsLost
from ._local import LocalMemory, LocalServer, local
from ._sync_client import Following, Memory, Pages
from ._time import Time
from .errors import (
    AuthenticationError,
    BadRequestError,
    ConflictError,
    DiskFullError,
    Issue,
    KeyReusedError,
    NotFoundError,
    NousAnswerError,
    NousConnectionError,
    NousError,
    NousStatusError,
    NousTimeoutError,
    PermissionDeniedError,
    ServerNotFoundError,
    ServerStartError,
    TooLargeError,
    UnavailableError,
    VersionError,
)

__all__ = [
    "AsyncFollowing",
    "AsyncMemory",
    "AsyncPages",
    "AuthenticationError",
    "BadRequestError",
    "ConflictError",
    "DiskFullError",
    "EventsLost",
    "Following",
    "Issue",
    "KeyReusedError",
    "LocalMemory",
    "LocalServer",
    "Memory",
    "NotFoundError",
    "NousAnswerError",
    "NousConnectionError",
    "NousError",
    "NousStatusError",
    "NousTimeoutError",
    "Pages",
    "PermissionDeniedError",
    "ServerNotFoundError",
    "ServerStartError",
    "Time",
    "TooLargeError",
    "UnavailableError",
    "VersionError",
    "__version__",
    "local",
    "models",
]
