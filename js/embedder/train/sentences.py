"""Sentences to learn from: random words around a word and its neighbours.

A sentence holds a seed word, some of the words nearest to it, some random words, and words such as
"the" and "of", in random order. It needs no grammar, since the student adds up words. Natural text
in its place changed nothing that was measured.
"""

import re

import numpy as np

from teacher import unit

# The first codes of the vocabulary are marks, letters, digits and special tokens.
FIRST_WORD = 1996
FUNCTION_WORDS = 140
NEIGHBOURS = 40
SUFFIX_SHARE = 0.4


def make_sentences(
    vocabulary: list[str], alone: np.ndarray, count: int, random: np.random.Generator
) -> list[list[int]]:
    """Returns sentences as codes of tokens. `alone` holds the teacher's vector of each token."""
    words = [
        code
        for code, token in enumerate(vocabulary)
        if code >= FIRST_WORD and re.fullmatch("[a-z]{2,}", token)
    ]
    suffixes = [
        code for code, token in enumerate(vocabulary) if re.fullmatch("##[a-z0-9]+", token)
    ]
    # The vocabulary is in the order of frequency.
    function_words = np.array(words[:FUNCTION_WORDS])
    content = np.array(words[FUNCTION_WORDS:])
    ranks = np.arange(len(content)) + FUNCTION_WORDS + 10.0
    function_shares = shares(np.arange(1, FUNCTION_WORDS + 1) ** -0.7)
    content_shares = shares(ranks**-0.55)
    seeds = random.choice(len(content), count, p=content_shares)
    near = neighbours(alone[content], np.unique(seeds))
    sentences = []
    for seed in seeds:
        chosen = [
            content[[seed]],
            content[random.choice(near[seed], random.choice([0, 1, 1, 2, 3]), replace=False)],
            random.choice(content, random.choice([0, 1, 1, 2, 4]), p=content_shares),
            random.choice(function_words, random.choice([0, 1, 2, 3, 5, 8]), p=function_shares),
        ]
        parts = [[int(code)] for code in np.concatenate(chosen)]
        order = random.permutation(len(parts))
        if random.random() < SUFFIX_SHARE:
            parts[random.integers(len(parts))].append(int(random.choice(suffixes)))
        sentences.append([code for place in order for code in parts[place]])
    return sentences


def neighbours(vectors: np.ndarray, of: np.ndarray) -> dict[int, np.ndarray]:
    """Returns the rows nearest to each of some rows, by the cosine of centred vectors."""
    centred = unit(vectors - vectors.mean(axis=0))
    near = {}
    for start in range(0, len(of), 1000):
        rows = of[start : start + 1000]
        similar = centred[rows] @ centred.T
        best = np.argpartition(-similar, NEIGHBOURS, axis=1)[:, :NEIGHBOURS]
        near.update(zip(rows.tolist(), best, strict=True))
    return near


def shares(weights: np.ndarray) -> np.ndarray:
    """Returns weights that add up to 1."""
    return weights / weights.sum()
