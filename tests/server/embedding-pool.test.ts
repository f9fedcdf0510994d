// Questions on their way to an agent: each gets its embedding without an extra round trip, and the
// agent understands it by its own preset.

import { SCALE_TEXTS } from "nous-memory";
import { createEngine } from "nous-wasm";
import { pino } from "pino";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Agent } from "../../js/server/src/agent/agent.ts";
import { searchHandlers } from "../../js/server/src/agent/handlers/search.ts";
import type { EmbeddingModel, GivenTo, QuestionVector } from "../../js/server/src/api/operation.ts";
import { countedSearch, type searchOperations } from "../../js/server/src/api/search.ts";
import { Embedder } from "../../js/server/src/embeddings/embedder.ts";
import { OtherModel } from "../../js/server/src/embeddings/other-model.ts";
import { TRANSFORMERS } from "../../js/server/src/embeddings/text.ts";
import { EmbeddingPool } from "../../js/server/src/front/embedding-pool.ts";
import type { RankedBy } from "../../js/server/src/settings/choices.ts";
import { SqliteStorage } from "../../js/server/src/storage/sqlite.ts";
import { IN_MEMORY } from "../../js/server/src/storage/sqlite-file.ts";
import type { Pool } from "../../js/server/src/workers/pool.ts";
import { ask } from "./support/direct-agent.ts";

type Search = GivenTo<(typeof searchOperations)["search"]>;

const modelOf = (name: string): EmbeddingModel => ({ name, dimensions: undefined });
const [FIRST, SECOND] = [modelOf("first"), modelOf("second")];
const NOTHING_DUE = { model: FIRST, texts: [], isRetry: false, waiting: 0, next_in: null };
const log = pino({ level: "silent" });

const searchFor = (query: string): Search => ({
  params: undefined,
  query: undefined,
  body: countedSearch.parse({ query }),
});

/** A pool over one agent with a model, and the requests to the agent's thread. */
function poolOver({
  model,
  configured = FIRST,
  provides = () => true,
  ranking = "signals",
  learns = false,
  apart = true,
  awaits = () => false,
}: {
  model: EmbeddingModel | null;
  configured?: EmbeddingModel;
  provides?: (model: string) => boolean;
  ranking?: RankedBy;
  learns?: boolean;
  /** Whether the model tells answers from other texts. */
  apart?: boolean;
  /** Whether the agent waits for its first embedding. */
  awaits?: (agent: { model: EmbeddingModel | null }) => boolean;
}) {
  const agent = { model };
  const trips: string[] = [];
  const given: Search[] = [];
  /** All texts that the provider got. */
  const embedded: string[] = [];
  const threads = {
    call: async (_agent: string, operation: string, search: Search) => {
      trips.push(operation);
      given.push(search);
      const { question } = search;
      if (
        question !== undefined &&
        agent.model !== null &&
        question.model.name !== agent.model.name
      )
        throw new OtherModel(agent.model);
      return "{}";
    },
    do: async (_agent: string, task: string) => {
      if (task === "takeWork") return NOTHING_DUE;
      if (task === "awaitsFirst") return awaits(agent);
      trips.push(task);
      return agent.model;
    },
  } as unknown as Pick<Pool, "call" | "do">;
  const embedder = new Embedder(
    {
      serves: ({ name }) =>
        configured !== TRANSFORMERS.english || name === TRANSFORMERS.english.name,
      embed: async (texts, { model }) => {
        embedded.push(...texts);
        if (!provides(model.name)) throw new Error("no such model");
        return texts.map((text) => {
          const place = SCALE_TEXTS.indexOf(text);
          if (place < 0 || !apart) return Float32Array.of(1, model.name.length);
          const vector = new Float32Array(SCALE_TEXTS.length / 2);
          vector[place % vector.length] = 1;
          return vector;
        });
      },
    },
    { model: configured, timeout: 1_000, batch: 4, log },
  );
  const engine = createEngine();
  const understanding = vi.spyOn(engine, "understand");
  const pool = new EmbeddingPool(threads, {
    ...{ embedder, engine, terms: "unicode", ranking, learns, log },
  });
  onTestFinished(() => pool.close());
  const search = (query: string) => pool.call("a", "search", searchFor(query), "create");
  return { agent, trips, given, embedded, understanding, search, pool };
}

const QUESTION = "why does momentum fail after news?";

test("a question waits for an agent's first embedding, by the server's own transformer alone", async () => {
  for (const configured of [TRANSFORMERS.english, FIRST]) {
    let looks = 0;
    const { search, given, pool } = poolOver({
      ...{ model: null, configured, ranking: "evidence" },
      awaits: (agent) => {
        if (++looks === 3) agent.model = configured;
        return looks < 3;
      },
    });
    await search(QUESTION);
    await search(QUESTION);
    const isOwn = configured === TRANSFORMERS.english;
    expect([looks, given.map(({ question }) => question?.text)]).toEqual(
      isOwn ? [3, [QUESTION, QUESTION]] : [0, [undefined, undefined]],
    );
    await pool.close();
  }
});

test("a first embedding that does not come is waited for once", async () => {
  const now = vi.spyOn(performance, "now");
  onTestFinished(() => now.mockRestore());
  let looks = 0;
  const { search, given } = poolOver({
    ...{ model: null, configured: TRANSFORMERS.english, ranking: "evidence" },
    awaits: () => {
      now.mockReturnValue(1e6 + 900 * ++looks);
      return true;
    },
  });
  now.mockReturnValue(1e6);
  await search(QUESTION);
  expect(looks).toBe(3);
  await search(QUESTION);
  expect(looks).toBe(3);
  expect(given.map(({ question }) => question)).toEqual([undefined, undefined]);
});

test("a search with an embedding takes one round trip to the agent's thread", async () => {
  const { search, trips, given } = poolOver({ model: FIRST });
  await search("why did the first trade fail?");
  trips.length = 0;
  await search(QUESTION);
  await search("how do breakouts end?");
  expect(trips).toEqual(["search", "search"]);
  expect(given.map(({ question }) => question?.model)).toEqual([FIRST, FIRST, FIRST]);
});

test("an agent without embeddings is checked for them on each search", async () => {
  const { search, trips, given, agent } = poolOver({ model: null });
  await search(QUESTION);
  expect(trips).toEqual(["questionModel", "search"]);
  agent.model = FIRST;
  await search(QUESTION);
  expect(given.map(({ question }) => question?.model)).toEqual([undefined, FIRST]);
});

test("a model that another process has changed is noticed by the search itself", async () => {
  const { search, trips, given, agent } = poolOver({ model: FIRST });
  await search(QUESTION);
  agent.model = SECOND;
  trips.length = 0;
  await search(QUESTION);
  expect(trips).toEqual(["search", "search"]);
  await search(QUESTION);
  expect(trips).toEqual(["search", "search", "search"]);
  expect(given.map(({ question }) => question?.model.name)).toEqual([
    "first",
    "first",
    "second",
    "second",
  ]);
});

test("a model that its provider no longer serves is not cached", async () => {
  const served = new Set(["first"]);
  const { search, given, agent } = poolOver({ model: FIRST, provides: (name) => served.has(name) });
  await search("why did the first trade fail?");
  served.delete("first");
  served.add("second");
  agent.model = SECOND;
  await search(QUESTION);
  await search(QUESTION);
  expect(given.map(({ question }) => question?.model.name)).toEqual(["first", undefined, "second"]);
});

test("a question whose model keeps changing is searched by its words", async () => {
  const { search, given, agent } = poolOver({ model: FIRST });
  await search(QUESTION);
  let changes = 0;
  Object.defineProperty(agent, "model", { get: () => modelOf(`model-${++changes}`) });
  await search(QUESTION);
  expect(given.map(({ question }) => question?.model.name)).toEqual([
    "first",
    "first",
    expect.stringContaining("model-"),
    undefined,
  ]);
});

test("a plain lookup takes one round trip, too, and gets no embedding", async () => {
  const { search, trips, given } = poolOver({ model: FIRST });
  await search("what is Bob's phone number?");
  expect(trips).toEqual(["search"]);
  expect(given[0]!.question).toBeUndefined();
});

describe("by evidence", () => {
  const ranking = "evidence" as const;

  test("a question gets an embedding of the transformer, also a plain lookup", async () => {
    const { search, given, trips } = poolOver({
      ...{ model: TRANSFORMERS.english, configured: TRANSFORMERS.english, ranking },
    });
    await search(QUESTION);
    trips.length = 0;
    await search("what is Bob's phone number?");
    expect(trips).toEqual(["search"]);
    expect(given.map(({ question }) => question?.model)).toEqual([
      TRANSFORMERS.english,
      TRANSFORMERS.english,
    ]);
  });

  test("a question of an agent without embeddings, or with those of another model, gets none", async () => {
    for (const model of [null, FIRST]) {
      const { search, given, agent } = poolOver({
        model,
        configured: TRANSFORMERS.english,
        ranking,
      });
      await search(QUESTION);
      expect(given[0]!.question).toBeUndefined();
      agent.model = TRANSFORMERS.english;
      await search(QUESTION);
      expect(given[1]!.question?.model).toEqual(TRANSFORMERS.english);
      // Another process may change the model: the agent tells.
      agent.model = SECOND;
      await search(QUESTION);
      expect(given.slice(2).map(({ question }) => question?.model)).toEqual([
        TRANSFORMERS.english,
        undefined,
      ]);
    }
  });

  test("embeddings of a service have the scale of their model, which is measured once", async () => {
    const { search, given, agent, embedded } = poolOver({ model: FIRST, ranking });
    for (const query of [QUESTION, "how do breakouts end?"]) await search(query);
    const scale = { of_unrelated: 0, of_related: 1 };
    expect(given.map(({ question }) => question)).toMatchObject([
      { model: FIRST, scale },
      { model: FIRST, scale },
    ]);
    expect(embedded).toEqual([...SCALE_TEXTS, QUESTION, "how do breakouts end?"]);
    agent.model = SECOND;
    await search(QUESTION);
    expect(given.at(-1)!.question).toMatchObject({ model: SECOND, scale });
    expect(embedded).toHaveLength(2 * SCALE_TEXTS.length + 3);
  });

  test("the multilingual transformer has a scale of its own, and the English one that of the fit", async () => {
    for (const [model, scale] of [
      [TRANSFORMERS.english, undefined],
      [TRANSFORMERS.multilingual, { of_unrelated: 0.11, of_related: 0.361 }],
    ] as const) {
      const { search, given, embedded } = poolOver({ model, configured: model, ranking });
      await search(QUESTION);
      expect(given.map(({ question }) => question?.model)).toEqual([model]);
      expect(given[0]!.question?.scale).toEqual(scale);
      expect(embedded).toEqual([QUESTION]);
    }
  });

  test("a model without a scale is not compared: it fails, or tells nothing apart", async () => {
    const served = new Set<string>();
    const provides = (name: string) => served.has(name);
    const failing = poolOver({ model: FIRST, ranking, provides });
    await failing.search(QUESTION);
    served.add("first");
    await failing.search(QUESTION);
    expect(failing.given.map(({ question }) => question?.model)).toEqual([undefined, FIRST]);
    const dull = poolOver({ model: FIRST, ranking, apart: false });
    for (let turn = 0; turn < 2; turn++) await dull.search(QUESTION);
    expect(dull.given.map(({ question }) => question)).toEqual([undefined, undefined]);
    expect(dull.embedded).toEqual(SCALE_TEXTS);
  });

  test("use teaches by the embedding of its question, if the server learns", async () => {
    for (const learns of [true, false]) {
      const { pool, given } = poolOver({
        model: TRANSFORMERS.english,
        configured: TRANSFORMERS.english,
        learns,
      });
      const used = { shown: ["a"], used: ["a"] };
      const bodies = [
        ["giveSearchFeedback", { question: QUESTION, ...used }],
        ["giveFeedback", { input: QUESTION }],
        ["giveFeedback", { input: null }],
      ] as const;
      for (const [operation, body] of bodies)
        await pool.call("a", operation, { body } as never, "create");
      expect(given.map(({ question }) => question?.text)).toEqual(
        learns ? [QUESTION, QUESTION, undefined] : [undefined, undefined, undefined],
      );
    }
  });
});

test("an agent understands a question by its own preset, whatever the server's usual one", async () => {
  const { search, given } = poolOver({ model: FIRST });
  await search(QUESTION);
  const sent = structuredClone(given[0]!);
  const analyses = ["general", "trading"].map(async (name) => {
    const storage = new SqliteStorage(IN_MEMORY, { durability: "normal" });
    const agent = new Agent(storage, { preset: name });
    onTestFinished(() => agent.close());
    const understand = vi.spyOn(agent.engine, "understand");
    await searchHandlers.search(agent, sent);
    expect(understand).toHaveBeenCalledTimes(1);
    return understand.mock.results[0]!.value.intents;
  });
  expect(await Promise.all(analyses)).toEqual([[], ["KNOWLEDGE"]]);
});

test("an agent refuses the embedding of another model, even of the same length", async () => {
  const storage = new SqliteStorage(IN_MEMORY, { durability: "normal" });
  const agent = new Agent(storage, { ranking: "signals" });
  onTestFinished(() => agent.close());
  await ask(agent, "createNode", {
    body: { type: "concept", content_title: "Momentum", embedding: [1, 0] },
  });
  agent.storage.setMeta("embedding_model", JSON.stringify(SECOND));
  const searched = (model: EmbeddingModel) => {
    const question: QuestionVector = {
      ...{ text: QUESTION, vector: Float32Array.of(1, 0), model, ms: 1 },
    };
    return searchHandlers.search(agent, { ...searchFor(QUESTION), question });
  };
  expect(() => searched(FIRST)).toThrow(new OtherModel(SECOND));
  expect(await searched(SECOND)).toMatchObject({ qcs: { used_embeddings: true } });
});
