"""Every block of Python in the pages about the client runs, and the comments on it are true."""

from __future__ import annotations

import contextlib
import gc
import io
import re
from pathlib import Path
from typing import Any

import pytest
from conftest import files

import nous_memory

HERE = Path(__file__).resolve().parent.parent
DOCS = HERE.parent.parent / "docs" / "integrations"
# Pages about parts in JavaScript have no Python.
ALL = [HERE / "README.md", *files(DOCS, "*.md")]
PAGES = [page for page in ALL if "```python" in page.read_text("utf-8")]


# A block of two lines closes nothing.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_the_blocks_of_a_page_run(
    page: Path, tmp_path: Path, other: nous_memory.LocalServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), flags=re.M | re.S)
    assert blocks
    monkeypatch.chdir(tmp_path)
    # One block goes on where the one before it ended.
    names: dict[str, Any] = {"__name__": "page"}
    monkeypatch.setenv("MEMORY_URL", other.url)
    for block in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block, str(page), "exec"), names)
        # CrewAI draws boxes from a thread of its own, one perhaps right behind a line of the block.
        lines = re.split(r"[\n╭]", printed.getvalue())
        for promised in re.findall(r"^ *print\(.*\)  # (.+)$", block, flags=re.M):
            assert promised in lines
    names.clear()
    gc.collect()  # now, and not within another test
