// The index takes in a write after its client has the answer, and before the next request is
// answered.

import { existsSync } from "node:fs";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Agent, type AgentOptions } from "../../js/server/src/agent/agent.ts";
import { insertNode } from "../../js/server/src/agent/writes/nodes.ts";
import { AGENT_OPERATIONS } from "../../js/server/src/api/operations.ts";
import { snapshotsOf } from "../../js/server/src/settings/paths.ts";
import { Agents } from "../../js/server/src/workers/open-agents.ts";
import { AskerGone } from "../../js/server/src/workers/shares.ts";
import { amount, runs } from "../support/amount.ts";
import { beside } from "./support/database-lock.ts";
import { ask } from "./support/direct-agent.ts";
import { type DirectStore, directStores } from "./support/direct-store.ts";
import { describeOnFiles, isOnPostgres, testOnFilesInFull } from "./support/on-postgres.ts";
import { LESSON } from "./support/shared-server.ts";

const NOW = Date.UTC(2026, 10, 23);

let agent: Agent;
const newStore = directStores();
beforeEach(async () => {
  agent = new Agent((await newStore()).open(), { clock: () => NOW });
  agent.open();
});
afterEach(() => agent.discard());

const create = (fields: object = {}) =>
  ask(agent, "createNode", { body: { ...LESSON, ...fields } });
const zebras = () => agent.texts.search(["zebra"]).map(({ id }) => id);
const change = (id: string, fields: object) =>
  ask(agent, "updateNode", { params: { id }, body: fields });

describe("a write", () => {
  test("is read for the index once, when the index is asked to apply it", async () => {
    const reading = vi.spyOn(agent.storage.nodes, "indexed");
    await create();
    expect(reading).not.toHaveBeenCalled();
    agent.apply();
    agent.apply();
    expect(reading).toHaveBeenCalledTimes(1);
  });

  const seen: [what: string, see: (id: string) => unknown, expected: (id: string) => unknown][] = [
    ["the index", (id) => agent.index.has(id), () => true],
    ["full text", () => zebras(), (id) => [id]],
    ["the length of vectors", () => agent.dimensions, () => 3],
    ["playbooks", () => agent.playbooks.size, () => 1],
    ["a read", (id) => agent.read(() => agent.index.has(id)), () => true],
    ["a write", (id) => agent.write(() => agent.index.has(id)), () => true],
  ];
  test.each(seen)("is visible to %s without a notification", async (_, see, expected) => {
    const fields = { subtype: "custom:playbook", content_title: "Zebra", embedding: [1, 2, 3] };
    const { id } = await create(fields);
    expect(see(id)).toEqual(expected(id));
  });

  test("is visible to the row cache", async () => {
    const { id } = await create();
    agent.read(() => agent.rows([id]));
    agent.write(() =>
      agent.storage.nodes.update(id, {
        content_title: "Other",
        last_modified: "2026-11-23T00:00:00.000Z",
      }),
    );
    expect(agent.rows([id])).toMatchObject([{ content_title: "Other" }]);
  });

  test("is applied in order", async () => {
    const { id } = await create({ content_title: "Zebra" });
    await ask(agent, "deleteNode", { params: { id } });
    expect([agent.index.has(id), zebras()]).toEqual([false, []]);
  });

  test("that could not be read causes a full reload", async () => {
    const { id } = await create();
    vi.spyOn(agent.storage.nodes, "indexed").mockImplementationOnce(() => {
      throw new Error("the disk failed");
    });
    agent.apply();
    expect(agent.index.has(id)).toBe(true);
  });
});

test("a write is answered before it is applied", async () => {
  const unused = () => {
    throw new Error("there is nobody else");
  };
  const opening = { open: () => agent, exists: () => true, openEmpty: unused };
  // Memories are compared after the end of the test, when the agent is closed.
  const agents = new Agents(opening, () => undefined, { idle: 1e9, maxBytes: 1e9 });
  const order: string[] = [];
  const { applyInTurns } = agent;
  vi.spyOn(agent, "applyInTurns").mockImplementation((pause) => {
    order.push("applied");
    return applyInTurns.call(agent, pause);
  });
  const answered = (what: string) => async () => {
    await create();
    order.push(what);
  };
  await Promise.all([agents.do("a", answered("one")), agents.do("a", answered("two"))]);
  await vi.waitFor(() => expect(order).toEqual(["one", "applied", "two", "applied"]));
});

test("requests that follow each other wait for no comparison, however long each takes", async () => {
  const unused = () => {
    throw new Error("there is nobody else");
  };
  const opening = { open: () => agent, exists: () => true, openEmpty: unused };
  const agents = new Agents(opening, unused, { idle: 1e9, maxBytes: 1e9 });
  const start = performance.now();
  for (let place = 0; place < 5; place++) await agents.do("a", () => create());
  // Each takes longer than an agent has to be idle. A comparison is made each second meanwhile: on a
  // busy machine a second may pass.
  for (let turn = 0; turn < 5; turn++)
    await agents.do("a", () => {
      const until = performance.now() + 30;
      while (performance.now() < until);
      const seconds = Math.floor((performance.now() - start) / 1000);
      expect(agent.uncompared.size).toBeGreaterThanOrEqual(5 - seconds);
    });
  await expect.poll(() => agent.uncompared.size).toBe(0);
});

describe("another agent is answered between the steps of one agent's long work:", () => {
  // A row that is written costs PostgreSQL a round trip.
  const MANY = isOnPostgres ? 1_500 : 5_000;
  let stores: Record<string, DirectStore>;
  let agents: Agents;
  const order: string[] = [];
  const done = (what: string) => () => {
    order.push(what);
  };

  /** PostgreSQL keeps snapshots itself. */
  const openedIn = ({ open, file }: DirectStore, options: AgentOptions = {}) =>
    new Agent(open(), isOnPostgres ? options : { ...options, snapshots: snapshotsOf(file) });

  /** Opens agents, which are closed after `idle` milliseconds without a request. */
  let agentsWith: (idle: number) => Agents;

  /** An agent with many memories, and one without; both are opened on their first request. */
  beforeEach(async () => {
    stores = { large: await newStore(), other: await newStore() };
    const opened = (name: string) => openedIn(stores[name]!);
    const large = opened("large");
    const { body } = AGENT_OPERATIONS.createNode;
    large.write(() => {
      for (let place = 0; place < MANY; place++)
        insertNode(
          large,
          body.parse({ ...LESSON, id: `n${place}`, content_title: `Zebra ${place}` }),
        );
    });
    large.discard();
    const unused = () => {
      throw new Error("there is nobody else");
    };
    const opening = { open: opened, exists: () => true, openEmpty: unused };
    agentsWith = (idle) => new Agents(opening, unused, { idle, maxBytes: 1e9 });
    agents = agentsWith(1e9);
    order.length = 0;
  });
  afterEach(() => agents.close());

  test("while it is opened", async () => {
    const asked = agents.do("large", ({ index, texts }) => {
      order.push("large");
      expect([index.size, texts.size]).toEqual([MANY, MANY]);
    });
    await agents.do("other", done("other"));
    await asked;
    expect(order).toEqual(["other", "large"]);
  });

  test("and its opening continues if its client disconnects", async () => {
    const asker = { isGone: false };
    const asked = agents.do("large", done("large"), "create", asker);
    await agents.do("other", () => (asker.isGone = true));
    await expect(asked).rejects.toThrow(AskerGone);
    const size = await agents.do("large", (agent) => {
      const loading = vi.spyOn(agent.storage.nodes, "indexed");
      expect(agent.index.has("n7")).toBe(true);
      expect(loading).not.toHaveBeenCalled();
      return agent.index.size;
    });
    expect(size).toBe(MANY);
    expect(order).toEqual([]);
  });

  test("while it applies changes", async () => {
    await agents.do("other", () => {});
    const last_modified = new Date().toISOString();
    await agents.do("large", (agent) => {
      agent.write(() => {
        for (let place = 0; place < MANY; place++)
          agent.storage.nodes.update(`n${place}`, {
            content_title: `Okapi ${place}`,
            last_modified,
          });
      });
    });
    const asked = agents.do("large", ({ texts }) => {
      order.push("large");
      const found = (term: string) => texts.search([term], { limit: MANY }).length;
      expect([found("zebra"), found("okapi")]).toEqual([0, MANY]);
    });
    await agents.do("other", done("other"));
    await asked;
    expect(order).toEqual(["other", "large"]);
  });

  testOnFilesInFull("while it is saved for the next start", async () => {
    await agents.do("other", () => {});
    const pauses: boolean[] = [];
    await agents.do("large", async (agent) => {
      const probe = beside(stores.large!.file);
      agent.giveWay = async () => {
        pauses.push(probe.isHeld());
      };
      await agent.keepInTurns();
      expect(probe.isHeld()).toBe(false);
    });
    // No other program writes during the save.
    expect(pauses.length).toBeGreaterThan(4);
    expect(pauses).not.toContain(false);
    await agents.close();
    const messages: string[] = [];
    const again = openedIn(stores.large!, { log: (what) => messages.push(what) });
    again.open();
    expect([again.index.size, again.index.textCount]).toEqual([MANY, MANY]);
    expect(messages).toContain("Loaded from its snapshot: index");
    again.discard();
  });

  describeOnFiles("while it is closed", () => {
    /** Returns the large agent when it is being kept, after nobody asked it for a while. */
    async function idling(): Promise<Agent> {
      await agents.close();
      agents = agentsWith(100);
      const large = await agents.do("large", (agent) => agent);
      const { close, keepInTurns } = large;
      let isKeeping = false;
      vi.spyOn(large, "keepInTurns").mockImplementation(() => {
        isKeeping = true;
        // Each step counts as a long one.
        large.giveWay = () => new Promise((resolve) => setImmediate(resolve));
        return keepInTurns.call(large);
      });
      vi.spyOn(large, "close").mockImplementation(() => {
        order.push(
          existsSync(snapshotsOf(stores.large!.file).index) ? "closed" : "closed, not kept",
        );
        close.call(large);
      });
      const isEnding = () => isKeeping || order.length > 0;
      const until = performance.now() + 10_000;
      while (!isEnding() && performance.now() < until)
        await new Promise((resolve) => setImmediate(resolve));
      return large;
    }

    test("since nobody asks it", async () => {
      await idling();
      await agents.do("other", done("other"));
      await vi.waitFor(() => expect(order).toEqual(["other", "closed"]));
    });

    test("and it stays open if it is asked meanwhile", async () => {
      const large = await idling();
      expect(await agents.do("large", (agent) => agent === large)).toBe(true);
      expect(order).toEqual([]);
    });
  });
});

describe("a new memory", () => {
  const text = fc.string({
    unit: fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom("\ud800", "é")),
    maxLength: 8,
  });
  const title = text.map((rest) => `a${rest}`);
  const fields = fc.record(
    {
      type: fc.constantFrom("concept", "episode", "note", "something"),
      subtype: fc.constantFrom(null, "custom:lesson", "custom:trade_close", "of_mine"),
      content_title: title,
      content_summary: fc.option(text),
      content_body: fc.option(text),
      neural_stability: fc.option(
        fc.double({ min: 0, minExcluded: true, noNaN: true, noDefaultInfinity: true }),
      ),
      embedding: fc.option(fc.constantFrom([1, 0, 0], [0.1, -2, 3])),
      embedding_model: fc.option(title),
      temporal_event_time: fc.option(
        fc.constantFrom("2026-01-02T03:04:05Z", "2025-05-05T05:05:05+02:00"),
      ),
      temporal_event_confidence: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
      signals: fc.option(fc.record({ pnl_pct: fc.double({ min: -50, max: 50, noNaN: true }) })),
    },
    { requiredKeys: ["type", "content_title"] },
  );

  test("is returned as a read would return it", async () => {
    const property = fc.asyncProperty(fields, async (given) => {
      const { _contradiction_detected: _, ...answered } = await ask(agent, "createNode", {
        body: given,
      });
      const read = await ask(agent, "readNode", {
        params: { id: answered.id },
        query: { recall: "false" },
      });
      expect(answered).toEqual(read);
    });
    await fc.assert(property, runs(amount(300, 60)));
  });

  test("is returned with later recalls if it existed before", async () => {
    const own = { ...LESSON, id: "n_mine" };
    await ask(agent, "createNode", { body: own });
    await ask(agent, "readNode", { params: { id: "n_mine" } });
    expect(await ask(agent, "createNode", { body: own })).toMatchObject({ neural_access_count: 1 });
  });

  test("may be changed at once", async () => {
    const { id } = await create();
    expect(await change(id, { content_title: "Other" })).toMatchObject({
      id,
      version: 2,
      content_title: "Other",
    });
  });
});
