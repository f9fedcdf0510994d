"""Records tokens and vectors of texts, and roles of characters, by the library `tokenizers`.

    pip install numpy tokenizers==0.23.3
    python tests/golden/embed/record.py          # writes tokens and vectors of texts here
    python tests/golden/embed/record.py roles    # prints the tables of src/embed/characters.rs

The texts are generated from a seed. Vectors are added up with numpy, each sum rounded to f32, in
the order that src/embed/table.rs documents.
"""

import gzip
import json
import random
import sys
import unicodedata
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
TABLES = ROOT / "js" / "embedder" / "tables"
sys.path.append(str(ROOT / "js" / "embedder" / "train"))
sys.dont_write_bytecode = True
from table import unpack  # noqa: E402

NORMALIZER = normalizers.BertNormalizer(
    clean_text=True, handle_chinese_chars=True, strip_accents=True, lowercase=True
)
NFD = normalizers.NFD()
PRE_TOKENIZER = pre_tokenizers.BertPreTokenizer()
SURROGATES = range(0xD800, 0xE000)
TEXTS = 20_000
# A table, the texts whose tokens are recorded, and those of them whose vectors are.
RECORDED = {"nous-128": (TEXTS, 200), "nous-256": (0, 50), "multilingual-128": (2_000, 200)}


def words_of(text: str) -> list[str]:
    """Returns the words of a text."""
    return [word for word, _ in PRE_TOKENIZER.pre_tokenize_str(NORMALIZER.normalize_str(text))]


def wordpiece(tokens: list[str]) -> Tokenizer:
    """Returns a tokenizer for which [UNK] is 0 and token i is i + 1."""
    codes = {"[UNK]": 0} | {token: code for code, token in enumerate(tokens, 1)}
    model = models.WordPiece(codes, unk_token="[UNK]", max_input_chars_per_word=100)
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = NORMALIZER
    tokenizer.pre_tokenizer = PRE_TOKENIZER
    return tokenizer


# Roles of characters


def role(code: int) -> str:
    """Returns the role of a character, by its effect between two letters."""
    normal = NORMALIZER.normalize_str(f"a{chr(code)}b")
    parts = len(PRE_TOKENIZER.pre_tokenize_str(normal))
    if normal == "ab":
        return "dropped"
    if parts == 2:
        return "space"
    if parts == 3:
        return "ideograph" if normal[1] == " " else "mark"
    return "letter"


def print_roles() -> None:
    """Prints, for each role, the borders of its ranges beyond ASCII."""
    roles = {code: role(code) for code in range(128, 0x110000) if code not in SURROGATES}
    for kind in ("dropped", "mark", "space", "ideograph"):
        borders = [
            code
            for code in range(128, 0x110001)
            if (roles.get(code) == kind) != (code > 128 and roles.get(code - 1) == kind)
        ]
        print(kind, len(borders), ", ".join(f"0x{code:X}" for code in borders))


# Texts


def is_settled(character: str) -> bool:
    """Whether the library and Python decompose and order a character alike, if it is assigned."""
    text = f"a{character}\u0334"
    is_assigned = unicodedata.category(character) != "Cn" or ord(character) & 0xFFFE == 0xFFFE
    return is_assigned and NFD.normalize_str(text) == unicodedata.normalize("NFD", text)


SCRIPTS = {
    "greek": [(0x370, 0x3FF), (0x1F00, 0x1FFF)],
    "cyrillic": [(0x400, 0x52F)],
    "armenian and hebrew": [(0x531, 0x5F4)],
    "arabic": [(0x600, 0x6FF), (0xFE70, 0xFEFC)],
    "indic": [(0x900, 0xDF4)],
    "thai and lao": [(0xE00, 0xEDF)],
    "tibetan and burmese": [(0xF00, 0x109F)],
    "georgian and ethiopic": [(0x10A0, 0x10FF), (0x1200, 0x1399), (0x1C90, 0x1CBF)],
    "jamo": [(0x1100, 0x11FF), (0x3130, 0x318F), (0xA960, 0xA97F), (0xD7B0, 0xD7FB)],
    "hangul": [(0xAC00, 0xD7A3)],
    "khmer and mongolian": [(0x1780, 0x18AA)],
    "kana": [(0x3040, 0x30FF), (0xFF66, 0xFF9F)],
    "han": [(0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0xF900, 0xFAD9), (0x2F800, 0x2FA1D)],
    "latin": [(0xA0, 0x24F), (0x1E00, 0x1EFF), (0x2C60, 0x2C7F), (0xA720, 0xA7FF)],
    "letterlike and full width": [(0x2100, 0x218B), (0xFF00, 0xFFEF), (0xFB00, 0xFB4F)],
    "mathematical": [(0x1D400, 0x1D7FF), (0x2460, 0x24FF)],
    "symbols": [(0x2000, 0x206F), (0x20A0, 0x20C0), (0x2190, 0x2BFF), (0x3000, 0x303F)],
    "cased beyond the first plane": [(0x10400, 0x1044F), (0x104B0, 0x104FB), (0x1E900, 0x1E95F)],
}
EMOJI = [0x1F600, 0x1F44B, 0x1F468, 0x1F469, 0x2764, 0x1F3F3, 0x1F1E9, 0x1F1EA, 0x1F9D1, 0x261D]
JOINERS = [0x200D, 0xFE0F, 0x1F3FB, 0x1F3FF, 0x20E3, 0xE0067]
CONTROLS = [*range(0x20), 0x7F, 0x85, 0x9F, 0xAD, 0x200B, 0x200E, 0x2028, 0x2029, 0xFEFF, 0xFFFD]
BLANKS = [0x20, 0x20, 0x20, 0xA0, 0x2003, 0x3000, 0x9, 0xA]
LETTERS_WITH_CASES = "İıßẞΣςσÅÅKſǅﬃŉΐᾼ"


class Texts:
    """A generator of texts."""

    def __init__(self, tokens: list[str], seed: int):
        self.random = random.Random(seed)
        self.starts = [token for token in tokens if not token.startswith("##")]
        self.pieces = [token[2:] for token in tokens if token.startswith("##")]

    def character(self, ranges: list[tuple[int, int]]) -> str:
        """Returns a character that every edition of Unicode since 14 decomposes alike.

        Its range is one of these, unless the range holds none.
        """
        for _ in range(50):
            first, last = self.random.choice(ranges)
            character = chr(self.random.randint(first, last))
            if is_settled(character):
                return character
        return "-"

    def word(self) -> str:
        """Returns a word of tokens: often one token, sometimes in capitals or with accents."""
        word = self.random.choice(self.starts)
        for _ in range(self.random.choice([0, 0, 0, 1, 1, 2])):
            word += self.random.choice(self.pieces)
        cased = self.random.choice([str, str, str.title, str.upper])(word)
        if self.random.random() < 0.1:
            at = self.random.randint(0, len(cased))
            cased = cased[:at] + chr(self.random.randint(0x300, 0x345)) + cased[at:]
        return cased

    def english(self) -> str:
        between = [" ", " ", " ", ", ", ". ", "-", "'", "/", "  ", ": ", "_", "\n"]
        count = self.random.randint(1, 9)
        return "".join(self.word() + self.random.choice(between) for _ in range(count)).strip(" ")

    def of_script(self, ranges: list[tuple[int, int]]) -> str:
        """Returns words of one script, sometimes with an English one between them."""
        words = []
        for _ in range(self.random.randint(1, 4)):
            length = self.random.randint(1, 7)
            words.append("".join(self.character(ranges) for _ in range(length)))
        if self.random.random() < 0.3:
            words.insert(self.random.randint(0, len(words)), self.word())
        return chr(self.random.choice(BLANKS)).join(words)

    def of_page(self, first: int) -> str:
        """Returns characters among 64 neighbours."""
        return self.of_script([(first, first + 63)])

    def marked(self) -> str:
        """Returns letters with up to three combining marks, and letters with odd cases."""
        text = ""
        for _ in range(self.random.randint(2, 8)):
            text += self.random.choice([*LETTERS_WITH_CASES, *"aeiouncAEIOUNC "])
            for _ in range(self.random.randint(0, 3)):
                text += self.character([(0x300, 0x36F), (0x1AB0, 0x1ABD), (0x20D0, 0x20DC)])
        return text

    def emoji(self) -> str:
        text = self.word() + self.random.choice([" ", ""])
        for _ in range(self.random.randint(1, 5)):
            text += chr(self.random.choice(EMOJI))
            text += chr(self.random.choice(JOINERS)) * self.random.randint(0, 2)
        return text + self.random.choice([" ", ""]) + self.word()

    def controlled(self) -> str:
        """Returns words with controls and blanks within and between them."""
        text = "".join(self.random.choice([self.word(), ""]) + "ab" for _ in range(3))
        for _ in range(self.random.randint(1, 5)):
            at = self.random.randint(0, len(text))
            text = text[:at] + chr(self.random.choice(CONTROLS + BLANKS)) + text[at:]
        return text

    def long(self) -> str:
        """Returns a word of about 100 characters."""
        length = self.random.choice([99, 100, 101, 102, 250])
        letter = self.random.choice(["a", "é", "x", "İ", "1"])
        return letter * length + self.random.choice([" end", "!", "\u0301"])

    def all(self) -> list[str]:
        """Returns texts of every kind, in a mixed order."""
        pages = [page for page in range(0x80, 0x3140, 0x40)]
        pages += [page for page in range(0xA000, 0xAC00, 0x40)]
        pages += [page for page in range(0xD780, 0x1FFC0, 0x40) if page not in SURROGATES]
        pages += [0x20000, 0x2A6C0, 0x2A700, 0x2B700, 0x2B800, 0x2CEA0, 0x2F800, 0x2FA00, 0x30000]
        pages += [0xE0000, 0xE0100, 0xE01C0, 0xF0000, 0x10FFC0]
        texts = ["", " ", "\u0301", "?!", "\ufeff", "a", "##ing", "[UNK]", "[CLS] a"]
        texts += [self.of_page(page) for page in pages for _ in range(3)]
        texts += [self.of_script(ranges) for ranges in SCRIPTS.values() for _ in range(350)]
        texts += [self.marked() for _ in range(1200)]
        texts += [self.emoji() for _ in range(600)]
        texts += [self.controlled() for _ in range(1200)]
        texts += [self.long() for _ in range(40)]
        texts += [self.english() for _ in range(TEXTS - len(texts))]
        self.random.shuffle(texts)
        return texts


# Vectors


def total(squares: np.ndarray) -> np.float32:
    """Returns the sum of products in 16 lanes, each addition rounded to f32."""
    lanes = np.zeros(16, np.float32)
    for block in squares.reshape(-1, 16):
        lanes += block
    for half in (8, 4, 2, 1):
        lanes[:half] += lanes[half : 2 * half]
    return lanes[0]


def embed(words: list[str], codes: list[list[int]], scales: np.ndarray, rows: np.ndarray):
    """Returns coverage and vector of a text, from its words and the codes of their tokens."""
    vector = np.zeros(rows.shape[1], np.float32)
    for code in (code for word in codes for code in word):
        vector += scales[code] * rows[code].astype(np.float32)
    is_mark = [role(ord(word)) == "mark" if len(word) == 1 else False for word in words]
    counted = [bool(found) for found, mark in zip(codes, is_mark, strict=True) if not mark]
    length = np.sqrt(np.float64(total(vector * vector)))
    if not any(counted) or length == 0:
        return 0.0, np.zeros_like(vector)
    return sum(counted) / len(counted), (vector.astype(np.float64) / length).astype(np.float32)


def write(name: str, content: object) -> None:
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    (HERE / name).write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def record() -> None:
    """Writes texts with their words and tokens, and texts with their vectors."""
    for name, (tokenised, embedded) in RECORDED.items():
        tokens, scales, rows = unpack((TABLES / f"{name}.bin").read_bytes())
        tokenizer = wordpiece(tokens)
        texts = Texts(tokens, 30).all()
        assert len(texts) == TEXTS
        recorded = []
        vectors = []
        for place, text in enumerate(texts[: max(tokenised, embedded)]):
            words = words_of(text)
            # The tokens of each word by itself. -1 stands for a word that tokens do not cover.
            codes = [[code - 1 for code in tokenizer.encode(word).ids] for word in words]
            together = [code - 1 for code in tokenizer.encode(text).ids]
            assert [code for word in codes for code in word] == together, text
            recorded.append([text, " ".join(words), together])
            if place < embedded:
                covered = [[] if word == [-1] else word for word in codes]
                coverage, vector = embed(words, covered, scales, rows)
                vectors.append([text, coverage, vector.view(np.uint32).tolist()])
        if tokenised > 0:
            write(f"tokens-{name}.json.gz", recorded)
        write(f"vectors-{name}.json.gz", vectors)


if __name__ == "__main__":
    print_roles() if sys.argv[1:] == ["roles"] else record()
