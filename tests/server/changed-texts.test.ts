// Vectors of texts that change: a memory never has the vector of an earlier text, whatever changes,
// searches, embeddings and restarts come between.

import fc from "fast-check";
import { expect, test } from "vitest";
import { fittedCosine } from "../../js/reference/evidence.ts";
import { cosine } from "../../js/reference/usage.ts";
import { Agent } from "../../js/server/src/agent/agent.ts";
import { EMBEDDING_TASKS } from "../../js/server/src/agent/embedding-tasks.ts";
import { explainHandlers } from "../../js/server/src/agent/handlers/explain.ts";
import type { EmbeddingModel, QuestionVector } from "../../js/server/src/api/operation.ts";
import { behaviourOf } from "../../js/server/src/compat/behaviour.ts";
import type { EmbeddingWork } from "../../js/server/src/embeddings/tasks.ts";
import { textFor } from "../../js/server/src/embeddings/text.ts";
import type { Storage } from "../../js/server/src/storage/storage.ts";
import { runs } from "../support/amount.ts";
import { ask } from "./support/direct-agent.ts";
import { directStores } from "./support/direct-store.ts";

const newStore = directStores();
const DIMENSIONS = 8;
const MODEL: EmbeddingModel = { name: "letters", dimensions: DIMENSIONS };
const SCALE = { of_unrelated: 0.2, of_related: 0.9 };
/** Memories of a batch. */
const MAX = 3;
const QUERY = "lake";

/** Returns a vector by the letters of a text. */
function vectorOf(text: string): Float32Array {
  const vector = new Float32Array(DIMENSIONS).fill(0.1);
  for (const letter of text) vector[letter.codePointAt(0)! % DIMENSIONS]! += 1;
  return vector;
}

const IDS = ["n_1", "n_2", "n_3", "n_4"];
const TITLES = ["Lake", "Forest path", "An old mill", "Mill and lake"];

type Step =
  | { do: "create" | "change" | "replace"; id: string; title: string }
  | { do: "unrelated change" | "delete"; id: string }
  | { do: "take" | "store" | "fail" | "restart" | "search" };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom("create", "change", "change", "replace"),
      id: fc.constantFrom(...IDS),
      title: fc.constantFrom(...TITLES),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom("unrelated change", "delete"),
      id: fc.constantFrom(...IDS),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom("take", "take", "store", "store", "fail", "restart", "search"),
    }),
  },
);

/** Returns the texts of all memories, with their vectors. */
function memoriesIn(storage: Storage) {
  const vectors = new Map(
    storage.embeddings.vectors(IDS, DIMENSIONS).map(({ id, head }) => {
      const bytes = new Uint8Array(head);
      return [id, new Float32Array(bytes.buffer)];
    }),
  );
  return storage.nodes.of(IDS).map(({ id }) => ({
    id,
    text: textFor(MODEL, storage.embeddings.texts(id)!),
    vector: vectors.get(id),
  }));
}

/** Checks that stored and indexed vectors are those of the texts, and that the others wait. */
async function check(agent: Agent): Promise<void> {
  const memories = memoriesIn(agent.storage);
  for (const { text, vector } of memories)
    if (vector !== undefined) expect(vector).toEqual(vectorOf(text));
  const without = memories.filter(({ vector }) => vector === undefined);
  expect(agent.storage.embeddings.waiting()).toBe(without.length);
  if (memories.length === 0) return;
  const made = { vector: vectorOf(QUERY), model: MODEL, scale: SCALE, ms: 1 };
  const question: QuestionVector = { text: QUERY, ...made };
  const body = { query: QUERY, ids: memories.map(({ id }) => id) };
  const given = { params: undefined, query: undefined, body, question } as const;
  const { data } = await explainHandlers.explain(agent, given);
  for (const [place, { vector }] of memories.entries()) {
    const { meaning, evidence } = data[place]!;
    const some = memories.length > without.length;
    expect(meaning?.is_estimated).toBe(some ? vector === undefined : undefined);
    if (vector === undefined) continue;
    expect(meaning).toMatchObject({ model: "letters" });
    const near = fittedCosine(cosine(vector, made.vector), SCALE);
    const found = evidence.find(({ name }) => name === "emb")?.value ?? 0;
    expect(found).toBeCloseTo(near, 4);
  }
}

test("a changed text has no vector until its own is made", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 25 }), async (steps) => {
      const store = await newStore();
      const open = () => new Agent(store.open(), { maker: "service" });
      let agent = open();
      /** Batches that were taken and not stored yet. */
      let taken: EmbeddingWork[] = [];
      const failing = (result: Promise<unknown>) => result.catch(() => {});
      try {
        for (const one of steps) {
          if ("title" in one) {
            const body = { content_title: one.title, content_body: null };
            const { id } = one;
            if (one.do === "create")
              await failing(ask(agent, "createNode", { body: { id, type: "note", ...body } }));
            else if (one.do === "change")
              await failing(ask(agent, "updateNode", { params: { id }, body }));
            else await ask(agent, "putNode", { params: { id }, body: { type: "note", ...body } });
          } else if ("id" in one) {
            const { id } = one;
            const body = { state_lifecycle: "WEAK" };
            if (one.do === "delete") await failing(ask(agent, "deleteNode", { params: { id } }));
            else await failing(ask(agent, "updateNode", { params: { id }, body }));
          } else if (one.do === "take") {
            EMBEDDING_TASKS.releaseWork(agent);
            taken.push(EMBEDDING_TASKS.takeWork(agent, { configured: MODEL, max: MAX }));
          } else if (one.do === "store" || one.do === "fail") {
            const { texts = [] } = taken.shift() ?? {};
            const tickets = texts.map(({ ticket }) => ticket);
            const vectors = texts.map(({ ticket, text }) => ({ ticket, vector: vectorOf(text) }));
            if (one.do === "store") EMBEDDING_TASKS.storeVectors(agent, { model: MODEL, vectors });
            else EMBEDDING_TASKS.putOff(agent, { tickets, retryAfter: undefined });
          } else if (one.do === "search") {
            await ask(agent, "search", { body: { query: QUERY } });
          } else {
            agent.close();
            agent = open();
            taken = [];
          }
          await check(agent);
        }
      } finally {
        agent.discard();
      }
    }),
    runs(40),
  );
});

test("the answer to the change says that there is no vector", async () => {
  const agent = new Agent((await newStore()).open(), { maker: "service" });
  await ask(agent, "createNode", { body: { id: "n_1", type: "note", content_title: "Lake" } });
  const { texts } = EMBEDDING_TASKS.takeWork(agent, { configured: MODEL, max: MAX });
  const vectors = texts.map(({ ticket, text }) => ({ ticket, vector: vectorOf(text) }));
  EMBEDDING_TASKS.storeVectors(agent, { model: MODEL, vectors });
  const changed = (body: object) => ask(agent, "updateNode", { params: { id: "n_1" }, body });
  expect(await changed({ state_lifecycle: "WEAK" })).toMatchObject({ embedding_model: "letters" });
  expect(await changed({ content_title: "Mill" })).toMatchObject({ embedding_model: null });
  agent.discard();
});

test("vectors of clients stay, and so do those of a server like Hynous'", async () => {
  for (const [options, model] of [
    [{ maker: "service" }, undefined],
    [{ maker: "service", behaviour: behaviourOf("hynous") }, "letters"],
    [{}, "letters"],
  ] as const) {
    const agent = new Agent((await newStore()).open(), options);
    const embedding = [...vectorOf("Lake")];
    const body = { id: "n_1", type: "note", content_title: "Lake", embedding };
    await ask(agent, "createNode", { body: { ...body, embedding_model: model } });
    if (model !== undefined)
      agent.write(() => agent.storage.setMeta("embedding_model", JSON.stringify(MODEL)));
    await ask(agent, "updateNode", { params: { id: "n_1" }, body: { content_title: "Mill" } });
    expect(memoriesIn(agent.storage)[0]!.vector).toEqual(vectorOf("Lake"));
    expect(agent.storage.embeddings.waiting()).toBe(1);
    agent.discard();
  }
});
