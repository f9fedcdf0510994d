// What holds now, by guesses: answers, prompts and explanations for questions for what holds, for what was
// before, and for a course; and the history of a fact.

import { Memory, promptOfTurn, remember } from "nous-memory";
import { describe, expect, test } from "vitest";
import { historyOperations } from "../../js/server/src/api/history.ts";
import { searchOperations } from "../../js/server/src/api/search.ts";
import { type Client, sharedServer } from "./support/shared-server.ts";

const { client } = sharedServer();

const YEAR = new Date().getUTCFullYear();
const RENTS = [
  ["r900", `${YEAR - 2}-03-03`, "The rent of our flat is 900 euros."],
  ["r1000", `${YEAR - 1}-05-03`, "The rent of our flat is 1,000 euros (with water)."],
  ["r1100", `${YEAR - 1}-09-05`, "The rent of our flat is 1,100 euros."],
] as const;
const MAY = `3 May ${YEAR - 1}`;
const SEPTEMBER = `5 Sep ${YEAR - 1}`;
const NOW = "What is the rent of our flat?";
const BEFORE = "What was the rent of our flat before?";
const THEN = `What was the rent of our flat in June ${YEAR - 1}?`;
const COURSE = "How did the rent of our flat change?";

const PLACE = { type: "event", content_title: "Mira lives here", content_body: null };

/**
 * Stores the rents as events, which the server compares with nothing, and an edge for each pair: a guess,
 * or a sure one.
 */
async function rents(grades: readonly ("sure" | "likely")[]): Promise<Client> {
  const own = client();
  const event = { type: "event", subtype: undefined, content_body: null };
  for (const [id, created_at, content_title] of RENTS)
    await own.create({ ...event, id, created_at, content_title, tags: [id] });
  await own.create({ ...event, id: "tea", content_title: "Mira prefers tea to coffee" });
  for (const [place, grade] of grades.entries()) {
    const [older, newer] = [RENTS[place]![0], RENTS[place + 1]![0]];
    if (grade === "sure") await own.link(newer, older, "supersedes");
    else await own.link(newer, older, "likely_supersedes", { strength: 0.83 });
  }
  return own;
}

const rentsIn = (ids: readonly string[]) => ids.filter((id) => id.startsWith("r"));
const promptFor = async (own: Client, input: string): Promise<string> =>
  (await own.ask("POST /context", { input })).body.prompt;

describe("answers", () => {
  test.each([["likely"], ["sure"]] as const)(
    "put the memory first that the question asks for, if the edges are %s",
    async (grade) => {
      const own = await rents([grade, grade]);
      expect(rentsIn(await own.search(NOW))).toEqual(["r1100", "r1000", "r900"]);
      expect(rentsIn(await own.search(BEFORE))[0]).toBe("r1000");
      expect(rentsIn(await own.search(THEN))[0]).toBe("r1000");
      expect(rentsIn(await own.search(COURSE))).toEqual(["r900", "r1000", "r1100"]);
      expect(rentsIn(await own.search("Wie hoch war die Miete früher, rent of our flat?"))[0]).toBe(
        "r1000",
      );
    },
  );

  test("tell both sides of a guess, and hide nothing", async () => {
    const own = await rents(["likely"]);
    const { body } = await own.ask("POST /search", { query: NOW });
    expect(searchOperations.search.answer.parse(body)).toEqual(body);
    const since = `${YEAR - 1}-05-03T00:00:00.000Z`;
    const [older, newer] = ["r900", "r1000"].map((id) =>
      body.data.find((node: { id: string }) => node.id === id),
    );
    expect(older.replaced_by).toEqual({ id: "r1000", probability: 0.83, since });
    expect(newer.replaces).toEqual({ id: "r900", probability: 0.83, since });
    expect(older.superseded_by).toBeUndefined();
    const untouched = (await (await rents([])).ask("GET /nodes/r900?recall=false")).body;
    expect(older.state_lifecycle).toBe(untouched.state_lifecycle);
    expect([newer.replaced_by, older.replaces]).toEqual([undefined, undefined]);
    // Without the newer one, by a filter, nothing replaces it.
    const filter = { tags: { any: ["r900"] } };
    const alone = (await own.ask("POST /search", { query: NOW, filter })).body.data;
    expect(alone.map(({ id, replaced_by }: Record<string, unknown>) => [id, replaced_by])).toEqual([
      ["r900", undefined],
    ]);
    const why = (await own.ask("POST /explain", { query: NOW, ids: ["r900", "r1000"] })).body.data;
    expect(why[0].replaced_by).toEqual(older.replaced_by);
    expect(why[1].replaces).toEqual(newer.replaces);
    expect(why[0].rank).toBeGreaterThan(why[1].rank);
  });

  test("have what may replace the first of them behind it, if asked to", async () => {
    const own = client();
    const event = { type: "event", subtype: undefined, content_body: null };
    await own.create({ ...event, id: "older", content_title: "Releases happen on Wednesdays." });
    await own.create({
      ...event,
      id: "other",
      content_title: "Releases happen often.",
      tags: ["x"],
    });
    await own.create({ ...event, id: "newer", content_title: "The Bergen list hangs there." });
    await own.link("newer", "older", "faintly_supersedes", { strength: 0.1 });
    const ask = async (fields: object = {}) => {
      const query = "On which days do releases happen?";
      const { body } = await own.ask("POST /search", { query, ...fields });
      expect(searchOperations.search.answer.parse(body)).toEqual(body);
      return body.data.map(({ id, may_replace }: Record<string, string>) => [id, may_replace]);
    };
    const plain = await ask();
    expect(plain.slice(0, 2)).toEqual([
      ["older", undefined],
      ["other", undefined],
    ]);
    const ids = ["older", "newer", "other"];
    const followed = ids.map((id) => [id, id === "newer" ? "older" : undefined]);
    expect(await ask({ with_newer: true })).toEqual(followed);
    expect(await ask({ with_newer: true, limit: 2 })).toEqual(followed.slice(0, 2));
    expect(await ask({ with_newer: true, limit: 1 })).toEqual(followed.slice(0, 1));
    expect(await ask({ with_newer: true, min_score: 0.01 })).toEqual(
      await ask({ min_score: 0.01 }),
    );
    const filter = { tags: { any: ["x"] } };
    expect(await ask({ with_newer: true, filter })).toEqual([["other", undefined]]);
    expect(await ask({ with_newer: false })).toEqual(plain);
  });

  test("are as without it once the edge is removed", async () => {
    const own = await rents([]);
    const order = await own.search(NOW);
    const { id } = await own.link("r1000", "r1100", "likely_supersedes", { strength: 0.6 });
    expect(await own.search(NOW)).not.toEqual(order);
    expect((await own.ask(`DELETE /edges/${id}`)).status).toBe(200);
    expect(await own.search(NOW)).toEqual(order);
  });
});

describe("prompts", () => {
  test("mark what is earlier, with the newer value", async () => {
    const own = await rents(["likely"]);
    const prompt = await promptFor(own, NOW);
    expect(prompt).toContain(
      `900 euros. (earlier; since ${MAY}: The rent of our flat is 1,000 euros with water.) (noted on`,
    );
    expect(prompt.match(/earlier; since/g)).toHaveLength(1);
    // The statement that is sent back is the memory's own.
    const line = prompt.split("\n").find((one) => one.includes("earlier; since"))!;
    const { body } = await own.ask("POST /remember", { text: line });
    expect(body).toMatchObject({ duplicates: 1, stored: [{ id: "r900", action: "duplicate" }] });
  });

  test.each([["likely"], ["sure"]] as const)(
    "for the past say until when it held, if the edges are %s",
    async (grade) => {
      const own = await rents([grade, grade]);
      const before = await promptFor(own, BEFORE);
      expect(before).toContain(`1,000 euros (with water). (until ${SEPTEMBER}) (noted on`);
      const course = await promptFor(own, COURSE);
      expect(course).toContain(`900 euros. (until ${MAY})`);
      expect(course).toContain(`(until ${SEPTEMBER})`);
      expect(course).toContain("1,100 euros. (noted on");
      const now = await promptFor(own, NOW);
      expect(now).not.toContain("(until");
      expect(now.includes("900 euros")).toBe(grade === "likely");
    },
  );

  test("bring what may replace the first line behind it, if it passes the filter", async () => {
    const own = client();
    const event = { type: "event", subtype: undefined, content_body: null };
    const [older, newer] = ["Releases happen on Wednesdays.", "The Bergen list hangs there."];
    await own.create({ ...event, id: "older", content_title: older, tags: ["team"] });
    await own.create({ ...event, id: "newer", content_title: newer });
    const input = "On which days do releases happen?";
    expect(await promptFor(own, input)).not.toContain("line above");
    await own.link("newer", "older", "faintly_supersedes", { strength: 0.1 });
    const prompt = await promptFor(own, input);
    expect(prompt).toMatch(/Wednesdays\. .*\n- The Bergen .* \(later than the line above\) /);
    const filter = { tags: { any: ["team"] } };
    const { body } = await own.ask("POST /context", { input, filter });
    expect(body.prompt).toContain(older);
    expect(body.prompt).not.toContain(newer);
  });

  test("mark the profile, whatever the turn is about", () => {
    const memory = new Memory();
    const [older, newer] = RENTS.map(
      ([, event_time, text]) =>
        remember(memory, { text, event_time, type: "preference" }).stored[0]!.id,
    ) as [string, string];
    memory.link([
      {
        ...{ id: "guess", type: "likely_supersedes", strength: 0.7 },
        ...{ source_id: newer, target_id: older },
      },
    ]);
    for (const input of ["Does Mira like tea?", NOW]) {
      const { prompt } = promptOfTurn(memory, { input });
      expect(prompt).toContain("900 euros. (earlier; since ");
    }
    memory.free();
  });

  test("of a process are marked in the same way", () => {
    const memory = new Memory();
    const [older, newer] = RENTS.map(
      ([, created_at, text]) => remember(memory, { text, event_time: created_at }).stored[0]!.id,
    ) as [string, string];
    memory.link([
      {
        ...{ id: "guess", type: "likely_supersedes", strength: 0.7 },
        ...{ source_id: newer, target_id: older },
      },
    ]);
    expect(promptOfTurn(memory, { input: NOW }).prompt).toContain(`(earlier; since ${MAY}: The`);
    expect(promptOfTurn(memory, { input: COURSE }).prompt).toContain(`900 euros. (until ${MAY})`);
    memory.free();
  });
});

describe("the history of a fact", () => {
  const history = async (own: Client, body: object) => {
    const { status, body: answer } = await own.ask("POST /facts/history", body);
    expect({ status, answer }).toMatchObject({ status: 200 });
    expect(historyOperations.factHistory.answer.parse(answer)).toEqual(answer);
    expect(answer.count).toBe(answer.data.length);
    return answer.data.map(({ id, since, until, replaced_by }: Record<string, unknown>) => ({
      ...{ id, since, until, replaced_by },
    }));
  };
  const at = (date: string) => `${date}T00:00:00.000Z`;

  test("has the values in the order of time, whatever is asked", async () => {
    const own = await rents(["sure", "likely"]);
    const [first, second, third] = RENTS.map(([, date]) => at(date));
    const values = [
      {
        ...{ id: "r900", since: first, until: second },
        replaced_by: { id: "r1000", grade: "sure", probability: 1 },
      },
      {
        ...{ id: "r1000", since: second, until: third },
        replaced_by: { id: "r1100", grade: "likely", probability: 0.83 },
      },
      { id: "r1100", since: third, until: null, replaced_by: null },
    ];
    for (const id of ["r900", "r1000", "r1100"]) expect(await history(own, { id })).toEqual(values);
    for (const query of [NOW, BEFORE]) expect(await history(own, { query })).toEqual(values);
    expect(await history(own, { id: "tea" })).toMatchObject([{ id: "tea", until: null }]);
    const filter = { tags: { any: ["r900", "r1000"] } };
    expect(await history(own, { id: "r900", filter })).toMatchObject([
      { id: "r900", until: second },
      { id: "r1000", until: null, replaced_by: null },
    ]);
  });

  test("follows edges before times", async () => {
    const own = await rents([]);
    // The memory of the oldest time replaced another one: it was imported with a wrong day.
    await own.link("r900", "r1000", "likely_supersedes", { strength: 0.5 });
    expect(await history(own, { id: "r900" })).toMatchObject([{ id: "r1000" }, { id: "r900" }]);
  });

  test("of five values is one line, whichever of them is asked for", async () => {
    const own = client();
    const ids = ["a", "b", "c", "d", "e"];
    for (const [place, id] of ids.entries())
      await own.create({ ...PLACE, id, created_at: at(`2024-0${place + 1}-03`) });
    for (const [place, newer] of ids.slice(1).entries()) {
      const type = place % 2 === 0 ? "supersedes" : "likely_supersedes";
      await own.link(newer, ids[place]!, type, { strength: 0.6 });
    }
    for (const id of ids) {
      const values = await history(own, { id });
      expect(values.map((value: { id: string }) => value.id)).toEqual(ids);
      expect(values.map(({ until }: { until: string }) => until)).toEqual([
        ...values.slice(1).map(({ since }: { since: string }) => since),
        null,
      ]);
      const grades = values.map(
        ({ replaced_by }: { replaced_by: { grade: string } | null }) => replaced_by?.grade,
      );
      expect(grades).toEqual(["sure", "likely", "sure", "likely", undefined]);
    }
  });

  test("whose edges go round in a circle has each value once, and one that holds", async () => {
    for (const type of ["supersedes", "likely_supersedes"]) {
      const own = await rents([]);
      for (const [newer, older] of [
        ["r1000", "r900"],
        ["r1100", "r1000"],
        ["r900", "r1100"],
      ] as const)
        await own.link(newer, older, type, { strength: 0.6 });
      const values = await history(own, { id: "r1000" });
      // The edge that came last decides who holds.
      expect(values.map((value: { id: string }) => value.id)).toEqual(["r1000", "r1100", "r900"]);
      expect(values.map(({ until }: { until: string | null }) => until === null)).toEqual([
        ...[false, false, true],
      ]);
    }
  });

  test("loses a value that is deleted, and what was decided to hold as well", async () => {
    const own = await rents(["sure", "sure"]);
    expect((await own.ask("DELETE /nodes/r1000")).status).toBe(200);
    // Who replaced what was deleted replaces what that had replaced.
    expect(await history(own, { id: "r900" })).toMatchObject([
      { id: "r900", replaced_by: { id: "r1100", grade: "sure" } },
      { id: "r1100", replaced_by: null },
    ]);
    const guessed = await rents(["likely", "likely"]);
    await guessed.ask("DELETE /nodes/r1000");
    expect(await history(guessed, { id: "r900" })).toMatchObject([{ id: "r900", until: null }]);

    const both = await rents(["likely", "likely"]);
    const pair = { old_node_id: "r900", new_node_id: "r1000" };
    const decide = (resolution: string) =>
      both.ask("POST /contradiction/resolve", { ...pair, resolution });
    await decide("keep_both");
    expect(await history(both, { id: "r900" })).toMatchObject([{ id: "r900", until: null }]);
    expect(await history(both, { id: "r1000" })).toMatchObject([{ id: "r1000" }, { id: "r1100" }]);
    // Taken back, the guess of before comes back.
    expect((await decide("undecided")).status).toBe(200);
    expect(await history(both, { id: "r1100" })).toMatchObject([
      { id: "r900", replaced_by: { id: "r1000", grade: "likely", probability: 0.83 } },
      { id: "r1000", replaced_by: { id: "r1100" } },
      { id: "r1100", until: null },
    ]);
  });

  test("refuses a memory that there is not, and a request for both or none", async () => {
    const own = await rents([]);
    for (const [body, status, path] of [
      [{ id: "none" }, 404, "id"],
      [{ id: "r900", query: NOW }, 400, "id"],
      [{}, 400, "id"],
      [{ id: "r900", ids: [] }, 400, "ids"],
    ] as const) {
      const answer = await own.ask("POST /facts/history", body);
      expect(answer).toMatchObject({ status });
      expect(JSON.stringify(answer.body)).toContain(`"${path}"`);
    }
    const empty = await client().ask("POST /facts/history", { query: NOW });
    expect(empty.body).toEqual({ data: [], count: 0 });
  });
});
