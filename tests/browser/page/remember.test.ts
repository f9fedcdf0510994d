// An empty memory, and remembering: what is written is stored by the rules of the server, here or
// there, shown as what was stored, and can be corrected on the spot.

import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { start } from "../../server/support/server-process.ts";
import { temporaryFolder } from "../../server/support/temporary-folder.ts";
import { faultsInAllLooks, sharedPage, visitPage } from "./support.ts";

const { browser, visit, url } = sharedPage();

const VIEWS = ["ask", "why-not", "context", "sections", "time", "graph", "speed", "memories"];
const box = (page: Page) => page.getByLabel("What should be remembered?");
const stored = (page: Page) => page.getByRole("region", { name: "What was stored" });
const nothingStored = (page: Page) => page.getByRole("heading", { name: "Nothing is stored yet" });
const button = (page: Page, name: string) => page.getByRole("button", { name });

/** Writes a text into the box, and waits until it is stored. */
async function remember(page: Page, text: string): Promise<void> {
  await box(page).or(page.getByText("Remember something")).first().waitFor();
  if (!(await box(page).isVisible())) await page.getByText("Remember something").click();
  await box(page).fill(text);
  await box(page).press("ControlOrMeta+Enter");
  await expect.poll(() => box(page).inputValue()).toBe("");
  // The box of an empty memory goes when its first one is stored.
  await nothingStored(page).waitFor({ state: "hidden" });
}

/** Opens an empty memory in the page. */
async function startEmpty(page: Page): Promise<void> {
  await page.getByLabel("Memory", { exact: true }).selectOption("new");
  await nothingStored(page).waitFor();
}

describe("an empty memory", () => {
  it("of a server opens on a box that stores, and offers the first question", async () => {
    const server = await start(temporaryFolder());
    const { page, complaints, close } = await visitPage(browser(), `${server.url}/`, "");
    await nothingStored(page).waitFor();
    expect(await faultsInAllLooks(page)).toEqual([]);
    await button(page, "Mira eats no dairy since March.").click();
    await button(page, "Remember").click();
    await stored(page).getByText("Stored as 1 memory.").waitFor();
    await stored(page).getByText("preference").waitFor();
    const { body } = await server.ask("GET /nodes");
    expect(body.data.map((row: { content_title: string }) => row.content_title)).toEqual([
      "Mira eats no dairy since March.",
    ]);
    await button(page, "What does Mira eat?").click();
    await page.locator(".verdict").getByText("Found in").waitFor();
    expect(await page.locator(".answer").first().innerText()).toContain("Mira eats no dairy");
    expect(complaints).toEqual([]);
    await close();
  });

  it("shows every view without a complaint", async () => {
    const { page, complaints, close } = await visit("ask");
    await startEmpty(page);
    const faults: string[] = [];
    for (const view of VIEWS) {
      await page.evaluate((hash) => {
        location.hash = hash;
      }, `#/${view}`);
      await page.locator("main h1").first().waitFor({ state: "attached" });
      await page.waitForTimeout(300);
      faults.push(...(await faultsInAllLooks(page)).map((fault) => `${view}, ${fault}`));
      expect(await page.getByRole("alert").count(), view).toBe(0);
    }
    expect(faults).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  it("says so in the views that only tell of its contents, and has no empty picture", async () => {
    const { page, close } = await visit("ask");
    await startEmpty(page);
    for (const [view, name] of [
      ["why-not", "Why not?"],
      ["sections", "Sections"],
      ["graph", "Graph"],
    ] as const) {
      await page.evaluate((hash) => {
        location.hash = hash;
      }, `#/${view}`);
      await page.getByRole("heading", { name }).waitFor();
      expect(await page.locator("main input").count(), view).toBe(0);
      await page.getByRole("link", { name: "Write the first memory" }).waitFor();
    }
    // What runs on this machine can be measured without a memory.
    await page.getByRole("link", { name: "Speed" }).click();
    await page.getByRole("button", { name: "Measure" }).waitFor();
    await page.getByRole("link", { name: "Memories" }).click();
    const list = page.getByRole("region", { name: "All memories" });
    await list.getByText("Nothing is stored yet.").waitFor();
    expect(await list.locator("input, select").count()).toBe(0);
    expect(await page.getByRole("button", { name: "Download" }).count()).toBe(0);
    expect(await page.getByText("Answers go by").count()).toBe(0);
    await page.getByRole("link", { name: "Under the hood" }).click();
    await page.getByRole("link", { name: "Write the first memory" }).click();
    await box(page).waitFor();
    await page.evaluate(() => {
      location.hash = "#/time";
    });
    await page.getByText("Nothing is stored yet, so that nothing fades.").waitFor();
    expect(await page.locator("table.states").count()).toBe(0);
    // What was found goes with its question.
    const verdict = page.locator(".day-answers .verdict");
    await page.getByRole("textbox", { name: "Question" }).fill("tea");
    await verdict.waitFor();
    await page.getByRole("textbox", { name: "Question" }).fill("");
    await expect.poll(() => verdict.count()).toBe(0);
    await close();
  });

  it("leads to files, to samples, and to the other agents of its server", async () => {
    const server = await start(temporaryFolder());
    await server.ask(
      "POST /remember",
      { text: "The ferry leaves at nine." },
      { "x-nous-agent": "boat" },
    );
    const at = `${server.url}/`;
    const { page, close } = await visitPage(browser(), at, "ask?memory=server&agent=default");
    await button(page, "boat").click();
    await page.getByText("The ferry leaves at nine.").first().waitFor();
    await startEmpty(page);
    await button(page, "A household").click();
    await page.locator(".answer").first().waitFor();
    await close();
    // A mistyped name opens nothing.
    const mistyped = await visitPage(browser(), at, "ask?memory=server&agent=bota");
    await mistyped.page
      .getByRole("alert")
      .getByText("The agent “bota” does not exist. The server has: boat")
      .waitFor();
    await mistyped.close();
  });
});

describe("an empty memory that is chosen while", () => {
  for (const [what, held] of [
    ["the sample is fetched", "**/samples/general.jsonl"],
    ["the page asks whether a server serves it", "**/v1/agents?limit=100"],
  ] as const) {
    it(`${what} stays the one that is open`, async () => {
      const server = await start(temporaryFolder());
      await server.ask("POST /remember", { text: "The ferry leaves at nine." });
      const page = await browser().newPage();
      let go = () => {};
      const mayGo = new Promise<void>((resolve) => {
        go = resolve;
      });
      await page.route(held, async (route) => {
        await mayGo;
        await route.continue();
      });
      const asked = page.waitForRequest((request) =>
        request.url().endsWith(held.split("/").at(-1)!),
      );
      await page.goto(held.includes("samples") ? url() : `${server.url}/`);
      const request = await asked;
      // Which memory opens is not known yet, nor what leaves the page.
      const memory = page.getByLabel("Memory", { exact: true });
      expect(await memory.evaluate((it: HTMLSelectElement) => it.selectedOptions[0]!.text)).toBe(
        "Opening …",
      );
      expect(await page.locator("footer").innerText()).toBe("Licences");
      await startEmpty(page);
      go();
      await request.response();
      await page.waitForLoadState("networkidle");
      await remember(page, "I live in Graz.");
      await page.getByRole("searchbox").fill("Where do I live?");
      await page.locator(".verdict").getByText("among 1 memory, by words").waitFor();
      expect(await page.locator(".answer").allInnerTexts()).toEqual([
        expect.stringContaining("I live in Graz."),
      ]);
      await page.close();
    });
  }
});

describe("remembering", () => {
  it("keeps what is typed while the first memory is stored, in the box of the next view", async () => {
    const { page, close } = await visit("ask");
    await startEmpty(page);
    await box(page).fill("I live in Graz.");
    await box(page).press("ControlOrMeta+Enter");
    await box(page).fill("My sister is called Ana.", { timeout: 1_000 });
    await stored(page).getByText("I live in Graz.").first().waitFor();
    await expect
      .poll(() => page.locator("details.remember-more textarea").inputValue())
      .toBe("My sister is called Ana.");
    await page.locator("details.remember-more textarea").waitFor({ timeout: 5_000 });
    await page.keyboard.type(" She lives in Linz.");
    await page.keyboard.press("ControlOrMeta+Enter");
    await stored(page).getByText("She lives in Linz.").first().waitFor();
    await close();
  });

  it("keeps each key that is pressed while a memory is stored, and not what was stored", async () => {
    const { page, complaints, close } = await visit("ask");
    await startEmpty(page);
    await box(page).fill("I live in Graz.");
    // The first of these changes the view, the second does not.
    for (const next of ["My sister is called Ana.", "She lives in Linz."]) {
      await box(page).press("ControlOrMeta+Enter");
      await page.keyboard.type(next, { delay: 10 });
      await expect.poll(() => box(page).inputValue()).toBe(next);
    }
    expect(complaints).toEqual([]);
    await close();
  });

  it("brings what was stored into sight, below the head of the page", async () => {
    const { page, close } = await visit("ask", {
      context: { viewport: { width: 880, height: 620 } },
    });
    await startEmpty(page);
    await remember(page, "I live in Graz.");
    await remember(page, "I moved to Salzburg in May.");
    await stored(page).getByText("It seems to replace").waitFor();
    const edgesOf = (selector: string) =>
      page.evaluate((found) => {
        const { top, bottom } = document.querySelector(found)!.getBoundingClientRect();
        return { top, bottom };
      }, selector);
    const head = await edgesOf("header.top");
    await expect.poll(async () => (await edgesOf(".stored")).top).toBeGreaterThan(head.bottom);
    expect((await edgesOf(".stored")).bottom).toBeLessThan(620);
    await close();
  });

  it("is done from every view", async () => {
    const { page, complaints, close } = await visit("ask");
    await startEmpty(page);
    await remember(page, "Mira prefers tea.");
    for (const [place, view] of VIEWS.entries()) {
      await page.evaluate((hash) => {
        location.hash = hash;
      }, `#/${view}`);
      await page.locator("main h1").first().waitFor({ state: "attached" });
      await remember(page, `Room ${place} is blue.`);
      await stored(page).getByText(`Room ${place} is blue.`).first().waitFor();
      expect(await faultsInAllLooks(page), view).toEqual([]);
    }
    expect(complaints).toEqual([]);
    await close();
  });

  it("tells what a text seems to replace, and takes the decision", async () => {
    const server = await start(temporaryFolder());
    const { page, complaints, close } = await visitPage(browser(), `${server.url}/`, "");
    await remember(page, "I live in Graz.");
    await remember(page, "I moved to Salzburg in May.");
    await stored(page).getByText("It seems to replace").waitFor();
    await stored(page).getByRole("link", { name: "I live in Graz." }).waitFor();
    expect(await faultsInAllLooks(page)).toEqual([]);
    await button(page, "Yes, it holds no longer").click();
    await expect.poll(() => button(page, "Yes, it holds no longer").count()).toBe(0);
    // What is decided is told as such, and no longer as a guess.
    await stored(page).getByText("— until").waitFor();
    expect(await stored(page).getByText("replace").count()).toBe(0);
    const { body } = await server.ask("GET /nodes");
    const states = body.data.map((row: Record<string, string>) => [
      row.content_title,
      row.state_lifecycle,
    ]);
    expect(states).toContainEqual(["I live in Graz.", "DORMANT"]);
    expect(complaints).toEqual([]);
    await close();
  });

  it("in the page finds, tells what was known, corrects the kind, undoes, and is kept", async () => {
    const { page, complaints, requests, close } = await visit("ask");
    await startEmpty(page);
    const before = requests.length;
    await remember(page, "The rent of our flat is 900 euros a month.");
    await stored(page).getByText("Stored as 1 memory.").waitFor();
    await remember(page, "The rent of our flat is 900 euros a month.");
    await stored(page).getByText("1 memory says it already.").waitFor();
    await button(page, "What is the rent of our flat?").click();
    await page.locator(".answer").first().waitFor();
    // The kind, and with it the section.
    await button(page, "Edit The rent of our flat").click();
    await page.getByLabel("Kind, which decides").selectOption("task");
    await button(page, "Save").click();
    await page.locator(".answer.s-SIGNALS").waitFor();
    await remember(page, "ok");
    await stored(page).getByText("That says nothing to remember.").waitFor();
    await page.evaluate(() => {
      location.hash = location.hash.replace("#/ask", "#/memories");
    });
    await remember(page, "The key hangs in the shed.");
    await expect.poll(() => page.locator(".browse .record").count()).toBe(2);
    await button(page, "Undo the last change").click();
    await expect.poll(() => page.locator(".browse .record").count()).toBe(1);
    // What is undone is no longer told as stored.
    await expect.poll(() => stored(page).count()).toBe(0);
    await remember(page, "The spade hangs in the shed.");
    await stored(page).getByRole("button", { name: "Delete The spade" }).click();
    await expect.poll(() => page.locator(".browse .record").count()).toBe(1);
    await expect.poll(() => stored(page).count()).toBe(0);
    await remember(page, "The key hangs in the hall.");
    await button(page, "Keep in this browser").click();
    await page.getByText("Kept. It opens").waitFor();
    // What comes after it was kept is kept, too.
    await remember(page, "The ferry leaves at nine.");
    await page.reload();
    await expect.poll(() => page.locator(".browse .record").allInnerTexts()).toHaveLength(3);
    expect(requests.slice(before).filter((each) => !each.startsWith(url()))).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  it("undoes a decision before what it was about", async () => {
    const { page, complaints, close } = await visit("ask");
    await startEmpty(page);
    await remember(page, "I live in Graz.");
    await remember(page, "I moved to Salzburg in May.");
    await button(page, "Yes, it holds no longer").click();
    await expect.poll(() => button(page, "Yes, it holds no longer").count()).toBe(0);
    await page.evaluate(() => {
      location.hash = location.hash.replace("#/ask", "#/memories");
    });
    const guesses = page.locator(".browse .values", { hasText: "probably until" });
    await page.locator(".browse .record").nth(1).waitFor();
    expect(await guesses.count()).toBe(0);
    await button(page, "Undo the last change").click();
    await expect.poll(() => guesses.count()).toBe(2);
    expect(await page.locator(".browse .record").count()).toBe(2);
    await button(page, "Undo the last change").click();
    await expect.poll(() => page.locator(".browse .record").count()).toBe(1);
    expect(complaints).toEqual([]);
    await close();
  });

  it("makes several memories of a long text, of one run", async () => {
    const { page, close } = await visit("ask");
    await startEmpty(page);
    const part = (name: string) =>
      `# ${name}\n${`The ${name} is checked each spring. `.repeat(40)}`;
    await remember(page, [part("roof"), part("boiler")].join("\n\n"));
    await stored(page)
      .getByText(/Stored as \d+ memories\./)
      .waitFor();
    const runs = await stored(page).locator(".run").allInnerTexts();
    expect(runs.length).toBeGreaterThan(1);
    expect(new Set(runs).size).toBe(1);
    await close();
  });
});
