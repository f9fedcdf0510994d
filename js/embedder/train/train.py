"""Makes token tables from a sentence transformer, from its files, WordNet and a seed.

    python train.py --wordnet FOLDER --output FOLDER [--sentences 130000] [--definitions 80000]
                    [--dimensions 128 256] [--seed 1] [--first-tokens 30522]

Writes OUTPUT/nous-D.bin for each number of dimensions D. On one machine the same seed gives the
same bytes; another may round products of matrices differently.
"""

import argparse
import re
import time
from hashlib import sha256
from pathlib import Path

import numpy as np

from sentences import make_sentences
from student import principal_axes, train
from table import pack, quantised
from teacher import Teacher
from wordnet import definitions_and_examples
from wordpiece import WordPiece

TOKENS = 20_000
# The bits of a number of a table with these dimensions, and with others. With 128 dimensions four
# bits lose hardly anything, with 256 they lose 0.003 nDCG@10 on one of five sets.
BITS = {128: 4}
OTHER_BITS = 8
# The tokens of a definition that count.
MAX_TOKENS = 48
# Weights a / (a + p) of a token with the share p of all text: at the start, and in the table.
START_WEIGHT = 1e-3
TABLE_WEIGHT = 2e-4
# A learned row keeps this power of its length.
KEPT_LENGTH = 0.5
BEGUN = time.monotonic()


def say(line: str) -> None:
    """Prints a line with the seconds since the start."""
    print(f"{time.monotonic() - BEGUN:6.0f} s  {line}", flush=True)


def shares_of(vocabulary: list[str]) -> np.ndarray:
    """Returns the share of each token in text, by Zipf's law; 0 for those of no text."""
    special = re.compile(r"\[(unused\d+|PAD|UNK|CLS|SEP|MASK)\]")
    is_text = np.array([special.fullmatch(token) is None for token in vocabulary])
    shares = np.where(is_text, 1 / (np.cumsum(is_text) + 1.0), 0)
    return shares / shares.sum()


def weights(shares: np.ndarray, a: float) -> np.ndarray:
    """Returns the weights of tokens, as a column: 0 for a token with the share 0."""
    return np.where(shares > 0, a / (a + shares), 0).astype(np.float32)[:, None]


def kept_tokens(vocabulary: list[str], shares: np.ndarray) -> list[int]:
    """Returns the codes of the most frequent tokens in ASCII, all single characters among them."""
    texts = [code for code, token in enumerate(vocabulary) if token.isascii() and shares[code] > 0]
    single = [code for code in texts if len(vocabulary[code].replace("##", "")) == 1]
    others = [code for code in texts if code not in set(single)]
    return sorted([*single, *others][:TOKENS])


def start_of(alone: np.ndarray, shares: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Returns the teacher's vectors of tokens, centred, weighted and projected."""
    is_text = shares > 0
    start = (alone - alone[is_text].mean(axis=0)) * weights(shares, START_WEIGHT) @ axes
    return start / np.linalg.norm(start[is_text], axis=1).mean()


def shortened(learned: np.ndarray) -> np.ndarray:
    """Returns learned vectors with a power of their lengths."""
    lengths = np.maximum(np.linalg.norm(learned, axis=1, keepdims=True), 1e-6)
    return learned / lengths ** (1 - KEPT_LENGTH)


def table_of(vocabulary: list[str], shares: np.ndarray, learned: np.ndarray) -> bytes:
    """Returns the table of the kept tokens."""
    rows = shortened(learned) * weights(shares, TABLE_WEIGHT)
    kept = kept_tokens(vocabulary, shares)
    bits = BITS.get(rows.shape[1], OTHER_BITS)
    return pack([vocabulary[code] for code in kept], *quantised(rows[kept], bits), bits)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--output", type=Path, required=True, help="folder of the tables")
    parser.add_argument("--wordnet", type=Path, required=True, help="folder of data.noun")
    parser.add_argument("--sentences", type=int, default=130_000, help="made of words")
    parser.add_argument("--definitions", type=int, default=80_000, help="texts of WordNet")
    parser.add_argument("--dimensions", type=int, nargs="+", default=[128, 256])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first-tokens", type=int, help="of the vocabulary alone, for a trial")
    options = parser.parse_args()
    if (options.first_tokens or 4000) < 4000:
        parser.error("at least the first 4000 tokens are needed")
    if options.sentences < 100 or any(d % 16 or not 16 <= d <= 384 for d in options.dimensions):
        parser.error("at least 100 sentences, and dimensions of 16, 32 … 384, are needed")
    random = np.random.default_rng(options.seed)

    teacher = Teacher()
    del teacher.vocabulary[options.first_tokens or len(teacher.vocabulary) :]
    shares = shares_of(teacher.vocabulary)
    alone = teacher.embed([[code] for code in range(len(teacher.vocabulary))])
    say(f"{len(alone)} tokens by the teacher")
    sentences = make_sentences(teacher.vocabulary, alone, options.sentences, random)
    natural = list(definitions_and_examples(options.wordnet))
    wordpiece = WordPiece(teacher.vocabulary)
    for place in random.permutation(len(natural))[: options.definitions]:
        codes = wordpiece.codes(natural[place])[:MAX_TOKENS]
        if codes:
            sentences.append(codes)
    say(f"{len(sentences)} sentences of {sum(map(len, sentences))} tokens")

    tenths = 0

    def report(done: int) -> None:
        nonlocal tenths
        if done * 10 // len(sentences) > tenths:
            tenths = done * 10 // len(sentences)
            say(f"{done} sentences by the teacher")

    targets = teacher.embed(sentences, report)
    options.output.mkdir(parents=True, exist_ok=True)
    for dimensions in options.dimensions:
        axes = principal_axes(targets, dimensions)
        start = start_of(alone, shares, axes)
        learned = train(start, sentences, targets @ axes, random, say)
        table = table_of(teacher.vocabulary, shares, learned)
        path = options.output / f"nous-{dimensions}.bin"
        path.write_bytes(table)
        say(f"{path}: {len(table)} bytes, SHA-256 {sha256(table).hexdigest()}")


if __name__ == "__main__":
    main()
