"""Writes an adapter file of nous-minilm from arrays of numbers.

It has the format NOUSMLA1, for pairs of texts, or NOUSMLQ1, for questions, if there is no array
`rows`.

    python adapter.py TENSORS.npz --model minilm-l6.bin --output replacing.bin

The formats are little-endian, without gaps. What is marked by * is in NOUSMLA1 alone:

    8 bytes               NOUSMLA1 or NOUSMLQ1
    u32                   upper half of the hash of the model file, as in the name of the model
    u32                   layers
    f32 *                 384 numbers that the first state of a token of the first text gains, then of
                          one of the second
    layers                four pairs of linears: of query, key and value, of what follows them, of the
                          inner layer and of the outer one; the norm after attention, the norm at the
                          end
    f32 *                 head: 384 shares of the last state of [CLS], 384 of the mean of all
    f32 *                 bias of the head
    u64                   XXH64 of all bytes before

A pair is its rank (u32) and two linears, from the inputs to as many numbers as the rank, and from
these to the outputs. Linears, of eight bits, and norms are those of `file.py`.

The arrays, for each layer *i* from 0 on:

    rows (2, 384) *                           the token types, less that of the model: its places have 0
    i.heads.down (rank, 384)                  and `.up` (1152, rank), `.bias` (1152,): query, key, value
    i.attended.down, i.inner.down, i.outer.down        likewise, 384 to 384, to 1536, and back to 384
    i.attended_norm.weight, .bias (384,)      and i.outer_norm: in place of the model's
    head (768,), bias (1,) *

`up` and `bias` of a query come as they are trained. Here they get the factor of the products of
heads, which the model file has in the weights of its queries.
"""

import argparse
import struct
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import xxhash

sys.path.append(str(Path(__file__).parents[2] / "embedder" / "train"))
sys.dont_write_bytecode = True
from file import closed, linear, numbers  # noqa: E402

PAIRS, QUESTIONS = b"NOUSMLA1", b"NOUSMLQ1"
MODEL = b"NOUSMLM1"
WIDTH = 384
INNER = 4 * WIDTH
LAYERS = 6
# Components of a head of attention.
HEAD = 32
# Inputs and outputs of the linears that an adapter adds to, in their order.
SHAPES = {
    "heads": (WIDTH, 3 * WIDTH),
    "attended": (WIDTH, WIDTH),
    "inner": (WIDTH, INNER),
    "outer": (INNER, WIDTH),
}
NORMS = ("attended_norm", "outer_norm")
RANKS = range(8, 65, 8)
LARGEST = 127

Tensors = Mapping[str, np.ndarray]


def taken(tensors: Tensors, name: str, *shape: int) -> np.ndarray:
    """Returns the array with this name, in f32, if it has this shape and finite numbers."""
    if name not in tensors:
        raise SystemExit(f"{name} is missing")
    found = tensors[name]
    if found.shape != shape:
        raise SystemExit(f"{name} must have the shape {shape}, found {found.shape}")
    if not np.isfinite(found).all():
        raise SystemExit(f"{name} must have finite numbers")
    return found.astype(np.float32)


def steps_of(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns the scale of each row, and the row in steps of it."""
    scales = (np.abs(rows).max(axis=1) / LARGEST).astype(np.float32)
    # A file has no smaller scale but 0. Such a row is next to nothing.
    scales[scales < 1e-12] = 0
    safe = np.where(scales > 0, scales, 1)
    steps = np.clip(np.rint(rows / safe[:, None]), -LARGEST, LARGEST)
    return scales, np.where(scales[:, None] > 0, steps, 0)


def low_rank(tensors: Tensors, layer: int, part: str) -> bytes:
    """Returns the bytes of a pair of linears."""
    inputs, outputs = SHAPES[part]
    name = f"{layer}.{part}"
    rank = len(tensors[f"{name}.down"]) if f"{name}.down" in tensors else RANKS[0]
    if rank not in RANKS:
        raise SystemExit(f"{name}.down must have a multiple of 8 of rows, 64 at most, found {rank}")
    down = taken(tensors, f"{name}.down", rank, inputs)
    up = taken(tensors, f"{name}.up", outputs, rank)
    bias = taken(tensors, f"{name}.bias", outputs)
    if part == "heads":
        factor = np.float32(1 / np.sqrt(HEAD))
        up[:WIDTH] *= factor
        bias[:WIDTH] *= factor
    none = np.zeros(rank, np.float32)
    both = linear(steps_of(down), none, 8) + linear(steps_of(up), bias, 8)
    return struct.pack("<I", rank) + both


def adapter(tensors: Tensors, model: bytes) -> bytes:
    """Returns the bytes of the adapter file for a model file."""
    content, stored = model[:-8], model[-8:]
    digest = xxhash.xxh64_intdigest(content)
    if not model.startswith(MODEL) or stored != struct.pack("<Q", digest):
        raise SystemExit(f"the model must be a whole file in the format {MODEL.decode()}")
    reads_pairs = "rows" in tensors
    magic = PAIRS if reads_pairs else QUESTIONS
    parts = [magic + struct.pack("<2I", digest >> 32, LAYERS)]
    if reads_pairs:
        parts.append(numbers(taken(tensors, "rows", 2, WIDTH)))
    for layer in range(LAYERS):
        parts += [low_rank(tensors, layer, part) for part in SHAPES]
        for norm in NORMS:
            parts += [
                numbers(taken(tensors, f"{layer}.{norm}.{part}", WIDTH))
                for part in ("weight", "bias")
            ]
    if reads_pairs:
        parts += [numbers(taken(tensors, "head", 2 * WIDTH)), numbers(taken(tensors, "bias", 1))]
    return closed(b"".join(parts))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tensors", type=Path, help="the arrays, as numpy.savez writes them")
    parser.add_argument("--model", type=Path, required=True, help="the model file")
    parser.add_argument("--output", type=Path, required=True, help="the adapter file")
    options = parser.parse_args()
    with np.load(options.tensors) as tensors:
        content = adapter(tensors, options.model.read_bytes())
    options.output.write_bytes(content)
    (digest,) = struct.unpack("<Q", content[-8:])
    family = "replacing" if content.startswith(PAIRS) else "asking"
    print(f"{options.output}: {len(content)} bytes, {family}-{WIDTH}-{digest >> 32:08x}")


if __name__ == "__main__":
    main()
