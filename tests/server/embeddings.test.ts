// Embeddings that the server creates: after writes, for questions, for memories without one, and
// again for another model.

import { execFile } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, vi } from "vitest";
import type { OptionName } from "../../js/server/src/settings/options.ts";
import { agentFile, agentsDir } from "../../js/server/src/settings/paths.ts";
import { readSettings } from "../../js/server/src/settings/read.ts";
import { SqliteStorage } from "../../js/server/src/storage/sqlite.ts";
import { some } from "../support/amount.ts";
import { describe, test } from "../support/in-turn.ts";
import {
  type Asked,
  answerTo,
  type Behaviour,
  json,
  type Provider,
  startProvider,
} from "./support/embedding-provider.ts";
import { makeExisting, raw } from "./support/existing-database.ts";
import { databaseOptions, stored, testOnFiles } from "./support/on-postgres.ts";
import { PROGRAM, start } from "./support/server-process.ts";
import { clientOf } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const KEY = "sk-very-secret";
const MODEL = "words-64";
const D = { [MODEL]: 64, "words-32": 32, "words-64b": 64 };

const optionsOf = ({ url }: Provider, model = MODEL) => [
  ...["--embeddings-provider", "openai-compatible", "--embeddings-base-url", url],
  ...["--embeddings-model", model, "--embeddings-key", KEY, "--log-level", "trace"],
];

const NONE = ["--embeddings-provider", "none"];
/** By evidence, a model is measured first. These tests count the calls. */
const BY_SIGNALS = ["--ranking", "signals"];

/** A server with a provider, as one agent sees it. */
async function set({
  folder = temporaryFolder(),
  agent = "default",
  options = [] as string[],
} = {}) {
  const provider = await startProvider(D);
  const server = await start(folder, [...optionsOf(provider), ...BY_SIGNALS, ...options]);
  return { provider, server, folder, client: clientOf(server, agent) };
}

/** Runs a command to its end, while the provider keeps answering. */
function run(args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...args], { timeout: 30_000 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
    );
  });
}

const modelsIn = async (dataDir: string, agent = "default") =>
  (await stored(
    { dataDir, agent },
    "SELECT content_title AS title, embedding_model AS model, length(embedding_vector) / 4 AS components FROM nodes ORDER BY rowid",
  )) as { title: string; model: string | null; components: number | null }[];

async function waitingIn(dataDir: string, agent = "default"): Promise<unknown> {
  const [queue] = await stored({ dataDir, agent }, "SELECT count(*) AS count FROM embedding_queue");
  return queue!.count;
}

/** Waits until every memory has a vector. */
const served = (folder: string, agent = "default") =>
  vi.waitFor(async () => expect(await waitingIn(folder, agent)).toBe(0), {
    timeout: 20_000,
    interval: 50,
  });

/** Answers as usual, unless a text has this word; then with this answer. */
const unless =
  (word: string, otherwise: Behaviour): Behaviour =>
  (asked, response) => {
    if (asked.input.some((text) => text.includes(word))) otherwise(asked, response);
    else json(response, answerTo(asked, D[asked.model as keyof typeof D]));
  };

const titles = (provider: Provider) => provider.asked.flatMap(({ input }) => input);

describe("after a write", () => {
  test("the server creates a vector, without delaying the write", async () => {
    const { provider, client, folder, server } = await set();
    provider.behave(() => {});
    const begun = performance.now();
    const { id, embedding_model } = await client.create({
      content_title: "Slow",
      content_body: "and steady",
    });
    expect(performance.now() - begun).toBeLessThan(2_000);
    expect(embedding_model).toBeNull();
    await vi.waitFor(() => expect(titles(provider)).toEqual(["[lesson] Slow and steady"]));
    expect(await server.end()).toBe(0);

    const again = await set({ folder });
    await served(folder);
    expect((await again.client.ask(`GET /nodes/${id}`)).body).toMatchObject({
      embedding_model: MODEL,
    });
    const { body } = await again.client.ask("POST /search", { query: "steady" });
    expect(body.data.map((found: { id: string }) => found.id)).toEqual([id]);
    expect(body.qcs.used_embeddings).toBe(true);
    expect(body.metrics.embed_queries_ms).toBeGreaterThan(0);
    expect(body.data[0].breakdown.semantic).toBeGreaterThan(0);
    expect(again.provider.asked[0]!.authorization).toBe(`Bearer ${KEY}`);
  });

  test("a prompt's turn is searched for by its vector, too", async () => {
    const { provider, client, folder } = await set();
    const { id } = await client.create({ subtype: "custom:lesson", content_title: "Steady hands" });
    await served(folder);
    const { body } = await client.ask("POST /context", {
      input: "who keeps steady?",
      recall: "none",
    });
    expect(titles(provider)).toContain("who keeps steady?");
    expect(body.recalled_ids.fact).toEqual([id]);
  });

  test("an increase of stability by a read meanwhile stays", async () => {
    const { provider, client, folder } = await set();
    const waiting: (() => void)[] = [];
    provider.behave((asked, response) => {
      waiting.push(() => json(response, answerTo(asked, D[asked.model as keyof typeof D])));
    });
    const { id, neural_stability } = await client.create();
    await vi.waitFor(() => expect(waiting).not.toEqual([]));
    const grown = (await client.ask(`GET /nodes/${id}`)).body.neural_stability;
    expect(grown).toBeGreaterThan(neural_stability);
    for (const answer of waiting) answer();
    await served(folder);
    expect((await client.ask(`GET /nodes/${id}?recall=false`)).body.neural_stability).toBe(grown);
  });

  test("a plain lookup compares words and creates no vector, unless one is given", async () => {
    const { provider, client, folder } = await set();
    await client.create({ content_title: "Bob", content_body: "his phone is 555" });
    await served(folder);
    const asked = provider.asked.length;
    const query = "what is Bob's phone?";
    const { body } = await client.ask("POST /search", { query });
    expect(body).toMatchObject({
      count: 1,
      qcs: { query_type: "LOOKUP", used_embeddings: false, ssa_multiplier: 2 },
    });
    expect(provider.asked).toHaveLength(asked);
    const embedding = Array.from({ length: 64 }, () => 1);
    expect((await client.ask("POST /search", { query, embedding })).body.qcs.used_embeddings).toBe(
      true,
    );
  });

  test("many texts share a call", async () => {
    const { provider, client, folder } = await set();
    await Promise.all(
      Array.from({ length: 40 }, (_, place) => client.create({ content_title: `Memory ${place}` })),
    );
    await served(folder);
    expect(titles(provider)).toHaveLength(40);
    expect(provider.asked.length).toBeLessThan(20);
    expect(Math.max(...provider.asked.map(({ input }) => input.length))).toBeLessThanOrEqual(32);
  });

  test("a given vector wins, and a removed one is created again", async () => {
    const { provider, client, folder } = await set();
    const embedding = Array.from({ length: 64 }, (_, place) => place);
    const { id } = await client.create({
      content_title: "Mine",
      embedding,
      embedding_model: "my own",
    });
    await client.ask(`PATCH /nodes/${id}`, { content_title: "Mine, too", embedding });
    await client.ask(`PATCH /nodes/${id}`, { neural_difficulty: 0.5 });
    await client.ask("POST /search", { query: "mine", embedding });
    await client.create({ content_title: "Theirs" });
    await served(folder);
    expect(titles(provider)).toEqual(["[lesson] Theirs Extremes revert"]);
    expect((await modelsIn(folder))[0]).toEqual({
      title: "Mine, too",
      model: "my own",
      components: 64,
    });
    await client.ask(`PATCH /nodes/${id}`, { embedding: null });
    await served(folder);
    expect((await modelsIn(folder))[0]).toEqual({
      title: "Mine, too",
      model: MODEL,
      components: 64,
    });
  });

  test("a changed text gets a new vector, even while the old one is in progress", async () => {
    const { provider, client, folder } = await set();
    const { id } = await client.create({ content_title: "Old" });
    await served(folder);
    let held: (() => void) | undefined;
    provider.behave((asked, response) => {
      held = () => json(response, answerTo(asked, 64));
    });
    await client.ask(`PATCH /nodes/${id}`, { content_title: "Newer" });
    await vi.waitFor(() => expect(held).toBeDefined());
    await client.ask(`PATCH /nodes/${id}`, { content_title: "Newest" });
    provider.behave();
    held!();
    await served(folder);
    expect(titles(provider).map((text) => text.split(" ")[1])).toEqual(["Old", "Newer", "Newest"]);
    // The index has the last one.
    const { body } = await client.ask("POST /nodes/check-similar", {
      title: "Newest",
      content: "Extremes revert",
      subtype: "custom:lesson",
    });
    expect(body.matches).toMatchObject([{ node_id: id, similarity: 1, action: "duplicate" }]);
  });

  test.each<[string, Behaviour]>(
    some(
      [
        ["does not take", (_, response) => json(response, {}, 400)],
        ["fails at", (_, response) => json(response, {}, 500)],
        ["answers with nonsense", (_, response) => json(response, { data: [] })],
      ],
      1,
    ),
  )("a text that the provider %s delays no other", { timeout: 120_000 }, async (_, otherwise) => {
    const { provider, client, folder } = await set();
    provider.behave(unless("poison", otherwise));
    const all = Array.from({ length: 8 }, (_, place) =>
      place % 6 === 0 ? `poison ${place}` : `sound ${place}`,
    );
    await Promise.all(all.map((content_title) => client.create({ content_title })));
    const without = async () => (await modelsIn(folder)).filter(({ model }) => model === null);
    await vi.waitFor(async () => expect(await without()).toHaveLength(2), {
      timeout: 100_000,
      interval: 200,
    });
    for (const { title } of await without()) expect(title).toMatch(/^poison/);
    // Texts of one failed call are not all in the next one, except for its two retries.
    const calls = provider.asked.map(({ input }) => input);
    for (const title of all) {
      const companies = calls.filter((input) => input.some((text) => text.includes(title)));
      companies.forEach((company, place) => {
        if (company.length > 1) expect(companies[place + 3]).not.toEqual(company);
      });
    }
  });

  testOnFiles("the texts of a failed call are not all in the next one", () => {
    const file = join(temporaryFolder(), "a.db");
    const storage = new SqliteStorage(file, { durability: "normal" });
    const db = raw(file);
    for (const id of "abcdefg")
      db.exec(`INSERT INTO nodes (id, type, content_title) VALUES ('${id}', 'note', '${id}')`);
    const { embeddings } = storage;
    const due = (now: number) => embeddings.due(now, 64).map(({ ticket }) => ticket);
    const all = due(0);
    expect(all).toHaveLength(7);
    const [a, b, c, d, e, f, g] = all as [number, number, number, number, number, number, number];
    // In consecutive calls, in another order than that of their writes.
    for (const [at, tickets] of [
      [f, g],
      [a, b, c],
      [d, e],
    ].entries())
      embeddings.postpone(tickets, at, 0, 0);
    expect(due(9)).toEqual([f, a, c, e]);
    embeddings.postpone([f, a, c, e], 9, 0, 0);
    expect(due(10)).toEqual([g, d]);
    storage.close();
  });

  test("pending texts survive a kill", async () => {
    const { provider, client, folder, server } = await set();
    provider.behave(() => {});
    const other = clientOf(server, "other");
    for (let place = 0; place < 5; place++) {
      await client.create({ content_title: `Memory ${place}` });
      await other.create({ content_title: `Memory ${place}` });
    }
    await server.end("SIGKILL");
    expect([await waitingIn(folder), await waitingIn(folder, "other")]).toEqual([5, 5]);
    const again = await set({ folder });
    await served(folder);
    // An agent's queue is read when the agent is opened.
    await clientOf(again.server, "other").ask("GET /health");
    await served(folder, "other");
    for (const agent of ["default", "other"]) {
      {
        const models = (await modelsIn(folder, agent)).map(({ model }) => model);
        expect(models).toEqual(new Array(5).fill(MODEL));
      }
    }
  });

  test("vectors of a wrong length are reported and not stored", async () => {
    const { client, folder, server } = await set();
    await client.create({ embedding: [1, 2, 3] });
    await client.create({ content_title: "Theirs" });
    await vi.waitFor(() => expect(server.log()).toContain("nous-server reembed"), {
      timeout: 10_000,
    });
    expect((await modelsIn(folder)).map(({ components }) => components)).toEqual([3, null]);
    expect((await client.ask("POST /search", { query: "theirs" })).body.qcs.used_embeddings).toBe(
      false,
    );
  });
});

describe("without a working provider", () => {
  test("words, graph and time still rank, and the answer says so", async () => {
    const { provider, client, folder, server } = await set();
    const { id } = await client.create({ content_title: "Funding" });
    await served(folder);
    await provider.close();
    const { body } = await client.ask("POST /search", { query: "funding" });
    expect(body.data.map((found: { id: string }) => found.id)).toEqual([id]);
    expect(body.qcs.used_embeddings).toBe(false);
    expect(server.log()).toContain("by its words alone");
    const similar = await client.ask("POST /nodes/check-similar", {
      title: "Funding",
      content: "Extremes revert",
    });
    expect(similar.body).toMatchObject({ basis: "words", recommendation: "duplicate_found" });
  });

  test("the API key appears nowhere", async () => {
    const { provider, client, folder, server } = await set();
    provider.behave((_, response) => json(response, { error: `no such key: ${KEY}` }, 401));
    await client.create({ content_title: "Secret plan" });
    await vi.waitFor(() => expect(server.log()).toContain("misconfigured"), { timeout: 10_000 });
    await client.ask("POST /nodes/backfill-embeddings", {});
    const { stdout } = await run(["config", ...optionsOf(provider)]);
    expect(stdout).toContain("embeddings_key: (hidden)\n");
    await expect(readSettings({ embeddings_key: "two words" }, {})).rejects.toThrow(
      /^--embeddings-key is wrong: /,
    );
    const told = server.log() + stdout;
    for (const secret of [KEY, "Secret plan"]) expect(told).not.toContain(secret);
    expect(await modelsIn(folder)).toHaveLength(1);
  });

  test.each<[OptionName, string]>([
    ["embeddings_provider", "some"],
    ["embeddings_base_url", "localhost:11434"],
    ["embeddings_base_url", "ftp://localhost"],
    ["embeddings_base_url", "http://me:secret@localhost/v1"],
    ["embeddings_model", ""],
    ["embeddings_key", "two words"],
    ["embeddings_dimensions", "-1"],
    ["embeddings_timeout", "0"],
    ["embeddings_batch", "0"],
  ])("%s %j is refused with a sentence", async (name, value) => {
    await expect(readSettings({ [name]: value }, {})).rejects.toThrow(
      /^--embeddings-\S+ is .*: .*\.$/,
    );
  });
});

describe("backfilling", () => {
  /** Memories of an agent that were written without a provider. */
  async function withoutVectors(agent: string, contents: readonly string[]) {
    const folder = temporaryFolder();
    const server = await start(folder, NONE);
    const client = clientOf(server, agent);
    for (const content_title of contents) await client.create({ content_title });
    const { body } = await client.ask("POST /nodes/backfill-embeddings");
    expect(body).toEqual({ ok: false, embedded: 0, total: contents.length });
    await server.end();
    return folder;
  }

  test("happens on request, and a failed text is retried the next time", async () => {
    const folder = await withoutVectors("late", ["one", "two poison", "three"]);
    const { provider, client } = await set({ folder, agent: "late" });
    provider.behave(unless("poison", (_, response) => json(response, {}, 422)));
    const fill = async () => (await client.ask("POST /nodes/backfill-embeddings")).body;
    expect(await fill()).toEqual({ ok: false, embedded: 2, total: 3 });
    expect(await fill()).toEqual({ ok: false, embedded: 0, total: 1 });
    provider.behave();
    expect(await fill()).toEqual({ ok: true, embedded: 1, total: 1 });
    expect(await fill()).toEqual({ ok: true, embedded: 0, total: 0 });
  });

  test("can be done by a command, which resumes where it stopped, beside a server", async () => {
    const folder = await withoutVectors("late", ["one", "two", "three", "four"]);
    const server = await start(folder, [...NONE, ...BY_SIGNALS]);
    const client = clientOf(server, "late");
    expect((await client.ask("POST /search", { query: "one" })).body.count).toBe(1);
    const provider = await startProvider(D);
    const fill = async () =>
      run([
        ...["backfill", "--data-dir", folder, ...(await databaseOptions(folder))],
        ...[...optionsOf(provider), "--embeddings-batch", "2"],
      ]);
    provider.behave(unless("three", (_, response) => json(response, {}, 403)));
    const first = await fill();
    expect(first).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("late: 3 of 4 memories"),
    });
    const before = provider.asked.length;
    provider.behave();
    const second = await fill();
    expect(second).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("late: 1 of 1 memories"),
    });
    expect(titles({ ...provider, asked: provider.asked.slice(before) })).toEqual([
      "[lesson] three Extremes revert",
    ]);
    // The server has loaded them, and compares them.
    const [node] = (await client.ask("GET /nodes?limit=1")).body.data;
    expect(node.embedding_model).toBe(MODEL);
    const embedding = Array.from({ length: 64 }, () => 1);
    expect(
      (await client.ask("POST /search", { query: "x", embedding })).body.qcs.used_embeddings,
    ).toBe(true);
  });

  test("does not create a missing agent", async () => {
    const { client, folder } = await set({ agent: "nobody" });
    expect((await client.ask("POST /nodes/backfill-embeddings")).body).toEqual({
      ok: true,
      embedded: 0,
      total: 0,
    });
    expect(
      (await client.ask("POST /nodes/check-similar", { content: "anything" })).body.matches,
    ).toEqual([]);
    expect((await client.ask("POST /search", { query: "anything" })).body.qcs.used_embeddings).toBe(
      false,
    );
    expect(existsSync(agentFile(folder, "nobody"))).toBe(false);
  });

  test("is refused by the commands without a provider", async () => {
    for (const command of ["backfill", "reembed"]) {
      const { code, stderr } = await run([command, "--data-dir", temporaryFolder(), ...NONE]);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: "embeddings_provider is none: set it to make vectors.\n",
      });
    }
  });

  testOnFiles("treats a database of the existing server as one of its model", async () => {
    const folder = temporaryFolder();
    mkdirSync(agentsDir(folder));
    makeExisting(agentFile(folder, "default"));
    const db = raw(agentFile(folder, "default"));
    db.exec(
      "UPDATE nodes SET embedding_model = 'openai-3-small' WHERE embedding_vector IS NOT NULL",
    );
    const { provider, client } = await set({ folder });
    await client.ask("POST /search", { query: "anything" });
    await vi.waitFor(() => expect(provider.asked.length).toBeGreaterThan(0));
    expect(new Set(provider.asked.map(({ model }) => model))).toEqual(
      new Set(["text-embedding-3-small"]),
    );
  });
});

describe("another model", () => {
  const CONTENTS = Array.from({ length: 10 }, (_, place) => `memory${place}`);

  async function withVectors() {
    const made = await set();
    for (const content_title of CONTENTS) await made.client.create({ content_title });
    await served(made.folder);
    return made;
  }

  const reembed = async (folder: string, provider: Provider, model: string) =>
    run([
      ...["reembed", "--data-dir", folder, ...(await databaseOptions(folder))],
      ...[...optionsOf(provider, model), "--embeddings-batch", "3"],
    ]);

  const searchedBy = async (
    { client, provider }: Awaited<ReturnType<typeof set>>,
    query: string,
  ) => {
    const { body } = await client.ask("POST /search", { query });
    return [body.qcs.used_embeddings, provider.asked.at(-1)!.model];
  };

  test.each(some(["words-32", "words-64b"], 1))(
    "%s takes over when the last vector exists",
    async (model) => {
      const made = await withVectors();
      const { provider, folder, client } = made;
      let calls = 0;
      provider.behave((asked: Asked, response) => {
        if (asked.model === model && ++calls > 2) json(response, {}, 401);
        else json(response, answerTo(asked, D[asked.model as keyof typeof D]));
      });
      const first = await reembed(folder, provider, model);
      expect(first.code).toBe(1);
      expect(first.stderr).toContain("status 401");
      // Until then nothing changes, for new memories neither.
      expect(await searchedBy(made, "question one")).toEqual([true, MODEL]);
      await client.create({ content_title: "between" });
      await served(folder);
      expect(new Set((await modelsIn(folder)).map((node) => node.model))).toEqual(new Set([MODEL]));
      const { data } = (await client.ask("GET /nodes")).body;
      const id = data.find(
        (node: { content_title: string }) => node.content_title === "memory0",
      ).id;
      await client.ask(`PATCH /nodes/${id}`, { content_title: "memory0 changed" });
      await served(folder);

      provider.behave();
      const before = provider.asked.length;
      expect(await reembed(folder, provider, model)).toMatchObject({ code: 0 });
      const anew = titles({ ...provider, asked: provider.asked.slice(before) });
      expect(anew.length).toBeLessThan(CONTENTS.length);
      expect(anew.join()).toContain("memory0 changed");
      const components = D[model as keyof typeof D];
      const now = await modelsIn(folder);
      expect(now).toHaveLength(CONTENTS.length + 1);
      for (const node of now) expect(node).toMatchObject({ model, components });
      // The running server, which still has the old model configured, continues with the new one.
      expect(await searchedBy(made, "question two")).toEqual([true, model]);
      await client.create({ content_title: "afterwards" });
      await served(folder);
      expect((await modelsIn(folder)).at(-1)).toMatchObject({
        title: "afterwards",
        model,
        components,
      });
    },
  );

  test("leaves a refused text without a vector, and the text waits for one", async () => {
    const { provider, folder, server } = await withVectors();
    await server.end();
    provider.behave(unless("memory4", (_, response) => json(response, {}, 400)));
    const { code, stdout } = await reembed(folder, provider, "words-32");
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining("the model rejects 1 texts"),
    });
    const without = (await modelsIn(folder)).filter(({ components }) => components !== 32);
    expect(without).toMatchObject([{ title: "memory4", components: null }]);
    expect(await waitingIn(folder)).toBe(1);
  });
});

test("the check finds a database with vectors sound", async () => {
  const { client, folder } = await set();
  await client.create();
  await served(folder);
  const { code, stdout } = await run([
    ...["check", "--data-dir", folder],
    ...(await databaseOptions(folder)),
  ]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "default: 1 memories, 0 edges: sound\n" });
});
