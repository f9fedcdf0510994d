"""What is generated is up to date with the server, and with the async half."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from nous_memory import LocalServer, models

HERE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE / "scripts"))

import generate  # noqa: E402


def test_the_generated_files_are_up_to_date(server: LocalServer) -> None:
    document = generate.description(server.url)
    for name, source in generate.generated(document).items():
        stored = (HERE / "src" / "nous_memory" / name).read_text("utf-8")
        stale = f"{name} is out of date: run python clients/python/tests/run.py --generate"
        assert stored == source, stale


def test_generating_twice_gives_the_same(server: LocalServer) -> None:
    document = generate.description(server.url)
    assert generate.Models(document).text() == generate.Models(document).text()


def test_every_answer_can_be_decoded_by_its_type() -> None:
    kinds = [
        kind
        for kind in vars(models).values()
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct)
    ]
    assert len(kinds) > 50
    for kind in kinds:
        msgspec.json.Decoder(kind, dec_hook=lambda kind, value: value)
