// In compatibility with Hynous a search gives Hynous' results: ids in its order, and its scores to
// the last bit, at every limit.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { toIso } from "nous-memory";
import { describe, expect, test } from "vitest";
import {
  type HynousFound,
  type HynousRequest,
  hynousSearch,
} from "../../js/reference/hynous-search.ts";
import { makeRandom } from "../../js/reference/random.ts";
import { Agent } from "../../js/server/src/agent/agent.ts";
import { searchRequest } from "../../js/server/src/api/search.ts";
import { behaviourOf } from "../../js/server/src/compat/behaviour.ts";
import { handlersFor } from "../../js/server/src/compat/handlers.ts";
import { searchAnswerAsHynous } from "../../js/server/src/compat/requests.ts";
import { modelInUse } from "../../js/server/src/embeddings/tasks.ts";
import { SqliteStorage } from "../../js/server/src/storage/sqlite.ts";
import { moveMemory } from "../../js/server/src/transfer/move.ts";
import { amount, SEED, some } from "../support/amount.ts";
import { directStores } from "./support/direct-store.ts";
import { raw } from "./support/existing-database.ts";
import { type HynousIds, makeHynous, questionsOf } from "./support/hynous-database.ts";
import { isOnPostgres } from "./support/on-postgres.ts";
import { start } from "./support/server-process.ts";
import { clientOf } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

/** The model in a server's settings. */
const CONFIGURED = { name: "model", dimensions: undefined };
const NOW = Date.parse("2026-03-01T12:00:00.000Z");
const DAY = 86_400_000;
const DIMENSIONS = 32;
/** On PostgreSQL only the full text differs, whose hits the largest limits read. */
const LIMITS = isOnPostgres ? [10, 100] : [1, 5, 10, 30, 100];
const newStore = directStores();

/** An agent on such a database, and the database file, which the reference reads through SQL. */
async function agentOn(
  seed: number,
  { dimensions = 0, embeds = false, ...made }: { [name: string]: number | boolean } = {},
) {
  const store = await newStore();
  const { file } = store;
  const ids = makeHynous(file, {
    now: NOW,
    seed,
    dimensions: Number(dimensions),
    memories: 300,
    ...made,
  });
  const storage = store.open();
  if (isOnPostgres) {
    const source = new SqliteStorage(file, { durability: "normal" });
    moveMemory(source, storage);
    source.close();
  }
  const agent = new Agent(storage, {
    behaviour: behaviourOf("hynous"),
    ranking: "signals",
    maker: embeds ? "service" : undefined,
    clock: () => NOW,
  });
  const db = raw(file);
  const counting = db.prepare(
    "UPDATE nodes SET neural_access_count = ?, neural_last_accessed = ? WHERE id = ?",
  );
  /** Gives the file what answers changed in PostgreSQL, where the reference does not read. */
  const follow = (ids: readonly string[]) => {
    if (!isOnPostgres) return;
    for (const { id, neural_access_count, neural_last_accessed } of storage.nodes.of(ids))
      counting.run(neural_access_count, neural_last_accessed, id);
  };
  const handle = handlersFor("hynous").search as (
    agent: Agent,
    given: object,
  ) => { data: HynousFound[] };
  /** The server's answer, compared with the reference's. Results count as accessed from then on. */
  const both = (request: HynousRequest, vector?: Float32Array) => {
    const expected = hynousSearch(db, request, {
      ...{ now: NOW, hasProvider: Boolean(embeds) },
      ...(vector === undefined ? {} : { embedding: vector }),
    });
    const model = modelInUse(storage, agent.dimensions, CONFIGURED);
    const question = vector && { vector, model, ms: 0 };
    const answer = handle(agent, { body: searchRequest.parse(request), question });
    expect(searchAnswerAsHynous.safeParse(answer).error).toBeUndefined();
    agent.flushAll();
    follow(answer.data.map(({ id }) => id));
    return { expected, found: answer.data };
  };
  /** Changes what is stored before the agent reads it. */
  const put = async (statement: string, ...values: (string | number)[]) => {
    db.prepare(statement).run(...values);
    if (isOnPostgres) await store.stored(statement, ...values);
  };
  /** Deletes a memory, or changes its body. */
  const change = (id: string, body: string | undefined) => {
    agent.write(() => {
      if (body === undefined) storage.nodes.delete(id);
      else storage.nodes.update(id, { content_body: body, last_modified: toIso(NOW) });
    });
    if (!isOnPostgres) return;
    if (body === undefined) db.prepare("DELETE FROM nodes WHERE id = ?").run(id);
    else db.prepare("UPDATE nodes SET content_body = ? WHERE id = ?").run(body, id);
  };
  return { both, ids, put, change, agent };
}

function expectSame({ expected, found }: { expected: HynousFound[]; found: HynousFound[] }): void {
  const partOf = ({ id, score, breakdown, primary_signal }: HynousFound) => ({
    id,
    score,
    breakdown,
    primary_signal,
  });
  // `toEqual` compares numbers by Object.is.
  expect(found.map(partOf)).toEqual(expected.map(partOf));
}

const filtersOf = ({ clusters }: HynousIds): Partial<HynousRequest>[] => [
  { type: "concept" },
  { subtype: "custom:lesson" },
  { lifecycle: "DORMANT" },
  { type: "episode", lifecycle: "ACTIVE" },
  { cluster_ids: clusters.slice(0, 2) },
  { cluster_ids: [clusters[3]!], type: "concept" },
  ...(["any", "event", "ingestion"] as const).map((type) => ({
    time_range: {
      start: new Date(NOW - 300 * DAY).toISOString(),
      end: new Date(NOW - 100 * DAY).toISOString(),
      type,
    },
  })),
];

describe("a search in compatibility mode", () => {
  test.each(some([0, 1, 2], 1))("by words equals Hynous' at every limit (%i)", async (place) => {
    const seed = SEED + place;
    const { both } = await agentOn(seed);
    let [results, scored] = [0, 0];
    for (const query of questionsOf(seed, 40)) {
      for (const limit of LIMITS) {
        const answer = both({ query, limit });
        expectSame(answer);
        results += answer.found.length;
        scored += answer.found.filter(({ score }) => score !== undefined).length;
      }
    }
    expect(scored).toBeGreaterThan(80 * LIMITS.length);
    expect(results).toBeGreaterThan(scored);
  });

  const embedding: [string, number][] = [
    ["which all memories have", 1],
    ["which half of them have", 0.5],
  ];
  test.each(some(embedding, 1))("by words and vectors equals Hynous', %s", async (_, embedded) => {
    const { both } = await agentOn(SEED, { dimensions: DIMENSIONS, embeds: true, embedded });
    const random = makeRandom(SEED);
    let semantic = 0;
    for (const query of questionsOf(SEED, 40)) {
      const vector = Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5);
      for (const limit of LIMITS) {
        const answer = both({ query, limit }, vector);
        expectSame(answer);
        semantic += answer.found.filter(({ breakdown }) => (breakdown?.semantic ?? 0) > 0).length;
      }
    }
    expect(semantic).toBeGreaterThan(80 * LIMITS.length);
  });

  test("equals Hynous' with every filter", async () => {
    const { both, ids } = await agentOn(SEED, { dimensions: DIMENSIONS, embeds: true });
    const random = makeRandom(SEED);
    for (const filter of filtersOf(ids)) {
      let found = 0;
      for (const query of questionsOf(SEED, amount(24, 6))) {
        const vector = Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5);
        for (const limit of [3, 10, 40]) {
          const answer = both({ query, limit, ...filter }, vector);
          expectSame(answer);
          found += answer.found.length;
        }
      }
      expect({ filter, found: found > amount(10, 0) }).toEqual({ filter, found: true });
    }
  });

  test("uses LIKE for questions that Hynous' full text refuses: without scores, and without counting an access", async () => {
    const { both, agent } = await agentOn(7);
    const counts = () =>
      agent.storage.nodes
        .list({}, 1_000)
        .map(({ id, neural_access_count }) => [id, neural_access_count]);
    const before = counts();
    for (const request of [
      { query: "what funding", limit: 34 },
      { query: "BTC", limit: 51 },
      { query: "f_nding", limit: 100, subtype: "custom:lesson" },
      { query: "squeeze", limit: 0 },
      { query: "BTC ".repeat(600) },
      { query: "e", limit: 60, type: "concept", lifecycle: "ACTIVE" },
    ]) {
      const answer = both(request);
      expectSame(answer);
      for (const node of answer.found) expect(node).not.toHaveProperty("score");
    }
    expect(counts()).toEqual(before);
  });

  test("shows the state by the current time, and counts an access of each result", async () => {
    const { both, put, agent, ids } = await agentOn(8);
    const id = ids.nodes[0]!;
    await put(
      "UPDATE nodes SET content_title = 'Zyzzyva', state_lifecycle = 'DORMANT' WHERE id = ?",
      id,
    );
    await put(
      "UPDATE nodes SET neural_last_accessed = ?, neural_access_count = 4 WHERE id = ?",
      new Date(NOW).toISOString(),
      id,
    );
    const first = both({ query: "zyzzyva" }).found;
    expect(first).toMatchObject([
      { id, state_lifecycle: "ACTIVE", neural_retrievability: 1, neural_access_count: 4 },
    ]);
    expect(both({ query: "zyzzyva" }).found).toMatchObject([{ id, neural_access_count: 5 }]);
    expect(both({ query: "zyzzyva", lifecycle: "DORMANT" }).found).toHaveLength(1);
    expect(both({ query: "zyzzyva", lifecycle: "ACTIVE" }).found).toHaveLength(0);
    expect(agent.storage.nodes.find(id)?.state_lifecycle).toBe("DORMANT");
  });

  test("equals Hynous' after bodies were changed and memories were deleted", async () => {
    const { both, change, ids } = await agentOn(9);
    const questions = questionsOf(9, 12);
    for (const query of questions) expectSame(both({ query, limit: 10 }));
    for (const [place, id] of ids.nodes.entries()) {
      if (place % 5 === 0) change(id, undefined);
      if (place % 5 === 1) change(id, questions[place % questions.length]);
    }
    let scored = 0;
    for (const query of questions) {
      const answer = both({ query, limit: 10 });
      expectSame(answer);
      scored += answer.found.filter(({ score }) => score !== undefined).length;
    }
    expect(scored).toBeGreaterThan(30);
  });
});

test("a question that finds nothing has no kind, as Hynous answers it", async () => {
  const { agent } = await agentOn(10);
  const handle = handlersFor("hynous").search as (agent: Agent, given: object) => object;
  const answer = (query: string) => handle(agent, { body: searchRequest.parse({ query }) });
  expect(answer("zyzzyva")).toEqual({ data: [], count: 0, metrics: expect.anything() });
  expect(answer("funding")).toMatchObject({ qcs: { query_type: "AMBIGUOUS" } });
});

test("a sweep lists transitions in the order in which memories were stored", async () => {
  const { agent, ids } = await agentOn(11);
  const handle = handlersFor("hynous").sweep as (
    agent: Agent,
    given: object,
  ) => Promise<{ transitions: { id: string; from: string }[] }>;
  const { transitions } = await handle(agent, { body: { force: true } });
  const listed = transitions.map(({ id }) => id);
  expect(listed).toEqual(ids.nodes.filter((id) => listed.includes(id)));
  // Those that a sweep wakes stand among the others.
  const woken = transitions.map(({ from }) => from === "DORMANT");
  expect(woken.indexOf(true)).toBeLessThan(woken.lastIndexOf(false));
  expect(woken).toContain(true);
});

test("without compatibility, search.max_seeds limits the seeds of every search by signals", async () => {
  const config = ["--config", join(temporaryFolder(), "nous.yaml")];
  writeFileSync(config[1]!, "search: { max_seeds: 5 }\n");
  const answers = async (options: readonly string[]) => {
    const own = clientOf(await start(temporaryFolder(), options), "default");
    for (let place = 0; place < 40; place++) {
      await own.create({
        content_title: `funding ${"squeeze ".repeat(place % 7)}${place}`,
        content_body: null,
      });
    }
    const seeds = [];
    for (const limit of [1, 5, 10, 30]) {
      const { body } = await own.ask("POST /search", {
        ...{ query: "funding squeeze", ranking: "signals", limit },
      });
      seeds.push(body.metrics.seeds_found);
    }
    return seeds;
  };
  expect(await answers(config)).toEqual([5, 5, 5, 5]);
  expect(await answers([])).toEqual([15, 15, 30, 40]);
});
