"""A TCP proxy that fails as a test says."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

# Gets the number of the request, from 0, and its bytes. Returns what happens to it.
Plan = Callable[[int, bytes], "str | bytes"]
PASS = "pass"
LOSE_ANSWER = "lose the answer"


class Proxy:
    """Passes requests on, loses answers after the server has made them, or answers by itself."""

    def __init__(self, target: str, plan: Plan) -> None:
        parts = urlsplit(target)
        assert parts.hostname is not None
        assert parts.port is not None
        self._target = (parts.hostname, parts.port)
        self._plan = plan
        self.requests: list[bytes] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            with client:
                self._serve(client)

    def _serve(self, client: socket.socket) -> None:
        # One request a connection: the answer says so.
        request = read_message(client)
        if not request:
            return
        number = len(self.requests)
        self.requests.append(request)
        fate = self._plan(number, request)
        if isinstance(fate, bytes):
            client.sendall(fate)
            return
        with socket.create_connection(self._target) as server:
            server.sendall(request)
            answer = read_message(server)
        if fate == PASS:
            head, _, body = answer.partition(b"\r\n\r\n")
            lines = [it for it in head.split(b"\r\n") if not it.lower().startswith(b"connection")]
            client.sendall(b"\r\n".join([*lines, b"Connection: close"]) + b"\r\n\r\n" + body)

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(5)


def read_message(source: socket.socket) -> bytes:
    """Reads a request or an answer with a Content-Length, or without a body."""
    found = b""
    while b"\r\n\r\n" not in found:
        part = source.recv(65536)
        if not part:
            return found
        found += part
    head, _, body = found.partition(b"\r\n\r\n")
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            while len(body) < int(value):
                body += source.recv(65536)
    return head + b"\r\n\r\n" + body


def refusal(status: str, body: str, *headers: str) -> bytes:
    """Returns an answer as bytes."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body.encode())}", *headers]
    return ("\r\n".join([*lines, "Connection: close"]) + "\r\n\r\n" + body).encode()


@contextmanager
def proxy(target: str, plan: Plan) -> Iterator[Proxy]:
    made = Proxy(target, plan)
    try:
        yield made
    finally:
        made.close()
