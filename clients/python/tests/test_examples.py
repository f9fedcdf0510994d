"""The examples run, each turn in a process of its own, against the real server."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import files

from nous_memory import LocalServer

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


# On Python 3.14 LangSmith, which LangChain brings, warns of itself.
STRICT = ["-W", "error", "-W", "ignore:'asyncio.iscoroutinefunction' is deprecated"]


def turn(name: str, said: str, url: str) -> str:
    # CrewAI warns of itself.
    warnings = ["-W", "ignore"] if "crewai" in name else STRICT
    done = subprocess.run(
        [sys.executable, *warnings, str(EXAMPLES / name), said],
        capture_output=True,
        text=True,
        env={**os.environ, "MEMORY_URL": url, "OPENAI_AGENTS_DISABLE_TRACING": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


NAMES = [path.name for path in files(EXAMPLES, "*.py")]
# Each example is told something else: they share one memory.
ALL = ("walnuts", "cashews", "celery", "mustard", "lupins", "sesame", "peanuts")
FOODS = dict(zip(NAMES, ALL[: len(NAMES)], strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_the_second_turn_knows_what_the_first_was_told(name: str, other: LocalServer) -> None:
    told = f"I am allergic to {FOODS[name]}"
    assert told not in turn(name, told, other.url).replace(f"asked: '{told}'", "")
    assert told in turn(name, f"am I allergic to {FOODS[name]}?", other.url)
