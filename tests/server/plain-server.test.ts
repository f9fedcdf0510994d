// The benchmark's baseline server equals nous-server: same answers, same sweeps, from the same
// database.

import { copyFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  fillDatabase,
  makeQuestions,
  makeQuestionVectors,
  type Size,
} from "../../benches/js/http-inputs.ts";
import { createApp } from "../../benches/js/plain-server/app.ts";
import { openDatabase } from "../../benches/js/plain-server/database.ts";
import { PlainMemory } from "../../benches/js/plain-server/memory.ts";
import { agentFile } from "../../js/server/src/settings/paths.ts";
import { start } from "./support/server-process.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const QUESTIONS = makeQuestions().slice(0, 60);

/** Both on copies of one database. */
async function both(size: Size) {
  const folder = temporaryFolder();
  const file = join(folder, "plain.db");
  fillDatabase(file, size, Date.now());
  const own = agentFile(folder, "default");
  mkdirSync(dirname(own), { recursive: true });
  copyFileSync(file, own);
  const nous = await start(folder, ["--ranking", "signals"]);
  const memory = new PlainMemory(openDatabase(file));
  onTestFinished(() => memory.close());
  const app = createApp(memory);
  return async (call: string, body?: object) => {
    const [method, path] = call.split(" ") as [string, string];
    const init = {
      method,
      headers: { "content-type": "application/json" },
      body: body && JSON.stringify(body),
    };
    const response = await app.request(`/v1${path}`, init as RequestInit);
    const answers = { plain: await response.json(), nous: (await nous.ask(call, body)).body };
    // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, which the tests are about
    return answers as { plain: any; nous: any };
  };
}

/** Fields that Hynous' memories do not have. */
const OWN = new Set(["event_time", "source", "metadata", "user", "session", "expires_at"]);
const fieldsOf = (node: object) =>
  Object.keys(node)
    .filter((field) => !OWN.has(field))
    .sort();

/**
 * SQLite and the engine have different logarithms, so that scores of words may differ in their last
 * bits.
 */
const DIGITS = 12;

const idsOf = (answer: { data: { id: string }[] }) => answer.data.map(({ id }) => id);

test("each question by words has the same answer, field by field", async () => {
  const ask = await both({ memories: 400, dimensions: 0 });
  let found = 0;
  for (const { query } of QUESTIONS) {
    const { plain, nous } = await ask("POST /search", { query });
    expect({ query, ids: idsOf(plain) }).toEqual({ query, ids: idsOf(nous) });
    expect(plain.qcs).toEqual(nous.qcs);
    expect(Object.keys(plain.metrics)).toEqual(Object.keys(nous.metrics));
    for (const [place, node] of plain.data.entries()) {
      const { score, breakdown, primary_signal, memory_section, neural_access_count } =
        nous.data[place];
      expect(node).toMatchObject({ score, primary_signal, memory_section, neural_access_count });
      expect(Object.keys(node.breakdown)).toEqual(Object.keys(breakdown));
      for (const signal in breakdown)
        expect(node.breakdown[signal]).toBeCloseTo(breakdown[signal], DIGITS);
      expect(fieldsOf(node)).toEqual(fieldsOf(nous.data[place]));
    }
    found += plain.count;
  }
  expect(found).toBeGreaterThan(QUESTIONS.length);
});

test("questions with vectors have the same answers, except where rounding decides", async () => {
  const size = { memories: 400, dimensions: 24 };
  const ask = await both(size);
  const vectors = makeQuestionVectors(QUESTIONS.length, size);
  let same = 0;
  for (const [place, { query }] of QUESTIONS.entries()) {
    const { plain, nous } = await ask("POST /search", { query, embedding: vectors[place]! });
    expect(plain.qcs).toEqual(nous.qcs);
    if (idsOf(plain).join() === idsOf(nous).join()) same += 1;
  }
  expect(same).toBeGreaterThan(QUESTIONS.length * 0.95);
});

test("writes, lists, reads and sweeps have the same results", async () => {
  const ask = await both({ memories: 400, dimensions: 0 });
  const created = await ask("POST /nodes", {
    type: "note",
    content_title: "Zebra crossing",
    content_body: "stripes",
  });
  const { id: _, ...fields } = created.plain;
  expect(fieldsOf(created.nous)).toEqual(fieldsOf(created.plain));
  expect(created.nous).toMatchObject({
    neural_stability: fields.neural_stability,
    neural_difficulty: fields.neural_difficulty,
  });
  const listed = await ask("GET /nodes?limit=30&subtype=custom:lesson");
  expect(listed.plain.count).toBeGreaterThan(10);
  expect(idsOf(listed.plain)).toEqual(idsOf(listed.nous));
  const id = idsOf(listed.plain)[0]!;
  for (let time = 0; time < 2; time++) {
    const { plain, nous } = await ask(`GET /nodes/${id}`);
    expect(plain.neural_stability).toBe(nous.neural_stability);
    expect(plain.neural_access_count).toBe(nous.neural_access_count);
  }
  const edge = { source_id: id, target_id: idsOf(listed.plain)[1], type: "causes" };
  const linked = await ask("POST /edges", edge);
  expect(linked.plain).toMatchObject({ ...edge, strength: linked.nous.strength });
  const edges = await ask(`GET /edges?node_id=${id}&direction=out`);
  expect(edges.plain.count).toBe(edges.nous.count);
  expect(await ask("GET /health")).toSatisfy(
    ({ plain, nous }) => plain.node_count === nous.node_count,
  );

  const swept = await ask("POST /decay", { force: true });
  expect(swept.plain).toEqual(swept.nous);
  expect(swept.plain.transitions_count).toBeGreaterThan(50);
  const health = await ask("GET /health");
  expect(health.plain).toEqual(health.nous);
});
