// Prompts built from an agent's memories, within their budgets, and reranked by the feedback on
// earlier prompts.

import { describe, expect, test } from "vitest";
import * as api from "../../js/server/src/api/context.ts";
import { raw } from "./support/existing-database.ts";
import { testOnFiles } from "./support/on-postgres.ts";
import { start } from "./support/server-process.ts";
import { type Client, clientOf, LESSON, sharedServer } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const { server, client } = sharedServer();

const IDENTITY = "You are a trader.";
const INPUT = "What did we decide about BTC funding?";

const build = async (by: Client, body: object = {}) => {
  const { status, body: answer } = await by.ask("POST /context", {
    input: INPUT,
    identity: IDENTITY,
    ...body,
  });
  expect({ status, answer }).toMatchObject({ status: 200 });
  return answer;
};
const answered = async (
  by: Client,
  { context_id, recalled_content }: { context_id: string; recalled_content: object },
  response: string,
) => {
  const { status, body } = await by.ask("POST /context/feedback", {
    context_id,
    recalled_content,
    response,
  });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
};

/** One memory of each kind about BTC funding, and one about another subject. */
async function trader(own: Client) {
  const create = (
    subtype: string | null,
    content_title: string,
    content_body = "BTC funding is what it is about",
  ) => own.create({ subtype, content_title, content_body });
  return {
    decision: await create("custom:thesis", "Fade BTC funding above 0.1%"),
    fact: await create("custom:lesson", "BTC funding reverts within a day"),
    procedure: await create(
      "custom:playbook",
      "BTC funding fade",
      '{"action": "short", "text": "BTC funding"}',
    ),
    episode: await create("custom:market_event", "BTC funding spiked on Tuesday"),
    untyped: await create(null, "BTC funding, unsorted"),
    other: await create("custom:lesson", "Gardens need water", "Every day"),
  };
}

describe("POST /context", () => {
  test("puts memories into the sections of a prompt", async () => {
    const own = client();
    const { decision, fact, procedure, episode, untyped } = await trader(own);
    const answer = await build(own);
    expect(api.contextAnswer.strict().parse(answer)).toEqual(answer);
    expect(answer).not.toHaveProperty("plan");
    expect(answer).not.toHaveProperty("failed");
    expect(answer.recalled_ids.decision).toEqual([decision.id]);
    expect(answer.recalled_ids.procedure).toEqual([procedure.id]);
    const { fact: facts, episode: episodes } = answer.recalled_ids;
    expect([...facts, ...episodes]).toEqual(
      expect.arrayContaining([fact.id, episode.id, untyped.id]),
    );
    expect(answer.prompt).toMatch(/^## Identity\n\nYou are a trader\.\n\n## Related Decisions/);
    expect(answer.prompt).toContain("Fade BTC funding above 0.1%");
    // Whatever else is found comes last.
    const shown = answer.prompt.split("\n");
    const lineWith = (words: string) => shown.findIndex((line: string) => line.includes(words));
    if (lineWith("Gardens") >= 0)
      expect(lineWith("Gardens")).toBeGreaterThan(lineWith("reverts within a day"));
    expect(Object.keys(answer.recalled_content).sort()).toEqual(
      Object.values(answer.recalled_ids).flat().sort(),
    );
    expect(answer.context_id).toMatch(/^[0-9a-f-]{36}$/);
    const countOf = async (id: string) =>
      (await own.ask(`GET /nodes/${id}?recall=false`)).body.neural_access_count;
    expect(await countOf(decision.id)).toBe(1);
    const stranger = await build(client());
    expect(Object.values(stranger.recalled_ids).flat()).toEqual([]);
  });

  test("finds memories that share no word with the turn by a given vector", async () => {
    const own = client();
    const towards = (place: number) => Array.from({ length: 8 }, (_, at) => (at === place ? 1 : 0));
    const subtype = "custom:lesson";
    const near = await own.create({
      subtype,
      content_title: "Gardens need water",
      embedding: towards(1),
    });
    await own.create({ subtype, content_title: "Trains run late", embedding: towards(2) });
    const input = "what keeps plants alive?";
    expect((await build(own, { input, embedding: towards(1) })).recalled_ids.fact).toEqual([
      near.id,
    ]);
    const { status, body } = await own.ask("POST /context", { input, embedding: [1, 2] });
    expect([status, body.issues]).toMatchObject([400, [{ path: "embedding" }]]);
  });

  test("finds facts beside many more and nearer episodes, and facts without a subtype", async () => {
    const own = client();
    const towards = (angle: number, place: number) =>
      Array.from({ length: 8 }, (_, at) =>
        at === 0 ? Math.cos(angle) : at === 1 + (place % 7) ? Math.sin(angle) : 0,
      );
    const episodes = Array.from({ length: 60 }, (_, place) => ({
      ...{ type: "episode", subtype: "custom:turn_summary", content_title: `chatter ${place}` },
      embedding: towards(0.1 + place / 1_000, place),
    }));
    const facts = ["custom:lesson", null].map((subtype, place) => ({
      ...{
        type: "concept",
        subtype,
        content_title: `vorpal ${place}`,
        embedding: towards(0.35, place),
      },
    }));
    const { body } = await own.ask("POST /nodes/batch", { items: [...episodes, ...facts] });
    expect(body.created ?? body).toBeDefined();
    const input = "should we use Redis for caching sessions?";
    const { fact } = (await build(own, { input, embedding: towards(0, 0) })).recalled_ids;
    expect(fact).toHaveLength(2);
  });

  test("retrieves nothing for a greeting", async () => {
    const own = client();
    await trader(own);
    const answer = await build(own, { input: "hey" });
    expect(Object.values(answer.recalled_ids).flat()).toEqual([]);
    expect(answer.prompt).toContain(IDENTITY);
  });

  testOnFiles(
    "fills the profile with facts about the user, and recent conversations with those of two days",
    async () => {
      const own = client();
      await own.create({
        subtype: "custom:preference",
        content_title: "Short answers",
        content_body: "",
      });
      const faded = await own.create({
        subtype: "custom:rule",
        content_title: "Old rule",
        content_body: "",
      });
      await own.ask(`PATCH /nodes/${faded.id}`, { state_lifecycle: "ARCHIVE" });
      const talk = { type: "episode", subtype: "custom:turn_summary", content_body: "" };
      await own.create({
        ...talk,
        content_title: "Talked about stops",
        content_summary: "Wider stops",
      });
      const old = await own.create({ ...talk, content_title: "Talked about hats" });
      const before = new Date(Date.now() - 3 * 86_400_000).toISOString();
      const set = "UPDATE nodes SET created_at = ?, provenance_created_at = ? WHERE id = ?";
      raw(own.file()).prepare(set).run(before, before, old.id);
      const { prompt } = await build(own, { input: "What did we talk about recently?" });
      const section = (name: string) =>
        prompt.split("## ").find((it: string) => it.startsWith(name));
      expect(section("User Profile")).toMatch(
        /^User Profile\n\n- Short answers \(noted on \d+ \w+ \d{4}, today\)\n\n$/,
      );
      expect(section("Recent Conversations")).toMatch(/Talked about stops.*Wider stops/);
      expect(section("Recent Conversations")).not.toContain("hats");
    },
  );

  test("leaves out what the conversation repeats, and what exceeds the budget", async () => {
    const own = client();
    const { fact, decision } = await trader(own);
    const messages = [
      {
        role: "user",
        content: "I know that BTC funding reverts within a day: BTC funding is what it is about",
      },
    ];
    const { left_out } = await build(own, { messages });
    expect(left_out).toContainEqual({ id: fact.id, section: "facts", reason: "conversation" });
    const small = await build(own, { budgets: { decisions: 2 } });
    expect(small.left_out).toContainEqual({
      id: decision.id,
      section: "decisions",
      reason: "budget",
    });
  });

  testOnFiles(
    "ranks a memory stored in the prompt's frame, or under its censors, before an equal one",
    async () => {
      const censors = [{ id: "c1", text: "No leverage", action: "warn" }];
      for (const [stored, asked] of [
        [{ frame: "risk" }, { frame: "risk" }],
        [{ censors: ["c1", "c2"] }, { frame: "any", censors }],
      ]) {
        const own = client();
        const fact = (fields: object) =>
          own.create({
            content_title: "BTC funding reverts",
            content_body: "Within a day",
            ...fields,
          });
        const fitting = await fact(stored!);
        const other = await fact({ frame: "other", censors: ["c9"] });
        // By time alone the newer one would come first.
        const daysAgo = new Date(Date.now() - 3 * 86_400_000).toISOString();
        raw(own.file())
          .prepare("UPDATE nodes SET provenance_created_at = ? WHERE id = ?")
          .run(daysAgo, fitting.id);
        const factsIn = async (turn: object) =>
          (await build(own, { ...turn, recall: "none", ranking: "signals" })).recalled_ids.fact;
        expect(await factsIn({ frame: "elsewhere" })).toEqual([other.id, fitting.id]);
        expect(await factsIn(asked!)).toEqual([fitting.id, other.id]);
      }
    },
  );

  test("keeps the frame and the censors of a memory", async () => {
    const own = client();
    const kept = { frame: "risk", censors: ["c1", "c2"] };
    const { id, ...made } = await own.create({ id: "n_framed", ...kept });
    expect(made).toMatchObject(kept);
    expect(await own.create()).toMatchObject({ frame: null, censors: [] });
    expect((await own.ask("POST /nodes", { ...LESSON, id, ...kept })).status).toBe(201);
    expect((await own.ask("POST /nodes", { ...LESSON, id, frame: "other" })).status).toBe(409);
    const changed = await own.ask(`PATCH /nodes/${id}`, { frame: "calm", censors: [] });
    expect(changed.body).toMatchObject({ frame: "calm", censors: [], version: 2 });
    expect((await own.ask(`PATCH /nodes/${id}`, { censors: ["c3"] })).body).toMatchObject({
      frame: "calm",
      censors: ["c3"],
    });
    expect((await own.ask(`PATCH /nodes/${id}`, { frame: null })).body).toMatchObject({
      frame: null,
      censors: ["c3"],
    });
    const refused = await own.ask("POST /nodes", { ...LESSON, censors: "c1" });
    expect([refused.status, refused.body.issues]).toMatchObject([400, [{ path: "censors" }]]);
  });

  test("takes censors, a frame and a working memory from the request", async () => {
    const answer = await build(client(), {
      frame: { frame_id: "audit", frame_name: "Audit" },
      censors: [{ id: "c1", text: "Never short SOL", action: "block" }],
      working_memory: { current_task: "Count positions", current_frame: "audit" },
    });
    expect(answer).toMatchObject({
      active_censors: ["c1"],
      frame: { frame_id: "audit" },
      refresh_needed: false,
    });
    for (const text of ["Audit", "Never short SOL", "Count positions"])
      expect(answer.prompt).toContain(text);
  });

  test("strengthens edges between recalled memories once per prompt, unless the request turns counting off", async () => {
    const own = client();
    const { decision, fact } = await trader(own);
    const tie = await own.link(decision.id, fact.id, "relates_to");
    await build(own);
    await build(own, { recall: "none" });
    const { body } = await own.ask(`GET /edges?node_id=${decision.id}`);
    const strengths = new Map(
      body.data.map(({ id, strength }: { id: string; strength: number }) => [id, strength]),
    );
    expect(strengths.get(tie.id)).toBeCloseTo(0.53, 10);
  });
});

describe("a prompt by evidence", () => {
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString();

  test("finds what a search finds, whatever the first word or its capital is", async () => {
    const own = client();
    const facts = [
      "User wears size M.",
      "User drinks coffee without sugar.",
      "User lives in Oslo.",
      "User is allergic to cashews and carries an EpiPen.",
      "User has a dog named Rex.",
    ];
    for (const content_title of facts)
      await own.create({ subtype: null, content_title, content_body: null });
    for (const [input, said] of [
      ["What is my shirt size?", "size M"],
      ["what is my shirt size?", "size M"],
      ["What should I cook for User tonight? Any allergies?", "cashews"],
    ] as const) {
      const { prompt, probability, asked } = await build(own, { input });
      expect(prompt, input).toContain(said);
      expect(probability).toBeGreaterThan(0);
      expect(asked).toBe(input);
    }
  });

  test("ends each line with the day of the event, or of the note, and how long ago it is", async () => {
    const own = client();
    const note = { subtype: null, content_body: null };
    await own.create({ ...note, content_title: "The roof was repaired", event_time: day(49) });
    await own.create({ ...note, content_title: "The roof leaks again", created_at: day(1) });
    const { prompt } = await build(own, { input: "What about the roof?" });
    expect(prompt).toMatch(/- The roof was repaired \(on \d+ \w{3} \d{4}, 7 weeks ago\)/);
    expect(prompt).toMatch(/- The roof leaks again \(noted on \d+ \w{3} \d{4}, yesterday\)/);
  });

  test("leaves out what another memory supersedes, and the turn itself", async () => {
    const own = client();
    const note = { subtype: null, content_body: null };
    const old = await own.create({ ...note, content_title: "The API rate limit is 60 a minute" });
    const now = await own.create({ ...note, content_title: "The API rate limit is 300 a minute" });
    await own.link(now.id, old.id, "supersedes");
    const input = "What is the current API rate limit?";
    const echo = await own.create({ ...note, content_title: input });
    const { prompt, left_out } = await build(own, { input });
    expect(prompt).toContain("300 a minute");
    expect(prompt).not.toContain("60 a minute");
    const reasons = new Map(
      left_out.map(({ id, reason }: { id: string; reason: string }) => [id, reason]),
    );
    expect(reasons.get(old.id)).toBe("superseded");
    expect(reasons.get(echo.id)).toBe("echo");
  });

  test("holds what a question repeats, if it was told before or has a time", async () => {
    const own = client();
    const note = { subtype: null, content_body: null };
    const told = [
      ["Mira lives in Oslo", "Is it true that Mira lives in Oslo?", {}],
      ["Omar keeps two llamas", "I forgot whether Omar keeps two llamas or goats", {}],
      ["The deploy is on Friday", "The deploy is on Friday, right?", { created_at: day(0.1) }],
      ["Dinner at Ana's house", "When was dinner at Ana's house?", { event_time: day(49) }],
      ["The pump was replaced", "The pump was replaced. By whom?", { event_time: day(3) }],
    ] as const;
    for (const [title, input, times] of told) {
      await own.create({ ...note, content_title: title, ...times });
      const built = await build(own, { input });
      expect(built.prompt).toContain(title);
      expect(built.probability).toBeGreaterThan(0);
    }
    // What the turn itself has just told repeats it.
    const heron = await own.create({ ...note, content_title: "A heron stands in the pond" });
    const input = "A heron stands in the pond, what should I do?";
    const { left_out } = await build(own, { input });
    expect(left_out).toContainEqual(expect.objectContaining({ id: heron.id, reason: "echo" }));
  });

  test("leaves out the turn that was remembered as a message, and does not count it as an answer", async () => {
    const own = client();
    const input = "Where does the ferry to Bergen leave?";
    await own.ask("POST /remember", { messages: [{ role: "user", content: input }] });
    await own.ask("POST /remember", { text: input });
    const alone = await build(own, { input });
    expect(alone.prompt).not.toContain("ferry");
    expect(alone).toMatchObject({ answerable: false, probability: 0 });
    await own.create({ content_title: "The garden has a pond", content_body: null });
    const { body } = await own.ask("POST /remember", { text: "Paths of gravel cross the lawn." });
    const earlier = { role: "user", content: "Paths of gravel cross the lawn." };
    const { left_out } = await build(own, { input: "gravel?", messages: [earlier] });
    expect(left_out).toContainEqual(
      expect.objectContaining({ id: body.stored[0].id, reason: "conversation" }),
    );
  });

  test("keeps within max_tokens, and fills what a long memory leaves free", async () => {
    const own = client();
    const note = { subtype: null };
    const long = await own.create({
      ...note,
      content_title: "Garden plan",
      content_body: "The garden has beds, paths and a pond. ".repeat(40),
    });
    const short = await own.create({
      ...note,
      content_title: "The garden gate is green",
      content_body: null,
    });
    const { prompt, tokens, left_out } = await build(own, {
      input: "Which plan has the garden, and what colour is its gate?",
      max_tokens: 80,
    });
    expect(tokens).toBeLessThanOrEqual(80);
    expect(prompt).toContain("gate is green");
    expect(left_out).toContainEqual({ id: long.id, section: "facts", reason: "total" });
    const none = await build(own, { input: "garden gate", budgets: { facts: 0 } });
    expect(none.left_out).toContainEqual({ id: short.id, section: "facts", reason: "budget" });
  });

  test("many lines together keep within max_tokens: none is counted as less than it takes", async () => {
    const own = client();
    for (let place = 0; place < 40; place += 1)
      await own.create({
        subtype: null,
        content_title: `Greenhouse ${100 + place} opens at ${6 + (place % 4)}`,
        content_body: null,
      });
    for (const max_tokens of [100, 200, 300, 400, 500, 600]) {
      const { tokens, sections } = await build(own, { input: "Greenhouse opens?", max_tokens });
      expect(tokens).toBeLessThanOrEqual(max_tokens);
      expect(sections.length).toBeGreaterThan(0);
    }
  });

  test("asks with the last messages if the turn continues their topic", async () => {
    const own = client();
    await own.create({
      subtype: null,
      content_title: "Omar's brother works in Bergen",
      content_body: null,
    });
    const messages = [
      { role: "user", content: "Tell me about Omar and his brother." },
      { role: "assistant", content: "What do you want to know?" },
    ];
    const { prompt, asked } = await build(own, { input: "where?", messages });
    expect(asked).toContain("Omar");
    expect(prompt).toContain("Bergen");
  });

  test("holds the memories of the filter alone, in the profile, too", async () => {
    const own = client();
    const note = { content_body: null };
    await own.create({
      ...note,
      subtype: "custom:preference",
      content_title: "Mira likes tea",
      user: "mira",
    });
    await own.create({
      ...note,
      subtype: "custom:preference",
      content_title: "Omar likes tea",
      user: "omar",
    });
    const { prompt } = await build(own, { input: "tea or coffee?", filter: { user: "omar" } });
    expect(prompt).toContain("Omar likes tea");
    expect(prompt).not.toContain("Mira");
  });

  test("shows no successor that the filter leaves out", async () => {
    const own = client();
    const note = { subtype: null, content_body: null };
    const old = await own.create({
      ...note,
      content_title: "Tea at four in the garden",
      user: "mira",
    });
    const secret = await own.create({ ...note, content_title: "Quetzal", user: "omar" });
    await own.link(secret.id, old.id, "supersedes");
    const filter = { user: "mira" };
    const { prompt } = await build(own, { input: "When is tea in the garden?", filter });
    expect(prompt).not.toContain("Quetzal");
    expect((await build(own, { input: "When is tea in the garden?" })).prompt).toContain("Quetzal");
  });

  test("counts nothing with recall: false, and neither does a search", async () => {
    const own = client();
    const { id } = await own.create();
    await build(own, { input: "funding squeeze", recall: false });
    await own.ask("POST /search", { query: "funding squeeze", recall: false });
    await own.ask("POST /retrieve", { query: "funding squeeze", recall: false });
    expect((await own.ask(`GET /nodes/${id}?recall=false`)).body.neural_access_count).toBe(0);
  });
});

test("thirty searches leave the score of a memory as it was", async () => {
  const own = client();
  await own.create();
  await own.create({ content_title: "Volvo XC60", content_body: "bought in spring" });
  const scored = async () => (await own.ask("POST /search", { query: "Volvo" })).body.data[0].score;
  const before = await scored();
  for (let time = 0; time < 30; time++) await scored();
  expect(await scored()).toBe(before);
});

test("POST /answerable tells how probably the memory holds an answer", async () => {
  const own = client();
  const { id } = await own.create({
    content_title: "The garden gate is green",
    content_body: null,
  });
  const said = async (question: string) => (await own.ask("POST /answerable", { question })).body;
  const known = await said("What colour is the garden gate?");
  expect(known).toMatchObject({ best: { id, content_title: "The garden gate is green" } });
  const unknown = await said("Who won the chess final?");
  expect(unknown).toMatchObject({ answerable: false });
  expect(known.probability).toBeGreaterThan(unknown.probability);
  expect((await own.ask(`GET /nodes/${id}?recall=false`)).body.neural_access_count).toBe(0);
});

describe("GET /timeline", () => {
  test("lists memories by the time of the event or of the creation, page by page", async () => {
    const own = client();
    const made = (content_title: string, fields: object) =>
      own.create({ content_title, ...fields });
    await made("second", { event_time: "2026-04-02T00:00:00Z" });
    await made("first", { created_at: "2026-03-02T00:00:00Z" });
    await made("third", { event_time: "2026-05-02T00:00:00Z", tags: ["trip"] });
    await made("outside", { event_time: "2026-07-02T00:00:00Z" });
    const titles = async (query: string) =>
      (await own.ask(`GET /timeline?${query}`)).body.data.map(
        (entry: { content_title: string; at_is: string }) =>
          `${entry.content_title} ${entry.at_is}`,
      );
    const range = "from=2026-03-01&to=2026-06-01";
    const all = ["first created", "second event", "third event"];
    expect(await titles(range)).toEqual(all);
    expect(await titles(`${range}&order=desc`)).toEqual(all.toReversed());
    expect(await titles(`${range}&tag=trip`)).toEqual(["third event"]);
    const paged: string[] = [];
    let cursor = "";
    do {
      const { body } = await own.ask(`GET /timeline?${range}&limit=1${cursor}`);
      paged.push(...body.data.map(({ content_title }: { content_title: string }) => content_title));
      cursor = body.next_cursor === null ? "" : `&cursor=${body.next_cursor}`;
    } while (cursor !== "");
    expect(paged).toEqual(["first", "second", "third"]);
  });

  test("is not needed for a question that names a time alone", async () => {
    const own = client();
    const spring = await own.create({
      subtype: null,
      content_title: "Moved to Bergen",
      content_body: null,
      event_time: "2026-04-10T00:00:00Z",
    });
    await own.create({
      subtype: null,
      content_title: "Bought skis",
      content_body: null,
      event_time: "2026-01-10T00:00:00Z",
    });
    for (const query of ["What happened in spring 2026?", "Was war im April 2026?"])
      expect((await own.search(query, { limit: 1 }))[0], query).toBe(spring.id);
  });
});

describe("POST /context/feedback", () => {
  testOnFiles("records the memories that the answer used, once for each context", async () => {
    const own = client();
    const { decision } = await trader(own);
    const context = await build(own);
    const response = "We decided to fade BTC funding above 0.1%";
    const first = await answered(own, context, response);
    expect(api.feedbackAnswer.strict().parse(first).count).toBe(
      Object.keys(context.recalled_content).length,
    );
    expect(first.recorded).toContainEqual({
      memory_id: decision.id,
      was_referenced: true,
      overlap_score: expect.any(Number),
    });
    expect(await answered(own, context, "Something else entirely")).toEqual(first);
    const rows = raw(own.file()).prepare("SELECT * FROM memory_usage").all() as {
      memory_type: string;
    }[];
    expect(rows).toHaveLength(first.count);
    expect(rows.map(({ memory_type }) => memory_type)).toContain("decision");
  });

  test("moves used memories up, and unused ones down", async () => {
    const own = client();
    const create = (text: string) =>
      own.create({ content_title: "BTC funding", content_body: text });
    await create("alpha bravo charlie");
    await create("delta echo foxtrot");
    const before = await build(own);
    const [first, second] = before.recalled_ids.fact;
    const [, words] = before.recalled_content[second].split(": ");
    for (let turn = 0; turn < 3; turn++) await answered(own, await build(own), words);
    expect((await build(own)).recalled_ids.fact).toEqual([second, first]);
  });

  testOnFiles("skips missing memories; a deleted memory's records go with it", async () => {
    const own = client();
    const { decision } = await trader(own);
    const context = await build(own);
    const recalled_content = { ...context.recalled_content, n_none: "BTC" };
    const { recorded } = await answered(own, { ...context, recalled_content }, "BTC");
    expect(recorded.map(({ memory_id }: { memory_id: string }) => memory_id)).not.toContain(
      "n_none",
    );
    await own.ask(`DELETE /nodes/${decision.id}`);
    const left = "SELECT count(*) AS count FROM memory_usage WHERE memory_id = ?";
    expect(raw(own.file()).prepare(left).get(decision.id)).toMatchObject({ count: 0 });
  });

  testOnFiles("drops the oldest of five thousand records", async () => {
    const own = client();
    const { decision } = await trader(own);
    const db = raw(own.file());
    const add = db.prepare("INSERT INTO memory_usage VALUES (NULL, ?, 'decision', ?, ?, 1, 0.5)");
    const now = new Date().toISOString();
    db.exec("BEGIN");
    for (let place = 0; place < 5_000; place++) add.run(decision.id, `before ${place}`, now);
    db.exec("COMMIT");
    const { count } = await answered(own, await build(own), "BTC");
    const kept = db
      .prepare("SELECT count(*) AS count, min(sequence) AS first FROM memory_usage")
      .get();
    expect(kept).toMatchObject({ count: 5_000, first: count + 1 });
  });

  testOnFiles(
    "drops records of more than 21 days; a record keeps the type of its memory",
    async () => {
      const own = client();
      const { decision } = await trader(own);
      const db = raw(own.file());
      const add = db.prepare("INSERT INTO memory_usage VALUES (NULL, ?, 'decision', ?, ?, 1, 0.5)");
      const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
      for (const days of [400, 21.01, 20.99, 1])
        add.run(decision.id, `${days} days ago`, daysAgo(days));
      const { count } = await answered(own, await build(own), "BTC");
      const kept = db
        .prepare("SELECT context_id, memory_type FROM memory_usage ORDER BY sequence")
        .all() as object[];
      expect(kept.slice(0, 2)).toMatchObject([
        { context_id: "20.99 days ago" },
        { context_id: "1 days ago" },
      ]);
      expect(kept).toHaveLength(2 + count);
      for (const record of kept)
        expect(record).toMatchObject({ memory_type: expect.stringMatching(/^[a-z]+$/) });
    },
  );

  test("survives a kill", async () => {
    const folder = temporaryFolder();
    const first = await start(folder);
    const own = clientOf(first, "default");
    await trader(own);
    const context = await build(own);
    const firstAnswer = await answered(own, context, "fade BTC funding");
    await first.end("SIGKILL");
    expect(
      await answered(clientOf(await start(folder), "default"), context, "another answer"),
    ).toEqual(firstAnswer);
  });
});

test("GET /context/guidance returns a passage for the system prompt", async () => {
  const { status, body } = await server().ask("GET /context/guidance");
  expect(status).toBe(200);
  for (const section of ["**Signals**", "**Episodic**", "**Knowledge**", "**Procedural**"])
    expect(body.text).toContain(section);
});

describe("GET /context/expand", () => {
  const expand = async (by: Client, type: string, id: string, more = "") => {
    const { status, body } = await by.ask(`GET /context/expand?type=${type}&id=${id}${more}`);
    expect({ status, body }).toMatchObject({ status: 200 });
    expect(api.expandAnswer.strict().parse(body)).toEqual(body);
    return body;
  };

  test("returns all fields of a memory, as a recall unless recall=false", async () => {
    const own = client();
    const content_body = JSON.stringify({ text: "Funding reverts.\n## System", confidence: 0.7 });
    const { id } = await own.create({
      subtype: "custom:thesis",
      content_title: "Fade BTC",
      content_body,
    });
    const countOf = async () =>
      (await own.ask(`GET /nodes/${id}?recall=false`)).body.neural_access_count;
    const { text, found } = await expand(own, "decision", id, "&recall=false");
    expect([found, await countOf()]).toEqual([true, 0]);
    const day = new Date().toISOString().slice(0, 8);
    expect(text.replace(new RegExp(`${day}\\d\\d`), "DAY").split("\n")).toEqual([
      ...[
        "Decision: Fade BTC",
        `id: ${id}`,
        "section: KNOWLEDGE",
        "subtype: custom:thesis",
        "stored: DAY",
      ],
      ...["confidence: 0.7", "", "> Funding reverts.", "> \\## System"],
    ]);
    expect((await expand(own, "decision", id)).text).toBe(text);
    expect(await countOf()).toBe(1);
  });

  test("reports a missing memory, or one of another type, and counts nothing", async () => {
    const own = client();
    const { id } = await own.create({ subtype: "custom:thesis", content_title: "Fade BTC" });
    expect(await expand(own, "decision", "nobody")).toMatchObject({
      found: false,
      text: "not found",
    });
    expect(await expand(own, "fact", id)).toMatchObject({ found: false, text: "not found" });
    expect(await expand(own, "rumour", id)).toMatchObject({
      found: false,
      text: "Unknown memory type: rumour",
    });
    expect(await expand(client(), "decision", id)).toMatchObject({ found: false });
    expect((await own.ask(`GET /nodes/${id}?recall=false`)).body.neural_access_count).toBe(0);
    for (const wrong of [
      "?type=fact",
      "?id=a",
      "?type=fact&id=",
      `?type=fact&id=${id}&recall=maybe`,
    ]) {
      expect((await own.ask(`GET /context/expand${wrong}`)).status).toBe(400);
    }
  });
});
