// What was acknowledged is there, however the server ended: SIGKILL under load, again and again, on the same data.

import { expect, test } from "vitest";
import { agentFile } from "../../js/server/src/settings/paths.ts";
import { LibsqlStorage } from "../../js/server/src/storage/libsql.ts";
import { type Running, start } from "./process.ts";
import { LESSON } from "./shared.ts";
import { temporaryFolder } from "./temporary.ts";

const KILLS = 25;
const CLIENTS = 4;
/** Answers of a round before its kill: from the first to well into it. */
const answersOf = (round: number) => 1 + ((round * 37) % 60);

/** What clients were told, by id: the title it must have, or null for gone. */
type Acknowledged = Map<string, string | null>;
/** Answers so far. */
let answers = 0;
/** What a server that was there would not do: nothing. */
const refusals: string[] = [];

/** Creates, changes, links and deletes until the server is gone. What is not acknowledged may have happened or not. */
async function load(server: Running, name: string, told: Acknowledged): Promise<void> {
  const unsure = new Set<string>();
  const ask = async (call: string, body?: unknown) => {
    const answer = await server.ask(call, body);
    answers += 1;
    if (answer.status >= 300) refusals.push(`${call}: ${answer.status}`);
    return answer.body;
  };
  /** What is told of a memory holds again once this is acknowledged. */
  const change = async (id: string, call: string, body: unknown, title: string | null) => {
    unsure.add(id);
    await ask(call, body);
    told.set(id, title);
    unsure.delete(id);
  };
  let last: string | undefined;
  try {
    for (let turn = 0; ; turn++) {
      const title = `${name} turn ${turn}`;
      const { id } = await ask("POST /nodes", { ...LESSON, content_title: title, embedding: [turn, 1] });
      told.set(id, title);
      if (last !== undefined) await ask("POST /edges", { source_id: id, target_id: last, type: "precedes" });
      await ask("POST /search", { query: name });
      const changed = `${title} changed`;
      if (turn % 3 === 1) await change(id, `PATCH /nodes/${id}`, { content_title: changed }, changed);
      if (turn % 4 === 3) await change(id, `DELETE /nodes/${id}`, undefined, null);
      else last = id;
    }
  } catch {
    for (const id of unsure) told.delete(id);
  }
}

test(`${KILLS} kills under load lose nothing that was acknowledged`, { timeout: 240_000 }, async () => {
  const folder = temporaryFolder();
  const told: Acknowledged = new Map();
  for (let round = 0; round < KILLS; round++) {
    const server = await start(folder, ["--log-level", "error"]);
    const enough = answers + answersOf(round);
    const loads = Array.from({ length: CLIENTS }, (_, client) => load(server, `round${round}c${client}`, told));
    while (answers < enough) await new Promise((resolve) => setTimeout(resolve, 1));
    await server.end("SIGKILL");
    await Promise.all(loads);
  }
  expect(told.size).toBeGreaterThan(KILLS);
  expect(refusals).toEqual([]);

  const server = await start(folder);
  const kept = new Map<string, string>();
  const graph = (await server.ask("GET /graph")).body;
  for (const { id, title } of graph.nodes) kept.set(id, title);
  const lost = [...told].filter(([id, title]) => (kept.get(id) ?? null) !== title);
  expect(lost).toEqual([]);
  // Two of them by their words, as the full-text index has them.
  for (const [id, title] of [...told].filter(([, title]) => title !== null).slice(0, 2)) {
    const { body } = await server.ask("POST /search", { query: title!.split(" ")[0], limit: 100 });
    expect(body.data.map((found: { id: string }) => found.id)).toContain(id);
  }
  expect(await server.end()).toBe(0);
  const storage = new LibsqlStorage(agentFile(folder, "default"), { durability: "full" });
  expect(storage.check()).toEqual([]);
});
