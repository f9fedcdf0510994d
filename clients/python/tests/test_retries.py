"""What happens when answers are lost, servers restart, and proxies refuse."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from conftest import AnyMemory, Opened
from proxy import LOSE_ANSWER, PASS, proxy, refusal

import nous_memory
from nous_memory import LocalServer, _core


@pytest.fixture(autouse=True)
def shorter_waits(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "killed" not in request.node.name:  # a server takes its time to start
        monkeypatch.setattr(_core, "FIRST_WAIT", 0.02)


def lose_first(number: int, request: bytes) -> str:
    return LOSE_ANSWER if number == 0 else PASS


def agent() -> str:
    return f"agent-{uuid4().hex}"


def header(request: bytes, name: str) -> bytes:
    lines = request.split(b"\r\n\r\n")[0].split(b"\r\n")
    return next(it.split(b": ", 1)[1] for it in lines if it.lower().startswith(name.encode()))


# Each makes one thing, and says how many there are.
WRITES: dict[str, Any] = {
    # Two different sentences with the same words would be a duplicate, which proves nothing: a
    # created node is never compared.
    "nodes.create": lambda m: m.nodes.create(type="fact", content_title="One"),
    "nodes.create_many": lambda m: m.nodes.create_many([{"type": "fact", "content_title": "One"}]),
    "remember a message": lambda m: m.remember(messages=[{"role": "user", "content": "I ski."}]),
    "nodes.put": lambda m: m.nodes.put("one", type="fact", content_title="One"),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=list(WRITES))
def test_a_write_whose_answer_is_lost_is_done_once(
    opened: Opened, server: LocalServer, write: Any
) -> None:
    name = agent()
    with proxy(server.url, lose_first) as between:
        write(opened(between.url, agent=name))
    assert len(between.requests) == 2
    assert between.requests[0] == between.requests[1]  # with the same idempotency key
    assert opened(server.url, agent=name).health().node_count == 1


def test_without_the_key_there_would_be_two(opened: Opened, server: LocalServer) -> None:
    # The proof that the test above can fail: two calls are two requests.
    memory = opened(server.url, agent=agent())
    for _ in range(2):
        WRITES["nodes.create"](memory)
    assert memory.health().node_count == 2


def test_a_deletion_whose_answer_is_lost_succeeds(opened: Opened, server: LocalServer) -> None:
    direct = opened(server.url, agent=agent())
    direct.nodes.put("one", type="fact", content_title="One")
    with proxy(server.url, lose_first) as between:
        assert opened(between.url, agent=direct.agent).nodes.delete("one").ok
    assert direct.health().node_count == 0
    with pytest.raises(nous_memory.NotFoundError):
        direct.nodes.delete("one")


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.nodes.delete_where({"type": "fact"}),
        lambda m: m.nodes.update("one", content_title="Two", if_match=1),
        lambda m: m.consolidate(),
        lambda m: m.nodes.delete("one", if_match=1),
        lambda m: m.nodes.purge("one"),
    ],
    ids=["delete_where", "update with if_match", "consolidate", "delete with if_match", "purge"],
)
def test_a_write_that_could_be_done_twice_is_not_repeated(
    opened: Opened, server: LocalServer, call: Any
) -> None:
    name = agent()
    opened(server.url, agent=name).nodes.put("one", type="fact", content_title="One")
    with proxy(server.url, lose_first) as between:
        with pytest.raises(nous_memory.NousConnectionError, match="broke before the answer"):
            call(opened(between.url, agent=name))
        assert len(between.requests) == 1


def test_retry_after_is_honoured(opened: Opened, server: LocalServer) -> None:
    at: list[float] = []

    def refuse_first(number: int, request: bytes) -> str | bytes:
        at.append(time.monotonic())
        busy = refusal("429 Too Many Requests", '{"error":"busy"}', "Retry-After: 1")
        return busy if number == 0 else PASS

    with proxy(server.url, refuse_first) as between:
        assert opened(between.url, agent=agent()).health().status == "ok"
    assert at[1] - at[0] >= 0.99


def test_retry_after_may_be_a_date(opened: Opened, server: LocalServer) -> None:
    at: list[float] = []

    def refuse_first(number: int, request: bytes) -> str | bytes:
        at.append(time.monotonic())
        then = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=2), usegmt=True)
        return refusal("503 Busy", "", f"Retry-After: {then}") if number == 0 else PASS

    with proxy(server.url, refuse_first) as between:
        assert opened(between.url, agent=agent()).health().status == "ok"
    assert at[1] - at[0] >= 0.9  # a date has whole seconds


def test_a_long_retry_after_is_left_to_the_caller(opened: Opened, server: LocalServer) -> None:
    busy = refusal("503 Busy", '{"error":"busy"}', "Retry-After: 3600")
    with proxy(server.url, lambda number, request: busy) as between:
        with pytest.raises(nous_memory.UnavailableError, match="busy") as caught:
            opened(between.url).health()
        assert len(between.requests) == 1
    assert caught.value.retry_after == 3600
    assert caught.value.code == "unavailable"


def test_a_refusal_is_not_repeated_for_ever(opened: Opened, server: LocalServer) -> None:
    bad = refusal("502 Bad Gateway", "<html>no server</html>")
    with proxy(server.url, lambda number, request: bad) as between:
        with pytest.raises(nous_memory.UnavailableError, match="has status 502") as caught:
            opened(between.url, retries=2).search("x")
        assert len(between.requests) == 3
        with pytest.raises(nous_memory.UnavailableError):
            opened(between.url, retries=2).consolidate()  # a 502 may hide that it was done
        assert len(between.requests) == 4
    assert caught.value.status == 502


def test_an_answer_of_another_server_is_said_to_be_one(opened: Opened, server: LocalServer) -> None:
    page = refusal("200 OK", "<html>hello</html>")
    with (
        proxy(server.url, lambda number, request: page) as between,
        pytest.raises(nous_memory.NousAnswerError, match=r"is not JSON; is nous-server running"),
    ):
        opened(between.url).health()
    odd = refusal("200 OK", '{"status": "ok"}')
    with (
        proxy(server.url, lambda number, request: odd) as between,
        pytest.raises(nous_memory.NousAnswerError, match="node_count"),
    ):
        opened(between.url).health()


def test_fields_and_values_of_a_newer_server_do_no_harm(
    opened: Opened, server: LocalServer
) -> None:
    newer = refusal(
        "200 OK", '{"answerable":true,"knows":"surely","probability":1,"best":null,"x":1}'
    )
    with proxy(server.url, lambda number, request: newer) as between:
        assert opened(between.url).ask("?").knows == "surely"


def test_a_code_and_a_hint_of_the_server_are_taken(opened: Opened, server: LocalServer) -> None:
    body = '{"error":"no","code":"own_code","hint":"do this","issues":[{"path":"a","message":"b"}]}'
    told = refusal("400 Bad Request", body)
    with (
        proxy(server.url, lambda number, request: told) as between,
        pytest.raises(nous_memory.BadRequestError) as caught,
    ):
        opened(between.url).health()
    assert (caught.value.code, caught.value.hint, caught.value.field) == (
        "own_code",
        "do this",
        "a",
    )


def test_a_slow_answer_is_an_error_that_names_the_limit(opened: Opened) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        begun = time.monotonic()
        with pytest.raises(nous_memory.NousTimeoutError, match=r"within 0\.3 s"):
            opened(url, timeout=0.3).search("a secret question")
        assert time.monotonic() - begun < 5


def test_a_refused_connection_says_how_to_start_a_server(opened: Opened) -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    begun = time.monotonic()
    with pytest.raises(nous_memory.NousConnectionError) as caught:
        opened(f"http://127.0.0.1:{port}").health()
    text = str(caught.value)
    assert text.startswith(f"GET http://127.0.0.1:{port}/v1/health: no server answers at ")
    assert "Start one with `nous-server`, or use `nous_memory.local()`" in text
    # A server that was never there is not waited for.
    assert time.monotonic() - begun < 2


def test_a_message_shows_no_words_of_a_question(opened: Opened) -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    with pytest.raises(nous_memory.NousConnectionError) as caught:
        opened(f"http://127.0.0.1:{port}").nodes.list(user="mira-the-secret").all()
    assert "secret" not in str(caught.value)


@pytest.mark.skipif(os.name != "posix", reason="kills by a signal")
def test_a_server_that_is_killed_and_started_again_is_found(opened: Opened, tmp_path: Path) -> None:
    with LocalServer(tmp_path) as first:
        port = first.url.rsplit(":", 1)[1]
        memory = opened(first.url, agent="a", retries=6)
        for number in range(5):
            memory.nodes.create(type="fact", content_title=f"Before {number}")
        os.killpg(first._process.pid, signal.SIGKILL)
        first._process.wait()
        again: list[LocalServer] = []
        starting = threading.Thread(
            target=lambda: again.append(LocalServer(tmp_path, options=["--port", port]))
        )
        starting.start()
        try:
            # Asked while nobody listens: it waits until the server is back.
            memory.nodes.create(type="fact", content_title="After")
            assert memory.health().node_count == 6
        finally:
            starting.join()
            again[0].stop()


def test_keys_are_sent_and_wrong_ones_refused(opened: Opened, server: LocalServer) -> None:
    with proxy(server.url, lambda number, request: PASS) as between:
        opened(between.url, key="nk-secret", agent="Мира").health()
    request = between.requests[0]
    assert header(request, "authorization") == b"Bearer nk-secret"
    assert header(request, "x-nous-agent").decode() == "Мира"
    told = refusal("401 Unauthorized", '{"error":"a key is needed"}')
    with (
        proxy(server.url, lambda number, request: told) as between,
        pytest.raises(nous_memory.AuthenticationError) as caught,
    ):
        opened(between.url, key="nk-secret").health()
    assert "nk-secret" not in f"{caught.value!r}{caught.value.__dict__}"


def test_variables_name_the_server(
    opened: Opened, server: LocalServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from nous_memory import AsyncMemory, Memory

    monkeypatch.setenv("MEMORY_URL", server.url)
    with Memory(agent=agent()) as memory:
        assert memory.health().node_count == 0
    assert AsyncMemory().url == server.url


def test_one_client_serves_many_threads(server: LocalServer) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with nous_memory.Memory(server.url, agent=agent()) as memory:
        with ThreadPoolExecutor(8) as pool:
            list(
                pool.map(
                    lambda n: memory.nodes.put(f"n{n}", type="fact", content_title="x"), range(40)
                )
            )
        assert memory.health().node_count == 40


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_the_async_client_runs_on_asyncio_and_trio(server: LocalServer, backend: str) -> None:
    import anyio

    name = agent()
    done: list[AnyMemory] = []

    async def main() -> None:
        async with (
            nous_memory.AsyncMemory(server.url, agent=name) as memory,
            anyio.create_task_group() as tasks,
        ):
            for number in range(10):
                tasks.start_soon(one, memory, number)

    async def one(memory: nous_memory.AsyncMemory, number: int) -> None:
        done.append(await memory.nodes.put(f"n{number}", type="fact", content_title="x"))

    anyio.run(main, backend=backend)
    assert len(done) == 10


def test_certificates_are_checked_where_there_are_any() -> None:
    import ssl

    from nous_memory import Memory

    def mode(url: str) -> ssl.VerifyMode:
        with Memory(url) as memory:
            transport = memory._link.http._transport
            context = transport._pool._ssl_context  # type: ignore[attr-defined]
            assert isinstance(context, ssl.SSLContext)
            return context.verify_mode

    assert mode("https://memory.example.org") is ssl.CERT_REQUIRED
    assert mode("HTTPS://memory.example.org") is ssl.CERT_REQUIRED
    assert mode("http://127.0.0.1:3100") is ssl.CERT_NONE
