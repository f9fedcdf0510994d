// Ranking by meaning: the page has the vectors, the answers and the reasons of a server; it says what
// it does, fetches the model only if the visitor may expect it, and goes on without it.

import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { meaningInWords, TRANSFORMER } from "nous-memory";
import { loadMinilm, type Minilm } from "nous-minilm";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { edit, remove, undo } from "../../../js/page/src/memory/edit.ts";
import { Held, type Made } from "../../../js/page/src/memory/held.ts";
import { addLine, noRows } from "../../../js/page/src/memory/lines.ts";
import { PROGRAM, start } from "../../server/support/server-process.ts";
import { temporaryFolder } from "../../server/support/temporary-folder.ts";
import { amount, patience, runs } from "../../support/amount.ts";
import { Site } from "../support/page.ts";
import { faultsInAllLooks, sharedPage, TYPES, visitPage } from "./support.ts";
import { callWorker, noteWorkers } from "./worker-calls.ts";

const DIST = fileURLToPath(new URL("../../../js/page/dist", import.meta.url));
/** The default settings of the server. The other tests have a table alone. */
const DEFAULTS = { NOUS_EMBEDDINGS_MODEL: undefined };
/** Recency may move a score between two askings. */
const TOLERANCE = 1e-4;
const PATIENCE = { timeout: 60_000 };
const BY_BOTH = "Answers go by words and meaning.";

const { browser, visit } = sharedPage();

const isOfModel = (url: string) => /\/minilm-[\w-]+\.bin$/.test(url);
const bar = (page: Page) => page.locator("aside.meaning");
const panel = (page: Page) => page.locator(".open-memory .meaning");
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
/** Waits until no memory waits for its vector. */
const settled = (page: Page) => button(page, "Rank by words alone").waitFor(PATIENCE);

interface Line {
  kind: string;
  id: string;
  embedding: string | null;
  embedding_model: string | null;
}
const nodesIn = (lines: string): Line[] =>
  lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line)
    .filter(({ kind }) => kind === "node");

/** Returns the lines of every sixth memory of the sample, and of its runs. */
function someOfSample(): string {
  const lines = readFileSync(join(DIST, "samples", "general.jsonl"), "utf8")
    .trim()
    .split("\n");
  const rows = lines.map((line) => JSON.parse(line) as Line & { node_id: string });
  const left = new Set(rows.filter(({ kind }) => kind === "node").filter((_, n) => n % 6 !== 0));
  const ids = new Set(Array.from(left, ({ id }) => id));
  return lines.filter((_, n) => !left.has(rows[n]!) && !ids.has(rows[n]!.node_id)).join("\n");
}

async function downloaded(page: Page): Promise<string> {
  const downloading = page.waitForEvent("download");
  await button(page, "Download as JSONL").click();
  return Buffer.concat(await (await (await downloading).createReadStream()).toArray()).toString();
}

describe("a file that is dropped on the page of a server", () => {
  interface Asked {
    answers: { card: { id: string }; score: number; reasons: { meaning: string } }[];
    isByMeaning: boolean;
  }
  const QUESTIONS = [
    "Which beverage do the parents take in the morning?",
    "Who repairs our vehicle?",
    "How much do we pay for the place where we live?",
    "What happened at school?",
    "Wann fahren wir in den Urlaub?",
    "xylophone",
  ];

  it("is ranked by meaning from its first memory on, without being opened again", async () => {
    const server = await start(temporaryFolder(), [], "test", { env: DEFAULTS });
    const page = await browser().newPage();
    await page.goto(`${server.url}/`);
    const box = page.getByLabel("What should be remembered?");
    await box.fill("We keep the car keys in the blue drawer.");
    await box.press("ControlOrMeta+Enter");
    await page.getByText("Stored as 1 memory.").waitFor();
    await page.getByRole("searchbox").fill("Where is what starts our vehicle?");
    await expect
      .poll(() => page.locator(".verdict").innerText(), PATIENCE)
      .toMatch(/among 1 memory, by words and meaning|^This memory probably/);
    await page.goto(`${server.url}/#/memories`);
    await page.locator(".open-memory").getByText(BY_BOTH).waitFor();
    await page.close();
  });

  it("has its vectors, its answers and its reasons", async () => {
    const folder = temporaryFolder();
    const file = join(temporaryFolder(), "some.jsonl");
    writeFileSync(file, someOfSample());
    const run = (...args: string[]) =>
      execFileSync(process.execPath, [PROGRAM, ...args, "--data-dir", folder], {
        encoding: "utf8",
        env: { ...process.env, ...DEFAULTS },
      });
    run("import", file);
    const server = await start(folder, [], "test", { env: DEFAULTS });
    await server.ask("POST /nodes/backfill-embeddings");
    const page = await browser().newPage();
    await noteWorkers(page);
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(`${server.url}/#/memories?memory=general`);
    await page.getByLabel("Choose files").setInputFiles(file);
    await page.getByRole("heading", { name: "some.jsonl" }).waitFor();
    await settled(page);
    expect(requests.some(isOfModel)).toBe(true);
    expect(requests.filter((each) => !each.startsWith(server.url))).toEqual([]);
    let told = 0;
    for (const question of QUESTIONS) {
      const here = await callWorker<Asked>(page, "ask", { question, limit: 10 });
      const ids = here.answers.map(({ card }) => card.id);
      const { body } = await server.ask("POST /explain", { query: question, ids });
      expect(here.isByMeaning).toBe(true);
      for (const [place, { score, reasons }] of here.answers.entries()) {
        const there = body.data[place];
        expect([there.id, there.rank], question).toEqual([ids[place], place + 1]);
        expect(Math.abs(score - there.score), `${question}, ${place}`).toBeLessThan(TOLERANCE);
        expect(reasons.meaning).toBe(meaningInWords(there.meaning).join(" "));
        told += 1;
      }
    }
    expect(told).toBeGreaterThan(30);
    const input = QUESTIONS[0]!;
    const turn = { input, identity: "", budgets: {} };
    const { prompt } = await callWorker<{ prompt: string }>(page, "context", turn);
    expect(prompt).toBe((await server.ask("POST /context", { input })).body.prompt);
    const here = nodesIn(await downloaded(page));
    // The memory of the server itself is ranked likewise.
    await page.goto(`${server.url}/#/memories?memory=server`);
    await page.getByRole("heading", { name: "Agent “default”" }).waitFor();
    await settled(page);
    await page.close();
    await server.end("SIGTERM");
    const there = new Map(nodesIn(run("export")).map((node) => [node.id, node]));
    expect(here).toHaveLength(there.size);
    for (const { id, embedding, embedding_model } of here) {
      // Japanese texts have none.
      const its = there.get(id)!;
      expect([embedding_model, embedding ?? null], id).toEqual([
        its.embedding_model,
        its.embedding ?? null,
      ]);
    }
    const read = here.filter(({ embedding_model }) => embedding_model === TRANSFORMER.name);
    expect(read.length).toBeGreaterThan(0.9 * here.length);
  }, 180_000);
});

describe("the page", () => {
  it("fetches the model after the first answer, once, and works without a network", async () => {
    const at = "ask?q=Which+milk+should+I+buy+for+Theo%3F";
    const { page, complaints, requests, close } = await visit(at, { mayFetchModel: true });
    const verdict = page.locator(".verdict");
    await expect.poll(() => verdict.textContent()).toMatch(/memories, by words\.$/);
    await bar(page).getByText("memories that wait for their vector").waitFor(PATIENCE);
    // A question goes before the memories that wait.
    await page.getByRole("searchbox").fill("Which beverage does Jana take before ten?");
    await page.locator(".understood").getByText("beverage").waitFor();
    await page.locator(".answer").first().getByRole("button").click();
    await page.getByText(/^Meaning counts /).waitFor();
    expect(await bar(page).getByText("memories that wait for their vector").count()).toBe(1);
    expect(await faultsInAllLooks(page)).toEqual([]);
    expect(requests.filter(isOfModel)).toHaveLength(1);
    const places = [/\/samples\//, isOfModel].map((kind) =>
      requests.findIndex((url) => (kind instanceof RegExp ? kind.test(url) : kind(url))),
    );
    expect(places[0]).toBeLessThan(places[1]!);

    await bar(page).waitFor({ state: "detached", ...PATIENCE });
    await expect.poll(() => verdict.textContent()).toMatch(/ by words and meaning\.$/);

    // The next visits have model and vectors, at last without a network.
    await page.evaluate(() => navigator.serviceWorker.ready);
    for (const isOffline of [false, true]) {
      await page.context().setOffline(isOffline);
      await page.reload();
      await expect.poll(() => verdict.textContent(), PATIENCE).toMatch(/ by words and meaning\.$/);
      expect(await bar(page).count()).toBe(0);
    }
    expect(requests.filter(isOfModel)).toHaveLength(1);
    expect(complaints).toEqual([]);
    await close();
  }, 180_000);

  it("asks first where data is dear, and remembers that a visitor does not want it", async () => {
    const { page, complaints, requests, close } = await visit("ask");
    await bar(page).getByText("Answers go by words.").waitFor();
    await bar(page).getByText("14 MB, kept in this browser").waitFor();
    await button(page, "Not now").click();
    await bar(page).waitFor({ state: "detached" });
    await page.reload();
    await page.locator(".answer").first().waitFor();
    await page.getByRole("link", { name: "Memories", exact: true }).click();
    await panel(page).getByText("Answers go by words.").waitFor();
    expect(await bar(page).count()).toBe(0);
    expect(requests.filter((url) => isOfModel(url) || /sentence-worker/.test(url))).toEqual([]);

    const note = { kind: "node", id: "tea", type: "note", content_title: "Mira prefers tea" };
    const notes = [note, { ...note, id: "rent", content_title: "The rent is 900 pounds" }];
    const buffer = Buffer.from(notes.map((row) => JSON.stringify(row)).join("\n"));
    const files = { name: "notes.jsonl", mimeType: "application/jsonl", buffer };
    await page.getByLabel("Choose files").setInputFiles(files);
    await page.getByRole("heading", { name: "notes.jsonl" }).waitFor();
    await button(page, "Rank by meaning").click();
    await settled(page);
    await panel(page).getByText(BY_BOTH).waitFor();
    expect(await faultsInAllLooks(page)).toEqual([]);
    // An edited memory gets the vector of its new text.
    await button(page, "Keep in this browser").click();
    await page.locator('.record[data-id="rent"]').getByRole("button", { name: /Edit/ }).click();
    await page.getByLabel("Title").fill("The ferry is late");
    await button(page, "Save").click();
    const vectorsIn = async () =>
      new Map(nodesIn(await downloaded(page)).map(({ id, embedding }) => [id, embedding]));
    const minilm = await loadMinilm();
    const base64 = (text: string) =>
      Buffer.from(minilm.embed(text).vector.buffer).toString("base64");
    await expect
      .poll(async () => (await vectorsIn()).get("rent"))
      .toBe(base64("The ferry is late"));
    expect((await vectorsIn()).get("tea")).toBe(base64("Mira prefers tea"));
    minilm.free();
    await button(page, "Rank by words alone").click();
    await button(page, "Rank by meaning").waitFor();
    await page.reload();
    await button(page, "Rank by meaning").waitFor();
    expect(complaints).toEqual([]);
    await close();
  }, 120_000);

  it("goes on by words if the model cannot be had", async () => {
    const folder = temporaryFolder();
    cpSync(DIST, folder, { recursive: true, filter: (path) => !isOfModel(path) });
    const site = await Site.serve(folder, {}, TYPES);
    const look = { mayFetchModel: true };
    const { page, close } = await visitPage(browser(), site.url, "ask", look);
    await bar(page)
      .getByText("The sentence model could not be loaded: answers go by words.")
      .waitFor(PATIENCE);
    await page.getByRole("searchbox").fill("Who is our family physician?");
    await expect.poll(() => page.locator(".verdict").textContent()).toMatch(/, by words\.$/);
    expect(await faultsInAllLooks(page)).toEqual([]);
    await button(page, "Try again").click();
    await bar(page).getByText("The sentence model could not be loaded").waitFor(PATIENCE);
    await close();
    await site.close();
  }, 120_000);
});

describe("an open memory", () => {
  let minilm: Minilm;
  beforeAll(async () => {
    minilm = await loadMinilm();
  });
  afterAll(() => minilm.free());

  const note = (id: string, content_title: string, more: object = {}) => ({
    ...{ kind: "node", id, type: "note", content_title, created_at: "2026-03-01T09:00:00Z" },
    ...more,
  });
  const opened = (lines: readonly object[], source: "files" | "server" = "files") => {
    const rows = noRows();
    for (const line of lines) addLine(rows, JSON.stringify(line));
    const opening = { name: "", rows, now: null, config: {}, words: undefined };
    return Held.open({ ...opening, wrong: [], wrongCount: 0, source }, () => {});
  };
  const embed = async (text: string) => {
    const { vector, tokens } = minilm.embed(text);
    return tokens === 0 ? null : vector;
  };
  const nodeLinesOf = (held: Held) =>
    [...held.exportLines()].filter(({ kind }) => kind === "node") as unknown as (Line & {
      content_title: string;
    })[];
  const workOff = async (held: Held) => {
    for (const { id, text } of [...held.waitingTexts()])
      held.take([{ id, text, vector: await embed(text) }]);
    held.mean(embed);
  };
  const firstOf = async (held: Held, question: string) => {
    await held.hear([question]);
    return held.index.ask(question, { ...held.asking(question), limit: 1 })[0]?.id;
  };
  const NOTES = [
    note("tea", "Mira prefers tea"),
    note("rent", "The rent is 900 pounds"),
    note("ferry", "The ferry is late"),
    note("blank", "\u200b"),
  ];

  it("keeps a vector as long as its text, also in its lines", async () => {
    const held = await opened(NOTES);
    expect(held.waiting).toBe(4);
    await workOff(held);
    expect(held.waiting).toBe(0);
    expect(await firstOf(held, "Which beverage does she like?")).toBe("tea");
    const again = await opened([...held.exportLines()]);
    // A text that the model cannot read is read again.
    expect(again.waiting).toBe(1);
    again.mean(embed);
    expect(await firstOf(again, "Which beverage does she like?")).toBe("tea");
    again.free();

    const lineOf = (id: string) => [...held.exportLines()].find((line) => line.id === id)!;
    const old = lineOf("tea");
    expect(old).toMatchObject({ embedding_model: TRANSFORMER.name });
    const texts = { title: "Mira prefers coffee", summary: null, text: "", tags: [] };
    await edit(held, "tea", texts);
    expect(held.waiting).toBe(1);
    expect(lineOf("tea")).toMatchObject({ embedding: null, embedding_model: null });
    // A vector that was under way is that of the old text.
    held.take([{ id: "tea", text: "Mira prefers tea", vector: await embed("Mira prefers tea") }]);
    expect([held.waiting, lineOf("tea").embedding]).toEqual([1, null]);
    await undo(held);
    expect(lineOf("tea")).toEqual(old);
    // Other fields leave it as it is.
    await edit(held, "tea", { ...texts, title: "Mira prefers tea", tags: ["drinks"] });
    expect(held.waiting).toBe(0);
    await remove(held, [held.card("tea"), held.card("rent")]);
    expect(held.waiting).toBe(0);
    held.mean(undefined);
    expect(held.embeddingOf("Which beverage does she like?")).toBeUndefined();
    held.free();
  });

  it(
    "has no vector but that of its text, whatever is changed while vectors are made",
    async () => {
      const ids = ["tea", "rent", "ferry"];
      const id = fc.constantFrom(...ids);
      const title = fc.constantFrom("Tea", "Rent", "Ferry", "\u200b");
      const step = fc.oneof(
        fc.record({ do: fc.constant("edit" as const), id, title, tags: fc.subarray(["a", "b"]) }),
        fc.record({ do: fc.constant("begin" as const) }),
        fc.record({ do: fc.constant("take" as const) }),
        fc.record({ do: fc.constant("remove" as const), id }),
        fc.record({ do: fc.constant("undo" as const) }),
        fc.record({ do: fc.constant("reopen" as const) }),
      );
      const base64 = new Map<string, string | null>();
      for (const text of ["Tea", "Rent", "Ferry", "\u200b"]) {
        const vector = await embed(text);
        base64.set(text, vector && Buffer.from(vector.buffer).toString("base64"));
      }
      const run = async (steps: readonly Step[]) => {
        let held = await opened(ids.map((name) => note(name, "Tea")));
        let underWay: Made[] = [];
        for (const one of steps) {
          if (one.do === "edit" && held.row(one.id) !== undefined)
            await edit(held, one.id, { ...one, summary: null, text: "" });
          else if (one.do === "remove" && held.row(one.id) !== undefined)
            await remove(held, [held.card(one.id)]);
          else if (one.do === "undo") await undo(held);
          else if (one.do === "begin")
            for (const { id, text } of held.waitingTexts())
              underWay.push({ id, text, vector: await embed(text) });
          else if (one.do === "take") held.take(underWay.splice(0));
          else if (one.do === "reopen" && held.rows.nodes.size > 0) {
            const lines = [...held.exportLines()];
            held.free();
            held = await opened(lines);
            underWay = [];
          }
          let without = 0;
          for (const { id, content_title, embedding = null } of nodeLinesOf(held)) {
            const isThere = held.index.get(id)!.has_embedding;
            expect(embedding).toBe(isThere ? base64.get(content_title) : null);
            if (!isThere && base64.get(content_title) !== null) without += 1;
          }
          const all = new Set(Array.from(held.waitingTexts(), ({ id: name }) => name));
          expect(all.size).toBe(held.waiting);
          expect(held.waiting).toBeGreaterThanOrEqual(without);
        }
        held.free();
      };
      type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 30, size: "max" }), run),
        runs(amount(500)),
      );
    },
    patience(60_000),
  );

  it("is ranked by meaning only if a server would", async () => {
    const embedding = Buffer.from(new Float32Array(384).fill(0.5).buffer).toString("base64");
    const isFor = async (lines: readonly object[], source?: "server") => {
      const held = await opened(lines, source);
      const { isForTransformer } = held;
      held.free();
      return isForTransformer;
    };
    const of = (embedding_model: string | null) => note("a", "A", { embedding, embedding_model });
    expect(await isFor(NOTES)).toBe(true);
    expect(await isFor([of(TRANSFORMER.name)])).toBe(true);
    expect(await isFor([of("nous-128-6e2b8e92")])).toBe(true);
    expect(await isFor([...NOTES, of("nomic-embed-text")])).toBe(false);
    expect(await isFor([of(null)])).toBe(false);
    expect(await isFor(NOTES, "server")).toBe(false);
    const row = note("a", "A", { embedding_model: TRANSFORMER.name });
    expect(await isFor([...NOTES, row], "server")).toBe(true);
  });
});
