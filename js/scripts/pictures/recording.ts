// Records the page in Chromium as an animated WebP: an empty memory takes a fact and its correction,
// and answers. Each frame is taken when the page stands still, so that none is half drawn; how long
// it is shown is written here, and does not depend on the machine.

import { writeFileSync } from "node:fs";
import type { Browser, Locator } from "playwright-core";
import sharp from "sharp";
import { PATIENCE, still } from "./still.ts";

/** The window, in CSS pixels, and how many pixels of the picture one has: README shows it smaller. */
const WINDOW = { width: 1040, height: 740 };
const SCALE = 1.5;
/** How long a frame of typing is shown, and how many letters it brings. */
const KEY = 110;
const LETTERS = 2;
/** The letters that a frame brings to the question, at each of which the page answers. */
const LETTERS_OF_QUESTION = 6;
/** How long the page rests between two looks at it, in milliseconds. */
const REST = 250;

/** Writes the recording into `file`. The page is at `url`. */
export async function record(browser: Browser, url: string, file: string): Promise<void> {
  const context = await browser.newContext({
    colorScheme: "light",
    viewport: WINDOW,
    deviceScaleFactor: SCALE,
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const frames: Buffer[] = [];
  const delays: number[] = [];
  /** Takes a frame that is shown for these milliseconds. */
  const take = async (shown: number) => {
    const frame = await still(page, REST);
    const before = frames.at(-1);
    if (before?.equals(frame)) {
      delays[delays.length - 1]! += shown;
      return;
    }
    frames.push(frame);
    delays.push(shown);
  };
  const type = async (into: Locator, text: string, letters = LETTERS) => {
    for (let end = letters; end < text.length + letters; end += letters) {
      await into.fill(text.slice(0, end));
      await take(KEY);
    }
  };

  await page.goto(`${url}#/ask`);
  await page.getByLabel("Memory", { exact: true }).selectOption("new");
  await page.getByText("Nothing is stored yet").waitFor();
  // Chromium without a window draws no scrollbar, and would leave the room for one empty.
  await page.evaluate(() => {
    document.documentElement.style.scrollbarGutter = "auto";
  });
  await take(1_200);
  const box = page.getByLabel("What should be remembered?");
  await type(box, "I live in Graz.");
  await take(500);
  await box.press("ControlOrMeta+Enter");
  await page.getByText("Stored as 1 memory.").waitFor();
  await take(1_800);
  await page.getByText("Remember something").click();
  await type(box, "I moved to Salzburg in May.");
  await take(500);
  await box.press("ControlOrMeta+Enter");
  await page.getByText("It seems to replace").waitFor();
  await take(3_000);
  await page.getByRole("button", { name: "Hide" }).click();
  // Else the pointer lies on the next control.
  await page.mouse.move(0, 0);
  await type(page.getByRole("searchbox"), "Where do I live?", LETTERS_OF_QUESTION);
  await page.getByText("Found in").waitFor();
  await take(5_000);
  await context.close();

  const joined = sharp(frames, { join: { animated: true } });
  const webp = joined.webp({ lossless: true, effort: 6, minSize: true, loop: 0, delay: delays });
  writeFileSync(file, await webp.toBuffer());
  const seconds = delays.reduce((sum, shown) => sum + shown) / 1_000;
  console.log(`${frames.length} frames, ${seconds} s`);
}
