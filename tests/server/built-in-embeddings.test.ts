// Built-in embeddings: vectors of the server's own table, made in the transaction of the write.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentFile } from "../../js/server/src/settings/paths.ts";
import { startProvider } from "./support/embedding-provider.ts";
import { raw } from "./support/existing-database.ts";
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

/** Returns the vectors of a database, and how many memories wait for one. */
function storedIn(file: string): { nodes: Stored[]; waiting: number } {
  const db = raw(file);
  const nodes = db
    .prepare(
      "SELECT id, embedding_model AS model, length(embedding_vector) / 4 AS components FROM nodes ORDER BY rowid",
    )
    .all() as Stored[];
  const [{ waiting }] = db.prepare("SELECT count(*) AS waiting FROM embedding_queue").all() as [
    { waiting: number },
  ];
  db.close();
  return { nodes, waiting };
}

const ofTable = (id: string) => ({
  id,
  model: expect.stringMatching(TABLE),
  components: COMPONENTS,
});

function run(folder: string, ...args: string[]): string {
  return execFileSync(process.execPath, [PROGRAM, ...args, "--data-dir", folder], {
    encoding: "utf8",
  });
}

const note = (id: string, content_title: string) => ({ id, type: "note", content_title });

describe("a write", () => {
  test("makes the vector of its text", async () => {
    const own = client();
    const made = await own.create({ id: "one" });
    expect(made.embedding_model).toMatch(TABLE);
    const items = [note("two", "Wages rose"), note("three", "Rents fell")];
    expect((await own.ask("POST /nodes/batch", { items })).body.created).toBe(2);
    const { nodes, waiting } = storedIn(own.file());
    expect(nodes).toEqual(["one", "two", "three"].map(ofTable));
    expect(waiting).toBe(0);
  });

  test("that changes a text changes its vector, and any other leaves it", async () => {
    const own = client();
    await own.create({ id: "one" });
    const vector = () =>
      (
        raw(own.file()).prepare("SELECT hex(embedding_vector) AS v FROM nodes").all() as {
          v: string;
        }[]
      )[0]!.v;
    const before = vector();
    await own.ask("PATCH /nodes/one", { state_lifecycle: "WEAK", type: "note" });
    expect(vector()).toBe(before);
    await own.ask("PATCH /nodes/one", { content_body: "Rents fell in March" });
    expect(vector()).not.toBe(before);
    await own.ask("PATCH /nodes/one", { content_title: "家賃", content_body: null });
    expect(storedIn(own.file())).toEqual({
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
    expect(storedIn(own.file()).nodes).toEqual([
      { id: "one", ...without },
      { id: "mine", model: null, components: 3 },
      { id: "later", ...without },
    ]);
    const asked = { query: "nothing alike", embedding: [1, 0, 0] };
    expect(await own.search(asked.query, asked)).toEqual(["mine"]);
    await own.ask("DELETE /nodes/mine");
    await own.create({ id: "last" });
    expect(storedIn(own.file()).nodes.at(-1)).toEqual(ofTable("last"));
  });
});

describe("memories without a vector", () => {
  async function older(): Promise<{ folder: string; own: Client; file: string }> {
    const folder = temporaryFolder();
    const running = await start(folder, NONE);
    const own = clientOf(running, "alice");
    const items = Array.from({ length: 600 }, (_, place) => note(`n_${place}`, `Rent ${place}`));
    for (let from = 0; from < items.length; from += 100) {
      const part = items.slice(from, from + 100);
      expect((await own.ask("POST /nodes/batch", { items: part })).status).toBe(200);
    }
    await own.create({ ...note("kana", "家賃"), content_body: null });
    await running.end();
    return { folder, own, file: agentFile(folder, "alice") };
  }

  const isMade = (file: string) => {
    const { nodes, waiting } = storedIn(file);
    const [last, ...others] = nodes.reverse();
    return (
      waiting === 0 &&
      last!.components === null &&
      others.every(({ components }) => components === COMPONENTS)
    );
  };

  test("get one when their agent is opened", async () => {
    const { folder, file } = await older();
    expect(storedIn(file).waiting).toBe(601);
    const running = await start(folder);
    const own = clientOf(running, "alice");
    await own.search("rent");
    await expect.poll(() => isMade(file), { timeout: 30_000 }).toBe(true);
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
    const { folder, file } = await older();
    expect(run(folder, "backfill")).toContain("alice: 600 of 601 memories");
    expect(isMade(file)).toBe(true);
    const db = raw(file);
    db.exec("UPDATE nodes SET embedding_vector = x'0000803f', embedding_model = 'other'");
    db.exec("UPDATE nous_meta SET value = '1' WHERE key = 'dimensions'");
    db.exec(`UPDATE nous_meta SET value = '{"name":"other"}' WHERE key = 'embedding_model'`);
    db.close();
    expect(run(folder, "backfill")).toContain("alice: 0 of 0 memories");
    expect(run(folder, "reembed")).toContain("alice: 600 vectors made, and put in use");
    expect(isMade(file)).toBe(true);
  });

  test("get one after an import", async () => {
    const folder = temporaryFolder();
    const lines = join(folder, "lines");
    writeFileSync(lines, JSON.stringify({ kind: "node", ...note("in", "Rents fell") }));
    run(folder, "import", lines, "--agent", "alice");
    const own = clientOf(await start(folder), "alice");
    expect(await own.search("rent")).toEqual(["in"]);
    const file = agentFile(folder, "alice");
    await expect.poll(() => storedIn(file).nodes, { timeout: 10_000 }).toEqual([ofTable("in")]);
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
  test("none makes no vectors, and neither does compat hynous", async () => {
    for (const options of [NONE, ["--compat", "hynous"]]) {
      const own = clientOf(await start(temporaryFolder(), options), "alice");
      await own.create();
      expect(storedIn(own.file()).nodes).toMatchObject([{ components: null }]);
      const { body } = await own.ask("POST /retrieve", { query: "squeeze", ranking: "evidence" });
      expect(body.data[0].evidence).not.toHaveProperty("sem");
    }
  });

  test("openai-compatible replaces vectors of the table by those of the provider", async () => {
    const folder = temporaryFolder();
    const running = await start(folder);
    await clientOf(running, "alice").create({ id: "one" });
    await running.end();
    const provider = await startProvider(24);
    const options = ["--embeddings-provider", "openai-compatible", "--embeddings-base-url"];
    const own = clientOf(await start(folder, [...options, provider.url]), "alice");
    await own.search("squeeze");
    await expect
      .poll(() => storedIn(own.file()).nodes, { timeout: 20_000 })
      .toEqual([{ id: "one", model: "nomic-embed-text", components: 24 }]);
  });
});
