// The sentence transformer, the default: memories get its vectors from a thread, after their
// writes.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { multilingual } from "nous-e5";
import { isReadByTransformer } from "nous-memory";
import { loadMinilm, type Minilm } from "nous-minilm";
import { pino } from "pino";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { lifeStores } from "../../benches/quality/changes/stores.ts";
import { Embedder } from "../../js/server/src/embeddings/embedder.ts";
import { TRANSFORMERS } from "../../js/server/src/embeddings/text.ts";
import { Transformer } from "../../js/server/src/embeddings/transformer.ts";
import { explanationFor } from "../../js/server/src/mcp/explanation.ts";
import { vectorSourcesOf } from "../../js/server/src/settings/embeddings-model.ts";
import { readSettings } from "../../js/server/src/settings/read.ts";
import { some } from "../support/amount.ts";
import { describe, test } from "../support/in-turn.ts";
import { databaseOptions } from "./support/on-postgres.ts";
import { PROGRAM, type Running, start } from "./support/server-process.ts";
import { type Client, clientOf } from "./support/shared-server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

/** The tests have a table alone, unless they say otherwise. */
const DEFAULTS = { NOUS_EMBEDDINGS_MODEL: undefined };
const NONE = ["--embeddings-provider", "none"];
const TABLE = ["--embeddings-model", "english-128"];
const PATIENCE = { timeout: 60_000 };
const SCRIPT = new URL("../../js/server/dist/transformer-thread.mjs", import.meta.url);

let minilm: Minilm;
beforeAll(async () => {
  minilm = await loadMinilm();
  await minilm.loadReplacing();
  await minilm.loadAsking();
});
afterAll(() => minilm.free());

const serve = (folder: string, options: readonly string[] = []): Promise<Running> =>
  start(folder, options, "test", { env: DEFAULTS });

async function run(folder: string, ...args: string[]): Promise<string> {
  const place = ["--data-dir", folder, ...(await databaseOptions(folder))];
  const env = { ...process.env, ...DEFAULTS };
  return execFileSync(process.execPath, [PROGRAM, ...args, ...place], { encoding: "utf8", env });
}

const note = (id: string, content_title: string) => ({
  ...{ id, type: "note", content_title },
  content_body: null,
});

/** Returns the vectors of an agent by id, and how many memories wait for one. */
async function storedOf(own: Client) {
  const nodes = await own.stored(
    "SELECT id, embedding_model AS model, embedding_vector AS vector FROM nodes ORDER BY rowid",
  );
  const [queue] = await own.stored("SELECT count(*) AS waiting FROM embedding_queue");
  const entries = nodes.map(({ id, model, vector }) => {
    const bytes = vector === null ? null : new Uint8Array(vector as Uint8Array);
    const components = bytes && [...new Float32Array(bytes.buffer)];
    return [id as string, { model: model as string | null, components }] as const;
  });
  return { vectors: Object.fromEntries(entries), waiting: Number(queue!.waiting) };
}

const embedded = async (own: Client): Promise<void> => {
  await expect.poll(async () => (await storedOf(own)).waiting, PATIENCE).toBe(0);
};

const ofTransformer = (text: string) => ({
  model: minilm.id,
  components: [...minilm.embed(text).vector],
});

describe("the setting", () => {
  const of = async (given: Record<string, string>) => {
    const { settings } = await readSettings(given, {});
    return { model: settings.embeddings_model, ...vectorSourcesOf(settings) };
  };

  test("is a transformer beside a table of words by default", async () => {
    const english = { model: "english", table: "english-128", maker: "english" };
    expect(await of({})).toEqual(english);
    expect(await of({ embeddings_model: "english" })).toEqual(english);
    expect(await of({ compat: "hynous" })).toMatchObject({ table: undefined, maker: undefined });
    expect(await of({ compat: "hynous", embeddings_provider: "builtin" })).toEqual(english);
    expect(await run(temporaryFolder(), "config")).toContain("embeddings_model: english\n");
  });

  test("is the multilingual transformer beside a multilingual table", async () => {
    expect(await of({ embeddings_model: "multilingual" })).toEqual({
      model: "multilingual",
      table: "multilingual-128",
      maker: "multilingual",
    });
  });

  test("names a table alone, a service beside a table of words, or nothing", async () => {
    for (const table of ["english-128", "english-256", "multilingual-128"])
      expect(await of({ embeddings_model: table })).toEqual({ model: table, table });
    const embeddings_provider = "openai-compatible";
    expect(await of({ embeddings_provider })).toMatchObject({
      table: "english-128",
      maker: "service",
    });
    expect(await of({ embeddings_provider, compat: "hynous" })).toMatchObject({
      table: undefined,
      maker: "service",
    });
    expect(await of({ embeddings_provider: "none" })).toMatchObject({
      table: undefined,
      maker: undefined,
    });
  });

  test("knows the models of nous-minilm and nous-e5", () => {
    const { dimensions } = minilm;
    expect(TRANSFORMERS).toEqual({
      english: { name: minilm.id, dimensions },
      multilingual: { name: multilingual.id, dimensions },
    });
  });
});

test.each([
  ["Mira prefers tea.", true],
  ["Müller trinkt gern Tee, ¿y tú?", true],
  ["", true],
  ["12:30 → 3 × 4 🙂", true],
  ["ab 汉字", true],
  ["ab 汉字典", false],
  ["她喜欢喝茶", false],
  ["Она любит чай", false],
  ["هي تفضل الشاي", false],
])("the English model reads %j: %s", (text, isRead) => {
  expect(isReadByTransformer(text)).toBe(isRead);
});

describe("a server with default settings", () => {
  test("finds a first memory by its meaning at once", async () => {
    const own = clientOf(await serve(temporaryFolder()), "alice");
    await own.ask("POST /remember", { text: "I moved to Salzburg in May." });
    const { body } = await own.ask("POST /search", { query: "Where do I live?" });
    expect(body).toMatchObject({
      knows: "yes",
      data: [
        { content_title: "I moved to Salzburg in May.", evidence: { emb: expect.any(Number) } },
      ],
    });
  });

  test("finds a correction in other words, and no neighbour, by reading both statements", async () => {
    const own = clientOf(await serve(temporaryFolder()), "alice");
    const remember = async (text: string) =>
      (await own.ask("POST /remember", { text })).body.stored[0].replaces ?? [];
    for (const text of [
      "Standup is at 9:30.",
      "Backups of the shop go to a disk in the cellar.",
      "Mara answers the phone on Fridays.",
      "The shop opens at eight.",
    ])
      expect(await remember(text)).toEqual([]);
    expect(await remember("We pushed the daily standup to ten.")).toMatchObject([
      { title: "Standup is at 9:30.", grade: expect.stringMatching(/^(likely|possible)$/) },
    ]);
    expect(await remember("We talked about the printer at standup.")).toEqual([]);
  });

  test("finds again what a memory replaces, once the vectors that it waited for are made", async () => {
    const own = clientOf(await serve(temporaryFolder()), "alice");
    await own.create(note("cook", "The crew has a cook"));
    await embedded(own);
    // The older one waits behind long texts, and is of another day: no word and no run connects the
    // two.
    const [created_at, later] = ["2026-01-05T08:00:00Z", "2026-05-20T08:00:00Z"];
    const log = "the pump ran dry while the crew was ashore ".repeat(8);
    const items = [
      ...Array.from({ length: 90 }, (_, place) => note(`log${place}`, `Log ${place}: ${log}`)),
      { ...note("graz", "I live in Graz."), type: "fact" },
    ].map((one) => ({ ...one, created_at }));
    expect((await own.ask("POST /nodes/batch", { items })).status).toBe(200);
    const moved = { text: "I moved to Salzburg.", created_at: later };
    expect((await own.ask("POST /remember", moved)).body.stored[0].replaces ?? []).toEqual([]);
    const replaced = async () => {
      const { body } = await own.ask("POST /search", { query: "Where do I live?" });
      return body.data.find(({ id }: { id: string }) => id === "graz")?.replaced_by?.probability;
    };
    await expect.poll(replaced, PATIENCE).toBeGreaterThan(0.5);
  });

  test("embeds memories after their writes, and questions of each operation by evidence", async () => {
    const server = await serve(temporaryFolder());
    const own = clientOf(server, "alice");
    const question = "Which beverage does Mira like?";
    const asked = async (fields: object = {}) => {
      const { body } = await own.ask("POST /search", { query: question, ...fields });
      return body.metrics.embed_queries_ms !== undefined;
    };
    expect(await asked()).toBe(false);
    const made = await own.create(note("tea", "She prefers tea"));
    expect(made.embedding_model).toBeNull();
    await own.create({ ...note("ferry", "The ferry"), content_body: "It is late in winter." });
    const items = [note("rent", "Rents fell"), note("blank", "\u200b")];
    expect((await own.ask("POST /nodes/batch", { items })).status).toBe(200);
    await embedded(own);
    expect((await storedOf(own)).vectors).toEqual({
      tea: ofTransformer("She prefers tea"),
      ferry: ofTransformer("The ferry\nIt is late in winter."),
      rent: ofTransformer("Rents fell"),
      // A text without a word or a mark has no vector, and does not wait for one.
      blank: { model: null, components: null },
    });
    expect((await server.ask("GET //readyz")).body).toEqual({
      status: "ready",
      embeddings: { waiting: 0 },
    });
    expect(await asked()).toBe(true);
    expect(await asked({ query: "What is Bob's phone number?" })).toBe(true);
    expect(await asked({ query: "\u200b" })).toBe(false);
    const bySignals = await own.ask("POST /search", { query: question, ranking: "signals" });
    expect(bySignals.body).toMatchObject({ data: [{ id: "tea" }], qcs: { used_embeddings: true } });
    for (const [call, body] of [
      ["POST /retrieve", { query: question }],
      ["POST /context/lines", { query: question }],
      ["POST /context", { input: question }],
      ["POST /answerable", { question }],
      ["POST /explain", { query: question, id: "tea" }],
    ] as const)
      expect([call, (await own.ask(call, body)).status]).toEqual([call, 200]);
    const found = await own.ask("POST /search", { query: question });
    expect(found.body).toMatchObject({
      data: [{ id: "tea", evidence: { emb: expect.any(Number) } }],
    });
    const why = (await own.ask("POST /explain", { query: question, id: "tea" })).body;
    const { meaning } = why.data[0];
    expect(meaning).toMatchObject({
      model: minilm.id,
      is_estimated: false,
      unheld: 1,
      unlike: expect.any(Number),
    });
    const times = Math.round((100 * meaning.weight) / meaning.least_weight) / 100;
    expect(explanationFor(why, "UTC").lines).toContain(
      `Meaning, by ${minilm.id}, counts ${times} times: no word of the question is in any one memory.`,
    );
    const similar = { content: "She prefers tea" };
    expect((await own.ask("POST /nodes/check-similar", similar)).body).toMatchObject({
      basis: "vectors",
      recommendation: "duplicate_found",
    });
  });

  test("gives a remembered text the vector that it was compared by, in its own write", async () => {
    const server = await serve(temporaryFolder());
    const own = clientOf(server, "bob");
    await own.create(note("first", "The harbour is closed"));
    await embedded(own);
    const [short, long, said, unread] = [
      "Mira drinks green tea",
      "The ferry is late in winter. It sails at nine from the eastern pier, and at ten from the west.",
      "I take the bus to work",
      "她喜欢喝茶",
    ];
    const ids: string[] = [];
    for (const body of [
      ...[short, long, unread].map((text) => ({ text })),
      { messages: [{ role: "user", content: said }] },
    ]) {
      const { stored } = (await own.ask("POST /remember", body)).body;
      ids.push(stored[0].id);
    }
    await embedded(own);
    const { vectors } = await storedOf(own);
    expect(ids.map((id) => vectors[id])).toEqual([
      ofTransformer(short),
      // The title is its first sentence, which is embedded once.
      ofTransformer(long),
      { model: null, components: null },
      // The role of a speaker says nothing.
      ofTransformer(said),
    ]);
    // A write does not wait long for a vector, so that a slow machine may need several.
    let count = 0;
    const modelAtOnce = async () => {
      count += 1;
      const { stored } = (await own.ask("POST /remember", { text: `Crate ${count} is full` })).body;
      return (await own.ask(`GET /nodes/${stored[0].id}`)).body.embedding_model;
    };
    await expect.poll(modelAtOnce, PATIENCE).toBe(minilm.id);
  });

  test("embeds a text again that has changed, and no other", async () => {
    const own = clientOf(await serve(temporaryFolder()), "alice");
    await own.create(note("one", "Rents fell"));
    await own.create(note("two", "Wages rose"));
    await embedded(own);
    await own.ask("PATCH /nodes/one", { content_title: "The cat sleeps outside" });
    await own.ask("PATCH /nodes/two", { state_lifecycle: "WEAK" });
    await embedded(own);
    expect((await storedOf(own)).vectors).toEqual({
      one: ofTransformer("The cat sleeps outside"),
      two: ofTransformer("Wages rose"),
    });
    await own.ask("PATCH /nodes/one", { content_title: "\u200b" });
    await embedded(own);
    expect((await storedOf(own)).vectors.one).toEqual({ model: null, components: null });
  });

  test("finds texts by their words that the model does not read", async () => {
    const own = clientOf(await serve(temporaryFolder()), "alice");
    await own.create(note("zh", "她喜欢在早上喝绿茶"));
    await own.create(note("en", "He takes coffee at noon."));
    await embedded(own);
    expect((await storedOf(own)).vectors).toEqual({
      zh: { model: null, components: null },
      en: ofTransformer("He takes coffee at noon."),
    });
    const { body } = await own.ask("POST /search", { query: "谁喜欢绿茶" });
    expect(body.data[0].id).toBe("zh");
    expect((await own.ask("POST /search", { query: "A warm drink" })).body.data[0].id).toBe("en");
  });

  test("goes on after a restart where it was, and with memories from before", async () => {
    const folder = temporaryFolder();
    const first = await start(folder, NONE);
    const items = Array.from({ length: 40 }, (_, place) => note(`n_${place}`, `Rent ${place}`));
    const before = clientOf(first, "default");
    expect((await before.ask("POST /nodes/batch", { items })).status).toBe(200);
    await first.end();
    const second = await serve(folder);
    await expect
      .poll(async () => (await storedOf(before)).waiting, { ...PATIENCE, interval: 5 })
      .toBeLessThan(40);
    await second.end("SIGKILL");
    const kept = Object.entries((await storedOf(before)).vectors).filter(
      ([, { components }]) => components !== null,
    );
    expect(kept.length).toBeGreaterThan(0);
    const own = clientOf(await serve(folder), "default");
    await embedded(own);
    const { vectors } = await storedOf(own);
    expect(vectors).toMatchObject(Object.fromEntries(kept));
    expect(vectors.n_39).toEqual(ofTransformer("Rent 39"));
  });

  test("takes the place of vectors of a table", async () => {
    const folder = temporaryFolder();
    const before = await start(folder, TABLE);
    await clientOf(before, "alice").create(note("one", "Rents fell"));
    await before.end();
    const running = await serve(folder);
    const own = clientOf(running, "alice");
    expect(await own.search("rents")).toEqual(["one"]);
    await embedded(own);
    expect((await storedOf(own)).vectors).toEqual({ one: ofTransformer("Rents fell") });
    await running.end();
    // A table leaves those of the transformer, as it leaves those of a service.
    const back = clientOf(await start(folder, TABLE), "alice");
    expect(await back.search("rents")).toEqual(["one"]);
    expect((await storedOf(back)).vectors).toEqual({ one: ofTransformer("Rents fell") });
  });

  test("the commands backfill and reembed make vectors, too", async () => {
    const folder = temporaryFolder();
    const before = await start(folder, TABLE);
    const own = clientOf(before, "alice");
    await own.create(note("one", "Rents fell"));
    await before.end();
    expect(await run(folder, "backfill")).toContain("alice: 1 of 1 memories that waited");
    expect((await storedOf(own)).vectors).toEqual({ one: ofTransformer("Rents fell") });
    expect(await run(folder, "reembed")).toContain("alice: 1 vectors made, and put in use");
    expect((await storedOf(own)).vectors).toEqual({ one: ofTransformer("Rents fell") });
  });

  test("says once that most memories are in another language, and how to follow it", async () => {
    const running = await serve(temporaryFolder());
    const told = /in another language than English.*multilingual/g;
    const remember = async (agent: string, text: (place: number) => string) => {
      // Turns of talk: the server need not read what each of them may replace.
      const memories = Array.from({ length: 21 }, (_, place) => ({
        ...{ text: text(place), type: "custom:turn" },
      }));
      const own = clientOf(running, agent);
      expect((await own.ask("POST /remember", { memories })).status).toBe(200);
      await embedded(own);
    };
    await remember("english", (n) => `The ferry to pier ${n} leaves at noon from the harbour.`);
    expect(running.log()).not.toMatch(told);
    await remember("german", (n) => `Die Fähre nach Steg ${n} fährt mittags am alten Hafen ab.`);
    await remember("more", (n) => `Das Boot nach Steg ${n} kommt abends am alten Hafen an.`);
    await expect.poll(() => running.log().match(told)?.length, PATIENCE).toBe(1);
  });

  test("leaves a client's vectors, and says once how to replace them", async () => {
    const folder = temporaryFolder();
    const running = await serve(folder);
    const own = clientOf(running, "alice");
    await own.create(note("one", "Rents fell"));
    await embedded(own);
    // A client's vector takes the place of those that the server made.
    await own.create({ ...note("mine", "Wages rose"), embedding: [1, 0, 0] });
    await own.create(note("late", "The cat sleeps outside"));
    const replaced = /"model":"unknown".*nous-server reembed/g;
    await expect.poll(() => running.log(), PATIENCE).toMatch(replaced);
    const { body } = await own.ask("POST /search", { query: "Which pet is in the garden?" });
    expect(body.metrics).not.toHaveProperty("embed_queries_ms");
    await own.create(note("later", "The ferry is late"));
    expect((await own.ask("POST /nodes/backfill-embeddings")).body).toEqual({
      ok: false,
      embedded: 0,
      total: 3,
    });
    const without = { model: null, components: null };
    expect((await storedOf(own)).vectors).toEqual({
      one: without,
      mine: { model: null, components: [1, 0, 0] },
      late: without,
      later: without,
    });
    expect((await running.ask("GET //readyz")).body.embeddings).toEqual({ waiting: 0 });
    await running.end();
    expect(await run(folder, "reembed")).toContain("alice: 1 vectors made");
    const again = clientOf(await serve(folder), "alice");
    await again.search("rents");
    await embedded(again);
    expect((await storedOf(again)).vectors).toMatchObject({
      mine: ofTransformer("Wages rose"),
      late: ofTransformer("The cat sleeps outside"),
    });
  });

  test("goes on with memories of an export, whose vectors it keeps", async () => {
    const folder = temporaryFolder();
    const first = await serve(folder);
    const own = clientOf(first, "alice");
    await own.create(note("one", "Rents fell"));
    await embedded(own);
    await first.end();
    const [lines, other] = [join(folder, "lines"), temporaryFolder()];
    await run(folder, "export", lines, "--agent", "alice");
    await run(other, "import", lines, "--agent", "bob");
    const copy = clientOf(await serve(other), "bob");
    await copy.create(note("two", "Wages rose"));
    await embedded(copy);
    expect((await storedOf(copy)).vectors).toEqual({
      one: ofTransformer("Rents fell"),
      two: ofTransformer("Wages rose"),
    });
  });
});

test("whether a memory knows is told by meaning, and the same whatever the limit", async () => {
  const own = clientOf(await serve(temporaryFolder()), "alice");
  const { memories, asked } = lifeStores().find(({ name }) => name === "vet")!;
  const texts = memories.slice(0, 60).map(({ text }) => ({ text }));
  expect((await own.ask("POST /remember", { memories: texts })).status).toBe(200);
  await embedded(own);
  const told = async (query: string, limit: number) => {
    const { data, knows, probability, answerable } = (
      await own.ask("POST /search", { query, limit })
    ).body;
    return { data, knows: { knows, probability, answerable } };
  };
  let behind = 0;
  for (const { text } of some(asked, 30)) {
    const { data, knows } = await told(text, 10);
    expect((await told(text, 1)).knows).toEqual(knows);
    expect((await own.ask("POST /answerable", { question: text })).body).toMatchObject(knows);
    const cosines = data.map(({ evidence }: { evidence: { emb?: number } }) => evidence.emb ?? 0);
    if (Math.max(...cosines) > cosines[0]) behind += 1;
  }
  // Else the first answer alone would tell as much.
  expect(behind).toBeGreaterThan(0);
  for (const query of ["Which chemical formula has caffeine?", "Who won the cycling race in Peru?"])
    expect((await told(query, 10)).knows).toMatchObject({ answerable: false });
});

describe("a server with --embeddings-model multilingual", () => {
  const MULTILINGUAL = ["--embeddings-model", "multilingual"];
  const texts = {
    tea: "She prefers tea",
    rent: "Die Miete steigt im April um achtzig Euro.",
    fever: "El niño tiene fiebre y mañana no irá al colegio.",
    ferry: "The ferry is late in winter",
  };

  test("finds texts of one language by questions in another", async () => {
    const e5 = await loadMinilm({ model: multilingual });
    onTestFinished(() => e5.free());
    const own = clientOf(await serve(temporaryFolder(), MULTILINGUAL), "alice");
    for (const [id, text] of Object.entries(texts)) await own.create(note(id, text));
    // It is compared with the others in its write, as a passage.
    const remembered = "Der Zug nach Graz fährt um neun.";
    const written = await own.ask("POST /remember", { text: remembered });
    await embedded(own);
    const all = { ...texts, [written.body.stored[0].id]: remembered };
    const stored = Object.entries(all).map(([id, text]) => {
      const components = [...e5.embed(text, { purpose: "passage" }).vector];
      return [id, { model: e5.id, components }] as const;
    });
    expect((await storedOf(own)).vectors).toEqual(Object.fromEntries(stored));
    for (const [question, id] of [
      ["Welches Getränk mag sie am liebsten?", "tea"],
      ["How much more does the flat cost?", "rent"],
      ["Which child is ill?", "fever"],
      ["¿Qué barco se retrasa?", "ferry"],
    ] as const)
      expect([question, (await own.search(question))[0]]).toEqual([question, id]);
  });

  test("leaves vectors of the English transformer until reembed replaces them", async () => {
    const folder = temporaryFolder();
    const before = await serve(folder);
    await clientOf(before, "alice").create(note("rent", texts.rent));
    await embedded(clientOf(before, "alice"));
    await before.end();
    const running = await serve(folder, MULTILINGUAL);
    const own = clientOf(running, "alice");
    expect(await own.search("Miete")).toEqual(["rent"]);
    await own.create(note("tea", texts.tea));
    await expect.poll(() => running.log(), PATIENCE).toMatch(/"model":"minilm-.*reembed/);
    expect((await storedOf(own)).vectors.rent).toEqual(ofTransformer(texts.rent));
    await running.end();
    expect(await run(folder, "reembed", ...MULTILINGUAL)).toContain("alice: 1 vectors made");
    const second = await serve(folder, MULTILINGUAL);
    // The memory that waited gets its vector as any other.
    expect(await clientOf(second, "alice").search("Miete")).toContain("rent");
    await embedded(clientOf(second, "alice"));
    const models = Object.values((await storedOf(own)).vectors).map(({ model }) => model);
    expect(models).toEqual([multilingual.id, multilingual.id]);
    await second.end();
    // And the other way.
    const back = clientOf(await serve(folder), "alice");
    expect(await back.search("Miete")).toContain("rent");
    await back.create(note("ferry", texts.ferry));
    const after = (await storedOf(back)).vectors;
    expect([after.rent!.model, after.tea!.model]).toEqual([multilingual.id, multilingual.id]);
  });
});

/** Answers each text with how many it has answered; ends on some. */
const COUNTING = `
  import { parentPort } from "node:worker_threads";
  let count = 0;
  parentPort.on("message", ({ text, pairs }) => {
    if (pairs !== undefined) return parentPort.postMessage(Float32Array.of((count += 1)));
    if (text === "end") process.exit();
    if (text === "throw") throw new Error("no such word");
    parentPort.postMessage(text === "" ? undefined : Float32Array.of((count += 1)));
  });
  parentPort.postMessage(MODEL);
`;
const countingThread = (model: string = TRANSFORMERS.english.name): URL => {
  const program = COUNTING.replace("MODEL", JSON.stringify(model));
  return new URL(`data:text/javascript,${encodeURIComponent(program)}`);
};

describe("the thread", () => {
  function made(script: URL) {
    const logged: string[] = [];
    const log = pino({}, { write: (line: string) => void logged.push(line) });
    const transformer = new Transformer(script, "english", log);
    onTestFinished(() => transformer.close());
    const call = (texts: string[], isUrgent: boolean, more = {}) =>
      transformer.embed(texts, {
        ...{ model: TRANSFORMERS.english, timeout: 30_000, isUrgent },
        purpose: isUrgent ? ("question" as const) : ("passage" as const),
        ...{ signal: new AbortController().signal, ...more },
      });
    return {
      logged,
      transformer,
      texts: (texts: string[], more?: object) => call(texts, false, more),
      question: async (text: string, more?: object) => (await call([text], true, more))[0],
    };
  }
  const counts = (vectors: readonly (Float32Array | undefined)[]) => vectors.map((one) => one?.[0]);

  test("makes the vectors of nous-minilm", async () => {
    const { texts, question } = made(SCRIPT);
    const vectors = await texts(["Rents fell", "\u200b", "She prefers tea"]);
    expect(vectors).toEqual([
      minilm.embed("Rents fell").vector,
      undefined,
      minilm.embed("She prefers tea").vector,
    ]);
    expect(await question("Which tea?")).toEqual(
      minilm.embed("Which tea?", { purpose: "question" }).vector,
    );
  });

  test("answers a question before the texts that wait, and texts of two calls by turns", async () => {
    const { texts, question } = made(countingThread());
    const calls = [texts(["a", "b", "c"]), texts(["d", "e", ""])];
    expect(counts([await question("first")])).toEqual([1]);
    // The thread has the text `a` by now.
    expect(counts([await question("next")])).toEqual([3]);
    expect((await Promise.all(calls)).map(counts)).toEqual([
      [2, 5, 7],
      [4, 6, undefined],
    ]);
  });

  test("reads pairs as nous-minilm does, after questions and before texts that wait", async () => {
    const pairs = [
      { older: "Standup is at 9:30.", newer: "We pushed the daily to 10." },
      { older: "The gate is green.", newer: "" },
    ];
    const { signal } = new AbortController();
    expect(await made(SCRIPT).transformer.readPairs(pairs, signal)).toEqual(
      minilm.replacing(pairs),
    );
    const { transformer, texts, question } = made(countingThread());
    const waiting = texts(["a", "b"]);
    const read = transformer.readPairs(pairs, signal);
    expect(counts([await question("first")])).toEqual([1]);
    expect(counts([await read])).toEqual([2]);
    expect(counts(await waiting)).toEqual([3, 4]);
  });

  test.each(["end", "throw"])("is restarted if it ends (%s), and its calls fail", async (how) => {
    const { texts, question, logged } = made(countingThread());
    expect(counts(await texts(["a"]))).toEqual([1]);
    const lost = { name: "ProviderError", failure: "unreachable" };
    const calls = [texts([how]), texts(["b"]), question("q")];
    const [first, ...others] = await Promise.allSettled(calls);
    expect(first).toMatchObject({ status: "rejected", reason: lost });
    expect(others).toMatchObject([{ reason: lost }, { reason: lost }]);
    await expect(texts(["c"])).rejects.toMatchObject(lost);
    await expect.poll(() => texts(["d"]).then(counts, () => undefined), PATIENCE).toEqual([1]);
    expect(logged.join()).toContain("ended, and is restarted");
  });

  test("of another model is not used", async () => {
    const { texts, logged } = made(countingThread("minilm-384-00000000"));
    await expect(texts(["a"])).rejects.toMatchObject({ failure: "unreachable" });
    expect(logged.join()).toContain("another model");
  });

  test("leaves a call that was aborted or that waits too long", async () => {
    const never = new URL("data:text/javascript,setInterval(() => {}, 1000)");
    const { texts, question, transformer } = made(never);
    const end = new AbortController();
    const waiting = texts(["a"], { signal: end.signal });
    end.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    await expect(question("q", { timeout: 20 })).rejects.toMatchObject({
      failure: "unreachable",
      message: "there was no vector within 20 ms",
    });
    const last = texts(["b"]);
    const embedder = new Embedder(transformer, {
      ...{ model: TRANSFORMERS.english, timeout: 1_000, batch: 1, log: pino({ level: "silent" }) },
    });
    // A comparison goes on without a reading.
    const read = embedder.readPairs([{ older: "a", newer: "b" }]);
    await transformer.close();
    expect(await read).toBeUndefined();
    await expect(last).rejects.toThrow("the sentence transformer is closed");
    await expect(texts(["c"])).rejects.toThrow("the sentence transformer is closed");
  });
});
