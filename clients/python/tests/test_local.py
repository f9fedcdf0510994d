"""Servers that a program starts for itself."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import nous_memory


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A process that has ended and was not waited for is none.
    return (
        not Path(f"/proc/{pid}/stat").exists() or " Z " not in Path(f"/proc/{pid}/stat").read_text()
    )


def test_a_local_server_keeps_its_memory_and_stops_at_the_end(tmp_path: Path) -> None:
    with nous_memory.local(tmp_path / "made", agent="mira") as memory:
        memory.remember("Mira eats no dairy since March.")
        pid = memory.server._process.pid
        assert memory.url.startswith("http://127.0.0.1:")
    assert not is_alive(pid)
    with nous_memory.local(tmp_path / "made", agent="mira") as memory:
        assert memory.ask("What does Mira not eat?").answerable


def test_a_local_server_stops_with_the_program(tmp_path: Path) -> None:
    program = (
        "import nous_memory, sys\n"
        "memory = nous_memory.local(sys.argv[1])\n"
        "memory.remember('Mira eats no dairy.')\n"
        "print(memory.server._process.pid)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True
    )
    deadline = time.monotonic() + 10
    while is_alive(int(done.stdout)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_alive(int(done.stdout))
    assert done.stderr == ""


@pytest.mark.skipif(os.name != "posix", reason="forks")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_the_end_of_a_fork_stops_no_server(tmp_path: Path) -> None:
    with nous_memory.local(tmp_path) as memory:
        child = os.fork()
        if child == 0:
            memory.server.stop()
            os._exit(0)
        os.waitpid(child, 0)
        assert memory.health().status == "ok"


def test_a_missing_program_is_an_error_that_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MEMORY_SERVER_COMMAND")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(nous_memory.ServerNotFoundError) as caught:
        nous_memory.local(tmp_path)
    assert "no program `nous-server` is on the PATH" in str(caught.value)
    assert "MEMORY_SERVER_COMMAND" in str(caught.value)
    with pytest.raises(nous_memory.ServerNotFoundError, match="cannot be started: /no/such"):
        nous_memory.local(tmp_path, command="/no/such program")


@pytest.mark.skipif(os.name != "posix", reason="writes a shell script")
def test_a_program_on_the_path_is_found_and_npx_asked_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = os.environ["MEMORY_SERVER_COMMAND"]
    monkeypatch.delenv("MEMORY_SERVER_COMMAND")
    # npx runs a package that is installed, and never one that it would have to fetch.
    npx = tmp_path / "npx"
    told = tmp_path / "told"
    npx.write_text(
        f'#!/bin/sh\necho "$@" >> {told}\n[ "$1 $2" = "--no-install nous-server" ] || exit 1\n'
        f'shift 2\nexec {command} "$@"\n'
    )
    npx.chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join([str(tmp_path), without_server(os.environ["PATH"])]))
    with nous_memory.local(tmp_path / "by-npx") as memory:
        assert memory.health().node_count == 0
    assert told.read_text().splitlines()[0] == "--no-install nous-server --version"
    program = tmp_path / "nous-server"
    program.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
    program.chmod(0o755)
    told.unlink()
    with nous_memory.local(tmp_path / "by-path") as memory:
        assert memory.health().node_count == 0
    assert not told.exists()


def without_server(path: str) -> str:
    return os.pathsep.join(
        place for place in path.split(os.pathsep) if not (Path(place) / "nous-server").exists()
    )


def test_a_server_that_does_not_start_is_an_error_with_its_words(tmp_path: Path) -> None:
    with pytest.raises(nous_memory.ServerStartError) as caught:
        nous_memory.local(tmp_path, options=["--rankin", "signals"])
    assert "ended with" in str(caught.value)
    assert "--rankin" in str(caught.value)


def test_a_server_that_is_too_slow_is_stopped(tmp_path: Path) -> None:
    with pytest.raises(nous_memory.ServerStartError, match="was not ready in time"):
        nous_memory.local(
            tmp_path,
            command=[sys.executable, "-c", "import time; time.sleep(60)"],
            start_timeout=0.3,
        )


def test_a_path_with_blanks_and_letters_is_kept(tmp_path: Path) -> None:
    place = tmp_path / "Mira's Gedächtnis"
    with nous_memory.local(place) as memory:
        memory.remember("Mira eats no dairy.")
    assert any(place.iterdir())


@pytest.mark.parametrize("wrong", [{"agent": ""}, {"timeout": 0}, {"retries": -1}], ids=str)
def test_wrong_options_start_no_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: dict[str, Any]
) -> None:
    started: list[object] = []
    monkeypatch.setattr(subprocess, "Popen", lambda *given, **named: started.append(given))
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be"):
        nous_memory.local(tmp_path / "made", **wrong)
    assert started == []


def test_the_address_of_another_server_is_not_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORY_URL", "nowhere")
    with nous_memory.local(tmp_path) as memory:
        assert memory.health().status == "ok"
