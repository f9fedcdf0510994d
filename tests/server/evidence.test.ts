// Ranking by evidence: searches, retrieval in passes and prompts, with the filters of a search.

import { join } from "node:path";
import fc from "fast-check";
import { ANSWERABLE } from "nous-wasm";
import { describe, expect, test } from "vitest";
import { Agent } from "../../js/server/src/agent/agent.ts";
import * as api from "../../js/server/src/api/search.ts";
import { SqliteStorage } from "../../js/server/src/storage/sqlite.ts";
import { amount, runs } from "../support/amount.ts";
import { ask } from "./support/direct-agent.ts";
import { testOnFiles, testOnFilesInFull } from "./support/on-postgres.ts";
import { start } from "./support/server-process.ts";
import { type Client, clientOf, sharedServer } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const { client } = sharedServer();

const day = (date: string) => `2026-${date}T09:00:00.000Z`;

/** Memories of different days, so that none is in the run of another. */
const MEMORIES = [
  {
    id: "deploys",
    type: "note",
    subtype: "custom:lesson",
    created_at: day("01-05"),
    content_title: "Deploys on Friday fail more often",
    content_body: "Three of four rollbacks of this year were deploys on a Friday.",
  },
  {
    id: "tea",
    type: "concept",
    subtype: "custom:turn_summary",
    created_at: day("01-07"),
    content_title: "Mira prefers tea",
    content_summary: "She drinks green tea in the morning.",
  },
  {
    id: "lisbon",
    type: "episode",
    subtype: "custom:turn_summary",
    created_at: day("01-09"),
    temporal_event_time: day("01-02"),
    content_title: "Mira moved to Lisbon",
    content_body: "She found a flat near the river.",
  },
  {
    id: "salary",
    type: "note",
    subtype: "custom:lesson",
    created_at: day("01-11"),
    content_title: "The salary is paid on the 25th",
    content_body: "Bonuses come with the salary of March.",
  },
];

/** Memories that are alike, and questions that many of them answer. */
const manyDeploys = () =>
  Array.from({ length: 130 }, (_, place) => ({
    id: `m${place}`,
    type: place % 5 === 0 ? "note" : "episode",
    subtype: place % 2 === 0 ? "custom:lesson" : "custom:signal",
    created_at: new Date(Date.UTC(2026, 0, 1 + (place % 60), place % 24)).toISOString(),
    temporal_event_time: place % 3 === 0 ? day(`02-${10 + (place % 18)}`) : null,
    tags: place % 7 === 0 ? ["rollback"] : null,
    content_title: `Deploy ${place} of the ${["billing", "search", "mail"][place % 3]} service`,
    content_body: place % 4 === 0 ? "It failed on a Friday. Mira rolled it back." : "It went well.",
  }));
const ABOUT_DEPLOYS = [
  "Which deploys of billing failed on a Friday?",
  "rollback",
  "What did we learn from search deploys, and which mail deploys failed last month?",
  "deploys in February",
  "who rolled back mail",
];

async function filled(by: Client): Promise<Client> {
  for (const memory of MEMORIES) await by.create({ content_body: null, ...memory });
  return by;
}

const scored = ({ id, score }: { id: string; score: number }) => ({ id, score });

const searched = async (by: Client, body: object) => {
  const { status, body: answer } = await by.ask("POST /search", body);
  expect({ status, answer }).toMatchObject({ status: 200 });
  return answer;
};

describe("a search by evidence", () => {
  test("is the default, and tells probability and evidence of each memory", async () => {
    const own = await filled(client());
    const answer = await searched(own, { query: "Why do deploys on Friday fail?" });
    expect(api.searchAnswer.strict().parse(answer)).toEqual(answer);
    const [best, ...rest] = answer.data;
    expect(best).toMatchObject({ id: "deploys", memory_section: "KNOWLEDGE" });
    expect(best).not.toHaveProperty("breakdown");
    expect(best).not.toHaveProperty("primary_signal");
    expect(best.evidence.p_soft).toBeGreaterThan(0);
    for (const value of [best.score, ...Object.values<number>(best.evidence)])
      expect(value).toBe(Number(value.toFixed(4)));
    let before = best.score;
    for (const { score } of rest) {
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(before);
      before = score;
    }
    expect(best.score).toBeLessThanOrEqual(1);
    expect(answer.answerable).toBe(best.score >= ANSWERABLE);
    // Figures of a search by signals would always be 0.
    expect(Object.keys(answer.metrics).sort()).toEqual([
      "nodes_filtered",
      "nodes_returned",
      "parse_filters_ms",
      "spreading_ms",
      "total_ms",
    ]);
    expect(answer.qcs).not.toHaveProperty("ssa_multiplier");
    expect((await own.ask("GET /nodes/deploys?recall=false")).body.neural_access_count).toBe(1);
  });

  test("finds nothing if nothing connects a memory with the question", async () => {
    const own = await filled(client());
    const answer = await searched(own, { query: "xylophone qwertz" });
    expect(answer).toMatchObject({ data: [], count: 0, answerable: false });
    expect(await searched(client(), { query: "deploys" })).toMatchObject({
      data: [],
      answerable: false,
    });
  });

  test("finds a memory by its kind and its tags, which count like words of the title", async () => {
    const own = await filled(client());
    const tagged = await own.create({
      id: "tagged",
      subtype: "custom:trade_close",
      tags: ["zeppelin", "hangar"],
      content_title: "It ended well",
      content_body: '{"text":"Nobody was late.","signals":{"pnl_pct":3,"venue":"quokka"}}',
    });
    expect(tagged.tags).toEqual(["zeppelin", "hangar"]);
    for (const query of ["zeppelin", "the last trade close", "Nobody was late"]) {
      const [first] = (await searched(own, { query })).data;
      expect(first, query).toMatchObject({ id: "tagged", tags: ["zeppelin", "hangar"] });
    }
    const [byTag] = (await searched(own, { query: "zeppelin hangar" })).data;
    expect(byTag.evidence.titlecov).toBe(1);
    // Of a JSON body the text is read alone, as prompts show it.
    expect(await own.search("quokka")).not.toContain("tagged");
    await own.ask("PATCH /nodes/tagged", { tags: ["airship"], subtype: "custom:walrus" });
    expect(await own.search("zeppelin")).not.toContain("tagged");
    for (const query of ["airship", "walrus"])
      expect((await own.search(query))[0], query).toBe("tagged");
    const { body } = await own.ask("PATCH /nodes/tagged", { tags: null });
    expect(body.tags).toEqual([]);
    expect(await own.search("airship")).not.toContain("tagged");
  });

  test("does not rank by earlier searches: recency counts from the making of a memory", async () => {
    const own = client();
    for (let place = 0; place < 6; place++)
      await own.create({
        id: `d${place}`,
        content_title: `Deploy ${place}`,
        created_at: day("01-05"),
      });
    const before = await searched(own, { query: "the latest deploy" });
    for (let turn = 0; turn < 3; turn++) await own.search("deploy 3", { limit: 1 });
    expect((await searched(own, { query: "the latest deploy" })).data.map(scored)).toEqual(
      before.data.map(scored),
    );
  });

  test("begins with the same results whatever the limit, with any filters", async () => {
    const own = client();
    const items = manyDeploys();
    for (const part of [items.slice(0, 90), items.slice(90)])
      expect((await own.ask("POST /nodes/batch", { items: part })).status).toBe(200);
    const [old, newer] = ["m4", "m8"];
    await own.link(newer, old, "supersedes");
    const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
    const requests = fc.record({
      query: fc.constantFrom(...ABOUT_DEPLOYS),
      min_score: optional(fc.double({ min: 0, max: 0.4, noNaN: true })),
      type: optional(fc.constantFrom("note", "episode")),
      subtype: optional(fc.constantFrom("custom:lesson", "custom:signal")),
      lifecycle: optional(fc.constantFrom("ACTIVE", "WEAK", "DORMANT")),
      time_range: optional(
        fc.record({
          type: fc.constantFrom("event", "ingestion", "any"),
          start: fc.constantFrom(day("01-01"), day("02-12")),
          end: fc.constantFrom(day("02-20"), day("03-05")),
        }),
      ),
    });
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const whole = (await searched(own, { ...request, limit: 100 })).data.map(scored);
        for (const limit of [1, 5, 10, 30]) {
          const { data, answerable } = await searched(own, { ...request, limit });
          expect(data.map(scored)).toEqual(whole.slice(0, limit));
          expect(answerable).toBe((whole[0]?.score ?? 0) >= ANSWERABLE);
        }
      }),
      runs(amount(40, 10)),
    );
  });

  test("puts a copy behind other memories, and names the one that it repeats", async () => {
    const own = client();
    const words = "of the billing service failed because the queue of the printer was full";
    const copy = { content_title: "A deploy", content_body: `The deploy ${words}.` };
    const [one, two] = [await own.create(copy), await own.create(copy)];
    const other = await own.create({ content_title: "Mail", content_body: "A deploy of mail." });
    const query = "Why did the deploy of billing fail?";
    const { data } = await searched(own, { query });
    const [best, next, last] = data;
    expect([best.id, last.id].sort()).toEqual([one.id, two.id].sort());
    expect(next.id).toBe(other.id);
    expect(last).toMatchObject({ similar_to: best.id });
    expect(best).not.toHaveProperty("similar_to");
    const diverse = await searched(own, { query, diversity: 1 });
    expect(diverse.data[0].id).toBe(best.id);
    expect((await own.ask("POST /search", { query, diversity: 2 })).status).toBe(400);
  });

  test("names the memory that supersedes another, and finds a time of an event", async () => {
    const own = await filled(client());
    const newer = { ...MEMORIES[2], id: "porto", created_at: day("02-09") };
    await own.create({ ...newer, content_title: "Mira moved to Porto", temporal_event_time: null });
    await own.link("porto", "lisbon", "supersedes");
    const { data } = await searched(own, { query: "Where did Mira move?" });
    expect(data.slice(0, 2)).toMatchObject([
      { id: "porto" },
      { id: "lisbon", superseded_by: "porto" },
    ]);
    expect(data[0]).not.toHaveProperty("superseded_by");
    const dated = await searched(own, { query: "What happened on January 2, 2026?" });
    const found = dated.data.find(({ id }: { id: string }) => id === "lisbon");
    expect(found.evidence.date).toBe(2);
  });

  test("leaves out memories below min_score", async () => {
    const own = await filled(client());
    const query = "Did Mira move to Lisbon?";
    const { data } = await searched(own, { query });
    expect(data.length).toBeGreaterThan(1);
    const [best, next] = data;
    const between = (best.score + next.score) / 2;
    expect(await own.search(query, { min_score: between })).toEqual([best.id]);
    expect(await own.search(query, { min_score: 0 })).toEqual(
      data.map(({ id }: { id: string }) => id),
    );
    for (const min_score of [-0.1, 1.1, "0.5"]) {
      const { status, body } = await own.ask("POST /search", { query, min_score });
      expect({ status, path: body.issues?.[0]?.path }).toEqual({ status: 400, path: "min_score" });
    }
  });

  test("applies every filter, and looks further if too few pass", async () => {
    const own = await filled(client());
    const cluster = (await own.ask("POST /clusters", { name: "People" })).body.id;
    await own.ask(`POST /clusters/${cluster}/members`, { node_id: "lisbon" });
    const found = (fields: object) => own.search("Mira, salary, deploys", { limit: 1, ...fields });
    // Memories of January have faded, unless a search finds them.
    await own.create({ id: "fresh", type: "note", content_title: "Mira owns a bicycle" });
    expect(await found({ lifecycle: "ACTIVE" })).toEqual(["fresh"]);
    expect(await found({ type: "episode" })).toEqual(["lisbon"]);
    expect(await found({ type: "concept" })).toEqual(["tea"]);
    expect(await found({ subtype: "custom:none" })).toEqual([]);
    expect(await found({ cluster_ids: [cluster] })).toEqual(["lisbon"]);
    const until = { start: day("01-01"), end: day("01-03") };
    expect(await found({ time_range: { ...until, type: "event" } })).toEqual(["lisbon"]);
    expect(await found({ time_range: until })).toEqual(["lisbon"]);
    expect(await found({ time_range: { ...until, type: "ingestion" } })).toEqual([]);
    const late = { start: day("01-10"), end: day("01-12"), type: "ingestion" };
    expect(await found({ time_range: late })).toEqual(["salary"]);
  });

  test("finds a memory as soon as it is acknowledged, and its text no longer than it exists", async () => {
    const own = await filled(client());
    const best = async (query: string) => (await own.search(query, { limit: 1 }))[0];
    /** Memories that hold a word of the question, and not only one that is near. */
    const holding = async (query: string) =>
      (await searched(own, { query })).data
        .filter(({ evidence }: { evidence: object }) => "bm" in evidence)
        .map(({ id }: { id: string }) => id);
    await own.create({ id: "kiwi", content_title: "Kiwis", created_at: day("01-20") });
    expect(await best("kiwis")).toBe("kiwi");
    await own.ask("PATCH /nodes/kiwi", { content_title: "Quinces" });
    expect(await holding("kiwis")).toEqual([]);
    expect(await best("quinces")).toBe("kiwi");
    await own.ask("DELETE /nodes/kiwi");
    expect(await holding("quinces")).toEqual([]);
    expect((await own.ask("POST /nodes/tea/purge")).status).toBe(200);
    expect(await holding("green tea")).toEqual([]);
  });

  testOnFilesInFull("reads every text again after a restart", async () => {
    const folder = temporaryFolder();
    let running = await start(folder);
    const own = await filled(clientOf(running, "alice"));
    const nodes = Array.from({ length: 100 }, (_, place) => ({
      type: "note",
      content_title: `Note ${place} about the garden`,
      created_at: new Date(Date.parse(day("02-01")) + place * 7_200_000).toISOString(),
    }));
    for (let batch = 0; batch < 10; batch++) {
      const { status } = await own.ask("POST /nodes/batch", { items: nodes });
      expect(status).toBe(200);
    }
    const query = "Where did Mira find a flat?";
    const before = await own.search(query);
    expect(before[0]).toBe("lisbon");
    await running.end();
    running = await start(folder);
    const again = clientOf(running, "alice");
    expect(await again.search(query)).toEqual(before);
    expect(running.log()).toContain("Loaded from its snapshot: index");
    expect(running.log()).not.toContain("full text");
  });
});

describe("how a request ranks", () => {
  test("is the request's own choice, else the server's", async () => {
    const own = await filled(client());
    const query = "Friday deploys";
    const bySignals = await searched(own, { query, ranking: "signals" });
    expect(bySignals).not.toHaveProperty("answerable");
    expect(bySignals.data[0]).toMatchObject({
      id: "deploys",
      breakdown: { keyword: 1 },
      primary_signal: expect.any(String),
    });
    expect(bySignals.data[0]).not.toHaveProperty("evidence");
    expect(await own.search(query, { ranking: "signals", min_score: 1 })).toEqual([]);
    const { status, body } = await own.ask("POST /search", { query, ranking: "votes" });
    expect({ status, path: body.issues[0].path }).toEqual({ status: 400, path: "ranking" });
  });

  test("is by signals if the request brings an embedding", async () => {
    const own = client();
    await own.create({ id: "one", embedding: [1, 0] });
    const query = "nothing in common";
    const { data } = await searched(own, { query, embedding: [1, 0] });
    expect(data[0]).toMatchObject({ id: "one", breakdown: { semantic: 1 } });
    for (const call of ["POST /search", "POST /retrieve", "POST /context/lines"]) {
      const asked = { query, embedding: [1, 0], ranking: "evidence" };
      const { status, body } = await own.ask(call, asked);
      expect({ call, status, path: body.issues[0].path }).toEqual({
        call,
        status: 400,
        path: "embedding",
      });
    }
  });

  testOnFiles(
    "is by signals on a server whose setting says so, or that answers as Hynous",
    async () => {
      for (const options of [
        ["--ranking", "signals"],
        ["--compat", "hynous"],
      ]) {
        const running = await start(temporaryFolder(), options);
        const own = clientOf(running, "alice");
        await filled(own);
        const query = "rollbacks of this year";
        for (const call of ["POST /search", "POST /retrieve"]) {
          const { body } = await own.ask(call, { query });
          expect({ call, ...body.data[0] }).toMatchObject({ call, breakdown: { keyword: 1 } });
        }
        const { body } = await own.ask("POST /retrieve", { query, ranking: "evidence" });
        expect(body.data[0].evidence.p_soft).toBeGreaterThan(0);
        await running.end("SIGKILL");
      }
    },
  );

  test("decides which indexes an agent holds", async () => {
    const messages: string[] = [];
    const opened = (ranking: "evidence" | "signals") => {
      messages.length = 0;
      const storage = new SqliteStorage(join(temporaryFolder(), "a.db"), { durability: "normal" });
      const agent = new Agent(storage, { ranking, log: (what) => messages.push(what) });
      agent.open();
      return agent;
    };
    const FULL_TEXT = "Loaded from the database: full text";
    const lesson = { type: "note", content_title: "Funding squeeze" };
    const query = "funding squeeze";

    const bySignals = opened("signals");
    await ask(bySignals, "createNode", { body: lesson });
    expect(bySignals.read(() => bySignals.index.textCount)).toBe(0);
    expect((await ask(bySignals, "search", { body: { query } })).data).toHaveLength(1);
    const asked = { query, ranking: "evidence" };
    expect((await ask(bySignals, "search", { body: asked })).data).toHaveLength(1);
    expect(bySignals.read(() => bySignals.index.textCount)).toBe(1);

    const byEvidence = opened("evidence");
    await ask(byEvidence, "createNode", { body: lesson });
    expect((await ask(byEvidence, "search", { body: { query } })).data).toHaveLength(1);
    expect(byEvidence.read(() => byEvidence.index.textCount)).toBe(1);
    expect(messages).not.toContain(FULL_TEXT);
    const { matches } = await ask(byEvidence, "checkSimilar", { body: { content: query } });
    expect(matches).toHaveLength(1);
    expect(messages).toContain(FULL_TEXT);
  });
});

describe("retrieval by evidence", () => {
  test("asks the parts of a question, and a memory takes its best probability", async () => {
    const own = await filled(client());
    const query = "Where did Mira move and when is the salary paid?";
    const { body } = await own.ask("POST /retrieve", { query });
    const ids = body.data.map(({ id }: { id: string }) => id);
    expect(ids).toContain("lisbon");
    expect(ids).toContain("salary");
    expect(body.trace).toMatchObject({ mode: "parts", replaced: [], dropped: [], titles: [] });
    expect(body.trace.merge.boosted).toEqual([]);
    for (const { id, score, _sub_query_group: part } of body.data) {
      const scores = await Promise.all(
        body.trace.parts.map(async ({ query }: { query: string }) => {
          const { data } = await searched(own, { query, limit: 25 });
          return data.find((found: { id: string }) => found.id === id)?.score ?? 0;
        }),
      );
      expect({ id, score }).toEqual({ id, score: Math.max(...scores) });
      expect(scores[part]).toBe(score);
    }
    const min = await own.ask("POST /retrieve", { query, min_score: 1 });
    expect(min.body.data).toEqual([]);
    const lines = await own.ask("POST /context/lines", { query });
    expect(lines.body.ids).toEqual(ids);
  });

  test("begins with the same results whatever its limits", async () => {
    const place = join(temporaryFolder(), "a.db");
    const clock = () => Date.parse(day("03-05"));
    const limited = (limit: number) =>
      new Agent(new SqliteStorage(place, { durability: "normal" }), {
        config: { orchestrator: { search_limit_per_query: limit, max_results: limit } },
        clock,
      });
    const widest = limited(100);
    for (const body of manyDeploys()) await ask(widest, "createNode", { body });
    const edge = { source_id: "m8", target_id: "m4", type: "supersedes" };
    await ask(widest, "createEdge", { body: edge });
    for (const limit of [1, 5, 10, 30]) {
      const agent = limited(limit);
      for (const query of ABOUT_DEPLOYS) {
        const body = { query, recall: "none" };
        const whole = (await ask(widest, "retrieve", { body })).data.map(scored);
        const { data, trace } = await ask(agent, "retrieve", { body });
        // So that each part has a result, one may stand at the end that others go before.
        const own = data.filter(({ id }: { id: string }) => !trace.merge.covered.includes(id));
        expect(own.length, `${query} ${limit}`).toBeGreaterThan(0);
        expect(own.map(scored), `${query} ${limit}`).toEqual(whole.slice(0, own.length));
      }
    }
  });

  test("fills a prompt", async () => {
    const own = await filled(client());
    const { body } = await own.ask("POST /context", { input: "Why do deploys on Friday fail?" });
    const sections = body.sections.map(({ content }: { content: string }) => content).join("\n");
    expect(sections).toContain("Deploys on Friday fail more often");
    // Tokens that are left over go to what is next best.
    if (sections.includes("salary"))
      expect(sections.indexOf("salary")).toBeGreaterThan(sections.indexOf("Deploys on Friday"));
  });
});

describe("created_at of a new memory", () => {
  test("is the time of its making, from which it fades and by which lists are sorted", async () => {
    const own = client();
    const recent = await own.create();
    const old = await own.create({ id: "old", created_at: "2024-05-03T12:00:00+02:00" });
    expect(old).toMatchObject({
      created_at: "2024-05-03T10:00:00.000Z",
      provenance_created_at: "2024-05-03T10:00:00.000Z",
    });
    const { data } = (await own.ask("GET /nodes")).body;
    expect(data.map(({ id }: { id: string }) => id)).toEqual([recent.id, "old"]);
    expect(data[1].neural_retrievability).toBeLessThan(0.1);
    const range = { start: "2024-05-01", end: "2024-05-31", type: "ingestion" };
    expect(await own.search("funding", { time_range: range })).toEqual(["old"]);
  });

  test("lies in the past, and belongs to the memory of an id", async () => {
    const own = client();
    const ahead = new Date(Date.now() + 3_600_000).toISOString();
    const lesson = { type: "note", content_title: "Funding" };
    for (const created_at of [ahead, "yesterday", 5]) {
      const { status, body } = await own.ask("POST /nodes", { ...lesson, created_at });
      expect({ status, path: body.issues[0].path }).toEqual({ status: 400, path: "created_at" });
    }
    const first = { ...lesson, id: "mine", created_at: "2024-05-03T12:00:00Z" };
    expect((await own.ask("POST /nodes", first)).status).toBe(201);
    expect((await own.ask("POST /nodes", first)).status).toBe(201);
    expect((await own.ask("POST /nodes", { ...lesson, id: "mine" })).status).toBe(201);
    const other = { ...first, created_at: "2024-05-04T12:00:00Z" };
    expect((await own.ask("POST /nodes", other)).status).toBe(409);
    const items = [{ ...lesson, id: "batched", created_at: "2023-01-01T00:00:00Z" }];
    expect((await own.ask("POST /nodes/batch", { items })).status).toBe(200);
    expect((await own.ask("GET /nodes/batched")).body.created_at).toBe("2023-01-01T00:00:00.000Z");
  });
});

test("searches, lines and prompts show when something happened, also after an update", async () => {
  const own = await filled(client());
  const [found] = (await searched(own, { query: "Where did Mira move?" })).data;
  expect(found).toMatchObject({ id: "lisbon", temporal_event_time: day("01-02") });
  const input = "Where did Mira move, to which flat near the river?";
  const shown = async (date: string) => {
    const lines = (await own.ask("POST /context/lines", { query: input })).body.text;
    expect(lines).toContain(`Mira moved to Lisbon (${date})`);
  };
  await shown("2026-01-02");
  await own.ask("PATCH /nodes/lisbon", { temporal_event_time: "2025-06-03T10:00:00Z" });
  await shown("2025-06-03");
  const asked = await searched(own, { query: "Where did Mira move on 3 June 2025?" });
  expect(asked.data[0]).toMatchObject({ id: "lisbon", evidence: { date: 2 } });
  await own.ask("PATCH /nodes/lisbon", { temporal_event_time: null });
  await shown("2026-01-09");

  const [instant, line] = [day("01-02"), "(on 2 Jan 2026, "];
  await own.ask("PATCH /nodes/deploys", { temporal_event_time: instant });
  const { body } = await own.ask("POST /context", { input: "Why do deploys on Friday fail?" });
  expect(body.prompt).toContain(line);
});
