// Columns: filters on times and metadata, of agents whose memories change, in SQLite and PostgreSQL.
// What passes is checked against the database's check of each row, and a search against one without
// a filter.

import fc from "fast-check";
import { MAX_JUDGED } from "nous-memory";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Agent } from "../../js/server/src/agent/agent.ts";
import { filter as filterSchema } from "../../js/server/src/api/filter.ts";
import { comparedTestsOf } from "../../js/server/src/storage/filters/conditions.ts";
import { cut } from "../../js/server/src/storage/filters/may-pass.ts";
import {
  type GivenValues,
  TIME_OPERATORS,
  VALUE_OPERATORS,
} from "../../js/server/src/storage/filters/operators.ts";
import { amount, isFull, runs } from "../support/amount.ts";
import { ask } from "./support/direct-agent.ts";
import { IMPLEMENTATIONS } from "./support/storages.ts";

const TEXTS = [
  ...["", "a", "b", "ab", "é", "z".repeat(39), "z".repeat(40), "z".repeat(41)],
  ...["z".repeat(60), `${"z".repeat(39)}\u{1f33f}`, "\u{1f33f}", "\uffee", "a\u0000b", "\ud800"],
];
const NUMBERS = [
  ...[0, -0, 1, 2, 3, -1, 0.1, 0.2, 0.1 + 0.2, 0.3, 1 / 3, -2.5, 1e21, 123456789.123456],
  ...[2 ** 53, 2 ** 53 - 1, 5e-324, 1.7976931348623157e308],
];
const TIMES = ["2026-01-05T00:00:00.000Z", "2026-01-05T00:00:00.001Z", "2026-03-05T00:00:00.000Z"];
/** Keys that mean something in a path of SQLite, in JSON or in SQL. */
const ODD_KEYS = [
  ...["\\", "a\\", "a\\\\b", "\\n", "\n", "\\u0041", "A", "'", "[0]", "[#-1]", "$", "#"],
  ...["*", "?", "%", "\u0001", "\u007f", "\u2028", "é", "\u{1f33f}", " ", "constructor"],
];
const PATHS = ["a", "b", "c.d", "c", "0"];

const scalar = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.constantFrom(...NUMBERS),
  fc.constantFrom(true, false, null),
);
const value = fc.oneof({ weight: 6, arbitrary: scalar }, fc.constantFrom([], [1], { d: 1 }, {}));
const metadata = fc.option(
  fc.record(
    { a: value, b: value, c: fc.oneof(fc.record({ d: value }), value), "0": value },
    { requiredKeys: [] },
  ),
  { freq: 6 },
);
const event_time = fc.option(fc.constantFrom(...TIMES));
const created_at = fc.constantFrom(...TIMES);

const bound = fc.oneof(fc.constantFrom(...TEXTS), fc.constantFrom(...NUMBERS));
/** What conditions are given, by the kind of their row. */
const GIVEN: Partial<Record<keyof GivenValues, fc.Arbitrary<unknown>>> = {
  ...{ scalar, comparable: bound, flag: fc.boolean() },
  scalars: fc.array(scalar, { minLength: 1, maxLength: 4 }),
};
const condition = fc.oneof(
  scalar,
  fc
    .record(
      Object.fromEntries(
        Object.entries(VALUE_OPERATORS).map(([name, { given }]) => [name, GIVEN[given]!]),
      ),
      { requiredKeys: [] },
    )
    .chain((all) =>
      fc
        .shuffledSubarray(Object.entries(all), { maxLength: 2 })
        .map((some) => Object.fromEntries(some)),
    )
    .filter((some) => Object.keys(some).length > 0),
);
const bounds = fc
  .tuple(fc.constantFrom(...Object.keys(TIME_OPERATORS)), fc.constantFrom(...TIMES))
  .map(([name, time]) => ({ [name]: time }));
const given = fc
  .record(
    {
      metadata: fc.dictionary(fc.constantFrom(...PATHS), condition, { minKeys: 1, maxKeys: 2 }),
      created: bounds,
      event_time: bounds,
    },
    { requiredKeys: [] },
  )
  .filter((some) => Object.keys(some).length > 0);

/** A memory that other programs may have written, with its metadata as text. */
const ODD_METADATA = [
  ...["no JSON", "", "[]", "3", '{"a":1,"a":2}', '{"a": 1.0}', '{"a":1e0}', '{ "a" : "b" }'],
  ...['{"a":9007199254740993}', '{"a":0.30000000000000004}', '{"a":0.1000000000000000055}'],
  ...['{"a":"\\u0062"}', '{"a":[{"d":1}]}', '{"c":{"d":null}}', '{"a":12345678901234567890}'],
];

for (const implementation of IMPLEMENTATIONS)
  describe(implementation.name, () => {
    beforeAll(() => implementation.start?.());
    afterAll(() => implementation.stop?.());

    /** Returns a function that opens an agent once more, in a store of its own. */
    async function agents(): Promise<() => Agent> {
      const open = await implementation.create();
      const opened: Agent[] = [];
      onTestFinished(() => {
        for (const agent of opened) agent.discard();
      });
      return () => {
        const agent = new Agent(open());
        opened.push(agent);
        return agent;
      };
    }

    const create = async (agent: Agent, fields: object): Promise<string> =>
      (
        await ask(agent, "createNode", {
          body: { type: "note", content_title: "Harbour note", ...fields },
        })
      ).id;

    /** Returns what a search finds: each memory with its score and evidence. */
    async function found(agent: Agent, filter?: object) {
      const body = { query: "harbour note", limit: 100, recall: false, filter };
      const { data, ...rest } = await ask(agent, "search", { body });
      return {
        probability: rest.probability,
        data: data.map(({ id, score, evidence }: Record<string, unknown>) => [id, score, evidence]),
      };
    }

    test("a key is found as it was given, and no other, whatever its characters", async () => {
      const agent = (await agents())();
      const ids = new Map<string, string>();
      for (const key of ODD_KEYS) ids.set(key, await create(agent, { metadata: { [key]: key } }));
      for (const [key, id] of ids) {
        for (const condition of [key, { exists: true }, { in: [key, "other"] }, { ne: "other" }]) {
          const wanted = { filter: filterSchema.parse({ metadata: { [key]: condition } }) };
          const matching = agent.read(() => agent.storage.nodes.matching({ wanted }));
          expect(matching, JSON.stringify([key, condition])).toEqual([id]);
        }
        await check(agent, { metadata: { [key]: { gte: key } } });
      }
    });

    /** Checks that a search with a filter finds those of all memories that pass in the database. */
    async function check(agent: Agent, filter: object): Promise<number> {
      const all = await found(agent);
      const wanted = { filter: filterSchema.parse(filter) };
      const passing = agent.read(() => new Set(agent.storage.nodes.matching({ wanted })));
      const expected = all.data.filter(([id]: [string]) => passing.has(id));
      const some = await found(agent, filter);
      expect(some.data, JSON.stringify(filter)).toEqual(expected);
      // One that is replaced stands behind the newer one, also if it is likelier.
      const scores = expected.slice(0, MAX_JUDGED).map(([, score]: [string, number]) => score);
      expect(some.probability).toBe(Math.max(0, ...scores));
      return expected.length;
    }

    test("a search with a filter finds the same as one without, as far as rows pass", async () => {
      const agent = (await agents())();
      const rows = fc.sample(fc.record({ metadata, event_time, created_at }), runs(amount(90, 30)));
      const ids: string[] = [];
      for (const [place, fields] of rows.entries())
        ids.push(await create(agent, { content_body: `Pier ${place} ${place % 7}`, ...fields }));
      let matched = 0;
      const changes = fc.array(
        fc.tuple(fc.nat(), fc.option(fc.record({ metadata, event_time }), { freq: 4 })),
        { maxLength: 2 },
      );
      const property = fc.asyncProperty(given, changes, async (filter, changed) => {
        for (const [at, fields] of changed) {
          const place = at % ids.length;
          const params = { id: ids[place]! };
          if (fields !== null) await ask(agent, "updateNode", { params, body: fields });
          else {
            await ask(agent, "deleteNode", { params });
            ids[place] = await create(agent, rows[place]!);
          }
        }
        matched += await check(agent, filter);
      });
      // A failing case cannot be made smaller: the memories have changed.
      await fc.assert(property, { ...runs(amount(100, 25)), endOnFailure: true });
      expect(matched).toBeGreaterThan(amount(100, 0));
    });

    test("every row that passes a filter in the database may pass, whatever it holds", async () => {
      const agent = (await agents())();
      const { storage } = agent;
      const rows = fc.sample(fc.record({ metadata, event_time, created_at }), runs(60));
      for (const fields of rows) await create(agent, fields);
      for (const odd of ODD_METADATA) {
        const id = await create(agent, {});
        const at = implementation.name === "an SQLite file" ? "2026-01-05" : TIMES[0]!;
        agent.write(() => {
          const times = { created_at: at, temporal_event_time: "soon", last_modified: TIMES[0]! };
          storage.nodes.update(id, { metadata: odd, ...times });
        });
      }
      const all = storage.nodes.matching({ subtypes: [null] })!;
      const counts = { passing: 0, may: 0 };
      const property = fc.property(given, (some) => {
        const filter = filterSchema.parse(some);
        const passing = storage.nodes.matching({ wanted: { filter } })!;
        let may = new Set(all);
        for (const { compared, test } of comparedTestsOf(filter)) {
          const [whole, listed] = [undefined, all].map((ids) =>
            [...storage.nodes.compared(compared, ids)].flatMap(({ ids, values }) =>
              ids.map((id, at) => {
                const value = values[at]!;
                return [id, typeof value === "string" ? cut(value) : value] as const;
              }),
            ),
          );
          const values = new Map(whole);
          expect(new Map(listed)).toEqual(values);
          may = new Set([...may].filter((id) => test(values.get(id))));
        }
        expect(
          passing.filter((id) => !may.has(id)),
          JSON.stringify(filter),
        ).toEqual([]);
        counts.passing += passing.length;
        counts.may += may.size;
      });
      fc.assert(property, runs(amount(300, 75)));
      expect(counts.passing).toBeGreaterThan(amount(500, 0));
      // Few memories are asked for in vain.
      if (isFull) expect(counts.may).toBeLessThan(counts.passing * 2);
    });

    test("changes by another process, a new index and a new opening count at once", async () => {
      const open = await agents();
      const [one, other] = [open(), open()];
      const id = await create(one, { metadata: { project: "skerry" }, event_time: TIMES[0] });
      await create(one, { metadata: { project: "mole" } });
      const idsBy = async (agent: Agent, filter: object) =>
        (await found(agent, filter)).data.map(([found]: [string]) => found);
      const skerry = { metadata: { project: "skerry" } };
      expect(await idsBy(other, skerry)).toEqual([id]);
      const body = { metadata: { project: "mole" } };
      await ask(one, "updateNode", { params: { id }, body });
      expect(await idsBy(other, skerry)).toEqual([]);
      expect(await idsBy(one, skerry)).toEqual([]);
      const second = await create(other, { metadata: { project: "skerry" } });
      expect(await idsBy(one, skerry)).toEqual([second]);
      // Another preset loads the index again, with other handles.
      await ask(one, "deleteNode", { params: { id } });
      one.setPreset("trading");
      expect(await idsBy(one, skerry)).toEqual([second]);
      expect(await idsBy(open(), skerry)).toEqual([second]);
    });
  });
