"""Natural text to learn from: the definitions and examples of WordNet."""

import re
from collections.abc import Iterator
from pathlib import Path

PARTS = ("adj", "adv", "noun", "verb")


def definitions_and_examples(folder: Path) -> Iterator[str]:
    """Yields the texts of the files data.adj, data.adv, data.noun and data.verb.

    A definition comes with its words: "car, auto: a motor vehicle with four wheels".
    """
    for part in PARTS:
        for line in (folder / f"data.{part}").read_text("utf-8").splitlines():
            if line.startswith(" "):
                continue  # The licence.
            head, gloss = line.split(" | ", 1)
            fields = head.split(" ")
            names = fields[4 : 4 + 2 * int(fields[3], 16) : 2]
            told = ", ".join(re.sub(r"\(\w+\)$", "", name).replace("_", " ") for name in names)
            definition, *examples = gloss.strip().split('; "')
            yield f"{told}: {definition}"
            yield from (example.strip('" ') for example in examples)
