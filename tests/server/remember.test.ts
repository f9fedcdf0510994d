// POST /remember: texts and messages become memories with a type, without duplicates.

import { GENERAL, guessedType, splitText, statementOf, titleOf } from "nous-memory";
import { describe, expect, test } from "vitest";
import { type Client, sharedServer } from "./support/shared-server.ts";

const piecesOf = (text: string) => [...splitText(text).pieces];

const { client } = sharedServer();

const remember = async (own: Client, body: object, headers: Record<string, string> = {}) => {
  const answer = await own.ask("POST /remember", body, headers);
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
};
const countOf = async (own: Client): Promise<number> => (await own.ask("GET /nodes")).body.count;

describe("POST /remember", () => {
  test("stores a text with a title, a type and a section of its own choice", async () => {
    const own = client();
    const { stored, created } = await remember(own, { text: "Mira eats no dairy since March." });
    expect(created).toBe(1);
    expect(stored).toMatchObject([
      {
        action: "created",
        title: "Mira eats no dairy since March.",
        type: "preference",
        section: "KNOWLEDGE",
        why: "it reads like a preference",
      },
    ]);
    expect(await own.search("what does Mira not eat?", { limit: 1 })).toEqual([stored[0].id]);
    const { body } = await own.ask("POST /context", { input: "What should I cook for Mira?" });
    expect(body.sections[0]).toMatchObject({ name: "user_profile" });
    expect(body.prompt).toContain("no dairy");
  });

  test("keeps every field that it is given", async () => {
    const own = client();
    const given = {
      ...{
        type: "event",
        tags: ["travel"],
        metadata: { booked: true },
        user: "mira",
        session: "s1",
      },
      ...{ event_time: "2026-05-04T00:00:00.000Z", expires_at: "2999-01-01T00:00:00.000Z" },
      source: "mail",
    };
    const text = "The ferry to Bergen leaves at nine.";
    const { stored } = await remember(own, { text, ...given, id: "ferry", importance: 1 });
    const { body } = await own.ask("GET /nodes/ferry?recall=false");
    expect(body).toMatchObject({ ...given, content_title: text, neural_stability: 120 });
    expect(stored[0]).toMatchObject({ id: "ferry", type: "event", section: "EPISODIC" });
  });

  test("splits a long text into memories that stay together, in order", async () => {
    const own = client();
    const part = (topic: string) =>
      `# ${topic}\n\n${`The ${topic} is described here in some words. `.repeat(20)}`;
    const { stored, created } = await remember(own, {
      text: [part("engine"), part("harbour")].join("\n\n"),
    });
    expect(created).toBeGreaterThan(3);
    const runs = new Set(stored.map(({ run }: { run: string }) => run));
    expect(runs.size).toBe(1);
    expect(stored.map(({ part }: { part: number }) => part)).toEqual(
      stored.map((_: object, place: number) => place + 1),
    );
    const members = await own.ask(`GET /clusters/${[...runs][0]}/members`);
    expect(members.body.count).toBe(created);
    expect(stored[0].title).toBe("engine");
  });

  test("keeps the messages of a conversation together, and skips those that say nothing", async () => {
    const own = client();
    const said = (role: string, content: string) => ({ role, content });
    const body = {
      session: "monday",
      messages: [
        said("user", "My dog is called Rex and he is afraid of thunder."),
        said("assistant", "Thanks!"),
        said("user", "ok"),
        said("user", "The vet is Dr. Lind in Oslo."),
      ],
    };
    const { stored, skipped } = await remember(own, body);
    expect(skipped).toBe(2);
    expect(stored).toMatchObject([
      // What users say of themselves belongs to the profile.
      { type: "person", section: "KNOWLEDGE", title: expect.stringContaining("user: My dog") },
      { type: "episode", section: "EPISODIC", run: stored[0].run },
    ]);
    const more = await remember(own, {
      session: "monday",
      messages: [said("user", "Rex is four years old.")],
    });
    expect(more.stored[0].run).toBe(stored[0].run);
  });

  test("puts what a user says of themselves into the profile, and questions nowhere but in episodes", async () => {
    const own = client();
    const messages = [
      { role: "user", content: "I am allergic to walnuts." },
      { role: "assistant", content: "I like that you tell me. What do you eat?" },
      { role: "user", content: "What do I like?" },
    ];
    const { stored } = await remember(own, { messages });
    const types = stored.map(({ type }: { type: string }) => type);
    expect(types).toEqual(["preference", "episode", "episode"]);
    const { body } = await own.ask("POST /context", { input: "what may I not eat?" });
    expect(body.prompt).toContain("I am allergic to walnuts");
    for (const text of ["what did my sister say?", "Was mag meine Schwester?"])
      expect((await remember(own, { text })).stored[0].type, text).toBe("episode");
    expect(await remember(own, { text: "hi" })).toMatchObject({ stored: [], skipped: 1 });
    expect((await remember(own, { text: "ok", type: "fact" })).created).toBe(1);
  });

  test("stores nothing twice: the same text, other marks and cases, and a line that a prompt gave", async () => {
    const own = client();
    const text = "The staging database runs on heron, and its password is in the vault.";
    const [first] = (await remember(own, { text })).stored;
    const again = [
      text,
      text.toUpperCase(),
      "The staging database runs on heron and its password is in the vault",
      `- ${text} (noted on 26 Nov 2026, today)`,
      `[${first.id}] ${text}`,
    ];
    for (const copy of again) {
      const { stored, created, duplicates } = await remember(own, { text: copy });
      expect([created, duplicates, stored[0].id], copy).toEqual([0, 1, first.id]);
    }
    const { body } = await own.ask("POST /context", {
      input: "where does the staging database run?",
    });
    const line = body.sections.find(({ name }: { name: string }) => name === "facts").content;
    expect((await remember(own, { text: line })).duplicates).toBe(1);
    expect((await remember(own, { memories: ["One more fact.", "one more fact"] })).created).toBe(
      1,
    );
    expect(await countOf(own)).toBe(2);
    expect((await remember(own, { text, user: "omar" })).created).toBe(1);
  });

  test("names the memories that it may correct", async () => {
    const own = client();
    const [old] = (await remember(own, { text: "Standup is at ten." })).stored;
    const [{ replaces }] = (
      await remember(own, { text: "Standup is at ten no longer, changed to nine." })
    ).stored;
    expect(replaces).toMatchObject([{ id: old.id, title: "Standup is at ten." }]);
    const [other] = (
      await remember(own, {
        text: "Standup is at ten no longer, changed to eight.",
        user: "omar",
      })
    ).stored;
    expect(other.replaces).toBeUndefined();
  });

  test("is done once for one Idempotency-Key, and wholly or not at all", async () => {
    const own = client();
    const key = { "idempotency-key": "a" };
    const one = await remember(own, { text: "Backups start at three." }, key);
    const two = await remember(own, { text: "Backups start at three." }, key);
    expect(two.stored).toEqual(one.stored);
    const wrong = await own.ask("POST /remember", { memories: ["Right.", " "] });
    expect(wrong).toMatchObject({ status: 400, body: { issues: [{ path: "text" }] } });
    expect(await countOf(own)).toBe(1);
  });

  test.each([
    [{}, ""],
    [{ text: "a", messages: [{ role: "user", content: "b" }] }, ""],
    [{ text: "a", user_id: "x" }, "user_id"],
    [{ memories: [{ text: "a", tagz: [] }] }, "memories.0.tagz"],
    [{ text: "a", importance: 2 }, "importance"],
  ])("refuses %j", async (body, path) => {
    const { status, body: answer } = await client().ask("POST /remember", body);
    expect(status).toBe(400);
    expect(answer.issues.map((issue: { path: string }) => issue.path)).toContain(path);
  });
});

/** Sentences with the type that a person gives them. */
const LABELLED: readonly [type: string, ...texts: string[]][] = [
  [
    "preference",
    "I prefer window seats.",
    "Mira likes her coffee black.",
    "Omar hates early meetings.",
    "My favourite editor is Helix.",
    "She is allergic to cashews.",
    "He would rather take the train.",
    "Mira mag keinen Käse.",
    "Ich trinke lieber Tee.",
    "Er ist allergisch gegen Nüsse.",
    "Ihre Lieblingsfarbe ist Grün.",
  ],
  [
    "decision",
    "We decided to use PostgreSQL.",
    "The team agreed on two-week sprints.",
    "We'll go with the blue logo.",
    "She chose the flat in Oslo.",
    "They settled on Thursdays for reviews.",
    "Wir haben beschlossen, Rust zu nehmen.",
    "Das Team hat sich auf Freitag geeinigt.",
    "Er hat sich gegen die Reise entschieden.",
  ],
  [
    "procedure",
    "To deploy, run make release and tag the commit.",
    "How to reset the router: hold the button for ten seconds.",
    "First stop the worker, then run the migration.",
    "Always back up the database before a migration.",
    "Never push without running the tests.",
    "Um neu zu starten, zuerst den Dienst anhalten, dann den Cache leeren.",
    "Zuerst Mehl sieben, dann Eier unterrühren.",
  ],
  [
    "task",
    "Send the invoice by Friday.",
    "I need to call the dentist.",
    "Don't forget to water the plants.",
    "The report is due on 3 March.",
    "Omar has to renew his passport.",
    "Ich muss die Miete überweisen.",
    "Bis Freitag die Folien schicken.",
    "Nicht vergessen: Brot kaufen.",
  ],
  [
    "signal",
    "The staging server is down.",
    "The printer is out of stock of toner.",
    "Right now the queue has 4,000 jobs.",
    "Der Drucker ist ausgefallen.",
    "Im Moment ist die Leitung langsam.",
  ],
  [
    "event",
    "Omar moved to Bergen in May.",
    "We met Lena at the conference.",
    "Yesterday the deploy failed twice.",
    "She bought a red bicycle.",
    "Last week the heating broke.",
    "The launch took place three weeks ago.",
    "Gestern war die Heizung kaputt.",
    "Wir besuchten meine Tante in Graz.",
    "Letzten Sommer fuhr sie nach Island.",
  ],
  [
    "person",
    "Omar is Mira's brother.",
    "My dentist is Dr. Lind.",
    "Lena works at the harbour.",
    "Her daughter is six years old.",
    "The neighbour is called Per.",
    "Meine Schwester wohnt in Kiel.",
    "Der Hund heißt Rex.",
    "Er arbeitet als Lehrer.",
  ],
  [
    "project",
    "Skerry is a project for ferry timetables.",
    "The repository holds two crates.",
    "The next milestone is the public beta.",
    "Das Projekt zeigt Fahrpläne von Fähren.",
  ],
  [
    "fact",
    "The API allows 300 requests a minute.",
    "Tidepool uses the AGPL-3.0 licence.",
    "The Wi-Fi password is in the drawer.",
    "Staging runs on heron.",
    "Water boils at 93 degrees up there.",
    "Der Zug hält in Bamberg.",
    "Das Passwort liegt in der Schublade.",
    "Die Wohnung hat drei Zimmer.",
  ],
];

describe("rules of remembering", () => {
  test("guess the type that a person would give, for nine of ten sentences", () => {
    const all = LABELLED.flatMap(([type, ...texts]) => texts.map((text) => ({ type, text })));
    const wrong = all.filter(({ type, text }) => guessedType(GENERAL, text) !== type);
    expect(all.length).toBeGreaterThan(60);
    const said = wrong.map(
      ({ type, text }) => `${text}: ${guessedType(GENERAL, text)}, not ${type}`,
    );
    expect(wrong.length, said.join("\n")).toBeLessThanOrEqual(all.length / 10);
  });

  test("split between sentences, below headings, and not in code", () => {
    expect(piecesOf("Short.")).toMatchObject([{ title: "Short.", text: "Short." }]);
    expect(piecesOf(" \n ")).toEqual([]);
    const code = `\`\`\`\n${"let a = 1;\n\n".repeat(10)}\`\`\``;
    expect(piecesOf(code)).toHaveLength(1);
    const long = "One two three four five six seven eight nine ten. ".repeat(60);
    const pieces = piecesOf(long);
    expect(pieces.length).toBeGreaterThan(4);
    expect(
      pieces
        .map(({ text }) => text)
        .join(" ")
        .replaceAll(/\s+/g, ""),
    ).toBe(long.replaceAll(/\s+/g, ""));
    for (const { text } of pieces) expect(text.split(" ").length).toBeLessThanOrEqual(120);
    expect(titleOf("A first sentence. A second.")).toBe("A first sentence.");
    expect(titleOf("word ".repeat(100)).length).toBeLessThanOrEqual(101);
  });

  test("take texts with another number for other texts", () => {
    const same = (one: string, other: string) => statementOf(one) === statementOf(other);
    expect(same("The limit is 60 a minute", "The limit is 60 a minute.")).toBe(true);
    expect(same("The limit is 60 a minute", "The limit is 300 a minute")).toBe(false);
    expect(statementOf(" \n")).toBe("");
  });
});
