// A memory that has expired is in no answer, and after the next turn of the scheduler its text is
// in no file.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Agent } from "../../js/server/src/agent/agent.ts";
import { SqliteStorage } from "../../js/server/src/storage/sqlite.ts";
import { exportMemory } from "../../js/server/src/transfer/export.ts";
import { ask } from "./support/direct-agent.ts";
import { testOnFiles } from "./support/on-postgres.ts";
import { start } from "./support/server-process.ts";
import { clientOf, expire, sharedServer } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const { client } = sharedServer();

/** Words that are in no other text. */
const GONE = ["Xylophone", "quagmire", "zeitgeist"];
/** A memory that does not expire before a test says so, however slow its machine is. */
const PASSING = {
  type: "note",
  content_title: GONE[0],
  content_body: `The ${GONE[1]} beside the harbour.`,
  tags: [GONE[2]],
  expires_at: "2999-01-01T00:00:00.000Z",
};
describe("an expired memory", () => {
  test("is in no answer of a call that reads", { timeout: 60_000 }, async () => {
    const own = client();
    const kept = await own.create({ content_title: "The harbour is deep" });
    const { id } = await own.create(PASSING);
    await own.link(id, kept.id);
    const cluster = (await own.ask("POST /clusters", { name: "Harbour" })).body.id;
    await own.ask(`POST /clusters/${cluster}/members`, { node_id: id });
    await own.ask("POST /contradiction/queue", { old_node_id: id, new_node_id: kept.id });
    // Some answers repeat the question, so that it must not have the word that is looked for.
    const question = `${GONE[0]} harbour`;
    const reads: [string, object?][] = [
      ["POST /search", { query: question }],
      ["POST /search", { query: question, ranking: "signals" }],
      ["POST /retrieve", { query: question }],
      ["POST /context", { input: "What stands by the harbour?" }],
      ["POST /context/lines", { query: "harbour" }],
      ["POST /answerable", { query: "harbour" }],
      ["POST /nodes/batch-get", { ids: [id, kept.id] }],
      ["POST /nodes/check-similar", { title: "Harbour", content: "beside the harbour" }],
      ["GET /nodes"],
      ["GET /timeline"],
      ["GET /graph"],
      [`GET /edges?node_id=${kept.id}&direction=both`],
      [`GET /clusters/${cluster}/members`],
      ["GET /contradiction/queue"],
    ];
    const answers = async () => {
      const all = await Promise.all(reads.map(([call, body]) => own.ask(call, body)));
      return all.map(({ body }, place) => ({ call: reads[place]![0], said: JSON.stringify(body) }));
    };
    const names = ({ said }: { said: string }) => said.includes(id) || said.includes(GONE[1]!);
    // The test would pass if no answer ever named the memory.
    expect((await answers()).filter(names).length).toBeGreaterThan(9);
    await expire(own, id);
    expect((await answers()).filter(names)).toEqual([]);
    for (const call of [`GET /nodes/${id}`, `GET /nodes/${id}?recall=false`])
      expect((await own.ask(call)).status).toBe(404);
  });

  testOnFiles(
    "is in no file once the scheduler has taken its turn",
    { timeout: 60_000 },
    async () => {
      const folder = temporaryFolder();
      const server = await start(folder, ["--decay-interval", "2", "--agent-idle", "1"]);
      const own = clientOf(server, "default");
      for (let place = 0; place < 20; place++)
        await own.create({ content_title: `The harbour is ${place} metres deep` });
      const { id } = await own.create(PASSING);
      await own.search("harbour");
      const filesWith = (text: string) =>
        readdirSync(folder, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .filter(({ parentPath, name }) => readFileSync(join(parentPath, name)).includes(text))
          .map(({ name }) => name);
      for (const text of GONE) expect(filesWith(text)).not.toEqual([]);
      await expire(own, id);
      // Nobody asks: the scheduler deletes the memory, and writes the files anew.
      for (const text of [...GONE, GONE[0]!.toLowerCase()])
        await expect.poll(() => filesWith(text), { timeout: 30_000, interval: 250 }).toEqual([]);
      expect((await own.search("harbour", { limit: 50 })).length).toBe(20);
      expect(await server.end()).toBe(0);
      for (const text of GONE) expect(filesWith(text)).toEqual([]);
    },
  );

  testOnFiles("is in no export, with what names it, before a server has deleted it", async () => {
    const now = Date.UTC(2026, 4, 1);
    const storage = new SqliteStorage(join(temporaryFolder(), "a.db"), { durability: "normal" });
    const agent = new Agent(storage, { clock: () => now });
    const [first, second] = [60_000, 90_000].map((at) => new Date(now + at).toISOString());
    for (const [id, expires_at] of Object.entries({ n0: null, n1: first, n2: second, n3: null }))
      await ask(agent, "createNode", { body: { ...PASSING, id, expires_at } });
    const link = (type: string, source_id: string, target_id: string) =>
      ask(agent, "createEdge", { body: { type, source_id, target_id } });
    for (const [newer, older] of ["10", "21", "32"])
      await link("supersedes", `n${newer}`, `n${older}`);
    await link("part_of", "n0", "n1");
    const pair = { old_node_id: "n0", new_node_id: "n1" };
    await ask(agent, "queueConflict", { body: pair });
    const linesAt = (now: number) => {
      const lines: string[] = [];
      const write = (some: string) => lines.push(...some.split("\n"));
      exportMemory(storage, write, () => {}, { withLearned: false, facts: () => undefined, now });
      return lines.filter((line) => line !== "").map((line) => line.match(/"n\d"/g)?.join(""));
    };
    const nodes = ['"n0"', '"n1"', '"n2"', '"n3"'];
    const edges = ['"n1""n0"', '"n2""n1"', '"n3""n2"', '"n0""n1"'];
    expect(linesAt(now + 59_999)).toEqual([...nodes, '"n0""n1"', ...edges]);
    expect(linesAt(now + 60_000)).toEqual(['"n0"', '"n2"', '"n3"', '"n2""n0"', '"n3""n2"']);
    expect(linesAt(now + 90_000)).toEqual(['"n0"', '"n3"', '"n3""n0"']);
    agent.close();
  });
});
