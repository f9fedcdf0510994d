// Wrong clocks: no instant ahead of the clock, stored or imported, distorts search results, neither
// while the server runs nor after a restart, and every score is a finite number.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Agent } from "../../js/server/src/agent/agent.ts";
import { HeldTime } from "../../js/server/src/agent/held-time.ts";
import { type SnapshotPlaces, snapshotsOf } from "../../js/server/src/settings/paths.ts";
import { importMemory } from "../../js/server/src/transfer/import.ts";
import { testInFull } from "../support/full.ts";
import { ask } from "./support/direct-agent.ts";
import { type DirectStore, directStores } from "./support/direct-store.ts";
import { testOnFiles } from "./support/on-postgres.ts";
import { type Running, start } from "./support/server-process.ts";
import { clientOf } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const [HOUR, DAY] = [3_600_000, 86_400_000];
const NOW = Date.UTC(2026, 10, 24, 12);
const newStore = directStores();
const iso = (at: number) => new Date(at).toISOString();
const MEMORIES = 15;
const CONCEPT = { type: "concept", content_title: "Once" };

/** An agent with a clock that the test sets. */
interface World {
  agent: Agent;
  now: number;
  /** How long its process has run, in milliseconds; `now` may be set, this only passes. */
  uptime: number;
  store: DirectStore;
  /** Closes it and opens it again. */
  restart(): void;
}

async function worldOf({
  now = NOW,
  snapshots,
}: {
  now?: number;
  snapshots?: SnapshotPlaces;
} = {}): Promise<World> {
  const store = await newStore();
  const restart = () => {
    world.agent.close();
    world.agent = open();
  };
  const world: World = { agent: undefined as unknown as Agent, now, uptime: 0, store, restart };
  const heldTime = new HeldTime(
    () => world.now,
    () => world.uptime,
  );
  const open = () =>
    new Agent(store.open(), {
      clock: () => world.now,
      heldTime,
      ...(snapshots === undefined ? {} : { snapshots }),
    });
  world.agent = open();
  return world;
}

/** Lets time pass, and not only the clock step. */
function pass(world: World, milliseconds: number): void {
  world.now += milliseconds;
  world.uptime += milliseconds;
}

async function fill({ agent }: World, count = MEMORIES): Promise<string[]> {
  const ids: string[] = [];
  for (let place = 0; place < count; place++) {
    const body = {
      type: "concept",
      subtype: "custom:lesson",
      content_title: "Funding squeeze reverts",
    };
    ids.push((await ask(agent, "createNode", { body: { ...body, id: `n_${place}` } })).id);
  }
  return ids;
}

interface Row {
  id: string;
  score: number;
  breakdown: Record<string, number>;
}

/** Scores of all results. No recency is above 1, and no score is NaN. */
async function found({ agent }: World): Promise<Row[]> {
  const { data } = await ask(agent, "search", {
    body: { query: "funding squeeze", limit: 50, ranking: "signals" },
  });
  for (const { score, breakdown } of data as Row[]) {
    expect(Number.isFinite(score)).toBe(true);
    expect(breakdown.recency).toBeGreaterThanOrEqual(0);
    expect(breakdown.recency).toBeLessThanOrEqual(1);
  }
  return data;
}

const recencyOf = async (world: World, id: string) =>
  (await found(world)).find((row) => row.id === id)?.breakdown.recency;
const retrieved = async ({ agent }: World): Promise<string[]> =>
  (
    await ask(agent, "retrieve", { body: { query: "funding squeeze", limit: 50, recall: "none" } })
  ).data.map(({ id }: Row) => id);
const accessOf = async ({ store }: World, id: string) =>
  (await store.stored("SELECT neural_last_accessed AS at FROM nodes WHERE id = ?", id))[0]!
    .at as string;

/** All other routes that read instants answer in their documented form. */
async function goesOn({ agent }: World): Promise<void> {
  for (const { retrievability } of (await ask(agent, "graph")).nodes) {
    expect(retrievability).toBeGreaterThanOrEqual(0);
    expect(retrievability).toBeLessThanOrEqual(1);
  }
  await ask(agent, "buildContext", { body: { input: "funding squeeze", recall: "none" } });
  await ask(agent, "health");
  await ask(agent, "listNodes", { query: { lifecycle: "ACTIVE" } });
  await ask(agent, "sweep", { body: {} });
}

describe("a clock that was ahead for a moment", () => {
  test("causes no loss of usage, idempotency keys or conflicts", async () => {
    const world = await worldOf();
    await fill(world, 3);
    const use = (context_id: string) =>
      ask(world.agent, "giveFeedback", {
        body: { context_id, recalled_content: { n_0: "Funding" }, response: "Funding" },
      });
    const create = (key: string) =>
      ask(world.agent, "createNode", { body: CONCEPT, headers: { "Idempotency-Key": key } });
    const queue = (old_node_id: string) =>
      ask(world.agent, "queueConflict", { body: { old_node_id, new_content: "Other" } });
    const count = async (table: string) =>
      (await world.store.stored(`SELECT 1 FROM ${table}`)).length;
    const counts = () => Promise.all(["memory_usage", "nous_retries", "conflict_queue"].map(count));
    await use("c_1");
    const first = await create("k_1");
    await queue("n_0");
    world.now += 60 * DAY;
    await use("c_2");
    await create("k_2");
    await queue("n_1");
    expect(await counts()).toEqual([2, 2, 2]);
    world.now = NOW + 1_000;
    expect((await create("k_1")).id).toBe(first.id);
    expect((await ask(world.agent, "listConflicts", { query: {} })).data).toHaveLength(2);
    // Entries that really expired are removed.
    for (const [place, days] of [100, 100.5].entries()) {
      pass(world, NOW + days * DAY - world.now);
      await use(`c_late_${place}`);
      await create(`k_late_${place}`);
      await queue("n_2");
    }
    expect(await counts()).toEqual([2, 2, 2]);
  });

  test("archives and drops nothing before it has held for an hour, however much is asked", async () => {
    const world = await worldOf();
    const ids = await fill(world, 3);
    const short = { ...CONCEPT, id: "n_short", neural_stability: 1 };
    await ask(world.agent, "createNode", { body: short });
    const stored = () => world.store.stored("SELECT id, state_lifecycle FROM nodes ORDER BY id");
    const sweep = async (body = {}) =>
      (await ask(world.agent, "sweep", { body })).transitions as { id: string; to: string }[];
    const use = (context_id: string) =>
      ask(world.agent, "giveFeedback", {
        body: { context_id, recalled_content: { n_0: "Funding" }, response: "Funding" },
      });
    const create = (key: string) =>
      ask(world.agent, "createNode", { body: CONCEPT, headers: { "Idempotency-Key": key } });
    const queue = () =>
      ask(world.agent, "queueConflict", { body: { old_node_id: "n_1", new_content: "Other" } });
    const rows = async (table: string) =>
      (await world.store.stored(`SELECT 1 FROM ${table}`)).length;
    await sweep();
    await use("c_1");
    const first = await create("k_1");
    await queue();
    world.agent.flushAll();
    const before = await stored();
    world.now += 120 * DAY;
    for (let turn = 0; turn < 3; turn++) {
      expect(await sweep()).toEqual([]);
      await use(`c_ahead_${turn}`);
      expect((await create("k_1")).id).toBe(first.id);
      await queue();
      // An agent that is opened anew knows of the step, too.
      world.restart();
      pass(world, 19 * 60_000);
    }
    expect(await stored()).toEqual(before);
    expect([await rows("memory_usage"), await rows("conflict_queue")]).toEqual([4, 4]);
    // The clock is set back: the hour begins anew with the next step.
    world.now -= 120 * DAY;
    expect(await sweep()).toEqual([]);
    world.now += 120 * DAY;
    await ask(world.agent, "health");
    pass(world, HOUR - 1);
    expect(await sweep()).toEqual([]);
    pass(world, 1);
    expect(await sweep()).toContainEqual(expect.objectContaining({ id: "n_short", to: "ARCHIVE" }));
    expect(ids).toHaveLength(3);
  });

  test("sweeps by its own time where the caller forces it", async () => {
    const world = await worldOf();
    await fill(world, 1);
    await ask(world.agent, "createNode", {
      body: { ...CONCEPT, id: "n_short", neural_stability: 1 },
    });
    world.now += 120 * DAY;
    const { transitions } = await ask(world.agent, "sweep", { body: { force: true } });
    expect(transitions).toContainEqual(expect.objectContaining({ id: "n_short", to: "ARCHIVE" }));
  });

  test.each([1 / 24, 1, 120, 399])("by %d days has no lasting effect", async (days) => {
    const world = await worldOf();
    const ids = await fill(world);
    world.now += days * DAY;
    await ask(world.agent, "readNode", { params: { id: "n_3" } });
    await ask(world.agent, "search", { body: { query: "funding", limit: 2 } });
    const late = (
      await ask(world.agent, "createNode", {
        body: { type: "concept", content_title: "Funding squeeze" },
      })
    ).id;
    world.agent.flush();
    world.now = NOW + 1_000;
    const all = [...ids, late].sort();
    expect((await retrieved(world)).sort()).toEqual(all);
    expect(await recencyOf(world, "n_3")).toBe(1);
    await goesOn(world);
    world.restart();
    expect((await retrieved(world)).sort()).toEqual(all);
    expect(Date.parse(await accessOf(world, "n_3"))).toBeLessThanOrEqual(NOW + 2_000);
    // After a while, an access of those days no longer counts as one of today.
    world.now += 60 * DAY;
    world.restart();
    world.agent.open();
    expect(await world.agent.read(() => world.agent.index.get("n_3")!.last_accessed)).toBeLessThan(
      NOW + DAY,
    );
    await goesOn(world);
  });

  testInFull("has no lasting effect if the server was stopped meanwhile", async () => {
    const world = await worldOf({ now: NOW + 120 * DAY });
    const ids = await fill(world);
    await ask(world.agent, "readNode", { params: { id: "n_3" } });
    world.agent.close();
    world.now = NOW;
    world.agent = new Agent(world.store.open(), {
      clock: () => world.now,
    });
    expect((await retrieved(world)).sort()).toEqual([...ids].sort());
    expect(await recencyOf(world, "n_3")).toBe(1);
    await goesOn(world);
    world.agent.flushAll();
    expect(await accessOf(world, "n_3")).toBe(iso(NOW));
    // A memory without accesses does not get one.
    const never = await worldOf({ now: NOW + 120 * DAY });
    await ask(never.agent, "createNode", {
      body: { type: "concept", content_title: "Funding squeeze", id: "n_0" },
    });
    never.now = NOW;
    expect(
      (await ask(never.agent, "readNode", { params: { id: "n_0" }, query: { recall: "false" } }))
        .neural_last_accessed,
    ).toBeNull();
    never.restart();
    expect(await accessOf(never, "n_0")).toBeNull();
  });

  test("leaves no trace in the saved index", async () => {
    const folder = temporaryFolder();
    const snapshots = snapshotsOf(join(folder, "kept.db"));
    const world = await worldOf({ now: NOW + 120 * DAY, snapshots });
    await fill(world, 1_100);
    await ask(world.agent, "readNode", { params: { id: "n_3" } });
    world.agent.close();
    expect(existsSync(snapshots.index)).toBe(true);
    world.now = NOW;
    world.agent = new Agent(world.store.open(), {
      clock: () => world.now,
      snapshots,
    });
    const latest = world.agent.read(() =>
      [...world.agent.index.ids()].map((id) => world.agent.index.get(id)!.last_accessed),
    );
    expect(Math.max(...latest)).toBeLessThanOrEqual(NOW);
    world.agent.close();
  });

  test("blocks neither periodic work nor pending embeddings", async () => {
    const storage = (await newStore()).open();
    const take = (now: number) => storage.tasks.take("decay", now, 1_000, 600_000);
    expect([take(NOW + 120 * DAY), take(NOW), take(NOW)]).toEqual([true, true, false]);
    importMemory(storage, [lineOf("n_1", {})], { conflicts: "skip", now: NOW });
    const due = (now: number) => storage.embeddings.due(now, 10).map(({ ticket }) => ticket);
    const [ticket] = due(NOW) as [number];
    storage.embeddings.postpone([ticket], NOW, 5_000, 3_600_000);
    expect([due(NOW), due(NOW + 5_000)]).toEqual([[], [ticket]]);
    storage.embeddings.postpone([ticket], NOW + 120 * DAY, 5_000, 3_600_000);
    expect(due(NOW)).toEqual([ticket]);
    // A text is never delayed for longer than a day, whatever a provider asks for.
    storage.embeddings.postpone([ticket], NOW, 9 * DAY, 9 * DAY);
    expect([due(NOW + DAY - 1), due(NOW + DAY)]).toEqual([[], [ticket]]);
    storage.close();
  });
});

const lineOf = (id: string, fields: object) => {
  const created_at = iso(NOW - 90 * DAY);
  return JSON.stringify({
    kind: "node",
    id,
    type: "concept",
    content_title: "Funding squeeze",
    created_at,
    ...fields,
  });
};

test("a sweep by a clock that is far behind prevents no sweep by the right clock", async () => {
  const world = await worldOf();
  const ids = await fill(world);
  const sweep = async (now: number) => {
    world.uptime += Math.max(now - world.now, 0);
    world.now = now;
    return (await ask(world.agent, "sweep")).processed;
  };
  expect(await sweep(NOW)).toBe(ids.length);
  expect(await sweep(0)).toBe(ids.length);
  expect(await sweep(NOW + DAY)).toBe(ids.length);
  // The guard against a clock that is ahead still works.
  await expect(sweep(NOW + 500 * DAY)).rejects.toThrow(/the last sweep was 499 days ago/);
});

test("a clock that is far behind for a moment fades no memory", async () => {
  const world = await worldOf();
  const ids = await fill(world);
  const recencies = async () => (await found(world)).map(({ breakdown }) => breakdown.recency);
  const before = await recencies();
  const stored = () => ids.map((id) => world.agent.storage.nodes.find(id)!.neural_last_accessed);
  world.agent.flushAll();
  const accesses = stored();
  world.now = 0;
  await ask(world.agent, "health");
  world.agent.flushAll();
  world.now = NOW;
  expect(stored()).toEqual(accesses);
  expect(await recencies()).toEqual(before);
});

describe("imported instants", () => {
  test("ahead of the clock have no weight, and are stored unchanged", async () => {
    const years = [
      "2027-01-01",
      "2069-01-01T00:00:00.000Z",
      "2071-01-01 00:00:00",
      "9999-12-31T23:59:59.999Z",
    ];
    const lines = years.flatMap((at, place) => [
      lineOf(`accessed_${place}`, { neural_last_accessed: at, neural_access_count: 3 }),
      lineOf(`created_${place}`, { created_at: at, provenance_created_at: at }),
      lineOf(`both_${place}`, {
        created_at: at,
        provenance_created_at: at,
        neural_last_accessed: at,
      }),
    ]);
    lines.push(lineOf("today", { neural_last_accessed: iso(NOW), neural_access_count: 3 }));
    const world = await worldOf();
    importMemory(world.agent.storage, lines, { conflicts: "skip", now: NOW });
    for (let turn = 0; turn < 2; turn++) {
      const rows = await found(world);
      expect(rows).toHaveLength(lines.length);
      const best = Math.max(...rows.map(({ score }) => score));
      expect(rows.find(({ id }) => id === "today")!.score).toBeGreaterThan(best - 0.05);
      expect(await retrieved(world)).toContain("today");
      await goesOn(world);
      world.restart();
    }
    const node = await ask(world.agent, "readNode", {
      params: { id: "created_1" },
      query: { recall: "false" },
    });
    expect(node.provenance_created_at).toBe("2069-01-01T00:00:00.000Z");
  });

  test("far ahead do not count as accesses, and are replaced by the first real one", async () => {
    const world = await worldOf();
    const far = "2069-01-01T00:00:00.000Z";
    importMemory(world.agent.storage, [lineOf("n_1", { neural_last_accessed: far })], {
      conflicts: "skip",
      now: NOW,
    });
    const last = () => world.agent.read(() => world.agent.index.get("n_1")!.last_accessed);
    expect(last()).toBe(NOW - 90 * DAY);
    world.agent.flushAll();
    expect(await accessOf(world, "n_1")).toBe(far);
    await ask(world.agent, "readNode", { params: { id: "n_1" } });
    world.restart();
    expect([last(), await accessOf(world, "n_1")]).toEqual([NOW, iso(NOW)]);
  });

  testOnFiles(
    "that another program stores while the agent is open have no weight either",
    async () => {
      const world = await worldOf();
      await fill(world, 3);
      await found(world);
      const at = iso(NOW + 120 * DAY);
      await world.store.stored("UPDATE nodes SET neural_last_accessed = ? WHERE id = 'n_1'", at);
      expect(await recencyOf(world, "n_1")).toBe(1);
      world.agent.flushAll();
      expect(await accessOf(world, "n_1")).toBe(iso(NOW));
    },
  );
});

test("a step back of less than a minute is waited out", async () => {
  const world = await worldOf();
  await fill(world, 2);
  await ask(world.agent, "readNode", { params: { id: "n_1" } });
  world.now -= 59_000;
  expect(world.agent.now()).toBe(NOW);
  expect(await recencyOf(world, "n_1")).toBe(1);
  world.now -= 2_000;
  expect(world.agent.now()).toBe(NOW - 61_000);
  expect(await recencyOf(world, "n_1")).toBe(1);
});

describe("the time that has held for an hour", () => {
  /** A clock, a process's own time, and what holds. */
  function timeOf() {
    const time = { wall: NOW, uptime: 1_000.5 };
    const held = new HeldTime(
      () => time.wall,
      () => time.uptime,
    );
    const run = (milliseconds: number) => {
      time.wall += milliseconds;
      time.uptime += milliseconds;
    };
    return { time, held, run };
  }

  test("is the clock's while nobody sets it, and after it was set back", () => {
    const { time, held, run } = timeOf();
    run(100 * DAY);
    expect(held.now()).toBe(time.wall);
    time.wall -= 50 * DAY;
    expect(held.now()).toBe(time.wall);
    // Drift is no step.
    time.wall += 59_000;
    expect(held.now()).toBe(time.wall);
  });

  test("goes on from before a step for an hour of the process", () => {
    const { time, held, run } = timeOf();
    time.wall += 120 * DAY;
    expect(held.now()).toBe(NOW);
    run(HOUR - 1);
    expect(held.now()).toBe(NOW + HOUR - 1);
    run(1);
    expect(held.now()).toBe(time.wall);
  });

  test("counts the hour from when a step was seen", () => {
    const { time, held, run } = timeOf();
    time.wall += 120 * DAY;
    run(5 * HOUR);
    expect(held.now()).toBe(NOW + 5 * HOUR);
    run(HOUR);
    expect(held.now()).toBe(time.wall);
  });

  test("comes along with a machine that sleeps more often than every hour", () => {
    const { time, held, run } = timeOf();
    for (let day = 1; day <= 30; day++) {
      run(HOUR / 2);
      time.wall += DAY;
      held.now();
    }
    expect(time.wall - held.now()).toBeLessThanOrEqual(2 * DAY);
    run(HOUR);
    expect(held.now()).toBe(time.wall);
  });
});

test("a running server whose clock was ahead for one request searches as before, after a restart, too", async () => {
  const folder = temporaryFolder();
  const offset = join(folder, "offset");
  writeFileSync(offset, "0");
  const clock = `import { readFileSync } from "node:fs";
    const now = Date.now; Date.now = () => now() + Number(readFileSync(${JSON.stringify(offset)}, "utf8"));`;
  const node = ["--import", `data:text/javascript,${encodeURIComponent(clock)}`];
  const open = () => start(folder, ["--log-level", "info"], "test", { node });
  const first = await open();
  const { create, stored } = clientOf(first, "default");
  const ids: string[] = [];
  for (let place = 0; place < MEMORIES; place++) ids.push((await create()).id);
  const retrieves = async ({ ask }: Running) => {
    const { body } = await ask("POST /retrieve", { query: "funding squeeze" });
    for (const { score } of body.data) expect(score).toBeLessThan(2);
    return body.data.map(({ id }: { id: string }) => id).sort();
  };
  expect(await retrieves(first)).toEqual([...ids].sort());
  writeFileSync(offset, String(120 * DAY));
  expect((await first.ask(`GET /nodes/${ids[3]}`)).status).toBe(200);
  await expect
    .poll(() => stored("SELECT max(neural_last_accessed) AS at FROM nodes"))
    .toMatchObject([{ at: expect.stringContaining(iso(Date.now() + 120 * DAY).slice(0, 7)) }]);
  writeFileSync(offset, "0");
  expect(await retrieves(first)).toEqual([...ids].sort());
  expect(first.log()).toContain("The clock was set back");
  expect(await first.end()).toBe(0);
  const second = await open();
  expect(await retrieves(second)).toEqual([...ids].sort());
  for (const path of ["GET /graph", "GET /health", "POST /decay"])
    expect((await second.ask(path)).status, path).toBe(200);
  expect(readFileSync(offset, "utf8")).toBe("0");
});
