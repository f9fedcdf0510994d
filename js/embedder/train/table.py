"""The format NOUSEMB1 of token tables: little-endian.

    8 bytes                 NOUSEMB1
    u32, u32, u32           tokens, dimensions, bytes of the vocabulary
    vocabulary              tokens in UTF-8, joined by line feeds; zeros up to a multiple of 4
    f32 for each token      its scale
    i8 rows                 dimensions for each token, in [-127, 127]
"""

import struct

import numpy as np

MAGIC = b"NOUSEMB1"


def pack(tokens: list[str], scales: np.ndarray, rows: np.ndarray) -> bytes:
    """Returns the bytes of a table. Row i belongs to token i."""
    is_wrong = [token in ("", "##") or "\n" in token for token in tokens]
    if len(set(tokens)) != len(tokens) or any(is_wrong):
        raise ValueError("tokens must differ, and hold a character and no line feed")
    if scales.shape != (len(tokens),) or rows.shape[:1] != (len(tokens),):
        raise ValueError(f"{len(tokens)} tokens need as many scales and rows")
    if rows.dtype != np.int8 or rows.min() < -127 or rows.shape[1] % 16 != 0:
        raise ValueError("rows must be i8 from -127 on, with dimensions in steps of 16")
    vocabulary = "\n".join(tokens).encode()
    head = MAGIC + struct.pack("<III", len(tokens), rows.shape[1], len(vocabulary))
    padding = bytes(-len(vocabulary) % 4)
    return head + vocabulary + padding + scales.astype("<f4").tobytes() + rows.tobytes()


def unpack(table: bytes) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Returns tokens, scales and rows of a table that `pack` wrote."""
    if table[:8] != MAGIC:
        raise ValueError("a table begins with NOUSEMB1")
    count, dimensions, size = struct.unpack_from("<III", table, 8)
    tokens = table[20 : 20 + size].decode().split("\n")
    at = 20 + size + -size % 4
    scales = np.frombuffer(table, "<f4", count, at)
    rows = np.frombuffer(table, np.int8, count * dimensions, at + 4 * count)
    return tokens, scales, rows.reshape(count, dimensions)
