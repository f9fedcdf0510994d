// A memory that comes page by page, the newest first: it can be used before all of it is here, what changes
// meanwhile is not undone by a page that comes later, and in the end it is as if it had come at once.

import { readFileSync } from "node:fs";
import type { JsonObject as Json } from "nous-memory";
import { Embedder, init } from "nous-wasm";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { take } from "../../../js/page/src/memory/edit.ts";
import { Held } from "../../../js/page/src/memory/held.ts";
import { addRow, memoryIn, noRows } from "../../../js/page/src/memory/lines.ts";
import { suggestedOf } from "../../../js/page/src/memory/suggested.ts";
import { makeRandom } from "../../../js/reference/random.ts";
import { type Running, start } from "../../server/support/server-process.ts";
import { temporaryFolder } from "../../server/support/temporary-folder.ts";
import { SEED } from "../../support/amount.ts";
import { faultsInAllLooks, sharedPage, visitPage } from "./support.ts";

const NOW = Date.parse("2026-12-01T00:00:00Z");
/** A promise, and what resolves it. */
function gate() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
const fileAt = (path: string) => new URL(`../../../js/${path}`, import.meta.url);

describe("a memory that comes page by page", () => {
  let words: Embedder;
  beforeAll(async () => {
    await init();
    words = new Embedder(readFileSync(fileAt("embedder/tables/nous-128.bin")));
  });

  const sample = readFileSync(fileAt("page/dist/samples/general.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line): Json => JSON.parse(line));
  const nodes = sample
    .filter(({ kind }) => kind === "node")
    .map((node): Json => ({ ...node, version: 2 }));
  const random = makeRandom(SEED);
  const some = () => nodes[Math.floor(random() * nodes.length)]!.id!;
  const edges = Array.from({ length: 200 }, (_, place): Json => {
    const type = ["relates_to", "supersedes", "likely_supersedes"][place % 3]!;
    return { kind: "edge", id: `e${place}`, type, source_id: some(), target_id: some() };
  }).filter(({ source_id, target_id }) => source_id !== target_id);
  const others = sample.filter(({ kind }) => kind !== "node");
  const newestFirst = nodes
    .toReversed()
    .sort((one, other) => String(other.created_at).localeCompare(String(one.created_at)));

  const opening = () => ({
    ...{
      name: "",
      now: NOW,
      config: {},
      words,
      wrong: [],
      wrongCount: 0,
      source: "files" as const,
    },
  });
  const atOnce = (rows: readonly Json[]) => {
    const all = noRows();
    for (const row of [...rows, ...others, ...edges]) addRow(all, row);
    return Held.open({ ...opening(), rows: all }, () => {});
  };
  /** Opens it with pages of so many memories, each when `mayCome` resolves. */
  const inPages = (size: number, mayCome: (place: number) => Promise<void>) => {
    const rows = noRows();
    for (const { id } of nodes) rows.places.set(id as string, rows.next++);
    for (const row of [...others, ...edges]) addRow(rows, row);
    async function* pages() {
      for (let from = 0; from < newestFirst.length; from += size) {
        await mayCome(from / size);
        yield newestFirst.slice(from, from + size).map((node) => memoryIn(rows, node));
      }
    }
    const coming = { count: nodes.length, pages: pages() };
    return Held.open({ ...opening(), rows, coming }, () => {});
  };
  const QUESTIONS = ["Where does Jana live?", "Who is allergic to hazelnuts?", "Which ferry?"];
  const told = async (held: Held) => ({
    lines: [...held.exportLines()],
    summary: held.summary(),
    suggested: await suggestedOf(held),
    answers: QUESTIONS.map((question) => held.index.ask(question, { limit: 30, now: NOW })),
    cards: Array.from(held.all(), ({ id }) => held.card(id)),
  });

  it("is in the end as if it had come at once", async () => {
    const whole = await atOnce(nodes);
    const paged = await inPages(100, async () => {});
    expect(paged.awaited).toBeGreaterThan(0);
    await paged.whole;
    expect(await told(paged)).toEqual(await told(whole));
    expect(paged.summary().awaited).toBe(0);
  });

  it("can be asked before all is here, among the newest, with their links", async () => {
    const held = await inPages(300, (place) =>
      place === 0 ? Promise.resolve() : new Promise(() => {}),
    );
    expect(held.summary()).toMatchObject({ memories: 300, awaited: nodes.length - 300 });
    const here = new Set(newestFirst.slice(0, 300).map(({ id }) => id));
    for (const { id } of QUESTIONS.flatMap((question) => held.index.ask(question, { now: NOW })))
      expect(here.has(id)).toBe(true);
    const linked = edges.filter(
      ({ source_id, target_id }) => here.has(source_id) && here.has(target_id),
    );
    expect(linked.length).toBeGreaterThan(0);
    expect(held.index.edgeCount).toBe(linked.length);
  });

  it("counts each memory once at any time, as here or as awaited", async () => {
    const held = await inPages(100, async () => {});
    const sums = new Set<number>();
    for (let { memories, awaited } = held.summary(); awaited > 1; ) {
      sums.add(memories + awaited);
      await new Promise((resolve) => setTimeout(resolve));
      ({ memories, awaited } = held.summary());
    }
    expect([...sums]).toEqual([nodes.length]);
    await held.whole;
  });

  it("keeps what changed meanwhile, whatever comes later", async () => {
    const release = gate();
    const held = await inPages(300, (place) => (place === 0 ? Promise.resolve() : release.promise));
    const [edited, deleted, again, late] = newestFirst.slice(-4);
    const [here] = newestFirst as [Json];
    const loose = edges.find(({ source_id, target_id }) =>
      [source_id, target_id].every((id) => held.row(id as string) === undefined),
    )!;
    const title = (row: Json, version: number) => ({
      ...row,
      version,
      content_title: `v${version}`,
    });
    take(held, [title(edited!, 3), title(here, 3)]);
    held.remove([deleted!.id as string, again!.id as string]);
    take(held, [title(again!, 4)]);
    held.dropEdges(({ id }) => id === loose.id);
    // Rows that were read before, and answered late.
    take(held, [title(edited!, 2), title(here, 2)]);
    release.resolve();
    await held.whole;
    // The version at which a memory was deleted is known of one that was here.
    held.remove([late!.id as string]);
    take(held, [title(late!, 2)]);
    const titleOf = ({ id }: Json) => held.row(id as string)?.content_title;
    expect([edited!, here, again!].map(titleOf)).toEqual(["v3", "v3", "v4"]);
    expect([deleted!, late!].map(titleOf)).toEqual([undefined, undefined]);
    const gone = new Set([deleted!.id, late!.id]);
    const expected = await atOnce(
      nodes
        .filter(({ id }) => !gone.has(id))
        .map((row) => {
          const version = { [String(edited!.id)]: 3, [String(here.id)]: 3, [String(again!.id)]: 4 };
          const changed = version[String(row.id)];
          return changed === undefined ? row : title(row, changed);
        }),
    );
    const dropped = ({ source_id, target_id, id }: Json) =>
      [source_id, target_id].some((end) => gone.has(end as string) || end === again!.id) ||
      id === loose.id;
    expected.dropEdges((edge) => dropped(edge as unknown as Json));
    expect(held.index.edgeCount).toBe(expected.index.edgeCount);
    const [is, shouldBe] = [await told(held), await told(expected)];
    expect(is.answers).toEqual(shouldBe.answers);
    expect(is.cards).toEqual(shouldBe.cards);
  });

  it("tells why the rest does not come, and stays what it is", async () => {
    const held = await inPages(300, (place) =>
      place === 0 ? Promise.resolve() : Promise.reject(new Error("The server went away.")),
    );
    await expect(held.untilWhole(() => {})).rejects.toThrow("The server went away.");
    expect(held.summary()).toMatchObject({ memories: 300, awaited: nodes.length - 300 });
  });
});

describe("the page over a large memory of a server", () => {
  const { browser } = sharedPage();
  const COUNT = 2_400;

  async function filled(): Promise<Running> {
    const server = await start(temporaryFolder());
    const rows = Array.from({ length: COUNT }, (_, place) => ({
      ...{ kind: "node", id: `n${place}`, type: "note", content_title: `Note ${place}` },
      content_body: `Locker ${place} holds ${["oars", "ropes", "sails"][place % 3]}.`,
      created_at: new Date(Date.UTC(2024, 0, 1) + place * 3_600_000).toISOString(),
    }));
    for (let from = 0; from < COUNT; from += 400)
      expect(
        (await server.ask("POST /import", { rows: rows.slice(from, from + 400) })).status,
      ).toBe(200);
    return server;
  }

  const bar = (page: Page) => page.getByRole("complementary", { name: "Loading the memory" });
  const titles = (page: Page) => page.locator(".records .title").allInnerTexts();

  it("is usable before all is here, says so, and keeps what others change meanwhile", async () => {
    const server = await filled();
    const [isRead, release] = [gate(), gate()];
    const context = await browser().newContext();
    // The second page is answered at once, and arrives when the test says.
    await context.route(/\/v1\/nodes\?.*cursor=/, async (route) => {
      const response = await route.fetch();
      isRead.resolve();
      await release.promise;
      await route.fulfill({ response });
    });
    const page = await context.newPage();
    await page.goto(`${server.url}/#/memories`);
    await bar(page).getByText("200 of 2,400 memories loaded").waitFor();
    await expect.poll(async () => (await titles(page))[0]).toBe("Note 2399");
    const sizeOf = () => page.locator(".open-memory .facts").first().innerText();
    expect(await sizeOf()).toContain("200 of 2,400 memories loaded");
    await page.getByText("200 so far").waitFor();
    expect(await page.getByText("Answers go by").count()).toBe(0);
    expect(await faultsInAllLooks(page)).toEqual([]);
    // What changes now is on the page that was answered, and one memory is new.
    await isRead.promise;
    await server.ask("PATCH /nodes/n2100", { content_title: "Changed meanwhile" });
    await page.locator(".news").getByText("1 memory changed").waitFor();
    await server.ask("DELETE /nodes/n2101");
    await page.locator(".news").getByText("1 memory deleted").waitFor();
    await server.ask("POST /nodes", { id: "new", type: "note", content_title: "Stored meanwhile" });
    await page.locator(".news").getByText("Stored just now").waitFor();
    await expect.poll(async () => (await titles(page))[0]).toBe("Stored meanwhile");
    await page.goto(`${server.url}/#/ask?q=What+is+in+locker+2390%3F`);
    await page.locator(".answer").getByText("Note 2390").first().waitFor();
    expect(await page.locator(".verdict").innerText()).toContain("memories loaded so far");
    await page.getByRole("link", { name: "Why not?" }).click();
    await page.locator(".standing").getByText("memories loaded so far").waitFor();
    await page.getByRole("link", { name: "Answers", exact: true }).click();
    await page.locator(".answer").first().waitFor();
    await bar(page).waitFor();
    await page.evaluate(() => {
      const told = new Set<string>();
      const look = () => told.add(document.querySelector("aside.meaning")?.textContent ?? "");
      new MutationObserver(look).observe(document, {
        ...{ subtree: true, childList: true, characterData: true },
      });
      Object.assign(globalThis, { told });
    });
    release.resolve();
    await bar(page).waitFor({ state: "detached" });
    const told = await page.evaluate(() => [
      ...(globalThis as unknown as { told: Set<string> }).told,
    ]);
    expect(told.filter((text) => /memories loaded/.test(text)).length).toBeGreaterThan(0);
    // One memory was deleted meanwhile.
    for (const text of told)
      expect(text).not.toMatch(/of (?!2,(?:400|399) )[\d,]+ memories loaded/);
    await expect
      .poll(() => page.locator(".verdict").innerText())
      .toContain("among 2,400 memories, by");
    await page.goto(`${server.url}/#/memories?find=locker+210`);
    const found = [2210, 2109, 2108, 2107, 2106, 2105, 2104, 2103, 2102].map(
      (place) => `Note ${place}`,
    );
    await expect
      .poll(() => titles(page))
      .toEqual([...found, "Changed meanwhile", "Note 1210", "Note 210"]);
    expect(await sizeOf()).toContain("2,400 memories");
    await context.close();
  });

  it("says so if the rest does not come, and reads it again", async () => {
    const server = await filled();
    const visit = await visitPage(browser(), `${server.url}/`, "memories", {});
    const { page } = visit;
    await page.route(/\/v1\/nodes\?.*cursor=/, (route) => route.abort());
    await page.reload();
    await bar(page).getByRole("alert").waitFor();
    expect(await bar(page).innerText()).toContain("200 of 2,400 memories loaded");
    await page.unroute(/\/v1\/nodes\?.*cursor=/);
    await bar(page).getByRole("button", { name: "Read it again" }).click();
    await expect
      .poll(() => page.locator(".open-memory .facts").first().innerText())
      .toContain("2,400 memories");
    await expect.poll(() => bar(page).count()).toBe(0);
    await visit.close();
  });
});
