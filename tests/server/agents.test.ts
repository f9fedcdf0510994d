// Agents and their data: isolated from each other, restored after a restart, shared with other
// programs, and adopted from a database of the existing server.

import { mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentFile } from "../../js/server/src/settings/paths.ts";
import { testInFull } from "../support/full.ts";
import { makeExisting, raw } from "./support/existing-database.ts";
import { describeOnFiles, testOnFiles } from "./support/on-postgres.ts";
import { write } from "./support/raw-http.ts";
import { start } from "./support/server-process.ts";
import { clientOf } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

describe("agents", () => {
  test("are isolated, whatever their names", async () => {
    const server = await start(temporaryFolder());
    const names = ["Alice", "alice", "../alice", "a/b", "Зоя", "x".repeat(200), "default"];
    for (const name of names) {
      // Characters of a header are bytes of UTF-8.
      const client = clientOf(server, Buffer.from(name).toString("latin1"));
      const { id } = await client.create({ content_title: `Memory of ${name}` });
      expect(await client.search("memory")).toEqual([id]);
    }
    expect((await server.ask("GET /health")).body.node_count).toBe(1);
  });

  testOnFiles("have a file each, which knows the agent's name", async () => {
    const server = await start(temporaryFolder());
    const names = ["Alice", "alice", "../alice", "Зоя", "default"];
    for (const name of names) await clientOf(server, Buffer.from(name).toString("latin1")).create();
    const files = readdirSync(join(server.dataDir, "agents")).filter((file) =>
      file.endsWith(".db"),
    );
    expect(files).toHaveLength(names.length);
    for (const file of files) expect(file).toMatch(/^[0-9a-f]{32}\.db$/);
    expect(
      raw(agentFile(server.dataDir, "Зоя"))
        .prepare("SELECT value FROM nous_meta WHERE key = 'agent'")
        .all(),
    ).toEqual([{ value: "Зоя" }]);
  });

  test("a stop writes pending recalls, and a restart finds everything", async () => {
    const folder = temporaryFolder();
    const first = await start(folder);
    const client = clientOf(first, "default");
    const [a, b] = [
      await client.create({ embedding: [1, 0] }),
      await client.create({ embedding: [0, 1] }),
    ];
    const edge = await client.link(a.id, b.id);
    const { body: read } = await client.ask(`GET /nodes/${a.id}`);
    const before = await client.search("squeeze", { embedding: [1, 0] });
    expect(await first.end("SIGTERM")).toBe(0);
    const second = clientOf(await start(folder), "default");
    const { body } = await second.ask(`GET /nodes/${a.id}?recall=false`);
    expect(body).toMatchObject({
      neural_access_count: read.neural_access_count + 1,
      neural_stability: read.neural_stability,
      version: 1,
    });
    expect((await second.ask(`GET /edges?node_id=${a.id}`)).body.data).toEqual([edge]);
    expect(await second.search("squeeze", { embedding: [1, 0] })).toEqual(before);
  });

  testOnFiles(
    "whose memory another program writes lets the others of its thread go on",
    async () => {
      const folder = temporaryFolder();
      const server = await start(folder, ["--workers", "1"]);
      const [held, other] = [clientOf(server, "held"), clientOf(server, "other")];
      await held.create({ id: "n_1" });
      const { id } = await other.create();
      const db = raw(agentFile(folder, "held"));
      try {
        db.exec("BEGIN IMMEDIATE");
        let isAnswered = false;
        const write = held.ask("PATCH /nodes/n_1", { content_title: "Later" }).then((answer) => {
          isAnswered = true;
          return answer;
        });
        // More than its turn, so that it has met the lock.
        await new Promise((resolve) => setTimeout(resolve, 300));
        for (let time = 0; time < 20; time++) expect(await other.search("squeeze")).toEqual([id]);
        expect(isAnswered).toBe(false);
        db.exec("COMMIT");
        expect(await write).toMatchObject({ status: 200, body: { content_title: "Later" } });
      } finally {
        db.close();
      }
    },
  );

  test("a restarted server ranks as the one before, to the bit", async () => {
    const folder = temporaryFolder();
    const first = await start(folder);
    const client = clientOf(first, "default");
    const nodes = [];
    for (let place = 0; place < 30; place++) {
      nodes.push(
        await client.create({
          content_title: `squeeze ${place % 7}`,
          embedding: [Math.sin(place), Math.cos(place)],
        }),
      );
    }
    for (let place = 1; place < 30; place++)
      await client.link(nodes[place].id, nodes[(place * 7 + 1) % 30].id, "relates_to");
    // The first search counts accesses, and the second reads them.
    const asked = { query: "squeeze 3", embedding: [0.5, 0.5], limit: 20 };
    await client.ask("POST /search", asked);
    const rankingOf = ({ body }: Awaited<ReturnType<typeof client.ask>>) =>
      body.data.map(({ id, score, breakdown }: Record<string, unknown>) => [id, score, breakdown]);
    const before = rankingOf(await client.ask("POST /search", { ...asked }));
    await first.end();
    // Without the counts of the second search.
    await client.stored(
      "UPDATE nodes SET neural_access_count = neural_access_count - 1 WHERE neural_access_count > 1",
    );
    const second = clientOf(await start(folder), "default");
    expect(rankingOf(await second.ask("POST /search", asked))).toEqual(before);
  });
});

describeOnFiles("other programs on the same data", () => {
  test("have their writes found, and their deletions respected", async () => {
    const server = await start(temporaryFolder());
    const { ask, create, link, search, file } = clientOf(server, "default");
    const [a, b] = [await create(), await create({ content_title: "Other", content_body: null })];
    await link(a.id, b.id);
    const db = raw(file());
    db.exec("PRAGMA foreign_keys = ON");
    db.exec(
      "INSERT INTO nodes (id, type, content_title) VALUES ('n_theirs', 'note', 'Gamma exposure')",
    );
    expect(await search("gamma", { limit: 1 })).toEqual(["n_theirs"]);
    expect((await ask("GET /nodes/n_theirs?recall=false")).body).toMatchObject({
      subtype: null,
      neural_stability: 60,
      state_lifecycle: "ACTIVE",
      neural_access_count: 1,
    });
    db.exec(
      `UPDATE nodes SET content_title = 'Vanna' WHERE id = '${b.id}'; DELETE FROM nodes WHERE id = '${a.id}'`,
    );
    expect(await search("vanna", { limit: 1 })).toEqual([b.id]);
    expect(await search("squeeze")).toEqual([]);
    expect((await ask("GET /health")).body).toMatchObject({ node_count: 2, edge_count: 0 });
  });

  test("a truncated change log causes a rebuild of the index", async () => {
    const server = await start(temporaryFolder());
    const { create, search, file } = clientOf(server, "default");
    await create();
    const db = raw(file());
    db.exec(
      "INSERT INTO nodes (id, type, content_title) VALUES ('n_1', 'note', 'One'), ('n_2', 'note', 'Two')",
    );
    db.exec("DELETE FROM change_log WHERE sequence <= (SELECT max(sequence) - 1 FROM change_log)");
    expect(await search("one", { limit: 1 })).toEqual(["n_1"]);
    expect(server.log()).toContain("all replicas are reloaded");
  });
});

test("two servers add to one memory's accesses", async () => {
  const folder = temporaryFolder();
  const [one, other] = [await start(folder), await start(folder)].map((server) =>
    clientOf(server, "default"),
  );
  const { id } = await one!.create();
  await Promise.all([one!.search("squeeze"), one!.search("squeeze"), other!.search("squeeze")]);
  const count = async (client = one!) =>
    (await client.ask(`GET /nodes/${id}?recall=false`)).body.neural_access_count;
  await expect.poll(() => count(one), { timeout: 5_000 }).toBe(3);
  await expect.poll(() => count(other), { timeout: 5_000 }).toBe(3);
  await other!.ask(`PATCH /nodes/${id}`, { content_title: "Renamed" });
  expect(await one!.search("renamed")).toEqual([id]);
});

describe("the length of vectors", () => {
  testOnFiles("cannot be changed by another program's vector", async () => {
    const { create, search, ask, file } = clientOf(await start(temporaryFolder()), "default");
    const { id } = await create({ embedding: [1, 0] });
    const db = raw(file());
    db.exec(
      "INSERT INTO nodes (id, type, content_title, embedding_vector) VALUES ('n_t', 'note', 'T', x'0000803f')",
    );
    expect(await search("nobody", { embedding: [1, 0] })).toEqual([id]);
    expect((await ask("POST /search", { query: "x", embedding: [1] })).status).toBe(400);
    expect((await create({ embedding: [0, 1] })).id).toMatch(/^n_/);
  });

  test("is set by the next vector if none is left", async () => {
    const { create, search, ask } = clientOf(await start(temporaryFolder()), "default");
    const first = await create({ embedding: [1] });
    await ask(`DELETE /nodes/${first.id}`);
    const { id } = await create({ embedding: [1, 2, 3] });
    expect(await search("nobody", { embedding: [1, 2, 3] })).toEqual([id]);
    expect(
      (await ask("POST /nodes", { type: "note", content_title: "x", embedding: [1] })).status,
    ).toBe(400);
  });
});

test("a request of two agents is refused, and the name of one may hold a comma", async () => {
  const server = await start(temporaryFolder());
  const ask = (...names: string[]) => {
    const headers = names.map((name) => `x-nous-agent: ${name}\r\n`).join("");
    return write(
      server.url,
      `GET /v1/health HTTP/1.1\r\nhost: 127.0.0.1\r\n${headers}connection: close\r\n\r\n`,
    );
  };
  const twice = await ask("one", "two");
  expect(twice).toMatch(/^HTTP\/1\.1 400 /);
  expect(twice).toContain("X-Nous-Agent");
  expect(twice).toContain("must be sent once");
  expect(await ask("one", "one")).toMatch(/^HTTP\/1\.1 400 /);
  expect(await ask("one, two")).toMatch(/^HTTP\/1\.1 200 /);
});

testOnFiles("a database of the existing server is opened with all of its content", async () => {
  const folder = temporaryFolder();
  const file = agentFile(folder, "default");
  mkdirSync(dirname(file), { recursive: true });
  makeExisting(file);
  const server = await start(folder);
  const { ask, search, create } = clientOf(server, "default");
  expect((await ask("GET /health")).body).toMatchObject({ node_count: 3, edge_count: 2 });
  const { body } = await ask("GET /nodes/n_a?recall=false");
  expect(body).toMatchObject({
    provenance_created_at: "2026-01-01T08:00:00.000Z",
    neural_last_accessed: "2026-01-01T08:00:00.000Z",
    neural_access_count: 4,
  });
  expect(await search("extremes", { limit: 1 })).toEqual(["n_a"]);
  expect(await search("funding", { cluster_ids: ["c_1"] })).toEqual(["n_a"]);
  // Two of its vectors have three components, and the one with two is left out.
  expect(await search("nobody", { embedding: [1, 0, 0] })).toEqual(["n_a"]);
  expect((await ask("GET /graph")).body.clusters).toMatchObject([
    { id: "c_1", name: "Majors", pinned: false },
  ]);
  const { id } = await create();
  expect(await search("squeeze")).toContain(id);
  expect(readdirSync(dirname(file)).filter((name) => name.includes(".schema-0."))).toHaveLength(1);
});

testOnFiles(
  "empty titles and subtypes of the existing server count as missing in context lines",
  async () => {
    const folder = temporaryFolder();
    const file = agentFile(folder, "default");
    mkdirSync(dirname(file), { recursive: true });
    makeExisting(file);
    const db = raw(file);
    db.prepare(
      "UPDATE nodes SET type = 'episode', subtype = '', content_title = '' WHERE id = 'n_a'",
    ).run();
    db.close();
    const { ask } = clientOf(await start(folder), "default");
    const { text } = (await ask("POST /context/lines", { query: "extremes" })).body;
    expect(text).toMatch(/^- \[episode · KNOWLEDGE\] Untitled \(2026-01-01\): ./);
  },
);

testInFull("concurrent clients read their own writes", { timeout: 120_000 }, async () => {
  const server = await start(temporaryFolder());
  const work = async (name: number) => {
    const { create, search, ask, link } = clientOf(server, name % 2 === 0 ? "default" : "another");
    let last: string | undefined;
    for (let turn = 0; turn < 15; turn++) {
      const word = `word${name}x${turn}y`;
      const { id } = await create({ content_title: word, content_body: null });
      expect(await search(word)).toContain(id);
      if (last !== undefined) {
        const edge = await link(id, last);
        expect((await ask(`GET /edges?node_id=${id}&direction=out`)).body.data).toEqual([edge]);
      }
      if (turn % 3 === 0) {
        await ask(`PATCH /nodes/${id}`, { content_title: `${word}changed` });
        expect(await search(`${word}changed`)).toContain(id);
      }
      if (turn % 5 === 4) {
        await ask(`DELETE /nodes/${id}`);
        expect(await search(word)).not.toContain(id);
        last = undefined;
      } else {
        last = id;
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, name) => work(name)));
  const counts = await Promise.all(
    ["default", "another"].map(
      async (agent) => (await clientOf(server, agent).ask("GET /health")).body.node_count,
    ),
  );
  expect(counts).toEqual([48, 48]);
});
