"""The format NOUSMLM1 of the model file: little-endian, without gaps.

    8 bytes               NOUSMLM1
    u32, u32, u32         tokens, places, layers
    u32, u32              bits of a weight (6 or 8), bytes of the vocabulary
    vocabulary            tokens in UTF-8, joined by line feeds; zeros up to a multiple of 4
    f32 for each token    its scale
    rows of four bits     384 numbers for each token, each plus 8; of sixteen numbers byte i holds
                          number i in its low half, number i + 8 in its high half
    f32                   384 numbers for each place
    norm                  of the sum of both
    layers                linear: query, key and value, 384 to 1,152; linear: 384 to 384; norm;
                          linear: 384 to 1,536; linear: 1,536 to 384; norm
    u64                   XXH64 of all bytes before

A norm is 384 f32 weights and 384 f32 biases. A linear is a f32 scale for each output, a f32 bias for
each output, and a row of weights for each output: i8, or six bits each plus 32, of which four stand
in three bytes, the first in the lowest bits.
"""

import struct

import numpy as np
import xxhash

from table import packed as packed_words

MAGIC = b"NOUSMLM1"


def numbers(values: np.ndarray) -> bytes:
    """Returns the bytes of f32 numbers."""
    return values.astype("<f4").tobytes()


def packed(steps: np.ndarray, bits: int) -> bytes:
    """Returns the bytes of rows of weights."""
    if bits == 8:
        return steps.astype(np.int8).tobytes()
    fours = (steps.astype(np.int32) + 32).reshape(-1, 4) << np.array([0, 6, 12, 18])
    return fours.sum(axis=1).astype("<u4").view(np.uint8).reshape(-1, 4)[:, :3].tobytes()


def linear(rows: tuple[np.ndarray, np.ndarray], bias: np.ndarray, bits: int) -> bytes:
    """Returns the bytes of a linear layer with these scales and steps."""
    scales, steps = rows
    return numbers(scales) + numbers(bias) + packed(steps, bits)


def head(tokens: list[str], places: int, layers: int, bits: int) -> bytes:
    """Returns the bytes up to the scales of tokens."""
    vocabulary = "\n".join(tokens).encode()
    sizes = struct.pack("<5I", len(tokens), places, layers, bits, len(vocabulary))
    return MAGIC + sizes + padded(vocabulary)


def padded(content: bytes) -> bytes:
    """Returns bytes with zeros up to a multiple of 4."""
    return content + bytes(-len(content) % 4)


def words(scales: np.ndarray, rows: np.ndarray) -> bytes:
    """Returns the bytes of the scales and rows of tokens, in [-8, 7]."""
    return numbers(scales) + packed_words(rows.astype(np.int8), 4)


def closed(content: bytes) -> bytes:
    """Returns the whole file."""
    return content + struct.pack("<Q", xxhash.xxh64_intdigest(content))
