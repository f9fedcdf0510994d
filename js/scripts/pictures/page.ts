// Photographs every view of the page in Chromium, light and dark, wide and narrow, into docs/page.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { PATIENCE, still, whileTold } from "./still.ts";

/** The views, each with an address that shows it well. */
const VIEWS: Readonly<Record<string, string>> = {
  ask: "ask?q=Which+milk+should+I+buy+for+Theo%3F",
  "why-not": "why-not?q=Which+milk+should+I+buy+for+Theo%3F",
  context: "context?q=Which+milk+should+I+buy+for+Theo%3F",
  sections: "sections?memory=trader&q=What+lessons+did+I+learn+about+funding%3F",
  time: "time?q=What+did+we+do+in+Oban%3F",
  graph: "graph?memory=trader&q=What+lessons+did+I+learn+about+funding%3F",
  speed: "speed",
  memories: "memories",
  remember: "ask",
};
const SIZES = { wide: [1280, 860], narrow: [360, 740] } as const;
/** The quality of a WebP, in percent. */
const QUALITY = 82;
/** How long a view stands still until its picture is taken, in milliseconds. */
const REST = 1_500;

/**
 * Writes a picture of each view below `folder`, or of those that are named. The page is at `url`.
 *
 * @throws If a name is none of a view.
 */
export async function photograph(
  browser: Browser,
  url: string,
  folder: string,
  names: readonly string[],
): Promise<void> {
  for (const name of names)
    if (!Object.hasOwn(VIEWS, name))
      throw new Error(`There is no view ${name}. The views are ${Object.keys(VIEWS).join(", ")}.`);
  const wanted = Object.entries(VIEWS).filter(
    ([view]) => names.length === 0 || names.includes(view),
  );
  mkdirSync(folder, { recursive: true });
  // A context keeps the vectors of the samples, so that each is made once.
  const context = await browser.newContext({ reducedMotion: "reduce" });
  context.setDefaultTimeout(PATIENCE);
  for (const [view, at] of wanted) {
    const page = await context.newPage();
    await page.goto(`${url}#/${at}`);
    await page.locator("main").waitFor();
    await page.locator(".loading").waitFor({ state: "detached" });
    if (view === "speed") await measured(page);
    if (view === "remember") await corrected(page);
    // Chromium without a window draws no scrollbar, and would leave the room for one empty.
    await page.evaluate(() => {
      document.documentElement.style.scrollbarGutter = "auto";
    });
    for (const theme of ["light", "dark"] as const)
      for (const [size, [width, height]] of Object.entries(SIZES)) {
        await page.emulateMedia({ colorScheme: theme });
        await page.setViewportSize({ width, height });
        // What was stored was brought into sight.
        await page.evaluate(() => scrollTo(0, 0));
        await still(page, REST);
        writeFileSync(join(folder, `${view}-${theme}-${size}.webp`), await taken(page));
      }
    await page.close();
  }
  await context.close();
}

async function measured(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Measure" }).click();
  await whileTold(page, async () => {
    const told = await page.locator("main").innerText();
    return told.includes("Done.") ? "" : told;
  });
}

/** Writes two memories into an empty one, of which the second corrects the first. */
async function corrected(page: Page): Promise<void> {
  await page.getByLabel("Memory", { exact: true }).selectOption("new");
  const box = page.getByLabel("What should be remembered?");
  await box.fill("I live in Graz.");
  await box.press("ControlOrMeta+Enter");
  await page.getByText("Remember something").click();
  await box.fill("I moved to Salzburg in May.");
  await box.press("ControlOrMeta+Enter");
  await page.getByText("It seems to replace").waitFor();
}

/** Playwright writes PNG and JPEG only; Chromium itself writes WebP, too. */
async function taken(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", {
    format: "webp",
    quality: QUALITY,
  });
  return Buffer.from(data, "base64");
}
