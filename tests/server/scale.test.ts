// The scale of a model's cosines: by it the vectors of any service count as evidence.

import { SCALE_TEXTS, scaleOf } from "nous-memory";
import { loadMinilm, type Minilm } from "nous-minilm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { explanationFor } from "../../js/server/src/mcp/explanation.ts";
import {
  type Behaviour,
  json,
  type Provider,
  startProvider,
} from "./support/embedding-provider.ts";
import { start } from "./support/server-process.ts";
import { type Client, clientOf } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

let minilm: Minilm;
beforeAll(async () => {
  minilm = await loadMinilm();
});
afterAll(() => minilm.free());

/** Returns the vector of a text, with a part that all texts have in common. */
function shifted(text: string, common: number): Float32Array {
  const { vector } = minilm.embed(text);
  return Float32Array.of(...vector, common);
}

/** A service whose vectors are those of MiniLM with a common part. */
const sharing =
  (common: number): Behaviour =>
  ({ input }, response) =>
    json(response, {
      data: input.map((text, index) => ({ index, embedding: [...shifted(text, common)] })),
    });

describe("scaleOf", () => {
  test("finds the scale that the weights are fitted with", () => {
    const scale = scaleOf(SCALE_TEXTS.map((text) => minilm.embed(text).vector))!;
    expect(scale.of_unrelated).toBeCloseTo(0.058, 2);
    expect(scale.of_related).toBeCloseTo(0.435, 2);
  });

  test("follows what all texts have in common", () => {
    const { of_unrelated, of_related } = scaleOf(SCALE_TEXTS.map((text) => shifted(text, 2)))!;
    // The cosines of vectors of length 1 with a common part c: (cosine + c²) / (1 + c²).
    expect(of_unrelated).toBeCloseTo((0.058 + 4) / 5, 3);
    expect(of_related).toBeCloseTo((0.435 + 4) / 5, 3);
  });

  test("is none for a model that hardly tells answers from other texts", () => {
    expect(scaleOf(SCALE_TEXTS.map(() => Float32Array.of(1, 2)))).toBeUndefined();
    expect(scaleOf(SCALE_TEXTS.map(() => undefined))).toBeUndefined();
    const byLength = SCALE_TEXTS.map((text) => Float32Array.of(1, text.length % 7));
    expect(scaleOf(byLength)).toBeUndefined();
  });
});

const QUESTION = "Which beverage does Mira like?";
const TEXTS = ["She prefers tea.", "The ferry is late in winter.", "Rents fell in March."];
const PATIENCE = { timeout: 30_000 };

async function filled(options: readonly string[] = []): Promise<Client> {
  const server = await start(temporaryFolder(), options, "test", {
    env: { NOUS_EMBEDDINGS_MODEL: undefined },
  });
  const own = clientOf(server, "alice");
  for (const [place, content_title] of TEXTS.entries())
    await own.create({ id: `m${place}`, type: "note", content_title, content_body: null });
  const ready = async () => (await server.ask("GET //readyz")).body.embeddings.waiting;
  await expect.poll(ready, PATIENCE).toBe(0);
  const waiting = "SELECT count(*) AS waiting FROM embedding_queue";
  await expect.poll(async () => Number((await own.stored(waiting))[0]!.waiting), PATIENCE).toBe(0);
  return own;
}

const of = ({ url }: Provider) => [
  ...["--embeddings-provider", "openai-compatible", "--embeddings-base-url", url],
  ...["--embeddings-model", "some-model", "--embeddings-batch", "7"],
];

/**
 * Returns id, score and evidence by embeddings of what a question finds, once embedding and scale are
 * known: on a slow machine the first question gives up before, and is searched by its words.
 */
async function found(own: Client) {
  const numbersOf = async () => {
    const { body } = await own.ask("POST /search", { query: QUESTION });
    return (body.data as { id: string; score: number; evidence: Record<string, number> }[]).map(
      ({ id, score, evidence }) => ({ id, numbers: [score, evidence.emb ?? 0] }),
    );
  };
  await expect.poll(async () => (await numbersOf())[0]?.numbers[1], PATIENCE).not.toBe(0);
  return await numbersOf();
}

test("vectors of a service are evidence on the scale of its model", async () => {
  const provider = await startProvider();
  provider.behave(sharing(0));
  const plain = await found(await filled(of(provider)));
  expect(plain[0]).toMatchObject({ id: "m0" });
  // A model whose cosines all lie above .8 says the same.
  const narrow = await startProvider();
  narrow.behave(sharing(2));
  const own = await filled(of(narrow));
  const same = await found(own);
  expect(same.map(({ id }) => id)).toEqual(plain.map(({ id }) => id));
  for (const [place, { numbers }] of same.entries())
    for (const [at, number] of numbers.entries())
      expect(number).toBeCloseTo(plain[place]!.numbers[at]!, 2);
  const measured = narrow.asked.filter(({ input }) => SCALE_TEXTS.includes(input[0]!));
  expect(measured.flatMap(({ input }) => input)).toEqual(SCALE_TEXTS);
  expect(Math.max(...measured.map(({ input }) => input.length))).toBe(7);
  const why = (await own.ask("POST /explain", { query: QUESTION, id: "m0" })).body;
  expect(why.data[0].meaning).toMatchObject({ model: "some-model", is_estimated: false });
  expect(explanationFor(why, "UTC").lines.join(" ")).toContain("by some-model");
});
