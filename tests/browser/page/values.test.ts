// The values of a fact in an open memory: what a card has of them, and decisions about them beside other
// changes that can be undone.

import { type HistoryEdge, historyOf, TRANSFORMER } from "nous-memory";
import { describe, expect, test } from "vitest";
import { KINDS } from "../../../js/page/src/evidence/kinds.ts";
import { ask } from "../../../js/page/src/memory/ask.ts";
import { list } from "../../../js/page/src/memory/browse.ts";
import {
  decide,
  edit,
  remove,
  reopen,
  resolve,
  texts,
  undecide,
  undo,
} from "../../../js/page/src/memory/edit.ts";
import { Held } from "../../../js/page/src/memory/held.ts";
import { addLine, noRows } from "../../../js/page/src/memory/lines.ts";
import { neighbourhood } from "../../../js/page/src/memory/spread.ts";

const DAY = 86_400_000;

const note = (id: string, content_title: string, day: number, more = {}) => ({
  ...{ kind: "node", id, type: "note", subtype: "custom:note", content_title, content_body: "" },
  ...{ created_at: new Date(Date.UTC(2020, 0, 1) + day * DAY).toISOString(), ...more },
});

const guess = (id: string, source_id: string, target_id: string) => ({
  ...{ kind: "edge", id, type: "likely_supersedes", source_id, target_id, strength: 0.8 },
  created_at: "2026-03-09T09:00:00Z",
});

const RENTS = [
  ...[note("old", "The rent is 900 euros", 1), note("new", "The rent is 950 euros", 9)],
  guess("g", "new", "old"),
  { kind: "conflict", id: "q", old_node_id: "old", new_node_id: "new", status: "pending" },
];

function opened(lines: readonly object[]): Promise<Held> {
  const rows = noRows();
  for (const line of lines) addLine(rows, JSON.stringify(line));
  const opening = { name: "", rows, now: null, config: {}, words: undefined };
  return Held.open({ ...opening, wrong: [], wrongCount: 0, source: "files" }, () => {});
}

const shown = (held: Held) => ({
  title: held.row("old")!.content_title,
  state: held.row("old")!.state_lifecycle ?? "ACTIVE",
  edges: held.rows.edges.map(({ type }) => type),
  conflict: held.rows.conflicts[0]!.status,
});

const GUESSED = { state: "ACTIVE", edges: ["likely_supersedes"], conflict: "pending" };

test("that one value stands before another is told in words, as a circumstance", async () => {
  const held = await opened(RENTS);
  const { answers } = ask(held, { question: "What is the rent?" });
  const names = answers.flatMap(({ reasons }) => reasons!.evidence.map(({ name }) => name));
  expect(names).toContain("supersession");
  for (const name of names) expect(KINDS, name).toHaveProperty(name);
  expect(KINDS.supersession!.group).toBe("circumstances");
  held.free();
});

describe("a decision that is taken back", () => {
  test("stays so if an edit that came after it is undone", async () => {
    const held = await opened(RENTS);
    const { title } = shown(held);
    await decide(held, held.card("old"), held.card("new"), "new_is_current");
    await edit(held, "old", { ...texts(held, "old"), title: "The rent was 900 euros" });
    await undecide(held, held.card("old"), held.card("new"));
    expect(shown(held)).toEqual({ ...GUESSED, title: "The rent was 900 euros" });
    await undo(held);
    expect(shown(held)).toEqual({ ...GUESSED, title });
    expect(held.pasts).toEqual([]);
  });

  test("is one of two about the same memory, in either order", async () => {
    const third = [note("last", "The rent is 990 euros", 12), guess("h", "last", "old")];
    for (const order of [
      ["new", "last"],
      ["last", "new"],
    ]) {
      const held = await opened([...RENTS, ...third]);
      for (const newer of ["new", "last"])
        await decide(held, held.card("old"), held.card(newer), "keep_both");
      const besides = () => ["new", "last"].map((id) => held.card(id).held_beside?.id);
      expect(besides()).toEqual(["old", "old"]);
      for (const newer of order) await undecide(held, held.card("old"), held.card(newer!));
      expect(besides()).toEqual([undefined, undefined]);
      const types = held.rows.edges.map(({ type }) => type);
      expect(types).toEqual(["likely_supersedes", "likely_supersedes"]);
      expect(held.pasts).toEqual([]);
    }
  });

  test("is refused without its other memory, and a deletion that is undone leaves it as it was", async () => {
    const held = await opened(RENTS);
    const before = shown(held);
    await decide(held, held.card("old"), held.card("new"), "new_is_current");
    const decided = shown(held);
    expect(decided).toMatchObject({
      state: "DORMANT",
      edges: ["supersedes"],
      conflict: "resolved",
    });
    const newer = held.card("new");
    await remove(held, [newer]);
    await expect(undecide(held, held.card("old"), newer)).rejects.toThrow("no longer there");
    await undo(held);
    expect(shown(held)).toEqual(decided);
    await undecide(held, held.card("old"), held.card("new"));
    expect(shown(held)).toEqual(before);
  });
});

describe("a conflict whose guess is only possible", () => {
  const POSSIBLE = RENTS.map((row) =>
    row.kind === "edge" ? { ...row, type: "possibly_supersedes", strength: 0.4 } : row,
  );

  test.each([
    ["keep_both", "relates_to"],
    ["new_is_current", "supersedes"],
  ] as const)("ends the guess if it is resolved by %s", async (resolution, type) => {
    const held = await opened(POSSIBLE);
    const before = shown(held);
    await resolve(held, "q", [held.card("old"), held.card("new")], resolution);
    expect(shown(held)).toMatchObject({ edges: [type], conflict: "resolved" });
    await undo(held);
    expect(shown(held)).toEqual(before);
  });
});

describe("a conflict without a guess", () => {
  const PLAIN = RENTS.filter(({ kind }) => kind !== "edge");

  test.each([
    ["keep_both", "relates_to"],
    ["new_is_current", "supersedes"],
    ["old_is_current", "supersedes"],
  ] as const)("waits again if %s is taken back, and what was edited stays", async (how, type) => {
    const held = await opened(PLAIN);
    const before = shown(held);
    await edit(held, "new", { ...texts(held, "new"), title: "The rent is 960 euros" });
    await resolve(held, "q", [held.card("old"), held.card("new")], how);
    expect(shown(held)).toMatchObject({ edges: [type], conflict: "resolved" });
    await edit(held, "old", { ...texts(held, "old"), title: "The rent was 900 euros" });
    await reopen(held, "q");
    expect(shown(held)).toEqual({ ...before, title: "The rent was 900 euros" });
    await expect(reopen(held, "q")).rejects.toThrow("no longer there");
    await undo(held);
    expect(shown(held)).toEqual(before);
    // The step before the decision is still there.
    await undo(held);
    expect(held.row("new")!.content_title).toBe("The rent is 950 euros");
    await resolve(held, "q", [held.card("old"), held.card("new")], how);
    await undo(held);
    expect(shown(held)).toEqual(before);
    held.free();
  });
});

describe("a line of very many values", () => {
  const MANY = 300;

  test("is shown in part, around each memory", async () => {
    const ids = Array.from({ length: MANY }, (_, place) => `n${place}`);
    const held = await opened([
      ...ids.map((id, place) => note(id, `The rent is ${place} euros`, place)),
      ...ids.slice(1).map((id, place) => guess(`e${place}`, id, ids[place]!)),
    ]);
    const anything = { section: "", kind: "", tag: "", from: null, to: null, text: "" } as const;
    const { cards } = list(held, { ...anything, order: "oldest", size: MANY, page: 0 });
    for (const [
      place,
      { id, history = [], values_before = 0, values_after = 0 },
    ] of cards.entries()) {
      expect(id).toBe(ids[place]);
      expect(history).toHaveLength(20);
      expect(history.map((value) => value.id)).toEqual(
        ids.slice(values_before, MANY - values_after),
      );
      expect(history.map((value) => value.id)).toContain(id);
    }
  });

  test.each(["chain", "star"])("is told in linear time: a %s", (shape) => {
    const readsOf = (amount: number) => {
      let reads = 0;
      const line = Array.from({ length: amount }, (_, place): HistoryEdge => {
        const edge = { type: "supersedes", strength: 1 };
        const ends = [`n${place + 1}`, shape === "chain" ? `n${place}` : "n0"] as const;
        return Object.defineProperties(edge, {
          source_id: { get: () => (reads++, ends[0]) },
          target_id: { get: () => (reads++, ends[1]) },
        }) as HistoryEdge;
      });
      expect(historyOf("n0", line, (id) => -Number(id.slice(1)))).toHaveLength(amount + 1);
      return reads;
    };
    expect(readsOf(2_000)).toBeLessThan(3 * readsOf(1_000));
  });
});

test("the graph takes a vector of another length, as a file may have it, for none", async () => {
  const vectors = [new Float32Array(3), new Float32Array(TRANSFORMER.dimensions).fill(Number.NaN)];
  const bytes = [new Uint8Array(7), ...vectors.map((vector) => new Uint8Array(vector.buffer))];
  for (const one of bytes) {
    const embedding = Buffer.from(one).toString("base64");
    const wrong = { embedding, embedding_model: TRANSFORMER.name };
    const held = await opened([
      ...[note("a", "The rent is 900 euros", 1, wrong), note("b", "The rent of the flat", 2)],
    ]);
    held.mean(async () => null);
    expect(neighbourhood(held, "What is the rent?").alike).toHaveLength(1);
  }
});
