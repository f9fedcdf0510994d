// A memory that has expired is in no answer, and after the next turn of the scheduler its text is
// in no file.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
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
});
