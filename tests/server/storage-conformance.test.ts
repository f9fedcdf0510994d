// What every implementation of the store has to do. The suite is written once, and runs on each of
// them: a further implementation has to pass it, too.

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Compared } from "../../js/server/src/storage/filters/compared.ts";
import type { Wanted } from "../../js/server/src/storage/filters/conditions.ts";
import type { NewConflict, NewEdge, NewNode } from "../../js/server/src/storage/rows.ts";
import type { Storage } from "../../js/server/src/storage/storage.ts";
import type { TimelinePlace } from "../../js/server/src/storage/tables/nodes.ts";
import { MOVED_KINDS, type MovedKind } from "../../js/server/src/storage/tables/portable.ts";
import { amount, runs } from "../support/amount.ts";
import { IMPLEMENTATIONS } from "./support/storages.ts";
import { DAY, nodeOf, wholeNodeOf } from "./support/stored-node.ts";

const at = (day: number) => `2026-02-${String(day).padStart(2, "0")}T00:00:00.000Z`;

const edgeOf = (id: string, source_id: string, target_id: string, more: Partial<NewEdge> = {}) => ({
  ...{ id, source_id, target_id, type: "relates_to", subtype: null, neural_weight: 0.5 },
  ...{ strength: 0.5, confidence: null, created_at: DAY },
  ...more,
});

const conflictOf = (id: string, old_node_id: string, more: Partial<NewConflict> = {}) => ({
  ...{ id, old_node_id, new_node_id: null, new_content: "new", conflict_type: "update" },
  ...{ detection_tier: "words", detection_confidence: 0.5, context: null, entity_name: null },
  ...{ topic: null, status: "pending", created_at: DAY, expires_at: null, resolution: null },
  ...{ resolved_at: null },
  ...more,
});

const vectorOf = (...components: number[]) => new Uint8Array(new Float32Array(components).buffer);
const componentsOf = (bytes: unknown) => [
  ...new Float32Array(new Uint8Array(bytes as ArrayBuffer).slice().buffer),
];
const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
const changesOf = (storage: Storage, after = 0) =>
  storage.changeLog.since(after).map(({ entity, ids }) => `${entity} ${ids}`);

for (const implementation of IMPLEMENTATIONS)
  describe(implementation.name, () => {
    beforeAll(() => implementation.start?.());
    afterAll(() => implementation.stop?.());

    /** Returns a function that opens connections to a new agent. */
    async function agent(): Promise<() => Storage> {
      const open = await implementation.create();
      const opened: Storage[] = [];
      onTestFinished(() => {
        for (const storage of opened) storage.close();
      });
      return () => {
        const storage = open();
        opened.push(storage);
        return storage;
      };
    }
    /** Opens the store of a new agent, with these memories. */
    async function storeWith(...nodes: NewNode[]): Promise<Storage> {
      const storage = (await agent())();
      storage.transaction(() => {
        for (const node of nodes) storage.nodes.insert(node);
      });
      return storage;
    }

    describe("a new agent", () => {
      test("is sound and empty, and has an epoch of its own", async () => {
        const [one, other] = [(await agent())(), (await agent())()];
        expect(one.hasChanged).toBe(false);
        expect(one.soundness.problems()).toEqual([]);
        expect(one.soundness.loose()).toEqual([]);
        expect(one.portable.count()).toBe(0);
        expect(one.meta("epoch")).toMatch(/^[0-9a-f-]{36}$/);
        expect(one.meta("epoch")).not.toBe(other.meta("epoch"));
      });

      test("keeps facts about itself, for other connections, too", async () => {
        const open = await agent();
        const [one, other] = [open(), open()];
        expect(one.meta("preset")).toBeUndefined();
        one.setMeta("preset", "general");
        one.setMeta("preset", "trading");
        expect([one.meta("preset"), other.meta("preset")]).toEqual(["trading", "trading"]);
        expect(one.hasChanged).toBe(true);
        expect(other.hasChanged).toBe(false);
      });
    });

    describe("memories", () => {
      test("are counted with their bytes, as far as a transaction has come", async () => {
        const storage = await storeWith(nodeOf("n_1"));
        const before = storage.size();
        expect(before.memories).toBe(1);
        const body = "long ".repeat(20_000);
        storage.transaction(() => {
          const made = nodeOf("n_2", { content_body: body });
          storage.nodes.insert(made);
          expect(storage.size().memories).toBe(2);
        });
        const grown = storage.size().bytes - before.bytes;
        expect(grown).toBeGreaterThan(500);
        storage.transaction(() => storage.nodes.delete("n_2"));
        expect(storage.size()).toMatchObject({ memories: 1 });
        expect(storage.size().bytes).toBeLessThan(before.bytes + grown);
      });

      test("are returned as they were written, to the last bit", async () => {
        const node = nodeOf("n_1", {
          ...{
            content_title: "Zürich — 東京 😀 ' \" \\ $1",
            content_body: "two\nlines\t",
            subtype: "",
          },
          ...{ neural_stability: 0.1 + 0.2, neural_difficulty: 5e-324, neural_access_count: 7 },
          ...{ neural_retrievability: 1.7976931348623157e308, temporal_event_confidence: -0.5 },
          ...{ tags: '["a","b c"]', metadata: '{"a":{"b":[1,null,"x"]}}', user_id: "mira" },
          ...{ expires_at: "2027-01-01T00:00:00.000Z", frame: "task", censors: "[]" },
          embedding_vector: vectorOf(0.1, -1e-40, 3.5),
        });
        const storage = await storeWith(node);
        const { embedding_vector, ...columns } = node;
        expect(storage.nodes.find("n_1")).toEqual({ ...columns, sequence: 1 });
        const indexed = [...storage.nodes.indexed(["n_1"])].flat()[0];
        expect(new Uint8Array(embedding_vector!)).toEqual(indexed?.embedding_vector);
        expect(indexed).toMatchObject({ clusters: "[]", id: "n_1" });
      });

      test("keep each column, and change it by itself", async () => {
        const whole = wholeNodeOf("whole");
        const storage = await storeWith(whole, nodeOf("a"));
        const read = (id: string) => {
          const [row] = [...storage.nodes.indexed([id])].flat();
          const { clusters, embedding_vector: vector, sequence, ...columns } = row!;
          return { ...columns, embedding_vector: vector && componentsOf(vector) };
        };
        const wanted = { ...whole, embedding_vector: componentsOf(whole.embedding_vector) };
        expect(read("whole")).toEqual(wanted);
        const { id, version, last_modified, ...changeable } = whole;
        let before = read("a");
        for (const column of Object.keys(changeable) as (keyof typeof changeable)[]) {
          const changes = { [column]: whole[column], last_modified };
          storage.transaction(() => storage.nodes.update("a", changes));
          const after = { ...before, [column]: wanted[column], last_modified };
          expect(read("a"), column).toEqual({ ...after, version: before.version! + 1 });
          before = read("a");
        }
        expect(before).toEqual({ ...wanted, id: "a", version: before.version });
      });

      test("have one id, and numbers that rise", async () => {
        const storage = await storeWith(nodeOf("b"), nodeOf("a"), nodeOf("c"));
        expect(
          storage.nodes
            .of(["a", "b", "c", "d"])
            .map(({ id, sequence }) => [id, sequence])
            .sort(),
        ).toEqual([
          ["a", 2],
          ["b", 1],
          ["c", 3],
        ]);
        expect(() => storage.transaction(() => storage.nodes.insert(nodeOf("a")))).toThrow();
        expect(storage.nodes.after(1, 1)).toEqual({ ids: ["a"], last: 2, left: 1 });
        expect(storage.nodes.find("d")).toBeUndefined();
      });

      test("change field by field, and count their versions", async () => {
        const storage = await storeWith(nodeOf("a", { content_body: "old", tags: '["x"]' }));
        const changed = storage.transaction(() =>
          storage.nodes.update("a", {
            content_title: "New",
            content_body: null,
            last_modified: at(2),
          }),
        );
        expect(changed).toMatchObject({ content_title: "New", content_body: null, version: 2 });
        expect(storage.nodes.find("a")).toEqual(changed);
        expect(changed).toMatchObject({ tags: '["x"]', last_modified: at(2) });
        expect(
          storage.transaction(() => storage.nodes.update("z", { last_modified: DAY })),
        ).toBeUndefined();
      });

      test("that get the id of a deleted one go on from its version, and inherit nothing", async () => {
        const storage = await storeWith(nodeOf("a"), nodeOf("b"));
        storage.transaction(() => {
          storage.nodes.update("a", { last_modified: at(2) });
          storage.nodes.addSignals("a", '{"pnl_pct":1}');
          storage.edges.insert(edgeOf("e", "a", "b"));
          storage.conflicts.insert(conflictOf("c_1", "a"));
          storage.conflicts.insert(conflictOf("c_2", "b", { new_node_id: "a" }));
          storage.conflicts.insert(conflictOf("c_3", "b", { new_node_id: "a", new_content: "" }));
          storage.outcomes.add("a", "b", true, DAY);
          storage.usage.add([useOf("a", "x")], 10, "2020");
        });
        expect(storage.transaction(() => storage.nodes.delete("a"))).toBe(true);
        expect(storage.transaction(() => storage.nodes.delete("a"))).toBe(false);
        storage.transaction(() => storage.nodes.insert(nodeOf("a")));
        expect(storage.nodes.find("a")).toMatchObject({ version: 3 });
        expect(storage.nodes.signals(["a"])).toEqual(new Map());
        expect(storage.edges.list()).toEqual([]);
        expect(storage.conflicts.find("c_1")).toBeUndefined();
        expect(storage.conflicts.find("c_2")).toMatchObject({ new_node_id: null });
        expect(storage.conflicts.find("c_3")).toBeUndefined();
        expect(storage.outcomes.has("a", "b")).toBe(false);
        expect(storage.usage.of(["a"])).toEqual([]);
        expect(storage.soundness.problems()).toEqual([]);
      });

      test("take the summaries that quote them along", async () => {
        const written = { subtype: "summary", provenance_source: "consolidation" };
        const storage = await storeWith(nodeOf("a"), nodeOf("s", written), nodeOf("own"));
        storage.transaction(() => {
          storage.edges.insert(edgeOf("e", "s", "a", { type: "summarizes" }));
          storage.edges.insert(edgeOf("f", "own", "a", { type: "summarizes" }));
        });
        storage.transaction(() => storage.nodes.delete("a"));
        expect(idsOf(storage.nodes.list({}, 9))).toEqual(["own"]);
      });

      test("are listed newest first, page by page, those without a time last", async () => {
        const storage = await storeWith(
          nodeOf("old", { created_at: at(1) }),
          nodeOf("new", { created_at: at(3) }),
          nodeOf("none", { created_at: null }),
          nodeOf("zone", { created_at: "2026-02-02T02:00:00+02:00" }),
          nodeOf("odd", { created_at: "yesterday" }),
          nodeOf("same", { created_at: at(3) }),
        );
        const all = ["same", "new", "zone", "old", "odd", "none"];
        expect(idsOf(storage.nodes.list({}, 99))).toEqual(all);
        const paged: string[] = [];
        for (let after: ReturnType<typeof storage.nodes.placeOf> | undefined; ; ) {
          const rows = storage.nodes.list({}, 2, after);
          paged.push(...idsOf(rows));
          if (rows.length < 2) break;
          after = storage.nodes.placeOf(rows.at(-1)!.sequence);
        }
        expect(paged).toEqual(all);
        expect(storage.nodes.placeOf(4)).toEqual({ listed_at: at(2), sequence: 4 });
      });

      test("are read within a room for their texts", async () => {
        const storage = await storeWith(
          nodeOf("a", { content_title: "ü".repeat(10), created_at: at(2) }),
          nodeOf("b", { content_title: "x".repeat(100) }),
        );
        const seen: number[][] = [];
        const room = { fitting: (octets: readonly number[]) => (seen.push([...octets]), 1) };
        expect(idsOf(storage.nodes.list({}, 9, undefined, room))).toEqual(["a"]);
        expect(seen).toEqual([[20, 100]]);
        expect(storage.nodes.octets(["a", "b"])).toEqual(
          new Map([
            ["a", 20],
            ["b", 100],
          ]),
        );
      });

      test("stand in the timeline by the time of their event", async () => {
        const storage = await storeWith(
          nodeOf("late", { temporal_event_time: at(20), created_at: at(1) }),
          nodeOf("made", { created_at: at(10) }),
          nodeOf("none", { created_at: null }),
        );
        const of = (page: object) =>
          idsOf(storage.nodes.timeline({}, { order: "asc", limit: 9, ...page }));
        expect(of({})).toEqual(["made", "late"]);
        expect(of({ order: "desc" })).toEqual(["late", "made"]);
        expect(of({ from: at(11) })).toEqual(["late"]);
        expect(of({ to: at(10) })).toEqual(["made"]);
        expect(of({ after: storage.nodes.timeOf(2) })).toEqual(["late"]);
      });

      test("stand in the timeline in one order, whatever the times, bounds and pages", async () => {
        const day = fc.constantFrom(...[1, 2, 3, 4, 5, 6].map(at));
        const event = fc.oneof(
          { weight: 2, arbitrary: fc.constant(null) },
          { weight: 3, arbitrary: day },
          { weight: 1, arbitrary: fc.constantFrom("now", "soon", "", "2026-02-03") },
        );
        const times = fc.record({ event, made: fc.option(day) });
        const optional = fc.option(day, { nil: undefined });
        await fc.assert(
          fc.asyncProperty(
            fc.array(times, { maxLength: 12 }),
            fc.record({ from: optional, to: optional }),
            fc.constantFrom("asc" as const, "desc" as const),
            fc.integer({ min: 1, max: 4 }),
            async (rows, bounds, order, limit) => {
              const storage = await storeWith(
                ...rows.map(({ event, made }, place) =>
                  nodeOf(`n${place}`, { temporal_event_time: event, created_at: made }),
                ),
              );
              const happened = rows.flatMap(({ event, made }, place) => {
                const told = /^\d/.test(event ?? "") ? event : null;
                const time = told ?? made;
                return time === null
                  ? []
                  : { id: `n${place}`, time: new Date(time).toISOString(), place };
              });
              const { from = "0", to = "9" } = bounds;
              const expected = happened
                .filter(({ time }) => time >= from && time <= to)
                .sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : a.place - b.place))
                .map(({ id }) => id);
              const read: string[] = [];
              for (let after: TimelinePlace | undefined; ; ) {
                const page = storage.nodes.timeline({}, { ...bounds, order, limit, after });
                read.push(...idsOf(page));
                if (page.length < limit) break;
                after = storage.nodes.timeOf(page.at(-1)!.sequence);
              }
              expect(read).toEqual(order === "asc" ? expected : expected.reverse());
              storage.close();
            },
          ),
          runs(amount(60)),
        );
      });

      test("expire, the earliest first", async () => {
        const storage = await storeWith(
          nodeOf("b", { expires_at: at(3) }),
          nodeOf("a", { expires_at: at(2) }),
          nodeOf("never"),
        );
        expect(storage.nodes.nextExpiry()).toBe(at(2));
        expect(storage.nodes.expired(at(3), 9)).toEqual(["a", "b"]);
        expect(storage.nodes.expired(at(3), 1)).toEqual(["a"]);
      });

      test("are found by a part of their text, whatever its case", async () => {
        const storage = await storeWith(
          nodeOf("a", { content_title: "Funding 100%", created_at: at(1) }),
          nodeOf("b", { content_body: "the FUNDING_rate", created_at: at(2) }),
          nodeOf("c", { content_summary: "funding", subtype: "x" }),
        );
        expect(idsOf(storage.nodes.like("%funding%", 9))).toEqual(["b", "a"]);
        expect(idsOf(storage.nodes.like("%g\\_r%", 9))).toEqual([]);
        expect(idsOf(storage.nodes.containing("funding", {}, 9)).sort()).toEqual(["a", "b", "c"]);
        expect(idsOf(storage.nodes.containing("funding", { subtype: "x" }, 9))).toEqual(["c"]);
        expect(storage.nodes.containing("funding", { lifecycle: "DORMANT" }, 9)).toEqual([]);
      });

      test("are counted and listed by kind", async () => {
        const storage = await storeWith(
          nodeOf("a", { subtype: "lesson", state_lifecycle: "WEAK" }),
          nodeOf("b", { subtype: "note", type: "b" }),
          nodeOf("c", { subtype: "lesson", state_lifecycle: null }),
        );
        expect(storage.nodes.subtypes().sort()).toEqual(["lesson", "note", null]);
        expect(storage.names.inUse("subtype").sort()).toEqual(["lesson", "note"]);
        expect(storage.names.inUse("type").sort()).toEqual(["b", "concept"]);
        expect(storage.names.inUse("edge type")).toEqual([]);
        expect(idsOf(storage.nodes.ofSubtypes(["lesson"]))).toEqual(["a", "c"]);
        expect(idsOf(storage.nodes.textsOfSubtypes(["note", "other"]))).toEqual(["b"]);
        expect(storage.nodes.hasSubtype("note")).toBe(true);
        expect(storage.nodes.hasSubtype("none")).toBe(false);
        const states = storage.nodes.countStates(["b"]);
        expect(states.sort((x, y) => x.state.localeCompare(y.state))).toEqual([
          { state: "ACTIVE", count: 1 },
          { state: "WEAK", count: 1 },
        ]);
        expect(storage.nodes.graph().map(({ id, title }) => [id, title])[0]).toEqual([
          "a",
          "Title of a",
        ]);
        expect(storage.nodes.graph({ after: 1, limit: 1 }).map(({ id }) => id)).toEqual(["b"]);
        expect(storage.nodes.inOrder()).toEqual(
          storage.nodes.graph().map(({ sequence, id }) => ({ sequence, id })),
        );
        expect(storage.nodes.inOrder({ after: 1, limit: 1 }).map(({ id }) => id)).toEqual(["b"]);
      });

      test("are read whole in batches, in order", async () => {
        const many = Array.from({ length: 1_345 }, (_, place) => nodeOf(`n_${place}`));
        const storage = await storeWith(...many);
        expect([...storage.nodes.indexed()].flatMap(idsOf)).toEqual(idsOf(many));
        expect([...storage.nodes.texts()].flatMap(idsOf)).toEqual(idsOf(many));
      });
    });

    describe("a filter", () => {
      const MEMORIES = [
        nodeOf("a", { user_id: "mira", session_id: "s1", tags: '["x","y"]', created_at: at(1) }),
        nodeOf("b", { user_id: "mira", session_id: "s2", tags: '["y"]', created_at: at(2) }),
        nodeOf("c", { user_id: "omar", subtype: "lesson", created_at: at(3), type: "note" }),
        nodeOf("d", { temporal_event_time: at(9), state_lifecycle: "WEAK", created_at: at(4) }),
        nodeOf("e", { metadata: '{"cost":3,"a":{"b":"x"},"0":"zero","yes":true,"nil":null}' }),
        nodeOf("f", { metadata: '{"cost":"3","a":[{"b":"x"}],"list":["zero"]}', tags: "no JSON" }),
      ];
      type Filter = Wanted["filter"];
      const cases: [string, Filter, string[]][] = [
        ["ids", { ids: ["a", "z"] }, ["a"]],
        ["a user", { user: ["mira"] }, ["a", "b"]],
        ["users and none", { user: ["omar", null] }, ["c", "d", "e", "f"]],
        ["a session", { session: ["s2"] }, ["b"]],
        ["a type", { type: ["note"] }, ["c"]],
        ["a subtype", { subtype: ["lesson"] }, ["c"]],
        ["any tag", { tags: { any: ["x", "q"] } }, ["a"]],
        ["all tags", { tags: { all: ["x", "y", "x"] } }, ["a"]],
        ["no tag", { tags: { none: ["x"] } }, ["b", "c", "d", "e", "f"]],
        ["a tag in another case", { tags: { any: ["X"] } }, ["a"]],
        ["all tags, one of them twice", { tags: { all: ["Y", "y", "X"] } }, ["a"]],
        ["an entry of a list", { metadata: { list: "zero" } }, ["f"]],
        ["no entry of a list", { metadata: { list: { ne: "zero" } } }, []],
        ["another entry of a list", { metadata: { list: { ne: "one" } } }, ["f"]],
        ["a list by a bound", { metadata: { list: { gte: "z" } } }, ["f"]],
        ["an object", { metadata: { a: "x" } }, []],
        ["a time", { created: { gte: at(2), lt: at(4) } }, ["b", "c"]],
        ["an event", { event_time: { gt: at(8), lte: at(9) } }, ["d"]],
        ["a number", { metadata: { cost: 3 } }, ["e"]],
        ["a text", { metadata: { cost: "3" } }, ["f"]],
        ["true", { metadata: { yes: true } }, ["e"]],
        ["false", { metadata: { yes: false } }, []],
        ["null", { metadata: { nil: null } }, ["e"]],
        ["null that is missing", { metadata: { nothing: null } }, []],
        ["a path", { metadata: { "a.b": "x" } }, ["e"]],
        ["a key that is a number", { metadata: { "0": "zero" } }, ["e"]],
        ["a place in a list", { metadata: { "list.0": "zero" } }, []],
        ["other than", { metadata: { cost: { ne: 3 } } }, ["f"]],
        ["one of", { metadata: { cost: { in: [3, "3"] } } }, ["e", "f"]],
        ["at least", { metadata: { cost: { gte: 3 } } }, ["e"]],
        ["below", { metadata: { cost: { lt: 3 } } }, []],
        ["after a text", { metadata: { cost: { gt: "2" } } }, ["f"]],
        ["there", { metadata: { cost: { exists: true } } }, ["e", "f"]],
        ["there as null", { metadata: { nil: { exists: true } } }, ["e"]],
        ["not there", { metadata: { cost: { exists: false } } }, ["a", "b", "c", "d"]],
        ["several conditions", { user: ["mira"], tags: { any: ["y"] }, session: ["s1"] }, ["a"]],
      ];

      test("holds the same memories in every implementation", async () => {
        const storage = await storeWith(...MEMORIES);
        const ids = idsOf(MEMORIES);
        const found = cases.map(([what, filter]) => [
          what,
          storage.nodes.passing(ids, { wanted: { filter } }).sort(),
        ]);
        expect(found).toEqual(cases.map(([what, , expected]) => [what, expected]));
        for (const [, filter, expected] of cases) {
          expect(storage.nodes.matching({ wanted: { filter } })?.sort()).toEqual(expected);
          expect(idsOf(storage.nodes.list({ alsoWanted: [{ filter }] }, 99)).sort()).toEqual(
            expected,
          );
        }
        expect(storage.nodes.matching({})).toBeUndefined();
      });

      test("compares a value alone like a list of one, whatever it is", async () => {
        const texts = [
          "",
          "a",
          "a\0b",
          "\u0001",
          "\ud800",
          "\ufffd",
          "\u{1f33f}",
          "3",
          "true",
          "null",
        ];
        const numbers = [0, -0, 3, 0.1, 0.1 + 0.2, 1e21, 2 ** 53, 5e-324, 1.7976931348623157e308];
        const values = [...texts, ...numbers, true, false, null];
        const nodes = [...values, [], [3], {}].map((value, place) =>
          nodeOf(`v_${place}`, { metadata: JSON.stringify({ value }) }),
        );
        const storage = await storeWith(...nodes, nodeOf("none", { metadata: "{}" }));
        const matching = (value: NonNullable<Filter["metadata"]>[string]) =>
          storage.nodes.matching({ wanted: { filter: { metadata: { value } } } })!.sort();
        for (const [place, one] of values.entries()) {
          const equal = matching({ eq: one });
          expect(matching({ in: [one] })).toEqual(equal);
          expect(matching({ in: [one, "other", 77, one] })).toEqual(equal);
          expect([...matching({ ne: one }), ...equal].sort()).toEqual(idsOf(nodes).sort());
          // No database stores U+0000 and halves of pairs in texts as they are.
          if (!["a\0b", "\u0001", "\ud800", "\ufffd"].includes(one as string))
            expect(equal, JSON.stringify(one)).toContain(`v_${place}`);
        }
      });

      test("takes more values and paths than a statement may have, as lists", async () => {
        const storage = await storeWith(...MEMORIES);
        const listed = Array.from({ length: 1_000 }, (_, place) =>
          place % 2 ? place : `${place}`,
        );
        const path = "a.b.c.d.e.f.g.h.i.";
        const deep = Array.from({ length: 20 }, (_, place) => [`${path}${place}`, { in: listed }]);
        const of = (filter: Filter) => storage.nodes.matching({ wanted: { filter } })!.sort();
        expect(of({ metadata: Object.fromEntries(deep) })).toEqual([]);
        expect(of({ metadata: { cost: { in: [...listed, "3"] } } })).toEqual(["e", "f"]);
      });

      test("knows states as of now, clusters and ranges of time", async () => {
        const storage = await storeWith(...MEMORIES);
        storage.transaction(() => {
          storage.clusters.insert(CLUSTER);
          storage.clusters.putMember(memberOf("c_1", "b"));
        });
        const of = (filter: Parameters<typeof storage.nodes.matching>[0]) =>
          storage.nodes.matching(filter)!.sort();
        expect(of({ lifecycle: { state: "WEAK", leaving: ["d"], arriving: ["a"] } })).toEqual([
          "a",
        ]);
        expect(of({ lifecycle: { state: "WEAK", leaving: [], arriving: [] } })).toEqual(["d"]);
        expect(of({ cluster_ids: ["c_1"] })).toEqual(["b"]);
        expect(of({ subtypes: ["lesson"] })).toEqual(["c"]);
        expect(of({ subtypes: [null] })).toEqual(["a", "b", "d", "e", "f"]);
        expect(of({ type: "note", subtype: "lesson" })).toEqual(["c"]);
        expect(of({ created_after: at(3), created_before: at(3) })).toEqual(["c"]);
        expect(of({ time_range: { by: "event", start: at(9) } })).toEqual(["d"]);
        expect(of({ time_range: { by: "any", start: at(9), end: at(9) } })).toEqual(["d"]);
        expect(of({ time_range: { by: "ingestion", end: DAY } })).toEqual(idsOf(MEMORIES));
      });

      test("tells what conditions on times and metadata compare, of all memories or of some", async () => {
        const storage = await storeWith(...MEMORIES);
        const told = (compared: Compared, ids?: string[]) =>
          [...storage.nodes.compared(compared, ids)].flatMap(({ ids, values }) =>
            ids.map((id, at) => [id, values[at]]),
          );
        expect(told({ path: "cost" })).toEqual([
          ["e", 3],
          ["f", "3"],
        ]);
        expect(told({ path: "a" })).toEqual([
          ["e", {}],
          ["f", [{ b: "x" }]],
        ]);
        expect(told({ path: "list" })).toEqual([["f", ["zero"]]]);
        expect(told({ path: "yes" })).toEqual([["e", true]]);
        expect(told({ path: "nil" })).toEqual([["e", null]]);
        expect(told({ path: "a.b" }, ["e", "f", "z"])).toEqual([["e", "x"]]);
        expect(told({ path: "list.0" })).toEqual([]);
        expect(told({ time: "temporal_event_time" })).toEqual([["d", at(9)]]);
        expect(told({ time: "created_at" }, ["b"])).toEqual([["b", at(2)]]);
        expect(told({ time: "created_at" }, [])).toEqual([]);
      });

      test("follows a change of tags and metadata", async () => {
        const storage = await storeWith(...MEMORIES);
        storage.transaction(() =>
          storage.nodes.update("a", { tags: '["z"]', metadata: '{"cost":9}', last_modified: DAY }),
        );
        const matching = (filter: Filter) => storage.nodes.matching({ wanted: { filter } });
        expect(matching({ tags: { any: ["x"] } })).toEqual([]);
        expect(matching({ tags: { any: ["z"] } })).toEqual(["a"]);
        expect(matching({ metadata: { cost: { gt: 8 } } })).toEqual(["a"]);
      });
    });

    describe("soft state", () => {
      test("is written in batches, and read", async () => {
        const storage = await storeWith(nodeOf("a"), nodeOf("b", { neural_last_accessed: at(9) }));
        const change = {
          ...{ id: "a", accesses: 2, last_accessed: at(5), stability: 0.1 + 0.2 },
          ...{ retrievability: 1 / 3, lifecycle: "WEAK" as const },
        };
        const none = { stability: null, retrievability: null, lifecycle: null };
        const { last } = storage.changeLog.range();
        storage.transaction(() =>
          storage.soft.write(
            [
              change,
              { id: "b", accesses: 1, last_accessed: at(5), ...none },
              { ...change, id: "z" },
            ],
            at(20),
          ),
        );
        const [a, b] = storage.soft.of(["a", "b"]).sort((x, y) => x.id.localeCompare(y.id));
        expect(a).toEqual({
          ...{ id: "a", neural_stability: 0.1 + 0.2, neural_retrievability: 1 / 3 },
          ...{ neural_access_count: 2, neural_last_accessed: at(5), state_lifecycle: "WEAK" },
        });
        expect(b).toMatchObject({ neural_access_count: 1, neural_last_accessed: at(9) });
        storage.transaction(() =>
          storage.soft.write([{ id: "b", accesses: 0, last_accessed: at(5), ...none }], at(8)),
        );
        expect(storage.soft.of(["b"])[0]).toMatchObject({ neural_last_accessed: at(5) });
        expect(storage.changeLog.range().last - last).toBe(2);
      });
    });

    describe("edges", () => {
      test("are inserted, strengthened, listed and deleted", async () => {
        const storage = await storeWith(nodeOf("a"), nodeOf("b"), nodeOf("c"));
        const [e, f] = storage.transaction(() => [
          storage.edges.insert(edgeOf("e", "a", "b", { strength: 0.1 })),
          storage.edges.insert(edgeOf("f", "b", "c", { strength: null, type: "part_of" })),
        ]) as [{ sequence: number }, { sequence: number }];
        expect(e).toEqual({ ...edgeOf("e", "a", "b", { strength: 0.1 }), sequence: e.sequence });
        expect(f.sequence).toBeGreaterThan(e.sequence);
        storage.transaction(() => {
          expect(storage.edges.strengthen("e", 0.2)).toMatchObject({ strength: 0.1 + 0.2 });
          expect(storage.edges.strengthen("z", 0.2)).toBeUndefined();
          expect(storage.edges.setStrength("f", 0.9)).toMatchObject({
            strength: 0.9,
            neural_weight: 0.9,
          });
          storage.edges.strengthenAll(["f"], 0.5);
        });
        expect(storage.edges.list().map(({ strength }) => strength)).toEqual([0.1 + 0.2, 1]);
        storage.transaction(() => storage.edges.move("e", "c"));
        expect(idsOf(storage.edges.of("a", "both"))).toEqual([]);
        expect(storage.edges.list()[0]).toMatchObject({
          ...e,
          source_id: "c",
          strength: 0.1 + 0.2,
        });
        storage.transaction(() => storage.edges.move("e", "a"));
        expect(idsOf(storage.edges.of("b", "both"))).toEqual(["e", "f"]);
        expect(idsOf(storage.edges.of("b", "in"))).toEqual(["e"]);
        expect(idsOf(storage.edges.of("b", "out", { after: e.sequence, limit: 1 }))).toEqual(["f"]);
        expect(idsOf(storage.edges.ofTypes(["part_of"]))).toEqual(["f"]);
        expect(idsOf(storage.edges.ofAll(["a", "b"]))).toEqual(
          [...new Set(["a", "b"].flatMap((id) => idsOf(storage.edges.of(id, "both"))))].sort(),
        );
        expect(storage.edges.ofAll([])).toEqual([]);
        expect(
          storage.edges.within([
            ["a", "b"],
            ["b", "c"],
            ["a", "c"],
          ]),
        ).toEqual(["e"]);
        expect([...storage.edges.indexed(["f"])].flatMap(idsOf)).toEqual(["f"]);
        expect([...storage.edges.indexed()].flatMap(idsOf)).toEqual(["e", "f"]);
        expect(storage.transaction(() => storage.edges.delete("e"))).toBe(true);
        expect(storage.transaction(() => storage.edges.delete("e"))).toBe(false);
        expect(storage.edges.dangling()).toEqual([]);
      });

      test("lead to memories that exist", async () => {
        const storage = await storeWith(nodeOf("a"));
        const write = () => storage.transaction(() => storage.edges.insert(edgeOf("e", "a", "z")));
        expect(write).toThrow();
        expect(storage.edges.list()).toEqual([]);
      });

      test("may be written before their ends within an import", async () => {
        const storage = (await agent())();
        storage.transaction(() => {
          storage.portable.deferEnds();
          storage.portable.put("edge", [edgeOf("e", "a", "b")]);
          storage.portable.put("node", [{ ...nodeOf("a") }]);
          storage.portable.put("node", [{ ...nodeOf("b") }]);
        });
        expect(idsOf(storage.edges.list())).toEqual(["e"]);
        const incomplete = () =>
          storage.transaction(() => {
            storage.portable.deferEnds();
            storage.portable.put("edge", [edgeOf("f", "a", "z")]);
          });
        expect(incomplete).toThrow();
        expect(idsOf(storage.edges.list())).toEqual(["e"]);
      });
    });

    const CLUSTER = {
      ...{ id: "c_1", name: "Work", description: null, icon: null, pinned: 0, source: "user" },
      ...{ auto_subtypes: '["lesson","note","lesson"]', created_at: DAY },
    };
    const memberOf = (cluster_id: string, node_id: string) => ({
      ...{ cluster_id, node_id, weight: 0.5, pinned: 0, updated_at: DAY },
    });

    describe("clusters", () => {
      test("have members, and take in memories by their subtype", async () => {
        const open = await agent();
        const [storage, other] = [open(), open()];
        storage.transaction(() => {
          for (const id of ["a", "b"]) storage.nodes.insert(nodeOf(id));
          storage.clusters.insert(CLUSTER);
          storage.clusters.insert({ ...CLUSTER, id: "c_2", auto_subtypes: "not JSON" });
        });
        expect(other.clusters.taking("lesson")).toEqual(["c_1"]);
        expect(other.clusters.taking("other")).toEqual([]);
        storage.transaction(() => {
          expect(storage.clusters.putMember(memberOf("c_1", "a"))).toMatchObject(
            memberOf("c_1", "a"),
          );
          storage.clusters.putMember(memberOf("c_2", "a"));
          storage.clusters.putMember({ ...memberOf("c_1", "b"), weight: 1 });
          storage.clusters.putMember({ ...memberOf("c_1", "b"), weight: 2 });
        });
        expect(
          storage.clusters.members("c_1").map(({ node_id, weight }) => [node_id, weight]),
        ).toEqual([
          ["a", 0.5],
          ["b", 2],
        ]);
        expect(storage.clusters.countMembers(["c_1", "c_2", "c_3"])).toEqual(
          new Map([
            ["c_1", 2],
            ["c_2", 1],
          ]),
        );
        expect(storage.clusters.isMember("c_1", "a")).toBe(true);
        expect([...storage.nodes.indexed(["a"])].flat()[0]!.clusters).toBe('["c_1","c_2"]');
        expect(storage.transaction(() => storage.clusters.deleteMember("c_1", "a"))).toBe(true);
        expect(storage.transaction(() => storage.clusters.deleteMember("c_1", "a"))).toBe(false);
        expect(
          storage.transaction(() =>
            storage.clusters.update("c_1", { auto_subtypes: '["other"]', icon: "i" }),
          ),
        ).toMatchObject({ name: "Work", icon: "i" });
        expect(other.clusters.taking("lesson")).toEqual([]);
        expect(other.clusters.taking("other")).toEqual(["c_1"]);
        expect(storage.transaction(() => storage.clusters.update("c_9", {}))).toBeUndefined();
        expect(idsOf(storage.clusters.list({ after: 1 }))).toEqual(["c_2"]);
        expect(storage.transaction(() => storage.clusters.delete("c_1"))).toBe(true);
        expect(storage.clusters.find("c_1")).toBeUndefined();
        expect(storage.clusters.memberships()).toHaveLength(1);
      });
    });

    describe("conflicts", () => {
      test("are open until they are resolved or expire", async () => {
        const storage = await storeWith(nodeOf("a"), nodeOf("b"));
        storage.transaction(() => {
          storage.conflicts.insert(conflictOf("c_1", "a", { new_node_id: "b" }));
          storage.conflicts.insert(conflictOf("c_2", "b", { expires_at: at(5) }));
          storage.conflicts.insert(conflictOf("c_3", "gone"));
        });
        const list = (status: "pending" | "resolved", now: string) =>
          idsOf(storage.conflicts.list({ status, now, limit: 9 }));
        expect(list("pending", at(4))).toEqual(["c_2", "c_1"]);
        expect(list("pending", at(5))).toEqual(["c_1"]);
        expect(storage.conflicts.open("c_2", at(5))).toBeUndefined();
        expect(idsOf(storage.conflicts.ofNewer("b"))).toEqual(["c_1"]);
        expect(storage.conflicts.ofPair("a", "b")).toMatchObject({ id: "c_1" });
        expect(storage.conflicts.ofPair("b", "a")).toBeUndefined();
        storage.transaction(() => storage.conflicts.grade("c_1", "EVIDENCE", 0.75));
        expect(storage.conflicts.ofPair("a", "b")).toMatchObject({
          ...{ detection_tier: "EVIDENCE", detection_confidence: 0.75 },
        });
        const none = { confirmed: 0, rejected: 0 };
        expect(storage.conflicts.verdicts("EVIDENCE")).toEqual(none);
        const room = { fitting: (octets: readonly number[]) => octets.length };
        expect(idsOf(storage.conflicts.all("pending", room))).toEqual(["c_1", "c_2"]);
        storage.transaction(() => storage.conflicts.resolve("c_1", "new_is_current", at(6)));
        expect(list("resolved", at(6))).toEqual(["c_1"]);
        expect(storage.conflicts.isResolved("c_1")).toBe(true);
        expect(storage.conflicts.verdicts("EVIDENCE")).toEqual({ ...none, confirmed: 1 });
        expect(storage.conflicts.verdicts("PATTERN")).toEqual(none);
        expect(storage.conflicts.find("c_1")).toMatchObject({ resolved_at: at(6) });
        storage.transaction(() => storage.conflicts.reopen("c_1", at(9)));
        expect(list("pending", at(8))).toEqual(["c_1"]);
        expect(storage.conflicts.open("c_1", at(9))).toBeUndefined();
        expect(storage.conflicts.find("c_1")).toMatchObject({
          ...{ status: "pending", resolution: null, resolved_at: null },
        });
        expect(storage.conflicts.verdicts("EVIDENCE")).toEqual(none);
        storage.transaction(() => storage.conflicts.resolve("c_1", "new_is_current", at(6)));
        storage.transaction(() => {
          storage.conflicts.removeExpired(at(8));
          expect(storage.conflicts.find("c_2")).toBeDefined();
          storage.conflicts.insert(conflictOf("c_4", "a", { created_at: at(7) }));
          storage.conflicts.removeExpired(at(8));
        });
        expect(storage.conflicts.find("c_2")).toBeUndefined();
        storage.transaction(() => storage.conflicts.removeOf("a"));
        expect(storage.conflicts.find("c_4")).toBeUndefined();
      });

      test("keep the text of a new memory that is deleted", async () => {
        const storage = await storeWith(nodeOf("a"), nodeOf("b"));
        storage.transaction(() => {
          storage.conflicts.insert(conflictOf("c_1", "a", { new_node_id: "b" }));
          storage.conflicts.untie("b");
        });
        expect(storage.conflicts.find("c_1")).toMatchObject({
          new_node_id: null,
          new_content: "new",
        });
      });
    });

    describe("embeddings", () => {
      test("are made for memories in the order of their queue", async () => {
        const storage = await storeWith(
          nodeOf("a"),
          nodeOf("b", { embedding_vector: vectorOf(1, 2) }),
          nodeOf("c"),
        );
        const { embeddings } = storage;
        expect([embeddings.waiting(), embeddings.nextDue(), embeddings.lastTicket()]).toEqual([
          2, 0, 2,
        ]);
        const due = embeddings.due(1_000, 9);
        const [first, second] = [due[0]!, due[1]!];
        expect(first).toMatchObject({ content_title: "Title of a", attempts: 0 });
        expect(embeddings.waitingAfter(first.ticket, 9)).toMatchObject([{ ticket: second.ticket }]);
        storage.transaction(() => embeddings.postpone([second.ticket], 1_000, 100, 10_000));
        expect(embeddings.due(1_000, 9)).toHaveLength(1);
        expect(embeddings.due(1_100, 9)).toHaveLength(1);
        storage.transaction(() => embeddings.release());
        storage.transaction(() => {
          expect(embeddings.put(first.ticket, vectorOf(3, 4), "model")).toBe(true);
          expect(embeddings.put(99, vectorOf(3, 4), "model")).toBe(false);
          embeddings.withdraw(second.ticket);
        });
        expect(embeddings.waiting()).toBe(0);
        expect(storage.nodes.find("a")).toMatchObject({ embedding_model: "model", version: 1 });
        expect([embeddings.dimensions(), embeddings.has(2), embeddings.has(3)]).toEqual([
          2,
          true,
          false,
        ]);
        const heads = [...embeddings.heads(null, 2, 1)].flat();
        expect(heads.map(({ id, head }) => [id, componentsOf(head)])).toEqual([
          ["a", [3]],
          ["b", [1]],
        ]);
        expect(embeddings.vectors(["b"], 2).map(({ head }) => componentsOf(head))).toEqual([
          [1, 2],
        ]);
      });

      test("are made again for a text that changes, unless the change brings one", async () => {
        const storage = await storeWith(nodeOf("a", { embedding_vector: vectorOf(1) }));
        const { embeddings } = storage;
        const change = (fields: object) =>
          storage.transaction(() => storage.nodes.update("a", { last_modified: DAY, ...fields }));
        change({ content_title: "Title of a", tags: "[]" });
        expect(embeddings.waiting()).toBe(0);
        change({ content_title: "Other" });
        expect([embeddings.waiting(), embeddings.lastTicket()]).toEqual([1, 1]);
        change({ content_title: "Again" });
        expect([embeddings.waiting(), embeddings.lastTicket()]).toEqual([1, 2]);
        change({ content_title: "With a vector", embedding_vector: vectorOf(2) });
        expect(embeddings.waiting()).toBe(0);
        change({ embedding_vector: null });
        expect(embeddings.waiting()).toBe(1);
        storage.transaction(() => storage.nodes.delete("a"));
        expect(embeddings.waiting()).toBe(0);
      });

      test("of an earlier text are dropped by the ticket of the change, for one model", async () => {
        const made = { embedding_vector: vectorOf(1), embedding_model: "made" };
        const storage = await storeWith(
          nodeOf("a", made),
          nodeOf("b", made),
          nodeOf("c", { embedding_vector: vectorOf(1), embedding_model: "other" }),
          nodeOf("d", made),
        );
        const { embeddings } = storage;
        const change = (id: string) =>
          storage.transaction(() =>
            storage.nodes.update(id, { last_modified: DAY, content_title: "Other" }),
          );
        change("a");
        const before = embeddings.lastTicket();
        for (const id of ["b", "c"]) change(id);
        const logged = storage.changeLog.range().last;
        storage.transaction(() => embeddings.dropOld(before, "made"));
        expect(embeddings.waiting()).toBe(3);
        expect(idsOf(embeddings.vectors(["a", "b", "c", "d"], 1)).sort()).toEqual(["a", "c", "d"]);
        expect(storage.nodes.find("b")).toMatchObject({ embedding_model: null });
        expect(storage.changeLog.range().last).toBeGreaterThan(logged);
      });

      test("of a next model take the place of those in use", async () => {
        const storage = await storeWith(
          nodeOf("a", { embedding_vector: vectorOf(1), embedding_model: "old" }),
          nodeOf("b", { embedding_vector: vectorOf(2), embedding_model: "old" }),
          nodeOf("c"),
        );
        const { embeddings } = storage;
        expect(idsOf(embeddings.lacking("", 9))).toEqual(["a", "b"]);
        storage.transaction(() => {
          embeddings.putNext("a", vectorOf(7, 8, 9));
          embeddings.putNext("b", vectorOf(1, 1, 1));
          storage.nodes.update("b", { content_title: "Changed", last_modified: DAY });
        });
        expect([embeddings.nextCount(), embeddings.nextDimensions()]).toEqual([1, 3]);
        expect(idsOf(embeddings.lacking("a", 9))).toEqual(["b"]);
        expect(embeddings.texts("b")).toMatchObject({ content_title: "Changed" });
        storage.transaction(() => embeddings.takeNext("new"));
        expect([embeddings.waiting(), embeddings.nextCount()]).toEqual([2, 0]);
        expect(embeddings.vectors(["a"], 3).map(({ head }) => componentsOf(head))).toEqual([
          [7, 8, 9],
        ]);
        storage.transaction(() => embeddings.drop("new"));
        expect([embeddings.waiting(), embeddings.dimensions()]).toEqual([3, 0]);
        storage.transaction(() => {
          embeddings.served("a");
          embeddings.dropAll();
        });
        expect(embeddings.waiting()).toBe(3);
      });
    });

    const useOf = (memory_id: string, context_id: string, retrieved_at = DAY) => ({
      ...{ memory_id, context_id, retrieved_at, memory_type: "fact" },
      ...{ was_referenced: 1, overlap_score: 0.25 },
    });

    describe("the small tables", () => {
      test("keep uses of memories, at most so many and so old", async () => {
        const storage = await storeWith(nodeOf("a"), nodeOf("b"));
        storage.transaction(() => storage.usage.add([useOf("a", "x"), useOf("b", "x")], 10, at(1)));
        expect(storage.usage.ofContext("x")).toEqual([useOf("a", "x"), useOf("b", "x")]);
        storage.transaction(() => storage.usage.add([useOf("a", "y", at(9))], 10, at(2)));
        expect(storage.usage.of(["a", "b"])).toHaveLength(3);
        storage.transaction(() => storage.usage.add([useOf("a", "z", at(9))], 10, at(2)));
        expect(storage.usage.of(["a", "b"])).toEqual([
          useOf("a", "y", at(9)),
          useOf("a", "z", at(9)),
        ]);
        storage.transaction(() => storage.usage.add([useOf("b", "z", at(9))], 2, at(2)));
        expect(storage.usage.of(["a", "b"]).map(({ context_id }) => context_id)).toEqual([
          "z",
          "z",
        ]);
      });

      test("count outcomes once", async () => {
        const storage = await storeWith(
          nodeOf("book", { subtype: "playbook" }),
          nodeOf("entry", { subtype: "entry" }),
          nodeOf("close", { subtype: "close" }),
        );
        storage.transaction(() => {
          storage.edges.insert(edgeOf("e", "book", "entry", { type: "applied_to" }));
          storage.edges.insert(edgeOf("f", "close", "entry", { type: "part_of" }));
        });
        const { outcomes } = storage;
        expect(outcomes.tiedTo("entry", ["part_of"], "close")).toEqual(["close"]);
        expect(outcomes.tiedTo("close", ["part_of"], "entry")).toEqual(["entry"]);
        expect(outcomes.tiedTo("close", ["other"], "entry")).toEqual([]);
        expect(outcomes.uncountedEdges("entry", "applied_to", "playbook")).toEqual([
          { id: "e", source_id: "book" },
        ]);
        storage.transaction(() => outcomes.add("book", "entry", true, at(2)));
        expect(outcomes.has("book", "entry")).toBe(true);
        expect(outcomes.uncountedEdges("entry", "applied_to", "playbook")).toEqual([]);
        expect(storage.transaction(() => outcomes.take("book", false, DAY))).toBe(false);
        expect(storage.transaction(() => outcomes.take("book", true, at(3)))).toBe(false);
        expect(storage.transaction(() => outcomes.take("book", true, DAY))).toBe(true);
        expect(storage.transaction(() => outcomes.take("book", true, DAY))).toBe(false);
      });

      test("give the lease of a task to one connection", async () => {
        const open = await agent();
        const [one, other] = [open(), open()];
        expect(one.tasks.take("decay", 1_000, 500, 100)).toBe(true);
        expect(other.tasks.take("decay", 1_050, 500, 100)).toBe(false);
        expect(other.tasks.take("decay", 1_101, 500, 100)).toBe(true);
        one.tasks.leave("decay", 1_102);
        expect(one.tasks.take("decay", 1_110, 500, 100)).toBe(false);
        other.tasks.leave("decay", 1_110);
        expect(one.tasks.take("decay", 1_200, 500, 100)).toBe(false);
        expect(one.tasks.take("decay", 1_610, 500, 100)).toBe(true);
        one.tasks.leave("decay", null);
        expect(other.tasks.take("decay", 1_611, 500, 100)).toBe(true);
      });

      test("keep requests with an idempotency key", async () => {
        const storage = (await agent())();
        const retry = { key: "k", request: "hash", made: "{}", created_at: at(2) };
        storage.transaction(() => storage.retries.put(retry, at(1)));
        expect(storage.retries.find("k", at(1))).toEqual(retry);
        expect(storage.retries.find("k", at(3))).toBeUndefined();
        storage.transaction(() =>
          storage.retries.put({ ...retry, key: "l", created_at: at(9) }, at(3)),
        );
        storage.transaction(() =>
          storage.retries.put({ ...retry, key: "l", made: "[]", created_at: at(9) }, at(3)),
        );
        expect(storage.retries.find("k", at(1))).toBeUndefined();
        expect(storage.retries.find("l", at(1))).toMatchObject({ made: "[]" });
      });

      test("keep what use has taught", async () => {
        const open = await agent();
        const [storage, other] = [open(), open()];
        expect(storage.learned.get()).toBeUndefined();
        storage.transaction(() => storage.learned.put({ a: 1 / 3 }));
        storage.transaction(() => storage.learned.put({ a: 2 / 3 }));
        expect(other.learned.get()).toEqual({ a: 2 / 3 });
        storage.transaction(() => storage.learned.remove());
        expect(other.learned.get()).toBeUndefined();
        expect(changesOf(other)).toEqual(["learned ", "learned ", "learned "]);
      });
    });

    describe("the change log", () => {
      test("names what other connections changed, in the order of commits", async () => {
        const open = await agent();
        const [one, other] = [open(), open()];
        const version = other.version();
        one.transaction(() => {
          one.nodes.insert(nodeOf("a"));
          one.nodes.insert(nodeOf("b"));
          one.edges.insert(edgeOf("e", "a", "b"));
          one.clusters.insert({ ...CLUSTER, auto_subtypes: null });
          one.clusters.putMember(memberOf("c_1", "b"));
          one.changeLog.claim(0);
        });
        expect(other.version()).not.toBe(version);
        const memory = (changes: string[]) =>
          changes.filter((change) => !change.startsWith("clusters"));
        expect(memory(changesOf(other))).toEqual(["node a", "node b", "edge e", "node b"]);
        expect(changesOf(one)).toEqual([]);
        const { first, last } = one.changeLog.range();
        expect([first, last]).toEqual([1, other.changeLog.since(0).at(-1)!.sequence]);
        other.transaction(() => {
          other.nodes.delete("a");
          const claimed = other.changeLog.claim(last).map(({ entity, ids }) => `${entity} ${ids}`);
          expect(claimed.sort()).toEqual(["edge e", "node a"]);
        });
        expect(changesOf(one, last).sort()).toEqual(["edge e", "node a"]);
        expect(one.writer).not.toBe(other.writer);
      });

      test("tells what became of memories and edges, and of nothing else", async () => {
        const storage = await storeWith(nodeOf("a"), nodeOf("b"));
        const told = (work: () => void) => {
          const { last } = storage.changeLog.range();
          storage.transaction(work);
          const found = storage.changeLog.told(last, 99);
          for (const { at } of found) expect(at).toMatch(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/);
          return found.map(({ entity, action, id }) => `${entity} ${action} ${id}`).sort();
        };
        expect(told(() => storage.nodes.insert(nodeOf("c")))).toEqual(["node stored c"]);
        const change = { content_title: "Other words", last_modified: at(9) };
        expect(told(() => storage.nodes.update("c", change))).toEqual(["node changed c"]);
        const edges = () => {
          storage.edges.insert(edgeOf("e", "a", "c"));
          storage.edges.insert(edgeOf("f", "b", "c", { type: "supersedes" }));
        };
        expect(told(edges)).toEqual(["edge linked e", "edge replaced f"]);
        expect(told(() => storage.edges.move("e", "b"))).toEqual(["edge linked e"]);
        expect(told(() => storage.edges.strengthen("e", 0.1))).toEqual([]);
        const beside = () => {
          storage.clusters.insert({ ...CLUSTER, auto_subtypes: null });
          storage.clusters.putMember(memberOf("c_1", "b"));
        };
        expect(told(beside)).toEqual([]);
        expect(told(() => storage.edges.delete("e"))).toEqual(["edge unlinked e"]);
        expect(told(() => storage.nodes.delete("c"))).toEqual([
          "edge unlinked f",
          "node deleted c",
        ]);
        const put = () => storage.portable.put("node", [{ ...nodeOf("d") }, { ...nodeOf("e") }]);
        expect(told(put)).toEqual(["node stored d", "node stored e"]);
        const all = storage.changeLog.told(0, 99);
        expect(storage.changeLog.told(all[0]!.sequence, 2)).toEqual(all.slice(1, 3));
        expect(storage.nodes.briefs(["d", "z"])).toEqual([
          { id: "d", type: "concept", subtype: null, title: nodeOf("d").content_title },
        ]);
      });

      test("has no gaps, and does not begin again once it is trimmed", async () => {
        const storage = await storeWith(nodeOf("a"), nodeOf("b"), nodeOf("c"));
        expect(storage.changeLog.range()).toEqual({ first: 1, last: 3 });
        expect(() =>
          storage.transaction(() => {
            storage.nodes.insert(nodeOf("d"));
            throw new Error("undone");
          }),
        ).toThrow("undone");
        storage.transaction(() => storage.nodes.insert(nodeOf("e")));
        expect(storage.changeLog.range()).toEqual({ first: 1, last: 4 });
        storage.transaction(() => storage.changeLog.trim(2));
        expect(storage.changeLog.range()).toEqual({ first: 3, last: 4 });
        storage.transaction(() => storage.changeLog.trim(4));
        expect(storage.changeLog.range()).toEqual({ first: 0, last: 4 });
        storage.transaction(() => storage.nodes.delete("e"));
        expect(storage.changeLog.range()).toEqual({ first: 5, last: 5 });
      });
    });

    test("a change that no connection claims counts as another's for all of them", async () => {
      const open = await agent();
      const [one, other] = [open(), open()];
      one.transaction(() => {
        one.nodes.insert(nodeOf("a"));
        expect(changesOf(one)).toEqual(["node a"]);
        one.nodes.insert(nodeOf("b"));
        expect(one.changeLog.claim(0)).toHaveLength(2);
        expect(changesOf(one)).toEqual([]);
        one.nodes.insert(nodeOf("c"));
      });
      expect(changesOf(one)).toEqual(["node c"]);
      expect(changesOf(other)).toEqual(["node a", "node b", "node c"]);
    });

    describe("a transaction", () => {
      test("is undone by an error, as a whole", async () => {
        const storage = await storeWith(nodeOf("a"));
        const failing = () =>
          storage.transaction(() => {
            storage.nodes.insert(nodeOf("b"));
            storage.nodes.update("a", { content_title: "Other", last_modified: DAY });
            storage.setMeta("preset", "trading");
            throw new Error("undone");
          });
        expect(failing).toThrow("undone");
        expect(idsOf(storage.nodes.list({}, 9))).toEqual(["a"]);
        expect(storage.nodes.find("a")).toMatchObject({ content_title: "Title of a", version: 1 });
        expect(storage.meta("preset")).toBeUndefined();
        expect(storage.embeddings.lastTicket()).toBe(1);
        storage.transaction(() => storage.nodes.insert(nodeOf("b")));
        expect(storage.nodes.find("b")).toBeDefined();
      });

      test("is not seen by others before it ends, and keeps other writers out", async () => {
        const open = await agent();
        const [one, other] = [open(), open()];
        const steps = one.transactionInSteps(function* () {
          one.nodes.insert(nodeOf("a"));
          yield;
          one.nodes.insert(nodeOf("b"));
        });
        steps.next();
        expect(other.nodes.find("a")).toBeUndefined();
        expect(() => other.transaction(() => other.nodes.insert(nodeOf("c")), 50)).toThrow();
        steps.next();
        expect(idsOf(other.nodes.of(["a", "b"])).sort()).toEqual(["a", "b"]);
        other.transaction(() => other.nodes.insert(nodeOf("c")), 50);
        expect(one.nodes.find("c")).toMatchObject({ sequence: 3 });
      });

      test("that only reads sees one state", async () => {
        const open = await agent();
        const [one, other] = [open(), open()];
        one.transaction(() => one.nodes.insert(nodeOf("a")));
        const steps = other.snapshotInSteps(function* () {
          const before = other.nodes.list({}, 9).length;
          yield;
          return [before, other.nodes.list({}, 9).length];
        });
        steps.next();
        one.transaction(() => one.nodes.insert(nodeOf("b")));
        expect(steps.next()).toEqual({ done: true, value: [1, 1] });
        expect(other.snapshot(() => other.nodes.list({}, 9).length)).toBe(2);
      });
    });

    describe("portable rows", () => {
      test("are carried to another database as they are", async () => {
        const whole = wholeNodeOf("a");
        const from = await storeWith(whole, nodeOf("b", { tags: '["t"]' }));
        from.transaction(() => {
          from.nodes.addSignals("a", '{"pnl_pct":1}');
          from.edges.insert(edgeOf("e", "a", "b"));
          from.clusters.insert(CLUSTER);
          from.clusters.putMember(memberOf("c_1", "a"));
          from.clusters.putMember(memberOf("c_1", "gone"));
          from.conflicts.insert(conflictOf("c_1", "a"));
          from.outcomes.add("a", "b", true, DAY);
          from.usage.add(
            ["b", "a"].map((id) => useOf(id, "x")),
            9,
            "",
          );
          for (const key of ["k2", "k1"])
            from.retries.put({ key, request: "r", made: "{}", created_at: DAY }, "");
        });
        const to = (await agent())();
        const carry = () =>
          to.transaction(() => {
            for (const kind of MOVED_KINDS)
              for (const rows of from.portable.rows(kind)) to.portable.put(kind, rows);
          });
        carry();
        carry();
        // Uses and idempotency keys are no memories.
        expect(to.portable.count()).toBe(7);
        const rowsOf = (storage: Storage, kind: MovedKind) =>
          [...storage.portable.rows(kind)].flat().map((row) => ({
            ...row,
            ...(row.embedding_vector == null
              ? {}
              : { embedding_vector: componentsOf(row.embedding_vector) }),
          }));
        for (const kind of MOVED_KINDS) expect(rowsOf(to, kind)).toEqual(rowsOf(from, kind));
        const components = componentsOf(whole.embedding_vector);
        expect(rowsOf(to, "node")[0]).toMatchObject({ ...whole, embedding_vector: components });
        expect(rowsOf(to, "use")).toEqual(["b", "a"].map((id) => useOf(id, "x")));
        const keys = [...to.portable.rows("retry")].flat().map(({ key }) => key);
        expect(keys.sort()).toEqual(["k1", "k2"]);
        expect(to.portable.changedAt("node", { id: "a" })).toEqual({ at: whole.last_modified });
        expect(to.portable.changedAt("conflict", { id: "c_1" })).toEqual({ at: DAY });
        expect(to.portable.changedAt("node", { id: "z" })).toBeUndefined();
        expect(to.portable.lacking("edge", edgeOf("f", "a", "z"))).toBe("target_id");
        expect(to.portable.lacking("edge", edgeOf("f", "a", "b"))).toBeUndefined();
        expect(to.nodes.matching({ wanted: { filter: { tags: { any: ["t"] } } } })).toEqual(["b"]);
        expect(to.embeddings.waiting()).toBe(1);
        // From the rows that name others to those that are named.
        for (const kind of MOVED_KINDS.toReversed()) {
          const before = to.changeLog.range().last;
          for (const row of [...to.portable.rows(kind)].flat()) to.portable.remove(kind, row);
          expect({ kind, rows: [...to.portable.rows(kind)].flat() }).toEqual({ kind, rows: [] });
          if (kind === "edge") expect(to.changeLog.range().last).toBeGreaterThan(before);
        }
        to.portable.remove("node", { id: "a" });
        expect(to.nodes.list({}, 9)).toEqual([]);
      });

      test("of a table of any length are read whole", async () => {
        const storage = (await agent())();
        const rows = Array.from({ length: 1_101 }, (_, place) => ({
          ...{ key: `k${place}`, request: "r", made: "{}", created_at: DAY },
        }));
        storage.transaction(() => storage.portable.put("retry", rows));
        const keys = [...storage.portable.rows("retry")].flat().map(({ key }) => key as string);
        expect(keys.sort()).toEqual(rows.map(({ key }) => key).sort());
      });
    });

    if (implementation.isShared) {
      test("a closed store leaves no transaction open", async () => {
        const open = await agent();
        const one = open();
        const steps = one.transactionInSteps(function* () {
          one.nodes.insert(nodeOf("a"));
          yield;
        });
        steps.next();
        one.close();
        const other = open();
        other.transaction(() => other.nodes.insert(nodeOf("b")), 1_000);
        expect(idsOf(other.nodes.list({}, 9))).toEqual(["b"]);
      });

      test("agents of one database share no row", async () => {
        const [mine, yours] = [(await agent())(), (await agent())()];
        for (const [storage, title] of [
          [mine, "mine"],
          [yours, "yours"],
        ] as const)
          storage.transaction(() => {
            storage.nodes.insert(nodeOf("a", { content_title: title }));
            storage.nodes.insert(nodeOf("b"));
            storage.edges.insert(edgeOf("e", "a", "b"));
          });
        expect(mine.nodes.find("a")).toMatchObject({ content_title: "mine", sequence: 1 });
        mine.transaction(() => mine.nodes.delete("a"));
        expect(yours.nodes.find("a")).toMatchObject({ content_title: "yours" });
        expect(idsOf(yours.edges.list())).toEqual(["e"]);
        expect(yours.changeLog.range()).toEqual({ first: 1, last: 3 });
      });
    }

    test("the full text of SQLite is searched, if the database is SQLite", async () => {
      const storage = await storeWith(nodeOf("a", { content_title: "Funding" }));
      expect(storage.fullText === undefined).toBe(implementation.isShared);
      if (storage.fullText === undefined) return;
      expect(idsOf(storage.fullText.find("funding", 9))).toEqual(["a"]);
      expect(storage.fullText.find('"', 9)).toEqual([]);
    });
  });
