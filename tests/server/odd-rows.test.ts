// Rows with any values from another program: the agent still works, and its answers have their
// documented form.

import { join } from "node:path";
import { expect, test } from "vitest";
import { Agent } from "../../js/server/src/agent/agent.ts";
import { STORED_COLUMNS } from "../../js/server/src/storage/node-columns.ts";
import { SqliteStorage } from "../../js/server/src/storage/sqlite.ts";
import { ask } from "./support/direct-agent.ts";
import { raw } from "./support/existing-database.ts";
import { LESSON } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const NODE_COLUMNS = [...STORED_COLUMNS, "rowid"];
const EDGE_COLUMNS = [
  ..."type subtype neural_weight strength confidence created_at id rowid".split(" "),
  ..."source_id target_id".split(" "),
];
const KEY = { nodes: "id", edges: "id", cluster_memberships: "node_id" };
/** Values as SQL writes them. */
const ODD = [
  "'abc'",
  "9e999",
  "-9e999",
  "x'00ff80'",
  "''",
  "-1",
  "1e300",
  "9223372036854775807",
  "NULL",
  "x''",
  "'9999-12-31'",
];

async function goesOn(agent: Agent, sound: string): Promise<void> {
  const { data } = await ask(agent, "search", { body: { query: "sound", embedding: [1, 1] } });
  expect(data.map(({ id }: { id: string }) => id)).toContain(sound);
  await ask(agent, "search", { body: { query: "funding" } });
  await ask(agent, "isAnswerable", { body: { question: "funding" } });
  await ask(agent, "explain", { body: { query: "funding", id: sound } });
  await ask(agent, "buildContext", { body: { input: "What is the funding squeeze?" } });
  expect((await ask(agent, "listNodes")).data.map(({ id }: { id: string }) => id)).toContain(sound);
  expect((await ask(agent, "readNode", { params: { id: sound } })).content_title).toBe("Sound");
  for (const { id } of (await ask(agent, "graph")).nodes)
    await ask(agent, "readNode", { params: { id } });
  await ask(agent, "listEdges", { query: { node_id: sound } });
  await ask(agent, "health");
  await ask(agent, "sweep", { body: { force: true } });
  agent.flush();
}

test.each([
  ...NODE_COLUMNS.map((column) => ["nodes", column] as const),
  ...EDGE_COLUMNS.map((column) => ["edges", column] as const),
  ["cluster_memberships", "cluster_id"] as const,
])("%s.%s may hold anything", async (table, column) => {
  const file = join(temporaryFolder(), "a.db");
  const open = () => new Agent(new SqliteStorage(file, { durability: "normal" }));
  const agent = open();
  const create = (fields: object) => ask(agent, "createNode", { body: { ...LESSON, ...fields } });
  const sound = await create({ content_title: "Sound", embedding: [0, 1] });
  for (const _ of ODD) {
    const { id } = await create({ embedding: [1, 0] });
    await ask(agent, "createEdge", {
      body: { source_id: id, target_id: sound.id, type: "causes" },
    });
  }
  const db = raw(file);
  db.exec("PRAGMA foreign_keys = OFF");
  db.exec("INSERT INTO cluster_memberships (cluster_id, node_id) SELECT 'c_1', id FROM nodes");
  const ids = db.prepare(`SELECT ${KEY[table]} AS id FROM ${table} ORDER BY rowid DESC`).all();
  for (const [place, value] of ODD.entries()) {
    if (!isPossible(column, value)) continue;
    db.prepare(`UPDATE ${table} SET ${column} = ${value} WHERE ${KEY[table]} = ?`).run(
      (ids[place] as { id: string }).id,
    );
  }
  db.close();
  // As applied from the change log, and as loaded.
  await goesOn(agent, sound.id);
  await goesOn(open(), sound.id);
});

/** A row number is an integer. */
const isPossible = (column: string, value: string) => column !== "rowid" || /^-?\d+$/.test(value);
