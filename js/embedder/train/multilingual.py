"""Makes the multilingual token table from a multilingual sentence encoder.

    python multilingual.py --wordnet FOLDER --output FOLDER [--sentences 200000]
                           [--definitions 60000] [--seed 1]

Writes OUTPUT/multilingual-128.bin. On one machine the same seed gives the same bytes.
"""

import argparse
import re
from hashlib import sha256
from pathlib import Path

import numpy as np

from languages import KANA, Sentences, known_pieces, pairs, tokens_of
from student import principal_axes, train
from table import pack, quantised
from train import START_WEIGHT, say, shortened, weights
from universal import UniversalTeacher
from wordnet import definitions_and_examples
from wordpiece import WordPiece

TOKENS = 40_000
DIMENSIONS = 128
BITS = 4
# As in train.py, over the text of sixteen languages.
TABLE_WEIGHT = 5e-5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--output", type=Path, required=True, help="folder of the table")
    parser.add_argument("--wordnet", type=Path, required=True, help="folder of data.noun")
    parser.add_argument("--sentences", type=int, default=200_000, help="made of words")
    parser.add_argument("--definitions", type=int, default=60_000, help="texts of WordNet")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    random = np.random.default_rng(options.seed)

    teacher = UniversalTeacher()
    pieces = known_pieces(teacher.pieces)
    share_of = tokens_of(pieces, TOKENS)
    tokens = list(share_of)
    say(f"{len(pieces)} pieces of words, {len(tokens)} tokens")
    texts = Sentences(pieces, teacher.embed, random).make(options.sentences)
    natural = list(definitions_and_examples(options.wordnet))
    texts += [natural[place] for place in random.permutation(len(natural))[: options.definitions]]
    say(f"{len(texts)} texts")
    targets = teacher.embed(
        texts, lambda done: done % 50_000 == 0 and say(f"{done} texts by the teacher")
    )
    # The vector of a token that continues a word is a start, too.
    alone = teacher.embed([token.removeprefix("##") for token in tokens])

    wordpiece = WordPiece(tokens)
    # Texts as the embedder splits them, and as full text does.
    whole = [wordpiece.codes(text) for text in texts]
    paired = [[code for word in pairs(text) for code in wordpiece.cover(word)] for text in texts]
    kept = [place for place in range(len(texts)) if whole[place] and paired[place]]
    examples = [whole[place] for place in kept] + [paired[place] for place in kept]
    axes = principal_axes(targets, DIMENSIONS)
    goals = targets[kept] @ axes
    shares = np.array(list(share_of.values()))
    shares /= shares.sum()
    start = (alone - alone.mean(axis=0)) * weights(shares, START_WEIGHT) @ axes
    start /= np.linalg.norm(start, axis=1).mean()
    learned = train(start, examples, np.concatenate([goals, goals]), random, say)

    rows = shortened(learned) * weights(shares, TABLE_WEIGHT)
    # A kana by itself means nothing: it covers words, and adds nothing to them.
    rows[[re.fullmatch(f"(##)?[{KANA}]", token) is not None for token in tokens]] = 0
    table = pack(tokens, *quantised(rows, BITS), BITS)
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / f"multilingual-{DIMENSIONS}.bin"
    path.write_bytes(table)
    say(f"{path}: {len(table)} bytes, SHA-256 {sha256(table).hexdigest()}")


if __name__ == "__main__":
    main()
