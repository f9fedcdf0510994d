// Why a memory comes up for a question, or why it does not: POST /v1/explain.

import { meaningInWords } from "nous-memory";
import { NousClient } from "nous-server/client";
import { ANSWERABLE } from "nous-wasm";
import { describe, expect, test } from "vitest";
import type { ExplainAnswer, Explanation } from "../../js/server/src/api/explain.ts";
import { explainOperations } from "../../js/server/src/api/explain.ts";
import { raw } from "./support/existing-database.ts";
import { day, MEMORIES, memory } from "./support/explaining-agent.ts";
import { testOnFiles } from "./support/on-postgres.ts";
import { start } from "./support/server-process.ts";
import { type Client, clientOf, sharedServer } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const { client, server } = sharedServer();

async function filled(by: Client): Promise<Client> {
  for (const one of MEMORIES) await by.create(one);
  await by.link("porto", "lisbon", "supersedes");
  return by;
}

async function explained(by: Client, body: object): Promise<ExplainAnswer> {
  const { status, body: answer } = await by.ask("POST /explain", body);
  expect({ status, answer }).toMatchObject({ status: 200 });
  expect(explainOperations.explain.answer.strict().parse(answer)).toEqual(answer);
  return answer;
}

/** Checks that sum and score are those of the evidence. */
function expectSum({ score, sum, scale, offset, evidence }: Explanation): void {
  for (const { value, weight, contribution } of evidence)
    expect(contribution).toBeCloseTo(value * weight, 12);
  expect(evidence.reduce((all, { contribution }) => all + contribution, 0)).toBeCloseTo(sum, 9);
  expect(score).toBeCloseTo(1 / (1 + Math.exp(-(scale * sum + offset))), 12);
  const sizes = evidence.map(({ contribution }) => Math.abs(contribution));
  expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
}

test.each([
  [
    { unheld: 1, weight: 5.4, least_weight: 2 },
    "counts 2.7 times: no word of the question is in any one memory",
  ],
  [
    { unheld: 0.6, weight: 3, least_weight: 2 },
    "counts 1.5 times: at most 40 % of the question is in any one memory",
  ],
  [
    { unheld: 0.999, weight: 3, least_weight: 2 },
    "counts 1.5 times: at most 1 % of the question is in any one memory",
  ],
  [
    { unheld: 0.001, weight: 3, least_weight: 2 },
    "counts 1.5 times: at most 99 % of the question is in any one memory",
  ],
  [
    { unheld: 0, weight: 2, least_weight: 2 },
    "counts as usual: one memory holds all words of the question",
  ],
  [
    { unheld: 1, weight: -0.257, least_weight: -2 },
    "weighs -0.26: no word of the question is in any one memory",
  ],
])("meaning in words: %o", (numbers, told) => {
  const meaning = { ...numbers, unlike: 0, is_estimated: false };
  expect(meaningInWords(meaning)).toEqual([`Meaning ${told}.`]);
  expect(meaningInWords({ ...meaning, is_estimated: true })).toEqual([
    `Meaning ${told}.`,
    "This memory has no vector yet: its meaning is estimated.",
  ]);
});

describe("an explanation", () => {
  test("has rank and score of the search, and evidence that adds up to them", async () => {
    const own = await filled(client());
    for (const query of [
      "Why do deploys on Friday fail?",
      "Where did Mira move?",
      "When is the money paid?",
      "What happened on 9 February 2026?",
    ]) {
      const found = (await own.ask("POST /search", { query, recall: false })).body;
      const ids = MEMORIES.map(({ id }) => id);
      const { data, count, ...whole } = await explained(own, { query, ids });
      expect([count, data.map(({ id }) => id)]).toEqual([ids.length, ids]);
      expect(whole).toMatchObject({
        ...{ answerable: found.answerable, probability: found.probability },
        threshold: ANSWERABLE,
      });
      for (const one of data) {
        expectSum(one);
        const place = found.data.findIndex(({ id }: Explanation) => id === one.id);
        expect([query, one.id, one.rank]).toEqual([query, one.id, place < 0 ? null : place + 1]);
        expect(one.absent).toBe(place < 0 ? "not_connected" : undefined);
        if (place < 0) continue;
        const hit = found.data[place];
        expect(one.score).toBeCloseTo(hit.score, 4);
        expect(one.superseded_by).toBe(hit.superseded_by);
        for (const { name, value } of one.evidence)
          if (Math.abs(value) > 1e-4 && hit.evidence[name] !== undefined)
            expect(value, name).toBeCloseTo(hit.evidence[name], 4);
      }
    }
    const { body } = await own.ask("GET /nodes/deploys?recall=false");
    expect(body.neural_access_count).toBe(0);
  });

  test("names words with their neighbours, the passage, and what was understood", async () => {
    const own = await filled(client());
    const { data, understood } = await explained(own, {
      ...{ query: "When is the wage paid since January 2026?", id: "salary" },
    });
    const words = new Map(data[0]!.words.map((word) => [word.asked, word]));
    expect(words.get("wage")).toMatchObject({ found: "salary", in_passage: true });
    expect(words.get("wage")!.nearness).toBeGreaterThan(0.3);
    expect(words.get("paid")).toMatchObject({ found: "paid", nearness: 1 });
    expect(data[0]!.passage).toBe("The salary is paid on the 25th");
    expect(understood.words).toContain("wage");
    expect(understood.words).not.toContain("the");
    expect(understood.times).toMatchObject([{ start: "2026-01-01T00:00:00.000Z" }]);
    const open = await explained(own, { query: "Who moved before 2020?", id: "lisbon" });
    expect(open.understood.times).toMatchObject([{ start: null, end: "2020-01-01T00:00:00.000Z" }]);
    const old = await explained(own, { query: "Where did Mira move?", id: "lisbon" });
    expect(old.data[0]).toMatchObject({ superseded_by: "porto" });
    expect(old.data[0]!.evidence.map(({ name }) => name)).toContain("supersession");
    const labelled = await explained(own, {
      query: "billing lesson: failing deploys",
      id: "deploys",
    });
    expect(labelled.data[0]!.passage).toMatch(/^(Deploys on|Three of)/);
  });

  test("ranks among the memories that pass a filter, and says which it excludes", async () => {
    const own = await filled(client());
    const query = "Where did Mira move, and what tea does she drink?";
    for (const filter of [
      { user: "mira" },
      { metadata: { place: "flat" } },
      { created: { lt: day("02-01") } },
      { user: "nobody" },
    ]) {
      const found = (await own.ask("POST /search", { query, filter })).body;
      const ids = MEMORIES.map(({ id }) => id);
      const { data, answerable, probability } = await explained(own, { query, ids, filter });
      expect({ answerable, probability }).toEqual({
        ...{ answerable: found.answerable, probability: found.probability },
      });
      const passing = (
        await own.ask(`GET /nodes?filter=${encodeURIComponent(JSON.stringify(filter))}`)
      ).body.data.map(({ id }: Explanation) => id);
      for (const one of data) {
        expectSum(one);
        const place = found.data.findIndex(({ id }: Explanation) => id === one.id);
        expect(one.rank, `${one.id} ${JSON.stringify(filter)}`).toBe(place < 0 ? null : place + 1);
        expect(one.absent === "filtered", one.id).toBe(!passing.includes(one.id));
        if (place >= 0) expect(one.score).toBeCloseTo(found.data[place].score, 4);
      }
    }
  });

  test("reaches further than a search lists", async () => {
    const own = client();
    const items = Array.from({ length: 150 }, (_, place) => ({
      ...{ id: `m${place}`, type: "note", created_at: new Date(Date.UTC(2025, 0, 1 + place)) },
      content_title: `Deploy ${place} went well`,
    }));
    for (const part of [items.slice(0, 90), items.slice(90)])
      expect((await own.ask("POST /nodes/batch", { items: part })).status).toBe(200);
    const query = "How did deploy 7 go?";
    const ids = ["m7", "m149", "m1", "m90"];
    const { data } = await explained(own, { query, ids });
    const ranks = data.map(({ rank }) => rank!);
    expect(Math.max(...ranks)).toBeGreaterThan(10);
    const { body } = await own.ask("POST /search", { query, limit: 100 });
    for (const { id, rank } of data) if (rank! <= 100) expect(body.data[rank! - 1].id).toBe(id);
  });

  testOnFiles("says that a memory has no words", async () => {
    const own = await filled(client());
    await own.create(memory("dots", "01-20", "…", { subtype: null }));
    const db = raw(own.file());
    db.exec(
      "UPDATE nodes SET content_title = '', subtype = NULL, embedding_vector = NULL WHERE id = 'tea'",
    );
    db.close();
    const { data } = await explained(own, { query: "Mira's tea", ids: ["tea", "dots", "porto"] });
    expect(data).toMatchObject([
      { id: "tea", rank: null, absent: "no_words", evidence: [], score: 0, passage: null },
      { id: "dots", rank: null, absent: "no_words" },
      { id: "porto", rank: 1 },
    ]);
  });

  test("of a memory named twice stands once; a client has the method", async () => {
    const own = await filled(client());
    const twice = await explained(own, { query: "tea", ids: ["tea", "salary", "tea"] });
    expect(twice.data.map(({ id }) => id)).toEqual(["tea", "salary"]);
    const nous = new NousClient({ baseUrl: server().url, agent: own.agent });
    const { data } = await nous.explain({ query: "tea", id: "tea" });
    expect(data[0]).toMatchObject({ id: "tea", content_title: "Mira prefers tea", rank: 1 });
  });

  test("is refused with the reason: ids and fields", async () => {
    const own = await filled(client());
    const query = "tea";
    expect(await own.ask("POST /explain", { query, ids: ["tea", "n_none"] })).toMatchObject({
      status: 404,
      body: { issues: [{ path: "ids.1", message: "names no memory: n_none" }] },
    });
    expect(await client().ask("POST /explain", { query, id: "tea" })).toMatchObject({
      status: 404,
      body: { issues: [{ path: "id", message: "names no memory: tea" }] },
    });
    for (const [body, path] of [
      [{ id: "tea" }, "query"],
      [{ query }, "id"],
      [{ query, id: "tea", ids: ["tea"] }, "id"],
      [{ query, ids: [] }, "ids"],
      [{ query, ids: Array.from({ length: 11 }, (_, place) => `n_${place}`) }, "ids"],
      [{ query, id: "tea", limit: 3 }, "limit"],
      [{ query, id: "tea", filter: { tags: {} } }, "filter.tags"],
    ] as const) {
      const { status, body: answer } = await own.ask("POST /explain", body);
      expect([status, answer.issues[0].path], JSON.stringify(body)).toEqual([400, path]);
    }
  });

  /** The status for an agent of a server with these options. */
  async function statusWith(...options: string[]): Promise<number> {
    const other = clientOf(await start(temporaryFolder(), options), "alice");
    await other.create({ content_title: "Mira prefers tea" });
    const [{ id }] = (await other.ask("GET /nodes")).body.data;
    return (await other.ask("POST /explain", { query: "tea", id })).status;
  }

  test("is refused to agents that rank by signals", async () => {
    expect(await statusWith("--ranking", "signals")).toBe(409);
  });

  testOnFiles("is not there as Hynous", async () => {
    expect(await statusWith("--compat", "hynous")).toBe(404);
    expect(await statusWith("--compat", "hynous", "--ranking", "evidence")).toBe(404);
  });
});
