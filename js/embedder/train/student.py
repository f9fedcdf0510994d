"""The student: a vector for each token, whose plain sum points where the teacher's vector points.

The loss of a sentence is 1 − cos(sum of its tokens' vectors, projected vector of the teacher).
Adam moves only the rows of a batch's tokens: the other rows have no gradient.
"""

import numpy as np
from scipy.sparse import csr_matrix

from teacher import unit

EPOCHS = 3
BATCH = 512
RATE = 0.003
HELD_BACK = 0.03


def principal_axes(vectors: np.ndarray, dimensions: int) -> np.ndarray:
    """Returns the first principal axes of vectors that are not centred, as columns."""
    _, axes = np.linalg.eigh(vectors.T.astype(np.float64) @ vectors.astype(np.float64))
    return np.ascontiguousarray(axes[:, ::-1][:, :dimensions], np.float32)


def train(
    start: np.ndarray,
    sentences: list[list[int]],
    targets: np.ndarray,
    random: np.random.Generator,
    report=print,
) -> np.ndarray:
    """Returns the vectors of all tokens after training from `start`."""
    vectors = start.astype(np.float32)
    student = Adam(vectors)
    counts = counts_of(sentences, len(vectors))
    goals = unit(targets)
    order = random.permutation(len(sentences))
    held = order[: max(1, round(HELD_BACK * len(order)))]
    taught = order[len(held) :]
    batch = min(BATCH, len(taught))
    steps = EPOCHS * (len(taught) // batch)
    report(f"before: cosine {mean_cosine(vectors, counts[held], goals[held]):.4f}")
    step = 0
    for epoch in range(EPOCHS):
        random.shuffle(taught)
        for at in range(0, len(taught) - batch + 1, batch):
            rows = taught[at : at + batch]
            codes, gradient = gradient_of(vectors, counts[rows], goals[rows])
            student.step(codes, gradient, RATE * (1 - step / steps))
            step += 1
        cosine = mean_cosine(vectors, counts[held], goals[held])
        report(f"epoch {epoch + 1}: cosine {cosine:.4f} on {len(held)} sentences held back")
    return vectors


class Adam:
    """Adam over the rows of a matrix, which it changes in place."""

    def __init__(self, rows: np.ndarray) -> None:
        self._rows = rows
        self._mean = np.zeros_like(rows)
        self._square = np.zeros_like(rows)
        self._steps = 0

    def step(self, codes: np.ndarray, gradient: np.ndarray, rate: float) -> None:
        """Moves some rows against their gradient."""
        self._steps += 1
        mean = 0.9 * self._mean[codes] + 0.1 * gradient
        square = 0.999 * self._square[codes] + 0.001 * gradient * gradient
        self._mean[codes], self._square[codes] = mean, square
        size = rate * np.sqrt(1 - 0.999**self._steps) / (1 - 0.9**self._steps)
        self._rows[codes] -= (size * mean / (np.sqrt(square) + 1e-8)).astype(np.float32)


def counts_of(sentences: list[list[int]], tokens: int) -> csr_matrix:
    """Returns the number of times that each sentence holds each token."""
    codes = [code for sentence in sentences for code in sentence]
    ends = np.cumsum([0, *map(len, sentences)])
    shape = (len(sentences), tokens)
    counts = csr_matrix((np.ones(len(codes), np.float32), codes, ends), shape)
    counts.sum_duplicates()
    return counts


def gradient_of(vectors: np.ndarray, counts: csr_matrix, goals: np.ndarray):
    """Returns the tokens of some sentences, and the gradient of the mean loss for each."""
    sums = counts @ vectors
    lengths = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)
    directions = sums / lengths
    cosines = (directions * goals).sum(axis=1, keepdims=True)
    of_sums = (cosines * directions - goals) / lengths / len(goals)
    codes = np.unique(counts.indices)
    return codes, counts[:, codes].T @ of_sums


def mean_cosine(vectors: np.ndarray, counts: csr_matrix, goals: np.ndarray) -> float:
    """Returns the mean cosine of sums of vectors and their goals."""
    return float((unit(counts @ vectors) * goals).sum(axis=1).mean())
