"""The real server of this repository, and one suite for the sync and the async client."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal

from nous_memory import AsyncMemory, AsyncPages, LocalServer, Memory

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = ROOT / "js" / "server" / "bin" / "nous-server.mjs"
BUILT = ROOT / "js" / "server" / "dist" / "cli.mjs"


def server_command() -> str:
    """Returns the program of the server: that of `MEMORY_SERVER_COMMAND`, or the built one."""
    given = os.environ.get("MEMORY_SERVER_COMMAND")
    if given:
        return given
    if not BUILT.exists():
        pytest.exit("The server is not built: run npm run build first.", 2)
    return f"{shutil.which('node') or 'node'} {PROGRAM}"


# Pydantic AI needs Python 3.11. CrewAI has an environment of its own.
HAS_PYDANTIC_AI = sys.version_info >= (3, 11)
HAS_CREWAI = find_spec("crewai") is not None
OF_BOTH = ("test_docs.py", "test_examples.py")


def is_for_this_environment(path: Path) -> bool:
    if HAS_CREWAI or "crewai" in path.name:
        return HAS_CREWAI and "crewai" in path.name
    return HAS_PYDANTIC_AI or "pydantic" not in path.name


def files(folder: Path, pattern: str) -> list[Path]:
    """Returns the files of a folder that this environment can run, in order."""
    return [path for path in sorted(folder.glob(pattern)) if is_for_this_environment(path)]


collect_ignore = [
    path.name
    for path in Path(__file__).parent.glob("test_*.py")
    if path.name not in OF_BOTH and not is_for_this_environment(path)
]


# Programs that tests start find the server by this, too.
os.environ["MEMORY_SERVER_COMMAND"] = server_command()
# The table of words starts quicker than the sentence transformer.
os.environ.setdefault("NOUS_EMBEDDINGS_MODEL", "english-128")
# CrewAI tells its makers of each run, unless it is asked not to.
os.environ["CREWAI_DISABLE_TELEMETRY"] = "true"
for variable in ("MEMORY_URL", "MEMORY_KEY"):
    os.environ.pop(variable, None)

# Half of the agents of the shared server live in Berlin.
OPTIONS = ["--decay-interval", "0", "--time-zone", "berlin=Europe/Berlin"]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    with LocalServer(tmp_path_factory.mktemp("data"), options=OPTIONS) as started:
        yield started


@pytest.fixture(scope="session")
def other(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    """A server for programs that write into the agents of their own choice."""
    with LocalServer(tmp_path_factory.mktemp("other")) as started:
        yield started


@pytest.fixture(scope="session")
def portal() -> Iterator[BlockingPortal]:
    with start_blocking_portal() as found:
        yield found


class Blocking:
    """An async client, called as a sync one: the same tests run on both."""

    def __init__(self, inner: Any, portal: BlockingPortal) -> None:
        self._inner = inner
        self._portal = portal

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if callable(found):
            return lambda *given, **named: self._wrapped(self._call(found, given, named))
        return self._wrapped(found)

    def _call(self, function: Callable[..., Any], given: Any, named: Any) -> Any:
        async def called() -> Any:
            found = function(*given, **named)
            return await found if hasattr(found, "__await__") else found

        return self._portal.call(called)

    def _wrapped(self, found: Any) -> Any:
        is_client = isinstance(found, AsyncMemory) or type(found).__module__.endswith(
            "_async_client"
        )
        return Blocking(found, self._portal) if is_client else found

    def pages(self) -> Iterator[Any]:
        assert isinstance(self._inner, AsyncPages)
        return self._iterated(self._inner.pages())

    def __iter__(self) -> Iterator[Any]:
        return self._iterated(aiter_of(self._inner))

    def _iterated(self, source: Any) -> Iterator[Any]:
        end = object()

        async def following() -> Any:
            async for row in source:
                return row
            return end

        while (row := self._portal.call(following)) is not end:
            yield row


def aiter_of(source: Any) -> Any:
    return source.__aiter__()


# Either kind of client, by its sync names.
AnyMemory = Any
Opened = Callable[..., AnyMemory]


@pytest.fixture(params=["sync", "async"])
def opened(request: pytest.FixtureRequest, portal: BlockingPortal) -> Iterator[Opened]:
    """Opens clients of either kind: `opened(url, agent=...)`."""
    made: list[Any] = []

    def open_one(url: str, **options: Any) -> AnyMemory:
        if request.param == "sync":
            made.append(Memory(url, **options))
            return made[-1]
        made.append(AsyncMemory(url, **options))
        return Blocking(made[-1], portal)

    yield open_one
    for memory in made:
        if isinstance(memory, Memory):
            memory.close()
        else:
            portal.call(memory.aclose)


@pytest.fixture
def memory(opened: Opened, server: LocalServer) -> AnyMemory:
    """The memory of an agent of this test's own."""
    return opened(server.url, agent=f"agent-{uuid4().hex}")
