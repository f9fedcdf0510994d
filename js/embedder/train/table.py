"""The formats NOUSEMB1 and NOUSEMB2 of token tables: little-endian.

    8 bytes                 NOUSEMB1 for rows of eight bits, NOUSEMB2 for rows of four
    u32, u32, u32           tokens, dimensions, bytes of the vocabulary
    vocabulary              tokens in UTF-8, joined by line feeds; zeros up to a multiple of 4
    f32 for each token      its scale
    rows of eight bits      dimensions for each token, i8 in [-127, 127]
    rows of four bits       dimensions for each token, each plus 8; of sixteen numbers in [-8, 7]
                            byte i holds number i in its low half, number i + 8 in its high half
"""

import struct

import numpy as np

MAGIC = {8: b"NOUSEMB1", 4: b"NOUSEMB2"}
LARGEST = {8: 127, 4: 7}


def quantised(vectors: np.ndarray, bits: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns a scale for each vector, and the vectors in steps of their scales, rounded."""
    scales = (np.abs(vectors).max(axis=1) / LARGEST[bits]).astype(np.float32)
    steps = np.where(scales == 0, 1, scales)[:, None]
    return scales, np.clip(np.rint(vectors / steps), -LARGEST[bits], LARGEST[bits]).astype(np.int8)


def pack(tokens: list[str], scales: np.ndarray, rows: np.ndarray, bits: int) -> bytes:
    """Returns the bytes of a table with rows of eight or four bits. Row i belongs to token i."""
    is_wrong = [token in ("", "##") or "\n" in token for token in tokens]
    if len(set(tokens)) != len(tokens) or any(is_wrong):
        raise ValueError("tokens must differ, and hold a character and no line feed")
    if scales.shape != (len(tokens),) or rows.shape[:1] != (len(tokens),):
        raise ValueError(f"{len(tokens)} tokens need as many scales and rows")
    largest = LARGEST[bits]
    if rows.dtype != np.int8 or rows.min() < -largest or rows.max() > largest:
        raise ValueError(f"rows of {bits} bits must be i8 from -{largest} to {largest}")
    if rows.shape[1] % 16 != 0:
        raise ValueError("dimensions must be a multiple of 16")
    vocabulary = "\n".join(tokens).encode()
    head = MAGIC[bits] + struct.pack("<III", len(tokens), rows.shape[1], len(vocabulary))
    padding = bytes(-len(vocabulary) % 4)
    return head + vocabulary + padding + scales.astype("<f4").tobytes() + packed(rows, bits)


def packed(rows: np.ndarray, bits: int) -> bytes:
    """Returns the bytes of rows."""
    if bits == 8:
        return rows.tobytes()
    halves = (rows + 8).astype(np.uint8).reshape(-1, 2, 8)
    return (halves[:, 0] | halves[:, 1] << 4).tobytes()


def unpack(table: bytes) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Returns tokens, scales and rows of a table that `pack` wrote."""
    bits = next((bits for bits, magic in MAGIC.items() if table[:8] == magic), None)
    if bits is None:
        raise ValueError("a table begins with NOUSEMB1 or NOUSEMB2")
    count, dimensions, size = struct.unpack_from("<III", table, 8)
    tokens = table[20 : 20 + size].decode().split("\n")
    at = 20 + size + -size % 4
    scales = np.frombuffer(table, "<f4", count, at)
    length = count * dimensions * bits // 8
    rows = np.frombuffer(table, np.uint8, length, at + 4 * count)
    if bits == 8:
        return tokens, scales, rows.view(np.int8).reshape(count, dimensions)
    halves = np.stack([rows.reshape(-1, 8) & 15, rows.reshape(-1, 8) >> 4], axis=1)
    return tokens, scales, halves.astype(np.int8).reshape(count, dimensions) - np.int8(8)
