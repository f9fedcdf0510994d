"""Following what is written: every event once, whatever becomes of the connection."""

from __future__ import annotations

import random
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from conftest import AnyMemory, Opened
from proxy import proxy, refusal

import nous_memory
from nous_memory import AsyncMemory, EventsLost, LocalServer, Memory, _core, _sync_client

LIMIT = 32  # streams of one agent


@pytest.fixture(autouse=True)
def shorter_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_core, "FIRST_WAIT", 0.02)


def taken(following: AnyMemory, count: int) -> list[AnyMemory]:
    """Returns the next events."""
    found = []
    for event in following:
        found.append(event)
        if len(found) == count:
            break
    return found


def created(memory: AnyMemory, *titles: str) -> list[str]:
    return [memory.nodes.create(type="fact", content_title=title).id for title in titles]


def test_each_kind_of_event_is_told_with_what_it_is_about(memory: AnyMemory) -> None:
    start = memory.events().cursor
    old, new = created(memory, "The rent is 900 euros", "The rent is 950 euros")
    edge = memory.edges.create(source_id=new, target_id=old, type="supersedes")
    memory.nodes.update(new, content_title="The rent is 960 euros")
    memory.edges.delete(edge.id)
    memory.nodes.delete(old)
    following = memory.follow(start)
    events = taken(following, 6)
    kinds = [(event.kind, event.id) for event in events]
    assert kinds == [
        ("stored", old),
        ("stored", new),
        ("replaced", edge.id),
        ("changed", new),
        ("unlinked", edge.id),
        ("deleted", old),
    ]
    assert events[1].memory.title == "The rent is 960 euros"  # as it is now
    assert (events[5].memory, events[5].edge) == (None, None)
    assert following.cursor == events[-1].cursor
    assert events[0].at.datetime.utcoffset() is not None
    assert [event.id for event in taken(memory.follow(events[3].cursor), 2)] == [edge.id, old]


def test_without_a_cursor_it_begins_now_and_waits(memory: AnyMemory) -> None:
    created(memory, "before")
    titles = []
    reading = threading.Event()

    def read() -> None:
        following = memory.follow()
        for event in following:
            titles.append(event.memory.title)
            reading.set()
            if event.memory.title == "last":
                break

    thread = threading.Thread(target=read)
    thread.start()
    while not reading.wait(0.1):  # until the stream is open
        created(memory, "meanwhile")
    created(memory, "last")
    thread.join(20)
    assert not thread.is_alive()
    assert set(titles) == {"meanwhile", "last"}


# U+2028 and U+0085 end a line for Python, and not in a stream of events.
@pytest.mark.parametrize("title", ["日本語 🦊", "one\u2028two", "one\u0085two", 'data: x "\\n"'])
def test_titles_come_as_they_were(memory: AnyMemory, title: str) -> None:
    start = memory.events().cursor
    created(memory, title)
    (event,) = taken(memory.follow(start), 1)
    assert event.memory.title == memory.nodes.get(event.id).content_title


def test_a_stream_is_read_in_whatever_pieces_it_comes() -> None:
    sent = (
        b"retry: 1000\r\n\r\nid: a.1\nevent: start\ndata: {}\n\n: still here\nid: a.2\n\n"
        b': only a comment\n\nid:a.3\nevent:stored\ndata:{"x":"\xe2\x80\xa8"}\n\nid: a.4\nevent: lo'
    )
    whole = [("start", "a.1", b"{}"), ("", "a.2", b""), ("stored", "a.3", b'{"x":"\xe2\x80\xa8"}')]
    for size in range(1, len(sent) + 1):
        reader = _core.StreamReader()
        pieces = [sent[at : at + size] for at in range(0, len(sent), size)]
        assert [tuple(it) for piece in pieces for it in reader.events_in(piece)] == whole
        assert reader.retry == 1


@contextmanager
def cutting(target: str, seed: int) -> Iterator[str]:
    """Passes streams on in pieces, and cuts each connection after a number of bytes."""
    parts = urlsplit(target)
    address = (parts.hostname, parts.port or 80)
    chance = random.Random(seed)
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            with client, socket.create_connection(address) as server:
                server.sendall(client.recv(65536))
                # The head of the answer takes some 400 of them.
                left = chance.randint(0, 2000)
                try:
                    while left > 0 and (piece := server.recv(min(left, chance.randint(1, 200)))):
                        client.sendall(piece)
                        left -= len(piece)
                except OSError:
                    pass

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(5)


def test_nothing_is_lost_or_told_twice_by_connections_that_break(
    opened: Opened, server: LocalServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The server asks to wait a second. Here it is not needed.
    no_wait = property(lambda _: 0.0, lambda *_: None)
    monkeypatch.setattr(_core.StreamReader, "retry", no_wait, raising=False)
    seed = random.randrange(2**31)
    name = f"cut-{seed}"
    direct = opened(server.url, agent=name)
    ids = created(direct, *(f"Note {number}" for number in range(30)))
    with cutting(server.url, seed) as between:
        memory = opened(between, agent=name, retries=50)
        events = taken(memory.follow("0"), 30)
    assert [event.id for event in events] == ids, f"seed {seed}"


def test_it_goes_on_after_a_restart_of_the_server(opened: Opened, tmp_path: Path) -> None:
    with LocalServer(tmp_path) as first:
        port = first.url.rsplit(":", 1)[1]
        memory = opened(first.url, agent="a", retries=12)
        following = iter(memory.follow("0"))
        created(memory, "One")
        assert next(following).memory.title == "One"
    restarting = threading.Timer(0.3, lambda: again.append(LocalServer(tmp_path, options=options)))
    again: list[LocalServer] = []
    options = ["--port", port]
    restarting.start()
    try:
        created(memory, "Two")
        assert next(following).memory.title == "Two"
    finally:
        restarting.join()
        again[0].stop()


def test_a_server_that_does_not_come_back_is_an_error(opened: Opened, tmp_path: Path) -> None:
    with LocalServer(tmp_path) as server:
        memory = opened(server.url, agent="a", retries=2)
        created(memory, "One")
        following = iter(memory.follow("0"))
        next(following)
    with pytest.raises(nous_memory.NousConnectionError, match="no server answers"):
        next(following)


def test_a_stream_without_a_sign_of_life_is_opened_again(
    opened: Opened, server: LocalServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Shorter than the 15 seconds after which the server gives a sign.
    monkeypatch.setattr(_sync_client, "SILENCE", 0.5)
    monkeypatch.setattr(nous_memory._async_client, "SILENCE", 0.5)
    memory = opened(server.url, agent=f"silent-{time.time()}")
    start = memory.events().cursor
    timer = threading.Timer(2.5, lambda: created(memory, "Late"))
    timer.start()
    assert taken(memory.follow(start), 1)[0].memory.title == "Late"
    timer.join()


def test_lost_events_are_told(memory: AnyMemory) -> None:
    created(memory, "One")
    old = memory.events("0").cursor
    memory.agents.delete(memory.agent)
    created(memory, "Two")
    following = memory.follow(old)
    (lost,) = taken(following, 1)
    assert isinstance(lost, EventsLost)
    assert (lost.kind, lost.cursor) == ("reset", following.cursor)
    created(memory, "Three")
    assert [event.memory.title for event in taken(memory.follow(lost.cursor), 1)] == ["Three"]


def test_a_cursor_that_is_none_is_refused(memory: AnyMemory) -> None:
    with pytest.raises(nous_memory.BadRequestError) as caught:
        taken(memory.follow("yesterday"), 1)
    assert caught.value.field == "after"


def test_an_answer_that_is_no_stream_is_an_error(opened: Opened, server: LocalServer) -> None:
    page = refusal("200 OK", '{"data":[]}', "Content-Type: application/json")
    with (
        proxy(server.url, lambda number, request: page) as between,
        pytest.raises(nous_memory.NousAnswerError, match="no stream of events"),
    ):
        taken(opened(between.url).follow(), 1)
    html = refusal("404 Not Found", "<p>", "Content-Type: text/html")
    with (
        proxy(server.url, lambda number, request: html) as between,
        pytest.raises(nous_memory.NousAnswerError, match="not JSON"),
    ):
        taken(opened(between.url).follow(), 1)


def test_a_busy_server_is_asked_again(opened: Opened, server: LocalServer) -> None:
    busy = refusal("429 Too Many Requests", '{"error":"too many streams of events"}')
    with proxy(server.url, lambda number, request: busy) as between:
        with pytest.raises(nous_memory.UnavailableError, match="too many streams"):
            taken(opened(between.url, retries=2).follow(), 1)
        assert len(between.requests) == 3


def test_who_stops_to_iterate_leaves_no_stream_open(opened: Opened, server: LocalServer) -> None:
    name = f"left-{time.time()}"
    memory = opened(server.url, agent=name, retries=0)
    created(memory, "One")
    for _ in range(LIMIT + 8):
        taken(memory.follow("0"), 1)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_the_async_one_ends_with_its_task(server: LocalServer, backend: str) -> None:
    import anyio

    async def main() -> None:
        async with AsyncMemory(server.url, agent=f"cancelled-{backend}", retries=0) as memory:
            await memory.nodes.create(type="fact", content_title="One")
            seen = []
            for _ in range(LIMIT + 8):
                with anyio.move_on_after(20) as scope:
                    async for event in memory.follow("0"):
                        seen.append(event.kind)
                        scope.cancel()
            assert seen == ["stored"] * (LIMIT + 8)

    anyio.run(main, backend=backend)


def test_the_sync_one_ends_where_it_is_closed(server: LocalServer) -> None:
    with Memory(server.url, agent=f"closed-{time.time()}", retries=0) as memory:
        created(memory, "One")
        kept = []
        for _ in range(LIMIT + 8):
            following = iter(memory.follow("0"))
            kept.append(following)
            with closing(following):
                assert re.match("stored", next(following).kind)
