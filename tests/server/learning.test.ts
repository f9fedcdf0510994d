// Learning from use: feedback moves an agent's weights, survives restarts, reaches other processes,
// and is shown and forgotten by the API.

import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Agent } from "../../js/server/src/agent/agent.ts";
import { learnFrom, prepareToLearn } from "../../js/server/src/agent/rules/learning.ts";
import * as api from "../../js/server/src/api/learning.ts";
import { SqliteStorage } from "../../js/server/src/storage/sqlite.ts";
import { ask } from "./support/direct-agent.ts";
import { raw } from "./support/existing-database.ts";
import { testOnFiles } from "./support/on-postgres.ts";
import { start } from "./support/server-process.ts";
import { type Client, clientOf, sharedServer } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const LEARNS = ["--learning", "on"];
const { server, client } = sharedServer(LEARNS);

const QUESTION = "green tea of Mira";

/** A question and a statement of equal words. Before any feedback the question stands first. */
async function filled(by: Client): Promise<Client> {
  for (const [id, content_title] of [
    ["asked", "Which green tea is Mira's?"],
    ["told", "Which green tea is Mira's."],
  ])
    await by.create({ id, content_title, content_body: null, subtype: "custom:turn_summary" });
  return by;
}

const taught = async (by: Client, used = ["told"], headers: Record<string, string> = {}) => {
  const shown = ["asked", "told"];
  const body = { question: QUESTION, shown, used };
  const { status, body: answer } = await by.ask("POST /search/feedback", body, headers);
  expect({ status, answer }).toMatchObject({ status: 200 });
  return api.lessonAnswer.strict().parse(answer);
};
const learned = async (by: Client) =>
  api.learnedAnswer.strict().parse((await by.ask("GET /learned")).body);
const NOTHING = { qm: 0, prevq: 0, len: 0, num: 0, cap: 0, pos: 0 };

describe("POST /search/feedback", () => {
  test("ranks memories like the used ones higher from then on", async () => {
    const own = await filled(client());
    expect(await own.search(QUESTION)).toEqual(["asked", "told"]);
    expect(await learned(own)).toEqual({ learning: true, steps: 0, weights: NOTHING });
    let qm = 0;
    for (let turn = 1; turn <= 5; turn++) {
      const { counted, moved } = await taught(own);
      expect(counted).toBe(2);
      expect(moved.qm).toBeLessThan(0);
      qm += moved.qm;
      const { steps, weights } = await learned(own);
      expect({ steps, qm: weights.qm }).toEqual({ steps: turn, qm: expect.closeTo(qm, 12) });
    }
    expect(await own.search(QUESTION)).toEqual(["told", "asked"]);
    const { body } = await own.ask("POST /search", { query: QUESTION });
    expect(body.data[1].evidence).toMatchObject({ qm: 1 });
  });

  test("moves the weights of its agent alone", async () => {
    const [one, other] = [await filled(client()), await filled(client())];
    await taught(one);
    expect((await learned(one)).steps).toBe(1);
    expect((await learned(other)).steps).toBe(0);
  });

  test("counts once for a request that is sent again with its key", async () => {
    const own = await filled(client());
    const key = { "idempotency-key": "feedback 1".replace(" ", "-") };
    const first = await taught(own, ["told"], key);
    expect(await taught(own, ["told"], key)).toEqual(first);
    expect((await learned(own)).steps).toBe(1);
    await taught(own);
    expect((await learned(own)).steps).toBe(2);
  });

  test("skips memories that do not exist, and learns nothing if nothing is told apart", async () => {
    const own = await filled(client());
    const send = async (shown: string[], used: string[]) =>
      (await own.ask("POST /search/feedback", { question: QUESTION, shown, used })).body;
    expect(await send(["asked", "told", "n_none"], ["told", "n_none"])).toMatchObject({
      counted: 2,
    });
    for (const [shown, used] of [
      [["n_none", "told"], ["n_none"]],
      [["asked", "told"], []],
      [
        ["asked", "told"],
        ["asked", "told"],
      ],
      [[], []],
    ] as const)
      expect(await send([...shown], [...used])).toEqual({ ok: true, counted: 0, moved: NOTHING });
    expect((await learned(own)).steps).toBe(1);
  });

  test("refuses an id that was used and not shown", async () => {
    const own = await filled(client());
    const body = { question: QUESTION, shown: ["asked"], used: ["asked", "told"] };
    const answer = await own.ask("POST /search/feedback", body);
    expect(answer).toMatchObject({ status: 400, body: { issues: [{ path: "used.1" }] } });
    expect((await learned(own)).steps).toBe(0);
  });

  test("teaches an agent that does not exist nothing, and does not create it", async () => {
    const own = client();
    expect(await taught(own)).toEqual({ ok: true, counted: 0, moved: NOTHING });
    expect(await learned(own)).toMatchObject({ steps: 0 });
    const { body } = await server().ask("GET /agents");
    expect(JSON.stringify(body)).not.toContain(`"${own.agent}"`);
  });
});

describe("POST /context/feedback", () => {
  test("teaches with the input of the prompt, once for each context", async () => {
    const own = await filled(client());
    const body = {
      context_id: "c1",
      recalled_content: { asked: "sencha from Uji in the morning", told: "oolong from Taiwan" },
      response: "She likes oolong from Taiwan.",
      input: QUESTION,
    };
    const send = async (given: object) =>
      (await own.ask("POST /context/feedback", { ...body, ...given })).body;
    expect(await send({ input: null })).not.toHaveProperty("counted");
    expect((await learned(own)).steps).toBe(0);
    expect(await send({ context_id: "c2" })).toMatchObject({ referenced: 1, counted: 2 });
    await send({ context_id: "c2" });
    const { steps, weights } = await learned(own);
    expect(steps).toBe(1);
    expect(weights.qm).toBeLessThan(0);
  });
});

describe("DELETE /learned", () => {
  test("forgets what was learned", async () => {
    const own = await filled(client());
    for (let turn = 0; turn < 5; turn++) await taught(own);
    expect(await own.search(QUESTION)).toEqual(["told", "asked"]);
    const { body } = await own.ask("DELETE /learned");
    expect(api.forgottenAnswer.strict().parse(body)).toEqual({ ok: true, forgotten: 5 });
    expect(await own.search(QUESTION)).toEqual(["asked", "told"]);
    expect(await learned(own)).toEqual({ learning: true, steps: 0, weights: NOTHING });
    expect((await own.ask("DELETE /learned")).body).toEqual({ ok: true, forgotten: 0 });
  });
});

describe("what was learned", () => {
  test("survives a killed server, counts only with the setting, and comes back with it", async () => {
    const folder = temporaryFolder();
    const first = await start(folder, LEARNS);
    const own = await filled(clientOf(first, "alice"));
    for (let turn = 0; turn < 5; turn++) await taught(own);
    const before = await learned(own);
    await first.end("SIGKILL");

    const off = await start(folder);
    const still = clientOf(off, "alice");
    expect(await still.search(QUESTION)).toEqual(["asked", "told"]);
    expect(await learned(still)).toEqual({ ...before, learning: false });
    expect(await taught(still)).toEqual({ ok: true, counted: 0, moved: NOTHING });
    await off.end();

    const on = clientOf(await start(folder, LEARNS), "alice");
    expect(await learned(on)).toEqual(before);
    expect(await on.search(QUESTION)).toEqual(["told", "asked"]);
  });

  test("reaches another process on the same database", async () => {
    const file = join(temporaryFolder(), "a.db");
    const [one, other] = [1, 2].map(
      () => new Agent(new SqliteStorage(file, { durability: "normal" }), { learns: true }),
    );
    for (const [id, content_title] of [
      ["asked", "Green tea of Mira?"],
      ["told", "Green tea of Mira."],
    ])
      await ask(one!, "createNode", { body: { id, type: "concept", content_title } });
    const order = async (agent: Agent) =>
      (await ask(agent, "search", { body: { query: QUESTION } })).data.map(
        ({ id }: { id: string }) => id,
      );
    expect(await order(other!)).toEqual(["asked", "told"]);
    const use = { question: QUESTION, shown: ["asked", "told"], used: ["told"] };
    for (let turn = 0; turn < 5; turn++) await ask(one!, "giveSearchFeedback", { body: use });
    expect(await order(other!)).toEqual(["told", "asked"]);
    await ask(other!, "forgetLearned");
    expect(await order(one!)).toEqual(["asked", "told"]);
    for (const agent of [one!, other!]) agent.close();
  });

  test("is as before if the transaction fails", async () => {
    const file = join(temporaryFolder(), "a.db");
    const agent = new Agent(new SqliteStorage(file, { durability: "normal" }), { learns: true });
    for (const [id, content_title] of [
      ["asked", "Green tea of Mira?"],
      ["told", "Green tea of Mira."],
    ])
      await ask(agent, "createNode", { body: { id, type: "concept", content_title } });
    agent.storage.learned.put = () => {
      throw new Error("the disk is full");
    };
    const use = { question: QUESTION, shown: ["asked", "told"], used: ["told"] };
    await expect(ask(agent, "giveSearchFeedback", { body: use })).rejects.toThrow("disk is full");
    expect(agent.index.learned().steps).toBe(0);
    agent.close();
  });

  testOnFiles("counts as nothing if another program stored something else", async () => {
    const own = await filled(client());
    await taught(own);
    const { learned: stored } = raw(own.file())
      .prepare("SELECT learned FROM nous_learned")
      .get() as {
      learned: string;
    };
    for (const odd of [
      "no JSON",
      "null",
      "[]",
      JSON.stringify({ ...JSON.parse(stored), steps: -1 }),
      JSON.stringify({ ...JSON.parse(stored), shifts: { ...NOTHING, len: 7 } }),
      JSON.stringify({ ...JSON.parse(stored), means: null }),
    ]) {
      raw(own.file()).prepare("UPDATE nous_learned SET learned = ?").run(odd);
      expect(await learned(own), odd).toEqual({ learning: true, steps: 0, weights: NOTHING });
      expect(await own.search(QUESTION), odd).toEqual(["asked", "told"]);
    }
    expect((await taught(own)).counted).toBe(2);
    expect((await learned(own)).steps).toBe(1);
  });
});

test("use teaches by the evidence that the answer was ranked by", async () => {
  const file = join(temporaryFolder(), "a.db");
  const options = { learns: true, maker: "service" } as const;
  const agent = new Agent(new SqliteStorage(file, { durability: "normal" }), options);
  for (const [id, content_title, embedding] of [
    ["asked", "Which green tea is Mira's?", [1, 0]],
    ["told", "Which green tea is Mira's.", [0, 1]],
  ] as const)
    await ask(agent, "createNode", { body: { id, type: "note", content_title, embedding } });
  const model = { name: "some-model", dimensions: undefined };
  const scale = { of_unrelated: 0, of_related: 0.5 };
  const use = { question: "beverage", shown: ["asked", "told"], used: ["told"] };
  const moved = (vector?: readonly number[]) => {
    const question = vector && {
      ...{ text: use.question, vector: Float32Array.from(vector), model, scale, ms: 1 },
    };
    return agent.write(() => learnFrom(agent, use, question).moved.qm);
  };
  await prepareToLearn(agent);
  const taught = [[0, 1], undefined, [1, 0]].map((vector) => {
    const step = moved(vector);
    agent.write(() => agent.storage.learned.remove());
    return step;
  });
  // There is the more to learn, the further behind the used memory stood.
  expect(taught).toEqual(taught.toSorted((one, other) => other - one));
  expect(new Set(taught).size).toBe(3);
  agent.close();
});
