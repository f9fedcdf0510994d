"""Writes the model file of nous-minilm from the published weights of all-MiniLM-L6-v2.

    python export.py --wordnet FOLDER --output FILE [--texts 1200] [--bits 6] [--seed 1]

On one machine the same seed gives the same bytes; another may round products of matrices
differently.
"""

import argparse
import re
import sys
import time
from hashlib import sha256
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[2] / "embedder" / "train"))
sys.dont_write_bytecode = True
from file import closed, head, linear, numbers, words  # noqa: E402
from rounding import Rounding, rounded, scales_of  # noqa: E402
from teacher import HEAD, LAYERS, WIDTH, Teacher, model_folder  # noqa: E402
from wordnet import definitions_and_examples  # noqa: E402
from wordpiece import WordPiece  # noqa: E402

SOURCE = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
# The places of a text: its word pieces, with the one before and the one after all words.
PLACES = 256
# The most word pieces of a text from which rounding learns.
MAX_PIECES = 62
# Texts of random word pieces, for each natural one, and how many of their pieces are unknown words.
ODD_SHARE = 0.25
UNKNOWN_SHARE = 0.3
BEGUN = time.monotonic()


def say(line: str) -> None:
    """Prints a line with the seconds since the start."""
    print(f"{time.monotonic() - BEGUN:6.0f} s  {line}", flush=True)


def kept_tokens(vocabulary: list[str]) -> list[int]:
    """Returns the codes of all tokens but those that the model never learned."""
    unused = re.compile(r"\[unused\d+\]")
    return [code for code, token in enumerate(vocabulary) if not unused.fullmatch(token)]


def natural_texts(
    vocabulary: list[str], wordnet: Path, count: int, random: np.random.Generator
) -> list[list[int]]:
    """Returns texts of WordNet as codes."""
    wordpiece = WordPiece(vocabulary)
    texts = list(definitions_and_examples(wordnet))
    chosen = (wordpiece.codes(texts[place]) for place in random.permutation(len(texts)))
    pieces = (codes[:MAX_PIECES] for codes in chosen if codes)
    return [codes for codes, _ in zip(pieces, range(count), strict=False)]


def odd_texts(vocabulary: list[str], count: int, random: np.random.Generator) -> list[list[int]]:
    """Returns texts of random word pieces as codes: names, other scripts, and words without pieces."""
    kept = kept_tokens(vocabulary)
    unknown = vocabulary.index("[UNK]")
    texts = []
    for _ in range(count):
        length = random.integers(1, 20)
        codes = random.choice(kept, length)
        codes[random.random(length) < UNKNOWN_SHARE] = unknown
        texts.append(codes.tolist())
    return texts


def word_rows(teacher: Teacher) -> tuple[np.ndarray, np.ndarray]:
    """Returns scales and rows of words in four bits, which the teacher then has, too."""
    rows = teacher.weights["embeddings.word_embeddings.weight"]
    scales = scales_of(rows, -8, 7)
    steps = rounded(rows, scales, -8, 7)
    teacher.weights["embeddings.word_embeddings.weight"] = (steps * scales[:, None]).astype("f4")
    return scales, steps


def layer(teacher: Teacher, rows: dict, name: str, bits: int) -> bytes:
    """Returns the bytes of a layer. The queries carry the factor of the products of heads."""
    weights = teacher.weights

    def norm(part: str) -> bytes:
        return numbers(weights[f"{name}.{part}.weight"]) + numbers(weights[f"{name}.{part}.bias"])

    def dense(part: str) -> bytes:
        return linear(rows[f"{name}.{part}"], weights[f"{name}.{part}.bias"], bits)

    heads = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
    factors = [np.float32(1 / np.sqrt(HEAD)), np.float32(1), np.float32(1)]
    both = list(zip(heads, factors, strict=True))
    scales = np.concatenate([rows[head][0] * factor for head, factor in both])
    steps = np.concatenate([rows[head][1] for head in heads])
    biases = np.concatenate([weights[f"{head}.bias"] * factor for head, factor in both])
    parts = [
        linear((scales, steps), biases, bits),
        dense("attention.output.dense"),
        norm("attention.output.LayerNorm"),
        dense("intermediate.dense"),
        dense("output.dense"),
        norm("output.LayerNorm"),
    ]
    return b"".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--output", type=Path, required=True, help="the model file")
    parser.add_argument("--wordnet", type=Path, required=True, help="folder of data.noun")
    parser.add_argument("--texts", type=int, default=1200, help="natural ones from which rounding learns")
    parser.add_argument("--bits", type=int, default=6, choices=[6, 8], help="of a weight")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    source = (model_folder() / "model.safetensors").read_bytes()
    if sha256(source).hexdigest() != SOURCE:
        raise SystemExit(f"model.safetensors must have the SHA-256 {SOURCE}")
    random = np.random.default_rng(options.seed)

    teacher = Teacher()
    vocabulary = teacher.vocabulary
    texts = natural_texts(vocabulary, options.wordnet, options.texts, random)
    texts += odd_texts(vocabulary, int(ODD_SHARE * options.texts), random)
    say(f"{len(texts)} texts of {sum(map(len, texts))} word pieces")
    scales, steps = word_rows(teacher)
    rounding = Rounding(teacher, texts, options.bits)
    rounding.run(say)

    kept = kept_tokens(vocabulary)
    weights = teacher.weights
    places = weights["embeddings.position_embeddings.weight"][:PLACES]
    kind = weights["embeddings.token_type_embeddings.weight"][0]
    norm = [weights[f"embeddings.LayerNorm.{part}"] for part in ("weight", "bias")]
    assert steps.shape[1] == WIDTH
    parts = [
        head([vocabulary[code] for code in kept], PLACES, LAYERS, options.bits),
        words(scales[kept], steps[kept]),
        numbers(places + kind),
        *map(numbers, norm),
    ]
    for number in range(LAYERS):
        parts.append(layer(teacher, rounding.rows, f"encoder.layer.{number}", options.bits))
    content = closed(b"".join(parts))
    options.output.write_bytes(content)
    say(f"{options.output}: {len(content)} bytes, SHA-256 {sha256(content).hexdigest()}")


if __name__ == "__main__":
    main()
