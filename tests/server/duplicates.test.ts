// Duplicates: the same statement, of the same time, session and speaker. Anything else is stored.

import fc from "fast-check";
import {
  Memory,
  type MessageToRemember,
  remember,
  statementOf,
  type TextToRemember,
} from "nous-memory";
import { describe, expect, test } from "vitest";
import { amount, runs } from "../support/amount.ts";
import { sharedServer } from "./support/shared-server.ts";

const { client } = sharedServer();

const WORDS = "the bus to the north leaves berth five before Ada may call Ben again".split(" ");
const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 30 });

describe("a statement", () => {
  test("is the same in other cases, marks and spaces", () => {
    const marks = fc.constantFrom("", ".", ",", "!", ";", "…");
    fc.assert(
      fc.property(words, marks, fc.constantFrom(" ", "  ", "\n"), (own, mark, space) => {
        const other = `“${own.join(space).toUpperCase()}${mark}”`;
        expect(statementOf(other)).toBe(statementOf(own.join(" ")));
      }),
      runs(amount(1_000)),
    );
  });

  test("is another one with a word more, fewer, or in another place, however long it is", () => {
    fc.assert(
      fc.property(words, fc.nat(), fc.nat(), (own, from, to) => {
        const place = from % own.length;
        const whole = statementOf(own.join(" "));
        expect(statementOf(own.toSpliced(place, 0, "not").join(" "))).not.toBe(whole);
        expect(statementOf(own.toSpliced(place, 1).join(" "))).not.toBe(whole);
        const moved = own.toSpliced(place, 1).toSpliced(to % own.length, 0, own[place]!);
        if (moved.join(" ") !== own.join(" ")) expect(statementOf(moved.join(" "))).not.toBe(whole);
      }),
      runs(amount(1_000)),
    );
  });

  test.each([
    ["The tide is < 2 m", "The tide is > 2 m"],
    ["The depth is -3 m", "The depth is 3 m"],
    ["The area is 10² m", "The area is 102 m"],
    ["Buy 1.5 kg of rope", "Buy 15 kg of rope"],
    ["a == b", "a != b"],
    ["Written in F#", "Written in F"],
    ["The crew says 🙂", "The crew says 🙁"],
    ["Noor was here :)", "Noor was here :("],
    ["It is safe", "It is safe?"],
    ["The pier is 5 m", "The pier is 5 ft"],
    ["Send it to ada@pier.example", "Send it to ada+b@pier.example"],
    ["On branch v1.2", "On branch v2.1"],
  ])("%s is not %s", (one, other) => {
    expect(statementOf(one)).not.toBe(statementOf(other));
  });
});

const SAID = "The winch was greased before the storm.";
const FIELDS: readonly (readonly [string, Partial<TextToRemember>, Partial<TextToRemember>])[] = [
  ["event", { event_time: "2026-05-01T00:00:00Z" }, { event_time: "2026-05-08T00:00:00Z" }],
  ["time", { created_at: "2026-05-01T00:00:00Z" }, { created_at: "2026-05-08T00:00:00Z" }],
  ["session", { session: "a" }, { session: "b" }],
  ["session that only one names", {}, { session: "b" }],
  ["user", { user: "ada" }, { user: "ben" }],
  ["title", { title: "Crane" }, { title: "Winch" }],
  ["id", { id: "one" }, { id: "two" }],
];

describe("a text", () => {
  test.each(FIELDS)("of another %s is stored, and said again it is not", (_, one, other) => {
    const memory = new Memory();
    expect(remember(memory, { text: SAID, ...one }).created).toBe(1);
    expect(remember(memory, { text: SAID, ...other }).created).toBe(1);
    for (const fields of [one, other])
      expect(remember(memory, { text: SAID.toUpperCase(), ...fields }).duplicates).toBe(1);
    memory.free();
  });

  test("that is said again gives its fields to the memory, or tells which were not taken", async () => {
    const own = client();
    const first = {
      ...{ text: SAID, tags: ["deck"], metadata: { by: "ada", on: 1 }, id: "winch" },
      ...{ expires_at: "2999-01-01T00:00:00.000Z", source: "log" },
    };
    await own.ask("POST /remember", first);
    const second = {
      text: SAID,
      tags: ["deck", "rope"],
      metadata: { by: "ben", __proto__: 1, at: 2 },
    };
    const { body } = await own.ask("POST /remember", {
      ...{ ...second, type: "event", source: "chat", importance: 1 },
    });
    expect(body.stored).toMatchObject([
      {
        ...{ id: "winch", action: "duplicate" },
        fields_not_taken: ["metadata.by", "type", "source", "importance"],
      },
    ]);
    const { body: node } = await own.ask("GET /nodes/winch?recall=false");
    expect(node).toMatchObject({
      ...{ tags: ["deck", "rope"], metadata: { by: "ada", on: 1, at: 2 }, source: "log" },
      // What is said without an end lasts.
      expires_at: null,
    });
    const again = await own.ask("POST /remember", { text: SAID, expires_at: first.expires_at });
    expect(again.body.stored[0].fields_not_taken).toEqual(["expires_at"]);
  });

  test("of front matter has its tags and its date", async () => {
    const own = client();
    const text = "---\ntags: [rope, '#deck']\ndate: 2024-05-01\n---\n# Knots\nA bowline holds.";
    const { body } = await own.ask("POST /remember", { text, tags: ["sea"] });
    const { body: node } = await own.ask(`GET /nodes/${body.stored[0].id}?recall=false`);
    expect(node).toMatchObject({
      ...{ content_title: "Knots", tags: ["sea", "rope", "deck"] },
      created_at: "2024-05-01T00:00:00.000Z",
    });
  });

  test("keeps its own end, and a line that a prompt gave is known", async () => {
    const own = client();
    for (const text of ["Level of the tank · 35 %", "Regatta (on 3 May 2026, at the pier)"]) {
      const { body } = await own.ask("POST /remember", { text });
      expect(body.stored).toMatchObject([{ action: "created", title: text }]);
    }
    const { body } = await own.ask("POST /remember", {
      text: "- Level of the tank · 35 % (noted on 3 May 2026, 2 weeks ago) · 61 %",
    });
    expect(body).toMatchObject({ created: 0, duplicates: 1 });
  });

  test("that is true again supersedes what had superseded it", async () => {
    const own = client();
    const say = async (text: string) => (await own.ask("POST /remember", { text })).body.stored[0];
    const first = await say("The harbour master is Ada.");
    const second = await say("The harbour master is Ben.");
    await own.link(second.id, first.id, "supersedes");
    const third = await say("The harbour master is Ada.");
    expect(third).toMatchObject({ action: "created", supersedes: [second.id] });
    expect(await say("the harbour master is Ada")).toMatchObject({
      ...{ action: "duplicate", id: third.id },
    });
    const { body } = await own.ask("POST /search", { query: "Who is the harbour master?" });
    expect(body.data[0]).toMatchObject({ id: third.id });
    expect(body.data[0].superseded_by).toBeUndefined();
  });
});

describe("a conversation", () => {
  // Before the generated ones: they block this thread, and the server ends idle connections.
  test("that goes on after its window moved is stored once, and an answer is kept", async () => {
    const own = client();
    const said = (role: string, content: string) => ({ role, content });
    const whole = [
      ...[said("user", "Is the crane free?"), said("assistant", "It is free from noon on.")],
      ...[said("user", "Then book it."), said("assistant", "Shall I call Ben, too?")],
      ...[said("user", "yes"), said("assistant", "I have called Ben.")],
    ];
    const send = async (messages: object[]) =>
      (await own.ask("POST /remember", { messages, session: "s" })).body;
    expect(await send(whole.slice(0, 4))).toMatchObject({ created: 4 });
    expect(await send(whole.slice(1, 5))).toMatchObject({ created: 1, duplicates: 3 });
    // Another branch: an answer was made anew.
    const branch = [...whole.slice(0, 3), said("assistant", "It is booked.")];
    expect(await send(branch)).toMatchObject({ created: 1, duplicates: 3 });
    expect(await send([said("user", "yes")])).toMatchObject({ skipped: 1 });
    expect(await send([said("assistant", "Is that all?")])).toMatchObject({ created: 1 });
    expect(await send([said("user", "yes")])).toMatchObject({ created: 1 });
  });

  const LINES = ["Shall we sail?", "Yes, let us sail.", "The wind is rising.", "I see the buoy."];
  const talk = fc.array(
    fc.record({ role: fc.constantFrom("user", "assistant"), content: fc.constantFrom(...LINES) }),
    { minLength: 2, maxLength: 14 },
  );
  const turnsOf = (memory: Memory) =>
    [...memory.all()].map(({ content_title, content_body }) => {
      const role = content_title.slice(0, content_title.indexOf(": "));
      return { role, content: content_body };
    });

  test.each([
    ["with a session", "s", 1],
    ["without one", undefined, 2],
  ])("that a client sends whole at each turn, %s, is stored once", (_, session, first) => {
    fc.assert(
      fc.property(talk, fc.array(fc.integer({ min: 1, max: 4 })), (whole, steps) => {
        const memory = new Memory();
        let sent = Math.min(first, whole.length);
        for (const step of [0, ...steps, whole.length]) {
          sent = Math.min(sent + step, whole.length);
          remember(memory, { messages: whole.slice(0, sent), session });
        }
        expect(turnsOf(memory)).toEqual(whole);
        memory.free();
      }),
      runs(amount(300)),
    );
  });

  test("of which a client sends what is new has every turn, however often it is said", () => {
    fc.assert(
      fc.property(talk, (whole) => {
        const memory = new Memory();
        for (const message of whole) remember(memory, { messages: [message], session: "s" });
        expect(turnsOf(memory)).toEqual(whole);
        memory.free();
      }),
      runs(amount(300)),
    );
  });

  test("with times has every turn once, in whatever stretches a client sends it", () => {
    const stretches = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 6 })), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(talk, stretches, (given, some) => {
        const memory = new Memory();
        const whole: MessageToRemember[] = given.map((message, minute) => ({
          ...message,
          created_at: new Date(Date.UTC(2026, 4, 1, 8, minute)).toISOString(),
        }));
        for (const [start, length] of [...some, [0, whole.length]] as [number, number][]) {
          const from = start % whole.length;
          remember(memory, { messages: whole.slice(from, from + length), session: "s" });
        }
        const rows = [...memory.all()].map(({ created_at }) => created_at).sort();
        expect(rows).toEqual(whole.map(({ created_at }) => created_at));
        memory.free();
      }),
      runs(amount(300)),
    );
  });

  test.each(["谢谢！", "ありがとうございます。", "Danke schön!", "merci 🙏", "شكراً", "Спасибо."])(
    "does not keep %s",
    async (content) => {
      const { body } = await client().ask("POST /remember", { text: content });
      expect(body).toMatchObject({ stored: [], skipped: 1 });
    },
  );

  test.each([
    "橋はどこ？",
    "أين الجسر؟",
    "¿Dónde está el puente?",
    "Πού είναι η γέφυρα;",
    "Wo liegt es?",
  ])("keeps the question %s as an episode", async (text) => {
    const { body } = await client().ask("POST /remember", { text });
    expect(body.stored).toMatchObject([{ type: "episode" }]);
  });
});
