// Contests of embeddings: vectors of texts by a token table, against plain JavaScript.

import { makeRandom, pick } from "../../js/reference/inputs.ts";
import { type Deferred, deferred } from "./compare.ts";
import { type Engine, inTurn } from "./contests.ts";
import { PlainEmbedder } from "./rivals/embedding.ts";
import { lettersOf, tableOf } from "./token-tables.ts";

const DIMENSIONS = [128, 256];
/** Words of a question and of a long memory. */
const LENGTHS = [12, 100];
const TEXTS = 64;
const BATCH = 100;

/** Returns texts of words of the table, every eighth of them in two pieces. */
function makeTexts(table: Uint8Array, words: number, seed: number): string[] {
  const random = makeRandom(seed);
  const { starts, ends } = lettersOf(table);
  const common = starts.slice(0, 5_000);
  const word = () => pick(random, common) + (random() < 1 / 8 ? pick(random, ends) : "");
  return Array.from({ length: TEXTS }, () => `${Array.from({ length: words }, word).join(" ")}.`);
}

function single(words: number, dimensions: number, engine: Engine): Deferred {
  return deferred(`embed a text of ${words} words, ${dimensions} dimensions`, () => {
    const table = tableOf(dimensions);
    const texts = makeTexts(table, words, 1);
    const plain = new PlainEmbedder(table);
    const embedder = new engine.Embedder(table);
    const target = new Float32Array(dimensions);
    const [ofPlain, ofEngine] = [inTurn(texts), inTurn(texts)];
    return {
      contestants: {
        plain: () => plain.embed(ofPlain()),
        engine: () => embedder.embedInto(ofEngine(), target),
      },
      close: () => embedder.free(),
    };
  });
}

function batch(words: number, dimensions: number, engine: Engine): Deferred {
  return deferred(`embed ${BATCH} texts of ${words} words, ${dimensions} dimensions`, () => {
    const table = tableOf(dimensions);
    const texts = Array.from({ length: BATCH }, inTurn(makeTexts(table, words, 2)));
    const plain = new PlainEmbedder(table);
    const embedder = new engine.Embedder(table);
    return {
      contestants: {
        plain: () => texts.map((text) => plain.embed(text)),
        engine: () => embedder.embedAll(texts),
      },
      close: () => embedder.free(),
    };
  });
}

function reading(dimensions: number, engine: Engine): Deferred {
  return deferred(`read a token table of ${dimensions} dimensions`, () => {
    const table = tableOf(dimensions);
    return {
      contestants: {
        plain: () => new PlainEmbedder(table),
        engine: () => new engine.Embedder(table).free(),
      },
    };
  });
}

/** Returns the contests of embeddings. */
export function embedContests(engine: Engine): Deferred[] {
  return [
    ...DIMENSIONS.flatMap((dimensions) =>
      LENGTHS.map((words) => single(words, dimensions, engine)),
    ),
    ...LENGTHS.map((words) => batch(words, DIMENSIONS[0]!, engine)),
    reading(DIMENSIONS[0]!, engine),
  ];
}
