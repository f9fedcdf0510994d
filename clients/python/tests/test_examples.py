"""The examples run, each turn in a process of its own, against the real server."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import nous_memory

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def turn(name: str, said: str, url: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / name), said],
        capture_output=True,
        text=True,
        env={**os.environ, "MEMORY_URL": url, "OPENAI_AGENTS_DISABLE_TRACING": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.glob("*.py")))
def test_the_second_turn_knows_what_the_first_was_told(name: str, tmp_path: Path) -> None:
    with nous_memory.local(tmp_path) as memory:
        assert "walnuts" not in turn(name, "Good morning!", memory.url)
        turn(name, "I am allergic to walnuts", memory.url)
        assert "allergic to walnuts" in turn(name, "what am I allergic to?", memory.url)
