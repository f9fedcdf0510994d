"""Starts a server for this program alone, and stops it with the program."""

from __future__ import annotations

import atexit
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

import httpx
from typing_extensions import Self

from ._core import DEFAULT_RETRIES, DEFAULT_TIMEOUT, DEFAULT_URL, settings_of
from ._sync_client import Memory
from .errors import ServerNotFoundError, ServerStartError

# Seconds until the server has to be ready, and until it has to have stopped.
START_TIMEOUT = 60.0
STOP_TIMEOUT = 15.0
LISTENS = "listens on "
# Lines of the server's output that an error shows.
SHOWN_LINES = 12


def command_of(given: str | Sequence[str] | None) -> list[str]:
    """Returns the program of the server with its first arguments.

    Raises `ServerNotFoundError` if there is none.
    """
    given = given or os.environ.get("MEMORY_SERVER_COMMAND")
    if isinstance(given, str):
        return shlex.split(given, posix=os.name == "posix")
    if given:
        return list(given)
    program = shutil.which("nous-server")
    if program is not None:
        return [program]
    npx = shutil.which("npx")
    # Only an installed package: npx would fetch a package of that name from anybody otherwise.
    if npx is not None and installed(npx):
        return [npx, "--no-install", "nous-server"]
    raise ServerNotFoundError(
        "no program `nous-server` is on the PATH, and `npx` finds no installed package "
        "nous-server. "
        "Install Node 24.15 or newer and the package nous-server, or name the program: "
        "nous_memory.local(command=...) or the variable MEMORY_SERVER_COMMAND. "
        'In a clone: MEMORY_SERVER_COMMAND="node js/server/bin/nous-server.mjs"'
    )


def installed(npx: str) -> bool:
    try:
        asked = [npx, "--no-install", "nous-server", "--version"]
        return subprocess.run(asked, capture_output=True, timeout=60, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


class LocalServer:
    """A server of this program, on a free port of this machine.

    `path` is its data folder, by default `./nous-data`. It is made if it is not there. `options`
    are
    further options of `nous-server serve`. The server stops with `stop()`, at the end of `with`,
    and at the latest when this program ends. A program that is killed leaves it running.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] = "nous-data",
        *,
        command: str | Sequence[str] | None = None,
        options: Sequence[str] = (),
        start_timeout: float = START_TIMEOUT,
    ) -> None:
        self.path = Path(path).absolute()
        program = command_of(command)
        # Settings of the environment name another server's port and folder, and options win.
        place = ["serve", "--host", "127.0.0.1", "--port", "0", "--data-dir", str(self.path)]
        self._lines: deque[str] = deque(maxlen=200)
        self._printed = threading.Condition()
        self._url: str | None = None
        try:
            self._process = subprocess.Popen(
                [*program, *place, *options],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                encoding="utf-8",
                errors="replace",
                # Control-C reaches this program alone, which then stops the server in order.
                start_new_session=os.name == "posix",
            )
        except OSError as error:
            raise ServerNotFoundError(
                f"the program of the server cannot be started: {shlex.join(program)} ({error})"
            ) from error
        self._owner = os.getpid()
        atexit.register(self.stop)
        self._reader = threading.Thread(target=self._read, name="nous-server", daemon=True)
        self._reader.start()
        try:
            self.url = self._wait(time.monotonic() + start_timeout)
            """The address of the server."""
        except BaseException:
            self.stop()
            raise

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as output:
            for line in output:
                self._take(line)
        with self._printed:
            self._printed.notify_all()

    def _take(self, line: str) -> None:
        with self._printed:
            self._lines.append(line.rstrip())
            if self._url is None and LISTENS in line and "nous-server" in line:
                self._url = line.split(LISTENS, 1)[1].strip()
            self._printed.notify_all()

    def _wait(self, deadline: float) -> str:
        with self._printed:
            while self._url is None:
                left = deadline - time.monotonic()
                if self._process.poll() is not None or left <= 0:
                    break
                self._printed.wait(min(left, 0.1))
            url = self._url
        if url is None:
            raise self._failed()
        with httpx.Client(trust_env=False, verify=False) as http:
            while True:
                try:
                    if http.get(f"{url}/readyz").status_code == 200:
                        return url
                except httpx.TransportError:
                    pass
                if self._process.poll() is not None or time.monotonic() > deadline:
                    raise self._failed()
                time.sleep(0.05)

    def _failed(self) -> ServerStartError:
        ended = self._process.poll()
        how = "was not ready in time" if ended is None else f"ended with {ended}"
        if ended is not None:
            self._reader.join(1)  # its last lines
        with self._printed:
            said = "\n".join(list(self._lines)[-SHOWN_LINES:])
        command = shlex.join(str(part) for part in self._process.args)  # type: ignore[union-attr]
        return ServerStartError(f"the server {how}: {command}\n{said}".rstrip())

    def stop(self) -> None:
        """Stops the server, and waits until all is written. Does nothing if it has stopped."""
        if os.getpid() != self._owner:
            return  # a fork of the program, whose end is not that of the program
        atexit.unregister(self.stop)
        process = self._process
        if process.poll() is None:
            self._signal(signal.SIGTERM)
            try:
                process.wait(STOP_TIMEOUT)
            except subprocess.TimeoutExpired:
                self._signal(signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
                process.wait()
        self._reader.join(1)

    def _signal(self, kind: signal.Signals) -> None:
        try:
            if sys.platform != "win32":
                # npx and its child.
                os.killpg(self._process.pid, kind)
            else:
                self._process.terminate()
        except ProcessLookupError:
            pass

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


class LocalMemory(Memory):
    """The memory of a server of this program. `close()`, or the end of `with`, stops the server."""

    def __init__(
        self,
        server: LocalServer,
        *,
        agent: str = "default",
        timeout: float = DEFAULT_TIMEOUT,
        retries: int = DEFAULT_RETRIES,
    ) -> None:
        super().__init__(server.url, agent=agent, timeout=timeout, retries=retries)
        self.server = server
        """The server. `AsyncMemory(memory.url)` asks it, too."""

    def close(self) -> None:
        """Closes the connections, and stops the server."""
        super().close()
        self.server.stop()


def local(
    path: str | os.PathLike[str] = "nous-data",
    *,
    agent: str = "default",
    command: str | Sequence[str] | None = None,
    options: Sequence[str] = (),
    timeout: float = DEFAULT_TIMEOUT,
    retries: int = DEFAULT_RETRIES,
    start_timeout: float = START_TIMEOUT,
) -> LocalMemory:
    """Starts a server for this program, waits until it is ready, and returns its memory.

        with nous_memory.local("./memory") as memory:
            memory.remember("Mira eats no dairy since March.")

    `path` is the data folder. `command` is the program of the server, by default that of the
    variable
    `MEMORY_SERVER_COMMAND`, or `nous-server` on the PATH, or an installed package that `npx` finds.
    """
    # Before the server starts, which nobody would stop after an error. The address is not its own.
    settings_of(DEFAULT_URL, agent=agent, key=None, timeout=timeout, retries=retries)
    server = LocalServer(path, command=command, options=options, start_timeout=start_timeout)
    return LocalMemory(server, agent=agent, timeout=timeout, retries=retries)
