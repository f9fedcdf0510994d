"""Trains the adapter that moves vectors of questions towards those of memories that answer them.

    npm run fit -- questions questions.jsonl             # what it is trained on
    python asking.py questions.jsonl --output tensors.npz
    python adapter.py tensors.npz --model minilm-l6.bin --output asking.bin

The weights of the model stay, and so do the vectors of memories: each question is compared with all
memories of its store, and its adapter learns to bring those that answer before the others (the
cross-entropy of the softmax of the cosines). What is no short question must keep its vector:
statements, two of them, and a question before one, are embedded beside, and may move little. On one
machine the same seed gives the same tensors; another may round products differently.
"""

import argparse
import json
import random
import time
from pathlib import Path

import numpy as np
import torch
from replacing import (
    CLS,
    DROPOUT,
    SEP,
    Layer,
    batches_of,
    model_weights,
    norm,
    warmed,
    whole_tokenizer,
)
from teacher import LAYERS
from tokenizers import Tokenizer
from torch import Tensor, nn

# The word pieces of a text that count.
MAX_PIECES = 62
# The rank of the two matrices beside queries, keys and values, which share them, and beside others.
RANK_OF_HEADS, RANK = 16, 8
# Cosines are divided by it before the softmax.
TEMPERATURE = 0.05
# What the distance counts that a question moves, and that another text moves.
KEEPING_QUESTIONS, KEEPING_OTHERS = 0.3, 5.0
# Other texts, and those of them beside each batch.
OTHERS, OTHERS_AT_ONCE = 6000, 24
RATE = 5e-4
AT_ONCE = 64


class Encoder(nn.Module):
    """Gives texts vectors of length 1, as the model does until it is trained."""

    def __init__(self, weights: dict[str, Tensor]) -> None:
        super().__init__()
        self.words = nn.Parameter(weights["embeddings.word_embeddings.weight"], False)
        self.places = nn.Parameter(weights["embeddings.position_embeddings.weight"], False)
        self.row = weights["embeddings.token_type_embeddings.weight"][0]
        self.norm = norm(weights, "embeddings.LayerNorm").requires_grad_(False)
        names = [f"encoder.layer.{number}" for number in range(LAYERS)]
        layers = [Layer(weights, name, RANK_OF_HEADS, RANK, DROPOUT) for name in names]
        self.layers = nn.ModuleList(layers)

    def forward(self, texts: list[list[int]]) -> Tensor:
        longest = max(len(codes) for codes in texts)
        codes = torch.tensor([text + [0] * (longest - len(text)) for text in texts])
        lengths = torch.tensor([len(text) for text in texts])
        is_code = torch.arange(longest)[None] < lengths[:, None]
        states = self.norm(self.words[codes] + self.places[:longest] + self.row)
        for layer in self.layers:
            states = layer(states, is_code[:, None, None, :])
        sums = (states * is_code[..., None]).sum(1)
        return sums / sums.norm(dim=1, keepdim=True)

    def tensors(self) -> dict[str, np.ndarray]:
        found: dict[str, Tensor] = {}
        for number, layer in enumerate(self.layers):
            found |= {f"{number}.{name}": tensor for name, tensor in layer.tensors().items()}
        return {name: tensor.detach().numpy().astype("f4") for name, tensor in found.items()}


def embedded(encoder: Encoder, texts: list[list[int]]) -> Tensor:
    order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
    vectors = torch.zeros(len(texts), len(encoder.row))
    with torch.inference_mode():
        for at in range(0, len(order), AT_ONCE):
            some = order[at : at + AT_ONCE]
            vectors[some] = encoder([texts[place] for place in some])
    return vectors.clone()


def others_of(memories: list[str], questions: list[str], order: random.Random) -> list[str]:
    """Returns texts that are no short questions: statements, two of them, a question and one."""

    def other() -> str:
        kind = order.random()
        if kind < 0.6:
            return order.choice(memories)
        before = order.choice(memories if kind < 0.8 else questions)
        return f"{before} {order.choice(memories)}"

    return [other() for _ in range(OTHERS)]


def trained(stores: list[dict], tokenizer: Tokenizer, epochs: int, seed: int) -> Encoder:
    torch.manual_seed(seed)
    # Several threads wait for each other more than they help with matrices as small as these.
    torch.set_num_threads(1)
    order = random.Random(seed)
    encoder = Encoder(model_weights())

    def codes_of(text: str) -> list[int]:
        return [CLS, *tokenizer.encode(text, add_special_tokens=False).ids[:MAX_PIECES], SEP]

    encoder.eval()
    memories = [
        embedded(encoder, [codes_of(text) for text in store["memories"]]) for store in stores
    ]
    asked = [(place, one) for place, store in enumerate(stores) for one in store["questions"]]
    texts = [codes_of(one["text"]) for _, one in asked]
    before = embedded(encoder, texts)
    statements = sorted({text for store in stores for text in store["memories"]})
    others = others_of(statements, [one["text"] for _, one in asked], order)
    others = [codes_of(text) for text in others]
    others_before = embedded(encoder, others)

    learned = [one for one in encoder.parameters() if one.requires_grad]
    optimizer = torch.optim.AdamW(learned, lr=RATE, weight_decay=0.01)
    pairs = [(text, []) for text in texts]
    batches = [batch for _ in range(epochs) for batch in batches_of(pairs, order)]
    begun, losses = time.monotonic(), []
    encoder.train()
    for step, batch in enumerate(batches):
        for group in optimizer.param_groups:
            group["lr"] = warmed(RATE, step / len(batches))
        vectors = encoder([texts[place] for place in batch])
        loss = torch.zeros(())
        for vector, place in zip(vectors, batch, strict=True):
            store, one = asked[place]
            cosines = memories[store] @ vector / TEMPERATURE
            loss = loss + cosines.logsumexp(0) - cosines[one["answers"]].logsumexp(0)
        loss = loss / len(batch)
        beside = order.sample(range(len(others)), OTHERS_AT_ONCE)
        moved = _moved(vectors, before[batch])
        moved_beside = _moved(encoder([others[place] for place in beside]), others_before[beside])
        optimizer.zero_grad()
        (loss + KEEPING_QUESTIONS * moved + KEEPING_OTHERS * moved_beside).backward()
        nn.utils.clip_grad_norm_(learned, 1.0)
        optimizer.step()
        losses.append(loss.item())
        if (step + 1) % 50 == 0 or step + 1 == len(batches):
            told = f"loss {np.mean(losses[-50:]):.3f}, moved {moved:.3f} and {moved_beside:.3f}"
            seconds = time.monotonic() - begun
            print(f"{seconds:6.0f} s  {step + 1}/{len(batches)}  {told}", flush=True)
    return encoder.eval()


def _moved(vectors: Tensor, before: Tensor) -> Tensor:
    return (1 - (vectors * before).sum(1)).mean()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("questions", type=Path, help="lines of JSON with memories and questions")
    parser.add_argument("--output", type=Path, required=True, help="the tensors, for adapter.py")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    stores = [json.loads(line) for line in options.questions.read_text("utf-8").splitlines()]
    np.savez(options.output, **trained(stores, whole_tokenizer(), options.epochs, options.seed).tensors())


if __name__ == "__main__":
    main()
