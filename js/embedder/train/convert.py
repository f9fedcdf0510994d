"""Converts a table in the format STV1, with its vocabulary in JSON, to NOUSEMB1 or NOUSEMB2.

    python convert.py TABLE.bin TABLE.vocab.json OUTPUT.bin 8
    python convert.py TABLE.bin TABLE.vocab.json OUTPUT.bin 4

STV1 is little-endian: `STV1`, u32 rows, u32 dimensions, u32 1 (i8 rows with one f32 scale each),
the scales, the rows. Its vocabulary is a JSON array: token i belongs to row i.
"""

import json
import struct
import sys
from pathlib import Path

import numpy as np

from table import pack, quantised


def convert(table: bytes, tokens: list[str], bits: int) -> bytes:
    """Returns the bytes of the same table with rows of eight bits, or rounded to four."""
    magic, count, dimensions, kind = struct.unpack_from("<4sIII", table)
    if magic != b"STV1" or kind != 1:
        raise ValueError("the input must be a table STV1 of kind 1")
    if len(table) != 16 + count * (4 + dimensions):
        raise ValueError(f"{count} rows of {dimensions} need {16 + count * (4 + dimensions)} bytes")
    scales = np.frombuffer(table, "<f4", count, 16)
    rows = np.frombuffer(table, np.int8, count * dimensions, 16 + 4 * count)
    rows = rows.reshape(count, dimensions)
    if bits == 4:
        scales, rows = quantised(rows * scales[:, None], bits)
    return pack(tokens, scales, rows, bits)


if __name__ == "__main__":
    if len(sys.argv) != 5 or sys.argv[4] not in ("4", "8"):
        sys.exit(__doc__)
    source, vocabulary, output = map(Path, sys.argv[1:4])
    tokens = json.loads(vocabulary.read_text("utf-8"))
    output.write_bytes(convert(source.read_bytes(), tokens, int(sys.argv[4])))
