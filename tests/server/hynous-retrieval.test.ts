// In compatibility with Hynous a retrieval gives the memories that Hynous' orchestrator finds over
// the same server's search, and leaves the same traces. A prompt has the seeds of that search.

import { describe, expect, test } from "vitest";
import { makeRandom } from "../../js/reference/random.ts";
import { Agent } from "../../js/server/src/agent/agent.ts";
import type { Handler } from "../../js/server/src/agent/handler.ts";
import { SERVER_TASKS } from "../../js/server/src/agent/server-tasks.ts";
import { AGENT_OPERATIONS } from "../../js/server/src/api/operations.ts";
import { retrievalAnswer } from "../../js/server/src/api/retrieval.ts";
import { searchRequest } from "../../js/server/src/api/search.ts";
import { behaviourOf } from "../../js/server/src/compat/behaviour.ts";
import { handlersFor } from "../../js/server/src/compat/handlers.ts";
import { retrievingPool } from "../../js/server/src/compat/retrieval.ts";
import { signalSearchOf } from "../../js/server/src/compat/search.ts";
import { modelInUse } from "../../js/server/src/embeddings/tasks.ts";
import type { Pool } from "../../js/server/src/workers/pool.ts";
import { amount, SEED } from "../support/amount.ts";
import { directStores } from "./support/direct-store.ts";
import { makeHynous, questionsOf } from "./support/hynous-database.ts";
import { type Filters, orchestrate } from "./support/hynous-orchestrator.ts";
import { isOnPostgres } from "./support/on-postgres.ts";
import { start } from "./support/server-process.ts";
import { clientOf } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const NOW = Date.parse("2026-03-01T12:00:00.000Z");
const DIMENSIONS = 32;
const CONFIGURED = { name: "model", dimensions: undefined };
const newStore = directStores();
const handlers: Readonly<Record<string, Handler>> = handlersFor("hynous");

interface Found {
  id: string;
  subtype: string | null;
  score?: number;
}

/** Questions of one part and of several, in the words of the memories. */
function compoundQuestions(seed: number, count: number): string[] {
  const parts = questionsOf(seed, 3 * count);
  return Array.from({ length: count }, (_, place) => {
    const [one, two, three] = parts.slice(3 * place);
    return [one!, `what about ${one} and how did ${two} go?`, `${one}? ${two}? ${three}?`][
      place % 3
    ]!;
  });
}

/** An agent of a server with `--compat hynous`, as the HTTP thread and as tests see it. */
async function serverOn(seed: number, hasProvider: boolean) {
  const store = await newStore();
  const dimensions = hasProvider ? DIMENSIONS : 0;
  const ids = makeHynous(store.file, { now: NOW, seed, memories: 300, dimensions });
  const storage = store.open();
  const agent = new Agent(storage, {
    behaviour: behaviourOf("hynous"),
    searchBySignals: signalSearchOf("hynous"),
    ranking: "signals",
    maker: hasProvider ? "service" : undefined,
    clock: () => NOW,
  });
  /** Each question has an embedding of its own, which its text decides. */
  const vectorOf = (text: string) => {
    let hash = 7;
    for (const unit of text) hash = (Math.imul(hash, 31) + unit.codePointAt(0)!) | 0;
    const random = makeRandom(hash >>> 0);
    return Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5);
  };
  const call = (async (_agent: string, operation: string, given: { body: { query: string } }) => {
    const text = given.body.query;
    const model = modelInUse(storage, agent.dimensions, CONFIGURED);
    const question = hasProvider ? { text, vector: vectorOf(text), model, ms: 0 } : undefined;
    return JSON.stringify(await handlers[operation]!(agent, { ...given, question } as never));
  }) as unknown as Pool["call"];
  const pool = {
    do: async (_agent: string, task: keyof typeof SERVER_TASKS, given: unknown) =>
      (SERVER_TASKS[task] as (agent: Agent, given: unknown) => unknown)(agent, given),
  } as unknown as Pool;
  const { config, engine } = agent;
  const agents = retrievingPool("hynous", { call }, pool, { config, engine, ranking: "signals" });
  const ask = async (operation: "retrieve" | "contextLines", body: object) => {
    const given = { body: AGENT_OPERATIONS[operation].body.parse(body) };
    return JSON.parse(await agents.call("a", operation, given as never, "empty"));
  };
  const search = async (query: string, limit: number, filters: Filters): Promise<Found[]> => {
    const body = searchRequest.parse({ query, limit, ...filters });
    return JSON.parse(await call("a", "search", { body } as never, "empty")).data;
  };
  /** What retrievals change. */
  const traces = () => {
    agent.flushAll();
    return storage.nodes
      .list({}, 1_000)
      .map(({ id, neural_access_count, neural_last_accessed }) => [
        id,
        neural_access_count,
        neural_last_accessed,
      ]);
  };
  return { ask, search, traces, ids };
}

// The databases of Hynous are files.
describe.skipIf(isOnPostgres)("a retrieval with --compat hynous", () => {
  test.each([
    ["without a provider", false],
    ["with one", true],
  ])("finds what Hynous' orchestrator finds, question after question, %s", async (_, has) => {
    const [theirs, ours] = [await serverOn(SEED, has), await serverOn(SEED, has)];
    const { clusters } = theirs.ids;
    const filters: Filters[] = [
      {},
      { type: "concept" },
      { subtype: "custom:lesson" },
      { lifecycle: "DORMANT" },
      { cluster_ids: clusters.slice(0, 2) },
    ];
    let [found, several] = [0, 0];
    for (const [place, query] of compoundQuestions(SEED, amount(330, 66)).entries()) {
      const filter = place % 2 === 0 ? {} : filters[(place >> 1) % filters.length]!;
      const expected = await orchestrate(query, theirs.search, filter);
      const { data, groups } = await ours.ask("retrieve", { query, ...filter });
      const shown = (rows: typeof expected) =>
        rows.map(({ id, score, _sub_query_group, _original_score }) => [
          ...[id, score, _sub_query_group, _original_score],
        ]);
      expect({ query, filter, rows: shown(data) }).toEqual({
        query,
        filter,
        rows: shown(expected),
      });
      expect(groups.flat().sort()).toEqual(expected.map(({ id }) => id).sort());
      found += data.length;
      several += Number(groups.length > 1);
    }
    expect(found).toBeGreaterThan(amount(330, 66));
    expect(several).toBeGreaterThan(amount(30, 3));
    expect(ours.traces()).toEqual(theirs.traces());
  });

  test("writes the same memories as lines, and counts nothing if it shall not", async () => {
    const { ask, traces } = await serverOn(SEED, false);
    const query = "what about BTC funding and how did the short squeeze go?";
    const before = traces();
    const { data } = await ask("retrieve", { query, recall: "none" });
    expect(traces()).toEqual(before);
    const { text, ids } = await ask("contextLines", { query, recall: "none" });
    expect(ids).toEqual(data.map(({ id }: Found) => id));
    expect(text.split("\n- ").length).toBeGreaterThan(1);
  });
});

test("a server with --compat hynous retrieves so over HTTP, and refuses a wrong embedding", async () => {
  const server = await start(temporaryFolder(), ["--compat", "hynous"]);
  const own = clientOf(server, "default");
  const made = [];
  const others = Array.from({ length: 12 }, (_, place) => `note ${place} of the week`);
  for (const content_title of ["squeeze of May", "breakout", "squeeze of June", ...others])
    made.push(await own.create({ content_title, content_body: null }));
  await own.link(made[0]!.id, made[2]!.id, "relates_to");
  const query = "what about the squeeze and how did the breakout go?";
  const search = async (query: string, limit: number) =>
    (await own.ask("POST /search", { query, limit })).body.data as Found[];
  const expected = (await orchestrate(query, search)).map(({ id }) => id);
  const { status, body } = await own.ask("POST /retrieve", { query });
  expect({ status, ids: body.data.map(({ id }: Found) => id) }).toEqual({
    ...{ status: 200, ids: expected },
  });
  expect(retrievalAnswer.safeParse(body).error).toBeUndefined();
  expect(body.trace.parts).toHaveLength(2);
  expect(expected.length).toBeGreaterThan(2);
  const { body: edges } = await own.ask(`GET /edges?node_id=${made[0]!.id}`);
  expect(edges.data[0].strength).toBeCloseTo(0.53, 10);
  const prompt = await own.ask("POST /context", { input: "what about the squeeze?" });
  expect(prompt.body.prompt).toContain("squeeze of May");
  await own.create({ content_title: "with a vector", embedding: [1, 0, 0] });
  expect(await own.ask("POST /retrieve", { query: "squeeze", embedding: [1, 0] })).toMatchObject({
    status: 400,
    body: { issues: [{ path: "embedding" }] },
  });
});
