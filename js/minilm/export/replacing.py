"""Trains the adapter with which all-MiniLM-L6-v2 reads two statements: does the newer replace the older?

    npm run fit -- pairs pairs.jsonl                     # what it is trained on
    python replacing.py pairs.jsonl --output tensors.npz
    python adapter.py tensors.npz --model minilm-l6.bin --output replacing.bin

The weights of the model stay. Each linear layer gets a product of two small matrices beside it (LoRA),
and its bias, the norms, the rows that tell the first statement from the second, and the head are
trained. On one machine the same seed gives the same tensors; another may round products differently.
"""

import argparse
import json
import math
import random
import sys
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.numpy import load_file
from tokenizers import Tokenizer
from torch import Tensor, nn

sys.path.append(str(Path(__file__).parents[2] / "embedder" / "train"))
sys.dont_write_bytecode = True
from teacher import LAYERS, WIDTH, model_folder  # noqa: E402

HEADS = 12
# The word pieces of a statement that are read, and the codes before and after statements.
MAX_PIECES = 44
CLS, SEP = 101, 102
# The rank of the two matrices beside queries, keys and values, which share them, and beside others.
RANK_OF_HEADS, RANK = 32, 16
# What the product of the two matrices counts.
SHARE = 2.0
DROPOUT = 0.1
BATCH = 32
# Batches whose pairs are sorted by length together, so that few places stay empty.
SORTED = 16
RATE, WARM, LEAST_RATE = 7e-4, 0.08, 0.02

Codes = tuple[list[int], list[int]]


class Linear(nn.Module):
    """A linear layer whose weights stay, with two matrices beside it and another bias."""

    def __init__(self, weights: dict[str, Tensor], names: list[str], rank: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.cat([weights[f"{name}.weight"] for name in names]), False)
        self.before = torch.cat([weights[f"{name}.bias"] for name in names])
        self.bias = nn.Parameter(self.before.clone())
        outputs, inputs = self.weight.shape
        self.down = nn.Parameter(torch.randn(rank, inputs) / math.sqrt(inputs))
        self.up = nn.Parameter(torch.zeros(outputs, rank))

    def forward(self, numbers: Tensor) -> Tensor:
        beside = F.linear(F.linear(numbers, self.down), self.up)
        return F.linear(numbers, self.weight, self.bias) + SHARE * beside

    def tensors(self) -> dict[str, Tensor]:
        bias = self.bias - self.before
        return {"down": self.down, "up": SHARE * self.up, "bias": bias}


def norm(weights: dict[str, Tensor], name: str) -> nn.LayerNorm:
    layer = nn.LayerNorm(WIDTH, eps=1e-12)
    layer.weight.data = weights[f"{name}.weight"].clone()
    layer.bias.data = weights[f"{name}.bias"].clone()
    return layer


class Layer(nn.Module):
    """A layer with what an adapter adds to it: matrices of these ranks, and norms."""

    def __init__(
        self,
        weights: dict[str, Tensor],
        name: str,
        rank_of_heads: int,
        rank: int,
        dropout: float,
    ) -> None:
        super().__init__()
        self.dropout = dropout
        parts = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
        self.heads = Linear(weights, parts, rank_of_heads)
        self.attended = Linear(weights, [f"{name}.attention.output.dense"], rank)
        self.attended_norm = norm(weights, f"{name}.attention.output.LayerNorm")
        self.inner = Linear(weights, [f"{name}.intermediate.dense"], rank)
        self.outer = Linear(weights, [f"{name}.output.dense"], rank)
        self.outer_norm = norm(weights, f"{name}.output.LayerNorm")

    def forward(self, states: Tensor, seen: Tensor) -> Tensor:
        size = states.shape[:2]
        parts = self.heads(states).view(*size, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        taken = F.scaled_dot_product_attention(*parts, attn_mask=seen)
        attended = self.attended(taken.transpose(1, 2).reshape(*size, WIDTH))
        states = self.attended_norm(states + F.dropout(attended, self.dropout, self.training))
        outer = self.outer(F.gelu(self.inner(states)))
        return self.outer_norm(states + F.dropout(outer, self.dropout, self.training))

    def tensors(self) -> dict[str, Tensor]:
        found: dict[str, Tensor] = {}
        for part in ("heads", "attended", "inner", "outer"):
            its = getattr(self, part).tensors()
            found |= {f"{part}.{name}": tensor for name, tensor in its.items()}
        for part in ("attended_norm", "outer_norm"):
            its = getattr(self, part)
            found |= {f"{part}.weight": its.weight, f"{part}.bias": its.bias}
        return found


class Reader(nn.Module):
    """Gives the log-odds that the second statement replaces the first."""

    def __init__(self, weights: dict[str, Tensor]) -> None:
        super().__init__()
        self.words = nn.Parameter(weights["embeddings.word_embeddings.weight"], False)
        self.places = nn.Parameter(weights["embeddings.position_embeddings.weight"], False)
        self.norm = norm(weights, "embeddings.LayerNorm").requires_grad_(False)
        self.before = weights["embeddings.token_type_embeddings.weight"][0]
        self.rows = nn.Parameter(weights["embeddings.token_type_embeddings.weight"].clone())
        names = [f"encoder.layer.{number}" for number in range(LAYERS)]
        layers = [Layer(weights, name, RANK_OF_HEADS, RANK, DROPOUT) for name in names]
        self.layers = nn.ModuleList(layers)
        self.head = nn.Linear(2 * WIDTH, 1)
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)

    def forward(self, codes: Tensor, second: Tensor, is_code: Tensor) -> Tensor:
        places = self.places[: codes.shape[1]]
        states = self.norm(self.words[codes] + places + self.rows[second])
        seen = is_code.bool()[:, None, None, :]
        for layer in self.layers:
            states = layer(states, seen)
        counts = is_code[..., None]
        mean = (states * counts).sum(1) / counts.sum(1)
        read = torch.cat([states[:, 0], mean], -1)
        return self.head(F.dropout(read, DROPOUT, self.training))[:, 0]

    def tensors(self) -> dict[str, np.ndarray]:
        found = {"rows": self.rows - self.before, "head": self.head.weight[0], "bias": self.head.bias}
        for number, layer in enumerate(self.layers):
            found |= {f"{number}.{name}": tensor for name, tensor in layer.tensors().items()}
        return {name: tensor.detach().numpy().astype("f4") for name, tensor in found.items()}


def codes_of(tokenizer: Tokenizer, older: str, newer: str) -> Codes:
    """Returns the codes of two statements, and which of the two each code is of."""
    first, second = (
        tokenizer.encode(text, add_special_tokens=False).ids[:MAX_PIECES] for text in (older, newer)
    )
    codes = [CLS, *first, SEP, *second, SEP]
    return codes, [0] * (len(first) + 2) + [1] * (len(second) + 1)


def batch_of(pairs: list[Codes]) -> list[Tensor]:
    longest = max(len(codes) for codes, _ in pairs)
    filled = [
        (codes + [0] * (longest - len(codes)), second + [0] * (longest - len(codes)))
        for codes, second in pairs
    ]
    is_code = [[1.0] * len(codes) + [0.0] * (longest - len(codes)) for codes, _ in pairs]
    codes, second = zip(*filled, strict=True)
    return [torch.tensor(codes), torch.tensor(second), torch.tensor(is_code)]


def batches_of(pairs: list[Codes], order: random.Random) -> list[list[int]]:
    """Returns the places of pairs in batches of similar lengths, in a random order."""
    places = list(range(len(pairs)))
    order.shuffle(places)
    chunks = [places[at : at + BATCH * SORTED] for at in range(0, len(places), BATCH * SORTED)]
    for chunk in chunks:
        chunk.sort(key=lambda place: len(pairs[place][0]))
    batches = [chunk[at : at + BATCH] for chunk in chunks for at in range(0, len(chunk), BATCH)]
    order.shuffle(batches)
    return batches


def trained(pairs: list[Codes], labels: list[float], epochs: int, seed: int) -> Reader:
    torch.manual_seed(seed)
    # Several threads wait for each other more than they help with matrices as small as these.
    torch.set_num_threads(1)
    reader = Reader(model_weights())
    learned = [one for one in reader.parameters() if one.requires_grad]
    steps = math.ceil(len(pairs) / BATCH) * epochs
    optimizer = torch.optim.AdamW(learned, lr=RATE, weight_decay=0.01)
    rate = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: warmed(1, step / steps))
    order = random.Random(seed)
    begun, step, losses = time.monotonic(), 0, []
    reader.train()
    for _ in range(epochs):
        for batch in batches_of(pairs, order):
            odds = reader(*batch_of([pairs[place] for place in batch]))
            wanted = torch.tensor([labels[place] for place in batch])
            loss = F.binary_cross_entropy_with_logits(odds, wanted)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(learned, 1.0)
            optimizer.step()
            rate.step()
            losses.append(loss.item())
            step += 1
            if step % 100 == 0 or step == steps:
                seconds = time.monotonic() - begun
                print(f"{seconds:6.0f} s  {step}/{steps}  loss {np.mean(losses[-100:]):.3f}", flush=True)
    return reader.eval()


def warmed(rate: float, share: float) -> float:
    """Returns the rate after a share of the steps: it rises for a while, and then falls."""
    falling = 0.5 * (1 + math.cos(math.pi * share))
    return rate * min(share / WARM, 1) * (LEAST_RATE + (1 - LEAST_RATE) * falling)


def whole_tokenizer() -> Tokenizer:
    """Returns the tokenizer of the model, which neither cuts nor fills texts."""
    tokenizer = Tokenizer.from_file(str(model_folder() / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def model_weights() -> dict[str, Tensor]:
    """Returns the published weights."""
    weights = load_file(model_folder() / "model.safetensors")
    return {name: torch.tensor(its) for name, its in weights.items() if its.dtype.kind == "f"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pairs", type=Path, help="lines of JSON with older, newer and replaces")
    parser.add_argument("--output", type=Path, required=True, help="the tensors, for adapter.py")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    tokenizer = whole_tokenizer()
    lines = [json.loads(line) for line in options.pairs.read_text("utf-8").splitlines()]
    pairs = [codes_of(tokenizer, line["older"], line["newer"]) for line in lines]
    labels = [float(line["replaces"]) for line in lines]
    reader = trained(pairs, labels, options.epochs, options.seed)
    np.savez(options.output, **reader.tensors())


if __name__ == "__main__":
    main()
