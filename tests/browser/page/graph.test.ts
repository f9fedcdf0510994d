// The view Graph: the neighbourhood of the answers, hops, threads, picture and list.

import { MemoryIndex } from "nous-wasm";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { Held } from "../../../js/page/src/memory/held.ts";
import { noRows } from "../../../js/page/src/memory/lines.ts";
import { neighbourhood } from "../../../js/page/src/memory/spread.ts";
import { faultsInAllLooks, sharedPage } from "./support.ts";

const TRADER = "memory=trader&q=What+lessons+did+I+learn+about+funding%3F";

const { visit } = sharedPage();

async function open(at: string, look = {}) {
  const opened = await visit(at, look);
  await opened.page.locator(".graph-list li").first().waitFor();
  return opened;
}

const items = (page: Page) => page.locator(".graph-list button");
const amounts = async (page: Page) =>
  (await page.locator(".graph-list .amount").allInnerTexts()).map((text) =>
    text === "–" ? 0 : Number(text),
  );
const activeIn = async (page: Page) => (await amounts(page)).filter((amount) => amount > 0).length;
/** Returns the picture as bytes of PNG, in text. */
const picture = (page: Page) => page.evaluate(() => document.querySelector("canvas")!.toDataURL());

describe("the neighbourhood of answers", () => {
  it("has the activations of the engine on the whole graph", () => {
    const now = Date.parse("2026-12-01T00:00:00Z");
    const names = ["start", "near", "far", "farther", "too-far", "apart"];
    const nodes = names.map((id, place) => ({
      id,
      created_at: now - (place + 1) * 86_400_000,
      text: id === "start" ? "The ferry to Oban leaves at nine." : `Something else, ${id}.`,
    }));
    const edges = names.slice(1, 5).map((target_id, place) => ({
      ...{ id: `e${place}`, source_id: names[place]!, target_id },
      ...{ type: place % 2 === 0 ? "causes" : "precedes", strength: null },
    }));
    const search = { graphReach: true, denseWeight: 0, bm25Weight: 1 };
    const index = new MemoryIndex({ config: { search } });
    index.upsert(nodes, { now });
    index.link(edges);
    const rows = {
      ...noRows(),
      nodes: new Map(
        nodes.map(({ id, created_at }, sequence) => [
          id,
          { id, sequence, created_at: new Date(created_at).toISOString() },
        ]),
      ),
      edges: edges.map((edge, sequence) => ({ ...edge, sequence })),
    };
    const card = (id: string) => ({ id });
    const asking = () => ({ now });
    const held = { index, now, rows, config: {}, card, asking } as unknown as Held;
    const { nodes: shown, reached, links, threads } = neighbourhood(held, "ferry to Oban");
    const activation = new Map(shown.map((node) => [node.card.id, node.activation]));
    const shareOf = (id: string) => {
      const bm25 = [{ id: "start", score: 1 }];
      const { ranking } = index.search({ bm25, now, limit: 10 });
      return ranking.breakdown(ranking.ids.indexOf(id))!.graph;
    };
    const whole = names.slice(0, 4).map(shareOf);
    const [start, near, far] = names.map((id) => activation.get(id));
    expect(shown[0]!.card.id).toBe("start");
    expect(start![0]).toBe(1);
    expect(near!.map((amount) => amount > 0)).toEqual([false, true, true, true]);
    expect(far!.map((amount) => amount > 0)).toEqual([false, false, true, true]);
    for (const [place, share] of whole.entries()) {
      const own = activation.get(names[place]!)![3]!;
      expect(own / start![3]!).toBeCloseTo(share / whole[0]!, 12);
    }
    expect(activation.get("too-far")?.[3] ?? 0).toBe(0);
    expect(activation.get("apart")).toBeUndefined();
    expect(reached).toEqual([1, 2, 3, 4]);
    expect(links.length).toBe(shown.length - 1);
    // Each was made a day after the other: no runs.
    expect(threads).toEqual([]);
    index.free();
  });

  it("has the three nearest of an answer without links, also where others have links", () => {
    const now = Date.parse("2026-12-01T00:00:00Z");
    const texts = {
      ferry: "The ferry to Oban leaves the pier at nine",
      pier: "The pier of the ferry is closed in winter",
      oban: "Oban has a ferry office at the harbour",
      nine: "The ferry office opens at nine",
      boat: "A ferry",
      tea: "Mira drinks tea",
      cups: "The cups are blue",
    };
    const nodes = Object.entries(texts).map(([id, text], place) => ({
      ...{ id, text, created_at: now - (place + 1) * 86_400_000 },
    }));
    // A faint guess is no link that is shown.
    const faint = { id: "f", source_id: "ferry", target_id: "pier", type: "faintly_supersedes" };
    const edges = [
      { id: "e", source_id: "tea", target_id: "cups", type: "causes", strength: 1 },
      { ...faint, strength: 0.1 },
    ];
    const index = new MemoryIndex();
    index.upsert(nodes, { now });
    index.link(edges);
    const rows = {
      ...noRows(),
      nodes: new Map(
        nodes.map(({ id, created_at }, sequence) => [
          id,
          { id, sequence, created_at: new Date(created_at).toISOString() },
        ]),
      ),
      edges: edges.map((edge, sequence) => ({ ...edge, sequence })),
    };
    const card = (id: string) => ({ id, title: "", text: texts[id as keyof typeof texts] });
    const asking = () => ({ now });
    const ownVector = () => undefined;
    const held = { index, now, rows, config: {}, card, asking, ownVector } as unknown as Held;
    const near = (question: string, isLinked: boolean) => {
      const { nodes: shown, alike, hasLinks } = neighbourhood(held, question);
      const name = (place: number) => shown[place]!.card.id;
      expect(hasLinks).toBe(isLinked);
      return alike.map(({ source, target }) => [name(source), name(target)]);
    };
    const pairs = near("pier", false);
    const ofPier = pairs.filter((pair) => pair.includes("pier")).map((pair) => pair.join(" "));
    expect(ofPier.length).toBeGreaterThanOrEqual(3);
    expect(ofPier.join(" ")).toContain("ferry");
    expect(pairs.flat()).not.toContain("cups");
    // Both have a link, over which activation passes.
    expect(near("blue cups", true)).toEqual([]);
    index.free();
  });
});

describe("the view Graph", () => {
  it("spreads activation hop by hop", async () => {
    const { page, complaints, close } = await open(`graph?${TRADER}&hop=0`);
    expect(await activeIn(page)).toBe(10);
    const told = page.locator(".hops [role=status]");
    expect(await told.innerText()).toBe("At the start, 10 memories are active.");
    const active = [10];
    for (const hop of [1, 2, 3]) {
      const before = await picture(page);
      await page.getByRole("radio", { name: `After ${hop}` }).check({ force: true });
      await expect.poll(() => page.url()).toContain(hop === 3 ? TRADER : `hop=${hop}`);
      active.push(await activeIn(page));
      // The sentence tells of this hop: all that are active, and those that are not shown.
      const words = (await told.innerText()).replaceAll(",", "");
      const [, reached, hidden = "0"] =
        /^After \d hops? (\d+) memories are active\.(?:\D+(\d+))?/.exec(words)!;
      expect(Number(reached) - Number(hidden)).toBe(active.at(-1));
      await expect.poll(() => picture(page)).not.toBe(before);
    }
    expect(active).toEqual([...active].sort((a, b) => a - b));
    expect(active[3]).toBeGreaterThan(active[1]!);
    expect(await items(page).count()).toBeLessThanOrEqual(150);
    expect(complaints).toEqual([]);
    await close();
  });

  it("plays the hops, without easing if less motion is wanted", async () => {
    const context = { reducedMotion: "reduce" } as const;
    const { page, complaints, close } = await open(`graph?${TRADER}`, { context });
    await page.getByRole("button", { name: "Play the hops" }).press("Enter");
    const chosen = () => page.locator(".hops :checked").getAttribute("aria-label");
    await expect.poll(chosen).toMatch(/^0/);
    await expect.poll(chosen, { timeout: 15_000 }).toBe("After 3 hops");
    await page.getByRole("button", { name: "Play the hops" }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("says what the numbers of the list are, and their order", async () => {
    const { page, close } = await open(`graph?${TRADER}`);
    expect(await page.locator(".graph-list .heads").innerText()).toContain("Activation");
    expect(await page.locator(".graph-list .note").innerText()).toMatch(/answers come first/);
    const others = (await amounts(page)).slice(10);
    expect(others).toEqual([...others].sort((a, b) => b - a));
    await close();
  });

  it("is used with the keyboard: list, hops, picture", async () => {
    const context = { reducedMotion: "reduce" } as const;
    const { page, complaints, close } = await open(`graph?${TRADER}`, { context });
    const third = items(page).nth(2);
    await third.focus();
    expect(await third.getAttribute("aria-pressed")).toBe("true");
    const title = (await third.locator(".name").innerText()).replace(/^3\. /, "").slice(0, 20);
    await expect.poll(() => page.locator(".picked").innerText()).toContain(title);
    await expect.poll(() => page.url()).toContain("node=");
    await page.keyboard.press("Tab");
    expect(await items(page).nth(3).getAttribute("aria-pressed")).toBe("true");
    await page.getByRole("radio", { name: "After 3 hops" }).focus();
    await page.keyboard.press("ArrowLeft");
    await expect.poll(() => page.url()).toContain("hop=2");
    await page.locator("canvas").focus();
    for (const key of ["+", "-", "ArrowLeft", "ArrowUp"]) {
      const before = await picture(page);
      await page.keyboard.press(key);
      await expect.poll(() => picture(page)).not.toBe(before);
    }
    await page.keyboard.press("0");
    const whole = await picture(page);
    await page.getByRole("button", { name: "Zoom in" }).click();
    await expect.poll(() => picture(page)).not.toBe(whole);
    await page.getByRole("button", { name: "Show all" }).click();
    await expect.poll(() => picture(page)).toBe(whole);
    expect(complaints).toEqual([]);
    await close();
  });

  it("draws the same picture for the same graph", async () => {
    const context = { reducedMotion: "reduce" } as const;
    const pictures: string[] = [];
    for (let visit = 0; visit < 2; visit++) {
      const { page, close } = await open(`graph?${TRADER}`, { context });
      await page.waitForTimeout(300);
      pictures.push(await picture(page));
      await close();
    }
    expect(pictures[1]).toBe(pictures[0]);
  });

  it("joins the memories of runs where there are no links, and follows them", async () => {
    const { page, complaints, close } = await open("graph?q=milk");
    expect(await page.locator(".graph-view .note").first().innerText()).toContain("No links");
    expect(await page.locator(".hops").count()).toBe(0);
    const legend = await page.getByRole("list", { name: "Legend" }).innerText();
    expect(legend).not.toMatch(/^link$/m);
    expect(legend).toContain("nearest by words");
    expect(await page.locator(".graph-list .heads").innerText()).toContain("Probability");
    expect(await page.locator(".graph-list .amount").first().innerText()).toMatch(/%$/);
    await items(page).filter({ hasText: "Which milk did I put" }).click();
    const after = page.locator(".picked li").filter({ hasText: "after, in " });
    const next = await after.getByRole("button").innerText();
    await after.getByRole("button").click();
    const pressed = page.locator('.graph-list [aria-pressed="true"] .name');
    await expect.poll(() => pressed.innerText()).toContain(next.slice(0, 20));
    expect(complaints).toEqual([]);
    await close();
  });

  it("writes the names of runs on their threads", async () => {
    const { page, complaints, close } = await open("graph?q=milk");
    await page.evaluate(() => {
      const texts: string[] = [];
      Object.assign(globalThis, { texts });
      const { prototype } = CanvasRenderingContext2D;
      const { fillText } = prototype;
      prototype.fillText = function (text, ...place) {
        texts.push(text);
        fillText.call(this, text, ...place);
      };
    });
    await page.getByRole("button", { name: "Zoom in" }).click();
    const written = () => page.evaluate(() => (globalThis as unknown as { texts: string[] }).texts);
    await expect.poll(written).toContain("2026-11-08");
    expect(complaints).toEqual([]);
    await close();
  });

  it("takes wrong values of the address as the usual ones, and says when nothing is found", async () => {
    const { page, complaints, close } = await open(`graph?${TRADER}&hop=9&node=nobody`);
    await expect.poll(() => page.locator(".hops :checked").getAttribute("aria-label")).toMatch(/3/);
    expect(await page.locator(".picked").count()).toBe(0);
    await page.getByRole("textbox", { name: "Question" }).fill("?!");
    await page.getByText("Nothing in this memory has to do with the question").waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("has no faults of accessibility, and fits narrow and wide windows, in both themes", async () => {
    const { page, complaints, close } = await open(`graph?${TRADER}`);
    await items(page).first().click();
    expect(await faultsInAllLooks(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });
});
