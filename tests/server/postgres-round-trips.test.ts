// The round trips to PostgreSQL that requests make, statement by statement. A statement that is added
// to a request has to be added here, and to docs/scaling.md.

import { loadEmbedder } from "nous-embedder";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Agent } from "../../js/server/src/agent/agent.ts";
import type { AgentOperation } from "../../js/server/src/api/operations.ts";
import { PostgresDatabase } from "../../js/server/src/storage/postgres/database.ts";
import type { PostgresCall } from "../../js/server/src/storage/postgres/protocol.ts";
import { PostgresStorage } from "../../js/server/src/storage/postgres/storage.ts";
import { ask } from "./support/direct-agent.ts";
import { type Postgres, query, startPostgres } from "./support/postgres.ts";
import { POSTGRES_THREAD } from "./support/threads.ts";

const THREAD = POSTGRES_THREAD;

let postgres: Postgres;
/** Two pools, as two servers have them. */
let databases: [PostgresDatabase, PostgresDatabase];
beforeAll(async () => {
  postgres = await startPostgres();
  const place = { url: postgres.url, connections: 4, timeout: 10_000, password: "" };
  databases = [new PostgresDatabase(place, THREAD), new PostgresDatabase(place, THREAD)];
  for (const database of databases) database.migrate();
});
afterAll(async () => {
  for (const database of databases) database.close();
  await postgres.stop();
});

/** Returns the verb of a statement with its table: of a selection the outermost, else the first. */
function nameOf(call: PostgresCall): string {
  if (call.kind !== "statement") return call.kind;
  const [, verb] = /^\s*(\w+)/.exec(call.text)!;
  const tables = [...call.text.matchAll(/\b(?:FROM|INTO|UPDATE)\s+nous\.(\w+)/g)];
  return `${verb} ${(verb === "SELECT" ? tables.at(-1) : tables[0])![1]}`;
}

/** An agent as the first server has it. */
async function opened(name: string) {
  const builtIn = await loadEmbedder({ language: "english", dimensions: 128 });
  const agent = new Agent(new PostgresStorage(databases[0], name), { builtIn });
  const asking = vi.spyOn(databases[0], "ask");
  const trips = () => {
    const names = asking.mock.calls.map(([call]) => nameOf(call));
    asking.mockClear();
    return names;
  };
  /** Makes a request. Returns its round trips. */
  const tripsOf = async (operation: AgentOperation, given: object) => {
    asking.mockClear();
    await ask(agent, operation, given);
    return trips();
  };
  // The first memory takes the table of words into use, and says so in the database.
  await ask(agent, "createNode", { body: { type: "note", content_title: "First" } });
  await ask(agent, "search", { body: { query: "first" } });
  return { agent, trips, tripsOf };
}

const NOTE = { type: "note", content_title: "Deploys on Friday fail" };
const SEARCH = { body: { query: "deploys" } };

describe("round trips to PostgreSQL", () => {
  test("a new memory takes three, and one more after its answer", async () => {
    const { agent, trips, tripsOf } = await opened("a");
    for (const fields of [{}, { tags: ["a"], metadata: { n: 1 } }, { embedding: null }]) {
      const made = await tripsOf("createNode", { body: { ...NOTE, ...fields } });
      expect(made).toEqual(["begin", "INSERT nodes", "commit"]);
      agent.apply();
      expect(trips()).toEqual(["SELECT nodes"]);
    }
    // A text without a word of the table joins the queue of memories that wait for a vector.
    const bare = await tripsOf("createNode", { body: { ...NOTE, content_title: "資金" } });
    const queue = ["SELECT embedding_queue", "SELECT embedding_queue", "UPDATE nodes"];
    expect(bare).toEqual([
      ...["begin", "INSERT nodes", "WITH agents"],
      ...[...queue, "DELETE embedding_queue", "commit"],
    ]);
  });

  test("a new memory with a type takes one more if another server has written", async () => {
    const { agent, tripsOf } = await opened("b");
    const body = { ...NOTE, subtype: "custom:lesson" };
    const made = ["begin", "INSERT nodes", "commit"];
    expect(await tripsOf("createNode", { body })).toEqual(made.toSpliced(2, 0, "SELECT clusters"));
    agent.apply();
    expect(await tripsOf("createNode", { body })).toEqual(made);
  });

  test("a search takes one, and a second for rows that are not in memory", async () => {
    const { agent, tripsOf } = await opened("c");
    await ask(agent, "createNode", { body: NOTE });
    agent.apply();
    const first = await tripsOf("search", SEARCH);
    expect(first).toEqual(["SELECT logged_range", "SELECT nodes", "SELECT nodes"]);
    expect(await tripsOf("search", SEARCH)).toEqual(["SELECT logged_range"]);
    expect(await tripsOf("search", { body: { query: "fridays" } })).toEqual([
      "SELECT logged_range",
    ]);
  });

  test("a search after a write of another server takes those that read what it wrote", async () => {
    const { tripsOf } = await opened("d");
    await tripsOf("search", SEARCH);
    const other = new Agent(new PostgresStorage(databases[1], "d"));
    await ask(other, "createNode", { body: NOTE });
    expect(await tripsOf("search", SEARCH)).toEqual([
      "SELECT logged_range",
      ...["begin", "SELECT change_log", "SELECT nodes", "commit"],
      ...["SELECT nodes", "SELECT nodes"],
    ]);
    expect(await tripsOf("search", SEARCH)).toEqual(["SELECT logged_range"]);
  });
});

test("agents that share a connection take one each for whether they have changed", async () => {
  const url = await postgres.create();
  const place = { url, connections: 1, timeout: 10_000, password: "" };
  const database = new PostgresDatabase(place, THREAD);
  database.migrate();
  const storages = ["a", "b"].map((name) => new PostgresStorage(database, name));
  const turns = 100;
  for (let turn = 0; turn < turns; turn++) for (const storage of storages) storage.version();
  database.close();
  // A statement outside of a transaction commits by itself. A connection that ends has told of all.
  const name = new URL(url).pathname.slice(1);
  const committed = async () => {
    const select = "SELECT xact_commit::int AS count FROM pg_stat_database WHERE datname = $1";
    const [row] = await query(postgres.superuserOf(postgres.url), select, [name]);
    return row!.count;
  };
  const asked = turns * storages.length;
  await expect.poll(committed).toBeGreaterThanOrEqual(asked);
  expect(await committed()).toBeLessThan(1.5 * asked);
});

test("which subtypes there are is known again after every change", () => {
  const [one, other] = databases.map((database) => new PostgresStorage(database, "e"));
  const node = { type: "note", content_title: "T", version: 1, embedding_vector: null };
  const insert = (storage: PostgresStorage, id: string, subtype: string) =>
    storage.nodes.insert({ ...node, id, subtype } as never);
  const known = (subtype: string) => {
    one!.version();
    return one!.nodes.hasSubtype(subtype);
  };
  expect(known("x")).toBe(false);
  insert(other!, "n_1", "x");
  expect(known("x")).toBe(true);
  other!.nodes.delete("n_1");
  expect(known("x")).toBe(false);
  // A change of its own counts without a look at the database's version, and a rolled back one never.
  const undone = () =>
    one!.transaction(() => {
      insert(one!, "n_2", "x");
      expect(one!.nodes.hasSubtype("x")).toBe(true);
      throw new Error("undone");
    });
  expect(undone).toThrow("undone");
  expect(one!.nodes.hasSubtype("x")).toBe(false);
  insert(one!, "n_2", "x");
  expect(one!.nodes.hasSubtype("x")).toBe(true);
});
