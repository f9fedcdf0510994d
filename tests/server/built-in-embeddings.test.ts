// Built-in embeddings: vectors of the server's own table, made in the transaction of the write.

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { loadEmbedderSync } from "nous-embedder";
import { expect } from "vitest";
import { Agent } from "../../js/server/src/agent/agent.ts";
import { TABLES, type TableName } from "../../js/server/src/settings/embeddings-model.ts";
import { agentFile } from "../../js/server/src/settings/paths.ts";
import { readSettings } from "../../js/server/src/settings/read.ts";
import { SqliteStorage } from "../../js/server/src/storage/sqlite.ts";
import { some } from "../support/amount.ts";
import { describe, test } from "../support/in-turn.ts";
import { ask } from "./support/direct-agent.ts";
import { startProvider } from "./support/embedding-provider.ts";
import { databaseOptions, stored, testOnFiles } from "./support/on-postgres.ts";
import { PROGRAM, start } from "./support/server-process.ts";
import { type Client, clientOf, sharedServer } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

/** A text without a word of the table. */
const RENT = "家賃が三月に下がった";
const TABLE = /^nous-128-[\da-f]+$/;
const COMPONENTS = 128;
const NONE = ["--embeddings-provider", "none"];

const { client } = sharedServer();

interface Stored {
  id: string;
  model: string | null;
  components: number | null;
}

/** Returns the vectors of an agent, and how many memories wait for one. */
async function storedOf(own: Client): Promise<{ nodes: Stored[]; waiting: number }> {
  const nodes = await own.stored(
    "SELECT id, embedding_model AS model, length(embedding_vector) / 4 AS components FROM nodes ORDER BY rowid",
  );
  const [queue] = await own.stored("SELECT count(*) AS waiting FROM embedding_queue");
  return { nodes: nodes as unknown as Stored[], waiting: Number(queue!.waiting) };
}

const ofTable = (id: string) => ({
  id,
  model: expect.stringMatching(TABLE),
  components: COMPONENTS,
});

async function run(folder: string, ...args: string[]): Promise<string> {
  const place = ["--data-dir", folder, ...(await databaseOptions(folder))];
  return execFileSync(process.execPath, [PROGRAM, ...args, ...place], { encoding: "utf8" });
}

const note = (id: string, content_title: string) => ({ id, type: "note", content_title });

describe("a write", () => {
  test("makes the vector of its text", async () => {
    const own = client();
    const made = await own.create({ id: "one" });
    expect(made.embedding_model).toMatch(TABLE);
    const items = [note("two", "Wages rose"), note("three", "Rents fell")];
    expect((await own.ask("POST /nodes/batch", { items })).body.created).toBe(2);
    const { nodes, waiting } = await storedOf(own);
    expect(nodes).toEqual(["one", "two", "three"].map(ofTable));
    expect(waiting).toBe(0);
  });

  test("that changes a text changes its vector, and any other leaves it", async () => {
    const own = client();
    await own.create({ id: "one" });
    const vector = async () => {
      const [row] = await own.stored("SELECT embedding_vector AS v FROM nodes");
      return Buffer.from(row!.v as ArrayBuffer).toString("hex");
    };
    const before = await vector();
    await own.ask("PATCH /nodes/one", { state_lifecycle: "WEAK", type: "note" });
    expect(await vector()).toBe(before);
    await own.ask("PATCH /nodes/one", { content_body: "Rents fell in March" });
    expect(await vector()).not.toBe(before);
    await own.ask("PATCH /nodes/one", { content_title: "家賃", content_body: null });
    expect(await storedOf(own)).toEqual({
      nodes: [{ id: "one", model: null, components: null }],
      waiting: 0,
    });
  });

  test("lets a question find words that mean the same", async () => {
    const own = client();
    const day = (place: number) => `2026-01-0${place + 1}T00:00:00Z`;
    const titles = ["The doctor prescribed new pills", "Her wages rose", "The cat sleeps outside"];
    for (const [place, content_title] of titles.entries())
      await own.create({
        ...note(`n_${place}`, content_title),
        content_body: null,
        created_at: day(place),
      });
    const { body } = await own.ask("POST /search", { query: "physician medication", limit: 1 });
    expect(body.data[0]).toMatchObject({ id: "n_0" });
    expect(body.data[0].evidence).not.toHaveProperty("bm");
    expect(body.qcs.used_embeddings).toBe(true);
    expect(await own.search("salary", { limit: 1 })).toEqual(["n_1"]);
    expect(await own.search("pets", { limit: 1 })).toEqual(["n_2"]);
  });

  test("with a vector of the client's own drops those of the table", async () => {
    const own = client();
    await own.create({ id: "one" });
    await own.create({ id: "mine", embedding: [1, 0, 0] });
    await own.create({ id: "later" });
    const without = { model: null, components: null };
    expect((await storedOf(own)).nodes).toEqual([
      { id: "one", ...without },
      { id: "mine", model: null, components: 3 },
      { id: "later", ...without },
    ]);
    const asked = { query: "nothing alike", embedding: [1, 0, 0] };
    expect(await own.search(asked.query, asked)).toEqual(["mine"]);
    await own.ask("DELETE /nodes/mine");
    await own.create({ id: "last" });
    expect((await storedOf(own)).nodes.at(-1)).toEqual(ofTable("last"));
  });
});

/** Makes an agent with 600 memories that have a word of the tables, and one with a word of one of them. */
async function older(options: string[]): Promise<{ folder: string; own: Client }> {
  const folder = temporaryFolder();
  const running = await start(folder, options);
  const own = clientOf(running, "alice");
  const items = Array.from({ length: 600 }, (_, place) => note(`n_${place}`, `Rent ${place}`));
  for (let from = 0; from < items.length; from += 100) {
    const part = items.slice(from, from + 100);
    expect((await own.ask("POST /nodes/batch", { items: part })).status).toBe(200);
  }
  await own.create({ ...note("kana", "家賃"), content_body: null });
  await running.end();
  return { folder, own };
}

describe("memories without a vector", () => {
  const isMade = async (own: Client) => {
    const { nodes, waiting } = await storedOf(own);
    const [last, ...others] = nodes.reverse();
    return (
      waiting === 0 &&
      last!.components === null &&
      others.every(({ components }) => components === COMPONENTS)
    );
  };

  test("get one when their agent is opened", async () => {
    const { folder, own: filled } = await older(NONE);
    expect((await storedOf(filled)).waiting).toBe(601);
    const running = await start(folder);
    const own = clientOf(running, "alice");
    await own.search("rent");
    await expect.poll(() => isMade(own), { timeout: 30_000 }).toBe(true);
    await expect
      .poll(() => running.log(), { timeout: 10_000 })
      .toMatch(/"vectors":600,.*"Made missing vectors"/);
    expect((await own.ask("POST /nodes/backfill-embeddings")).body).toEqual({
      ok: true,
      embedded: 0,
      total: 0,
    });
  });

  test("get one by the command backfill, and others by reembed", async () => {
    const { folder, own } = await older(NONE);
    expect(await run(folder, "backfill")).toContain("alice: 600 of 601 memories");
    expect(await isMade(own)).toBe(true);
    await own.stored(
      "UPDATE nodes SET embedding_vector = substr(embedding_vector, 1, 4), embedding_model = 'other'",
    );
    await own.stored("UPDATE nous_meta SET value = '1' WHERE key = 'dimensions'");
    await own.stored(
      `UPDATE nous_meta SET value = '{"name":"other"}' WHERE key = 'embedding_model'`,
    );
    expect(await run(folder, "backfill")).toContain("alice: 0 of 0 memories");
    expect(await run(folder, "reembed")).toContain("alice: 600 vectors made, and put in use");
    expect(await isMade(own)).toBe(true);
  });

  test("get one after an import", async () => {
    const folder = temporaryFolder();
    const lines = join(folder, "lines");
    writeFileSync(lines, JSON.stringify({ kind: "node", ...note("in", "Rents fell") }));
    await run(folder, "import", lines, "--agent", "alice");
    const own = clientOf(await start(folder), "alice");
    expect(await own.search("rent")).toEqual(["in"]);
    await expect
      .poll(async () => (await storedOf(own)).nodes, { timeout: 10_000 })
      .toEqual([ofTable("in")]);
  });
});

const TABLE_NAMES = Object.keys(TABLES) as TableName[];
const idOf = (table: TableName): string => {
  const embedder = loadEmbedderSync(TABLES[table]);
  const { id } = embedder;
  embedder.free();
  return id;
};
const by = (table: TableName) => ["--embeddings-model", table];

describe("the table", () => {
  test.each(some(TABLE_NAMES, 1))("%s makes vectors if the settings name it", async (table) => {
    const own = clientOf(await start(temporaryFolder(), by(table)), "alice");
    expect((await own.create({ id: "one" })).embedding_model).toBe(idOf(table));
    expect((await storedOf(own)).nodes).toMatchObject([{ components: TABLES[table].dimensions }]);
  });

  test("multilingual-128 finds texts of another language, and english-128 does not", async () => {
    const texts = {
      de: "Der Tierarzt sagt, der Hund sei zu dick.",
      fr: "Notre fille a perdu sa première dent à l'école.",
      es: "El niño tiene fiebre y se queda en casa.",
      ja: "台風で庭の木が倒れた。",
      en: "The car needs new brakes.",
    };
    const questions = [
      ["the dog is too fat", "de"],
      ["which tooth did our daughter lose?", "fr"],
      ["is a child ill with fever?", "es"],
      ["trees in the garden after the storm", "ja"],
      ["Bremsen für das Auto", "en"],
      ["des freins pour la voiture", "en"],
      ["frenos para el coche", "en"],
      ["車のブレーキ", "en"],
    ] as const;
    const firstBy = async (table: TableName) => {
      const own = clientOf(await start(temporaryFolder(), by(table)), "alice");
      for (const [id, title] of Object.entries(texts))
        await own.create({ ...note(id, title), content_body: null });
      const found = [];
      for (const [query] of questions) found.push((await own.search(query, { limit: 1 }))[0]);
      return found;
    };
    const wanted = questions.map(([, id]) => id);
    expect(await firstBy("multilingual-128")).toEqual(wanted);
    // By pieces of words, and by letters, it finds one: dent.
    const byEnglish = await firstBy("english-128");
    expect(byEnglish.filter((id, place) => id === wanted[place])).toEqual(["fr"]);
  });

  test("takes the place of another one when an agent is opened, with progress", async () => {
    const { folder, own: filled } = await older([]);
    const models = async () => [
      ...new Set((await storedOf(filled)).nodes.map(({ model }) => model)),
    ];
    expect(await models()).toEqual([idOf("english-128"), null]);
    // A text without a word of the first table has one of the second.
    for (const [table, vectors, ...without] of [
      ["multilingual-128", 601],
      ["english-256", 600, null],
    ] as const) {
      const running = await start(folder, [...by(table), "--ranking", "signals"]);
      const own = clientOf(running, "alice");
      await own.search("rent");
      await expect.poll(async () => (await storedOf(own)).waiting, { timeout: 30_000 }).toBe(0);
      await expect.poll(models, { timeout: 30_000 }).toEqual([idOf(table), ...without]);
      expect((await storedOf(own)).nodes[0]!.components).toBe(TABLES[table].dimensions);
      await expect
        .poll(() => running.log(), { timeout: 10_000 })
        .toMatch(new RegExp(`"vectors":${vectors},.*"Made missing vectors"`));
      const similar = { content: "Rent 7" };
      expect((await own.ask("POST /nodes/check-similar", similar)).body).toMatchObject({
        basis: "vectors",
        recommendation: "duplicate_found",
      });
      const embedding = Array.from({ length: TABLES[table].dimensions }, () => 1);
      expect(await own.search("rent", { embedding, limit: 3 })).toHaveLength(3);
      await running.end();
    }
    expect(await run(folder, "backfill")).toContain("alice: 600 of 601 memories");
    expect(await models()).toEqual([idOf("english-128"), null]);
    expect(await run(folder, "backfill")).toContain("alice: 0 of 0 memories");
  });

  testOnFiles("makes only its own vectors in a write that comes before", async () => {
    const own = { dataDir: temporaryFolder(), agent: "alice" };
    const file = agentFile(own.dataDir, own.agent);
    mkdirSync(dirname(file));
    const opened = (table: TableName) => {
      const builtIn = loadEmbedderSync(TABLES[table]);
      return new Agent(new SqliteStorage(file, { durability: "normal" }), { builtIn });
    };
    const first = opened("english-128");
    for (const id of ["one", "two"])
      await ask(first, "createNode", { body: note(id, "Rents fell") });
    first.close();
    const second = opened("english-256");
    const items = [note("three", "Wages rose"), note("four", "The cat sleeps outside")];
    await ask(second, "createNodes", { body: { items } });
    const lengths = "SELECT length(embedding_vector) / 4 AS components FROM nodes ORDER BY rowid";
    const components = async () => (await stored(own, lengths)).map((node) => node.components);
    expect(await components()).toEqual([null, null, 256, 256]);
    expect(await second.embedOlder(1)).toEqual({ done: 1, embedded: 1 });
    expect(await components()).toEqual([256, null, 256, 256]);
    expect(await ask(second, "backfillEmbeddings")).toEqual({ ok: true, embedded: 1, total: 1 });
    expect(await components()).toEqual([256, 256, 256, 256]);
    second.close();
  });

  test("is one of the tables, and a service may have any model", async () => {
    await expect(readSettings({ embeddings_model: "tea" }, {})).rejects.toThrow(
      /^--embeddings-model is "tea": the models .* english, multilingual, english-128, .* set embeddings_provider .*\.$/,
    );
    const variable = { NOUS_EMBEDDINGS_MODEL: "nous-128" };
    await expect(readSettings({}, variable)).rejects.toThrow(
      /^the environment variable NOUS_EMBEDDINGS_MODEL is "nous-128": .*multilingual-128/,
    );
    const modelBy = async (embeddings_provider: string, given = {}) =>
      (await readSettings({ embeddings_provider, ...given }, {})).settings.embeddings_model;
    expect(await modelBy("builtin")).toBe("english");
    expect(await modelBy("openai-compatible")).toBe("nomic-embed-text");
    const tea = { embeddings_model: "tea" };
    expect(await modelBy("openai-compatible", tea)).toBe("tea");
    expect(await modelBy("none", tea)).toBe("tea");
  });
});

describe("check-similar", () => {
  test("compares vectors of the table, and words where it has none", async () => {
    const own = client();
    await own.create({ id: "one" });
    await own.create({ ...note("kana", RENT), content_body: null });
    const similar = async (content: string, title?: string) =>
      (await own.ask("POST /nodes/check-similar", { content, title })).body;
    expect(await similar("Extremes revert", "Funding squeeze")).toMatchObject({
      basis: "vectors",
      recommendation: "duplicate_found",
      matches: [{ node_id: "one", similarity: 1 }],
    });
    expect(await similar("The cat sleeps outside")).toMatchObject({
      basis: "vectors",
      recommendation: "unique",
    });
    expect(await similar(RENT)).toMatchObject({ basis: "words", matches: [{ node_id: "kana" }] });
  });
});

describe("the setting", () => {
  async function makesNone(options: string[]): Promise<void> {
    const own = clientOf(await start(temporaryFolder(), options), "alice");
    await own.create();
    expect((await storedOf(own)).nodes).toMatchObject([{ components: null }]);
    const { body } = await own.ask("POST /retrieve", { query: "squeeze", ranking: "evidence" });
    expect(body.data[0].evidence).not.toHaveProperty("sem");
  }
  test("none makes no vectors", () => makesNone(NONE));
  testOnFiles("compat hynous makes none either", () => makesNone(["--compat", "hynous"]));

  test("openai-compatible replaces vectors of the table by those of the provider", async () => {
    const folder = temporaryFolder();
    const running = await start(folder);
    await clientOf(running, "alice").create({ id: "one" });
    await running.end();
    const provider = await startProvider(24);
    const options = ["--embeddings-provider", "openai-compatible", "--embeddings-base-url"];
    const env = { NOUS_EMBEDDINGS_MODEL: undefined };
    const after = await start(folder, [...options, provider.url], "test", { env });
    const own = clientOf(after, "alice");
    await own.search("squeeze");
    await expect
      .poll(async () => (await storedOf(own)).nodes, { timeout: 20_000 })
      .toEqual([{ id: "one", model: "nomic-embed-text", components: 24 }]);
  });
});
