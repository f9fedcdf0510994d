"""Weights in few bits: rows with a scale each, and layers rounded for the texts that they will see.

Rounding each weight to the nearest step adds errors that texts sum up. The method of GPTQ (Frantar
and others, 2022) rounds the weights of a row one after the other: each time it moves those that
follow, so that they take up the error as well as the inputs of real texts allow.
"""

from collections.abc import Callable

import numpy as np

from teacher import CLS, LAYERS, SEP, Teacher

# Scales that are tried, as shares of the one at which the largest number of a row is not cut off.
SHARES = np.linspace(0.5, 1, 26)
# Added to the diagonal of the inputs' products, as a share of its mean: keeps them invertible.
DAMPING = 0.01


def rounded(rows: np.ndarray, scales: np.ndarray, least: int, largest: int) -> np.ndarray:
    """Returns rows in steps of their scales, rounded to whole numbers in [least, largest]."""
    return np.clip(np.rint(rows / scales[:, None]), least, largest)


def scales_of(rows: np.ndarray, least: int, largest: int) -> np.ndarray:
    """Returns the scale of each row, in f32, that leaves the smallest squared error."""
    tops = np.maximum(np.abs(rows).max(axis=1), 1e-12)
    best = np.full(len(rows), np.inf)
    scales = np.zeros(len(rows), np.float32)
    for share in SHARES:
        tried = (tops * share / largest).astype(np.float32)
        steps = rounded(rows, tried, least, largest)
        errors = ((steps * tried[:, None] - rows) ** 2).sum(axis=1)
        better = errors < best
        best[better] = errors[better]
        scales[better] = tried[better]
    return scales


def rounded_for(
    rows: np.ndarray, inputs: np.ndarray, bits: int
) -> tuple[np.ndarray, np.ndarray]:
    """Returns scales and steps of rows whose products with the inputs stay nearly the same."""
    largest = 2 ** (bits - 1) - 1
    scales = scales_of(rows, -largest, largest)
    wide = inputs.astype(np.float64)
    products = wide.T @ wide
    products += np.eye(len(products)) * DAMPING * np.trace(products) / len(products)
    # Row k says how an error of weight k is taken up by those after it.
    shifts = np.linalg.cholesky(np.linalg.inv(products)).T
    left = rows.astype(np.float64)
    steps = np.zeros(rows.shape, np.int8)
    for k in range(rows.shape[1]):
        column = np.clip(np.rint(left[:, k] / scales), -largest, largest)
        steps[:, k] = column
        errors = (left[:, k] - column * scales) / shifts[k, k]
        left[:, k + 1 :] -= errors[:, None] * shifts[k, k + 1 :]
    return scales, steps


class Rounding:
    """Rounds the layers of a model from the first to the last.

    Each layer sees the inputs that the rounded layers before it give. The model's weights become the
    rounded ones.
    """

    def __init__(self, teacher: Teacher, texts: list[list[int]], bits: int) -> None:
        self._teacher = teacher
        self._bits = bits
        self.rows: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        lengths = sorted({len(text) for text in texts})
        self._states = [
            teacher.first(np.array([[CLS, *text, SEP] for text in texts if len(text) == length]))
            for length in lengths
        ]

    def run(self, say: Callable[[str], None]) -> None:
        """Rounds all layers. `rows` then holds scales and steps by the name of the weights."""
        teacher = self._teacher
        for layer in range(LAYERS):
            name = f"encoder.layer.{layer}"
            heads = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
            self._round(heads, self._states)
            contexts = [teacher.context(state, name) for state in self._states]
            self._round([f"{name}.attention.output.dense"], contexts)
            both = zip(self._states, contexts, strict=True)
            self._states = [teacher.attended(state, context, name) for state, context in both]
            self._round([f"{name}.intermediate.dense"], self._states)
            inner = [teacher.inner(state, name) for state in self._states]
            self._round([f"{name}.output.dense"], inner)
            both = zip(self._states, inner, strict=True)
            self._states = [teacher.after(state, numbers, name) for state, numbers in both]
            say(f"layer {layer + 1} of {LAYERS} is rounded")

    def _round(self, names: list[str], inputs: list[np.ndarray]) -> None:
        """Rounds weights that share their inputs."""
        weights = self._teacher.weights
        flat = np.concatenate([state.reshape(-1, state.shape[-1]) for state in inputs])
        together = np.concatenate([weights[f"{name}.weight"] for name in names])
        scales, steps = rounded_for(together, flat, self._bits)
        parts = len(names)
        for name, scale, step in zip(
            names, np.split(scales, parts), np.split(steps, parts), strict=True
        ):
            self.rows[name] = (scale, step)
            weights[f"{name}.weight"] = step * scale[:, None]
