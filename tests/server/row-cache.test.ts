// The cache of recently found rows: after any change of a memory it equals the database.

import fc from "fast-check";
import { toIso } from "nous-memory";
import { expect, test, vi } from "vitest";
import { Agent } from "../../js/server/src/agent/agent.ts";
import { runs } from "../support/amount.ts";
import { ask } from "./support/direct-agent.ts";
import { directStores } from "./support/direct-store.ts";
import { raw } from "./support/existing-database.ts";
import { isOnPostgres } from "./support/on-postgres.ts";
import { LESSON } from "./support/shared-server.ts";

const newStore = directStores();
const IDS = ["n_1", "n_2", "n_3"];
const DAY = 86_400_000;

interface World {
  agent: Agent;
  /** The same database, as another process sees it. */
  other: Agent;
  /** The clock of both agents. */
  time: { now: number };
  sql(text: string): void;
}

async function inNewWorld(work: (world: World) => Promise<void>): Promise<void> {
  const store = await newStore();
  const time = { now: Date.UTC(2026, 10, 22) };
  const open = () => new Agent(store.open(), { clock: () => time.now });
  const sql = (text: string) => {
    const db = raw(store.file);
    db.exec(text);
    db.close();
  };
  const world: World = { agent: open(), other: open(), time, sql };
  try {
    for (const id of IDS) await STEPS.create!(world, id);
    await work(world);
  } finally {
    for (const agent of [world.agent, world.other]) agent.discard();
  }
}

/** Changes of a memory. */
const STEPS: Record<string, (world: World, id: string) => unknown> = {
  search: ({ agent }) => ask(agent, "search", { body: { query: "funding" } }),
  "search elsewhere": ({ other }) => ask(other, "search", { body: { query: "funding" } }),
  read: ({ agent }, id) =>
    ask(agent, "readNode", { params: { id }, query: { recall: "true" } }).catch(() => {}),
  change: ({ agent, time: { now } }, id) =>
    ask(agent, "updateNode", {
      params: { id },
      body: { content_title: `Funding of ${now}` },
    }).catch(() => {}),
  remove: ({ agent }, id) => ask(agent, "deleteNode", { params: { id } }).catch(() => {}),
  purge: ({ agent }, id) => agent.purge(id),
  create: ({ agent }, id) => ask(agent, "createNode", { body: { ...LESSON, id } }).catch(() => {}),
  flush: ({ agent }) => agent.flush(),
  "flush elsewhere": ({ other }) => other.flush(),
  sweep: ({ agent }) => ask(agent, "sweep", { body: { force: true } }),
  wait: (world) => {
    world.time.now += 3 * DAY;
  },
  "change in another process": ({ other, time: { now } }, id) =>
    ask(other, "updateNode", { params: { id }, body: { content_title: `Basis of ${now}` } }).catch(
      () => {},
    ),
  "remove in another process": ({ other }, id) =>
    ask(other, "deleteNode", { params: { id } }).catch(() => {}),
};

/** Changes by another program, which writes to the agent's file. */
const BY_OTHERS: typeof STEPS = {
  "change elsewhere": ({ sql, time: { now } }, id) =>
    sql(`UPDATE nodes SET content_body = 'as of ${now}' WHERE id = '${id}'`),
  "change elsewhere, of which the log tells nothing any more": ({ sql, time: { now } }, id) =>
    sql(
      `UPDATE nodes SET content_body = 'unlogged ${now}' WHERE id = '${id}'; DELETE FROM change_log`,
    ),
  "remove elsewhere": ({ sql }, id) => sql(`DELETE FROM nodes WHERE id = '${id}'`),
  // One that was renamed before keeps its new id.
  "rename elsewhere": ({ sql }, id) =>
    sql(`UPDATE OR IGNORE nodes SET id = '${id}x' WHERE id = '${id}'`),
  "an odd count": ({ sql }, id) =>
    sql(`UPDATE nodes SET neural_access_count = 'many' WHERE id = '${id}'`),
  "no count": ({ sql }, id) =>
    sql(`UPDATE nodes SET neural_access_count = NULL WHERE id = '${id}'`),
  "an odd access": ({ sql }, id) =>
    sql(`UPDATE nodes SET neural_last_accessed = 'zuletzt' WHERE id = '${id}'`),
  "no access": ({ sql }, id) =>
    sql(`UPDATE nodes SET neural_last_accessed = NULL WHERE id = '${id}'`),
  "an access to come": ({ sql, time: { now } }, id) =>
    sql(`UPDATE nodes SET neural_last_accessed = '${toIso(now + DAY)}' WHERE id = '${id}'`),
};

const ALL = isOnPostgres ? STEPS : { ...STEPS, ...BY_OTHERS };

/** Changes that a random run may miss. */
const OFTEN = [
  ["wait", "sweep", "flush"],
  ["wait", "read", "flush"],
  ["search elsewhere", "flush elsewhere"],
  ["change elsewhere, of which the log tells nothing any more"],
  ["an odd count", "search", "flush"],
  ["an odd access", "search", "flush"],
  ["an access to come", "search", "flush"],
].filter((names) => names.every((name) => name in ALL));

/** Checks that the cached rows equal the database, and caches them. */
function requireSame({ agent }: World): void {
  const inOrder = (rows: readonly { id: string }[]) =>
    [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));
  agent.read(() => expect(inOrder(agent.rows(IDS))).toEqual(inOrder(agent.storage.nodes.of(IDS))));
}

test("cached rows equal the database after any change of a memory, here or elsewhere", {
  timeout: 120_000,
}, async () => {
  const step = fc.tuple(fc.constantFrom(...Object.keys(ALL)), fc.constantFrom(...IDS));
  const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 20 }), (steps) =>
    inNewWorld(async (world) => {
      requireSame(world);
      for (const [name, id] of steps) {
        await ALL[name]!(world, id);
        requireSame(world);
      }
    }),
  );
  await fc.assert(property, {
    ...runs(60),
    examples: OFTEN.map((names) => [names.map((name) => [name, IDS[0]!])]),
  });
});

test("cached rows are not read again, though a search counted accesses and these were flushed", () =>
  inNewWorld(async ({ agent }) => {
    const found = async () => (await ask(agent, "search", { body: { query: "funding" } })).data;
    const counts = (nodes: { neural_access_count: number }[]) =>
      nodes.map((node) => node.neural_access_count);
    expect(counts(await found())).toEqual([0, 0, 0]);
    agent.flush();
    const reading = vi.spyOn(agent.storage.nodes, "of");
    expect(counts(await found())).toEqual([1, 1, 1]);
    expect(reading).not.toHaveBeenCalled();
  }));

test("cached rows stay within their limit, and count as memory of an agent", () =>
  inNewWorld(async ({ agent }) => {
    const fields = { ...LESSON, content_body: "funding ".repeat(2 ** 16) };
    for (let place = 0; place < 20; place++) await ask(agent, "createNode", { body: fields });
    agent.read(() => {
      const ids = agent.storage.nodes.list({}, 20).map(({ id }) => id);
      const before = agent.bytes;
      for (let time = 0; time < 2; time++) expect(agent.rows(ids)).toHaveLength(20);
      expect(agent.bytes - before).toBeGreaterThan(2 ** 22);
      expect(agent.bytes - before).toBeLessThanOrEqual(2 ** 23);
    });
  }));
