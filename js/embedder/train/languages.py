"""Words, tokens and sentences of English, German, French, Spanish and Japanese.

Words are the pieces that the teacher's tokenizer knows, since these have shares. A piece in Latin
letters belongs to the languages whose lists of word forms hold it. A piece of one of the
tokenizer's other languages is left out; a piece of no list is a name, and belongs to English.

Sentences are made as in `sentences.py`, in one language each, except that some neighbours of the
seed word come from all languages: the teacher's vectors of translations are near each other.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from dataclasses import dataclass

import numpy as np
import simplemma

from sentences import shares
from teacher import unit
from wordpiece import bare

LATIN = ("en", "de", "fr", "es")
LANGUAGES = (*LATIN, "ja")
# The shares of sentences.
OF_LANGUAGES = (0.32, 0.18, 0.15, 0.15, 0.2)
OTHERS = ("it", "nl", "pl", "pt", "tr")
HAN = "\u4e00-\u9fff々"
KANA = "\u3041-\u3096\u30a1-\u30fa\u30fc"
JAPANESE = re.compile(f"[{HAN}{KANA}]")
LATIN_WORD = re.compile("[a-zA-ZÀÁÂÄÇÈÉÊËÍÎÏÑÓÔÖÙÚÛÜŒßàáâäçèéêëìíîïñòóôöùúûüœæ]+")
MARKS = "。、「」？！・…“”„«»¿¡–—’‘"
FUNCTION_WORDS = 140
NEIGHBOURS = 40
# The share of a piece that continues a word counts less: words ought to be whole.
OF_PIECES = 0.3
# A token without a known share.
LEAST = 1e-9
FEWEST_LETTERS_OF_NAMES = 4


@dataclass(frozen=True)
class Piece:
    """A piece of the teacher's tokenizer."""

    text: str
    share: float
    # Whether it begins a word. Japanese is written without spaces, so there each piece does.
    begins: bool
    # None for a piece that continues a word.
    languages: tuple[str, ...]


def known_pieces(pieces: list[tuple[str, float]]) -> list[Piece]:
    """Returns the pieces of the languages, and those that continue words in Latin letters."""
    begun = [piece[1:] for piece, _ in pieces if piece.startswith("▁")]
    latin = [text for text in begun if LATIN_WORD.fullmatch(text)]
    # One language after the other, since its list is kept in memory for a while.
    forms = {language: forms_of(language, latin) for language in (*LATIN, *OTHERS)}
    known = []
    for piece, share in pieces:
        text = piece.removeprefix("▁")
        begins = text != piece
        if LATIN_WORD.fullmatch(text):
            languages = tuple(one for one in LATIN if text in forms[one]) if begins else ()
            if begins and languages == ():
                is_foreign = any(text in forms[one] for one in OTHERS)
                if is_foreign or len(text) < FEWEST_LETTERS_OF_NAMES:
                    continue
                languages = ("en",)
            known.append(Piece(text, share, begins, languages))
        elif re.fullmatch("[0-9]+", text):
            known.append(Piece(text, share, begins, ()))
        elif text != "" and all(map(is_japanese, text)):
            known.append(Piece(text, share, True, ("ja",)))
    return known


def forms_of(language: str, texts: list[str]) -> set[str]:
    """Returns the texts that are word forms of a language."""
    return {
        text
        for text in texts
        if simplemma.is_known(text.lower(), language)
        or simplemma.is_known(text.capitalize(), language)
    }


def is_japanese(character: str) -> bool:
    """Whether a character is kana or a kanji of the Japanese character set."""
    if not JAPANESE.fullmatch(character):
        return False
    try:
        return character.encode("euc_jp") != b""
    except UnicodeEncodeError:
        return False


def tokens_of(pieces: list[Piece], count: int) -> dict[str, float]:
    """Returns the most frequent tokens with their shares; all single characters among them.

    A text is split before each kanji, while full text splits Japanese into pairs of characters, so
    there are tokens for both: a kanji by itself and at the end of a pair, runs of kana, and pairs.
    """
    found: Counter[str] = Counter()
    single: set[str] = set()
    for piece in pieces:
        if "ja" not in piece.languages:
            token = bare(piece.text)
            found[token if piece.begins else f"##{token}"] += (
                piece.share if piece.begins else OF_PIECES * piece.share
            )
            single.update(token)
            continue
        for kanji in re.findall(f"[{HAN}]", piece.text):
            found[kanji] += piece.share
            found[f"##{kanji}"] += piece.share
        for run in re.findall(f"[{KANA}]+", piece.text):
            token = bare(run)
            single.update(token)
            if len(token) > 1:
                found[token] += piece.share
                found[f"##{token}"] += OF_PIECES * piece.share
        text = unicodedata.normalize("NFC", piece.text)
        for pair in map("".join, zip(text, text[1:])):
            # A pair of kana is hardly a word, unless it is the whole piece.
            if re.search(f"[{HAN}]", pair) or len(text) == 2:
                found[pair] += piece.share / (len(text) - 1)
    single.update(chr(code).lower() for code in range(33, 127))
    for character in single:
        found[character] = max(found[character], LEAST)
        if character.isalnum() or character == "ー":
            found[f"##{character}"] = max(found[f"##{character}"], LEAST)
    single.update(MARKS)
    for mark in MARKS:
        found[mark] = max(found[mark], LEAST)

    def order(token: str) -> tuple[bool, float, str]:
        return token.removeprefix("##") not in single, -found[token], token

    return {token: found[token] for token in sorted(found, key=order)[:count]}


def pairs(text: str) -> list[str]:
    """Returns the words of full text: Japanese runs are split into pairs of characters."""
    found = []
    runs = f"[{HAN}{KANA}]+|(?:(?![{HAN}{KANA}])[^\\W_])+"
    for run in re.findall(runs, unicodedata.normalize("NFC", text)):
        if JAPANESE.match(run):
            found += [*map("".join, zip(run, run[1:])), run[-1]]
        else:
            found.append(bare(run))
    return found


class Sentences:
    """A generator of sentences."""

    def __init__(self, pieces: list[Piece], embed, random: np.random.Generator) -> None:
        self._random = random
        share_of: Counter[str] = Counter()
        of_language: dict[str, set[str]] = defaultdict(set)
        for piece in pieces:
            for language in piece.languages:
                share_of[piece.text] += piece.share
                of_language[language].add(piece.text)
        pieces_within = (piece.text for piece in pieces if not piece.begins)
        self._suffixes = [text for text in pieces_within if text.isalpha()]
        self._function, self._content, self._places = {}, {}, {}
        for language in LANGUAGES:
            words = sorted(of_language[language], key=lambda word: (-share_of[word], word))
            # A frequent kanji by itself is more often Chinese.
            allowed = f"[{KANA}]+" if language == "ja" else ".+"
            function = [word for word in words if re.fullmatch(allowed, word)][:FUNCTION_WORDS]
            self._function[language] = function
            taken = set(function)
            self._content[language] = [word for word in words if word not in taken]
        self._rarities = {
            language: np.cumsum(shares((np.arange(len(words)) + FUNCTION_WORDS + 10.0) ** -0.55))
            for language, words in self._content.items()
        }
        self._function_shares = np.cumsum(shares(np.arange(1, FUNCTION_WORDS + 1) ** -0.7))
        self._all = sorted({word for words in self._content.values() for word in words})
        self._at = {word: place for place, word in enumerate(self._all)}
        alone = embed(self._all)
        self._centred = unit(alone - alone.mean(axis=0))

    def make(self, count: int) -> list[str]:
        """Returns sentences."""
        random = self._random
        languages = random.choice(LANGUAGES, count, p=OF_LANGUAGES)
        seeds = [self._draw(language, 1)[0] for language in languages]
        near = self._neighbours(sorted({self._at[seed] for seed in seeds}))
        sentences = []
        for language, seed in zip(languages, seeds, strict=True):
            count_near = random.choice([0, 1, 1, 2, 3])
            nearest = random.choice(near[self._at[seed]], count_near, replace=False)
            words = [
                seed,
                *(self._all[place] for place in nearest),
                *self._draw(language, random.choice([0, 1, 1, 2, 4])),
                *self._draw_function(language, random.choice([0, 1, 2, 3, 5, 8])),
            ]
            random.shuffle(words)
            if language != "ja" and random.random() < 0.4:
                place = random.integers(len(words))
                words[place] += self._suffixes[random.integers(len(self._suffixes))]
            sentences.append(joined(words))
        return sentences

    def _draw(self, language: str, count: int) -> list[str]:
        words, rarities = self._content[language], self._rarities[language]
        places = np.searchsorted(rarities, self._random.random(count))
        return [words[min(place, len(words) - 1)] for place in places]

    def _draw_function(self, language: str, count: int) -> list[str]:
        words = self._function[language]
        places = np.searchsorted(self._function_shares, self._random.random(count))
        return [words[min(place, len(words) - 1)] for place in places]

    def _neighbours(self, of: list[int]) -> dict[int, np.ndarray]:
        near = {}
        for start in range(0, len(of), 500):
            rows = of[start : start + 500]
            similar = self._centred[rows] @ self._centred.T
            best = np.argpartition(-similar, NEIGHBOURS, axis=1)[:, :NEIGHBOURS]
            near.update(zip(rows, best, strict=True))
        return near


def joined(words: list[str]) -> str:
    """Returns a sentence. There is no space between two Japanese words."""
    sentence = ""
    for word in words:
        is_open = sentence == "" or (JAPANESE.match(sentence[-1]) and JAPANESE.match(word))
        sentence += word if is_open else f" {word}"
    return sentence
