"""Words and tokens of texts, as src/embed of the crate finds them in Latin and Japanese texts."""

import re
import unicodedata

IDEOGRAPHS = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
MARKS = (
    "!-/:-@\\[-`{-~\u00a1\u00a7\u00ab\u00b6\u00b7\u00bb\u00bf"
    "\u2010-\u2027\u2030-\u205e\u3001-\u3003\u3008-\u3011\u3014-\u301f\u30fb"
)
WORD = re.compile(f"[{MARKS}{IDEOGRAPHS}]|[^\\s{MARKS}{IDEOGRAPHS}]+")
DROPPED = {"Mn", "Cc", "Cf"}


def bare(text: str) -> str:
    """Returns a text in lower case, decomposed, and without combining marks and controls."""
    kept = (
        character
        for character in unicodedata.normalize("NFD", text)
        if character in "\t\n\r" or unicodedata.category(character) not in DROPPED
    )
    return "".join(kept).lower()


def words(text: str) -> list[str]:
    """Returns the words of a text; each ideograph and each mark is one."""
    return WORD.findall(bare(text))


class WordPiece:
    """Covers words by the longest tokens from their start."""

    def __init__(self, tokens: list[str]) -> None:
        self._codes = {token: code for code, token in enumerate(tokens)}
        self._longest = max(map(len, tokens))
        self._known: dict[str, list[int]] = {}

    def cover(self, word: str) -> list[int]:
        """Returns the codes of the tokens of a word; none if it cannot be covered."""
        if word not in self._known:
            self._known[word] = self._find(word)
        return self._known[word]

    def codes(self, text: str) -> list[int]:
        """Returns the codes of the tokens of a text."""
        return [code for word in words(text) for code in self.cover(word)]

    def _find(self, word: str) -> list[int]:
        codes: list[int] = []
        start = 0
        while start < len(word):
            for end in range(min(len(word), start + self._longest), start, -1):
                code = self._codes.get("##" * (start > 0) + word[start:end])
                if code is not None:
                    codes.append(code)
                    start = end
                    break
            else:
                return []
        return codes
